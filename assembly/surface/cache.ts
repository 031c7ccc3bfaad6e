// The write-back cache of the load/store unit: a few tiles of surfaces as WORKING records (load-store-unit). The tile
// that was used least recently makes room. Four tiles: 32 000 accesses to four surfaces in turns missed 4 times, with
// three tiles 976 and with two 1132; where a program reads beyond the tile's edges, 8, 25 and 231 times, and with six
// tiles 6.
//
// A block is fetched when a sample of it is asked for that was not written; one that is overwritten never is. What a
// tile lacks is fetched when it is written back: the rest of blocks that were written in part, and, where a block takes
// other bytes than before, the other blocks, as blocks lie one behind the other. Else they stay where they are.
// Blocks are fetched and tiles written back under the tile's lock, so that workers may reach one another's tiles; who
// writes back a tile that another has changed since puts what it wrote itself over what is there now.
//
// Tried and gone: a buffer before the cache that gathers the stores to a block, eight blocks at a time, and sends them
// on together (US 9,436,971). Both lie in the same memory, so that every value was put down twice: a load, a blend and
// a store of a pixel took 74 ns, and took 57 without. What it did, of 12 500 sends of 40 triangles as large as the
// surface, and of 21 300 of 3 000 small ones, at four samples of four bytes:
// - sent a block that was covered (73 %, 2 %), whose room was wanted (20 %, 91 %), of which a sample came again with
//   another value (3 %, 4 %; that pixel alone: 2.2 times the bytes), and at the tile's end
// - dropped what came again with its value (nothing at all), and joined what was equal (0.002 %, 0.1 % of the stores)
// - kept parts of pixels with a mask: still here, as Working.written
// - counted as sent the shortest of: one state for all pixels (57 %, 23 %), a state a pixel (30 %, 52 %), a part for
//   each state (12 %, 20 %), masks for all (0.1 %, 5 %), values replicated for their samples (never): 27 % and 47 % of
//   a value a sample, in memory that no bus lies between

import {
  COUNT_BYTES_READ, COUNT_BYTES_WRITTEN, COUNT_FETCHES, COUNT_MISSES, COUNT_OVERTAKEN, COUNT_WRITE_BACKS,
  LoadStoreUnit, Staging, STATUS_DONE, Surface, SURFACE_CLEAR, SurfaceTile, Working, WORKING_TILES,
} from '../layout';
import { fetchBlock } from './decode';
import { replaceBlocks, storeTile } from './encode';
import { blockBytes, blockState } from './stored';
import { beginPlane, blockBit, fillIn, heldSamples } from './working';

export function count(unit: LoadStoreUnit, counter: i32, by: u64): void {
  const at = unit.counters + (counter << 3);
  store<u64>(at, load<u64>(at) + by);
}

/** The WORKING record of a tile. It may be another tile's at the next call. */
export function cachedTile(unit: LoadStoreUnit, surface: Surface, tile: i32): Working {
  const last = unit.lastWorking;
  if (last && holds(last, surface, tile)) return last;
  let oldest = changetype<Working>(0);
  for (let i = 0; i < WORKING_TILES; i++) {
    const working = workingAt(unit, i);
    if (holds(working, surface, tile)) return use(unit, working);
    // Free ones have not been used.
    if (!oldest || working.used < oldest.used) oldest = working;
  }
  count(unit, COUNT_MISSES, 1);
  writeBack(unit, oldest);
  beginPlane(unit, oldest, surface);
  memory.copy(oldest.clear, surface.tile(tile).clear, 16);
  oldest.surface = surface;
  oldest.tile = tile;
  oldest.version = UNFETCHED;
  oldest.there = 0;
  oldest.dirty = 0;
  return use(unit, oldest);
}

/** Has all samples of a pixel held by its tile. */
export function hold(unit: LoadStoreUnit, working: Working, pixel: i32): void {
  const surface = working.surface;
  if (heldSamples(working, pixel) == surface.whole) return;
  const record = surface.tile(working.tile);
  const version = lockTile(record);
  if (working.version == UNFETCHED) working.version = version;
  else if (working.version != version) working.version = OVERTAKEN;
  fetch(unit, working, pixel >> 6);
  unlockTile(record, version);
}

/** Completes a block by what is stored; its tile's lock is held. */
function fetch(unit: LoadStoreUnit, working: Working, block: i32): void {
  const surface = working.surface;
  count(unit, COUNT_FETCHES, 1);
  count(unit, COUNT_BYTES_READ, blockBytes(surface, surface.tile(working.tile), block));
  if (working.dirty & blockBit(block)) {
    const spare = workingAt(unit, WORKING_TILES);
    beginPlane(unit, spare, surface);
    memory.copy(spare.clear, working.clear, 16);
    fetchBlock(surface, working.tile, stagingOf(unit, spare), block);
    fillIn(working, spare, block);
  } else {
    fetchBlock(surface, working.tile, stagingOf(unit, working), block);
  }
  working.there |= blockBit(block);
}

