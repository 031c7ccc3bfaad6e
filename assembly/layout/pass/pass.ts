// PASS: a render pass as the kernels see it, and the lists (bins) through which geometry reaches tiles.
//
//   geometryRun(geometry) ── triangle records ──> arena          bins: one list of triangle addresses per tile and
//                                                                geometry task
//   tileRun(context, pass, tile, flags) walks its lists in order, then shades, resolves and stores the tile
//
// Each worker has its own copy of the record, with its own arena, bins and statistics.
//
// A chunk ends when the arena is full. Then every tile that has a list is run and stored with its depth, and the arena
// is emptied.

import { MAX_COLOR_TARGETS } from '../limits';
import { LoadStoreUnit } from '../surface/load-store-unit';
import { BIN_BLOCK_CAPACITY } from './pass-codes';
import { CHANNELS, pastFields, sizeOf } from '../record';
import { Statistics } from '../statistics';
import { Surface } from '../surface/surface';

/**
 * ATTACHMENT: a render target or depth/stencil plane of a pass. Single-sample surfaces are stored in rows; multisampled
 * ones are SURFACEs (surface.ts).
 */
@unmanaged
export class Attachment {
  /** FORMAT_* (formats.ts); FORMAT_NONE: there is no such attachment. */
  format: i32;
  /** Single-sample: address of the first row, and the byte distance between rows. */
  address: usize;
  rowBytes: u32;
  /** 1: cleared when the pass begins; 0: loaded. */
  clear: i32;
  /** 1: stored when the pass ends; 0: discarded. */
  store: u32;
  /** 1: read-only depth or stencil. */
  readOnly: i32;
  /** Resolve target: a single-sample surface of the same format, in rows; address 0 for none. */
  resolveAddress: usize;
  resolveRowBytes: u32;
  /** Multisampled: address of a SURFACE. */
  surface: Surface;
  /** Colour: four f32 (or i32/u32 bits for integer formats). Depth: f32. Stencil: u32. */
  get clearValue(): usize {
    return pastFields(this);
  }
  get past(): usize {
    return this.clearValue + CHANNELS * sizeof<f32>();
  }
}

/** Part of a tile's list: up to BIN_BLOCK_CAPACITY triangles. */
@unmanaged
export class BinBlock {
  next: BinBlock;
  count: u32;
  /** Addresses of TRIANGLE records, in order. */
  get entries(): usize {
    return pastFields(this);
  }
  get past(): usize {
    return this.entries + BIN_BLOCK_CAPACITY * sizeof<usize>();
  }
}

/** BIN: a tile's list of triangles for one geometry task. Its blocks are allocated in the arena. */
@unmanaged
export class Bin {
  head: BinBlock;
  tail: BinBlock;
}

/**
 * ARENA: a bump allocator with 16-byte alignment. The caller sets all fields and empties the arena by resetting the
 * cursor. The arena starts in one slab (job.ts) and may continue in others.
 */
@unmanaged
export class Arena {
  end: u32;
  cursor: u32;
  /** Where the arena's part of the current slab begins, and the end of that slab. */
  start: u32;
  slabEnd: u32;
  /** Bytes that the arena may take in total, and those that it took in earlier slabs. */
  allowed: u32;
  taken: u32;
  /**
   * The JOB from whose slabs the arena may extend itself (raster/slab.ts); 0: none. It takes no slab unless `kept`
   * bytes of slabs remain after it.
   */
  job: usize;
  kept: u32;
}

/** PASS: see the top of the file. */
@unmanaged
export class Pass {
  width: i32;
  height: i32;
  tilesX: i32;
  /**
   * Address of Pass.listCount addresses, one per geometry task (job.ts), in draw order. Each is the address of an array
   * of BINs, one per tile; 0: the task has no bins. Tiles walk these lists.
   */
  lists: usize;
  /** Samples per pixel: 1, 2, 4, 8 or 16. */
  samples: i32;
  /** Number of colour attachments, holes included. Holes have FORMAT_NONE. */
  colorCount: i32;
  /** Address of one BIN per tile, to which geometry appends. */
  bins: usize;
  /** Address of one byte per tile: 0 until the tile is first loaded or cleared in this pass. */
  tileStates: usize;
  arena: Arena;
  statistics: Statistics;
  /**
   * Fragment invocation counts, a u32 for each pixel in rows: address (0: not counted), and the byte distance between
   * rows.
   */
  counts: usize;
  countsRowBytes: i32;
  /** Number of addresses at Pass.lists. */
  listCount: u32;
  /**
   * Where this worker counts warps of fragment stages, with STAT_FLAG_STAGES: address of `stageRunCount` words, indexed
   * by Stage.counter. Word 0 belongs to no stage.
   */
  stageRuns: usize;
  stageRunCount: u32;
  /**
   * 1: multisampled surfaces are encoded, in memory and in tile contexts. 0: every sample has its own texel
   * (surfaceEncoding: false).
   */
  encodes: i32;
  /** 1: some draw call of the pass uses shading rates. */
  hasRates: i32;
  /** 1: some draw call blends, or writes only some channels. A pixel may then hold the same value twice. */
  blends: i32;
  /** Bytes of a tile's PARKED WARPS (late/parked.ts); 0: no warp of the pass can be parked. */
  parkedBytes: u32;
  /** Initial values of ParkedWarps.minRoom and ParkedWarps.quadsInLockstep. */
  parkedMinRoom: u32;
  quadsInLockstep: u32;
  /**
   * The worker's LSU record (load-store-unit.ts); 0 in a pass whose shaders access no multisampled storage textures.
   */
  loadStoreUnit: LoadStoreUnit;
  get depth(): Attachment {
    return changetype<Attachment>(pastFields(this));
  }
  get stencil(): Attachment {
    return changetype<Attachment>(changetype<usize>(this.depth) + sizeOf<Attachment>());
  }
  get colors(): usize {
    return changetype<usize>(this.stencil) + sizeOf<Attachment>();
  }
  /** The BIN of a tile, to which geometry appends. */
  bin(tile: i32): Bin {
    return changetype<Bin>(this.bins + tile * sizeOf<Bin>());
  }
  color(index: usize): Attachment {
    return changetype<Attachment>(this.colors + index * sizeOf<Attachment>());
  }
  get past(): usize {
    return this.colors + MAX_COLOR_TARGETS * sizeOf<Attachment>();
  }
}
