// What happens to covered quads, by the draw's mode: visibility for draws that are shaded later, tests and packing for draws that are
// shaded in order. Quads that those draw over are shaded first.

import {
  CTX_BLOCK_IDS, CTX_COVER, CTX_DEPTH_16, CTX_DEPTH_WRITE, CTX_DRAW, CTX_EARLY, CTX_IDS, CTX_LAYER, CTX_LAYERS, CTX_MODE, CTX_PASS, CTX_PENDING, CTX_SAMPLE_MASK, CTX_SAMPLES,
  EARLY_DEPTH, EARLY_NONE, EARLY_STENCIL, MODE_DEFERRED, MODE_DEPTH_ONLY,
} from '../layout/context';
import { DRAW_FLAG_PER_SAMPLE, DRAW_FLAGS } from '../layout/draw';
import { WARP_QUADS } from '../layout/limits';
import { PASS_STATISTICS, STAT_BLOCKS_HIDDEN, STAT_QUADS_HIDDEN, STAT_QUADS_TESTED } from '../layout/pass';
import { STATUS_DONE } from '../layout/status';
import { BLOCK_PIXELS, TILE_PIXELS } from '../layout/tile';
import { coverDepth, depthSide, isBounded, isPlane, ownSide, spreadDepth, unbounded, widenDepth } from '../output/depth-blocks';
import { earlyTests } from '../output/output';
import { append, flushQuads, orderedPacker, packQuad } from '../fragment/pack';
import { visibleBlock1, visibleBlock4 } from './visible';
import { markQuad } from './visible.scalar';

/** Bytes of the ids of a layer. */
const LAYER_IDS: usize = TILE_PIXELS * 4 * 4;

/** The ids of layer 0, whichever is bound. */
// @ts-ignore: decorator
@inline
function firstIds(context: usize): usize {
  return load<usize>(context + CTX_IDS) - <usize>load<i32>(context, CTX_LAYER) * LAYER_IDS;
}

/**
 * A block at one sample; `cover`: bit quad·4 + pixel. `side`: what blockDepth said, asked in `earnest` or for a block covered in part.
 * Returns STATUS_*.
 */
export function acceptBlock1(context: usize, triangle: usize, block: i32, cover: u64, side: i32, earnest: bool): i32 {
  if (!load<i32>(context + CTX_SAMPLE_MASK)) return STATUS_DONE;
  const full = cover == u64.MAX_VALUE;
  if (full && !earnest) {
    side = blockDepth(context, triangle, block, true);
    if (side < 0) return hideBlock(context, true);
  }
  if (full && side > 0 && takeBlock(context, triangle, block)) {
    countQuads(context, WARP_QUADS, 0);
    return STATUS_DONE;
  }
  const tested = isTested(context, side);
  if (blockwise(context)) {
    const quads = quadsOf(cover);
    if (!tested && load<i32>(context + CTX_MODE) == MODE_DEPTH_ONLY) {
      countQuads(context, popcnt(quads), 0);
      return STATUS_DONE;
    }
    openBlock(context, block, tested);
    const visible = visibleBlock1(context, triangle, block, cover, tested);
    countQuads(context, popcnt(quads), popcnt(quads & ~visible));
    closeBlock(context, block, visible, tested, full);
    return STATUS_DONE;
  }
  if (!tested) return packCover1(context, triangle, block, cover);
  while (cover) {
    const quad = <i32>(ctz(cover) >> 2);
    const shift = <u64>quad << 2;
    const status = acceptQuad(context, triangle, (block << 4) + quad, <i32>(cover >> shift) & 15, tested);
    if (status != STATUS_DONE) return status;
    cover &= ~(<u64>15 << shift);
  }
  return STATUS_DONE;
}

/**
 * A block at four samples: coverage at CTX_COVER, in the quads named by `quads`; where `full`, all samples of the block, and CTX_COVER is
 * not filled in yet. `side`: what blockDepth said. Returns STATUS_*.
 */
