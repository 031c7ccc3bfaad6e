// The walk of a triangle's box with its three edges in the lanes of one i32 vector. A triangle whose edges are too
// steep for that within a tile uses walk.ts alone, as does the build without SIMD.
//
// An edge that holds everywhere in the triangle's box within the tile is dropped at once. At one sample, these are two
// of the three edges of a sprite's triangle. At four samples, these two only cut samples off the outermost pixels of
// the box. For draw calls whose blocks need only their depth bounds (Tile.packsWholeBlocks), they are converted to
// masks of its columns and rows.

import { Tile, TileEdge } from '../layout';
import { anyTrue } from '../simd/lanes';
import { lanesOf, nonzeroBits16, repeatFirst, repeatLast, signBits16, signLanes8 } from '../simd/texels';
import { positionsOf, samplesOf } from '../tile/layers';
import { columnsOfQuads, rowsOfQuads } from './box';

/** Values at the tile's corner are clamped to this magnitude: beyond it, no step within the tile changes the sign. */
const VALUE_LIMIT: i64 = 1 << 30;
/** Limits of |A| and |B| below which a tile's steps stay within 2^29, at one sample and at four. */
const SLOPE1: i32 = 1 << 22;
const SLOPE4: i32 = 1 << 18;

/** An edge's value at the tile's corner. */
function valueOf(edge: TileEdge): i32 {
  const value = edge.value;
  return <i32>(value > VALUE_LIMIT ? VALUE_LIMIT : value < -VALUE_LIMIT ? -VALUE_LIMIT : value);
}

/** The lesser of a·first and a·last, per lane. */
function minDelta(a: v128, first: i32, last: i32): v128 {
  return i32x4.min_s(i32x4.mul(a, i32x4.splat(first)), i32x4.mul(a, i32x4.splat(last)));
}

function maxDelta(a: v128, first: i32, last: i32): v128 {
  return i32x4.max_s(i32x4.mul(a, i32x4.splat(first)), i32x4.mul(a, i32x4.splat(last)));
}

/**
 * Prepares the edges in Tile.edges for the walk of the box, at one sample or four (`S`). Returns false if they are too
 * steep. `packed` prepares for coverLanes4.
 */
export function prepareEdges<S>(tile: Tile, packed: bool): bool {
  const one = samplesOf<S>() == 1;
  const first = tile.edge(0);
  const second = tile.edge(1);
  const third = tile.edge(2);
  const a = i32x4(first.a, second.a, third.a, 0);
  const b = i32x4(first.b, second.b, third.b, 0);
  if (anyTrue(i32x4.ge_s(v128.or(i32x4.abs(a), i32x4.abs(b)), i32x4.splat(one ? SLOPE1 : SLOPE4)))) return false;
  const value = i32x4(valueOf(first), valueOf(second), valueOf(third), 0);
  let kept = i32x4.bitmask(i32x4.add(value, overBox(tile, a, b, one)));
  if (!one && packed) {
    prepareBoxMasks(tile);
    for (let rest = kept; rest; rest &= rest - 1) if (edgeToMasks(tile, tile.edge(ctz(rest)))) kept &= ~(rest & -rest);
  }
  const lanes = lanesOf(kept);
  prepareWalk(tile, v128.and(a, lanes), v128.and(b, lanes), v128.and(value, lanes), one);
  if (!one && packed) for (; kept; kept &= kept - 1) prepareTerms4(tile, ctz(kept));
  return true;
}

/**
 * The least that a sample of the box adds to the values at the tile's corner. Samples are on whole units at one sample,
 * and at 2 to 14 sixteenths of a pixel at four.
 */
// @ts-ignore: decorator
@inline
function overBox(tile: Tile, a: v128, b: v128, one: bool): v128 {
  const unit = one ? 0 : 4;
  const first = one ? 0 : 2;
  const end = one ? 1 : 2;
  return i32x4.add(
    minDelta(a, (tile.boxX0 << unit) + first, (tile.boxX1 << unit) - end),
    minDelta(b, (tile.boxY0 << unit) + first, (tile.boxY1 << unit) - end)
  );
}

