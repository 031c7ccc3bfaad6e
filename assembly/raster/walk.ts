// Rasterises one triangle in one tile: finds what it covers and appends it to the tile's queue of work items
// (tile/work.ts). Edges are evaluated in i64 once per block and fit i32 within it.
//   small triangles  quad by quad, from the coverage in their record
//   small boxes      quad by quad, without blocks
//   other boxes      blocks, each rejected, covered whole, or partly covered; walk-lanes.ts if the edges fit i32
// Nothing is tested or shaded here, except that a block is dropped whose depth bounds hide the triangle. `S` is the
// arrangement of samples (tile/layers.ts).

import {
  EARLY_NONE,
  Tile,
  TILE_SIZE,
  TileEdge,
  TRI_FLAG_SMALL,
  Triangle,
  TriangleEdge,
  WORK_PART,
  WORK_PASSED,
  WORK_QUAD,
  WORK_TILE,
  WORK_WHOLE,
} from '../layout';
import { firstSample, lastSample, pixelAt } from '../simd/positions';
import { blockDepth, isTriangleHidden } from '../tile/block-depth';
import { nearestSide } from '../tile/depth-blocks';
import { hasLayer, isLayered, samplesOf } from '../tile/layers';
import { countHiddenBlock } from '../tile/pending';
import { quadOfSmall } from '../tile/small-cover';
import { beginWork, putBlockWork, putWork } from '../tile/work';
import { boxOfBlock, boxOfQuad, columnsOfBlock, rowsOfBlock, spread } from './box';
import { coverBlock1, coverBlock4, coverQuad4 } from './coverage';
import { coverBlock4Scalar, coverQuad1, edgeAt } from './coverage.scalar';
import { coverLanes4, nextBlock, prepareEdges, startRow } from './walk-lanes';

/**
 * Triangles whose box has at most this many quads are walked quad by quad, which is cheaper than one 8×8 block at four
 * samples.
 */
const SMALL_QUADS = 6;
/**
 * Side of the box above which a triangle's depth is evaluated block by block, because its depth bounds say too little.
 */
const LARGE_PIXELS = 32;
/** All pixels of a block. */
const ALL_PIXELS = u64.MAX_VALUE;
/** Limit of |A| + |B| up to which a block's samples stay within i32 around a clamped value. */
const BLOCK_SLOPE: i32 = 1 << 22;

/** Rasterises a triangle into a tile. */
export function rasterTriangle<S>(tile: Tile, triangle: Triangle): void {
  beginWork(tile);
  if (triangle.flags & TRI_FLAG_SMALL) {
    smallQuads<S>(tile, triangle, -1);
    return;
  }
  if (!noteBox(tile, triangle)) return;
  // Decided by the box in the whole tile, so that the quads of a part of a tile come in the same order.
  const few = hasFewQuads(tile);
  if (tile.isPart && !restrictBox(tile)) return;
  if (few && isTriangleHidden(tile, triangle)) {
    countHiddenBlock(tile, false);
    return;
  }
  for (let i: usize = 0; i < 3; i++) moveEdge<S>(tile, tile.edge(i), triangle.edge(i));
  if (few) walkQuads<S>(tile);
  else if ((!tile.packsWholeBlocks || samplesOf<S>() != 1) && coversTile(tile)) {
    putWork<S>(tile, WORK_TILE, 0, ALL_PIXELS);
  } else {
    if (ASC_FEATURE_SIMD) if (walkLanes<S>(tile, triangle)) return;
    walkBlocks<S>(tile, triangle);
  }
}

/** Rasterises a triangle into one block of a tile, for a worker that has entered just that block. */
export function rasterInBlock<S>(tile: Tile, triangle: Triangle, block: i32): void {
  beginWork(tile);
  if (triangle.flags & TRI_FLAG_SMALL) {
    smallQuads<S>(tile, triangle, block);
    return;
  }
  if (!noteBox(tile, triangle)) return;
  for (let i: usize = 0; i < 3; i++) moveEdge<S>(tile, tile.edge(i), triangle.edge(i));
  rangeEdges(tile);
  const side = blockSide<S>(tile, (block & 7) << 3, block & ~7);
  walkBlock<S>(tile, triangle, block, side, samplesOf<S>() != 1 && isWide(tile), true);
}

