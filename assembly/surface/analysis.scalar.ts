// Scalar twin of analysis.ts.

import { Gathered } from '../layout';
import { sameTexel } from './texel-same';

export function analysePixelScalar(gathered: Gathered, pixel: i32, at: usize, samples: i32, bytes: i32, coverage: i32): i32 {
  let places = 0;
  let left = coverage;
  for (let place = 0; place < samples; place++) {
    if (!((left >> place) & 1)) continue;
    let same = 0;
    for (let other = place; other < samples; other++) {
      if ((left >> other) & 1 && sameTexel(bytes, at + <usize>(other * bytes), at + <usize>(place * bytes))) same |= 1 << other;
    }
    store<u16>(gathered.masks + (<usize>(pixel * 16 + place) << 1), same);
    places |= 1 << place;
    left &= ~same;
  }
  store<u16>(gathered.slots + (<usize>pixel << 1), places);
  return popcnt(places);
}
