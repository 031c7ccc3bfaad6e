// Status codes that kernels return.

export const STATUS_DONE = 0;
/**
 * The arena (or a list) is full, and the unfinished step has changed nothing. The caller runs the tiles, empties the
 * arena and calls again.
 */
export const STATUS_NEEDS_MEMORY = 1;
/** A loop ran past the deadline. The device is lost. */
export const STATUS_TIMEOUT = 2;
/** A draw call took longer than allowed. The device is lost. */
export const STATUS_TOO_LONG = 6;
/** The work budget of this call is used up. The caller calls again. */
export const STATUS_YIELD = 3;
/**
 * For a warp: a page that the shader reads is non-resident, and the warp is parked (warp.ts). For a tile: nothing was
 * changed, and the tile is replayed once the pages of its MISSES are resident (late/late-work.ts).
 */
export const STATUS_WAITS = 4;
/** Warps of the tile wait for pages. The caller calls again in the same context once the pages are resident. */
export const STATUS_PARKED = 5;
