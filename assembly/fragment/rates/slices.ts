// Maps depths to slices of a depth table, four at a time, by counting the slices that begin at or before a depth. The
// starts are computed exactly when the record is written, so no rounding decides a slice. A multiply-add with rounded
// factors, as in hardware, is wrong at one exact boundary in ten. Scalar twin: slices.scalar.ts.

import { ShadingRates } from '../../layout';
import { shadingRateSlicesScalar } from './slices.scalar';

/** Writes the slices of `count` depths (a multiple of four), as defined by sliceScalar. */
export function shadingRateSlices(rates: ShadingRates, depths: usize, out: usize, count: i32): void {
  if (ASC_FEATURE_SIMD) {
    const end = depths + ((<usize>count) << 2);
    for (; depths < end; depths += 16, out += 16) v128.store(out, slicesOf(rates, v128.load(depths)));
  } else {
    shadingRateSlicesScalar(rates, depths, out, count);
  }
}

/** Slices of four depths, -1 for those outside. */
export function slicesOf(rates: ShadingRates, z: v128): v128 {
  const inside = v128.and(f32x4.ge(z, f32x4.splat(rates.low)), f32x4.le(z, f32x4.splat(rates.high)));
  const along = f32x4.mul(z, f32x4.splat(rates.direction));
  let slice = i32x4.splat(0);
  let start: usize = rates.sliceStarts;
  for (const end = start + ((rates.slices - 1) << 2); start < end; start += 4)
    slice = i32x4.sub(slice, f32x4.ge(along, v128.load32_splat(start)));
  return v128.or(slice, v128.not(inside));
}
