// npm run bench modular [part …]
// Measures the cost and the savings of modular pipelines. Sides alternate in one process; this takes 3 minutes. Results
// are kept if all parts run. The parts:
//
//   one      a modular pipeline with one stage over the same as a render pipeline: a grid of 100 000 vertices, visible
//            and outside the view (vertices alone), and 1 000 draw calls of 25 vertices, with the pipeline set once and
//            before each
//   chain    three chained stages over one shader with the same functions, by vertices per draw call, compiled and
//            interpreted
//   emit     a geometry stage that passes 100 000 triangles through, over the same pipeline without it, with shared and
//            unshared vertices; 50 000 wide lines by a geometry stage, over four vertices per instance; compiled and
//            interpreted
//   terrain  64 × 64 patches, tessellated and displaced by heights from a texture, over the same 1.2 million indexed
//            triangles from buffers; with 1024 × 1024 pixels, seen from above, from the ground and outside the view;
//            also the bytes of buffers and textures of both
//   enable   enabling a slot, up to the first picture with it, over creating a pipeline with one new shader of the same
//            functions, from its text to its first picture; by size of the slot's shader (`small`: a dozen operations,
//            `noise`: some hundreds). That shader is new (`first`), runs in another slot (`other slot`), or the
//            combination was drawn before (`again`); constants differ each time. `make` is the time of the calls until
//            the draw call is recorded, `whole` until it is drawn.
//   switching  draw calls that each switch one of three slots, over draw calls that do not: 1 000 of 25 vertices
//   material  256 compiled shaders of a material over a table of fragment stages (modular-material.mjs)
//   memory   three stages as three passes through buffers, over the same stages chained in a pipeline; vertices alone
//
//   MS       milliseconds per side (1500)
//   THREADS  worker threads (0, which gives the most stable figures)
import { globals } from '../../build/index.js';
import { chooseNames } from '../support/arguments.mjs';
import { engineOf } from '../support/device.mjs';
import { keep, median, medianInterval } from '../support/machine.mjs';
import { compare, frameOf } from '../support/pairs.mjs';
import { progress } from '../support/progress.mjs';
import { writeReport } from '../report/report.mjs';
import {
  BUFFERS,
  CHAIN,
  framesOf,
  functions,
  gridOf,
  judged,
  MS,
  NOISE,
  open,
  overOf,
  pipelineOf,
  ratioOf,
  round,
  tableOf,
  threads,
} from './modular-kit.mjs';
import { material } from './modular-material.mjs';
import { emit, terrain } from './modular-primitives.mjs';

const { GPUBufferUsage } = globals;
const PARTS = { one, chain, emit, terrain, enable, switching, material, memory };
const chosen = chooseNames('part', Object.keys(PARTS));
/**
 * Maximum ratio of a modular pipeline with one stage to a render pipeline; minimum ratio of creating a pipeline to
 * enabling a slot.
 */
const OVER_PIPELINE = 1.01;
/** Maximum ratio of draw calls that switch a slot to draw calls that do not. */
const OVER_SAME = 1.1;
const OVER_ENABLING = 100;

async function one() {
  const own = await open({ engine: 'jit' });
  const results = {};
  const table = tableOf(own, ['whole']);
  const pipeline = pipelineOf(own, 'whole');
  const large = gridOf(own, 317);
  const small = gridOf(own, 5);
  for (const [name, grid, how] of [
    ['100 000 vertices in view', large, {}],
    ['100 000 vertices out of view', large, { isSeen: false }],
    ['1 000 draws of 25', small, { draws: 1000, isSeen: false }],
    ['1 000 draws of 25, the pipeline set before each', small, { draws: 1000, isSeen: false, setEach: true }],
  ])
    results[name] = await ratioOf(
      `one stage, ${name}`,
      { table: grid.frame(table, how), pipeline: grid.frame(pipeline, how) },
      OVER_PIPELINE
    );
  own.device.destroy();
  return results;
}

async function chain() {
  const results = {};
  for (const engine of ['jit', 'interpreter']) {
    const own = await open({ engine });
    const table = tableOf(own, CHAIN);
    const pipeline = pipelineOf(own, 'whole');
    const large = gridOf(own, 317);
    const small = gridOf(own, 32);
    for (const [name, grid, how] of [
      ['100 000 vertices in view', large, {}],
      ['100 000 vertices out of view', large, { isSeen: false }],
      ['100 draws of 1 000 out of view', small, { draws: 100, isSeen: false }],
      ['1 000 vertices in view', small, {}],
      ['1 000 vertices out of view', small, { isSeen: false }],
    ])
      results[`${name}, ${engine}`] = await ratioOf(`three stages, ${name}, ${engine}`, {
        chained: grid.frame(table, how),
        merged: grid.frame(pipeline, how),
      });
    own.device.destroy();
  }
  return results;
}

/** Draw calls that switch a slot, against the same number with the slot on and off, half each. */
async function switching() {
  const own = await open({ engine: 'jit' });
  const table = tableOf(own, CHAIN);
  const draws = 1000;
  let draw = 0;
  const framesWith = (isOn) =>
    framesOf(own, new Float32Array(25 * 6), (pass) => {
      const now = isOn(draw);
      if (draw === 0 || now !== isOn(draw - 1)) pass.setStageEnabled(1, now);
      draw = (draw + 1) % draws;
      pass.draw(25);
    }).frame(table, { draws, isSeen: false });
  const result = await ratioOf(
    'draw calls that switch a slot',
    { switched: framesWith((i) => i % 2 === 1), same: framesWith((i) => i >= draws / 2) },
    OVER_SAME
  );
  own.device.destroy();
  return result;
}

