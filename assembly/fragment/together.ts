// Warps that have stopped (warp/stop.ts) at the same instruction, for the same reads: they go on as one, an instruction
// for all of their quads. Loops need no further look: which rounds a quad has left to go, and who has left, stands in
// its masks, which are registers. No two of them have an entry at the same quad: one behind another has not been run.

import {
  Entry, JOINS_DONE, JOINS_NONE, JOINS_OTHER, JOINS_STAYS, MOST_LOOKED, Packer, ParkedWarp, sizeOf,
  StoppedWarp, Tile, TILE_PHASE_PARKED, Warp, WARP_QUADS,
} from '../layout';
import { restoreStopped, saveStopped } from '../warp/stop';

/** Whether the pages may be there for which one waits that was put aside. */
export function isThere(tile: Tile, warp: ParkedWarp): bool {
  // A tile goes on when all is there that it has noted: what was not noted is, now.
  return !warp.page || warp.page.page != 0 || tile.phase == TILE_PHASE_PARKED || tile.stalls != 0;
}

/** Has others that were put aside behind one that has stopped go on with it; `packer` has the entries of all. */
export function joinOthers(tile: Tile, first: ParkedWarp, packer: Packer): void {
  const parked = tile.parked;
  parked.joined = 0;
  if (!parked.synchronises) return;
  const end = parked.past + parked.taken;
  let other = first.next();
  for (let i = 0; i < MOST_LOOKED && packer.count < WARP_QUADS && changetype<usize>(other) < end; i++) {
    if (isThere(tile, other) && areAlike(first, other) && packer.count + other.packer.count <= WARP_QUADS) {
      memory.copy(
        changetype<usize>(packer.entry(packer.count)), other.packer.entries, other.packer.count * sizeOf<Entry>()
      );
      packer.count += other.packer.count;
      other.joins = JOINS_OTHER;
      parked.joined += 1;
    }
    other = other.next();
  }
  tile.pass.statistics.warpsSynchronised += parked.joined;
}

/** Where it stopped. */
function stopOf(warp: ParkedWarp): StoppedWarp {
  return changetype<StoppedWarp>(warp.packer.entry(warp.packer.count));
}

function areAlike(a: ParkedWarp, b: ParkedWarp): bool {
  if (!b.stopped || b.joins != JOINS_NONE || a.packer.draw != b.packer.draw) return false;
  const one = stopOf(a);
  const other = stopOf(b);
  return one.code == other.code && one.count == other.count
    && memory.compare(one.pending, other.pending, one.count << 2) == 0;
}

/** The warp is what the one that is run again, and those that go on with it, were when they stopped. */
export function restoreAll(tile: Tile, warp: Warp): void {
  const parked = tile.parked;
  let other = parked.again;
  let quads = other.packer.count;
  restoreStopped(warp, parked.stop, changetype<usize>(stopOf(other)), 0, quads);
  for (let left = parked.joined; left;) {
    other = other.next();
    if (other.joins != JOINS_OTHER) continue;
    restoreStopped(warp, parked.stop, changetype<usize>(stopOf(other)), quads, other.packer.count);
    quads += other.packer.count;
    left -= 1;
  }
}

/** They have been run, and are done, or have stopped again. */
export function partAll(tile: Tile, first: ParkedWarp, stays: bool): void {
  const parked = tile.parked;
  let other = first;
  let quads = other.packer.count;
  for (let left = parked.joined; left;) {
    other = other.next();
    if (other.joins != JOINS_OTHER) continue;
    other.joins = stays ? JOINS_STAYS : JOINS_DONE;
    if (stays) {
      other.page = first.page;
      keepQuads(tile, other, quads);
    }
    quads += other.packer.count;
    left -= 1;
  }
  parked.joined = 0;
}

/** Keeps those of the warp's quads, from `first` on, that are a stopped one's. */
export function keepQuads(tile: Tile, stopped: ParkedWarp, first: i32): void {
  tile.pass.statistics.warpsSuspended += 1;
  saveStopped(tile.pool.first, tile.parked.stop, changetype<usize>(stopOf(stopped)), first, stopped.packer.count);
}
