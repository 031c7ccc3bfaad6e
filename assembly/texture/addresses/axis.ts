// Converts one coordinate of a quad from [0, 1] space to texel indices. Twin of axis.scalar.ts. Every f32 gives an
// index inside the texture. Values that depend only on the level arrive as vectors, computed once before the loop over
// quads.
import { ADDRESS_CLAMP, ADDRESS_REPEAT } from '../../layout';
import { splatFrom } from '../../simd/lanes';
import { BITS, HALF, NUMBERS, ONE, WHOLE } from '../texels/constants';

function orZero(x: v128): v128 {
  return v128.and(x, f32x4.eq(x, x));
}

/** intsOfWhole (simd/channels.ts) with its constant from memory. */
export function wholeInts(x: v128): v128 {
  const whole = splatFrom(BITS, WHOLE);
  return i32x4.sub(f32x4.add(x, whole), whole);
}

/**
 * Coordinates without their whole periods, for address modes that are periodic; independent of the level. Gives NaN
 * where the input has no such value (NaN and infinities).
 */
export function turnNumbers(u: v128, mode: i32): v128 {
  if (mode == ADDRESS_REPEAT) return f32x4.sub(u, f32x4.floor(u));
  if (mode == ADDRESS_CLAMP) return u;
  const turns = f32x4.floor(f32x4.mul(u, splatFrom(NUMBERS, HALF)));
  return f32x4.sub(u, f32x4.add(turns, turns));
}

/** As turnNumbers, with 0 instead of NaN for periodic modes; turnedTexel handles NaN in the others. */
function turnQuad(u: v128, mode: i32): v128 {
  return mode == ADDRESS_CLAMP ? u : orZero(turnNumbers(u, mode));
}

/**
 * Positions in texels from the result of turnQuad. `shifts` is the constant offset, minus one half for linear filters;
 * `wide` tells whether there is an offset.
 */
export function turnedTexel(u: v128, sizes: v128, mode: i32, shifts: v128, wide: bool): v128 {
  const x = f32x4.add(f32x4.mul(u, sizes), shifts);
  // pmax(0, x) is 0 < x ? x : 0, which maps NaN to 0.
  if (mode == ADDRESS_CLAMP)
    return f32x4.pmin(f32x4.sub(sizes, splatFrom(NUMBERS, ONE)), f32x4.pmax(f32x4.splat(0), x));
  if (!wide) return x;
  const periods = mode == ADDRESS_REPEAT ? sizes : f32x4.add(sizes, sizes);
  return f32x4.sub(x, f32x4.mul(periods, f32x4.floor(f32x4.div(x, periods))));
}

/** turnQuad and turnedTexel. */
export function tapsOfQuad(u: v128, sizes: v128, mode: i32, shifts: v128, wide: bool): v128 {
  return turnedTexel(turnQuad(u, mode), sizes, mode, shifts, wide);
}

// min(i, 2·size − 1 − i), but at least 0.
function mirrored(i: v128, last: v128): v128 {
  const end = i32x4.add(i32x4.add(last, last), i32x4.splat(1));
  return i32x4.max_s(i32x4.min_s(i, i32x4.sub(end, i)), i32x4.splat(0));
}

/** Indices of the texels at or before the positions, from floor(position); `last` is size − 1. */
export function firstIndices(i: v128, last: v128, mode: i32): v128 {
  // −1 is the largest u32, which the minimum maps to the last texel.
  if (mode == ADDRESS_REPEAT) return i32x4.min_u(i, last);
  if (mode == ADDRESS_CLAMP) return i;
  return mirrored(i, last);
}

/** Indices of the texels after them, from floor(position) + 1. */
export function secondIndices(next: v128, last: v128, mode: i32): v128 {
  if (mode == ADDRESS_REPEAT) return v128.andnot(next, i32x4.gt_s(next, last));
  if (mode == ADDRESS_CLAMP) return i32x4.min_s(next, last);
  return mirrored(next, last);
}
