// Codes and sizes of tile records. Both compilers read this file.

/** Slots for deferred draw calls whose quads are collected at the same time. */
export const DEFERRED_PACKERS = 4;
/** Kinds of unordered draw calls whose quads are collected at the same time. */
export const UNORDERED_PACKERS = 4;
export const POSITION_SHIFT = 3;
export const COVER_SHIFT = 5;

/** Tile.phase. No tile is in progress. */
export const TILE_PHASE_NONE = 0;
/** The tile's lists are being walked. */
export const TILE_PHASE_WALK = 1;
/** Visible quads are being shaded. */
export const TILE_PHASE_FLUSH = 2;
/** Only parked warps are left; after them the tile is stored. */
export const TILE_PHASE_PARKED = 3;
/** DepthBlock.source. Depths are in the plane. */
export const DEPTH_STORED = 0;
/** All samples hold DepthBlock.low. */
export const DEPTH_CLEAR = 1;

/** In Tile.stencilBlocks, beyond all values: the block's stencil values are in the plane. */
export const STENCIL_STORED = 256;

/**
 * Tile.colorBlocks. Texels are in the planes: one per pixel in Plane.pixels, or one per sample in Plane.samples, as the
 * pixel's bit in Tile.perSample says.
 */
export const COLOR_STORED = 0;
/** All samples hold the target's value of Tile.clearTexels; Tile.perSample is 0. */
export const COLOR_CLEAR = 1;
/** Packer.kind. Quads of any triangles of the draw call. */
export const PACKER_QUADS = 0;
/** The 16 quads of a block in order, with all samples covered by one triangle. */
export const PACKER_BLOCK = 1;
/**
 * Pixels of any triangles of the draw call, four of them in a group of lanes: entry i is lane i & 3 of group i >> 2.
 * For shaders without derivatives.
 */
export const PACKER_PIXELS = 2;
/**
 * A block for which the first quad's results hold throughout (PROGRAM_FLAG_UNIFORM_RESULTS). Only that quad's entry and
 * results are valid until something needs the others.
 */
export const PACKER_UNIFORM_BLOCK = 3;
/** No entries: `count` lanes that stand for the four-byte texels from Packer.texels on (fragment/sets/in-place.ts). */
export const PACKER_TEXELS = 4;

/** Tile.mode. Opaque: visibility now, colour later. */
export const MODE_DEFERRED = 0;
/** No fragment shader. */
export const MODE_DEPTH_ONLY = 1;
/** Shaded in primitive order. */
export const MODE_ORDERED = 2;

/** Tile.early: tests before the shader. Every covered sample passes, and nothing is written. */
export const EARLY_NONE = 0;
/** Depth is tested and written before the shader. */
export const EARLY_DEPTH = 1;
/** Stencil and depth are tested and written before the shader. */
export const EARLY_STENCIL = 2;
/**
 * Depth and stencil take effect after the shader, but samples that fail now would fail then. They are tested but not
 * written.
 */
export const EARLY_REJECT = 3;

/** WorkItem.kind. A block in which the triangle covers all samples. */
export const WORK_WHOLE = 0;
/** A part of a block. */
export const WORK_PART = 1;
/** A part of a block in which nothing is pending and no depth must be tested; the draw call is shaded in order. */
export const WORK_PASSED = 2;
/** A quad, with at least one sample. */
export const WORK_QUAD = 3;
/** All blocks of the tile: the triangle covers all samples, and no block has been looked at. */
export const WORK_TILE = 4;
