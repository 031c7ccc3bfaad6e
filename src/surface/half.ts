// Half floats (IEEE 754 binary16) in TypeScript, for images. The kernels have their own conversions.

const bits = new Uint32Array(1);
const float = new Float32Array(bits.buffer);
/** 2^112: the difference of the exponents' biases. */
const REBIAS = 2 ** 112;

/** The value of a half float. NaN stays NaN, but its bits are not preserved. */
export function halfToFloat(half: number): number {
  const magnitude = half & 0x7fff;
  bits[0] = magnitude << 13;
  const value = magnitude >= 0x7c00 ? (magnitude > 0x7c00 ? NaN : Infinity) : float[0]! * REBIAS;
  return half & 0x8000 ? -value : value;
}

/** Rounds to nearest, ties to even. */
export function floatToHalf(value: number): number {
  float[0] = value;
  const word = bits[0]!;
  const sign = (word >>> 16) & 0x8000;
  const magnitude = word & 0x7fffffff;
  if (magnitude >= 0x7f800000) return sign | (magnitude > 0x7f800000 ? 0x7e00 : 0x7c00);
  // 65520 and larger values round to infinity.
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // Below 2^-14: adding 0.5 leaves units of 2^-24 in the low bits, rounded.
    float[0] = (sign ? -value : value) + 0.5;
    return sign | (bits[0]! - 0x3f000000);
  }
  return sign | ((magnitude - 0x38000000 + 0xfff + ((magnitude >>> 13) & 1)) >>> 13);
}
