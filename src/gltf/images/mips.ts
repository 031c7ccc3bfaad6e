// Computes mip levels of textures on the CPU. Each texel is the mean of up to 2×2 texels of the level before.
import type { Pixels } from './codecs';
import { LINEAR16, SRGB8 } from './colour';

/**
 * The levels of a texture. Each is half as wide and high as the one before; the last is 1 × 1 unless a file ends
 * earlier.
 */
export interface MipChain {
  /** Whether the colours are sRGB and were averaged as linear light. Otherwise they are data, averaged as numbers. */
  srgb: boolean;
  levels: Pixels[];
}

/** Number of levels from `width` × `height` down to 1 × 1. */
export function mipCount(width: number, height: number): number {
  return 32 - Math.clz32(Math.max(width, height));
}

/** Makes all levels of an image; the image itself is the first. */
export function mipChain(image: Pixels, srgb: boolean): MipChain {
  const levels = [image];
  for (let k = 1; k < mipCount(image.width, image.height); k++) levels.push(halve(levels[k - 1], srgb));
  return { srgb, levels };
}

/**
 * Makes the next smaller level. Colours of an sRGB texture are averaged as linear light, alpha and data as numbers;
 * halves round up.
 */
export function halve(source: Pixels, srgb: boolean): Pixels {
  const width = Math.max(1, source.width >> 1);
  const height = Math.max(1, source.height >> 1);
  const from = asWords(source.data);
  const out = new Int32Array(width * height);
  const texels = { from, right: source.width > 1 ? 1 : 0, below: source.height > 1 ? source.width : 0 };
  const halveRow = srgb ? halveRowOfLight : halveRowOfNumbers;
  for (let y = 0; y < height; y++) halveRow(texels, 2 * y * source.width, out, y * width, width);
  return { width, height, data: new Uint8Array(out.buffer) };
}

/** One word per texel, with red in the low byte. Engines keep signed words in registers, but box unsigned ones. */
function asWords(data: Uint8Array): Int32Array {
  const aligned = data.byteOffset % 4 === 0 ? data : data.slice();
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
}

/** Words of a level, and the offsets of a texel's right and lower neighbours; 0 if there are none. */
interface Texels {
  readonly from: Int32Array;
  readonly right: number;
  readonly below: number;
}

/**
 * Computes `count` texels of a row at out[o]. Each is the mean of from[i] and its neighbours to the right and below.
 * Two channels are processed at a time, in the halves of a word.
 */
function halveRowOfNumbers({ from, right, below }: Texels, i: number, out: Int32Array, o: number, count: number): void {
  for (const end = o + count; o < end; o++, i += 2) {
    const a = from[i];
    const b = from[i + right];
    const c = from[i + below];
    const d = from[i + below + right];
    const even = ((a & 0xff00ff) + (b & 0xff00ff) + (c & 0xff00ff) + (d & 0xff00ff) + 0x20002) >>> 2;
    const odd =
      (((a >>> 8) & 0xff00ff) + ((b >>> 8) & 0xff00ff) + ((c >>> 8) & 0xff00ff) + ((d >>> 8) & 0xff00ff) + 0x20002)
      >>> 2;
    out[o] = (even & 0xff00ff) | ((odd & 0xff00ff) << 8);
  }
}

/** As halveRowOfNumbers, for sRGB texels, whose means are taken in linear light. */
function halveRowOfLight({ from, right, below }: Texels, i: number, out: Int32Array, o: number, count: number): void {
  const linear = LINEAR16;
  const encoded = SRGB8;
  for (const end = o + count; o < end; o++, i += 2) {
    const a = from[i];
    const b = from[i + right];
    const c = from[i + below];
    const d = from[i + below + right];
    if (a === b && a === c && a === d) {
      out[o] = a;
      continue;
    }
    const red = (linear[a & 255] + linear[b & 255] + linear[c & 255] + linear[d & 255] + 2) >> 2;
    const green =
      (linear[(a >> 8) & 255] + linear[(b >> 8) & 255] + linear[(c >> 8) & 255] + linear[(d >> 8) & 255] + 2) >> 2;
    const blue =
      (linear[(a >> 16) & 255] + linear[(b >> 16) & 255] + linear[(c >> 16) & 255] + linear[(d >> 16) & 255] + 2) >> 2;
    const alpha = ((a >>> 24) + (b >>> 24) + (c >>> 24) + (d >>> 24) + 2) >> 2;
    out[o] = encoded[red] | (encoded[green] << 8) | (encoded[blue] << 16) | (alpha << 24);
  }
}
