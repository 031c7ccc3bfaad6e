// One triangle in one tile: from edges to covered quads. Edges are evaluated in i64 once a block, then fit i32 within it.
//   small triangles  walk-small.ts
//   small boxes      quad by quad, no blocks
//   other boxes      blocks, each rejected, accepted whole, or covered in part; those of plain draws that are shaded in order: walk-ordered.ts
// `S`: how samples lie (tile/layers.ts).

import { TILE_BLOCKS, TILE_SIZE } from '../layout/limits';
import { STATUS_DONE } from '../layout/status';
import { TILE_EDGE_BYTES, Tile, TileEdge } from '../layout/tile';
import { COVER_SHIFT, EARLY_NONE } from '../layout/tile-codes';
import { Triangle, TriangleEdge } from '../layout/triangle';
import { TRI_FLAG_SMALL } from '../layout/triangle-codes';
import { ownSide } from '../tile/depth-blocks';
import { firstSample, lastSample, pixelAt } from '../simd/positions';
import { Four, Layered, hasLayer, isLayered, One, positionsOf, samplesOf } from '../tile/layers';
import { boxOfBlock, boxOfQuad, columnsOfBlock, restrictBlock4, rowsOfBlock, spread } from './box';
import { coverBlock1, coverBlock4, coverQuad1, coverQuad4 } from './coverage';
import { acceptBlock, acceptQuad, blockDepth, hideBlock, isBehind } from './accept';
import { insideSide, layEdges, nextBlock, packBlock1, packBlock4, startRow } from './walk-ordered';
import { rasterSmall } from './walk-small';

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
export function rasterTriangle(context: Tile, triangle: Triangle): i32 {
  const count = context.samples;
  return count == 1 ? raster<One>(context, triangle) : count <= 4 ? raster<Four>(context, triangle) : raster<Layered>(context, triangle);
}

function raster<S>(context: Tile, triangle: Triangle): i32 {
  if (triangle.flags & TRI_FLAG_SMALL) return rasterSmall<S>(context, triangle);
  const tileX = context.x;
  const tileY = context.y;
  const x0 = greater(triangle.minX - tileX, 0);
  const y0 = greater(triangle.minY - tileY, 0);
  const x1 = lesser(triangle.maxX - tileX, TILE_SIZE);
  const y1 = lesser(triangle.maxY - tileY, TILE_SIZE);
  if (x0 >= x1 || y0 >= y1) return STATUS_DONE;
  context.boxX0 = x0;
  context.boxY0 = y0;
  context.boxX1 = x1;
  context.boxY1 = y1;
  const quads = (((x1 - 1) >> 1) - (x0 >> 1) + 1) * (((y1 - 1) >> 1) - (y0 >> 1) + 1);
  if (quads <= SMALL_QUADS && isBehind(context, triangle, x0, y0, x1, y1)) return hideBlock(context, false);
  for (let i: usize = 0; i < 3; i++) {
    tileEdge(changetype<usize>(context.edge(i)), triangle.edge(i), tileX, tileY, samplesOf<S>());
  }
  if (quads <= SMALL_QUADS) return walkQuads<S>(context, triangle);
  if (!context.takesBlocks && coversTile(context)) return takeBlocks<S>(context, triangle);
  if (ASC_FEATURE_SIMD) {
    if (!isLayered<S>() && context.samples == samplesOf<S>() && layEdges<S>(context, context.takesBlocks != 0)) return walkLanes<S>(context, triangle);
  }
  return walkBlocks<S>(context, triangle);
}

/** Moves an edge to the tile's corner and drops the low bits that are the same for all samples. */
function tileEdge(edge: usize, source: TriangleEdge, tileX: i32, tileY: i32, samples: i32): void {
  const a = source.a;
  const b = source.b;
  const c = source.c;
  const corner = c + <i64>a * (<i64>tileX << 8) + <i64>b * (<i64>tileY << 8);
  // Samples lie at (8.8 fixed point) 128 of each pixel at one sample, on multiples of 16 at four.
  store<i64>(edge, samples == 1 ? (corner + (<i64>a << 7) + (<i64>b << 7)) >> 8 : corner >> 4, offsetof<TileEdge>('value'));
  store<i32>(edge, a, offsetof<TileEdge>('a'));
  store<i32>(edge, b, offsetof<TileEdge>('b'));
}