export function acceptBlock4(context: usize, triangle: usize, block: i32, quads: i32, side: i32, full: bool): i32 {
  const whole = full && load<i32>(context + CTX_SAMPLE_MASK) == 0xffff;
  if (whole && side > 0 && takeBlock(context, triangle, block)) {
    countQuads(context, popcnt(quads), 0);
    return STATUS_DONE;
  }
  if (full) memory.fill(context + CTX_COVER, 0xff, 32);
  const tested = isTested(context, side);
  if (blockwise(context)) {
    if (load<i32>(context + CTX_SAMPLE_MASK) != 0xffff) maskCover(context, quads);
    if (!tested && load<i32>(context + CTX_MODE) == MODE_DEPTH_ONLY) {
      countQuads(context, popcnt(quads), 0);
      return STATUS_DONE;
    }
    openBlock(context, block, tested);
    const visible = visibleBlock4(context, triangle, block, quads, tested);
    countQuads(context, popcnt(quads), popcnt(quads & ~visible));
    closeBlock(context, block, visible, tested, whole);
    return STATUS_DONE;
  }
  if (!tested && !(load<u32>(load<usize>(context + CTX_DRAW) + DRAW_FLAGS) & DRAW_FLAG_PER_SAMPLE)) return packCover4(context, triangle, block, quads);
  for (let rest = quads; rest; rest &= rest - 1) {
    const quad = ctz(rest);
    const status = acceptQuad(context, triangle, (block << 4) + quad, load<u16>(context + (<usize>quad << 1), CTX_COVER), tested);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** Packs the covered quads of a block at one sample that pass as they are, for a draw that is shaded in order. Returns STATUS_*. */
function packCover1(context: usize, triangle: usize, block: i32, cover: u64): i32 {
  countQuads(context, popcnt(quadsOf(cover)), 0);
  if (load<u16>(context + CTX_PENDING + (<usize>block << 1))) {
    const status = flushQuads(context, block, quadsOf(cover));
    if (status != STATUS_DONE) return status;
  }
  const packer = orderedPacker(context);
  while (cover) {
    const quad = <i32>(ctz(cover) >> 2);
    const shift = <u64>quad << 2;
    const status = append(context, packer, triangle, (block << 4) + quad, <i32>(cover >> shift) & 15, -1);
    if (status != STATUS_DONE) return status;
    cover &= ~(<u64>15 << shift);
  }
  return STATUS_DONE;
}

/** packCover1 at four samples, of coverage at CTX_COVER in the quads named by `quads`, for one invocation a pixel. */
function packCover4(context: usize, triangle: usize, block: i32, quads: i32): i32 {
  countQuads(context, popcnt(quads), 0);
  if (load<u16>(context + CTX_PENDING + (<usize>block << 1))) {
    const status = flushQuads(context, block, quads);
    if (status != STATUS_DONE) return status;
  }
  const packer = orderedPacker(context);
  const samples = load<i32>(context + CTX_SAMPLE_MASK);
  for (let rest = quads; rest; rest &= rest - 1) {
    const quad = ctz(rest);
    const mask = load<u16>(context + (<usize>quad << 1), CTX_COVER) & samples;
    if (!mask) continue;
    const status = append(context, packer, triangle, (block << 4) + quad, mask, -1);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** One quad (block·16 + quad) with the samples it covers; `tested`: depth (and stencil) are not known to pass. Returns STATUS_*. */
export function acceptQuad(context: usize, triangle: usize, quad: i32, mask: i32, tested: bool): i32 {
  const mode = load<i32>(context + CTX_MODE);
  let visible = mask & load<i32>(context + CTX_SAMPLE_MASK);
  if (tested) {
    const early = load<i32>(context + CTX_EARLY);
    if (early != EARLY_NONE) visible = earlyTests(context, triangle, quad, visible, early);
  }
  countQuads(context, 1, <i32>!visible);
  if (!visible || mode == MODE_DEPTH_ONLY) return STATUS_DONE;
  const block = quad >> 4;
  if (mode == MODE_DEFERRED) {
    spreadIds(context, block);
    markQuad(context, triangle, quad, visible);
    addPending(context, block, 1 << (quad & 15));
    return STATUS_DONE;
  }
  if (load<u16>(context + CTX_PENDING + (<usize>block << 1))) {
    const status = flushQuads(context, block, 1 << (quad & 15));
    if (status != STATUS_DONE) return status;
  }
  return packQuad(context, orderedPacker(context), triangle, quad, visible);
}

/** Counts a block in which the triangle is hidden, with its quads where it covers all of them. Returns STATUS_DONE. */
export function hideBlock(context: usize, full: bool): i32 {
  const statistics: usize = load<usize>(load<usize>(context + CTX_PASS) + PASS_STATISTICS);
  store<u32>(statistics, load<u32>(statistics, STAT_BLOCKS_HIDDEN) + 1, STAT_BLOCKS_HIDDEN);
  if (full) countQuads(context, WARP_QUADS, WARP_QUADS);
  return STATUS_DONE;
}

/**
 * Whether a triangle is behind all that is in the blocks of a small box (pixels of the tile), by their bounds, for draws that are shaded
 * later (or not at all).
 */
export function isBehind(context: usize, triangle: usize, x0: i32, y0: i32, x1: i32, y1: i32): bool {
  if (!blockwise(context) || load<i32>(context + CTX_EARLY) != EARLY_DEPTH) return false;
  for (let y = y0 & ~7; y < y1; y += 8) for (let x = x0 & ~7; x < x1; x += 8) {
    if (!isBehindBlock(context, triangle, y + (x >> 3))) return false;
  }
  return true;
}

// @ts-ignore: decorator
@inline
function isBehindBlock(context: usize, triangle: usize, block: i32): bool {
  return isBounded(context, block) && !load<i32>(context + CTX_DEPTH_16) && ownSide(context, triangle, block) < 0;
}

/**
 * How the depth test ends for a block, as depthSide says; 1 without one, 0 where stencil has a say. `earnest`: the triangle covers the
 * block, or is so large that its own bounds say little of it.
 */
// @ts-ignore: decorator
@inline
export function blockDepth(context: usize, triangle: usize, block: i32, earnest: bool): i32 {
  const early = load<i32>(context + CTX_EARLY);
  if (early == EARLY_NONE) return 1;
  if (early == EARLY_STENCIL) return 0;
  // Draws that write no depth need no bounds of the plane where the triangle's own decide: particles are 5 % faster.
  if (!load<i32>(context + CTX_DEPTH_WRITE) && !load<i32>(context + CTX_DEPTH_16)) {
    const side = ownSide(context, triangle, block);
    if (side) return side;
  }
  // Asked for each block of a mesh of small triangles, the plane's bounds cost 6 % on teapots and decide next to nothing.
  if (!earnest && load<i32>(context + CTX_MODE) <= MODE_DEPTH_ONLY && !isPlane(context, block)) return isBehindBlock(context, triangle, block) ? -1 : unbounded(context);
  return depthSide(context, triangle, block);
}

/** Whether samples of a block have to be looked at: their depths are compared, or written one by one. */
// @ts-ignore: decorator
@inline
export function isTested(context: usize, side: i32): bool {
  return side == 0 || (load<i32>(context + CTX_EARLY) == EARLY_DEPTH && load<i32>(context + CTX_DEPTH_WRITE) != 0);
}

/** A block that a triangle covers, and passes, at all samples, for draws that are shaded later (or not at all). Whether that is all. */
// @ts-ignore: decorator
@inline
export function takeBlock(context: usize, triangle: usize, block: i32): bool {
  const mode = load<i32>(context + CTX_MODE);
  if (mode > MODE_DEPTH_ONLY) return false;
  if (load<i32>(context + CTX_EARLY) == EARLY_DEPTH && load<i32>(context + CTX_DEPTH_WRITE)) coverDepth(context, triangle, block);
  if (mode == MODE_DEFERRED) {
    const only = context + CTX_BLOCK_IDS + (<usize>block << 2);
    const pending = context + CTX_PENDING + (<usize>block << 1);
    if (load<u16>(pending) && !load<u32>(only)) clearIds(context, block);
    store<u32>(only, <u32>triangle);
    store<u16>(pending, 0xffff);
  }
  return true;
}

function clearIds(context: usize, block: i32): void {
  const bytes = BLOCK_PIXELS * load<i32>(context + CTX_SAMPLES) * 4;
  let at = firstIds(context) + <usize>(block * bytes);
  for (let layer = load<i32>(context, CTX_LAYERS); layer > 0; layer--) {
    memory.fill(at, 0, bytes);
    at += LAYER_IDS;
  }
}

/** Before the samples of a block are looked at. */
export function openBlock(context: usize, block: i32, tested: bool): void {
  if (tested) spreadDepth(context, block);
  if (load<i32>(context + CTX_MODE) == MODE_DEFERRED) spreadIds(context, block);
}

/** After that: bounds of the depth, and quads that hold ids. `quads`: those of which a sample passed. */
export function closeBlock(context: usize, block: i32, quads: i32, tested: bool, full: bool): void {
  if (tested && load<i32>(context + CTX_DEPTH_WRITE)) widenDepth(context, block, popcnt(quads), full);
  if (load<i32>(context + CTX_MODE) == MODE_DEFERRED) addPending(context, block, quads);
}

/** Puts a block's ids into the plane, if one triangle has been noted for all of it. */
// @ts-ignore: decorator
@inline
export function spreadIds(context: usize, block: i32): void {
  const at = context + CTX_BLOCK_IDS + (<usize>block << 2);
  if (load<u32>(at)) fillIds(context, block, at);
}

function fillIds(context: usize, block: i32, at: usize): void {
  const id: u64 = load<u32>(at);
  const pair = id | (id << 32);
  const bytes = <usize>(BLOCK_PIXELS * load<i32>(context + CTX_SAMPLES)) << 2;
  let first = firstIds(context) + <usize>block * bytes;
  for (let layer = load<i32>(context, CTX_LAYERS); layer > 0; layer--) {
    for (let to = first; to < first + bytes; to += 16) {
      store<u64>(to, pair);
      store<u64>(to, pair, 8);
    }
    first += LAYER_IDS;
  }
  store<u32>(at, 0);
}

/** One bit for each quad of a block that is covered at one sample. */
// @ts-ignore: decorator
@inline
function quadsOf(cover: u64): i32 {
  let quads = cover | (cover >> 1);
  quads = (quads | (quads >> 2)) & 0x1111111111111111;
  quads = (quads | (quads >> 3)) & 0x0303030303030303;
  quads = (quads | (quads >> 6)) & 0x000f000f000f000f;
  quads = (quads | (quads >> 12)) & 0x000000ff000000ff;
  return <i32>(quads | (quads >> 24)) & 0xffff;
}

/** Whether whole blocks can be taken at once: nothing is shaded now, and there is no stencil. */
// @ts-ignore: decorator
@inline
export function blockwise(context: usize): bool {
  return load<i32>(context + CTX_MODE) <= MODE_DEPTH_ONLY && load<i32>(context + CTX_EARLY) < EARLY_STENCIL;
}

// @ts-ignore: decorator
@inline
export function addPending(context: usize, block: i32, quads: i32): void {
  const pending = context + CTX_PENDING + (<usize>block << 1);
  store<u16>(pending, <i32>load<u16>(pending) | quads);
}

export function maskCover(context: usize, quads: i32): void {
  const samples = load<i32>(context + CTX_SAMPLE_MASK);
  for (let rest = quads; rest; rest &= rest - 1) {
    const at = context + CTX_COVER + (<usize>ctz(rest) << 1);
    store<u16>(at, <i32>load<u16>(at) & samples);
  }
}

/** Counts quads that were covered, and those of them of which no sample passed. */
// @ts-ignore: decorator
@inline
export function countQuads(context: usize, tested: i32, hidden: i32): void {
  const statistics: usize = load<usize>(load<usize>(context + CTX_PASS) + PASS_STATISTICS);
  store<u32>(statistics, load<u32>(statistics, STAT_QUADS_TESTED) + tested, STAT_QUADS_TESTED);
  store<u32>(statistics, load<u32>(statistics, STAT_QUADS_HIDDEN) + hidden, STAT_QUADS_HIDDEN);
}
