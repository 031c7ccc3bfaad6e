// Layers of samples (layout/tile.ts): tiles of 8 and 16 samples are taken four samples at a time.

import { CTX_LAYERS, CTX_PACKERS, CTX_SAMPLE_COUNT, CTX_UPPER_MASKS, ENTRY_MASK } from '../layout/context';
import { DRAW_SAMPLE_MASK } from '../layout/draw';
import { quadMask } from '../tile/layers';

/** The draw's sample mask for a quad: 4 bits at one sample, else 16 a layer. */
export function sampleMask(context: usize, draw: usize): u64 {
  const mask = load<i32>(draw + DRAW_SAMPLE_MASK);
  const count = load<i32>(context, CTX_SAMPLE_COUNT);
  if (count == 1) return (mask & 1) * 15;
  const samples = count == 2 ? (mask & 3) * 5 : mask & allSamples(context);
  return quadMask(samples, 0) * 0x1111;
}

/** Whether the context has more than one layer. */
// @ts-ignore: decorator
@inline
export function isLayered(context: usize): bool {
  return load<i32>(context, CTX_LAYERS) > 1;
}

/** Bit sample·1 for all samples of a pixel, as a packer of pixels has them: 1, 15 (two and four samples), 255 or 65535. */
// @ts-ignore: decorator
@inline
export function allSamples(context: usize): i32 {
  const count = load<i32>(context, CTX_SAMPLE_COUNT);
  return count == 1 ? 1 : count <= 4 ? 15 : (1 << count) - 1;
}

/** Where the masks of layers 2 and 3 of a packer's entry are. */
// @ts-ignore: decorator
@inline
export function upperMask(context: usize, entry: usize): usize {
  return context + CTX_UPPER_MASKS + ((entry - context - CTX_PACKERS) >> 2);
}

/** The samples of a quad that an entry covers, 16 bits a layer. */
// @ts-ignore: decorator
@inline
export function entryMask(context: usize, entry: usize): u64 {
  const low = <u64>load<u32>(entry, ENTRY_MASK);
  return load<i32>(context, CTX_LAYERS) > 2 ? low | <u64>load<u32>(upperMask(context, entry)) << 32 : low;
}

// @ts-ignore: decorator
@inline
export function setEntryMask(context: usize, entry: usize, mask: u64): void {
  store<u32>(entry, <u32>mask, ENTRY_MASK);
  if (load<i32>(context, CTX_LAYERS) > 2) store<u32>(upperMask(context, entry), <u32>(mask >> 32));
}

export { anyLayer, ofLayer } from '../tile/layers';
