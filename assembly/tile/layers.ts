// Samples and layers (layout/tile/tile.ts): a tile has one sample per pixel, or layers of four. The samples of a quad
// are a u64 with 16 bits per layer (bit pixel·4 + sample), or four bits at one sample. The samples of a pixel have one
// bit each.

import { BLOCK_PIXELS, Draw, LAYER_WORDS, SamplePositions, Tile, TILE_PIXELS } from '../layout';
import { repeatWords } from '../surface/texel-same';

// Sample arrangements of a tile, passed as type arguments, so that one implementation serves all sample counts.

@unmanaged export class One {

  @inline get samples(): i32 {
    return 1;
  }


  @inline get layered(): bool {
    return false;
  }
}
/** Two or four samples. */
@unmanaged export class Four {

  @inline get samples(): i32 {
    return 4;
  }


  @inline get layered(): bool {
    return false;
  }
}
/** Eight or sixteen samples. */
@unmanaged export class Layered {

  @inline get samples(): i32 {
    return 4;
  }


  @inline get layered(): bool {
    return true;
  }
}

/** Samples of a pixel per layer. */
export function samplesOf<S>(): i32 {
  return changetype<S>(0).samples;
}

/** Whether there is more than one layer. */
export function isLayered<S>(): bool {
  return changetype<S>(0).layered;
}

/** Whether layer `layer` exists. Checked after the first layer, so that a single layer makes no loop. */
export function hasLayer<S>(tile: Tile, layer: i32): bool {
  return changetype<S>(0).layered && layer < tile.layers;
}

/** SAMPLE POSITIONS of a layer. */
export function positionsOf(tile: Tile, layer: i32): SamplePositions {
  return tile.positionsOf(layer);
}

/** The 16 bits of `mask` that belong to a layer. */
export function ofLayer(mask: u64, layer: i32): i32 {
  return (<i32>(mask >> (<u64>(layer << 4)))) & 0xffff;
}

/** The OR of all layers, in the format of one layer. */
export function anyLayer(mask: u64): i32 {
  const half = mask | (mask >> 32);
  return (<i32>(half | (half >> 16))) & 0xffff;
}

/** Offset in texels from a quad's first sample to the sample of a bit of its mask. */
export function sampleOffset(bit: i32): usize {
  return (bit >> 4) * (TILE_PIXELS * 4) + (bit & 15);
}

/** Writes a word to all samples of a block, in a plane of words. */
export function fillBlock(tile: Tile, plane: usize, block: i32, word: u32): void {
  const bytes = (BLOCK_PIXELS * tile.layerSamples) << 2;
  const pair = (<u64>word) | ((<u64>word) << 32);
  let at = plane + block * bytes;
  for (let layer = tile.layers; layer > 0; layer--) {
    repeatWords(at, pair, pair, bytes);
    at += LAYER_WORDS;
  }
}

/** All samples of a quad. */
export function quadSamples<S>(tile: Tile): u64 {
  if (isLayered<S>()) return ~(<u64>0) >> (<u64>(64 - (tile.layers << 4)));
  return samplesOf<S>() == 1 ? 15 : 0xffff;
}

/** All samples of a quad, for any sample count. */
export function wholeQuad(tile: Tile): u64 {
  return tile.samples == 1 ? 15 : ~(<u64>0) >> (<u64>(64 - (tile.layers << 4)));
}

/** All samples of some pixels of a quad (4 bits). Bits of layers that the tile lacks may be set. */
export function samplesOfPixels(pixels: i32, count: i32): u64 {
  if (count == 1) return pixels;
  const first = (pixels | (pixels << 3) | (pixels << 6) | (pixels << 9)) & 0x1111;
  return <u64>(first * 15) * 0x0001000100010001;
}

/** One of `count` samples in all pixels of a quad. At two samples, each stands for two of its layer's four. */
export function bitsOfSample(count: i32, sample: i32): u64 {
  return count == 2 ? <u64>(0x5555 << sample) : (<u64>(0x1111 << (sample & 3))) << u64((sample >> 2) << 4);
}

/** The samples of one pixel in a quad's mask, one bit for each of `count` samples. */
export function pixelSamples(mask: u64, pixel: i32, count: i32): i32 {
  return count == 1 ? (<i32>(mask >> (<u64>pixel))) & 1 : pixelMask(mask, pixel) & ((1 << count) - 1);
}

/** pixelSamples for all four pixels. */
export function lanesOfSamples(mask: u64, count: i32): v128 {
  if (count == 1) return v128.and(shifted(i32x4.splat(<i32>mask), i32x4(8, 4, 2, 1), 3), i32x4.splat(1));
  const shifts = i32x4(0x1000, 0x100, 0x10, 1);
  const four = i32x4.splat(15);
  let lanes = v128.and(shifted(i32x4.splat(ofLayer(mask, 0)), shifts, 12), i32x4.splat(count == 2 ? 3 : 15));
  for (let layer = 1; layer << 2 < count; layer++) {
    const samples = v128.and(shifted(i32x4.splat(ofLayer(mask, layer)), shifts, 12), four);
    lanes = v128.or(lanes, i32x4.shl(samples, layer << 2));
  }
  return lanes;
}

/** Shifts each lane by a different amount: multiplies the lanes by powers of two, then shifts all of them right. */
function shifted(lanes: v128, left: v128, right: i32): v128 {
  return i32x4.shr_u(i32x4.mul(lanes, left), right);
}

/** The samples of one pixel in a quad's mask, for four samples and more. */
export function pixelMask(mask: u64, pixel: i32): i32 {
  const fours = (mask >> (<u64>(pixel << 2))) & 0x000f000f000f000f;
  const pairs = (fours | (fours >> 12)) & 0x000000ff000000ff;
  return (<i32>(pairs | (pairs >> 24))) & 0xffff;
}

/** A pixel's samples in the format of a quad's mask. */
export function quadMask(samples: i32, pixel: i32): u64 {
  const pairs = ((<u64>(samples & 0xffff)) | ((<u64>(samples & 0xffff)) << 24)) & 0x000000ff000000ff;
  return ((pairs | (pairs << 12)) & 0x000f000f000f000f) << u64(pixel << 2);
}

/** The draw call's sample mask for a quad: 4 bits at one sample, else 16 per layer. */
export function sampleMask(tile: Tile, draw: Draw): u64 {
  const mask = draw.sampleMask;
  const count = tile.samples;
  if (count == 1) return (mask & 1) * 15;
  const samples = count == 2 ? (mask & 3) * 5 : mask & allSamples(tile);
  return quadMask(samples, 0) * 0x1111;
}

/**
 * All samples of a pixel, one bit each, in the format of a packer of pixels: 1, 15 (two and four samples), 255 or
 * 65535.
 */
export function allSamples(tile: Tile): i32 {
  const count = tile.samples;
  return count == 1 ? 1 : count <= 4 ? 15 : (1 << count) - 1;
}
