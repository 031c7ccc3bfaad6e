// Tests of one small triangle (at most 4×4 pixels) in one tile, for deferred and depth-only draw calls. Its coverage is
// in its record, so it needs no work items: depths and ids change pixel by pixel, directly in the planes.

import { EARLY_DEPTH, LAYER_WORDS, MODE_DEFERRED, SAMPLE1, Tile, Triangle } from '../layout';
import { anyTrue, madd } from '../simd/lanes';
import { pixelAt, samplesX, samplesY } from '../simd/positions';
import { lanesOf } from '../simd/texels';
import { loosenDepth, expandDepth, widenDepthTo } from '../tile/depth-blocks';
import { compareDepthScalar } from '../tile/depth-compare';
import { limitDepth } from '../tile/depth-plane';
import { limitDepthScalar } from '../surface/depth-planes';
import { hasLayer, ofLayer, positionsOf, samplesOf } from '../tile/layers';
import { addPending, countQuads, expandIds } from '../tile/pending';
import { coverOf } from '../tile/small-cover';
import { visiblePixel4 } from './visible';

/** Tests all samples of a triangle with TRI_FLAG_SMALL. Only for draw calls whose blocks can be taken as a whole. */
export function acceptSmall<S>(tile: Tile, triangle: Triangle): void {
  const x = triangle.minX - tile.x;
  const y = triangle.minY - tile.y;
  const selected = tile.sampleMask;
  let quads = 0;
  let layer = 0;
  do {
    if (ofLayer(selected, layer)) quads |= smallLayer<S>(tile, triangle, layer, x, y);
  } while (hasLayer<S>(tile, ++layer));
  countQuads(tile, popcnt(quads & 0xffff), popcnt(quads & ~(quads >> 16) & 0xffff));
}

/**
 * Processes the pixels that a small triangle covers in a layer. Returns the touched quads of up to nine and, from bit
 * 16 on, those that have a passing sample.
 */
// @ts-ignore: decorator
@inline
function smallLayer<S>(tile: Tile, triangle: Triangle, layer: i32, x: i32, y: i32): i32 {
  if (ASC_FEATURE_SIMD) {
    if (samplesOf<S>() != 1 && tile.defersLess) return commonPixels4(tile, triangle, layer, x, y);
  }
  return smallPixels<S>(tile, triangle, layer, x, y);
}

/**
 * smallPixels at four samples for the common draw call (Tile.defersLess). Work that is the same for all pixels, or for
 * all pixels of a block, is done once.
 */
function commonPixels4(tile: Tile, triangle: Triangle, layer: i32, x: i32, y: i32): i32 {
  const positions = positionsOf(tile, layer);
  const id = i32x4.splat(changetype<usize>(triangle));
  const c = f32x4.splat(triangle.z);
  const dx = f32x4.splat(triangle.zDx);
  const dy = f32x4.splat(triangle.zDy);
  const x0 = f32x4.splat(triangle.x0);
  const y0 = f32x4.splat(triangle.y0);
  const least = f32x4.splat(triangle.zMin);
  const most = f32x4.splat(triangle.zMax);
  const depth: usize = tile.depth + layer * LAYER_WORDS;
  const ids: usize = tile.ids + layer * LAYER_WORDS;
  const tileX = tile.x;
  const tileY = tile.y;
  const mask = ofLayer(tile.sampleMask, layer) & 15;
  let cover = coverOf(triangle, layer);
  const firstQuad = (x >> 1) + 3 * (y >> 1);
  let met = 0;
  let passed = 0;
  let block = -1;
  let pending = 0;
  while (cover) {
    const pixel = (<i32>ctz(cover)) >> 2;
    const bits = (<i32>(cover >> ((<u64>pixel) << 2))) & 15;
    cover &= ~((<u64>15) << ((<u64>pixel) << 2));
    const px = x + (pixel & 3);
    const py = y + (pixel >> 2);
    if ((px | py) & ~63) continue;
    const quad = 1 << ((px >> 1) + 3 * (py >> 1) - firstQuad);
    met |= quad;
    const at = pixelAt(px, py);
    if (at >> 6 != block) {
      if (pending) notePixels(tile, block, pending);
      block = at >> 6;
      pending = 0;
      expandDepth(tile, block);
      expandIds(tile, block);
    }
    const z = limitDepth(
      f32x4.add(
        madd(dx, f32x4.sub(samplesX(positions, tileX + px), x0), c),
        f32x4.mul(dy, f32x4.sub(samplesY(positions, tileY + py), y0))
      ),
      least,
      most,
      0
    );
    const stored = depth + (at << 4);
    const before = v128.load(stored);
    const lanes = v128.and(f32x4.lt(z, before), lanesOf(bits & mask));
    if (!anyTrue(lanes)) continue;
    const noted = ids + (at << 4);
    v128.store(stored, v128.bitselect(z, before, lanes));
    v128.store(noted, v128.bitselect(id, v128.load(noted), lanes));
    pending |= 1 << ((at >> 2) & 15);
    passed |= quad;
  }
  if (pending) notePixels(tile, block, pending);
  return met | (passed << 16);
}

