// npm run bench blend [part …]
// Measures the cost of programmable blending and the savings of fragment stages. Sides alternate in one process; this
// takes about two minutes. Results are kept if all parts run. The exit code is 1 if a limit is missed. The parts:
//
//   over       source-over by framebuffer fetch, over the equivalent blend state, at 1 and 4 samples: the peers'
//              particles, whose shader is short, and sprites from an atlas; then both with a shader of at least 100
//              instructions before the blend, on both sides
//   gallery    the sheet of examples/blending/gallery.mjs, every mode and operator in shaders, over the same shapes
//              with the blend state of source-over
//   shapes     the scene of examples/shading/shapes.mjs: shaders that run once per pixel and dispatch samples, over
//              shading once per sample
//   unordered  the shaders of `over` with interlock 'unordered', over 'ordered'
//   hybrid     the scene of examples/shading/hybrid.mjs at 4 samples: hybrid shading and shading once per sample, over
//              shading once per pixel. Also the similarity of the pictures (PSNR against shading once per sample),
//              measured where there is specular light or a depth edge
//
// `npm run bench against` compares two builds to show whether code that does not use the feature pays for it.
//
//   MS       milliseconds per side (1500)
//   THREADS  worker threads (0, which gives the most stable figures)
//
// The particles are a scene of ../shared/peers.
import { globals } from '../../build/index.js';
import { blendFunction } from '../../build/blends.js';
import { psnrOf, texelsOf } from '../../examples/compare.mjs';
import { gallery as galleryOf } from '../../examples/blending/gallery-scene.mjs';
import { edgesOf, hybridScene } from '../../examples/shading/hybrid-scene.mjs';
import { shapesScene } from '../../examples/shading/shapes-scene.mjs';
import { chooseNames } from '../support/arguments.mjs';
import { engineOf, openDevice } from '../support/device.mjs';
import { createLimitChecker } from '../support/limits.mjs';
import { keep, roundTo } from '../support/machine.mjs';
import { compare, frameOf } from '../support/pairs.mjs';
import { progress, say } from '../support/progress.mjs';
import { writeReport } from '../report/report.mjs';
import { sprites } from '../scenes/sprites.mjs';
import { around } from './second-pass.mjs';
import { peerScenes, missingPeersReason } from '../support/peer-files.mjs';

const PARTS = { over, gallery, shapes, unordered, hybrid };
const chosen = chooseNames('part', Object.keys(PARTS));
const missing = missingPeersReason([]);
if (missing && (chosen.includes('over') || chosen.includes('unordered'))) say(`Without the particles: ${missing}`);
Object.assign(globalThis, globals);
const scenes = { ...(missing ? {} : { particles: (await import(peerScenes)).scenes.particles }), sprites };

const { THREADS = 0, MS: FOR_MS = 1500 } = process.env;
const MS = Number(FOR_MS);
const threads = Number(THREADS);
const SIZE = { width: 1280, height: 720 };
const SAMPLES = [1, 4];
/**
 * Maximum ratio of programmable source-over to the blend state, by sample count: with the short and the long shader.
 */
const SHORT = { 1: 1.5, 4: 2.5 };
const LONG = { 1: 1.2, 4: 1.2 };
const MIN_INSTRUCTIONS = 100;
/** Maximum and minimum frame time over shading once per pixel; minimum PSNR in decibels. */
const HYBRID = 1.5;
const SUPERSAMPLED = 2.5;
const ALIKE = 38;

const { checkLimit, missed } = createLimitChecker();

/** A long computation that leaves the colour nearly unchanged. */
const GRAIN = `
fn grained(c: vec4f, p: vec4f) -> vec4f {
  var q = p.xy * 0.013;
  ${'q = fract(q * vec2f(1.37, 1.91) + q.yx * 0.73 + 0.11);\n  '.repeat(18)}
  return c * (0.97 + 0.03 * q.x);
}`;
const ENTRY = '@fragment fn fs(v: V) -> @location(0) vec4f';

