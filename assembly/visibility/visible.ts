// Visibility of a block, sample by sample, for deferred and depth-only draw calls. Tests depth if there is a test,
// stores it, and records the triangle's address for every passing sample. No shader runs. The block's ids and depths
// are in the planes; accept.ts handles blocks that a triangle decides as a whole. Scalar twins: visible.scalar.ts.

import { EARLY_DEPTH, LAYER_WORDS, MODE_DEFERRED, Tile, Triangle } from '../layout';
import { anyTrue, madd } from '../simd/lanes';
import { pixelX, pixelY, samplesX, samplesY } from '../simd/positions';
import { lanesOf } from '../simd/texels';
import { compareDepth, isLessOnly } from '../tile/depth-compare';
import { depthTerms, limitDepth } from '../tile/depth-plane';
import { positionsOf } from '../tile/layers';
import { visibleBlock1Scalar, visibleBlock4Scalar, visiblePixel4Scalar } from './visible.scalar';

/**
 * One sample: `cover` has bit quad·4 + pixel. With `tested`, depth is compared, and written if the draw call writes it.
 * Returns the quads that have a passing sample.
 */
export function visibleBlock1(tile: Tile, triangle: Triangle, block: i32, cover: u64, tested: bool): i32 {
  if (ASC_FEATURE_SIMD) return visibleBlock1Simd(tile, triangle, block, cover, tested);
  else return visibleBlock1Scalar(tile, triangle, block, cover, tested);
}

/**
 * One layer of four samples: the coverage is at Tile.cover, for the quads of `quads`. Returns the quads that have a
 * passing sample.
 */
export function visibleBlock4(tile: Tile, triangle: Triangle, block: i32, quads: i32, tested: bool, layer: i32): i32 {
  if (ASC_FEATURE_SIMD) return visibleBlock4Simd(tile, triangle, block, quads, tested, layer);
  else return visibleBlock4Scalar(tile, triangle, block, quads, tested, layer);
}

/**
 * Four samples: tests the samples in `bits`, in a layer, of pixel `at` (layout/tile/tile.ts), if the draw call tests
 * depth. Records the triangle for those that pass if it is deferred. Returns whether one of them is visible.
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
    if (deferred) noteFour(ids, id, lanesOf(bits));
    return true;
  }
  const positions = positionsOf(tile, layer);
  const column = madd(
    f32x4.splat(triangle.zDx),
    f32x4.sub(samplesX(positions, tile.x + pixelX(at)), f32x4.splat(triangle.x0)),
    f32x4.splat(triangle.z)
  );
  const row = f32x4.mul(
    f32x4.splat(triangle.zDy),
    f32x4.sub(samplesY(positions, tile.y + pixelY(at)), f32x4.splat(triangle.y0))
  );
  const z = limitDepth(f32x4.add(column, row), f32x4.splat(triangle.zMin), f32x4.splat(triangle.zMax), tile.depth16);
  const passed = testFour(tile, tile.depth + pixel, z, bits, tile.depthWrite, isLessOnly(tile));
  if (deferred) noteFour(ids, id, passed);
  return anyTrue(passed);
}

/** Tests four samples, whose depths are at `depth`. Returns the lanes that pass. */
function testFour(tile: Tile, depth: usize, z: v128, bits: i32, write: i32, lessOnly: bool): v128 {
  const stored = v128.load(depth);
  const passed = v128.and(compareDepth(tile, z, stored, lessOnly), lanesOf(bits));
  if (write) v128.store(depth, v128.bitselect(z, stored, passed));
  return passed;
}

/** Records a triangle for samples whose ids are at `ids`. */
function noteFour(ids: usize, id: v128, lanes: v128): void {
  v128.store(ids, v128.bitselect(id, v128.load(ids), lanes));
}

function visibleBlock1Simd(tile: Tile, triangle: Triangle, block: i32, cover: u64, tested: bool): i32 {
  if (!tested) return coverBlock1(tile, triangle, block, cover);
  depthTerms(tile, triangle, block, 1, 0, 0xffff);
  return tile.defersLess
    ? testBlock1(tile, triangle, block, cover, true)
    : testBlock1(tile, triangle, block, cover, false);
}

