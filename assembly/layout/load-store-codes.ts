// Codes and sizes of load-store records, for both compilers.

/** Tiles of 64×64 pixels of a surface that are cached at a time; why so many: surface/cache.ts. */
export const WORKING_TILES = 4;

export const FAULT_NONE = 0;
/** Coordinates outside of the surface. */
export const FAULT_OUTSIDE = 1;
/** A mask without samples. */
export const FAULT_EMPTY_MASK = 2;
/** A mask that names samples which the surface does not have. */
export const FAULT_FOREIGN_MASK = 3;

/** Counters, by number. Accesses that were made; stores that took a near value of their pixel. */
export const COUNT_LOADS = 0;
export const COUNT_STORES = 1;
export const COUNT_MERGED_NEAR = 2;
/**
 * Accesses whose tile was not in the cache; blocks fetched; tiles written back, and of these those that another worker
 * had changed since a block was fetched.
 */
export const COUNT_MISSES = 3;
export const COUNT_FETCHES = 4;
export const COUNT_WRITE_BACKS = 5;
export const COUNT_OVERTAKEN = 6;
/** Bytes of the surfaces' pages that were read and written for all that. */
export const COUNT_BYTES_READ = 7;
export const COUNT_BYTES_WRITTEN = 8;
export const COUNTERS = 9;
