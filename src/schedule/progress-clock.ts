// How long a call has run. Time in which nothing ran does not count: a process that is stopped, a frozen container, a
// debugger.
import { clockMs } from '../base/clock';

/** Of Node: microseconds. */
interface Usage { readonly user: number; readonly system: number }
interface ProcessTimes { cpuUsage?(): Usage; threadCpuUsage?(): Usage }

const times = (globalThis as { process?: ProcessTimes }).process;

/** Milliseconds for which this thread, or where only that is known its process, has had a processor. */
const cpuMs: (() => number) | null = !times?.cpuUsage ? null : () => {
  const { user, system } = times.threadCpuUsage?.() ?? times.cpuUsage!();
  return (user + system) / 1000;
};

/** More milliseconds than that between two looks count as far as a processor was had for them. */
const STEP_MS = cpuMs ? 100 : 1000;
/** Asking for the processor's time takes a microsecond or two: not at each look. */
const ASK_MS = 20;

/** A draw, or a dispatch, may take so many times what one step of a shader may, while it makes progress. */
export const MOST_TIMES = 100;

export class ProgressClock {
  private left = 0;
  private last = 0;
  private cpu = 0;
  private asked = -Infinity;

  constructor(private readonly now = clockMs, private readonly processor = cpuMs) {}

  /** From now on, a call may run so many milliseconds. */
  start(ms: number): void {
    this.left = ms;
    this.last = this.now();
    this.ask(this.last);
  }

  /** Counts what has passed since the last look; loops look every 65 536 rounds. */
  get expired(): boolean {
    this.left -= this.passed();
    return this.left < 0;
  }

  /** Milliseconds of progress since the last look. */
  passed(): number {
    const now = this.now(), passed = now - this.last;
    this.last = now;
    const counted = passed <= STEP_MS || !this.processor
      ? Math.min(passed, STEP_MS)
      : Math.min(passed, Math.max(STEP_MS, this.processor() - this.cpu));
    this.ask(now);
    return counted;
  }

  private ask(now: number): void {
    if (!this.processor || now - this.asked < ASK_MS) return;
    this.asked = now;
    this.cpu = this.processor();
  }
}