/** Fills Tile.walk for the remaining edges; the others are 0. */
// @ts-ignore: decorator
@inline
function prepareWalk(tile: Tile, a: v128, b: v128, value: v128, one: bool): void {
  const walk = tile.walk;
  const unit = one ? 0 : 4;
  const first = one ? 0 : 2;
  const last = one ? 7 : 126;
  const right = i32x4.mul(a, i32x4.splat((tile.boxX0 & ~7) << unit));
  const down = i32x4.mul(b, i32x4.splat((tile.boxY0 & ~7) << unit));
  v128.store(walk.value, i32x4.add(value, i32x4.add(right, down)));
  v128.store(walk.stepX, i32x4.shl(a, 3 + unit));
  v128.store(walk.stepY, i32x4.shl(b, 3 + unit));
  v128.store(walk.minDelta, i32x4.add(minDelta(a, first, last), minDelta(b, first, last)));
  v128.store(walk.maxDelta, i32x4.add(maxDelta(a, first, last), maxDelta(b, first, last)));
}

/** Writes the box to Tile.columnMasks and Tile.rowMasks, for the blocks that it intersects. */
function prepareBoxMasks(tile: Tile): void {
  for (let x = tile.boxX0 & ~7; x < tile.boxX1; x += 8) store<u64>(tile.columnMasks + x, columnsOfQuads(tile, x));
  for (let y = tile.boxY0 & ~7; y < tile.boxY1; y += 8) {
    const rows = rowsOfQuads(tile, y);
    v128.store(tile.rowMasks + (y << 2), repeatFirst(rows));
    v128.store(tile.rowMasks + (y << 2), repeatLast(rows), 16);
  }
}

/**
 * Converts an edge to masks if it only cuts samples off one outermost column or row of pixels of the box. Returns false
 * for other edges.
 */
function edgeToMasks(tile: Tile, edge: TileEdge): bool {
  const a = edge.a;
  if (a && edge.b) return false;
  const step = a | edge.b;
  const first = a ? tile.boxX0 : tile.boxY0;
  const end = a ? tile.boxX1 : tile.boxY1;
  const value = valueOf(edge);
  if (value + step * (step > 0 ? (first << 4) + 18 : (end << 4) - 18) < 0) return false;
  const pixel = step > 0 ? first : end - 1;
  const positions = positionsOf(tile, 0);
  const samples = i32x4.mul(i32x4.splat(step), v128.load(a ? positions.x16 : positions.y16));
  const cut = i32x4.bitmask(i32x4.add(i32x4.splat(value + step * (pixel << 4)), samples));
  if (a) {
    const at = tile.columnMasks + (pixel & ~1);
    store<u16>(at, load<u16>(at) & ~((cut * 0x0101) << ((pixel & 1) << 2)));
  } else {
    const at = tile.rowMasks + ((pixel & ~1) << 2);
    store<u64>(at, load<u64>(at) & ~(<u64>((cut * 0x11) << ((pixel & 1) << 3)) * 0x0001000100010001));
  }
  return true;
}

function prepareTerms4(tile: Tile, index: i32): void {
  const terms = tile.edgeTerms(index);
  const positions = positionsOf(tile, 0);
  const a = i32x4.splat(tile.edge(index).a);
  const b = i32x4.splat(tile.edge(index).b);
  const first = i32x4.add(i32x4.mul(a, v128.load(positions.x16)), i32x4.mul(b, v128.load(positions.y16)));
  const second = i32x4.add(first, i32x4.shl(a, 4));
  const down = i32x4.shl(b, 4);
  v128.store(terms.samples, first);
  v128.store(terms.samples + 16, second);
  v128.store(terms.samples + 32, i32x4.add(first, down));
  v128.store(terms.samples + 48, i32x4.add(second, down));
  v128.store(terms.quads, i32x4.mul(a, i32x4(0, 32, 64, 96)));
  v128.store(terms.below, i32x4.shl(b, 5));
  v128.store(terms.minDelta, i32x4.add(minDelta(a, 2, 30), minDelta(b, 2, 30)));
  v128.store(terms.maxDelta, i32x4.add(maxDelta(a, 2, 30), maxDelta(b, 2, 30)));
}

/**
 * Starts a row of blocks; nextBlock then moves to its first. Tried: all blocks of a row at once, edge by edge:
 * particles no faster, teapots 2 % slower.
 */
export function startRow(tile: Tile, row: i32): void {
  const walk = tile.walk;
  const down = i32x4.mul(v128.load(walk.stepY), i32x4.splat(row));
  v128.store(walk.now, i32x4.sub(i32x4.add(v128.load(walk.value), down), v128.load(walk.stepX)));
}

