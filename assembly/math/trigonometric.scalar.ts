// Sine, cosine and tangent of single values: the steps of trigonometric.ts, and the reduction of large angles.
import {
  ANGLE,
  ANGLE_HIGH,
  ANGLE_INVERSE,
  ANGLE_LIMIT,
  ANGLE_LOW,
  ANGLE_MIDDLE,
  COS,
  NUMBERS,
  ROUNDER,
  SIN,
} from './constants';
import { coefficient, flipSignScalar, maxScalar, minScalar, series3Scalar } from './scalar';

/** 2/π and π/2 in f64; the first part of π/2 has 33 bits, so that its multiples up to 2^20 are exact. */
export const INVERSE: f64 = 0.6366197723675814;
export const HALF_PI_HIGH: f64 = 1.57079632673412561417;
export const HALF_PI_LOW: f64 = 6.07710050650619224932e-11;
export const QUARTER_PI: f32 = 0.7853982;

function isBeyondLimit(x: f32): bool {
  return abs(x) > coefficient(ANGLE, ANGLE_LIMIT);
}

/** The quadrant of x in the two low bits. */
function quadrant(x: f32): i32 {
  if (isBeyondLimit(x)) {
    const n = nearest(<f64>x * INVERSE);
    // Conversions to integers saturate; NaN gives 0.
    return <i32>(n - 4 * floor(n * 0.25));
  }
  return reinterpret<i32>(x * coefficient(ANGLE, ANGLE_INVERSE) + coefficient(NUMBERS, ROUNDER));
}

/** x − n·π/2 for the nearest n. */
function reduce(x: f32): f32 {
  if (isBeyondLimit(x)) {
    const n = nearest(<f64>x * INVERSE);
    // Beyond 2^30 the difference is meaningless; the clamp keeps results within ±1 and deterministic.
    return minScalar(maxScalar(<f32>(<f64>x - n * HALF_PI_HIGH - n * HALF_PI_LOW), -QUARTER_PI), QUARTER_PI);
  }
  const n: f32 = x * coefficient(ANGLE, ANGLE_INVERSE) + coefficient(NUMBERS, ROUNDER) - coefficient(NUMBERS, ROUNDER);
  return (
    x - n * coefficient(ANGLE, ANGLE_HIGH) - n * coefficient(ANGLE, ANGLE_MIDDLE) - n * coefficient(ANGLE, ANGLE_LOW)
  );
}

function sinSmall(r: f32, z: f32): f32 {
  return r * z * series3Scalar(SIN, z) + r;
}

function cosSmall(z: f32): f32 {
  return z * z * series3Scalar(COS, z) + (1 - z * 0.5);
}

/** sin x. */
export function sinScalar(x: f32): f32 {
  const q = quadrant(x);
  const r = reduce(x);
  const z = r * r;
  return flipSignScalar((q & 1) != 0 ? cosSmall(z) : sinSmall(r, z), reinterpret<f32>(q << 30));
}

/** cos x. */
export function cosScalar(x: f32): f32 {
  const q = quadrant(x);
  const r = reduce(x);
  const z = r * r;
  return flipSignScalar((q & 1) != 0 ? sinSmall(r, z) : cosSmall(z), reinterpret<f32>((q + 1) << 30));
}

/** tan x as sin ÷ cos. */
export function tanScalar(x: f32): f32 {
  const q = quadrant(x);
  const r = reduce(x);
  const z = r * r;
  const s = sinSmall(r, z);
  const c = cosSmall(z);
  const odd = (q & 1) != 0;
  return flipSignScalar((odd ? c : s) / (odd ? s : c), reinterpret<f32>(q << 31));
}
