// Codes of warp records, for both compilers.

/** Warps of a pool: the one that entries of tiles go to, and those for parts of programs (warp.ts). */
export const POOL_WARPS = 3;
