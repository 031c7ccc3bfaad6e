// One triangle in one tile: from edges to covered quads. Edges are evaluated in i64 once a block, then fit i32 within it.
//   small triangles  walk-small.ts
//   small boxes      quad by quad, no blocks
//   other boxes      blocks, each rejected, accepted whole, or covered in part; those of plain draws that are shaded in order: walk-ordered.ts
// `S`: how samples lie (tile/layers.ts).

import {
  COVER_SHIFT, CTX_BOX_X0, CTX_BOX_X1, CTX_BOX_Y0, CTX_BOX_Y1, CTX_COVER, CTX_EARLY, CTX_EDGES, CTX_PENDING, CTX_PLAIN, CTX_SAMPLE_COUNT, CTX_TILE_X, CTX_TILE_Y,
  EARLY_NONE, EDGE_A, EDGE_B, EDGE_BYTES, EDGE_LEAST, EDGE_MOST, EDGE_VALUE,
} from '../layout/context';
import { TILE_BLOCKS, TILE_SIZE } from '../layout/limits';
import { STATUS_DONE } from '../layout/status';
import {
  TRI_EDGES, TRI_EDGE_A, TRI_EDGE_B, TRI_EDGE_BYTES, TRI_EDGE_C, TRI_FLAG_SMALL, TRI_FLAGS, TRI_MAX_X, TRI_MAX_Y, TRI_MIN_X, TRI_MIN_Y,
} from '../layout/triangle';
import { ownSide } from '../output/depth-blocks';
import { firstSample, lastSample } from '../simd/positions';
import { Four, Layered, layersOf, One, positionsOf, samplesOf } from '../tile/layers';
import { boxOfBlock, boxOfQuad, columnsOfBlock, restrictBlock4, rowsOfBlock, spread } from './box';
import { coverBlock1, coverBlock4, coverQuad1, coverQuad4 } from './coverage';
import { acceptBlock, acceptQuad, blockDepth, hideBlock, isBehind } from './accept';
import { layEdges, nextBlock, packBlock1, packBlock4, startRow } from './walk-ordered';
import { pixelAt, rasterSmall } from './walk-small';

/** Triangles whose box has at most this many quads are walked quad by quad: cheaper than one 8×8 block at four samples. */
const SMALL_QUADS = 6;
/** Sides of the box from which on a triangle's depth is looked at block by block: its own bounds say too little. */
const LARGE_PIXELS = 32;
/** Edge values are cut to this: beyond it no step within a block or quad changes the sign. */
const EDGE_LIMIT: i64 = 1 << 30;
/** All pixels of a block; all of its quads. */
const ALL_PIXELS = u64.MAX_VALUE;
/** |A| + |B| up to which the samples of a block stay within i32 around a cut value. */
const BLOCK_SLOPE: i32 = 1 << 22;

/** Rasterises a triangle into the tile of the context. Returns STATUS_*. */
export function rasterTriangle(context: usize, triangle: usize): i32 {
  const count = load<i32>(context, CTX_SAMPLE_COUNT);
  return count == 1 ? raster<One>(context, triangle) : count <= 4 ? raster<Four>(context, triangle) : raster<Layered>(context, triangle);
}

