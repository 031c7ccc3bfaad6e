// SHARE: a tile in work at which several workers are. Who holds the tile opens it for the next triangles of its lists,
// as far as all of them need order, or none does; before, all that was put off of it is shaded. Workers take packets of
// them into blocks, one worker into a block at a time, which holds its lock:
//
//   in order       a worker takes any block that is free, and goes on in the lists where the block's cursor stands:
//                  that is the block's ticket, since what comes to it comes in the order of its numbers
//   without order  a worker takes the next packet from a counter, and goes with it into all blocks, whichever is free
//
//   fields │ PACKET CURSOR: the first triangle; the first behind the last │ SHARE BLOCKs, each on a cache line
//   │ PAGE ENTRIES that were missed
//
// What a block holds is written by the one who is in it: values go to the planes of the context that holds the tile,
// and the states that lie in the context itself are fetched from there and put back.
//
// Of a tile that reads streamed textures nothing waits while it is open: it is run again if anybody misses a page
// (texture-stream.ts). Who leaves it gives what it has missed and counted to who holds it, and may take that back.

import { TILE_BLOCKS } from './limits';
import { BinBlock } from './pass';
import { pastFields, sizeOf } from './record';
import { MOST_MISSES } from './texture-stream-codes';
import { Tile } from './tile';

/** A triangle's place in the lists of a tile: the number of the list, its block, and the entry in it. */
@unmanaged
export class PacketCursor {
  list: u32;
  block: BinBlock;
  entry: u32;
}

@unmanaged
export class ShareBlock {
  /** 1: a worker is in it. */
  lock: u32;
  /** In order: triangles that have not come to it yet. */
  left: u32;
  /** In order: the first of them. */
  get cursor(): PacketCursor { return changetype<PacketCursor>(pastFields(this)); }
  get past(): usize { return changetype<usize>(this) + 64; }
}

@unmanaged
export class Share {
  /** The context that holds the tile. */
  tile: Tile;
  /** Workers at the tile, the one that holds it among them; 0: it is not open. */
  users: i32;
  /** What a worker may still take: blocks that are not done, in order; else packets. It may be less than nothing. */
  left: i32;
  /** 1: the triangles need no order. */
  free: i32;
  /** How many triangles; how many a packet has; how many workers may come. */
  count: u32;
  packet: u32;
  workers: u32;
  /** SHARE_MISSED, SHARE_ENDED; Tile.parks of who holds it, which is 0 meanwhile. */
  missed: u32;
  parks: i32;
  /** Pages that were missed by those who have left it: addresses of so many PAGE ENTRIES, or more than are noted. */
  missCount: u32;
  /**
   * Address of what they have counted, of passes that read streamed textures: words of STATISTICS up to its flags, then
   * Pass.stageRuns.
   */
  counted: usize;
  get first(): PacketCursor { return changetype<PacketCursor>(pastFields(this)); }
  get end(): PacketCursor { return changetype<PacketCursor>(changetype<usize>(this.first) + 16); }
  get blocks(): usize { return (changetype<usize>(this.end) + sizeOf<PacketCursor>() + 63) & ~63; }
  block(index: i32): ShareBlock { return changetype<ShareBlock>(this.blocks + index * sizeOf<ShareBlock>()); }
  get entries(): usize { return this.blocks + TILE_BLOCKS * sizeOf<ShareBlock>(); }
  get past(): usize { return (this.entries + MOST_MISSES * 4 + 63) & ~63; }
}
