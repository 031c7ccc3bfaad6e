// One worker's share of a job's dispatches (assembly/layout/job/compute.ts). Workers claim blocks of workgroups through
// an atomic counter, and a block takes about a millisecond. The last worker to leave a dispatch opens the next one, so
// a dispatch begins only after all dispatches before it are done.
import { ATOMIC_ADD, ATOMIC_OR, ATOMIC_XOR } from '../../assembly/layout/program/atomic-codes';
import { STATUS_DONE, STATUS_TIMEOUT } from '../../assembly/layout/status';
import {
  ComputeStep,
  ComputeUnit,
  Dispatch,
  ExecutorRecord,
  GatheredBuffer,
  Job,
  Misses,
  Resource,
} from '../../build/layout';
import { unreachable } from '../base/assert';
import { clockMs } from '../base/clock';
import type { ExecutorParts, JobView } from './job-view';
import { MAX_TIMEOUTS } from './progress-clock';

/** The target range for the duration of a block, in milliseconds. */
const SHORT_MS = 0.4;
const LONG_MS = 1.6;
/**
 * A worker claims at most this part of its equal share of the remaining workgroups, so that all finish together.
 */
const SHARE = 0.5;
/** A job that takes longer than this ends early, so that the main thread can check its progress. */
const JOB_MS = 100;
/**
 * Milliseconds before the end of a job at which the main thread is notified, which is the time a thread takes to wake
 * up for a message. This gained 1 to 3 % on a histogram of four million words with two threads. Tile passes gained
 * nothing: frames of 3.5 to 41 ms took 0.994 to 1.033 times as long.
 */
export const EARLY_NOTICE_MS = 0.3;
/** Larger blocks save no more time. */
const MAX_GROUPS = 1 << 16;

/** Bytes of a COMPUTE UNIT. Its resource table follows it in memory. */
export const UNIT_BYTES = (ComputeUnit.bytes + 63) & ~63;

/** The operations that join a worker's copy to a buffer, by ATOMIC_*. */
const JOINS: Readonly<Record<number, (words: Uint32Array, index: number, word: number) => void>> = {
  [ATOMIC_ADD]: (words, index, word) => Atomics.add(words, index, word),
  [ATOMIC_OR]: (words, index, word) => Atomics.or(words, index, word),
  [ATOMIC_XOR]: (words, index, word) => Atomics.xor(words, index, word),
};

export class WorkgroupBlocks {
  private unit = 0;
  /** Address of the current COMPUTE STEP, its number, and its count of workgroups. */
  private step = 0;
  private number = 0;
  private count = 0;
  /** Whether the step's workgroups must not run on this worker, but on the first one. */
  private isLeft = false;
  /** Whether the COMPUTE UNIT has been prepared for this step. */
  private isBegun = false;
  /** Workgroups in a block, a multiple of `minBlock`, which is the number of workgroups that share a warp. */
  private block = 1;
  private minBlock = 1;
  private workers = 1;
  /** `clockMs()` after which the worker claims no more blocks of the job. */
  private until = Infinity;
  /** Milliseconds per workgroup in the last block of this dispatch; 0 until known. */
  private groupMs = 0;
  /** The workgroups of the last block: the first, and one past the last. */
  first = 0;
  last = 0;
  /**
   * Number, within the dispatch, of the workgroup during which the clock was last started; number of starts in this
   * block.
   */
  private clocked = 0;
  private clocks = 0;

  private readonly job: JobView;

  constructor(private readonly parts: ExecutorParts) {
    this.job = parts.job;
  }

  /** Starts a job. */
  begin(): void {
    this.unit = this.job.of(Job.units) + this.job.index * this.job.of(Job.unitBytes);
    this.workers = this.job.alone ? 1 : this.job.of(Job.unitCount);
    this.until = clockMs() + Math.min(JOB_MS, this.job.of(Job.timeoutMs));
    this.beginStep(0);
  }

  private beginStep(number: number): void {
    const { job } = this;
    const step = job.of(Job.steps) + number * ComputeStep.bytes;
    const words = new Uint32Array(job.memory.buffer, step, ComputeStep.bytes >>> 2);
    this.number = number;
    this.step = step;
    this.count = words[ComputeStep.groups >>> 2]!;
    this.block = this.minBlock = words[ComputeStep.groupsPerWarp >>> 2]!;
    this.isLeft = words[ComputeStep.serial >>> 2] !== 0 && job.index > 0 && !job.alone;
    this.isBegun = false;
    this.groupMs = 0;
  }

