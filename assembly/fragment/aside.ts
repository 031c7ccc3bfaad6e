// Warps of a tile that are put aside: what is kept of each (PARKED WARPS, layout/parked.ts), whether there is room, and
// who has to wait behind them. Who puts them aside, and takes them up again: shade.ts.

import {
  Draw, DRAW_FLAG_DEFERRED, Packer, PACKER_PIXELS, ParkedWarp, PROGRAM_FLAG_STOPS, Tile, Warp,
} from '../layout';
import { blocksOf, copyPacker, keeps, takeAwaited } from '../tile/warps';
import { isInterpreted } from '../warp/run';
import { restoreStopped, saveStopped, stoppedBytes } from '../warp/stop';

/**
 * Whether warps of a draw may overtake those of others that may, too: they need not follow each other, and it was not
 * settled before what they hide.
 */
export function overtakes(draw: Draw): bool {
  return draw.independent != 0 && !(draw.flags & DRAW_FLAG_DEFERRED);
}

/** Blocks in which warps of a draw have to wait behind those that were put aside. */
export function heldFor(tile: Tile, draw: Draw): u64 {
  return overtakes(draw) ? tile.parked.ordered : tile.parked.blocks;
}

/** A draw in order comes: what comes behind it overtakes none of those that were put aside before. */
export function orderParked(tile: Tile): void {
  const parked = tile.parked;
  parked.ordered = parked.blocks;
  for (let at = parked.past, end = at + parked.taken; at < end; at += changetype<ParkedWarp>(at).length)
    changetype<ParkedWarp>(at).ordered = 1;
}

/** Puts a packer's entries aside, if there is room: it is empty then. */
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
  keepStopped(tile, warp);
  parked.taken += bytes;
  parked.blocks |= warp.blocks;
  warp.ordered = u32(!overtakes(packer.draw));
  if (warp.ordered) parked.ordered |= warp.blocks;
  packer.count = 0;
  tile.aside += 1;
  statistics.warpsAside += 1;
  return true;
}

/** Whether there may be no room to put all aside that comes of the next triangle, and of what the packers hold. */
export function isShort(tile: Tile): bool {
  const parked = tile.parked;
  return parked.taken + parked.least > parked.room;
}

/** Bytes of a PARKED WARP with the entries of a packer. */
export function parkedLength(tile: Tile, packer: Packer): u32 {
  const entries = <u32>changetype<usize>(changetype<ParkedWarp>(0).packer.entry(packer.count));
  return stopsAt(tile, packer.draw) ? entries + stoppedBytes(packer.draw.fragment.program, packer.count) : entries;
}

/** Whether a draw's program stops where it misses a page. */
export function stopsAt(tile: Tile, draw: Draw): bool {
  const program = draw.fragment.program;
  return (program.flags & PROGRAM_FLAG_STOPS) != 0 && isInterpreted(program) && keeps(tile);
}

/**
 * Whether a packer has an entry at the quad of one that was put aside, and that it may not overtake; `blocks`: those of
 * its entries.
 */
export function isBehind(tile: Tile, packer: Packer, blocks: u64): bool {
  const parked = tile.parked;
  if (!(heldFor(tile, packer.draw) & blocks)) return false;
  const passes = overtakes(packer.draw);
  for (let at = parked.past, end = at + parked.taken; at < end; at += changetype<ParkedWarp>(at).length) {
    const warp = changetype<ParkedWarp>(at);
    if (warp.blocks & blocks && (warp.ordered || !passes) && meets(warp.packer, packer)) return true;
  }
  return false;
}

/** Whether two packers have an entry at the same quad. */
function meets(a: Packer, b: Packer): bool {
  const shiftA = a.kind == PACKER_PIXELS ? 2 : 0;
  const shiftB = b.kind == PACKER_PIXELS ? 2 : 0;
  for (let i = 0; i < a.count; i++) {
    const quad = a.entry(i).quad >> shiftA;
    for (let k = 0; k < b.count; k++) if (b.entry(k).quad >> shiftB == quad) return true;
  }
  return false;
}

/** Keeps where the warp has stopped that was run last, if it has. */
export function keepStopped(tile: Tile, warp: ParkedWarp): void {
  const parked = tile.parked;
  warp.stopped = parked.hasStopped;
  if (!parked.hasStopped) return;
  parked.hasStopped = 0;
  tile.pass.statistics.warpsSuspended += 1;
  saveStopped(tile.pool.first, parked.stop, changetype<usize>(warp.packer.entry(warp.packer.count)), warp.packer.count);
}

/** The warp is what it was when it stopped whose entries are run again. */
export function restoreAgain(tile: Tile, warp: Warp): void {
  const again = tile.parked.again;
  restoreStopped(warp, tile.parked.stop, changetype<usize>(again.packer.entry(again.packer.count)), again.packer.count);
}
