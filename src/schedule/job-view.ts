// A worker's view of its job: the JOB record, and the EXECUTOR record in it that is its own (layout/job.ts); and how it
// waits for the others, tells them, and gives the job up for all.
import { STATUS_NEEDS_MEMORY, STATUS_TIMEOUT, STATUS_TOO_LONG } from '../../assembly/layout/status';
import { ExecutorRecord, Job } from '../../build/layout';
import { unreachable } from '../base/assert';
import { clockMs } from '../base/clock';
import type { KernelExports } from '../kernels';
import { SPAN_WAIT, type TraceRing } from './trace';

/** How long a worker looks for what it waits for before it goes to sleep: waking up takes about as long. */
const SPIN_MS = 0.05;
/** A sleeper that nobody wakes looks again after this. */
const SLEEP_MS = 100;

/** With which a job is given up. */
const ENDS: ReadonlySet<number> = new Set([STATUS_TIMEOUT, STATUS_TOO_LONG, STATUS_NEEDS_MEMORY]);

/** What a worker's part in a job is made of. */
export interface ExecutorParts {
  readonly exports: KernelExports;
  readonly job: JobView;
  /** The next call of a kernel may take so many milliseconds. */
  startClock(ms: number): void;
  /** Told when a job of dispatches is done in SOON_MS. */
  readonly soon?: () => void;
  /** Told that a tile is late, the first one since the main thread looked. */
  readonly late?: () => void;
  /** Counts the worker out of the job, and says so where it was the last one. */
  readonly leave?: () => void;
}

export class JobView {
  words: Int32Array;
  /** Where the worker writes what it does and when; null: no trace was asked for. */
  trace: TraceRing | null = null;

  /** `address`: of the JOB record; `index`: of the worker, and of its records; `alone`: no other works at the job. */
  constructor(
    readonly memory: WebAssembly.Memory, readonly address: number, readonly index: number, readonly alone = false
  ) {
    this.words = new Int32Array(memory.buffer);
  }

  /**
   * Memory that grew has another buffer: while this thread is elsewhere, or, if it is shared, at any time, but what a
   * job names lies below the end that its memory had when it began. Asking for the buffer at each access took a third
   * of a pass that draws nothing.
   */
  look(): void {
    const { buffer } = this.memory;
    if (this.words.buffer !== buffer) this.words = new Int32Array(buffer);
  }

  /** A field of the JOB record; of the worker's EXECUTOR record. */
  of(field: number): number { return this.get(this.address + field); }
  own(field: number): number { return this.get(this.record + field); }
  get record(): number { return this.recordOf(this.index); }
  recordOf(worker: number): number { return this.of(Job.executors) + worker * ExecutorRecord.bytes; }
  get(address: number): number { return Atomics.load(this.words, address >>> 2) >>> 0; }
  put(address: number, value: number): void { this.words[address >>> 2] = value; }

  /** Whether a worker leaves what the flag says to others. */
  leaves(flag: number, worker = this.index): boolean {
    return !this.alone && (this.get(this.recordOf(worker) + ExecutorRecord.flags) & flag) !== 0;
  }

  get isGivenUp(): boolean { return this.of(Job.status) !== 0; }

  /** Gives the job up: what the worker's tile contexts were doing is never done. */
  fail(status: number): void {
    if (!ENDS.has(status)) unreachable(`schedule: kernel status ${status}`);
    this.put(this.record + ExecutorRecord.prepared, 0);
    Atomics.compareExchange(this.words, (this.address + Job.status) >>> 2, 0, status);
    this.ring();
  }

  /** Wakes workers that wait. */
  ring(): void {
    const bell = (this.address + Job.bell) >>> 2;
    Atomics.add(this.words, bell, 1);
    Atomics.notify(this.words, bell);
  }

  /** Waits until that is so; false when the job was given up meanwhile. */
  wait(isSo: () => boolean): boolean {
    if (isSo()) return true;
    const began = clockMs();
    const has = this.waits(isSo, began + SPIN_MS);
    this.trace?.add(SPAN_WAIT, began, clockMs());
    return has;
  }

  private waits(isSo: () => boolean, until: number): boolean {
    const bell = (this.address + Job.bell) >>> 2;
    for (;;) {
      const rung = Atomics.load(this.words, bell);
      if (this.isGivenUp) return false;
      if (isSo()) return true;
      if (clockMs() > until) Atomics.wait(this.words, bell, rung, SLEEP_MS);
    }
  }
}