/** Sets the triangle's box within the tile. Returns whether it is not empty. */
// @ts-ignore: decorator
@inline
function noteBox(tile: Tile, triangle: Triangle): bool {
  const x0 = max<i32>(triangle.minX - tile.x, 0);
  const y0 = max<i32>(triangle.minY - tile.y, 0);
  const x1 = min<i32>(triangle.maxX - tile.x, TILE_SIZE);
  const y1 = min<i32>(triangle.maxY - tile.y, TILE_SIZE);
  tile.boxX0 = x0;
  tile.boxY0 = y0;
  tile.boxX1 = x1;
  tile.boxY1 = y1;
  return x0 < x1 && y0 < y1;
}

/** Restricts the triangle's box to the part of the tile that is drawn. Returns whether it is not empty. */
function restrictBox(tile: Tile): bool {
  tile.boxX0 = max<i32>(tile.boxX0, tile.partX0);
  tile.boxY0 = max<i32>(tile.boxY0, tile.partY0);
  tile.boxX1 = min<i32>(tile.boxX1, tile.partX1);
  tile.boxY1 = min<i32>(tile.boxY1, tile.partY1);
  return tile.boxX0 < tile.boxX1 && tile.boxY0 < tile.boxY1;
}

/** Whether the triangle's box intersects so few quads that it is walked quad by quad. */
// @ts-ignore: decorator
@inline
function hasFewQuads(tile: Tile): bool {
  const columns = ((tile.boxX1 - 1) >> 1) - (tile.boxX0 >> 1) + 1;
  const rows = ((tile.boxY1 - 1) >> 1) - (tile.boxY0 >> 1) + 1;
  return columns * rows <= SMALL_QUADS;
}

/** Whether a triangle is walked quad by quad, row by row, in the whole tile, rather than block by block. */
export function isWalkedByQuads(tile: Tile, triangle: Triangle): bool {
  return (triangle.flags & TRI_FLAG_SMALL) != 0 || (noteBox(tile, triangle) && hasFewQuads(tile));
}

/** Moves an edge to the tile's corner and drops the low bits, which are the same for all samples. */
// @ts-ignore: decorator
@inline
function moveEdge<S>(tile: Tile, edge: TileEdge, source: TriangleEdge): void {
  const a = source.a;
  const b = source.b;
  const corner = source.c + <i64>a * ((<i64>tile.x) << 8) + <i64>b * ((<i64>tile.y) << 8);
  // Sample positions in 8.8 fixed point: 128 within each pixel at one sample, multiples of 16 at four.
  edge.value = samplesOf<S>() == 1 ? (corner + ((<i64>a) << 7) + ((<i64>b) << 7)) >> 8 : corner >> 4;
  edge.a = a;
  edge.b = b;
}

/** First and last position of a sample in `pixels` adjacent pixels, in the units of an edge's steps. */
function firstOf(tile: Tile): i64 {
  return tile.samples == 1 ? 0 : firstSample(tile.samples);
}
function lastOf(tile: Tile, pixels: i32): i64 {
  return tile.samples == 1 ? pixels - 1 : ((pixels - 1) << 4) + lastSample(tile.samples);
}

/** The least that steps from `first` to `last` in x and in y add to an edge's value. */
function minOf(edge: TileEdge, first: i64, last: i64): i64 {
  return edge.a * (edge.a < 0 ? last : first) + edge.b * (edge.b < 0 ? last : first);
}

/** Computes the least and the most that a block's samples add to the values at its corner. */
function rangeEdges(tile: Tile): void {
  const first = firstOf(tile);
  const last = lastOf(tile, 8);
  for (let i: usize = 0; i < 3; i++) {
    const edge = tile.edge(i);
    edge.minDelta = minOf(edge, first, last);
    edge.maxDelta = (first + last) * (<i64>edge.a + edge.b) - edge.minDelta;
  }
}

/** Samples of the quad at (x, y) inside all edges. */
function quadCoverage<S>(tile: Tile, x: i32, y: i32): u64 {
  if (samplesOf<S>() == 1) return <u64>coverQuad1(tile, x, y);
  let mask: u64 = 0;
  let layer = 0;
  do mask |= (<u64>coverQuad4(tile, layer, x, y)) << u64(layer << 4);
  while (hasLayer<S>(tile, ++layer));
  return mask;
}

