// Measures what needs nothing but this checkout, or one part of it. All parts take about three minutes:
//
//   kernels  hot loops with SIMD, without it, and in plain TypeScript (kernels/hot-loops.mjs; 50 s); further words
//            select loops whose names contain them
//   start    from the start of a process to its first picture (15 s)
//   scenes   frames per second of the benchmarks' own scenes at 1280×720, by samples and threads (one minute); further
//            words name scenes
//   report   draws bench/results/report.html and report.svg again
//
// Figures are kept in build/bench/, where the report of single benchmarks is drawn. A part's file is written only if
// all of the part runs.
//
//   MS       milliseconds per scene, sample count and thread count (700)
//   THREADS  the larger number of threads (the machine's cores)
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { requireNames } from './support/arguments.mjs';
import { measureHotLoops } from './kernels/hot-loops.mjs';
import { keep, KEPT, RESULTS } from './support/machine.mjs';
import { measureScenes } from './measure-scenes.mjs';
import { measureStart } from './start/measure-start.mjs';
import { writeReport } from './report/report.mjs';
import { scenes } from './scenes/scenes.mjs';

const THREADS = Number(process.env.THREADS ?? availableParallelism());
const MS = Number(process.env.MS ?? 700);
const args = process.argv.slice(2);

async function kernels(only) {
  const results = await measureHotLoops(only);
  const { value, limit, reached, twins, ofKinds, overGeneral, overPlain } = results.median;
  const said = [
    twins
      && `median of ${twins} loops with a scalar twin: SIMD ${value} times as fast ≥ ${limit}: `
        + `${reached ? 'reached' : 'NOT REACHED'}; ${ofKinds} by kinds of loop`,
    overGeneral && `${overGeneral} times as fast as the general way where there is no twin`,
    `${overPlain} times as fast as TypeScript`,
  ];
  console.log(said.filter(Boolean).join('; '));
  if (!only.length) keep('kernels', results);
}
async function start() {
  keep('start', await measureStart());
}
async function frames(only) {
  requireNames('scene', only, Object.keys(scenes));
  const results = await measureScenes({ only, threads: [...new Set([1, THREADS])], ms: MS });
  if (!only.length) keep('scenes', results);
}
const [part, ...words] = args;
const parts = { kernels, start, scenes: frames, report: () => undefined };
requireNames('part', args.slice(0, 1), Object.keys(parts));
if (part) await parts[part](words);
else {
  await kernels([]);
  await start();
  await frames([]);
}
if (part === 'report') writeReport(RESULTS);
else if (existsSync(KEPT)) writeReport();
process.exit(0);
