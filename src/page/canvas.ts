// Canvases in pages and workers: `getContext('webgpu')`, and how frames reach the screen.
import { CanvasContextCore, contextObject, isDevice, type ContextCore, type Picture, type Surface } from '../api';
import { animationFrames } from './frames';

type AnyCanvas = HTMLCanvasElement | OffscreenCanvas;
type Context2d = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/**
 * Shows pictures with putImageData, which takes 0.27 ms at 1280×720 in Chromium 150 without a GPU.
 *
 * Tried: bitmaprenderer. Making a bitmap of the same pixels takes 2.9 ms with an OffscreenCanvas, and 3.5 ms with
 * createImageBitmap.
 */
class PageSurface implements Surface {
  readonly canvas: AnyCanvas;
  readonly #context: Context2d;
  /** Buffer for putImageData, which does not accept shared memory. */
  #image: ImageData | null = null;
  /** Whether the canvas shows `#image`. */
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
    // The page may show the canvas before the new frame is drawn, so the old picture is restored.
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
    const { width, height, colorSpace } = picture;
    const before = this.#image;
    const fits = before?.width === width && before.height === height && this.#colorSpace === colorSpace;
    const image = fits ? before : imageOf(width, height, colorSpace);
    picture.read(image.data);
    this.#colorSpace = colorSpace;
    return (this.#image = image);
  }
}

/** Firefox does not support colour spaces here; its images are sRGB. */
function imageOf(width: number, height: number, colorSpace: PredefinedColorSpace): ImageData {
  try {
    if (colorSpace !== 'srgb') return new ImageData(width, height, { colorSpace });
  } catch {
    // Falls back to sRGB.
  }
  return new ImageData(width, height);
}

interface RasterloomContext {
  readonly object: object;
  /** Null while the application may still use a device of the browser. */
  core: CanvasContextCore | null;
}
const contexts = new WeakMap<object, RasterloomContext>();
/** Canvases with contexts of other kinds. Their 2D contexts must not be used to show frames. */
const others = new WeakSet<object>();
/** Returns the context of a canvas if it belongs to Rasterloom. */
export const contextOf = (canvas: object): CanvasContextCore | null => contexts.get(canvas)?.core ?? null;

type GetContext = (kind: string, options?: unknown) => object | null;

/**
 * The context of a canvas in a browser with native WebGPU. Only configure() shows whether the application uses
 * Rasterloom or the browser, and a canvas keeps its kind of context for ever.
 */
class DeferredContext implements ContextCore {
  #chosen: ContextCore | null = null;
  constructor(
    readonly canvas: AnyCanvas,
    private readonly platform: GetContext
  ) {}

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
    const core = rasterloomContext(this.canvas, this.platform);
    if (core === null) throw new DOMException('configure: the canvas has another context', 'InvalidStateError');
    contexts.get(this.canvas)!.core = core;
    return core;
  }

  #native(): ContextCore {
    const context = this.platform.call(this.canvas, 'webgpu') as GPUCanvasContext;
    const { canvas } = this;
    return {
      canvas,
      configure: (value) => context.configure(value as GPUCanvasConfiguration),
      unconfigure: () => context.unconfigure(),
      texture: () => context.getCurrentTexture(),
      get configuration() {
        return context.getConfiguration();
      },
    };
  }
}

/** Returns null for a canvas with a context of another kind. */
function rasterloomContext(canvas: AnyCanvas, platform: GetContext): CanvasContextCore | null {
  const context = platform.call(canvas, '2d') as Context2d | null;
  if (context === null) return null;
  observeCanvasSize(canvas);
  return new CanvasContextCore(new PageSurface(canvas, context));
}

/**
 * Observers of canvas elements with a Rasterloom context, because `setAttribute` may set their width and height, too.
 */