function raster<S>(context: usize, triangle: usize): i32 {
  if (load<u32>(triangle + TRI_FLAGS) & TRI_FLAG_SMALL) return rasterSmall<S>(context, triangle);
  const tileX = load<i32>(context + CTX_TILE_X);
  const tileY = load<i32>(context + CTX_TILE_Y);
  const x0 = greater(load<i32>(triangle + TRI_MIN_X) - tileX, 0);
  const y0 = greater(load<i32>(triangle + TRI_MIN_Y) - tileY, 0);
  const x1 = lesser(load<i32>(triangle + TRI_MAX_X) - tileX, TILE_SIZE);
  const y1 = lesser(load<i32>(triangle + TRI_MAX_Y) - tileY, TILE_SIZE);
  if (x0 >= x1 || y0 >= y1) return STATUS_DONE;
  store<i32>(context + CTX_BOX_X0, x0);
  store<i32>(context + CTX_BOX_Y0, y0);
  store<i32>(context + CTX_BOX_X1, x1);
  store<i32>(context + CTX_BOX_Y1, y1);
  const quads = (((x1 - 1) >> 1) - (x0 >> 1) + 1) * (((y1 - 1) >> 1) - (y0 >> 1) + 1);
  if (quads <= SMALL_QUADS && isBehind(context, triangle, x0, y0, x1, y1)) return hideBlock(context, false);
  for (let i: usize = 0; i < 3; i++) {
    tileEdge(context + CTX_EDGES + i * EDGE_BYTES, triangle + TRI_EDGES + i * TRI_EDGE_BYTES, tileX, tileY, samplesOf<S>());
  }
  if (quads <= SMALL_QUADS) return walkQuads<S>(context, triangle);
  if (ASC_FEATURE_SIMD) {
    if (load<i32>(context + CTX_PLAIN) && layEdges<S>(context)) return walkOrdered<S>(context, triangle);
  }
  for (let i: usize = 0; i < 3; i++) blockRange(context + CTX_EDGES + i * EDGE_BYTES, load<i32>(context, CTX_SAMPLE_COUNT));
  return walkBlocks<S>(context, triangle);
}

/** Moves an edge to the tile's corner and drops the low bits that are the same for all samples. */
function tileEdge(edge: usize, source: usize, tileX: i32, tileY: i32, samples: i32): void {
  const a = load<i32>(source + TRI_EDGE_A);
  const b = load<i32>(source + TRI_EDGE_B);
  const c = load<i64>(source + TRI_EDGE_C);
  const corner = c + <i64>a * (<i64>tileX << 8) + <i64>b * (<i64>tileY << 8);
  // Samples lie at (8.8 fixed point) 128 of each pixel at one sample, on multiples of 16 at four.
  store<i64>(edge, samples == 1 ? (corner + (<i64>a << 7) + (<i64>b << 7)) >> 8 : corner >> 4, EDGE_VALUE);
  store<i32>(edge, a, EDGE_A);
  store<i32>(edge, b, EDGE_B);
}

/** Least and most that the samples of a block, `samples` a pixel, add to the edge's value at its corner. */
function blockRange(edge: usize, samples: i32): void {
  const a = <i64>load<i32>(edge + EDGE_A);
  const b = <i64>load<i32>(edge + EDGE_B);
  // Pixels 0 … 7 at one sample; sixteenths, 2 … 126 at four.
  const first: i64 = samples == 1 ? 0 : firstSample(samples);
  const last: i64 = samples == 1 ? 7 : 112 + lastSample(samples);
  store<i64>(edge, (a < 0 ? a * last : a * first) + (b < 0 ? b * last : b * first), EDGE_LEAST);
  store<i64>(edge, (a > 0 ? a * last : a * first) + (b > 0 ? b * last : b * first), EDGE_MOST);
}

/** An edge's value at a position (pixels within the tile), cut to i32. */
// @ts-ignore: decorator
@inline
function edgeAt(edge: usize, x: i32, y: i32, shift: i32): i32 {
  const value = load<i64>(edge, EDGE_VALUE)
    + <i64>load<i32>(edge, EDGE_A) * (<i64>x << shift) + <i64>load<i32>(edge, EDGE_B) * (<i64>y << shift);
  return <i32>(value > EDGE_LIMIT ? EDGE_LIMIT : value < -EDGE_LIMIT ? -EDGE_LIMIT : value);
}

