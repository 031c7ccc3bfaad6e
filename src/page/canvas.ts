// Canvases of a page and of its workers: `getContext('webgpu')`, and how frames come to the screen.
import {
  CanvasContextCore, contextObject, isDevice, type ContextCore, type Picture, type Surface,
} from '../api';
import { animationFrames } from './frames';

type AnyCanvas = HTMLCanvasElement | OffscreenCanvas;
type Context2d = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/**
 * Shows pictures by putImageData. Tried bitmaprenderer: a bitmap of the same pixels takes ten times as long to make, by
 * way of an OffscreenCanvas (2.9 ms at 1280×720, in Chromium 150 without a GPU) or of createImageBitmap (3.5), against
 * 0.27 in all.
 */
class PageSurface implements Surface {
  readonly canvas: AnyCanvas;
  readonly #context: Context2d;
  /** What the canvas's context takes: memory that no worker shares. */
  #image: ImageData | null = null;
  /** Whether `#image` is what the canvas shows. */
  #isShown = false;
  #colorSpace: PredefinedColorSpace = 'srgb';

  constructor(canvas: AnyCanvas, context: Context2d) {
    this.canvas = canvas;
    this.#context = context;
  }
  get width(): number {
    return this.canvas.width;
  }
  get height(): number {
    return this.canvas.height;
  }
  cleared(): void {
    // The page shows the canvas before the frame that begins now is drawn.
    if (this.#isShown) this.#context.putImageData(this.#image!, 0, 0);
  }
  frameBegan(ended: () => void): void {
    animationFrames.frameBegan(ended);
  }
  show(picture: Picture | null): void {
    this.#isShown = picture !== null;
    if (picture === null) this.#context.clearRect(0, 0, this.width, this.height);
    else {
      this.#context.putImageData(this.#pixels(picture), 0, 0);
      picture.release();
    }
  }

  #pixels(picture: Picture): ImageData {
    const { width, height, colorSpace } = picture, before = this.#image;
    const fits = before?.width === width && before.height === height && this.#colorSpace === colorSpace;
    const image = fits ? before : imageOf(width, height, colorSpace);
    picture.read(image.data);
    this.#colorSpace = colorSpace;
    return (this.#image = image);
  }
}

/** Firefox has no colour spaces here: its images are sRGB's. */
function imageOf(width: number, height: number, colorSpace: PredefinedColorSpace): ImageData {
  try {
    if (colorSpace !== 'srgb') return new ImageData(width, height, { colorSpace });
  } catch {
    // As below.
  }
  return new ImageData(width, height);
}

interface OurContext {
  readonly object: object;
  /** Null as long as the program may come with another device than ours. */
  core: CanvasContextCore | null;
}
const contexts = new WeakMap<object, OurContext>();
/** Canvases with contexts of other sorts: a 2D one would be taken for the one behind ours. */
const others = new WeakSet<object>();
/** The context of a canvas, if it is ours. */
export const contextOf = (canvas: object): CanvasContextCore | null => contexts.get(canvas)?.core ?? null;

type GetContext = (kind: string, options?: unknown) => object | null;

/**
 * Of a canvas in a browser that has WebGPU itself: whose device the program configures it with is known only then, and
 * a canvas has one sort of context for ever.
 */
class EitherContext implements ContextCore {
  #chosen: ContextCore | null = null;
  constructor(readonly canvas: AnyCanvas, private readonly platform: GetContext) {}

  configure(value: unknown): void {
    const ours = isDevice((value as Partial<GPUCanvasConfiguration> | null | undefined)?.device);
    this.#chosen ??= ours ? this.#ours() : this.#native();
    this.#chosen.configure(value);
  }
  unconfigure(): void {
    this.#chosen?.unconfigure();
  }
  get configuration(): object | null {
    return this.#chosen?.configuration ?? null;
  }
  texture(): object {
    if (this.#chosen !== null) return this.#chosen.texture();
    throw new DOMException('getCurrentTexture: the canvas context is not configured', 'InvalidStateError');
  }

  #ours(): ContextCore {
    const core = ourContext(this.canvas, this.platform);
    if (core === null) throw new DOMException('configure: the canvas has another context', 'InvalidStateError');
    contexts.get(this.canvas)!.core = core;
    return core;
  }

  #native(): ContextCore {
    const context = this.platform.call(this.canvas, 'webgpu') as GPUCanvasContext, { canvas } = this;
    return {
      canvas, configure: (value) => context.configure(value as GPUCanvasConfiguration),
      unconfigure: () => context.unconfigure(), texture: () => context.getCurrentTexture(),
      get configuration() {
        return context.getConfiguration();
      },
    };
  }
}

/** Null for a canvas that has another context. */
function ourContext(canvas: AnyCanvas, platform: GetContext): CanvasContextCore | null {
  const context = platform.call(canvas, '2d') as Context2d | null;
  if (context === null) return null;
  observeSides(canvas);
  return new CanvasContextCore(new PageSurface(canvas, context));
}

