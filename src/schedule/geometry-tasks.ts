// A worker's geometry tasks in a chunk (layout/job/job.ts). It claims tasks one by one, runs their segments in the
// kernel, and reserves arena memory for them. The chunk ends before the first task that does not fit.
import {
  EXECUTOR_NO_TASKS,
  JOB_FLAG_PREFETCH,
  SEGMENT_EMIT,
  SEGMENT_FLAG_APPENDS,
  SEGMENT_SHADE,
  SLAB_PARTS,
} from '../../assembly/layout/job/job-codes';
import { WORK_DONE, WORK_ENDS, WORK_IS_UNDONE, WORK_RUNNING, WORK_UNDONE } from '../../assembly/layout/late/work-codes';
import {
  STATUS_DONE,
  STATUS_NEEDS_MEMORY,
  STATUS_TIMEOUT,
  STATUS_TOO_LONG,
  STATUS_YIELD,
} from '../../assembly/layout/status';
import {
  Arena,
  Bin,
  ExecutorRecord,
  Geometry,
  GeometryTask,
  Job,
  Misses,
  Pass,
  Segment,
  Statistics,
  VertexRange,
} from '../../build/layout';
import { unreachable } from '../base/assert';
import { WORD } from '../base/bits';
import { clockMs } from '../base/clock';
import { nextState } from '../late/states';
import type { ExecutorParts, JobView } from './job-view';
import { MAX_TIMEOUTS, ProgressClock } from './progress-clock';
import { SPAN_PREFETCH, SPAN_TASK, SPAN_TRIANGLES, SPAN_VERTICES } from './trace';

/** Number of shadeBatch or emitBatch calls between two looks at the clock. Each takes well under a millisecond. */
const BATCHES_PER_CALL = 4;

export class GeometryTasks {
  /** The current task, -1 for none; its current segment; whether geometryPart has run for that segment. */
  private task = -1;
  private segment = 0;
  private begun = false;
  /** Bytes of the arena that the task has taken, and that it may take. */
  private used = 0;
  private allowed = 0;
  /** The unused part of the worker's slab. */
  private cursor = 0;
  private slabEnd = 0;
  /**
   * Number of leading tasks of the chunk that are done; their bytes; whether any of them has read a non-resident page.
   */
  private prefix = 0;
  private prefixBytes = 0;
  private prefixMissed = false;
  /**
   * The draw call of the last kernel call, and the milliseconds that this worker's calls have spent on it in this job.
   */
  private draw = -1;
  private spent = 0;
  private readonly clock = new ProgressClock();
  /** `clockMs()` when the current task began, or when this turn of it did. */
  private began = 0;

  private readonly job: JobView;

  constructor(private readonly parts: ExecutorParts) {
    this.job = parts.job;
  }

  /** Prepares for a new job. */
  begin(): void {
    this.task = -1;
    this.prefix = this.prefixBytes = this.cursor = this.slabEnd = 0;
    this.prefixMissed = false;
    this.draw = -1;
  }

  get isUnderWay(): boolean {
    return this.task >= 0;
  }

  /** Number of leading tasks of the chunk that are known to be done. */
  get done(): number {
    return this.prefix;
  }

  /** Whether one of the done tasks has read a non-resident page. */
  get anyMissed(): boolean {
    return this.prefixMissed;
  }

  /** Whether the current task has read a non-resident page. */
  get hasMissed(): boolean {
    const { job } = this;
    const misses = job.get(job.own(ExecutorRecord.geometry) + Geometry.misses);
    return job.of(Job.late) !== 0 && misses !== 0 && job.get(misses + Misses.waits) !== 0;
  }

  /** Whether there may be a task for this worker. */
  get mayTake(): boolean {
    const { job } = this;
    return !job.leavesToOthers(EXECUTOR_NO_TASKS) && !this.isFull() && job.of(Job.nextTask) < job.of(Job.taskCount);
  }

