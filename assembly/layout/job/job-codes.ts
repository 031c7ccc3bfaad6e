// Codes and sizes of job records. Both compilers read this file.

/** The pass has no geometry after this job's. If all of it was done, tiles are finished. */
export const JOB_FLAG_LAST = 1;
/** The first executor runs the tiles one after the other, because the order is visible in what shaders write. */
export const JOB_FLAG_SERIAL = 2;
/** The job consists of dispatches only. */
export const JOB_FLAG_COMPUTE = 4;
/** Only tiles that are WORK_READY run; their geometry already exists. */
export const JOB_FLAG_READY_TILES = 8;
/** Workers without a tile may join another worker's tile (share.ts). */
export const JOB_FLAG_SHARES = 16;
/** For tests: tiles are opened as soon as they are begun, and wait for other workers. */
export const JOB_FLAG_ALWAYS_SHARES = 32;
/** The job's tasks belong to the next chunk. Of this chunk, tiles run that are or become WORK_READY. */
export const JOB_FLAG_PREFETCH = 64;
/** With JOB_FLAG_PREFETCH: geometry takes precedence over tiles that can continue. */
export const JOB_FLAG_VERTICES_FIRST = 128;
/** The main thread no longer wants a result, or a worker has thrown an exception. */
export const JOB_ABORT = 255;
/** At most one part in this many of a slab's bytes may be lost at its end. */
export const SLAB_PARTS = 8;
/** Work that an executor leaves to others: geometry tasks; tiles. */
export const EXECUTOR_NO_TASKS = 1;
export const EXECUTOR_NO_TILES = 2;
/** Instances, or positions in one of them, whose vertices are shaded for this segment alone. */
export const SEGMENT_LIST = 0;
/** Shades vertices `first` to `end` of a RANGE; no triangles. */
export const SEGMENT_SHADE = 1;
/** Triangles `first` to `end` of an instance whose vertices are a RANGE that earlier tasks shaded. */
export const SEGMENT_EMIT = 2;
/** Whole draw calls: DRAW CALLs `first` to `end` of the array at `range`. The first one may be resumed. */
export const SEGMENT_CALLS = 3;
/** The segment is the draw call's first. */
export const SEGMENT_FLAG_START = 1;
/** The segment's first batch was begun in an earlier chunk. */
export const SEGMENT_FLAG_RESUMED = 2;
/** The segment's output is appended to buffers and cannot be undone. The chunk must not end before its task. */
export const SEGMENT_FLAG_APPENDS = 4;
