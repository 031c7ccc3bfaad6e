// Detects draw calls and dispatches that would take forever. An indirect draw call may request 2⁶⁴ vertices, a dispatch
// 2⁴⁸ workgroups.
import { MAX_TIMEOUTS, ProgressClock } from '../../schedule';

/**
 * Fraction of the time limit after which the total time can be extrapolated. An estimate from less progress must exceed
 * the limit by more before the work is given up. After half a second, for example, a draw call that would take years is
 * given up, and one that would take an hour is not.
 */
const FIRST_LOOK = 0.05;

/** The progress of a pass in the draw call or dispatch in which a chunk has ended. */
export interface WorkProgress {
  /** Index of the draw call or dispatch in the pass. */
  readonly at: number;
  readonly done: number;
  readonly all: number;
}
/** Wording for messages. */
interface WorkName {
  /** "draw 3 with pipeline …", "has drawn", "vertices". */
  readonly work: string;
  readonly has: string;
  readonly units: string;
}

/** Checks the progress at the end of each chunk. */
export class WorkWatch {
  private readonly clock = new ProgressClock();
  private at = -1;
  private spent = 0;

  constructor(private readonly timeoutMs: number) {}

  /** Starts timing one, which takes about 20 µs. Otherwise its time counts from its first `look`. */
  begin(at: number): void {
    this.clock.passed();
    this.at = at;
    this.spent = 0;
  }

  /** Returns a message if it would take too long, else null. */
  look({ at, done, all }: WorkProgress, { work, has, units }: WorkName): string | null {
    const passed = this.clock.passed();
    if (at !== this.at) {
      this.at = at;
      this.spent = 0;
      return null;
    }
    this.spent += passed;
    if (this.spent < FIRST_LOOK * this.timeoutMs) return null;
    const most = MAX_TIMEOUTS * this.timeoutMs * Math.max(1, this.timeoutMs / this.spent);
    // Before the first vertex or workgroup is done, only the elapsed time is known.
    if (done === 0 ? this.spent < MAX_TIMEOUTS * this.timeoutMs : (this.spent * all) / done < most) return null;
    return (
      `${work} ${has} ${done} of ${all} ${units} in ${Math.round(this.spent)} ms, `
      + `and would take more than ${MAX_TIMEOUTS} times the ${this.timeoutMs} `
      + 'ms that a shader may run (create({ timeoutMs }) sets the limit)'
    );
  }
}
