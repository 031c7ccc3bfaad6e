// The write-back cache of the load/store unit: a few tiles of surfaces as WORKING records (layout/unit.ts). The tile that was used least recently
// makes room. Four tiles: 32 000 accesses to four surfaces in turns missed 4 times, with three tiles 976 and with two 1132; where a program reads
// beyond the tile's edges, 8, 25 and 231 times, and with six tiles 6. A tile is decoded and encoded under its lock, so that workers may reach one another's tiles; who writes back a tile that another
// has changed meanwhile adds what it wrote itself to what is there now.

import { STAGE_CLEAR, STAGE_PIXELS, STAGE_SAMPLES, STAGE_SEVERAL, STAGE_STATES, SURFACE_ENCODES, SURFACE_TILE_LOCK } from '../layout/surface';
import { STATUS_DONE } from '../layout/status';
import {
  COUNT_HITS, COUNT_MISSES, COUNT_OVERTAKEN, COUNT_WRITE_BACKS, LSU_CLOCK, LSU_COUNTERS, LSU_LAST_WORKING, LSU_STAGE, LSU_STATUS, LSU_WORKING, LSU_WORKING_BYTES,
  WORKING_BLOCKS, WORKING_CLEAR, WORKING_DIRTY, WORKING_PIXELS, WORKING_SEVERAL, WORKING_SURFACE, WORKING_TILE, WORKING_TILES, WORKING_USED, WORKING_VERSION,
} from '../layout/unit';
import { loadTile } from './decode';
import { storeTile } from './encode';
import { tileAt } from './stored';
import { overlay, samplePlane } from './working';

// @ts-ignore: decorator
@inline
export function count(unit: usize, counter: i32, by: u64): void {
  const at = unit + (<usize>counter << 3);
  store<u64>(at, load<u64>(at, LSU_COUNTERS) + by, LSU_COUNTERS);
}

/** Marks a record as used now. */
// @ts-ignore: decorator
@inline
export function stamp(unit: usize, used: usize): void {
  const now = load<u32>(unit, LSU_CLOCK) + 1;
  store<u32>(unit, now, LSU_CLOCK);
  store<u32>(used, now);
}

/** The WORKING record of a tile. It may be another tile's at the next call. */
export function cachedTile(unit: usize, surface: usize, tile: i32): usize {
  const last = <usize>load<u32>(unit, LSU_LAST_WORKING);
  if (last && holds(last, surface, tile)) {
    count(unit, COUNT_HITS, 1);
    return last;
  }
  let oldest: usize = 0;
  for (let i = 0; i < WORKING_TILES; i++) {
    const working = workingAt(unit, i);
    if (holds(working, surface, tile)) {
      count(unit, COUNT_HITS, 1);
      return use(unit, working);
    }
    // Free ones have not been used.
    if (!oldest || load<u32>(working, WORKING_USED) < load<u32>(oldest, WORKING_USED)) oldest = working;
  }
  count(unit, COUNT_MISSES, 1);
  writeBack(unit, oldest);
  const record = tileAt(surface, tile);
  const version = lockTile(record);
  decode(unit, surface, tile, oldest);
  unlockTile(record, version);
  store<u32>(oldest, <u32>surface, WORKING_SURFACE);
  store<i32>(oldest, tile, WORKING_TILE);
  store<i32>(oldest, version, WORKING_VERSION);
  return use(unit, oldest);
}

/** Writes all tiles back and forgets them: surfaces may be changed by others before the unit is used again. */
export function emptyCache(unit: usize): void {
  for (let i = 0; i < WORKING_TILES; i++) writeBack(unit, workingAt(unit, i));
}

// @ts-ignore: decorator
@inline
function workingAt(unit: usize, index: i32): usize {
  return <usize>load<u32>(unit, LSU_WORKING) + <usize>index * <usize>load<u32>(unit, LSU_WORKING_BYTES);
}

// @ts-ignore: decorator
@inline
function holds(working: usize, surface: usize, tile: i32): bool {
  return <usize>load<u32>(working, WORKING_SURFACE) == surface && load<i32>(working, WORKING_TILE) == tile;
}

// @ts-ignore: decorator
@inline
function use(unit: usize, working: usize): usize {
  stamp(unit, working + WORKING_USED);
  store<u32>(unit, <u32>working, LSU_LAST_WORKING);
  return working;
}

/** Frees the record, its tile stored if it was written. When memory is short, the tile stays as it was stored, and the unit notes it. */
function writeBack(unit: usize, working: usize): void {
  const surface = <usize>load<u32>(working, WORKING_SURFACE);
  store<u32>(working, 0, WORKING_SURFACE);
  store<u32>(working, 0, WORKING_USED);
  if (<usize>load<u32>(unit, LSU_LAST_WORKING) == working) store<u32>(unit, 0, LSU_LAST_WORKING);
  if (!surface || !load<u64>(working, WORKING_DIRTY)) return;
  const tile = load<i32>(working, WORKING_TILE);
  const record = tileAt(surface, tile);
  const version = lockTile(record);
  let source = working;
  if (version != load<i32>(working, WORKING_VERSION)) {
    count(unit, COUNT_OVERTAKEN, 1);
    source = workingAt(unit, WORKING_TILES);
    decode(unit, surface, tile, source);
    overlay(unit, source, working, surface);
  }
  const status = storeTile(surface, tile, stageOf(unit, source));
  unlockTile(record, version + NEXT_VERSION);
  count(unit, COUNT_WRITE_BACKS, 1);
  if (status != STATUS_DONE) store<i32>(unit, status, LSU_STATUS);
}

/** Loads a tile; where every sample has its own texel, clear blocks too. */
function decode(unit: usize, surface: usize, tile: i32, working: usize): void {
  loadTile(surface, tile, stageOf(unit, working), !load<u32>(surface, SURFACE_ENCODES));
  store<u64>(working, 0, WORKING_DIRTY);
}

/** The unit's STAGE, over the planes of a WORKING record. */
function stageOf(unit: usize, working: usize): usize {
  const stage = <usize>load<u32>(unit, LSU_STAGE);
  store<u32>(stage, <u32>samplePlane(unit, working), STAGE_SAMPLES);
  store<u32>(stage, <u32>(working + WORKING_PIXELS), STAGE_PIXELS);
  store<u32>(stage, <u32>(working + WORKING_BLOCKS), STAGE_STATES);
  store<u32>(stage, <u32>(working + WORKING_SEVERAL), STAGE_SEVERAL);
  store<u32>(stage, <u32>(working + WORKING_CLEAR), STAGE_CLEAR);
  return stage;
}

// SURFACE_TILE_LOCK: bit 0 while it is held; above, how often the tile was written back.
const HELD = 1;
const NEXT_VERSION = 2;

/** Waits for the tile's lock; returns its version. Nobody holds two, and none for longer than a tile takes. */
function lockTile(record: usize): i32 {
  const lock = record + SURFACE_TILE_LOCK;
  if (ASC_FEATURE_THREADS) {
    while (true) {
      const version = atomic.load<i32>(lock) & ~HELD;
      if (atomic.cmpxchg<i32>(lock, version, version | HELD) == version) return version;
    }
  } else {
    return load<i32>(lock);
  }
}

function unlockTile(record: usize, version: i32): void {
  if (ASC_FEATURE_THREADS) atomic.store<i32>(record + SURFACE_TILE_LOCK, version);
  else store<i32>(record, version, SURFACE_TILE_LOCK);
}
