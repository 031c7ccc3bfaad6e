// The warps of a tile in work (layout/warp.ts): they come from its worker's pool, and go back to it when a call of the
// tile ends. Between calls all of them are free, so that the tiles of a worker share them.

import {
  Entry, LOOP_CHECK_INTERVAL, Packer, PACKER_PIXELS, sizeOf, SPARE_WARPS, Tile, Warp, WARP_ASIDE, WARP_FREE,
  WARP_RUNNING, WarpPool,
} from '../layout';

/** Makes all warps of a pool free, and binds them and those behind them to nothing. */
export function resetPool(pool: WarpPool): void {
  const count = pool.count + SPARE_WARPS;
  for (let i: u32 = 0; i < count; i++) {
    const warp = pool.warp(i);
    memory.fill(changetype<usize>(warp), 0, sizeOf<Warp>());
    warp.registers = changetype<usize>(warp) + (sizeOf<Warp>() + 63 & ~63);
    warp.loopBudget = LOOP_CHECK_INTERVAL;
    warp.access.quadRead.misses = pool.misses;
  }
}

/** Forgets what is bound: the records of draws may be gone. */
export function unbindWarps(tile: Tile): void {
  const pool = tile.pool;
  const count = pool.count + SPARE_WARPS;
  for (let i: u32 = 0; i < count; i++) pool.warp(i).bound = 0;
  tile.bound = 0;
}

/** A call of the tile begins: it has a warp. */
export function beginWarps(tile: Tile): void { tile.use(takeWarp(tile)); }

/** The call ends. */
export function endWarps(tile: Tile): void { tile.warp.status = WARP_FREE; }

/** Takes a free warp from the pool; 0: there is none. */
export function takeWarp(tile: Tile): Warp {
  const pool = tile.pool;
  const count = pool.count;
  for (let i: u32 = 0; i < count; i++) {
    const warp = pool.warp(i);
    if (warp.status != WARP_FREE) continue;
    warp.status = WARP_RUNNING;
    warp.tile = changetype<usize>(tile);
    return warp;
  }
  return changetype<Warp>(0);
}

/** Puts the tile's warp aside with the entries of a packer, which is empty then. */
export function holdEntries(tile: Tile, packer: Packer): void {
  const warp = tile.warp;
  const pool = tile.pool;
  const statistics = tile.pass.statistics;
  const own = warp.entries;
  const count = packer.count;
  own.draw = packer.draw;
  own.count = count;
  own.kind = packer.kind;
  memory.copy(own.entries, packer.entries, count * sizeOf<Entry>());
  packer.count = 0;
  warp.status = WARP_ASIDE;
  warp.blocks = blocksOf(own);
  warp.number = pool.aside;
  warp.since = statistics.warpsFragment;
  pool.aside += 1;
  tile.aside += 1;
  statistics.warpsAside += 1;
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

/** The warp that was put aside before all others of the pool that are. */
export function oldestAside(tile: Tile): Warp {
  const pool = tile.pool;
  const count = pool.count;
  let oldest = changetype<Warp>(0);
  for (let i: u32 = 0; i < count; i++) {
    const warp = pool.warp(i);
    if (warp.status != WARP_ASIDE) continue;
    if (!oldest || <i32>(warp.number - oldest.number) < 0) oldest = warp;
  }
  return oldest;
}