  private beginUnit(): void {
    const { parts, job, unit } = this;
    const words = new Uint32Array(this.job.memory.buffer);
    const of = (field: number): number => words[(this.step + field) >>> 2]!;
    const put = (field: number, value: number): void => {
      words[(unit + field) >>> 2] = value;
    };
    put(ComputeUnit.dispatch, of(ComputeStep.dispatch));
    put(ComputeUnit.statistics, this.job.own(ExecutorRecord.statistics));
    put(ComputeUnit.warps, unit + of(ComputeStep.warpsAt));
    put(ComputeUnit.warpBytes, of(ComputeStep.warpBytes));
    put(ComputeUnit.fileAt, of(ComputeStep.fileAt));
    put(ComputeUnit.lanesAt, of(ComputeStep.lanesAt));
    put(ComputeUnit.resources, unit + UNIT_BYTES);
    put(ComputeUnit.workgroup, unit + of(ComputeStep.workgroupAt));
    const misses = of(ComputeStep.misses);
    put(ComputeUnit.misses, misses && misses + job.index * of(ComputeStep.missesBytes));
    const caches = job.of(Job.blockCaches);
    put(ComputeUnit.worker, job.index);
    put(ComputeUnit.decoded, caches && caches + job.index * job.of(Job.blockCacheBytes));
    parts.exports.computeBegin(unit);
    this.isBegun = true;
    // A worker that works alone writes to the buffers directly.
    if (job.alone) return;
    this.eachGathered(words, (entry, copy, size) => {
      words.fill(0, copy >>> 2, (copy + size) >>> 2);
      words[(unit + UNIT_BYTES + entry + Resource.address) >>> 2] = copy;
      words[(unit + UNIT_BYTES + entry + Resource.own) >>> 2] = 1;
    });
  }

  /**
   * Visits the GATHERED BUFFERs of the step: byte offset of the entry in resource tables, address and bytes of the
   * worker's copy, and operation.
   */
  private eachGathered(
    words: Uint32Array,
    one: (entry: number, copy: number, size: number, operation: number) => void
  ): void {
    const { step, unit } = this;
    const count = words[(step + ComputeStep.gatheredCount) >>> 2]!;
    const first = words[(step + ComputeStep.gathered) >>> 2]!;
    for (let record = first; record < first + count * GatheredBuffer.bytes; record += GatheredBuffer.bytes) {
      const of = (field: number): number => words[(record + field) >>> 2]!;
      const entry = of(GatheredBuffer.entry) * Resource.bytes;
      one(entry, unit + of(GatheredBuffer.at), of(GatheredBuffer.size), of(GatheredBuffer.operation));
    }
  }

  /** Joins the worker's copies to the buffers. */
  private join(): void {
    const words = new Uint32Array(this.job.memory.buffer);
    const dispatch = words[(this.step + ComputeStep.dispatch) >>> 2]!;
    const resources = words[(dispatch + Dispatch.resources) >>> 2]!;
    this.eachGathered(words, (entry, copy, size, operation) => {
      const to = words[(resources + entry + Resource.address) >>> 2]! >>> 2;
      const from = copy >>> 2;
      const count = size >>> 2;
      const operate = JOINS[operation] ?? unreachable(`schedule: no operation ${operation}`);
      for (let i = 0; i < count; i++) if (words[from + i] !== 0) operate(words, to + i, words[from + i]!);
    });
  }

  /** Whether the current shader has read a non-resident page. Its results are then undone. */
  get hasMissed(): boolean {
    if (!this.isBegun) return false;
    const words = new Uint32Array(this.job.memory.buffer);
    const misses = words[(this.unit + ComputeUnit.misses) >>> 2]!;
    return misses !== 0 && words[(misses + Misses.waits) >>> 2] !== 0;
  }

  /**
   * Runs one block and returns its STATUS_*. Returns null if no block is left or the job has used up its time, but each
   * job runs at least one.
   */
  run(): number | null {
    const { parts, job, minBlock, count } = this;
    const next = (this.step + ComputeStep.nextGroup) >>> 2;
    const left = count - (Atomics.load(job.words, next) >>> 0);
    if (this.isLeft || left <= 0 || (left < count && clockMs() > this.until)) return null;
    const share = Math.ceil((left * SHARE) / this.workers / minBlock) * minBlock;
    const groups = Math.max(minBlock, Math.min(this.block, share));
    const first = Atomics.add(job.words, next, groups) >>> 0;
    if (first >= count) return null;
    this.first = first;
    this.last = Math.min(count, first + groups);
    if ((left - groups) * this.groupMs < EARLY_NOTICE_MS * this.workers) this.announceEnd();
    const began = clockMs();
    if (!this.isBegun) this.beginUnit();
    this.clocked = this.base + first;
    this.clocks = 1;
    parts.startClock(job.of(Job.timeoutMs));
    const status = parts.exports.computeRun(this.unit, first, this.last - first);
    const took = clockMs() - began;
    this.groupMs = took / (this.last - first);
    if (took < SHORT_MS && groups === this.block && this.block < MAX_GROUPS) this.block *= 2;
    else if (took > LONG_MS && groups > minBlock)
      this.block = Math.max(minBlock, Math.ceil(groups / 2 / minBlock) * minBlock);
    if (status !== STATUS_TIMEOUT || !this.hasMissed) return status;
    // A loop may never end on the zeros that it has read from a non-resident page. The other workgroups still run, to
    // find their missing pages.
    parts.exports.computeBegin(this.unit);
    return STATUS_DONE;
  }

