// npm run bench [-- part | scene …]
// Runs the benchmarks that need nothing but this checkout, which takes about three minutes, and then draws the report:
//
//   kernels  hot loops with SIMD, without it, and in plain TypeScript (kernels/hot-loops.mjs; 50 s); further words
//            select loops whose names contain them
//   start    from the start of a process to its first picture (15 s)
//   scenes   frames per second of the benchmarks' own scenes at 1280×720, by samples and threads (one minute); or only
//            the named scenes
//   report   draws bench/results/report.html and report.svg again from the existing files
//
// The other benchmarks have separate commands: bench:blend, bench:jit, bench:peers, bench:shading-rate, bench:soak,
// bench:surfaces, bench:threads, bench:work. Each keeps its figures in build/bench/ and draws the same report there.
// bench/results/ has the results of one run of all benchmarks (bench:all). A part's file is written only if all of the
// part runs.
//
//   MS       milliseconds per scene, sample count and thread count (700)
//   THREADS  the larger number of threads (the machine's cores)
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
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
  const results = await measureScenes({ only, threads: [...new Set([1, THREADS])], ms: MS });
  if (!only.length) keep('scenes', results);
}
/** Measuring both engines takes minutes. bench:jit does it, and this prints its results. */
function engines() {
  const file = new URL('jit.json', RESULTS);
  if (!existsSync(file)) {
    console.log('Engines: not measured yet; npm run bench:jit measures them.');
    return;
  }
  const { machine, engines: all } = JSON.parse(readFileSync(file, 'utf8'));
  console.log(`Engines, as bench:jit measured them (${machine.date}, ${machine.commit}; not measured again now):`);
  for (const [scene, { frame }] of Object.entries(all))
    console.log(`${scene.padEnd(13)} interpreter ${frame.interpreter} ms, compiled ${frame.jit} ms: ${frame.ratio}×`);
}

const [part, ...words] = args;
const named = args.filter((arg) => arg in scenes);
if (!args.length) {
  await kernels([]);
  await start();
  await frames([]);
  engines();
} else if (part === 'kernels') await kernels(words);
else if (part === 'start') await start();
else if (part === 'scenes') await frames(words);
else if (named.length === args.length) await frames(named);
else if (part !== 'report') {
  throw new Error(
    `no part or scene ${args.join(', ')}; there are kernels, start, scenes, report; ${Object.keys(scenes).join(', ')}`
  );
}
if (part === 'report') writeReport(RESULTS);
else if (existsSync(KEPT)) writeReport();
process.exit(0);
