// QUAD READ: a texture read of four pixels at once (texture/quad.ts), a pixel a lane. Each may read another level,
// layer or face.
//
//   fields │ addresses │ texels: of four taps, four channels │ fractions │ channels: of a level, the next, a slice …

import { BlockCache } from './block-texture';
import { pastFields, sizeOf } from './record';
import { Reads } from './surface';
import { Misses } from './texture-stream';

/** Surfaces whose reads are counted side by side, before they are added up. */
export const READ_SURFACES: u32 = 4;

/** How texels of a format are read. */
@unmanaged
export class TexelAccess {
  /** CLASS_* (texture/classes.ts). */
  textureClass: i32;
  channelCount: i32;
  texelBytes: i32;
  /** Slot of what decodes them: (addresses, out, taps) → nothing (texture/texels.ts). */
  fetch: u32;
}

@unmanaged
export class QuadRead {
  format: TexelAccess;
  /** Channels that somebody reads, in memory's order (bit c). */
  wanted: u32;
  /** Surfaces in QuadRead.reads. */
  readCount: u32;
  /** Warps of pixels: what they read that is not there; 0: nothing may be. */
  misses: Misses;
  /** The worker whose pages of decoded blocks are read, and its cache; 0: nothing is read that needs it. */
  worker: u32;
  decoded: BlockCache;
  /** Addresses of the texels (0,0) (1,0) (0,1) (1,1), a v128 each. */
  get addresses(): usize { return pastFields(this); }
  /** Of each of these four channels, a v128 each. */
  get texels(): usize { return this.addresses + 4 * 16; }
  /** Fractions in x, y and z. */
  get fx(): usize { return this.texels + 4 * 64; }
  get fy(): usize { return this.fx + 16; }
  get fz(): usize { return this.fy + 16; }
  /** Volumes: bytes from the first slice to the second. */
  get apart(): usize { return this.fz + 16; }
  /** Four channels each: what is read, the next level, the next slice, the other filter's. */
  get result(): usize { return this.apart + 16; }
  get next(): usize { return this.result + 64; }
  get slice(): usize { return this.next + 64; }
  get other(): usize { return this.slice + 64; }
  /** Of ellipses (texture/ellipse.ts): sums of four channels; probes of each pixel; their places, and the axis. */
  get sums(): usize { return this.other + 64; }
  get probes(): usize { return this.sums + 64; }
  get probeU(): usize { return this.probes + 16; }
  get probeV(): usize { return this.probeU + 16; }
  get probeW(): usize { return this.probeV + 16; }
  get axisU(): usize { return this.probeW + 16; }
  get axisV(): usize { return this.axisU + 16; }
  get axisW(): usize { return this.axisV + 16; }
  /** Reads of warps: what `format` is the address of. */
  get own(): TexelAccess { return changetype<TexelAccess>(this.axisW + 16); }
  /** What loads of samples have read since the program began, by surface. */
  get reads(): usize { return changetype<usize>(this.own) + sizeOf<TexelAccess>(); }
  readsOf(index: u32): Reads { return changetype<Reads>(this.reads + index * sizeOf<Reads>()); }
  get past(): usize { return this.reads + READ_SURFACES * sizeOf<Reads>(); }
}
