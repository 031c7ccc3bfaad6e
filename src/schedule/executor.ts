// One worker's share of a job (layout/job.ts): tasks of geometry, then tiles; or dispatches. The same code runs in
// workers, which wait for each other, and on the calling thread, in turns, where it is the only one and never has to.
import {
  EXECUTOR_NO_TASKS, EXECUTOR_NO_TILES, JOB_FLAG_AHEAD, JOB_FLAG_COMPUTE, JOB_FLAG_LAST, JOB_FLAG_OPENS,
  JOB_FLAG_SERIAL, JOB_FLAG_SHARES, JOB_FLAG_VERTICES_FIRST, SEGMENT_EMIT, SEGMENT_FLAG_APPENDS, SEGMENT_SHADE,
  SLAB_PARTS, TASK_DONE, TASK_MISSED,
} from '../../assembly/layout/job-codes';
import { TILE_SIZE } from '../../assembly/layout/limits';
import { PART_RASTER, PART_RESOLVE, PART_SHADE, TILE_FLAG_BEGIN, TILE_FLAG_LAST } from '../../assembly/layout/pass-codes';
import {
  STATUS_DONE, STATUS_NEEDS_MEMORY, STATUS_TIMEOUT, STATUS_WAITS, STATUS_YIELD,
} from '../../assembly/layout/status';
import {
  Arena, Bin, ExecutorRecord, Geometry, GeometryTask, Job, Misses, Pass, Segment, Statistics, VertexRange, WarpPool,
} from '../../build/layout';
import { unreachable } from '../base/assert';
import { WorkgroupBlocks, type BlockParts } from './groups';
import { LateTileRuns } from './late-tile-runs';
import { Shares } from './shares';
import {
  SPAN_AHEAD, SPAN_GROUPS, SPAN_LOAD, SPAN_RASTER, SPAN_SHADE, SPAN_SHARED, SPAN_STORE, SPAN_TASK, SPAN_TILE,
  SPAN_TILES, SPAN_TRIANGLES, SPAN_VERTICES, SPAN_WAIT, type TraceRing,
} from './trace';

/** Calls of shadeBatch or emitBatch between two looks at the clock: well under a millisecond each. */
const BATCHES_PER_CALL = 4;
/**
 * Tiles that are claimed together in a pass without draws: 20 µs of work, as a rule, and a millisecond of many wide
 * samples.
 */
const IDLE_TILES = 8;
/** How long a worker looks for what it waits for before it goes to sleep: waking up takes about as long. */
const SPIN_MS = 0.05;
/** A sleeper that nobody wakes looks again after this. */
const SLEEP_MS = 100;
/** Milliseconds for which a tile that has missed a page goes on where its programs loop. */
const SEARCH_MS = 10;
const WORD = 4;

/** `index`: of its EXECUTOR record, too. */
export interface ExecutorParts extends BlockParts {
  /** Told that a tile is late, the first one since the main thread looked. */
  readonly late?: () => void;
  /** Counts the worker out of the job, and says so where it was the last one. */
  readonly leave?: () => void;
}

type Phase = 'tasks' | 'tiles' | 'shares' | 'groups' | 'left';

export class Executor {
  private phase: Phase = 'left';
  private words: Int32Array;
  /** The task under way, -1 for none; the segment in it, and whether its geometry has begun. */
  private task = -1;
  private segment = 0;
  private begun = false;
  /** Bytes that the task has taken and may take. */
  private used = 0;
  private allowed = 0;
  /** What is left of its slab. */
  private cursor = 0;
  private slabEnd = 0;
  /** Tasks before this one are done, and took so many bytes; whether any has read what is not there. */
  private prefix = 0;
  private prefixBytes = 0;
  private prefixMissed = false;
  /** The tile under way in each tile context, -1 for none; the context whose turn it is. */
  private underWay: number[] = [];
  /** Addresses of the tile contexts. */
  private contexts: readonly number[] = [];
  private turn = 0;
  /** When a loop of the tile under way first saw that a page was missed; null: none has. */
  private missedAt: number | null = null;
  private flags = 0;
  /** Nothing was drawn: all tiles are only cleared, resolved or copied. */
  private idle = false;
  private readonly groups: WorkgroupBlocks;
  private readonly late: LateTileRuns;
  private readonly shares: Shares;
  /** Whether several workers may be at a tile. */
  private isSharing = false;
  /** JOB_FLAG_AHEAD; whether the worker counts as one that is at tiles. */
  private isAhead = false;
  private isCounted = false;

