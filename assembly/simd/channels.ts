// Operations on the channels of texels, mostly one v128 per channel for four texels.

import { splatFrom } from './lanes';

/** Interleaves the low eight bytes of a and b: a0 b0 a1 b1 … */
export function interleaveBytes(a: v128, b: v128): v128 {
  return v128.shuffle<u8>(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

/** The lower half of each lane from a, the upper half from b. */
export function blendWords(a: v128, b: v128): v128 {
  return v128.shuffle<u16>(a, b, 0, 9, 2, 11, 4, 13, 6, 15);
}

/** The lower or the upper four 16-bit words, each duplicated in both halves of a lane. */
export function lowWordsTwice(v: v128): v128 {
  return v128.shuffle<u16>(v, v, 0, 0, 1, 1, 2, 2, 3, 3);
}
export function highWordsTwice(v: v128): v128 {
  return v128.shuffle<u16>(v, v, 4, 4, 5, 5, 6, 6, 7, 7);
}

/** The low four bytes as four f32. */
export function floatsOfBytes(v: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v)));
}

/** The four half floats in the low eight bytes as four f32. Exact, including denormals, infinities and NaN. */
export function floatsOfHalves(v: v128): v128 {
  return floatsOfHalfWords(i32x4.extend_low_i16x8_u(v));
}

/**
 * Constants for half floats in 32-bit words: the magnitude mask; shifted to f32 position, the smallest normal number
 * and the largest finite number; the difference of the exponent biases; 2^-14; infinity. They are data because V8 would
 * rebuild constants in code at every use.
 */
const WORDS: usize = memory.data<u32>([0x7fff, 0x00800000, 0x0f7fffff, 0x38000000, 0x38800000, 0x7f800000]);
const WORD_MAGNITUDE = 0;
const WORD_NORMAL = 1;
const WORD_MAX = 2;
const WORD_BIAS = 3;
const WORD_MIN = 4;
const WORD_INFINITY = 5;

/** floatsOfHalves for half floats in four 32-bit words whose upper bits are 0. */
export function floatsOfHalfWords(h: v128): v128 {
  const magnitude = i32x4.shl(v128.and(h, splatFrom(WORDS, WORD_MAGNITUDE)), 13);
  const sign = i32x4.shl(v128.andnot(h, splatFrom(WORDS, WORD_MAGNITUDE)), 16);
  // The exponent's bias changes from 15 to 127. Denormals get the exponent of the smallest normal number and an
  // implicit leading one, which a float subtraction removes. (Multiplying by 2^112 would do it all, but a product with
  // denormals takes a hundred cycles.)
  const denormal = i32x4.lt_s(magnitude, splatFrom(WORDS, WORD_NORMAL));
  const biased = i32x4.add(magnitude, splatFrom(WORDS, WORD_BIAS));
  const number = f32x4.sub(
    i32x4.add(biased, v128.and(denormal, splatFrom(WORDS, WORD_NORMAL))),
    v128.and(denormal, splatFrom(WORDS, WORD_MIN))
  );
  const special = v128.and(i32x4.gt_s(magnitude, splatFrom(WORDS, WORD_MAX)), splatFrom(WORDS, WORD_INFINITY));
  return v128.or(v128.or(number, special), sign);
}

/**
 * For half floats: the exponent bits in the upper half of a word, and in both halves; sign and magnitude shifted by
 * three; the exponent of an f32; 2^112. For floats that become half floats: the magnitude mask; 2^-14, the smallest
 * normal half float; the step from there to 0.5, whose last bit matches that of denormal half floats; the rounded
 * mantissa; signs; the bit that distinguishes NaN from infinity. As data; see splatFrom.
 */
const HALF: usize = memory.data<u32>([
  0x7c000000, 0x7c007c00, 0x8fffe000, 0x7f800000, 0x77800000, 0x7fffffff, 0x38800000, 0x3f000000, 0xfff, 0x80008000,
  0x02000200,
]);
const HALF_EXPONENT = 0;
const HALF_INFINITIES = 1;
const HALF_SHIFTED = 2;
const HALF_FLOAT_EXPONENT = 3;
const HALF_SCALE = 4;
const HALF_MAGNITUDE = 5;
const HALF_NORMAL = 6;
const HALF_ROUND = 7;
const HALF_MANTISSA = 8;
const HALF_SIGNS = 9;
const HALF_QUIET = 10;

/**
 * Converts the half floats in the upper halves of four words to f32, ignoring the lower halves. Exact except for the
 * bits of NaN.
 */
// @ts-ignore: decorator
@inline
export function floatsOfUpperHalves(words: v128): v128 {
  const exponent = splatFrom(HALF, HALF_EXPONENT);
  const special = i32x4.eq(v128.and(words, exponent), exponent);
  // 2^112 changes the exponent's bias from 15 to 127 and normalizes denormals; infinities and NaN stay unchanged.
  const shifted = v128.and(i32x4.shr_s(words, 3), splatFrom(HALF, HALF_SHIFTED));
  return f32x4.mul(
    v128.or(shifted, v128.and(special, splatFrom(HALF, HALF_FLOAT_EXPONENT))),
    splatFrom(HALF, HALF_SCALE)
  );
}

