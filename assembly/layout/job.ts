// JOB: a chunk of a pass, given to workers. Each of them claims tasks of geometry by an atomic counter until there are
// none, waits for the others, then claims tiles. Or it is dispatches, one after the other, whose workgroups they claim
// in blocks: between two of them all wait for each other, and the main thread has no part in it. Main thread and
// workers read and write it by Atomics alone where both may touch a word at once.
//
//   JOB ──> TASKs, in the order of the draws ──> SEGMENTs: parts of draws
//    │                └──> BINs of the task, triangle records in the arena
//    ├──> COMPUTE STEPs: dispatches (compute.ts)
//    └──> EXECUTORs: what each worker has of its own (PASS, GEOMETRY, tile contexts, statistics)
//
// A task's triangles take effect behind those of all tasks before it, whoever made them and when. Where a task ends is
// decided by the commands; where a chunk ends is decided by the bytes of its tasks, in their order: see Job.softBytes.

import { DrawProgress } from './geometry';
import { pastFields } from './record';
import { Statistics } from './statistics';

@unmanaged
export class Job {
  /** Grows with each job: who waits for one waits for this to change. */
  sequence: i32;
  /** Workers that have not left the job yet; the last one tells the main thread. */
  left: i32;
  /** JOB_FLAG_*. */
  flags: i32;
  /** Grows with each pass. */
  pass: i32;
  tasks: i32;
  taskCount: i32;
  /**
   * Address of an array of a u32 a task: its BINs; 0 for tasks that shade vertices, so that no chunk ends before the
   * first triangles, and for tasks that append to buffers, so that no chunk ends before them.
   */
  lists: i32;
  /** Next task and next tile to claim. */
  nextTask: i32;
  nextTile: i32;
  tiles: i32;
  /**
   * STATUS_TIMEOUT, STATUS_TOO_LONG, or STATUS_NEEDS_MEMORY of a tile, of the first worker that had it, JOB_ABORT; 0
   * as long as all is well. Whoever sees it set leaves.
   */
  status: i32;
  /** The number of the draw that a worker has found to be too long. */
  longDraw: i32;
  /** The task, plus 1, at which the arena was full, and the segment in it, which says where to go on; 0: none. */
  stop: i32;
  stopSegment: i32;
  /** Changes when a task ends or the job is given up: what workers wait on within a job. */
  bell: i32;
  /** The arena's next free slab, its end, and bytes of a slab. */
  slab: i32;
  slabsEnd: i32;
  slabBytes: i32;
  /**
   * Bytes of tasks, in their order and without what is lost between slabs: the task with which they reach the first is
   * the chunk's last one; a task that would make them exceed the second stops at that triangle. A task that is not the
   * oldest under way waits for that when it has taken the third. The difference of the first two is the third, so that
   * it makes no difference which task was the oldest when.
   */
  softBytes: i32;
  hardBytes: i32;
  shareBytes: i32;
  /** Address of the EXECUTORs. */
  executors: i32;
  /** Milliseconds that one call of a kernel may take. */
  timeoutMs: i32;
  /** DIRECTORY (modules.ts); 0 where nothing is compiled. */
  directory: i32;
  /** Bytes of the device's memory: a worker whose view of it is shorter looks again. */
  memoryBytes: i32;
  /** Tasks that the chunk has, when its tiles are run. */
  end: i32;
  /** Workers that have begun to wait for jobs. */
  ready: i32;
  /** Grows when the workers are given to another device: those that still wait are not this one's any more. */
  team: i32;
  /**
   * JOB_FLAG_COMPUTE: address of the first COMPUTE UNIT (compute.ts), one a worker, how many, and bytes from one to the
   * next; address of the first COMPUTE STEP, how many, and the number of the one under way: workers wait for it to
   * change, and leave the job where it is the last one's plus 1. Scratch of prologues.
   */
  units: i32;
  unitCount: i32;
  unitBytes: i32;
  steps: i32;
  stepCount: i32;
  step: i32;
  scratch: i32;
  /** Address of a LATE TILE (texture-stream.ts) for each tile; 0: the pass reads no streamed textures. */
  late: i32;
  /** 1 as long as the main thread has not looked at tiles that are late. */
  lateBell: i32;
  /** 1: vertices have read pages that are not there. No tile is run, and all of the chunk's geometry is run again. */
  missed: i32;
  /** Milliseconds after which a kept tile that can go on is taken before tiles that nobody has begun. */
  overdueMs: i32;
  /** Job.sequence of the last job of which the main thread was told that it is done soon. */
  soon: i32;
  /**
   * With JOB_FLAG_SHARES: address of the SHAREs (share.ts), one a worker, and how many; workers that have no tile and
   * wait for one to be opened.
   */
  shares: i32;
  shareCount: i32;
  idle: i32;
  /** `lists` of the chunk whose tiles are run, which has `end` of them. */
  tileLists: i32;
  /** JOB_FLAG_AHEAD: workers that are at geometry, and at tiles; and the most that may be. */
  vertexWorkers: i32;
  pixelWorkers: i32;
  mostVertexWorkers: i32;
  mostPixelWorkers: i32;
  /** Address of the first worker's BLOCK CACHE (block-texture.ts), 0: there are none; bytes from one to the next. */
  blockCaches: i32;
  blockCacheBytes: i32;
  /** A job has cache lines of its own. */
  get past(): usize { return (changetype<usize>(this) + offsetof<Job>() + 63) & ~63; }
}

