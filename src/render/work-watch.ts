// Draws and dispatches that would take for ever: an indirect draw may ask for 2⁶⁴ vertices, a dispatch for 2⁴⁸
// workgroups.
import { MOST_TIMES, ProgressClock } from '../schedule';

/**
 * The part of what a call may take after which that can be told. What has been seen for so short a time may take so
 * many times longer: of half a second, a draw of years is given up at once, and one of an hour is not.
 */
const FIRST_LOOK = 0.05;

/** How far a pass is in the draw, or the dispatch, in which a chunk has ended. */
export interface WorkProgress {
  /** Which one of the pass. */
  readonly at: number;
  readonly done: number;
  readonly all: number;
}
/** How they are called in messages. */
export interface WorkName {
  /** "draw 3 with pipeline …", "has drawn", "vertices". */
  readonly work: string;
  readonly has: string;
  readonly units: string;
}

/** Looks at the end of each chunk. */
export class WorkWatch {
  private readonly clock = new ProgressClock();
  private at = -1;
  private spent = 0;

  constructor(private readonly timeoutMs: number) {}

  /** One begins, which takes some 20 µs: without this, its time counts from its first look on. */
  begin(at: number): void {
    this.clock.passed();
    this.at = at;
    this.spent = 0;
  }

  /** A sentence about one that is not worth waiting for, or null. */
  look({ at, done, all }: WorkProgress, { work, has, units }: WorkName): string | null {
    const passed = this.clock.passed();
    if (at !== this.at) {
      this.at = at;
      this.spent = 0;
      return null;
    }
    this.spent += passed;
    if (this.spent < FIRST_LOOK * this.timeoutMs) return null;
    const most = MOST_TIMES * this.timeoutMs * Math.max(1, this.timeoutMs / this.spent);
    // Of the first vertex, or workgroup, nothing can be told but how long it has taken.
    if (done === 0 ? this.spent < MOST_TIMES * this.timeoutMs : (this.spent * all) / done < most) return null;
    return `${work} ${has} ${done} of ${all} ${units} in ${Math.round(this.spent)} ms, and would take more than ${MOST_TIMES} times the ${this.timeoutMs} ms that a shader may run (create({ timeoutMs }) sets the limit)`;
  }
}
