// npm run bench:draws
// Measures the JavaScript cost of a draw call with the 10 000 draw calls of the scene `draws`, each with its own bind
// group. Reports median microseconds per draw call for recording, finishing the encoder, submitting, and until the
// picture is complete. Also measures a replayed render bundle, and 1 000 small dispatches in one pass.
//
//   FRAMES   number of frames (60)
//   THREADS  worker threads (the machine's cores)
import { availableParallelism } from 'node:os';
import { bufferOf, groupOf, pipelineOf } from '../compute/kit.mjs';
import { openDevice } from '../support/device.mjs';
import { keep, median } from '../support/machine.mjs';
import { DRAWS, draws } from '../scenes/draws.mjs';

const FRAMES = Number(process.env.FRAMES ?? 60);
const WARM = 20;
const DISPATCHES = 1000;
const threads = Number(process.env.THREADS ?? availableParallelism());
/** Maximum microseconds per draw call: set its bind group, draw, finish and submit. */
const LIMIT = 2;

/** Maximum microseconds per draw call of a previously recorded bundle. */
const REPLAY_LIMIT = 1;

const device = await openDevice({ options: { threads } });
const scene = draws(device, { width: 1280, height: 720, samples: 1 });
const bundle = scene.bundle();

/** Returns median microseconds for each of `count` draw calls or dispatches of frames that `encode` records. */
async function measure(encode, count) {
  const times = { recorded: [], finished: [], submitted: [], drawn: [] };
  for (let frame = 0; frame < WARM + FRAMES; frame++) {
    const began = performance.now();
    const encoder = device.createCommandEncoder();
    encode(encoder);
    const recorded = performance.now();
    const commands = encoder.finish();
    const finished = performance.now();
    device.queue.submit([commands]);
    const submitted = performance.now();
    await device.queue.onSubmittedWorkDone();
    if (frame < WARM) continue;
    times.recorded.push(recorded - began);
    times.finished.push(finished - recorded);
    times.submitted.push(submitted - finished);
    times.drawn.push(performance.now() - submitted);
  }
  return Object.fromEntries(
    Object.entries(times).map(([name, all]) => [name, Math.round((median(all) * 1e6) / count) / 1000])
  );
}

/** Dispatches of one workgroup each, which alternate between two bind groups. */
async function dispatches() {
  const pipeline = await pipelineOf(
    device,
    `
    @group(0) @binding(0) var<storage, read> a: array<u32>;
    @group(0) @binding(1) var<storage, read_write> b: array<u32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { b[id.x] = 3 * a[id.x] + b[id.x]; }`
  );
  const words = () => bufferOf(device, new Uint32Array(64));
  const groups = [0, 1].map(() => groupOf(device, pipeline, words(), words()));
  return (encoder) => {
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    for (let i = 0; i < DISPATCHES; i++) {
      pass.setBindGroup(0, groups[i % 2]);
      pass.dispatchWorkgroups(1);
    }
    pass.end();
  };
}

const say = (name, times, what) =>
  console.log(
    `${name}: ${Object.entries(times)
      .map(([part, us]) => `${part} ${us.toFixed(3)}`)
      .join(', ')} µs a ${what}`
  );
function judge(name, aDraw, limit) {
  const value = Math.round((aDraw.recorded + aDraw.finished + aDraw.submitted) * 1000) / 1000;
  const reached = value <= limit;
  say(name, aDraw, 'draw');
  console.log(`  until submitted ${value} µs ≤ ${limit}: ${reached ? 'reached' : 'NOT REACHED'}`);
  return { value, limit, reached };
}

const aDraw = await measure(scene.record, DRAWS);
const aReplay = await measure((encoder) => scene.replay(encoder, bundle), DRAWS);
const aDispatch = await measure(await dispatches(), DISPATCHES);
say('in a compute pass', aDispatch, 'dispatch');
const goals = { submitted: judge('in a pass', aDraw, LIMIT), replayed: judge('from a bundle', aReplay, REPLAY_LIMIT) };
keep('draws', { unit: 'µs a draw', draws: DRAWS, threads, aDraw, aReplay, aDispatch, goals });
process.exit(0);