const observers = new WeakMap<object, MutationObserver>();
function observeCanvasSize(canvas: AnyCanvas): void {
  if (typeof HTMLCanvasElement === 'undefined' || !(canvas instanceof HTMLCanvasElement)) return;
  const observer = new MutationObserver(() => contextOf(canvas)?.canvasSizeSet());
  observer.observe(canvas, { attributes: true, attributeFilter: ['width', 'height'] });
  observers.set(canvas, observer);
}

/** Makes a `getContext` that also returns Rasterloom's contexts. */
function wrapGetContext(
  platform: GetContext,
  hasNative: boolean
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
    const core = hasNative ? null : rasterloomContext(this, platform);
    if (core === null && !hasNative) return null;
    const object = contextObject(core ?? new DeferredContext(this, platform));
    contexts.set(this, { object, core });
    return object;
  };
}

type Methods = Record<string, (...args: never[]) => unknown>;

/** Methods that read a canvas including all submitted work. transferToImageBitmap also ends the frame. */
const READERS = {
  toDataURL: 'showNow',
  toBlob: 'showNow',
  convertToBlob: 'showNow',
  transferToImageBitmap: 'endFrameNow',
} as const;

/** Calls `read`. For methods that return a promise, an exception becomes a rejection. */
function promised(name: string, read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (name !== 'convertToBlob' && name !== 'createImageBitmap') throw error;
    return Promise.reject(error as Error);
  }
}

/** Wraps a method that reads its canvas, so that the canvas shows all submitted work first. */
function wrapReader(platform: Methods[string], name: keyof typeof READERS): Methods[string] {
  return function (this: object, ...args: never[]): unknown {
    return promised(name, () => {
      contextOf(this)?.[READERS[name]](name);
      return platform.apply(this, args);
    });
  };
}

/** Wraps a function whose first argument is the canvas, so that the canvas shows all submitted work first. */
function wrapImageFunction(platform: Methods[string], name: string): Methods[string] {
  return function (this: unknown, ...args: never[]): unknown {
    const image: unknown = args[0];
    return promised(name, () => {
      if (typeof image === 'object' && image !== null) contextOf(image)?.showNow(name);
      return platform.apply(this, args);
    });
  };
}

/**
 * Notifies the context when its canvas's width or height is set. That clears the canvas even if the value is the same.
 */
function wrapSideSetter(prototype: object, side: 'width' | 'height'): () => void {
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
  return () => {
    Object.defineProperty(prototype, side, platform);
  };
}

/**
 * Adds Rasterloom's contexts to `getContext('webgpu')` of all canvases in this page or worker. The returned function
 * removes them.
 * @param hasNative whether the browser has native WebGPU contexts for its own devices
 */
export function installCanvases(hasNative: boolean): () => void {
  const undo: (() => void)[] = [];
  const put = <Name extends string>(
    target: object,
    name: Name,
    wrap: (platform: Methods[string], name: Name) => Methods[string]
  ): void => {
    const methods = target as Methods;
    const platform = methods[name];
    if (platform === undefined) return;
    methods[name] = wrap(platform, name);
    undo.push(() => {
      methods[name] = platform;
    });
  };
  // Workers have no canvas elements.
  const prototypes = (...types: ({ prototype: object } | undefined)[]): object[] =>
    types.flatMap((type) => type?.prototype ?? []);
  for (const canvas of prototypes(globalThis.HTMLCanvasElement, globalThis.OffscreenCanvas)) {
    put(canvas, 'getContext', (platform) => wrapGetContext(platform as GetContext, hasNative) as Methods[string]);
    for (const name of Object.keys(READERS) as (keyof typeof READERS)[]) put(canvas, name, wrapReader);
    undo.push(wrapSideSetter(canvas, 'width'), wrapSideSetter(canvas, 'height'));
  }
  const { CanvasRenderingContext2D, OffscreenCanvasRenderingContext2D } = globalThis;
  for (const context of prototypes(CanvasRenderingContext2D, OffscreenCanvasRenderingContext2D))
    put(context, 'drawImage', wrapImageFunction);
  put(globalThis, 'createImageBitmap', wrapImageFunction);
  return () => {
    for (const step of undo) step();
  };
}