/** Records the triangle where it covers samples, without a test. */
function coverBlock1(tile: Tile, triangle: Triangle, block: i32, cover: u64): i32 {
  const id = i32x4.splat(changetype<usize>(triangle));
  const ids: usize = tile.ids + (block << 8);
  let visible = 0;
  while (cover) {
    const quad = (<usize>ctz(cover)) >> 2;
    noteFour(ids + (quad << 4), id, lanesOf((<i32>(cover >> ((<u64>quad) << 2))) & 15));
    visible |= 1 << quad;
    cover &= ~((<u64>15) << ((<u64>quad) << 2));
  }
  return visible;
}

/**
 * `common` is Tile.defersLess, as a constant where this is inlined. Tile.columns and Tile.rows hold the block's terms.
 */
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
    const quad = (<usize>ctz(cover)) >> 2;
    const bits = (<i32>(cover >> ((<u64>quad) << 2))) & 15;
    cover &= ~((<u64>15) << ((<u64>quad) << 2));
    const z = f32x4.add(v128.load(tile.columns + ((quad & 3) << 4)), v128.load(tile.rows + ((quad >> 2) << 4)));
    const passed = testFour(tile, depth + (quad << 4), limitDepth(z, least, most, depth16), bits, write, lessOnly);
    if (deferred) noteFour(ids + (quad << 4), id, passed);
    visible |= (<i32>anyTrue(passed)) << quad;
  }
  return visible;
}

function visibleBlock4Simd(tile: Tile, triangle: Triangle, block: i32, quads: i32, tested: bool, layer: i32): i32 {
  if (!tested) return coverBlock4(tile, triangle, block, quads, layer);
  depthTerms(tile, triangle, block, 4, layer, quads);
  return tile.defersLess
    ? testBlock4(tile, triangle, block, quads, layer, true)
    : testBlock4(tile, triangle, block, quads, layer, false);
}

function coverBlock4(tile: Tile, triangle: Triangle, block: i32, quads: i32, layer: i32): i32 {
  const id = i32x4.splat(changetype<usize>(triangle));
  const cover = tile.coverOf(layer);
  const ids: usize = tile.ids + layer * LAYER_WORDS + (block << 10);
  for (let rest = quads; rest; rest &= rest - 1) {
    const quad = ctz(rest);
    const mask = <i32>load<u16>(cover + (quad << 1));
    for (let pixel: usize = 0; pixel < 4; pixel++)
      noteFour(ids + (quad << 6) + (pixel << 4), id, lanesOf((mask >> (pixel << 2)) & 15));
  }
  return quads;
}

// @ts-ignore: decorator
@inline
function testBlock4(tile: Tile, triangle: Triangle, block: i32, quads: i32, layer: i32, common: bool): i32 {
  const id = i32x4.splat(changetype<usize>(triangle));
  const cover = tile.coverOf(layer);
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
    const mask = <i32>load<u16>(cover + (quad << 1));
    const columns = tile.columns + ((quad & 3) << 5);
    const rows = tile.rows + ((quad >> 2) << 5);
    const left = v128.load(columns);
    const right = v128.load(columns, 16);
    const upper = v128.load(rows);
    const lower = v128.load(rows, 16);
    const z0 = limitDepth(f32x4.add(left, upper), least, most, depth16);
    const z1 = limitDepth(f32x4.add(right, upper), least, most, depth16);
    const z2 = limitDepth(f32x4.add(left, lower), least, most, depth16);
    const z3 = limitDepth(f32x4.add(right, lower), least, most, depth16);
    const from = depth + (quad << 6);
    const p0 = testFour(tile, from, z0, mask & 15, write, lessOnly);
    const p1 = testFour(tile, from + 16, z1, (mask >> 4) & 15, write, lessOnly);
    const p2 = testFour(tile, from + 32, z2, (mask >> 8) & 15, write, lessOnly);
    const p3 = testFour(tile, from + 48, z3, mask >> 12, write, lessOnly);
    if (deferred) {
      const at = ids + (quad << 6);
      noteFour(at, id, p0);
      noteFour(at + 16, id, p1);
      noteFour(at + 32, id, p2);
      noteFour(at + 48, id, p3);
    }
    visible |= (<i32>anyTrue(v128.or(v128.or(p0, p1), v128.or(p2, p3)))) << quad;
  }
  return visible;
}
