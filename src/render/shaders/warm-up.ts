// Runs emitted functions until the engine has compiled its best code for them.
//
// V8 compiles simple code for a function at its first call and counts the executed bytes of that code. After 1.8
// million bytes, TurboFan compiles the function on another thread, and later calls use the new code, which is 2 … 5
// times as fast. Measured in Node 20 on functions of 50, 200, 1000 and 4000 operations: 1.8 million bytes take 0.03 …
// 0.5 ms to run (3 calls of a warp with 4000 operations, 80 with 50). The new code is ready 1, 1, 2 and 7 ms after the
// first call. No engine reports it, so the code here detects that calls have become faster.
import { clockMs, startTimer } from '../../base/clock';
import { STATUS_DONE } from '../../../assembly/layout/status';
import { later } from '../../schedule';

/** Runs a function once and returns its STATUS_*. */
export type Run = () => number;

/** Milliseconds of consecutive calls, after which other tasks get a turn. */
const SLICE_MS = 0.5;
/** Milliseconds that a function runs before the wait begins, several times what V8 needs to notice it. */
const NOTICED_MS = 2;
/** If calls take less than this fraction of the first ones' time, better code is in use. */
const QUICKER = 0.7;
/**
 * Maximum milliseconds to wait for better code. The time is roughly proportional to the size of the module. Functions
 * that do not gain from better code wait that long.
 */
const waitFor = (bytes: number): number => Math.min(40, 3 + bytes / 2048);

class Warming {
  /** Milliseconds per call at first. */
  private first = Infinity;
  private spent = 0;
  private quickSlices = 0;
  /** Whether nothing is left to wait for. */
  done = false;

  constructor(private readonly run: Run) {}

  get noticed(): boolean {
    return this.spent >= NOTICED_MS;
  }

  /** Calls the function for about one slice, and measures the calls. */
  slice(): void {
    const began = clockMs();
    let calls = 0;
    let passed = 0;
    while (passed < SLICE_MS) {
      // The function does not end on zeros, so there is nothing to wait for.
      if (this.run() !== STATUS_DONE) {
        this.done = true;
        return;
      }
      calls++;
      passed = clockMs() - began;
      // Use only a few calls as the reference, because later calls of the slice may already be faster.
      if (this.first === Infinity && calls > 4 && passed > SLICE_MS / 8) this.first = passed / calls;
    }
    if (this.first === Infinity) this.first = passed / calls;
    this.quickSlices = passed / calls < this.first * QUICKER ? this.quickSlices + 1 : 0;
    // A single fast slice may be chance.
    this.done = this.quickSlices === 2;
    this.spent += passed;
  }
}

/**
 * Runs functions of a module of `bytes` bytes, in slices of half a millisecond each, until all have become fast or the
 * time is up. `stopped` ends it early.
 */
export async function warmUp(runs: readonly Run[], bytes: number, stopped: () => boolean): Promise<void> {
  // The first calls compile, so their times are not representative.
  const functions = runs.filter((run) => run() === STATUS_DONE).map((run) => new Warming(run));
  const until = clockMs() + waitFor(bytes);
  while (!stopped()) {
    const open = functions.filter(({ done }) => !done);
    if (open.length === 0) return;
    for (const each of open) each.slice();
    if (!open.every(({ noticed }) => noticed)) await new Promise<void>((turn) => later(turn));
    else if (clockMs() > until) return;
    // Leave the core to the compiler's thread.
    else await new Promise((idle) => startTimer(idle, 1));
  }
}
