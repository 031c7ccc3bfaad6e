// Parked warps of a tile: what is saved of each (PARKED WARPS, layout/late/parked.ts), whether there is room for more,
// and which later warps must wait for them. fragment/shade.ts parks and resumes the warps.

import {
  Draw,
  DRAW_FLAG_DEFERRED,
  Entry,
  Packer,
  PACKER_BLOCK,
  PACKER_PIXELS,
  PACKER_QUADS,
  ParkedWarp,
  PROGRAM_FLAG_STOPS,
  sizeOf,
  Tile,
  Warp,
  WORK_BEGINS,
  WORK_IS_READY,
  WORK_IS_UNDONE,
  WORK_PARKED,
  WORK_PARKS,
  WORK_RUNNING,
} from '../layout';
import { blocksOf, copyPacker } from '../tile/warps';
import { isInterpreted } from '../warp/run';
import { keepsProgress, nextState, takeAwaited } from './states';
import { restoreStopped, saveStopped, splitStopped, stoppedBytes } from './stop';

/**
 * Whether warps of a draw call may overtake parked warps of other draw calls for which this is also true: the draw call
 * is unordered and not deferred.
 */
export function canOvertake(draw: Draw): bool {
  return draw.independent != 0 && !(draw.flags & DRAW_FLAG_DEFERRED);
}

/** Blocks in which warps of a draw call must wait for parked warps (bit block). */
export function hazardBlocks(tile: Tile, draw: Draw): u64 {
  return canOvertake(draw) ? tile.parked.ordered : tile.parked.blocks;
}

/**
 * Makes every parked warp an ordered one. Called when an ordered draw call starts, so that later draw calls overtake
 * none of the warps parked before it.
 */
export function orderParked(tile: Tile): void {
  const parked = tile.parked;
  parked.ordered = parked.blocks;
  for (let at = parked.past, end = at + parked.taken; at < end; at += changetype<ParkedWarp>(at).length)
    changetype<ParkedWarp>(at).ordered = 1;
}

/** Parks a packer's entries and empties the packer. Returns false, and changes nothing, if there is no room. */
export function parkEntries(tile: Tile, packer: Packer): bool {
  const parked = tile.parked;
  const bytes = parkedLength(tile, packer);
  if (parked.taken + bytes > parked.room) return false;
  const statistics = tile.pass.statistics;
  const warp = changetype<ParkedWarp>(parked.past + parked.taken);
  warp.blocks = blocksOf(packer);
  warp.page = takeAwaited(tile);
  warp.since = statistics.warpsFragment;
  warp.length = bytes;
  copyPacker(warp.packer, packer);
  warp.state = WORK_RUNNING;
  saveState(tile, warp);
  parked.taken += bytes;
  parked.blocks |= warp.blocks;
  warp.ordered = u32(!canOvertake(packer.draw));
  if (warp.ordered) parked.ordered |= warp.blocks;
  packer.count = 0;
  tile.parkedCount += 1;
  statistics.warpsParked += 1;
  return true;
}

/** Whether there may be too little room to park everything that the next triangle and the packers can produce. */
export function lacksParkingRoom(tile: Tile): bool {
  const parked = tile.parked;
  return parked.taken + parked.minRoom > parked.room;
}

/** Size in bytes of a PARKED WARP with the entries of a packer. */
export function parkedLength(tile: Tile, packer: Packer): u32 {
  return lengthOf(tile, packer.draw, packer.count);
}

/** Size in bytes of a PARKED WARP with `count` entries of a draw call. */
function lengthOf(tile: Tile, draw: Draw, count: i32): u32 {
  const entries = <u32>changetype<usize>(changetype<ParkedWarp>(0).packer.entry(count));
  return stopsAt(tile, draw) ? entries + stoppedBytes(draw.fragment.program, count) : entries;
}

/**
 * Splits the first parked warp if it has more than `most` entries: its first `most` entries (up to the end of a quad)
 * become a separate warp in front of the rest. ParkedWarps.minRoom includes the room that this needs.
 */
export function splitFirst(tile: Tile, most: i32): void {
  const parked = tile.parked;
  const at = parked.past;
  const draw = changetype<ParkedWarp>(at).packer.draw;
  const count = changetype<ParkedWarp>(at).packer.count;
  const firstCount = endOfQuad(changetype<ParkedWarp>(at).packer, most);
  if (firstCount >= count) return;
  const length = changetype<ParkedWarp>(at).length;
  const bytes = lengthOf(tile, draw, firstCount);
  const otherBytes = lengthOf(tile, draw, count - firstCount);
  if (parked.taken + max<u32>(bytes, bytes + otherBytes - length) > parked.room) return;
  memory.copy(at + bytes, at, parked.taken);
  const first = changetype<ParkedWarp>(at);
  const others = changetype<ParkedWarp>(at + bytes);
  memory.copy(at, at + bytes, offsetof<ParkedWarp>());
  first.length = bytes;
  others.length = otherBytes;
  const packer = others.packer;
  // Part of a block is no longer a whole block, so the packer holds quads.
  if (packer.kind == PACKER_BLOCK) packer.kind = PACKER_QUADS;
  const from = changetype<usize>(packer.entry(count));
  packer.count = firstCount;
  copyPacker(first.packer, packer);
  packer.count = count - firstCount;
  memory.copy(packer.entries, changetype<usize>(packer.entry(firstCount)), packer.count * sizeOf<Entry>());
  if (others.state == WORK_PARKED) {
    const ownFrom = changetype<usize>(first.packer.entry(firstCount));
    const othersFrom = changetype<usize>(packer.entry(packer.count));
    splitStopped(draw.fragment.program, from, count, ownFrom, firstCount, othersFrom);
  }
  first.blocks = blocksOf(first.packer);
  others.blocks = blocksOf(packer);
  const rest = parked.taken - length;
  memory.copy(at + bytes + otherBytes, at + bytes + length, rest);
  parked.taken = bytes + otherBytes + rest;
}