  /** Number, within the dispatch, of the first workgroup of the job. */
  private get base(): number {
    const words = new Uint32Array(this.job.memory.buffer);
    const at = this.dispatch + Dispatch.base;
    return words[at >>> 2]! + words[(at + 4) >>> 2]! * 2 ** 32;
  }

  private get dispatch(): number {
    return new Uint32Array(this.job.memory.buffer)[(this.step + ComputeStep.dispatch) >>> 2]!;
  }

  /**
   * Whether a loop that has used up a shader's time may continue. It may if a workgroup of the block has ended since
   * the clock was last started, at most MAX_TIMEOUTS times per block; the clock then restarts. A block whose first
   * workgroups are fast may contain many slow ones.
   */
  mayContinue(): boolean {
    if (!this.isBegun) return false;
    const words = new Uint32Array(this.job.memory.buffer);
    const { unit, dispatch } = this;
    const of = (field: number): number => words[(unit + field) >>> 2]!;
    const [columns, rows] = [words[(dispatch + Dispatch.groupsX) >>> 2]!, words[(dispatch + Dispatch.groupsY) >>> 2]!];
    const at = (of(ComputeUnit.z) * rows + of(ComputeUnit.y)) * columns + of(ComputeUnit.x);
    if (at === this.clocked || this.clocks === MAX_TIMEOUTS) return false;
    this.clocked = at;
    this.clocks++;
    this.parts.startClock(this.job.of(Job.timeoutMs));
    return true;
  }

  private announceEnd(): void {
    if (this.groupMs > 0 && this.number + 1 === this.job.of(Job.stepCount)) this.parts.soon?.();
  }

  /**
   * Leaves the current dispatch. Returns true if all other workers have left it, so that this worker opens the next
   * one.
   */
  leave(): boolean {
    if (this.job.alone) return true;
    if (this.isBegun) this.join();
    return Atomics.sub(this.job.words, (this.step + ComputeStep.left) >>> 2, 1) === 1;
  }

  /**
   * Opens the next dispatch for all workers, or ends the job when its time or its dispatches have run out. Returns the
   * STATUS_* of the next dispatch's prologue, which may read what this dispatch has written.
   */
  open(): number {
    const { job, number, count } = this;
    const last = job.of(Job.stepCount);
    const isWhole = Atomics.load(job.words, (this.step + ComputeStep.nextGroup) >>> 2) >>> 0 >= count;
    const goesOn = isWhole && number + 1 < last && clockMs() < this.until;
    const next = goesOn ? number + 1 : last;
    const status = goesOn ? this.runPrologue(next) : STATUS_DONE;
    Atomics.store(job.words, (job.address + Job.step) >>> 2, next);
    return status;
  }

  /** Moves on to the dispatch that was opened. Returns false if the job is done. */
  enterNextStep(): boolean {
    const next = this.job.of(Job.step);
    if (next === this.job.of(Job.stepCount)) return false;
    this.beginStep(next);
    return true;
  }

  /** Whether the current dispatch is over for all workers. */
  get isStepOver(): boolean {
    return this.job.of(Job.step) !== this.number;
  }

  private runPrologue(number: number): number {
    const {
      job,
      parts: { exports, startClock },
    } = this;
    const words = new Uint32Array(job.memory.buffer);
    const dispatch = words[(job.of(Job.steps) + number * ComputeStep.bytes + ComputeStep.dispatch) >>> 2]!;
    const field = (offset: number): number => words[(dispatch + offset) >>> 2]!;
    startClock(job.of(Job.timeoutMs));
    return exports.runPrologue(
      field(Dispatch.program),
      field(Dispatch.resources),
      field(Dispatch.uniforms),
      job.of(Job.scratch)
    );
  }
}
