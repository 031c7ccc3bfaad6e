// Codes and sizes of load/store records. Both compilers read this file.

/**
 * A unit caches as many tiles of 64×64 pixels as it accesses surfaces, and this many more. surface/cache.ts explains
 * the number.
 */
export const SPARE_TILES = 3;

export const FAULT_NONE = 0;
/** Coordinates outside the surface. */
export const FAULT_OUTSIDE = 1;
/** A mask without samples. */
export const FAULT_EMPTY_MASK = 2;
/** A mask with samples that the surface does not have. */
export const FAULT_FOREIGN_MASK = 3;

/** Indices of counters. Accesses that were made. */
export const COUNT_LOADS = 0;
export const COUNT_STORES = 1;
/** Stores that took over a similar value of their pixel. */
export const COUNT_MERGED_NEAR = 2;
/** Accesses whose tile was not in the cache. */
export const COUNT_MISSES = 3;
/** Blocks fetched. */
export const COUNT_FETCHES = 4;
/** Tiles written back, and those of them that another worker had changed since a block was fetched. */
export const COUNT_WRITE_BACKS = 5;
export const COUNT_OVERTAKEN = 6;
/** Bytes of the surfaces' pages that were read and written for these accesses. */
export const COUNT_BYTES_READ = 7;
export const COUNT_BYTES_WRITTEN = 8;
export const COUNTERS = 9;

/** Maximum number of DEFERRED STORES (load-store-unit.ts): as many as a tile has pixels. */
export const MAX_DEFERRED = 4096;
