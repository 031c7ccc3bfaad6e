// By default, tests with several parameters do not run all combinations of them, but so many that each value, and as a
// rule each pair of values, occurs. RASTERLOOM_ALL=1 or RASTERLOOM_FUZZ=count runs all of them.

/** Whether tests run all combinations of their parameters. */
export const runsAll = Boolean(process.env['RASTERLOOM_ALL'] ?? process.env['RASTERLOOM_FUZZ']);

/**
 * Returns `count` of the values, beginning with the value number `turn` modulo their number, or all values in a run of
 * all combinations. If `turn` is the sum of the numbers of two other parameters, each of their values occurs with each
 * of these.
 */
export function inTurn<T>(values: readonly T[], turn: number, count = 1): readonly T[] {
  if (runsAll || count >= values.length) return values;
  return Array.from({ length: count }, (_, i) => values[(turn + i) % values.length]!);
}
