// Packing of visible quads into warps. A packer collects up to WARP_QUADS quads of one draw, across triangles; a few are open at a time,
// so that neighbouring objects do not empty each other's half-full warps. Draws that are shaded in order have one packer of their own.
// A block that one triangle covers is a warp as it stands.

import {
  CTX_BLOCK_IDS, CTX_IDS, CTX_PACKER_LAST, CTX_PACKER_NEXT, CTX_PACKERS, CTX_PASS, CTX_PENDING, CTX_SAMPLES, DEFERRED_PACKERS, ENTRY_MASK, ENTRY_QUAD,
  ENTRY_SAMPLE, ENTRY_SHIFT, ENTRY_TRIANGLE, PACKER_BLOCK, PACKER_BYTES, PACKER_COUNT, PACKER_DRAW, PACKER_ENTRIES, PACKER_KIND,
} from '../layout/context';
import { DRAW_FLAG_PER_SAMPLE, DRAW_FLAGS } from '../layout/draw';
import { TILE_BLOCKS, WARP_QUADS } from '../layout/limits';
import { PASS_STATISTICS, STAT_WARPS_FRAGMENT } from '../layout/pass';
import { STATUS_DONE, STATUS_TIMEOUT, STATUS_YIELD } from '../layout/status';
import { TRI_DRAW } from '../layout/triangle';
import { matchIds } from './ids';
import { shadeWarp } from './shade';

/** The packer of draws that are shaded in the order of their primitives. */
// @ts-ignore: decorator
@inline
export function orderedPacker(context: usize): usize {
  return context + CTX_PACKERS + DEFERRED_PACKERS * PACKER_BYTES;
}

