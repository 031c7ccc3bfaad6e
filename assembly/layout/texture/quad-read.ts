// QUAD READ: a texture read of four pixels at once (texture/quad.ts), one pixel per lane. Each lane may read another
// level, layer or face.
//
//   fields │ addresses │ texels: of four taps, four channels │ fractions │ channels: of a level, the next, a slice …

import { BlockCache } from './block-texture';
import { CHANNELS_BYTES, pastFields, sizeOf, VECTOR_BYTES } from '../record';
import { PixelReads } from '../surface/surface';
import { Misses } from '../late/late-work';

/** Number of surfaces whose reads are counted in parallel before they are added up. */
export const READ_SURFACES: u32 = 8;

/** Texels that one filtered read in a level combines: (0,0) (1,0) (0,1) (1,1). */
// @ts-ignore: decorator
@inline export const TAPS = 4;
// @ts-ignore: decorator
@inline export const TAPS_BYTES = TAPS * VECTOR_BYTES;

/** TEXEL ACCESS: how texels of a format are read. */
@unmanaged
export class TexelAccess {
  /** CLASS_* (texture/texels/classes.ts). */
  textureClass: i32;
  channelCount: i32;
  texelBytes: i32;
  /** Function table slot of their decoder: (addresses, out, taps) → nothing (texture/texels/texels.ts). */
  fetch: u32;
}

/** QUAD READ: see the top of the file. */
@unmanaged
export class QuadRead {
  format: TexelAccess;
  /** Channels that are used, in memory order (bit c). */
  wanted: u32;
  /** Number of surfaces in QuadRead.reads. */
  readCount: u32;
  /** Warps of pixels: where non-resident pages are noted; 0: all pages are resident. */
  misses: Misses;
  /** The worker whose pages of decoded blocks are read, and its BLOCK CACHE; 0: no read needs it. */
  worker: u32;
  decoded: BlockCache;
  /** Addresses of the texels (0,0) (1,0) (0,1) (1,1), a v128 each. */
  get addresses(): usize {
    return pastFields(this);
  }
  /** Four channels of each of these texels, a v128 each. */
  get texels(): usize {
    return this.addresses + TAPS * VECTOR_BYTES;
  }
  /** Cube maps (texture/addresses/cubes.ts): the face of each pixel's direction, and its coordinates there, 0 to 1. */
  get faces(): usize {
    return this.texels + TAPS * CHANNELS_BYTES;
  }
  get faceS(): usize {
    return this.faces + VECTOR_BYTES;
  }
  get faceT(): usize {
    return this.faceS + VECTOR_BYTES;
  }
  /** Fractions in x, y and z. */
  get fx(): usize {
    return this.faceT + VECTOR_BYTES;
  }
  get fy(): usize {
    return this.fx + VECTOR_BYTES;
  }
  get fz(): usize {
    return this.fy + VECTOR_BYTES;
  }
  /** 3d textures: bytes from the first slice to the second. */
  get apart(): usize {
    return this.fz + VECTOR_BYTES;
  }
  /** Four channels each: the result, the next level, the next slice, the result of the other filter. */
  get result(): usize {
    return this.apart + VECTOR_BYTES;
  }
  get next(): usize {
    return this.result + CHANNELS_BYTES;
  }
  get slice(): usize {
    return this.next + CHANNELS_BYTES;
  }
  get other(): usize {
    return this.slice + CHANNELS_BYTES;
  }
  /**
   * Anisotropic filtering (texture/ellipse.ts): sums of four channels; number of probes of each pixel; the probes'
   * positions and the axis.
   */
  get sums(): usize {
    return this.other + CHANNELS_BYTES;
  }
  get probes(): usize {
    return this.sums + CHANNELS_BYTES;
  }
  get probeU(): usize {
    return this.probes + VECTOR_BYTES;
  }
  get probeV(): usize {
    return this.probeU + VECTOR_BYTES;
  }
  get probeW(): usize {
    return this.probeV + VECTOR_BYTES;
  }
  get axisU(): usize {
    return this.probeW + VECTOR_BYTES;
  }
  get axisV(): usize {
    return this.axisU + VECTOR_BYTES;
  }
  get axisW(): usize {
    return this.axisV + VECTOR_BYTES;
  }
  /** Reads of warps: the TEXEL ACCESS that `format` refers to. */
  get own(): TexelAccess {
    return changetype<TexelAccess>(this.axisW + VECTOR_BYTES);
  }
  /** What loads of samples have read since the shader began, by surface. */
  get reads(): usize {
    return changetype<usize>(this.own) + sizeOf<TexelAccess>();
  }
  readsOf(index: u32): PixelReads {
    return changetype<PixelReads>(this.reads + index * sizeOf<PixelReads>());
  }
  get past(): usize {
    return this.reads + READ_SURFACES * sizeOf<PixelReads>();
  }
}
