// Packing of visible pixels into warps. A slot collects what is deferred of draws that are shaded alike, across
// triangles; a few are open at a time, so that neighbouring objects do not empty each other's half-full warps. It has
// two packers: one of up to WARP_QUADS quads, and, where the program takes no derivatives, one of single pixels, four
// of any triangles in a group of lanes, for the quads that a triangle covers in part. A block that one triangle covers
// is a warp as it stands. On the dragon, whose triangles have 1.1 pixels of a quad, lanes
// busy went from 29 % to all, and the frame is 10 % shorter. Tried: quads of three pixels left whole (95 % busy; no
// faster but on teapots at one sample, 5 %); reading a block's triangles ahead, so that their cache misses overlap
// (nothing).
//
// Draws that are shaded in order have one packer, of quads: a group of any four pixels may hold one pixel twice, whose
// results would have to be blended in turn, and blending wants the four texels of a quad in one load. Its empty lanes
// run only at edges: particles, 86 % busy.

import {
  DEFERRED_PACKERS, Draw, DRAW_FLAG_LATE_DEPTH, DRAW_FLAG_ACCESSES, DRAW_FLAG_READS, DRAW_FLAG_UNORDERED,
  DRAW_FLAG_WRITES, Entry, LAYER_WORDS, MODE_ORDERED, Packer, PACKER_BLOCK, PACKER_SAME, PROGRAM_FLAG_SAME,
  RATE_COARSE, RATE_PIXEL, RATE_SAMPLE, RATE_SET, sizeOf, STATUS_DONE, STATUS_YIELD, Tile, TILE_BLOCKS, Triangle,
  WARP_QUADS,
} from '../layout';
import { claimsOf } from '../tile/claims';
import { putEntries } from '../tile/entries';
import {
  bitsOfSample, Four, hasLayer, isLayered, Layered, One, quadSamples, sampleOffset, samplesOf,
} from '../tile/layers';
import { dividedIn, dividesPixels } from './divided';
import { flushGathered, gatherQuad, packTriangles, packWhole } from './gather';
import { samplesWith } from './ids';
import { drainAll } from './independent';
import { ratesOf } from './rates';
import { awaitRoom, shadeWarp } from './shade';
import {
  appendOrdered, appendReading, drainDeferred, holdsOrdered, orderedPacker, packDeferred, packDivided,
  runOrdered,
} from './slots';
import { waitingIn } from './waiting';

/** Of a block: bit area. */
const ALL_AREAS = 15;

/**
 * Appends a quad to the ordered packer, a sample at a time where the draw wants that; runs the warp when it is full.
 * Returns STATUS_*.
 */
export function packQuad(tile: Tile, triangle: Triangle, quad: i32, mask: u64): i32 {
  const packer = orderedPacker(tile);
  // The single sample of a pixel is its centre: nothing differs.
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
 * Moves the pending ones of some quads of a block into packers; their ids are 0 afterwards. A block that one triangle
 * covers goes as a whole, a full warp: in parts, sprites over a full-screen layer took 10 to 20 % longer. Returns
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
  const status = count == 1 ? packIds<One>(tile, block, wanted) : count <= 4 ? packIds<Four>(tile, block, wanted)
    : packIds<Layered>(tile, block, wanted);
  if (status == STATUS_DONE) store<u16>(pending, load<u16>(pending) & ~wanted);
  return status;
}