/** Of canvases with contexts of ours that are elements: sides may be set by `setAttribute` as well. */
const observers = new WeakMap<object, MutationObserver>();
function observeSides(canvas: AnyCanvas): void {
  if (typeof HTMLCanvasElement === 'undefined' || !(canvas instanceof HTMLCanvasElement)) return;
  const observer = new MutationObserver(() => contextOf(canvas)?.sideWasSet());
  observer.observe(canvas, { attributes: true, attributeFilter: ['width', 'height'] });
  observers.set(canvas, observer);
}

/** `getContext` of canvases that may also have ours. */
function withOurs(
  platform: GetContext, hasNative: boolean
): (this: AnyCanvas, kind: string, options?: unknown) => object | null {
  return function getContext(kind, options) {
    const before = contexts.get(this);
    if (kind !== 'webgpu') {
      const other = before === undefined ? platform.call(this, kind, options) : null;
      if (other !== null) others.add(this);
      return other;
    }
    if (before !== undefined) return before.object;
    if (others.has(this)) return null;
    const core = hasNative ? null : ourContext(this, platform);
    if (core === null && !hasNative) return null;
    const object = contextObject(core ?? new EitherContext(this, platform));
    contexts.set(this, { object, core });
    return object;
  };
}

type Methods = Record<string, (...args: never[]) => unknown>;

/** Methods of canvases that read them, with what was submitted until then; the last one ends the frame. */
const READERS = {
  toDataURL: 'showNow', toBlob: 'showNow', convertToBlob: 'showNow', transferToImageBitmap: 'endFrameNow',
} as const;

/** Calls `read`; what it throws is for the promise that some functions give. */
function promised(name: string, read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (name !== 'convertToBlob' && name !== 'createImageBitmap') throw error;
    return Promise.reject(error as Error);
  }
}

/** Has the canvas show what was submitted before a method of it reads it. */
function showingFirst(platform: Methods[string], name: keyof typeof READERS): Methods[string] {
  return function (this: object, ...args: never[]): unknown {
    return promised(name, () => {
      contextOf(this)?.[READERS[name]](name);
      return platform.apply(this, args);
    });
  };
}

/** The same of a function whose first argument is the canvas. */
function showingArgument(platform: Methods[string], name: string): Methods[string] {
  return function (this: unknown, ...args: never[]): unknown {
    const image: unknown = args[0];
    return promised(name, () => {
      if (typeof image === 'object' && image !== null) contextOf(image)?.showNow(name);
      return platform.apply(this, args);
    });
  };
}

/** Tells the context of a canvas when a side of it is set, also to what it is: that clears canvases. */
function tellingContext(prototype: object, side: 'width' | 'height'): () => void {
  const platform = Object.getOwnPropertyDescriptor(prototype, side);
  if (platform?.set === undefined) return () => undefined;
  const { set } = platform;
  Object.defineProperty(prototype, side, {
    ...platform,
    set(this: object, value: unknown) {
      set.call(this, value);
      observers.get(this)?.takeRecords();
      contextOf(this)?.replaceBuffer();
    },
  });
  return () => { Object.defineProperty(prototype, side, platform); };
}

/**
 * Gives the canvases of this page, or worker, contexts of ours for `getContext('webgpu')`. What it returns takes that
 * back. @param hasNative the browser has contexts of its own, for devices of its own
 */
export function installCanvases(hasNative: boolean): () => void {
  const undo: (() => void)[] = [];
  const put = <Name extends string>(
    target: object, name: Name, wrap: (platform: Methods[string], name: Name) => Methods[string]
  ): void => {
    const methods = target as Methods, platform = methods[name];
    if (platform === undefined) return;
    methods[name] = wrap(platform, name);
    undo.push(() => { methods[name] = platform; });
  };
  // Workers have no elements.
  const prototypes = (...types: ({ prototype: object } | undefined)[]): object[] => types.flatMap(
    (type) => type?.prototype ?? []
  );
  for (const canvas of prototypes(globalThis.HTMLCanvasElement, globalThis.OffscreenCanvas)) {
    put(canvas, 'getContext', (platform) => withOurs(platform as GetContext, hasNative) as Methods[string]);
    for (const name of Object.keys(READERS) as (keyof typeof READERS)[]) put(canvas, name, showingFirst);
    undo.push(tellingContext(canvas, 'width'), tellingContext(canvas, 'height'));
  }
  const { CanvasRenderingContext2D, OffscreenCanvasRenderingContext2D } = globalThis;
  for (const context of prototypes(CanvasRenderingContext2D, OffscreenCanvasRenderingContext2D))
    put(context, 'drawImage', showingArgument);
  put(globalThis, 'createImageBitmap', showingArgument);
  return () => { for (const step of undo) step(); };
}
