// Scalar twin of compare.ts.

import { BLOCK_PIXELS, LAYER_WORDS } from '../layout';
import { HOPELESS_PIXELS, hopelessCount, sampleAt, TOO_MANY } from './compare';
import { sameTexel } from './texel-same';

export function samplesWithScalar(bytes: i32, at: usize, stride: usize, layers: i32, texel: usize): i32 {
  let mask = 0;
  for (let other = 0; other < layers << 2; other++) {
    if (sameTexel(bytes, sampleAt(bytes, at, stride, other), texel)) mask |= 1 << other;
  }
  return mask;
}

export function analyseScalar(bytes: i32, at: usize, stride: usize, layers: i32, all: i32, several: u64, limit: i32, found: usize): i32 {
  const hopeless = hopelessCount(all, several, limit);
  let mixed: u64 = 0;
  let count = 0;
  let seen = 0;
  for (let rest = several; rest; rest &= rest - 1) {
    const pixel = ctz<u64>(rest);
    const texels = at + (<usize>pixel << 2) * <usize>bytes;
    let left = all & ~samplesWithScalar(bytes, texels, stride, layers, texels);
    seen++;
    if (!left) continue;
    mixed |= <u64>1 << pixel;
    do {
      if (++count > limit) return TOO_MANY;
      left &= ~samplesWithScalar(bytes, texels, stride, layers, sampleAt(bytes, texels, stride, ctz<i32>(left)));
    } while (left);
    if (seen == HOPELESS_PIXELS && count == hopeless) return TOO_MANY;
  }
  store<u64>(found, mixed);
  return count;
}

export function mixedWordsScalar(at: usize, layers: i32, limit: i32, found: usize): i32 {
  let count = 0;
  let bits: u64 = 0;
  for (let pixel: u64 = 0; pixel < <u64>BLOCK_PIXELS; pixel++) {
    const first = load<u32>(at);
    let other: u32 = 0;
    for (let sample = 1; sample < layers << 2; sample++) other |= first ^ load<u32>(at + <usize>(sample >> 2) * LAYER_WORDS + (<usize>(sample & 3) << 2));
    const mixed = <u64>(other != 0);
    bits |= mixed << pixel;
    count += <i32>mixed;
    if (count > limit) return TOO_MANY;
    at += 16;
  }
  store<u64>(found, bits);
  return count;
}
