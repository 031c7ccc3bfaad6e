// PASS: a render pass as the kernels see it, and the lists through which geometry reaches tiles.
//
//   geometryRun(geometry) ── triangle records ──> arena          bins: one list of triangle addresses per tile and
//   unit of geometry
//   tileRun(context, pass, tile, flags) walks its lists in order, then shades, resolves and stores the tile
//
// Each worker has a copy of the record, with an arena, bins and statistics of its own.
//
// A chunk ends when the arena is full: every tile with a list is run, stored with its depth, and the arena is emptied.

import { MAX_COLOR_TARGETS } from './limits';
import { LoadStoreUnit } from './load-store-unit';
import { BIN_BLOCK_CAPACITY } from './pass-codes';
import { pastFields, sizeOf } from './record';
import { Statistics } from './statistics';
import { Surface } from './surface';

@unmanaged
export class Attachment {
  /** ATTACHMENT. Surfaces of one sample lie in rows; multisampled ones are SURFACEs (surface.ts). */
  format: i32;
  /** One sample: address of the rows, and bytes from row to row. */
  address: usize;
  rowBytes: u32;
  /** 1: clear, 0: load. */
  clear: i32;
  /** 1: store, 0: discard. */
  store: u32;
  /** 1: read-only depth or stencil. */
  readOnly: i32;
  /** Single-sample surface of the same format in rows; address 0 for none. */
  resolveAddress: usize;
  resolveRowBytes: u32;
  /** Multisampled: address of a SURFACE. */
  surface: Surface;
  /** Four f32 (or i32/u32 bits for integer formats); depth: f32; stencil: u32. */
  get clearValue(): usize { return pastFields(this); }
  get past(): usize { return this.clearValue + 4 * 4; }
}

@unmanaged
export class BinBlock {
  next: BinBlock;
  count: u32;
  /** Addresses of TRIANGLE records. */
  get entries(): usize { return pastFields(this); }
  get past(): usize { return this.entries + BIN_BLOCK_CAPACITY * 4; }
}

@unmanaged
export class Bin {
  /** BIN: list of a tile. Blocks come from the arena. */
  head: BinBlock;
  tail: BinBlock;
}

@unmanaged
export class Arena {
  /**
   * ARENA: bump allocation, 16-byte aligned; the caller sets all of it, and empties it by setting the cursor back. It
   * lies in a slab (job.ts), and may go on in others.
   */
  end: u32;
  cursor: u32;
  /** Where it began in its slab, and where that ends. */
  start: u32;
  slabEnd: u32;
  /** Bytes that it may take in all, from its start on, and those that it took in slabs before this one. */
  allowed: u32;
  taken: u32;
  /** The JOB whose slabs it may take, as long as so many bytes are left of them; 0: none. */
  job: usize;
  kept: u32;
}

@unmanaged
export class Pass {
  width: i32;
  height: i32;
  tilesX: i32;
  /**
   * What tiles walk: the address of Pass.listCount addresses of arrays of BINs, one array a unit of geometry (job.ts),
   * in the order of the draws.
   */
  lists: usize;
  /** 1, 2, 4, 8 or 16. */
  samples: i32;
  /** Attachments in use: Pass.colors + i·sizeOf<Attachment>() for i < this; holes have FORMAT_NONE. */
  colorCount: i32;
  /** Address of one BIN per tile, to which geometry appends. */
  bins: usize;
  /** Address of one byte per tile: 0 until the tile was first loaded or cleared in this pass. */
  tileStates: usize;
  /** ARENA record. */
  arena: Arena;
  /** STATISTICS record (u32 counters). */
  statistics: Statistics;
  /** Where fragment invocations are counted, a u32 a pixel in rows: address (0 for none) and bytes from row to row. */
  counts: usize;
  countsRowBytes: i32;
  /** 176 + 8·64. */
  listCount: u32;
  /**
   * Where this worker counts warps of stages of pixels, as STAT_FLAG_STAGES asks: so many words, of which the first one
   * is of no stage (Stage.counter).
   */
  stageRuns: usize;
  stageRunCount: u32;
  /**
   * 1: multisampled surfaces are encoded, in memory and in tile contexts; 0: each sample has its texel
   * (surfaceEncoding: false).
   */
  encodes: i32;
  /** 1: the pass has a draw with shading rates. */
  hasRates: i32;
  /** Bytes of a tile's PARKED WARPS (parked.ts); 0: none of its warps can wait. */
  parkedBytes: u32;
  /** ParkedWarps.least, ParkedWarps.synchronises. */
  parkedLeast: u32;
  synchronises: u32;
  /** LSU record (load-store-unit.ts) of the worker, 0 in a pass that reaches no surface by instructions. */
  loadStoreUnit: LoadStoreUnit;
  get depth(): Attachment { return changetype<Attachment>(pastFields(this)); }
  get stencil(): Attachment { return changetype<Attachment>(changetype<usize>(this.depth) + sizeOf<Attachment>()); }
  get colors(): usize { return changetype<usize>(this.stencil) + sizeOf<Attachment>(); }
  /** Of a tile. */
  bin(tile: i32): Bin { return changetype<Bin>(this.bins + tile * sizeOf<Bin>()); }
  color(index: usize): Attachment { return changetype<Attachment>(this.colors + index * sizeOf<Attachment>()); }
  get past(): usize { return this.colors + MAX_COLOR_TARGETS * sizeOf<Attachment>(); }
}
