// Packs visible pixels into warps. A slot collects the deferred pixels of draw calls that are shaded alike, across
// triangles. Several slots are open at a time, so that neighbouring objects do not flush each other's half-full warps.
// A slot has two packers:
// - One holds up to WARP_QUADS quads.
// - One holds single pixels of partly covered quads, four of any triangles in a lane group. It is only used if the
//   shader takes no derivatives.
//
// A block that one triangle covers becomes a warp directly. On the dragon, whose triangles cover 1.1 pixels of a quad
// on average, single pixels raised the share of busy lanes from 29 % to 100 % and made the frame 10 % faster. Tried:
// keeping quads of three pixels whole (95 % busy; 5 % faster on teapots at one sample, nothing elsewhere); reading a
// block's triangles ahead to overlap their cache misses (no gain).
//
// Draw calls that are shaded in order have one packer, of quads. A group of any four pixels could hold one pixel twice,
// and its results would have to be blended one after the other. Blending also loads the four texels of a quad at once.
// Lanes are only idle at edges: 86 % are busy with particles.

import {
  DEFERRED_PACKERS,
  Draw,
  DRAW_FLAG_LATE_DEPTH,
  DRAW_FLAG_ACCESSES,
  DRAW_FLAG_READS,
  DRAW_FLAG_UNORDERED,
  DRAW_FLAG_WRITES,
  Entry,
  LAYER_WORDS,
  MODE_ORDERED,
  Packer,
  PACKER_BLOCK,
  PACKER_UNIFORM_BLOCK,
  PROGRAM_FLAG_UNIFORM_RESULTS,
  RATE_COARSE,
  RATE_PIXEL,
  RATE_SAMPLE,
  RATE_SET,
  sizeOf,
  STATUS_DONE,
  STATUS_YIELD,
  Tile,
  TILE_BLOCKS,
  Triangle,
  WARP_QUADS,
} from '../layout';
import { claimsOf } from '../tile/claims';
import { putEntries } from '../tile/entries';
import {
  bitsOfSample,
  Four,
  hasLayer,
  isLayered,
  Layered,
  One,
  quadSamples,
  sampleOffset,
  samplesOf,
} from '../tile/layers';
import { dividedIn, dividesPixels } from './divided-pixels';
import { readsEqualTexels } from './equal-texels';
import { flushGathered, gatherQuad, packTriangles, packWhole } from './gather';
import { samplesWith } from './ids';
import { drainAll } from './unordered';
import { ratesOf } from './rates/rates';
import { makeParkingRoom, shadeWarp } from './shade';
import {
  appendOrdered,
  appendReading,
  drainDeferred,
  holdsOrdered,
  packDeferred,
  packDivided,
  runOrdered,
} from './slots';
import { waitingIn } from './sets/waiting-sets';
import { clearingTriangle, clearTargets } from './uniform-tiles';

/** All areas of a block (bit area). */
const ALL_AREAS = 15;

/**
 * Appends a quad to the ordered packer, one sample at a time if the draw call runs per sample. Runs the warp when it is
 * full. Returns STATUS_*.
 */