/** Rewrites a scene's shader, whose result is a premultiplied colour: makes it longer, makes it blend, or both. */
function rewritten(code, { isLong, blends }) {
  if (code.split(ENTRY).length !== 2) throw new Error(`the program has no one entry point "${ENTRY}"`);
  const color = isLong ? 'grained(drawn(v), v.p)' : 'drawn(v)';
  return `${blends ? 'enable fragment_stages;' : ''}
    ${code.replace(ENTRY, 'fn drawn(v: V) -> vec4f')} ${isLong ? GRAIN : ''} ${
      blends
        ? `${blendFunction()}
    @fragment fn fs(v: V, @color(0) below: vec4f) -> @location(0) vec4f { return blend(${color}, below); }`
        : `
    ${ENTRY} { return ${color}; }`
    }`;
}

/** Wraps a device so that it rewrites a scene's shader. A shader that blends gets no blend state. */
const rewriting = (device, how) =>
  around(device, {
    createShaderModule: ({ code, ...rest }) => device.createShaderModule({ ...rest, code: rewritten(code, how) }),
    createRenderPipeline: (d) =>
      device.createRenderPipeline(
        how.blends
          ? {
              ...d,
              fragment: {
                ...d.fragment,
                targets: d.fragment.targets.map(({ blend: _byState, ...target }) => target),
                ...(how.interlock ? { interlock: how.interlock } : {}),
              },
            }
          : d
      ),
  });

/** Counts the instructions of the scene's fragment shader without the blend. */
async function instructionsOf(scene, isLong) {
  const device = await openDevice({ options: { threads: 0 }, features: ['statistics'] });
  await scene(rewriting(device, { isLong, blends: false }), { width: 64, height: 64, samples: 1 });
  const { instructions } = device.statistics().programs.stages.find(({ kind }) => kind === 'fragment');
  device.destroy();
  return instructions;
}

async function over() {
  const rows = [];
  for (const [name, scene] of Object.entries(scenes))
    for (const isLong of [false, true]) {
      const instructions = await instructionsOf(scene, isLong);
      if (isLong && instructions < MIN_INSTRUCTIONS)
        throw new Error(`the long program of ${name} has ${instructions} instructions, not ${MIN_INSTRUCTIONS}`);
      for (const samples of SAMPLES) rows.push(await overOf(name, scene, { samples, isLong, instructions }));
    }
  return rows;
}

async function overOf(name, scene, { samples, isLong, instructions }) {
  const device = await openDevice({ options: { threads }, features: ['fragment-stages'] });
  const key = `${name}@${samples}x, ${isLong ? 'long' : 'short'} program`;
  const shape = { ...SIZE, samples };
  const side = async (blends) => frameOf(device, await scene(rewriting(device, { isLong, blends }), shape));
  const sides = { program: await side(true), state: await side(false) };
  const { pairs, ms, ratio } = await compare(sides, {
    forMs: MS,
    warmMs: 500,
    onPair: (n) => progress(0, 1, `${key}, ${n} pairs`),
  });
  device.destroy();
  say(`${key} of ${instructions} instructions, ms a frame: blending by it ${ms.program}, by its state ${ms.state}`);
  return checkLimit(`${key}, blending by it over by its state, frame`, ratio('program', 'state'), {
    limit: (isLong ? LONG : SHORT)[samples],
    sides: ['program', 'state'],
    pairs,
    ms,
    instructions,
  });
}

async function gallery() {
  const device = await openDevice({ options: { threads }, features: ['fragment-stages'] });
  const sides = {};
  for (const [name, byState] of [
    ['programs', false],
    ['state', true],
  ])
    sides[name] = frameOf(device, galleryOf(device, { byState }));
  const { pairs, ms, ratio } = await compare(sides, {
    forMs: MS,
    warmMs: 500,
    onPair: (n) => progress(0, 1, `gallery, ${n} pairs`),
  });
  device.destroy();
  say(`gallery@4x, ms a frame: by programs ${ms.programs}, source-over by its state ${ms.state}`);
  return [
    checkLimit(
      'gallery@4x, every blend by a program over source-over by its state, frame',
      ratio('programs', 'state'),
      { sides: ['programs', 'state'], pairs, ms }
    ),
  ];
}

