// Packs the work items of draw calls that are shaded in order, after their tests. Loops that build entries call no
// function: V8 keeps everything that lives across a call in memory.

import {
  DRAW_FLAG_READS,
  DRAW_FLAG_UNORDERED,
  Entry,
  entryHead,
  PACKER_BLOCK,
  PACKER_QUADS,
  sizeOf,
  STATUS_DONE,
  Tile,
  Triangle,
  WARP_QUADS,
  WORK_PASSED,
  WORK_QUAD,
  WORK_WHOLE,
  WorkItem,
} from '../layout';
import { nonzeroBits16 } from '../simd/texels';
import { claimsOf } from '../tile/claims';
import { NEXT_QUAD, putQuads } from '../tile/entries';
import { samplesOf } from '../tile/layers';
import { countQuads } from '../tile/pending';
import { coverOfQuad, fillCovers, touchedQuads } from '../tile/work';
import { canShadeBlockFirst, endEntries, flushQuads, packQuad, shadeWhole } from './pack';
import { awaitClaims, hold, runOrdered } from './slots';

/** Packs what an item covers, over the deferred pixels beneath it. Runs warps that become full. Returns STATUS_*. */
// @ts-ignore: decorator
@inline
export function packItem<S>(tile: Tile, triangle: Triangle, item: WorkItem): i32 {
  const kind = item.kind;
  const place = item.place;
  if (kind == WORK_PASSED) return packPassed<S>(tile, triangle, item);
  if (kind == WORK_QUAD) {
    const flushed = flushQuads(tile, place >> 4, 1 << (place & 15));
    return flushed != STATUS_DONE ? flushed : packQuad(tile, triangle, place, item.cover);
  }
  if (kind == WORK_WHOLE) {
    if (canShadeBlockFirst(tile, place)) return shadeWhole(tile, triangle, place);
    if (samplesOf<S>() != 1) fillCovers(tile);
  }
  return packQuads<S>(tile, triangle, item);
}

