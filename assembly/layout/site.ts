// SITE: a place in a compiled program where textures are read, many at once where they share coordinates, sampler and
// level.
//
// The program carries a SITE_DESCRIPTION of each. For a draw, assembly/texture/sites.ts makes a SITE record of it and
// the bound resources: it chooses the function for format, filter and address modes. Compiled code then does, for each
// quad: store the operands, call the kernel's `runSite` with the record's address, load the results.

import { pastFields } from './record';
import {
  SITE_MOST_TEXTURES, SITE_PART_BYTES, SITE_TAPS_BYTES, SITE_TEXELS_BYTES, SITE_TEXTURE_BYTES,
} from './site-codes';
import { Access, Warp } from './warp';

@unmanaged
export class SiteDescription {
  /** SITE_DESCRIPTION, u32 each: textures, 1 … SITE_MOST_TEXTURES. */
  count: u32;
  /** MODE_* (texture.ts); for loads MODE_LEVEL with SiteDescription.load. */
  mode: u32;
  /** 1: texels are loaded by number, nothing is sampled. */
  load: u32;
  /** Resource index; OPERAND_NONE (opcodes.ts) for loads. */
  sampler: u32;
  /** i32, texels. */
  offsetX: i32;
  offsetY: i32;
  /** Bit i: operand i (order of Site.operands) is there. */
  operands: u32;
  /** SITE_MOST_TEXTURES words: resource index | wanted channels (bit c) << 16. */
  get textures(): usize { return pastFields(this); }
  get past(): usize { return this.textures + SITE_MOST_TEXTURES * 4; }
}

@unmanaged
export class Site {
  /** Slot in the kernel's function table. */
  slot: u32;
  /** Textures. */
  count: u32;
  /** The WARP record, whose ACCESS record general reads use. */
  warp: Warp;
  /** The part that is read: addresses in Site.textures, and SITE_LOD_*. */
  first: usize;
  end: usize;
  lod: i32;
  partCount: u32;
  /**
   * The fields of an ACCESS record (warp.ts) up to its scratch: the first texture of the part, the sampler, one
   * quad, and addresses of Site.operands.
   */
  get access(): Access { return changetype<Access>(pastFields(this)); }
  /**
   * For each texture: its record; wanted channels in memory's order (bit c), SITE_SRGB, SITE_BLUE_FIRST, and the offset
   * of its results << 16.
   */
  get textures(): usize { return changetype<usize>(this.access) + changetype<usize>(changetype<Access>(0).scratch); }
  /** Parts: textures that share places. Slot of the function; first texture | end << 8 | SITE_LOD_* << 16. */
  get parts(): usize { return this.textures + SITE_MOST_TEXTURES * SITE_TEXTURE_BYTES; }
  /**
   * For the part that begins at each of Site.textures, at the same distances: the level of the quad before, which this
   * one's mostly is.
   */
  get guesses(): usize { return this.parts + SITE_MOST_TEXTURES * SITE_PART_BYTES; }
  /** In the same way, two f32: the least and the greatest level that the sampler and the texture allow. */
  get limits(): usize { return this.guesses + SITE_MOST_TEXTURES * SITE_TEXTURE_BYTES; }
  /** v128 each: u, v, w, layer, level, compare, ddx u v w, ddy u v w (types as at Access.u …, warp.ts). */
  get operands(): usize { return this.limits + SITE_MOST_TEXTURES * SITE_TEXTURE_BYTES; }
  /** v128 each: four channels of each texture. Those that are not wanted mean nothing. */
  get results(): usize { return this.operands + 12 * 16; }
  /**
   * Two places, of a quad in one level and in the next. v128 each: byte offsets of the texels (0,0) (1,0) (0,1) (1,1),
   * weights of bytes in x, fractions in x and y; then a word, whether the texels of each row lie side by side in all
   * lanes.
   */
  get offsets00(): usize { return this.results + SITE_MOST_TEXTURES * 64; }
  get offsets10(): usize { return this.offsets00 + 16; }
  get offsets01(): usize { return this.offsets10 + 16; }
  get offsets11(): usize { return this.offsets01 + 16; }
  get weights(): usize { return this.offsets11 + 16; }
  get fx(): usize { return this.weights + 16; }
  get fy(): usize { return this.fx + 16; }
  get together(): usize { return this.fy + 16; }
  /** Levels of detail of four lanes. */
  get lods(): usize { return this.together + 16 + SITE_TAPS_BYTES; }
  /** Of each texture of the part: eight v128 of site-inside.ts. */
  get texels(): usize { return this.lods + 16; }
  get past(): usize { return this.texels + SITE_MOST_TEXTURES * SITE_TEXELS_BYTES; }
}
