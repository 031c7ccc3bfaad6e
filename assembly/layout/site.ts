// SITE: a place in a compiled program where textures are read, several at once where they share coordinates, sampler and level.
//
// The program carries a SITE_DESCRIPTION of each. For a draw, assembly/texture/sites.ts makes a SITE record of it and the bound resources:
// it chooses the function for format, filter and address modes. Compiled code then does, for each quad: store the operands, call
// the kernel's `runSite` with the record's address, load the results.

import { ACCESS_SCRATCH, Access, Warp } from './warp';
import { SITE_MOST_TEXTURES, SITE_PART_BYTES, SITE_PLACE_BYTES, SITE_TEXELS_BYTES, SITE_TEXTURE_BYTES } from './site-codes';

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
  get textures(): usize { return changetype<usize>(this) + SITE_DESCRIPTION_TEXTURES; }
}
export const SITE_DESCRIPTION_TEXTURES: usize = (offsetof<SiteDescription>() + 15) & ~15;
export const SITE_DESCRIPTION_BYTES: usize = SITE_DESCRIPTION_TEXTURES + SITE_MOST_TEXTURES * 4;

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
  /** The fields of an ACCESS record (program.ts) up to its scratch: the first texture of the part, the sampler, one quad, and addresses of Site.operands. */
  get access(): Access { return changetype<Access>(changetype<usize>(this) + SITE_ACCESS); }
  /** For each texture: its record; wanted channels in memory's order (bit c), SITE_SRGB, SITE_BLUE_FIRST, and the offset of its results << 16. */
  get textures(): usize { return changetype<usize>(this) + SITE_TEXTURES; }
  /** Parts: textures that share places. Slot of the function; first texture | end << 8 | SITE_LOD_* << 16. */
  get parts(): usize { return changetype<usize>(this) + SITE_PARTS; }
  /** For the part that begins at each of Site.textures, at the same distances: the level of the quad before, which this one's mostly is. */
  get guesses(): usize { return changetype<usize>(this) + SITE_GUESSES; }
  /** In the same way, two f32: the least and the greatest level that the sampler and the texture allow. */
  get limits(): usize { return changetype<usize>(this) + SITE_LIMITS; }
  /** v128 each: u, v, w, layer, level, compare, ddx u v w, ddy u v w (types as at Access.u …, program.ts). */
  get operands(): usize { return changetype<usize>(this) + SITE_OPERANDS; }
  /** v128 each: four channels of each texture. Those that are not wanted mean nothing. */
  get results(): usize { return changetype<usize>(this) + SITE_RESULTS; }
  /**
   * Two places, of a quad in one level and in the next. v128 each: byte offsets of the texels (0,0) (1,0) (0,1) (1,1), weights of bytes in x,
   * fractions in x and y; then a word, whether the texels of each row lie side by side in all lanes.
   */
  get offsets00(): usize { return changetype<usize>(this) + SITE_OFFSETS00; }
  get offsets10(): usize { return changetype<usize>(this) + SITE_OFFSETS10; }
  get offsets01(): usize { return changetype<usize>(this) + SITE_OFFSETS01; }
  get offsets11(): usize { return changetype<usize>(this) + SITE_OFFSETS11; }
  get weights(): usize { return changetype<usize>(this) + SITE_WEIGHTS; }
  get fx(): usize { return changetype<usize>(this) + SITE_FX; }
  get fy(): usize { return changetype<usize>(this) + SITE_FY; }
  get together(): usize { return changetype<usize>(this) + SITE_TOGETHER; }
  /** Levels of detail of four lanes. */
  get lods(): usize { return changetype<usize>(this) + SITE_LODS; }
  /** Of each texture of the part: eight v128 of site-inside.ts. */
  get texels(): usize { return changetype<usize>(this) + SITE_TEXELS; }
}
export const SITE_ACCESS: usize = (offsetof<Site>() + 15) & ~15;
export const SITE_TEXTURES: usize = SITE_ACCESS + ACCESS_SCRATCH;
export const SITE_PARTS: usize = SITE_TEXTURES + SITE_MOST_TEXTURES * SITE_TEXTURE_BYTES;
export const SITE_GUESSES: usize = SITE_PARTS + SITE_MOST_TEXTURES * SITE_PART_BYTES;
export const SITE_LIMITS: usize = SITE_GUESSES + SITE_MOST_TEXTURES * SITE_TEXTURE_BYTES;
export const SITE_OPERANDS: usize = SITE_LIMITS + SITE_MOST_TEXTURES * SITE_TEXTURE_BYTES;
export const SITE_RESULTS: usize = SITE_OPERANDS + 12 * 16;
export const SITE_OFFSETS00: usize = SITE_RESULTS + SITE_MOST_TEXTURES * 64;
export const SITE_OFFSETS10: usize = SITE_OFFSETS00 + 16;
export const SITE_OFFSETS01: usize = SITE_OFFSETS10 + 16;
export const SITE_OFFSETS11: usize = SITE_OFFSETS01 + 16;
export const SITE_WEIGHTS: usize = SITE_OFFSETS11 + 16;
export const SITE_FX: usize = SITE_WEIGHTS + 16;
export const SITE_FY: usize = SITE_FX + 16;
export const SITE_TOGETHER: usize = SITE_FY + 16;
export const SITE_LODS: usize = SITE_TOGETHER + (16 + SITE_PLACE_BYTES);
export const SITE_TEXELS: usize = SITE_LODS + 16;
export const SITE_BYTES: usize = SITE_TEXELS + SITE_MOST_TEXTURES * SITE_TEXELS_BYTES;
