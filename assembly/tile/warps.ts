// The warps on which a tile is run (layout/warp.ts), its worker's; and those of its own that are put aside.

import {
  Entry, LOOP_CHECK_INTERVAL, Misses, MOST_OPEN_WARPS, MOST_TRIANGLE_WARPS, Packer, PACKER_PIXELS, PageEntry,
  ParkedWarp, POOL_WARPS, sizeOf, Tile, Warp, WARP_QUADS, WarpPool,
} from '../layout';

/** Binds the warps of a pool to nothing. */
export function resetPool(pool: WarpPool): void {
  for (let i = 0; i < POOL_WARPS; i++) {
    const warp = pool.warp(i);
    memory.fill(changetype<usize>(warp), 0, sizeOf<Warp>());
    warp.registers = changetype<usize>(warp) + (sizeOf<Warp>() + 63 & ~63);
    warp.loopBudget = LOOP_CHECK_INTERVAL;
    warp.late = changetype<usize>(warp) + offsetof<Warp>('never');
    warp.access.quadRead.misses = pool.misses;
  }
}

/** Forgets what is bound: the records of draws may be gone. */
export function unbindWarps(tile: Tile): void {
  for (let i = 0; i < POOL_WARPS; i++) tile.pool.warp(i).bound = 0;
  tile.bound = 0;
}

/** A call of the tile begins. */
export function beginWarps(tile: Tile): void {
  const warp = tile.pool.first;
  warp.tile = changetype<usize>(tile);
  tile.use(warp);
}

/** Whether a tile keeps what it has done (Misses.keeps). */
export function keeps(tile: Tile): bool { return tile.parks != 0 && tile.pool.misses.keeps != 0; }

/** Whether warps do nothing that others see when they have missed a page: of a tile that keeps what it has done. */
export function watchMisses(tile: Tile): void {
  const warp = tile.pool.first;
  warp.late = keeps(tile)
    ? changetype<usize>(tile.pool.misses) + offsetof<Misses>('waits')
    : changetype<usize>(warp) + offsetof<Warp>('never');
}

/** None is put aside. */
export function forgetParked(tile: Tile): void {
  const parked = tile.parked;
  tile.aside = 0;
  if (!parked) return;
  parked.blocks = 0;
  parked.taken = 0;
}

/** A page that the warp which was run last waits for; 0: none. */
export function takeAwaited(tile: Tile): PageEntry {
  const none = changetype<PageEntry>(0);
  if (!tile.parks) return none;
  const misses = tile.pool.misses;
  const page = misses.awaited;
  misses.awaited = none;
  return page;
}

/** Puts a packer's entries aside, if there is room: it is empty then. */
export function parkEntries(tile: Tile, packer: Packer): bool {
  const parked = tile.parked;
  const count = packer.count;
  const bytes = <u32>changetype<usize>(changetype<ParkedWarp>(0).packer.entry(count));
  if (parked.taken + bytes > parked.room) return false;
  const statistics = tile.pass.statistics;
  const warp = changetype<ParkedWarp>(parked.past + parked.taken);
  warp.blocks = blocksOf(packer);
  warp.page = takeAwaited(tile);
  warp.since = statistics.warpsFragment;
  warp.length = bytes;
  copyPacker(warp.packer, packer);
  parked.taken += bytes;
  parked.blocks |= warp.blocks;
  packer.count = 0;
  tile.aside += 1;
  statistics.warpsAside += 1;
  return true;
}

/**
 * Whether there may be no room to put all aside that comes of the next triangle, each of its quads as a warp of its
 * own, and of what the packers hold.
 */
export function isShort(tile: Tile): bool {
  const none = changetype<ParkedWarp>(0);
  const least = MOST_TRIANGLE_WARPS * changetype<usize>(none.packer.entry(1))
    + MOST_OPEN_WARPS * changetype<usize>(none.packer.entry(4 * WARP_QUADS));
  return tile.parked.taken + least > tile.parked.room;
}

export function copyPacker(to: Packer, from: Packer): void {
  to.draw = from.draw;
  to.count = from.count;
  to.kind = from.kind;
  to.divided = from.divided;
  memory.copy(to.entries, from.entries, from.count * sizeOf<Entry>());
}

/** The blocks in which a packer has entries: bit block. */
export function blocksOf(packer: Packer): u64 {
  const shift: u64 = packer.kind == PACKER_PIXELS ? 6 : 4;
  let blocks: u64 = 0;
  let entry = packer.entries;
  for (const end = entry + packer.count * sizeOf<Entry>(); entry < end; entry += sizeOf<Entry>())
    blocks |= <u64>1 << (<u64>changetype<Entry>(entry).index >> shift);
  return blocks;
}
