// LSU: the load/store unit of a tile context. It stands between the instructions that load and store samples of a
// multi-sample storage texture and the texture's stored tiles (surface.ts), and belongs to one worker.
//
//   store ──> WORKING tiles (a write-back cache) ──encode, blocks that were written──> stored tiles
//   load  <── WORKING tiles <──────────────────────decode, blocks that are asked for─── stored tiles
//
//   fields, scratch, counters │ WORKING_TILES × WORKING │ a WORKING to spare │ STAGING (surface.ts)
//
// A pixel takes `pixel bytes`: those of its samples, but of two samples those of four (tile.ts). The record is made for
// surfaces of up to LoadStoreUnit.pixelBytes.

import { TILE_BLOCKS } from './limits';
import { COUNTERS } from './load-store-codes';
import { Plane } from './plane';
import { pastFields, sizeOf } from './record';
import { Staging, Surface } from './surface';
import { TILE_PIXELS } from './tile-order';

@unmanaged
export class Working {
  /**
   * WORKING: a tile, decoded block by block. Its surface (0: free) and number; LoadStoreUnit.clock when it was used
   * last; SurfaceTile.lock when blocks were fetched, or one of surface/cache.ts's codes.
   */
  surface: Surface;
  tile: i32;
  used: u32;
  version: i32;
  /** u64, bit block: blocks of which all samples are in the plane; blocks that were written. */
  there: u64;
  dirty: u64;
  /** With SIMD: slots of its codec (surface/quad-codecs.ts); 1 where a texel's first byte is blue. */
  decode: u32;
  encode: u32;
  blueFirst: u32;
  get plane(): Plane { return changetype<Plane>(pastFields(this)); }
  /** What the plane names. */
  get clear(): usize { return changetype<usize>(this.plane) + ((sizeOf<Plane>() + 15) & ~15); }
  get blocks(): usize { return this.clear + 16; }
  get perSample(): usize { return this.blocks + TILE_BLOCKS; }
  /** Of dirty blocks: u64, pixels within the surface of which some samples were not written. */
  get missing(): usize { return this.perSample + TILE_BLOCKS * 8; }
  /** u16 a pixel, of dirty blocks: samples written. */
  get written(): usize { return this.missing + TILE_BLOCKS * 8; }
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
  /** The WORKING record that was used last; 0 for none. */
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
  /** Scratch: four texels as they are stored; two texels decoded to words. */
  get texel(): usize { return pastFields(this); }
  get words(): usize { return this.texel + 4 * 16; }
  get otherWords(): usize { return this.words + 16; }
  /** COUNTERS u64. */
  get counters(): usize { return this.otherWords + 16; }
  /** The first WORKING record, as LoadStoreUnit.working says. */
  get past(): usize { return this.counters + ((COUNTERS * 8 + 15) & ~15); }
}
