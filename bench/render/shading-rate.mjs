// npm run bench shading-rate [part …]
// Measures what coarse shading saves and costs. Takes about three minutes. Results are kept if all parts run. The exit
// code is 1 if a limit is missed. The parts:
//
//   helmet    the peers' scene at 1 and 4 samples, with passes at different rates: nothing set, 1×1 by a depth table,
//             2×2 and 4×4 everywhere. Frames over those with nothing set, and these over frames of a device without the
//             feature; fragment shader runs; interpolation and shader, with and without packing, by the kernels' clocks
//   corridor  the corridor of examples/shading/corridor.mjs with its depth table over 1×1: frames, shader runs, and the
//             similarity of the pictures (SSIM)
//   busy      the share of lanes that are fragments, at 1×1, 2×2 and 4×4: for the helmet, whose shader has derivatives,
//             over the maximum by its id buffer (ideal.mjs); for the dragon and the teapots, whose shader has none, of
//             all lanes
//   stages    a costly coarse stage before a cheap pixel stage, at 2×2 and 4×4 over 1×1: frames, and runs of each stage
//   mesh      a mesh of 8,192 triangles with a shader of about 200 instructions, at 4×4 and 2×2 over 1×1: frames
//   forest    a forest with the depth table that `auto` derives, and with a rate image of the frame before, over 1×1:
//             frames, similarity, and the share of shading
//
// `npm run bench against` compares two builds to show whether code that does not use the feature pays for it.
//
//   MS       milliseconds per side (1500)
//   THREADS  worker threads (0, which gives the most stable figures)
//
// `helmet` and `busy` need the scenes of ../shared/peers.
import { globals } from '../../build/index.js';
import { chooseNames } from '../support/arguments.mjs';
import { engineOf, openDevice } from '../support/device.mjs';
import { idealLanes, idsOf, watch } from './ideal.mjs';
import { createLimitChecker } from '../support/limits.mjs';
import { keep, median, medianInterval, roundTo } from '../support/machine.mjs';
import { compare, frameOf } from '../support/pairs.mjs';
import { progress, say } from '../support/progress.mjs';
import { writeReport } from '../report/report.mjs';
import { coarseStages } from '../scenes/coarse-stages.mjs';
import { corridor as corridorOf, corridorRates } from '../scenes/corridor.mjs';
import { readback } from '../scenes/kit.mjs';
import { forestRows, meshRows } from './rate-meshes.mjs';
import { around } from './second-pass.mjs';
import { runInPeerEnvironment, SCENE_PACKAGES, peerScenes, missingPeersReason } from '../support/peer-files.mjs';
import { ssimOf } from './ssim.mjs';

const PARTS = { helmet, corridor, busy, stages, mesh: meshes, forest: woods };
const missing = missingPeersReason(SCENE_PACKAGES);
const chosen = chooseNames('part', Object.keys(PARTS)).filter((name) => !missing || !['helmet', 'busy'].includes(name));
if (missing) say(`Without the helmet and busy lanes: ${missing}`);
else runInPeerEnvironment(import.meta.url);
Object.assign(globalThis, globals);
const scenes = missing ? {} : (await import(peerScenes)).scenes;

