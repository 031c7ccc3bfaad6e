// npm run bench jit [part | scene …]
// Compares compiled shaders with interpreted ones, measures a pipeline from creation to first use, and measures
// functions and texture reads in compiled code. Results are kept if all parts run on all scenes. The parts:
//
//   engines    frames on both engines, alternating in one process: the median of the pairs' ratios with its 95 %
//              interval; then the shading part alone, on devices that read the clock (feature "statistics-times")
//   pipeline   the helmet's pipeline, step by step, in separate processes
//   functions  cycles per quad (bench/kernels)
//
// The scenes are those of ../shared/peers if it and its packages are present; otherwise the benchmarks' own scenes,
// which have no limits. The exit code is 1 if a limit is missed.
//
//   MS      milliseconds per side of a comparison (3000)
//   ROUNDS  processes that create a pipeline (7)
import { existsSync, readFileSync } from 'node:fs';
import { globals } from '../../build/index.js';
import { requireNames } from '../support/arguments.mjs';
import { openDevice } from '../support/device.mjs';
import { FACTOR, measureCycles } from '../kernels/cycles.mjs';
import { keep, RESULTS } from '../support/machine.mjs';
import { compare, frameOf } from '../support/pairs.mjs';
import { measurePipeline } from '../start/pipeline.mjs';
import { progress, say } from '../support/progress.mjs';
import { writeReport } from '../report/report.mjs';
import { runInPeerEnvironment, benchScenes, peerScenes, missingPeersReason } from '../support/peer-files.mjs';

const theirs = !missingPeersReason();
if (theirs) runInPeerEnvironment(import.meta.url);

Object.assign(globalThis, globals);
const scenesModule = theirs ? peerScenes : benchScenes;
const { scenes } = await import(scenesModule);
const MS = Number(process.env.MS ?? 3000);
const PROCESSES = Number(process.env.ROUNDS ?? 7);
const MIN_SHADING_RATIO = 2;
const LIMITED_SCENES = ['helmet', 'overdraw'];
const MAX_MS_TO_FIRST_USE = 30;
const size = { width: 1280, height: 720 };

const PARTS = ['engines', 'pipeline', 'functions'];
const args = process.argv.slice(2);
requireNames('part or scene', args, [...PARTS, ...Object.keys(scenes)]);
const chosen = (all) => {
  const some = all.filter((name) => args.includes(name));
  return some.length ? some : all;
};
const sceneNames = chosen(Object.keys(scenes));
const parts = args.length && !PARTS.some((part) => args.includes(part)) ? ['engines'] : chosen(PARTS);

/** The last committed results, for comparison. */
const file = new URL('jit.json', RESULTS);
const last = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
const missed = [];
function held(what, value, limit, atLeast) {
  const holds = atLeast ? value >= limit : value <= limit;
  if (!holds) missed.push(what);
  return { limit, holds };
}
const verdict = ({ limit, holds }, atLeast) =>
  limit === undefined ? '' : `${atLeast ? '≥' : '≤'} ${limit}: ${holds ? 'reached' : 'NOT REACHED'}`;

/** Returns the milliseconds of shading in a frame, including packing. */
function shadingOf(device, scene) {
  const frame = frameOf(device, scene);
  const soFar = () => {
    const { pack, shade } = device.statistics().times;
    return pack + shade;
  };
  return async () => {
    const before = soFar();
    await frame();
    return soFar() - before;
  };
}

/** Runs both engines on a scene. `side(device, scene)` creates the measured function. */
async function onBothEngines(name, shape, features, side, onPair) {
  const devices = {};
  const sides = {};
  for (const engine of ['interpreter', 'jit']) {
    devices[engine] = await openDevice({ options: { engine, threads: 1 }, features });
    sides[engine] = side(devices[engine], await scenes[name](devices[engine], shape));
  }
  const { pairs, ms, least, ratios } = await compare(sides, { forMs: MS, warmMs: Math.min(MS / 4, 1000), onPair });
  for (const device of Object.values(devices)) device.destroy();
  const [ratio, ...interval] = ratios.interpreter;
  return { pairs, interpreter: ms.interpreter, jit: ms.jit, least, ratio, interval };
}

