// SURFACE: a plane (colour, depth or stencil) of a multisampled texture in memory, encoded tile by tile.
//
//   SURFACE ──> a SURFACE TILE for each 64×64 pixels ──> pages of the POOL, as many as the tile's contents need
//
// Contents of a tile, by its state:
//   SURFACE_CLEAR    nothing: all samples hold SurfaceTile.clear
//   SURFACE_UNIFORM  nothing: all samples hold SurfaceTile.value
//   SURFACE_1SPP     one texel per pixel, in the order of tile-order.ts (4096 texels)
//   SURFACE_SUBSET   blocks of any state, one after the other, as the tile's block states and offsets say
//   SURFACE_FULL     one texel per sample: 64 blocks in their full form
//
// Contents of a block of 8×8 pixels, by its state:
//   SURFACE_CLEAR    nothing
//   SURFACE_UNIFORM  one texel, repeated to 16 bytes
//   SURFACE_1SPP     64 texels
//   SURFACE_PLANE    the plane of a triangle's depth, DEPTH_PLANE_BYTES (surface/depth-planes.ts)
//   SURFACE_SUBSET   a SUBSETS record
//   SURFACE_FULL     one texel per sample, layer by layer (tile-order.ts): 64 pixels of 4 samples for each. With two
//                    samples, 64 pixels of 2
//
// A block's bytes may continue from one page to the next; a texel, or an aligned part of 16 bytes, never does. One
// worker at a time reads or writes a record: the worker that runs the tile, or the one that holds SurfaceTile.lock.

import { TILE_BLOCKS, TILE_SHIFT } from '../limits';
import { COUNTS_BYTES, spreadBits, up16 } from './packed';
import { Plane } from './plane';
import { pastFields, QUAD_VECTORS_BYTES, sizeOf, VECTOR_BYTES, VECTOR_PAD } from '../record';
import { BLOCK_PIXELS } from './tile-order';

/** Maximum number of samples of a pixel. */
// @ts-ignore: decorator
@inline const MAX_SAMPLES = 16;
/** Words of Pool.counts. */
// @ts-ignore: decorator
@inline const STATE_COUNTS = 8;

/** Bytes of a stored plane: Triangle.x0 to zMax, and four that are zero. */
// @ts-ignore: decorator
@inline export const DEPTH_PLANE_BYTES = 32;

/** SURFACE TILE: the stored form of a tile. */
@unmanaged
export class SurfaceTile {
  /** SURFACE_*. */
  state: i32;
  /**
   * Used in passes whose shaders access the surface. Bit 0: a worker that changes or reads the tile holds the lock. The
   * other bits are the tile's version, which each write-back changes.
   */
  lock: i32;
  /** Number of pages held. */
  pageCount: u32;
  /** Number of meaningful bytes in them. */
  length: u32;
  /** The clear value as a texel, repeated to 16 bytes. */
  get clear(): usize {
    return pastFields(this);
  }
  /** SURFACE_SUBSET: u8 per block, SURFACE_*. */
  get blockStates(): usize {
    return this.clear + VECTOR_BYTES;
  }
  /** SURFACE_UNIFORM: the value as a texel, repeated to 16 bytes. */
  get value(): usize {
    return this.blockStates;
  }
  /** SURFACE_SUBSET: u16 per block, offset of its bytes in units of 16 bytes. */
  get blockOffsets(): usize {
    return this.blockStates + TILE_BLOCKS;
  }
  /** u32: addresses of the pages held. */
  get pages(): usize {
    return this.blockOffsets + TILE_BLOCKS * sizeof<u16>();
  }
}

