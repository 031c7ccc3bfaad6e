// Codes and sizes of streamed textures. Both compilers read this file.

/** Maximum number of pages that a tile notes in one run. */
export const MAX_MISSES = 62;
/** Size of TextureStream.zeros. */
export const ZERO_BYTES = 64;
/** Maximum number of a worker's tile contexts in a pass that reads streamed textures. */
export const MAX_SLOTS = 32;
/** Largest and smallest TextureStream.pageShift. */
export const MAX_PAGE_SHIFT = 10;
export const MIN_PAGE_SHIFT = 4;
/** The largest streamed texture: 2^16 texels on a side, in 17 levels. */
export const MAX_STREAM_TEXELS = 65536;
export const MAX_STREAM_LEVELS = 17;

/**
 * Page tables larger than PAGE_TABLE_BYTES are sparse: their entries lie in chunks of 2^PAGE_CHUNK_SHIFT bytes, which
 * exist only where pages are resident.
 */
export const PAGE_TABLE_BYTES = 65536;
export const PAGE_CHUNK_SHIFT = 9;
/**
 * Added to the entry numbers of sparse tables. Addresses of entries are multiples of 8, so numbers and addresses never
 * coincide.
 */
export const SPARSE_ENTRY = 4;

/** Maximum size of a page of decoded blocks. */
export const BLOCK_PAGE_BYTES = 16384;
/** Bytes from one page of decoded blocks to the next. The padding allows vector loads at the last texel. */
export const BLOCK_PAGE_STEP = BLOCK_PAGE_BYTES + 64;
/**
 * Maximum number of page accesses of a quad's read before it has fetched its texels. Pages accessed that recently are
 * not replaced.
 */
export const MAX_BLOCK_PAGE_READS = 48;
/** Minimum number of a worker's pages of decoded blocks. It must exceed MAX_BLOCK_PAGE_READS. */
export const MIN_BLOCK_PAGES = 64;

/** WaitingTile.state. The tile is done, or has not run. */
export const WAITING_NONE = 0;
/** The tile has read non-resident pages. It was given up, or is parked (WaitingTile.context). */
export const WAITING_FOR_PAGES = 1;
/** The tile is to be replayed or to continue. */
export const WAITING_READY = 2;
/** The tile is done, with the best resident levels. */
export const WAITING_DONE = 3;
/** In a dry run (Misses.isDryRun), all pages that the tile reads were resident. */
export const WAITING_FOUND = 4;
