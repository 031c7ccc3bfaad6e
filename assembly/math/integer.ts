// Integer operations of four lanes that WebAssembly has no instruction for.
import { highHalves, lowHalves, reverseBytes, select } from '../simd/lanes';

/** The lanes equal to `value`. */
function equals(x: v128, value: i32): v128 {
  return i32x4.eq(x, i32x4.splat(value));
}

/** The divisor, or 1 where the quotient is x by definition (WGSL §8.7): y = 0, and min ÷ −1. */
function signedDivisor(x: v128, y: v128): v128 {
  const overflow = v128.and(equals(x, i32.MIN_VALUE), equals(y, -1));
  return select(v128.or(equals(y, 0), overflow), i32x4.splat(1), y);
}

/** Quotients of 32-bit integers, truncated; the division in f64 is exact enough for this. */
function quotient<T>(x: v128, y: v128): v128 {
  const low = f64x2.div(v128.convert_low<T>(x), v128.convert_low<T>(y));
  const high = f64x2.div(v128.convert_low<T>(highHalves(x, x)), v128.convert_low<T>(highHalves(y, y)));
  return lowHalves(v128.trunc_sat_zero<T>(low), v128.trunc_sat_zero<T>(high));
}

/** Signed x ÷ y; x for y = 0, min for min ÷ −1. */
export function divSigned(x: v128, y: v128): v128 {
  return quotient<i32>(x, signedDivisor(x, y));
}

/** Signed x % y; 0 for y = 0 and min % −1. */
export function remSigned(x: v128, y: v128): v128 {
  const d = signedDivisor(x, y);
  return i32x4.sub(x, i32x4.mul(quotient<i32>(x, d), d));
}

/** Unsigned x ÷ y; x for y = 0. */
export function divUnsigned(x: v128, y: v128): v128 {
  return quotient<u32>(x, select(equals(y, 0), i32x4.splat(1), y));
}

/** Unsigned x % y; 0 for y = 0. */
export function remUnsigned(x: v128, y: v128): v128 {
  const d = select(equals(y, 0), i32x4.splat(1), y);
  return i32x4.sub(x, i32x4.mul(quotient<u32>(x, d), d));
}

/** 1, −1 or 0. */
export function signInteger(x: v128): v128 {
  return v128.or(i32x4.shr_s(x, 31), v128.and(i32x4.gt_s(x, i32x4.splat(0)), i32x4.splat(1)));
}

export function countOneBits(x: v128): v128 {
  return i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(i8x16.popcnt(x)));
}

/** Returns 32 for 0. */
export function countLeadingZeros(x: v128): v128 {
  // All bits below the highest one are set, so that the remaining zeros are those above it.
  let y = v128.or(x, i32x4.shr_u(x, 1));
  y = v128.or(y, i32x4.shr_u(y, 2));
  y = v128.or(y, i32x4.shr_u(y, 4));
  y = v128.or(y, i32x4.shr_u(y, 8));
  y = v128.or(y, i32x4.shr_u(y, 16));
  return countOneBits(v128.not(y));
}

/** Returns 32 for 0. */
export function countTrailingZeros(x: v128): v128 {
  return countOneBits(v128.andnot(i32x4.sub(x, i32x4.splat(1)), x));
}

/** Index of the highest bit that is 1; −1 for 0. */
export function firstLeadingBitUnsigned(x: v128): v128 {
  return i32x4.sub(i32x4.splat(31), countLeadingZeros(x));
}

/** Index of the highest bit that differs from the sign; −1 for 0 and −1. */
export function firstLeadingBitSigned(x: v128): v128 {
  return firstLeadingBitUnsigned(v128.xor(x, i32x4.shr_s(x, 31)));
}

/** Index of the lowest bit that is 1; −1 for 0. */
export function firstTrailingBit(x: v128): v128 {
  return v128.or(countTrailingZeros(x), equals(x, 0));
}

export function reverseBits(x: v128): v128 {
  const nibbles = i32x4.splat(0x0f0f0f0f);
  let y = reverseBytes(x);
  y = v128.or(v128.and(i32x4.shr_u(y, 4), nibbles), i32x4.shl(v128.and(y, nibbles), 4));
  const pairs = i32x4.splat(0x33333333);
  y = v128.or(v128.and(i32x4.shr_u(y, 2), pairs), i32x4.shl(v128.and(y, pairs), 2));
  const bits = i32x4.splat(0x55555555);
  return v128.or(v128.and(i32x4.shr_u(y, 1), bits), i32x4.shl(v128.and(y, bits), 1));
}
