// Scalar twin of analysis.ts.

import { GATHERED_MASKS, GATHERED_PLACES } from '../layout/unit';
import { sameTexel } from './texel-same';

export function analysePixelScalar(gathered: usize, pixel: i32, at: usize, samples: i32, bytes: i32, coverage: i32): i32 {
  let places = 0;
  let left = coverage;
  for (let place = 0; place < samples; place++) {
    if (!((left >> place) & 1)) continue;
    let same = 0;
    for (let other = place; other < samples; other++) {
      if ((left >> other) & 1 && sameTexel(bytes, at + <usize>(other * bytes), at + <usize>(place * bytes))) same |= 1 << other;
    }
    store<u16>(gathered + (<usize>(pixel * 16 + place) << 1), same, GATHERED_MASKS);
    places |= 1 << place;
    left &= ~same;
  }
  store<u16>(gathered + (<usize>pixel << 1), places, GATHERED_PLACES);
  return popcnt(places);
}