/** Writes all tiles back and forgets them: surfaces may be changed by others before the unit is used again. */
export function emptyCache(unit: LoadStoreUnit): void {
  for (let i = 0; i < WORKING_TILES; i++) writeBack(unit, workingAt(unit, i));
}

function workingAt(unit: LoadStoreUnit, index: i32): Working {
  return changetype<Working>(changetype<usize>(unit.working) + index * unit.workingBytes);
}

function holds(working: Working, surface: Surface, tile: i32): bool {
  return working.surface == surface && working.tile == tile;
}

function use(unit: LoadStoreUnit, working: Working): Working {
  unit.clock += 1;
  working.used = unit.clock;
  unit.lastWorking = working;
  return working;
}

/**
 * Frees the record, its tile stored if it was written. When memory is short, the tile stays as it was stored, and the
 * unit notes it.
 */
function writeBack(unit: LoadStoreUnit, working: Working): void {
  const surface = working.surface;
  if (surface && working.dirty) {
    const record = surface.tile(working.tile);
    const version = lockTile(record);
    const status = storeWritten(unit, working, version);
    unlockTile(record, version + NEXT_VERSION);
    count(unit, COUNT_WRITE_BACKS, 1);
    if (status != STATUS_DONE) unit.status = status;
  }
  working.surface = changetype<Surface>(0);
  working.used = 0;
  if (unit.lastWorking == working) unit.lastWorking = changetype<Working>(0);
}

/** Stores what was written of a tile whose lock is held, and has this version. */
function storeWritten(unit: LoadStoreUnit, working: Working, version: i32): i32 {
  const surface = working.surface;
  const index = working.tile;
  if (working.version != UNFETCHED && working.version != version) {
    count(unit, COUNT_OVERTAKEN, 1);
    working.there = overwritten(working);
  }
  for (let rest = working.dirty & ~working.there; rest; rest &= rest - 1) fetch(unit, working, <i32>ctz(rest));
  const staging = stagingOf(unit, working);
  const replaced = working.dirty == ALL_BLOCKS ? -1 : replaceBlocks(surface, index, staging, working.dirty);
  if (replaced >= 0) {
    count(unit, COUNT_BYTES_WRITTEN, replaced);
    return STATUS_DONE;
  }
  for (let rest = ~working.there; rest; rest &= rest - 1) {
    const block = <i32>ctz(rest);
    if (surface.encodes && blockState(surface.tile(index), block) == SURFACE_CLEAR)
      store<u8>(working.plane.states + block, 1);
    else fetch(unit, working, block);
  }
  const status = storeTile(surface, index, stagingOf(unit, working));
  if (status == STATUS_DONE) count(unit, COUNT_BYTES_WRITTEN, surface.tile(index).length);
  return status;
}

/** Dirty blocks of which every sample within the surface was written. */
function overwritten(working: Working): u64 {
  let blocks: u64 = 0;
  for (let rest = working.dirty; rest; rest &= rest - 1)
    if (!load<u64>(working.missing + (<i32>ctz(rest) << 3))) blocks |= rest & -rest;
  return blocks;
}

/** The unit's STAGING, for a WORKING record. */
function stagingOf(unit: LoadStoreUnit, working: Working): Staging {
  unit.staging.plane = working.plane;
  return unit.staging;
}

const ALL_BLOCKS: u64 = 0xffffffffffffffff;

// SurfaceTile.lock: bit 0 while it is held; above, how often the tile was written back.
const HELD = 1;
const NEXT_VERSION = 2;
// Working.version, where it is no tile's: nothing was fetched; blocks were fetched before and after a write-back of
// somebody else's.
const UNFETCHED = -1;
const OVERTAKEN = -3;

/** Waits for the tile's lock; returns its version. Nobody holds two, and none for longer than a tile takes. */
function lockTile(record: SurfaceTile): i32 {
  const lock = changetype<usize>(record) + offsetof<SurfaceTile>('lock');
  if (ASC_FEATURE_THREADS) {
    while (true) {
      const version = atomic.load<i32>(lock) & ~HELD;
      if (atomic.cmpxchg<i32>(lock, version, version | HELD) == version) return version;
    }
  } else {
    return load<i32>(lock);
  }
}

function unlockTile(record: SurfaceTile, version: i32): void {
  if (ASC_FEATURE_THREADS) atomic.store<i32>(changetype<usize>(record) + offsetof<SurfaceTile>('lock'), version);
  else record.lock = version;
}