/** Least and most that the samples of a block, `samples` a pixel, add to the edge's value at its corner. */
function blockRange(edge: usize, samples: i32): void {
  const a = <i64>load<i32>(edge + offsetof<TileEdge>('a'));
  const b = <i64>load<i32>(edge + offsetof<TileEdge>('b'));
  // Pixels 0 … 7 at one sample; sixteenths, 2 … 126 at four.
  const first: i64 = samples == 1 ? 0 : firstSample(samples);
  const last: i64 = samples == 1 ? 7 : 112 + lastSample(samples);
  store<i64>(edge, (a < 0 ? a * last : a * first) + (b < 0 ? b * last : b * first), offsetof<TileEdge>('least'));
  store<i64>(edge, (a > 0 ? a * last : a * first) + (b > 0 ? b * last : b * first), offsetof<TileEdge>('most'));
}

/** An edge's value at a position (pixels within the tile), cut to i32. */
// @ts-ignore: decorator
@inline
function edgeAt(edge: usize, x: i32, y: i32, shift: i32): i32 {
  const value = load<i64>(edge, offsetof<TileEdge>('value'))
    + <i64>load<i32>(edge, offsetof<TileEdge>('a')) * (<i64>x << shift) + <i64>load<i32>(edge, offsetof<TileEdge>('b')) * (<i64>y << shift);
  return <i32>(value > EDGE_LIMIT ? EDGE_LIMIT : value < -EDGE_LIMIT ? -EDGE_LIMIT : value);
}

/** Samples of the quad at (x, y) inside all edges. */
function quadCoverage<S>(context: Tile, x: i32, y: i32): u64 {
  if (samplesOf<S>() == 1) {
    const first = changetype<TileEdge>(context.edges);
    const second = changetype<TileEdge>(changetype<usize>(first) + TILE_EDGE_BYTES);
    const third = changetype<TileEdge>(changetype<usize>(second) + TILE_EDGE_BYTES);
    return <u64>(coverQuad1(
      edgeAt(changetype<usize>(first), x, y, 0), first.a, first.b,
      edgeAt(changetype<usize>(second), x, y, 0), second.a, second.b,
      edgeAt(changetype<usize>(third), x, y, 0), third.a, third.b));
  }
  let mask: u64 = 0;
  let layer = 0;
  do mask |= <u64>layerCoverage(context, layer, x, y) << <u64>(layer << 4); while (hasLayer<S>(context, ++layer));
  return mask;
}

/** What a layer has of that. */
function layerCoverage(context: Tile, layer: i32, x: i32, y: i32): i32 {
  const first = changetype<TileEdge>(context.edges);
  const second = changetype<TileEdge>(changetype<usize>(first) + TILE_EDGE_BYTES);
  const third = changetype<TileEdge>(changetype<usize>(second) + TILE_EDGE_BYTES);
  return coverQuad4(
    positionsOf(context, layer), edgeAt(changetype<usize>(first), x, y, 4), first.a, first.b,
    edgeAt(changetype<usize>(second), x, y, 4), second.a, second.b,
    edgeAt(changetype<usize>(third), x, y, 4), third.a, third.b);
}

// Tried at one sample: the three edges in the lanes of a vector, as in walk-ordered.ts: no faster on teapots.
function walkQuads<S>(context: Tile, triangle: Triangle): i32 {
  const x1 = context.boxX1;
  const y1 = context.boxY1;
  for (let y = context.boxY0 & ~1; y < y1; y += 2) {
    for (let x = context.boxX0 & ~1; x < x1; x += 2) {
      const box = boxOfQuad(context, x, y);
      const mask = quadCoverage<S>(context, x, y) & (samplesOf<S>() == 1 ? <u64>box : <u64>spread(box) * 0x0001000100010001);
      if (!mask) continue;
      const status = acceptQuad(context, triangle, pixelAt(x, y) >> 2, mask);
      if (status != STATUS_DONE) return status;
    }
  }
  return STATUS_DONE;
}

