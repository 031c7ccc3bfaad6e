// Draws that need not follow each other (Draw.independent). Quads of those whose fragments are shaded alike gather in a
// packer of their own, which is run when it is full, so that warps fill where draws of several materials alternate; the
// next draw in order, or the end of the tile, finds all of them run. A packer holds several quads of one position in
// the order in which they came, and they take effect in that order: it is quads of different packers that overtake.
//
// What is shaded later (MODE_DEFERRED) has settled who is visible before any of this, so it neither waits for these
// quads nor overtakes anything. But quads that test depth after their program have not said yet what they hide: a draw
// that tests before waits for them.

import {
  Draw, DRAW_FLAG_LATE_DEPTH, Entry, INDEPENDENT_PACKERS, MODE_ORDERED, Packer, sizeOf, STATUS_DONE, Tile,
} from '../layout';
import { xorshift32 } from '../math/random';
import { modeOf, takeState } from './draw-state';
import { drainDeferred, drainOrdered, runOrdered } from './slots';

/** In Tile.holdsIndependent: quads may wait; some of them write depth after their program. */
const HOLDS: i32 = 1;
const HOLDS_LATE: i32 = 2;

/**
 * The walk goes over to another draw: runs what has to be done before it, and gives it a packer, if it needs one.
 * Returns STATUS_*.
 */
export function turnTo(tile: Tile, draw: Draw): i32 {
  if (draw.independent) return turnToIndependent(tile, draw);
  const status = drainAll(tile);
  if (status != STATUS_DONE) return status;
  if (modeOf(draw) == MODE_ORDERED) tile.orderedPacker.draw = draw;
  return STATUS_DONE;
}

/** Runs all that waits of draws that are shaded in order, or without. Returns STATUS_*. */
export function drainAll(tile: Tile): i32 {
  if (tile.holdsIndependent) {
    const status = drainIndependent(tile);
    if (status != STATUS_DONE) return status;
  }
  return drainOrdered(tile);
}

function turnToIndependent(tile: Tile, draw: Draw): i32 {
  const isLate = (draw.flags & DRAW_FLAG_LATE_DEPTH) != 0;
  if (tile.orderedPacker == tile.receivedPacker) {
    const status = drainOrdered(tile);
    if (status != STATUS_DONE) return status;
  }
  if (tile.holdsIndependent & HOLDS_LATE && !isLate) {
    const status = drainIndependent(tile);
    if (status != STATUS_DONE) return status;
  }
  if (isDefined(TESTING)) if (tile.pool.seed) {
    const status = runSome(tile);
    if (status != STATUS_DONE) return status;
  }
  // What is shaded later of this draw comes behind what has been packed of others.
  if (modeOf(draw) != MODE_ORDERED) return drainDeferred(tile);
  const packer = packerFor(tile, draw.independent);
  if (!packer) return tile.status;
  packer.draw = draw;
  tile.orderedPacker = packer;
  tile.holdsIndependent |= isLate ? HOLDS | HOLDS_LATE : HOLDS;
  return STATUS_DONE;
}

/** The packer of draws like these, or one that is empty, or is emptied for them; 0: Tile.status says why not. */
function packerFor(tile: Tile, independent: u32): Packer {
  let free = changetype<Packer>(0);
  for (let i: usize = 0; i < <usize>INDEPENDENT_PACKERS; i++) {
    const packer = tile.independentPacker(i);
    if (packer.draw && packer.draw.independent == independent) return packer;
    if (!packer.count) free = packer;
  }
  if (free) return free;
  const next = tile.independentPacker(tile.independentNext % <u32>INDEPENDENT_PACKERS);
  tile.independentNext += 1;
  tile.status = runPacker(tile, next);
  return tile.status == STATUS_DONE ? next : changetype<Packer>(0);
}

/** Runs the quads of all packers of independent draws; the tile has the packer of the others then. Returns STATUS_*. */
function drainIndependent(tile: Tile): i32 {
  let first: usize = 0;
  if (isDefined(TESTING)) if (tile.pool.seed) first = random(tile);
  for (let i: usize = 0; i < <usize>INDEPENDENT_PACKERS; i++) {
    const status = runPacker(tile, tile.independentPacker((first + i) % <usize>INDEPENDENT_PACKERS));
    if (status != STATUS_DONE) return status;
  }
  tile.holdsIndependent = 0;
  tile.orderedPacker = tile.receivedPacker;
  return STATUS_DONE;
}

/** The state that tests take from the tile is that of the packer's draw, until the next draw is taken up. */
function runPacker(tile: Tile, packer: Packer): i32 {
  if (!packer.count) return STATUS_DONE;
  if (packer.draw != tile.draw) takeState(tile, packer.draw);
  tile.orderedPacker = packer;
  if (isDefined(TESTING)) if (tile.pool.seed) shuffle(tile, packer);
  return runOrdered(tile);
}

/** The next number of the schedule that tests ask for. */
function random(tile: Tile): u32 {
  const seed = xorshift32(tile.pool.seed);
  tile.pool.seed = seed;
  return seed;
}

/** Runs some of the packers early. Returns STATUS_*. */
function runSome(tile: Tile): i32 {
  const chosen = random(tile) & random(tile);
  for (let i: usize = 0; i < <usize>INDEPENDENT_PACKERS; i++) {
    if (!(chosen >> <u32>i & 1)) continue;
    const status = runPacker(tile, tile.independentPacker(i));
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** Any order of the quads in a packer will do, also of those at one position. */
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
