// npm run bench surfaces [part …]
// Measures compressed multisampled surfaces against the same build without encoding (`surfaceEncoding: false`). Sides
// alternate in one process; this takes about three minutes. Results are kept if all parts run. The parts:
//
//   frames    scenes that store their samples and load them in a second pass: time over 1 sample and over the same
//             without encoding; bytes held and moved over those of all samples
//   content   a translucent layer blended over a whole surface, and a pass that only resolves it, by the surface's
//             content: one to eight values per pixel, a different value in every sample, or thin blades of grass
//   programs  the same layer blended by a shader (one thread), over fixed-function blending: by framebuffer fetch, and
//             by loads and stores of a multisampled storage texture
//   resolve   a pass that only resolves a cleared surface or one with one colour per pixel, over a copy of a
//             single-sampled texture
//   values    a pass that lights every value of every pixel of a mesh by eight lights, on both engines (one thread).
//             Compared with a shader for which the compiler cannot prove that it loads from its own pixel, so that
//             pixels are not packed by their number of values
//   costs     surfaces with overcommit over others; a pass that loads a surface and covers it over one that clears it;
//             stores to 16 bound surfaces over one, and to scattered pixels over neighbouring ones; an unordered
//             interlock over an ordered one
//   stages    sample stages with loops of 1 to 600 iterations, over the same arithmetic once per sample (one thread)
//
// The scenes are those of ../shared/peers. Without them, the benchmarks' own scenes are measured without limits.
//
//   MS       milliseconds per side (1500)
//   THREADS  worker threads of all parts but `programs` and `values` (the machine's cores)
import { globals } from '../../build/index.js';
import { chooseNames } from '../support/arguments.mjs';
import { engineOf, openDevice } from '../support/device.mjs';
import { keep, roundTo } from '../support/machine.mjs';
import { compare, frameOf } from '../support/pairs.mjs';
import { progress, say } from '../support/progress.mjs';
import { writeReport } from '../report/report.mjs';
import { withSecondPass } from './second-pass.mjs';
import { contentOf, VALUE_COUNTS } from './surface-contents.mjs';
import { COSTS } from './surface-costs.mjs';
import { LAYERS, layersOver, lightingOf, SIZE, surfaceOf, TO_SURFACE } from './surface-passes.mjs';
import { LOOPS, stagesOf } from './surface-stages.mjs';
import { runInPeerEnvironment, benchScenes, peerScenes, missingPeersReason } from '../support/peer-files.mjs';

const missing = missingPeersReason();
if (missing) say(`The bench's own scenes instead of the peers': ${missing}`);
else runInPeerEnvironment(import.meta.url);
Object.assign(globalThis, globals);
const { scenes } = await import(missing ? benchScenes : peerScenes);
const { THREADS, MS: FOR_MS = 1500 } = process.env;
const MS = Number(FOR_MS);
const everyThread = THREADS === undefined ? {} : { threads: Number(THREADS) };
/**
 * Maximum ratios to 1 sample, at 4 and 8 samples, and of encoded to plain. For the helmet at 8 samples, the maximum
 * share of the colour bytes that may be held and moved.
 */
const TIMES = missing ? { textured: {}, instances: {} } : { helmet: { 4: 1.5, 8: 1.9 }, teapots: { 4: 1.9, 8: 2.8 } };
const OVER_PLAIN = { teapots: 1 };
const HELD = { helmet: 0.35 };
const MOVED = { helmet: 0.3 };
const RESOLVE = 1.3;
/**
 * Maximum ratios of encoded to plain by content and samples, for blending and resolving. For content where every sample
 * differs, also of bytes held.
 */
const MANY = { blend: { 4: 1.05, 8: 1.05, 16: 1.05 }, resolve: { 4: 1.05, 8: 1.05, 16: 1.05 } };
const CONTENT = {
  ...Object.fromEntries(Object.keys(VALUE_COUNTS).map((name) => [name, MANY])),
  'one value': { blend: { 4: 0.5, 8: 0.25, 16: 0.15 }, resolve: { 4: 0.5, 8: 0.25, 16: 0.15 } },
  '2 values': { blend: { 4: 1.05, 8: 0.5, 16: 0.5 }, resolve: { 4: 1.05, 8: 0.5, 16: 0.5 } },
  grass: { blend: { 4: 1.1, 8: 0.9, 16: 0.7 }, resolve: { 4: 1.1, 8: 0.9, 16: 0.7 } },
  noise: { ...MANY, held: 1.05 },
};
/** Maximum ratios of a shader that blends to fixed-function blending, by content. */
const PROGRAMS = { 'one value': 2, '2 values': undefined, grass: 5 };
/**
 * Maximum ratios by engine of pixels packed by their number of values to unpacked pixels, for meshes by cells per side.
 */
