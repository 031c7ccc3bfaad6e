// Scalar twin of compare.ts, and what both share.

import { BLOCK_PIXELS, LAYER_WORDS } from '../layout';
import { sameTexel } from './texel-same';

/** The block has more additional values than the limit, or appears to have. */
export const TOO_MANY = -1;

/** Address of a sample of the pixel at `at`; `stride` is the distance between layers of four samples. */
export function sampleAt(bytes: i32, at: usize, stride: usize, sample: i32): usize {
  return at + (sample >> 2) * stride + (sample & 3) * bytes;
}

export function samplesWithScalar(bytes: i32, at: usize, stride: usize, layers: i32, texel: usize): i32 {
  let mask = 0;
  for (let other = 0; other < layers << 2; other++) {
    if (sameTexel(bytes, sampleAt(bytes, at, stride, other), texel)) mask |= 1 << other;
  }
  return mask;
}

export function mixedWordsScalar(at: usize, layers: i32, limit: i32, found: usize): i32 {
  let count = 0;
  let bits: u64 = 0;
  for (let pixel: u64 = 0; pixel < <u64>BLOCK_PIXELS; pixel++) {
    const first = load<u32>(at);
    let other: u32 = 0;
    for (let sample = 1; sample < layers << 2; sample++)
      other |= first ^ load<u32>(at + (sample >> 2) * LAYER_WORDS + ((sample & 3) << 2));
    const mixed = <u64>(other != 0);
    bits |= mixed << pixel;
    count += <i32>mixed;
    if (count > limit) return TOO_MANY;
    at += 16;
  }
  store<u64>(found, bits);
  return count;
}
