// SHARE: a tile on which several workers work together. The worker that holds the tile opens it for the next triangles
// of its lists: a run in which all triangles need order, or none does. Before that it shades everything that it
// deferred. The workers take packets of these triangles into blocks. Only the worker that holds a block's lock works in
// the block:
//
//   in order      a worker takes any free block and continues in the lists at the block's cursor. The cursor acts as
//                 the block's ticket: triangles reach the block in the order of their numbers
//   out of order  a worker takes the next packet from a counter and takes it into all blocks, in the order in which
//                 they become free
//
//   fields │ PACKET CURSOR: the first triangle; the end │ SHARE BLOCKs, each on a cache line
//   │ PAGE ENTRIES that were missed
//
// The worker in a block writes the block's values to the planes of the context that holds the tile. It copies the block
// states, which are part of that context, and writes them back.
//
// If the tile reads streamed textures, no warp is parked while the tile is open: the tile is replayed if any worker
// misses a page (late/late-work.ts). A worker that leaves hands its misses and counters to the holder, which may take
// the counters back.

import { TILE_BLOCKS } from '../limits';
import { BinBlock } from '../pass/pass';
import { LINE_BYTES, LINE_PAD, pastFields, sizeOf, VECTOR_PAD } from '../record';
import { MAX_MISSES } from '../late/work-codes';
import { Tile } from '../tile/tile';

/** PACKET CURSOR: position of a triangle in a tile's lists: list number, list block, and entry in it. */
@unmanaged
export class PacketCursor {
  list: u32;
  block: BinBlock;
  entry: u32;
}

// @ts-ignore: decorator
@inline const CURSOR_BYTES = (offsetof<PacketCursor>() + VECTOR_PAD) & ~VECTOR_PAD;

/** SHARE BLOCK: state of one block of an open tile. */
@unmanaged
export class ShareBlock {
  /** 1: a worker is in the block. */
  lock: u32;
  /** In order: triangles that have not reached the block yet. */
  left: u32;
  /** In order: the first of them. */
  get cursor(): PacketCursor {
    return changetype<PacketCursor>(pastFields(this));
  }
  get past(): usize {
    return changetype<usize>(this) + LINE_BYTES;
  }
}

/** SHARE: see the top of the file. */
@unmanaged
export class Share {
  /** The context that holds the tile. */
  tile: Tile;
  /** Workers on the tile, including the one that holds it; 0: the tile is not open. */
  users: i32;
  /** What workers may still take: in order, unfinished blocks; out of order, packets. It may become negative. */
  left: i32;
  /** 1: the triangles need no order. */
  unordered: i32;
  /** Number of triangles. */
  count: u32;
  /** Triangles per packet. */
  packet: u32;
  /** Maximum number of workers. */
  workers: u32;
  /** SHARE_*. */
  missed: u32;
  /** Saved Tile.parks of the holder, whose Tile.parks is 0 while the tile is open. */
  parks: i32;
  /**
   * Number of pages missed by workers that have left the tile. Their PAGE ENTRIES are at Share.entries, except for
   * those that exceed its room.
   */
  missCount: u32;
  /**
   * Passes that read streamed textures: address of the counters of workers that have left: the words of STATISTICS up
   * to its flags, then Pass.stageRuns.
   */
  counted: usize;
  get first(): PacketCursor {
    return changetype<PacketCursor>(pastFields(this));
  }
  get end(): PacketCursor {
    return changetype<PacketCursor>(changetype<usize>(this.first) + CURSOR_BYTES);
  }
  get blocks(): usize {
    return (changetype<usize>(this.end) + sizeOf<PacketCursor>() + LINE_PAD) & ~LINE_PAD;
  }
  block(index: i32): ShareBlock {
    return changetype<ShareBlock>(this.blocks + index * sizeOf<ShareBlock>());
  }
  /** Addresses of PAGE ENTRIES, up to MAX_MISSES. */
  get entries(): usize {
    return this.blocks + TILE_BLOCKS * sizeOf<ShareBlock>();
  }
  get past(): usize {
    return (this.entries + MAX_MISSES * sizeof<u32>() + LINE_PAD) & ~LINE_PAD;
  }
}
