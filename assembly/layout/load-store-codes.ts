// Codes and sizes of load-store records, for both compilers.

/** Blocks of 8×8 pixels of a surface that are gathered at a time; why so many: surface/coalesce.ts. */
export const GATHERED_BLOCKS = 8;
/** Tiles of 64×64 pixels of a surface that are cached at a time; why so many: surface/cache.ts. */
export const WORKING_TILES = 4;

export const FAULT_NONE = 0;
/** Coordinates outside of the surface. */
export const FAULT_OUTSIDE = 1;
/** A mask without samples. */
export const FAULT_EMPTY_MASK = 2;
/** A mask that names samples which the surface does not have. */
export const FAULT_FOREIGN_MASK = 3;

/**
 * Counters, by number. Flushes of the coalescer by cause: a block was covered, room was needed, a sample came with
 * another value, the end of the tile.
 */
export const COUNT_FLUSHES_FULL = 0;
export const COUNT_FLUSHES_ROOM = 1;
export const COUNT_FLUSHES_CONFLICT = 2;
export const COUNT_FLUSHES_END = 3;
/** Flushes by form: FORM_*. */
export const COUNT_FORMS = 4;
/** Bytes that flushes of each form moved: values, masks, states and tile masks. */
export const COUNT_FORM_BYTES = 9;
/** What they would have moved as a value for each sample. */
export const COUNT_PLAIN_BYTES = 14;
/**
 * Stores that joined an entry of their pixel that was equal; that took a near value of their pixel; that came again and
 * were dropped.
 */
export const COUNT_MERGED_EXACT = 15;
export const COUNT_MERGED_NEAR = 16;
export const COUNT_DISCARDED = 17;
/** Pixels that came sample by sample and were analysed; those of them in which samples were equal. */
export const COUNT_ANALYSED = 18;
export const COUNT_ANALYSED_JOINED = 19;
/**
 * Accesses to cached tiles, tiles decoded, tiles written back, and of these those that another worker had changed
 * meanwhile.
 */
export const COUNT_HITS = 20;
export const COUNT_MISSES = 21;
export const COUNT_WRITE_BACKS = 22;
export const COUNT_OVERTAKEN = 23;
/** Accesses. */
export const COUNT_LOADS = 24;
export const COUNT_STORES = 25;
export const COUNTERS = 26;

/** Forms of a flush. All pixels in one state. */
export const FORM_ONE_STATE = 0;
/** Each value replicated for its samples. */
export const FORM_REPLICATED = 1;
/** Every pixel as values with masks. */
export const FORM_SUBSETS = 2;
/** A flush for each state, with a tile mask each. */
export const FORM_SUB_FLUSHES = 3;
/** A state with each pixel. */
export const FORM_PER_PIXEL = 4;
export const FORMS = 5;
