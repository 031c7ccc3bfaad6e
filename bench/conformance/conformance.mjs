// npm run conformance -- FOLDER [QUERY…]
// Runs the public WebGPU conformance suite on Rasterloom or on another implementation, in worker processes. `--help`
// lists the options; docs/internals/conformance.md says how to get the suite.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readArguments, refuse } from './arguments.mjs';
import { expectedFailure, fails, figuresOf, outdated, recordOf, statusIn, suits } from './outcome.mjs';
import { runTests } from './pool.mjs';
import { listCases, sampleOf } from './sample.mjs';
import { groupBy, openSuite, testOf } from './suite.mjs';
import { machine } from '../support/machine.mjs';
import { progress, say } from '../support/progress.mjs';

/** Number of cases that a process takes at once. */
const CHUNK = 100;

const asked = readArguments();
const { sample, expected, theirs } = asked;
if (theirs && !suits(theirs, sample)) refuse(`the record is of another sample: ${JSON.stringify(theirs.sample)}`);
const unexpected = ([query, { status }]) => fails(status) && !expectedFailure(expected, query);

/** Returns the results in the log of an earlier run. Ignores a last line that is incomplete. */
function resultsInLog() {
  if (!asked.continued || !existsSync(asked.logPath)) return [];
  return readFileSync(asked.logPath, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line))
    .map(({ query, ...result }) => [query, result]);
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Splits the cases into chunks of one test each. Chunks are small, so that all processes are busy until the end. */
function chunksOf(queries) {
  return [...groupBy(queries, testOf).values()].flatMap((cases) =>
    Array.from({ length: Math.ceil(cases.length / CHUNK) }, (_, k) => cases.slice(k * CHUNK, (k + 1) * CHUNK))
  );
}

async function runCases(queries, found) {
  const left = queries.filter((query) => !found.has(query));
  let failures = 0;
  function onEnded(query, result) {
    found.set(query, result);
    appendFileSync(asked.logPath, `${JSON.stringify({ query, ...result })}\n`);
    if (unexpected([query, result])) {
      failures++;
      say(`${result.status}: ${query}`);
    }
    progress(queries.length - left.length + ++ended, queries.length, `${failures} unexpected; ${testOf(query)}`);
  }
  let ended = 0;
  await runTests(chunksOf(left), { processes: asked.processes, run: asked.run, onEnded }).catch((error) =>
    refuse(error.message)
  );
}

/** Returns the record of a failed case. */
function failureOf([query, { status }]) {
  const reason = expectedFailure(expected, query)?.reason ?? 'unexpected';
  return { query, status, ...(theirs ? { theirs: statusIn(theirs, query) } : {}), reason };
}

function sayFigures(groups) {
  console.table(
    Object.fromEntries(
      Object.entries(groups).map(([group, { ofTheirs, ...counts }]) => [
        group,
        ofTheirs ? { ...counts, 'pass there': ofTheirs.passed, 'of these here, %': ofTheirs.percent } : counts,
      ])
    )
  );
}

const began = performance.now();
const suite = openSuite(asked.run.folder);
const listed = await listCases(suite, sample.queries, (done, all, file) => progress(done, all, `listing ${file}`));
const queries = sampleOf(listed, sample.seed, sample.perTest === 'all' ? Infinity : sample.perTest);
const chosen = new Set(queries);
const found = new Map(resultsInLog().filter(([query]) => chosen.has(query)));
say(`${queries.length} of ${listed.length} cases${found.size ? `, ${found.size} of them in the log` : ''}`);
if (!asked.continued) write(asked.logPath, '');
await runCases(queries, found);

// In the suite's order, whatever the order in which the processes finished.
const results = queries.map((query) => [query, found.get(query)]);
const about = { machine: machine(), sample: { ...sample, cases: queries.length, of: listed.length } };
const seconds = Math.round((performance.now() - began) / 1000);
const groups = figuresOf(results, theirs);
write(
  asked.outPath,
  `${JSON.stringify(
    {
      // For a continued run, the duration of its last part would be misleading.
      ...about,
      ...(asked.continued ? {} : { seconds }),
      groups,
      failures: results.filter(([, { status }]) => fails(status)).map(failureOf),
    },
    null,
    2
  )}\n`
);
if (asked.recordPath) write(asked.recordPath, `${JSON.stringify(recordOf(results, about), null, 1)}\n`);
sayFigures(groups);
for (const { query } of outdated(expected, results)) say(`Expected to fail, and passes: ${query}`);
const failed = results.filter(unexpected);
say(`${failed.length} unexpected of ${results.length} cases in ${seconds} s; ${asked.outPath}`);
process.exit(failed.length ? 1 : 0);
