// Hyperbolic functions and their inverses, for single values: the steps of hyperbolic.ts.
import { AREA, LOG, LOG_LN2, SINH, TANH, TANH_SMALL } from './constants';
import { expScaledScalar, log1pScalar } from './exponential.scalar';
import { coefficient, flipSignScalar, series4Scalar, series6Scalar } from './scalar';

/** sinh x. */
export function sinhScalar(x: f32): f32 {
  const a = abs(x);
  const z = a * a;
  const small = a * z * series4Scalar(SINH, z) + a;
  const h = expScaledScalar(a, -1);
  const large = h - 0.25 / h;
  return flipSignScalar(a < 1 ? small : large, x);
}

/** cosh x. */
export function coshScalar(x: f32): f32 {
  const h = expScaledScalar(abs(x), -1);
  return h + 0.25 / h;
}

/** tanh x. */
export function tanhScalar(x: f32): f32 {
  const a = abs(x);
  const z = a * a;
  const small = a * z * series6Scalar(TANH, z) + a;
  const e = expScaledScalar(a + a, 0);
  const large: f32 = 1 - 2 / (e + 1);
  return flipSignScalar(a < coefficient(TANH, TANH_SMALL) ? small : large, x);
}

/** asinh x. */
export function asinhScalar(x: f32): f32 {
  const a = abs(x);
  const square = a * a;
  const sum = a + square / (1 + sqrt(square + 1));
  const huge = a > coefficient(AREA, 0);
  return flipSignScalar(log1pScalar(huge ? a : sum) + (huge ? coefficient(LOG, LOG_LN2) : 0), x);
}

/** acosh x; NaN below 1. */
export function acoshScalar(x: f32): f32 {
  const t = x - 1;
  const sum = t + sqrt(t * (t + 2));
  const huge = x > coefficient(AREA, 0);
  const result = log1pScalar(huge ? x : sum) + (huge ? coefficient(LOG, LOG_LN2) : 0);
  return x >= 1 ? result : reinterpret<f32>(0x7fc00000);
}

/** atanh x. */
export function atanhScalar(x: f32): f32 {
  const a = abs(x);
  const u = (a + a) / (1 - a);
  return flipSignScalar(log1pScalar(u) * 0.5, x);
}
