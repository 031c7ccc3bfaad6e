// npm run bench draws
// Measures the JavaScript cost of a draw call with the 10 000 draw calls of the scene `draws`, each with its own bind
// group. Reports median microseconds per draw call for recording, finishing the encoder, submitting, and until the
// picture is complete. Also measures a replayed render bundle, 1 000 small dispatches in one pass, a bundle of 100 000
// draw calls of one triangle, the bytes allocated per draw call, and 1 000 to 10 000 cubes with dynamic offsets: on all
// threads, on one, and with llvmpipe if ../shared/peers is next to the checkout, one after the other in each round.
//
//   FRAMES   number of frames (60)
//   THREADS  worker threads (the machine's cores)
//   ROUNDS   rounds of the comparison (3)
import { availableParallelism } from 'node:os';
import { bufferOf, groupOf, pipelineOf } from '../compute/kit.mjs';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openDevice } from '../support/device.mjs';
import { missingPeersReason, peerModules, peersFolder } from '../support/peer-files.mjs';
import { keep, median } from '../support/machine.mjs';
import { DRAWS, draws } from '../scenes/draws.mjs';
import { BUFFER, TEXTURE } from '../scenes/kit.mjs';

const FRAMES = Number(process.env.FRAMES ?? 60);
const WARM = 20;
const DISPATCHES = 1000;
const threads = Number(process.env.THREADS ?? availableParallelism());
/** Maximum microseconds per draw call: set its bind group, draw, finish and submit. */
const LIMIT = 2;

/** Maximum time of executing a bundle on the calling thread, as a fraction of the time of encoding it. */
const BUNDLE_LIMIT = 0.5;
const BUNDLE_DRAWS = 100_000;
/** Maximum bytes allocated per draw call with offsets in a Uint32Array. */
const BYTES_LIMIT = 1;
/** GPUShaderStage.VERTEX. */
const VERTEX_STAGE = 1;

const ROUNDS = Number(process.env.ROUNDS ?? 3);
/** Minimum speed-up over llvmpipe, and over one thread of our own. */
const PEER_LIMIT = 1.5;
const THREADS_LIMIT = 1.7;

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

/** A pipeline for one triangle per draw call, with a uniform at a dynamic offset. */
function triangles() {
  const visibility = VERTEX_STAGE;
  const groupLayout = device.createBindGroupLayout({
    entries: [{ binding: 0, visibility, buffer: { hasDynamicOffset: true } }],
  });
  const module = device.createShaderModule({
    code: `
      @group(0) @binding(0) var<uniform> at: vec4f;
      @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        return vec4f(at.xy + vec2f(f32(i & 1), f32(i >> 1)) / 64, 0, 1);
      }
      @fragment fn fs() -> @location(0) vec4f { return vec4f(1); }`,
  });
  const pipeline = device.createRenderPipeline({
    layout: device.createPipelineLayout({ bindGroupLayouts: [groupLayout] }),
    vertex: { module },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
  });
  const buffer = device.createBuffer({ size: 256 * DRAWS, usage: BUFFER.UNIFORM });
  const group = device.createBindGroup({
    layout: groupLayout,
    entries: [{ binding: 0, resource: { buffer, size: 16 } }],
  });
  const usage = TEXTURE.ATTACHMENT;
  const view = device.createTexture({ size: [640, 360], format: 'rgba8unorm', usage }).createView();
  const begin = (encoder) =>
    encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
  return { pipeline, group, begin };
}

/** Median milliseconds of the calling thread for encoding a bundle and for executing it. */
async function bundleTimes({ pipeline, group, begin }) {
  const encoding = [];
  const executing = [];
  for (let frame = 0; frame < 20; frame++) {
    const began = performance.now();
    const bundles = device.createRenderBundleEncoder({ colorFormats: ['rgba8unorm'] });
    bundles.setPipeline(pipeline);
    bundles.setBindGroup(0, group, [0]);
    for (let draw = 0; draw < BUNDLE_DRAWS; draw++) bundles.draw(3);
    const bundle = bundles.finish();
    const encoded = performance.now();
    const before = performance.eventLoopUtilization();
    const encoder = device.createCommandEncoder();
    const pass = begin(encoder);
    pass.executeBundles([bundle]);
    pass.end();
    device.queue.submit([encoder.finish()]);
    const submitted = performance.now();
    await device.queue.onSubmittedWorkDone();
    encoding.push(encoded - began);
    // The time in later turns of the event loop, and that of this one.
    executing.push(performance.eventLoopUtilization(before).active + submitted - encoded);
  }
  return { encoding: median(encoding.slice(5)), executing: median(executing.slice(5)) };
}

