// Depth from a triangle's plane, evaluated directly at each sample: (c + ddx·(x − x0)) + ddy·(y − y0). So a sample has
// the same depth in every caller: here for a block without a test, in visibility/depth.ts for a quad, and in
// visibility/visible.ts for a block with a test. Scalar twin: depth-plane.scalar.ts.

import { DepthBlock, LAYER_WORDS, Tile, Triangle } from '../layout';
import { highHalves, madd, max, min } from '../simd/lanes';
import { centresX, centresY, samplesX, samplesY } from '../simd/positions';
import { boundDepthsScalar, planeBlockScalar } from './depth-plane.scalar';
import { positionsOf } from './layers';

/** Writes a triangle's depth to all samples of a block. */
export function planeBlock(tile: Tile, triangle: Triangle, block: i32): void {
  if (ASC_FEATURE_SIMD) planeBlockSimd(tile, triangle, block);
  else planeBlockScalar(tile, triangle, block);
}

/**
 * Writes the minimum and the maximum of the depths in the `bytes` bytes at `from` to a DEPTH BLOCK record. Ignores NaN,
 * because no stored depth is NaN.
 */
export function boundDepths(from: usize, bytes: usize, record: DepthBlock): void {
  if (ASC_FEATURE_SIMD) boundDepthsSimd(from, bytes, record);
  else boundDepthsScalar(from, bytes, record);
}

function boundDepthsSimd(from: usize, bytes: usize, record: DepthBlock): void {
  let low = v128.load(from);
  let high = low;
  for (let at: usize = 16; at < bytes; at += 16) {
    const z = v128.load(from + at);
    low = min(low, z);
    high = max(high, z);
  }
  low = min(low, highHalves(low, low));
  high = max(high, highHalves(high, high));
  const low0 = f32x4.extract_lane(low, 0);
  const low1 = f32x4.extract_lane(low, 1);
  const high0 = f32x4.extract_lane(high, 0);
  const high1 = f32x4.extract_lane(high, 1);
  record.low = low1 < low0 ? low1 : low0;
  record.high = high0 < high1 ? high1 : high0;
}

/**
 * Fills Tile.columns with c + ddx·(x − x0) and Tile.rows with ddy·(y − y0), for a block's quads (one sample) or pixels
 * (one layer of four samples), as far as the quads of `quads` need them.
 */
// @ts-ignore: decorator
@inline
export function depthTerms(tile: Tile, triangle: Triangle, block: i32, samples: i32, layer: i32, quads: i32): void {
  const places = positionsOf(tile, layer);
  const c = f32x4.splat(triangle.z);
  const dx = f32x4.splat(triangle.zDx);
  const dy = f32x4.splat(triangle.zDy);
  const x0 = f32x4.splat(triangle.x0);
  const y0 = f32x4.splat(triangle.y0);
  const x = tile.x + ((block & 7) << 3);
  const y = tile.y + ((block >> 3) << 3);
  const step = samples == 1 ? 2 : 1;
  const shift = samples == 1 ? 3 : 4;
  const inColumns = (quads | (quads >> 4) | (quads >> 8) | (quads >> 12)) & 15;
  for (let i = ctz(inColumns) << 1, end = 64 - (clz(inColumns) << 1); i < end; i += step) {
    const dxs = f32x4.sub(samples == 1 ? centresX(x + i) : samplesX(places, x + i), x0);
    v128.store(tile.columns + (i << shift), madd(dx, dxs, c));
  }
  for (let i = (ctz(quads) >> 2) << 1, end = 16 - ((clz(quads) >> 2) << 1); i < end; i += step) {
    const dys = f32x4.sub(samples == 1 ? centresY(y + i) : samplesY(places, y + i), y0);
    v128.store(tile.rows + (i << shift), f32x4.mul(dy, dys));
  }
}

function planeBlockSimd(tile: Tile, triangle: Triangle, block: i32): void {
  const least = f32x4.splat(triangle.zMin);
  const most = f32x4.splat(triangle.zMax);
  const depth16 = tile.depth16;
  if (tile.layerSamples == 1) {
    depthTerms(tile, triangle, block, 1, 0, 0xffff);
    let to = tile.depth + (block << 8);
    for (let quad: usize = 0; quad < 16; quad++) {
      const z = f32x4.add(v128.load(tile.columns + ((quad & 3) << 4)), v128.load(tile.rows + ((quad >> 2) << 4)));
      v128.store(to, limitDepth(z, least, most, depth16));
      to += 16;
    }
    return;
  }
  for (let layer = 0; layer < tile.layers; layer++) planeLayer(tile, triangle, block, layer);
}

function planeLayer(tile: Tile, triangle: Triangle, block: i32, layer: i32): void {
  const least = f32x4.splat(triangle.zMin);
  const most = f32x4.splat(triangle.zMax);
  const depth16 = tile.depth16;
  depthTerms(tile, triangle, block, 4, layer, 0xffff);
  let to = tile.depth + layer * LAYER_WORDS + (block << 10);
  for (let pixel: usize = 0; pixel < 64; pixel++) {
    // Pixel of the block's quads in order: quad·4 + y·2 + x.
    const column = ((pixel >> 2) & 3) * 2 + (pixel & 1);
    const row = (pixel >> 4) * 2 + ((pixel >> 1) & 1);
    const z = f32x4.add(v128.load(tile.columns + (column << 4)), v128.load(tile.rows + (row << 4)));
    v128.store(to, limitDepth(z, least, most, depth16));
    to += 16;
  }
}

/** Clamps depth to the viewport's range, and rounds it to 16 bits if the attachment holds no more. */
export function limitDepth(z: v128, least: v128, most: v128, depth16: i32): v128 {
  const limited = min(max(least, z), most);
  if (depth16) {
    return f32x4.div(f32x4.floor(madd(limited, f32x4.splat(65535), f32x4.splat(0.5))), f32x4.splat(65535));
  }
  return limited;
}
