// Scalar twin of slices.ts: the definition, step by step.

import { ShadingRates } from '../../layout';

/** The slice of the depth table that contains a depth, or -1 if it is outside or NaN. */
export function sliceScalar(rates: ShadingRates, z: f32): i32 {
  if (!(z >= rates.low && z <= rates.high)) return -1;
  const along: f32 = z * rates.direction;
  let slice = 0;
  let start: usize = rates.sliceStarts;
  for (const end = start + ((rates.slices - 1) << 2); start < end; start += 4) slice += i32(along >= load<f32>(start));
  return slice;
}

export function shadingRateSlicesScalar(rates: ShadingRates, depths: usize, out: usize, count: i32): void {
  for (let i: usize = 0; i < <usize>count; i++)
    store<i32>(out + (i << 2), sliceScalar(rates, load<f32>(depths + (i << 2))));
}
