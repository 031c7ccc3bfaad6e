// Scalar twin of analysis.ts.

import { Gathered } from '../layout';
import { sameTexel } from './texel-same';

export function analysePixelScalar(
  gathered: Gathered, pixel: i32, at: usize, samples: i32, bytes: i32, coverage: i32
): i32 {
  let slots = 0;
  let left = coverage;
  for (let slot = 0; slot < samples; slot++) {
    if (!((left >> slot) & 1)) continue;
    let same = 0;
    for (let other = slot; other < samples; other++) {
      if ((left >> other) & 1 && sameTexel(bytes, at + other * bytes, at + slot * bytes)) same |= 1 << other;
    }
    store<u16>(gathered.masks + ((pixel * 16 + slot) << 1), same);
    slots |= 1 << slot;
    left &= ~same;
  }
  store<u16>(gathered.slots + (pixel << 1), slots);
  return popcnt(slots);
}