const { THREADS = 0, MS: FOR_MS = 1500 } = process.env;
const MS = Number(FOR_MS);
const threads = Number(THREADS);
const SIZE = { width: 1280, height: 720 };
const SAMPLES = [1, 4];
const LOOKED_UP = '1x1 looked up';
const NOTHING = 'nothing set';
const WITHOUT = 'without the feature';
/** The settings of the passes. A depth table of 1×1 alone is looked up like any other. */
const HOW = {
  '4x4': { rate: '4x4' },
  '2x2': { rate: '2x2' },
  [LOOKED_UP]: { shadingRates: { depth: { near: 0, far: 1, rates: ['1x1', '1x1', '1x1', '1x1'] } } },
  [NOTHING]: {},
};
/** Maximum ratios to passes with nothing set. Apart from edges, a quarter of the runs is the least possible at 2×2. */
const FRAME = { '4x4': 0.5, '2x2': 0.65, [LOOKED_UP]: 1.03 };
const RUNS = { '4x4': 0.15, '2x2': 0.38 };
const MIN_RUNS = { '2x2': 0.25 };
const PROGRAM = { '2x2': 0.45 };
/** Maximum ratios of the depth table to 1×1; minimum SSIM. */
const CORRIDOR = { frame: 0.75, runs: 0.6, ssim: 0.97 };
/** Maximum ratios of frames with a costly coarse stage to those at 1×1. */
const STAGES = { '2x2': 0.5, '4x4': 0.3 };
/** Minimum share of the ideal lanes, and of all lanes. */
const OF_IDEAL = 0.95;
const OF_ALL = 0.9;

const { checkLimit, missed } = createLimitChecker();
const round = roundTo(3);

/** Returns a device that adds the current result of `how()` to its render passes. */
const withRates = (device, how) =>
  around(device, {
    createCommandEncoder(descriptor) {
      const encoder = device.createCommandEncoder(descriptor);
      return around(encoder, {
        beginRenderPass(pass) {
          const { rate, shadingRates } = how();
          const begun = encoder.beginRenderPass(shadingRates ? { ...pass, shadingRates } : pass);
          if (rate) begun.setShadingRate(rate);
          return begun;
        },
      });
    },
  });

/**
 * Creates a scene on a separate device. `at(name, frame)` runs `frame` with the passes of HOW[name]; `run` draws a
 * frame.
 */
async function helmetOn(features, samples) {
  const device = await openDevice({ options: { threads }, features });
  let how = HOW[NOTHING];
  const scene = await scenes.helmet(features.length ? withRates(device, () => how) : device, { ...SIZE, samples });
  const at = (name, frame) => () => {
    how = HOW[name];
    return frame();
  };
  return { device, run: frameOf(device, scene), at };
}

/** Sides with the names of HOW. The others are compared with the last one. */
const sidesOf = (make) => Object.fromEntries(Object.keys(HOW).map((name) => [name, make(name)]));

async function helmet() {
  const rows = [];
  for (const samples of SAMPLES) rows.push(...(await helmetFrames(samples)), ...(await helmetParts(samples)));
  return rows;
}

async function helmetFrames(samples) {
  const plain = await helmetOn([], samples);
  const asked = await helmetOn(['shading-rate'], samples);
  const key = `helmet@${samples}x`;
  const sides = { ...sidesOf((name) => asked.at(name, asked.run)), [WITHOUT]: plain.run };
  const { pairs, ms, ratio } = await compare(sides, {
    forMs: MS,
    warmMs: 500,
    onPair: (n) => progress(0, 1, `${key}, ${n} rounds`),
  });
  for (const { device } of [plain, asked]) device.destroy();
  const row = (name, to, limit) =>
    checkLimit(`${key}, ${name} over ${to}, frame`, ratio(name, to), {
      limit,
      sides: [name, to],
      pairs,
      ms: { [name]: ms[name], [to]: ms[to] },
    });
  say(
    `${key}, ms a frame: ${Object.entries(ms)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}`
  );
  return [...Object.entries(FRAME).map(([name, limit]) => row(name, NOTHING, limit)), row(NOTHING, WITHOUT)];
}

