// From a depth to its slice of a depth table, four at a time: one multiply, one subtract, one scale. Scalar twin:
// slices.scalar.ts.
//
// The reference scales by 2^(-149 + log2 slices), so that the bits of the denormal that comes out are the number of the
// slice, rounded to nearest: SLICE_NEAREST.

import { ShadingRates, SLICE_NEAREST } from '../layout';
import { nearestScale, shadingRateSlicesScalar } from './slices.scalar';

/** Writes the slices of `count` depths (a multiple of four), as sliceScalar defines them. */
export function shadingRateSlices(rates: ShadingRates, depths: usize, out: usize, count: i32): void {
  if (ASC_FEATURE_SIMD) {
    const end = depths + (<usize>count << 2);
    for (; depths < end; depths += 16, out += 16) v128.store(out, slicesOf(rates, v128.load(depths)));
  } else {
    shadingRateSlicesScalar(rates, depths, out, count);
  }
}

/** Slices of four depths, -1 where they are outside. */
export function slicesOf(rates: ShadingRates, z: v128): v128 {
  const inside = v128.and(f32x4.ge(z, f32x4.splat(rates.low)), f32x4.le(z, f32x4.splat(rates.high)));
  const count = rates.slices;
  const along = f32x4.sub(f32x4.mul(z, f32x4.splat(rates.a)), f32x4.splat(rates.b));
  const index = rates.rounding == SLICE_NEAREST
    ? f32x4.mul(along, f32x4.splat(nearestScale(count)))
    : i32x4.trunc_sat_f32x4_s(f32x4.floor(f32x4.mul(along, f32x4.splat(<f32>count))));
  const limited = i32x4.max_s(i32x4.splat(0), i32x4.min_s(index, i32x4.splat(count - 1)));
  return v128.or(limited, v128.not(inside));
}
