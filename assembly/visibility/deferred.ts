// Tests of a list of work items, for deferred and depth-only draw calls without stencil (blockwise). The samples end
// here: their depths are stored, and a deferred draw call's triangle is recorded for each visible sample.

import { EARLY_DEPTH, MODE_DEFERRED, Tile, Triangle, WARP_QUADS, WORK_WHOLE, WorkItem } from '../layout';
import { nonzeroBits16 } from '../simd/texels';
import { coverDepth, expandDepth, loosenDepthTo, widenDepth } from '../tile/depth-blocks';
import { hasLayer, isLayered, quadSamples, samplesOf } from '../tile/layers';
import { addPending, countQuads, expandIds, putBlockId } from '../tile/pending';
import { fillCovers, maskCover, nextWork, touchedQuads } from '../tile/work';
import { depthQuad } from './depth';
import { visibleBlock1, visibleBlock4 } from './visible';
import { markQuad } from './visible.scalar';

/** Takes blocks, up to `end`. */
export function takeBlocks<S>(tile: Tile, triangle: Triangle, item: WorkItem, end: WorkItem): void {
  const selected = tile.sampleMask;
  if (!selected) return;
  const all = selected == quadSamples<S>(tile);
  const deferred = tile.mode == MODE_DEFERRED;
  const writes = tile.early == EARLY_DEPTH && tile.depthWrite != 0;
  let met = 0;
  let hidden = 0;
  for (; item != end; item = nextWork(item)) {
    if (samplesOf<S>() != 1) tile.cover = item.samples;
    const block = item.place;
    const whole = all && item.kind == WORK_WHOLE;
    if (whole && item.side > 0) {
      coverBlock(tile, triangle, item);
      continue;
    }
    if (samplesOf<S>() != 1 && item.kind == WORK_WHOLE) fillCovers(tile);
    const quads = touchedQuads<S>(item.cover);
    const tested = item.side == 0 || writes;
    if (!tested && !deferred) {
      met += popcnt(all || samplesOf<S>() == 1 ? quads : selectedQuads<S>(tile));
      continue;
    }
    if (tested) expandDepth(tile, block);
    if (deferred) expandIds(tile, block);
    const visible = visibleBlock<S>(tile, triangle, block, item.cover, tested);
    met += popcnt(quads);
    hidden += popcnt(quads & ~visible);
    if (writes) widenDepth(tile, block, item.low, item.high, popcnt(visible), whole);
    if (deferred) addPending(tile, block, visible);
  }
  countQuads(tile, met, hidden);
}

/**
 * Takes a block in which the triangle covers all samples and all pass; if its draw call is shaded in order, only the
 * block's depth.
 */
// @ts-ignore: decorator
@inline
export function coverBlock(tile: Tile, triangle: Triangle, item: WorkItem): void {
  const block = item.place;
  if (tile.early == EARLY_DEPTH && tile.depthWrite)
    coverDepth(tile, changetype<usize>(triangle), block, item.low, item.high);
  if (tile.mode == MODE_DEFERRED) putBlockId(tile, changetype<usize>(triangle), block);
  countQuads(tile, WARP_QUADS, 0);
}

/** Takes quads, up to `end`. What is the same for neighbouring quads of a block is done once. */
export function takeQuads(tile: Tile, triangle: Triangle, item: WorkItem, end: WorkItem): void {
  const tested = tile.early == EARLY_DEPTH;
  const write = tile.depthWrite;
  const deferred = tile.mode == MODE_DEFERRED;
  let met = 0;
  let hidden = 0;
  let block = item.place >> 4;
  let written = 0;
  let pending = 0;
  for (; item != end; item = nextWork(item)) {
    const quad = item.place;
    let visible = item.cover & tile.sampleMask;
    met++;
    if (quad >> 4 != block) {
      endQuads(tile, triangle, block, written, pending);
      block = quad >> 4;
      written = 0;
      pending = 0;
    }
    if (visible && tested) {
      expandDepth(tile, block);
      visible = depthQuad(tile, triangle, quad, visible, write);
      written += write;
    }
    hidden += i32(!visible);
    if (!visible || !deferred) continue;
    if (!pending) expandIds(tile, block);
    markQuad(tile, triangle, quad, visible);
    pending |= 1 << (quad & 15);
  }
  endQuads(tile, triangle, block, written, pending);
  countQuads(tile, met, hidden);
}

/** Updates a block after depths of `written` quads may have been written, and the quads of `pending` recorded. */
function endQuads(tile: Tile, triangle: Triangle, block: i32, written: i32, pending: i32): void {
  if (written) loosenDepthTo(tile, triangle, block, written << 2);
  if (pending) addPending(tile, block, pending);
}

/**
 * Processes a block sample by sample: tests it if `tested`, and records its triangle if it is deferred. Returns the
 * quads that have a passing sample.
 */
function visibleBlock<S>(tile: Tile, triangle: Triangle, block: i32, cover: u64, tested: bool): i32 {
  if (samplesOf<S>() == 1) return visibleBlock1(tile, triangle, block, cover, tested);
  const selected = tile.sampleMask;
  if (selected != quadSamples<S>(tile)) maskCover<S>(tile, selected);
  let visible = 0;
  let layer = 0;
  do {
    const quads = isLayered<S>() ? quadsCovered(tile.coverOf(layer)) : (<i32>cover) & 0xffff;
    if (quads) visible |= visibleBlock4(tile, triangle, block, quads, tested, layer);
  } while (hasLayer<S>(tile, ++layer));
  return visible;
}

/** The quads of a block's coverage that have samples in the pipeline's sample mask. */
function selectedQuads<S>(tile: Tile): i32 {
  maskCover<S>(tile, tile.sampleMask);
  let quads = 0;
  let layer = 0;
  do quads |= quadsCovered(tile.coverOf(layer));
  while (hasLayer<S>(tile, ++layer));
  return quads;
}

/** One bit for each quad that has samples in a layer's coverage at `cover`. */
function quadsCovered(cover: usize): i32 {
  if (ASC_FEATURE_SIMD) return nonzeroBits16(v128.load(cover), v128.load(cover, 16));
  let quads = 0;
  for (let quad = 0; quad < WARP_QUADS; quad++) quads |= (<i32>(load<u16>(cover + (quad << 1)) != 0)) << quad;
  return quads;
}