/** Returns shader runs and kernel times by part, on a device with statistics and clocks. */
async function helmetParts(samples) {
  const own = await helmetOn(['shading-rate', 'statistics', 'statistics-times'], samples);
  const { device } = own;
  const runs = {};
  const parts = sidesOf(() => []);
  const key = `helmet@${samples}x`;
  const side = (name) =>
    own.at(name, async () => {
      const before = device.statistics();
      await own.run();
      const { times, counters } = device.statistics();
      runs[name] = counters.lanesShaded - before.counters.lanesShaded;
      parts[name].push(Object.fromEntries(Object.keys(times).map((part) => [part, times[part] - before.times[part]])));
      return times.shade - before.times.shade;
    });
  const { pairs, ms, ratio } = await compare(sidesOf(side), {
    forMs: MS,
    warmMs: 500,
    onPair: (n) => progress(0, 1, `${key}, parts, ${n} rounds`),
  });
  device.destroy();
  const partMs = sidesOf((name) =>
    Object.fromEntries(
      Object.keys(parts[name][0]).map((part) => [
        part,
        round(median(parts[name].slice(-pairs).map((times) => times[part]))),
      ])
    )
  );
  console.table(partMs);
  const rows = [LOOKED_UP, '2x2', '4x4'].flatMap((name) => {
    const of = [round(runs[name] / runs[NOTHING])];
    return [
      checkLimit(`${key}, ${name}, runs`, of, { limit: RUNS[name], runs: [runs[name], runs[NOTHING]] }),
      ...(MIN_RUNS[name]
        ? [checkLimit(`${key}, ${name}, runs, the least`, of, { limit: MIN_RUNS[name], atLeast: true })]
        : []),
      checkLimit(`${key}, ${name}, interpolation and program`, ratio(name, NOTHING), {
        limit: PROGRAM[name],
        sides: [name, NOTHING],
        pairs,
        ms: { [name]: ms[name], [NOTHING]: ms[NOTHING] },
      }),
      withPacking(
        key,
        name,
        sidesOf((side) => parts[side].slice(-pairs).map(({ pack, shade }) => pack + shade))
      ),
    ];
  });
  return [{ what: `${key}, kernel times by part`, partMs }, ...rows];
}

/** `together`: for each side and round, the milliseconds of shading including packing. */
function withPacking(key, name, together) {
  const ratios = together[name].map((ms, i) => ms / together[NOTHING][i]);
  return checkLimit(`${key}, ${name}, interpolation, program and packing`, medianInterval(ratios).map(round), {
    sides: [name, NOTHING],
    ms: Object.fromEntries([name, NOTHING].map((side) => [side, round(median(together[side]))])),
  });
}

async function corridor() {
  const rows = [];
  for (const samples of SAMPLES) {
    const device = await openDevice({ options: { threads }, features: ['shading-rate', 'statistics'] });
    const key = `corridor@${samples}x`;
    const shape = { ...SIZE, samples };
    const sides = {};
    const pictures = {};
    const runs = {};
    const drawn = { auto: corridorOf(device, { ...shape, rates: corridorRates }), '1x1': corridorOf(device, shape) };
    for (const [name, scene] of Object.entries(drawn)) {
      const before = device.statistics().counters.lanesShaded;
      scene.render();
      // Compare the first frame of each: later frames have another camera.
      pictures[name] = await readback(device, scene.color);
      runs[name] = device.statistics().counters.lanesShaded - before;
      sides[name] = frameOf(device, scene);
    }
    const { pairs, ms, ratios } = await compare(sides, {
      forMs: MS,
      warmMs: 500,
      onPair: (n) => progress(0, 1, `${key}, ${n} pairs`),
    });
    device.destroy();
    say(`${key}, ms a frame: auto ${ms.auto}, 1x1 ${ms['1x1']}`);
    const what = `${key}, auto`;
    rows.push(
      checkLimit(`${what} over 1x1, frame`, ratios.auto, { limit: CORRIDOR.frame, sides: ['auto', '1x1'], pairs, ms }),
      checkLimit(`${what}, runs`, [round(runs.auto / runs['1x1'])], {
        limit: CORRIDOR.runs,
        runs: Object.values(runs),
      }),
      checkLimit(`${what}, SSIM`, [round(ssimOf(pictures.auto, pictures['1x1'], SIZE))], {
        limit: CORRIDOR.ssim,
        atLeast: true,
      })
    );
  }
  return rows;
}

