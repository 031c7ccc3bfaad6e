// The workers of a device, from the point of view of the main thread. Threads end with their device. An idle thread
// would keep the memory of its last device alive until its engine collects garbage, which never happens while the
// thread sleeps: 200 devices held 2 TB of address space that way.
import { JOB_ABORT } from '../../assembly/layout/job/job-codes';
import { Job } from '../../build/layout';
import { startTimer } from '../base/clock';
import { SLEEP_MS } from './job-view';
import { threadLimit, type ThreadOwner } from './thread-limit';
import { EARLY_NOTICE_MS } from './workgroup-blocks';
import type { WorkerOrder, WorkerReport } from './serve';

/** A thread that runs the package's worker script. */
export interface WorkerThread {
  post(order: WorkerOrder): void;
  /**
   * `said` receives the script's reports. `failed` is called when the script has failed, for any reason. `gone` is
   * called once, when the thread has ended; on platforms that do not report the end, at `terminate`.
   */
  listen(said: (report: WorkerReport) => void, failed: (why: string) => void, gone: () => void): void;
  /** Sets whether the thread keeps the process alive. Initially it does not. */
  hold(held: boolean): void;
  terminate(): void;
}
/** Starts a thread. On platforms without such threads it throws, or the thread ends at once. */
export type SpawnWorker = () => WorkerThread;

interface TeamParts {
  readonly spawn: SpawnWorker;
  readonly size: number;
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** Address of the JOB record. */
  readonly job: number;
  readonly oracle: boolean;
  /** Buffer for a worker's trace; null if no trace was requested. */
  readonly trace: (index: number) => ArrayBufferLike | null;
  /** Called when tiles of the current job wait for pages. */
  readonly late: () => void;
  /** Called when workers are unavailable. The calling thread then does the work. */
  readonly unavailable: (why: string) => void;
  /** Called when starting workers are ready or have turned out to be unavailable. */
  readonly settled: () => void;
}

/**
 * A team's states:
 * - `not there` until `startThreads`;
 * - `starting` until all of its workers are ready;
 * - `ready`, with or without a job; an idle team can lose its threads to another device, and is `not there` again;
 * - `gone` at the end.
 */
export class WorkerTeam implements ThreadOwner {
  private readonly threads: WorkerThread[] = [];
  private state: 'not there' | 'starting' | 'ready' | 'gone' = 'not there';
  private done: (() => void) | null = null;
  private held = false;
  private failure: string | null = null;
  /** Job.sequence of the last job. Reports about other jobs are stale. */
  private sequence = 0;
  private busy = false;
  /** Whether all workers have left a job that one of them aborted, whose error report has not arrived yet. */
  private isAborted = false;
  private since = 0;

  constructor(private readonly parts: TeamParts) {}

  /**
   * Starts the threads, once. Each occupies a core for about 50 ms until it is ready. If other devices hold all threads
   * that the process may have, nothing happens, and it must be called again.
   */
  startThreads(): void {
    if (this.state !== 'not there' || !threadLimit.admit(this)) return;
    this.state = 'starting';
    for (let index = 0; index < this.parts.size; index++) {
      try {
        this.enlist(index);
      } catch (error) {
        // The threads that were not started count as ended for the crew.
        for (let left = index; left < this.parts.size; left++) threadLimit.threadEnded();
        this.reportUnavailable(error instanceof Error ? error.message : String(error));
        return;
      }
      if (this.state !== 'starting') return;
    }
  }

  get wanted(): number {
    return this.parts.size;
  }

  get idleSince(): number {
    return this.busy || !this.isReady ? Infinity : this.since;
  }

  /** Gives its threads up for another device. The next `startThreads` starts new ones. */
  releaseThreads(): void {
    if (!this.isReady) return;
    const words = this.words();
    // A thread that wakes up for the next job before it has ended must not take part in that job.
    Atomics.add(words, Job.team >>> 2, 1);
    Atomics.store(words, Job.ready >>> 2, 0);
    this.state = 'not there';
    this.end();
  }

  /**
   * Whether all workers are ready. Reads the count in the device's memory, so it also works for callers that never let
   * messages be processed.
   */
  get isReady(): boolean {
    if (this.state === 'starting' && Atomics.load(this.words(), Job.ready >>> 2) === this.parts.size) {
      this.state = 'ready';
      this.since = performance.now();
    }
    return this.state === 'ready';
  }

  get isStarting(): boolean {
    return !this.isReady && this.state === 'starting';
  }

  /** Number of workers that wait for jobs. */
  get size(): number {
    return this.isReady ? this.threads.length : 0;
  }

  /** An error message if a worker has died, which means that the device is lost; otherwise null. */
  get lost(): string | null {
    return this.failure;
  }

