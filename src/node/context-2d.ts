// A 2D context for Node that copies pixels and has no drawing operations. Applications use it to read pixels, and
// libraries to read GPU results synchronously. https://html.spec.whatwg.org/multipage/canvas.html#2dcontext
import type { Picture } from '../api';
import type { ImagePixels } from '../surface/image';
import { emptyPixels, ImageData } from './image-data';

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
  #pixels: Pixels;

  /**
   * @param canvas the object that programs know as the canvas
   * @param read returns the pixels of an argument of `drawImage`; throws if it has none
   */
  constructor(
    { width, height }: Pick<Pixels, 'width' | 'height'>,
    canvas: object,
    read: (source: unknown) => ImagePixels
  ) {
    this.canvas = canvas;
    this.#read = read;
    this.#pixels = { width, height, data: emptyPixels(width, height) };
  }
  get width(): number {
    return this.#pixels.width;
  }
  get height(): number {
    return this.#pixels.height;
  }

  resize(width: number, height: number): void {
    this.#pixels = { width, height, data: emptyPixels(width, height) };
  }
  read(target: Uint8ClampedArray): void {
    target.set(this.#pixels.data);
  }
  release(): void {}

  createImageData(...args: [ImageData] | [number, number]): ImageData {
    const [width, height] = typeof args[0] === 'object' ? [args[0].width, args[0].height] : args;
    return new ImageData(Math.abs(whole(width)), Math.abs(whole(height)));
  }

  getImageData(...args: number[]): ImageData {
    const { x, y, width, height } = area(args.map(whole));
    const image = new ImageData(width, height);
    this.#copy(this.#pixels, { x, y, width, height }, image, 0, 0);
    return image;
  }

  putImageData(image: unknown, ...args: number[]): void {
    if (!(image instanceof ImageData)) throw new TypeError('putImageData: the first argument must be an ImageData');
    const [x, y, ...dirty] = args.map(whole);
    const from = dirty.length === 4 ? area(dirty) : { x: 0, y: 0, width: image.width, height: image.height };
    this.#copy(image, from, this.#pixels, x! + from.x, y! + from.y);
  }

  clearRect(...args: number[]): void {
    const { x, y, width, height } = area(args.map(whole));
    const from = { x: 0, y: 0, width, height };
    if (width > 0 && height > 0) this.#copy(new ImageData(width, height), from, this.#pixels, x, y);
  }

  /** Draws an image without scaling. */
  drawImage(source: unknown, ...args: number[]): void {
    const image = divided(this.#read(source));
    const { width, height } = image;
    const [sx, sy, sw, sh, x, y, w, h] = (
      args.length === 8 ? args : [0, 0, width, height, args[0], args[1], args[2] ?? width, args[3] ?? height]
    ).map(Number) as [number, number, number, number, number, number, number, number];
    if (sw !== w || sh !== h || [sx, sy, sw, sh, x, y].some((value) => !Number.isInteger(value)))
      throw new DOMException(
        `drawImage: ${sw} × ${sh} pixels at ${sx}, ${sy} as ${w} × ${h} at ${x}, ${y}: in Node, `
          + 'drawImage does not scale images, '
          + 'and positions must be whole pixels',
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
