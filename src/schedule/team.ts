// The workers of a device, as the main thread sees them. Threads that a device leaves serve the next one.
import * as J from '../../assembly/layout/job';
import type { WorkerOrder, WorkerReport } from './serve';

/** A thread that runs the package's worker script. */
export interface WorkerThread {
  post(order: WorkerOrder): void;
  /** Called with what the script says; and, once, when the thread has ended without having been asked to. */
  listen(said: (report: WorkerReport) => void, ended: (why: string) => void): void;
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
  readonly plain: boolean;
  /** Told when workers cannot be had; the calling thread then does the work. */
  readonly unavailable: (why: string) => void;
}

/** A thread of the process, in a team or idle. */
interface Member { readonly thread: WorkerThread; team: Team | null }

const idle: Member[] = [];
/** Idle threads that are kept for the next device. */
const MOST_IDLE = 8;
/** How long a worker that is told to leave may go on with what it is doing. */
const LEAVE_MS = 2000;

/** Starting until all its workers are ready; then at work or not; `lost` with a sentence when one of them has died. */
export class Team {
  private readonly members: Member[] = [];
  private ready = 0;
  private left = 0;
  private state: 'starting' | 'ready' | 'unavailable' | 'leaving' = 'starting';
  private done: (() => void) | null = null;
  private held = false;
  /** What went wrong with a worker; the device cannot go on. */
  lost: string | null = null;

  constructor(private readonly parts: TeamParts) {
    try {
      for (let index = 0; index < parts.size; index++) this.enlist(index);
    } catch (error) {
      this.giveUp(error instanceof Error ? error.message : String(error));
    }
  }

  get isReady(): boolean { return this.state === 'ready'; }

  /** Workers that wait for jobs. */
  get size(): number { return this.isReady ? this.members.length : 0; }

  /** Starts the job that the record describes. `done` is called in a macro-task when all workers have left it, or `lost` is set. */
  run(done: () => void): void {
    this.done = done;
    if (this.lost !== null) {
      setTimeout(() => this.finish(), 0);
      return;
    }
    const words = this.words();
    Atomics.store(words, J.JOB_LEFT >>> 2, this.members.length);
    Atomics.store(words, J.JOB_MEMORY_BYTES >>> 2, this.parts.memory.buffer.byteLength);
    this.call(words);
  }

  /** Whether the process stays alive for the work under way. */
  hold(held: boolean): void {
    if (held === this.held) return;
    this.held = held;
    for (const { thread } of this.members) thread.hold(held);
  }

  /** Sends the workers away, also out of a job under way, whose end is not told any more. */
  leave(): void {
    if (this.state === 'leaving' || this.state === 'unavailable') return;
    this.state = 'leaving';
    this.done = null;
    this.hold(false);
    const words = this.words();
    Atomics.store(words, J.JOB_LEAVE >>> 2, 1);
    Atomics.compareExchange(words, J.JOB_STATUS >>> 2, 0, J.JOB_ABORT);
    Atomics.add(words, J.JOB_BELL >>> 2, 1);
    Atomics.notify(words, J.JOB_BELL >>> 2);
    this.call(words);
    const timer: unknown = setTimeout(() => this.terminate(), LEAVE_MS);
    if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as { unref(): void }).unref();
  }

  /** Ends a thread, as a crash would: for tests. */
  kill(index: number): void { this.members[index]!.thread.terminate(); }

  private enlist(index: number): void {
    const member = idle.pop() ?? recruit(this.parts.spawn);
    member.team = this;
    this.members.push(member);
    const { module, memory, job, plain } = this.parts;
    member.thread.post({ module, memory, job, plain, index, sequence: Atomics.load(this.words(), J.JOB_SEQUENCE >>> 2) });
  }

  said(member: Member, report: WorkerReport): void {
    if (report.kind === 'ready') {
      this.ready++;
      if (this.ready === this.parts.size && this.state === 'starting') this.state = 'ready';
    } else if (report.kind === 'left') this.dismiss(member);
    else if (report.kind === 'threw') this.lost ??= `internal error in a worker (a bug in Rasterloom, please report it): ${report.message}`;
    else this.finish();
  }

  ended(member: Member, why: string): void {
    member.team = null;
    if (this.state === 'starting') this.giveUp(why);
    if (this.state !== 'ready') return;
    this.lost ??= `a worker thread has ended: ${why}`;
    // The others would wait for it.
    const words = this.words();
    Atomics.store(words, J.JOB_STATUS >>> 2, J.JOB_ABORT);
    Atomics.add(words, J.JOB_BELL >>> 2, 1);
    Atomics.notify(words, J.JOB_BELL >>> 2);
    this.finish();
  }

  private finish(): void {
    const { done } = this;
    this.done = null;
    done?.();
  }

  private giveUp(why: string): void {
    this.leave();
    this.state = 'unavailable';
    this.parts.unavailable(why);
  }

  private dismiss(member: Member): void {
    member.team = null;
    this.left++;
    if (idle.length < MOST_IDLE) idle.push(member);
    else member.thread.terminate();
  }

  private terminate(): void {
    for (const member of this.members) {
      if (member.team !== this) continue;
      member.team = null;
      member.thread.terminate();
    }
  }

  private call(words: Int32Array): void {
    Atomics.add(words, J.JOB_SEQUENCE >>> 2, 1);
    Atomics.notify(words, J.JOB_SEQUENCE >>> 2);
  }

  private words(): Int32Array { return new Int32Array(this.parts.memory.buffer, this.parts.job, J.JOB_BYTES / 4); }
}

function recruit(spawn: SpawnWorker): Member {
  const member: Member = { thread: spawn(), team: null };
  member.thread.listen((report) => member.team?.said(member, report), (why) => {
    const at = idle.indexOf(member);
    if (at >= 0) idle.splice(at, 1);
    member.team?.ended(member, why);
  });
  return member;
}
