// SURFACE: a plane (colour, depth or stencil) of a multisampled texture, as memory holds it: encoded, tile by tile.
//
//   SURFACE ──> a SURFACE TILE for each 64×64 pixels ──> pages of the POOL, as many as what the tile holds needs
//
// What a tile holds, by its state:
//   SURFACE_CLEAR   nothing: all samples hold SurfaceTile.clear
//   SURFACE_1SPP    a texel a pixel, in the order of tile.ts (4096 texels)
//   SURFACE_SUBSET  blocks of any state, one after the other, as the tile's block states and offsets say
//   SURFACE_FULL    a texel a sample: 64 blocks as they are when full
//
// What a block of 8×8 pixels holds, by its state:
//   SURFACE_CLEAR   nothing
//   SURFACE_1SPP    64 texels
//   SURFACE_SUBSET  a SUBSETS record
//   SURFACE_FULL    a texel a sample, layer by layer (tile.ts): 64 pixels of 4 samples for each; of two samples, 64
//                   pixels of 2
//
// A block's bytes may go on from one page to the next; a texel, or a part of 16 bytes, never does. All records are
// written and read by one worker at a time: that of the tile, or who holds SurfaceTile.lock.

import { TILE_BLOCKS, TILE_SHIFT } from './limits';
import { Plane } from './plane';
import { pastFields, sizeOf } from './record';
import { BLOCK_PIXELS } from './tile-order';

@unmanaged
export class SurfaceTile {
  /** SURFACE TILE. */
  state: i32;
  /** Held by who changes or reads the tile in a pass that reaches it by instructions; 0: free. */
  lock: i32;
  /** Pages held, and bytes in them that mean something. */
  pageCount: u32;
  length: u32;
  /** The clear value as a texel, repeated to 16 bytes. */
  get clear(): usize { return pastFields(this); }
  /** SURFACE_SUBSET: u8 a block, SURFACE_*. */
  get blockStates(): usize { return this.clear + 16; }
  /** SURFACE_SUBSET: u16 a block, where its bytes begin, in 16 bytes. */
  get blockOffsets(): usize { return this.blockStates + TILE_BLOCKS; }
  /** u32: addresses of the pages held. */
  get pages(): usize { return this.blockOffsets + TILE_BLOCKS * 2; }
}

@unmanaged
export class Surface {
  /** FORMAT_*; depth of 32 bits as FORMAT_DEPTH32FLOAT, stencil as FORMAT_STENCIL8. */
  format: i32;
  /** Bytes of a texel: 1, 2, 4, 8 or 16. */
  texelBytes: i32;
  /** 2, 4, 8 or 16. */
  samples: i32;
  /** Pixels. */
  width: i32;
  height: u32;
  tilesX: i32;
  tileCount: i32;
  /** Address of the first SURFACE TILE, and bytes from one to the next. */
  tilesAddress: usize;
  tileStride: u32;
  /** POOL record. */
  pool: Pool;
  /** 0: every tile that was stored is SURFACE_FULL (surfaceEncoding: false). */
  encodes: u32;
  /**
   * f32, per channel: samples of a pixel that are stored together are held as one when no channel differs by more; 0:
   * when they are equal bit for bit.
   */
  threshold: f32;
  /**
   * u32 counters, added to atomically: pages held; u64 in two words each: bytes of pages that were read and written,
   * whoever did, and what they would be if every sample lay there.
   */
  pagesHeld: i32;
  moved: u64;
  movedFull: u64;
  /** 1: no tile holds anything, and all samples of all hold the texel at Surface.clear. 0: that is not known. */
  uniform: u32;
  /** That texel, repeated to 16 bytes. */
  get clear(): usize { return pastFields(this); }
  get past(): usize { return this.clear + 16; }
  tile(index: i32): SurfaceTile { return changetype<SurfaceTile>(this.tilesAddress + index * this.tileStride); }
  /** Number of the tile that a pixel lies in. */
  tileOf(x: i32, y: i32): i32 { return (y >> TILE_SHIFT) * this.tilesX + (x >> TILE_SHIFT); }
  holds(x: i32, y: i32): bool { return <u32>x < <u32>this.width && <u32>y < this.height; }
  /** A bit for each sample of a pixel. */
  get whole(): i32 { return (1 << this.samples) - 1; }
}

