// Layers of samples (layout/tile.ts): tiles of 8 and 16 samples are taken four samples at a time.

import {
  CTX_DEPTH, CTX_DRAW, CTX_IDS, CTX_LAYER, CTX_LAYERS, CTX_POSITIONS_OF_LAYERS, CTX_SAMPLE_COUNT, CTX_SAMPLE_MASK, CTX_SAMPLE_X, CTX_STENCIL,
  CTX_PACKERS, CTX_UPPER_MASKS, ENTRY_MASK, SAMPLES_SHIFT,
} from '../layout/context';
import { DRAW_SAMPLE_MASK } from '../layout/draw';
import { TILE_PIXELS } from '../layout/tile';

/** Has the context's fields of ids, depth, stencil, sample positions and sample mask speak of `layer`. Whoever binds another layer than 0 binds 0 again. */
// @ts-ignore: decorator
@inline
export function bindLayer(context: usize, layer: i32): void {
  if (load<i32>(context, CTX_LAYER) != layer) bind(context, layer);
}

function bind(context: usize, layer: i32): void {
  const texels = <usize>((layer - load<i32>(context, CTX_LAYER)) * TILE_PIXELS * 4);
  store<i32>(context, layer, CTX_LAYER);
  movePlane(context + CTX_IDS, texels << 2);
  movePlane(context + CTX_DEPTH, texels << 2);
  movePlane(context + CTX_STENCIL, texels);
  const from = context + CTX_POSITIONS_OF_LAYERS + (<usize>layer << SAMPLES_SHIFT);
  if (ASC_FEATURE_SIMD) {
    v128.store(context, v128.load(from), CTX_SAMPLE_X);
    v128.store(context, v128.load(from, 16), CTX_SAMPLE_X + 16);
    v128.store(context, v128.load(from, 32), CTX_SAMPLE_X + 32);
    v128.store(context, v128.load(from, 48), CTX_SAMPLE_X + 48);
  } else {
    for (let offset: usize = 0; offset < 1 << SAMPLES_SHIFT; offset += 8) store<u64>(context + offset, load<u64>(from + offset), CTX_SAMPLE_X);
  }
  const draw: usize = load<usize>(context + CTX_DRAW);
  if (draw) store<i32>(context, sampleMask(context, draw), CTX_SAMPLE_MASK);
}

// @ts-ignore: decorator
@inline
function movePlane(field: usize, bytes: usize): void {
  const plane: usize = load<usize>(field);
  if (plane) store<u32>(field, <u32>(plane + bytes));
}

/** The draw's sample mask for a quad, of the layer bound: 4 bits at one sample, else 16. */
export function sampleMask(context: usize, draw: usize): i32 {
  const mask = load<i32>(draw + DRAW_SAMPLE_MASK);
  const count = load<i32>(context, CTX_SAMPLE_COUNT);
  if (count == 1) return (mask & 1) * 15;
  if (count == 2) return (mask & 3) * 0x5555;
  return ((mask >> (load<i32>(context, CTX_LAYER) << 2)) & 15) * 0x1111;
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

/** 16 bits of `mask`: those of a layer. */
// @ts-ignore: decorator
@inline
export function ofLayer(mask: u64, layer: i32): i32 {
  return <i32>(mask >> <u64>(layer << 4)) & 0xffff;
}

/** The samples of any layer, as one layer has them. */
// @ts-ignore: decorator
@inline
export function anyLayer(mask: u64): i32 {
  const half = mask | (mask >> 32);
  return <i32>(half | (half >> 16)) & 0xffff;
}
