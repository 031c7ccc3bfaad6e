// Visibility of a block, sample by sample, for draws that are shaded later (or not at all): tests depth where there is
// a test, stores it, and notes the triangle's address for every sample that passes. No shader runs. The block's ids and
// depths are in the planes: what a triangle decides for a whole block is accept.ts. Scalar twins: visible.scalar.ts.

import { COVER_SHIFT, EARLY_DEPTH, LAYER_WORDS, MODE_DEFERRED, Tile, Triangle } from '../layout';
import { compareDepth, isLessOnly } from '../output/depth';
import { anyTrue, madd } from '../simd/lanes';
import { pixelX, pixelY, samplesX, samplesY } from '../simd/positions';
import { lanesOf } from '../simd/texels';
import { depthTerms, limitDepth } from '../tile/depth-plane';
import { positionsOf } from '../tile/layers';
import { visibleBlock1Scalar, visibleBlock4Scalar, visiblePixel4Scalar } from './visible.scalar';

/**
 * One sample: `cover` has bit quad·4 + pixel. `tested`: depth is compared, and written where the draw writes it. Gives
 * the quads of which a sample passed.
 */
export function visibleBlock1(tile: Tile, triangle: Triangle, block: i32, cover: u64, tested: bool): i32 {
  if (ASC_FEATURE_SIMD) return visibleBlock1Simd(tile, triangle, block, cover, tested);
  else return visibleBlock1Scalar(tile, triangle, block, cover, tested);
}

/**
 * Four samples, those of a layer: coverage is at Tile.cover, in the quads named by `quads`. Gives the quads of which a
 * sample passed.
 */
export function visibleBlock4(tile: Tile, triangle: Triangle, block: i32, quads: i32, tested: bool, layer: i32): i32 {
  if (ASC_FEATURE_SIMD) return visibleBlock4Simd(tile, triangle, block, quads, tested, layer);
  else return visibleBlock4Scalar(tile, triangle, block, quads, tested, layer);
}

/**
 * Four samples: tests those in `bits`, in a layer, of pixel `at` (layout/tile.ts), if the draw tests depth, and notes
 * the triangle for them if it is shaded later. Whether one of them is visible.
 */
export function visiblePixel4(tile: Tile, triangle: Triangle, at: i32, bits: i32, layer: i32): bool {
  if (ASC_FEATURE_SIMD) return visiblePixel4Simd(tile, triangle, at, bits, layer);
  else return visiblePixel4Scalar(tile, triangle, at, bits, layer);
}

function visiblePixel4Simd(tile: Tile, triangle: Triangle, at: i32, bits: i32, layer: i32): bool {
  const id = i32x4.splat(changetype<usize>(triangle));
  const deferred = tile.mode == MODE_DEFERRED;
  const pixel = layer * LAYER_WORDS + (at << 4);
  const ids: usize = tile.ids + pixel;
  if (tile.early != EARLY_DEPTH) {
    if (deferred) v128.store(ids, v128.bitselect(id, v128.load(ids), lanesOf(bits)));
    return true;
  }
  const positions = positionsOf(tile, layer);
  const column = madd(
    f32x4.splat(triangle.zDx), f32x4.sub(samplesX(positions, tile.x + pixelX(at)), f32x4.splat(triangle.x0)),
    f32x4.splat(triangle.z)
  );
  const row = f32x4.mul(
    f32x4.splat(triangle.zDy), f32x4.sub(samplesY(positions, tile.y + pixelY(at)), f32x4.splat(triangle.y0))
  );
  const z = limitDepth(f32x4.add(column, row), f32x4.splat(triangle.zMin), f32x4.splat(triangle.zMax), tile.depth16);
  const depth: usize = tile.depth + pixel;
  return anyTrue(visibleFour(tile, depth, ids, z, id, bits, tile.depthWrite, deferred, isLessOnly(tile)));
}

/** Tests and writes four samples: depth at `depth`, ids at `ids`. Gives the lanes that passed. */
function visibleFour(
  tile: Tile, depth: usize, ids: usize, z: v128, id: v128, bits: i32, write: i32, deferred: bool, lessOnly: bool
): v128 {
  const stored = v128.load(depth);
  const passed = v128.and(compareDepth(tile, z, stored, lessOnly), lanesOf(bits));
  if (write) v128.store(depth, v128.bitselect(z, stored, passed));
  if (deferred) v128.store(ids, v128.bitselect(id, v128.load(ids), passed));
  return passed;
}

function visibleBlock1Simd(tile: Tile, triangle: Triangle, block: i32, cover: u64, tested: bool): i32 {
  if (!tested) return coverBlock1(tile, changetype<usize>(triangle), block, cover);
  depthTerms(tile, triangle, block, 1, 0);
  return tile.defersLess
    ? testBlock1(tile, triangle, block, cover, true)
    : testBlock1(tile, triangle, block, cover, false);
}

/** Notes the triangle where it covers, without a test. */
function coverBlock1(tile: Tile, triangle: usize, block: i32, cover: u64): i32 {
  const id = i32x4.splat(triangle);
  const ids: usize = tile.ids + (block << 8);
  let visible = 0;
  while (cover) {
    const quad = <usize>ctz(cover) >> 2;
    const at = ids + (quad << 4);
    v128.store(at, v128.bitselect(id, v128.load(at), lanesOf(<i32>(cover >> (<u64>quad << 2)) & 15)));
    visible |= 1 << quad;
    cover &= ~(<u64>15 << (<u64>quad << 2));
  }
  return visible;
}