/** SURFACE: see the top of the file. */
@unmanaged
export class Surface {
  /** FORMAT_*; 32-bit depth as FORMAT_DEPTH32FLOAT, stencil as FORMAT_STENCIL8. */
  format: i32;
  /** Bytes of a texel: 1, 2, 4, 8 or 16. */
  texelBytes: i32;
  /** Samples per pixel: 2, 4, 8 or 16. */
  samples: i32;
  /** Size in pixels. */
  width: i32;
  height: u32;
  tilesX: i32;
  tileCount: i32;
  /** Address of the first SURFACE TILE, and bytes from one to the next. */
  tilesAddress: usize;
  tileStride: u32;
  pool: Pool;
  /** 0: every stored tile is SURFACE_FULL (surfaceEncoding: false). */
  encodes: u32;
  /**
   * Samples of a pixel are stored as one value if no channel differs by more than this. 0: only if they are equal bit
   * for bit.
   */
  threshold: f32;
  /** Number of pages held, updated atomically. */
  pagesHeld: i32;
  /** Bytes of pages that all workers read and wrote, updated atomically. */
  moved: u64;
  /** What `moved` would be without encoding. */
  movedFull: u64;
  /** 1: no tile holds any pages, and all samples of all tiles hold the texel at Surface.clear. 0: unknown. */
  uniform: u32;
  /** The clear value, see `uniform`: a texel, repeated to 16 bytes. */
  get clear(): usize {
    return pastFields(this);
  }
  get past(): usize {
    return this.clear + VECTOR_BYTES;
  }
  tile(index: i32): SurfaceTile {
    return changetype<SurfaceTile>(this.tilesAddress + index * this.tileStride);
  }
  /** Number of the tile that contains a pixel. */
  tileOf(x: i32, y: i32): i32 {
    return (y >> TILE_SHIFT) * this.tilesX + (x >> TILE_SHIFT);
  }
  holds(x: i32, y: i32): bool {
    return <u32>x < <u32>this.width && <u32>y < this.height;
  }
  /** Mask of all samples of a pixel. */
  get whole(): i32 {
    return (1 << this.samples) - 1;
  }
}

/** READS: texels that were read one by one from a surface, and the bytes of pages that were read for them. */
@unmanaged
export class Reads {
  surface: Surface;
  texels: u32;
  moved: u32;
  /** The last texel's pixel: the number of values that are stored for it; 0: one for each sample. */
  values: u32;
  /** If it is more than 1: the samples that hold the texel. Bits beyond the last sample may be set. */
  mask: i32;
  /** Index of the next of the `depths`, modulo DEPTHS. */
  next: u32;
  /** Scratch: the plane of a block. */
  get plane(): usize {
    return pastFields(this);
  }
  /** Ring of depths that were computed from planes. */
  get depths(): usize {
    return this.plane + DEPTH_PLANE_BYTES;
  }
  get past(): usize {
    return this.depths + DEPTHS * sizeof<f32>();
  }
}

/** Depths of READS: a few times as many as a quad reads before it decodes them. */
// @ts-ignore: decorator
@inline export const DEPTHS = 16;

/** PIXEL READS: what the lanes of a warp have read from one surface since their shader began. */
@unmanaged
export class PixelReads {
  get reads(): Reads {
    return changetype<Reads>(this);
  }
  /** v128 per quad: x | y << 16 of the pixel that each lane read last. */
  get places(): usize {
    return changetype<usize>(this) + sizeOf<Reads>();
  }
  /** v128 per quad: address of that pixel's texel if it is stored with one value, else 0. */
  get texels(): usize {
    return this.places + QUAD_VECTORS_BYTES;
  }
  get past(): usize {
    return this.texels + QUAD_VECTORS_BYTES;
  }
}

/**
 * SUBSETS: a block whose pixels hold one or more values. The fields are followed by these parts, each padded to 16
 * bytes:
 *
 * - `texels`: one texel per pixel, the value of sample 0.
 * - `counts`: for each quad, a u16 with the numbers of further values of its pixels, four bits each. Absent if every
 *   pixel in `divided` has exactly one further value.
 * - `masks`: for each further value, a u16: the samples that hold it.
 * - `values`: the further values, quad by quad: the second values of the quad's pixels that have one, then their third
 *   values, and so on. Both a vector of them and the masks of a vector thus belong to pixels that follow each other.
 *
 * Samples in no mask hold the pixel's first value.
 */
