// Block ownership in a shared tile, and the block state that moves with a worker (layout/job/share.ts). Words that
// other workers write are accessed with atomic operations in the build with threads. These also order the writes to the
// planes.

import { DepthBlock, Share, ShareBlock, sizeOf, Tile } from '../layout';

function write(at: usize, value: u32): void {
  if (ASC_FEATURE_THREADS) atomic.store<u32>(at, value);
  else store<u32>(at, value);
}

/** Lets other workers join, after the rest of the record was written. */
export function openShare(share: Share): void {
  write(changetype<usize>(share) + offsetof<Share>('users'), 1);
}

/** Enters a block. Returns false if another worker is in it. */
export function tryLockBlock(block: ShareBlock): bool {
  const at = changetype<usize>(block) + offsetof<ShareBlock>('lock');
  if (ASC_FEATURE_THREADS) return !atomic.load<u32>(at) && atomic.cmpxchg<u32>(at, 0, 1) == 0;
  if (load<u32>(at)) return false;
  store<u32>(at, 1);
  return true;
}

export function unlockBlock(block: ShareBlock): void {
  write(changetype<usize>(block) + offsetof<ShareBlock>('lock'), 0);
}

/** Decrements the number of remaining blocks or packets and returns the previous value. */
export function claimNext(share: Share): i32 {
  const at = changetype<usize>(share) + offsetof<Share>('left');
  if (ASC_FEATURE_THREADS) return atomic.sub<i32>(at, 1);
  const before = load<i32>(at);
  store<i32>(at, before - 1);
  return before;
}

/** Number of remaining blocks or packets. */
export function remainingWork(share: Share): i32 {
  const at = changetype<usize>(share) + offsetof<Share>('left');
  return ASC_FEATURE_THREADS ? atomic.load<i32>(at) : load<i32>(at);
}

/** SHARE_MISSED and SHARE_TIMED_OUT bits of an open tile. */
export function missFlags(share: Share): u32 {
  const at = changetype<usize>(share) + offsetof<Share>('missed');
  return ASC_FEATURE_THREADS ? atomic.load<u32>(at) : load<u32>(at);
}

export function addMissFlags(share: Share, bits: u32): void {
  const at = changetype<usize>(share) + offsetof<Share>('missed');
  if (ASC_FEATURE_THREADS) atomic.or<u32>(at, bits);
  else store<u32>(at, load<u32>(at) | bits);
}

/** Copies a block's states from one context to another. */
export function copyBlock(from: Tile, to: Tile, block: i32): void {
  if (from == to) return;
  const source = changetype<usize>(from.depthBlock(block));
  const target = changetype<usize>(to.depthBlock(block));
  for (let at: usize = 0; at < sizeOf<DepthBlock>(); at += 8) store<u64>(target + at, load<u64>(source + at));
  store<u16>(to.stencilBlocks + (block << 1), load<u16>(from.stencilBlocks + (block << 1)));
}
