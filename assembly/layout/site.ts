// SITE: a place in a compiled program where textures are read, several at once where they share coordinates, sampler and level.
//
// The program carries a SITE_DESCRIPTION of each. For a draw, assembly/texture/sites.ts makes a SITE record of it and the bound resources:
// it chooses the function for format, filter and address modes. Compiled code then does, for each quad: store the operands, call
// the kernel's `runSite` with the record's address, load the results.

/** SITE_DESCRIPTION, u32 each: textures, 1 … SITE_MOST_TEXTURES. */
export const DESCRIPTION_COUNT = 0;
/** MODE_* (texture.ts); for loads MODE_LEVEL with DESCRIPTION_LOAD. */
export const DESCRIPTION_MODE = 4;
/** 1: texels are loaded by number, nothing is sampled. */
export const DESCRIPTION_LOAD = 8;
/** Resource index; OPERAND_NONE (opcodes.ts) for loads. */
export const DESCRIPTION_SAMPLER = 12;
/** i32, texels. */
export const DESCRIPTION_OFFSET_X = 16;
export const DESCRIPTION_OFFSET_Y = 20;
/** Bit i: operand i (order of SITE_OPERANDS) is there. */
export const DESCRIPTION_OPERANDS = 24;
/** SITE_MOST_TEXTURES words: resource index | wanted channels (bit c) << 16. */
export const DESCRIPTION_TEXTURES = 32;
export const DESCRIPTION_BYTES = 64;
export const SITE_MOST_TEXTURES = 8;

/** Slot in the kernel's function table. */
export const SITE_SLOT = 0;
/** Textures. */
export const SITE_COUNT = 4;
/** The WARP record, whose ACCESS record general reads use. */
export const SITE_WARP = 8;
// From here to SITE_OPERANDS, and behind SITE_RESULTS, assembly/texture/sites.ts keeps what it found out for the draw and what it works out for a quad.
/** v128 each: u, v, w, layer, level, compare, ddx u v w, ddy u v w (types as at ACCESS_U …, program.ts). */
export const SITE_OPERANDS = 256;
/** v128 each: four channels of each texture. Those that are not wanted mean nothing. */
export const SITE_RESULTS = 448;

// Of assembly/texture alone:
/** The fields of an ACCESS record (program.ts) up to its scratch: the first texture of the part, the sampler, one quad, and addresses of SITE_OPERANDS. */
export const SITE_ACCESS = 16;
/** For each texture: its record; wanted channels in memory's order (bit c), SITE_SRGB, SITE_BLUE_FIRST, and the offset of its results << 16. */
export const SITE_TEXTURES = 112;
export const SITE_TEXTURE_BYTES = 8;
export const SITE_SRGB = 16;
/** Its value is the distance of red from blue in the results. */
export const SITE_BLUE_FIRST = 32;
/** Parts: textures that share places. Slot of the function; first texture | end << 8 | SITE_LOD_* << 16. */
export const SITE_PARTS = 176;
export const SITE_PART_BYTES = 8;
/** The part that is read: addresses in SITE_TEXTURES, and SITE_LOD_*. */
export const SITE_FIRST = 240;
export const SITE_END = 244;
export const SITE_LOD = 248;
export const SITE_PART_COUNT = 252;
/** Level 0 in all cases, the level of SITE_OPERANDS, coarse differences, or something else (level.ts). */
export const SITE_LOD_NONE = 0;
export const SITE_LOD_LEVEL = 1;
export const SITE_LOD_IMPLICIT = 2;
export const SITE_LOD_GENERAL = 3;
/**
 * Two places, of a quad in one level and in the next. v128 each: byte offsets of the texels (0,0) (1,0) (0,1) (1,1), weights of bytes in x,
 * fractions in x and y; then a word, whether the texels of each row lie side by side in all lanes.
 */
export const SITE_PLACE_00 = 960;
export const SITE_PLACE_10 = 976;
export const SITE_PLACE_01 = 992;
export const SITE_PLACE_11 = 1008;
export const SITE_WEIGHTS = 1024;
export const SITE_FX = 1040;
export const SITE_FY = 1056;
export const SITE_TOGETHER = 1072;
export const SITE_PLACE_BYTES = 128;
/** Levels of detail of four lanes. */
export const SITE_LODS = 1216;
/** For the part that begins at each of SITE_TEXTURES, at the same distances: the level of the quad before, which this one's mostly is. */
export const SITE_GUESSES = 1232;
/** In the same way, two f32: the least and the greatest level that the sampler and the texture allow. */
export const SITE_LIMITS = 1296;
/** Of each texture of the part: eight v128 of site-inside.ts. */
export const SITE_TEXELS = 1360;
export const SITE_TEXELS_BYTES = 128;
export const SITE_BYTES = 2432;
