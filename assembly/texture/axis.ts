// One coordinate of a quad: from [0, 1] space to texel indices. Twin of axis.scalar.ts; any f32 gives an index inside the texture.
// What depends on the level alone comes as vectors, made once before the loop over quads.
import { ADDRESS_CLAMP, ADDRESS_REPEAT } from '../layout/texture';

// @ts-ignore: decorator
@inline function orZero(x: v128): v128 { return v128.and(x, f32x4.eq(x, x)); }

/** Positions in texels; `shifts` is the constant offset, less one half for linear filters, `wide` whether there is an offset. */
// @ts-ignore: decorator
@inline export function placeQuad(u: v128, sizes: v128, mode: i32, shifts: v128, wide: bool): v128 {
  if (mode == ADDRESS_REPEAT) {
    const x = f32x4.add(f32x4.mul(orZero(f32x4.sub(u, f32x4.floor(u))), sizes), shifts);
    return wide ? f32x4.sub(x, f32x4.mul(sizes, f32x4.floor(f32x4.div(x, sizes)))) : x;
  }
  if (mode == ADDRESS_CLAMP) {
    const x = f32x4.add(f32x4.mul(u, sizes), shifts);
    // pmax(0, x) is 0 < x ? x : 0, which takes NaN to 0.
    return f32x4.pmin(f32x4.sub(sizes, f32x4.splat(1)), f32x4.pmax(f32x4.splat(0), x));
  }
  const periods = f32x4.add(sizes, sizes);
  const turns = f32x4.floor(f32x4.mul(u, f32x4.splat(0.5)));
  const x = f32x4.add(f32x4.mul(orZero(f32x4.sub(u, f32x4.add(turns, turns))), sizes), shifts);
  return wide ? f32x4.sub(x, f32x4.mul(periods, f32x4.floor(f32x4.div(x, periods)))) : x;
}

// min(i, 2·size − 1 − i), not below 0.
// @ts-ignore: decorator
@inline function mirrored(i: v128, last: v128): v128 {
  const end = i32x4.add(i32x4.add(last, last), i32x4.splat(1));
  return i32x4.max_s(i32x4.min_s(i, i32x4.sub(end, i)), i32x4.splat(0));
}

/** Indices of the texels at or before the positions, from floor(position); `last` is size − 1. */
// @ts-ignore: decorator
@inline export function firstIndices(i: v128, last: v128, mode: i32): v128 {
  // −1 is the largest u32 and becomes the last texel.
  if (mode == ADDRESS_REPEAT) return i32x4.min_u(i, last);
  if (mode == ADDRESS_CLAMP) return i;
  return mirrored(i, last);
}

/** Indices of the texels after them, from floor(position) + 1. */
// @ts-ignore: decorator
@inline export function secondIndices(next: v128, last: v128, mode: i32): v128 {
  if (mode == ADDRESS_REPEAT) return v128.and(next, i32x4.le_s(next, last));
  if (mode == ADDRESS_CLAMP) return i32x4.min_s(next, last);
  return mirrored(next, last);
}
