// The worker threads of a device: when they start, the jobs that they run, and what waits for them.
import { clockMs, startTimer } from '../../base/clock';
import { isSmallArea } from '../draws/pass-size';
import type { WorkHints } from '../types';
import { WorkerTeam, type SpawnWorker, type Trace } from '../../schedule';

/**
 * Milliseconds after which workers start even if no pass has needed them yet.
 *
 * Tried on two cores with the command's bundled sample, whose image is decoded on a thread meanwhile: after 60, 30 and
 * 1 ms, the command took 0.98, 1.03 and 1.04 times as long, and 1.05, 1.02 and 1.03 with a warm shader cache.
 */
const TEAM_MS = 100;
/** Age of a device in milliseconds from which starting workers is a small part of the time to its first picture. */
const LATE_MS = 250;
/** Milliseconds of work on the calling thread that justify starting workers. */
const START_MS = 40;
/** The maximum delay of timers, 31 bits. */
const MOST_TIMER_MS = 0x7fff_ffff;

let warned = false;

function warnAboutWorkers(why: string): void {
  if (warned) return;
  warned = true;
  console.warn(
    `Rasterloom: worker threads are unavailable: ${why}. The calling thread renders instead; `
      + 'pictures are the same, but take longer'
  );
}

/** What to do when tiles wait for pages; null if there is nothing to do. */
interface WaitingTilesWork {
  look: (() => void) | null;
}
/** How to continue a pass that waits for workers to start; null if no pass waits. */
interface AwaitingWork {
  go: (() => void) | null;
}
/**
 * These closures are created outside the class, so that they do not capture the object. The workers of a device that
 * was dropped must not keep it alive.
 */
const goingOn = (work: AwaitingWork) => (): void => {
  const { go } = work;
  work.go = null;
  go?.();
};
const looking = (work: WaitingTilesWork) => (): void => work.look?.();
const ringsOf =
  (rings: readonly ArrayBufferLike[]) =>
  (index: number): ArrayBufferLike | null =>
    rings[index] ?? null;

interface WorkersParts {
  /** Null on platforms without threads. */
  readonly spawn: SpawnWorker | null;
  /** Number of workers; 0 if the calling thread renders. */
  readonly size: number;
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** Address of the JOB record. */
  readonly job: number;
  readonly oracle: boolean;
  /** Milliseconds that one call of a kernel may run before the device is lost. */
  readonly timeoutMs: number;
  /** Whether pipelines are being compiled and warmed up. */
  isPreparing(): boolean;
  /** Whether the compiler has work. */
  isCompiling(): boolean;
  /** Called in a macro-task when waiting work can continue. */
  wake(): void;
}

export class Workers implements WorkHints {
  private readonly team: WorkerTeam | null;
  /** Whether a timer to start the team is pending. */
  private teamCalled = false;
  /** Whether the workers are running a job. */
  private employed = false;
  /** Workers ran the chunk that has just ended, not this thread. */
  private byWorkers = false;
  /** Milliseconds for which the calling thread has run jobs that workers could have run. */
  private aloneMs = 0;
  /** Whether a large pass is being encoded. */
  private isExpecting = false;
  private readonly createdAt = clockMs();
  /** A timer that keeps the process alive while a promise waits for pages. */
  private alive: ReturnType<typeof setInterval> | null = null;
  private readonly waitingTilesWork: WaitingTilesWork = { look: null };
  private readonly awaitingWork: AwaitingWork = { go: null };
  /** The workers' trace rings. They are separate from the trace, so that workers do not keep a dropped device alive. */
  private readonly traces: ArrayBufferLike[] = [];

  constructor(private readonly parts: WorkersParts) {
    const { spawn, size, module, memory, job, oracle } = parts;
    this.team =
      size === 0
        ? null
        : new WorkerTeam({
            spawn: spawn!,
            size,
            module,
            memory,
            job,
            oracle,
            unavailable: warnAboutWorkers,
            late: looking(this.waitingTilesWork),
            trace: ringsOf(this.traces),
            settled: goingOn(this.awaitingWork),
          });
    if (this.team) teams.register(this, this.team);
  }

  get hasTeam(): boolean {
    return this.team !== null;
  }

  /** Number of workers that render; 0 if the calling thread does, also until the workers are ready. */
  get size(): number {
    return this.team?.size ?? 0;
  }

  /** Number of workers that were asked for. */
  get wanted(): number {
    return this.team?.wanted ?? 0;
  }

