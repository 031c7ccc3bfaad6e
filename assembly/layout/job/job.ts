// JOB: work that is handed to workers. It is either a chunk of a render pass or a list of dispatches. For a chunk, each
// worker claims geometry tasks by an atomic counter until none are left, waits for the others, then claims tiles.
// Dispatches run one after the other. Workers claim their workgroups in blocks and wait for each other between two
// dispatches, without the main thread. Main thread and workers use Atomics for every word that both may access at a
// time.
//
//   JOB ──> TASKs, in the order of the draw calls ──> SEGMENTs: parts of draw calls
//    │                └──> BINs of the task, triangle records in the arena
//    ├──> COMPUTE STEPs: dispatches (compute.ts)
//    └──> EXECUTORs: each worker's own records (PASS, GEOMETRY, tile contexts, statistics)
//
// A task's triangles take effect after those of all earlier tasks, whichever workers ran them and when. The commands
// determine where a task ends. The sizes of the tasks in order determine where a chunk ends: see Job.softBytes.

import { DrawProgress } from '../vertex/geometry';
import { LINE_PAD, pastFields } from '../record';
import { Statistics } from '../statistics';

/** JOB: see the top of the file. */
@unmanaged
export class Job {
  /** Incremented for each job. Workers that wait for a job wait for this to change. */
  sequence: i32;
  /** Workers that have not left the job yet. The last one to leave notifies the main thread. */
  left: i32;
  /** JOB_FLAG_*. */
  flags: i32;
  /** Incremented for each pass. */
  pass: i32;
  /** Address of the first TASK, and how many. */
  tasks: i32;
  taskCount: i32;
  /**
   * Address of a u32 for each task: the address of its BINs. 0 for tasks that shade vertices, so that no chunk ends
   * before the first triangles. Also 0 for tasks that append to buffers, so that no chunk ends before them.
   */
  lists: i32;
  /** Next task and next tile to claim. */
  nextTask: i32;
  nextTile: i32;
  tiles: i32;
  /**
   * The first failure: STATUS_TIMEOUT, STATUS_TOO_LONG, STATUS_NEEDS_MEMORY of a tile, or JOB_ABORT. 0: no failure.
   * Workers that see a failure leave the job.
   */
  status: i32;
  /** With STATUS_TOO_LONG: the number of the draw call that took too long. */
  longDraw: i32;
  /** 1 + the task in which the arena became full, and the segment in it, which says where to continue; 0: none. */
  stop: i32;
  stopSegment: i32;
  /** Changes when a task ends or the job is given up. Workers wait on it within a job. */
  changeCounter: i32;
  /** The arena's next free slab, the end of the slabs, and bytes per slab. */
  slab: i32;
  slabsEnd: i32;
  slabBytes: i32;
  /**
   * Limits for the bytes of tasks, counted in task order and without what is lost at the ends of slabs:
   *
   * - `softBytes`: the task with which the sum reaches this limit is the last one of the chunk.
   * - `hardBytes`: a task that would exceed this limit stops at the triangle that would.
   * - `shareBytes`: a task that is not the oldest in progress takes no more than this, then waits to become the oldest.
   *
   * hardBytes − softBytes is shareBytes, so it makes no difference which task was the oldest at what time.
   */
  softBytes: i32;
  hardBytes: i32;
  shareBytes: i32;
  /** Address of the EXECUTORs. */
  executors: i32;
  /** Maximum time of one kernel call, in milliseconds. */
  timeoutMs: i32;
  /** DIRECTORY (modules.ts); 0 if nothing is compiled. */
  directory: i32;
  /** Size of the device's memory in bytes. A worker whose view is shorter creates a new one. */
  memoryBytes: i32;
  /** Number of tasks in the chunk, valid once its tiles run. */
  end: i32;
  /** Workers that have started to wait for jobs. */
  ready: i32;
  /** Incremented when the workers move to another device. Those still waiting then no longer belong to this one. */
  team: i32;
  /**
   * JOB_FLAG_COMPUTE: COMPUTE UNITs (compute.ts), one per worker: address of the first, number, and bytes from one to
   * the next.
   */
  units: i32;
  unitCount: i32;
  unitBytes: i32;
  /** JOB_FLAG_COMPUTE: COMPUTE STEPs: address of the first, and number. */
  steps: i32;
  stepCount: i32;
  /** Index of the current COMPUTE STEP. Workers wait for it to change and leave the job when it equals stepCount. */
  step: i32;
  /** JOB_FLAG_COMPUTE: scratch memory for prologues. */
  scratch: i32;
  /** Address of a LATE WORK (layout/late/late-work.ts) for each tile; 0: the pass reads no streamed textures. */
  late: i32;
  /** 1 until the main thread has looked at the tiles that have missed pages. */
  hasNewMisses: i32;
  /** 1: vertices have read non-resident pages. No tile runs, and all geometry of the chunk is replayed. */
  missed: i32;
  /** Milliseconds after which a parked tile that can continue takes precedence over tiles not yet begun. */
  overdueMs: i32;
  /** Job.sequence of the last job that was announced to the main thread as almost done. */
  soon: i32;
  /** JOB_FLAG_SHARES: SHAREs (share.ts), one per worker: address of the first, and number. */
  shares: i32;
  shareCount: i32;
  /** JOB_FLAG_SHARES: workers without a tile that wait for one to be opened. */
  idle: i32;
  /** `lists` of the chunk whose tiles run. It has `end` tasks. */
  tileLists: i32;
  /** JOB_FLAG_PREFETCH: numbers of workers that are busy with geometry and with tiles, and their maxima. */
  vertexWorkers: i32;
  pixelWorkers: i32;
  maxVertexWorkers: i32;
  maxPixelWorkers: i32;
  /** Address of the first worker's BLOCK CACHE (block-texture.ts), and bytes from one to the next; 0: none. */
  blockCaches: i32;
  blockCacheBytes: i32;
  /** A job occupies its own cache lines. */
  get past(): usize {
    return (changetype<usize>(this) + offsetof<Job>() + LINE_PAD) & ~LINE_PAD;
  }
}

