// Cropping, flipping, resizing and premultiplication of pixels, for the options of createImageBitmap.
import type { ImagePixels } from '../surface/image';

export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Returns a part of an image; parts outside the image are transparent. */
export function crop(image: ImagePixels, { left, top, width, height }: Area): ImagePixels {
  const data = new Uint8Array(width * height * 4);
  const from = Math.max(0, left);
  const end = Math.min(image.width, left + width);
  for (let y = Math.max(0, top); y < Math.min(image.height, top + height) && from < end; y++) {
    const row = y * image.width;
    data.set(image.data.subarray((row + from) * 4, (row + end) * 4), ((y - top) * width + from - left) * 4);
  }
  return { ...image, data, width, height };
}

/** Flips an image vertically. */
export function flip(image: ImagePixels): ImagePixels {
  const rowBytes = image.width * 4;
  const data = new Uint8Array(image.data.length);
  for (let y = 0; y < image.height; y++)
    data.set(image.data.subarray(y * rowBytes, (y + 1) * rowBytes), (image.height - 1 - y) * rowBytes);
  return { ...image, data };
}

export function premultiply(image: ImagePixels): ImagePixels {
  const data = new Uint8Array(image.data);
  for (let i = 0; i < data.length; i += 4)
    for (let c = 0; c < 3; c++) data[i + c] = Math.floor((data[i + c]! * data[i + 3]! + 127) / 255);
  return { ...image, data, premultiplied: true };
}

/** Texels of a row or column that contribute to each texel of a resized one, and their weights. */
interface Taps {
  readonly first: Int32Array;
  readonly weights: readonly Float32Array[];
}

export const RESIZE_QUALITIES = ['pixelated', 'low', 'medium', 'high'] as const;
export type ResizeQuality = (typeof RESIZE_QUALITIES)[number];

/**
 * `pixelated` takes the nearest texel. The other qualities interpolate linearly between two texels. When an image
 * becomes smaller, `medium` and `high` average all texels that an output texel covers.
 */
function tapsOf(from: number, to: number, quality: ResizeQuality): Taps {
  const scale = from / to;
  const reach = quality === 'low' ? 1 : Math.max(1, scale);
  const first = new Int32Array(to);
  const weights: Float32Array[] = [];
  for (let i = 0; i < to; i++) {
    const centre = (i + 0.5) * scale;
    if (quality === 'pixelated') {
      first[i] = Math.min(from - 1, Math.floor(centre));
      weights.push(Float32Array.of(1));
      continue;
    }
    const low = Math.max(0, Math.ceil(centre - 0.5 - reach));
    const high = Math.min(from - 1, Math.floor(centre - 0.5 + reach));
    const own = Float32Array.from({ length: high - low + 1 }, (_, k) =>
      Math.max(0, 1 - Math.abs(low + k + 0.5 - centre) / reach)
    );
    const sum = own.reduce((all, weight) => all + weight, 0);
    first[i] = low;
    weights.push(own.map((weight) => weight / sum));
  }
  return { first, weights };
}

/** Resizes one row of floats with premultiplied alpha. */
function resizeRow(row: Float32Array, { first, weights }: Taps, out: Float32Array): void {
  for (let x = 0; x < first.length; x++) {
    const own = weights[x]!;
    for (let c = 0; c < 4; c++) {
      let sum = 0;
      for (let k = 0; k < own.length; k++) sum += row[(first[x]! + k) * 4 + c]! * own[k]!;
      out[x * 4 + c] = sum;
    }
  }
}

/** Rows of an image with their new length. They are made on demand; an output row needs only neighbouring rows. */
class Rows {
  readonly #rows = new Map<number, Float32Array>();
  readonly #source: Float32Array;
  constructor(
    private readonly image: ImagePixels,
    private readonly taps: Taps
  ) {
    this.#source = new Float32Array(image.width * 4);
  }
  row(y: number): Float32Array {
    let row = this.#rows.get(y);
    if (row === undefined) {
      this.#read(y);
      row = new Float32Array(this.taps.first.length * 4);
      resizeRow(this.#source, this.taps, row);
      this.#rows.set(y, row);
    }
    return row;
  }
  /** Drops rows above `y`, which are no longer needed. */
  forgetAbove(y: number): void {
    for (const known of this.#rows.keys()) if (known < y) this.#rows.delete(known);
  }
  #read(y: number): void {
    const { data, width, premultiplied } = this.image;
    const at = y * width * 4;
    for (let i = 0; i < width * 4; i += 4) {
      const alpha = data[at + i + 3]!;
      const factor = premultiplied ? 1 : alpha / 255;
      for (let c = 0; c < 3; c++) this.#source[i + c] = data[at + i + c]! * factor;
      this.#source[i + 3] = alpha;
    }
  }
}

/** Resizes an image. */
export function resize(image: ImagePixels, width: number, height: number, quality: ResizeQuality): ImagePixels {
  if (width === image.width && height === image.height) return image;
  const rows = new Rows(image, tapsOf(image.width, width, quality));
  const down = tapsOf(image.height, height, quality);
  const data = new Uint8ClampedArray(width * height * 4);
  const sum = new Float32Array(width * 4);
  for (let y = 0, o = 0; y < height; y++) {
    sum.fill(0);
    rows.forgetAbove(down.first[y]!);
    down.weights[y]!.forEach((weight, k) => {
      const row = rows.row(down.first[y]! + k);
      for (let i = 0; i < sum.length; i++) sum[i] += row[i]! * weight;
    });
    for (let i = 0; i < sum.length; i += 4, o += 4) {
      const alpha = sum[i + 3]!;
      const factor = image.premultiplied || alpha === 0 ? 1 : 255 / alpha;
      for (let c = 0; c < 3; c++) data[o + c] = sum[i + c]! * factor;
      data[o + 3] = alpha;
    }
  }
  return { ...image, data, width, height };
}
