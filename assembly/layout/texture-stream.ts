// TEXTURE STREAM: a texture of which only some pages are in memory. A page is a square of texels of a level and layer,
// 1 << pageShift on a side, in rows; those at the right and lower edges of a level are cut off there. The levels of its
// TEXTURE records (texture.ts) lead to PAGE ENTRIES instead of texels: a row of them has TextureLevel.rowBytes, a layer
// TextureLevel.layerBytes.
//
//   TEXTURE ──> STREAM          level 0 ──> ENTRY ENTRY ENTRY …   ──> page: rows of 1 << pageShift texels
//                                           ENTRY ENTRY ENTRY …       0: it is not there
//
// A read of a page that is not there gives zeros, or what a smaller level has, and notes the page in the MISSES of its
// worker. The main thread brings pages; kernels change nothing but PageEntry.used. Compressed textures that are not
// held decoded have pages as well, which kernels make themselves (block-texture.ts).

import { BlockTexture } from './block-texture';
import { pastFields } from './record';
import { MOST_MISSES, ZERO_BYTES } from './texture-stream-codes';

@unmanaged
export class TextureStream {
  /** log2 of the texels on a side of a page, and of the bytes of a texel. */
  pageShift: u32;
  texelShift: u32;
  /** What PageEntry.used becomes: grows with each pass. */
  now: u32;
  /** 1: a tile that has read a page which is not there waits for it; 0: it takes the best level that is there. */
  waits: u32;
  /** Bytes from one worker's PAGE ENTRIES to the next one's; 0: all workers have the same. */
  tableBytes: u32;
  /** What its pages are decoded from; 0: the main thread brings them. */
  blocks: BlockTexture;
  /** A texel of zeros, and what vector loads read behind it. */
  get zeros(): usize { return pastFields(this); }
  get past(): usize { return this.zeros + ZERO_BYTES; }
}

@unmanaged
export class PageEntry {
  /** Address of the page's first texel; 0: it is not there. */
  page: usize;
  /** TextureStream.now of the last pass that read it; of decoded blocks BlockCache.clock at the last look. */
  used: u32;
}

/** MISSES: what a tile, or a worker's part of the geometry or workgroups of a job, has read that is not there. */
@unmanaged
export class Misses {
  /** 1: it cannot be finished without; the page for which that was said last. */
  waits: u32;
  awaited: PageEntry;
  /** How many are noted; later ones are found when the tile is run again. */
  count: u32;
  /** Becomes 1 with each that is noted, or was before. */
  seen: u32;
  /** How many may be noted. */
  most: u32;
  /** 1: tiles are run for their misses alone, and change nothing (late-pass.ts). */
  dry: u32;
  /**
   * 1: programs of pixels write as they go, so that no tile that was begun may be run again from its beginning. All of
   * its warps can be put aside, and it stops between two triangles where they have to be taken up before it goes on.
   */
  keeps: u32;
  /** Addresses of their PAGE ENTRIES, each once among MOST_MISSES that follow each other. */
  get entries(): usize { return pastFields(this); }
  get past(): usize { return this.entries + MOST_MISSES * 4; }
}

/** LATE TILE: of each tile of a job (job.ts), by its number. */
@unmanaged
export class LateTile {
  /** LATE_*. */
  state: i32;
  count: i32;
  /** The tile context that it is kept in: 1 + the context's number + MOST_SLOTS · that of its worker; 0: in none. */
  context: i32;
  /**
   * The part of the tile that is run: x0, y0, x1 and y1 of its box in pixels of the tile, a byte each, the first in the
   * lowest byte; 0: all of it. Of the entries of the tile's lists, those from `first` up to `end`.
   */
  part: u32;
  first: u32;
  end: u32;
  /** 1: other parts of the tile come behind this one. */
  hasMore: u32;
  /** After a part has been run: entries of the tile's lists; 1: the first entry's triangle is walked quad by quad. */
  entryCount: u32;
  byQuads: u32;
  /**
   * Of a tile that keeps what it has done: most entries of a warp that are taken up at a time, one warp behind the
   * other; 0: all warps are, as they are. And how many have been handed over since the tile was taken up.
   */
  narrow: u32;
  served: u32;
  /** As in Misses. */
  get entries(): usize { return pastFields(this); }
  get past(): usize { return this.entries + MOST_MISSES * 4; }
}
