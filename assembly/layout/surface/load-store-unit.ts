// LSU: the load/store unit of a tile context. It sits between the instructions that load and store samples of a
// multisampled storage texture and the texture's stored tiles (surface.ts). It belongs to one worker.
//
//   store ──> WORKING tiles (a write-back cache) ──encode, blocks that were written──> stored tiles
//   load  <── WORKING tiles <──────────────────────decode, blocks that are requested── stored tiles
//
//   fields, scratch, counters │ tiles × WORKING │ a spare WORKING │ STAGING (surface.ts) │ DEFERRED STORES
//
// The size of a pixel is that of its samples; two samples take the space of four (tile-order.ts). The record is
// allocated for surfaces of up to LoadStoreUnit.pixelBytes per pixel.

import { TILE_BLOCKS } from '../limits';
import { COUNTERS } from './load-store-codes';
import { Plane } from './plane';
import { LANES, pastFields, sizeOf, VECTOR_BYTES, VECTOR_PAD } from '../record';
import { Staging, Surface } from './surface';
import { TILE_PIXELS } from './tile-order';

/** WORKING: a cached tile, decoded block by block. */
@unmanaged
export class Working {
  /** The tile's surface (0: free), and its number. */
  surface: Surface;
  tile: i32;
  /** LoadStoreUnit.clock at the last use. */
  used: u32;
  /** Version of the tile (SurfaceTile.lock) when blocks were fetched, or a code of surface/cache.ts. */
  version: i32;
  /** Bit per block: all its samples are in the plane. */
  presentBlocks: u64;
  /** Bit per block: it was written. */
  dirty: u64;
  /** With SIMD: function table slots of its codec (surface/quad-codecs.ts). */
  decode: u32;
  encode: u32;
  /** 1: a texel's first byte is blue. */
  blueFirst: u32;
  get plane(): Plane {
    return changetype<Plane>(pastFields(this));
  }
  /** Arrays to which the plane refers. */
  get clear(): usize {
    return changetype<usize>(this.plane) + ((sizeOf<Plane>() + VECTOR_PAD) & ~VECTOR_PAD);
  }
  get blocks(): usize {
    return this.clear + VECTOR_BYTES;
  }
  get perSample(): usize {
    return this.blocks + TILE_BLOCKS;
  }
  /** Dirty blocks: u64, pixels within the surface that have unwritten samples. */
  get missing(): usize {
    return this.perSample + TILE_BLOCKS * sizeof<u64>();
  }
  /** Dirty blocks: u16 per pixel, samples that were written. */
  get written(): usize {
    return this.missing + TILE_BLOCKS * sizeof<u64>();
  }
  /**
   * Texels, one per pixel. Texels of samples follow at byte offset LoadStoreUnit.pixelBytes · 1024, layer after layer.
   * Both are in the order of tile-order.ts.
   */
  get pixels(): usize {
    return this.written + TILE_PIXELS * sizeof<u16>();
  }
}

/** Lists of DEFERRED STORES, by a hash of their tile. */
// @ts-ignore: decorator
@inline export const DEFERRED_LISTS = 64;

/** DEFERRED STORE: a store to a pixel of a tile that is not cached (surface/deferred.ts). */
@unmanaged
export class DeferredStore {
  /** 0: done. */
  surface: Surface;
  tile: i32;
  /** pixel | mask << 16. */
  place: u32;
  /** The next one in the list; 0: none. */
  next: DeferredStore;
  get texel(): usize {
    return pastFields(this);
  }
  get past(): usize {
    return this.texel + VECTOR_BYTES;
  }
}

/** LSU: see the top of the file. */
@unmanaged
export class LoadStoreUnit {
  /**
   * Maximum pixel size of the surfaces that are accessed through the unit, and the resulting size of a WORKING record.
   */
  pixelBytes: u32;
  workingBytes: u32;
  /** Number of cached tiles. */
  tiles: i32;
  /** STATUS_DONE, or the failure of a write-back since the last surfaceFlush. */
  status: i32;
  /** Counts uses, to find the least recently used tile. */
  clock: u32;
  /** The WORKING record that was used last; 0: none. */
  lastWorking: Working;
  /** The first WORKING record; the spare one follows the last. */
  working: Working;
  /**
   * FAULT_* of the topmost, then leftmost invalid access, with its surface, pixel and mask; and the number of faults.
   */
  fault: i32;
  faultSurface: Surface;
  faultX: i32;
  faultY: i32;
  faultMask: i32;
  faults: u32;
  /** The STAGING through which tiles are loaded and stored. */
  staging: Staging;
  /** The first DEFERRED STORE, their number, and the tile of the last one. */
  deferred: usize;
  deferredCount: u32;
  deferredTile: i32;
  /** Scratch: four texels in stored form; two texels decoded to words. */
  get texel(): usize {
    return pastFields(this);
  }
  get words(): usize {
    return this.texel + LANES * VECTOR_BYTES;
  }
  get otherWords(): usize {
    return this.words + VECTOR_BYTES;
  }
  /** COUNTERS u64. */
  get counters(): usize {
    return this.otherWords + VECTOR_BYTES;
  }
  /** First and last DEFERRED STORE of each list. */
  get firstDeferred(): usize {
    return this.counters + ((COUNTERS * sizeof<u64>() + VECTOR_PAD) & ~VECTOR_PAD);
  }
  get lastDeferred(): usize {
    return this.firstDeferred + DEFERRED_LISTS * sizeof<usize>();
  }
  /** Address of the first WORKING record, as in LoadStoreUnit.working. */
  get past(): usize {
    return this.lastDeferred + DEFERRED_LISTS * sizeof<usize>();
  }
}
