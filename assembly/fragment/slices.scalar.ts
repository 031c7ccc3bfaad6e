// Scalar twin of slices.ts: the definition, step by step.

import { ShadingRates, SLICE_NEAREST } from '../layout';

/** slices · 2^-149. */
export function nearestScale(slices: i32): f32 { return reinterpret<f32>(slices); }

/** The slice of the depth table in which a depth lies; -1: outside, or NaN. */
export function sliceScalar(rates: ShadingRates, z: f32): i32 {
  if (!(z >= rates.low && z <= rates.high)) return -1;
  const count = rates.slices;
  const along: f32 = z * rates.a - rates.b;
  const index = rates.rounding == SLICE_NEAREST
    ? reinterpret<i32>(along * nearestScale(count))
    : <i32>floor<f32>(along * <f32>count);
  return max<i32>(0, min<i32>(index, count - 1));
}

export function shadingRateSlicesScalar(rates: ShadingRates, depths: usize, out: usize, count: i32): void {
  for (let i: usize = 0; i < <usize>count; i++)
    store<i32>(out + (i << 2), sliceScalar(rates, load<f32>(depths + (i << 2))));
}