const VALUES = { jit: { 1: 1.01, 48: 0.97, 128: 0.97 }, interpreter: { 1: 1.01, 48: 0.9, 128: 0.9 } };
const PARTS = { frames, content, programs, resolve, values, costs, stages };
const chosen = chooseNames('part', Object.keys(PARTS));

const round = roundTo(3);
const FEATURES = ['extended-sample-counts', 'multisample-storage-textures', 'statistics', 'fragment-stages'];
const devices = [];
async function open(surfaceEncoding, options = everyThread) {
  const device = await openDevice({
    options: { surfaceEncoding, ...options },
    features: FEATURES,
    limits: { maxStorageTexturesPerShaderStage: 16 },
  });
  devices.push(device);
  return device;
}
function closeAll() {
  for (const device of devices.splice(0)) device.destroy();
}

/** Reports one figure and its limit, a maximum or (with `atLeast`) a minimum. */
function judged(text, value, limit, atLeast = false) {
  const reached = limit === undefined ? undefined : atLeast ? value >= limit : value <= limit;
  say(
    `${text}: `
      + `${value}`
      + (limit === undefined ? '' : ` ${atLeast ? '≥' : '≤'} ${limit}: ${reached ? 'reached' : 'NOT REACHED'}`)
  );
  return { value, ...(limit === undefined ? {} : { limit, reached }) };
}

/** Returns the bytes of a device's surfaces that `wanted` selects: held now, and moved in the last frame. */
async function bytesOf(device, frame, wanted) {
  const sum = (field) =>
    device
      .statistics()
      .surfaces.filter(wanted)
      .reduce((total, surface) => total + surface[field], 0);
  const before = [sum('bytesMoved'), sum('bytesMovedUncompressed')];
  await frame();
  return {
    held: round(sum('bytesHeld') / sum('bytesUncompressed')),
    moved: round((sum('bytesMoved') - before[0]) / (sum('bytesMovedUncompressed') - before[1])),
  };
}

async function frames() {
  const results = {};
  for (const [name, limits] of Object.entries(TIMES)) {
    const frame = async (samples, encoded) => {
      const device = await open(encoded);
      return {
        device,
        run: frameOf(device, await scenes[name](withSecondPass(device, samples), { ...SIZE, samples })),
      };
    };
    const one = await frame(1, true);
    const four = await frame(4, true);
    const eight = await frame(8, true);
    const fourPlain = await frame(4, false);
    const eightPlain = await frame(8, false);
    const sides = { 4: four.run, 8: eight.run, '4 plain': fourPlain.run, '8 plain': eightPlain.run, 1: one.run };
    const order = Object.fromEntries(['8', '4', '8 plain', '4 plain', '1'].map((key) => [`${key}x`, sides[key]]));
    const { pairs, ms, ratios, ratio } = await compare(order, {
      forMs: MS,
      warmMs: 500,
      onPair: (n) => progress(0, 1, `${name}, ${n} rounds`),
    });
    const color = await bytesOf(eight.device, eight.run, ({ format }) => format === 'rgba8unorm');
    const depth = await bytesOf(eight.device, eight.run, ({ format }) => format === 'depth32float');
    results[name] = { pairs, ms, color, depth, over1: {}, overPlain: {} };
    for (const samples of [4, 8]) {
      const [over1, ...interval] = ratios[`${samples}x`];
      results[name].over1[samples] = {
        interval,
        ...judged(
          `${name}, ${ms[`${samples}x`]} ms at ${samples} samples (${ms[`${samples} plainx`]} plain), `
            + `${ms['1x']} at 1, ratio`,
          over1,
          limits[samples]
        ),
      };
      const [overPlain, ...intervalPlain] = ratio(`${samples}x`, `${samples} plainx`);
      results[name].overPlain[samples] = {
        interval: intervalPlain,
        ...judged(`${name}, ${samples} samples, encoded over plain`, overPlain, OVER_PLAIN[name]),
      };
    }
    results[name].held = judged(`${name}, colour at 8 samples, bytes held over uncompressed`, color.held, HELD[name]);
    results[name].moved = judged(
      `${name}, colour at 8 samples, bytes moved over uncompressed`,
      color.moved,
      MOVED[name]
    );
    say(`${name}, depth at 8 samples, bytes held ${depth.held}, moved ${depth.moved}`);
    closeAll();
  }
  return results;
}

