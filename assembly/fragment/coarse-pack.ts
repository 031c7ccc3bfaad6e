// Packs the visible quads of a triangle in one block by the shading rates of the block's 4×4-pixel areas (rates.ts).
// Quads at 1×1 are packed as usual (slots.ts). Quads at other rates go to the coarse packers as coarse quads. If the
// shader takes no derivatives and not all four coarse pixels are wanted, they go there as single coarse pixels instead.
// A coarse quad that reaches into areas of other rates has helper lanes there.
//
// Draw calls that are shaded in order may have entries in several packers at once, but no two packers have entries in
// the same area. So the results of one area are written in the order of its triangles.

import {
  COARSE_PACKERS,
  CoarsePacker,
  CoarsePart,
  CoarseStages,
  Draw,
  DRAW_FLAG_DEFERRED,
  DRAW_FLAG_READS,
  entryHead,
  MODE_ORDERED,
  PACKER_PIXELS,
  PACKER_QUADS,
  PROGRAM_FLAG_DERIVATIVES,
  SOURCE_BLOCK,
  SOURCE_PATTERN_SHIFT,
  STATUS_DONE,
  STATUS_TIMEOUT,
  Tile,
  Triangle,
  WARP_QUADS,
} from '../layout';
import { claimOf } from '../tile/claims';
import { anyLayer, Four, Layered, One, samplesOfPixels, wholeQuad } from '../tile/layers';
import { shadeCoarse } from './coarse';
import {
  areasOf,
  coarseQuadOf,
  firstPixel,
  lanesFor,
  patternOf,
  patternOfLane,
  pixelsFor,
  quadsOfAreas,
} from './inputs/coarse-shapes';
import { pixelsOf } from './lanes/masks';
import { appendOrdered, awaitClaims, drainOrdered, packDeferred } from './slots';
import { shadingOf } from './lanes/bind';

/**
 * Packs some quads (bit quad) of a block. `masks` holds the triangle's samples, one u64 per quad; `rates` is a result
 * of ratesOf. Returns STATUS_*.
 */
