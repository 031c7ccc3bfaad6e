// Sine, cosine and tangent of four lanes. The angle is reduced by a multiple n of π/2, subtracted in three parts. In
// lanes with |x| above ANGLE_LIMIT (rare), a reduction in f64 replaces it. Absolute errors: 9e-8 up to |x| = 2^24,
// 2^-21 up to 2^30; beyond that, some value within ±1, the same on every machine.
import { anySign, anyTrue, flipSign, highHalves, lowHalves, madd, max, min, select, splatFrom } from '../simd/lanes';
import {
  ANGLE,
  ANGLE_BITS,
  ANGLE_HIGH,
  ANGLE_INVERSE,
  ANGLE_LIMIT,
  ANGLE_LIMIT_BITS,
  ANGLE_LOW,
  ANGLE_MAGNITUDE,
  ANGLE_MIDDLE,
  COS,
  HALF,
  NUMBERS,
  ONE,
  ROUNDER,
  SIN,
} from './constants';
import { series3 } from './series';
import { HALF_PI_HIGH, HALF_PI_LOW, INVERSE, QUARTER_PI } from './trigonometric.scalar';

/** The lanes whose angle is too large for the reduction in three parts. */
function beyondLimit(x: v128): v128 {
  return f32x4.gt(f32x4.abs(x), splatFrom(ANGLE, ANGLE_LIMIT));
}

/**
 * The lanes of beyondLimit and those with NaN. They are tested by their bits, because `abs` takes three instructions
 * (V8 11.3).
 */
function rareAngles(x: v128): v128 {
  return i32x4.gt_s(v128.and(x, splatFrom(ANGLE_BITS, ANGLE_MAGNITUDE)), splatFrom(ANGLE_BITS, ANGLE_LIMIT_BITS));
}

/** The nearest multiple of π/2, for two angles in f64. */
function multiple64(x: v128): v128 {
  return f64x2.nearest(f64x2.mul(x, f64x2.splat(INVERSE)));
}

/** The quadrant, 0…3, of two angles. Conversions to integers saturate; NaN gives 0. */
function quadrant64(x: v128): v128 {
  const n = multiple64(x);
  return i32x4.trunc_sat_f64x2_s_zero(
    f64x2.sub(n, f64x2.mul(f64x2.splat(4), f64x2.floor(f64x2.mul(n, f64x2.splat(0.25)))))
  );
}

function reduce64(x: v128): v128 {
  const n = multiple64(x);
  return f32x4.demote_f64x2_zero(
    f64x2.sub(f64x2.sub(x, f64x2.mul(n, f64x2.splat(HALF_PI_HIGH))), f64x2.mul(n, f64x2.splat(HALF_PI_LOW)))
  );
}

/** Angles 2 and 3 of four, in f64. */
function upper64(x: v128): v128 {
  return f64x2.promote_low_f32x4(highHalves(x, x));
}

/** The quadrant of large angles. */
function farQuadrant(x: v128): v128 {
  return lowHalves(quadrant64(f64x2.promote_low_f32x4(x)), quadrant64(upper64(x)));
}

/** x − n·π/2 for large angles. Beyond 2^30 it is meaningless; the clamp keeps results within ±1 and deterministic. */
function farReduce(x: v128): v128 {
  const r = lowHalves(reduce64(f64x2.promote_low_f32x4(x)), reduce64(upper64(x)));
  return min(max(r, f32x4.splat(-QUARTER_PI)), f32x4.splat(QUARTER_PI));
}

/** ROUNDER + n; the quadrant is in its two low bits. */
function quadrant(x: v128): v128 {
  return madd(x, splatFrom(ANGLE, ANGLE_INVERSE), splatFrom(NUMBERS, ROUNDER));
}

/** x − n·π/2. */
function reduce(x: v128, quadrant: v128): v128 {
  const n = f32x4.sub(quadrant, splatFrom(NUMBERS, ROUNDER));
  let r = f32x4.sub(x, f32x4.mul(n, splatFrom(ANGLE, ANGLE_HIGH)));
  r = f32x4.sub(r, f32x4.mul(n, splatFrom(ANGLE, ANGLE_MIDDLE)));
  return f32x4.sub(r, f32x4.mul(n, splatFrom(ANGLE, ANGLE_LOW)));
}

function sinSmall(r: v128, z: v128): v128 {
  return madd(f32x4.mul(r, z), series3(SIN, z), r);
}

function cosSmall(z: v128): v128 {
  const head = f32x4.sub(splatFrom(NUMBERS, ONE), f32x4.mul(z, splatFrom(NUMBERS, HALF)));
  return madd(f32x4.mul(z, z), series3(COS, z), head);
}

/** The lanes in an odd quadrant, where sine and cosine swap. */
function oddMask(quadrant: v128): v128 {
  return i32x4.shr_s(i32x4.shl(quadrant, 31), 31);
}

function sinOf(q: v128, r: v128): v128 {
  const z = f32x4.mul(r, r);
  return flipSign(select(oddMask(q), cosSmall(z), sinSmall(r, z)), i32x4.shl(q, 30));
}

function cosOf(q: v128, r: v128): v128 {
  const z = f32x4.mul(r, r);
  return flipSign(select(oddMask(q), sinSmall(r, z), cosSmall(z)), i32x4.shl(i32x4.add(q, i32x4.splat(1)), 30));
}

// Quadrant and reduced angle for any x.
function anyQuadrant(x: v128): v128 {
  return select(beyondLimit(x), farQuadrant(x), quadrant(x));
}
function anyReduced(x: v128): v128 {
  return select(beyondLimit(x), farReduce(x), reduce(x, quadrant(x)));
}

/** sin x for any x. */
export function sinAny(x: v128): v128 {
  return sinOf(anyQuadrant(x), anyReduced(x));
}

/** cos x for any x. */
export function cosAny(x: v128): v128 {
  return cosOf(anyQuadrant(x), anyReduced(x));
}

/** sin x up to ANGLE_LIMIT; RARE beyond (as in exponential.ts). */
export function sinCommon(x: v128): v128 {
  const q = quadrant(x);
  return v128.or(sinOf(q, reduce(x, q)), rareAngles(x));
}

/** cos x up to ANGLE_LIMIT; RARE beyond. */
export function cosCommon(x: v128): v128 {
  const q = quadrant(x);
  return v128.or(cosOf(q, reduce(x, q)), rareAngles(x));
}

/** sin x. */
export function sin(x: v128): v128 {
  if (anySign(rareAngles(x))) return sinAny(x);
  const q = quadrant(x);
  return sinOf(q, reduce(x, q));
}

/** cos x. */
export function cos(x: v128): v128 {
  if (anySign(rareAngles(x))) return cosAny(x);
  const q = quadrant(x);
  return cosOf(q, reduce(x, q));
}

/** tan x as sin ÷ cos, from which WGSL derives its bound; at most 3 ULP in ±π. */
export function tan(x: v128): v128 {
  let q = quadrant(x);
  let r = reduce(x, q);
  if (anyTrue(beyondLimit(x))) {
    q = anyQuadrant(x);
    r = anyReduced(x);
  }
  const z = f32x4.mul(r, r);
  const s = sinSmall(r, z);
  const c = cosSmall(z);
  const odd = oddMask(q);
  return flipSign(f32x4.div(select(odd, c, s), select(odd, s, c)), i32x4.shl(q, 31));
}
