// Selects the cases of a run. The seed and the number of cases per test define the sample: it has the cases with the
// smallest hashes. So every test is represented, a smaller sample is a subset of a larger one, and a run of some
// queries takes the same cases as a run of all.
import { createHash } from 'node:crypto';
import { groupBy, testOf } from './suite.mjs';

/**
 * Returns the queries of all cases that match `patterns` (queries of the suite), without duplicates, in the suite's
 * order.
 */
export async function listCases(suite, patterns, onFile) {
  const queries = new Set();
  const parts = [];
  for (const pattern of patterns) {
    // A query for several files is split by file, since the suite holds everything that it loads for one query in
    // memory.
    const several = /^(\w+):(|.*,)\*$/.exec(pattern);
    if (!several) parts.push(pattern);
    else
      for (const file of await suite.filesOf(several[1]))
        if (file.startsWith(several[2])) parts.push(`${several[1]}:${file}:*`);
  }
  for (const [index, part] of parts.entries()) {
    onFile(index, parts.length, part);
    for (const { query } of await suite.casesOf(part)) queries.add(query.toString());
  }
  return [...queries];
}

const hashOf = (seed, query) => createHash('sha1').update(`${seed} ${query}`).digest().readUIntBE(0, 6);

function smallest(queries, seed, count) {
  if (queries.length <= count) return queries;
  return queries
    .map((query) => ({ query, hash: hashOf(seed, query) }))
    .sort((a, b) => a.hash - b.hash)
    .slice(0, count)
    .map(({ query }) => query);
}

/** Returns at most `perTest` queries of each test, in their order. */
export function sampleOf(queries, seed, perTest) {
  const taken = new Set([...groupBy(queries, testOf).values()].flatMap((cases) => smallest(cases, seed, perTest)));
  return queries.filter((query) => taken.has(query));
}