@unmanaged
export class Reads {
  /** READS: of a surface, texels that were read one by one, and the bytes of pages that were read for that. */
  surface: Surface;
  texels: u32;
  moved: u32;
}

@unmanaged
export class Subsets {
  /**
   * SUBSETS: bit pixel of the pixels that hold more than one value (u64); how many further values there are (u32); 4
   * bytes of nothing. Then, each part up to 16 bytes: a texel a pixel (the value of sample 0); where some pixel has
   * more than one further value, u16 for each such pixel, in order: its first further value's number, and one more at
   * the end; u16 for each further value: its samples; the further values. Samples in no mask hold the pixel's first
   * value.
   */
  divided: u64;
  count: u32;
  get texels(): usize { return pastFields(this); }
  /** Where the other parts begin, for texels of so many bytes: the numbers, the masks, the further values. */
  numbers(bytes: i32): usize { return this.texels + up16(BLOCK_PIXELS * bytes); }
  masks(bytes: i32): usize { return this.numbers(bytes) + numberBytes(<u32>popcnt<u64>(this.divided), this.count); }
  values(bytes: i32): usize { return this.masks(bytes) + up16(this.count << 1); }
  /** The number of the first further value of a pixel, that so many of several values come before. */
  @inline first(bytes: i32, before: usize): usize {
    return this.count == <u32>popcnt<u64>(this.divided) ? before : load<u16>(this.numbers(bytes) + (before << 1));
  }
}
/** Of the numbers of a SUBSETS record with so many pixels of several values and further values. */
export function numberBytes(pixels: u32, count: u32): u32 { return count == pixels ? 0 : up16((pixels + 1) << 1); }
export function up16(bytes: u32): u32 { return (bytes + 15) & ~15; }

@unmanaged
export class Pool {
  /** u64: the address of the first free page (0: none), and above it a number that grows with each change. */
  head: u64;
  /** Address of a u32 for each 4096 bytes of memory: the next free page behind the one that lies there. */
  links: usize;
  /** Free pages. */
  free: i32;
  /** Address of the SURFACE for which a page was missing; 0: none. */
  missed: Surface;
  /** Scratch of countStates: eight u32. */
  get counts(): usize { return pastFields(this); }
  get past(): usize { return this.counts + 8 * 4; }
}

@unmanaged
export class Staging {
  /** What is stored, or loaded: a tile's colour, a working tile, or `own`. */
  plane: Plane;
  /** For planes of samples that have no states of their own. */
  get own(): Plane { return changetype<Plane>(pastFields(this)); }
  /**
   * What a store finds, for each block: state (u8), bytes (u32), pixels of more than one value (u64), further values
   * (u32).
   */
  get foundStates(): usize { return changetype<usize>(this.own) + ((sizeOf<Plane>() + 15) & ~15); }
  get foundBytes(): usize { return this.foundStates + TILE_BLOCKS; }
  get foundCounts(): usize { return this.foundBytes + TILE_BLOCKS * 4; }
  get foundPerSample(): usize { return this.foundCounts + TILE_BLOCKS * 4; }
  /** What `own` names. */
  get ownStates(): usize { return this.foundPerSample + TILE_BLOCKS * 8; }
  get ownPerSample(): usize { return this.ownStates + TILE_BLOCKS; }
  get ownClear(): usize { return this.ownPerSample + TILE_BLOCKS * 8; }
  /** Merging: what was read for it; the texels of one pixel's samples as four words each, and their masks. */
  get reads(): Reads { return changetype<Reads>(this.ownClear + 16); }
  get words(): usize { return changetype<usize>(this.reads) + ((sizeOf<Reads>() + 15) & ~15); }
  /** A block as memory holds it. */
  get block(): usize { return this.words + 16 * 16 + 16 * 2; }
  get past(): usize { return this.block + BLOCK_PIXELS * 16 * 16; }
}
