// What a kernel returns.

export const STATUS_DONE = 0;
/**
 * The arena (or a list) is full; nothing of the unfinished step was changed; shade the tiles, empty it, and call again.
 */
export const STATUS_NEEDS_MEMORY = 1;
/** A loop ran past the deadline: the device is to be lost. */
export const STATUS_TIMEOUT = 2;
/** A draw has gone on for longer than draws may: the device is to be lost. */
export const STATUS_TOO_LONG = 6;
/** The work budget of this call is used up; call again. */
export const STATUS_YIELD = 3;
/**
 * What a program reads is not there yet: its warp is put aside (warp.ts); or the tile has changed nothing, and is to be
 * run from its beginning when the pages of its MISSES are there (texture-stream.ts).
 */
export const STATUS_WAITS = 4;
/** Warps of the tile wait for pages: to be called again, in the same context, when these are there. */
export const STATUS_PARKED = 5;
