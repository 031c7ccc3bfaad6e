// Blocks, quads and small triangles of more than four samples: what walk.ts, accept.ts and walk-small.ts do at four, layer by layer, and what a
// pixel is done for once, over all layers: counting, flushing, packing.

import {
  CTX_COVER, CTX_DRAW, CTX_EARLY, CTX_LAYER_COVERS, CTX_LAYERS, CTX_MODE, CTX_PENDING, CTX_POSITIONS_OF_LAYERS, CTX_SAMPLE_MASK, CTX_TILE_X, CTX_TILE_Y, EARLY_NONE, MODE_DEFERRED, MODE_DEPTH_ONLY, MODE_ORDERED, SAMPLES_SHIFT,
} from '../layout/context';
import { DRAW_SAMPLE_MASK } from '../layout/draw';
import { WARP_QUADS } from '../layout/limits';
import { STATUS_DONE } from '../layout/status';
import { TRI_COVER, TRI_MIN_X, TRI_MIN_Y } from '../layout/triangle';
import { flushQuads, packQuadLayers, shadeWhole } from '../fragment/pack';
import { allSamples, bindLayer, ofLayer } from '../output/layers';
import { earlyTests } from '../output/output';
import { nonzeroBits16 } from '../simd/texels';
import {
  addPending, blockDepth, blockwise, closeBlock, countQuads, hideBlock, isTested, maskCover, openBlock, spreadIds, takeBlock,
} from './accept';
import { boxOfBlock, boxOfQuad, restrictBlock4, spread } from './box';
import { visibleBlock4 } from './visible';
import { markQuad } from './visible.scalar';
import { coverLayer, quadCoverage } from './walk';
import { pixelAt, smallLayer } from './walk-small';

/** SAMPLE POSITIONS of a layer. */
// @ts-ignore: decorator
@inline
function placesOf(context: usize, layer: i32): usize {
  return context + CTX_POSITIONS_OF_LAYERS + (<usize>layer << SAMPLES_SHIFT);
}

/** Bytes of one layer's coverage of a block. */
const COVER_BYTES: usize = 32;

/** walkBlock4. Returns STATUS_*. */
export function walkBlockLayers(context: usize, triangle: usize, block: i32, x: i32, y: i32, side: i32, wide: bool, large: bool): i32 {
  const box = boxOfBlock(context, x, y);
  const inside = !side && box == u64.MAX_VALUE;
  const depth = blockDepth(context, triangle, block, inside || large);
  if (depth < 0) return hideBlock(context, inside);
  if (inside) return acceptWhole(context, triangle, block, depth);
  for (let layer = 0; layer < load<i32>(context, CTX_LAYERS); layer++) {
    const out = context + CTX_LAYER_COVERS + <usize>layer * COVER_BYTES;
    const quads = coverLayer(context, placesOf(context, layer), out, x, y, side, wide);
    if (box != u64.MAX_VALUE) restrictBlock4(out, quads, box);
  }
  return acceptLayers(context, triangle, block, depth, false);
}

/** A block that the triangle covers at all samples; `side`: what blockDepth said. Returns STATUS_*. */
export function acceptWhole(context: usize, triangle: usize, block: i32, side: i32): i32 {
  const whole = allSelected(context);
  if (whole && side > 0 && takeBlock(context, triangle, block)) {
    countQuads(context, WARP_QUADS, 0);
    return STATUS_DONE;
  }
  if (whole && !isTested(context, side) && load<i32>(context + CTX_MODE) == MODE_ORDERED && !load<u16>(context + CTX_PENDING + (<usize>block << 1))) {
    const status = shadeWhole(context, triangle, block);
    if (status >= 0) {
      countQuads(context, WARP_QUADS, 0);
      return status;
    }
  }
  memory.fill(context + CTX_LAYER_COVERS, 0xff, <usize>load<i32>(context, CTX_LAYERS) * COVER_BYTES);
  return acceptLayers(context, triangle, block, side, whole);
}

/** Whether the pipeline's mask lets all samples through. */
function allSelected(context: usize): bool {
  const all = allSamples(context);
  return (load<i32>(load<usize>(context + CTX_DRAW) + DRAW_SAMPLE_MASK) & all) == all;
}