async function shapes() {
  const device = await openDevice({ options: { threads }, features: ['fragment-stages'] });
  const sides = {};
  const scene = shapesScene(device, SIZE);
  for (const way of ['dispatch', 'sample']) sides[way] = frameOf(device, { render: () => scene.render(way) });
  const { pairs, ms, ratio } = await compare(sides, {
    forMs: MS,
    warmMs: 500,
    onPair: (n) => progress(0, 1, `shapes, ${n} pairs`),
  });
  device.destroy();
  say(`shapes@4x, ms a frame: sent by programs of pixels ${ms.dispatch}, once a sample ${ms.sample}`);
  return [
    checkLimit('shapes@4x, dispatches over once a sample, frame', ratio('dispatch', 'sample'), {
      sides: ['dispatch', 'sample'],
      pairs,
      ms,
    }),
  ];
}

async function unordered() {
  const rows = [];
  for (const [name, scene] of Object.entries(scenes))
    for (const samples of SAMPLES) {
      const device = await openDevice({ options: { threads }, features: ['fragment-stages'] });
      const sides = {};
      for (const interlock of ['unordered', 'ordered']) {
        const drawn = await scene(rewriting(device, { blends: true, interlock }), { ...SIZE, samples });
        sides[interlock] = frameOf(device, drawn);
      }
      const { pairs, ms, ratio } = await compare(sides, {
        forMs: MS,
        warmMs: 500,
        onPair: (n) => progress(0, 1, `unordered ${name}@${samples}x, ${n} pairs`),
      });
      device.destroy();
      say(`${name}@${samples}x, ms a frame: without order ${ms.unordered}, in order ${ms.ordered}`);
      rows.push(
        checkLimit(`${name}@${samples}x, without order over in order, frame`, ratio('unordered', 'ordered'), {
          sides: ['unordered', 'ordered'],
          pairs,
          ms,
        })
      );
    }
  return rows;
}

async function hybrid() {
  const device = await openDevice({ options: { threads }, features: ['fragment-stages'] });
  const scene = hybridScene(device, { ...SIZE, samples: 4 });
  const sides = {};
  const pictures = {};
  let frames = 0;
  for (const way of ['hybrid', 'sample', 'pixel']) {
    scene.render(way);
    pictures[way] = await texelsOf(device, scene.color);
    sides[way] = frameOf(device, { render: () => scene.render(way, { now: (++frames % 50) / 1000 }) });
  }
  const isEdge = await edgesOf(device, scene);
  const { pairs, ms, ratio } = await compare(sides, {
    forMs: MS,
    warmMs: 500,
    onPair: (n) => progress(0, 1, `hybrid, ${n} rounds`),
  });
  device.destroy();
  say(
    `hybrid@4x, ms a frame: ${Object.entries(ms)
      .map(([way, value]) => `${way} ${value}`)
      .join(', ')}`
  );
  const frame = (way, how) =>
    checkLimit(`hybrid@4x, ${way} over pixel, frame`, ratio(way, 'pixel'), {
      ...how,
      sides: [way, 'pixel'],
      pairs,
      ms: { [way]: ms[way], pixel: ms.pixel },
    });
  const alike = (way, how) =>
    checkLimit(`hybrid@4x, ${way}, PSNR at edges`, [roundTo(1)(psnrOf(pictures[way], pictures.sample, isEdge))], how);
  return [
    frame('hybrid', { limit: HYBRID }),
    frame('sample', { limit: SUPERSAMPLED, atLeast: true }),
    alike('hybrid', { limit: ALIKE, atLeast: true }),
    alike('pixel'),
  ];
}

const results = {};
for (const name of chosen) results[name] = await PARTS[name]();
say('Whether those who do not use the feature pay for it: npm run bench against, with a build from before it.');
if (chosen.length === Object.keys(PARTS).length && !missing) {
  keep('blend', { unit: 'ms', ...SIZE, engine: await engineOf(), threads, results });
  writeReport();
}
if (missed.length) console.log(`\nNOT REACHED: ${missed.join('; ')}`);
process.exit(missed.length ? 1 : 0);
