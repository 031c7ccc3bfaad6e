// Inverse trigonometric functions and the inverse square root, for four lanes.
import { flipSign, madd, max, min, select, splatFrom } from '../simd/lanes';
import { ASIN, ASIN_HALF_PI, ASIN_PI, ATAN, ATAN_HALF_PI, ATAN_PI, HALF, INFINITE, NUMBERS, ONE } from './constants';
import { pair, series5 } from './series';

/** 1 ÷ √x, both rounded: at most 1.5 ULP (WGSL: 2). */
export function inverseSqrt(x: v128): v128 {
  return f32x4.div(splatFrom(NUMBERS, ONE), f32x4.sqrt(x));
}

/** s + s·z·P(z). */
function asinSmall(s: v128, z: v128): v128 {
  return madd(f32x4.mul(s, z), series5(ASIN, z), s);
}

/** asin of a = |x|; where that is above ½, asin of √((1−a)/2). */
function asinHalf(a: v128, big: v128): v128 {
  const outer = f32x4.mul(f32x4.sub(splatFrom(NUMBERS, ONE), a), splatFrom(NUMBERS, HALF));
  const z = select(big, outer, f32x4.mul(a, a));
  return asinSmall(select(big, f32x4.sqrt(z), a), z);
}

/** asin x. At most 2.5 ULP (WGSL: 2^-6 absolute); NaN outside ±1. Above ½, π/2 − 2·asin √((1−|x|)/2). */
export function asin(x: v128): v128 {
  const a = f32x4.abs(x);
  const big = f32x4.gt(a, splatFrom(NUMBERS, HALF));
  const p = asinHalf(a, big);
  return flipSign(select(big, f32x4.sub(splatFrom(ASIN, ASIN_HALF_PI), f32x4.add(p, p)), p), x);
}

/** acos x. At most 1.5 ULP; NaN outside ±1. */
export function acos(x: v128): v128 {
  const a = f32x4.abs(x);
  const big = f32x4.gt(a, splatFrom(NUMBERS, HALF));
  const p = asinHalf(a, big);
  const twice = f32x4.add(p, p);
  const outer = select(f32x4.lt(x, i32x4.splat(0)), f32x4.sub(splatFrom(ASIN, ASIN_PI), twice), twice);
  return select(big, outer, f32x4.sub(splatFrom(ASIN, ASIN_HALF_PI), flipSign(p, x)));
}

/** atan t for t in 0…1. */
function atanSmall(t: v128): v128 {
  const z = f32x4.mul(t, t);
  // Coefficients are combined in pairs, to shorten the dependency chain.
  const square = f32x4.mul(z, z);
  const p01 = pair(ATAN, 0, z);
  const p23 = pair(ATAN, 2, z);
  const p45 = pair(ATAN, 4, z);
  const p67 = pair(ATAN, 6, z);
  const p = madd(madd(madd(madd(splatFrom(ATAN, 8), square, p67), square, p45), square, p23), square, p01);
  return madd(f32x4.mul(t, z), p, t);
}

/** atan x. At most 1.8 ULP (WGSL: 4096). Above 1, π/2 − atan(1/x). */
export function atan(x: v128): v128 {
  const a = f32x4.abs(x);
  const one = splatFrom(NUMBERS, ONE);
  const p = atanSmall(f32x4.div(min(a, one), max(one, a)));
  return flipSign(select(f32x4.lt(one, a), f32x4.sub(splatFrom(ATAN, ATAN_HALF_PI), p), p), x);
}

/** The angle of (x, y), −π…π. At most 3 ULP (WGSL: 4096). Zeros and infinities follow IEEE 754: atan2(±0, −0) = ±π. */
export function atan2(y: v128, x: v128): v128 {
  const a = f32x4.abs(y);
  const b = f32x4.abs(x);
  const smaller = min(a, b);
  const larger = max(b, a);
  let t = f32x4.div(smaller, larger);
  // Handles two zeros and two infinities. If one operand is NaN, the result is NaN.
  const infinite = splatFrom(NUMBERS, INFINITE);
  t = v128.and(t, f32x4.ne(v128.or(a, b), i32x4.splat(0)));
  t = select(v128.and(f32x4.eq(a, infinite), f32x4.eq(b, infinite)), splatFrom(NUMBERS, ONE), t);
  const p = atanSmall(t);
  const q = select(f32x4.lt(b, a), f32x4.sub(splatFrom(ATAN, ATAN_HALF_PI), p), p);
  return flipSign(select(i32x4.shr_s(x, 31), f32x4.sub(splatFrom(ATAN, ATAN_PI), q), q), y);
}