/** acceptBlock4 of coverage at CTX_LAYER_COVERS. */
function acceptLayers(context: usize, triangle: usize, block: i32, side: i32, full: bool): i32 {
  const tested = isTested(context, side);
  if (!blockwise(context)) return acceptQuads(context, triangle, block, tested);
  const layers = load<i32>(context, CTX_LAYERS);
  const marks = tested || load<i32>(context + CTX_MODE) != MODE_DEPTH_ONLY;
  if (marks) openBlock(context, block, tested);
  let covered = 0;
  let visible = 0;
  for (let layer = 0; layer < layers; layer++) {
    bindLayer(context, layer);
    copyCover(context, context + CTX_LAYER_COVERS + <usize>layer * COVER_BYTES);
    const quads = quadsCovered(context);
    covered |= quads;
    if (!quads || !marks) continue;
    if (load<i32>(context + CTX_SAMPLE_MASK) != 0xffff) maskCover(context, quads);
    visible |= visibleBlock4(context, triangle, block, quads, tested);
  }
  bindLayer(context, 0);
  countQuads(context, popcnt(covered), marks ? popcnt(covered & ~visible) : 0);
  if (marks) closeBlock(context, block, visible, tested, full);
  return STATUS_DONE;
}

// Word by word: memory.copy leaves the module.
// @ts-ignore: decorator
@inline
function copyCover(context: usize, from: usize): void {
  store<u64>(context, load<u64>(from), CTX_COVER);
  store<u64>(context, load<u64>(from, 8), CTX_COVER + 8);
  store<u64>(context, load<u64>(from, 16), CTX_COVER + 16);
  store<u64>(context, load<u64>(from, 24), CTX_COVER + 24);
}

/** One bit for each quad that CTX_COVER covers. */
// @ts-ignore: decorator
@inline
function quadsCovered(context: usize): i32 {
  if (ASC_FEATURE_SIMD) return nonzeroBits16(v128.load(context, CTX_COVER), v128.load(context, CTX_COVER + 16));
  let quads = 0;
  for (let quad = 0; quad < WARP_QUADS; quad++) quads |= <i32>(load<u16>(context + (<usize>quad << 1), CTX_COVER) != 0) << quad;
  return quads;
}