export function packAtRates(tile: Tile, triangle: Triangle, block: i32, quads: i32, masks: usize, rates: u32): i32 {
  let rest = areasOf(quads);
  if (!rates) return packFine(tile, triangle, block, quads, masks);
  while (rest) {
    const rate = codeAt(rates, ctz(rest));
    let alike = 0;
    for (let area = ctz(rest); area < 4; area++) alike |= i32(codeAt(rates, area) == rate) << area;
    const own = quads & quadsOfAreas(alike);
    rest &= ~alike;
    const status = rate
      ? packCoarse(tile, triangle, block, own, masks, rate)
      : packFine(tile, triangle, block, own, masks);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

function codeAt(rates: u32, area: i32): i32 {
  return (<i32>(rates >> (area << 3))) & 255;
}

/**
 * Whether a draw call is shaded in order. In a tile that several workers share (loop/share.ts), all draw calls are.
 */
export function isOrdered(tile: Tile, draw: Draw): bool {
  return !(draw.flags & DRAW_FLAG_DEFERRED) || (draw == tile.draw && tile.mode == MODE_ORDERED);
}

/** Whether the shader takes derivatives of any value that is constant over a coarse pixel. */
function wantsQuads(draw: Draw): bool {
  const stages = changetype<CoarseStages>(draw.stages);
  return stages ? stages.byQuads != 0 : (draw.fragment.program.flags & PROGRAM_FLAG_DERIVATIVES) != 0;
}

/** Packs quads at 1×1. */
function packFine(tile: Tile, triangle: Triangle, block: i32, quads: i32, masks: usize): i32 {
  if (isOrdered(tile, triangle.draw)) return packFineOrdered(tile, triangle, block, quads, masks);
  const count = tile.samples;
  if (count == 1) return packFineDeferred<One>(tile, triangle, block, quads, masks);
  return count <= 4
    ? packFineDeferred<Four>(tile, triangle, block, quads, masks)
    : packFineDeferred<Layered>(tile, triangle, block, quads, masks);
}

function packFineDeferred<S>(tile: Tile, triangle: Triangle, block: i32, quads: i32, masks: usize): i32 {
  for (let rest = quads; rest; rest &= rest - 1) {
    const quad = ctz(rest);
    const status = packDeferred<S>(tile, triangle, (block << 4) + quad, load<u64>(masks + (quad << 3)));
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

function packFineOrdered(tile: Tile, triangle: Triangle, block: i32, quads: i32, masks: usize): i32 {
  const awaited = awaitAreas(tile, block, quads, tile.coarse.areas);
  if (awaited != STATUS_DONE) return awaited;
  const packer = tile.orderedPacker;
  const reads = (triangle.draw.flags & DRAW_FLAG_READS) != 0;
  for (let rest = quads; rest; rest &= rest - 1) {
    const quad = (block << 4) + ctz(rest);
    if (reads) {
      const status = awaitClaims(tile, block, claimOf(tile, quad));
      if (status != STATUS_DONE) return status;
    }
    // After awaitClaims, which may run all pending entries and clear the areas.
    addAreas(tile.coarse.areas, block, areasOf(1 << ctz(rest)));
    const mask = load<u64>(masks + (ctz(rest) << 3));
    const status = appendOrdered(tile, packer, triangle, quad, mask, -1);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** The four area bits of a block, from the bit array at `areas` (bit block·4 + area). */
function areasIn(areas: usize, block: i32): i32 {
  return (load<u8>(areas + (block >> 1)) >> ((block & 1) << 2)) & 15;
}

function addAreas(areas: usize, block: i32, bits: i32): void {
  const at = areas + (block >> 1);
  store<u8>(at, (<i32>load<u8>(at)) | (bits << ((block & 1) << 2)));
}

/**
 * Makes sure that only one packer, the one whose areas are at `own`, has entries in the areas of some quads of a block.
 * If another packer has entries there, runs all pending entries of draw calls that are shaded in order. Returns
 * STATUS_*.
 */
function awaitAreas(tile: Tile, block: i32, quads: i32, own: usize): i32 {
  const room = tile.coarse;
  const areas = areasOf(quads);
  let met = own == room.areas ? 0 : areasIn(room.areas, block);
  for (let i = 0; i < COARSE_PACKERS; i++) {
    const coarse = room.packer(i);
    if (coarse.ordered && coarse.packer.count && coarse.areas != own) met |= areasIn(coarse.areas, block);
  }
  return met & areas ? drainOrdered(tile) : STATUS_DONE;
}

/** Finds the packer for equivalent draw calls at a rate, or takes a free one, or empties one. Returns 0 on timeout. */
export function packerFor(tile: Tile, draw: Draw, rate: i32, kind: i32): CoarsePacker {
  const room = tile.coarse;
  const shading = shadingOf(draw);
  const ordered = i32(isOrdered(tile, draw));
  let free = changetype<CoarsePacker>(0);
  for (let i = 0; i < COARSE_PACKERS; i++) {
    const coarse = room.packer(i);
    const packer = coarse.packer;
    if (!packer.count) {
      free = coarse;
    } else if (
      coarse.rate == rate
      && packer.kind == kind
      && coarse.ordered == ordered
      && shadingOf(packer.draw) == shading
    ) {
      // Entries read the draw call's state from the one that was packed last: equivalent draw calls agree on it.
      packer.draw = draw;
      return coarse;
    }
  }
  if (!free) {
    free = room.packer(room.next);
    room.next = (room.next + 1) % COARSE_PACKERS;
    const status = free.ordered ? drainOrdered(tile) : shadeCoarse(tile, free);
    if (status != STATUS_DONE) return changetype<CoarsePacker>(0);
  }
  free.rate = rate;
  free.ordered = ordered;
  free.hasMasks = 0;
  free.packer.kind = kind;
  free.packer.draw = draw;
  return free;
}

/** Packs quads of areas that all have one coarser rate. Returns STATUS_*. */
function packCoarse(tile: Tile, triangle: Triangle, block: i32, quads: i32, masks: usize, rate: i32): i32 {
  const part = tile.coarse.part;
  part.triangle = triangle;
  part.block = block;
  part.quads = quads;
  part.masks = masks;
  part.rate = rate;
  const found = findCoarse(tile, part);
  const draw = triangle.draw;
  let asQuads = found;
  // In order, no two packers may have entries in one area, so single pixels are not split off.
  if (!isOrdered(tile, draw) && !wantsQuads(draw)) {
    for (let rest = found; rest; rest &= rest - 1)
      if (load<u8>(tile.coarse.lanes + ctz(rest)) != 15) asQuads &= ~(rest & -rest);
  }
  part.whole = i32(part.whole && asQuads == found);
  const status = asQuads ? packQuads(tile, part, asQuads) : STATUS_DONE;
  return status == STATUS_DONE && asQuads != found ? packPixels(tile, part, found & ~asQuads) : status;
}

/**
 * Returns the coarse quads that contain the quads of a part, as bits of their first quad. Writes the lanes of each that
 * stand for a visible pixel to Coarse.lanes.
 */
function findCoarse(tile: Tile, part: CoarsePart): i32 {
  const lanes = tile.coarse.lanes;
  const single = tile.layerSamples == 1;
  const rate = part.rate;
  let every: u64 = u64.MAX_VALUE;
  let found = 0;
  for (let rest = part.quads; rest; rest &= rest - 1) {
    const quad = ctz(rest);
    const first = coarseQuadOf(rate, quad);
    const mask = load<u64>(part.masks + (quad << 3));
    const own = lanesFor(patternOf(rate, quad), single ? <i32>mask : pixelsOf(anyLayer(mask)));
    const before = (found >> first) & 1 ? <i32>load<u8>(lanes + first) : 0;
    store<u8>(lanes + first, before | own);
    found |= 1 << first;
    every &= mask;
  }
  part.whole = i32(part.quads == 0xffff && every == wholeQuad(tile));
  return found;
}

/** Finds a packer with room for `count` more entries that may hold the areas of a part. Returns 0 on timeout. */
function roomFor(tile: Tile, part: CoarsePart, kind: i32, count: i32): CoarsePacker {
  const draw = part.triangle.draw;
  const coarse = packerFor(tile, draw, part.rate, kind);
  if (!coarse) return coarse;
  const ordered = isOrdered(tile, draw);
  let status: i32 = ordered ? awaitAreas(tile, part.block, part.quads, coarse.areas) : STATUS_DONE;
  const most = kind == PACKER_QUADS ? WARP_QUADS : 4 * WARP_QUADS;
  if (status == STATUS_DONE && coarse.packer.count + count > most)
    status = ordered ? drainOrdered(tile) : shadeCoarse(tile, coarse);
  if (status != STATUS_DONE) return changetype<CoarsePacker>(0);
  if (ordered) addAreas(coarse.areas, part.block, areasOf(part.quads));
  return coarse;
}

/** Packs some coarse quads of a part, one entry per coarse quad. Returns STATUS_*. */
function packQuads(tile: Tile, part: CoarsePart, found: i32): i32 {
  const coarse = roomFor(tile, part, PACKER_QUADS, popcnt(found));
  if (!coarse) return STATUS_TIMEOUT;
  const room = tile.coarse;
  const packer = coarse.packer;
  const triangle = part.triangle;
  const begin = part.block << 4;
  let count = packer.count;
  for (let rest = found; rest; rest &= rest - 1) {
    const first = ctz(rest);
    store<u8>(room.begins + first, count);
    packer.entry(count++).put(entryHead(triangle, begin + first, -1), load<u8>(room.lanes + first));
  }
  packer.count = count;
  const rate = part.rate;
  let whole = part.whole ? SOURCE_BLOCK : 0;
  let fine = coarse.fineCount;
  for (let rest = part.quads; rest; rest &= rest - 1) {
    const quad = ctz(rest);
    const first = coarseQuadOf(rate, quad);
    if (!((found >> first) & 1)) continue;
    const source = (<i32>load<u8>(room.begins + first)) | (patternOf(rate, quad) << SOURCE_PATTERN_SHIFT) | whole;
    coarse.fineEntry(fine++).put(triangle, begin + quad, source, load<u64>(part.masks + (quad << 3)));
    whole = 0;
  }
  coarse.fineCount = fine;
  return STATUS_DONE;
}

/** Packs the wanted coarse pixels of some coarse quads of a part, one entry per coarse pixel. Returns STATUS_*. */
function packPixels(tile: Tile, part: CoarsePart, found: i32): i32 {
  const room = tile.coarse;
  let wanted = 0;
  for (let rest = found; rest; rest &= rest - 1) wanted += popcnt(load<u8>(room.lanes + ctz(rest)));
  const coarse = roomFor(tile, part, PACKER_PIXELS, wanted);
  if (!coarse) return STATUS_TIMEOUT;
  const packer = coarse.packer;
  const triangle = part.triangle;
  const begin = part.block << 4;
  const rate = part.rate;
  let count = packer.count;
  for (let rest = found; rest; rest &= rest - 1) {
    const first = ctz(rest);
    store<u8>(room.begins + first, count);
    for (let lanes = <i32>load<u8>(room.lanes + first); lanes; lanes &= lanes - 1)
      packer.entry(count++).put(entryHead(triangle, (begin << 2) + firstPixel(rate, first, ctz(lanes)), -1), 1);
  }
  packer.count = count;
  for (let rest = part.quads; rest; rest &= rest - 1) {
    const quad = ctz(rest);
    if ((found >> coarseQuadOf(rate, quad)) & 1) addFinePixels(tile, part, coarse, quad);
  }
  return STATUS_DONE;
}

/** Adds one fine entry per coarse pixel that a quad touches, with the samples of that coarse pixel. */
function addFinePixels(tile: Tile, part: CoarsePart, coarse: CoarsePacker, quad: i32): void {
  const room = tile.coarse;
  const rate = part.rate;
  const first = coarseQuadOf(rate, quad);
  const pattern = patternOf(rate, quad);
  const mask = load<u64>(part.masks + (quad << 3));
  const wanted = <i32>load<u8>(room.lanes + first);
  const pixels = tile.layerSamples == 1 ? <i32>mask : pixelsOf(anyLayer(mask));
  let fine = coarse.fineCount;
  for (let lanes = lanesFor(pattern, pixels); lanes; lanes &= lanes - 1) {
    const lane = ctz(lanes);
    const entry = <i32>load<u8>(room.begins + first) + popcnt(wanted & ((1 << lane) - 1));
    const source = (entry >> 2) | (patternOfLane(entry & 3) << SOURCE_PATTERN_SHIFT);
    const own = mask & samplesOfPixels(pixelsFor(pattern, lane), tile.samples);
    coarse.fineEntry(fine++).put(part.triangle, (part.block << 4) + quad, source, own);
  }
  coarse.fineCount = fine;
}
