// A 2D context for Node. It copies pixels itself, so that libraries read the exact results of a GPU. The first other
// operation hands the pixels to a context of an optional package, which does all work from then on.
// https://html.spec.whatwg.org/multipage/canvas.html#2dcontext
import type { Picture } from '../../api';
import type { ImagePixels } from '../../surface/image';
import { DEFAULTS, OPERATIONS } from './members';
import { drawingAdvice, drawingPackage, nativeImage, type NativeContext } from './package';
import { emptyPixels, ImageData } from '../image-data';

/** rgba8 pixels with straight (not premultiplied) alpha. */
interface Pixels {
  readonly data: Uint8ClampedArray | Uint8Array;
  readonly width: number;
  readonly height: number;
}
interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Converts an argument like HTML's `long` arguments. */
const whole = (value: unknown): number => Math.trunc(Number(value)) | 0;

/** Normalises a rectangle with negative sides. */
function area([x, y, width, height]: readonly number[]): Area {
  return {
    x: Math.min(x!, x! + width!),
    y: Math.min(y!, y! + height!),
    width: Math.abs(width!),
    height: Math.abs(height!),
  };
}

/** Converts to straight alpha. */
function divided(image: ImagePixels): Pixels {
  if (!image.premultiplied) return image;
  const data = new Uint8ClampedArray(image.data);
  for (let i = 0; i < data.length; i += 4)
    for (let c = 0; c < 3; c++) data[i + c] = data[i + 3] === 0 ? 0 : (data[i + c]! * 255) / data[i + 3]!;
  return { ...image, data };
}

/** Composites one texel over another. */
function over(source: Pixels['data'], from: number, target: Pixels['data'], to: number): void {
  const front = source[from + 3]! / 255;
  const back = (target[to + 3]! / 255) * (1 - front);
  const alpha = front + back;
  if (alpha === 0) return;
  for (let c = 0; c < 3; c++) target[to + c] = (source[from + c]! * front + target[to + c]! * back) / alpha;
  target[to + 3] = alpha * 255;
}

export class Context2D implements Picture {
  readonly canvas: object;
  readonly colorSpace = 'srgb';
  readonly opaque = false;
  readonly #read: (source: unknown) => ImagePixels;
  readonly #attributes: object;
  #pixels: Pixels;
  /** The context of the package, which has the pixels, from the first operation that needs it. */
  #native: NativeContext | null = null;
  /** Properties that were set without the package. */
  readonly #state = new Map<string, unknown>();

  /**
   * @param canvas the object that programs know as the canvas
   * @param read returns the pixels of an argument of `drawImage`; throws if it has none
   * @param attributes the second argument of getContext()
   */
  constructor(
    { width, height }: Pick<Pixels, 'width' | 'height'>,
    canvas: object,
    read: (source: unknown) => ImagePixels,
    attributes?: unknown
  ) {
    this.canvas = canvas;
    this.#read = read;
    this.#attributes = { ...(attributes as object | null | undefined) };
    this.#pixels = { width, height, data: emptyPixels(width, height) };
  }
  get width(): number {
    return this.#pixels.width;
  }
  get height(): number {
    return this.#pixels.height;
  }

