// npm run bench sooner ../other/build
// Checks whether shaders are ready sooner than with another build, such as the build/ of another commit. Each figure
// comes from a separate process, and the two builds alternate. The ratio is this build's time over the other's: the
// median of the pairs with its 95 % interval. PAIRS (21) is the number of pairs. Without ../shared/peers, the pipeline
// is one of the benchmarks' own scenes. The exit code is 1 if a limit is missed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { globals } from '../../build/index.js';
import { median, medianInterval, roundTo } from '../support/machine.mjs';
import { record } from './pipeline.mjs';
import { progress, say } from '../support/progress.mjs';
import { runInPeerEnvironment, benchScenes, peerScenes, missingPeersReason } from '../support/peer-files.mjs';

const [folder] = process.argv.slice(2);
const PAIRS = Number(process.env.PAIRS ?? 21);
if (!folder || !existsSync(resolve(folder, 'index.js')))
  throw new Error(`no build in ${folder ?? 'the first argument'}: npm run bench sooner FOLDER`);
const missing = missingPeersReason();
if (missing) say(`A pipeline of the bench's own scenes: ${missing}`);
else runInPeerEnvironment(import.meta.url);

const builds = [new URL('../../build/index.js', import.meta.url), pathToFileURL(resolve(folder, 'index.js'))].map(
  ({ href }) => href
);
Object.assign(globalThis, globals);
const { scenes } = await import(missing ? benchScenes : peerScenes);
const name = scenes.helmet ? 'helmet' : 'ball';
const seen = await record(scenes[name], { width: 64, height: 64, samples: 1 });
const roundMs = roundTo(2);
const roundRatio = roundTo(3);

function start(script, args, input) {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [fileURLToPath(new URL(script, import.meta.url)), ...args],
    { encoding: 'utf8', input }
  );
  if (status !== 0) throw new Error(`the process that measures failed: ${stderr.slice(-500)}`);
  return JSON.parse(stdout.trim().split('\n').at(-1));
}
const pipeline = (way) => (build) => start('./sooner-start.mjs', [build], JSON.stringify({ way, ...seen }));

/**
 * The name of each measurement, its function and figure, and the limit: a maximum ratio to the other build, or a
 * maximum value.
 */
const rows = [
  [`${name}'s pipeline, cold, synchronous`, pipeline('sync'), 'ready', { ratio: 0.5 }],
  [`${name}'s pipeline, cold, asynchronous`, pipeline('async'), 'ready', { ratio: 0.5 }],
  ['the same: longest block of the calling thread', pipeline('async'), 'longest', { own: 8 }],
  ['100 pipelines of 10 × 10 programs', pipeline('shared'), 'ready', {}],
  [
    'start of a process → first triangle read back',
    (build) => start('./start.mjs', [build]),
    'triangle',
    { ratio: 0.85 },
  ],
];

const table = {};
const missed = [];
const judge = (what, value, limit) => {
  if (limit === undefined || value <= limit) return;
  missed.push(`${what}: ${value}, not ${limit}`);
};
let done = 0;
for (const [what, measure, figure, limit] of rows) {
  const pairs = Array.from({ length: PAIRS }, (_, k) => {
    progress(done++, rows.length * PAIRS, what);
    const [a, b] = k % 2 ? builds.map(measure) : builds.toReversed().map(measure).toReversed();
    return [a[figure], b[figure]];
  });
  const [ours, theirs] = [0, 1].map((side) => roundMs(median(pairs.map((pair) => pair[side]))));
  const [ratio, low, high] = medianInterval(pairs.map(([a, b]) => a / b)).map(roundRatio);
  judge(`${what}, ratio`, ratio, limit.ratio);
  judge(`${what}, ms`, ours, limit.own);
  table[what] = {
    now: ours,
    other: theirs,
    ratio,
    interval: `${low} … ${high}`,
    limit: limit.ratio ?? limit.own ?? '',
  };
  say(`${what}: ${ours} ms, ${theirs} ms by the other: ${ratio} (${low} … ${high})`);
}
const some = Array.from({ length: 5 }, () => ['shared', 'different'].map((way) => pipeline(way)(builds[0])));
const modules = some[0][0].modules;
const share = roundRatio(median(some.map(([shared, different]) => shared.ready / different.ready)));
judge('100 pipelines of 10 × 10 programs, modules', modules, 25);
judge('100 pipelines of 10 × 10 programs, of the time of 100 different ones', share, 0.2);
console.table(table);
console.log(`100 pipelines of 10 × 10 programs: ${modules} modules, ${share} of the time of 100 different ones`);
console.log(missed.length ? `\nnot reached: ${missed.join('; ')}` : '\nall limits are reached');
process.exit(missed.length ? 1 : 0);
