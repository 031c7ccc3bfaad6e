// What happens to covered quads, by the draw's mode: visibility for draws that are shaded later, tests and packing for draws that are
// shaded in order. Quads that those draw over are shaded first.

import {
  COVER_SHIFT, CTX_BLOCK_IDS, CTX_COVER, CTX_DEPTH_16, CTX_DEPTH_WRITE, CTX_EARLY, CTX_IDS, CTX_LAYERS, CTX_MODE, CTX_PASS, CTX_PENDING, CTX_SAMPLE_MASK, CTX_SAMPLES,
  EARLY_DEPTH, EARLY_NONE, EARLY_STENCIL, MODE_DEFERRED, MODE_DEPTH_ONLY,
} from '../layout/context';
import { WARP_QUADS } from '../layout/limits';
import { PASS_STATISTICS, STAT_BLOCKS_HIDDEN, STAT_QUADS_HIDDEN, STAT_QUADS_TESTED } from '../layout/pass';
import { STATUS_DONE } from '../layout/status';
import { BLOCK_PIXELS } from '../layout/tile';
import { coverDepth, depthSide, isBounded, isPlane, ownSide, spreadDepth, unbounded, widenDepth } from '../output/depth-blocks';
import { earlyTests } from '../output/output';
import { flushQuads, isAlone, packQuad, shadeWhole } from '../fragment/pack';
import { nonzeroBits16 } from '../simd/texels';
import { isLayered, LAYER_WORDS, layersOf, ofLayer, quadSamples, samplesOf } from '../tile/layers';
import { visibleBlock1, visibleBlock4 } from './visible';
import { markQuad } from './visible.scalar';

/**
 * A block. At one sample `cover` has bit quad·4 + pixel; else bit quad for those that are touched, and coverage is at CTX_COVER, where `full` (all
 * samples of the block) not filled in yet. `side`: what blockDepth said. Returns STATUS_*.
 */
export function acceptBlock<S>(context: usize, triangle: usize, block: i32, cover: u64, side: i32, full: bool): i32 {
  const selected = load<u64>(context, CTX_SAMPLE_MASK);
  if (!selected) return STATUS_DONE;
  const whole = full && selected == quadSamples(context);
  if (whole && side > 0 && takeBlock(context, triangle, block)) {
    countQuads(context, WARP_QUADS, 0);
    return STATUS_DONE;
  }
  const tested = isTested(context, side);
  if (isLayered<S>() && whole && !tested && isAlone(context, block)) {
    countQuads(context, WARP_QUADS, 0);
    return shadeWhole(context, triangle, block);
  }
  if (samplesOf<S>() != 1 && full) memory.fill(context + CTX_COVER, 0xff, <usize>layersOf<S>(context) << COVER_SHIFT);
  const quads = samplesOf<S>() == 1 ? quadsOf(cover) : <i32>cover & 0xffff;
  if (!blockwise(context)) return acceptQuads<S>(context, triangle, block, cover, tested);
  if (!tested && load<i32>(context + CTX_MODE) == MODE_DEPTH_ONLY) {
    countQuads(context, popcnt(quads), 0);
    return STATUS_DONE;
  }
  openBlock(context, block, tested);
  const visible = visibleBlock<S>(context, triangle, block, cover, tested);
  countQuads(context, popcnt(quads), popcnt(quads & ~visible));
  closeBlock(context, block, visible, tested, whole);
  return STATUS_DONE;
}

/** Tests a block sample by sample if `tested`, and notes its triangle if it is shaded later. Gives the quads of which a sample passed. */
// @ts-ignore: decorator
@inline
function visibleBlock<S>(context: usize, triangle: usize, block: i32, cover: u64, tested: bool): i32 {
  if (samplesOf<S>() == 1) return visibleBlock1(context, triangle, block, cover, tested);
  const selected = load<u64>(context, CTX_SAMPLE_MASK);
  if (selected != quadSamples(context)) maskCover<S>(context, selected);
  if (!isLayered<S>()) return visibleBlock4(context, triangle, block, <i32>cover & 0xffff, tested, 0);
  let visible = 0;
  for (let layer = 0; layer < layersOf<S>(context); layer++) {
    const quads = quadsCovered(context + (<usize>layer << COVER_SHIFT));
    if (quads) visible |= visibleBlock4(context, triangle, block, quads, tested, layer);
  }
  return visible;
}

