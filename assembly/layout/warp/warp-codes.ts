// Codes and sizes of warp records. Both compilers read this file.

/** Warps of a pool: one for the entries of tiles, and two for parts of shaders (WarpPool). */
export const POOL_WARPS = 3;

/**
 * Maximum number of warps for one triangle in a tile (each quad may be a warp), and maximum number of warps for the
 * contents of a tile's packers. The latter are two for each slot, plus those of ordered and unordered draw calls.
 */
export const MAX_TRIANGLE_WARPS = 1024;
export const MAX_OPEN_WARPS = 16;
