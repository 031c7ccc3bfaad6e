// BLOCK TEXTURE: a compressed texture that is too large to be held decoded. It has pages as a streamed texture has
// (texture-stream.ts). Workers decode them from its blocks when they read them. Each worker has PAGE ENTRIES and a
// BLOCK CACHE of its own: no worker waits for another, and a page goes only when its own worker decodes another one.
//
//   TEXTURE STREAM ──> BLOCK TEXTURE ──> levels: blocks
//         └── a worker's PAGE ENTRIES ──> pages in its BLOCK CACHE
//                     └───────────────────── owners ┘

import { BLOCK_SCRATCH } from './block-codes';
import { pastFields, sizeOf } from './record';
import { MOST_STREAM_LEVELS } from './texture-stream-codes';

@unmanaged
export class BlockLevel {
  /** Offset of its first entry in a worker's table; bytes of a row of entries, and of a layer. */
  first: u32;
  entryRowBytes: u32;
  entryLayerBytes: u32;
  /** Address of its first block; bytes of a row of blocks, and of a layer. */
  blocks: usize;
  rowBytes: u32;
  layerBytes: u32;
  /** Texels. */
  width: i32;
  height: i32;
}

@unmanaged
export class BlockTexture {
  /** BLOCK_* and the size of a block (block-codes.ts). */
  code: i32;
  levelCount: u32;
  /** Address of the first worker's entries. */
  table: usize;
  get levels(): usize { return pastFields(this); }
  level(index: u32): BlockLevel { return changetype<BlockLevel>(this.levels + index * sizeOf<BlockLevel>()); }
  get past(): usize { return this.levels + MOST_STREAM_LEVELS * sizeOf<BlockLevel>(); }
}

@unmanaged
export class BlockCache {
  /** Grows by one with each look at a page: PageEntry.used is its value at the last one. */
  clock: u32;
  /** The page at which the search for the next one to go begins. */
  hand: u32;
  /** Pages, BLOCK_PAGE_STEP bytes apart, and the address of the first one. */
  count: u32;
  pages: usize;
  /** What the decoders work in. */
  get scratch(): usize { return pastFields(this); }
  /** Addresses of the PAGE ENTRIES that lead to the pages; 0: a page is free. */
  get owners(): usize { return this.scratch + BLOCK_SCRATCH; }
  get past(): usize { return this.owners; }
}
