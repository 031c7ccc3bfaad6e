// LSU: the load/store unit of a tile context. It stands between the instructions that load and store samples of a multi-sample storage
// texture and the texture's stored tiles (surface.ts), and belongs to one worker.
//
//   store ──> GATHERED blocks (the coalescer) ──flush──> WORKING tiles (a write-back cache) ──write-back──> stored tiles
//   load  <── what is gathered, over what the cached tile holds <──────────────────────────────decode──── stored tiles
//
//   fields, scratch, counters │ GATHERED_BLOCKS × GATHERED │ WORKING_TILES × WORKING │ a WORKING to spare │ STAGE (surface.ts)
//
// A pixel takes `pixel bytes`: those of its samples, but of two samples those of four (tile.ts). The record is made for surfaces of up to
// LoadStoreUnit.pixelBytes.

import { TILE_BLOCKS } from './limits';
import { COUNTERS } from './load-store-codes';
import { PLANE_BYTES, Plane } from './plane';
import { Stage, Surface } from './surface';
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
export const TALLY_BYTES: usize = offsetof<Tally>();

@unmanaged
export class Gathered {
  /** GATHERED: stores to a block. Its surface (0: free) and place (tile · 64 + block); LoadStoreUnit.clock when it was used last. */
  surface: Surface;
  block: i32;
  used: u32;
  /** u64, bit pixel: pixels of which samples are there, pixels that are whole, pixels that came sample by sample and were not compared; pixels within the surface. */
  touched: u64;
  whole: u64;
  singles: u64;
  existing: u64;
  /** u16 a pixel: samples that are there; places of its entries. An entry (a value and its samples) lies at one of its samples, so that no two meet. */
  get coverage(): usize { return changetype<usize>(this) + GATHERED_COVERAGE; }
  get slots(): usize { return changetype<usize>(this) + GATHERED_SLOTS; }
  /** u16 an entry, 16 a pixel: its samples. */
  get masks(): usize { return changetype<usize>(this) + GATHERED_MASKS; }
  /** A texel an entry, LoadStoreUnit.pixelBytes or less a pixel. */
  get values(): usize { return changetype<usize>(this) + GATHERED_VALUES; }
}
export const GATHERED_COVERAGE: usize = (offsetof<Gathered>() + 15) & ~15;
export const GATHERED_SLOTS: usize = GATHERED_COVERAGE + BLOCK_PIXELS * 2;
export const GATHERED_MASKS: usize = GATHERED_SLOTS + BLOCK_PIXELS * 2;
export const GATHERED_VALUES: usize = GATHERED_MASKS + BLOCK_PIXELS * 16 * 2;

@unmanaged
export class Working {
  /** WORKING: a tile, decoded. Its surface (0: free) and number; LoadStoreUnit.clock when it was used last; SurfaceTile.lock when it was decoded. */
  surface: Surface;
  tile: i32;
  used: u32;
  version: i32;
  /** u64: blocks that were written. */
  dirty: u64;
  get plane(): Plane { return changetype<Plane>(changetype<usize>(this) + WORKING_PLANE); }
  /** What the plane names. */
  get clear(): usize { return changetype<usize>(this) + WORKING_CLEAR; }
  get blocks(): usize { return changetype<usize>(this) + WORKING_BLOCKS; }
  get perSample(): usize { return changetype<usize>(this) + WORKING_PER_SAMPLE; }
  /** u16 a pixel, of dirty blocks: samples written. */
  get written(): usize { return changetype<usize>(this) + WORKING_WRITTEN; }
  /** Texels, one a pixel; behind them, at LoadStoreUnit.pixelBytes · 1024, those of samples, layer after layer: both in the order of tile.ts. */
  get pixels(): usize { return changetype<usize>(this) + WORKING_PIXELS; }
}
export const WORKING_PLANE: usize = (offsetof<Working>() + 15) & ~15;
export const WORKING_CLEAR: usize = (WORKING_PLANE + PLANE_BYTES + 15) & ~15;
export const WORKING_BLOCKS: usize = WORKING_CLEAR + 16;
export const WORKING_PER_SAMPLE: usize = WORKING_BLOCKS + TILE_BLOCKS;
export const WORKING_WRITTEN: usize = WORKING_PER_SAMPLE + TILE_BLOCKS * 8;
export const WORKING_PIXELS: usize = WORKING_WRITTEN + TILE_PIXELS * 2;

@unmanaged
export class LoadStoreUnit {
  /** Most bytes of a pixel of the surfaces that are reached through the unit, and bytes of a WORKING record for that. */
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
  /** FAULT_* of the uppermost, leftmost access that could not be made, its surface, pixel and mask; and how many there were (u32). */
  fault: i32;
  faultSurface: Surface;
  faultX: i32;
  faultY: i32;
  faultMask: i32;
  faults: u32;
  /** The STAGE through which tiles are loaded and stored. */
  stage: Stage;
  /** Scratch: a texel as it is stored; two texels decoded to words. */
  get texel(): usize { return changetype<usize>(this) + LOAD_STORE_UNIT_TEXEL; }
  get words(): usize { return changetype<usize>(this) + LOAD_STORE_UNIT_WORDS; }
  get otherWords(): usize { return changetype<usize>(this) + LOAD_STORE_UNIT_OTHER_WORDS; }
  /** What a flush found, TALLY_*. */
  get tally(): Tally { return changetype<Tally>(changetype<usize>(this) + LOAD_STORE_UNIT_TALLY); }
  /** COUNTERS u64. */
  get counters(): usize { return changetype<usize>(this) + LOAD_STORE_UNIT_COUNTERS; }
  /** The first GATHERED record. */
  get gathered(): usize { return changetype<usize>(this) + LOAD_STORE_UNIT_GATHERED; }
}
export const LOAD_STORE_UNIT_TEXEL: usize = (offsetof<LoadStoreUnit>() + 15) & ~15;
export const LOAD_STORE_UNIT_WORDS: usize = LOAD_STORE_UNIT_TEXEL + 16;
export const LOAD_STORE_UNIT_OTHER_WORDS: usize = LOAD_STORE_UNIT_WORDS + 16;
export const LOAD_STORE_UNIT_TALLY: usize = LOAD_STORE_UNIT_OTHER_WORDS + 16;
export const LOAD_STORE_UNIT_COUNTERS: usize = (LOAD_STORE_UNIT_TALLY + TALLY_BYTES + 63) & ~63;
export const LOAD_STORE_UNIT_GATHERED: usize = (LOAD_STORE_UNIT_COUNTERS + COUNTERS * 8 + 63) & ~63;
