// The states of work that may wait for non-resident pages, and the events that change them. Work is a warp, a tile, the
// geometry of a chunk, a task of it, or a job of workgroups. Its life cycle is drawn in docs/internals/late-data.md.
// Both compilers read this file.

/** No worker has begun it. */
export const WORK_NEW = 0;
/** A worker runs it. */
export const WORK_RUNNING = 1;
/** It misses pages and keeps what it has done. It will resume where it stopped. */
export const WORK_PARKED = 2;
/** It misses pages, and nothing that it has done remains. It will be replayed from its beginning. */
export const WORK_UNDONE = 3;
/** Its pages are resident. Any worker may run it. */
export const WORK_READY = 4;
/** It has taken effect. A tile that runs in parts may become ready once more, for its next part. */
export const WORK_DONE = 5;
/** It will never be done. */
export const WORK_FAILED = 6;

/** An event is the state to which it leads, and above these bits, a bit for each state in which it may happen. */
export const WORK_STATE_BITS = 3;
/** A worker claims the work. */
export const WORK_BEGINS = WORK_RUNNING | (((1 << WORK_NEW) | (1 << WORK_READY)) << WORK_STATE_BITS);
/** It stops at a missing page; or nobody has claimed it, and its pages may be evicted again. */
export const WORK_PARKS = WORK_PARKED | (((1 << WORK_RUNNING) | (1 << WORK_READY)) << WORK_STATE_BITS);
/** Its run is discarded; or what is parked of it is; or nobody has claimed it, and its pages may be evicted again. */
export const WORK_IS_UNDONE =
  WORK_UNDONE | (((1 << WORK_RUNNING) | (1 << WORK_PARKED) | (1 << WORK_READY)) << WORK_STATE_BITS);
/** Its pages have arrived; or it is new and will be begun in a later job; or its next part may run. */
export const WORK_IS_READY =
  WORK_READY | (((1 << WORK_NEW) | (1 << WORK_PARKED) | (1 << WORK_UNDONE) | (1 << WORK_DONE)) << WORK_STATE_BITS);
export const WORK_ENDS = WORK_DONE | ((1 << WORK_RUNNING) << WORK_STATE_BITS);
/** The pass has failed: a page cannot be loaded, the budget is too small, or a shader has run for too long. */
export const WORK_FAILS =
  WORK_FAILED
  | (((1 << WORK_RUNNING) | (1 << WORK_PARKED) | (1 << WORK_UNDONE) | (1 << WORK_READY)) << WORK_STATE_BITS);

/** Maximum number of pages that a tile notes in one run. */
export const MAX_MISSES = 62;
/** LateWork.count after the main thread has read the pages. */
export const MISSES_READ = -1;
/** Maximum number of a worker's tile contexts in a pass that reads streamed textures. */
export const MAX_SLOTS = 32;

/**
 * Maximum number of pending reads of a parked warp, and bits of the scoreboard of registers that these reads name.
 * Register numbers are taken modulo the number of bits.
 */
export const MAX_PENDING = 8;
export const SCOREBOARD_BITS = 4096;
/** Bytes of code that a warp runs ahead at a time before it is parked. */
export const RUN_AHEAD_BYTES = 240;
