// npm run bench work [part …]
// Measures the gains from avoided work on the peers' scenes, with their limits. Pairs of frames are interleaved; a
// ratio is the median of the pairs' ratios with its 95 % interval. The parts:
//
//   overdraw  48 layers over one layer
//   samples   a frame with 4 samples over one with 1
//   geometry  vertex, setup (with binning) and raster of the dragon, on one thread, over llvmpipe's whole frame on all
//             cores
//   lanes     busy lanes during shading; for shaders with derivatives, over the maximum by the id buffer (ideal.mjs)
//
// Results (less-work.json) are kept only if all parts run. MS=300 reduces the parts to the minimum number of pairs.
// Needs ../shared/peers and its packages, and stops with a message if they are missing.
import { createRequire } from 'node:module';
import { create, globals } from '../../build/index.js';
import { chooseNames } from '../support/arguments.mjs';
import { engineOf } from '../support/device.mjs';
import { idealOf, watch } from './ideal.mjs';
import { keep, median, roundTo } from '../support/machine.mjs';
import { compare as comparePairs, frameOf } from '../support/pairs.mjs';
import { writeReport } from '../report/report.mjs';
import { runInPeerEnvironment, peerModules, peerScenes, missingPeersReason } from '../support/peer-files.mjs';

const missing = missingPeersReason();
if (missing) {
  console.log(`Skipped: ${missing}`);
  process.exit(0);
}
runInPeerEnvironment(import.meta.url);

Object.assign(globalThis, globals);
const { scenes } = await import(peerScenes);
const MS = Number(process.env.MS ?? 6000);
const size = { width: 1280, height: 720 };
const round = roundTo(3);

async function openDevice(requiredFeatures = [], gpu = create({ threads: 1 }), options = {}) {
  const adapter = await gpu.requestAdapter(options);
  const device = await adapter.requestDevice({ requiredFeatures });
  device.onuncapturederror = ({ error }) => {
    throw new Error(error.message);
  };
  return device;
}
/** Keeps the root object alive: Dawn's objects depend on it. */
const dawn = createRequire(`${peerModules}/`)('webgpu').create(['backend=opengl']);
const llvmpipe = () => openDevice([], dawn, { featureLevel: 'compatibility' });

const compare = (sides) => comparePairs(sides, { forMs: MS, warmMs: Math.min(MS / 8, 500) });

const results = {};
const table = [];
function report(group, name, { value, low = value, high = value, limit, atLeast = false, ...figures }) {
  const holds = limit === undefined ? null : atLeast ? value >= limit : value <= limit;
  (results[group] ??= {})[name] = {
    value,
    ...(low === high ? {} : { interval: [low, high] }),
    ...(limit === undefined ? {} : { limit, holds }),
    ...figures,
  };
  table.push({
    '': `${group} ${name}`,
    value,
    interval: low === high ? '' : `${low} … ${high}`,
    limit: limit === undefined ? '' : `${atLeast ? '≥' : '≤'} ${limit}`,
    holds: holds === null ? '' : holds ? 'yes' : 'NO',
  });
  console.log(
    `${group.padEnd(9)} ${name.padEnd(12)} `
      + `${value}`
      + (low === high ? '' : ` (${low} … ${high})`)
      + (limit === undefined ? '' : `, limit ${limit}: ${holds ? 'holds' : 'DOES NOT HOLD'}`)
  );
}

/** Draws the scene's last layer alone: the visible layer with the same shader. */
function lastLayer(scene) {
  const { prototype } = globals.GPURenderPassEncoder;
  return {
    render() {
      const { draw } = prototype;
      prototype.draw = function (count, layers) {
        draw.call(this, count, 1, 0, layers - 1);
      };
      try {
        scene.render();
      } finally {
        prototype.draw = draw;
      }
    },
  };
}

async function overdraw() {
  const device = await openDevice();
  for (const samples of [1, 4]) {
    const scene = await scenes.overdraw(device, { ...size, samples });
    const {
      pairs,
      ms,
      ratios: {
        layers: [value, low, high],
      },
    } = await compare({ layers: frameOf(device, scene), one: frameOf(device, lastLayer(scene)) });
    report('overdraw', `${samples}x`, { value, low, high, limit: 2, pairs, ms });
  }
  device.destroy();
}

