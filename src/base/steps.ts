// Long computations in steps. A caller that needs the result immediately runs all steps; a caller that must not block
// others runs them in time slices (schedule/turn.ts).

/** A generator that yields between steps and returns the result. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs all remaining steps and returns the result. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
