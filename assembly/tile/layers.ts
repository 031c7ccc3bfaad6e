// Samples by layers (layout/tile.ts): a tile has one sample a pixel, or layers of four. A quad's samples are a u64, 16
// bits a layer (bit pixel·4 + sample), or at one sample four bits; a pixel's samples are a bit each.

import { BLOCK_PIXELS, Draw, LAYER_WORDS, SamplePositions, Tile, TILE_PIXELS } from '../layout';
import { repeatWords } from '../surface/texel-same';

// How the samples of a tile lie, as a type argument of who walks them: one body serves all counts.

@unmanaged export class One {
  @inline get samples(): i32 { return 1; }
  @inline get layered(): bool { return false; }
}
/** Two or four samples. */
@unmanaged export class Four {
  @inline get samples(): i32 { return 4; }
  @inline get layered(): bool { return false; }
}
/** Eight or sixteen. */
@unmanaged export class Layered {
  @inline get samples(): i32 { return 4; }
  @inline get layered(): bool { return true; }
}

/** Samples of a pixel in a layer. */
export function samplesOf<S>(): i32 { return changetype<S>(0).samples; }

/** Whether there is more than one layer. */
export function isLayered<S>(): bool { return changetype<S>(0).layered; }

/** Whether there is a layer `layer`; asked behind the first, so that one layer makes no loop. */
export function hasLayer<S>(tile: Tile, layer: i32): bool { return changetype<S>(0).layered && layer < tile.layers; }

/** SAMPLE POSITIONS of a layer. */
export function positionsOf(tile: Tile, layer: i32): SamplePositions {
  return tile.positionsOf(layer);
}

/** 16 bits of `mask`: those of a layer. */
export function ofLayer(mask: u64, layer: i32): i32 { return <i32>(mask >> <u64>(layer << 4)) & 0xffff; }

/** The samples of any layer, as one layer has them. */
export function anyLayer(mask: u64): i32 {
  const half = mask | (mask >> 32);
  return <i32>(half | (half >> 16)) & 0xffff;
}

/** Texels from a quad's first sample to that of a bit of its mask. */
export function sampleOffset(bit: i32): usize { return (bit >> 4) * (TILE_PIXELS * 4) + (bit & 15); }

/** A word to all samples of a block of a plane of words. */
export function fillBlock(tile: Tile, plane: usize, block: i32, word: u32): void {
  const bytes = (BLOCK_PIXELS * tile.layerSamples) << 2;
  const pair = <u64>word | <u64>word << 32;
  let at = plane + block * bytes;
  for (let layer = tile.layers; layer > 0; layer--) {
    repeatWords(at, pair, pair, bytes);
    at += LAYER_WORDS;
  }
}

/** All samples of a quad. */
export function quadSamples<S>(tile: Tile): u64 {
  if (isLayered<S>()) return ~(<u64>0) >> <u64>(64 - (tile.layers << 4));
  return samplesOf<S>() == 1 ? 15 : 0xffff;
}

/** What a quad's mask has of a pixel, of four samples and more. */
export function pixelMask(mask: u64, pixel: i32): i32 {
  const fours = (mask >> <u64>(pixel << 2)) & 0x000f000f000f000f;
  const pairs = (fours | (fours >> 12)) & 0x000000ff000000ff;
  return <i32>(pairs | (pairs >> 24)) & 0xffff;
}

/** A pixel's samples as a quad's mask has them. */
export function quadMask(samples: i32, pixel: i32): u64 {
  const pairs = (<u64>(samples & 0xffff) | (<u64>(samples & 0xffff) << 24)) & 0x000000ff000000ff;
  return ((pairs | (pairs << 12)) & 0x000f000f000f000f) << <u64>(pixel << 2);
}

/** The draw's sample mask for a quad: 4 bits at one sample, else 16 a layer. */
export function sampleMask(tile: Tile, draw: Draw): u64 {
  const mask = draw.sampleMask;
  const count = tile.samples;
  if (count == 1) return (mask & 1) * 15;
  const samples = count == 2 ? (mask & 3) * 5 : mask & allSamples(tile);
  return quadMask(samples, 0) * 0x1111;
}

/**
 * Bit sample·1 for all samples of a pixel, as a packer of pixels has them: 1, 15 (two and four samples), 255 or 65535.
 */
export function allSamples(tile: Tile): i32 {
  const count = tile.samples;
  return count == 1 ? 1 : count <= 4 ? 15 : (1 << count) - 1;
}