  /** Where it writes what it does and when; null: no trace was asked for. */
  trace: TraceRing | null = null;
  /** When the task under way began, or this turn of it. */
  private taskBegan = 0;

  constructor(private readonly parts: ExecutorParts) {
    this.words = new Int32Array(parts.memory.buffer);
    this.groups = new WorkgroupBlocks(
      parts, (field) => this.of(field), () => this.own(ExecutorRecord.statistics)
    );
    this.late = new LateTileRuns(parts, () => this.words);
    this.shares = new Shares({
      exports: parts.exports, job: parts.job, index: parts.index, words: () => this.words, ring: () => this.ring(),
      wait: (isSo) => this.wait(isSo), leave: () => parts.leave?.(),
    });
  }

  /** Takes up the job. */
  begin(): void {
    this.look();
    this.shares.start();
    if (this.of(Job.flags) & JOB_FLAG_COMPUTE) return this.beginGroups();
    this.phase = 'tasks';
    this.task = -1;
    const first = this.own(ExecutorRecord.contexts), bytes = this.own(ExecutorRecord.contextBytes);
    const count = this.isSerial && !this.of(Job.late) ? 1 : this.own(ExecutorRecord.contextCount);
    this.contexts = Array.from({ length: count }, (_, index) => first + index * bytes);
    this.underWay = this.contexts.map(() => -1);
    this.turn = 0;
    this.prefix = this.prefixBytes = this.cursor = this.slabEnd = 0;
    this.prefixMissed = false;
    const pass = this.of(Job.pass);
    this.late.begin();
    const { exports } = this.parts;
    const recordOfPass = this.own(ExecutorRecord.pass), pool = this.own(ExecutorRecord.pool);
    this.isAhead = (this.of(Job.flags) & JOB_FLAG_AHEAD) !== 0;
    if (this.isAhead) this.beginAhead(recordOfPass);
    if (this.own(ExecutorRecord.prepared) === pass) return;
    for (const context of this.contexts) exports.tileContextInit(context, recordOfPass, pool);
    this.put(this.record + ExecutorRecord.prepared, pass);
  }

  /**
   * Works until `performance.now()` passes `deadline` (false), or there is nothing left for it (true): then it has left
   * the job.
   */
  advance(deadline: number): boolean {
    this.look();
    if (this.trace) this.taskBegan = performance.now();
    while (this.phase !== 'left') {
      if (this.of(Job.status) !== 0) this.leave();
      else if (this.phase === 'groups') this.advanceGroups();
      else if (this.isAhead) this.advanceAhead();
      else if (this.phase === 'tasks') this.advanceTask();
      else if (this.phase === 'shares') this.advanceShared();
      else this.advanceTile();
      if (deadline === Infinity || performance.now() < deadline || (this.phase as Phase) === 'left') continue;
      // Between turns the thread does something else.
      if (this.task >= 0) this.traceTask();
      return false;
    }
    return true;
  }

  /** It has left the job before, and was counted out of it. */
  get isAway(): boolean { return this.shares.isAway; }

  private get isSerial(): boolean { return (this.of(Job.flags) & JOB_FLAG_SERIAL) !== 0; }

  /** Whether a worker leaves what the flag says to others. */
  private leaves(flag: number, index: number): boolean {
    const record = this.of(Job.executors) + index * ExecutorRecord.bytes;
    return !this.parts.alone && (this.get(record + ExecutorRecord.flags) & flag) !== 0;
  }

  /** Whether no worker before it takes tiles: it runs those that are run one after the other. */
  private get isFirstForTiles(): boolean {
    for (let index = 0; index < this.parts.index; index++)
      if (!this.leaves(EXECUTOR_NO_TILES, index)) return false;
    return true;
  }

  private beginGroups(): void {
    this.phase = 'groups';
    this.groups.begin();
  }

