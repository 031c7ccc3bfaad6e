// Packing of visible pixels into warps. A slot collects what is deferred of draws that are shaded alike, across triangles; a few are open at
// a time, so that neighbouring objects do not empty each other's half-full warps. It has two packers: one of up to WARP_QUADS quads, and,
// where the program takes no derivatives, one of single pixels, four of any triangles in a group of lanes, for the quads that a triangle
// covers in part. A block that one triangle covers is a warp as it stands. On the dragon, whose triangles have 1.1 pixels of a quad, lanes
// busy went from 29 % to all, and the frame is 10 % shorter. Tried: quads of three pixels left whole (95 % busy; no faster but on teapots at
// one sample, 5 %); reading a block's triangles ahead, so that their cache misses overlap (nothing).
//
// Draws that are shaded in order have one packer, of quads: a group of any four pixels may hold one pixel twice, whose results would have to
// be blended in turn, and blending wants the four texels of a quad in one load. Its empty lanes run only at edges: particles, 86 % busy.

import {
  CTX_BLOCK_IDS, CTX_IDS, CTX_LAYERS, CTX_MODE, CTX_ORDERED_PACKER, CTX_PACKER_LAST, CTX_PACKER_NEXT, CTX_PACKERS, CTX_PASS, CTX_PENDING, CTX_PIXEL_PACKERS, CTX_SAMPLE_COUNT, CTX_SAMPLES,
  DEFERRED_PACKERS, ENTRY_MASK, ENTRY_PIXEL, ENTRY_QUAD, ENTRY_SAMPLE, ENTRY_SHIFT, ENTRY_TRIANGLE, PACKER_BLOCK, PACKER_BYTES, PACKER_COUNT, PACKER_DRAW,
  MODE_ORDERED, PACKER_ENTRIES, PACKER_FREE, PACKER_KIND, PACKER_PIXELS, PACKER_SAME, PIXEL_PACKER_BYTES,
} from '../layout/context';
import { DRAW_FLAG_LATE_DEPTH, DRAW_FLAG_PER_SAMPLE, DRAW_FLAG_SURFACES, DRAW_FLAGS, DRAW_FRAGMENT_PROGRAM } from '../layout/draw';
import { TILE_BLOCKS, WARP_QUADS } from '../layout/limits';
import { PASS_COUNTS, PASS_STATISTICS, STAT_WARPS_FRAGMENT } from '../layout/pass';
import { PROGRAM_FLAG_DERIVATIVES, PROGRAM_FLAG_SAME, PROGRAM_FLAGS } from '../layout/program';
import { STATUS_DONE, STATUS_TIMEOUT, STATUS_YIELD } from '../layout/status';
import { TRI_DRAW } from '../layout/triangle';
import { putEntries } from '../output/block';
import { setEntryMask } from '../output/layers';
import { anyLayer, Four, isLayered, Layered, LAYER_WORDS, layersOf, One, pixelMask, quadSamples, sampleOffset, samplesOf } from '../tile/layers';
import { matchFour, matchIds } from './ids';
import { pixelsOf } from './masks';
import { shadeWarp, shadingOf } from './shade';

/** The packer of draws that are shaded in the order of their primitives. */
// @ts-ignore: decorator
@inline
export function orderedPacker(context: usize): usize {
  return context + CTX_ORDERED_PACKER;
}