/** Takes samples out of CTX_COVER that the pipeline's mask leaves out. */
function maskCover<S>(context: usize, selected: u64): void {
  for (let layer = 0; layer < layersOf<S>(context); layer++) {
    const samples = <u64>ofLayer(selected, layer) * 0x0001000100010001;
    const from = context + (<usize>layer << COVER_SHIFT);
    for (let at = from; at < from + (1 << COVER_SHIFT); at += 8) store<u64>(at, load<u64>(at, CTX_COVER) & samples, CTX_COVER);
  }
}

/** One bit for each quad that a layer's coverage, CTX_COVER behind `cover`, has samples of. */
// @ts-ignore: decorator
@inline
function quadsCovered(cover: usize): i32 {
  if (ASC_FEATURE_SIMD) return nonzeroBits16(v128.load(cover, CTX_COVER), v128.load(cover, CTX_COVER + 16));
  let quads = 0;
  for (let quad = 0; quad < WARP_QUADS; quad++) quads |= <i32>(load<u16>(cover + (<usize>quad << 1), CTX_COVER) != 0) << quad;
  return quads;
}

/** A quad's samples in a block's coverage. */
// @ts-ignore: decorator
@inline
function coverOf<S>(context: usize, cover: u64, quad: i32): u64 {
  if (samplesOf<S>() == 1) return (cover >> <u64>(quad << 2)) & 15;
  let mask: u64 = 0;
  for (let layer = 0; layer < layersOf<S>(context); layer++) {
    mask |= <u64>load<u16>(context + (<usize>layer << COVER_SHIFT) + (<usize>quad << 1), CTX_COVER) << <u64>(layer << 4);
  }
  return mask;
}

/** The quads of a block one by one; those that pass as they are, of a draw that is shaded in order, straight to its packer. Returns STATUS_*. */
function acceptQuads<S>(context: usize, triangle: usize, block: i32, cover: u64, tested: bool): i32 {
  const quads = samplesOf<S>() == 1 ? quadsOf(cover) : <i32>cover & 0xffff;
  const selected = load<u64>(context, CTX_SAMPLE_MASK);
  if (!tested) {
    countQuads(context, popcnt(quads), 0);
    const status = flushQuads(context, block, quads);
    if (status != STATUS_DONE) return status;
  }
  for (let rest = quads; rest; rest &= rest - 1) {
    const quad = ctz(rest);
    const mask = coverOf<S>(context, cover, quad);
    let status = STATUS_DONE;
    if (tested) status = acceptQuad(context, triangle, (block << 4) + quad, mask);
    else if (mask & selected) status = packQuad(context, triangle, (block << 4) + quad, mask & selected);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** One quad (block·16 + quad) with the samples it covers; depth (and stencil) are not known to pass. Returns STATUS_*. */
export function acceptQuad(context: usize, triangle: usize, quad: i32, mask: u64): i32 {
  const mode = load<i32>(context + CTX_MODE);
  let visible = mask & load<u64>(context, CTX_SAMPLE_MASK);
  if (visible) {
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
  const status = flushQuads(context, block, 1 << (quad & 15));
  return status != STATUS_DONE ? status : packQuad(context, triangle, quad, visible);
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
  const bytes = <usize>(BLOCK_PIXELS * load<i32>(context + CTX_SAMPLES)) << 2;
  let at = load<usize>(context + CTX_IDS) + <usize>block * bytes;
  for (let layer = load<i32>(context, CTX_LAYERS); layer > 0; layer--) {
    memory.fill(at, 0, bytes);
    at += LAYER_WORDS;
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
  let first = load<usize>(context + CTX_IDS) + <usize>block * bytes;
  for (let layer = load<i32>(context, CTX_LAYERS); layer > 0; layer--) {
    for (let to = first; to < first + bytes; to += 16) {
      store<u64>(to, pair);
      store<u64>(to, pair, 8);
    }
    first += LAYER_WORDS;
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

/** Counts quads that were covered, and those of them of which no sample passed. */
// @ts-ignore: decorator
@inline
export function countQuads(context: usize, tested: i32, hidden: i32): void {
  const statistics: usize = load<usize>(load<usize>(context + CTX_PASS) + PASS_STATISTICS);
  store<u32>(statistics, load<u32>(statistics, STAT_QUADS_TESTED) + tested, STAT_QUADS_TESTED);
  store<u32>(statistics, load<u32>(statistics, STAT_QUADS_HIDDEN) + hidden, STAT_QUADS_HIDDEN);
}