/** All of a block's pending ones, of which some may be shaded coarsely: in parts, a coarse pixel would run twice. */
function flushTriangles(tile: Tile, block: i32): i32 {
  const pending = tile.pending + (block << 1);
  const wanted = <i32>load<u16>(pending);
  const count = tile.samples;
  const status = count == 1 ? packTriangles<One>(tile, block, wanted)
    : count <= 4 ? packTriangles<Four>(tile, block, wanted) : packTriangles<Layered>(tile, block, wanted);
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
 * Shades a block that one triangle covers, as a warp of its own. Returns STATUS_*. (Inlined by order: asc leaves it a
 * call since coarse warps share what it calls, and full screens then take 4 to 6 % longer.)
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
  // Where all pixels are alike, it is a warp as it stands.
  if (divided + 1 > 1) return packDividedBlock(tile, triangle, block, divided);
  if (tile.layerSamples == 1 || rate != RATE_SAMPLE)
    return runBlock(tile, draw, triangle, first, <i32>(divided & 1));
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
 * Whether a block that a triangle covers and passes whole, of a draw that is shaded in order, can be a warp of its own
 * before what the ordered packer holds: if that holds nothing of the block, nothing waits in it, and the draw wants no
 * more. Blending four or eight samples of one colour a pixel, a full screen took twice the time quad by quad.
 */
export function isAlone(tile: Tile, block: i32): bool {
  if (tile.mode != MODE_ORDERED || load<u16>(tile.pending + (block << 1))) return false;
  const packer = orderedPacker(tile);
  const draw = packer.draw;
  const flags = draw.flags;
  const rate = draw.fragment.rate;
  if ((rate != RATE_PIXEL && rate != RATE_SET) || flags & (DRAW_FLAG_LATE_DEPTH | DRAW_FLAG_WRITES)) return false;
  // It may load what those that wait store.
  if (flags & DRAW_FLAG_ACCESSES && packer.count) return false;
  if (flags & DRAW_FLAG_READS)
    return (flags & DRAW_FLAG_UNORDERED) != 0 || !(claimsOf(tile, block) | waitingIn(tile, block));
  let entry = packer.entries;
  for (const end = entry + packer.count * sizeOf<Entry>(); entry < end; entry += sizeOf<Entry>()) {
    if (changetype<Entry>(entry).quad >> 4 == block) return false;
  }
  return true;
}

/** Shades a block that isAlone. Returns STATUS_*. */
export function shadeWhole(tile: Tile, triangle: Triangle, block: i32): i32 {
  const status = drainDeferred(tile);
  return status != STATUS_DONE ? status : runBlock(tile, triangle.draw, triangle, block << 4, 0);
}

/**
 * Whether a draw has the same results in all pixels of a triangle, and nothing asks for more than the results (as
 * counts of invocations do).
 */
function isSame(tile: Tile, draw: Draw): bool {
  return (draw.fragment.program.flags & PROGRAM_FLAG_SAME) != 0
    && !(draw.flags & DRAW_FLAG_LATE_DEPTH) && !draw.sets && !tile.pass.counts;
}

/**
 * Runs the warp of a block, from quad `first` on, that a triangle covers at all samples. `divided`: as Packer has it.
 * Returns STATUS_*.
 */
function runBlock(tile: Tile, draw: Draw, triangle: Triangle, first: i32, divided: i32): i32 {
  const packer = tile.packer(DEFERRED_PACKERS);
  packer.draw = draw;
  const same = ASC_FEATURE_SIMD ? isSame(tile, draw) : false;
  const count = same ? 1 : WARP_QUADS;
  packer.kind = same ? PACKER_SAME : PACKER_BLOCK;
  packer.count = count;
  packer.divided = divided;
  putEntries(tile, packer, triangle, first, count);
  return shadeWarp(tile, packer);
}

/** Warps shaded since the statistics were emptied; it only grows while a tile is run. */
export function warpsShaded(tile: Tile): u32 {
  return tile.pass.statistics.warpsFragment;
}

/**
 * Moves everything pending into packers and runs them all. Returns STATUS_*: STATUS_YIELD, to be called again, when
 * warpsShaded has reached `limit`; blocks that are done are no longer pending.
 */
export function flushTile(tile: Tile, limit: u32): i32 {
  // Called again, it goes on filling the deferred packers.
  const gathered = flushGathered(tile);
  if (gathered != STATUS_DONE) return gathered;
  if (holdsOrdered(tile)) {
    const ended = drainAll(tile);
    if (ended != STATUS_DONE) return ended;
  }
  for (let block = 0; block < TILE_BLOCKS; block++) {
    if (!load<u16>(tile.pending + (block << 1))) continue;
    const room = tile.parks ? awaitRoom(tile) : STATUS_DONE;
    if (room != STATUS_DONE) return room;
    const status = flushQuads(tile, block, 0xffff);
    if (status != STATUS_DONE) return status;
    if (warpsShaded(tile) >= limit) return STATUS_YIELD;
  }
  return drainDeferred(tile);
}

/**
 * Ends the entries of the ordered packer at `end`, after up to a block of them were written; runs the warp when it is
 * full, and moves what is beyond to its front. Returns STATUS_*.
 */
// @ts-ignore: decorator
@inline
export function endEntries(tile: Tile, end: usize): i32 {
  const packer = orderedPacker(tile);
  const count = <i32>((end - changetype<usize>(packer) - changetype<usize>(changetype<Packer>(0).entries))
    / sizeOf<Entry>());
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
  // Word by word: memory.copy leaves the module. Particles at four samples are 3 % faster so.
  let to = packer.entries;
  for (const end = to + beyond * sizeOf<Entry>(); to < end; to += sizeOf<Entry>()) {
    const from = to + WARP_QUADS * sizeOf<Entry>();
    store<u64>(to, load<u64>(from));
    store<u64>(to, load<u64>(from, 8), 8);
  }
  return STATUS_DONE;
}

/** Moves the ids of a quad into packers. (A call for each took teapots at four samples 0.7 % longer.) */
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
  if (samplesOf<S>() != 1) others |= unlike(ids, pair);
  for (let layer = 1; !others && hasLayer<S>(tile, layer); layer++) {
    const at = ids + layer * LAYER_WORDS;
    others |= (pair ^ load<u64>(at)) | (pair ^ load<u64>(at, 8)) | unlike(at, pair);
  }
  return others ? -1 : <i64>(pair & 0xffffffff);
}

/** Bits in which the last twelve ids of sixteen differ from a pair. */
function unlike(ids: usize, pair: u64): u64 {
  return (pair ^ load<u64>(ids, 16)) | (pair ^ load<u64>(ids, 24)) | (pair ^ load<u64>(ids, 32))
    | (pair ^ load<u64>(ids, 40))
    | (pair ^ load<u64>(ids, 48)) | (pair ^ load<u64>(ids, 56));
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