/**
 * Moves to the next block to the right. Returns -1 if it is outside some edge, else a bit for each edge that crosses it
 * (0 if it is inside all of them).
 */
export function nextBlock(tile: Tile): i32 {
  const walk = tile.walk;
  const now = i32x4.add(v128.load(walk.now), v128.load(walk.stepX));
  v128.store(walk.now, now);
  if (i32x4.bitmask(i32x4.add(now, v128.load(walk.maxDelta)))) return -1;
  return i32x4.bitmask(i32x4.add(now, v128.load(walk.minDelta)));
}

/** Writes the coverage of the current block, whose first pixel is (x, y), to Tile.cover, at four samples. */
export function coverLanes4(tile: Tile, x: i32, y: i32, side: i32): void {
  const columns = v128.load64_splat(tile.columnMasks + x);
  const upper = v128.and(columns, v128.load(tile.rowMasks + (y << 2)));
  const lower = v128.and(columns, v128.load(tile.rowMasks + (y << 2) + 16));
  if (side) {
    coverQuads(tile, side, upper, lower);
  } else {
    v128.store(tile.cover, upper);
    v128.store(tile.cover + 16, lower);
  }
}

/**
 * Writes to Tile.cover the samples that are set in `upper` and `lower` and inside the edges in `side`. `upper` holds
 * the samples of the current block's first eight quads, 16 bits for each, and `lower` those of its last eight.
 */
// @ts-ignore: decorator
@inline
function coverQuads(tile: Tile, side: i32, upper: v128, lower: v128): void {
  const none = i32x4.splat(0);
  let out0 = none;
  let out1 = none;
  let out2 = none;
  let out3 = none;
  let part0 = none;
  let part1 = none;
  let part2 = none;
  let part3 = none;
  for (let rest = side; rest; rest &= rest - 1) {
    const terms = tile.edgeTerms(ctz(rest));
    const below = v128.load(terms.below);
    const low = v128.load(terms.minDelta);
    const high = v128.load(terms.maxDelta);
    let row = i32x4.add(v128.load32_splat(tile.walk.now + (ctz(rest) << 2)), v128.load(terms.quads));
    out0 = v128.or(out0, i32x4.add(row, high));
    part0 = v128.or(part0, i32x4.add(row, low));
    row = i32x4.add(row, below);
    out1 = v128.or(out1, i32x4.add(row, high));
    part1 = v128.or(part1, i32x4.add(row, low));
    row = i32x4.add(row, below);
    out2 = v128.or(out2, i32x4.add(row, high));
    part2 = v128.or(part2, i32x4.add(row, low));
    row = i32x4.add(row, below);
    out3 = v128.or(out3, i32x4.add(row, high));
    part3 = v128.or(part3, i32x4.add(row, low));
  }
  const left0 = v128.andnot(upper, signLanes8(out0, out1));
  const left1 = v128.andnot(lower, signLanes8(out2, out3));
  v128.store(tile.cover, left0);
  v128.store(tile.cover + 16, left1);
  for (let rest = signBits16(part0, part1, part2, part3) & nonzeroBits16(left0, left1); rest; rest &= rest - 1) {
    const quad = ctz(rest);
    const at = tile.cover + (quad << 1);
    store<u16>(at, load<u16>(at) & coverQuad(tile, side, quad & 3, quad >> 2));
  }
}

/** Samples of the quad in `column` and `row` of the current block that are inside the edges of `side`. */
function coverQuad(tile: Tile, side: i32, column: i32, row: i32): i32 {
  const none = i32x4.splat(0);
  let p0 = none;
  let p1 = none;
  let p2 = none;
  let p3 = none;
  for (let rest = side; rest; rest &= rest - 1) {
    const terms = tile.edgeTerms(ctz(rest));
    const corner = i32x4.splat(
      load<i32>(tile.walk.now + (ctz(rest) << 2))
        + load<i32>(terms.quads + (column << 2))
        + row * load<i32>(terms.below)
    );
    p0 = v128.or(p0, i32x4.add(corner, v128.load(terms.samples)));
    p1 = v128.or(p1, i32x4.add(corner, v128.load(terms.samples + 16)));
    p2 = v128.or(p2, i32x4.add(corner, v128.load(terms.samples + 32)));
    p3 = v128.or(p3, i32x4.add(corner, v128.load(terms.samples + 48)));
  }
  return ~signBits16(p0, p1, p2, p3);
}