/** TASK: a part of a chunk's geometry that one worker runs. */
@unmanaged
export class GeometryTask {
  /** WORK_NEW until the task ends, and if the chunk ended within it; then WORK_DONE or WORK_UNDONE. */
  state: i32;
  /** Number of tasks, from the first, that must be done before this one begins. */
  after: i32;
  /** Address of the first SEGMENT, and how many. */
  segments: i32;
  segmentCount: i32;
  /** Bytes that the finished task took in the arena. */
  used: i32;
  /** Counters of its geometry: the words of STATISTICS up to `flags`. */
  get counters(): usize {
    return pastFields(this);
  }
  get past(): usize {
    return this.counters + offsetof<Statistics>('flags');
  }
}

/** SEGMENT: a part of a draw call. Fields that its kind does not use are undefined. */
@unmanaged
export class Segment {
  draw: u32;
  kind: i32;
  flags: i32;
  /** Index of the draw call in the pass; of the first one with SEGMENT_CALLS. */
  number: i32;
  /**
   * A DrawProgress: first instance (from 0), first position in it, and for a strip in progress the vertices since its
   * start and the gaps before it.
   */
  instance: u32;
  position: i32;
  stripLength: i32;
  stripGaps: u32;
  instanceEnd: u32;
  positionEnd: u32;
  /** First primitive of the first batch, and first triangle of its fan. */
  cursor: u32;
  fan: u32;
  /** Address of the RANGE, or of the DRAW CALLs. */
  range: u32;
  /** The vertices, triangles or DRAW CALLs. */
  first: u32;
  end: u32;
  /** SEGMENT_SHADE, when it is done: union of its vertices' outcodes. */
  codes: i32;
  progress(): DrawProgress {
    return changetype<DrawProgress>(changetype<usize>(this) + offsetof<Segment>('instance'));
  }
}

/**
 * RANGE: the vertices of one instance, in memory that all workers read. If stages of the draw call emit, the packets
 * are the scalars of the first such stage's STAGE INPUT, padded to a multiple of four, and the other addresses are
 * undefined.
 */
@unmanaged
export class VertexRange {
  packets: usize;
  positions: usize;
  outcodes: usize;
  corners: usize;
  /** Number of the first worker's first extra vertex (packet.ts); those of the other workers follow. */
  extra: u32;
  /** Union of all vertices' outcodes. */
  codes: i32;
  /** SEGMENT_SHADEs of its vertices: address of the first, and number. */
  segments: i32;
  segmentCount: i32;
}

/** EXECUTOR: one worker's own records. */
@unmanaged
export class ExecutorRecord {
  pass: i32;
  geometry: i32;
  /** Tile contexts: address of the first, number, and bytes from one to the next. */
  contexts: i32;
  contextCount: i32;
  contextBytes: i32;
  /**
   * Bit per context that holds a waiting tile (LateWork.context). The worker that finishes such a tile clears the
   * bit.
   */
  kept: i32;
  arena: i32;
  /** STATISTICS of geometry, moved into each finished task, and of tiles. */
  taskStatistics: i32;
  statistics: i32;
  /** WARP POOL for fragment shaders. */
  pool: i32;
  /** Job.pass for which its tile contexts were prepared. */
  prepared: i32;
  /** EXECUTOR_*. A calling thread that works alone leaves no work to others. */
  flags: i32;
  /** Geometry tasks that it has done; reset together with its statistics. */
  tasksDone: i32;
}