/** Median bytes of the heap and of array buffers that encoding a draw call and its dynamic offset allocates. */
async function bytesPerDraw({ pipeline, group, begin }) {
  const used = () => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const offsets = new Uint32Array(DRAWS).map((_, draw) => draw * 256);
  const bytes = [];
  for (let frame = 0; frame < WARM * 2; frame++) {
    const encoder = device.createCommandEncoder();
    const pass = begin(encoder);
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group, offsets, 0, 1);
    pass.draw(3);
    const before = used();
    for (let draw = 0; draw < DRAWS; draw++) {
      pass.setBindGroup(0, group, offsets, draw, 1);
      pass.draw(3);
    }
    // Negative if garbage was collected meanwhile.
    bytes.push((used() - before) / DRAWS);
    pass.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
  }
  return median(bytes.slice(WARM).filter((each) => each >= 0));
}

/** Median milliseconds of a frame with dynamic offsets, by implementation and number of draw calls. */
function compare() {
  const build = fileURLToPath(new URL('../../build/index.js', import.meta.url));
  const sides = { ours: [build, { threads }], 'one thread': [build, { threads: 1 }] };
  if (!missingPeersReason()) sides.llvmpipe = ['llvmpipe', {}];
  return Object.fromEntries(
    [1000, 3000, 10000].map((count) => {
      const times = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
      for (let round = 0; round < ROUNDS; round++)
        for (const [name, [peer, options]] of Object.entries(sides)) {
          const env = { ...process.env, PEER_MODULES: peerModules, CREATE: JSON.stringify(options), FRAMES: '30' };
          const args = ['-c', '. "$0/env.sh" && exec "$@"', peersFolder, process.execPath];
          const { stdout } = spawnSync('bash', [...args, `${peersFolder}draws.mjs`, peer, String(count)], {
            env,
            encoding: 'utf8',
          });
          times[name].push(JSON.parse(stdout.trim().split('\n').at(-1)).frame);
        }
      return [count, Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]))];
    })
  );
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

/** Prints a figure with its limit, and returns both. */
function limited(name, value, limit, reached = value <= limit) {
  const rounded = Math.round(value * 100) / 100;
  console.log(`${name}: ${rounded}, limit ${limit}: ${reached ? 'reached' : 'NOT REACHED'}`);
  return { value: rounded, limit, reached };
}
const kit = triangles();
const bundle100k = await bundleTimes(kit);
const { encoding, executing } = bundle100k;
console.log(`bundle of ${BUNDLE_DRAWS}: encoding ${encoding.toFixed(1)} ms, executing ${executing.toFixed(1)} ms`);
goals.bundle = limited('executing over encoding', executing / encoding, BUNDLE_LIMIT);
goals.bytes = limited('bytes allocated per draw call', await bytesPerDraw(kit), BYTES_LIMIT);
device.destroy();
const cubes = missingPeersReason([]) ? {} : compare();
for (const [count, { ours, 'one thread': one, llvmpipe }] of Object.entries(cubes)) {
  console.log(`${count} cubes: ours ${ours} ms, one thread ${one} ms, llvmpipe ${llvmpipe ?? '–'} ms`);
  goals[`threads ${count}`] = limited('one thread over all', one / ours, THREADS_LIMIT, one / ours >= THREADS_LIMIT);
  if (llvmpipe)
    goals[`llvmpipe ${count}`] = limited(
      'llvmpipe over ours',
      llvmpipe / ours,
      PEER_LIMIT,
      llvmpipe / ours >= PEER_LIMIT
    );
}
keep('draws', { unit: 'µs a draw', draws: DRAWS, threads, aDraw, aReplay, aDispatch, bundle100k, cubes, goals });
process.exit(0);
