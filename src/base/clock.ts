// The clock and the timers for all waits and time limits. They are taken when this module is loaded, because
// applications may replace the global ones later, for example by fake timers in tests. With a clock that stands still,
// or a timer that never fires, a wait would never end.

/** Current time in milliseconds since an arbitrary origin. */
export const clockMs: () => number = performance.now.bind(performance);

export const startTimer = globalThis.setTimeout;
export const stopTimer = globalThis.clearTimeout;
/** Maximum time of a timer in milliseconds: timers take 31 bits. */
export const MAX_TIMER_MS = 0x7fff_ffff;
