// Inverse trigonometric functions and the inverse square root, for single values: the steps of inverse.ts.
import { ASIN, ASIN_HALF_PI, ASIN_PI, ATAN, ATAN_HALF_PI, ATAN_PI } from './constants';
import { coefficient, flipSignScalar, maxScalar, minScalar, pairScalar, series5Scalar } from './scalar';

/** 1 ÷ √x. */
export function inverseSqrtScalar(x: f32): f32 {
  return 1 / sqrt(x);
}

function asinSmall(s: f32, z: f32): f32 {
  return s * z * series5Scalar(ASIN, z) + s;
}

function asinHalf(a: f32, big: bool): f32 {
  const z: f32 = big ? (1 - a) * 0.5 : a * a;
  return asinSmall(big ? sqrt(z) : a, z);
}

/** asin x. */
export function asinScalar(x: f32): f32 {
  const a = abs(x);
  const big = a > 0.5;
  const p = asinHalf(a, big);
  return flipSignScalar(big ? coefficient(ASIN, ASIN_HALF_PI) - (p + p) : p, x);
}

/** acos x. */
export function acosScalar(x: f32): f32 {
  const a = abs(x);
  const big = a > 0.5;
  const p = asinHalf(a, big);
  const twice = p + p;
  const outer = x < 0 ? coefficient(ASIN, ASIN_PI) - twice : twice;
  return big ? outer : coefficient(ASIN, ASIN_HALF_PI) - flipSignScalar(p, x);
}

function atanSmall(t: f32): f32 {
  const z = t * t;
  const square = z * z;
  const p01 = pairScalar(ATAN, 0, z);
  const p23 = pairScalar(ATAN, 2, z);
  const p45 = pairScalar(ATAN, 4, z);
  const p67 = pairScalar(ATAN, 6, z);
  const p = (((coefficient(ATAN, 8) * square + p67) * square + p45) * square + p23) * square + p01;
  return t * z * p + t;
}

/** atan x. */
export function atanScalar(x: f32): f32 {
  const a = abs(x);
  const p = atanSmall(minScalar(a, 1) / maxScalar(1, a));
  return flipSignScalar(1 < a ? coefficient(ATAN, ATAN_HALF_PI) - p : p, x);
}

/** The angle of (x, y). */
export function atan2Scalar(y: f32, x: f32): f32 {
  const a = abs(y);
  const b = abs(x);
  const smaller = minScalar(a, b);
  const larger = maxScalar(b, a);
  let t = smaller / larger;
  // Handles two zeros and two infinities. If one operand is NaN, the result is NaN.
  t = (reinterpret<u32>(a) | reinterpret<u32>(b)) != 0 ? t : 0;
  t = a == Infinity && b == Infinity ? 1 : t;
  const p = atanSmall(t);
  const q = b < a ? coefficient(ATAN, ATAN_HALF_PI) - p : p;
  return flipSignScalar(reinterpret<i32>(x) < 0 ? coefficient(ATAN, ATAN_PI) - q : q, y);
}
