// Who is in which block of a tile at which several workers are, and what of a block's state goes with them
// (layout/share.ts). Words that others write are read and written by atomic operations, in the build that has them:
// these also order what is written to the planes between them.

import { DepthBlock, Share, ShareBlock, sizeOf, Tile } from '../layout';

function write(at: usize, value: u32): void {
  if (ASC_FEATURE_THREADS) atomic.store<u32>(at, value);
  else store<u32>(at, value);
}

/** Lets others join, once all else of the record is written. */
export function openShare(share: Share): void { write(changetype<usize>(share) + offsetof<Share>('users'), 1); }

/** Goes into a block; false: somebody is there. */
export function enterBlock(block: ShareBlock): bool {
  const at = changetype<usize>(block) + offsetof<ShareBlock>('lock');
  if (ASC_FEATURE_THREADS) return !atomic.load<u32>(at) && atomic.cmpxchg<u32>(at, 0, 1) == 0;
  if (load<u32>(at)) return false;
  store<u32>(at, 1);
  return true;
}

export function leaveBlock(block: ShareBlock): void {
  write(changetype<usize>(block) + offsetof<ShareBlock>('lock'), 0);
}

/** Takes 1 from what is left, and gives what there was. */
export function takeOne(share: Share): i32 {
  const at = changetype<usize>(share) + offsetof<Share>('left');
  if (ASC_FEATURE_THREADS) return atomic.sub<i32>(at, 1);
  const before = load<i32>(at);
  store<i32>(at, before - 1);
  return before;
}

/** Blocks, or packets, that are left. */
export function whatIsLeft(share: Share): i32 {
  const at = changetype<usize>(share) + offsetof<Share>('left');
  return ASC_FEATURE_THREADS ? atomic.load<i32>(at) : load<i32>(at);
}

/** SHARE_MISSED, SHARE_ENDED of a tile that is open. */
export function whatIsMissed(share: Share): u32 {
  const at = changetype<usize>(share) + offsetof<Share>('missed');
  return ASC_FEATURE_THREADS ? atomic.load<u32>(at) : load<u32>(at);
}

export function tellMissed(share: Share, bits: u32): void {
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
