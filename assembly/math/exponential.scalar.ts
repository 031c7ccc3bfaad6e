// Exponentials and logarithms of single values: the steps of exponential.ts.
import {
  EXP,
  EXP2,
  EXP2_MAX,
  EXP2_MIN,
  EXP_LN2_HIGH,
  EXP_LN2_LOW,
  EXP_LOG2E,
  EXP_MAX,
  EXP_MIN,
  LOG,
  LOG2,
  LOG_LN2_HIGH,
  LOG_LN2_LOW,
  NUMBERS,
  ROUNDER,
  SMALLEST_NORMAL,
} from './constants';
import { coefficient, maxScalar, minScalar, pairScalar, series3Scalar } from './scalar';

function scale(p: f32, bits: i32, extra: i32): f32 {
  const n = bits - (0x4b400000 - extra);
  const half = n >> 1;
  const first = reinterpret<f32>((half << 23) + 0x3f800000);
  const second = reinterpret<f32>(((n - half) << 23) + 0x3f800000);
  return p * first * second;
}

/** 2^x. */
export function exp2Scalar(x: f32): f32 {
  const rounder = coefficient(NUMBERS, ROUNDER);
  // Outside this range the result is 0 or infinity. NaN passes min and max as their first operand.
  const y = minScalar(maxScalar(x, coefficient(EXP2, EXP2_MIN)), coefficient(EXP2, EXP2_MAX));
  const whole = y + rounder;
  const f = y - (whole - rounder);
  const square = f * f;
  const low = pairScalar(EXP2, 0, f);
  const middle = pairScalar(EXP2, 2, f);
  const high = pairScalar(EXP2, 4, f);
  const p: f32 = ((high * square + middle) * square + low) * f + 1;
  return scale(p, reinterpret<i32>(whole), 0);
}

/** e^x · 2^extra without intermediate overflow. */
export function expScaledScalar(x: f32, extra: i32): f32 {
  const rounder = coefficient(NUMBERS, ROUNDER);
  const y = minScalar(maxScalar(x, coefficient(EXP, EXP_MIN)), coefficient(EXP, EXP_MAX));
  const whole = y * coefficient(EXP, EXP_LOG2E) + rounder;
  const n = whole - rounder;
  const r = y - n * coefficient(EXP, EXP_LN2_HIGH) - n * coefficient(EXP, EXP_LN2_LOW);
  const square = r * r;
  const low = pairScalar(EXP, 0, r);
  const middle = pairScalar(EXP, 2, r);
  const series = (coefficient(EXP, 4) * square + middle) * square + low;
  const p: f32 = square * series + r + 1;
  return scale(p, reinterpret<i32>(whole), extra);
}

/** e^x. */
export function expScalar(x: f32): f32 {
  return expScaledScalar(x, 0);
}

/** ln(1+f) for f in √½−1 … √2−1. */
function logMantissa(f: f32): f32 {
  const s = f / (f + 2);
  const z = s * s;
  const r = series3Scalar(LOG, z) * z;
  // f − (f²/2 − s·(f²/2 + r)): the subtraction of the large terms is exact.
  const h = f * f * 0.5;
  return f - (h - s * (h + r));
}

/** Whether the result of log comes from logEdges. */
function isLogEdge(x: f32): bool {
  return !(x > 0 && x < Infinity);
}

/** 0 → −∞, ∞ → ∞, negative and NaN → NaN. */
function logEdges(x: f32): f32 {
  if (x > 0) return Infinity;
  return x == 0 ? -Infinity : reinterpret<f32>(0x7fc00000);
}

/** log2 x. */
export function log2Scalar(x: f32): f32 {
  if (isLogEdge(x)) return logEdges(x);
  const tiny = x < coefficient(NUMBERS, SMALLEST_NORMAL);
  const scaled = reinterpret<i32>(tiny ? x * 16777216 : x);
  const e = (scaled - 0x3f3504f3) >> 23;
  const f = reinterpret<f32>(scaled - (e << 23)) - 1;
  const n = <f32>e - (tiny ? <f32>24 : <f32>0);
  const s = f / (f + 2);
  const z = s * s;
  const low = pairScalar(LOG2, 0, z);
  const high = pairScalar(LOG2, 2, z);
  return s * (high * (z * z) + low) + n;
}

/** ln x. */
export function logScalar(x: f32): f32 {
  if (isLogEdge(x)) return logEdges(x);
  const tiny = x < coefficient(NUMBERS, SMALLEST_NORMAL);
  const scaled = reinterpret<i32>(tiny ? x * 16777216 : x);
  const e = (scaled - 0x3f3504f3) >> 23;
  const f = reinterpret<f32>(scaled - (e << 23)) - 1;
  const n = <f32>e - (tiny ? <f32>24 : <f32>0);
  const low = n * coefficient(LOG, LOG_LN2_LOW) + logMantissa(f);
  return n * coefficient(LOG, LOG_LN2_HIGH) + low;
}

/** ln(1+u) for u ≥ 0 or slightly below: the log of the rounded sum, plus a correction for the rounding. */
export function log1pScalar(u: f32): f32 {
  const w = u + 1;
  const lost = (u - (w - 1)) / w;
  return logScalar(w) + (w < Infinity ? lost : 0);
}

/** x^y as exp2(y·log2 x), or x·x; 1 for y = 0, NaN for x < 0 unless y is 2. */
export function powScalar(x: f32, y: f32): f32 {
  if (y == 2) return x * x;
  const power = exp2Scalar(y * log2Scalar(x));
  return y == 0 ? 1 : power;
}
