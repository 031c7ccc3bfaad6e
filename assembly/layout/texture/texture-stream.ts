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
// A read of a non-resident page returns zeros, or what a smaller level holds, and notes the page in the worker's MISSES
// (layout/late/late-work.ts). The main thread loads pages; kernels change only PageEntry.used. Compressed textures that
// are not kept decoded have pages as well, which the kernels decode themselves (block-texture.ts).

import { BlockTexture } from './block-texture';
import { pastFields } from '../record';
import { ZERO_BYTES } from './texture-stream-codes';

/** TEXTURE STREAM: see the top of the file. */
@unmanaged
export class TextureStream {
  /** log2 of the texels on a side of a page, and of the bytes of a texel. */
  pageShift: u32;
  texelShift: u32;
  /** Value to which reads set PageEntry.used. Incremented for each pass. */
  now: u32;
  /** Changes with each pass, and whenever a page is evicted. Pages that were found before must be found again. */
  version: u32;
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