function walkBlocks<S>(context: Tile, triangle: Triangle): i32 {
  if (coversTile(context)) return takeBlocks<S>(context, triangle);
  for (let i: usize = 0; i < 3; i++) blockRange(changetype<usize>(context.edge(i)), context.samples);
  const wide = samplesOf<S>() == 1 || isWide(context);
  const large = isLarge(context);
  const x1 = context.boxX1;
  const y1 = context.boxY1;
  for (let y = context.boxY0 & ~7; y < y1; y += 8) {
    for (let x = context.boxX0 & ~7; x < x1; x += 8) {
      const status = walkBlock<S>(context, triangle, y + (x >> 3), blockSide(context, x, y, samplesOf<S>() == 1 ? 0 : 4), wide, large);
      if (status != STATUS_DONE) return status;
    }
  }
  return STATUS_DONE;
}

/** Whether all samples of the tile are inside the box and all edges. */
function coversTile(context: Tile): bool {
  if (context.boxX0 | context.boxY0) return false;
  if (context.boxX1 != TILE_SIZE || context.boxY1 != TILE_SIZE) return false;
  // As in blockRange.
  const count = context.samples;
  const first: i64 = count == 1 ? 0 : firstSample(count);
  const last: i64 = count == 1 ? TILE_SIZE - 1 : ((TILE_SIZE - 1) << 4) + lastSample(count);
  for (let i: usize = 0; i < 3; i++) {
    const edge = context.edge(i);
    const a = <i64>edge.a;
    const b = <i64>edge.b;
    if (edge.value + (a < 0 ? a * last : a * first) + (b < 0 ? b * last : b * first) < 0) return false;
  }
  return true;
}