export function packQuad(tile: Tile, triangle: Triangle, quad: i32, mask: u64): i32 {
  const packer = tile.orderedPacker;
  // The only sample of a pixel is at its centre, so per-sample shading changes nothing.
  const count = tile.samples;
  const rate = packer.draw.fragment.rate;
  if (packer.draw.flags & DRAW_FLAG_READS && rate != RATE_COARSE)
    return appendReading(tile, packer, triangle, quad, mask);
  if (rate == RATE_PIXEL || rate == RATE_SET || (rate == RATE_SAMPLE && count == 1))
    return appendOrdered(tile, packer, triangle, quad, mask, -1);
  if (rate == RATE_COARSE) return gatherQuad(tile, triangle, quad, mask);
  for (let sample = 0; sample < count; sample++) {
    const bits = mask & bitsOfSample(count, sample);
    if (!bits) continue;
    const status = appendOrdered(tile, packer, triangle, quad, bits, sample);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/**
 * Moves the pending pixels of some quads of a block into packers and clears their ids. A block that one triangle covers
 * is moved as a whole, as a full warp: in parts, sprites over a full-screen layer took 10 to 20 % longer. Returns
 * STATUS_*.
 */
// @ts-ignore: decorator
@inline
export function flushQuads(tile: Tile, block: i32, quads: i32): i32 {
  const pending = tile.pending + (block << 1);
  const wanted = load<u16>(pending) & quads;
  return wanted ? flushPending(tile, block, wanted) : STATUS_DONE;
}

function flushPending(tile: Tile, block: i32, wanted: i32): i32 {
  tile.holdsDeferred = 1;
  const pending = tile.pending + (block << 1);
  const only = changetype<Triangle>(load<usize>(tile.blockIds + (block << 2)));
  if (only) {
    store<u32>(tile.blockIds + (block << 2), 0);
    store<u16>(pending, 0);
    return shadeBlock(tile, only, block);
  }
  const count = tile.samples;
  if (tile.coarse) return flushTriangles(tile, block);
  const status =
    count == 1
      ? packIds<One>(tile, block, wanted)
      : count <= 4
        ? packIds<Four>(tile, block, wanted)
        : packIds<Layered>(tile, block, wanted);
  if (status == STATUS_DONE) store<u16>(pending, load<u16>(pending) & ~wanted);
  return status;
}

/**
 * Moves all pending pixels of a block in which some may be shaded coarsely. If the block were moved in parts, a coarse
 * pixel could run twice.
 */
function flushTriangles(tile: Tile, block: i32): i32 {
  const pending = tile.pending + (block << 1);
  const wanted = <i32>load<u16>(pending);
  const count = tile.samples;
  const status =
    count == 1
      ? packTriangles<One>(tile, block, wanted)
      : count <= 4
        ? packTriangles<Four>(tile, block, wanted)
        : packTriangles<Layered>(tile, block, wanted);
  if (status == STATUS_DONE) store<u16>(pending, 0);
  return status;
}

function packIds<S>(tile: Tile, block: i32, quads: i32): i32 {
  for (let rest = quads; rest; rest &= rest - 1) {
    const status = flushQuad<S>(tile, (block << 4) + ctz(rest));
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/**
 * Shades a block that one triangle covers as a separate warp. Returns STATUS_*. Inlined explicitly: asc does not inline
 * it since coarse warps share its callees, and full-screen draws then take 4 to 6 % longer.
 */
// @ts-ignore: decorator
@inline
function shadeBlock(tile: Tile, triangle: Triangle, block: i32): i32 {
  const draw = triangle.draw;
  const first = block << 4;
  const rate = draw.fragment.rate;
  if (rate == RATE_COARSE) {
    const rates = ratesOf(tile, triangle, block, ALL_AREAS);
    if (rates) return packWhole(tile, triangle, block, rates);
  }
  const divided = dividesPixels(draw) ? dividedIn(tile, draw, block) : 0;
  // If the pixels are all divided or all undivided, the block is a warp as it is.
  if (divided + 1 > 1) return packDividedBlock(tile, triangle, block, divided);
  if (tile.layerSamples == 1 || rate != RATE_SAMPLE)
    return runBlock(tile, triangle, first, <i32>(divided & 1), isUniform(tile, draw));
  const layered = tile.samples > 4;
  for (let quad = first; quad < first + WARP_QUADS; quad++) {
    const status = layered
      ? packDeferred<Layered>(tile, triangle, quad, quadSamples<Layered>(tile))
      : packDeferred<Four>(tile, triangle, quad, quadSamples<Four>(tile));
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

function packDividedBlock(tile: Tile, triangle: Triangle, block: i32, divided: u64): i32 {
  const first = block << 4;
  const samples = tile.samples;
  if (samples == 1) return packDivided<One>(tile, triangle, first, 15, u64.MAX_VALUE, divided);
  return samples <= 4
    ? packDivided<Four>(tile, triangle, first, quadSamples<Four>(tile), u64.MAX_VALUE, divided)
    : packDivided<Layered>(tile, triangle, first, quadSamples<Layered>(tile), u64.MAX_VALUE, divided);
}

/**
 * Whether a block that a triangle covers completely, with all samples passing the tests, can be a warp of its draw call
 * before the ordered packer's entries. The draw call is shaded in order. The packer must hold nothing in the block,
 * nothing may be pending there, and the draw call must have no other constraint. Without this, blending four or eight
 * equal samples per pixel over a full screen took twice the time.
 */
export function canShadeBlockFirst(tile: Tile, block: i32): bool {
  if (tile.mode != MODE_ORDERED || load<u16>(tile.pending + (block << 1))) return false;
  const packer = tile.orderedPacker;
  const draw = packer.draw;
  const flags = draw.flags;
  const rate = draw.fragment.rate;
  if ((rate != RATE_PIXEL && rate != RATE_SET) || flags & DRAW_FLAG_WRITES) return false;
  if (draw.sets && flags & DRAW_FLAG_LATE_DEPTH) return false;
  // The shader may load what pending entries store.
  if (flags & DRAW_FLAG_ACCESSES && packer.count) return false;
  if (flags & DRAW_FLAG_READS)
    return (flags & DRAW_FLAG_UNORDERED) != 0 || !(claimsOf(tile, block) | waitingIn(tile, block));
  let entry = packer.entries;
  for (const end = entry + packer.count * sizeOf<Entry>(); entry < end; entry += sizeOf<Entry>()) {
    if (changetype<Entry>(entry).quad >> 4 == block) return false;
  }
  return true;
}

/** Shades a block for which canShadeBlockFirst is true. Returns STATUS_*. */
export function shadeWhole(tile: Tile, triangle: Triangle, block: i32): i32 {
  const status = drainDeferred(tile);
  return status != STATUS_DONE ? status : runBlock(tile, triangle, block << 4, 0, isUniform(tile, triangle.draw));
}

/** Whether a draw call has the same results in all pixels of a triangle, and nothing else is observed. */
function hasUniformResults(tile: Tile, draw: Draw): bool {
  return (draw.fragment.program.flags & PROGRAM_FLAG_UNIFORM_RESULTS) != 0 && hasOnlyResults(tile, draw);
}

/** Whether the shader runs for one quad of a block only. */
function isUniform(tile: Tile, draw: Draw): bool {
  return ASC_FEATURE_SIMD ? hasUniformResults(tile, draw) : false;
}

/** Whether nothing but the results of a draw call is observed; counts of invocations would be. */
function hasOnlyResults(tile: Tile, draw: Draw): bool {
  return !(draw.flags & DRAW_FLAG_LATE_DEPTH) && !draw.sets && !tile.pass.counts;
}

/**
 * Runs the warp of a block that begins at quad `first` and that a triangle covers at all samples. `divided` is the
 * value for Packer.divided. `same`: all pixels have the same results. Returns STATUS_*.
 */
function runBlock(tile: Tile, triangle: Triangle, first: i32, divided: i32, same: bool): i32 {
  const packer = tile.packer(DEFERRED_PACKERS);
  packer.draw = triangle.draw;
  const count = same ? 1 : WARP_QUADS;
  packer.kind = same ? PACKER_UNIFORM_BLOCK : PACKER_BLOCK;
  packer.count = count;
  packer.divided = divided;
  putEntries(tile, packer, triangle, first, count);
  return shadeWarp(tile, packer);
}

/** Number of warps shaded since the statistics were reset. It never decreases while a tile runs. */
export function warpsShaded(tile: Tile): u32 {
  return tile.pass.statistics.warpsFragment;
}

/**
 * Moves everything pending into packers and runs them all. Returns STATUS_YIELD when warpsShaded reaches `limit`: the
 * caller then calls again, and finished blocks are no longer pending. Otherwise returns STATUS_*.
 */
export function flushTile(tile: Tile, limit: u32): i32 {
  // Work that was gathered goes first, because repeated calls keep filling the deferred packers.
  const gathered = flushGathered(tile);
  if (gathered != STATUS_DONE) return gathered;
  if (holdsOrdered(tile)) {
    const ended = drainAll(tile);
    if (ended != STATUS_DONE) return ended;
  }
  if (ASC_FEATURE_SIMD) {
    const only = clearingTriangle(tile);
    if (only && hasOneResult(tile, only)) return clearTile(tile, only);
  }
  for (let block = 0; block < TILE_BLOCKS; block++) {
    if (!load<u16>(tile.pending + (block << 1))) continue;
    const room = tile.parks ? makeParkingRoom(tile) : STATUS_DONE;
    if (room != STATUS_DONE) return room;
    const status = flushQuads(tile, block, 0xffff);
    if (status != STATUS_DONE) return status;
    if (warpsShaded(tile) >= limit) return STATUS_YIELD;
  }
  return drainDeferred(tile);
}

/** Whether a triangle that covers the tile has the same results in all of its pixels. */
function hasOneResult(tile: Tile, triangle: Triangle): bool {
  const draw = triangle.draw;
  return hasUniformResults(tile, draw) || (hasOnlyResults(tile, draw) && readsEqualTexels(tile, triangle));
}

/** Clears the targets of a tile with the results of a triangle (uniform-tiles.ts). Returns STATUS_*. */
function clearTile(tile: Tile, triangle: Triangle): i32 {
  memory.fill(tile.blockIds, 0, TILE_BLOCKS * sizeof<u32>());
  memory.fill(tile.pending, 0, TILE_BLOCKS * sizeof<u16>());
  const draw = triangle.draw;
  const status = runBlock(tile, triangle, 0, 0, true);
  if (status == STATUS_DONE) clearTargets(tile, draw);
  return status;
}

/**
 * Sets the end of the ordered packer's entries to `end` after up to a block of them were written. When the warp is
 * full, runs it and moves the entries beyond it to the front. Returns STATUS_*.
 */
// @ts-ignore: decorator
@inline
export function endEntries(tile: Tile, end: usize): i32 {
  const packer = tile.orderedPacker;
  const count = <i32>(
    ((end - changetype<usize>(packer) - changetype<usize>(changetype<Packer>(0).entries)) / sizeOf<Entry>())
  );
  if (count < WARP_QUADS) {
    packer.count = count;
    return STATUS_DONE;
  }
  return runEntries(tile, packer, count - WARP_QUADS);
}

function runEntries(tile: Tile, packer: Packer, beyond: i32): i32 {
  packer.count = WARP_QUADS;
  const status = runOrdered(tile);
  if (status != STATUS_DONE) return status;
  packer.count = beyond;
  // Copied word by word, because memory.copy leaves the module: particles at four samples are 3 % faster.
  let to = packer.entries;
  for (const end = to + beyond * sizeOf<Entry>(); to < end; to += sizeOf<Entry>()) {
    const from = to + WARP_QUADS * sizeOf<Entry>();
    store<u64>(to, load<u64>(from));
    store<u64>(to, load<u64>(from, 8), 8);
  }
  return STATUS_DONE;
}

/** Moves the ids of a quad into packers. Inlined: as a call, it made teapots at four samples 0.7 % slower. */
// @ts-ignore: decorator
@inline
function flushQuad<S>(tile: Tile, quad: i32): i32 {
  const ids: usize = tile.ids + ((quad * 4 * samplesOf<S>()) << 2);
  const only = onlyId<S>(tile, ids);
  if (only >= 0) {
    clearIds<S>(tile, ids);
    return only ? packDeferred<S>(tile, changetype<Triangle>(<usize>only), quad, quadSamples<S>(tile)) : STATUS_DONE;
  }
  let rest = quadSamples<S>(tile) & ~samplesWith<S>(tile, ids, 0);
  while (rest) {
    const bit = <i32>ctz(rest);
    const id = changetype<Triangle>(load<u32>(ids + ((isLayered<S>() ? sampleOffset(bit) : bit) << 2)));
    const mask = samplesWith<S>(tile, ids, changetype<usize>(id));
    rest &= ~mask;
    const status = packDeferred<S>(tile, id, quad, mask);
    if (status != STATUS_DONE) return status;
  }
  clearIds<S>(tile, ids);
  return STATUS_DONE;
}

/** The id that all samples of a quad hold, or -1. */
function onlyId<S>(tile: Tile, ids: usize): i64 {
  const pair = load<u64>(ids);
  let others = (pair ^ load<u64>(ids, 8)) | (pair ^ rotl(pair, 32));
  if (samplesOf<S>() != 1) others |= differingBits(ids, pair);
  for (let layer = 1; !others && hasLayer<S>(tile, layer); layer++) {
    const at = ids + layer * LAYER_WORDS;
    others |= (pair ^ load<u64>(at)) | (pair ^ load<u64>(at, 8)) | differingBits(at, pair);
  }
  return others ? -1 : <i64>(pair & 0xffffffff);
}

/** Bits in which the last twelve of sixteen ids differ from a pair. */
function differingBits(ids: usize, pair: u64): u64 {
  return (
    (pair ^ load<u64>(ids, 16))
    | (pair ^ load<u64>(ids, 24))
    | (pair ^ load<u64>(ids, 32))
    | (pair ^ load<u64>(ids, 40))
    | (pair ^ load<u64>(ids, 48))
    | (pair ^ load<u64>(ids, 56))
  );
}

function clearIds<S>(tile: Tile, ids: usize): void {
  let layer = 0;
  do {
    const at = ids + layer * LAYER_WORDS;
    clearFour(at);
    if (samplesOf<S>() == 1) return;
    clearFour(at + 16);
    clearFour(at + 32);
    clearFour(at + 48);
  } while (hasLayer<S>(tile, ++layer));
}

function clearFour(ids: usize): void {
  store<u64>(ids, 0);
  store<u64>(ids, 0, 8);
}
