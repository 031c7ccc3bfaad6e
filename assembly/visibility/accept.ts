// Tests of work items one by one, for draw calls that are shaded in order or have stencil. Of a draw call that is
// shaded in order, what passes stays in the item. For the others, see deferred.ts.

import {
  EARLY_DEPTH,
  EARLY_NONE,
  EARLY_REJECT,
  EARLY_STENCIL,
  MODE_DEFERRED,
  MODE_ORDERED,
  Tile,
  Triangle,
  WORK_PART,
  WORK_WHOLE,
  WorkItem,
} from '../layout';
import { blockDepth, blockwise } from '../tile/block-depth';
import { depthSide, expandDepth } from '../tile/depth-blocks';
import { testsDepth } from '../tile/depth-compare';
import { hasLayer, quadSamples, samplesOf } from '../tile/layers';
import { addPending, countHiddenBlock, countQuads, expandIds } from '../tile/pending';
import { coverOfQuad, fillCovers, maskCover, nextWork, putCoverOfQuad, touchedQuads } from '../tile/work';
import { coverBlock, takeBlocks } from './deferred';
import { passingBlock1, passingBlock4 } from './passing';
import { settleStencil, stencilSide } from './stencil';
import { testEarly } from './tests';
import { markQuad } from './visible.scalar';

/** Minimum number of quads of a block whose depths are compared together. */
const PASSING_QUADS = 3;

/** Tests a block. Returns whether some of it must be shaded now; the item then covers just that. */
// @ts-ignore: decorator
@inline
export function acceptBlock<S>(tile: Tile, triangle: Triangle, item: WorkItem): bool {
  if (!tile.sampleMask) return false;
  return tile.early == EARLY_STENCIL ? acceptStencil<S>(tile, triangle, item) : acceptDepth<S>(tile, triangle, item);
}

/**
 * Tests a block in which the triangle covers all samples, without stencil: takes it if its depth bounds decide that it
 * passes or fails. Otherwise sets up `item` for acceptBlock. Returns whether the item must be processed.
 */
// @ts-ignore: decorator
@inline
export function acceptWhole<S>(tile: Tile, triangle: Triangle, item: WorkItem, block: i32): bool {
  const side = blockDepth(tile, triangle, block, true);
  if (side < 0) {
    countHiddenBlock(tile, true);
    return false;
  }
  item.place = block;
  item.low = tile.depthLow;
  item.high = tile.depthHigh;
  if (side > 0 && tile.mode != MODE_ORDERED && tile.sampleMask == quadSamples<S>(tile)) {
    coverBlock(tile, triangle, item);
    return false;
  }
  item.kind = WORK_WHOLE;
  item.side = side;
  return true;
}

/**
 * acceptBlock for draw calls with stencil. If all samples of the block have one stencil value, it is tested once, and
 * the block continues as without stencil.
 */
function acceptStencil<S>(tile: Tile, triangle: Triangle, item: WorkItem): bool {
  const block = item.place;
  const full = item.kind == WORK_WHOLE;
  const side = stencilSide(tile, triangle, block);
  const tests = testsDepth(tile);
  const depth = side > 0 && tests ? depthSide(tile, triangle, block) : 1;
  item.low = tile.depthLow;
  item.high = tile.depthHigh;
  if (!side || !settleStencil(tile, triangle, block, side, depth, full && tile.sampleMask == quadSamples<S>(tile)))
    return acceptDepth<S>(tile, triangle, item);
  if (side < 0 || depth < 0) {
    countHiddenBlock(tile, full);
    return false;
  }
  item.side = depth;
  tile.early = tests ? EARLY_DEPTH : EARLY_NONE;
  const remains = acceptDepth<S>(tile, triangle, item);
  tile.early = EARLY_STENCIL;
  return remains;
}

/** acceptBlock by depth alone, or quad by quad if stencil matters. */
function acceptDepth<S>(tile: Tile, triangle: Triangle, item: WorkItem): bool {
  if (blockwise(tile)) {
    takeBlocks<S>(tile, triangle, item, nextWork(item));
    return false;
  }
  const side = item.side;
  if (item.kind == WORK_WHOLE) {
    if (side > 0 && tile.sampleMask == quadSamples<S>(tile)) {
      coverBlock(tile, triangle, item);
      return true;
    }
    item.kind = WORK_PART;
    if (samplesOf<S>() != 1) fillCovers(tile);
  }
  return acceptQuads<S>(tile, triangle, item, side == 0 || (tile.early == EARLY_DEPTH && tile.depthWrite != 0));
}

function acceptQuads<S>(tile: Tile, triangle: Triangle, item: WorkItem, tested: bool): bool {
  const quads = touchedQuads<S>(item.cover);
  if (!tested) {
    countQuads(tile, popcnt(quads), 0);
    return true;
  }
  if (writesNothing(tile) && popcnt(quads) >= PASSING_QUADS) return acceptPassing<S>(tile, triangle, item, quads);
  const first = item.place << 4;
  let left: u64 = 0;
  for (let rest = quads; rest; rest &= rest - 1) {
    const quad = ctz(rest);
    const visible = testQuad(tile, triangle, first + quad, coverOfQuad<S>(tile, item.cover, quad));
    left |= putCoverOfQuad<S>(tile, visible, quad);
  }
  item.cover = left;
  return left != 0;
}

/** Compares the depths of several quads together: a forest of leaves with holes takes 10 to 14 % less time. */
function acceptPassing<S>(tile: Tile, triangle: Triangle, item: WorkItem, quads: i32): bool {
  const passing = passingCover<S>(tile, triangle, item.place, item.cover, quads);
  countQuads(tile, popcnt(quads), popcnt(quads & ~touchedQuads<S>(passing)));
  item.cover = passing;
  return passing != 0;
}

/** Whether the tests before the shader compare depth and write nothing. */
function writesNothing(tile: Tile): bool {
  return tile.early == EARLY_REJECT || (tile.early == EARLY_DEPTH && !tile.depthWrite);
}

/** The part of a block's coverage (as in acceptBlock) that passes the depth test, if nothing is written. */
function passingCover<S>(tile: Tile, triangle: Triangle, block: i32, cover: u64, quads: i32): u64 {
  expandDepth(tile, block);
  if (samplesOf<S>() == 1) return passingBlock1(tile, triangle, block, cover);
  if (tile.sampleMask != quadSamples<S>(tile)) maskCover<S>(tile, tile.sampleMask);
  let passed = 0;
  let layer = 0;
  do passed |= passingBlock4(tile, triangle, block, quads, layer);
  while (hasLayer<S>(tile, ++layer));
  return <u64>passed;
}

/** Tests a quad. Returns whether some of it must be shaded now; the item then covers just that. */
export function acceptQuad(tile: Tile, triangle: Triangle, item: WorkItem): bool {
  const visible = testQuad(tile, triangle, item.place, item.cover);
  item.cover = visible;
  return visible != 0;
}

/** Tests the samples that a triangle covers of a quad (block·16 + quad). Returns those that must be shaded now. */
function testQuad(tile: Tile, triangle: Triangle, quad: i32, mask: u64): u64 {
  let visible = mask & tile.sampleMask;
  if (visible && tile.early != EARLY_NONE) visible = testEarly(tile, triangle, quad, visible);
  countQuads(tile, 1, !visible);
  if (tile.mode == MODE_ORDERED) return visible;
  if (visible && tile.mode == MODE_DEFERRED) {
    expandIds(tile, quad >> 4);
    markQuad(tile, triangle, quad, visible);
    addPending(tile, quad >> 4, 1 << (quad & 15));
  }
  return 0;
}
