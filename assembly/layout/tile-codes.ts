// Codes and sizes of tile records, for both compilers.

export const DEFERRED_PACKERS = 4;
/** Kinds of draws without order whose quads gather at a time. */
export const INDEPENDENT_PACKERS = 4;
export const POSITION_SHIFT = 3;
export const COVER_SHIFT = 5;

/** Between tiles. */
export const TILE_PHASE_NONE = 0;
export const TILE_PHASE_WALK = 1;
export const TILE_PHASE_FLUSH = 2;
/** Nothing is left but warps that wait, and to store the tile. */
export const TILE_PHASE_PARKED = 3;
export const DEPTH_STORED = 0;
export const DEPTH_CLEAR = 1;

/** In Tile.stencilBlocks, beyond all values: the block's stencil is in the plane. */
export const STENCIL_STORED = 256;

/**
 * Texels are in the planes: a pixel's in Plane.pixels, or those of its samples in Plane.samples, as its bit in
 * Tile.perSample says.
 */
export const COLOR_STORED = 0;
/** All samples hold Tile.clearTexels; Tile.perSample is 0. */
export const COLOR_CLEAR = 1;
/** Quads of any triangles of the draw. */
export const PACKER_QUADS = 0;
/** The 16 quads of a block in order, all samples of one triangle. */
export const PACKER_BLOCK = 1;
/**
 * Pixels of any triangles of the draw, four of them in a group of lanes: entry i is lane i & 3 of group i >> 2. For
 * programs without derivatives.
 */
export const PACKER_PIXELS = 2;
/**
 * A block of which the results of the first quad hold for all (PROGRAM_FLAG_SAME): its entry and its results alone are
 * there, until someone wants the others.
 */
export const PACKER_SAME = 3;

/** Opaque: visibility now, colour later. */
export const MODE_DEFERRED = 0;
/** No fragment program. */
export const MODE_DEPTH_ONLY = 1;
/** Shaded in the order of primitives. */
export const MODE_ORDERED = 2;

/** Every covered sample passes, nothing is written. */
export const EARLY_NONE = 0;
/** Depth is tested and written before the program. */
export const EARLY_DEPTH = 1;
/** Stencil and depth are tested and written before the program. */
export const EARLY_STENCIL = 2;
/** Depth and stencil come after the program, but what fails now fails then: tested, not written. */
export const EARLY_REJECT = 3;