async function content() {
  const results = {};
  for (const [name, limits] of Object.entries(CONTENT)) {
    results[name] = {};
    for (const what of ['blend', 'resolve']) {
      const encoded = await open(true);
      const plain = await open(false);
      const sides = {};
      const counts = [4, 8, 16].filter((samples) => contentOf(name, samples));
      for (const samples of counts)
        for (const device of [encoded, plain]) {
          const key = device === encoded ? `${samples}x` : `${samples} plainx`;
          sides[key] = TO_SURFACE[what](device, surfaceOf(device, samples, name));
        }
      const { pairs, ms, ratio } = await compare(sides, {
        forMs: MS,
        warmMs: 300,
        onPair: (n) => progress(0, 1, `${name}, ${what}, ${n} rounds`),
      });
      const over = (key, to, text, bound) => {
        const [value, ...interval] = ratio(key, to);
        return { interval, ...judged(`${what}, ${name}: ${text}`, value, bound) };
      };
      results[name][what] = {
        pairs,
        ms,
        overPlain: Object.fromEntries(
          counts.map((samples) => [
            samples,
            over(
              `${samples}x`,
              `${samples} plainx`,
              `${samples} samples, ${ms[`${samples}x`]} ms, ${ms[`${samples} plainx`]} plain, ratio`,
              limits[what][samples]
            ),
          ])
        ),
      };
      if (what === 'blend') {
        if (name === 'one value') results[name].fourOver8 = over('4x', '8x', '4 samples over 8', 1);
        const { held } = await bytesOf(encoded, sides['8x'], () => true);
        results[name].held = judged(`${name}: bytes held over uncompressed`, held, limits.held);
      }
      closeAll();
    }
  }
  return results;
}

async function programs() {
  const results = {};
  for (const [name, limit] of Object.entries(PROGRAMS)) {
    const device = await open(true, { threads: 0 });
    const sides = {};
    for (const samples of [4, 8, 16]) {
      const surface = surfaceOf(device, samples, name, 8);
      sides[`${samples} fetch`] = layersOver(device, surface, surface.overByFetch);
      sides[`${samples} stores`] = layersOver(device, surface, surface.overByProgram);
      sides[`${samples} fixed`] = layersOver(device, surface, surface.overFixed);
    }
    const { pairs, ms, ratio } = await compare(sides, {
      forMs: MS,
      warmMs: 300,
      onPair: (n) => progress(0, 1, `${name}, ${n} rounds`),
    });
    const nanoseconds = (key) => round((ms[key] * 1e6) / (LAYERS * SIZE.width * SIZE.height));
    for (const how of ['fetch', 'stores']) {
      const over = {};
      for (const samples of [4, 8, 16]) {
        const [value, ...interval] = ratio(`${samples} ${how}`, `${samples} fixed`);
        const ns = nanoseconds(`${samples} ${how}`);
        const text = `over by ${how}, ${name}, ${samples} samples, ${ns} ns per pixel`;
        over[samples] = {
          ns: { value: ns },
          fixed: { interval, ...judged(`${text}, fixed ${nanoseconds(`${samples} fixed`)}, ratio`, value, limit) },
        };
      }
      results[`${name}, by ${how}`] = { pairs, ms, over };
    }
    closeAll();
  }
  return results;
}

async function costs() {
  const results = {};
  for (const [name, { sides: sidesOf, threads, limit }] of Object.entries(COSTS)) {
    const openOne = () => open(true, threads === undefined ? everyThread : { threads });
    const { pairs, ms, ratio } = await compare(await sidesOf(await openOne(), openOne), {
      forMs: MS,
      warmMs: 300,
      onPair: (n) => progress(0, 1, `${name}, ${n} rounds`),
    });
    const [one, other] = Object.keys(ms);
    const [value, ...interval] = ratio(one, other);
    const text = `${name}: ${one} ${ms[one]} ms, ${other} ${ms[other]} ms, ratio`;
    results[name] = { pairs, ms, interval, ...judged(text, value, limit) };
    closeAll();
  }
  return results;
}