/** Packs the quads of a block. Returns STATUS_*. */
function packQuads<S>(tile: Tile, triangle: Triangle, item: WorkItem): i32 {
  const block = item.place;
  const cover = item.cover;
  const selected = tile.sampleMask;
  const quads = touchedQuads<S>(cover);
  const flushed = flushQuads(tile, block, quads);
  if (flushed != STATUS_DONE) return flushed;
  for (let rest = quads; rest; rest &= rest - 1) {
    const quad = ctz(rest);
    const mask = coverOfQuad<S>(tile, cover, quad) & selected;
    const status = mask ? packQuad(tile, triangle, (block << 4) + quad, mask) : STATUS_DONE;
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** Packs a block in which nothing is pending and nothing must be tested. Returns STATUS_*. */
function packPassed<S>(tile: Tile, triangle: Triangle, item: WorkItem): i32 {
  if (!ASC_FEATURE_SIMD) return STATUS_DONE;
  return samplesOf<S>() == 1
    ? packPassed1(tile, triangle, item.place, item.cover)
    : packPassed4(tile, triangle, item.place);
}

/** Address of the ordered packer's next entry. */
function nextEntry(tile: Tile): Entry {
  const packer = tile.orderedPacker;
  return packer.entry(packer.count);
}

/** Counts the entries from `begin` to `end` and adds them to the packer. Returns STATUS_*. */
// @ts-ignore: decorator
@inline
function noteEntries(tile: Tile, begin: Entry, end: usize): i32 {
  countQuads(tile, (end - changetype<usize>(begin)) / sizeOf<Entry>(), 0);
  return endEntries(tile, end);
}

/** Writes an entry. Returns the address of the next one, which is the same if nothing is covered. */
function putEntry(entry: Entry, head: u64, mask: u64): Entry {
  entry.put(head, mask);
  return changetype<Entry>(changetype<usize>(entry) + (mask != 0) * sizeOf<Entry>());
}

/**
 * Packs a block's quads at one sample: the pixels of `cover` (bit quad·4 + pixel). All 16 entries are written, each
 * over the last one if that was empty, so no branch depends on which quads are covered. Returns STATUS_*.
 */
function packPassed1(tile: Tile, triangle: Triangle, block: i32, cover: u64): i32 {
  if (tile.draw.flags & DRAW_FLAG_READS) {
    if (tile.draw.flags & DRAW_FLAG_UNORDERED && claimsOf(tile, block)) {
      const held = holdQuads1(tile, triangle, block, cover);
      if (held != STATUS_DONE) return held;
      cover = tile.uncovered;
      if (!cover) return STATUS_DONE;
    }
    const pairs = cover | (cover >> 1);
    const status = awaitClaims(tile, block, (pairs | (pairs >> 2)) & 0x1111111111111111);
    if (status != STATUS_DONE) return status;
  }
  const begin = nextEntry(tile);
  let head = entryHead(triangle, block << 4, -1);
  if (cover == u64.MAX_VALUE && isWholeWarp(tile)) return runWhole(tile, begin, head);
  if (cover == u64.MAX_VALUE) return noteEntries(tile, begin, changetype<usize>(putQuads(begin, head, 15, WARP_QUADS)));
  let entry = begin;
  for (const end = head + WARP_QUADS * NEXT_QUAD; head != end; head += 4 * NEXT_QUAD) {
    entry = putEntry(entry, head, cover & 15);
    entry = putEntry(entry, head + NEXT_QUAD, (cover >> 4) & 15);
    entry = putEntry(entry, head + 2 * NEXT_QUAD, (cover >> 8) & 15);
    entry = putEntry(entry, head + 3 * NEXT_QUAD, (cover >> 12) & 15);
    cover >>= 16;
  }
  return noteEntries(tile, begin, changetype<usize>(entry));
}

/** Whether a block that is covered at its only sample is a warp of its own. */
// @ts-ignore: decorator
@inline
function isWholeWarp(tile: Tile): bool {
  const draw = tile.draw;
  return !(tile.orderedPacker.count | draw.sets) && !(draw.flags & DRAW_FLAG_READS);
}

/** Runs a whole block in the empty ordered packer. Returns STATUS_*. */
function runWhole(tile: Tile, begin: Entry, head: u64): i32 {
  putQuads(begin, head, 15, WARP_QUADS);
  countQuads(tile, WARP_QUADS, 0);
  const packer = tile.orderedPacker;
  packer.count = WARP_QUADS;
  packer.kind = PACKER_BLOCK;
  const status = runOrdered(tile);
  packer.kind = PACKER_QUADS;
  return status;
}

/** packPassed1 for four samples, which are at Tile.cover. */
function packPassed4(tile: Tile, triangle: Triangle, block: i32): i32 {
  if (<i32>tile.sampleMask != 0xffff) dropSamples(tile);
  if (tile.draw.flags & DRAW_FLAG_READS) {
    if (tile.draw.flags & DRAW_FLAG_UNORDERED && claimsOf(tile, block)) {
      const held = holdQuads4(tile, triangle, block);
      if (held != STATUS_DONE) return held;
    }
    const quads = nonzeroBits16(v128.load(tile.cover), v128.load(tile.cover, 16));
    const status = quads ? awaitClaims(tile, block, quads) : STATUS_DONE;
    if (status != STATUS_DONE) return status;
  }
  const begin = nextEntry(tile);
  let entry = begin;
  let head = entryHead(triangle, block << 4, -1);
  for (let at = tile.cover, end = at + 32; at < end; at += 8) {
    entry = putEntry(entry, head, load<u16>(at));
    entry = putEntry(entry, head + NEXT_QUAD, load<u16>(at, 2));
    entry = putEntry(entry, head + 2 * NEXT_QUAD, load<u16>(at, 4));
    entry = putEntry(entry, head + 3 * NEXT_QUAD, load<u16>(at, 6));
    head += 4 * NEXT_QUAD;
  }
  return noteEntries(tile, begin, changetype<usize>(entry));
}

/**
 * Holds back those quads of an unordered draw call at whose position, in this block, a quad is already pending.
 * Tile.uncovered receives the pixels of the others. Returns STATUS_*.
 */
function holdQuads1(tile: Tile, triangle: Triangle, block: i32, cover: u64): i32 {
  let rest = cover;
  for (let waits = claimsOf(tile, block); waits; waits &= waits - 1) {
    const quad = (<i32>ctz(waits)) >> 2;
    const mask = (cover >> (<u64>(quad << 2))) & 15;
    if (!mask) continue;
    rest &= ~((<u64>15) << u64(quad << 2));
    countQuads(tile, 1, 0);
    const status = hold(tile, triangle, (block << 4) + quad, mask);
    if (status != STATUS_DONE) return status;
  }
  tile.uncovered = rest;
  return STATUS_DONE;
}

/** holdQuads1 for four samples. Removes the held quads from Tile.cover. */
function holdQuads4(tile: Tile, triangle: Triangle, block: i32): i32 {
  for (let waits = claimsOf(tile, block); waits; waits &= waits - 1) {
    const quad = <i32>ctz(waits);
    const at = tile.cover + (quad << 1);
    const mask = load<u16>(at);
    if (!mask) continue;
    store<u16>(at, 0);
    countQuads(tile, 1, 0);
    const status = hold(tile, triangle, (block << 4) + quad, mask);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/**
 * Removes samples from Tile.cover that the pipeline's sample mask excludes. Also counts the quads that lose all their
 * samples.
 */
function dropSamples(tile: Tile): void {
  const samples = <i32>tile.sampleMask;
  for (let at = tile.cover; at < tile.cover + 32; at += 2) {
    const covered = load<u16>(at);
    if (covered && !(covered & samples)) countQuads(tile, 1, 0);
    store<u16>(at, covered & samples);
  }
}
