// Unordered draw calls (Draw.independent). Those whose fragments are shaded alike share a packer of quads, which runs
// when it is full. So warps fill up even where draw calls of several materials alternate. All of these packers run
// before the next ordered draw call, and at the end of the tile. A packer may hold several quads of one position; they
// take effect in the order of arrival. Overtaking only happens between different packers.
//
// Deferred draw calls (MODE_DEFERRED) resolve visibility before any shading, so they neither wait for these quads nor
// overtake anything. Quads that test depth after their shader have not yet decided what they hide, so a draw call that
// tests before its shader waits for them.

import {
  Draw,
  DRAW_FLAG_LATE_DEPTH,
  Entry,
  UNORDERED_PACKERS,
  MODE_ORDERED,
  Packer,
  sizeOf,
  STATUS_DONE,
  Tile,
} from '../layout';
import { xorshift32 } from '../math/random';
import { modeOf, loadDrawState } from './draw-state';
import { drainDeferred, drainOrdered, runOrdered } from './slots';

/** Bits of Tile.holdsUnordered: quads may be pending; some of them write depth after their shader. */
const PENDING_QUADS: i32 = 1;
const PENDING_LATE_DEPTH: i32 = 2;

/**
 * Prepares for the walk's next draw call: runs the pending quads that must come first, and assigns a packer if the draw
 * call needs one. Returns STATUS_*.
 */
export function selectPacker(tile: Tile, draw: Draw): i32 {
  if (draw.independent) return selectUnorderedPacker(tile, draw);
  const status = drainAll(tile);
  if (status != STATUS_DONE) return status;
  if (modeOf(draw) == MODE_ORDERED) tile.orderedPacker.draw = draw;
  return STATUS_DONE;
}

/** Runs all pending quads, of ordered and unordered draw calls. Returns STATUS_*. */
export function drainAll(tile: Tile): i32 {
  if (tile.holdsUnordered) {
    const status = drainUnordered(tile);
    if (status != STATUS_DONE) return status;
  }
  return drainOrdered(tile);
}

function selectUnorderedPacker(tile: Tile, draw: Draw): i32 {
  const isLate = (draw.flags & DRAW_FLAG_LATE_DEPTH) != 0;
  if (tile.orderedPacker == tile.inOrderPacker) {
    const status = drainOrdered(tile);
    if (status != STATUS_DONE) return status;
  }
  if (tile.holdsUnordered & PENDING_LATE_DEPTH && !isLate) {
    const status = drainUnordered(tile);
    if (status != STATUS_DONE) return status;
  }
  if (isDefined(TESTING))
    if (tile.pool.seed) {
      const status = runSome(tile);
      if (status != STATUS_DONE) return status;
    }
  // Deferred quads of this draw call must follow the quads that are already packed.
  if (modeOf(draw) != MODE_ORDERED) return drainDeferred(tile);
  const packer = packerFor(tile, draw.independent);
  if (!packer) return tile.status;
  packer.draw = draw;
  tile.orderedPacker = packer;
  tile.holdsUnordered |= isLate ? PENDING_QUADS | PENDING_LATE_DEPTH : PENDING_QUADS;
  return STATUS_DONE;
}

/**
 * Finds the packer of equivalent draw calls, or takes an empty one, or empties one. Returns 0 on failure, with the
 * reason in Tile.status.
 */
function packerFor(tile: Tile, independent: u32): Packer {
  let free = changetype<Packer>(0);
  for (let i: usize = 0; i < <usize>UNORDERED_PACKERS; i++) {
    const packer = tile.unorderedPacker(i);
    if (packer.draw && packer.draw.independent == independent) return packer;
    if (!packer.count) free = packer;
  }
  if (free) return free;
  const next = tile.unorderedPacker(tile.unorderedNext % <u32>UNORDERED_PACKERS);
  tile.unorderedNext += 1;
  tile.status = runPacker(tile, next);
  return tile.status == STATUS_DONE ? next : changetype<Packer>(0);
}

/**
 * Runs the quads of all independent packers, then makes the packer of ordered draw calls the current one. Returns
 * STATUS_*.
 */
function drainUnordered(tile: Tile): i32 {
  let first: usize = 0;
  if (isDefined(TESTING)) if (tile.pool.seed) first = random(tile);
  for (let i: usize = 0; i < <usize>UNORDERED_PACKERS; i++) {
    const status = runPacker(tile, tile.unorderedPacker((first + i) % <usize>UNORDERED_PACKERS));
    if (status != STATUS_DONE) return status;
  }
  tile.holdsUnordered = 0;
  tile.orderedPacker = tile.inOrderPacker;
  return STATUS_DONE;
}

/**
 * Runs a packer's quads. The tests read their state from the tile, so the state of the packer's draw call is loaded
 * first. It stays until the next draw call starts.
 */
function runPacker(tile: Tile, packer: Packer): i32 {
  if (!packer.count) return STATUS_DONE;
  if (packer.draw != tile.draw) loadDrawState(tile, packer.draw);
  tile.orderedPacker = packer;
  if (isDefined(TESTING)) if (tile.pool.seed) shuffle(tile, packer);
  return runOrdered(tile);
}

/** The next random number of the schedule that a test requests. */
function random(tile: Tile): u32 {
  const seed = xorshift32(tile.pool.seed);
  tile.pool.seed = seed;
  return seed;
}

/** Runs some of the packers early, chosen at random. Returns STATUS_*. */
function runSome(tile: Tile): i32 {
  const chosen = random(tile) & random(tile);
  for (let i: usize = 0; i < <usize>UNORDERED_PACKERS; i++) {
    if (!((chosen >> (<u32>i)) & 1)) continue;
    const status = runPacker(tile, tile.unorderedPacker(i));
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** Shuffles a packer's quads. Any order is allowed, also for quads at one position. */
function shuffle(tile: Tile, packer: Packer): void {
  for (let i = packer.count - 1; i > 0; i--) {
    const one = changetype<usize>(packer.entry(i));
    const other = changetype<usize>(packer.entry(random(tile) % <u32>(i + 1)));
    for (let at: usize = 0; at < sizeOf<Entry>(); at += 4) {
      const word = load<u32>(one + at);
      store<u32>(one + at, load<u32>(other + at));
      store<u32>(other + at, word);
    }
  }
}
