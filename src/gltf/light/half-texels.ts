// Texels of light for the device.
import { halfBits } from '../math';

const LARGEST_HALF = 0x7bff;

/** RGBA in half precision of numbers that are finite and not negative. */
export function halfTexels(rgb: Float32Array): Uint16Array<ArrayBuffer> {
  const bits = new Uint32Array(rgb.buffer, rgb.byteOffset, rgb.length);
  const out = new Uint16Array((rgb.length / 3) * 4).fill(halfBits(1));
  for (let i = 0, o = 0; i < rgb.length; o++)
    for (let c = 0; c < 3; c++, i++, o++) {
      // Rounded to nearest, up if in the middle; small numbers have no hidden bit.
      const word = bits[i];
      out[o] =
        word >= 0x477fe000 ? LARGEST_HALF : word >= 0x38800000 ? ((word + 0x1000) >>> 13) - 0x1c000 : halfBits(rgb[i]);
    }
  return out;
}