@unmanaged
export class Subsets {
  /** Bit per pixel that holds more than one value. */
  divided: u64;
  /** Total number of further values. 4 unused bytes follow. */
  count: u32;
  get texels(): usize {
    return pastFields(this);
  }
  /** Whether the record has `counts`. */
  get hasCounts(): bool {
    return this.count != <u32>popcnt<u64>(this.divided);
  }
  /** Addresses of the other parts, for texels of `bytes` bytes. */
  counts(bytes: i32): usize {
    return this.texels + up16(BLOCK_PIXELS * bytes);
  }
  masks(bytes: i32): usize {
    return this.counts(bytes) + countBytes(<u32>popcnt<u64>(this.divided), this.count);
  }
  values(bytes: i32): usize {
    return this.masks(bytes) + up16(this.count << 1);
  }
  /** The numbers of further values of a quad's pixels (0…15): four bits each. */
  @inline countsOf(bytes: i32, quad: i32): i32 {
    return quadCounts(this.divided, this.hasCounts ? this.counts(bytes) : 0, quad);
  }
}
/** The numbers of a quad; `counts`: address of the `counts` part, 0 if it is absent. */
// @ts-ignore: decorator
@inline
export function quadCounts(divided: u64, counts: usize, quad: i32): i32 {
  return counts ? load<u16>(counts + ((<usize>quad) << 1)) : spreadBits((<i32>(divided >> (<u64>(quad << 2)))) & 15);
}
/** Size of the `counts` part of SUBSETS with this many divided pixels and further values. */
export function countBytes(pixels: u32, count: u32): u32 {
  return count == pixels ? 0 : COUNTS_BYTES;
}
/** POOL: the free pages of a device, a lock-free stack. */
@unmanaged
export class Pool {
  /** Low half: address of the first free page (0: none). High half: a counter that grows with each change. */
  head: u64;
  /** Address of a u32 for each 4096 bytes of memory: the free page that follows the one at that place. */
  links: usize;
  /** Number of free pages. */
  free: i32;
  /** Address of the SURFACE for which a page was missing; 0: none. */
  missed: Surface;
  /** Scratch of countStates: STATE_COUNTS u32. */
  get counts(): usize {
    return pastFields(this);
  }
  get past(): usize {
    return this.counts + STATE_COUNTS * sizeof<u32>();
  }
}

/** STAGING: intermediate form of a tile on its way to or from a SURFACE. */
@unmanaged
export class Staging {
  /** Bit per block: its depths are those of a plane in `depthPlanes`, and its texels are undefined. */
  planeBlocks: u64;
  /** The plane that is stored or loaded: a tile's colour, a WORKING tile, or `own`. */
  plane: Plane;
  /** For planes of samples that have no block states. */
  get own(): Plane {
    return changetype<Plane>(pastFields(this));
  }
  /** Found by a store, for each block: its state (u8). */
  get foundStates(): usize {
    return changetype<usize>(this.own) + ((sizeOf<Plane>() + VECTOR_PAD) & ~VECTOR_PAD);
  }
  /** For each block: its size in bytes (u32). */
  get foundBytes(): usize {
    return this.foundStates + TILE_BLOCKS;
  }
  /** For each block: number of further values (u32). */
  get foundCounts(): usize {
    return this.foundBytes + TILE_BLOCKS * sizeof<u32>();
  }
  /** For each block: pixels with more than one value (u64). */
  get foundPerSample(): usize {
    return this.foundCounts + TILE_BLOCKS * sizeof<u32>();
  }
  /** Arrays to which `own` refers. */
  get ownStates(): usize {
    return this.foundPerSample + TILE_BLOCKS * sizeof<u64>();
  }
  get ownPerSample(): usize {
    return this.ownStates + TILE_BLOCKS;
  }
  get ownClear(): usize {
    return this.ownPerSample + TILE_BLOCKS * sizeof<u64>();
  }
  /** For merging: counters of the texels that it reads. */
  get reads(): Reads {
    return changetype<Reads>(this.ownClear + VECTOR_BYTES);
  }
  /** For merging: one pixel's samples as texels of four words each, and their masks. */
  get words(): usize {
    return changetype<usize>(this.reads) + ((sizeOf<Reads>() + VECTOR_PAD) & ~VECTOR_PAD);
  }
  /** A block in its stored form. */
  get block(): usize {
    return this.words + MAX_SAMPLES * VECTOR_BYTES + MAX_SAMPLES * sizeof<u16>();
  }
  /** For each block: DEPTH_PLANE_BYTES. */
  get depthPlanes(): usize {
    return this.block + BLOCK_PIXELS * MAX_SAMPLES * VECTOR_BYTES;
  }
  get past(): usize {
    return this.depthPlanes + TILE_BLOCKS * DEPTH_PLANE_BYTES;
  }
  depthPlane(block: i32): usize {
    return this.depthPlanes + block * DEPTH_PLANE_BYTES;
  }
}
