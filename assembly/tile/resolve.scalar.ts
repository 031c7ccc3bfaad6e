// Scalar twin of resolve.ts, and the resolve of one pixel in any format, which both builds share.

import { bytesOfLayer, Plane } from '../layout';
import { layersOf } from '../simd/positions';
import { loadTexel, storeTexel } from '../surface/formats';
import { pixelEqual } from '../surface/plane';
import { copyTexel } from '../surface/texel-same';

export function meansRgba8Scalar(from: usize, to: usize, perSample: usize, layers: i32): void {
  const shift = 2 + (layers >> 1);
  for (let rest = load<u64>(perSample); rest; rest &= rest - 1) {
    const pixel = (<usize>ctz(rest)) << 2;
    for (let channel: usize = 0; channel < 4; channel++) {
      let sum = (1 << shift) >> 1;
      for (let layer = 0; layer < layers; layer++) {
        const at = from + (pixel << 2) + channel + layer * bytesOfLayer(4);
        sum += load<u8>(at) + load<u8>(at, 4) + load<u8>(at, 8) + load<u8>(at, 12);
      }
      store<u8>(to + pixel + channel, sum >> shift);
    }
  }
}

export function meansOfPairsScalar(plane: Plane, block: i32, pairs: u64, samples: i32): void {
  for (let rest = pairs; rest; rest &= rest - 1) {
    const pixel = (block << 6) + <i32>ctz(rest);
    const first = plane.texel(pixel);
    const second = plane.second(pixel);
    const count = <u32>popcnt<u32>(load<u16>(plane.maskAt(pixel)));
    for (let channel: usize = 0; channel < 4; channel++) {
      const sum = load<u8>(first + channel) * (samples - count) + load<u8>(second + channel) * count;
      store<u8>(first + channel, (sum + (samples >> 1)) >> ctz(samples));
    }
  }
}

/**
 * Writes the mean of the `count` samples (layout/tile/tile.ts) of a pixel to `to`. `texels` is the address of the first
 * layer's texels; `scratch` has 32 bytes.
 */
export function resolvePixel(format: i32, bytes: i32, texels: usize, to: usize, scratch: usize, count: i32): void {
  if (pixelEqual(bytes, texels, layersOf(count))) {
    copyTexel(bytes, to, texels);
    return;
  }
  const sum = scratch + 16;
  const scale: f32 = 1 / <f32>count;
  loadTexel(format, texels, sum);
  for (let sample = 1; sample < count; sample++) {
    loadTexel(format, texels + (sample >> 2) * bytesOfLayer(bytes) + (sample & 3) * bytes, scratch);
    for (let offset: usize = 0; offset < 16; offset += 4)
      store<f32>(sum + offset, load<f32>(sum + offset) + load<f32>(scratch + offset));
  }
  for (let offset: usize = 0; offset < 16; offset += 4) store<f32>(sum + offset, load<f32>(sum + offset) * scale);
  storeTexel(format, to, sum);
}