  /**
   * Starts the job that the JOB record describes. `done` is called in a separate macro-task when all workers have
   * left the job, or when one has died.
   */
  run(done: () => void): void {
    this.done = done;
    this.busy = true;
    if (this.failure !== null) {
      startTimer(() => this.finish(), 0);
      return;
    }
    const words = this.words();
    Atomics.store(words, Job.left >>> 2, this.threads.length);
    Atomics.store(words, Job.memoryBytes >>> 2, this.parts.memory.buffer.byteLength);
    this.sequence = (Atomics.add(words, Job.sequence >>> 2, 1) + 1) | 0;
    Atomics.notify(words, Job.sequence >>> 2);
    // Some workers may still look for open tiles of the previous job.
    Atomics.add(words, Job.changeCounter >>> 2, 1);
    Atomics.notify(words, Job.changeCounter >>> 2);
  }

  /**
   * Blocks this thread until all workers have left the job, then calls `done`. Returns false if that takes longer than
   * `ms` or if a worker has thrown. `done` is then called in a macro-task, as usual.
   */
  block(ms: number): boolean {
    const words = this.words();
    const left = Job.left >>> 2;
    const until = performance.now() + ms;
    for (let count = Atomics.load(words, left); count !== 0; count = Atomics.load(words, left)) {
      const rest = until - performance.now();
      if (rest < 0) return false;
      sleep(words, left, count, Math.min(rest, SLEEP_MS));
    }
    if (Atomics.load(words, Job.status >>> 2) === JOB_ABORT) return false;
    this.finish();
    return true;
  }

  /** Sets whether the current work keeps the process alive. */
  hold(held: boolean): void {
    if (held === this.held) return;
    this.held = held;
    // One thread is enough to keep the process alive, and each call takes about 10 µs.
    this.threads[0]?.hold(held);
  }

  /** Ends the threads, even in the middle of a job, whose end is then not reported. */
  leave(): void {
    if (this.state === 'gone') return;
    // Until the workers are ready, the calling thread uses the record.
    if (this.state === 'ready') this.abort();
    this.state = 'gone';
    this.done = null;
    threadLimit.leave(this);
    this.end();
  }

  private end(): void {
    for (const thread of this.threads.splice(0)) thread.terminate();
  }

  private enlist(index: number): void {
    const thread = this.parts.spawn();
    this.threads.push(thread);
    const isOurs = (): boolean => this.threads.includes(thread);
    thread.listen(
      (report) => {
        if (isOurs()) this.said(report);
      },
      (why) => {
        if (isOurs()) this.ended(why);
      },
      () => threadLimit.threadEnded()
    );
    if (this.held && index === 0) thread.hold(true);
    const { module, memory, job, oracle, trace } = this.parts;
    const words = this.words();
    thread.post({
      module,
      memory,
      job,
      oracle,
      index,
      trace: trace(index),
      sequence: Atomics.load(words, Job.sequence >>> 2),
      team: Atomics.load(words, Job.team >>> 2),
    });
  }

  private said(report: WorkerReport): void {
    if (report.kind === 'threw') {
      this.failure ??= `internal error in a worker (a bug in Rasterloom, please report it): ${report.message}`;
      if (this.isAborted) this.finish();
    } else if (report.kind === 'ready') {
      if (this.isReady) this.parts.settled();
    } else if (report.kind === 'late') this.parts.late();
    else if (report.kind === 'soon') {
      // Waking a blocked thread takes a fifth of the time of a message.
      if (mayWait && this.busy && report.sequence === this.sequence) this.block(2 * EARLY_NOTICE_MS);
    } else if (report.sequence === this.sequence) {
      // The `done` report of the last worker to leave can arrive before the `threw` report that names the cause.
      this.isAborted = this.failure === null && Atomics.load(this.words(), Job.status >>> 2) === JOB_ABORT;
      // A call of `block` may already have finished the job; `finish` then does nothing.
      if (!this.isAborted) this.finish();
    }
  }

  private ended(why: string): void {
    if (!this.isReady) {
      if (this.state === 'starting') this.reportUnavailable(why);
      return;
    }
    this.failure ??= `a worker thread has ended: ${why}`;
    // The other workers would wait for it.
    this.abort();
    this.finish();
  }

  private finish(): void {
    const { done } = this;
    this.done = null;
    this.busy = this.isAborted = false;
    this.since = performance.now();
    done?.();
  }

  private reportUnavailable(why: string): void {
    this.leave();
    this.parts.unavailable(why);
    this.parts.settled();
  }

  private abort(): void {
    const words = this.words();
    Atomics.compareExchange(words, Job.status >>> 2, 0, JOB_ABORT);
    Atomics.add(words, Job.changeCounter >>> 2, 1);
    Atomics.notify(words, Job.changeCounter >>> 2);
  }

  private words(): Int32Array {
    return new Int32Array(this.parts.memory.buffer, this.parts.job, Job.bytes / 4);
  }
}

let mayWait = true;

/** Sleeps until the word changes, or for `ms`. The main thread of a page must not sleep; there the caller spins. */
function sleep(words: Int32Array, index: number, value: number, ms: number): void {
  if (!mayWait) return;
  try {
    Atomics.wait(words, index, value, ms);
  } catch {
    mayWait = false;
  }
}