async function samples() {
  for (const [name, limit] of [
    ['particles', 1.9],
    ['dragon', 1.9],
    ['teapots', 1.9],
    ['helmet', 1.5],
  ]) {
    const device = await openDevice();
    const at = async (count) => frameOf(device, await scenes[name](device, { ...size, samples: count }));
    const {
      pairs,
      ms,
      ratios: {
        four: [value, low, high],
      },
    } = await compare({ four: await at(4), one: await at(1) });
    report('samples', name, { value, low, high, limit, pairs, ms });
    device.destroy();
  }
}

/** Uses llvmpipe and two Rasterloom devices. One of the devices reads the clock between the parts of the work. */
async function geometry() {
  const timed = await openDevice(['statistics-times']);
  const plain = await openDevice();
  const theirs = await llvmpipe();
  for (const samples of [1, 4]) {
    const shape = { ...size, samples };
    const parts = {};
    const wholes = [];
    const whole = frameOf(timed, await scenes.dragon(timed, shape));
    const ofFrame = async () => {
      const before = timed.statistics().times;
      wholes.push(await whole());
      const after = timed.statistics().times;
      for (const part in after) (parts[part] ??= []).push(after[part] - before[part]);
      return ['vertex', 'setup', 'raster'].reduce((sum, part) => sum + after[part] - before[part], 0);
    };
    const { pairs, ms, ratios } = await compare({
      geometry: ofFrame,
      frame: frameOf(plain, await scenes.dragon(plain, shape)),
      llvmpipe: frameOf(theirs, await scenes.dragon(theirs, shape)),
    });
    const [value, low, high] = ratios.geometry;
    const timedMs = round(median(wholes));
    const partMs = Object.fromEntries(Object.entries(parts).map(([part, times]) => [part, round(median(times))]));
    console.log(
      `dragon@${samples}x: ${ms.geometry} ms of ${timedMs} ms (${ms.frame} ms without the clock), `
        + `llvmpipe ${ms.llvmpipe} ms;`,
      partMs
    );
    const figures = {
      pairs,
      ms: { ...ms, timed: timedMs },
      partMs,
      wholeFrame: ratios.frame,
      clock: round(timedMs / ms.frame),
    };
    report('geometry', `dragon@${samples}x`, { value, low, high, limit: 0.6, ...figures });
  }
  for (const device of [timed, plain, theirs]) device.destroy();
}

async function lanes() {
  for (const [name, stride, limit] of [
    ['dragon', 12, 0.9],
    ['teapots', 12, 0.9],
    ['helmet', 32, 0.95],
  ])
    for (const samples of [1, 4]) {
      const device = await openDevice(['statistics']);
      const shape = { ...size, samples };
      const { seen } = await watch(globals, () => scenes[name](device, shape));
      await device.queue.onSubmittedWorkDone();
      const { lanesShaded, quadsShaded } = device.statistics().counters;
      const busy = lanesShaded / (4 * quadsShaded);
      if (name === 'helmet') {
        const ideal = await idealOf(device, seen, { ...shape, stride });
        report('lanes', `${name}@${samples}x`, {
          value: round(busy / ideal.busy),
          limit,
          atLeast: true,
          busy: round(busy),
          lanesShaded,
          quadsShaded,
          ideal: { ...ideal, busy: round(ideal.busy) },
        });
      } else
        report('lanes', `${name}@${samples}x`, { value: round(busy), limit, atLeast: true, lanesShaded, quadsShaded });
      device.destroy();
    }
}

const parts = { lanes, overdraw, samples, geometry };
const chosen = chooseNames('part', Object.keys(parts));
for (const name of chosen) await parts[name]();
console.table(Object.fromEntries(table.map(({ '': name, ...row }) => [name, row])));
console.log(
  'ratios of frame times, medians of pairs with their 95 % intervals; lanes: the share that is busy, '
    + 'for the helmet of what its id buffer allows'
);
if (chosen.length === Object.keys(parts).length) {
  keep('less-work', { unit: 'ms', ...size, engine: await engineOf(), threads: 1, ...results });
  writeReport();
}
process.exit(0);
