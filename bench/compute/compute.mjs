// npm run bench compute [program …]
// Measures compute programs, compiled and on one thread, against the interpreter, the scalar kernels, all threads, and
// the same algorithm in plain JavaScript. Sides alternate, and results are medians. Every result is checked against
// JavaScript's.
//
//   MS       milliseconds per side (1000)
//   SCALE    scale of the sizes, a power of two (1)
//   THREADS  the number of all threads (the machine's cores)
//   SIDES    the sides to measure, separated by commas
import { availableParallelism } from 'node:os';
import { globals } from '../../build/index.js';
import { readAs } from './kit.mjs';
import { programs } from './programs.mjs';
import { chooseNames } from '../support/arguments.mjs';
import { openDevice } from '../support/device.mjs';
import { keep } from '../support/machine.mjs';
import { compare, frameOf } from '../support/pairs.mjs';
import { progress, say } from '../support/progress.mjs';
import { writeReport } from '../report/report.mjs';

Object.assign(globalThis, globals);
const THREADS = Number(process.env.THREADS ?? availableParallelism());
const MS = Number(process.env.MS ?? 1000);
const SCALE = Number(process.env.SCALE ?? 1);
const OPTIONS = {
  'all threads': { engine: 'jit', threads: THREADS },
  interpreter: { engine: 'interpreter', threads: 1 },
  scalar: { simd: false, threads: 1 },
  javascript: null,
  compiled: { engine: 'jit', threads: 1 },
};
const sidesAsked = process.env.SIDES?.split(',') ?? Object.keys(OPTIONS);
const chosen = chooseNames('program', Object.keys(programs));

function check(name, side, found, wanted, near) {
  const wrong = found.findIndex((value, i) => Math.abs(value - wanted[i]) > near * Math.max(1, Math.abs(wanted[i])));
  if (wrong >= 0) throw new Error(`${name}, ${side}: ${found[wrong]} at ${wrong}, and not ${wanted[wrong]}`);
}

const results = {};
for (const [index, name] of chosen.entries()) {
  const { size: base, near, make, plain } = programs[name];
  const size = base * SCALE;
  const devices = [];
  const sides = {};
  const inJavaScript = plain(size);
  const wanted = inJavaScript().slice();
  for (const [side, options] of Object.entries(OPTIONS)) {
    if (!sidesAsked.includes(side) && side !== 'compiled') continue;
    if (options === null) {
      sides[side] = () => {
        const began = performance.now();
        inJavaScript();
        return performance.now() - began;
      };
      continue;
    }
    const device = await openDevice({ options });
    const made = await make(device, size);
    devices.push(device);
    made.run();
    check(name, side, await readAs(device, made.result, wanted), wanted, near);
    sides[side] = frameOf(device, { render: made.run });
  }
  const { pairs, ms, ratios } = await compare(sides, {
    forMs: MS,
    warmMs: 100,
    onPair: (n) => progress(index, chosen.length, `${name}, ${n} rounds`),
  });
  for (const device of devices) device.destroy();
  results[name] = { size, rounds: pairs, ms, ratios };
  const others = Object.entries(ratios).map(([side, [ratio]]) => `${side} ${ms[side]} (${ratio}×)`);
  say(`${name.padEnd(11)} ${String(size).padStart(8)}: ${ms.compiled} ms compiled; ${others.join(', ')}`);
}
if (chosen.length === Object.keys(programs).length && SCALE === 1 && !process.env.SIDES) {
  keep('compute', { unit: 'ms', threads: THREADS, programs: results });
  writeReport();
}
process.exit(0);
