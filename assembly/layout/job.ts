// JOB: a chunk of a pass, given to workers. Each of them claims units of geometry by an atomic counter until there are none, waits for the
// others, then claims tiles. Main thread and workers read and write it by Atomics alone where both may touch a word at once.
//
//   JOB ──> UNITs, in the order of the draws ──> SEGMENTs: parts of draws
//    │                └──> BINs of the unit, triangle records in the arena
//    └──> EXECUTORs: what each worker has of its own (PASS, GEOMETRY, tile context, statistics)
//
// A unit's triangles take effect behind those of all units before it, whoever made them and when. Where a unit ends is decided by the
// commands; where a chunk ends is decided by the bytes of its units, in their order: see JOB_SOFT_BYTES.

/** Grows with each job: who waits for one waits for this to change. */
export const JOB_SEQUENCE = 0;
/** Workers that have not left the job yet; the last one tells the main thread. */
export const JOB_LEFT = 8;
/** JOB_FLAG_*. */
export const JOB_FLAGS = 12;
/** No geometry of the pass comes after this job's: where all of it was done, tiles are finished. */
export const JOB_FLAG_LAST = 1;
/** Grows with each pass. */
export const JOB_PASS = 16;
export const JOB_UNITS = 20;
export const JOB_UNIT_COUNT = 24;
/** Address of an array of a u32 a unit: its BINs; 0 for units that shade vertices, so that no chunk ends before the first triangles. */
export const JOB_LISTS = 28;
/** Next unit and next tile to claim. */
export const JOB_NEXT_UNIT = 32;
export const JOB_NEXT_TILE = 36;
export const JOB_TILES = 40;
/** STATUS_TIMEOUT, or STATUS_NEEDS_MEMORY of a tile, of the first worker that had it, JOB_ABORT; 0 as long as all is well. Whoever sees it set leaves. */
export const JOB_STATUS = 44;
/** The main thread wants no result any more; or a worker has thrown. */
export const JOB_ABORT = 255;
/** The unit, plus 1, at which the arena was full, and the segment in it, which says where to go on; 0: none. */
export const JOB_STOP = 48;
export const JOB_STOP_SEGMENT = 52;
/** Changes when a unit ends or the job is given up: what workers wait on within a job. */
export const JOB_BELL = 56;
/** The arena's next free slab, its end, and bytes of a slab. */
export const JOB_SLAB = 60;
export const JOB_SLABS_END = 64;
export const JOB_SLAB_BYTES = 68;
/**
 * Bytes of units, in their order and without what is lost between slabs: the unit with which they reach the first is the chunk's last one;
 * a unit that would make them exceed the second stops at that triangle. A unit that is not the oldest under way waits for that when
 * it has taken the third. The difference of the first two is the third, so that it makes no difference which unit was the oldest when.
 */
export const JOB_SOFT_BYTES = 72;
export const JOB_HARD_BYTES = 76;
export const JOB_SHARE_BYTES = 80;
/** Of each so many bytes of slabs one part may be lost at their ends. */
export const SLAB_PARTS = 8;
/** Address of the EXECUTORs. */
export const JOB_EXECUTORS = 88;
/** Milliseconds that one call of a kernel may take. */
export const JOB_TIMEOUT_MS = 92;
/** DIRECTORY (modules.ts); 0 where nothing is compiled. */
export const JOB_DIRECTORY = 96;
/** Units that the chunk has, when its tiles are run. */
export const JOB_END = 104;
/** Bytes of the device's memory: a worker whose view of it is shorter looks again. */
export const JOB_MEMORY_BYTES = 100;
export const JOB_BYTES = 128;

/** UNIT. 0 until it is done or the chunk ended within it. */
export const UNIT_STATE = 0;
export const UNIT_DONE = 1;
/** All units before this one must be done before it begins. */
export const UNIT_AFTER = 4;
/** Address of the first SEGMENT, and how many. */
export const UNIT_SEGMENTS = 8;
export const UNIT_SEGMENT_COUNT = 12;
/** Bytes of the arena that it took, when it is done. */
export const UNIT_USED = 16;
/** The counters (STAT_*) of its geometry. */
export const UNIT_COUNTERS = 24;
export const UNIT_BYTES = 128;

/** SEGMENT. Fields that its kind does not have mean nothing. */
export const SEGMENT_DRAW = 0;
export const SEGMENT_KIND = 4;
/** Instances, or positions in one of them, whose vertices are shaded for this segment alone. */
export const SEGMENT_LIST = 0;
/** Vertices SEGMENT_FIRST … SEGMENT_END of a RANGE; no triangles. */
export const SEGMENT_SHADE = 1;
/** Triangles SEGMENT_FIRST … SEGMENT_END of an instance whose vertices are a RANGE, shaded by units before. */
export const SEGMENT_EMIT = 2;
export const SEGMENT_FLAGS = 8;
/** It is the draw's first. */
export const SEGMENT_FLAG_START = 1;
/** Its first batch was begun in an earlier chunk. */
export const SEGMENT_FLAG_RESUMED = 2;
/** Which of the pass's draws it is. */
export const SEGMENT_NUMBER = 12;
/** First instance (from 0), first position in it, and (24 …) three words of a strip under way: vertices since its start, the last two indices. */
export const SEGMENT_INSTANCE = 16;
export const SEGMENT_POSITION = 20;
export const SEGMENT_INSTANCE_END = 36;
export const SEGMENT_POSITION_END = 40;
/** The first primitive of the first batch, and the first triangle of its fan. */
export const SEGMENT_CURSOR = 44;
export const SEGMENT_FAN = 48;
export const SEGMENT_RANGE = 52;
export const SEGMENT_FIRST = 56;
export const SEGMENT_END = 60;
/** SEGMENT_SHADE, when it is done: outcodes of its vertices, joined. */
export const SEGMENT_CODES = 64;
export const SEGMENT_BYTES = 80;

/** RANGE: the vertices of one instance, in memory that all workers read. */
export const RANGE_PACKETS = 0;
export const RANGE_POSITIONS = 4;
export const RANGE_OUTCODES = 8;
export const RANGE_CORNERS = 12;
/** The number of the first worker's extra vertices (packet.ts); those of the next ones follow. */
export const RANGE_EXTRA = 16;
/** Outcodes of all vertices, joined. */
export const RANGE_CODES = 20;
/** The SEGMENT_SHADEs of its vertices: address of the first, and how many. */
export const RANGE_SEGMENTS = 24;
export const RANGE_SEGMENT_COUNT = 28;
export const RANGE_RECORD_BYTES = 32;

/** EXECUTOR: what one worker has of its own. */
export const EXECUTOR_PASS = 0;
export const EXECUTOR_GEOMETRY = 4;
export const EXECUTOR_CONTEXT = 8;
export const EXECUTOR_ARENA = 12;
/** STATISTICS of geometry, emptied into each unit, and of tiles. */
export const EXECUTOR_UNIT_STATISTICS = 16;
export const EXECUTOR_STATISTICS = 20;
/** Register file of fragment programs. */
export const EXECUTOR_REGISTERS = 24;
/** JOB_PASS that its tile context was made for. */
export const EXECUTOR_PREPARED = 28;
export const EXECUTOR_BYTES = 32;
