// The state machine of work that may wait for pages (layout/late/work-codes.ts), and whether a tile keeps its progress.
// src/late/states.ts has the same transition for work that threads share.

import { Misses, PageEntry, Tile, Warp, WORK_STATE_BITS } from '../layout';

/** The state after an event. The testing build traps if the event cannot happen in this state. */
export function nextState(state: u32, event: u32): u32 {
  if (isDefined(TESTING)) if (!((event >> (WORK_STATE_BITS + state)) & 1)) unreachable();
  return event & ((1 << WORK_STATE_BITS) - 1);
}

/** Whether a tile keeps its state when it misses pages, and is not replayed (Misses.keepsProgress). */
export function keepsProgress(tile: Tile): bool {
  return tile.parks != 0 && tile.pool.misses.keepsProgress != 0;
}

/** Makes the warps of a tile that keeps its state stop writing once they have missed a page (Warp.missFlag). */
export function watchMisses(tile: Tile): void {
  const warp = tile.pool.first;
  warp.missFlag = keepsProgress(tile)
    ? changetype<usize>(tile.pool.misses) + offsetof<Misses>('waits')
    : changetype<usize>(warp) + offsetof<Warp>('zeroFlag');
}

/** Discards all parked warps. */
export function discardParked(tile: Tile): void {
  const parked = tile.parked;
  tile.parkedCount = 0;
  if (!parked) return;
  parked.blocks = 0;
  parked.ordered = 0;
  parked.taken = 0;
  parked.hasStopped = 0;
}

/** The page that the warp which ran last is waiting for, or 0. Clears it. */
export function takeAwaited(tile: Tile): PageEntry {
  const none = changetype<PageEntry>(0);
  if (!tile.parks) return none;
  const misses = tile.pool.misses;
  const page = misses.awaited;
  misses.awaited = none;
  return page;
}
