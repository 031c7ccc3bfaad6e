// Codes of warp records, for both compilers.

export const WARP_FREE = 0;
/** The one that its tile's entries go to. */
export const WARP_RUNNING = 1;
/** It has its entries, and waits; other warps overtake it. */
export const WARP_ASIDE = 2;