/** Three chained stages, against the way without modular pipelines: a pass for each stage, through buffers. */
async function memory() {
  const results = {};
  for (const [count, side, least] of [
    ['100 000', 317, 1.3],
    ['1 000', 32, 3],
  ]) {
    const own = await open({ engine: 'jit' });
    const { device, layout, module } = own;
    const grid = gridOf(own, side);
    const chained = tableOf(own, CHAIN);
    const vertices = side * side;
    const bufferOf = () =>
      device.createBuffer({ size: vertices * 36, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.VERTEX });
    const attributes = [0, 1, 2].map((i) => ({ shaderLocation: i, offset: 12 * i, format: 'float32x3' }));
    const whole = [{ arrayStride: 36, attributes }];
    const [between, last] = [bufferOf(), bufferOf()];
    const step = (entryPoint, buffers) =>
      device.createModularPipeline({
        layout,
        input: { buffers, topology: 'point-list' },
        stages: [{ kind: 'vertex', module, entryPoint }],
        sinks: [{ buffer: { arrayStride: 36, attributes } }],
      });
    const steps = [step('twist', BUFFERS), step('wave', whole)];
    const look = device.createRenderPipeline({
      layout,
      vertex: { module, entryPoint: 'look', buffers: whole },
      fragment: own.fragment,
    });
    const passes = () => {
      const encoder = device.createCommandEncoder();
      for (const [i, pipeline] of steps.entries()) {
        const pass = encoder.beginRenderPass({ colorAttachments: [], size: [1, 1], sampleCount: 1 });
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, grid.place);
        pass.setVertexBuffer(0, i ? between : grid.vertices);
        pass.setSinkBuffer(i ? last : between);
        pass.draw(vertices);
        pass.end();
      }
      device.queue.submit([encoder.finish()]);
      grid.render(look, { isSeen: false, prepare: (pass) => pass.setVertexBuffer(0, last) });
    };
    results[`${count} vertices`] = await overOf(
      `three stages, ${count} vertices`,
      { passes: frameOf(device, { render: passes }), chained: grid.frame(chained, { isSeen: false }) },
      least
    );
    device.destroy();
  }
  return results;
}

/** Enabling slots, against creating a pipeline with one shader. */
async function enable() {
  const results = {};
  for (const [size, more] of Object.entries({ small: '', noise: NOISE }))
    for (const engine of ['auto', 'jit']) results[`${size}, ${engine}`] = await enabling(engine, size, more);
  return results;
}

async function enabling(engine, size, more) {
  const own = await open({ engine }, functions('override k: f32 = 0.75;', more));
  const { device } = own;
  const grid = gridOf(own, 32);
  const makes = {};
  let rounds = 0;
  const constant = () => 0.5 + ++rounds / 4096;
  const drawn = () => device.queue.onSubmittedWorkDone();
  /** A side: `before` prepares it outside the timed part, `make` returns what is drawn and how. */
  const side = (name, before, make) => async () => {
    const given = await before();
    await drawn();
    const began = performance.now();
    const [pipeline, how] = make(given);
    const made = performance.now() - began;
    const recorded = grid.render(pipeline, how);
    await drawn();
    (makes[name] ??= []).push(made + recorded);
    return performance.now() - began;
  };
  /** A modular pipeline with `wave` in slots 1 and 2, drawn until its shaders are compiled. */
  const tableWith =
    (isOn, ...choices) =>
    async () => {
      const constants = { k: constant() };
      const slots = ['twist', 'wave', 'wave', 'look'].map((entryPoint, i) => ({
        entryPoint,
        constants,
        enabled: i === 0 || i === 3 || (i === 1 && isOn),
      }));
      const table = tableOf(own, slots);
      for (let i = 0; i < 3; i++)
        for (const prepare of [undefined, ...choices]) {
          grid.render(table, { prepare });
          await drawn();
        }
      return table;
    };
  const on = (pass) => pass.setStageEnabled(1, true);
  const both = (pass) => pass.setStageEnabled(2, true);
  const sides = {
    first: side('first', tableWith(false), (table) => [table, { prepare: on }]),
    'other slot': side('other slot', tableWith(true), (table) => [table, { prepare: both }]),
    again: side('again', tableWith(true, both), (table) => [table, { prepare: both }]),
    cold: side(
      'cold',
      () => functions(`const k = f32(${constant()});`, more),
      (code) => [pipelineOf({ ...own, module: device.createShaderModule({ code }) }, 'whole')]
    ),
  };
  const { pairs, ms, ratio } = await compare(sides, {
    forMs: MS,
    onPair: (n) => progress(0, 1, `turned on, ${size}, ${engine}, ${n} rounds`),
  });
  const result = { pairs, ms, makeMs: {}, make: {}, whole: {} };
  for (const name of Object.keys(sides)) result.makeMs[name] = round(median(makes[name].slice(-pairs)));
  for (const name of ['first', 'other slot', 'again']) {
    const ratios = makes.cold.slice(-pairs).map((cold, i) => cold / makes[name].at(i - pairs));
    const text = `turned on, ${size}, ${name}, ${engine}`;
    result.make[name] = judged(
      `${text}: made in ${result.makeMs[name]} ms, a cold pipeline in ${result.makeMs.cold}, times faster`,
      medianInterval(ratios).map(round),
      OVER_ENABLING,
      true
    );
    result.whole[name] = judged(
      `${text}: drawn after ${ms[name]} ms, a cold pipeline after ${ms.cold}, times faster`,
      ratio('cold', name)
    );
  }
  device.destroy();
  return result;
}

const results = {};
for (const name of chosen) results[name] = await PARTS[name]();
if (chosen.length === Object.keys(PARTS).length) {
  keep('modular', { unit: 'ms', engine: await engineOf(), threads, results });
  writeReport();
}
process.exit(0);
