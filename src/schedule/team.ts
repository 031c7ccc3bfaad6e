// The workers of a device, as the main thread sees them. Threads end with their device: an idle one would keep the
// memory of the last device alive until its engine collects garbage, which it does not as long as nothing happens there
// (200 devices held 2 TB of address space so).
import { JOB_ABORT } from '../../assembly/layout/job-codes';
import { Job } from '../../build/layout';
import { startTimer } from '../base/clock';
import { crew, type CrewMember } from './crew';
import { SOON_MS } from './groups';
import type { WorkerOrder, WorkerReport } from './serve';

/** A thread that runs the package's worker script. */
export interface WorkerThread {
  post(order: WorkerOrder): void;
  /**
   * Called with what the script says; when it has failed, for whatever reason; and, once, when the thread is no more,
   * or where the platform does not tell that when it is told to end.
   */
  listen(said: (report: WorkerReport) => void, failed: (why: string) => void, gone: () => void): void;
  /** Whether it keeps the process alive. It does not at first. */
  hold(held: boolean): void;
  terminate(): void;
}
/** Throws, or the thread ends at once, where the platform has no such threads. */
export type SpawnWorker = () => WorkerThread;

export interface TeamParts {
  readonly spawn: SpawnWorker;
  readonly size: number;
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** Address of the JOB record. */
  readonly job: number;
  readonly oracle: boolean;
  /** Where a worker writes its trace, if one was asked for. */
  readonly trace: (index: number) => ArrayBufferLike | null;
  /** Told, while a job is under way, that tiles of it are late. */
  readonly late: () => void;
  /** Told when workers cannot be had; the calling thread then does the work. */
  readonly unavailable: (why: string) => void;
  /** Told when workers that were starting are ready, or cannot be had. */
  readonly settled: () => void;
}

/** A thread that waits for a job looks again after this, also if nobody wakes it. */
const SLEEP_MS = 100;

/**
 * Not there until it is called; starting until all its workers are ready; then at work or not. When it has been
 * idle for a while another device may have its threads: then it is not there again.
 */
export class Team implements CrewMember {
  private readonly threads: WorkerThread[] = [];
  private state: 'not there' | 'starting' | 'ready' | 'gone' = 'not there';
  private done: (() => void) | null = null;
  private held = false;
  private failure: string | null = null;
  /** Job.sequence of the last job: reports of others come late. */
  private sequence = 0;
  private busy = false;
  /** All have left a job that one of them has given up, and not said why yet. */
  private isGivenUp = false;
  private since = 0;

  constructor(private readonly parts: TeamParts) {}

  /**
   * Starts the threads, once. Each takes a core for some 50 ms until it is ready. Where other devices have all that
   * there may be, nothing happens: to be called again.
   */
  call(): void {
    if (this.state !== 'not there' || !crew.admit(this)) return;
    this.state = 'starting';
    for (let index = 0; index < this.parts.size; index++) {
      try {
        this.enlist(index);
      } catch (error) {
        // Those that are not started end here for the crew.
        for (let left = index; left < this.parts.size; left++) crew.threadEnded();
        this.giveUp(error instanceof Error ? error.message : String(error));
        return;
      }
      if (this.state !== 'starting') return;
    }
  }

  get wanted(): number { return this.parts.size; }

  get idleSince(): number { return this.busy || !this.isReady ? Infinity : this.since; }

  /** Its threads are for another device: at the next call it starts others. */
  dismiss(): void {
    if (!this.isReady) return;
    const words = this.words();
    // Who wakes up for the next job before its thread has ended is not meant by it.
    Atomics.add(words, Job.team >>> 2, 1);
    Atomics.store(words, Job.ready >>> 2, 0);
    this.state = 'not there';
    this.end();
  }

  /** As the workers say in the device's memory: a caller that gives no turn to messages has them, too. */
  get isReady(): boolean {
    if (this.state === 'starting' && Atomics.load(this.words(), Job.ready >>> 2) === this.parts.size) {
      this.state = 'ready';
      this.since = performance.now();
    }
    return this.state === 'ready';
  }

  get isStarting(): boolean { return !this.isReady && this.state === 'starting'; }

  /** Workers that wait for jobs. */
  get size(): number { return this.isReady ? this.threads.length : 0; }

