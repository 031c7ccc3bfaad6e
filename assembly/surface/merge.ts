// Lossy storage for surfaces with a threshold: similar samples of a pixel are made equal before their tile is stored.
// Only values that are new to the surface are replaced, and only by values that do not change: those that the surface
// already holds, or the first of the new ones. A sample therefore never deviates from its assigned value by more than
// the threshold, over any number of passes.

import { Staging, Surface, TILE_BLOCKS, TILE_SHIFT } from '../layout';
import { quadX, quadY } from '../simd/positions';
import { loadTexel } from './formats';
import { pixelEqual, spreadPairs } from './plane';
import { noteReads, storedTexel } from './stored';
import { copyTexel, sameTexel } from './texel-same';

/** Merges samples in the staging's sample plane. The tile's previous contents must still be stored. */
export function mergeTile(surface: Surface, index: i32, staging: Staging): void {
  const plane = staging.plane;
  const reads = staging.reads;
  reads.surface = surface;
  reads.texels = 0;
  reads.moved = 0;
  for (let block = 0; block < TILE_BLOCKS; block++) {
    if (plane.isClear(block) || (staging.planeBlocks >> block) & 1) continue;
    spreadPairs(plane, block);
    for (let rest = load<u64>(plane.bits(block)); rest; rest &= rest - 1) {
      const pixel = (block << 6) + <i32>ctz(rest);
      if (!pixelEqual(plane.texelBytes, plane.sample(pixel), plane.layers)) mergePixel(surface, index, staging, pixel);
    }
  }
  noteReads(reads);
}

function mergePixel(surface: Surface, index: i32, staging: Staging, pixel: i32): void {
  const plane = staging.plane;
  const tile = surface.tile(index);
  const x = ((index % surface.tilesX) << TILE_SHIFT) + quadX(pixel >> 2) + (pixel & 1);
  const y = ((index / surface.tilesX) << TILE_SHIFT) + quadY(pixel >> 2) + ((pixel >> 1) & 1);
  const at = plane.sample(pixel);
  const samples = surface.samples;
  const threshold = surface.threshold;
  const words = staging.words;
  let old = 0;
  for (let sample = 0; sample < samples; sample++) {
    const texel = plane.sampleAt(at, sample);
    loadTexel(surface.format, texel, words + (sample << 4));
    if (sameTexel(plane.texelBytes, texel, storedTexel(staging.reads, tile, x, y, sample))) old |= 1 << sample;
  }
  let first = 0;
  for (let sample = 0; sample < samples; sample++) {
    if ((old >> sample) & 1) continue;
    let leader = nearest(words, old, sample, threshold);
    if (leader < 0) leader = nearest(words, first, sample, threshold);
    if (leader < 0) first |= 1 << sample;
    else copyTexel(plane.texelBytes, plane.sampleAt(at, sample), plane.sampleAt(at, leader));
  }
}

/** The first sample in `leaders` whose channels all differ by at most the threshold; −1 if there is none. */
function nearest(words: usize, leaders: i32, sample: i32, threshold: f32): i32 {
  for (let rest = leaders; rest; rest &= rest - 1) {
    const leader = ctz<i32>(rest);
    if (isNear(words + (leader << 4), words + (sample << 4), threshold)) return leader;
  }
  return -1;
}

/** Whether no channel of two decoded texels differs by more than the threshold; NaN is near nothing. */
export function isNear(a: usize, b: usize, threshold: f32): bool {
  for (let offset: usize = 0; offset < 16; offset += 4) {
    // In f64, the difference of two f32 values is not rounded down to the threshold.
    if (!(abs<f64>(<f64>load<f32>(a + offset) - <f64>load<f32>(b + offset)) <= <f64>threshold)) return false;
  }
  return true;
}
