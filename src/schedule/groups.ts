// One worker's share of the workgroups of a job (assembly/layout/compute.ts): blocks of them, claimed by an atomic
// counter, as many at a time as take about a millisecond.
import { JOB_FLAG_SERIAL } from '../../assembly/layout/job-codes';
import { STATUS_DONE, STATUS_TIMEOUT } from '../../assembly/layout/status';
import { ComputeUnit, Job, Misses } from '../../build/layout';
import type { KernelExports } from '../kernels';

/** Milliseconds that a block takes at the least, and at the most, as far as that is known beforehand. */
const SHORT_MS = 0.4;
const LONG_MS = 1.6;
/** Of what is left, a worker takes no more than this share of its own: others are done at the same time. */
const SHARE = 0.5;
/** A job of workgroups that take longer than they seemed to ends early, so that somebody looks how far it is. */
const JOB_MS = 1000;
/** Larger blocks save nothing. */
const MOST_GROUPS = 1 << 16;

export interface BlockParts {
  readonly memory: WebAssembly.Memory;
  readonly exports: KernelExports;
  /** Address of the JOB record. */
  readonly job: number;
  /** Which COMPUTE UNIT is its own. */
  readonly index: number;
  /** The calling thread's: no other works at the job, so it does all of it. */
  readonly alone?: boolean;
  /** The next call of a kernel may take so many milliseconds. */
  startClock(ms: number): void;
}

export class WorkgroupBlocks {
  private unit = 0;
  private count = 0;
  /** Groups of a block: a multiple of those that share a warp. */
  private block = 1;
  private least = 1;
  private workers = 1;
  /** `performance.now()` after which it claims no more of the job. */
  private until = Infinity;
  /** Of the block that was run last. */
  first = 0;
  last = 0;

  constructor(private readonly parts: BlockParts, private readonly of: (field: number) => number) {}

  begin(): void {
    const { parts, of } = this;
    this.unit = of(Job.units) + parts.index * of(Job.unitBytes);
    this.count = of(Job.groups);
    this.block = this.least = of(Job.groupsPerWarp);
    this.workers = parts.alone ? 1 : of(Job.unitCount);
    this.until = performance.now() + Math.min(JOB_MS, of(Job.timeoutMs));
    parts.exports.computeBegin(this.unit);
  }

  /** The program under way has read what is not there: whatever it does is taken back. */
  get hasMissed(): boolean {
    const words = new Uint32Array(this.parts.memory.buffer), misses = words[(this.unit + ComputeUnit.misses) >>> 2]!;
    return misses !== 0 && words[(misses + Misses.waits) >>> 2] !== 0;
  }

  /** Whether a worker has none: they are run one after the other, by the first. */
  get leavesAll(): boolean {
    return !this.parts.alone && this.parts.index > 0 && (this.of(Job.flags) & JOB_FLAG_SERIAL) !== 0;
  }

  /** Runs a block; null when there is none left or the job has had its time, else STATUS_*. Each job runs one. */
  run(words: Int32Array): number | null {
    const { parts, least, count } = this, next = (parts.job + Job.nextGroup) >>> 2;
    const left = count - (Atomics.load(words, next) >>> 0);
    if (left <= 0 || (left < count && performance.now() > this.until)) return null;
    const share = Math.ceil((left * SHARE) / this.workers / least) * least;
    const groups = Math.max(least, Math.min(this.block, share));
    const first = Atomics.add(words, next, groups) >>> 0;
    if (first >= count) return null;
    this.first = first;
    this.last = Math.min(count, first + groups);
    const began = performance.now();
    parts.startClock(this.of(Job.timeoutMs));
    const status = parts.exports.computeRun(this.unit, first, this.last - first);
    const took = performance.now() - began;
    if (took < SHORT_MS && groups === this.block && this.block < MOST_GROUPS) this.block *= 2;
    else if (took > LONG_MS && groups > least) this.block = Math.max(least, Math.ceil(groups / 2 / least) * least);
    if (status !== STATUS_TIMEOUT || !this.hasMissed) return status;
    // A loop may never end on zeros; others are to find what they miss.
    parts.exports.computeBegin(this.unit);
    return STATUS_DONE;
  }
}