  private advanceGroups(): void {
    const began = this.trace ? performance.now() : 0;
    const status = this.groups.run(this.words);
    if (this.trace && status !== null)
      this.trace.add(SPAN_GROUPS, began, performance.now(), this.groups.first, this.groups.last - this.groups.first);
    if (status === null) this.endDispatch();
    else if (status !== STATUS_DONE) this.fail(status);
  }

  /** Goes on with the job's next dispatch when all workers have left this one. */
  private endDispatch(): void {
    const { groups } = this;
    if (groups.leave(this.words)) {
      const status = groups.open(this.words);
      if (status !== STATUS_DONE) return this.fail(status);
      this.ring();
    } else if (!this.wait(() => groups.isOver)) return this.leave();
    if (!groups.goOn()) this.leave();
  }

  private leave(): void {
    this.phase = 'left';
    if (!this.isSharing || this.of(Job.status) === 0) return;
    // A job that was given up leaves its tile contexts in the middle of something, maybe as somebody else's.
    this.shares.giveUp();
    this.put(this.record + ExecutorRecord.prepared, 0);
  }

  /** The tiles are those of the chunk before the tasks', and of no pass's last one. */
  private beginAhead(pass: number): void {
    this.put(pass + Pass.lists, this.of(Job.tileLists));
    this.put(pass + Pass.listCount, this.of(Job.end));
    this.flags = 0;
    this.idle = this.isSharing = false;
  }

  /**
   * One call for a tile that goes on, or for a task of the next chunk's geometry: what was begun is done before another
   * is taken, so that none of the others waits long for a task. Where there is neither, waits for one.
   */
  private advanceAhead(): void {
    if (this.late.isUnderWay) return this.runAheadTile();
    if (this.task >= 0) return this.runAheadTask();
    const verticesFirst = (this.of(Job.flags) & JOB_FLAG_VERTICES_FIRST) !== 0 && this.mayTakeTask;
    if (this.takeAheadTile(verticesFirst ? this.of(Job.overdueMs) : 0)) this.runAheadTile();
    else if (this.takeAheadTask()) this.runAheadTask();
    else if (this.wait(() => this.chunkEnded() || this.canGoAhead) && this.chunkEnded() && !this.canGoAhead)
      this.leave();
  }

  private get canGoAhead(): boolean { return this.mayTakeTask || this.mayTakeTile; }

  private get mayTakeTask(): boolean {
    return !this.leaves(EXECUTOR_NO_TASKS, this.parts.index) && !this.isFull()
      && this.of(Job.nextTask) < this.of(Job.taskCount) && this.of(Job.vertexWorkers) < this.of(Job.mostVertexWorkers);
  }

  private get mayTakeTile(): boolean {
    return !this.leaves(EXECUTOR_NO_TILES, this.parts.index) && this.late.hasReady
      && (this.chunkEnded() || this.of(Job.pixelWorkers) < this.of(Job.mostPixelWorkers));
  }

  private takeAheadTile(overdueMs: number): boolean {
    if (!this.mayTakeTile) return false;
    // Where there is no geometry any more, as many as can.
    this.isCounted = !this.chunkEnded();
    if (this.isCounted && !this.enter(Job.pixelWorkers, Job.mostPixelWorkers)) return false;
    this.phase = 'tiles';
    this.put(this.own(ExecutorRecord.pass) + Pass.statistics, this.own(ExecutorRecord.statistics));
    if (this.late.takeReady(overdueMs)) return true;
    if (this.isCounted) this.exit(Job.pixelWorkers);
    return false;
  }

  private runAheadTile(): void {
    this.runLate();
    if (!this.late.isUnderWay && this.isCounted) this.exit(Job.pixelWorkers);
  }

  private takeAheadTask(): boolean {
    if (!this.mayTakeTask || !this.enter(Job.vertexWorkers, Job.mostVertexWorkers)) return false;
    this.phase = 'tasks';
    if (this.claim()) return true;
    this.exit(Job.vertexWorkers);
    return false;
  }

  private runAheadTask(): void {
    this.runSegment();
    if (this.task < 0) this.exit(Job.vertexWorkers);
  }

