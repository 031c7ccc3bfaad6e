// A job of a render pass that the calling thread begins alone because no workers are ready. Decides whether workers
// start for it, and lets them take over the tiles that are left.
import { clockMs } from '../base/clock';
import type { PassContext } from './pass-context';

/** Milliseconds after which the calling thread looks whether workers have become ready. */
const SLICE_MS = 5;

export class AloneJob {
  private began = 0;
  private isForWorkers = false;
  private isRetiring = false;

  /** `mayStart`: whether workers may start for the job. */
  constructor(
    private readonly context: PassContext,
    private readonly mayStart: boolean
  ) {}

  /** `isForWorkers`: whether workers would run the job if they were ready. */
  begin(isForWorkers: boolean): void {
    this.context.executor.begin();
    this.began = clockMs();
    this.isForWorkers = isForWorkers;
    this.isRetiring = false;
  }

  /** Runs a part of the job. `left`: workers must run its remaining tiles. */
  advance(deadline: number): 'running' | 'ended' | 'left' {
    const { executor, areWorkersReady } = this.context;
    if (this.isForWorkers && !this.isRetiring && areWorkersReady()) this.isRetiring = executor.retire();
    const began = clockMs();
    const hasLeft = executor.advance(Math.min(deadline, began + SLICE_MS));
    const { tiles, share } = executor.unclaimed;
    if (hasLeft) return this.isRetiring && tiles > 0 ? 'left' : 'ended';
    const now = clockMs();
    const spent = now - this.began;
    if (this.isForWorkers && this.mayStart)
      this.context.onAlone(now - began, share < 1 ? (spent * share) / (1 - share) : spent);
    return 'running';
  }
}