function acceptQuads(context: usize, triangle: usize, block: i32, tested: bool): i32 {
  if (!tested && load<i32>(context + CTX_MODE) == MODE_ORDERED) return packLayers(context, triangle, block);
  for (let quad = 0; quad < WARP_QUADS; quad++) {
    const mask = coverOf(context, quad, load<i32>(context, CTX_LAYERS));
    if (!mask) continue;
    const status = acceptQuadLayers(context, triangle, (block << 4) + quad, mask, tested);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** Packs the quads of CTX_LAYER_COVERS, which pass as they are, for a draw that is shaded in order. Returns STATUS_*. */
function packLayers(context: usize, triangle: usize, block: i32): i32 {
  const layers = load<i32>(context, CTX_LAYERS);
  let selected: u64 = 0;
  for (let layer = 0; layer < layers; layer++) {
    bindLayer(context, layer);
    selected |= <u64>load<i32>(context + CTX_SAMPLE_MASK) << <u64>(layer << 4);
  }
  bindLayer(context, 0);
  if (load<u16>(context + CTX_PENDING + (<usize>block << 1))) {
    const status = flushQuads(context, block, 0xffff);
    if (status != STATUS_DONE) return status;
  }
  let covered = 0;
  for (let quad = 0; quad < WARP_QUADS; quad++) {
    const mask = coverOf(context, quad, layers);
    covered += <i32>(mask != 0);
    if (!(mask & selected)) continue;
    const status = packQuadLayers(context, triangle, (block << 4) + quad, mask & selected);
    if (status != STATUS_DONE) return status;
  }
  countQuads(context, covered, 0);
  return STATUS_DONE;
}

/** A quad's samples in CTX_LAYER_COVERS, 16 bits a layer. */
// @ts-ignore: decorator
@inline
function coverOf(context: usize, quad: i32, layers: i32): u64 {
  let mask: u64 = 0;
  for (let layer = 0; layer < layers; layer++) {
    mask |= <u64>load<u16>(context + CTX_LAYER_COVERS + <usize>layer * COVER_BYTES + (<usize>quad << 1)) << <u64>(layer << 4);
  }
  return mask;
}

/** acceptQuad of a quad's samples, 16 bits a layer. Returns STATUS_*. */
export function acceptQuadLayers(context: usize, triangle: usize, quad: i32, mask: u64, tested: bool): i32 {
  const early = load<i32>(context + CTX_EARLY);
  const mode = load<i32>(context + CTX_MODE);
  const block = quad >> 4;
  if (mode == MODE_DEFERRED) spreadIds(context, block);
  let visible: u64 = 0;
  for (let layer = 0; layer < load<i32>(context, CTX_LAYERS); layer++) {
    bindLayer(context, layer);
    let left = ofLayer(mask, layer) & load<i32>(context + CTX_SAMPLE_MASK);
    if (left && tested && early != EARLY_NONE) left = earlyTests(context, triangle, quad, left, early);
    if (left && mode == MODE_DEFERRED) markQuad(context, triangle, quad, left);
    visible |= <u64>left << <u64>(layer << 4);
  }
  bindLayer(context, 0);
  countQuads(context, 1, <i32>!visible);
  if (!visible || mode == MODE_DEPTH_ONLY) return STATUS_DONE;
  const bit = 1 << (quad & 15);
  if (mode == MODE_DEFERRED) {
    addPending(context, block, bit);
    return STATUS_DONE;
  }
  if (load<u16>(context + CTX_PENDING + (<usize>block << 1)) & bit) {
    const status = flushQuads(context, block, bit);
    if (status != STATUS_DONE) return status;
  }
  return packQuadLayers(context, triangle, quad, visible);
}

/** Quad (x, y) of a small box; quad by quad, as walkQuads. Returns STATUS_*. */
export function walkQuadLayers(context: usize, triangle: usize, x: i32, y: i32): i32 {
  const box = spread(boxOfQuad(context, x, y));
  let mask: u64 = 0;
  for (let layer = 0; layer < load<i32>(context, CTX_LAYERS); layer++) {
    mask |= <u64>(quadCoverage(context, placesOf(context, layer), x, y, 4) & box) << <u64>(layer << 4);
  }
  return mask ? acceptQuadLayers(context, triangle, pixelAt(x, y) >> 2, mask, true) : STATUS_DONE;
}

/** rasterSmall of a triangle at (x, y) in the tile. Returns STATUS_*. */
export function rasterSmallLayers(context: usize, triangle: usize): i32 {
  const x = load<i32>(triangle + TRI_MIN_X) - load<i32>(context + CTX_TILE_X);
  const y = load<i32>(triangle + TRI_MIN_Y) - load<i32>(context + CTX_TILE_Y);
  if (!blockwise(context)) return smallQuadLayers(context, triangle, x, y);
  // Of the up to nine quads, those met and (from bit 16 on) those of which a sample passed.
  let quads = 0;
  for (let layer = 0; layer < load<i32>(context, CTX_LAYERS); layer++) {
    bindLayer(context, layer);
    if (load<i32>(context + CTX_SAMPLE_MASK)) quads |= smallLayer(context, triangle, load<u64>(triangle + TRI_COVER - (<usize>layer << 3)), x, y);
  }
  bindLayer(context, 0);
  countQuads(context, popcnt(quads & 0xffff), popcnt(quads & ~(quads >> 16) & 0xffff));
  return STATUS_DONE;
}

function smallQuadLayers(context: usize, triangle: usize, x: i32, y: i32): i32 {
  for (let qy = y & ~1; qy < y + 4; qy += 2) for (let qx = x & ~1; qx < x + 4; qx += 2) {
    if ((qx | qy) & ~63) continue;
    let mask: u64 = 0;
    for (let pixel = 0; pixel < 4; pixel++) {
      const dx = qx + (pixel & 1) - x;
      const dy = qy + (pixel >> 1) - y;
      if ((dx | dy) & ~3) continue;
      for (let layer = 0; layer < load<i32>(context, CTX_LAYERS); layer++) {
        const cover = load<u64>(triangle + TRI_COVER - (<usize>layer << 3));
        mask |= ((cover >> <u64>((dy * 4 + dx) << 2)) & 15) << <u64>((layer << 4) + (pixel << 2));
      }
    }
    if (!mask) continue;
    const status = acceptQuadLayers(context, triangle, pixelAt(qx, qy) >> 2, mask, true);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}