@unmanaged
export class GeometryTask {
  /** TASK_*; 0 until it is done or the chunk ended within it. */
  state: i32;
  /** All tasks before this one must be done before it begins. */
  after: i32;
  /** Address of the first SEGMENT, and how many. */
  segments: i32;
  segmentCount: i32;
  /** Bytes of the arena that it took, when it is done. */
  used: i32;
  /** The counters (STAT_*) of its geometry. */
  get counters(): usize { return pastFields(this); }
  get past(): usize { return this.counters + offsetof<Statistics>('flags'); }
}

@unmanaged
export class Segment {
  /** SEGMENT. Fields that its kind does not have mean nothing. */
  draw: u32;
  kind: i32;
  flags: i32;
  /** Which of the pass's draws it is. */
  number: i32;
  /**
   * First instance (from 0), first position in it, and of a strip under way the vertices since its start, and the gaps
   * before: a DrawProgress.
   */
  instance: u32;
  position: i32;
  stripLength: i32;
  stripGaps: u32;
  instanceEnd: u32;
  positionEnd: u32;
  /** The first primitive of the first batch, and the first triangle of its fan. */
  cursor: u32;
  fan: u32;
  range: u32;
  first: u32;
  end: u32;
  /** SEGMENT_SHADE, when it is done: outcodes of its vertices, joined. */
  codes: i32;
  progress(): DrawProgress {
    return changetype<DrawProgress>(changetype<usize>(this) + offsetof<Segment>('instance'));
  }
}

@unmanaged
export class VertexRange {
  /** RANGE: the vertices of one instance, in memory that all workers read. */
  packets: usize;
  positions: usize;
  outcodes: usize;
  corners: usize;
  /** The number of the first worker's extra vertices (packet.ts); those of the next ones follow. */
  extra: u32;
  /** Outcodes of all vertices, joined. */
  codes: i32;
  /** The SEGMENT_SHADEs of its vertices: address of the first, and how many. */
  segments: i32;
  segmentCount: i32;
}

@unmanaged
export class ExecutorRecord {
  /** EXECUTOR: what one worker has of its own. */
  pass: i32;
  geometry: i32;
  /** Tile contexts: address of the first, how many, and bytes from one to the next. */
  contexts: i32;
  contextCount: i32;
  contextBytes: i32;
  /** Those that hold a tile which waits (LateTile.context): bit context. Who finishes such a tile takes its bit out. */
  kept: i32;
  arena: i32;
  /** STATISTICS of geometry, emptied into each task, and of tiles. */
  taskStatistics: i32;
  statistics: i32;
  /** WARP POOL of fragment programs. */
  pool: i32;
  /** Job.pass that its tile contexts were made for. */
  prepared: i32;
  /** EXECUTOR_*. The calling thread, where it works alone, leaves nothing. */
  flags: i32;
  /** Tasks of geometry that it has done: emptied with its statistics. */
  tasksDone: i32;
}