// Tried at one sample: the three edges in the lanes of a vector, as in walk-lanes.ts: no faster on teapots.
function walkQuads<S>(tile: Tile): void {
  for (let y = tile.boxY0 & ~1; y < tile.boxY1; y += 2)
    for (let x = tile.boxX0 & ~1; x < tile.boxX1; x += 2)
      putQuad<S>(tile, x, y, quadCoverage<S>(tile, x, y) & boxSamples<S>(tile, x, y));
}

/** The samples of the quad at (x, y) that are in the box. */
function boxSamples<S>(tile: Tile, x: i32, y: i32): u64 {
  const box = boxOfQuad(tile, x, y);
  return samplesOf<S>() == 1 ? <u64>box : <u64>spread(box) * 0x0001000100010001;
}

// @ts-ignore: decorator
@inline
function putQuad<S>(tile: Tile, x: i32, y: i32, mask: u64): void {
  if (mask) putWork<S>(tile, WORK_QUAD, pixelAt(x, y) >> 2, mask);
}

/** Walks the quads of a small triangle, in `block` or, with -1, in all blocks. */
function smallQuads<S>(tile: Tile, triangle: Triangle, block: i32): void {
  const x = triangle.minX - tile.x;
  const y = triangle.minY - tile.y;
  for (let qy = y & ~1; qy < y + 4; qy += 2)
    for (let qx = x & ~1; qx < x + 4; qx += 2) {
      if ((qx | qy) & ~63 || (block >= 0 && block != (qy & ~7) + (qx >> 3))) continue;
      const mask = quadOfSmall<S>(tile, triangle, qx - x, qy - y);
      putQuad<S>(tile, qx, qy, tile.isPart ? mask & partOfQuad<S>(tile, qx, qy) : mask);
    }
}

/** The samples of a quad that are in the part of the tile that is drawn. */
function partOfQuad<S>(tile: Tile, x: i32, y: i32): u64 {
  if (x + 1 < tile.partX0 || x >= tile.partX1 || y + 1 < tile.partY0 || y >= tile.partY1) return 0;
  tile.boxX0 = tile.partX0;
  tile.boxY0 = tile.partY0;
  tile.boxX1 = tile.partX1;
  tile.boxY1 = tile.partY1;
  return boxSamples<S>(tile, x, y);
}

function walkBlocks<S>(tile: Tile, triangle: Triangle): void {
  rangeEdges(tile);
  const wide = samplesOf<S>() != 1 && isWide(tile);
  const large = isLarge(tile);
  for (let y = tile.boxY0 & ~7; y < tile.boxY1; y += 8)
    for (let x = tile.boxX0 & ~7; x < tile.boxX1; x += 8)
      walkBlock<S>(tile, triangle, y + (x >> 3), blockSide<S>(tile, x, y), wide, large);
}

/** walkBlocks with the edges in the lanes of a vector. Returns false if they do not fit. */
function walkLanes<S>(tile: Tile, triangle: Triangle): bool {
  const packed = tile.packsWholeBlocks != 0;
  if (isLayered<S>() || tile.samples != samplesOf<S>() || !prepareEdges<S>(tile, packed)) return false;
  const large = packed || isLarge(tile);
  const tested = tile.early != EARLY_NONE;
  const y0 = tile.boxY0 & ~7;
  let ranged = samplesOf<S>() == 1;
  for (let y = y0; y < tile.boxY1; y += 8) {
    startRow(tile, (y - y0) >> 3);
    const rows = rowsOfBlock(tile, y);
    for (let x = tile.boxX0 & ~7; x < tile.boxX1; x += 8) {
      let side = nextBlock(tile);
      if (side < 0) continue;
      const block = y + (x >> 3);
      if (packed && (!tested || nearestSide(tile, triangle, block) > 0) && !load<u16>(tile.pending + (block << 1))) {
        // Tried at four samples: whole blocks as separate warps here too; the check made particles 2 % slower.
        let cover = rows & columnsOfBlock(tile, x);
        if (samplesOf<S>() == 1) cover &= coverBlock1(tile, tile.walk.now, side);
        else coverLanes4(tile, x, y, side);
        if (cover) putWork<S>(tile, WORK_PASSED, block, cover);
        continue;
      }
      // The block's depths or deferred pixels must be examined. At four samples, this needs the edges that were
      // converted to masks.
      if (packed && samplesOf<S>() != 1) {
        if (!ranged) rangeEdges(tile);
        ranged = true;
        side = blockSide<S>(tile, x, y);
      }
      walkBlock<S>(tile, triangle, block, side, false, large);
    }
  }
  return true;
}

