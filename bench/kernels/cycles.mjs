// Measures the cycles per quad of built-in functions in compiled code, and of texture reads at a site of compiled code,
// against known achievable figures (../shared/peers/performance.md). The clock is calibrated with a chain of dependent
// additions, since one addition takes one cycle. The chain runs directly before and after each sample, and a sample is
// dropped if the two differ. Another thread on the same core (hyper-threading) slows the loops but not the chain, so
// measure on a quiet machine.
import { setImmediate } from 'node:timers';
import {
  addChain,
  filterNames,
  functionLoop,
  functionNames,
  multiplyChain,
  patternNames,
  siteLoop,
} from '../../build/testing/loops.js';
import { median, roundTo } from '../support/machine.mjs';
import { progress } from '../support/progress.mjs';

/** Known cycles, or the upper end of a known range. The limit is FACTOR times these. */
const KNOWN = { pow: 28, exp2: 18, sin: 13, log2: 13, inverseSqrt: 6, 'trilinear 1:1': 112 };
/** Further known cycles, without a limit, reported next to the figure. */
const KNOWN_TOO = {
  'nearest 1:1': 20,
  'nearest magnified': 18,
  'nearest random': 29,
  'bilinear 1:1': 45,
  'bilinear magnified': 42,
  'bilinear random': 64,
  'trilinear magnified': 108,
  'trilinear random': 156,
};
export const FACTOR = 1.3;
/** Number of textures at one site, as in a material. */
const TEXTURES = 5;
const SAMPLE_MS = 1;
const CHAIN_ROUNDS = 4000;
const STEADY = 0.02;
const MIN_SAMPLES = 15;
const round = roundTo(2);

function nanoseconds(loop, rounds, each) {
  const began = performance.now();
  loop.run(rounds);
  return ((performance.now() - began) * 1e6) / (rounds * each);
}
const cycle = () => nanoseconds(addChain, CHAIN_ROUNDS, addChain.operations);

/** Runs until the engine has its best code, which it installs between calls. Returns the rounds of a sample. */
async function warm(loop) {
  const began = performance.now();
  let rounds = 1;
  let ms = 0;
  for (let i = 0; i < 20 || performance.now() - began < 60; i++) {
    const from = performance.now();
    loop.run(rounds);
    ms = performance.now() - from;
    if (ms < SAMPLE_MS / 2) rounds *= 2;
    await new Promise((turn) => setImmediate(turn));
  }
  return Math.max(1, Math.round((rounds * SAMPLE_MS) / ms));
}

/** Returns the cycles per quad: the median and the minimum of all samples with a steady clock. */
async function sample(loop, ms) {
  const rounds = await warm(loop);
  const cycles = [];
  const clocks = [];
  const until = performance.now() + ms;
  let before = cycle();
  let tries = 0;
  while (cycles.length < MIN_SAMPLES || performance.now() < until) {
    const time = nanoseconds(loop, rounds, loop.quads);
    const after = cycle();
    const steady = Math.abs(before - after) / after < STEADY;
    // If the clock is never steady, accept unsteady samples.
    if (steady || ++tries > 10 * MIN_SAMPLES) {
      cycles.push((2 * time) / (before + after));
      clocks.push(after);
    }
    before = after;
  }
  return {
    cycles: round(median(cycles)),
    least: round(Math.min(...cycles)),
    samples: cycles.length,
    GHz: round(1 / median(clocks)),
  };
}

/** Returns figures by name, functions first and then texture reads. Each is measured for at least `ms` milliseconds. */
export async function measureCycles(ms) {
  for (let i = 0; i < 200; i++) {
    addChain.run(100);
    multiplyChain.run(100);
    if (i % 20 === 0) await new Promise((turn) => setImmediate(turn));
  }
  const loops = {
    ...Object.fromEntries(functionNames.map((name) => [name, () => functionLoop(name)])),
    ...Object.fromEntries(
      filterNames.flatMap((filter) =>
        patternNames.map((pattern) => [`${filter} ${pattern}`, () => siteLoop(filter, pattern)])
      )
    ),
    [`trilinear, ${TEXTURES} textures`]: () => siteLoop('trilinear', '1:1', TEXTURES),
  };
  const names = Object.keys(loops);
  const quads = {};
  for (const [index, name] of names.entries()) {
    progress(index, names.length, `cycles of ${name}`);
    const known = KNOWN[name] ?? KNOWN_TOO[name];
    quads[name] = {
      ...(await sample(loops[name](), ms)),
      ...(known ? { known } : {}),
      ...(name in KNOWN ? { limit: round(known * FACTOR) } : {}),
    };
  }
  const latency = median(
    Array.from({ length: 31 }, () => nanoseconds(multiplyChain, CHAIN_ROUNDS, multiplyChain.operations) / cycle())
  );
  return {
    unit: 'cycles a quad',
    clock: 'calibrated: a dependent chain of i32.add takes a cycle each',
    multiplyLatency: round(latency),
    quads,
  };
}
