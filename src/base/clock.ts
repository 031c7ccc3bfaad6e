// The clock and the timers by which everything here waits and gives up. They are taken when the module is loaded:
// programs replace those of the global object later, as fake timers of tests do, and a clock that stands still, or a
// timer that never fires, would end no wait.

/** Milliseconds, from any beginning. */
export const clockMs: () => number = performance.now.bind(performance);

export const startTimer = globalThis.setTimeout;
export const stopTimer = globalThis.clearTimeout;