/** Updates the block after depths and ids of some of its quads were written pixel by pixel. */
function notePixels(tile: Tile, block: i32, quads: i32): void {
  loosenDepth(tile, block, popcnt(quads) << 1);
  addPending(tile, block, quads);
}

/** Processes the covered pixels one by one. Returns their quads, as smallLayer. */
function smallPixels<S>(tile: Tile, triangle: Triangle, layer: i32, x: i32, y: i32): i32 {
  const samples = samplesOf<S>();
  const mask = samples == 1 ? 1 : ofLayer(tile.sampleMask, layer) & 15;
  let cover = coverOf(triangle, layer);
  // One bit for each of the up to nine quads that contain the pixels.
  const firstQuad = (x >> 1) + 3 * (y >> 1);
  let met = 0;
  let passed = 0;
  while (cover) {
    const bit = <i32>ctz(cover);
    const pixel = samples == 1 ? bit : bit >> 2;
    const bits = samples == 1 ? 1 : (<i32>(cover >> ((<u64>pixel) << 2))) & 15;
    cover &= ~((<u64>bits) << (samples == 1 ? <u64>bit : (<u64>pixel) << 2));
    const px = x + (pixel & 3);
    const py = y + (pixel >> 2);
    if ((px | py) & ~63) continue;
    const quad = 1 << ((px >> 1) + 3 * (py >> 1) - firstQuad);
    met |= quad;
    if (!(bits & mask)) continue;
    const at = pixelAt(px, py);
    if (samples == 1 ? visiblePixel1(tile, triangle, at, px, py) : smallPixel4(tile, triangle, at, bits & mask, layer))
      passed |= quad;
  }
  return met | (passed << 16);
}

/** One sample: tests the pixel and records the triangle. Returns whether it is visible. */
function visiblePixel1(tile: Tile, triangle: Triangle, at: i32, x: i32, y: i32): bool {
  const block = at >> 6;
  if (tile.early == EARLY_DEPTH) {
    const px = <f32>(tile.x + x) + <f32>SAMPLE1 * 0.0625;
    const py = <f32>(tile.y + y) + <f32>SAMPLE1 * 0.0625;
    const column = triangle.zDx * (px - triangle.x0) + triangle.z;
    const z = limitDepthScalar(column + triangle.zDy * (py - triangle.y0), triangle, tile.depth16);
    expandDepth(tile, block);
    const stored = tile.depth + (at << 2);
    if (!compareDepthScalar(tile, z, load<f32>(stored))) return false;
    if (tile.depthWrite) {
      store<f32>(stored, z);
      widenDepthTo(tile, block, z);
    }
  }
  if (tile.mode == MODE_DEFERRED) {
    expandIds(tile, block);
    store<u32>(tile.ids + (at << 2), changetype<usize>(triangle));
    addPending(tile, block, 1 << ((at >> 2) & 15));
  }
  return true;
}

/** Four samples: tests the samples of `bits` in a layer and records the triangle. Returns whether one is visible. */
function smallPixel4(tile: Tile, triangle: Triangle, at: i32, bits: i32, layer: i32): bool {
  const block = at >> 6;
  const tested = tile.early == EARLY_DEPTH;
  const deferred = tile.mode == MODE_DEFERRED;
  if (tested) expandDepth(tile, block);
  if (deferred) expandIds(tile, block);
  if (!visiblePixel4(tile, triangle, at, bits, layer)) return false;
  if (tested && tile.depthWrite) loosenDepth(tile, block, 1);
  if (deferred) addPending(tile, block, 1 << ((at >> 2) & 15));
  return true;
}
