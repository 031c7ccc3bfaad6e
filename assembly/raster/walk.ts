// Rasterises one triangle in one tile, from edges to covered quads. Edges are evaluated in i64 once per block and fit
// i32 within it.
//   small triangles  walk-small.ts
//   small boxes      quad by quad, without blocks
//   other boxes      blocks, each rejected, accepted whole, or partly covered; with Tile.packsWholeBlocks:
//   walk-ordered.ts
// `S` is the arrangement of samples (tile/layers.ts).

import { canShadeBlockFirst } from '../fragment/pack';
import {
  EARLY_NONE,
  STATUS_DONE,
  Tile,
  TILE_BLOCKS,
  TILE_SIZE,
  TileEdge,
  TRI_FLAG_SMALL,
  Triangle,
  TriangleEdge,
} from '../layout';
import { firstSample, lastSample, pixelAt } from '../simd/positions';
import { coverDepth, nearestSide } from '../tile/depth-blocks';
import { Four, hasLayer, isLayered, Layered, One, quadSamples, samplesOf } from '../tile/layers';
import {
  shadeAcceptedBlock,
  acceptBlock,
  acceptQuad,
  blockDepth,
  countHiddenBlock,
  isTriangleHidden,
  isTested,
} from './accept';
import { boxOfBlock, boxOfQuad, columnsOfBlock, restrictBlock4, rowsOfBlock, spread } from './box';
import { coverBlock1, coverBlock4, coverQuad4, fillCover } from './coverage';
import { coverBlock4Scalar, coverQuad1, edgeAt } from './coverage.scalar';
import { prepareEdges, nextBlock, packBlock1, packBlock4, startRow } from './walk-ordered';
import { rasterSmall, rasterSmallIn } from './walk-small';

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

/** Rasterises a triangle into a tile. Returns STATUS_*. */
export function rasterTriangle(tile: Tile, triangle: Triangle): i32 {
  const count = tile.samples;
  return count == 1
    ? raster<One>(tile, triangle)
    : count <= 4
      ? raster<Four>(tile, triangle)
      : raster<Layered>(tile, triangle);
}

/** Rasterises a triangle into one block of a tile, for a worker that has entered just that block. Returns STATUS_*. */
export function rasterInBlock(tile: Tile, triangle: Triangle, block: i32): i32 {
  const count = tile.samples;
  return count == 1
    ? rasterIn<One>(tile, triangle, block)
    : count <= 4
      ? rasterIn<Four>(tile, triangle, block)
      : rasterIn<Layered>(tile, triangle, block);
}

/**
 * Like the walks below, but a block that is covered and passes completely is shaded as a warp, also for opaque draw
 * calls.
 */
