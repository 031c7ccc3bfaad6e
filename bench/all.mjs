// npm run bench all
// Runs every benchmark, one after another, on one commit and machine; this takes two and a half hours. The folder
// bench/results/ is replaced as a whole after all benchmarks have succeeded. Nothing else may run on the machine in the
// meantime. The run is refused if the checkout has changes, or if ../shared/peers or its packages are missing.
//
// With MS or ROUNDS, which shorten the parts, the figures stay in build/bench-run/. An interrupted run continues with
// `-- --continue`, on the same commit, with the benchmarks that have not kept figures yet.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { missingPeersReason } from './support/peer-files.mjs';
import { mixedRunsReason, uncommittedChanges, commitOf, replaceFolder } from './full-run.mjs';

const CONTINUED = process.argv.includes('--continue');

/** Returns the origin of the figures in build/bench-run/, or undefined if there are none. */
function kept() {
  const folder = new URL('../build/bench-run/', import.meta.url);
  const [first] = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  return first && JSON.parse(readFileSync(new URL(first, folder), 'utf8')).machine;
}

// From here on, everything that reads the environment belongs to this run.
const before = CONTINUED ? kept() : undefined;
const RUN = (process.env.BENCH_RUN = before?.run ?? new Date().toISOString());
const { KEPT, RESULTS, machine } = await import('./support/machine.mjs');
const { writeReport } = await import('./report/report.mjs');

/** The files that each script keeps. A script may keep them and still end with exit code 1: it missed a limit. */
const BENCHES = {
  'run.mjs': ['kernels', 'start', 'scenes'],
  'peers.mjs': ['peers'],
  'costs/costs.mjs': ['costs'],
  'three/three.mjs': ['three'],
  'search/search.mjs': ['search'],
  'scheduling/threads.mjs': ['threads'],
  'scheduling/scaling.mjs': ['scaling'],
  'shaders/jit.mjs': ['jit'],
  'render/surfaces.mjs': ['surfaces'],
  'render/modular.mjs': ['modular'],
  'render/shading-rate.mjs': ['shading-rate'],
  'render/blend.mjs': ['blend'],
  'everything/everything.mjs': ['everything'],
  'render/work.mjs': ['less-work'],
  'soak.mjs': ['soak'],
  'compute/compute.mjs': ['compute'],
  'compute/compute-peers.mjs': ['compute-peers'],
  'shaders/front-end.mjs': ['front-end'],
  'shaders/front-end-limits.mjs': ['front-end-limits'],
  'hostile/hostile.mjs': ['hostile'],
  'hostile/fuzz.mjs': ['fuzz'],
  'streaming/streamed.mjs': ['streamed'],
};
const path = (url) => fileURLToPath(new URL(url, import.meta.url));
const ROOT = path('..');
const short = ['MS', 'ROUNDS'].filter((name) => process.env[name]);

/** Ends the process and leaves bench/results unchanged. */
function refuse(reason) {
  console.error(`npm run bench all: ${reason}; bench/results is unchanged`);
  process.exit(1);
}

const changes = uncommittedChanges(ROOT);
const missing = missingPeersReason();
const commit = commitOf(ROOT);
if (changes.length) refuse(`figures belong to a commit, but the checkout has changes: ${changes.join(', ')}`);
if (missing) refuse(missing);
if (before && JSON.stringify(before) !== JSON.stringify(machine()))
  refuse('build/bench-run/ is from another commit or machine: omit --continue to measure everything again');
if (!CONTINUED) rmSync(KEPT, { recursive: true, force: true });
mkdirSync(KEPT, { recursive: true });
const notKept = (script) => BENCHES[script].filter((name) => !existsSync(new URL(`${name}.json`, KEPT)));
const began = performance.now();
const scripts = Object.keys(BENCHES).filter((script) => notKept(script).length);
const missed = [];
for (const [index, script] of scripts.entries()) {
  const minutes = Math.round((performance.now() - began) / 60_000);
  console.log(`\n== ${index + 1} of ${scripts.length}: ${script}, after ${minutes} minutes`);
  const { status, signal } = spawnSync(process.execPath, [path(script)], { stdio: 'inherit' });
  const absent = notKept(script);
  const ended = signal ?? `exit code ${status}`;
  if (signal || absent.length)
    refuse(
      `${script} failed (${ended}; not kept: ${absent.join(', ')}), continue with: npm run bench all -- --continue`
    );
  if (status) missed.push(script);
}
if (commitOf(ROOT) !== commit || uncommittedChanges(ROOT).length) refuse('the checkout changed meanwhile');
const apart = mixedRunsReason(KEPT, Object.values(BENCHES).flat());
if (apart) refuse(apart);
writeReport();
if (missed.length) console.log(`\nLimits are missed, and said so above: ${missed.join(', ')}`);
if (short.length) console.log(`\nA short look (${short.join(', ')}): the figures stay in ${fileURLToPath(KEPT)}`);
else {
  replaceFolder(RESULTS, KEPT);
  console.log(`\nbench/results is now the run of ${RUN} on ${commit}`);
}
