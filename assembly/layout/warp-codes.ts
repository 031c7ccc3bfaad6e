// Codes of warp records, for both compilers.

export const WARP_FREE = 0;
/** The one that its tile's entries go to. */
export const WARP_RUNNING = 1;
/** It has its entries, and waits; other warps overtake it. */
export const WARP_ASIDE = 2;

/** Warps behind those of a pool, which no tile takes: for parts of programs (warp.ts). */
export const SPARE_WARPS = 2;