/** Number of entries to take: `most`, extended to the end of the quad where entries are single pixels. */
function endOfQuad(packer: Packer, most: i32): i32 {
  const count = packer.count;
  let end = min<i32>(most, count);
  if (packer.kind != PACKER_PIXELS) return end;
  const last = packer.entry(end - 1);
  while (end < count && packer.entry(end).pixel >> 2 == last.pixel >> 2 && packer.entry(end).triangle == last.triangle)
    end += 1;
  return end;
}

/** Removes the first parked warp: the `length` bytes that follow the first `kept` bytes. */
export function dropFirst(tile: Tile, length: u32, kept: u32): void {
  const parked = tile.parked;
  const to = parked.past + kept;
  parked.taken -= length;
  memory.copy(to, to + length, parked.taken - kept);
}

/** Recomputes the blocks that have parked warps, and the number of parked warps, after warps were removed in order. */
export function countParked(tile: Tile): void {
  const parked = tile.parked;
  parked.blocks = 0;
  parked.ordered = 0;
  tile.parkedCount = 0;
  for (let at = parked.past, end = at + parked.taken; at < end; at += changetype<ParkedWarp>(at).length) {
    const warp = changetype<ParkedWarp>(at);
    parked.blocks |= warp.blocks;
    if (warp.ordered) parked.ordered |= warp.blocks;
    tile.parkedCount += 1;
  }
}

/** Whether a draw call's shader stops at a missing page and later continues from there. */
export function stopsAt(tile: Tile, draw: Draw): bool {
  const program = draw.fragment.program;
  return (program.flags & PROGRAM_FLAG_STOPS) != 0 && isInterpreted(program) && keepsProgress(tile);
}

/**
 * Whether a packer has an entry in the same quad as a parked warp that it must not overtake. `blocks` are the blocks of
 * the packer's entries.
 */
export function mustFollowParked(tile: Tile, packer: Packer, blocks: u64): bool {
  const parked = tile.parked;
  if (!(hazardBlocks(tile, packer.draw) & blocks)) return false;
  const passes = canOvertake(packer.draw);
  for (let at = parked.past, end = at + parked.taken; at < end; at += changetype<ParkedWarp>(at).length) {
    const warp = changetype<ParkedWarp>(at);
    if (warp.blocks & blocks && (warp.ordered || !passes) && sharesQuad(warp.packer, packer)) return true;
  }
  return false;
}

/** Whether two packers have entries in the same quad. */
function sharesQuad(a: Packer, b: Packer): bool {
  const shiftA = a.kind == PACKER_PIXELS ? 2 : 0;
  const shiftB = b.kind == PACKER_PIXELS ? 2 : 0;
  for (let i = 0; i < a.count; i++) {
    const quad = a.entry(i).quad >> shiftA;
    for (let k = 0; k < b.count; k++) if (b.entry(k).quad >> shiftB == quad) return true;
  }
  return false;
}

/** Called before a parked warp runs again, from where it stopped or from its inputs. */
export function beginResumed(tile: Tile, warp: ParkedWarp): void {
  const parked = tile.parked;
  parked.resumedWarp = warp;
  parked.hasStopped = i32(warp.state == WORK_PARKED);
  warp.state = nextState(nextState(warp.state, WORK_IS_READY), WORK_BEGINS);
}

/** Called when a warp has run and misses pages. Saves its registers and position if it has stopped in its shader. */
export function saveState(tile: Tile, warp: ParkedWarp): void {
  const parked = tile.parked;
  warp.state = nextState(warp.state, parked.hasStopped ? WORK_PARKS : WORK_IS_UNDONE);
  if (!parked.hasStopped) return;
  parked.hasStopped = 0;
  tile.pass.statistics.warpsStopped += 1;
  saveStopped(tile.pool.first, parked.stop, changetype<usize>(warp.packer.entry(warp.packer.count)), warp.packer.count);
}

/** Restores the state in which the warp that is being resumed had stopped. */
export function restoreResumed(tile: Tile, warp: Warp): void {
  const parked = tile.parked;
  const packer = parked.resumedWarp.packer;
  parked.hasStopped = 0;
  restoreStopped(warp, parked.stop, changetype<usize>(packer.entry(packer.count)), packer.count);
}
