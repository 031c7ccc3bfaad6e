// Codes and sizes of streamed textures. Both compilers read this file.

/** Size of TextureStream.zeros. */
export const ZERO_BYTES = 64;
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
