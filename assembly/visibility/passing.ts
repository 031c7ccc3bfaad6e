// Finds the samples of a block that pass the depth test, for draw calls that are shaded in order and write no depth
// before their shader. The whole block is tested before its quads are packed, and the triangle's terms are computed
// once. visible.ts also writes depth and records what passes. Scalar twin: passing.scalar.ts.

import { LAYER_WORDS, Tile, Triangle } from '../layout';
import { signBits16 } from '../simd/texels';
import { compareDepth, isLessOnly } from '../tile/depth-compare';
import { depthTerms, limitDepth } from '../tile/depth-plane';
import { passingBlock1Scalar, passingBlock4Scalar } from './passing.scalar';

/** One sample: `cover` has bit quad·4 + pixel. Returns the passing samples. */
export function passingBlock1(tile: Tile, triangle: Triangle, block: i32, cover: u64): u64 {
  if (ASC_FEATURE_SIMD) return passingBlock1Simd(tile, triangle, block, cover);
  else return passingBlock1Scalar(tile, triangle, block, cover);
}

/**
 * One layer of four samples: removes failing samples from Tile.cover in the quads of `quads`. Returns the quads that
 * have a passing sample.
 */
export function passingBlock4(tile: Tile, triangle: Triangle, block: i32, quads: i32, layer: i32): i32 {
  if (ASC_FEATURE_SIMD) return passingBlock4Simd(tile, triangle, block, quads, layer);
  else return passingBlock4Scalar(tile, triangle, block, quads, layer);
}

function passingBlock1Simd(tile: Tile, triangle: Triangle, block: i32, cover: u64): u64 {
  depthTerms(tile, triangle, block, 1, 0, 0xffff);
  const depth: usize = tile.depth + (block << 8);
  const depth16 = tile.depth16;
  const lessOnly = isLessOnly(tile);
  const least = f32x4.splat(triangle.zMin);
  const most = f32x4.splat(triangle.zMax);
  let passed: u64 = 0;
  for (let rest = cover; rest;) {
    const quad = (<usize>ctz(rest)) >> 2;
    rest &= ~((<u64>15) << ((<u64>quad) << 2));
    const z = f32x4.add(v128.load(tile.columns + ((quad & 3) << 4)), v128.load(tile.rows + ((quad >> 2) << 4)));
    const lanes = compareDepth(tile, limitDepth(z, least, most, depth16), v128.load(depth + (quad << 4)), lessOnly);
    passed |= (<u64>i32x4.bitmask(lanes)) << ((<u64>quad) << 2);
  }
  return passed & cover;
}

function passingBlock4Simd(tile: Tile, triangle: Triangle, block: i32, quads: i32, layer: i32): i32 {
  depthTerms(tile, triangle, block, 4, layer, quads);
  const cover = tile.coverOf(layer);
  const depth: usize = tile.depth + layer * LAYER_WORDS + (block << 10);
  const depth16 = tile.depth16;
  const lessOnly = isLessOnly(tile);
  const least = f32x4.splat(triangle.zMin);
  const most = f32x4.splat(triangle.zMax);
  let passed = 0;
  for (let rest = quads; rest; rest &= rest - 1) {
    const quad = <usize>ctz(rest);
    const columns = tile.columns + ((quad & 3) << 5);
    const rows = tile.rows + ((quad >> 2) << 5);
    const left = v128.load(columns);
    const right = v128.load(columns, 16);
    const upper = v128.load(rows);
    const lower = v128.load(rows, 16);
    const from = depth + (quad << 6);
    const samples =
      signBits16(
        compareDepth(tile, limitDepth(f32x4.add(left, upper), least, most, depth16), v128.load(from), lessOnly),
        compareDepth(tile, limitDepth(f32x4.add(right, upper), least, most, depth16), v128.load(from, 16), lessOnly),
        compareDepth(tile, limitDepth(f32x4.add(left, lower), least, most, depth16), v128.load(from, 32), lessOnly),
        compareDepth(tile, limitDepth(f32x4.add(right, lower), least, most, depth16), v128.load(from, 48), lessOnly)
      ) & load<u16>(cover + (quad << 1));
    store<u16>(cover + (quad << 1), samples);
    passed |= (<i32>(samples != 0)) << i32(quad);
  }
  return passed;
}
