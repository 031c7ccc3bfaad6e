// Long work in steps: who wants the result at once finishes it, who must not block others runs it in turns
// (schedule/turn.ts).

/** Yields where others may have a turn; gives the result. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** All steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
