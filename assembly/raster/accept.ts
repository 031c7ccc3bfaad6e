// Processes covered quads by the draw call's mode: visibility for deferred draw calls, tests and packing for draw calls
// that are shaded in order. Before the latter draw over a quad, its deferred pixels are shaded.

import { flushQuads, canShadeBlockFirst, packQuad, shadeWhole } from '../fragment/pack';
import {
  COVER_SHIFT,
  EARLY_DEPTH,
  EARLY_NONE,
  EARLY_REJECT,
  EARLY_STENCIL,
  MODE_DEFERRED,
  MODE_DEPTH_ONLY,
  STATUS_DONE,
  Tile,
  Triangle,
  WARP_QUADS,
} from '../layout';
import { testsDepth } from '../output/depth';
import { earlyTests } from '../output/output';
import { settleStencil, stencilSide } from '../output/stencil';
import { nonzeroBits16 } from '../simd/texels';
import {
  coverDepth,
  depthSide,
  isBounded,
  isPlane,
  ownSide,
  expandDepth,
  unbounded,
  widenDepth,
} from '../tile/depth-blocks';
import { fillBlock, hasLayer, isLayered, ofLayer, quadSamples, samplesOf } from '../tile/layers';
import { fillCover } from './coverage';
import { passingBlock1, passingBlock4 } from './passing';
import { visibleBlock1, visibleBlock4 } from './visible';
import { markQuad } from './visible.scalar';

/** Minimum number of quads of a block whose depths are compared together. */
const PASSING_QUADS = 3;

/**
 * Processes a covered block. At one sample, `cover` has bit quad·4 + pixel. Otherwise it has a bit for each touched
 * quad, and the coverage is at Tile.cover. With `full` (all samples of the block), Tile.cover is not filled yet. `side`
 * is the result of blockDepth. Returns STATUS_*.
 */
// @ts-ignore: decorator
@inline
export function acceptBlock<S>(tile: Tile, triangle: Triangle, block: i32, cover: u64, side: i32, full: bool): i32 {
  if (!tile.sampleMask) return STATUS_DONE;
  if (tile.early == EARLY_STENCIL) return acceptStencil<S>(tile, triangle, block, cover, full);
  return acceptDepth<S>(tile, triangle, block, cover, side, full);
}

/**
 * acceptBlock for draw calls with stencil. If all samples of the block have one stencil value, it is tested once, and
 * the block continues as without stencil.
 */
function acceptStencil<S>(tile: Tile, triangle: Triangle, block: i32, cover: u64, full: bool): i32 {
  const side = stencilSide(tile, triangle, block);
  const whole = full && tile.sampleMask == quadSamples<S>(tile);
  const tests = testsDepth(tile);
  const depth = side > 0 && tests ? depthSide(tile, triangle, block) : 1;
  if (!side || !settleStencil(tile, triangle, block, side, depth, whole))
    return acceptDepth<S>(tile, triangle, block, cover, 0, full);
  if (side < 0 || depth < 0) return countHiddenBlock(tile, full);
  tile.early = tests ? EARLY_DEPTH : EARLY_NONE;
  const status = acceptDepth<S>(tile, triangle, block, cover, depth, full);
  tile.early = EARLY_STENCIL;
  return status;
}

/** acceptBlock by depth alone, or quad by quad if stencil matters. */
function acceptDepth<S>(tile: Tile, triangle: Triangle, block: i32, cover: u64, side: i32, full: bool): i32 {
  const selected = tile.sampleMask;
  const whole = full && selected == quadSamples<S>(tile);
  if (whole && side > 0 && takeBlock(tile, changetype<usize>(triangle), block)) {
    countQuads(tile, WARP_QUADS, 0);
    return STATUS_DONE;
  }
  const tested = isTested(tile, side);
  if (samplesOf<S>() != 1 && whole && !tested && canShadeBlockFirst(tile, block))
    return shadeAcceptedBlock(tile, triangle, block);
  if (samplesOf<S>() != 1 && full) {
    for (let layer = 0; layer < tile.layers; layer++) fillCover(tile.coverOf(layer));
  }
  const quads = touched<S>(cover);
  if (!blockwise(tile)) return acceptQuads<S>(tile, triangle, block, cover, tested);
  if (!tested && tile.mode == MODE_DEPTH_ONLY) {
    countQuads(tile, popcnt(whole || samplesOf<S>() == 1 ? quads : selectedQuads<S>(tile)), 0);
    return STATUS_DONE;
  }
  if (tested) expandDepth(tile, block);
  if (tile.mode == MODE_DEFERRED) expandIds(tile, block);
  const visible = visibleBlock<S>(tile, triangle, block, cover, tested);
  countQuads(tile, popcnt(quads), popcnt(quads & ~visible));
  if (tested && tile.depthWrite) widenDepth(tile, block, popcnt(visible), whole);
  if (tile.mode == MODE_DEFERRED) addPending(tile, block, visible);
  return STATUS_DONE;
}

