// SITE: a place in a compiled shader where textures are read. Several are read at once if they share coordinates,
// sampler and level.
//
// The shader has a SITE DESCRIPTION of each. For a draw call, assembly/texture/sites/sites.ts turns it and the bound
// resources into a SITE record, and selects the function for format, filter and address modes. For each quad, compiled
// code then stores the operands, calls the kernel's `runSite` with the record's address, and loads the results.

import { TexelAccess } from '../texture/quad-read';
import { CHANNELS_BYTES, pastFields, sizeOf, VECTOR_BYTES } from '../record';
import { SITE_MAX_TEXTURES } from './site-codes';
import { Texture, TextureLevel } from '../texture/texture';
import { Access, Warp } from './warp';

/** Number of v128 at Site.operands; byte offsets among them of v and of the level. */
// @ts-ignore: decorator
@inline const SITE_OPERANDS = 12;
// @ts-ignore: decorator
@inline export const SITE_OPERAND_V = VECTOR_BYTES;
// @ts-ignore: decorator
@inline export const SITE_OPERAND_W = 2 * VECTOR_BYTES;
// @ts-ignore: decorator
@inline export const SITE_OPERAND_LEVEL = 4 * VECTOR_BYTES;
/** v128 for each texture at Site.texels. */
const SITE_TEXEL_VECTORS = 8;
// @ts-ignore: decorator
@inline const SITE_TEXEL_BYTES = SITE_TEXEL_VECTORS * VECTOR_BYTES;
/** Shift of the offset of a texture's results in SiteTexture.flags. */
// @ts-ignore: decorator
@inline const SITE_RESULTS_SHIFT = 16;

/** SITE DESCRIPTION: a site as the compiler describes it. */
@unmanaged
export class SiteDescription {
  /** Number of textures, 1 to SITE_MAX_TEXTURES. */
  count: u32;
  /** MODE_* (texture-codes.ts); for loads MODE_LEVEL with SiteDescription.load. */
  mode: u32;
  /** 1: texels are loaded by their coordinates, without sampling. */
  load: u32;
  /** Resource index; OPERAND_NONE (opcodes.ts) for loads. */
  sampler: u32;
  /** Constant offset in texels. */
  offsetX: i32;
  offsetY: i32;
  offsetZ: i32;
  /** Bit i: operand i is present (order of Site.operands). */
  operands: u32;
  /** 1: the level operand is 0 in all pixels. */
  baseLevel: u32;
  /** SITE_MAX_TEXTURES words: resource index | wanted channels (bit c) << 16. */
  get textures(): usize {
    return pastFields(this);
  }
  get past(): usize {
    return this.textures + SITE_MAX_TEXTURES * sizeof<u32>();
  }
}

/** A texture of a site. */
@unmanaged
export class SiteTexture {
  texture: Texture;
  /** Wanted channels in memory order (bit c), SITE_SRGB, SITE_BLUE_FIRST, and the byte offset of its results << 16. */
  flags: u32;
  /** How the general path reads its texels. */
  get texels(): TexelAccess {
    return changetype<TexelAccess>(changetype<usize>(this) + offsetof<SiteTexture>());
  }
  get past(): usize {
    return changetype<usize>(this.texels) + sizeOf<TexelAccess>();
  }
  /** Where its channels go: four v128. */
  results(site: Site): usize {
    return site.results + (this.flags >> SITE_RESULTS_SHIFT);
  }
  /** The texture's level at a byte distance from its record. */
  level(distance: usize): TextureLevel {
    return changetype<TextureLevel>(changetype<usize>(this.texture) + distance);
  }
}

/** A page of a streamed texture, in which the texels of a quad were in one level. The next quad mostly reads it too. */
@unmanaged
export class SitePage {
  /** Column and row of its first texel in the level. */
  left: i32;
  top: i32;
  /**
   * The last texel of a row and of a column, counted in the page; if reads are filtered, the last that has a neighbour
   * in it. −1: no page is known.
   */
  lastX: i32;
  lastY: i32;
  /** Where the level's first texel would be if the whole level were stored like the page. */
  origin: usize;
}