  /** False: as many workers are at such work as may be. */
  private enter(workers: number, most: number): boolean {
    if (Atomics.add(this.words, (this.parts.job + workers) >>> 2, 1) < this.of(most)) return true;
    Atomics.sub(this.words, (this.parts.job + workers) >>> 2, 1);
    return false;
  }

  private exit(workers: number): void {
    Atomics.sub(this.words, (this.parts.job + workers) >>> 2, 1);
    this.ring();
  }

  private advanceTask(): void {
    if (this.task < 0 && !this.claim()) {
      if (!this.wait(() => this.chunkEnded())) return;
      if (this.prefixMissed) this.giveUpChunk();
      else this.beginTiles();
      return;
    }
    if (this.task >= 0) this.runSegment();
  }

  /** Takes up the next task, if there is one and the chunk has room for it. */
  private claim(): boolean {
    if (this.leaves(EXECUTOR_NO_TASKS, this.parts.index) || this.isFull()) return false;
    const task = Atomics.add(this.words, (this.parts.job + Job.nextTask) >>> 2, 1);
    if (task >= this.of(Job.taskCount)) return false;
    this.task = task;
    if (this.trace) this.taskBegan = performance.now();
    const after = this.get(this.taskRecord + GeometryTask.after);
    if (!this.wait(() => this.donePrefix() >= after || this.isDiscarded()) || this.isDiscarded()) return this.drop();
    this.used = this.segment = 0;
    this.begun = false;
    this.allowed = this.allowance();
    const arena = this.own(ExecutorRecord.arena);
    this.put(arena + Arena.job, this.parts.job);
    // Less is needed as tasks before it are done.
    this.put(arena + Arena.kept, this.kept());
    this.put(this.own(ExecutorRecord.pass) + Pass.statistics, this.own(ExecutorRecord.taskStatistics));
    const first = this.get(this.taskRecord + GeometryTask.segments);
    const appends = (this.get(first + Segment.flags) & SEGMENT_FLAG_APPENDS) !== 0;
    this.put(this.of(Job.lists) + task * WORD, 0);
    // All segments of a task append, or none.
    return appends || this.get(first + Segment.kind) === SEGMENT_SHADE ? true : this.takeBins();
  }

  /** Empty lists for all tiles. */
  private takeBins(): boolean {
    const bytes = (this.of(Job.tiles) * Bin.bytes + 15) & ~15;
    if (this.slabEnd - this.cursor < bytes && !this.takeSlab()) return this.drop();
    new Uint8Array(this.parts.memory.buffer, this.cursor, bytes).fill(0);
    this.put(this.own(ExecutorRecord.pass) + Pass.bins, this.cursor);
    this.put(this.of(Job.lists) + this.task * WORD, this.cursor);
    this.cursor += bytes;
    this.used = bytes;
    return true;
  }

  /** Gives up the task: the chunk ends before it. */
  private drop(): false {
    this.traceTask();
    this.task = -1;
    this.taskCounters().fill(0);
    return false;
  }

  private traceTask(): void {
    this.trace?.add(this.isAhead ? SPAN_AHEAD : SPAN_TASK, this.taskBegan, performance.now(), this.task);
  }

  private runSegment(): void {
    const { exports, startClock } = this.parts;
    const record = this.taskRecord, first = this.get(record + GeometryTask.segments);
    const geometry = this.own(ExecutorRecord.geometry);
    const arena = this.own(ExecutorRecord.arena);
    if (!this.begun) {
      const segment = first + this.segment * Segment.bytes;
      if (this.get(segment + Segment.kind) === SEGMENT_EMIT) this.joinCodes(segment);
      exports.geometryPart(geometry, this.own(ExecutorRecord.pass), segment);
      // The kernel goes on to those behind it, but a trace shows each.
      const end = this.trace ? 0 : first + this.get(record + GeometryTask.segmentCount) * Segment.bytes;
      this.put(geometry + Geometry.segmentsEnd, end);
      this.begun = true;
    }
    this.lend(arena);
    startClock(this.of(Job.timeoutMs));
    const began = this.trace ? performance.now() : 0;
    const status = exports.geometryRun(geometry, BATCHES_PER_CALL);
    const segment = this.get(geometry + Geometry.segment);
    this.segment = (segment - first) / Segment.bytes;
    this.trace?.add(
      this.get(segment + Segment.kind) === SEGMENT_SHADE ? SPAN_VERTICES : SPAN_TRIANGLES, began, performance.now(),
      this.get(segment + Segment.number)
    );
    this.cursor = this.get(arena + Arena.cursor);
    this.slabEnd = this.get(arena + Arena.slabEnd);
    this.used += this.get(arena + Arena.taken) + this.cursor - this.get(arena + Arena.start);
    if (status === STATUS_YIELD) {
      if (this.isDiscarded()) this.drop();
    } else if (status === STATUS_NEEDS_MEMORY) this.findRoom(segment, geometry);
    else if (status === STATUS_DONE) this.endSegment(segment, geometry);
    // A loop may never end on zeros.
    else if (status === STATUS_TIMEOUT && this.hasMissed) this.endSegment(segment, geometry);
    else this.fail(status);
  }

