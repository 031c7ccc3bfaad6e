// Idioms over the channels of a texel, one v128 for the four of them, and over texel positions.

import { splatFrom } from './lanes';

/** Of halves as floats: see floatsOfHalfWords. Constants are data: V8 builds those in the code anew at every use. */
const HALF: usize = memory.data<u32>([0x7fff, 0x00800000, 0x38000000, 0x38800000, 0x0f7fffff, 0x7f800000]);
const HALF_MAGNITUDE = 0;
const HALF_EXPONENT_ONE = 1;
const HALF_BIAS = 2;
/** 2^-14. */
const HALF_LEAST = 3;
/** The greatest finite magnitude, shifted; infinity. */
const HALF_MOST = 4;
const HALF_INFINITY = 5;

/** Byte i of a, byte i of b, for the low eight bytes. */
export function interleaveBytes(a: v128, b: v128): v128 {
  return v128.shuffle<u8>(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

/** The lower word of each lane from a, the upper one from b. */
export function blendWords(a: v128, b: v128): v128 { return v128.shuffle<u16>(a, b, 0, 9, 2, 11, 4, 13, 6, 15); }

/** The low four bytes as four f32. */
export function floatsOfBytes(v: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v)));
}

/** Four half floats in the low eight bytes as four f32, exactly; denormals, infinities and NaN included. */
export function floatsOfHalves(v: v128): v128 { return floatsOfHalfWords(i32x4.extend_low_i16x8_u(v)); }

/** floatsOfHalves of halves that lie in four words, whose upper bits are 0. */
export function floatsOfHalfWords(h: v128): v128 {
  const magnitude = i32x4.shl(v128.and(h, splatFrom(HALF, HALF_MAGNITUDE)), 13);
  const sign = i32x4.shl(v128.andnot(h, splatFrom(HALF, HALF_MAGNITUDE)), 16);
  // The exponent's bias goes from 15 to 127. Denormals have the exponent of the least normal number, and one too many:
  // that is taken off as a float. (A product with 2^112 would do all that, but one with denormals takes a hundred
  // cycles.)
  const denormal = i32x4.lt_s(magnitude, splatFrom(HALF, HALF_EXPONENT_ONE));
  const biased = i32x4.add(magnitude, splatFrom(HALF, HALF_BIAS));
  const number = f32x4.sub(
    i32x4.add(biased, v128.and(denormal, splatFrom(HALF, HALF_EXPONENT_ONE))),
    v128.and(denormal, splatFrom(HALF, HALF_LEAST))
  );
  const special = v128.and(i32x4.gt_s(magnitude, splatFrom(HALF, HALF_MOST)), splatFrom(HALF, HALF_INFINITY));
  return v128.or(v128.or(number, special), sign);
}

/** Integers of |x| < 2^22 from floats that are whole: two instructions where a saturating conversion takes five. */
export function intsOfWhole(x: v128): v128 {
  return i32x4.sub(f32x4.add(x, f32x4.splat(12582912.0)), i32x4.splat(0x4b400000));
}

/** Nearest halves in four words, ties to even; too large becomes infinity, NaN 7e00: the bits of surface/half.ts. */
export function halfWordsOfFloats(x: v128): v128 {
  const sign = v128.and(x, i32x4.splat(0x80000000));
  const magnitude = v128.xor(x, sign);
  // The exponent's bias goes from 127 to 15; half a step, less one where the last bit is even, rounds. A carry runs
  // into the exponent.
  const odd = v128.and(i32x4.shr_u(magnitude, 13), i32x4.splat(1));
  const normal = i32x4.shr_u(i32x4.add(i32x4.add(magnitude, odd), i32x4.splat(0xfff - (112 << 23))), 13);
  // A half's denormals are multiples of 2^-24, the last bit of floats from a half to one: the addition rounds.
  const denormal = i32x4.sub(f32x4.add(magnitude, f32x4.splat(0.5)), i32x4.splat(0x3f000000));
  const finite = i32x4.min_u(
    v128.bitselect(denormal, normal, i32x4.lt_s(magnitude, i32x4.splat(113 << 23))), i32x4.splat(0x7c00)
  );
  return v128.bitselect(v128.or(finite, i32x4.shr_u(sign, 16)), i32x4.splat(0x7e00), f32x4.eq(x, x));
}

/** The low halves of four words each of a and b, eight of 16 bits: words beyond 65535 saturate. */
export function packWords(a: v128, b: v128): v128 { return i16x8.narrow_i32x4_u(a, b); }

/** Eight signed 16-bit integers each of a and b as bytes, saturated to 0 … 255. */
export function packBytes(a: v128, b: v128): v128 { return i8x16.narrow_i16x8_u(a, b); }