/** `common`: Tile.defersLess, known where this is inlined. Tile.columns and Tile.rows hold the block's terms. */
// @ts-ignore: decorator
@inline
function testBlock1(tile: Tile, triangle: Triangle, block: i32, cover: u64, common: bool): i32 {
  const id = i32x4.splat(changetype<usize>(triangle));
  const ids: usize = tile.ids + (block << 8);
  const depth: usize = tile.depth + (block << 8);
  const deferred = common || tile.mode == MODE_DEFERRED;
  const write = common ? 1 : tile.depthWrite;
  const depth16 = common ? 0 : tile.depth16;
  const lessOnly = common || isLessOnly(tile);
  const least = f32x4.splat(triangle.zMin);
  const most = f32x4.splat(triangle.zMax);
  let visible = 0;
  while (cover) {
    const quad = <usize>ctz(cover) >> 2;
    const bits = <i32>(cover >> (<u64>quad << 2)) & 15;
    cover &= ~(<u64>15 << (<u64>quad << 2));
    const z = f32x4.add(v128.load(tile.columns + ((quad & 3) << 4)), v128.load(tile.rows + ((quad >> 2) << 4)));
    const passed = visibleFour(
      tile, depth + (quad << 4), ids + (quad << 4), limitDepth(z, least, most, depth16), id, bits, write, deferred,
      lessOnly
    );
    visible |= <i32>anyTrue(passed) << quad;
  }
  return visible;
}

function visibleBlock4Simd(tile: Tile, triangle: Triangle, block: i32, quads: i32, tested: bool, layer: i32): i32 {
  if (!tested) return coverBlock4(tile, changetype<usize>(triangle), block, quads, layer);
  depthTerms(tile, triangle, block, 4, layer);
  return tile.defersLess
    ? testBlock4(tile, triangle, block, quads, layer, true)
    : testBlock4(tile, triangle, block, quads, layer, false);
}

function coverBlock4(tile: Tile, triangle: usize, block: i32, quads: i32, layer: i32): i32 {
  const id = i32x4.splat(triangle);
  const cover = changetype<Tile>(changetype<usize>(tile) + (layer << COVER_SHIFT));
  const ids: usize = tile.ids + layer * LAYER_WORDS + (block << 10);
  for (let rest = quads; rest; rest &= rest - 1) {
    const quad = ctz(rest);
    const mask = <i32>load<u16>(cover.cover + (quad << 1));
    for (let pixel: usize = 0; pixel < 4; pixel++) {
      const at = ids + (quad << 6) + (pixel << 4);
      v128.store(at, v128.bitselect(id, v128.load(at), lanesOf(mask >> (pixel << 2) & 15)));
    }
  }
  return quads;
}

// @ts-ignore: decorator
@inline
function testBlock4(tile: Tile, triangle: Triangle, block: i32, quads: i32, layer: i32, common: bool): i32 {
  const id = i32x4.splat(changetype<usize>(triangle));
  const cover = changetype<Tile>(changetype<usize>(tile) + (layer << COVER_SHIFT));
  const samples = layer * LAYER_WORDS + (block << 10);
  const ids: usize = tile.ids + samples;
  const depth: usize = tile.depth + samples;
  const deferred = common || tile.mode == MODE_DEFERRED;
  const write = common ? 1 : tile.depthWrite;
  const depth16 = common ? 0 : tile.depth16;
  const lessOnly = common || isLessOnly(tile);
  const least = f32x4.splat(triangle.zMin);
  const most = f32x4.splat(triangle.zMax);
  let visible = 0;
  for (let rest = quads; rest; rest &= rest - 1) {
    const quad = <usize>ctz(rest);
    const mask = <i32>load<u16>(cover.cover + (quad << 1));
    const columns = changetype<Tile>(changetype<usize>(tile) + ((quad & 3) << 5));
    const rows = changetype<Tile>(changetype<usize>(tile) + ((quad >> 2) << 5));
    const left = v128.load(columns.columns);
    const right = v128.load(columns.columns + 16);
    const upper = v128.load(rows.rows);
    const lower = v128.load(rows.rows + 16);
    const z = depth + (quad << 6);
    const at = ids + (quad << 6);
    const p0 = visibleFour(
      tile, z, at, limitDepth(f32x4.add(left, upper), least, most, depth16), id, mask & 15, write, deferred, lessOnly
    );
    const p1 = visibleFour(
      tile, z + 16, at + 16, limitDepth(f32x4.add(right, upper), least, most, depth16), id, mask >> 4 & 15, write,
      deferred, lessOnly
    );
    const p2 = visibleFour(
      tile, z + 32, at + 32, limitDepth(f32x4.add(left, lower), least, most, depth16), id, mask >> 8 & 15, write,
      deferred, lessOnly
    );
    const p3 = visibleFour(
      tile, z + 48, at + 48, limitDepth(f32x4.add(right, lower), least, most, depth16), id, mask >> 12, write, deferred,
      lessOnly
    );
    visible |= <i32>anyTrue(v128.or(v128.or(p0, p1), v128.or(p2, p3))) << quad;
  }
  return visible;
}
