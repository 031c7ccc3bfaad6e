// Codes and sizes of geometry records. Both compilers read this file.

/**
 * Vertices of index ranges that are shaded together if a single instance has fewer. Their packets fit a second-level
 * cache.
 */
export const RANGE_VERTICES = 4096;

export const PHASE_BEGIN = 0;
export const PHASE_FILL = 1;
export const PHASE_SHADE = 2;
export const PHASE_EMIT = 3;
/** A stage that emits runs, and its output is set up. */
export const PHASE_AMPLIFY = 4;
/** Three corners, and one for each of fifteen planes. */
export const POLYGON_BYTES = 80;

/** Four lanes of a stage that emits 256 vertices, the maximum, fill one batch. */
export const BATCH_VERTICES = 1024;
export const BATCH_PRIMITIVES = 2048;
/** Maximum number of stages that emit, and forks, on a path through a table. */
export const MAX_NESTED = 64;
/** Where the run of nested stages was interrupted: before a group of a stage, or between batches of its patches. */
export const INTERRUPTED_AT_GROUP = 1;
export const INTERRUPTED_IN_PATCHES = 2;
/** Size of a batch's list of primitives: u16 numbers of vertices. */
export const PRIMITIVE_LIST_BYTES = 16384;
/**
 * Number of u64 entries: vertex index, generation << 10 | position in the batch. Four times the number of vertices
 * keeps probe sequences short.
 */
export const HASH_ENTRIES = 4096;
/** Shift that turns a 32-bit product into an entry's index. */
export const HASH_SHIFT = 20;
/** Space for BATCH_VERTICES + EXTRA_VERTICES packets with MAX_VARYINGS, 272 bytes each. */
export const PACKET_BYTES = 287776;
