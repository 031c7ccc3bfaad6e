// Finds the samples of a block or quad that the edges in Tile.edges cover: those at which no edge is negative. For a
// block, only the edges that cross it are evaluated; `side` has a bit for each. Scalar twins: coverage.scalar.ts.

import { SamplePositions, Tile, TileEdge } from '../layout';
import { nonzeroBits16, repeatFirst, repeatLast, signBits16 } from '../simd/texels';
import { Four, positionsOf } from '../tile/layers';
import { columnsOfQuads, rowsOfQuads } from './box';
import { coverBlock1Scalar, coverBlock4Scalar, coverQuad4Scalar, edgeAt } from './coverage.scalar';

/**
 * Coverage of a block at one sample: bit quad·4 + pixel. `corner` is the address of the edges' values (i32) at the
 * block's first pixel.
 */
// @ts-ignore: decorator
@inline
export function coverBlock1(tile: Tile, corner: usize, side: i32): u64 {
  if (ASC_FEATURE_SIMD) return coverBlock1Simd(tile, corner, side);
  else return coverBlock1Scalar(tile, corner, side);
}

/**
 * Writes the coverage of a block's pixels in the box, in one layer of four samples, to Tile.cover. Returns a bit for
 * each touched quad. `side` may be 0 here.
 */
// @ts-ignore: decorator
@inline
export function coverBlock4(tile: Tile, layer: i32, block: i32, side: i32): i32 {
  if (ASC_FEATURE_SIMD) return coverBlock4Simd(tile, layer, block, side);
  else return coverBlock4Scalar(tile, layer, block, side);
}

/**
 * Coverage of the quad at (x, y) in one layer of four samples: bit pixel·4 + sample. For one sample, use coverQuad1.
 */
export function coverQuad4(tile: Tile, layer: i32, x: i32, y: i32): i32 {
  if (ASC_FEATURE_SIMD) return coverQuad4Simd(tile, layer, x, y);
  else return coverQuad4Scalar(tile, layer, x, y);
}

// @ts-ignore: decorator
@inline
export function coverBlock1Simd(tile: Tile, corner: usize, side: i32): u64 {
  let cover = u64.MAX_VALUE;
  for (let rest = side; rest; rest &= rest - 1)
    cover &= insideEdge(tile.edge(ctz(rest)), v128.load32_splat(corner + (ctz(rest) << 2)));
  return cover;
}

// @ts-ignore: decorator
@inline
function insideEdge(edge: TileEdge, corner: v128): u64 {
  const a = i32x4.splat(edge.a);
  const b = i32x4.splat(edge.b);
  const right = i32x4.shl(a, 1);
  const down = i32x4.shl(b, 1);
  const pixels = i32x4.add(v128.and(a, i32x4(0, -1, 0, -1)), v128.and(b, i32x4(0, 0, -1, -1)));
  let first = i32x4.add(corner, pixels);
  let outside: u64 = 0;
  for (let shift: u64 = 0; shift < 64; shift += 16) {
    const second = i32x4.add(first, right);
    const third = i32x4.add(second, right);
    outside |= (<u64>signBits16(first, second, third, i32x4.add(third, right))) << shift;
    first = i32x4.add(first, down);
  }
  return ~outside;
}

/** An edge's values at the four samples of the pixel at (x, y). */
function atSamples(edge: TileEdge, positions: SamplePositions, x: i32, y: i32): v128 {
  return i32x4.add(
    i32x4.splat(edgeAt<Four>(edge, x, y)),
    i32x4.add(
      i32x4.mul(i32x4.splat(edge.a), v128.load(positions.x16)),
      i32x4.mul(i32x4.splat(edge.b), v128.load(positions.y16))
    )
  );
}

/** Steps of an edge from pixel to pixel. */
function toRight(edge: TileEdge): v128 {
  return i32x4.splat(edge.a << 4);
}
function toLower(edge: TileEdge): v128 {
  return i32x4.splat(edge.b << 4);
}

export function coverBlock4Simd(tile: Tile, layer: i32, block: i32, side: i32): i32 {
  const x = (block & 7) << 3;
  const y = block & ~7;
  const out = tile.coverOf(layer);
  const columns = i64x2.splat(columnsOfQuads(tile, x));
  const rows = rowsOfQuads(tile, y);
  let upper = v128.and(columns, repeatFirst(rows));
  let lower = v128.and(columns, repeatLast(rows));
  if (side) {
    const count = popcnt(side);
    if (count == 1) coverEdges(1, tile, layer, x, y, side);
    else if (count == 2) coverEdges(2, tile, layer, x, y, side);
    else coverEdges(3, tile, layer, x, y, side);
    upper = v128.and(upper, v128.load(out));
    lower = v128.and(lower, v128.load(out, 16));
  }
  v128.store(out, upper);
  v128.store(out, lower, 16);
  return nonzeroBits16(upper, lower);
}

