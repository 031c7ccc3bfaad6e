// Codes and sizes of job records, for both compilers.

/** No geometry of the pass comes after this job's: where all of it was done, tiles are finished. */
export const JOB_FLAG_LAST = 1;
/** Tiles are run one after the other, in order, by the first executor: what programs write shows in which. */
export const JOB_FLAG_SERIAL = 2;
/** It is dispatches, and nothing else. */
export const JOB_FLAG_COMPUTE = 4;
/** Of the tiles, those alone are run that are LATE_AGAIN; the geometry is there. */
export const JOB_FLAG_AGAIN = 8;
/** Workers without a tile may join others at theirs (share.ts). */
export const JOB_FLAG_SHARES = 16;
/** For tests: tiles are opened when they are begun, and wait for others. */
export const JOB_FLAG_OPENS = 32;
/** Its tasks are the next chunk's; of this one, those tiles are run that are LATE_AGAIN, or become so. */
export const JOB_FLAG_AHEAD = 64;
/** With that: geometry comes before tiles that can go on. */
export const JOB_FLAG_VERTICES_FIRST = 128;
/** The main thread wants no result any more; or a worker has thrown. */
export const JOB_ABORT = 255;
/** Of each so many bytes of slabs one part may be lost at their ends. */
export const SLAB_PARTS = 8;
export const TASK_DONE = 1;
/** It is done, and its vertices have read pages that are not there. */
export const TASK_MISSED = 2;
/** What a worker leaves to others: tasks of geometry; tiles. */
export const EXECUTOR_NO_TASKS = 1;
export const EXECUTOR_NO_TILES = 2;
/** Instances, or positions in one of them, whose vertices are shaded for this segment alone. */
export const SEGMENT_LIST = 0;
/** Vertices Segment.first … Segment.end of a RANGE; no triangles. */
export const SEGMENT_SHADE = 1;
/** Triangles Segment.first … Segment.end of an instance whose vertices are a RANGE, shaded by tasks before. */
export const SEGMENT_EMIT = 2;
/** It is the draw's first. */
export const SEGMENT_FLAG_START = 1;
/** Its first batch was begun in an earlier chunk. */
export const SEGMENT_FLAG_RESUMED = 2;
/** What comes of it is appended to buffers, where it stays: its chunk must not end before its task. */
export const SEGMENT_FLAG_APPENDS = 4;
