// Layers of samples (layout/tile.ts): tiles of 8 and 16 samples are taken four samples at a time.

import { Draw } from '../layout/draw';
import { Tile } from '../layout/tile';
import { quadMask } from '../tile/layers';

/** The draw's sample mask for a quad: 4 bits at one sample, else 16 a layer. */
export function sampleMask(context: Tile, draw: Draw): u64 {
  const mask = draw.sampleMask;
  const count = context.samples;
  if (count == 1) return (mask & 1) * 15;
  const samples = count == 2 ? (mask & 3) * 5 : mask & allSamples(context);
  return quadMask(samples, 0) * 0x1111;
}

/** Whether the context has more than one layer. */
// @ts-ignore: decorator
@inline
export function isLayered(context: Tile): bool {
  return context.layers > 1;
}

/** Bit sample·1 for all samples of a pixel, as a packer of pixels has them: 1, 15 (two and four samples), 255 or 65535. */
// @ts-ignore: decorator
@inline
export function allSamples(context: Tile): i32 {
  const count = context.samples;
  return count == 1 ? 1 : count <= 4 ? 15 : (1 << count) - 1;
}

export { anyLayer, ofLayer } from '../tile/layers';
