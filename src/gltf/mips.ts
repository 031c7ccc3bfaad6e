// Mip levels of textures, made on the CPU: each texel is the mean of the up to 2×2 below it.
import type { Pixels } from './codecs';
import { LINEAR16, SRGB8 } from './colour';

/** A texture's levels, each half as wide and high as the one before it, down to 1 × 1. */
export interface MipChain {
  /** Whether its colours are sRGB, and were averaged as light; otherwise data, averaged as numbers. */
  srgb: boolean;
  levels: Pixels[];
}

/** The number of levels from `width` × `height` down to 1 × 1. */
export function mipCount(width: number, height: number): number {
  return 32 - Math.clz32(Math.max(width, height));
}

/** All levels of an image, which is the first of them. */
export function mipChain(image: Pixels, srgb: boolean): MipChain {
  const levels = [image];
  for (let k = 1; k < mipCount(image.width, image.height); k++) levels.push(halve(levels[k - 1], srgb));
  return { srgb, levels };
}

/**
 * The next smaller level. Colours of an sRGB texture are averaged as light, alpha and data as numbers; halves round up.
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

/** One word a texel, red in the low byte; signed, which engines keep in a register where they box what is unsigned. */
function asWords(data: Uint8Array): Int32Array {
  const aligned = data.byteOffset % 4 === 0 ? data : data.slice();
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
}

/** Words of a level, and how far on the neighbours of a texel stand: itself, where there are none. */
interface Texels { readonly from: Int32Array; readonly right: number; readonly below: number }

/**
 * Texels of one row: `count` means at out[o], of from[i], its right and lower neighbours and so on. Two channels at a
 * time, in the halves of a word.
 */
function halveRowOfNumbers({ from, right, below }: Texels, i: number, out: Int32Array, o: number, count: number): void {
  for (const end = o + count; o < end; o++, i += 2) {
    const a = from[i];
    const b = from[i + right];
    const c = from[i + below];
    const d = from[i + below + right];
    const even = ((a & 0xff00ff) + (b & 0xff00ff) + (c & 0xff00ff) + (d & 0xff00ff) + 0x20002) >>> 2;
    const odd = (((a >>> 8) & 0xff00ff) + ((b >>> 8) & 0xff00ff) + ((c >>> 8) & 0xff00ff) + ((d >>> 8) & 0xff00ff)
      + 0x20002)
      >>> 2;
    out[o] = (even & 0xff00ff) | ((odd & 0xff00ff) << 8);
  }
}

/** The same for sRGB texels. */
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
    const green = (linear[(a >> 8) & 255] + linear[(b >> 8) & 255] + linear[(c >> 8) & 255] + linear[(d >> 8) & 255]
      + 2)
      >> 2;
    const blue = (linear[(a >> 16) & 255] + linear[(b >> 16) & 255] + linear[(c >> 16) & 255] + linear[(d >> 16) & 255]
      + 2)
      >> 2;
    const alpha = ((a >>> 24) + (b >>> 24) + (c >>> 24) + (d >>> 24) + 2) >> 2;
    out[o] = encoded[red] | (encoded[green] << 8) | (encoded[blue] << 16) | (alpha << 24);
  }
}
