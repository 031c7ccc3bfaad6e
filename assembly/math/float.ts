// Exponents, fractions, half floats and conversions of four lanes. All results are exact or correctly rounded.
import { floatsOfHalfWords, halfWordsOfFloats } from '../simd/channels';
import { canonicalNaN, highHalves, lowHalves, select, splatFrom } from '../simd/lanes';
import { INFINITE, MINUS_ONE, NUMBERS, ONE, SMALLEST_NORMAL, TWO_24 } from './constants';

/** 1, −1, or 0 for zeros and NaN. */
export function sign(x: v128): v128 {
  const zero = i32x4.splat(0);
  return v128.or(
    v128.and(f32x4.gt(x, zero), splatFrom(NUMBERS, ONE)),
    v128.and(f32x4.lt(x, zero), splatFrom(NUMBERS, MINUS_ONE))
  );
}

/** x − floor x. */
export function fract(x: v128): v128 {
  return f32x4.sub(x, f32x4.floor(x));
}

/** x − y·trunc(x ÷ y), each step rounded, as WGSL §8.7 defines the operator. */
export function rem(x: v128, y: v128): v128 {
  return f32x4.sub(x, f32x4.mul(y, f32x4.trunc(f32x4.div(x, y))));
}

/** 2^e as two f64, from two i64 exponents. */
function power64(e: v128): v128 {
  return i64x2.shl(i64x2.add(e, i64x2.splat(1023)), 52);
}

/** x·2^e, rounded once; the product is exact in f64. */
export function ldexp(x: v128, e: v128): v128 {
  // ±300 reaches from the smallest denormal past infinity, and back to zero.
  const n = i32x4.max_s(i32x4.min_s(e, i32x4.splat(300)), i32x4.splat(-300));
  const low = f64x2.mul(f64x2.promote_low_f32x4(x), power64(i64x2.extend_low_i32x4_s(n)));
  const high = f64x2.mul(f64x2.promote_low_f32x4(highHalves(x, x)), power64(i64x2.extend_high_i32x4_s(n)));
  return lowHalves(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high));
}

/** The finite lanes other than zero. */
function hasExponent(x: v128): v128 {
  const a = f32x4.abs(x);
  return v128.and(f32x4.lt(a, splatFrom(NUMBERS, INFINITE)), f32x4.ne(a, i32x4.splat(0)));
}

function isTiny(x: v128): v128 {
  return f32x4.lt(f32x4.abs(x), splatFrom(NUMBERS, SMALLEST_NORMAL));
}

/** The fraction of x = fraction · 2^exponent, ½ ≤ |fraction| < 1; zeros, infinities and NaN are returned unchanged. */
export function frexpFraction(x: v128): v128 {
  const scaled = select(isTiny(x), f32x4.mul(x, splatFrom(NUMBERS, TWO_24)), x);
  const fraction = v128.or(v128.and(scaled, i32x4.splat(0x807fffff)), i32x4.splat(0x3f000000));
  return select(hasExponent(x), fraction, x);
}

/** The exponent (i32) that belongs to frexpFraction; 0 for zeros, infinities and NaN. */
export function frexpExponent(x: v128): v128 {
  const tiny = isTiny(x);
  const scaled = select(tiny, f32x4.mul(x, splatFrom(NUMBERS, TWO_24)), x);
  const biased = v128.and(i32x4.shr_u(scaled, 23), i32x4.splat(255));
  const e = i32x4.sub(i32x4.sub(biased, i32x4.splat(126)), v128.and(tiny, i32x4.splat(24)));
  return v128.and(e, hasExponent(x));
}

/**
 * The nearest half float (ties to even), in the low 16 bits; infinity if out of range. NaN gives 0x7e00 without a sign,
 * because the sign of a NaN differs between machines.
 */
export function packHalf(x: v128): v128 {
  return halfWordsOfFloats(x);
}

/** The value of the half float in the low 16 bits; the other bits are ignored. NaN gives 7fc00000 with its sign. */
export function unpackHalf(h: v128): v128 {
  const magnitude = canonicalNaN(floatsOfHalfWords(v128.and(h, i32x4.splat(0x7fff))));
  return v128.or(magnitude, i32x4.shl(v128.and(h, i32x4.splat(0x8000)), 16));
}

/**
 * x rounded to the nearest half float, ties to even; infinity if out of range. Adding a number whose last bit has the
 * weight of the half float's last bit rounds. That number is 2^13 times the power of two in x; below 2^-14, where half
 * floats are evenly spaced, it is constant.
 */
export function quantizeHalf(x: v128): v128 {
  const sign = v128.and(x, i32x4.splat(0x80000000));
  // 2^16 replaces all larger values, so that the power does not overflow. (a < b ? a : b preserves NaN.)
  const magnitude = f32x4.pmin(v128.xor(x, sign), f32x4.splat(65536));
  const power = i32x4.max_u(v128.and(magnitude, i32x4.splat(0x7f800000)), i32x4.splat(113 << 23));
  const step = i32x4.add(power, i32x4.splat(13 << 23));
  const rounded = f32x4.sub(f32x4.add(magnitude, step), step);
  const beyond = v128.and(f32x4.ge(rounded, f32x4.splat(65536)), i32x4.splat(0x7f800000));
  return v128.or(v128.or(rounded, beyond), sign);
}