async function engines() {
  const results = {};
  const table = {};
  const all = sceneNames.flatMap((name) => [1, 4].map((samples) => ({ name, samples })));
  for (const [index, { name, samples }] of all.entries()) {
    const key = `${name}@${samples}x`;
    const shape = { ...size, samples };
    const before = last.engines?.[key];
    const note = (what) => (pairs) => progress(index, all.length, `${key}, ${what}, ${pairs} pairs`);
    const frame = await onBothEngines(name, shape, [], frameOf, note('frames'));
    const shading = await onBothEngines(name, shape, ['statistics', 'statistics-times'], shadingOf, note('shading'));
    if (theirs && LIMITED_SCENES.includes(name))
      Object.assign(shading, held(`shading of ${key}`, shading.ratio, MIN_SHADING_RATIO, true));
    results[key] = { frame, shading };
    table[key] = {
      interpreter: frame.interpreter,
      jit: frame.jit,
      ratio: frame.ratio,
      interval: frame.interval.join(' … '),
      'jit before': before?.frame.jit ?? '',
      'interpreter before': before?.frame.interpreter ?? '',
      'shading, interpreter': shading.interpreter,
      'shading, jit': shading.jit,
      'its ratio': shading.ratio,
      'its interval': shading.interval.join(' … '),
      goal: verdict(shading, true),
    };
    say(
      `${key.padEnd(13)} ${frame.interpreter} → ${frame.jit} ms (${frame.ratio}×), `
        + `shading ${shading.interpreter} → ${shading.jit} ms (${shading.ratio}×) ${verdict(shading, true)}`
    );
  }
  console.table(table);
  console.log(
    'milliseconds a frame, medians; a ratio is how many times as fast compiled programs are, '
      + 'the median of pairs with its 95 % interval'
  );
  return results;
}

async function pipeline() {
  const name = theirs ? 'helmet' : Object.keys(scenes)[0];
  const { compiler, ...results } = await measurePipeline({
    scenes: scenesModule,
    name,
    make: scenes[name],
    shape: { ...size, samples: 1 },
    processes: PROCESSES,
  });
  const table = {};
  for (const [way, { cold, warm, again }] of Object.entries(results)) {
    if (theirs) Object.assign(cold, held(`first use, ${way}`, cold.firstUse, MAX_MS_TO_FIRST_USE, false));
    table[`${way}, cold`] = {
      ...cold.steps,
      'first use': cold.firstUse,
      slowest: cold.slowest,
      'compiled after': cold.compiledAfter ?? '',
      goal: verdict(cold, false),
    };
    if (cold.later) table[`${way}, cold, afterwards`] = cold.later;
    table[`${way}, warm`] = { ...warm.steps, ready: warm.ready, 'compiled after': warm.compiledAfter ?? '' };
    table[`${way}, again`] = { ...again.steps, ready: again.ready };
    say(
      `${name}'s pipeline, ${way}: ${cold.firstUse} ms to the first use (slowest ${cold.slowest}), `
        + `then ${warm.ready} ms for another program, ${again.ready} ms for the same ${verdict(cold, false)}`
    );
  }
  console.table(table);
  console.log(
    `milliseconds, medians of ${PROCESSES} processes. async: createRenderPipelineAsync; sync: `
      + "the synchronous call, which starts on the interpreter; forced: the same with engine 'jit'"
  );
  console.table({ 'the compiler alone, cold': compiler.cold.steps, 'the compiler alone, warm': compiler.warm.steps });
  return { scene: name, processes: PROCESSES, ...results, compiler };
}

async function functions() {
  const results = await measureCycles(Math.min(MS / 4, 500));
  const table = {};
  for (const [name, figures] of Object.entries(results.quads)) {
    if (figures.limit !== undefined)
      Object.assign(figures, held(`cycles of ${name}`, figures.cycles, figures.limit, false));
    table[name] = {
      cycles: figures.cycles,
      least: figures.least,
      known: figures.known ?? '',
      'times known': figures.known ? Math.round((figures.cycles / figures.known) * 100) / 100 : '',
      goal: verdict(figures, false),
      GHz: figures.GHz,
    };
  }
  say('');
  console.table(table);
  console.log(
    `cycles a quad of four lanes, medians; limits are ${FACTOR} × what is known to be possible. `
      + `The clock is calibrated by a chain of additions (by it, a multiplication takes ${results.multiplyLatency} `
      + 'cycles: 3 on most processors)'
  );
  return results;
}

const run = { engines, pipeline, functions };
const results = {};
for (const part of parts) results[part] = await run[part]();
if (missed.length) console.log(`\nNOT REACHED: ${missed.join('; ')}`);
if (theirs && parts.length === PARTS.length && sceneNames.length === Object.keys(scenes).length) {
  keep('jit', { unit: 'ms', ...size, threads: 1, ...results });
  writeReport();
}
process.exit(missed.length ? 1 : 0);
