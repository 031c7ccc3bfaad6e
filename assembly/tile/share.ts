// Block ownership in a shared tile, and the block state that moves with a worker (layout/job/share.ts). Words that
// other workers write are accessed with atomic operations, which also order the writes to the planes.

import { DepthBlock, Share, ShareBlock, sizeOf, Tile } from '../layout';

/** Lets other workers join, after the rest of the record was written. */
export function openShare(share: Share): void {
  atomic.store<u32>(changetype<usize>(share) + offsetof<Share>('users'), 1);
}

/** Enters a block. Returns false if another worker is in it. */
export function tryLockBlock(block: ShareBlock): bool {
  const at = changetype<usize>(block) + offsetof<ShareBlock>('lock');
  return !atomic.load<u32>(at) && atomic.cmpxchg<u32>(at, 0, 1) == 0;
}

export function unlockBlock(block: ShareBlock): void {
  atomic.store<u32>(changetype<usize>(block) + offsetof<ShareBlock>('lock'), 0);
}

/** Decrements the number of remaining blocks or packets and returns the previous value. */
export function claimNext(share: Share): i32 {
  return atomic.sub<i32>(changetype<usize>(share) + offsetof<Share>('left'), 1);
}

/** Number of remaining blocks or packets. */
export function remainingWork(share: Share): i32 {
  return atomic.load<i32>(changetype<usize>(share) + offsetof<Share>('left'));
}

/** SHARE_MISSED and SHARE_TIMED_OUT bits of an open tile. */
export function missFlags(share: Share): u32 {
  return atomic.load<u32>(changetype<usize>(share) + offsetof<Share>('missed'));
}

export function addMissFlags(share: Share, bits: u32): void {
  atomic.or<u32>(changetype<usize>(share) + offsetof<Share>('missed'), bits);
}

/** Copies a block's states from one context to another. */
export function copyBlock(from: Tile, to: Tile, block: i32): void {
  if (from == to) return;
  const source = changetype<usize>(from.depthBlock(block));
  const target = changetype<usize>(to.depthBlock(block));
  for (let at: usize = 0; at < sizeOf<DepthBlock>(); at += 8) store<u64>(target + at, load<u64>(source + at));
  store<u16>(to.stencilBlocks + (block << 1), load<u16>(from.stencilBlocks + (block << 1)));
}
