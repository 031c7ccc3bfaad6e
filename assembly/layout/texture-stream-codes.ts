// Codes and sizes of streamed textures, for both compilers.

/** Pages that a tile notes in one run. */
export const MOST_MISSES = 62;
export const ZERO_BYTES = 64;
/** Tile contexts of a worker, of a pass that reads streamed textures. */
export const MOST_SLOTS = 32;
export const MOST_PAGE_SHIFT = 10;
export const LEAST_PAGE_SHIFT = 4;
/** The largest streamed texture: 2^16 texels on a side, in 17 levels. */
export const MOST_STREAM_TEXELS = 65536;
export const MOST_STREAM_LEVELS = 17;

/** Bytes of a page of decoded blocks at the most, and from one to the next: vector loads read behind the last texel. */
export const BLOCK_PAGE_BYTES = 16384;
export const BLOCK_PAGE_STEP = BLOCK_PAGE_BYTES + 64;
/**
 * A read of a quad looks at pages so many times at the most before it has read their texels: pages that were looked at
 * since stay. A worker has more pages than that.
 */
export const BLOCK_LOOKS = 48;
export const LEAST_BLOCK_PAGES = 64;

/** LateTile.state: the tile is done, or has not been run. */
export const LATE_NONE = 0;
/** It has read pages that are not there, and was given up, or is kept as it stands (LateTile.context). */
export const LATE_WAITS = 1;
/** It is to be run again, or to go on. */
export const LATE_AGAIN = 2;
/** It is done with the best levels that were there. */
export const LATE_DONE = 3;
/** Run dry (Misses.dry), it has found all of its pages there. */
export const LATE_FOUND = 4;