async function busy() {
  const rows = [];
  for (const [name, stride] of [['helmet', 32], ['dragon'], ['teapots']])
    for (const samples of SAMPLES) {
      const device = await openDevice({ options: { threads }, features: ['shading-rate', 'statistics'] });
      const shape = { ...SIZE, samples };
      let how = {};
      const { scene, seen } = await watch(globals, () =>
        scenes[name](
          withRates(device, () => how),
          shape
        )
      );
      await device.queue.onSubmittedWorkDone();
      const counted = {};
      for (const rate of ['1x1', '2x2', '4x4']) {
        how = { rate };
        const before = device.statistics().counters;
        await frameOf(device, scene)();
        const { lanesShaded, quadsShaded } = device.statistics().counters;
        counted[rate] = { lanes: lanesShaded - before.lanesShaded, quads: quadsShaded - before.quadsShaded };
      }
      const ids = stride && (await idsOf(device, seen, { ...shape, stride }));
      device.destroy();
      for (const [rate, { lanes, quads }] of Object.entries(counted)) {
        const what = `${name}@${samples}x, ${rate}, lanes busy`;
        const share = lanes / (4 * quads);
        const ideal = ids && idealLanes(ids, { ...shape, rate: rate.split('x').map(Number) });
        rows.push(
          ideal
            ? checkLimit(`${what}, over the ideal`, [round(share / ideal.busy)], {
                limit: OF_IDEAL,
                atLeast: true,
                busy: round(share),
                lanes,
                quads,
                ideal,
              })
            : checkLimit(what, [round(share)], { limit: OF_ALL, atLeast: true, lanes, quads })
        );
      }
    }
  return rows;
}

async function stages() {
  const rows = [];
  for (const samples of SAMPLES) {
    const device = await openDevice({
      options: { threads },
      features: ['shading-rate', 'fragment-stages', 'statistics'],
    });
    const key = `stages@${samples}x`;
    const sides = {};
    const runs = {};
    for (const rate of ['4x4', '2x2', '1x1']) {
      const scene = coarseStages(device, { ...SIZE, samples, rate });
      const before = device.statistics().shadingRates.rates[rate].threads;
      await frameOf(device, scene)();
      runs[rate] = device.statistics().shadingRates.rates[rate].threads - before;
      sides[rate] = frameOf(device, scene);
    }
    const { pairs, ms, ratio } = await compare(sides, {
      forMs: MS,
      warmMs: 500,
      onPair: (n) => progress(0, 1, `${key}, ${n} rounds`),
    });
    device.destroy();
    say(
      `${key}, ms a frame: ${Object.entries(ms)
        .map(([rate, value]) => `${rate} ${value}`)
        .join(', ')}`
    );
    for (const [rate, limit] of Object.entries(STAGES)) {
      rows.push(
        checkLimit(`${key}, ${rate} over 1x1, frame`, ratio(rate, '1x1'), {
          limit,
          sides: [rate, '1x1'],
          pairs,
          ms,
          coarseRuns: runs[rate],
          runs: runs['1x1'],
        })
      );
    }
  }
  return rows;
}

async function meshes() {
  return meshRows({ size: SIZE, threads, ms: MS, samples: SAMPLES, checkLimit });
}

function woods() {
  return forestRows({ size: SIZE, threads, ms: MS, checkLimit });
}

const results = {};
for (const name of chosen) results[name] = await PARTS[name]();
say('Whether those who do not ask for the feature pay for it: npm run bench against, with a build from before it.');
if (chosen.length === Object.keys(PARTS).length) {
  keep('shading-rate', { unit: 'ms', ...SIZE, engine: await engineOf(), threads, results });
  writeReport();
}
if (missed.length) console.log(`\nNOT REACHED: ${missed.join('; ')}`);
process.exit(missed.length ? 1 : 0);
