// A worker's view of its job: the JOB record, the worker's own EXECUTOR record (layout/job/job.ts), and the means to
// wait for other workers, to wake them, and to abort the job for all.
import { STATUS_NEEDS_MEMORY, STATUS_TIMEOUT, STATUS_TOO_LONG } from '../../assembly/layout/status';
import { ExecutorRecord, Job } from '../../build/layout';
import { unreachable } from '../base/assert';
import { clockMs } from '../base/clock';
import type { KernelExports } from '../kernels';
import { SPAN_WAIT, type TraceRing } from './trace';

/** Milliseconds for which a waiting worker spins before it sleeps. Waking up takes about as long. */
const SPIN_MS = 0.05;
/** Milliseconds after which a waiting thread checks its condition again, even without a notification. */
export const SLEEP_MS = 100;

/** Statuses that abort a job. */
const ENDS: ReadonlySet<number> = new Set([STATUS_TIMEOUT, STATUS_TOO_LONG, STATUS_NEEDS_MEMORY]);

/** What a worker needs to take part in a job. */
export interface ExecutorParts {
  readonly exports: KernelExports;
  readonly job: JobView;
  /** Starts the time limit of the next kernel call, in milliseconds. */
  startClock(ms: number): void;
  /** Called when a job of dispatches will be done in EARLY_NOTICE_MS. */
  readonly soon?: () => void;
  /** Called when a tile starts to wait for pages, once until the main thread has looked. */
  readonly late?: () => void;
  /** Counts the worker out of the job, and reports the end of the job if it was the last one. */
  readonly leave?: () => void;
}

export class JobView {
  words: Int32Array;
  /** Where the worker records its activity; null if no trace was requested. */
  trace: TraceRing | null = null;

  /**
   * `address`: of the JOB record. `index`: of the worker and of its records. `alone`: no other worker takes part in the
   * job.
   */
  constructor(
    readonly memory: WebAssembly.Memory,
    readonly address: number,
    readonly index: number,
    readonly alone = false
  ) {
    this.words = new Int32Array(memory.buffer);
  }

  /**
   * Renews the view if the memory has grown and has a new buffer. Shared memory can grow at any time, but everything
   * that a job refers to is below the memory's end at the start of the job. Asking for the buffer at each access took
   * a third of the time of a pass that draws nothing.
   */
  refreshView(): void {
    const { buffer } = this.memory;
    if (this.words.buffer !== buffer) this.words = new Int32Array(buffer);
  }

  /** Accessors for fields of the JOB record (`of`) and of the worker's EXECUTOR record (`own`). */
  of(field: number): number {
    return this.get(this.address + field);
  }
  own(field: number): number {
    return this.get(this.record + field);
  }
  get record(): number {
    return this.recordOf(this.index);
  }
  recordOf(worker: number): number {
    return this.of(Job.executors) + worker * ExecutorRecord.bytes;
  }
  get(address: number): number {
    return Atomics.load(this.words, address >>> 2) >>> 0;
  }
  put(address: number, value: number): void {
    this.words[address >>> 2] = value;
  }

  /** Whether a worker leaves the work that the flag names (EXECUTOR_*) to others. */
  leavesToOthers(flag: number, worker = this.index): boolean {
    return !this.alone && (this.get(this.recordOf(worker) + ExecutorRecord.flags) & flag) !== 0;
  }

  get isAborted(): boolean {
    return this.of(Job.status) !== 0;
  }

  /** Aborts the job. The worker's tile contexts keep unfinished work, so they must be prepared again. */
  fail(status: number): void {
    if (!ENDS.has(status)) unreachable(`schedule: kernel status ${status}`);
    this.put(this.record + ExecutorRecord.prepared, 0);
    Atomics.compareExchange(this.words, (this.address + Job.status) >>> 2, 0, status);
    this.wakeWorkers();
  }

  /** Wakes the waiting workers. */
  wakeWorkers(): void {
    const changeCounter = (this.address + Job.changeCounter) >>> 2;
    Atomics.add(this.words, changeCounter, 1);
    Atomics.notify(this.words, changeCounter);
  }

  /** Waits until `isSo()` is true. Returns false if the job was aborted meanwhile. */
  wait(isSo: () => boolean): boolean {
    if (isSo()) return true;
    const began = clockMs();
    const has = this.waits(isSo, began + SPIN_MS);
    this.trace?.add(SPAN_WAIT, began, clockMs());
    return has;
  }

  private waits(isSo: () => boolean, until: number): boolean {
    const changeCounter = (this.address + Job.changeCounter) >>> 2;
    for (;;) {
      const rung = Atomics.load(this.words, changeCounter);
      if (this.isAborted) return false;
      if (isSo()) return true;
      if (clockMs() > until) Atomics.wait(this.words, changeCounter, rung, SLEEP_MS);
    }
  }
}