  /** What the task may take of the arena in the next call: what is left of its slab, and of slabs that nobody needs. */
  private lend(arena: number): void {
    const allowed = Math.max(0, this.allowed - this.used);
    this.put(arena + Arena.start, this.cursor);
    this.put(arena + Arena.cursor, this.cursor);
    this.put(arena + Arena.slabEnd, this.slabEnd);
    this.put(arena + Arena.end, Math.min(this.slabEnd, this.cursor + allowed));
    this.put(arena + Arena.allowed, allowed);
    this.put(arena + Arena.taken, 0);
  }

  /** Bytes of slabs that stay free for the oldest task and those that become it; the task may be that. */
  private kept(): number {
    if (this.donePrefix() === this.task) return 0;
    return Math.ceil(((this.of(Job.hardBytes) - this.prefixBytes) * SLAB_PARTS) / (SLAB_PARTS - 1));
  }

  private endSegment(segment: number, geometry: number): void {
    this.begun = false;
    if (this.get(segment + Segment.kind) === SEGMENT_SHADE)
      this.put(segment + Segment.codes, this.parts.exports.geometryCodes(geometry));
    if (++this.segment === this.get(this.taskRecord + GeometryTask.segmentCount)) this.endTask();
  }

  /** The outcodes of a range, from the segments that shaded it, which stand right before those that use it. */
  private joinCodes(segment: number): void {
    const range = this.get(segment + Segment.range);
    let codes = 0;
    for (let at = this.get(range + VertexRange.segments), left = this.get(range + VertexRange.segmentCount); left
      > 0; left--, at += Segment.bytes)
      codes |= this.get(at + Segment.codes);
    // All workers write the same.
    this.put(range + VertexRange.codes, codes);
  }

  private endTask(): void {
    const record = this.taskRecord;
    const counters = this.taskCounters();
    new Uint32Array(this.parts.memory.buffer, record + GeometryTask.counters, counters.length).set(counters);
    counters.fill(0);
    this.put(record + GeometryTask.used, this.used);
    this.put(this.record + ExecutorRecord.tasksDone, this.own(ExecutorRecord.tasksDone) + 1);
    this.traceTask();
    this.task = -1;
    const state = this.hasMissed ? TASK_MISSED : TASK_DONE;
    Atomics.store(this.words, (record + GeometryTask.state) >>> 2, state);
    this.ring();
  }

  /** The arena was full where the task stands: more of it, or the end of the chunk. */
  private findRoom(segment: number, geometry: number): void {
    if (this.allowed - this.used > this.slabEnd - this.cursor) {
      if (!this.takeSlab()) this.drop();
      return;
    }
    const allowance = this.waitForTurn() ? this.allowance() : -1;
    if (allowance < 0) this.drop();
    else if (allowance > this.allowed) this.allowed = allowance;
    else {
      this.parts.exports.geometryResume(geometry, segment);
      this.put(this.parts.job + Job.stopSegment, this.segment);
      Atomics.store(this.words, (this.parts.job + Job.stop) >>> 2, this.task + 1);
      this.endTask();
    }
  }

  /** Bytes that the task may take in all, now. */
  private allowance(): number {
    return this.donePrefix() === this.task ? this.of(Job.hardBytes) - this.prefixBytes : this.of(Job.shareBytes);
  }