  /** Clears the canvas and its state. */
  resize(width: number, height: number): void {
    this.#pixels = { width, height, data: emptyPixels(width, height) };
    this.#native = null;
    this.#state.clear();
  }
  read(target: Uint8ClampedArray): void {
    const { width, height, data } = this.#pixels;
    target.set(this.#native === null ? data : this.#native.getImageData(0, 0, width, height).data);
  }
  release(): void {}

  /** Returns the context of the package, which gets the pixels; null without the package. */
  static nativeOf(context: Context2D): NativeContext | null {
    const { width, height, data } = context.#pixels;
    const kit = context.#native === null ? drawingPackage() : null;
    if (kit === null) return context.#native;
    // Programs also draw on canvases without pixels, which has no effect.
    const native = kit.createCanvas(Math.max(1, width), Math.max(1, height)).getContext('2d', context.#attributes);
    const { alpha = true } = context.#attributes as { alpha?: unknown };
    if (alpha && data.some((value) => value !== 0)) {
      const copy = new Uint8ClampedArray(data.buffer as ArrayBuffer, data.byteOffset, data.length);
      native.putImageData(new kit.ImageData(copy, width, height), 0, 0);
    }
    context.#pixels = { width, height, data: new Uint8Array(0) };
    return (context.#native = native);
  }
  /** @throws DOMException if an operation needs the package, and it is not installed */
  static require(context: Context2D, name: string): NativeContext {
    const native = Context2D.nativeOf(context);
    if (native !== null) return native;
    throw new DOMException(`${name} of a 2D context ${drawingAdvice()}`, 'NotSupportedError');
  }
  static stateOf(context: Context2D): Map<string, unknown> {
    return context.#state;
  }
  /** Returns an image in the form that the package draws. */
  static imageFor(context: Context2D, source: unknown): object {
    return nativeImage(divided(context.#read(source)));
  }

  createImageData(...args: [ImageData] | [number, number]): ImageData {
    const [width, height] = typeof args[0] === 'object' ? [args[0].width, args[0].height] : args;
    return new ImageData(Math.abs(whole(width)), Math.abs(whole(height)));
  }

  getImageData(...args: number[]): ImageData {
    const { x, y, width, height } = area(args.map(whole));
    if (this.#native !== null && width > 0 && height > 0)
      return new ImageData(this.#native.getImageData(x, y, width, height).data, width, height);
    const image = new ImageData(width, height);
    this.#copy(this.#pixels, { x, y, width, height }, image, 0, 0);
    return image;
  }

  putImageData(image: unknown, ...args: number[]): void {
    if (!(image instanceof ImageData)) throw new TypeError('putImageData: the first argument must be an ImageData');
    if (this.#native !== null) {
      const { ImageData: NativeData } = drawingPackage()!;
      this.#native.putImageData(new NativeData(image.data, image.width, image.height), ...args);
      return;
    }
    const [x, y, ...dirty] = args.map(whole);
    const from = dirty.length === 4 ? area(dirty) : { x: 0, y: 0, width: image.width, height: image.height };
    this.#copy(image, from, this.#pixels, x! + from.x, y! + from.y);
  }

  clearRect(...args: number[]): void {
    if (this.#native !== null) {
      (this.#native.clearRect as (...values: number[]) => void)(...args);
      return;
    }
    const { x, y, width, height } = area(args.map(whole));
    const from = { x: 0, y: 0, width, height };
    if (width > 0 && height > 0) this.#copy(new ImageData(width, height), from, this.#pixels, x, y);
  }

  /** Draws an image; without the package only in its own size. */
  drawImage(source: unknown, ...args: number[]): void {
    const image = divided(this.#read(source));
    const { width, height } = image;
    const [sx, sy, sw, sh, x, y, w, h] = (
      args.length === 8 ? args : [0, 0, width, height, args[0], args[1], args[2] ?? width, args[3] ?? height]
    ).map(Number) as [number, number, number, number, number, number, number, number];
    const isScaled = sw !== w || sh !== h || [sx, sy, sw, sh, x, y].some((value) => !Number.isInteger(value));
    const native = isScaled ? Context2D.nativeOf(this) : this.#native;
    if (native !== null) {
      native.drawImage(nativeImage(image), ...args);
      return;
    }
    if (isScaled)
      throw new DOMException(
        `drawImage: ${sw} × ${sh} pixels at ${sx}, ${sy} as ${w} × ${h} at ${x}, ${y}: a scaled image, or one at a `
          + `fraction of a pixel, ${drawingAdvice()}`,
        'NotSupportedError'
      );
    this.#copy(image, area([sx, sy, sw, sh]), this.#pixels, Math.min(x, x + w), Math.min(y, y + h), over);
  }

  /** Copies the part of an area that lies within both the source and the target. */
  #copy(source: Pixels, from: Area, target: Pixels, x: number, y: number, mix?: typeof over): void {
    const left = Math.max(0, -from.x, -x);
    const top = Math.max(0, -from.y, -y);
    const right = Math.min(from.width, source.width - from.x, target.width - x);
    const bottom = Math.min(from.height, source.height - from.y, target.height - y);
    for (let row = top; row < bottom && left < right; row++) {
      const at = ((from.y + row) * source.width + from.x + left) * 4;
      const end = at + (right - left) * 4;
      const to = ((y + row) * target.width + x + left) * 4;
      if (mix === undefined) target.data.set(source.data.subarray(at, end), to);
      else for (let i = 0; i < end - at; i += 4) mix(source.data, at + i, target.data, to + i);
    }
  }
}

function defineOperation(name: string): void {
  const value = function (this: Context2D, ...args: unknown[]): unknown {
    const native = Context2D.require(this, name);
    if (name === 'createPattern') args[0] = Context2D.imageFor(this, args[0]);
    return (native[name] as (...values: unknown[]) => unknown)(...args);
  };
  Object.defineProperty(Context2D.prototype, name, { value, writable: true, enumerable: true, configurable: true });
}
/** A property is stored without the package, because programs set some that have no effect on copies. */
function defineProperty(name: string, initial: unknown): void {
  Object.defineProperty(Context2D.prototype, name, {
    get(this: Context2D): unknown {
      const native = Context2D.nativeOf(this);
      return native === null ? (Context2D.stateOf(this).get(name) ?? initial) : native[name];
    },
    set(this: Context2D, value: unknown) {
      const native = Context2D.nativeOf(this);
      if (native === null) Context2D.stateOf(this).set(name, value);
      else native[name] = value;
    },
    enumerable: true,
    configurable: true,
  });
}
for (const name of OPERATIONS) defineOperation(name);
for (const [name, initial] of Object.entries(DEFAULTS)) defineProperty(name, initial);