/** Whether a triangle's depth is evaluated block by block, because its depth bounds say too little. */
function isLarge(tile: Tile): bool {
  return tile.boxX1 - tile.boxX0 > LARGE_PIXELS || tile.boxY1 - tile.boxY0 > LARGE_PIXELS;
}

/** Whether all samples of the tile are inside the box and all edges. */
function coversTile(tile: Tile): bool {
  if (tile.boxX0 | tile.boxY0 | (tile.boxX1 ^ TILE_SIZE) | (tile.boxY1 ^ TILE_SIZE)) return false;
  const first = firstOf(tile);
  const last = lastOf(tile, TILE_SIZE);
  for (let i: usize = 0; i < 3; i++) if (tile.edge(i).value + minOf(tile.edge(i), first, last) < 0) return false;
  return true;
}

/** Appends a block in which the triangle covers all samples. */
function walkWhole<S>(tile: Tile, triangle: Triangle, block: i32): void {
  const depth = blockDepth(tile, triangle, block, true);
  if (depth < 0) countHiddenBlock(tile, true);
  else putBlockWork<S>(tile, WORK_WHOLE, block, ALL_PIXELS, depth);
}

/**
 * Appends what is covered of a block. `side` is the result of blockSide. With `wide`, at more than one sample, edges
 * must be evaluated in i64 for every quad.
 */
function walkBlock<S>(tile: Tile, triangle: Triangle, block: i32, side: i32, wide: bool, large: bool): void {
  if (side < 0) return;
  const box = samplesOf<S>() == 1 || !side ? boxOfBlock(tile, (block & 7) << 3, block & ~7) : 0;
  if (!side && box == ALL_PIXELS) {
    walkWhole<S>(tile, triangle, block);
    return;
  }
  const depth = blockDepth(tile, triangle, block, large);
  if (depth < 0) {
    countHiddenBlock(tile, false);
    return;
  }
  let cover: u64 = 0;
  if (samplesOf<S>() == 1) {
    cover = side ? box & coverBlock1(tile, tile.walk.now, side) : box;
    if (cover == ALL_PIXELS) {
      if (large) putBlockWork<S>(tile, WORK_WHOLE, block, cover, depth);
      else walkWhole<S>(tile, triangle, block);
      return;
    }
  } else {
    let layer = 0;
    do cover |= <u64>(wide ? coverBlock4Scalar(tile, layer, block, side) : coverBlock4(tile, layer, block, side));
    while (hasLayer<S>(tile, ++layer));
  }
  if (cover) putBlockWork<S>(tile, WORK_PART, block, cover, depth);
}

/** Whether some edge is too steep for a block in i32. */
function isWide(tile: Tile): bool {
  for (let i: usize = 0; i < 3; i++) if (abs<i32>(tile.edge(i).a) + abs<i32>(tile.edge(i).b) > BLOCK_SLOPE) return true;
  return false;
}

/**
 * Position of a block: -1 if it is outside some edge, else a bit for each edge that crosses it (0 if it is inside all
 * of them). At one sample, writes the edges' values there to Tile.walk, as nextBlock does.
 */
// @ts-ignore: decorator
@inline
function blockSide<S>(tile: Tile, x: i32, y: i32): i32 {
  const shift = samplesOf<S>() == 1 ? 0 : 4;
  let side = 0;
  for (let i: usize = 0; i < 3; i++) {
    const edge = tile.edge(i);
    const value = edge.value + <i64>edge.a * (x << shift) + <i64>edge.b * (y << shift);
    if (value + edge.maxDelta < 0) return -1;
    side |= i32(value + edge.minDelta < 0) << i;
    if (samplesOf<S>() == 1) store<i32>(tile.walk.now + (i << 2), edgeAt<S>(edge, x, y));
  }
  return side;
}
