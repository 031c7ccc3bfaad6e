// Joins the equal samples of gathered pixels (layout/load-store-unit.ts). Scalar twin: analysis.scalar.ts.

import { Gathered } from '../layout';
import { layersOf } from '../simd/positions';
import { samplesWith } from './compare';
import { sampleAt } from './samples';

/**
 * Joins the equal ones of a gathered pixel's samples, of which `coverage` are at `at`, each at its slot: writes the
 * slots and masks of the entries that are left. Returns how many.
 */
export function analysePixel(gathered: Gathered, pixel: i32, at: usize, samples: i32, bytes: i32, coverage: i32): i32 {
  const stride = bytes << 2;
  let slots = 0;
  for (let left = coverage; left;) {
    const slot = ctz(left);
    const same = bytes == 16
      ? sameWide(at, left)
      : left & samplesWith(bytes, at, stride, layersOf(samples), sampleAt(bytes, at, stride, slot));
    store<u16>(gathered.masks + ((pixel * 16 + slot) << 1), same);
    slots |= 1 << slot;
    left &= ~same;
  }
  store<u16>(gathered.slots + (pixel << 1), slots);
  return popcnt(slots);
}

/**
 * Those of the samples `left`, of sixteen bytes each at its slot, that hold what the first of them holds: one compare
 * each, so none where none is left.
 */
function sameWide(at: usize, left: i32): i32 {
  const texel = v128.load(at + (ctz(left) << 4));
  let same = left & -left;
  for (let others = left & (left - 1); others; others &= others - 1) {
    same |= <i32>v128.any_true(v128.xor(v128.load(at + (ctz(others) << 4)), texel)) ? 0 : others & -others;
  }
  return same;
}
