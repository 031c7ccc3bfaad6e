// Mip levels of textures, made on the CPU at upload: each texel is the mean of the up to 2×2 below it.
import type { Pixels } from './codecs';
import { LINEAR16, SRGB8 } from './colour';

/** The number of levels from `width` × `height` down to 1 × 1. */
export function mipCount(width: number, height: number): number {
  return 32 - Math.clz32(Math.max(width, height));
}

/** The next smaller level. Colours of an sRGB texture are averaged as light, alpha and data as numbers; halves round up. */
export function halve(source: Pixels, srgb: boolean): Pixels {
  const width = Math.max(1, source.width >> 1);
  const height = Math.max(1, source.height >> 1);
  const out = new Uint32Array(width * height);
  const from = asWords(source.data);
  const mean = srgb ? meanOfLight : meanOfNumbers;
  const right = source.width > 1 ? 1 : 0;
  const below = source.height > 1 ? source.width : 0;
  for (let y = 0, o = 0; y < height; y++) {
    for (let x = 0, i = 2 * y * source.width; x < width; x++, i += 2, o++) {
      out[o] = mean(from[i], from[i + right], from[i + below], from[i + below + right]);
    }
  }
  return { width, height, data: new Uint8Array(out.buffer) };
}

/** One word a texel, red in the low byte. */
function asWords(data: Uint8Array): Uint32Array {
  const aligned = data.byteOffset % 4 === 0 ? data : data.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
}

/** Two channels at a time, in the halves of a word. */
function meanOfNumbers(a: number, b: number, c: number, d: number): number {
  const even = ((a & 0xff00ff) + (b & 0xff00ff) + (c & 0xff00ff) + (d & 0xff00ff) + 0x20002) >>> 2;
  const odd = (((a >>> 8) & 0xff00ff) + ((b >>> 8) & 0xff00ff) + ((c >>> 8) & 0xff00ff) + ((d >>> 8) & 0xff00ff) + 0x20002) >>> 2;
  return (even & 0xff00ff) | ((odd & 0xff00ff) << 8);
}

function meanOfLight(a: number, b: number, c: number, d: number): number {
  if (a === b && a === c && a === d) return a;
  const red = (LINEAR16[a & 255] + LINEAR16[b & 255] + LINEAR16[c & 255] + LINEAR16[d & 255] + 2) >> 2;
  const green = (LINEAR16[(a >> 8) & 255] + LINEAR16[(b >> 8) & 255] + LINEAR16[(c >> 8) & 255] + LINEAR16[(d >> 8) & 255] + 2) >> 2;
  const blue = (LINEAR16[(a >> 16) & 255] + LINEAR16[(b >> 16) & 255] + LINEAR16[(c >> 16) & 255] + LINEAR16[(d >> 16) & 255] + 2) >> 2;
  const alpha = ((a >>> 24) + (b >>> 24) + (c >>> 24) + (d >>> 24) + 2) >> 2;
  return SRGB8[red] | (SRGB8[green] << 8) | (SRGB8[blue] << 16) | (alpha << 24);
}
