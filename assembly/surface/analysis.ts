// Joins the equal samples of gathered pixels (layout/unit.ts). Scalar twin: analysis.scalar.ts.

import { GATHERED_MASKS, GATHERED_PLACES } from '../layout/unit';
import { layersOf } from '../simd/positions';
import { sampleAt, samplesWith } from './compare';

/**
 * Joins the equal ones of a gathered pixel's samples, of which `coverage` are at `at`, each at its place: writes the places and masks of the entries
 * that are left. Returns how many.
 */
export function analysePixel(gathered: usize, pixel: i32, at: usize, samples: i32, bytes: i32, coverage: i32): i32 {
  const stride = <usize>(bytes << 2);
  let places = 0;
  for (let left = coverage; left;) {
    const place = ctz(left);
    const same = left & samplesWith(bytes, at, stride, layersOf(samples), sampleAt(bytes, at, stride, place));
    store<u16>(gathered + (<usize>(pixel * 16 + place) << 1), same, GATHERED_MASKS);
    places |= 1 << place;
    left &= ~same;
  }
  store<u16>(gathered + (<usize>pixel << 1), places, GATHERED_PLACES);
  return popcnt(places);
}