  /** Whether the set of tasks in the chunk is final and all of them are done. */
  get allDone(): boolean {
    return this.isFull() || this.prefix === this.job.of(Job.taskCount);
  }

  /** Whether the chunk contains all remaining tasks of the pass. */
  get hasAllTasks(): boolean {
    return this.prefix === this.job.of(Job.taskCount) && this.job.of(Job.stop) === 0;
  }

  /**
   * For traces. Called when the worker returns to its task after other work, and when it leaves the task for other
   * work.
   */
  resume(): void {
    if (this.job.trace) this.began = clockMs();
  }
  pause(): void {
    if (this.isUnderWay) this.traceTask();
  }

  /** Claims the next task. Returns false if there is none, or if the chunk ends before it. */
  take(): boolean {
    const { job } = this;
    if (job.leavesToOthers(EXECUTOR_NO_TASKS) || this.isFull()) return false;
    const task = Atomics.add(job.words, (job.address + Job.nextTask) >>> 2, 1);
    if (task >= job.of(Job.taskCount)) return false;
    this.task = task;
    if (job.trace) this.began = clockMs();
    const after = job.get(this.taskRecord + GeometryTask.after);
    if (!job.wait(() => this.donePrefix() >= after || this.isDiscarded()) || this.isDiscarded()) return this.drop();
    this.used = this.segment = 0;
    this.begun = false;
    this.allowed = this.allowance();
    const arena = job.own(ExecutorRecord.arena);
    job.put(arena + Arena.job, job.address);
    // The reserve shrinks as earlier tasks finish.
    job.put(arena + Arena.kept, this.kept());
    job.put(job.own(ExecutorRecord.pass) + Pass.statistics, job.own(ExecutorRecord.taskStatistics));
    const first = job.get(this.taskRecord + GeometryTask.segments);
    const appends = (job.get(first + Segment.flags) & SEGMENT_FLAG_APPENDS) !== 0;
    job.put(job.of(Job.lists) + task * WORD, 0);
    // Either all segments of a task append to buffers, or none does.
    return appends || job.get(first + Segment.kind) === SEGMENT_SHADE ? true : this.takeBins();
  }

  /** Allocates empty triangle lists for all tiles. */
  private takeBins(): boolean {
    const bytes = (this.job.of(Job.tiles) * Bin.bytes + 15) & ~15;
    if (this.slabEnd - this.cursor < bytes && !this.takeSlab()) return this.drop();
    new Uint8Array(this.job.memory.buffer, this.cursor, bytes).fill(0);
    this.job.put(this.job.own(ExecutorRecord.pass) + Pass.bins, this.cursor);
    this.job.put(this.job.of(Job.lists) + this.task * WORD, this.cursor);
    this.cursor += bytes;
    this.used = bytes;
    return true;
  }

  /** Abandons the task, because the chunk ends before it. */
  private drop(): false {
    this.traceTask();
    this.task = -1;
    this.taskCounters().fill(0);
    return false;
  }

  private traceTask(): void {
    const span = this.job.of(Job.flags) & JOB_FLAG_PREFETCH ? SPAN_PREFETCH : SPAN_TASK;
    this.job.trace?.add(span, this.began, clockMs(), this.task);
  }