  /** A sentence, when a worker has died: the device cannot go on. */
  get lost(): string | null { return this.failure; }

  /**
   * Starts the job that the record describes. `done` is called in a macro-task of its own when all workers have left
   * it, or one has died.
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
    // Some may still look for tiles of the last one.
    Atomics.add(words, Job.bell >>> 2, 1);
    Atomics.notify(words, Job.bell >>> 2);
  }

  /**
   * Waits on this thread until all workers have left the job, and calls `done`. False when that takes longer than `ms`,
   * or a worker has given the job up: then `done` is called in a macro-task, as otherwise.
   */
  block(ms: number): boolean {
    const words = this.words(), left = Job.left >>> 2, until = performance.now() + ms;
    for (let count = Atomics.load(words, left); count !== 0; count = Atomics.load(words, left)) {
      const rest = until - performance.now();
      if (rest < 0) return false;
      sleep(words, left, count, Math.min(rest, SLEEP_MS));
    }
    if (Atomics.load(words, Job.status >>> 2) === JOB_ABORT) return false;
    this.finish();
    return true;
  }

  /** Whether the process stays alive for the work under way. */
  hold(held: boolean): void {
    if (held === this.held) return;
    this.held = held;
    // Each call takes some 10 µs, and one thread keeps the process alive as well as all.
    this.threads[0]?.hold(held);
  }

  /** Ends the threads, also in the middle of a job, whose end is not told any more. */
  leave(): void {
    if (this.state === 'gone') return;
    // Before they are ready the record belongs to the calling thread.
    if (this.state === 'ready') this.abort();
    this.state = 'gone';
    this.done = null;
    crew.leave(this);
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
      (report) => { if (isOurs()) this.said(report); }, (why) => { if (isOurs()) this.ended(why); },
      () => crew.threadEnded()
    );
    if (this.held && index === 0) thread.hold(true);
    const { module, memory, job, oracle, trace } = this.parts, words = this.words();
    thread.post({
      module, memory, job, oracle, index, trace: trace(index), sequence: Atomics.load(words, Job.sequence >>> 2),
      team: Atomics.load(words, Job.team >>> 2),
    });
  }

  private said(report: WorkerReport): void {
    if (report.kind === 'threw') {
      this.failure ??= `internal error in a worker (a bug in Rasterloom, please report it): ${report.message}`;
      if (this.isGivenUp) this.finish();
    } else if (report.kind === 'ready') {
      if (this.isReady) this.parts.settled();
    } else if (report.kind === 'late') this.parts.late();
    else if (report.kind === 'soon') {
      // A thread that blocks is woken in a fifth of the time that a message takes.
      if (mayWait && this.busy && report.sequence === this.sequence) this.block(2 * SOON_MS);
    } else if (report.sequence === this.sequence) {
      // The last one to leave speaks sooner than the one that threw: which says why comes next.
      this.isGivenUp = this.failure === null && Atomics.load(this.words(), Job.status >>> 2) === JOB_ABORT;
      // Who has blocked for the job knows.
      if (!this.isGivenUp) this.finish();
    }
  }

  private ended(why: string): void {
    if (!this.isReady) {
      if (this.state === 'starting') this.giveUp(why);
      return;
    }
    this.failure ??= `a worker thread has ended: ${why}`;
    // The others would wait for it.
    this.abort();
    this.finish();
  }

  private finish(): void {
    const { done } = this;
    this.done = null;
    this.busy = this.isGivenUp = false;
    this.since = performance.now();
    done?.();
  }

  private giveUp(why: string): void {
    this.leave();
    this.parts.unavailable(why);
    this.parts.settled();
  }

  private abort(): void {
    const words = this.words();
    Atomics.compareExchange(words, Job.status >>> 2, 0, JOB_ABORT);
    Atomics.add(words, Job.bell >>> 2, 1);
    Atomics.notify(words, Job.bell >>> 2);
  }

  private words(): Int32Array { return new Int32Array(this.parts.memory.buffer, this.parts.job, Job.bytes / 4); }
}

let mayWait = true;

/** Until the word is another, or for a while; the main thread of a page may not, and looks all the time. */
function sleep(words: Int32Array, index: number, value: number, ms: number): void {
  if (!mayWait) return;
  try {
    Atomics.wait(words, index, value, ms);
  } catch {
    mayWait = false;
  }
}