  /** Waits until the task is the oldest; false when the chunk ends before it. */
  private waitForTurn(): boolean {
    return this.wait(() => this.donePrefix() === this.task || this.isDiscarded()) && !this.isDiscarded();
  }

  /** False when the chunk ends before the task. */
  private takeSlab(): boolean {
    const bytes = this.of(Job.slabBytes);
    for (;;) {
      const oldest = this.donePrefix() === this.task;
      const slab = this.of(Job.slab), kept = this.kept();
      if (slab + bytes + kept > this.of(Job.slabsEnd)) {
        if (oldest) unreachable('schedule: the arena has fewer slabs than its limits ask for');
        if (!this.waitForTurn()) return false;
        this.allowed = this.allowance();
        continue;
      }
      if (Atomics.compareExchange(this.words, (this.parts.job + Job.slab) >>> 2, slab | 0, (slab + bytes) | 0) >>> 0
        !== slab)
        continue;
      this.cursor = slab;
      this.slabEnd = slab + bytes;
      return true;
    }
  }

  private donePrefix(): number {
    const count = this.of(Job.taskCount), tasks = this.of(Job.tasks), soft = this.of(Job.softBytes);
    while (this.prefix < count && this.prefixBytes < soft) {
      const task = tasks + this.prefix * GeometryTask.bytes;
      const state = this.get(task + GeometryTask.state);
      if (state !== TASK_DONE && state !== TASK_MISSED) break;
      if (state === TASK_MISSED) this.prefixMissed = true;
      this.prefixBytes += this.get(task + GeometryTask.used);
      this.prefix++;
    }
    return this.prefix;
  }

  private isFull(): boolean {
    this.donePrefix();
    return this.prefixBytes >= this.of(Job.softBytes);
  }

  /** Whether the chunk ends before the task under way. */
  private isDiscarded(): boolean {
    return this.isFull() && this.task >= this.prefix;
  }

  /** Whether it is known which tasks the chunk has, and they are done: those before `prefix`. */
  private chunkEnded(): boolean {
    return this.isFull() || this.prefix === this.of(Job.taskCount);
  }

  /** Vertices have read what is not there: all workers see that of the same tasks, and none runs a tile. */
  private giveUpChunk(): void {
    this.put(this.parts.job + Job.missed, 1);
    this.leave();
  }

  private beginTiles(): void {
    this.phase = 'tiles';
    const pass = this.own(ExecutorRecord.pass);
    const whole = this.prefix === this.of(Job.taskCount) && this.of(Job.stop) === 0;
    this.flags = whole && this.of(Job.flags) & JOB_FLAG_LAST ? TILE_FLAG_LAST : 0;
    this.put(this.parts.job + Job.end, this.prefix);
    this.put(pass + Pass.lists, this.of(Job.tileLists));
    this.put(pass + Pass.listCount, this.prefix);
    this.idle = this.prefix === 0;
    this.isSharing = !this.idle && !this.parts.alone && (this.of(Job.flags) & JOB_FLAG_SHARES) !== 0;
    this.put(pass + Pass.statistics, this.own(ExecutorRecord.statistics));
    if (this.leaves(EXECUTOR_NO_TILES, this.parts.index) || (this.isSerial && !this.isFirstForTiles)) this.leave();
  }

  /** One call for the context whose turn it is: of its tile, or of the next to be claimed. */
  private advanceTile(): void {
    if (this.of(Job.late) && !this.idle) return this.advanceLate();
    const { exports } = this.parts, tiles = this.of(Job.tiles), index = this.turn;
    this.turn = (index + 1) % this.underWay.length;
    const isNew = this.underWay[index]! < 0, tile = isNew ? this.claimTiles() : this.underWay[index]!;
    if (tile >= tiles) {
      if (this.underWay.every((other) => other < 0)) this.endTiles();
      return;
    }
    this.parts.startClock(this.of(Job.timeoutMs));
    const context = this.contexts[index]!, pass = this.own(ExecutorRecord.pass);
    const began = this.trace ? performance.now() : 0;
    const status = this.idle
      ? exports.tilesRun(context, pass, tile, Math.min(tile + IDLE_TILES, tiles), this.flags)
      : exports.tileRun(context, pass, tile, isNew && this.isSharing ? this.flags | this.opening : this.flags);
    if (this.trace) this.traceTile(this.trace, tile, began, status);
    this.underWay[index] = status === STATUS_YIELD ? tile : -1;
    if (status !== STATUS_DONE && status !== STATUS_YIELD) this.fail(status);
    else if (this.isSharing && status === STATUS_YIELD) this.share(context);
  }

