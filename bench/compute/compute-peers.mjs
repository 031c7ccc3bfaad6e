// npm run bench compute-peers [program …]
// Runs the compute programs of bench/compute at realistic sizes, on all threads and on one. Compares them with
// SwiftShader, llvmpipe and the same algorithm in plain JavaScript. Each side is a separate process. The processes take
// turns, so that other load on the machine slows all of them alike. Each result is checked against JavaScript's.
//
//   MS       milliseconds per program (6000)
//   THREADS  the number of all threads (the machine's cores)
//
// A peer that is not installed is left out, and its packages are named. ../shared/peers describes their installation.
import { availableParallelism } from 'node:os';
import { programs } from './programs.mjs';
import { chooseNames } from '../support/arguments.mjs';
import { keep, median, roundTo } from '../support/machine.mjs';
import { progress, say } from '../support/progress.mjs';
import { writeReport } from '../report/report.mjs';
import { runInPeerEnvironment, missingPeersReason } from '../support/peer-files.mjs';
import { openSide } from '../support/sides.mjs';

const missing = missingPeersReason();
if (!missing) runInPeerEnvironment(import.meta.url);
const THREADS = Number(process.env.THREADS ?? availableParallelism());
const MS = Number(process.env.MS ?? 6000);
const MIN_ROUNDS = 5;
/** How long each side warms up a program, in milliseconds: engines recompile code that runs often. */
const WARM_MS = 400;
/** A side that takes more than SLOW_MS milliseconds runs in the first SLOW_ROUNDS rounds only. */
const SLOW_MS = 1000;
const SLOW_ROUNDS = 2;
/** Minimum speed-up of a program on all threads over each side. JavaScript is compared with one thread. */
const LIMITS = { swiftshader: 3, llvmpipe: 1, javascript: 4, 'one thread': 1.8 };
/** The programs for which the limit over JavaScript applies, because they are mostly arithmetic. */
const ARITHMETIC = ['matrix', 'blur', 'bodies', 'mandelbrot'];
const SIDES = {
  rasterloom: JSON.stringify({ threads: THREADS }),
  'one thread': JSON.stringify({ threads: 1 }),
  javascript: 'javascript',
  ...(missing ? {} : { swiftshader: 'swiftshader', llvmpipe: 'llvmpipe' }),
};
if (missing) say(`swiftshader and llvmpipe are left out: ${missing}`);
const chosen = chooseNames('program', Object.keys(programs));

const open = (name) => openSide(name, new URL('./side.mjs', import.meta.url), [SIDES[name]]);
const round = roundTo(2);
const sides = [];
for (const name of Object.keys(SIDES)) {
  try {
    sides.push(await open(name));
  } catch (error) {
    say(`${name} is left out: ${error.message}`);
  }
}
const results = {};
const goals = [];
for (const [index, name] of chosen.entries()) {
  const { large: size } = programs[name];
  const times = {};
  const here = [];
  for (const side of sides) {
    progress(index, chosen.length, `${name}, ${side.name} compiles`);
    try {
      const { difference } = await side.ask({ name, size });
      if (difference) say(`${name}, ${side.name}: ${difference}`);
      let { ms } = await side.ask('run');
      const isSlow = ms > SLOW_MS;
      for (let ran = ms; ran < WARM_MS; ran += ms) ({ ms } = await side.ask('run'));
      times[side.name] = [];
      here.push({ ...side, isSlow });
    } catch (error) {
      say(`${name}: ${error.message}`);
    }
  }
  const began = performance.now();
  for (let rounds = 0; rounds < MIN_ROUNDS || performance.now() - began < MS; rounds++)
    for (const { isSlow, name: side, ask } of rounds % 2 ? here.toReversed() : here)
      if (!isSlow || rounds < SLOW_ROUNDS) times[side].push((await ask('run')).ms);
  const ms = Object.fromEntries(Object.entries(times).map(([side, all]) => [side, round(median(all))]));
  // The median ratio over the rounds' pairs.
  const ratioOf = (over, under) =>
    round(median(times[over].map((value, i) => value / times[under][i]).filter((ratio) => !Number.isNaN(ratio))));
  const ratios = {};
  for (const side of Object.keys(times).filter((each) => each !== 'rasterloom')) {
    const value = (ratios[side] = ratioOf(side, side === 'javascript' ? 'one thread' : 'rasterloom'));
    const limit = side === 'javascript' && !ARITHMETIC.includes(name) ? undefined : LIMITS[side];
    if (limit !== undefined) goals.push({ what: `${name} over ${side}`, value, limit, reached: value >= limit });
  }
  results[name] = { size, rounds: times.rasterloom.length, ms, ratios };
  const others = Object.entries(ratios).map(([side, ratio]) => `${side} ${ms[side]} (${ratio}×)`);
  say(`${name.padEnd(11)} ${String(size).padStart(8)}: ${ms.rasterloom} ms; ${others.join(', ')}`);
}
for (const { close } of sides) close();
const missed = goals.filter(({ reached }) => !reached);
for (const { what, value, limit } of missed) console.log(`NOT REACHED: ${what}: ${value}, limit ${limit}`);
if (chosen.length === Object.keys(programs).length) {
  keep('compute-peers', { unit: 'ms', threads: THREADS, programs: results, goals });
  writeReport();
}
process.exit(missed.length ? 1 : 0);
