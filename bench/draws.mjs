// npm run bench:draws : what a draw costs in JavaScript, over the 10 000 of the scene `draws`, each with a bind group
// of its own: microseconds a draw of recording, of finishing the encoder and of submitting, and until the picture is
// there; the same of a bundle that is replayed, and of 1 000 small dispatches in one pass. Medians. FRAMES (60);
// THREADS (the machine's cores).
import { availableParallelism } from 'node:os';
import { bufferOf, groupOf, pipelineOf } from './compute/kit.mjs';
import { openDevice } from './device.mjs';
import { keep, median } from './machine.mjs';
import { DRAWS, draws } from './scenes/draws.mjs';

const FRAMES = Number(process.env.FRAMES ?? 60), WARM = 20, DISPATCHES = 1000;
const threads = Number(process.env.THREADS ?? availableParallelism());
/** Microseconds of a draw: set its bind group, draw, finish and submit. */
const LIMIT = 2;

/** The same of a bundle, which was recorded before. */
const REPLAY_LIMIT = 1;

const device = await openDevice({ options: { threads } });
const scene = draws(device, { width: 1280, height: 720, samples: 1 }), bundle = scene.bundle();

/** Medians of microseconds of each of `count` draws or dispatches, of frames that `encode` puts into an encoder. */
async function measure(encode, count) {
  const times = { recorded: [], finished: [], submitted: [], drawn: [] };
  for (let frame = 0; frame < WARM + FRAMES; frame++) {
    const began = performance.now(), encoder = device.createCommandEncoder();
    encode(encoder);
    const recorded = performance.now(), commands = encoder.finish();
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
    Object.entries(times).map(([name, all]) => [name, Math.round(median(all) * 1e6 / count) / 1000])
  );
}

/** Dispatches of a workgroup each, with two bind groups in turn. */
async function dispatches() {
  const pipeline = await pipelineOf(device, `
    @group(0) @binding(0) var<storage, read> a: array<u32>;
    @group(0) @binding(1) var<storage, read_write> b: array<u32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { b[id.x] = 3 * a[id.x] + b[id.x]; }`);
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

const say = (name, times, what) => console.log(
  `${name}: ${Object.entries(times).map(([part, us]) => `${part} ${us.toFixed(3)}`).join(', ')} µs a ${what}`
);
function judge(name, aDraw, limit) {
  const value = Math.round((aDraw.recorded + aDraw.finished + aDraw.submitted) * 1000) / 1000, reached = value <= limit;
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
