// Draws that would take for ever: an indirect draw may ask for 2⁶⁴ vertices.
import { ProgressClock } from '../schedule';

/** A draw may take so many times what a call may, as far as can be told from what it has done. */
const MOST_TIMES = 100;

/** How far a pass is in the draw in which a chunk has ended. */
export interface DrawProgress {
  readonly draw: number;
  readonly done: number;
  readonly all: number;
}

/** Looks at the end of each chunk. */
export class DrawWatch {
  private readonly clock = new ProgressClock();
  private draw = -1;
  private spent = 0;

  constructor(private readonly timeoutMs: number) {}

  /** A sentence about a draw that is not worth waiting for, or null. */
  look({ draw, done, all }: DrawProgress, name: string): string | null {
    const passed = this.clock.passed();
    if (draw !== this.draw) {
      this.draw = draw;
      this.spent = 0;
      return null;
    }
    this.spent += passed;
    if (this.spent < this.timeoutMs || (this.spent * all) / done < MOST_TIMES * this.timeoutMs) return null;
    return `draw ${draw} ${name} has drawn ${done} of ${all} vertices in ${Math.round(this.spent)} ms, and would take more than ${MOST_TIMES} times the ${this.timeoutMs} ms that a shader may run (create({ timeoutMs }) sets the limit)`;
  }
}
