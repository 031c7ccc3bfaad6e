// npm run bench pictures [scene,scene]
// Draws scenes of three.js and Babylon.js as picture tests, again and again, with 0 to 4 workers and several processes
// at a time. The hashes of each scene are compared: there must be one. Babylon.js is drawn if it is in build/engines,
// where .ci/run installs it.
//
//   REPEAT    number of processes that draw all scenes (20)
//   PARALLEL  processes at a time, which are each other's load (twice the processors)
//   SIZE      width and height (160x90)
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { requireNames } from '../support/arguments.mjs';
import { keep } from '../support/machine.mjs';
import { progress, say } from '../support/progress.mjs';
import { pictures } from './scenes.mjs';

const { REPEAT = '20', PARALLEL = String(2 * availableParallelism()), SIZE = '160x90' } = process.env;
const WORKERS = [0, 1, 2, 3, 4];
const names = process.argv[2]?.split(',') ?? [...pictures.keys()];
requireNames('scene', names, [...pictures.keys()]);
const script = fileURLToPath(new URL('./draw.mjs', import.meta.url));

/** Hash → runs, for each scene. */
const hashes = new Map(names.map((name) => [name, new Map()]));
const failures = [];
let drawn = 0;

function note({ name, hash, colors, error }, run) {
  progress(drawn++, names.length * Number(REPEAT), name);
  if (error !== undefined || colors < 2) {
    failures.push({ name, ...run, error: error ?? 'the picture has a single colour' });
    say(`${name} with ${run.workers} workers: ${failures.at(-1).error}`);
    return;
  }
  const of = hashes.get(name);
  of.set(hash, [...(of.get(hash) ?? []), run]);
}

/** Draws all scenes in a process. */
async function draw(index) {
  const run = { run: index, workers: WORKERS[index % WORKERS.length] };
  const child = spawn(process.execPath, [script, String(run.workers), SIZE, names.join(',')], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith('{"name"')) note(JSON.parse(line), run);
}

const indices = Array.from({ length: Number(REPEAT) }, (_, i) => i);
const next = indices.values();
const started = performance.now();
await Promise.all(
  Array.from({ length: Number(PARALLEL) }, async () => {
    for (const index of next) await draw(index);
  })
);
const seconds = Math.round((performance.now() - started) / 1000);
const different = [...hashes].filter(([, of]) => of.size > 1);
const incomplete = [...hashes].filter(([, of]) => [...of.values()].flat().length < Number(REPEAT));
for (const [name, of] of different)
  console.log(`${name} has ${of.size} hashes: ${JSON.stringify([...of.values()].map((runs) => runs.slice(0, 4)))}`);
for (const [name, of] of incomplete) console.log(`${name} was drawn ${[...of.values()].flat().length} times`);
console.log(
  `${names.length} scenes, ${REPEAT} times each with 0 to 4 workers, ${PARALLEL} processes at a time, in ${seconds} s: `
    + `${names.length - different.length} have one hash, ${different.length} several; ${failures.length} failures`
);
if (process.argv[2] === undefined)
  keep('pictures', { size: SIZE, repeat: Number(REPEAT), parallel: Number(PARALLEL), seconds, failures, different });
if (different.length > 0 || incomplete.length > 0) process.exitCode = 1;
