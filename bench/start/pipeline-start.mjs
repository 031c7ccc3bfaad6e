// Measures one pipeline from creation to its first use in a separate process, step by step. bench/start/pipeline.mjs
// starts it. Standard input: a scene's module, shader and pipeline descriptor. Standard output: a line of JSON with the
// first creation (`cold`) and later ones in the same process, of other shaders (`warm`) and of the same shader
// (`again`).
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers';
import { globals } from '../../build/index.js';
import { openDevice } from '../support/device.mjs';

Object.assign(globalThis, globals);
const { way, scenes, scene: name, shape, code, descriptor, rounds } = JSON.parse(readFileSync(0, 'utf8'));
const device = await openDevice({ options: { engine: way === 'forced' ? 'jit' : 'auto' }, features: ['statistics'] });

/**
 * Creates the module and the pipeline and returns the milliseconds of each step. Steps that the device's statistics
 * report by name come from there.
 */
async function create(wgsl) {
  const before = device.statistics().programs;
  const began = performance.now();
  const module = device.createShaderModule({ code: wgsl });
  const checked = performance.now();
  const whole = {
    ...descriptor,
    vertex: { ...descriptor.vertex, module },
    fragment: { ...descriptor.fragment, module },
  };
  const pipeline = way === 'async' ? await device.createRenderPipelineAsync(whole) : device.createRenderPipeline(whole);
  const made = performance.now();
  const after = device.statistics().programs;
  const known = Object.fromEntries(Object.entries(after.times).map(([step, ms]) => [step, ms - before.times[step]]));
  const rest = made - checked - Object.values(known).reduce((sum, ms) => sum + ms, 0);
  return {
    module,
    pipeline,
    before,
    began,
    steps: { 'parse, check': checked - began, 'lower, optimise, encode, wait': rest, ...known },
    ready: made - began,
  };
}

/**
 * The synchronous call starts on the interpreter. Returns the milliseconds until compiled code is ready, and the steps
 * up to then.
 */
async function compiledLater({ before, began }) {
  while (device.statistics().programs.compiled === before.compiled && performance.now() - began < 5000)
    await new Promise((turn) => setImmediate(turn));
  const { times } = device.statistics().programs;
  return {
    compiledAfter: performance.now() - began,
    later: Object.fromEntries(Object.entries(times).map(([step, ms]) => [step, ms - before.times[step]])),
  };
}

const first = await create(code);
const later = way === 'sync' ? await compiledLater(first) : {};

// The scene uses this pipeline instead of creating one.
device.createShaderModule = () => first.module;
device.createRenderPipeline = () => first.pipeline;
const { scenes: all } = await import(scenes);
const scene = await all[name](device, shape);
delete device.createShaderModule;
delete device.createRenderPipeline;
await device.queue.onSubmittedWorkDone();
const began = performance.now();
scene.render();
const submitted = performance.now();
await device.queue.onSubmittedWorkDone();
const frame = performance.now() - began;
const submit = submitted - began;

/** Another shader for each round: adds digits to the first fraction in the text. */
const other = (round) => code.replace(/(\d\.\d+)/, `$1${1000 + round}`);
const warm = [];
const again = [];
for (let round = 0; round < rounds; round++) {
  const made = await create(other(round));
  const { compiledAfter } = way === 'sync' ? await compiledLater(made) : {};
  warm.push({ steps: made.steps, ready: made.ready, ...(compiledAfter ? { compiledAfter } : {}) });
  const { steps, ready } = await create(code);
  again.push({ steps, ready });
}
console.log(
  JSON.stringify({
    cold: {
      steps: { ...first.steps, 'first submit': submit },
      ready: first.ready,
      firstUse: first.ready + submit,
      firstFrame: frame,
      ...later,
    },
    warm,
    again,
  })
);
process.exit(0);