  /** TILE_FLAG_BEGIN, where tiles are opened when they are begun. */
  private get opening(): number { return this.of(Job.flags) & JOB_FLAG_OPENS ? TILE_FLAG_BEGIN : 0; }

  /** A call for a tile of its own has ended: others may join it where it goes on. */
  private share(context: number): void {
    const opened = this.shares.open(context);
    if (opened !== STATUS_DONE) this.endLate(opened);
    else if (this.shares.isAtOne) this.phase = 'shares';
  }

  /** There are no more tiles to be claimed. */
  private endTiles(): void {
    if (!this.isSharing) return this.leave();
    this.shares.begin();
    this.phase = 'shares';
    if (!this.shares.join(this.of(Job.late) ? this.late.lendFree() : this.contexts[0]!)) this.leave();
  }

  /** One call for a tile at which others may be, too. */
  private advanceShared(): void {
    this.parts.startClock(this.of(Job.timeoutMs));
    const began = this.trace ? performance.now() : 0, status = this.shares.run();
    this.trace?.add(SPAN_SHARED, began, performance.now());
    if (status === STATUS_YIELD) return;
    if (status === STATUS_WAITS) return this.shares.pause();
    if (status !== STATUS_DONE) return this.fail(status);
    this.phase = 'tiles';
    const closed = this.shares.leave();
    // Maybe for what comes next.
    if (closed === STATUS_DONE) this.share(this.shares.context);
    else if (closed !== null) this.endLate(closed);
  }

  /** One call for the tile under way, or the next one, of a pass that reads streamed textures. */
  private advanceLate(): void {
    if (this.late.isUnderWay) return this.runLate();
    this.missedAt = null;
    if (this.late.take(() => this.claimTiles())) this.runLate();
    else this.endTiles();
  }

  private runLate(): void {
    const { late, parts: { exports, startClock } } = this;
    startClock(this.of(Job.timeoutMs));
    const { tile, context } = late, began = this.trace ? performance.now() : 0;
    const flags = this.flags | late.flags | (this.isSharing ? this.opening : 0);
    const status = exports.tileRun(context, this.own(ExecutorRecord.pass), tile, flags);
    if (this.trace) this.traceTile(this.trace, tile, began, status);
    if (status !== STATUS_YIELD) this.endLate(status);
    else if (this.isSharing) this.share(context);
  }

  private endLate(status: number): void {
    if (!this.late.end(status)) this.fail(status);
  }

  /** The call that ended now, and the parts of its work in it, which follow one another. */
  private traceTile(trace: TraceRing, tile: number, began: number, status: number): void {
    const ended = performance.now(), tilesX = this.get(this.own(ExecutorRecord.pass) + Pass.tilesX);
    if (this.idle) return trace.add(SPAN_TILES, began, ended, tile, Math.min(IDLE_TILES, this.of(Job.tiles) - tile));
    trace.add(SPAN_TILE, began, ended, (tile % tilesX) * TILE_SIZE, Math.floor(tile / tilesX) * TILE_SIZE, status);
    const at = this.own(ExecutorRecord.statistics) + Statistics.began;
    const when = (part: number): number => {
      const time = new Float64Array(this.parts.memory.buffer, at, part + 1)[part]!;
      return time >= began ? time : Infinity;
    };
    const raster = when(PART_RASTER), shade = when(PART_SHADE), store = when(PART_RESOLVE);
    // A tile without triangles is only stored; one that gave way, or waits, is not.
    const isEmpty = raster === Infinity && shade === Infinity;
    const there = ([
      [isEmpty ? SPAN_STORE : SPAN_LOAD, began], [SPAN_RASTER, raster], [SPAN_SHADE, shade],
      [SPAN_STORE, isEmpty || status !== STATUS_DONE ? Infinity : store],
    ] as const).filter(([, time]) => time !== Infinity);
    there.forEach(([span, from], i) => trace.add(span, from, there[i + 1]?.[1] ?? ended));
  }

