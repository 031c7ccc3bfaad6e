// npm run bench [part …]
// A short form of everything that matters, in under three minutes, with one table at the end. It shows orders of
// magnitude; the benchmarks that the table names measure longer. Parts:
//
//   kernels  a few hot loops with SIMD, compared with their scalar twins
//   engines  two scenes with compiled and with interpreted shaders, and on one thread
//   start    from the start of a process to a triangle that is read back
//   scenes   four scenes of ../shared/peers, compared with llvmpipe
//   costs    six rows of the cost map, compared with llvmpipe
//   three    three scenes of three.js, compared with llvmpipe
//
// Parts that need a peer are left out by name where it is missing. Ratios are medians, with the lowest and the highest
// value of the 95 % interval where several pairs were measured. Ratios of processor time count all threads.
import { availableParallelism } from 'node:os';
import { globals } from '../build/index.js';
import { chooseNames } from './support/arguments.mjs';
import { openSides } from './support/compare-sides.mjs';
import { openDevice } from './support/device.mjs';
import { roundTo } from './support/machine.mjs';
import { compare, frameOf } from './support/pairs.mjs';
import { runInPeerEnvironment, missingPeersReason, SCENE_PACKAGES } from './support/peer-files.mjs';
import { progress, say } from './support/progress.mjs';
import { measureHotLoops } from './kernels/hot-loops.mjs';
import { scenes } from './scenes/scenes.mjs';
import { triangles } from './start/measure-start.mjs';
import { measureScene } from './three/measure.mjs';

const missing = missingPeersReason(['webgpu', ...SCENE_PACKAGES]);
if (!missing) runInPeerEnvironment(import.meta.url);
Object.assign(globalThis, globals);

const LOOPS = ['coverage, 4 samples', 'depth test, 4', 'bilinear', 'blend rgba8unorm, 1'];
const ENGINE_SCENES = ['textured', 'mesh'];
const PEER_SCENES = [
  ['fill', 1],
  ['helmet', 1],
  ['teapots', 4],
  ['particles', 1],
];
const COSTS = [
  'empty',
  'dependent multiply-add ×128',
  'trilinear',
  'comparison ×4',
  'discard of half',
  'alpha blending',
];
const THREE_SCENES = ['standard', 'points', 'bloom'];
const STEADY = '30 to 60';
const SIZE = { width: 640, height: 360 };
const PEER = 'llvmpipe';
const two = roundTo(2);
const rows = [];

/** Adds a row. `name`: the benchmark that measures longer; `ratio`: a number, or with its interval. */
function add(name, what, against, { ours, theirs, unit = 'ms', ratio, cpuRatio }) {
  const [value, low, high] = [ratio].flat().map((each) => each.toFixed(2));
  rows.push([
    what,
    `${two(ours)} ${unit}`,
    `${two(theirs)} ${unit}`,
    against,
    `${value}×`,
    low === undefined ? '' : `${low} … ${high}`,
    cpuRatio === undefined ? '' : `${cpuRatio.toFixed(2)}×`,
    `npm run bench ${name}`,
  ]);
}

async function kernels() {
  const { loops } = await measureHotLoops(LOOPS);
  for (const [loop, { unit, ns, overScalar }] of Object.entries(loops))
    add('kernels', loop, 'scalar', { ours: ns.simd, theirs: ns.scalar, unit: `ns a ${unit}`, ratio: overScalar });
}

async function engines() {
  for (const name of ENGINE_SCENES) {
    const devices = [];
    const side = async (options) => {
      const device = await openDevice({ options });
      devices.push(device);
      return frameOf(device, scenes[name](device, { ...SIZE, samples: 4 }));
    };
    const sides = {
      interpreter: await side({ engine: 'interpreter' }),
      'one thread': await side({ threads: 1 }),
      ours: await side({ threads: availableParallelism() }),
    };
    const { ms, ratios } = await compare(sides, { forMs: 500, warmMs: 200 });
    for (const device of devices) device.destroy();
    for (const [against, ratio] of Object.entries(ratios)) {
      const command = against === 'interpreter' ? 'jit' : 'threads';
      add(command, `${name}, 4 samples`, against, { ours: ms.ours, theirs: ms[against], ratio });
    }
  }
}

function start() {
  const { triangle, cachedTriangle, swiftshaderTriangle } = triangles(5);
  const rowOf = (against, { median: theirs }) =>
    add('start', 'process to first triangle', against, {
      ours: triangle.median,
      theirs,
      ratio: theirs / triangle.median,
    });
  rowOf('with a shader cache', cachedTriangle);
  if (swiftshaderTriangle) rowOf('SwiftShader', swiftshaderTriangle);
}

/** Measures requests on both sides. `toRow` gives the name, the factor on milliseconds, and their unit. */
async function onPeer(name, module, requests, toRow) {
  const sides = await openSides(new URL(module, import.meta.url).href, [PEER]);
  for (const [index, request] of requests.entries()) {
    progress(index, requests.length, name);
    const { ours, peers, refusals } = await sides.measure(request, { rounds: 7, ms: 40, warmMs: 400 });
    const { what, factor = 1, unit } = toRow(request);
    if (refusals[PEER]) say(`${what} is left out, ${PEER} refuses it: ${refusals[PEER]}`);
    else {
      const { ms, ratio, cpuRatio } = peers[PEER];
      add(name, what, PEER, { ours: ours.ms * factor, theirs: ms * factor, unit, ratio, cpuRatio: cpuRatio[0] });
    }
  }
  sides.close();
}

const peerScenes = () =>
  onPeer(
    'peers',
    './peer-scene.mjs',
    PEER_SCENES.map(([name, samples]) => ({ name, samples, width: 1280, height: 720 })),
    ({ name, samples }) => ({ what: `${name}, ${samples} sample${samples > 1 ? 's' : ''}` })
  );

const costs = () =>
  onPeer(
    'costs',
    './costs/pass.mjs',
    COSTS.map((row) => ({ row, format: 'rgba8unorm', samples: 1, size: [SIZE.width, SIZE.height] })),
    ({ row }) => ({ what: row, factor: 1e6 / (SIZE.width * SIZE.height), unit: 'ns a pixel' })
  );

function three() {
  for (const [index, name] of THREE_SCENES.entries()) {
    progress(index, THREE_SCENES.length, `three.js, ${name}`);
    const options = { samples: '1', frames: '60', size: '640x360', peers: [PEER], rounds: 1 };
    const { ours, [PEER]: peer } = measureScene(name, options)[STEADY];
    add('three', `three.js, ${name}`, PEER, {
      ours: ours.ms,
      theirs: peer.ms,
      ratio: peer.ratio,
      cpuRatio: peer.cpuRatio,
    });
  }
}

const PARTS = { kernels, engines, start, scenes: peerScenes, costs, three };
const NEED_PEER = ['scenes', 'costs', 'three'];
const began = performance.now();
for (const part of chooseNames('part', Object.keys(PARTS))) {
  if (missing && NEED_PEER.includes(part)) say(`${part} is left out: ${missing}`);
  else await PARTS[part]();
}
const head = ['', 'Rasterloom', 'other', 'compared with', 'times as fast', '95 % interval', 'by processor', 'longer'];
const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
console.log('');
for (const row of [head, ...rows])
  console.log(
    row
      .map((cell, i) => cell.padEnd(widths[i]))
      .join('  ')
      .trimEnd()
  );
console.log(`\n${Math.round((performance.now() - began) / 1000)} s; other work on the machine changes these figures`);
process.exit(0);
