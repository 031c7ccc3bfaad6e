// npm run bench:surfaces [-- part …] : what surfaces of several samples cost, against the same build with encoding
// switched off (surfaceEncoding: false), in turn in one process; parts: frames, blend, resolve, worst; about a minute
// and a half. Kept when all are run.
//   frames   scenes that store their samples and load them in a second pass: time over that of 1 sample, bytes held
//            and moved over what every sample would take
//   blend    a translucent layer over a whole surface of 8 samples whose pixels hold one colour each
//   resolve  a pass that only resolves, of a cleared surface and of one of one colour a pixel, over a copy of a
//            texture of one sample
//   worst    a layer blended over a surface on which every sample of every pixel differs, and does so afterwards
// The scenes are those of ../shared/peers; without them the bench's own are measured, which are held to no limit. MS:
// milliseconds of each side (1500).
import { globals } from '../build/index.js';
import { engineOf, openDevice } from './device.mjs';
import { keep } from './machine.mjs';
import { compare, frameOf } from './pairs.mjs';
import { progress, say } from './progress.mjs';
import { writeReport } from './report.mjs';
import { withSecondPass } from './second-pass.mjs';
import { inTheirEnvironment, ownScenes, theirScenes, whatIsMissing } from './shared.mjs';

const missing = whatIsMissing();
if (missing) say(`The bench's own scenes instead of the peers': ${missing}`);
else inTheirEnvironment(import.meta.url);
Object.assign(globalThis, globals);
const { scenes } = await import(missing ? ownScenes : theirScenes);
const SIZE = { width: 1280, height: 720 };
const MS = Number(process.env.MS ?? 1500);
/**
 * Times over 1 sample, at 4 and 8; of the helmet at 8 samples the share of the bytes of colour that may be held and
 * moved.
 */
const TIMES = missing ? { textured: {}, instances: {} } : { helmet: { 4: 1.5, 8: 1.9 }, teapots: { 4: 1.9, 8: 2.8 } };
const HELD = { helmet: 0.35 }, MOVED = { helmet: 0.3 }, BLEND = 4, RESOLVE = 1.3, WORST_TIME = 1.15, WORST_BYTES = 1.05;
const PARTS = { frames, blend, resolve, worst };
const names = process.argv.slice(2);
const chosen = names.length ? names : Object.keys(PARTS);
const unknown = chosen.filter((name) => !(name in PARTS));
if (unknown.length) throw new Error(`no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}`);

const round = (value) => Math.round(value * 1000) / 1000;
const devices = [];
async function open(surfaceEncoding) {
  const device = await openDevice({ options: { surfaceEncoding }, features: ['extended-sample-counts', 'statistics'] });
  devices.push(device);
  return device;
}
function closeAll() {
  for (const device of devices.splice(0)) device.destroy();
}

/** What is told of one figure: at most (or at least) a limit. */
function judged(text, value, limit, atLeast = false) {
  const reached = limit === undefined ? undefined : atLeast ? value >= limit : value <= limit;
  say(
    `${text}: ${value}${limit === undefined ? '' : ` ${atLeast ? '≥' : '≤'} ${limit}: ${reached ? 'reached' : 'NOT REACHED'}`}`
  );
  return { value, ...(limit === undefined ? {} : { limit, reached }) };
}

/** Bytes of the surfaces of a device, by what `wanted` says of each: held now, and moved in the frame between. */
async function bytesOf(device, frame, wanted) {
  const sum = (field) => device.statistics().surfaces.filter(wanted)
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
        device, run: frameOf(device, await scenes[name](withSecondPass(device, samples), { ...SIZE, samples })),
      };
    };
    const one = await frame(1, true);
    const four = await frame(4, true);
    const eight = await frame(8, true);
    const fourPlain = await frame(4, false);
    const eightPlain = await frame(8, false);
    const sides = { 4: four.run, 8: eight.run, '4 plain': fourPlain.run, '8 plain': eightPlain.run, 1: one.run };
    const order = Object.fromEntries(['8', '4', '8 plain', '4 plain', '1'].map((key) => [`${key}x`, sides[key]]));
    const { pairs, ms, ratios } = await compare(order, {
      forMs: MS, warmMs: 500, onPair: (n) => progress(0, 1, `${name}, ${n} rounds`),
    });
    const color = await bytesOf(eight.device, eight.run, ({ format }) => format === 'rgba8unorm');
    const depth = await bytesOf(eight.device, eight.run, ({ format }) => format === 'depth32float');
    results[name] = { pairs, ms, color, depth, over1: {} };
    for (const samples of [4, 8]) {
      const [ratio, ...interval] = ratios[`${samples}x`];
      results[name].over1[samples] = {
        interval,
        ...judged(
          `${name}, ${ms[`${samples}x`]} ms at ${samples} samples (${ms[`${samples} plainx`]} plain), ${ms['1x']} at 1, ratio`,
          ratio, limits[samples]
        ),
      };
    }
    results[name].held = judged(`${name}, colour at 8 samples, bytes held over uncompressed`, color.held, HELD[name]);
    results[name].moved = judged(
      `${name}, colour at 8 samples, bytes moved over uncompressed`, color.moved, MOVED[name]
    );
    say(`${name}, depth at 8 samples, bytes held ${depth.held}, moved ${depth.moved}`);
    closeAll();
  }
  return results;
}

const TRIANGLE =
  '@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0.5, 1); }';
const GRADIENT =
  '@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return vec4f(p.x / 1280, p.y / 720, 0.5, 1); }';