  /** Runs a few batches of the current task, which may end it. */
  run(): void {
    const {
      job,
      parts: { exports, startClock },
    } = this;
    const record = this.taskRecord;
    const first = job.get(record + GeometryTask.segments);
    const geometry = job.own(ExecutorRecord.geometry);
    const arena = job.own(ExecutorRecord.arena);
    if (!this.begun) {
      const segment = first + this.segment * Segment.bytes;
      if (job.get(segment + Segment.kind) === SEGMENT_EMIT) this.joinCodes(segment);
      exports.geometryPart(geometry, job.own(ExecutorRecord.pass), segment);
      // The kernel continues with the segments that follow. With a trace it stops after each, so that each gets its own
      // span.
      const end = job.trace ? 0 : first + job.get(record + GeometryTask.segmentCount) * Segment.bytes;
      job.put(geometry + Geometry.segmentsEnd, end);
      this.begun = true;
    }
    this.prepareArena(arena);
    startClock(job.of(Job.timeoutMs));
    this.clock.passed();
    const began = job.trace ? clockMs() : 0;
    const status = exports.geometryRun(geometry, BATCHES_PER_CALL);
    const segment = job.get(geometry + Geometry.segment);
    this.segment = (segment - first) / Segment.bytes;
    job.trace?.add(
      job.get(segment + Segment.kind) === SEGMENT_SHADE ? SPAN_VERTICES : SPAN_TRIANGLES,
      began,
      clockMs(),
      this.drawOf(segment, geometry)
    );
    this.cursor = job.get(arena + Arena.cursor);
    this.slabEnd = job.get(arena + Arena.slabEnd);
    this.used += job.get(arena + Arena.taken) + this.cursor - job.get(arena + Arena.start);
    if (status === STATUS_YIELD) {
      if (this.isDiscarded()) this.drop();
      else this.watch(this.drawOf(segment, geometry));
    } else if (status === STATUS_NEEDS_MEMORY) this.findRoom(segment, geometry);
    else if (status === STATUS_DONE) this.endSegment(segment, geometry);
    // A loop may never end on the zeros that it has read from a non-resident page.
    else if (status === STATUS_TIMEOUT && this.hasMissed) this.endSegment(segment, geometry);
    else job.fail(status);
  }

  /** Index of the current draw call in the pass. */
  private drawOf(segment: number, geometry: number): number {
    return this.job.get(segment + Segment.number) + this.job.get(geometry + Geometry.call);
  }

  /** Aborts the job if a draw call exceeds its time limit. Geometry stages can multiply the output of one primitive. */
  private watch(draw: number): void {
    const { job } = this;
    if (draw !== this.draw) this.spent = 0;
    this.draw = draw;
    this.spent += this.clock.passed();
    if (this.spent <= MAX_TIMEOUTS * job.of(Job.timeoutMs)) return;
    job.put(job.address + Job.longDraw, draw);
    job.fail(STATUS_TOO_LONG);
  }

  /** Sets what the next call may take from the arena: the rest of the worker's slab, and slabs outside the reserve. */
  private prepareArena(arena: number): void {
    const allowed = Math.max(0, this.allowed - this.used);
    this.job.put(arena + Arena.start, this.cursor);
    this.job.put(arena + Arena.cursor, this.cursor);
    this.job.put(arena + Arena.slabEnd, this.slabEnd);
    this.job.put(arena + Arena.end, Math.min(this.slabEnd, this.cursor + allowed));
    this.job.put(arena + Arena.allowed, allowed);
    this.job.put(arena + Arena.taken, 0);
  }

  /**
   * Bytes of slabs that must stay free for the oldest task, and for tasks that become the oldest. 0 if this task is the
   * oldest.
   */
  private kept(): number {
    if (this.donePrefix() === this.task) return 0;
    return Math.ceil(((this.job.of(Job.hardBytes) - this.prefixBytes) * SLAB_PARTS) / (SLAB_PARTS - 1));
  }

  private endSegment(segment: number, geometry: number): void {
    this.begun = false;
    if (this.job.get(segment + Segment.kind) === SEGMENT_SHADE)
      this.job.put(segment + Segment.codes, this.parts.exports.geometryCodes(geometry));
    if (++this.segment === this.job.get(this.taskRecord + GeometryTask.segmentCount)) this.endTask();
  }