/** Textures of a site that share texel positions, and the function that reads them. */
@unmanaged
export class SitePart {
  /** Slot in the kernel's function table. */
  slot: u32;
  /** Range of addresses in Site.textures. */
  first: usize;
  end: usize;
  /** SITE_LOD_*. */
  lod: i32;
  /** The level that the previous quad used. The next one mostly uses the same. */
  guess: i32;
  /** Minimum and maximum level that the sampler and the texture allow. */
  low: f32;
  high: f32;
  /** Streamed textures: TextureStream.version when the pages were found. */
  version: u32;
  /** Streamed textures: the pages in the level `guess` and in the next one. */
  get page(): SitePage {
    return changetype<SitePage>(pastFields(this));
  }
  get nextPage(): SitePage {
    return changetype<SitePage>(changetype<usize>(this.page) + sizeOf<SitePage>());
  }
  get past(): usize {
    return changetype<usize>(this.nextPage) + sizeOf<SitePage>();
  }
}

/** For a quad in one level, a v128 each: where its texels are, and their weights. */
@unmanaged
export class SiteTaps {
  /** Byte offsets of the texels (0,0) (1,0) (0,1) (1,1). */
  get offsets00(): usize {
    return changetype<usize>(this);
  }
  get offsets10(): usize {
    return this.offsets00 + VECTOR_BYTES;
  }
  get offsets01(): usize {
    return this.offsets10 + VECTOR_BYTES;
  }
  get offsets11(): usize {
    return this.offsets01 + VECTOR_BYTES;
  }
  /** Weights for bytes in x; fractions in x and y. */
  get weights(): usize {
    return this.offsets11 + VECTOR_BYTES;
  }
  get fx(): usize {
    return this.weights + VECTOR_BYTES;
  }
  get fy(): usize {
    return this.fx + VECTOR_BYTES;
  }
  get past(): usize {
    return this.fy + VECTOR_BYTES;
  }
}

/** SITE: see the top of the file. */
@unmanaged
export class Site {
  /** Slot in the kernel's function table. */
  slot: u32;
  /** Number of textures. */
  count: u32;
  /** The WARP record, whose ACCESS record the general path uses. */
  warp: Warp;
  /** The part that is being read. */
  part: SitePart;
  partCount: u32;
  /**
   * The fields of an ACCESS record (warp.ts) up to its scratch: the first texture of the part, the sampler, one quad,
   * and addresses of Site.operands.
   */
  get access(): Access {
    return changetype<Access>(pastFields(this));
  }
  /** SITE TEXTUREs, part by part. */
  get textures(): usize {
    return changetype<usize>(this.access) + changetype<usize>(changetype<Access>(0).scratch);
  }
  /** SITE PARTs. */
  get parts(): usize {
    return this.textures + SITE_MAX_TEXTURES * sizeOf<SiteTexture>();
  }
  /** v128 each: u, v, w, layer, level, compare, ddx u v w, ddy u v w (types as at Access.u, warp.ts). */
  get operands(): usize {
    return this.parts + SITE_MAX_TEXTURES * sizeOf<SitePart>();
  }
  /** v128 each: four channels of each texture. Channels that are not wanted are undefined. */
  get results(): usize {
    return this.operands + SITE_OPERANDS * VECTOR_BYTES;
  }
  /** For a quad in one level, and in the next level. */
  get taps(): SiteTaps {
    return changetype<SiteTaps>(this.results + SITE_MAX_TEXTURES * CHANNELS_BYTES);
  }
  get nextTaps(): SiteTaps {
    return changetype<SiteTaps>(changetype<usize>(this.taps) + sizeOf<SiteTaps>());
  }
  /** Levels of detail of four lanes. */
  get lods(): usize {
    return this.nextTaps.past;
  }
  /** For each texture of the part, eight v128 that site-bytes.ts uses. */
  get texels(): usize {
    return this.lods + VECTOR_BYTES;
  }
  get past(): usize {
    return this.texels + SITE_MAX_TEXTURES * SITE_TEXEL_BYTES;
  }
}
