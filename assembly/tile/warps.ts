// The warps on which a tile runs (layout/warp/warp.ts); they belong to its worker.

import { Entry, LOOP_CHECK_INTERVAL, Packer, PACKER_PIXELS, POOL_WARPS, sizeOf, Tile, Warp, WarpPool } from '../layout';

/** Resets the warps of a pool, so that none is bound. */
export function resetPool(pool: WarpPool): void {
  for (let i = 0; i < POOL_WARPS; i++) {
    const warp = pool.warp(i);
    memory.fill(changetype<usize>(warp), 0, sizeOf<Warp>());
    warp.registers = changetype<usize>(warp) + ((sizeOf<Warp>() + 63) & ~63);
    warp.loopBudget = LOOP_CHECK_INTERVAL;
    warp.missFlag = changetype<usize>(warp) + offsetof<Warp>('zeroFlag');
    const read = warp.access.quadRead;
    read.misses = pool.misses;
    read.worker = pool.worker;
    read.decoded = pool.decoded;
  }
}

/** Unbinds all warps, because the records of draw calls may no longer exist. */
export function unbindWarps(tile: Tile): void {
  for (let i = 0; i < POOL_WARPS; i++) tile.pool.warp(i).bound = 0;
  tile.bound = 0;
}

/** Called when a call of the tile begins. */
export function beginWarps(tile: Tile): void {
  const warp = tile.pool.first;
  warp.tile = changetype<usize>(tile);
  tile.use(warp);
}

export function copyPacker(to: Packer, from: Packer): void {
  to.draw = from.draw;
  to.count = from.count;
  to.kind = from.kind;
  to.divided = from.divided;
  memory.copy(to.entries, from.entries, from.count * sizeOf<Entry>());
}

/** The blocks in which a packer has entries (bit block). */
export function blocksOf(packer: Packer): u64 {
  const shift: u64 = packer.kind == PACKER_PIXELS ? 6 : 4;
  let blocks: u64 = 0;
  let entry = packer.entries;
  for (const end = entry + packer.count * sizeOf<Entry>(); entry < end; entry += sizeOf<Entry>())
    blocks |= (<u64>1) << ((<u64>changetype<Entry>(entry).index) >> shift);
  return blocks;
}
