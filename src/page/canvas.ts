// Canvases of a page and of its workers: `getContext('webgpu')`, and how frames come to the screen.
import { canvasContext, type CanvasContext, type Picture, type Surface } from '../api';
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
  frameBegan(ended: () => void): void {
    animationFrames.frameBegan(ended);
  }
  show(picture: Picture | null): void {
    if (picture === null) this.#context.clearRect(0, 0, this.width, this.height);
    else {
      this.#context.putImageData(this.#pixels(picture), 0, 0);
      picture.release();
    }
  }

  #pixels(picture: Picture): ImageData {
    const { width, height, colorSpace } = picture, before = this.#image;
    const fits = before?.width === width && before.height === height && before.colorSpace === colorSpace;
    const image = fits ? before : new ImageData(width, height, { colorSpace });
    picture.read(image.data);
    return (this.#image = image);
  }
}

const contexts = new WeakMap<object, CanvasContext>();
/** The context of a canvas, if it has one of ours. */
export const contextOf = (canvas: object): CanvasContext | undefined => contexts.get(canvas);

type GetContext = (kind: string, options?: unknown) => object | null;

/** `getContext` of canvases that may also have ours. */
function withOurs(platform: GetContext): (this: AnyCanvas, kind: string, options?: unknown) => object | null {
  return function getContext(kind, options) {
    const ours = contexts.get(this);
    if (kind !== 'webgpu') return ours === undefined ? platform.call(this, kind, options) : null;
    if (ours !== undefined) return ours.object;
    const context = platform.call(this, '2d', undefined) as Context2d | null;
    if (context === null) return null;
    const made = canvasContext(new PageSurface(this, context));
    contexts.set(this, made);
    return made.object;
  };
}

type Methods = Record<string, (...args: never[]) => unknown>;

/** Has what was submitted drawn and shown before the method reads the canvas. */
function behindFrames(prototype: object, name: string): void {
  const methods = prototype as Methods, platform = methods[name];
  if (platform === undefined) return;
  methods[name] = function (this: object, ...args: never[]): unknown {
    const ours = contexts.get(this)?.core;
    ours?.endFrame();
    ours?.workOff();
    return platform.apply(this, args);
  };
}

/** Gives the canvases of this page, or worker, contexts of ours for `getContext('webgpu')`. */
export function installCanvases(): void {
  for (const constructor of [globalThis.HTMLCanvasElement, globalThis.OffscreenCanvas]) {
    // Workers have no elements.
    if (constructor === undefined) continue;
    const prototype = constructor.prototype as unknown as { getContext: GetContext };
    prototype.getContext = withOurs(prototype.getContext) as GetContext;
    for (const name of ['toDataURL', 'toBlob', 'convertToBlob', 'transferToImageBitmap'])
      behindFrames(prototype, name);
  }
}