/** Rounds two vectors to half floats, ties to even: those of `a`, then those of `b`. NaN gives 0x7e00. */
// @ts-ignore: decorator
@inline
export function halvesOfFloats(a: v128, b: v128): v128 {
  const finite = i16x8.min_u(
    i16x8.narrow_i32x4_u(halfMagnitudes(a), halfMagnitudes(b)),
    splatFrom(HALF, HALF_INFINITIES)
  );
  const numbers = i16x8.narrow_i32x4_s(f32x4.eq(a, a), f32x4.eq(b, b));
  const signs = v128.and(i16x8.narrow_i32x4_s(a, b), splatFrom(HALF, HALF_SIGNS));
  return v128.or(v128.or(finite, v128.andnot(splatFrom(HALF, HALF_QUIET), numbers)), v128.and(signs, numbers));
}

/** Nearest half floats without signs, one per 32-bit word. Values that are too large exceed a half float's infinity. */
// @ts-ignore: decorator
@inline
function halfMagnitudes(x: v128): v128 {
  const normal = splatFrom(HALF, HALF_NORMAL);
  const exponent = i32x4.max_s(i32x4.sub(v128.and(x, splatFrom(HALF, HALF_FLOAT_EXPONENT)), normal), i32x4.splat(0));
  // Adding 2^13 times the number's power of two aligns the last bits: the addition rounds, and leaves the mantissa and
  // the leading bit of the half float in the mantissa of the sum.
  const large = i32x4.add(exponent, splatFrom(HALF, HALF_ROUND));
  const rounded = f32x4.add(v128.and(x, splatFrom(HALF, HALF_MAGNITUDE)), large);
  return i32x4.add(v128.and(rounded, splatFrom(HALF, HALF_MANTISSA)), i32x4.shr_u(exponent, 13));
}

/** Interleaves two channels of half floats, the first channel's four and then the second's, into four texels. */
export function interleaveHalves(channels: v128): v128 {
  return lowWords(channels, v128.shuffle<i64>(channels, channels, 1, 1));
}

/** Interleaves the first or the last four 16-bit words of a and b. */
export function lowWords(a: v128, b: v128): v128 {
  return v128.shuffle<u16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}
export function highWords(a: v128, b: v128): v128 {
  return v128.shuffle<u16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

/** Converts whole floats with |x| < 2^22 to integers: two instructions, where a saturating conversion takes five. */
export function intsOfWhole(x: v128): v128 {
  return i32x4.sub(f32x4.add(x, f32x4.splat(12582912.0)), i32x4.splat(0x4b400000));
}

/** Nearest half floats in four words, ties to even. Overflow gives infinity, NaN 0x7e00, as in surface/half.ts. */
export function halfWordsOfFloats(x: v128): v128 {
  const sign = v128.and(x, i32x4.splat(0x80000000));
  const magnitude = v128.xor(x, sign);
  // The exponent's bias changes from 127 to 15. Adding half a step, minus one if the last bit is even, rounds; a carry
  // propagates into the exponent.
  const odd = v128.and(i32x4.shr_u(magnitude, 13), i32x4.splat(1));
  const normal = i32x4.shr_u(i32x4.add(i32x4.add(magnitude, odd), i32x4.splat(0xfff - (112 << 23))), 13);
  // Denormal half floats are multiples of 2^-24, the last bit of floats from 0.5 to 1, so the addition rounds.
  const denormal = i32x4.sub(f32x4.add(magnitude, f32x4.splat(0.5)), i32x4.splat(0x3f000000));
  const finite = i32x4.min_u(
    v128.bitselect(denormal, normal, i32x4.lt_s(magnitude, i32x4.splat(113 << 23))),
    i32x4.splat(0x7c00)
  );
  return v128.bitselect(v128.or(finite, i32x4.shr_u(sign, 16)), i32x4.splat(0x7e00), f32x4.eq(x, x));
}

/**
 * Nearest unsigned floats with five exponent bits and `mantissaBits` mantissa bits, in four words, ties to even.
 * Negative values become 0, NaN the quiet NaN, as in surface/half.ts.
 */
export function smallFloats(x: v128, mantissaBits: i32): v128 {
  const shift = 23 - mantissaBits;
  const positive = v128.and(x, f32x4.gt(x, f32x4.splat(0)));
  // As in halfWordsOfFloats, with another last bit: for denormals it is 2^-14 · 2^-mantissaBits.
  const odd = v128.and(i32x4.shr_u(positive, shift), i32x4.splat(1));
  const least = i32x4.splat((1 << (shift - 1)) - 1 - (112 << 23));
  const normal = i32x4.shr_u(i32x4.add(i32x4.add(positive, odd), least), shift);
  const scale = (136 - mantissaBits) << 23;
  const denormal = i32x4.sub(f32x4.add(positive, f32x4.splat(reinterpret<f32>(scale))), i32x4.splat(scale));
  const infinity = i32x4.splat(31 << mantissaBits);
  const finite = i32x4.min_u(v128.bitselect(denormal, normal, i32x4.lt_s(positive, i32x4.splat(113 << 23))), infinity);
  const quiet = v128.or(infinity, i32x4.splat(1 << (mantissaBits - 1)));
  return v128.bitselect(finite, quiet, f32x4.eq(x, x));
}

/** Packs four 32-bit words each of a and b to eight 16-bit words; values above 65535 saturate. */
export function packWords(a: v128, b: v128): v128 {
  return i16x8.narrow_i32x4_u(a, b);
}

/** Packs eight signed 16-bit integers each of a and b to bytes, saturated to 0…255. */
export function packBytes(a: v128, b: v128): v128 {
  return i8x16.narrow_i16x8_u(a, b);
}
