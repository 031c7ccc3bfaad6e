// ImageData and ImageBitmap for Node, which has neither.
// https://html.spec.whatwg.org/multipage/imagebitmap-and-animations.html
import type { PlatformImage } from '../api';
import type { ImagePixels } from '../surface/image';
import type { PixelReservation } from './image-memory';

/** Allocates transparent rgba8 pixels. */
export function emptyPixels(width: number, height: number): Uint8ClampedArray<ArrayBuffer> {
  try {
    return new Uint8ClampedArray(width * height * 4);
  } catch {
    throw new RangeError(`${width} × ${height} pixels do not fit in memory: use fewer pixels`);
  }
}

/** `ImageData` as in browsers: rgba8 with straight (not premultiplied) alpha. */
export class ImageData {
  readonly data: Uint8ClampedArray<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
  readonly colorSpace: PredefinedColorSpace;

  constructor(...args: unknown[]) {
    const pixels = args[0] instanceof Uint8ClampedArray ? (args[0] as Uint8ClampedArray<ArrayBuffer>) : null;
    const [width, height, settings] = pixels === null ? args : args.slice(1);
    this.width = Number(width) >>> 0;
    // The height is rounded up, so that an incomplete last row fails the length check below.
    this.height =
      pixels !== null && height === undefined ? Math.ceil(pixels.length / 4 / this.width) : Number(height) >>> 0;
    if (this.width === 0 || this.height === 0) throw new DOMException('new ImageData: a side is 0', 'IndexSizeError');
    if (pixels !== null && pixels.length !== this.width * this.height * 4)
      throw new DOMException(
        `new ImageData: ${pixels.length} bytes do not match ${this.width} × ${this.height} pixels`,
        'IndexSizeError'
      );
    this.data = pixels ?? emptyPixels(this.width, this.height);
    const { colorSpace } = (settings ?? {}) as ImageDataSettings;
    this.colorSpace = colorSpace === 'display-p3' ? colorSpace : 'srgb';
  }
}

const hidden = Symbol('pixels');

/** `ImageBitmap` as in browsers; createImageBitmap makes it. */
export class ImageBitmap {
  #pixels: ImagePixels | null;
  readonly #hold: PixelReservation | null;

  constructor(...args: unknown[]) {
    const [key, pixels, hold] = args as [unknown, ImagePixels, PixelReservation | null];
    if (key !== hidden) throw new TypeError('Illegal constructor');
    this.#pixels = pixels;
    this.#hold = hold;
    hold?.ownedBy(this);
  }
  get width(): number {
    return this.#pixels?.width ?? 0;
  }
  get height(): number {
    return this.#pixels?.height ?? 0;
  }
  close(): undefined {
    this.#pixels = null;
    this.#hold?.release();
  }
  static pixelsOf(bitmap: ImageBitmap): ImagePixels | null {
    return bitmap.#pixels;
  }
}

/** @param hold memory counted for the pixels; the bitmap takes it over */
export const makeBitmap = (pixels: ImagePixels, hold: PixelReservation | null = null): ImageBitmap =>
  new ImageBitmap(hidden, pixels, hold);

/** Returns a bitmap as an image for copyExternalImageToTexture; null for other objects. */
export function bitmapImage(source: object): PlatformImage | null {
  if (!(source instanceof ImageBitmap)) return null;
  const pixels = ImageBitmap.pixelsOf(source);
  if (pixels === null) throw new DOMException('the ImageBitmap is closed', 'InvalidStateError');
  return { width: pixels.width, height: pixels.height, pixels: () => pixels };
}
