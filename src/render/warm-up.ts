// Warming up: emitted functions are run until the engine has made its best code of them.
//
// V8 makes simple code of a function at its first call, counts the bytes of that code that run, and has TurboFan
// compile it on another thread when 1.8 million of them have; calls after that take the new code, which is 2 … 5 times
// as fast. Measured in Node 20 on functions of 50, 200, 1000 and 4000 operations: 1.8 million bytes are 0.03 … 0.5 ms
// of running (3 calls of a warp with 4000 operations, 80 with 50), and the new code is there 1, 1, 2 and 7 ms after the
// first call. No engine tells when; that calls have become quicker does.
import { clockMs, startTimer } from '../base/clock';
import { STATUS_DONE } from '../../assembly/layout/status';
import { later } from '../schedule';

/** Runs a function once; STATUS_*. */
export type Run = () => number;

/** Milliseconds of calls in a row, after which others have their turn. */
const SLICE_MS = 0.5;
/** Milliseconds that a function is run before one waits: some times what it takes V8 to notice it. */
const NOTICED_MS = 2;
/** Calls that take less than this share of the first ones' time: better code has come. */
const QUICKER = 0.7;
/**
 * Milliseconds to wait for better code, which takes about as long as the module is large. For functions that gain
 * nothing by it one waits so long.
 */
const waitFor = (bytes: number): number => Math.min(40, 3 + bytes / 2048);

class Warming {
  /** Milliseconds a call, at first. */
  private first = Infinity;
  private spent = 0;
  private quickSlices = 0;
  /** Nothing is left to wait for. */
  done = false;

  constructor(private readonly run: Run) {}

  get noticed(): boolean { return this.spent >= NOTICED_MS; }

  /** Calls for about a slice, and looks how long they take. */
  slice(): void {
    const began = clockMs();
    let calls = 0;
    let passed = 0;
    while (passed < SLICE_MS) {
      // A loop that does not end on zeros is nothing to wait for.
      if (this.run() !== STATUS_DONE) {
        this.done = true;
        return;
      }
      calls++;
      passed = clockMs() - began;
      // A few calls tell how slow it is: later ones of the slice may be quick already.
      if (this.first === Infinity && calls > 4 && passed > SLICE_MS / 8) this.first = passed / calls;
    }
    if (this.first === Infinity) this.first = passed / calls;
    this.quickSlices = passed / calls < this.first * QUICKER ? this.quickSlices + 1 : 0;
    // One slice alone may be chance.
    this.done = this.quickSlices === 2;
    this.spent += passed;
  }
}

/**
 * Runs functions of a module of so many bytes, in slices of half a millisecond each, until all have become quick or
 * enough was waited. `stopped` ends it early.
 */
export async function warmUp(runs: readonly Run[], bytes: number, stopped: () => boolean): Promise<void> {
  // The first calls compile: they say nothing of later ones.
  const functions = runs.filter((run) => run() === STATUS_DONE).map((run) => new Warming(run));
  const until = clockMs() + waitFor(bytes);
  while (!stopped()) {
    const open = functions.filter(({ done }) => !done);
    if (open.length === 0) return;
    for (const each of open) each.slice();
    if (!open.every(({ noticed }) => noticed)) await new Promise<void>((turn) => later(turn));
    else if (clockMs() > until) return;
    // The compiler's thread has the core.
    else await new Promise((idle) => startTimer(idle, 1));
  }
}