/** All blocks of a tile that a triangle covers: no edge is looked at again. Raster of a full screen in 48 layers: 22 → 11 ms. */
function takeBlocks<S>(context: Tile, triangle: Triangle): i32 {
  for (let block = 0; block < TILE_BLOCKS; block++) {
    const depth = blockDepth(context, triangle, block, true);
    const status = depth < 0 ? hideBlock(context, true) : acceptBlock<S>(context, triangle, block, ALL_PIXELS, depth, true);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** `side`: as blockSide says. `wide`: edges have to be looked at in i64, at one sample for the block, at more for every quad. */
function walkBlock<S>(context: Tile, triangle: Triangle, block: i32, side: i32, wide: bool, large: bool): i32 {
  if (side < 0) return STATUS_DONE;
  const x = (block & 7) << 3;
  const y = block & ~7;
  const box = boxOfBlock(context, x, y);
  const inside = !side && box == ALL_PIXELS;
  const depth = blockDepth(context, triangle, block, inside || large);
  if (depth < 0) return hideBlock(context, inside);
  if (inside) return acceptBlock<S>(context, triangle, block, ALL_PIXELS, depth, true);
  if (samplesOf<S>() == 1) {
    const cover = !side ? box : box & (ASC_FEATURE_SIMD && !wide ? insideSide(context, side) : insideEdges(context, x, y));
    if (cover != ALL_PIXELS || large) return cover ? acceptBlock<S>(context, triangle, block, cover, depth, cover == ALL_PIXELS) : STATUS_DONE;
    const known = blockDepth(context, triangle, block, true);
    return known < 0 ? hideBlock(context, true) : acceptBlock<S>(context, triangle, block, cover, known, true);
  }
  let quads = 0;
  let layer = 0;
  do {
    const covered = coverLayer(context, layer, x, y, side, wide);
    quads |= box == ALL_PIXELS ? covered : restrictBlock4(context.cover + (<usize>layer << COVER_SHIFT), covered, box);
  } while (hasLayer<S>(context, ++layer));
  return quads ? acceptBlock<S>(context, triangle, block, <u64>quads, depth, false) : STATUS_DONE;
}

/** One sample: pixels of the block at (x, y) inside all edges. */
// @ts-ignore: decorator
@inline
function insideEdges(context: Tile, x: i32, y: i32): u64 {
  const first = changetype<TileEdge>(context.edges);
  const second = changetype<TileEdge>(changetype<usize>(first) + TILE_EDGE_BYTES);
  const third = changetype<TileEdge>(changetype<usize>(second) + TILE_EDGE_BYTES);
  return coverBlock1(
    edgeAt(changetype<usize>(first), x, y, 0), first.a, first.b,
    edgeAt(changetype<usize>(second), x, y, 0), second.a, second.b,
    edgeAt(changetype<usize>(third), x, y, 0), third.a, third.b);
}

/** Sides from which on a triangle's depth is looked at block by block. */
// @ts-ignore: decorator
@inline
function isLarge(context: Tile): bool {
  return context.boxX1 - context.boxX0 > LARGE_PIXELS || context.boxY1 - context.boxY0 > LARGE_PIXELS;
}

/** walkBlocks where the edges have been laid out in lanes. */
function walkLanes<S>(context: Tile, triangle: Triangle): i32 {
  const packed = context.takesBlocks != 0;
  const large = packed || isLarge(context);
  const tested = context.early != EARLY_NONE;
  const x0 = context.boxX0 & ~7;
  const x1 = context.boxX1;
  const y0 = context.boxY0 & ~7;
  const y1 = context.boxY1;
  let ranged = false;
  for (let y = y0; y < y1; y += 8) {
    startRow(context, (y - y0) >> 3);
    const rows = rowsOfBlock(context, y);
    for (let x = x0; x < x1; x += 8) {
      const side = nextBlock(context);
      if (side < 0) continue;
      const block = y + (x >> 3);
      let status: i32;
      if (!packed) status = walkBlock<S>(context, triangle, block, side, false, large);
      else if ((!tested || ownSide(context, triangle, block) > 0) && !load<u16>(context.pending + (<usize>block << 1))) {
        status = samplesOf<S>() == 1 ? packBlock1(context, triangle, block, rows & columnsOfBlock(context, x), side) : packBlock4(context, triangle, x, y, side);
      } else {
        // Depths, or what is shaded later there, have to be looked at; at four samples with the edges that went into masks.
        if (samplesOf<S>() != 1 && !ranged) for (let i: usize = 0; i < 3; i++) blockRange(changetype<usize>(context.edge(i)), context.samples);
        ranged = true;
        status = walkBlock<S>(context, triangle, block, samplesOf<S>() == 1 ? side : blockSide(context, x, y, 4), false, true);
      }
      if (status != STATUS_DONE) return status;
    }
  }
  return STATUS_DONE;
}

/** Some edge too steep for a block in i32. */
function isWide(context: Tile): bool {
  for (let i: usize = 0; i < 3; i++) {
    const edge = context.edge(i);
    if (abs<i32>(edge.a) + abs<i32>(edge.b) > BLOCK_SLOPE) return true;
  }
  return false;
}

/** Where a block lies: -1 outside some edge, else a bit for each edge that crosses it (0: inside all of them). */
function blockSide(context: Tile, x: i32, y: i32, shift: i32): i32 {
  let side = 0;
  for (let i: usize = 0; i < 3; i++) {
    const edge = context.edge(i);
    const value = edge.value
      + <i64>edge.a * (<i64>x << shift) + <i64>edge.b * (<i64>y << shift);
    if (value + edge.most < 0) return -1;
    if (value + edge.least < 0) side |= 1 << <i32>i;
  }
  return side;
}

/** Coverage of the block at (x, y) by the edges of `side`, in a layer, to Tile.cover; gives the quads that are touched. */
// @ts-ignore: decorator
@inline
function coverLayer(context: Tile, layer: i32, x: i32, y: i32, side: i32, wide: bool): i32 {
  const out = context.cover + (<usize>layer << COVER_SHIFT);
  if (!side) {
    memory.fill(out, 0xff, 1 << COVER_SHIFT);
    return 0xffff;
  }
  if (wide) return coverWide(context, layer, out, x, y);
  // The edges that cross the block, in order.
  const count = popcnt(side);
  const first = context.edge(<usize>ctz(side));
  const second = changetype<TileEdge>(context.edges + (side == 3 || side == 7 ? <usize>TILE_EDGE_BYTES : <usize>(2 * TILE_EDGE_BYTES)));
  const third = context.edge(2);
  return coverBlock4(
    out, positionsOf(context, layer), count, edgeAt(changetype<usize>(first), x, y, 4), first.a, first.b,
    count > 1 ? edgeAt(changetype<usize>(second), x, y, 4) : 0, count > 1 ? second.a : 0, count > 1 ? second.b : 0,
    count > 2 ? edgeAt(changetype<usize>(third), x, y, 4) : 0, count > 2 ? third.a : 0, count > 2 ? third.b : 0);
}

/** coverBlock4 for edges that need i64 at every quad. */
function coverWide(context: Tile, layer: i32, out: usize, x: i32, y: i32): i32 {
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