/** Shades a block for which canShadeBlockFirst is true. Returns STATUS_*. */
export function shadeAcceptedBlock(tile: Tile, triangle: Triangle, block: i32): i32 {
  countQuads(tile, WARP_QUADS, 0);
  return shadeWhole(tile, triangle, block);
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

/** Removes samples from Tile.cover that the pipeline's sample mask excludes. */
function maskCover<S>(tile: Tile, selected: u64): void {
  let layer = 0;
  do {
    const samples = <u64>ofLayer(selected, layer) * 0x0001000100010001;
    const from = tile.coverOf(layer);
    for (let at = from; at < from + (1 << COVER_SHIFT); at += 8) store<u64>(at, load<u64>(at) & samples);
  } while (hasLayer<S>(tile, ++layer));
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

/** A quad's samples in a block's coverage. */
function coverOf<S>(tile: Tile, cover: u64, quad: i32): u64 {
  if (samplesOf<S>() == 1) return (cover >> (<u64>(quad << 2))) & 15;
  let mask: u64 = 0;
  let layer = 0;
  do {
    mask |= (<u64>load<u16>(tile.coverOf(layer) + (quad << 1))) << u64(layer << 4);
  } while (hasLayer<S>(tile, ++layer));
  return mask;
}

/**
 * Processes the quads of a block, for draw calls that are shaded in order, or one by one for stencil. Returns STATUS_*.
 */
function acceptQuads<S>(tile: Tile, triangle: Triangle, block: i32, cover: u64, tested: bool): i32 {
  const quads = touched<S>(cover);
  if (!tested) {
    countQuads(tile, popcnt(quads), 0);
    return packQuads<S>(tile, triangle, block, cover, quads);
  }
  return writesNothing(tile) && popcnt(quads) >= PASSING_QUADS
    ? acceptPassing<S>(tile, triangle, block, cover, quads)
    : acceptEach<S>(tile, triangle, block, cover, quads);
}

/** Sends quads that need no test to the packer. Returns STATUS_*. */
function packQuads<S>(tile: Tile, triangle: Triangle, block: i32, cover: u64, quads: i32): i32 {
  const selected = tile.sampleMask;
  const flushed = flushQuads(tile, block, quads);
  if (flushed != STATUS_DONE) return flushed;
  for (let rest = quads; rest; rest &= rest - 1) {
    const quad = ctz(rest);
    const mask = coverOf<S>(tile, cover, quad) & selected;
    const status = mask ? packQuad(tile, triangle, (block << 4) + quad, mask) : STATUS_DONE;
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

function acceptEach<S>(tile: Tile, triangle: Triangle, block: i32, cover: u64, quads: i32): i32 {
  for (let rest = quads; rest; rest &= rest - 1) {
    const quad = ctz(rest);
    const status = acceptQuad(tile, triangle, (block << 4) + quad, coverOf<S>(tile, cover, quad));
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** Processes quads whose depths are compared together: a forest of leaves with holes takes 10 to 14 % less time. */
function acceptPassing<S>(tile: Tile, triangle: Triangle, block: i32, cover: u64, quads: i32): i32 {
  const passing = passingCover<S>(tile, triangle, block, cover, quads);
  const visible = touched<S>(passing);
  countQuads(tile, popcnt(quads), popcnt(quads & ~visible));
  return packQuads<S>(tile, triangle, block, passing, visible);
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

/**
 * Processes one quad (block·16 + quad) with the samples it covers, if depth and stencil are not known to pass. Returns
 * STATUS_*.
 */
export function acceptQuad(tile: Tile, triangle: Triangle, quad: i32, mask: u64): i32 {
  const mode = tile.mode;
  let visible = mask & tile.sampleMask;
  if (visible) {
    const early = tile.early;
    if (early != EARLY_NONE) visible = earlyTests(tile, triangle, quad, visible, early);
  }
  countQuads(tile, 1, !visible);
  if (!visible || mode == MODE_DEPTH_ONLY) return STATUS_DONE;
  const block = quad >> 4;
  if (mode == MODE_DEFERRED) {
    expandIds(tile, block);
    markQuad(tile, triangle, quad, visible);
    addPending(tile, block, 1 << (quad & 15));
    return STATUS_DONE;
  }
  const status = flushQuads(tile, block, 1 << (quad & 15));
  return status != STATUS_DONE ? status : packQuad(tile, triangle, quad, visible);
}

/**
 * Counts a block in which the triangle is hidden, and its quads if the triangle covers all of them. Returns
 * STATUS_DONE.
 */
export function countHiddenBlock(tile: Tile, full: bool): i32 {
  const statistics = tile.pass.statistics;
  statistics.blocksHidden += 1;
  if (full) countQuads(tile, WARP_QUADS, WARP_QUADS);
  return STATUS_DONE;
}

/**
 * Whether a triangle is farther away than everything in the blocks of its bounding box, by the blocks' depth bounds.
 * For draw calls that are deferred, depth-only, or write depth after their shader.
 */
export function isTriangleHidden(tile: Tile, triangle: Triangle): bool {
  if (tile.early != EARLY_REJECT && (!blockwise(tile) || tile.early != EARLY_DEPTH)) return false;
  for (let y = tile.boxY0 & ~7; y < tile.boxY1; y += 8)
    for (let x = tile.boxX0 & ~7; x < tile.boxX1; x += 8) {
      if (!isHiddenInBlock(tile, triangle, y + (x >> 3))) return false;
    }
  return true;
}

// @ts-ignore: decorator
@inline
function isHiddenInBlock(tile: Tile, triangle: Triangle, block: i32): bool {
  return isBounded(tile, block) && !tile.depth16 && ownSide(tile, triangle, block) < 0;
}

/**
 * Result of the depth test for a block, as in depthSide; 1 without a test, 0 if stencil matters. With `closely`, the
 * triangle covers the block, or is so large that its own depth bounds say little about the block.
 */
// @ts-ignore: decorator
@inline
export function blockDepth(tile: Tile, triangle: Triangle, block: i32, closely: bool): i32 {
  const early = tile.early;
  if (early == EARLY_NONE) return 1;
  if (early == EARLY_STENCIL) return 0;
  const rejects = early == EARLY_REJECT;
  // Draw calls that write no depth, or write it late, do not need the plane's bounds if the triangle's bounds decide:
  // particles are 5 % faster.
  if ((rejects || !tile.depthWrite) && !tile.depth16) {
    // Layers of leaves with holes hide each other: with the bounds of the depths they wrote, a forest takes 5 to 8 %
    // less time.
    if (rejects) isBounded(tile, block);
    const side = ownSide(tile, triangle, block);
    if (side || (rejects && !closely)) return side;
  }
  // If computed for each block of a mesh of small triangles, the plane's bounds cost 6 % on teapots and rarely decide.
  if (!closely && tile.mode <= MODE_DEPTH_ONLY && !isPlane(tile, block))
    return isHiddenInBlock(tile, triangle, block) ? -1 : unbounded(tile);
  return depthSide(tile, triangle, block);
}

/** Whether a block needs work per sample: depths must be compared, or written one by one. */
export function isTested(tile: Tile, side: i32): bool {
  return side == 0 || (tile.early == EARLY_DEPTH && tile.depthWrite != 0);
}

/**
 * Takes a block in which a triangle covers all samples, and all pass, for deferred and depth-only draw calls. Returns
 * whether the block is finished.
 */
// @ts-ignore: decorator
@inline
function takeBlock(tile: Tile, triangle: usize, block: i32): bool {
  const mode = tile.mode;
  if (mode > MODE_DEPTH_ONLY) return false;
  if (tile.early == EARLY_DEPTH && tile.depthWrite) coverDepth(tile, triangle, block);
  if (mode == MODE_DEFERRED) {
    const only = tile.blockIds + (block << 2);
    const pending = tile.pending + (block << 1);
    if (load<u16>(pending) && !load<u32>(only)) fillBlock(tile, tile.ids, block, 0);
    store<u32>(only, triangle);
    store<u16>(pending, 0xffff);
  }
  return true;
}

/** Writes a block's ids to the plane if one triangle is recorded for the whole block. */
// @ts-ignore: decorator
@inline
export function expandIds(tile: Tile, block: i32): void {
  const at = tile.blockIds + (block << 2);
  if (load<u32>(at)) putIds(tile, block, at);
}

function putIds(tile: Tile, block: i32, at: usize): void {
  fillBlock(tile, tile.ids, block, load<u32>(at));
  store<u32>(at, 0);
}

/** One bit for each covered quad of a block; `cover` as in acceptBlock. */
function touched<S>(cover: u64): i32 {
  if (samplesOf<S>() != 1) return (<i32>cover) & 0xffff;
  let quads = cover | (cover >> 1);
  quads = (quads | (quads >> 2)) & 0x1111111111111111;
  quads = (quads | (quads >> 3)) & 0x0303030303030303;
  quads = (quads | (quads >> 6)) & 0x000f000f000f000f;
  quads = (quads | (quads >> 12)) & 0x000000ff000000ff;
  return (<i32>(quads | (quads >> 24))) & 0xffff;
}

/** Whether whole blocks can be taken at once: nothing is shaded now, and there is no stencil. */
export function blockwise(tile: Tile): bool {
  return tile.mode <= MODE_DEPTH_ONLY && tile.early < EARLY_STENCIL;
}

export function addPending(tile: Tile, block: i32, quads: i32): void {
  const pending = tile.pending + (block << 1);
  store<u16>(pending, load<u16>(pending) | quads);
}

/** Counts covered quads (`tested`), and those of them that have no passing sample (`hidden`). */
export function countQuads(tile: Tile, tested: i32, hidden: i32): void {
  const statistics = tile.pass.statistics;
  statistics.quadsTested += tested;
  statistics.quadsHidden += hidden;
}
