// SITE: a place in a compiled program where textures are read, many at once where they share coordinates, sampler and
// level.
//
// The program carries a SITE_DESCRIPTION of each. For a draw, assembly/texture/sites.ts makes a SITE record of it and
// the bound resources: it chooses the function for format, filter and address modes. Compiled code then does, for each
// quad: store the operands, call the kernel's `runSite` with the record's address, load the results.

import { TexelAccess } from './quad-read';
import { pastFields, sizeOf } from './record';
import { SITE_MOST_TEXTURES } from './site-codes';
import { Texture, TextureLevel } from './texture';
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
  offsetZ: i32;
  /** Bit i: operand i (order of Site.operands) is there. */
  operands: u32;
  /** SITE_MOST_TEXTURES words: resource index | wanted channels (bit c) << 16. */
  get textures(): usize { return pastFields(this); }
  get past(): usize { return this.textures + SITE_MOST_TEXTURES * 4; }
}

/** A texture of a site. */
@unmanaged
export class SiteTexture {
  texture: Texture;
  /** Wanted channels in memory's order (bit c), SITE_SRGB, SITE_BLUE_FIRST, and the offset of its results << 16. */
  flags: u32;
  /** How the general way reads its texels. */
  get texels(): TexelAccess { return changetype<TexelAccess>(changetype<usize>(this) + offsetof<SiteTexture>()); }
  get past(): usize { return changetype<usize>(this.texels) + sizeOf<TexelAccess>(); }
  /** Where its channels go: four v128. */
  results(site: Site): usize { return site.results + (this.flags >> 16); }
  /** Address of the texels of its level at that distance from its record. */
  level(distance: usize): TextureLevel {
    return changetype<TextureLevel>(changetype<usize>(this.texture) + distance);
  }
}

/** Textures of a site that share places, and the function that reads them. */
@unmanaged
export class SitePart {
  /** Slot in the kernel's function table. */
  slot: u32;
  /** Addresses in Site.textures. */
  first: usize;
  end: usize;
  /** SITE_LOD_*. */
  lod: i32;
  /** The level of the quad before, which this one's mostly is. */
  guess: i32;
  /** The least and the greatest level that the sampler and the texture allow. */
  low: f32;
  high: f32;
}

/** Of a quad in one level, v128 each: where its texels lie, and how they weigh. */
@unmanaged
export class SiteTaps {
  /** Byte offsets of the texels (0,0) (1,0) (0,1) (1,1). */
  get offsets00(): usize { return changetype<usize>(this); }
  get offsets10(): usize { return this.offsets00 + 16; }
  get offsets01(): usize { return this.offsets10 + 16; }
  get offsets11(): usize { return this.offsets01 + 16; }
  /** Weights of bytes in x; fractions in x and y. */
  get weights(): usize { return this.offsets11 + 16; }
  get fx(): usize { return this.weights + 16; }
  get fy(): usize { return this.fx + 16; }
  get past(): usize { return this.fy + 16; }
}

@unmanaged
export class Site {
  /** Slot in the kernel's function table. */
  slot: u32;
  /** Textures. */
  count: u32;
  /** The WARP record, whose ACCESS record general reads use. */
  warp: Warp;
  /** The part that is read. */
  part: SitePart;
  partCount: u32;
  /**
   * The fields of an ACCESS record (warp.ts) up to its scratch: the first texture of the part, the sampler, one
   * quad, and addresses of Site.operands.
   */
  get access(): Access { return changetype<Access>(pastFields(this)); }
  /** SITE TEXTURES, part by part. */
  get textures(): usize { return changetype<usize>(this.access) + changetype<usize>(changetype<Access>(0).scratch); }
  /** SITE PARTS. */
  get parts(): usize { return this.textures + SITE_MOST_TEXTURES * sizeOf<SiteTexture>(); }
  /** v128 each: u, v, w, layer, level, compare, ddx u v w, ddy u v w (types as at Access.u …, warp.ts). */
  get operands(): usize { return this.parts + SITE_MOST_TEXTURES * sizeOf<SitePart>(); }
  /** v128 each: four channels of each texture. Those that are not wanted mean nothing. */
  get results(): usize { return this.operands + 12 * 16; }
  /** Of a quad in one level and in the next. */
  get taps(): SiteTaps { return changetype<SiteTaps>(this.results + SITE_MOST_TEXTURES * 64); }
  get nextTaps(): SiteTaps { return changetype<SiteTaps>(changetype<usize>(this.taps) + sizeOf<SiteTaps>()); }
  /** Levels of detail of four lanes. */
  get lods(): usize { return this.nextTaps.past; }
  /** Of each texture of the part: eight v128 of site-bytes.ts. */
  get texels(): usize { return this.lods + 16; }
  get past(): usize { return this.texels + SITE_MOST_TEXTURES * 128; }
}