/** Appends a quad to a packer, a sample at a time where the draw wants that; runs the warp when it is full. Returns STATUS_*. */
export function packQuad(context: usize, packer: usize, triangle: usize, quad: i32, mask: i32): i32 {
  const draw: usize = load<usize>(packer + PACKER_DRAW);
  // The single sample of a pixel is its centre: nothing differs.
  if (load<i32>(context + CTX_SAMPLES) == 1 || !(load<u32>(draw + DRAW_FLAGS) & DRAW_FLAG_PER_SAMPLE)) {
    return append(context, packer, triangle, quad, mask, -1);
  }
  for (let sample = 0; sample < 4; sample++) {
    const bits = mask & (0x1111 << sample);
    if (!bits) continue;
    const status = append(context, packer, triangle, quad, bits, sample);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** Appends an entry to a packer; runs the warp when it is full. Returns STATUS_*. */
// @ts-ignore: decorator
@inline
export function append(context: usize, packer: usize, triangle: usize, quad: i32, mask: i32, sample: i32): i32 {
  const count = load<i32>(packer + PACKER_COUNT);
  const entry = packer + PACKER_ENTRIES + (<usize>count << ENTRY_SHIFT);
  store<u32>(entry, <u32>triangle, ENTRY_TRIANGLE);
  store<i32>(entry, quad, ENTRY_QUAD);
  store<i32>(entry, mask, ENTRY_MASK);
  store<i32>(entry, sample, ENTRY_SAMPLE);
  store<i32>(packer, count + 1, PACKER_COUNT);
  if (count + 1 < WARP_QUADS) return STATUS_DONE;
  return packer == orderedPacker(context) ? drainOrdered(context) : shadeWarp(context, packer);
}

/** Moves the pending quads of a block into packers; their ids are 0 afterwards. Returns STATUS_*. */
export function flushBlock(context: usize, block: i32): i32 {
  const pending = context + CTX_PENDING + (<usize>block << 1);
  const samples = load<i32>(context + CTX_SAMPLES);
  const only: usize = load<usize>(context + CTX_BLOCK_IDS + (<usize>block << 2));
  if (only) {
    store<u32>(context + CTX_BLOCK_IDS + (<usize>block << 2), 0);
    store<u16>(pending, 0);
    return shadeBlock(context, only, block);
  }
  const ids: usize = load<usize>(context + CTX_IDS);
  for (let rest: i32 = load<u16>(pending); rest; rest &= rest - 1) {
    const quad = (block << 4) + ctz(rest);
    const status = samples == 1 ? flushQuad1(context, ids + (<usize>quad << 4), quad) : flushQuad4(context, ids + (<usize>quad << 6), quad);
    if (status != STATUS_DONE) return status;
  }
  store<u16>(pending, 0);
  return STATUS_DONE;
}

/** Shades a block that one triangle covers, as a warp of its own. Returns STATUS_*. */
function shadeBlock(context: usize, triangle: usize, block: i32): i32 {
  const draw: usize = load<usize>(triangle + TRI_DRAW);
  const several = load<i32>(context + CTX_SAMPLES) != 1;
  const mask = several ? 0xffff : 15;
  const first = block << 4;
  if (several && load<u32>(draw + DRAW_FLAGS) & DRAW_FLAG_PER_SAMPLE) {
    for (let quad = first; quad < first + WARP_QUADS; quad++) {
      const status = packDeferred(context, triangle, quad, mask);
      if (status != STATUS_DONE) return status;
    }
    return STATUS_DONE;
  }
  const packer = context + CTX_PACKERS + (DEFERRED_PACKERS + 1) * PACKER_BYTES;
  store<u32>(packer, <u32>draw, PACKER_DRAW);
  store<i32>(packer, WARP_QUADS, PACKER_COUNT);
  store<i32>(packer, PACKER_BLOCK, PACKER_KIND);
  let entry = packer + PACKER_ENTRIES;
  for (let quad = first; quad < first + WARP_QUADS; quad++) {
    store<u32>(entry, <u32>triangle, ENTRY_TRIANGLE);
    store<i32>(entry, quad, ENTRY_QUAD);
    store<i32>(entry, mask, ENTRY_MASK);
    store<i32>(entry, -1, ENTRY_SAMPLE);
    entry += 1 << ENTRY_SHIFT;
  }
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
  const ended = drainOrdered(context);
  if (ended != STATUS_DONE) return ended;
  for (let block = 0; block < TILE_BLOCKS; block++) {
    if (!load<u16>(context + CTX_PENDING + (<usize>block << 1))) continue;
    const status = flushBlock(context, block);
    if (status != STATUS_DONE) return status;
    if (warpsShaded(context) >= limit) return STATUS_YIELD;
  }
  return drainDeferred(context);
}

/** Runs the ordered packer, after all that its quads may lie over. Returns STATUS_*. */
export function drainOrdered(context: usize): i32 {
  const packer = orderedPacker(context);
  if (!load<i32>(packer + PACKER_COUNT)) return STATUS_DONE;
  const status = drainDeferred(context);
  return status != STATUS_DONE ? status : shadeWarp(context, packer);
}

/** Runs the deferred packers, full or not. Returns STATUS_*. */
function drainDeferred(context: usize): i32 {
  for (let i = 0; i < DEFERRED_PACKERS; i++) {
    const status = shadeWarp(context, context + CTX_PACKERS + <usize>i * PACKER_BYTES);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** The deferred packer of a draw: its own, or a free one, or one that is emptied for it; 0 if that ran out of time. */
function packerOf(context: usize, draw: usize): usize {
  const last: usize = load<usize>(context + CTX_PACKER_LAST);
  if (load<usize>(last + PACKER_DRAW) == draw) return last;
  let free: usize = 0;
  for (let i = 0; i < DEFERRED_PACKERS; i++) {
    const packer = context + CTX_PACKERS + <usize>i * PACKER_BYTES;
    if (load<usize>(packer + PACKER_DRAW) == draw) {
      store<u32>(context, <u32>packer, CTX_PACKER_LAST);
      return packer;
    }
    if (load<i32>(packer + PACKER_COUNT) == 0) free = packer;
  }
  if (!free) {
    const next = load<i32>(context + CTX_PACKER_NEXT);
    store<i32>(context, (next + 1) % DEFERRED_PACKERS, CTX_PACKER_NEXT);
    free = context + CTX_PACKERS + <usize>next * PACKER_BYTES;
    if (shadeWarp(context, free) != STATUS_DONE) return 0;
  }
  store<u32>(free, <u32>draw, PACKER_DRAW);
  store<u32>(context, <u32>free, CTX_PACKER_LAST);
  return free;
}

// @ts-ignore: decorator
@inline
function packDeferred(context: usize, triangle: usize, quad: i32, mask: i32): i32 {
  const packer = packerOf(context, load<usize>(triangle + TRI_DRAW));
  // Only an interrupted program keeps a packer from being emptied.
  return packer ? packQuad(context, packer, triangle, quad, mask) : STATUS_TIMEOUT;
}

/** One sample: the four ids of a quad. */
function flushQuad1(context: usize, ids: usize, quad: i32): i32 {
  const upper = load<u64>(ids);
  const lower = load<u64>(ids, 8);
  store<u64>(ids, 0);
  store<u64>(ids, 0, 8);
  if (upper == lower && rotl(upper, 32) == upper) return upper ? packDeferred(context, <usize>upper & 0xffffffff, quad, 15) : STATUS_DONE;
  const id0 = <u32>upper;
  const id1 = <u32>(upper >> 32);
  const id2 = <u32>lower;
  const id3 = <u32>(lower >> 32);
  let rest = <i32>(id0 != 0) | (<i32>(id1 != 0) << 1) | (<i32>(id2 != 0) << 2) | (<i32>(id3 != 0) << 3);
  while (rest) {
    const id = rest & 1 ? id0 : rest & 2 ? id1 : rest & 4 ? id2 : id3;
    const mask = <i32>(id0 == id) | (<i32>(id1 == id) << 1) | (<i32>(id2 == id) << 2) | (<i32>(id3 == id) << 3);
    rest &= ~mask;
    const status = packDeferred(context, id, quad, mask);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** Four samples: the sixteen ids of a quad. */
function flushQuad4(context: usize, ids: usize, quad: i32): i32 {
  const only = onlyId(ids);
  if (only >= 0) {
    clearIds(ids);
    return only ? packDeferred(context, <usize>only, quad, 0xffff) : STATUS_DONE;
  }
  let rest = 0xffff & ~matchIds(ids, 0);
  while (rest) {
    const id = load<u32>(ids + (<usize>ctz(rest) << 2));
    const mask = matchIds(ids, id);
    rest &= ~mask;
    const status = packDeferred(context, id, quad, mask);
    if (status != STATUS_DONE) return status;
  }
  clearIds(ids);
  return STATUS_DONE;
}

/** The id that all sixteen samples hold, or -1. */
// @ts-ignore: decorator
@inline
function onlyId(ids: usize): i64 {
  const pair = load<u64>(ids);
  const others = (pair ^ load<u64>(ids, 8)) | (pair ^ load<u64>(ids, 16)) | (pair ^ load<u64>(ids, 24)) | (pair ^ load<u64>(ids, 32))
    | (pair ^ load<u64>(ids, 40)) | (pair ^ load<u64>(ids, 48)) | (pair ^ load<u64>(ids, 56));
  return (others | (pair ^ rotl(pair, 32))) == 0 ? <i64>(pair & 0xffffffff) : -1;
}

// @ts-ignore: decorator
@inline
function clearIds(ids: usize): void {
  store<u64>(ids, 0);
  store<u64>(ids, 0, 8);
  store<u64>(ids, 0, 16);
  store<u64>(ids, 0, 24);
  store<u64>(ids, 0, 32);
  store<u64>(ids, 0, 40);
  store<u64>(ids, 0, 48);
  store<u64>(ids, 0, 56);
}