function rasterIn<S>(tile: Tile, triangle: Triangle, block: i32): i32 {
  if (triangle.flags & TRI_FLAG_SMALL) return rasterSmallIn<S>(tile, triangle, block);
  if (!noteBox(tile, triangle)) return STATUS_DONE;
  for (let i: usize = 0; i < 3; i++) moveEdge<S>(tile, tile.edge(i), triangle.edge(i));
  rangeEdges(tile);
  const x = (block & 7) << 3;
  const y = block & ~7;
  const side = blockSide<S>(tile, x, y);
  if (!side && tile.sampleMask == quadSamples<S>(tile) && boxOfBlock(tile, x, y) == ALL_PIXELS) {
    const depth = blockDepth(tile, triangle, block, true);
    if (depth > 0 && canShadeBlockFirst(tile, block)) {
      if (isTested(tile, depth)) coverDepth(tile, changetype<usize>(triangle), block);
      return shadeAcceptedBlock(tile, triangle, block);
    }
  }
  return walkBlock<S>(tile, triangle, block, side, samplesOf<S>() != 1 && isWide(tile), true);
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

function raster<S>(tile: Tile, triangle: Triangle): i32 {
  if (triangle.flags & TRI_FLAG_SMALL) return rasterSmall<S>(tile, triangle);
  if (!noteBox(tile, triangle)) return STATUS_DONE;
  // Decided by the box in the whole tile, so that the quads of a part of a tile come in the same order.
  const few = hasFewQuads(tile);
  if (tile.isPart && !restrictBox(tile)) return STATUS_DONE;
  if (few && isTriangleHidden(tile, triangle)) return countHiddenBlock(tile, false);
  for (let i: usize = 0; i < 3; i++) moveEdge<S>(tile, tile.edge(i), triangle.edge(i));
  if (few) return walkQuads<S>(tile, triangle);
  if ((!tile.packsWholeBlocks || samplesOf<S>() != 1) && coversTile(tile)) return takeBlocks<S>(tile, triangle);
  if (ASC_FEATURE_SIMD) {
    if (!isLayered<S>() && tile.samples == samplesOf<S>() && prepareEdges<S>(tile, tile.packsWholeBlocks != 0))
      return walkLanes<S>(tile, triangle);
  }
  return walkBlocks<S>(tile, triangle);
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

// Tried at one sample: the three edges in the lanes of a vector, as in walk-ordered.ts: no faster on teapots.
function walkQuads<S>(tile: Tile, triangle: Triangle): i32 {
  for (let y = tile.boxY0 & ~1; y < tile.boxY1; y += 2)
    for (let x = tile.boxX0 & ~1; x < tile.boxX1; x += 2) {
      const box = boxOfQuad(tile, x, y);
      const mask =
        quadCoverage<S>(tile, x, y) & (samplesOf<S>() == 1 ? <u64>box : <u64>spread(box) * 0x0001000100010001);
      const status = mask ? acceptQuad(tile, triangle, pixelAt(x, y) >> 2, mask) : STATUS_DONE;
      if (status != STATUS_DONE) return status;
    }
  return STATUS_DONE;
}

function walkBlocks<S>(tile: Tile, triangle: Triangle): i32 {
  rangeEdges(tile);
  const wide = samplesOf<S>() != 1 && isWide(tile);
  const large = isLarge(tile);
  for (let y = tile.boxY0 & ~7; y < tile.boxY1; y += 8)
    for (let x = tile.boxX0 & ~7; x < tile.boxX1; x += 8) {
      const status = walkBlock<S>(tile, triangle, y + (x >> 3), blockSide<S>(tile, x, y), wide, large);
      if (status != STATUS_DONE) return status;
    }
  return STATUS_DONE;
}

/** walkBlocks with the edges in the lanes of a vector. */
function walkLanes<S>(tile: Tile, triangle: Triangle): i32 {
  const packed = tile.packsWholeBlocks != 0;
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
      let status: i32;
      if (packed && (!tested || nearestSide(tile, triangle, block) > 0) && !load<u16>(tile.pending + (block << 1))) {
        // Tried at four samples: whole blocks as separate warps here too; the check made particles 2 % slower.
        status =
          samplesOf<S>() == 1
            ? packBlock1(tile, triangle, block, rows & columnsOfBlock(tile, x), side)
            : packBlock4(tile, triangle, x, y, side);
      } else {
        // The block's depths or deferred pixels must be examined. At four samples, this needs the edges that were
        // converted to masks.
        if (packed && samplesOf<S>() != 1) {
          if (!ranged) rangeEdges(tile);
          ranged = true;
          side = blockSide<S>(tile, x, y);
        }
        status = walkBlock<S>(tile, triangle, block, side, false, large);
      }
      if (status != STATUS_DONE) return status;
    }
  }
  return STATUS_DONE;
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

/**
 * Processes all blocks of a tile that a triangle covers, without evaluating edges again. Rasterising a full screen in
 * 48 layers went from 22 to 11 ms.
 */
function takeBlocks<S>(tile: Tile, triangle: Triangle): i32 {
  for (let block = 0; block < TILE_BLOCKS; block++) {
    const status = walkWhole<S>(tile, triangle, block);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** Processes a block in which the triangle covers all samples. */
// @ts-ignore: decorator
@inline
function walkWhole<S>(tile: Tile, triangle: Triangle, block: i32): i32 {
  const depth = blockDepth(tile, triangle, block, true);
  return depth < 0 ? countHiddenBlock(tile, true) : acceptBlock<S>(tile, triangle, block, ALL_PIXELS, depth, true);
}

/**
 * Processes a block. `side` is the result of blockSide. With `wide`, at more than one sample, edges must be evaluated
 * in i64 for every quad.
 */
function walkBlock<S>(tile: Tile, triangle: Triangle, block: i32, side: i32, wide: bool, large: bool): i32 {
  if (side < 0) return STATUS_DONE;
  const x = (block & 7) << 3;
  const y = block & ~7;
  const box = boxOfBlock(tile, x, y);
  if (!side && box == ALL_PIXELS) return walkWhole<S>(tile, triangle, block);
  const depth = blockDepth(tile, triangle, block, large);
  if (depth < 0) return countHiddenBlock(tile, false);
  if (samplesOf<S>() == 1) {
    const cover = side ? box & coverBlock1(tile, tile.walk.now, side) : box;
    if (cover != ALL_PIXELS) return cover ? acceptBlock<S>(tile, triangle, block, cover, depth, false) : STATUS_DONE;
    return large ? acceptBlock<S>(tile, triangle, block, cover, depth, true) : walkWhole<S>(tile, triangle, block);
  }
  let quads = 0;
  let layer = 0;
  do {
    const covered = coverLayer(tile, layer, block, side, wide);
    quads |= box == ALL_PIXELS ? covered : restrictBlock4(tile.coverOf(layer), covered, box);
  } while (hasLayer<S>(tile, ++layer));
  return quads ? acceptBlock<S>(tile, triangle, block, <u64>quads, depth, false) : STATUS_DONE;
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

/** Writes the coverage of a block by the edges of `side`, in a layer, to Tile.cover. Returns the touched quads. */
// @ts-ignore: decorator
@inline
function coverLayer(tile: Tile, layer: i32, block: i32, side: i32, wide: bool): i32 {
  if (wide) return coverBlock4Scalar(tile, layer, block, side);
  if (side) return coverBlock4(tile, layer, block, side);
  fillCover(tile.coverOf(layer));
  return 0xffff;
}
