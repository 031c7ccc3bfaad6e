// Compares SIMD with scalar code. Each hot loop of the kernels (bench/kernels/loops) runs on the SIMD kernel, on its
// scalar twin, and in plain TypeScript over typed arrays. Before the timing, the outputs are compared once: the kernels
// bit by bit, the plain version within the loop's tolerance. Each loop has a separate process, so that no loop affects
// how the engine optimises another. The three sides alternate in rounds. A chain of dependent additions, which take one
// cycle each, calibrates the processor's clock (cycles.mjs).
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setImmediate } from 'node:timers/promises';
import { Bench } from 'tinybench';
import { median } from '../support/machine.mjs';
import { progress, say } from '../support/progress.mjs';

/** Minimum median ratio of scalar to SIMD. */
const MIN_RATIO = 2.5;
const ROUNDS = 5;
const ROUND_MS = 50;
const WARM_MS = 100;
const CHAIN_ROUNDS = 4000;
const SIDES = ['simd', 'scalar', 'plain'];
const round = (value) => Number(value.toPrecision(4));
const here = fileURLToPath(import.meta.url);

/** Other threads optimise code, and the engine installs it between calls, so the event loop turns in the meantime. */
async function warm(run, forMs) {
  const until = performance.now() + forMs;
  for (let calls = 0; calls < 20 || performance.now() < until; calls++) {
    run();
    if (calls % 4 === 0) await setImmediate();
  }
}

async function measureLoop(index) {
  const { difference, makers } = await import('../../build/testing/hot-loops.js');
  const { addChain } = await import('../../build/testing/loops.js');
  const loop = makers[index]();
  const wrong = difference(loop);
  if (wrong) throw new Error(wrong);
  for (const side of SIDES) await warm(loop[side].run, WARM_MS);
  await warm(() => {
    addChain.run(100);
  }, 20);
  const nanoseconds = { simd: [], scalar: [], plain: [] };
  const cycles = [];
  for (let k = 0; k < ROUNDS; k++) {
    const began = performance.now();
    addChain.run(CHAIN_ROUNDS);
    cycles.push(((performance.now() - began) * 1e6) / (CHAIN_ROUNDS * addChain.operations));
    const bench = new Bench({ time: ROUND_MS, iterations: 3, warmup: false });
    for (const side of SIDES)
      bench.add(side, () => {
        loop[side].run();
      });
    for (const { name, result } of bench.runSync()) nanoseconds[name].push((result.latency.p50 * 1e6) / loop.count);
    await setImmediate();
  }
  const each = (value) => Object.fromEntries(SIDES.map((side) => [side, round(value(side))]));
  const cycle = median(cycles);
  const ns = each((side) => median(nanoseconds[side]));
  const { name, group, unit, count, tolerance, general = false } = loop;
  const cyclesOf = each((side) => ns[side] / cycle);
  const [overScalar, overPlain] = ['scalar', 'plain'].map((side) => round(ns[side] / ns.simd));
  return {
    name,
    group,
    unit,
    count,
    tolerance,
    general,
    ns,
    cycles: cyclesOf,
    GHz: round(1 / cycle),
    overScalar,
    overPlain,
  };
}

/** Returns figures by name, for loops whose names contain one of `only`. */
export async function measureHotLoops(only = []) {
  const { makers } = await import('../../build/testing/hot-loops.js');
  const loops = {};
  for (let index = 0; index < makers.length; index++) {
    progress(index, makers.length, 'hot loops');
    const { stdout, stderr, status } = spawnSync(process.execPath, [here, String(index), ...only], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`a hot loop failed: ${stderr.slice(-800)}`);
    if (!stdout) continue;
    const { name, ...figures } = JSON.parse(stdout);
    const { ns, overScalar, overPlain, unit, general } = figures;
    loops[name] = figures;
    const sides =
      `${String(ns.simd).padStart(7)} ns a ${unit.padEnd(8)} ${general ? 'general' : ' scalar'} `
      + `${String(ns.scalar).padStart(6)} (${overScalar}×)`;
    say(`${name.padEnd(32)} ${sides}, TypeScript ${String(ns.plain).padStart(6)} (${overPlain}×)`);
  }
  return { unit: 'ns', loops, median: medians(Object.values(loops)) };
}

/**
 * Median ratios to SIMD: of scalar twins, which have the limit; of the general scalar path, for loops that use it; and
 * of TypeScript.
 */
function medians(all) {
  const of = (loops, field) => (loops.length ? round(median(loops.map((figures) => figures[field]))) : null);
  const twins = all.filter(({ general }) => !general);
  const value = of(twins, 'overScalar');
  // Formats multiply the loops that compare samples, so each kind of loop counts once.
  const kinds = [...new Set(twins.map(({ group }) => group))].map((kind) =>
    of(
      twins.filter(({ group }) => group === kind),
      'overScalar'
    )
  );
  return {
    value,
    limit: MIN_RATIO,
    reached: value >= MIN_RATIO,
    twins: twins.length,
    ofKinds: kinds.length ? round(median(kinds)) : null,
    overGeneral: of(
      all.filter(({ general }) => general),
      'overScalar'
    ),
    overPlain: of(all, 'overPlain'),
  };
}

if (process.argv[1] === here) {
  const [index, ...only] = process.argv.slice(2);
  const { makers } = await import('../../build/testing/hot-loops.js');
  if (!only.length || only.some((part) => makers[index]().name.includes(part)))
    console.log(JSON.stringify(await measureLoop(Number(index))));
}
