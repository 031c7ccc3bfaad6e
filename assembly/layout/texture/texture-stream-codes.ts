// Codes and sizes of streamed textures. Both compilers read this file.

/** Maximum number of pages that a tile notes in one run. */
export const MOST_MISSES = 62;
/** Size of TextureStream.zeros. */
export const ZERO_BYTES = 64;
/** Maximum number of a worker's tile contexts in a pass that reads streamed textures. */
export const MOST_SLOTS = 32;
/** Largest and smallest TextureStream.pageShift. */
export const MOST_PAGE_SHIFT = 10;
export const LEAST_PAGE_SHIFT = 4;
/** The largest streamed texture: 2^16 texels on a side, in 17 levels. */
export const MOST_STREAM_TEXELS = 65536;
export const MOST_STREAM_LEVELS = 17;

/** Maximum size of a page of decoded blocks. */
export const BLOCK_PAGE_BYTES = 16384;
/** Bytes from one page of decoded blocks to the next. The padding allows vector loads at the last texel. */
export const BLOCK_PAGE_STEP = BLOCK_PAGE_BYTES + 64;
/**
 * Maximum number of page accesses of a quad's read before it has fetched its texels. Pages accessed that recently are
 * not replaced.
 */
export const BLOCK_LOOKS = 48;
/** Minimum number of a worker's pages of decoded blocks. It must exceed BLOCK_LOOKS. */
export const LEAST_BLOCK_PAGES = 64;

/** LateTile.state. The tile is done, or has not run. */
export const LATE_NONE = 0;
/** The tile has read non-resident pages. It was given up, or is parked (LateTile.context). */
export const LATE_WAITS = 1;
/** The tile is to be replayed or to continue. */
export const LATE_AGAIN = 2;
/** The tile is done, with the best resident levels. */
export const LATE_DONE = 3;
/** In a dry run (Misses.dry), all pages that the tile reads were resident. */
export const LATE_FOUND = 4;
