// The outcome of a run: figures by group, the failures, and the comparison with another implementation's record.
import { groupBy, groupOf, testOf } from './suite.mjs';

const STATUSES = ['pass', 'warn', 'skip', 'fail', 'timeout', 'crash'];
const passes = (status) => status === 'pass' || status === 'warn';
export const fails = (status) => ['fail', 'timeout', 'crash'].includes(status);

/** Whether a pattern matches a case's query. Each * matches any characters. */
function names(pattern, query) {
  const [first, ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === query;
  const last = rest.pop();
  let at = first.length;
  for (const part of rest) {
    const found = query.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return query.startsWith(first) && query.endsWith(last) && at + last.length <= query.length;
}

/** Returns the first of the expected failures (`query` and `reason`) that matches a query. */
export const expectedFailure = (expected, query) => expected.find((one) => names(one.query, query));

/** Returns the expected failures whose cases were run without a failure. */
export function outdated(expected, results) {
  return expected.filter((one) => {
    const of = results.filter(([query]) => names(one.query, query));
    return of.length > 0 && !of.some(([, { status }]) => fails(status));
  });
}

/**
 * Counts the statuses by group, in the order of the cases. With the record of another implementation, `ofTheirs` has
 * the number of cases that it passes, and how many of those pass here.
 */
export function figuresOf(results, record) {
  return Object.fromEntries(
    [...groupBy(results, ([query]) => groupOf(query))].map(([group, cases]) => {
      const byStatus = groupBy(cases, ([, { status }]) => status);
      const figures = { cases: cases.length };
      for (const status of STATUSES) if (byStatus.has(status)) figures[status] = byStatus.get(status).length;
      if (!record) return [group, figures];
      const theirs = cases.filter(([query]) => passes(statusIn(record, query)));
      const passedHere = theirs.filter(([, { status }]) => passes(status)).length;
      const percent = theirs.length ? Math.floor((passedHere / theirs.length) * 10_000) / 100 : null;
      return [group, { ...figures, ofTheirs: { passed: theirs.length, passedHere, percent } }];
    })
  );
}

/** Whether a record covers all cases of a sample. */
export function suits({ sample }, { seed, perTest, queries }) {
  const most = (count) => (count === 'all' ? Infinity : count);
  return (
    sample.seed === seed
    && most(perTest) <= most(sample.perTest)
    && queries.every((query) => sample.queries.some((other) => names(other, query)))
  );
}

/** Returns the status in a record of a case of its sample. */
export function statusIn({ notPassed }, query) {
  const [status] = Object.entries(notPassed).find(([, patterns]) =>
    patterns.some((pattern) => names(pattern, query))
  ) ?? ['pass'];
  return status;
}

/** Returns the queries with one status. If all cases of a test have it, one pattern stands for the test. */
function patternsOf(status, results) {
  return [...groupBy(results, ([query]) => testOf(query))].flatMap(([test, cases]) => {
    const of = cases.filter(([, result]) => result.status === status).map(([query]) => query);
    return of.length > 1 && of.length === cases.length ? [`${test}:*`] : of;
  });
}

/** Returns a record of a run for later comparison: its sample, and the cases that did not pass, by status. */
export function recordOf(results, about) {
  return {
    ...about,
    notPassed: Object.fromEntries(
      STATUSES.filter((status) => !passes(status))
        .map((status) => [status, patternsOf(status, results)])
        .filter(([, patterns]) => patterns.length)
    ),
  };
}
