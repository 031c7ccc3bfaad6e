// Converts the texels of a canvas's texture for display: rgba8, row by row, without premultiplied alpha.
import type { FormatInfo } from './formats';
import { halfToFloat } from './half';

/** How the texels of a picture are interpreted. */
interface PictureMeaning {
  readonly format: FormatInfo;
  /** Whether alpha is ignored; otherwise colours are premultiplied by alpha. */
  readonly opaque: boolean;
}

/** Channels of a little-endian rgba8 word. */
const RED_BLUE = 0x00ff00ff;
const GREEN_ALPHA = 0xff00ff00 | 0;
const ALPHA = 0xff000000 | 0;

const swapRedBlue = (word: number): number => {
  const two = word & RED_BLUE;
  return (word & GREEN_ALPHA) | (two << 16) | (two >>> 16);
};

/** Writes `texels`, `target.length` / 4 pixels, to `target`. Either may be in shared memory. */
export function writePicture(texels: Uint8Array, { format, opaque }: PictureMeaning, target: Uint8ClampedArray): void {
  const pixels = target.length / 4;
  const to = new Int32Array(target.buffer, target.byteOffset, pixels);
  if (format.name === 'rgba16float') {
    halfPixels(new Uint16Array(texels.buffer, texels.byteOffset, pixels * 4), opaque, target);
    return;
  }
  const from = new Int32Array(texels.buffer, texels.byteOffset, pixels);
  const swaps = format.name.startsWith('bgra');
  if (opaque && swaps) for (let i = 0; i < pixels; i++) to[i] = swapRedBlue(from[i]!) | ALPHA;
  else if (opaque) for (let i = 0; i < pixels; i++) to[i] = from[i]! | ALPHA;
  else
    for (let i = 0; i < pixels; i++) {
      const word = swaps ? swapRedBlue(from[i]!) : from[i]!;
      to[i] = word >>> 24 === 255 ? word : straight(word);
    }
}

/** Divides a word's colours by alpha, rounded. Colours brighter than their alpha become 255. */
function straight(word: number): number {
  const alpha = word >>> 24;
  if (alpha === 0) return 0;
  const channel = (value: number): number => Math.min(255, Math.floor((value * 255 + (alpha >> 1)) / alpha));
  return (
    channel(word & 255) | (channel((word >>> 8) & 255) << 8) | (channel((word >>> 16) & 255) << 16) | (word & ALPHA)
  );
}

/** Converts half floats; values outside 0…1 are clamped, as on a standard dynamic range display. */
function halfPixels(from: Uint16Array, opaque: boolean, target: Uint8ClampedArray): void {
  const bytes = (halfBytes ??= makeHalfBytes());
  for (let i = 0; i < from.length; i += 4) {
    const alpha = opaque ? HALF_ONE : from[i + 3]!;
    if (alpha === HALF_ONE) for (let c = 0; c < 3; c++) target[i + c] = bytes[from[i + c]!]!;
    else {
      const value = halfToFloat(alpha);
      const scale = value > 0 ? 255 / Math.min(1, value) : 0;
      // `target` rounds and clamps.
      for (let c = 0; c < 3; c++) target[i + c] = halfToFloat(from[i + c]!) * scale;
    }
    target[i + 3] = bytes[alpha]!;
  }
}

const HALF_ONE = 0x3c00;
let halfBytes: Uint8ClampedArray | null = null;

/** The 8-bit value of every half float. */
function makeHalfBytes(): Uint8ClampedArray {
  return Uint8ClampedArray.from({ length: 0x10000 }, (_, half) => halfToFloat(half) * 255);
}