  /** An error message if the workers cannot continue, else null. */
  get lost(): string | null {
    return this.team?.lost ?? null;
  }

  get isEmployed(): boolean {
    return this.employed;
  }

  /** Returns whether workers ran the chunk that has just ended, and forgets it. */
  takeRan(): boolean {
    const ran = this.byWorkers;
    this.byWorkers = false;
    return ran;
  }

  /**
   * Workers start when the first pass needs them, or after a while, but not while pipelines are being compiled. The
   * first work of an application on a device then has all cores to itself. With workers starting on two cores, creating
   * pipelines took up to twice as long. The first small picture of a process took 150 ms instead of 130.
   */
  startSoon(): void {
    if (!this.team || this.teamCalled) return;
    this.teamCalled = true;
    const timer: unknown = startTimer(() => {
      this.teamCalled = false;
      this.callTeam();
    }, TEAM_MS);
    // In Node the timer would keep the process alive.
    if (typeof timer === 'object') (timer as { unref(): void }).unref();
  }

  /** Called when the encoding of a pass begins. */
  onPass(width: number, height: number): void {
    this.isExpecting ||= !isSmallArea(width, height);
    if (clockMs() - this.createdAt > LATE_MS) this.startForPass();
  }

  /**
   * Called before a shader module is checked or a pipeline is created. Between the begin of a pass and `submit`, some
   * applications create all that they draw with, such as three.js. Workers that start meanwhile are ready for a large
   * pass.
   */
  onShaders(): void {
    this.startForPass();
  }

  private startForPass(): void {
    if (this.isExpecting && !this.parts.isPreparing()) this.team?.startThreads();
  }

  /**
   * Called when the calling thread has run a job for `ms` and may need `left` more. Starting workers takes about 30 ms
   * of processor time for each, during which they slow the calling thread down.
   */
  onAlone(ms: number, left: number): void {
    this.aloneMs += ms;
    if (this.aloneMs + left > START_MS) this.team?.startThreads();
  }

  private callTeam(): void {
    if (this.parts.isPreparing()) return;
    if (this.parts.isCompiling()) this.startSoon();
    else this.team?.startThreads();
  }

  /** Sets whether a promise depends on the current work. `streams`: whether there are streamed textures. */
  hold(held: boolean, streams: boolean): void {
    this.team?.hold(held);
    if (this.alive !== null) clearInterval(this.alive);
    // Nothing else may keep the process alive while a source's promise is pending.
    this.alive = held && streams ? setInterval(() => undefined, MOST_TIMER_MS) : null;
  }

  /** Blocks for the workers' job. Pages cannot arrive while this thread waits, and workers may not start. */
  block(): boolean {
    if (this.awaitingWork.go === null) return this.employed && this.team?.block(this.parts.timeoutMs) === true;
    goingOn(this.awaitingWork)();
    return true;
  }

  /** Gives a job to the workers, if they are ready. `starts`: starts them, even if pipelines are being prepared. */
  employ(starts: boolean, ended: () => void): boolean {
    const { team } = this;
    this.isExpecting = false;
    if (starts) team?.startThreads();
    if (!team?.isReady) {
      // Another device may have taken this device's threads while it was idle.
      if (!starts) this.startSoon();
      return false;
    }
    this.employed = this.byWorkers = true;
    team.run(() => {
      this.employed = false;
      ended();
      this.parts.wake();
    });
    return true;
  }

  /** Returns whether workers are starting. If so, calls `go` once they are ready or turn out to be unavailable. */
  awaitStart(go: () => void): boolean {
    if (!this.team?.isStarting) return false;
    this.awaitingWork.go = () => {
      go();
      this.parts.wake();
    };
    return true;
  }

  /** Sets a function that handles waiting tiles while workers run a job; null to stop. */
  onTilesWaiting(look: (() => void) | null): void {
    this.waitingTilesWork.look = look;
  }

  /** Gives the workers their rings of a trace. */
  traceWith({ rings }: Trace): void {
    this.traces.push(...rings.slice(1).map(({ buffer }) => buffer));
  }

  /** Ends the workers. What waits for them never continues. */
  leave(): void {
    this.team?.leave();
    this.awaitingWork.go = null;
  }
}

/** Ends the workers of devices that have been garbage collected. */
const teams = new FinalizationRegistry<WorkerTeam>((team) => team.leave());