/** Appends a quad to the ordered packer, a sample at a time where the draw wants that; runs the warp when it is full. Returns STATUS_*. */
export function packQuad(context: usize, triangle: usize, quad: i32, mask: u64): i32 {
  const packer = orderedPacker(context);
  // The single sample of a pixel is its centre: nothing differs.
  const count = load<i32>(context, CTX_SAMPLE_COUNT);
  if (count == 1 || !(load<u32>(load<usize>(packer + PACKER_DRAW) + DRAW_FLAGS) & DRAW_FLAG_PER_SAMPLE)) return append(context, packer, triangle, quad, mask, -1);
  for (let sample = 0; sample < count; sample++) {
    const bits = mask & bitsOfSample(count, sample);
    if (!bits) continue;
    const status = append(context, packer, triangle, quad, bits, sample);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** One of `count` samples of all pixels of a quad: one of two stands for two of its layer's four. */
// @ts-ignore: decorator
@inline
function bitsOfSample(count: i32, sample: i32): u64 {
  return count == 2 ? <u64>(0x5555 << sample) : <u64>(0x1111 << (sample & 3)) << <u64>((sample >> 2) << 4);
}

/** Runs the entries that wait where the quad of a draw that accesses surfaces may have to follow them. Returns STATUS_*. */
// @ts-ignore: decorator
@inline
function awaitTurn(context: usize, packer: usize, quad: i32): i32 {
  return load<u32>(load<usize>(packer + PACKER_DRAW) + DRAW_FLAGS) & DRAW_FLAG_SURFACES ? awaitQuad(context, packer, quad) : STATUS_DONE;
}

/**
 * Runs the entries of the ordered packer if the quad is among them: what a program loads from a surface, it must find as the triangles before
 * left it. (Quads, not pixels or samples: what is equal in a pixel shows, too.) Returns STATUS_*.
 */
function awaitQuad(context: usize, packer: usize, quad: i32): i32 {
  if (packer != orderedPacker(context)) return STATUS_DONE;
  let entry = packer + PACKER_ENTRIES;
  for (const end = entry + (<usize>load<i32>(packer + PACKER_COUNT) << ENTRY_SHIFT); entry < end; entry += 1 << ENTRY_SHIFT) {
    if (load<i32>(entry, ENTRY_QUAD) == quad) return drainOrdered(context);
  }
  return STATUS_DONE;
}

/** Appends an entry to a packer; runs the warp when it is full. Returns STATUS_*. */
// @ts-ignore: decorator
@inline
function append(context: usize, packer: usize, triangle: usize, quad: i32, mask: u64, sample: i32): i32 {
  const before = awaitTurn(context, packer, quad);
  if (before != STATUS_DONE) return before;
  const count = load<i32>(packer + PACKER_COUNT);
  const entry = packer + PACKER_ENTRIES + (<usize>count << ENTRY_SHIFT);
  store<u32>(entry, <u32>triangle, ENTRY_TRIANGLE);
  store<i32>(entry, quad, ENTRY_QUAD);
  setEntryMask(context, entry, mask);
  store<i32>(entry, sample, ENTRY_SAMPLE);
  store<i32>(packer, count + 1, PACKER_COUNT);
  if (count + 1 < WARP_QUADS) return STATUS_DONE;
  return packer == orderedPacker(context) ? drainOrdered(context) : shadeWarp(context, packer);
}

/**
 * Moves the pending ones of some quads of a block into packers; their ids are 0 afterwards. A block that one triangle covers goes as a
 * whole, a full warp: in parts, sprites over a full-screen layer took 10 to 20 % longer. Returns STATUS_*.
 */
// @ts-ignore: decorator
@inline
export function flushQuads(context: usize, block: i32, quads: i32): i32 {
  const pending = context + CTX_PENDING + (<usize>block << 1);
  const wanted = <i32>load<u16>(pending) & quads;
  return wanted ? flushPending(context, block, wanted) : STATUS_DONE;
}

function flushPending(context: usize, block: i32, wanted: i32): i32 {
  const pending = context + CTX_PENDING + (<usize>block << 1);
  const only: usize = load<usize>(context + CTX_BLOCK_IDS + (<usize>block << 2));
  if (only) {
    store<u32>(context + CTX_BLOCK_IDS + (<usize>block << 2), 0);
    store<u16>(pending, 0);
    return shadeBlock(context, only, block);
  }
  const count = load<i32>(context, CTX_SAMPLE_COUNT);
  for (let rest = wanted; rest; rest &= rest - 1) {
    const quad = (block << 4) + ctz(rest);
    const status = count == 1 ? flushQuad<One>(context, quad) : count <= 4 ? flushQuad<Four>(context, quad) : flushQuad<Layered>(context, quad);
    if (status != STATUS_DONE) return status;
  }
  store<u16>(pending, <i32>load<u16>(pending) & ~wanted);
  return STATUS_DONE;
}

/** Shades a block that one triangle covers, as a warp of its own. Returns STATUS_*. */
function shadeBlock(context: usize, triangle: usize, block: i32): i32 {
  const draw: usize = load<usize>(triangle + TRI_DRAW);
  const first = block << 4;
  if (load<i32>(context + CTX_SAMPLES) == 1 || !(load<u32>(draw + DRAW_FLAGS) & DRAW_FLAG_PER_SAMPLE)) return runBlock(context, draw, triangle, first);
  for (let quad = first; quad < first + WARP_QUADS; quad++) {
    const status = packDeferred(context, triangle, quad, quadSamples(context));
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/**
 * Whether a block that a triangle covers and passes whole, of a draw that is shaded in order, can be a warp of its own before what the ordered packer
 * holds: if that holds nothing of the block, nothing waits in it, and the draw wants no more. Blending eight samples of one colour a pixel,
 * a full screen took twice the time quad by quad.
 */
export function isAlone(context: usize, block: i32): bool {
  if (load<i32>(context + CTX_MODE) != MODE_ORDERED || load<u16>(context + CTX_PENDING + (<usize>block << 1))) return false;
  const packer = orderedPacker(context);
  if (load<u32>(load<usize>(packer + PACKER_DRAW) + DRAW_FLAGS) & (DRAW_FLAG_PER_SAMPLE | DRAW_FLAG_LATE_DEPTH | DRAW_FLAG_SURFACES)) return false;
  let entry = packer + PACKER_ENTRIES;
  for (const end = entry + (<usize>load<i32>(packer + PACKER_COUNT) << ENTRY_SHIFT); entry < end; entry += 1 << ENTRY_SHIFT) {
    if (load<i32>(entry, ENTRY_QUAD) >> 4 == block) return false;
  }
  return true;
}

/** Shades a block that isAlone. Returns STATUS_*. */
export function shadeWhole(context: usize, triangle: usize, block: i32): i32 {
  const status = drainDeferred(context);
  return status != STATUS_DONE ? status : runBlock(context, load<usize>(triangle + TRI_DRAW), triangle, block << 4);
}

/** Whether a draw has the same results in all pixels of a triangle, and nothing asks for more than the results (as counts of invocations do). */
function isSame(context: usize, draw: usize): bool {
  return (load<u32>(load<usize>(draw + DRAW_FRAGMENT_PROGRAM) + PROGRAM_FLAGS) & PROGRAM_FLAG_SAME) != 0
    && !(load<u32>(draw + DRAW_FLAGS) & DRAW_FLAG_LATE_DEPTH) && !load<usize>(load<usize>(context + CTX_PASS) + PASS_COUNTS);
}

/** Runs the warp of a block, from quad `first` on, that a triangle covers at all samples. Returns STATUS_*. */
function runBlock(context: usize, draw: usize, triangle: usize, first: i32): i32 {
  const packer = context + CTX_PACKERS + DEFERRED_PACKERS * PACKER_BYTES;
  store<u32>(packer, <u32>draw, PACKER_DRAW);
  const same = ASC_FEATURE_SIMD ? isSame(context, draw) : false;
  const count = same ? 1 : WARP_QUADS;
  store<i32>(packer, same ? PACKER_SAME : PACKER_BLOCK, PACKER_KIND);
  store<i32>(packer, count, PACKER_COUNT);
  putEntries(context, packer, triangle, first, count);
  return shadeWarp(context, packer);
}

/** Warps shaded since the statistics were emptied; it only grows while a tile is run. */
export function warpsShaded(context: usize): u32 {
  return load<u32>(load<usize>(load<usize>(context + CTX_PASS) + PASS_STATISTICS) + STAT_WARPS_FRAGMENT);
}

/**
 * Moves everything pending into packers and runs them all. Returns STATUS_*: STATUS_YIELD, to be called again, when warpsShaded has
 * reached `limit`; blocks that are done are no longer pending.
 */
export function flushTile(context: usize, limit: u32): i32 {
  // Called again, it goes on filling the deferred packers.
  if (load<i32>(orderedPacker(context) + PACKER_COUNT)) {
    const ended = drainOrdered(context);
    if (ended != STATUS_DONE) return ended;
  }
  for (let block = 0; block < TILE_BLOCKS; block++) {
    if (!load<u16>(context + CTX_PENDING + (<usize>block << 1))) continue;
    const status = flushQuads(context, block, 0xffff);
    if (status != STATUS_DONE) return status;
    if (warpsShaded(context) >= limit) return STATUS_YIELD;
  }
  return drainDeferred(context);
}

/**
 * Ends the entries of the ordered packer at `end`, after up to a block of them were written; runs the warp when it is full, and moves what is
 * beyond to its front. Returns STATUS_*.
 */
// @ts-ignore: decorator
@inline
export function endEntries(context: usize, end: usize): i32 {
  const packer = orderedPacker(context);
  const count = <i32>((end - packer - PACKER_ENTRIES) >> ENTRY_SHIFT);
  if (count < WARP_QUADS) {
    store<i32>(packer, count, PACKER_COUNT);
    return STATUS_DONE;
  }
  return runEntries(context, packer, count - WARP_QUADS);
}

function runEntries(context: usize, packer: usize, beyond: i32): i32 {
  store<i32>(packer, WARP_QUADS, PACKER_COUNT);
  const status = drainOrdered(context);
  if (status != STATUS_DONE) return status;
  store<i32>(packer, beyond, PACKER_COUNT);
  // Word by word: memory.copy leaves the module. Particles at four samples are 3 % faster so.
  let to = packer + PACKER_ENTRIES;
  for (const end = to + (<usize>beyond << ENTRY_SHIFT); to < end; to += 1 << ENTRY_SHIFT) {
    store<u64>(to, load<u64>(to, WARP_QUADS << ENTRY_SHIFT));
    store<u64>(to, load<u64>(to, (WARP_QUADS << ENTRY_SHIFT) + 8), 8);
  }
  return STATUS_DONE;
}

/** Empties all packers at the end of a draw: what is deferred first, since the ordered packer's quads may lie over it. Returns STATUS_*. */
export function drainOrdered(context: usize): i32 {
  const status = drainDeferred(context);
  return status != STATUS_DONE ? status : shadeWarp(context, orderedPacker(context));
}

/** Runs the deferred packers, full or not. Returns STATUS_*. */
function drainDeferred(context: usize): i32 {
  if (!anyDeferred(context)) return STATUS_DONE;
  for (let i = 0; i < DEFERRED_PACKERS; i++) {
    const status = shadeSlot(context, context + CTX_PACKERS + <usize>i * PACKER_BYTES);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** Whether a deferred packer holds anything: a draw that is shaded in order asks at each warp. */
// @ts-ignore: decorator
@inline
function anyDeferred(context: usize): bool {
  let counts = 0;
  for (let i: usize = 0; i < <usize>DEFERRED_PACKERS; i++) {
    counts |= load<i32>(context + CTX_PACKERS + i * PACKER_BYTES, PACKER_COUNT)
      | load<i32>(context + CTX_PIXEL_PACKERS + i * PIXEL_PACKER_BYTES, PACKER_COUNT);
  }
  return counts != 0;
}

/** The packer of pixels of the slot whose packer of quads is `quads`. */
// @ts-ignore: decorator
@inline
function pixelPacker(context: usize, quads: usize): usize {
  return context + CTX_PIXEL_PACKERS + (quads - context - CTX_PACKERS) / PACKER_BYTES * PIXEL_PACKER_BYTES;
}

/** Runs both packers of a slot. Returns STATUS_*. */
function shadeSlot(context: usize, quads: usize): i32 {
  const status = shadeWarp(context, quads);
  return status != STATUS_DONE ? status : shadeWarp(context, pixelPacker(context, quads));
}

/** The slot (its packer of quads) of a draw: that of its like, or a free one, or one that is emptied for it; 0 if that ran out of time. */
// @ts-ignore: decorator
@inline
function slotOf(context: usize, draw: usize): usize {
  const last: usize = load<usize>(context + CTX_PACKER_LAST);
  return load<usize>(last + PACKER_DRAW) == draw ? last : findSlot(context, draw);
}

function findSlot(context: usize, draw: usize): usize {
  const shading = shadingOf(draw);
  let slot: usize = 0;
  let free: usize = 0;
  for (let i = 0; i < DEFERRED_PACKERS; i++) {
    const quads = context + CTX_PACKERS + <usize>i * PACKER_BYTES;
    const other: usize = load<usize>(quads + PACKER_DRAW);
    if (other && shadingOf(other) == shading) slot = quads;
    if (!load<i32>(quads + PACKER_COUNT) && !load<i32>(pixelPacker(context, quads) + PACKER_COUNT)) free = quads;
  }
  if (!slot) {
    slot = free ? free : emptySlot(context);
    if (!slot) return 0;
    const program: usize = load<usize>(draw + DRAW_FRAGMENT_PROGRAM);
    const pixels = pixelPacker(context, slot);
    store<u32>(slot, load<u32>(program + PROGRAM_FLAGS) & PROGRAM_FLAG_DERIVATIVES ? 0 : <u32>pixels, PACKER_FREE);
    store<i32>(pixels, PACKER_PIXELS, PACKER_KIND);
  }
  // Entries of a slot take what they need of the draw from whichever was packed last: its likes say the same.
  store<u32>(slot, <u32>draw, PACKER_DRAW);
  store<u32>(pixelPacker(context, slot), <u32>draw, PACKER_DRAW);
  store<u32>(context, <u32>slot, CTX_PACKER_LAST);
  return slot;
}

/** Empties one slot after another by turns; 0 if that ran out of time. */
function emptySlot(context: usize): usize {
  const next = load<i32>(context + CTX_PACKER_NEXT);
  store<i32>(context, (next + 1) % DEFERRED_PACKERS, CTX_PACKER_NEXT);
  const slot = context + CTX_PACKERS + <usize>next * PACKER_BYTES;
  return shadeSlot(context, slot) == STATUS_DONE ? slot : 0;
}

/** Packs what a triangle holds of a quad, a sample at a time where its draw wants that. Returns STATUS_*. */
function packDeferred(context: usize, triangle: usize, quad: i32, mask: u64): i32 {
  const draw: usize = load<usize>(triangle + TRI_DRAW);
  const slot = slotOf(context, draw);
  // Only an interrupted program keeps a slot from being emptied.
  if (!slot) return STATUS_TIMEOUT;
  const count = load<i32>(context, CTX_SAMPLE_COUNT);
  if (count == 1 || !(load<u32>(draw + DRAW_FLAGS) & DRAW_FLAG_PER_SAMPLE)) return packSamples(context, slot, triangle, quad, mask, -1);
  for (let sample = 0; sample < count; sample++) {
    const bits = mask & bitsOfSample(count, sample);
    if (!bits) continue;
    const status = packSamples(context, slot, triangle, quad, bits, sample);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** As a quad where all four pixels are covered or have to be run, else pixel by pixel. */
// @ts-ignore: decorator
@inline
function packSamples(context: usize, slot: usize, triangle: usize, quad: i32, mask: u64, sample: i32): i32 {
  const free: usize = load<usize>(slot + PACKER_FREE);
  const single = load<i32>(context + CTX_SAMPLES) == 1;
  const pixels = single ? <i32>mask : pixelsOf(anyLayer(mask));
  if (pixels == 15 || !free) return append(context, slot, triangle, quad, mask, sample);
  let count = load<i32>(free + PACKER_COUNT);
  for (let rest = pixels; rest; rest &= rest - 1) {
    const pixel = ctz(rest);
    const entry = free + PACKER_ENTRIES + (<usize>count << ENTRY_SHIFT);
    store<u32>(entry, <u32>triangle, ENTRY_TRIANGLE);
    store<i32>(entry, (quad << 2) + pixel, ENTRY_PIXEL);
    store<i32>(entry, single ? 1 : pixelMask(mask, pixel), ENTRY_MASK);
    store<i32>(entry, sample, ENTRY_SAMPLE);
    store<i32>(free, ++count, PACKER_COUNT);
    if (count < WARP_QUADS * 4) continue;
    const status = shadeWarp(context, free);
    if (status != STATUS_DONE) return status;
    count = 0;
  }
  return STATUS_DONE;
}

/** Moves the ids of a quad into packers. */
function flushQuad<S>(context: usize, quad: i32): i32 {
  const ids: usize = load<usize>(context + CTX_IDS) + (<usize>(quad * 4 * samplesOf<S>()) << 2);
  const only = onlyId<S>(context, ids);
  if (only >= 0) {
    clearIds<S>(context, ids);
    return only ? packDeferred(context, <usize>only, quad, quadSamples(context)) : STATUS_DONE;
  }
  let rest = quadSamples(context) & ~matchQuad<S>(context, ids, 0);
  while (rest) {
    const id = load<u32>(ids + (sampleOffset(<i32>ctz(rest)) << 2));
    const mask = matchQuad<S>(context, ids, id);
    rest &= ~mask;
    const status = packDeferred(context, id, quad, mask);
    if (status != STATUS_DONE) return status;
  }
  clearIds<S>(context, ids);
  return STATUS_DONE;
}

/** The samples of a quad that hold an id. */
// @ts-ignore: decorator
@inline
function matchQuad<S>(context: usize, ids: usize, id: u32): u64 {
  if (samplesOf<S>() == 1) return <u64>matchFour(ids, id);
  let mask: u64 = 0;
  for (let layer = 0; layer < layersOf<S>(context); layer++) mask |= <u64>(matchIds(ids + <usize>layer * LAYER_WORDS, id) & 0xffff) << <u64>(layer << 4);
  return mask;
}

/** The id that all samples of a quad hold, or -1. */
// @ts-ignore: decorator
@inline
function onlyId<S>(context: usize, ids: usize): i64 {
  const pair = load<u64>(ids);
  let others = (pair ^ load<u64>(ids, 8)) | (pair ^ rotl(pair, 32));
  if (samplesOf<S>() != 1) others |= unlike(ids, pair);
  for (let layer: usize = 1; isLayered<S>() && !others && layer < <usize>layersOf<S>(context); layer++) {
    const at = ids + layer * LAYER_WORDS;
    others |= (pair ^ load<u64>(at)) | (pair ^ load<u64>(at, 8)) | unlike(at, pair);
  }
  return others ? -1 : <i64>(pair & 0xffffffff);
}

/** Bits in which the last twelve ids of sixteen differ from a pair. */
// @ts-ignore: decorator
@inline
function unlike(ids: usize, pair: u64): u64 {
  return (pair ^ load<u64>(ids, 16)) | (pair ^ load<u64>(ids, 24)) | (pair ^ load<u64>(ids, 32)) | (pair ^ load<u64>(ids, 40))
    | (pair ^ load<u64>(ids, 48)) | (pair ^ load<u64>(ids, 56));
}

// @ts-ignore: decorator
@inline
function clearIds<S>(context: usize, ids: usize): void {
  for (let layer: usize = 0; layer < <usize>layersOf<S>(context); layer++) {
    const first = ids + layer * LAYER_WORDS;
    for (let at = first; at < first + <usize>(samplesOf<S>() << 4); at += 16) {
      store<u64>(at, 0);
      store<u64>(at, 0, 8);
    }
  }
}
