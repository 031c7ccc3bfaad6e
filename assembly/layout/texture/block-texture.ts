// BLOCK TEXTURE: a compressed texture that is too large to be kept decoded. It has pages like a streamed texture
// (texture-stream.ts). Workers decode them from its blocks when they read them. Each worker has its own PAGE ENTRIES
// and BLOCK CACHE: no worker waits for another, and a page is only evicted when its own worker decodes another one.
//
//   TEXTURE STREAM ──> BLOCK TEXTURE ──> levels: blocks
//         └── a worker's PAGE ENTRIES ──> pages in its BLOCK CACHE
//                     └───────────────────── owners ┘

import { BLOCK_SCRATCH } from './block-codes';
import { pastFields, sizeOf } from '../record';
import { MAX_STREAM_LEVELS } from './texture-stream-codes';

/** BLOCK LEVEL: one mip level. */
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
  /** Size in texels. */
  width: i32;
  height: i32;
}

/** BLOCK TEXTURE: see the top of the file. */
@unmanaged
export class BlockTexture {
  /** BLOCK_* and the size of a block (block-codes.ts). */
  code: i32;
  levelCount: u32;
  /** Address of the first worker's entries. */
  table: usize;
  get levels(): usize {
    return pastFields(this);
  }
  level(index: u32): BlockLevel {
    return changetype<BlockLevel>(this.levels + index * sizeOf<BlockLevel>());
  }
  get past(): usize {
    return this.levels + MAX_STREAM_LEVELS * sizeOf<BlockLevel>();
  }
}

/** BLOCK CACHE: a worker's pages of decoded blocks. */
@unmanaged
export class BlockCache {
  /** Incremented by each access to a page. PageEntry.used is its value at the last access. */
  clock: u32;
  /** The page at which the search for the next page to evict begins. */
  hand: u32;
  /** Number of pages, BLOCK_PAGE_STEP bytes apart, and the address of the first one. */
  count: u32;
  pages: usize;
  /** Scratch of the decoders. */
  get scratch(): usize {
    return pastFields(this);
  }
  /** Addresses of the PAGE ENTRIES that refer to the pages; 0: the page is free. */
  get owners(): usize {
    return this.scratch + BLOCK_SCRATCH;
  }
  get past(): usize {
    return this.owners;
  }
}
