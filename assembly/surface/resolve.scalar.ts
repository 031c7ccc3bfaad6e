// Scalar twin of resolve.ts, and the resolve of one pixel of any format, which both builds share.

import { loadTexel, storeTexel } from './texel';
import { pixelIndex } from './tile';

export function resolveRgba8Scalar(from: usize, corner: usize, rowBytes: u32, width: i32, height: i32): void {
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const texels = from + (<usize>pixelIndex(x, y) << 4);
      const to = corner + <usize>y * rowBytes + (<usize>x << 2);
      for (let channel: usize = 0; channel < 4; channel++) {
        const at = texels + channel;
        const sum = <i32>load<u8>(at) + <i32>load<u8>(at, 4) + <i32>load<u8>(at, 8) + <i32>load<u8>(at, 12);
        store<u8>(to + channel, (sum + 2) >> 2);
      }
    }
  }
}

/** Mean of the four texels at `texels`, stored at `to`. `scratch`: 32 bytes. */
export function resolvePixel(format: i32, bytes: i32, texels: usize, to: usize, scratch: usize): void {
  const size = <usize>bytes;
  if (memory.compare(texels, texels + size, size) == 0
    && memory.compare(texels, texels + 2 * size, size) == 0 && memory.compare(texels, texels + 3 * size, size) == 0) {
    memory.copy(to, texels, size);
    return;
  }
  const sum = scratch + 16;
  loadTexel(format, texels, sum);
  for (let sample: usize = 1; sample < 4; sample++) {
    loadTexel(format, texels + sample * size, scratch);
    for (let offset: usize = 0; offset < 16; offset += 4) store<f32>(sum + offset, load<f32>(sum + offset) + load<f32>(scratch + offset));
  }
  for (let offset: usize = 0; offset < 16; offset += 4) store<f32>(sum + offset, load<f32>(sum + offset) * 0.25);
  storeTexel(format, to, sum);
}
