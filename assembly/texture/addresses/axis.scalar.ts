// Converts one coordinate of one lane from [0, 1] space to texel indices. Twin of axis.ts. Every f32 gives an index
// inside the texture.
import { ADDRESS_CLAMP, ADDRESS_REPEAT } from '../../layout';

function orZero(x: f32): f32 {
  return x == x ? x : 0;
}

/**
 * Position in texels. `shift` is the constant offset, minus one half for linear filters; `wide` tells whether there is
 * an offset.
 */
export function taps(u: f32, size: f32, mode: i32, shift: f32, wide: bool): f32 {
  if (mode == ADDRESS_CLAMP) {
    const x = u * size + shift;
    const raised: f32 = 0 < x ? x : 0;
    const last = size - 1;
    return raised < last ? raised : last;
  }
  if (mode == ADDRESS_REPEAT) {
    const x = orZero(u - floor<f32>(u)) * size + shift;
    return wide ? x - size * floor<f32>(x / size) : x;
  }
  const period = size + size;
  const x = orZero(u - <f32>2 * floor<f32>(u * <f32>0.5)) * size + shift;
  return wide ? x - period * floor<f32>(x / period) : x;
}

function mirrored(i: i32, size: i32): i32 {
  return max<i32>(min<i32>(i, 2 * size - 1 - i), 0);
}

/** Index of the texel at or before a position, from floor(position). */
export function firstIndex(i: i32, size: i32, mode: i32): i32 {
  if (mode == ADDRESS_CLAMP) return i;
  // −1 is the largest u32, which the minimum maps to the last texel.
  if (mode == ADDRESS_REPEAT) return min<u32>(i, size - 1);
  return mirrored(i, size);
}

/** Index of the texel after it. */
export function secondIndex(i: i32, size: i32, mode: i32): i32 {
  if (mode == ADDRESS_CLAMP) return min<i32>(i + 1, size - 1);
  if (mode == ADDRESS_REPEAT) return i + 1 < size ? i + 1 : 0;
  return mirrored(i + 1, size);
}
