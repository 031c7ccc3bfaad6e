// Cycles a quad of built-in functions in emitted code, and of texture reads at a site of compiled code, against what is
// known to be possible (../shared/peers/performance.md). The processor's clock is not read but calibrated: a chain of
// additions, each of which waits for the one before, takes a cycle an addition; it runs right before and right after
// each sample, and a sample is left out where the two differ. A neighbour on the same core (hyper-threading) slows the
// loops and not the chain: measure on a quiet machine.
import { setImmediate } from 'node:timers';
import {
  addChain, filterNames, functionLoop, functionNames, multiplyChain, patternNames, siteLoop,
} from '../../build/testing/loops.js';
import { median } from '../machine.mjs';
import { progress } from '../progress.mjs';

/** Cycles; the upper end where a range is known. Held to FACTOR of it. */
export const KNOWN = { pow: 28, exp2: 18, sin: 13, log2: 13, inverseSqrt: 6, 'trilinear 1:1': 112 };
/** Known as well, and reported beside the figure. */
const KNOWN_TOO = {
  'nearest 1:1': 20, 'nearest magnified': 18, 'nearest random': 29, 'bilinear 1:1': 45, 'bilinear magnified': 42,
  'bilinear random': 64, 'trilinear magnified': 108, 'trilinear random': 156,
};
export const FACTOR = 1.3;
/** At one site: those of a material. */
const TEXTURES = 5;
const SAMPLE_MS = 1, CHAIN_ROUNDS = 4000, STEADY = 0.02, LEAST_SAMPLES = 15;
const round = (value) => Math.round(value * 100) / 100;

function nanoseconds(loop, rounds, each) {
  const began = performance.now();
  loop.run(rounds);
  return ((performance.now() - began) * 1e6) / (rounds * each);
}
const cycle = () => nanoseconds(addChain, CHAIN_ROUNDS, addChain.operations);

/** Runs until the engine has its best code, which it takes up between calls, and gives the rounds of a sample. */
async function warm(loop) {
  const began = performance.now();
  let rounds = 1, ms = 0;
  for (let i = 0; i < 20 || performance.now() - began < 60; i++) {
    const from = performance.now();
    loop.run(rounds);
    ms = performance.now() - from;
    if (ms < SAMPLE_MS / 2) rounds *= 2;
    await new Promise((turn) => setImmediate(turn));
  }
  return Math.max(1, Math.round((rounds * SAMPLE_MS) / ms));
}

/** Cycles a quad: the median and the least of all samples with a steady clock. */
async function sample(loop, ms) {
  const rounds = await warm(loop), cycles = [], clocks = [], until = performance.now() + ms;
  let before = cycle(), tries = 0;
  while (cycles.length < LEAST_SAMPLES || performance.now() < until) {
    const time = nanoseconds(loop, rounds, loop.quads);
    const after = cycle();
    const steady = Math.abs(before - after) / after < STEADY;
    // Where the clock is never steady, what there is must do.
    if (steady || ++tries > 10 * LEAST_SAMPLES) {
      cycles.push((2 * time) / (before + after));
      clocks.push(after);
    }
    before = after;
  }
  return {
    cycles: round(median(cycles)), least: round(Math.min(...cycles)), samples: cycles.length,
    GHz: round(1 / median(clocks)),
  };
}

/** By name, functions then texture reads; `ms` milliseconds each at least. */
export async function measureCycles(ms) {
  for (let i = 0; i < 200; i++) {
    addChain.run(100);
    multiplyChain.run(100);
    if (i % 20 === 0) await new Promise((turn) => setImmediate(turn));
  }
  const loops = {
    ...Object.fromEntries(functionNames.map((name) => [name, () => functionLoop(name)])),
    ...Object.fromEntries(
      filterNames.flatMap((filter) => patternNames.map((pattern) => [
        `${filter} ${pattern}`, () => siteLoop(filter, pattern),
      ]))
    ),
    [`trilinear, ${TEXTURES} textures`]: () => siteLoop('trilinear', '1:1', TEXTURES),
  };
  const names = Object.keys(loops), quads = {};
  for (const [index, name] of names.entries()) {
    progress(index, names.length, `cycles of ${name}`);
    const known = KNOWN[name] ?? KNOWN_TOO[name];
    quads[name] = {
      ...(await sample(loops[name](), ms)), ...(known ? { known } : {}),
      ...(name in KNOWN ? { limit: round(known * FACTOR) } : {}),
    };
  }
  const latency = median(
    Array.from({ length: 31 }, () => nanoseconds(multiplyChain, CHAIN_ROUNDS, multiplyChain.operations) / cycle())
  );
  return {
    unit: 'cycles a quad', clock: 'calibrated: a dependent chain of i32.add takes a cycle each',
    multiplyLatency: round(latency), quads,
  };
}
