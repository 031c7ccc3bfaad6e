// LSU: the load/store unit of a tile context. It stands between the instructions that load and store samples of a
// multi-sample storage texture and the texture's stored tiles (surface.ts), and belongs to one worker.
//
//   store ──> GATHERED blocks (the coalescer) ──flush──> WORKING tiles (a write-back cache) ──write-back──> stored
//   tiles
//   load  <── what is gathered, over what the cached tile holds <──────────────────────────────decode──── stored tiles
//
//   fields, scratch, counters │ GATHERED_BLOCKS × GATHERED │ WORKING_TILES × WORKING │ a WORKING to spare
//   │ STAGING (surface.ts)
//
// A pixel takes `pixel bytes`: those of its samples, but of two samples those of four (tile.ts). The record is made for
// surfaces of up to LoadStoreUnit.pixelBytes.

import { TILE_BLOCKS } from './limits';
import { COUNTERS } from './load-store-codes';
import { Plane } from './plane';
import { pastFields, sizeOf } from './record';
import { Staging, Surface } from './surface';
import { BLOCK_PIXELS, TILE_PIXELS } from './tile-order';

@unmanaged
export class Tally {
  /** u64: pixels of the flush that hold one value, a value each sample, and others. */
  one: u64;
  full: u64;
  subsets: u64;
  /** u32: entries of all pixels, entries of Tally.subsets' pixels, samples, 1 if some pixel is not whole. */
  entries: i32;
  subsetEntries: i32;
  samples: i32;
  partial: i32;
}

@unmanaged
export class Gathered {
  /**
   * GATHERED: stores to a block. Its surface (0: free) and place (tile · 64 + block); LoadStoreUnit.clock when it was
   * used last.
   */
  surface: Surface;
  block: i32;
  used: u32;
  /**
   * u64, bit pixel: pixels of which samples are there, pixels that are whole, pixels that came sample by sample and
   * were not compared; pixels within the surface.
   */
  touched: u64;
  whole: u64;
  singles: u64;
  existing: u64;
  /**
   * u16 a pixel: samples that are there; places of its entries. An entry (a value and its samples) lies at one of its
   * samples, so that no two meet.
   */
  get coverage(): usize { return pastFields(this); }
  get slots(): usize { return this.coverage + BLOCK_PIXELS * 2; }
  /** u16 an entry, 16 a pixel: its samples. */
  get masks(): usize { return this.slots + BLOCK_PIXELS * 2; }
  /** A texel an entry, LoadStoreUnit.pixelBytes or less a pixel. */
  get values(): usize { return this.masks + BLOCK_PIXELS * 16 * 2; }
}

@unmanaged
export class Working {
  /**
   * WORKING: a tile, decoded. Its surface (0: free) and number; LoadStoreUnit.clock when it was used last;
   * SurfaceTile.lock when it was decoded.
   */
  surface: Surface;
  tile: i32;
  used: u32;
  version: i32;
  /** u64: blocks that were written. */
  dirty: u64;
  get plane(): Plane { return changetype<Plane>(pastFields(this)); }
  /** What the plane names. */
  get clear(): usize { return changetype<usize>(this.plane) + ((sizeOf<Plane>() + 15) & ~15); }
  get blocks(): usize { return this.clear + 16; }
  get perSample(): usize { return this.blocks + TILE_BLOCKS; }
  /** u16 a pixel, of dirty blocks: samples written. */
  get written(): usize { return this.perSample + TILE_BLOCKS * 8; }
  /**
   * Texels, one a pixel; behind them, at LoadStoreUnit.pixelBytes · 1024, those of samples, layer after layer: both in
   * the order of tile.ts.
   */
  get pixels(): usize { return this.written + TILE_PIXELS * 2; }
}

@unmanaged
export class LoadStoreUnit {
  /**
   * Most bytes of a pixel of the surfaces that are reached through the unit, and bytes of a WORKING record for that.
   */
  pixelBytes: u32;
  workingBytes: u32;
  /** STATUS_DONE, or what went wrong with a write-back since the last surfaceFlush. */
  status: i32;
  /** Counts uses, for what was used least recently. */
  clock: u32;
  /** GATHERED and WORKING record that were used last; 0 for none. */
  lastGathered: Gathered;
  lastWorking: Working;
  /** The first WORKING record; the spare one is behind the last. */
  working: Working;
  /**
   * FAULT_* of the uppermost, leftmost access that could not be made, its surface, pixel and mask; and how many there
   * were (u32).
   */
  fault: i32;
  faultSurface: Surface;
  faultX: i32;
  faultY: i32;
  faultMask: i32;
  faults: u32;
  /** The STAGING through which tiles are loaded and stored. */
  staging: Staging;
  /** Scratch: a texel as it is stored; two texels decoded to words. */
  get texel(): usize { return pastFields(this); }
  get words(): usize { return this.texel + 16; }
  get otherWords(): usize { return this.words + 16; }
  /** What a flush found, TALLY_*. */
  get tally(): Tally { return changetype<Tally>(this.otherWords + 16); }
  /** COUNTERS u64. */
  get counters(): usize { return changetype<usize>(this.tally) + ((sizeOf<Tally>() + 15) & ~15); }
  /** The first GATHERED record. */
  get gathered(): usize { return this.counters + ((COUNTERS * 8 + 15) & ~15); }
}
