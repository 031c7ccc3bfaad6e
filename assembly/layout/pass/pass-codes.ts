// Codes and sizes of pass records. Both compilers read this file.

/** Entries of a BinBlock. */
export const BIN_BLOCK_CAPACITY = 30;

/** tileRun flags. This is the last chunk: the tile is resolved, and its attachments get their final store. */
export const TILE_FLAG_LAST = 1;
/** Warps that read non-resident pages are parked, and the tile with them. */
export const TILE_FLAG_PARKS = 2;
/** The call that begins a tile returns before the tile's first triangle. */
export const TILE_FLAG_BEGIN = 4;
/** Statistics.flags. Block states are counted for every finished tile. */
export const STAT_FLAG_BLOCKS = 1;
/** Time per part is measured (warp/clock.ts). */
export const STAT_FLAG_TIMES = 2;
/**
 * Warps of each stage (Stage.runs) are counted for every draw call. Without it, only those of vertex stages in tables
 * of more than one stage.
 */
export const STAT_FLAG_STAGES = 4;
/** Parts of a kernel's work whose time is measured. Not in a kernel. */
export const PART_OUTSIDE = 0;
/** Vertex fetch, index remapping and vertex shaders. */
export const PART_VERTEX = 1;
/** Culling, clipping, plane equations and binning. */
export const PART_SETUP = 2;
/**
 * The walk of a tile's list: coverage, depth, stencil and triangle ids, and warps of draw calls that are shaded in
 * order.
 */
export const PART_RASTER = 3;
/** A tile's flush: packing visible quads and running their warps. */
export const PART_SHADE = 4;
/** Loading, resolving and storing tiles. */
export const PART_RESOLVE = 5;