/**
 * Writes the coverage of the quads that the box touches, by `count` edges. The count is constant where this is inlined,
 * so that the other cases leave no code.
 */
// @ts-ignore: decorator
@inline
function coverEdges(count: i32, tile: Tile, layer: i32, blockX: i32, blockY: i32, side: i32): void {
  const positions = positionsOf(tile, layer);
  const out = tile.coverOf(layer);
  const left = max<i32>(tile.boxX0 - blockX, 0) >> 1;
  const right = min<i32>(tile.boxX1 - blockX + 1, 8) >> 1;
  const top = max<i32>(tile.boxY0 - blockY, 0) >> 1;
  const bottom = min<i32>(tile.boxY1 - blockY + 1, 8) >> 1;
  const x = blockX + (left << 1);
  const y = blockY + (top << 1);
  const first = tile.edge(ctz(side));
  const second = count > 1 ? tile.edge(side & 2 && side != 6 ? 1 : 2) : first;
  const third = count > 2 ? tile.edge(2) : first;
  const x0 = toRight(first);
  const y0 = toLower(first);
  const x1 = count > 1 ? toRight(second) : x0;
  const y1 = count > 1 ? toLower(second) : y0;
  const x2 = count > 2 ? toRight(third) : x0;
  const y2 = count > 2 ? toLower(third) : y0;
  let row0 = atSamples(first, positions, x, y);
  let row1 = count > 1 ? atSamples(second, positions, x, y) : row0;
  let row2 = count > 2 ? atSamples(third, positions, x, y) : row0;
  for (let row = top; row < bottom; row++) {
    let upper0 = row0;
    let upper1 = row1;
    let upper2 = row2;
    let lower0 = i32x4.add(row0, y0);
    let lower1 = i32x4.add(row1, y1);
    let lower2 = i32x4.add(row2, y2);
    row0 = i32x4.add(lower0, y0);
    row1 = i32x4.add(lower1, y1);
    row2 = i32x4.add(lower2, y2);
    for (let at = out + (((row << 2) + left) << 1), end = out + (((row << 2) + right) << 1); at < end; at += 2) {
      const m0 = negative(count, upper0, upper1, upper2);
      const m2 = negative(count, lower0, lower1, lower2);
      upper0 = i32x4.add(upper0, x0);
      upper1 = i32x4.add(upper1, x1);
      upper2 = i32x4.add(upper2, x2);
      lower0 = i32x4.add(lower0, x0);
      lower1 = i32x4.add(lower1, x1);
      lower2 = i32x4.add(lower2, x2);
      const m1 = negative(count, upper0, upper1, upper2);
      const m3 = negative(count, lower0, lower1, lower2);
      upper0 = i32x4.add(upper0, x0);
      upper1 = i32x4.add(upper1, x1);
      upper2 = i32x4.add(upper2, x2);
      lower0 = i32x4.add(lower0, x0);
      lower1 = i32x4.add(lower1, x1);
      lower2 = i32x4.add(lower2, x2);
      store<u16>(at, ~signBits16(m0, m1, m2, m3));
    }
  }
}

/** Negative if one of the first `count` values is negative. */
function negative(count: i32, a: v128, b: v128, c: v128): v128 {
  if (count == 1) return a;
  if (count == 2) return v128.or(a, b);
  return v128.or(v128.or(a, b), c);
}

export function coverQuad4Simd(tile: Tile, layer: i32, x: i32, y: i32): i32 {
  const positions = positionsOf(tile, layer);
  let m0 = i32x4.splat(0);
  let m1 = m0;
  let m2 = m0;
  let m3 = m0;
  for (let i: usize = 0; i < 3; i++) {
    const edge = tile.edge(i);
    const upper = atSamples(edge, positions, x, y);
    const lower = i32x4.add(upper, toLower(edge));
    m0 = v128.or(m0, upper);
    m1 = v128.or(m1, i32x4.add(upper, toRight(edge)));
    m2 = v128.or(m2, lower);
    m3 = v128.or(m3, i32x4.add(lower, toRight(edge)));
  }
  return ~signBits16(m0, m1, m2, m3) & 0xffff;
}
