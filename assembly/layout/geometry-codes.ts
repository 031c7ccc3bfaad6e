// Codes and sizes of geometry records, for both compilers.

export const GEOMETRY_PRIVATE = 32;
/**
 * Vertices of index ranges that are shaded together where instances have fewer: their packets stay in a second-level
 * cache.
 */
export const RANGE_VERTICES = 4096;

export const PHASE_BEGIN = 0;
export const PHASE_FILL = 1;
export const PHASE_SHADE = 2;
export const PHASE_EMIT = 3;
/** A stage that emits is run, and what it emits is set up. */
export const PHASE_AMPLIFY = 4;
/** Three corners and one for each of fifteen planes. */
export const POLYGON_BYTES = 80;

/** Four lanes of a stage that emits 256 vertices, as many as it may, are one. */
export const BATCH_VERTICES = 1024;
export const BATCH_PRIMITIVES = 2048;
/** Stages that emit, and forks, of a way through a table, at the most. */
export const MOST_NESTED = 64;
/** Where the run of nested stages was interrupted: before a group of one, or between the batches of its patches. */
export const HELD_GROUP = 1;
export const HELD_PATCHES = 2;
/** Of the primitives of a batch: u16 numbers of vertices. */
export const PRIMITIVE_LIST_BYTES = 16384;
/** Entries of u64: vertex index, generation << 10 | place in the batch. Four times the vertices: probes stay short. */
export const HASH_ENTRIES = 4096;
/** Takes a product of 32 bits to an entry. */
export const HASH_SHIFT = 20;
/** Of BATCH_VERTICES and EXTRA_VERTICES with MAX_VARYINGS, 272 bytes each. */
export const PACKET_BYTES = 287776;
