// Codes of warp records, for both compilers.

/** Warps of a pool: the one that entries of tiles go to, and those for parts of programs (warp.ts). */
export const POOL_WARPS = 3;

/** Reads of a stopped warp that may be pending, and bits of registers that they name, of any number modulo these. */
export const MOST_PENDING = 8;
export const SCOREBOARD_BITS = 4096;
/** Bytes of code that a stopped warp runs on at a time. */
export const RUN_ON_BYTES = 240;

/**
 * Warps that the quads of a triangle are in a tile, where each is one of its own; and that what the packers of a tile
 * hold is: two of each slot, and some of draws in order or without.
 */
export const MOST_TRIANGLE_WARPS = 1024;
export const MOST_OPEN_WARPS = 16;