async function stages() {
  const results = {};
  for (const samples of [4, 8, 16]) {
    for (const loops of LOOPS) {
      const device = await open(true, { threads: 0 });
      const { pairs, ms, ratio } = await compare(stagesOf(device, samples, loops), {
        forMs: MS,
        warmMs: 300,
        onPair: (n) => progress(0, 1, `stages, ${samples} samples, ${loops} iterations, ${n} rounds`),
      });
      const judge = (one, other, limit) => {
        const [value, ...interval] = ratio(one, other);
        const text = `${samples} samples, ${loops} iterations: ${one} ${ms[one]} ms, ${other} ${ms[other]} ms, ratio`;
        return { interval, ...judged(text, value, limit) };
      };
      results[`${samples} samples, ${loops} iterations`] = {
        pairs,
        ms,
        stage: judge('sample stage', 'per sample', 1.5),
        hybrid: judge('hybrid', 'supersampled', loops >= 5 ? 1 : undefined),
      };
      closeAll();
    }
  }
  return results;
}

async function resolve() {
  const device = await open(true);
  const results = {};
  const size = [SIZE.width, SIZE.height];
  const format = 'rgba8unorm';
  const REPEATS = 8;
  const [source, target] = [0, 1].map(() => device.createTexture({ size, format, usage: 1 | 2 | 16 }));
  const copy = () => {
    for (let i = 0; i < REPEATS; i++) {
      const encoder = device.createCommandEncoder();
      encoder.copyTextureToTexture({ texture: source }, { texture: target }, size);
      device.queue.submit([encoder.finish()]);
    }
  };
  for (const name of ['cleared', 'one value']) {
    const surface = surfaceOf(device, 8, 'one value');
    if (name === 'cleared') surface.pass([], { load: false });
    const resolveTarget = target.createView();
    const render = () => {
      for (let i = 0; i < REPEATS; i++) surface.pass([], { resolveTarget });
    };
    const { pairs, ms, ratios } = await compare(
      { resolve: frameOf(device, { render }), copy: frameOf(device, { render: copy }) },
      { forMs: MS, warmMs: 500 }
    );
    const [ratio, ...interval] = ratios.resolve;
    results[name] = {
      pairs,
      ms,
      interval,
      ...judged(
        `resolve of 8 samples, ${name}: ${round(ms.resolve / REPEATS)} ms, a copy ${round(ms.copy / REPEATS)}, ratio`,
        ratio,
        RESOLVE
      ),
    };
  }
  closeAll();
  return results;
}

async function values() {
  const results = {};
  for (const [engine, limits] of Object.entries(VALUES)) {
    results[engine] = {};
    for (const cells of Object.keys(limits))
      for (const samples of [4, 8]) {
        const device = await open(true, { threads: 0, engine });
        const name = `${cells} cells at ${samples} samples`;
        const { pairs, ms, ratios } = await compare(
          {
            packed: lightingOf(device, samples, Number(cells), 'vec2u(p.xy)'),
            'as they lie': lightingOf(device, samples, Number(cells), 'vec2u(p.xy + scene.zero)'),
          },
          { forMs: MS, warmMs: 300, onPair: (n) => progress(0, 1, `${engine}, ${name}, ${n} rounds`) }
        );
        const [ratio, ...interval] = ratios.packed;
        results[engine][name] = {
          pairs,
          ms,
          interval,
          ...judged(
            `eight lights, ${engine}, ${name}: ${ms.packed} ms, ${ms['as they lie']} as pixels lie, ratio`,
            ratio,
            limits[cells]
          ),
        };
        closeAll();
      }
  }
  return results;
}

const results = {};
for (const name of chosen) results[name] = await PARTS[name]();
if (!missing && chosen.length === Object.keys(PARTS).length) {
  keep('surfaces', { unit: 'ms', ...SIZE, engine: await engineOf(), results });
  writeReport();
}
process.exit(0);
