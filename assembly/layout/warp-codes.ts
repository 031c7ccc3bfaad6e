// Codes of warp records, for both compilers.

/** Warps of a pool: the one that entries of tiles go to, and those for parts of programs (warp.ts). */
export const POOL_WARPS = 3;

/**
 * Warps that the quads of a triangle are in a tile, where each is one of its own; and that what the packers of a tile
 * hold is: two of each slot, and some of draws in order or without.
 */
export const MOST_TRIANGLE_WARPS = 1024;
export const MOST_OPEN_WARPS = 16;