  /** The program under way has read what is not there: whatever it does is thrown away. */
  get hasMissed(): boolean {
    if (this.phase === 'groups') return this.groups.hasMissed;
    if (this.phase === 'left' || this.of(Job.late) === 0) return false;
    const misses = this.phase === 'tasks' ? this.get(this.own(ExecutorRecord.geometry) + Geometry.misses) : this.misses;
    return misses !== 0 && this.get(misses + Misses.waits) !== 0;
  }

  /**
   * Whether a loop that looks is to end: what it does is thrown away, and it may go on for ever on what it found. Tiles
   * first look for what else they miss, for a while.
   */
  get givesUp(): boolean {
    if (!this.hasMissed) return false;
    if (this.phase !== 'tiles') return true;
    const now = performance.now();
    this.missedAt ??= now;
    return now - this.missedAt > SEARCH_MS;
  }

  private get misses(): number { return this.get(this.own(ExecutorRecord.pool) + WarpPool.misses); }

  /**
   * One by one, row by row. Tried, on thirteen scenes by two workers: from both ends, 1.001 times as long (0.974 to
   * 1.056), four at a time 1.003 (0.941 to 1.045), two rows at a time, down and up, 1.006 (0.969 to 1.026).
   */
  private claimTiles(): number {
    return Atomics.add(this.words, (this.parts.job + Job.nextTile) >>> 2, this.idle ? IDLE_TILES : 1);
  }

  private fail(status: number): void {
    if (status !== STATUS_TIMEOUT && status !== STATUS_NEEDS_MEMORY) unreachable(`schedule: kernel status ${status}`);
    // What its tile contexts were doing is never done.
    this.put(this.record + ExecutorRecord.prepared, 0);
    Atomics.compareExchange(this.words, (this.parts.job + Job.status) >>> 2, 0, status);
    this.ring();
  }

  private ring(): void {
    const bell = (this.parts.job + Job.bell) >>> 2;
    Atomics.add(this.words, bell, 1);
    Atomics.notify(this.words, bell);
  }

  /** False when the job was given up meanwhile. */
  private wait(isSo: () => boolean): boolean {
    if (isSo()) return true;
    const bell = (this.parts.job + Job.bell) >>> 2;
    const began = performance.now(), until = began + SPIN_MS;
    const has = this.waits(isSo, bell, until);
    this.trace?.add(SPAN_WAIT, began, performance.now());
    return has;
  }

  private waits(isSo: () => boolean, bell: number, until: number): boolean {
    for (;;) {
      const rung = Atomics.load(this.words, bell);
      if (this.of(Job.status) !== 0) return false;
      if (isSo()) return true;
      if (performance.now() > until) Atomics.wait(this.words, bell, rung, SLEEP_MS);
    }
  }

  private get record(): number { return this.of(Job.executors) + this.parts.index * ExecutorRecord.bytes; }
  private get taskRecord(): number { return this.of(Job.tasks) + this.task * GeometryTask.bytes; }
  private taskCounters(): Uint32Array {
    return new Uint32Array(this.parts.memory.buffer, this.own(ExecutorRecord.taskStatistics), Statistics.flags / WORD);
  }
  private of(field: number): number { return this.get(this.parts.job + field); }
  private own(field: number): number { return this.get(this.record + field); }
  private get(address: number): number { return Atomics.load(this.words, address >>> 2) >>> 0; }
  private put(address: number, value: number): void { this.words[address >>> 2] = value; }

  /**
   * Memory that grew has another buffer: while this thread is elsewhere, or, if it is shared, at any time, but what a
   * job names lies below the end that its memory had when it began. Asking for the buffer at each access took a third
   * of a pass that draws nothing.
   */
  private look(): void {
    const { buffer } = this.parts.memory;
    if (this.words.buffer !== buffer) this.words = new Int32Array(buffer);
  }
}