/** Turned over, what differs stays different, pass after pass. */
const ONES = '@fragment fn fs() -> @location(0) vec4f { return vec4f(1); }';
const TURN = { srcFactor: 'one-minus-dst', dstFactor: 'zero' };
const LAYER = '@fragment fn fs() -> @location(0) vec4f { return vec4f(0.02, 0.01, 0.03, 0.1); }';
const NOISE = `@fragment fn fs(@builtin(position) p: vec4f, @builtin(sample_index) s: u32) -> @location(0) vec4f {
  return unpack4x8unorm((u32(p.x) * 16u + s + u32(p.y) * 20480u) * 2654435761u); }`;

/** A surface and passes over it. `load`: keeps what is there. */
function surfaceOf(device, samples, usage = 0) {
  const size = [SIZE.width, SIZE.height];
  const format = 'rgba8unorm';
  const texture = device.createTexture({ size, format, sampleCount: samples, usage: 16 | usage });
  const view = texture.createView(), drawers = new Map();
  const drawer = (code, blend) => {
    const module = device.createShaderModule({ code: `${TRIANGLE} ${code}` });
    return device.createRenderPipeline({
      layout: 'auto', vertex: { module }, fragment: { module, targets: [blend ? { format, blend } : { format }] },
      multisample: { count: samples },
    });
  };
  return {
    texture,
    pass({ code, blend, load = true, store = true, resolveTarget }) {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({
        colorAttachments: [
          {
            view, loadOp: load ? 'load' : 'clear', storeOp: store ? 'store' : 'discard', clearValue: [0.2, 0.4, 0.6, 1],
            ...(resolveTarget ? { resolveTarget } : {}),
          },
        ],
      });
      if (code) {
        if (!drawers.has(code)) drawers.set(code, drawer(code, blend));
        pass.setPipeline(drawers.get(code));
        pass.draw(3);
      }
      pass.end();
      device.queue.submit([encoder.finish()]);
    },
  };
}
const OVER = {
  color: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
  alpha: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
};

/** A layer over what `first` drew, with and without encoding; a frame is `LAYERS` passes. */
const LAYERS = 4;
async function layers(first, code, blend) {
  const side = async (encoded) => {
    const device = await open(encoded), surface = surfaceOf(device, 8);
    surface.pass({ code: first, load: false });
    const render = () => { for (let i = 0; i < LAYERS; i++) surface.pass({ code, blend }); };
    return { device, run: frameOf(device, { render }) };
  };
  const encoded = await side(true), plain = await side(false);
  const { pairs, ms, ratios } = await compare({ encoded: encoded.run, plain: plain.run }, { forMs: MS, warmMs: 500 });
  const { held } = await bytesOf(encoded.device, encoded.run, () => true);
  closeAll();
  const [ratio, ...interval] = ratios.encoded;
  return { pairs, ms, ratio, interval, held };
}

async function blend() {
  const { ratio, interval, ...rest } = await layers(GRADIENT, LAYER, OVER);
  return { ...rest, interval: interval.map((x) => round(1 / x))
    .reverse(), ...judged(
      `blend over one colour a pixel, 8 samples: ${rest.ms.encoded} ms, ${rest.ms.plain} plain, times as fast`,
      round(1 / ratio), BLEND, true
    ) };
}

async function worst() {
  const { ratio, held, ...rest } = await layers(NOISE, ONES, { color: TURN, alpha: TURN });
  return {
    ...rest,
    time: judged(
      `every sample another colour, 8 samples: ${rest.ms.encoded} ms, ${rest.ms.plain} plain, ratio`, ratio, WORST_TIME
    ),
    memory: judged('bytes held over uncompressed', held, WORST_BYTES),
  };
}

async function resolve() {
  const device = await open(true), results = {}, size = [SIZE.width, SIZE.height], format = 'rgba8unorm', REPEATS = 8;
  const [source, target] = [0, 1].map(() => device.createTexture({ size, format, usage: 1 | 2 | 16 }));
  const copy = () => {
    for (let i = 0; i < REPEATS; i++) {
      const encoder = device.createCommandEncoder();
      encoder.copyTextureToTexture({ texture: source }, { texture: target }, size);
      device.queue.submit([encoder.finish()]);
    }
  };
  for (const [name, first] of [['cleared', undefined], ['one colour a pixel', GRADIENT]]) {
    const surface = surfaceOf(device, 8);
    surface.pass({ code: first, load: false });
    const resolveTarget = target.createView();
    const render = () => { for (let i = 0; i < REPEATS; i++) surface.pass({ resolveTarget }); };
    const { pairs, ms, ratios } = await compare({
      resolve: frameOf(device, { render }), copy: frameOf(device, { render: copy }),
    }, { forMs: MS, warmMs: 500 });
    const [ratio, ...interval] = ratios.resolve;
    results[name] = {
      pairs, ms, interval,
      ...judged(
        `resolve of 8 samples, ${name}: ${round(ms.resolve / REPEATS)} ms, a copy ${round(ms.copy / REPEATS)}, ratio`,
        ratio, RESOLVE
      ),
    };
  }
  closeAll();
  return results;
}

const results = {};
for (const name of chosen) results[name] = await PARTS[name]();
if (!missing && chosen.length === Object.keys(PARTS).length) {
  keep('surfaces', { unit: 'ms', ...SIZE, engine: await engineOf(), results });
  writeReport();
}
process.exit(0);
