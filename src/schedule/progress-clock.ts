// Measures how long a call has run. Time in which the thread could not run is not counted: a stopped process, a frozen
// container, a debugger.
import { clockMs } from '../base/clock';

/** Result of Node's cpuUsage(), in microseconds. */
interface Usage {
  readonly user: number;
  readonly system: number;
}
interface ProcessTimes {
  cpuUsage?(): Usage;
  threadCpuUsage?(): Usage;
}

const times = (globalThis as { process?: ProcessTimes }).process;

/** Milliseconds of processor time of this thread, or of its process if only that is known; null if neither is. */
const cpuMs: (() => number) | null = !times?.cpuUsage
  ? null
  : () => {
      const { user, system } = times.threadCpuUsage?.() ?? times.cpuUsage!();
      return (user + system) / 1000;
    };

/**
 * Milliseconds. If more time than this has passed between two checks of the clock, only the processor time in it
 * counts. Where processor time cannot be measured, the interval counts as this length.
 */
const STEP_MS = cpuMs ? 100 : 1000;
/** Minimum milliseconds between two queries of the processor time, because a query takes one to two microseconds. */
const ASK_MS = 20;

/** A draw call or dispatch that makes progress may take this many times the time limit of one shader step. */
export const MAX_TIMEOUTS = 100;

export class ProgressClock {
  private left = 0;
  private last = 0;
  private cpu = 0;
  private sampledAt = -Infinity;

  constructor(
    private readonly now = clockMs,
    private readonly processor = cpuMs
  ) {}

  /** Starts a time limit of `ms` milliseconds. */
  start(ms: number): void {
    this.left = ms;
    this.last = this.now();
    this.sampleCpuTime(this.last);
  }

  /** Counts the time since the last look. Loops look every 65 536 iterations. */
  get expired(): boolean {
    this.left -= this.passed();
    return this.left < 0;
  }

  /** Milliseconds of progress since the last look. */
  passed(): number {
    const now = this.now();
    const passed = now - this.last;
    this.last = now;
    const counted =
      passed <= STEP_MS || !this.processor
        ? Math.min(passed, STEP_MS)
        : Math.min(passed, Math.max(STEP_MS, this.processor() - this.cpu));
    this.sampleCpuTime(now);
    return counted;
  }

  private sampleCpuTime(now: number): void {
    if (!this.processor || now - this.sampledAt < ASK_MS) return;
    this.sampledAt = now;
    this.cpu = this.processor();
  }
}