/** Samples of the quad at (x, y) inside all edges. */
function quadCoverage<S>(context: usize, x: i32, y: i32): u64 {
  if (samplesOf<S>() == 1) {
    const first = context + CTX_EDGES;
    const second = first + EDGE_BYTES;
    const third = second + EDGE_BYTES;
    return <u64>coverQuad1(
      edgeAt(first, x, y, 0), load<i32>(first, EDGE_A), load<i32>(first, EDGE_B),
      edgeAt(second, x, y, 0), load<i32>(second, EDGE_A), load<i32>(second, EDGE_B),
      edgeAt(third, x, y, 0), load<i32>(third, EDGE_A), load<i32>(third, EDGE_B));
  }
  let mask: u64 = 0;
  for (let layer = 0; layer < layersOf<S>(context); layer++) mask |= <u64>layerCoverage(context, layer, x, y) << <u64>(layer << 4);
  return mask;
}

/** What a layer has of that. */
function layerCoverage(context: usize, layer: i32, x: i32, y: i32): i32 {
  const first = context + CTX_EDGES;
  const second = first + EDGE_BYTES;
  const third = second + EDGE_BYTES;
  return coverQuad4(
    positionsOf(context, layer), edgeAt(first, x, y, 4), load<i32>(first, EDGE_A), load<i32>(first, EDGE_B),
    edgeAt(second, x, y, 4), load<i32>(second, EDGE_A), load<i32>(second, EDGE_B),
    edgeAt(third, x, y, 4), load<i32>(third, EDGE_A), load<i32>(third, EDGE_B));
}

function walkQuads<S>(context: usize, triangle: usize): i32 {
  const x1 = load<i32>(context + CTX_BOX_X1);
  const y1 = load<i32>(context + CTX_BOX_Y1);
  for (let y = load<i32>(context + CTX_BOX_Y0) & ~1; y < y1; y += 2) {
    for (let x = load<i32>(context + CTX_BOX_X0) & ~1; x < x1; x += 2) {
      const box = boxOfQuad(context, x, y);
      const mask = quadCoverage<S>(context, x, y) & (samplesOf<S>() == 1 ? <u64>box : <u64>spread(box) * 0x0001000100010001);
      if (!mask) continue;
      const status = acceptQuad(context, triangle, pixelAt(x, y) >> 2, mask);
      if (status != STATUS_DONE) return status;
    }
  }
  return STATUS_DONE;
}

function walkBlocks<S>(context: usize, triangle: usize): i32 {
  if (coversTile(context)) return takeBlocks<S>(context, triangle);
  const wide = samplesOf<S>() != 1 && isWide(context);
  const x1 = load<i32>(context + CTX_BOX_X1);
  const y1 = load<i32>(context + CTX_BOX_Y1);
  const large = x1 - load<i32>(context + CTX_BOX_X0) > LARGE_PIXELS || y1 - load<i32>(context + CTX_BOX_Y0) > LARGE_PIXELS;
  for (let y = load<i32>(context + CTX_BOX_Y0) & ~7; y < y1; y += 8) {
    for (let x = load<i32>(context + CTX_BOX_X0) & ~7; x < x1; x += 8) {
      const status = walkBlock<S>(context, triangle, x, y, wide, large);
      if (status != STATUS_DONE) return status;
    }
  }
  return STATUS_DONE;
}

/** Whether all samples of the tile are inside the box and all edges. */
function coversTile(context: usize): bool {
  if (load<i32>(context + CTX_BOX_X0) | load<i32>(context + CTX_BOX_Y0)) return false;
  if (load<i32>(context + CTX_BOX_X1) != TILE_SIZE || load<i32>(context + CTX_BOX_Y1) != TILE_SIZE) return false;
  // As in blockRange.
  const count = load<i32>(context, CTX_SAMPLE_COUNT);
  const first: i64 = count == 1 ? 0 : firstSample(count);
  const last: i64 = count == 1 ? TILE_SIZE - 1 : ((TILE_SIZE - 1) << 4) + lastSample(count);
  for (let i: usize = 0; i < 3; i++) {
    const edge = context + CTX_EDGES + i * EDGE_BYTES;
    const a = <i64>load<i32>(edge, EDGE_A);
    const b = <i64>load<i32>(edge, EDGE_B);
    if (load<i64>(edge, EDGE_VALUE) + (a < 0 ? a * last : a * first) + (b < 0 ? b * last : b * first) < 0) return false;
  }
  return true;
}

