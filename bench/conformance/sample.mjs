// Which cases a run takes. The sample is fixed by its seed and by how many cases of each test it holds: those whose
// hashes are the smallest. So every test is represented, a smaller sample is part of a larger one, and a run of some
// queries takes the same cases as a run of all.
import { createHash } from 'node:crypto';
import { groupBy, testOf } from './suite.mjs';

/** The queries of all cases that `patterns` (queries of the suite) name, each once, in the suite's order. */
export async function listCases(suite, patterns, onFile) {
  const queries = new Set(), parts = [];
  for (const pattern of patterns) {
    // A query for several files is taken file by file, since the suite holds all that it loads for one query at once.
    const several = /^(\w+):(|.*,)\*$/.exec(pattern);
    if (!several) parts.push(pattern);
    else for (const file of await suite.filesOf(several[1]))
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
  return queries.map((query) => ({ query, hash: hashOf(seed, query) })).sort((a, b) => a.hash - b.hash)
    .slice(0, count).map(({ query }) => query);
}

/** At most `perTest` of each test's queries, in their order. */
export function sampleOf(queries, seed, perTest) {
  const taken = new Set([...groupBy(queries, testOf).values()].flatMap((cases) => smallest(cases, seed, perTest)));
  return queries.filter((query) => taken.has(query));
}
