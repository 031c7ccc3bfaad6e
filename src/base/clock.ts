// The clock and the timers for all waits and time limits. They are taken when the package is loaded, because
// applications may replace the global ones later, for example by fake timers in tests. With a clock that stands still,
// or a timer that never fires, a wait would never end.

interface RealTime {
  readonly now: () => number;
  readonly startTimer: typeof globalThis.setTimeout;
  readonly stopTimer: typeof globalThis.clearTimeout;
}

/** The files of the package share the first copy: the engine is loaded with the first device, maybe by a fake clock. */
const SHARED = Symbol.for('rasterloom.realTime');
const real: RealTime = ((globalThis as { [SHARED]?: RealTime })[SHARED] ??= {
  now: performance.now.bind(performance),
  startTimer: globalThis.setTimeout,
  stopTimer: globalThis.clearTimeout,
});

/** Current time in milliseconds since an arbitrary origin. */
export const clockMs: () => number = real.now;

export const { startTimer, stopTimer } = real;
/** Maximum time of a timer in milliseconds: timers take 31 bits. */
export const MAX_TIMER_MS = 0x7fff_ffff;
