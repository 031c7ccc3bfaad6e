// Scalar twin of compare.ts.

import { TOO_MANY } from './compare';
import { sameTexel } from './texel-same';

export function equalScalar(bytes: i32, at: usize, stride: usize, layers: i32, sample: i32): i32 {
  const texel = at + <usize>(sample >> 2) * stride + <usize>((sample & 3) * bytes);
  let mask = 0;
  for (let other = 0; other < layers << 2; other++) {
    if (sameTexel(bytes, at + <usize>(other >> 2) * stride + <usize>((other & 3) * bytes), texel)) mask |= 1 << other;
  }
  return mask;
}

export function analyseScalar(bytes: i32, at: usize, stride: usize, layers: i32, all: i32, several: u64, limit: i32, found: usize): i32 {
  let mixed: u64 = 0;
  let count = 0;
  for (let rest = several; rest; rest &= rest - 1) {
    const pixel = ctz<u64>(rest);
    const texels = at + (<usize>pixel << 2) * <usize>bytes;
    let left = all & ~equalScalar(bytes, texels, stride, layers, 0);
    if (!left) continue;
    mixed |= <u64>1 << pixel;
    do {
      if (++count > limit) return TOO_MANY;
      left &= ~equalScalar(bytes, texels, stride, layers, ctz<i32>(left));
    } while (left);
  }
  store<u64>(found, mixed);
  return count;
}