/** All blocks of a tile that a triangle covers: no edge is looked at again. Raster of a full screen in 48 layers: 22 → 11 ms. */
function takeBlocks<S>(context: usize, triangle: usize): i32 {
  for (let block = 0; block < TILE_BLOCKS; block++) {
    const depth = blockDepth(context, triangle, block, true);
    const status = depth < 0 ? hideBlock(context, true) : acceptBlock<S>(context, triangle, block, ALL_PIXELS, depth, true);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

function walkBlock<S>(context: usize, triangle: usize, x: i32, y: i32, wide: bool, large: bool): i32 {
  const side = blockSide(context, x, y, samplesOf<S>() == 1 ? 0 : 4);
  if (side < 0) return STATUS_DONE;
  const block = y + (x >> 3);
  const box = boxOfBlock(context, x, y);
  const inside = !side && box == ALL_PIXELS;
  const depth = blockDepth(context, triangle, block, inside || large);
  if (depth < 0) return hideBlock(context, inside);
  if (inside) return acceptBlock<S>(context, triangle, block, ALL_PIXELS, depth, true);
  if (samplesOf<S>() == 1) {
    const cover = side ? box & insideEdges(context, x, y) : box;
    if (cover != ALL_PIXELS || large) return cover ? acceptBlock<S>(context, triangle, block, cover, depth, cover == ALL_PIXELS) : STATUS_DONE;
    const known = blockDepth(context, triangle, block, true);
    return known < 0 ? hideBlock(context, true) : acceptBlock<S>(context, triangle, block, cover, known, true);
  }
  let quads = 0;
  for (let layer = 0; layer < layersOf<S>(context); layer++) {
    const covered = coverLayer(context, layer, x, y, side, wide);
    quads |= box == ALL_PIXELS ? covered : restrictBlock4(context + CTX_COVER + (<usize>layer << COVER_SHIFT), covered, box);
  }
  return quads ? acceptBlock<S>(context, triangle, block, <u64>quads, depth, false) : STATUS_DONE;
}

/** One sample: pixels of the block at (x, y) inside all edges. */
// @ts-ignore: decorator
@inline
function insideEdges(context: usize, x: i32, y: i32): u64 {
  const first = context + CTX_EDGES;
  const second = first + EDGE_BYTES;
  const third = second + EDGE_BYTES;
  return coverBlock1(
    edgeAt(first, x, y, 0), load<i32>(first, EDGE_A), load<i32>(first, EDGE_B),
    edgeAt(second, x, y, 0), load<i32>(second, EDGE_A), load<i32>(second, EDGE_B),
    edgeAt(third, x, y, 0), load<i32>(third, EDGE_A), load<i32>(third, EDGE_B));
}

/** walkBlocks for a draw with CTX_PLAIN, whose edges have been laid out. */
function walkOrdered<S>(context: usize, triangle: usize): i32 {
  const tested = load<i32>(context + CTX_EARLY) != EARLY_NONE;
  const x0 = load<i32>(context + CTX_BOX_X0) & ~7;
  const x1 = load<i32>(context + CTX_BOX_X1);
  const y0 = load<i32>(context + CTX_BOX_Y0) & ~7;
  const y1 = load<i32>(context + CTX_BOX_Y1);
  let ranged = false;
  for (let y = y0; y < y1; y += 8) {
    startRow(context, (y - y0) >> 3);
    const rows = rowsOfBlock(context, y);
    for (let x = x0; x < x1; x += 8) {
      const side = nextBlock(context);
      if (side < 0) continue;
      const block = y + (x >> 3);
      let status: i32;
      if ((!tested || ownSide(context, triangle, block) > 0) && !load<u16>(context + CTX_PENDING + (<usize>block << 1))) {
        status = samplesOf<S>() == 1 ? packBlock1(context, triangle, block, rows & columnsOfBlock(context, x), side) : packBlock4(context, triangle, x, y, side);
      } else {
        // Depths, or what is shaded later there, have to be looked at.
        if (!ranged) for (let i: usize = 0; i < 3; i++) blockRange(context + CTX_EDGES + i * EDGE_BYTES, load<i32>(context, CTX_SAMPLE_COUNT));
        ranged = true;
        status = walkBlock<S>(context, triangle, x, y, false, true);
      }
      if (status != STATUS_DONE) return status;
    }
  }
  return STATUS_DONE;
}

/** Some edge too steep for a block in i32. */
function isWide(context: usize): bool {
  for (let i: usize = 0; i < 3; i++) {
    const edge = context + CTX_EDGES + i * EDGE_BYTES;
    if (abs<i32>(load<i32>(edge, EDGE_A)) + abs<i32>(load<i32>(edge, EDGE_B)) > BLOCK_SLOPE) return true;
  }
  return false;
}

/** Where a block lies: -1 outside some edge, else a bit for each edge that crosses it (0: inside all of them). */
function blockSide(context: usize, x: i32, y: i32, shift: i32): i32 {
  let side = 0;
  for (let i: usize = 0; i < 3; i++) {
    const edge = context + CTX_EDGES + i * EDGE_BYTES;
    const value = load<i64>(edge, EDGE_VALUE)
      + <i64>load<i32>(edge, EDGE_A) * (<i64>x << shift) + <i64>load<i32>(edge, EDGE_B) * (<i64>y << shift);
    if (value + load<i64>(edge, EDGE_MOST) < 0) return -1;
    if (value + load<i64>(edge, EDGE_LEAST) < 0) side |= 1 << <i32>i;
  }
  return side;
}

/** Coverage of the block at (x, y) by the edges of `side`, in a layer, to CTX_COVER; gives the quads that are touched. */
// @ts-ignore: decorator
@inline
function coverLayer(context: usize, layer: i32, x: i32, y: i32, side: i32, wide: bool): i32 {
  const out = context + CTX_COVER + (<usize>layer << COVER_SHIFT);
  if (!side) {
    memory.fill(out, 0xff, 1 << COVER_SHIFT);
    return 0xffff;
  }
  if (wide) return coverWide(context, layer, out, x, y);
  // The edges that cross the block, in order.
  const count = popcnt(side);
  const first = context + CTX_EDGES + <usize>ctz(side) * EDGE_BYTES;
  const second = context + CTX_EDGES + (side == 3 || side == 7 ? <usize>EDGE_BYTES : <usize>(2 * EDGE_BYTES));
  const third = context + CTX_EDGES + 2 * EDGE_BYTES;
  return coverBlock4(
    out, positionsOf(context, layer), count, edgeAt(first, x, y, 4), load<i32>(first, EDGE_A), load<i32>(first, EDGE_B),
    count > 1 ? edgeAt(second, x, y, 4) : 0, count > 1 ? load<i32>(second, EDGE_A) : 0, count > 1 ? load<i32>(second, EDGE_B) : 0,
    count > 2 ? edgeAt(third, x, y, 4) : 0, count > 2 ? load<i32>(third, EDGE_A) : 0, count > 2 ? load<i32>(third, EDGE_B) : 0);
}

/** coverBlock4 for edges that need i64 at every quad. */
function coverWide(context: usize, layer: i32, out: usize, x: i32, y: i32): i32 {
  let quads = 0;
  for (let quad = 0; quad < 16; quad++) {
    const mask = layerCoverage(context, layer, x + ((quad & 3) << 1), y + ((quad >> 2) << 1));
    store<u16>(out + (<usize>quad << 1), mask);
    quads |= <i32>(mask != 0) << quad;
  }
  return quads;
}

// @ts-ignore: decorator
@inline
function greater(a: i32, b: i32): i32 { return a > b ? a : b; }

// @ts-ignore: decorator
@inline
function lesser(a: i32, b: i32): i32 { return a < b ? a : b; }
