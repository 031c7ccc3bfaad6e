// Codes and sizes of pass records, for both compilers.

export const BIN_BLOCK_CAPACITY = 30;

/** tileRun flags. */
export const TILE_FLAG_LAST = 1;
/** Warps that read pages which are not there are put aside, and with them the tile. */
export const TILE_FLAG_PARKS = 2;
/** The call that begins a tile gives way before its first triangle. */
export const TILE_FLAG_BEGIN = 4;
export const STAT_FLAG_BLOCKS = 1;
/** Times by part (warp/clock.ts). */
export const STAT_FLAG_TIMES = 2;
/** Warps of each stage (Stage.runs) of every draw; without it, of vertex stages of tables of more than one. */
export const STAT_FLAG_STAGES = 4;
/** Not in the kernel. */
export const PART_OUTSIDE = 0;
/** Fetch, index remapping, the vertex program. */
export const PART_VERTEX = 1;
/** Culling, clipping, planes, bins. */
export const PART_SETUP = 2;
/** The walk of a tile's list: coverage, depth, stencil, ids; with it the warps of draws that are shaded in order. */
export const PART_RASTER = 3;
/** A tile's flush: packing, and the warps of what is visible. */
export const PART_SHADE = 4;
/** Loading, resolving and storing tiles. */
export const PART_RESOLVE = 5;
