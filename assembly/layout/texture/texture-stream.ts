// TEXTURE STREAM: a texture with only some pages in memory. A page is a square of texels of one level and layer,
// 2^pageShift texels on a side, in rows. Pages at the right and lower edges of a level are cut off there. The levels of
// its TEXTURE records (texture.ts) refer to PAGE ENTRIES, not to texels. A row of entries has TextureLevel.rowBytes, a
// layer TextureLevel.layerBytes.
//
//   TEXTURE ──> STREAM          level 0 ──> ENTRY ENTRY ENTRY …   ──> page: rows of 1 << pageShift texels
//                                           ENTRY ENTRY ENTRY …       0: non-resident
//
// An entry is identified by its number. In small tables, numbers are the addresses of the entries. A large table is
// sparse: TextureStream.directory has the address of each chunk of entries that are numbered in sequence. Chunks
// without resident pages share one of zeros.
//
//   level 0 ──> entry number ──directory──> chunk: ENTRY ENTRY …   ──> page
//
// A read of a non-resident page returns zeros, or what a smaller level holds, and notes the page in the worker's
// MISSES. The main thread loads pages; kernels change only PageEntry.used. Compressed textures that are not kept
// decoded have pages as well, which the kernels decode themselves (block-texture.ts).

import { BlockTexture } from './block-texture';
import { pastFields } from '../record';
import { MAX_MISSES, ZERO_BYTES } from './texture-stream-codes';

/** TEXTURE STREAM: see the top of the file. */
@unmanaged
export class TextureStream {
  /** log2 of the texels on a side of a page, and of the bytes of a texel. */
  pageShift: u32;
  texelShift: u32;
  /** Value to which reads set PageEntry.used. Incremented for each pass. */
  now: u32;
  /** 1: a tile that reads a non-resident page waits for it. 0: it uses the best resident level. */
  waits: u32;
  /** Bytes from one worker's PAGE ENTRIES to the next worker's; 0: all workers use the same ones. */
  tableBytes: u32;
  /** BLOCK TEXTURE from which its pages are decoded; 0: the main thread loads them. */
  blocks: BlockTexture;
  /** Sparse tables: address of the directory's slot for entry number 0, modulo 2^32; 0: numbers are addresses. */
  directory: usize;
  /** A texel of zeros, padded for vector loads. */
  get zeros(): usize {
    return pastFields(this);
  }
  get past(): usize {
    return this.zeros + ZERO_BYTES;
  }
}

/** PAGE ENTRY: where a page is, and when it was last read. */
@unmanaged
export class PageEntry {
  /** Address of the page's first texel; 0: non-resident. */
  page: usize;
  /**
   * TextureStream.now of the last pass that read the page. For decoded blocks: BlockCache.clock at the last access.
   */
  used: u32;
}

/**
 * MISSES: non-resident pages that were read by a tile, or by a worker's part of the geometry or workgroups of a job.
 */
@unmanaged
export class Misses {
  /** 1: the work cannot be finished without the missing pages. */
  waits: u32;
  /** The page for which `waits` was last set. */
  awaited: PageEntry;
  /** Number of pages noted. Others are found when the work is replayed. */
  count: u32;
  /** Set to 1 by each miss, whether newly noted or already present. */
  anyMiss: u32;
  /** Maximum number of pages noted. */
  limit: u32;
  /** 1: dry run. Tiles run only to find the pages that they miss, and change nothing (streamed-pass.ts). */
  isDryRun: u32;
  /**
   * 1: tiles keep their progress. Fragment shaders write to memory while the tile runs, so no tile that was begun may
   * be replayed from its beginning. All its warps can be parked, and its walk stops between two triangles if these must
   * be resumed first.
   */
  keepsProgress: u32;
  /** Numbers of the PAGE ENTRIES. No number repeats within the last MAX_MISSES. */
  get entries(): usize {
    return pastFields(this);
  }
  get past(): usize {
    return this.entries + MAX_MISSES * sizeof<u32>();
  }
}

/** WAITING TILE: for each tile of a job (job.ts), by tile number: its state with respect to non-resident pages. */
@unmanaged
export class WaitingTile {
  /** LATE_*. */
  state: i32;
  /** Number of pages at `entries`. */
  count: i32;
  /**
   * The context in which the tile is parked: 1 + the context's number + MAX_SLOTS · the number of its worker; 0: none.
   */
  context: i32;
  /**
   * The part of the tile that runs: x0, y0, x1 and y1 of its box in pixels of the tile, a byte each, the first one
   * lowest; 0: the whole tile.
   */
  part: u32;
  /** Range of the entries of the tile's lists that run in this part. */
  first: u32;
  end: u32;
  /** 1: other parts of the tile follow. */
  hasMore: u32;
  /** After a part has run: number of entries in the tile's lists. */
  entryCount: u32;
  /** After a part has run: 1: the first entry's triangle is walked quad by quad. */
  byQuads: u32;
  /**
   * Tiles that keep their progress: maximum number of a warp's entries that are resumed at a time, one warp after the
   * other; 0: all warps are resumed, undivided.
   */
  maxResumedEntries: u32;
  /** Number of warps whose results have reached output since the tile was resumed. */
  warpsCompleted: u32;
  /** As in Misses. */
  get entries(): usize {
    return pastFields(this);
  }
  get past(): usize {
    return this.entries + MAX_MISSES * sizeof<u32>();
  }
}