  /** Joins the outcodes of a range's vertices from the segments that shaded them. */
  private joinCodes(segment: number): void {
    const { job } = this;
    const range = job.get(segment + Segment.range);
    let codes = 0;
    for (
      let at = job.get(range + VertexRange.segments), left = job.get(range + VertexRange.segmentCount);
      left > 0;
      left--, at += Segment.bytes
    )
      codes |= job.get(at + Segment.codes);
    // All workers write the same value.
    job.put(range + VertexRange.codes, codes);
  }

  private endTask(): void {
    const { job } = this;
    const record = this.taskRecord;
    const counters = this.taskCounters();
    new Uint32Array(job.memory.buffer, record + GeometryTask.counters, counters.length).set(counters);
    counters.fill(0);
    job.put(record + GeometryTask.used, this.used);
    job.put(job.record + ExecutorRecord.tasksDone, job.own(ExecutorRecord.tasksDone) + 1);
    this.traceTask();
    this.task = -1;
    const state = nextState(WORK_RUNNING, this.hasMissed ? WORK_IS_UNDONE : WORK_ENDS)!;
    Atomics.store(job.words, (record + GeometryTask.state) >>> 2, state);
    job.wakeWorkers();
  }

  /** Called when the arena is full. Reserves more of it, or ends the chunk within this task. */
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
      this.job.put(this.job.address + Job.stopSegment, this.segment);
      Atomics.store(this.job.words, (this.job.address + Job.stop) >>> 2, this.task + 1);
      this.endTask();
    }
  }

  /** Bytes that the task may take in all, at this moment. */
  private allowance(): number {
    const { job } = this;
    return this.donePrefix() === this.task ? job.of(Job.hardBytes) - this.prefixBytes : job.of(Job.shareBytes);
  }

  /** Waits until the task is the oldest one. Returns false if the chunk ends before it. */
  private waitForTurn(): boolean {
    return this.job.wait(() => this.donePrefix() === this.task || this.isDiscarded()) && !this.isDiscarded();
  }

  /** Takes the next slab of the arena. Returns false if the chunk ends before the task. */
  private takeSlab(): boolean {
    const { job } = this;
    const bytes = job.of(Job.slabBytes);
    for (;;) {
      const oldest = this.donePrefix() === this.task;
      const slab = job.of(Job.slab);
      const kept = this.kept();
      if (slab + bytes + kept > job.of(Job.slabsEnd)) {
        if (oldest) unreachable('schedule: the arena has fewer slabs than its limits ask for');
        if (!this.waitForTurn()) return false;
        this.allowed = this.allowance();
        continue;
      }
      if (
        Atomics.compareExchange(job.words, (job.address + Job.slab) >>> 2, slab | 0, (slab + bytes) | 0) >>> 0
        !== slab
      )
        continue;
      this.cursor = slab;
      this.slabEnd = slab + bytes;
      return true;
    }
  }

  private donePrefix(): number {
    const count = this.job.of(Job.taskCount);
    const tasks = this.job.of(Job.tasks);
    const soft = this.job.of(Job.softBytes);
    while (this.prefix < count && this.prefixBytes < soft) {
      const task = tasks + this.prefix * GeometryTask.bytes;
      const state = this.job.get(task + GeometryTask.state);
      if (state !== WORK_DONE && state !== WORK_UNDONE) break;
      if (state === WORK_UNDONE) this.prefixMissed = true;
      this.prefixBytes += this.job.get(task + GeometryTask.used);
      this.prefix++;
    }
    return this.prefix;
  }

  private isFull(): boolean {
    this.donePrefix();
    return this.prefixBytes >= this.job.of(Job.softBytes);
  }

  /** Whether the chunk ends before the current task. */
  private isDiscarded(): boolean {
    return this.isFull() && this.task >= this.prefix;
  }

  private get taskRecord(): number {
    return this.job.of(Job.tasks) + this.task * GeometryTask.bytes;
  }
  private taskCounters(): Uint32Array {
    const { job } = this;
    return new Uint32Array(job.memory.buffer, job.own(ExecutorRecord.taskStatistics), Statistics.flags / WORD);
  }
}
