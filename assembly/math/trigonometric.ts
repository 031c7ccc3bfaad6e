// Sine, cosine and tangent of four lanes. The angle is reduced by a multiple n of π/2 that is subtracted in three parts;
// where |x| is above ANGLE_LIMIT (rare) the scalar twin's 64-bit reduction takes over, lane by lane.
// Absolute errors: 9e-8 up to |x| = 2^24, 2^-21 up to 2^30; beyond that any value within ±1, the same everywhere.
import { anyTrue, flipSign, madd, select, splatFrom } from '../simd/lanes';
import {
  ANGLE, ANGLE_HIGH, ANGLE_INVERSE, ANGLE_LIMIT, ANGLE_LOW, ANGLE_MIDDLE, COS, HALF, NUMBERS, ONE, ROUNDER, SIN,
} from './constants';
import { cosScalar, sinScalar, tanScalar } from './trigonometric.scalar';

// @ts-ignore: decorator
@inline function beyondLimit(x: v128): bool { return anyTrue(f32x4.gt(f32x4.abs(x), splatFrom(ANGLE, ANGLE_LIMIT))); }

/** ROUNDER + n: the quadrant is in its two low bits. */
// @ts-ignore: decorator
@inline function quadrant(x: v128): v128 { return madd(x, splatFrom(ANGLE, ANGLE_INVERSE), splatFrom(NUMBERS, ROUNDER)); }

/** x − n·π/2. */
// @ts-ignore: decorator
@inline function reduce(x: v128, quadrant: v128): v128 {
  const n = f32x4.sub(quadrant, splatFrom(NUMBERS, ROUNDER));
  let r = f32x4.sub(x, f32x4.mul(n, splatFrom(ANGLE, ANGLE_HIGH)));
  r = f32x4.sub(r, f32x4.mul(n, splatFrom(ANGLE, ANGLE_MIDDLE)));
  return f32x4.sub(r, f32x4.mul(n, splatFrom(ANGLE, ANGLE_LOW)));
}

// @ts-ignore: decorator
@inline function sinSmall(r: v128, z: v128): v128 {
  const p = madd(madd(splatFrom(SIN, 2), z, splatFrom(SIN, 1)), z, splatFrom(SIN, 0));
  return madd(f32x4.mul(r, z), p, r);
}

// @ts-ignore: decorator
@inline function cosSmall(z: v128): v128 {
  const p = madd(madd(splatFrom(COS, 2), z, splatFrom(COS, 1)), z, splatFrom(COS, 0));
  const head = f32x4.sub(splatFrom(NUMBERS, ONE), f32x4.mul(z, splatFrom(NUMBERS, HALF)));
  return madd(f32x4.mul(z, z), p, head);
}

/** Lanes in an odd quadrant, where sine and cosine change places. */
// @ts-ignore: decorator
@inline function oddMask(quadrant: v128): v128 { return i32x4.shr_s(i32x4.shl(quadrant, 31), 31); }

/** sin x. */
// @ts-ignore: decorator
@inline export function sin(x: v128): v128 {
  if (beyondLimit(x)) return sinByLane(x);
  const q = quadrant(x);
  const r = reduce(x, q);
  const z = f32x4.mul(r, r);
  return flipSign(select(oddMask(q), cosSmall(z), sinSmall(r, z)), i32x4.shl(q, 30));
}

/** cos x. */
// @ts-ignore: decorator
@inline export function cos(x: v128): v128 {
  if (beyondLimit(x)) return cosByLane(x);
  const q = quadrant(x);
  const r = reduce(x, q);
  const z = f32x4.mul(r, r);
  return flipSign(select(oddMask(q), sinSmall(r, z), cosSmall(z)), i32x4.shl(i32x4.add(q, i32x4.splat(1)), 30));
}

/** tan x as sin ÷ cos, from which WGSL's bound is inherited: at most 3 ULP in ±π. */
// @ts-ignore: decorator
@inline export function tan(x: v128): v128 {
  if (beyondLimit(x)) return tanByLane(x);
  const q = quadrant(x);
  const r = reduce(x, q);
  const z = f32x4.mul(r, r);
  const s = sinSmall(r, z);
  const c = cosSmall(z);
  const odd = oddMask(q);
  return flipSign(f32x4.div(select(odd, c, s), select(odd, s, c)), i32x4.shl(q, 31));
}

function sinByLane(x: v128): v128 {
  return f32x4(sinScalar(f32x4.extract_lane(x, 0)), sinScalar(f32x4.extract_lane(x, 1)), sinScalar(f32x4.extract_lane(x, 2)), sinScalar(f32x4.extract_lane(x, 3)));
}

function cosByLane(x: v128): v128 {
  return f32x4(cosScalar(f32x4.extract_lane(x, 0)), cosScalar(f32x4.extract_lane(x, 1)), cosScalar(f32x4.extract_lane(x, 2)), cosScalar(f32x4.extract_lane(x, 3)));
}

function tanByLane(x: v128): v128 {
  return f32x4(tanScalar(f32x4.extract_lane(x, 0)), tanScalar(f32x4.extract_lane(x, 1)), tanScalar(f32x4.extract_lane(x, 2)), tanScalar(f32x4.extract_lane(x, 3)));
}
