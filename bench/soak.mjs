// Measures memory over a long time: 10 000 frames on one device, and 200 devices, destroyed or dropped. Each part runs
// in a separate process. It reports the resident memory of the process, the device memory in use, and the number of
// live worker threads. Takes about a minute.
//
// A part passes if the median of its last quarter is at most that of its second quarter times the limit, for each
// figure. The first quarter is for warm-up.
import { fork } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import threads from 'node:worker_threads';
import { keep, median, roundTo } from './support/machine.mjs';
import { progress, say } from './support/progress.mjs';

const FRAMES = 10_000;
const DEVICES = 200;
const SAMPLES = 80;
/**
 * Most of a device's memory is allocated at the start, so 1 % of it is a hundred bytes per frame. The threads of
 * dropped devices end only when the devices are collected.
 */
const LIMITS = { residentMiB: 1.15, deviceMiB: 1.01, reservedMiB: 1.01, threads: 1.5 };
const FIELDS = Object.keys(LIMITS);
const SIDE = 64;
const READ_EVERY = 100;
const PIPELINE_EVERY = 500;
const AWAIT_EVERY = 8;
const MiB = 2 ** 20;

/** Live worker threads that the package has started. */
const workers = new Set();
function watchWorkers() {
  threads.Worker = class extends threads.Worker {
    constructor(...args) {
      super(...args);
      workers.add(this);
      this.on('exit', () => workers.delete(this));
    }
  };
  syncBuiltinESMExports();
}

const wgsl = (number) => `
  @group(0) @binding(0) var<uniform> u: vec4f;
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
  }
  @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return u + p * ${number}.0 / 16384; }`;

/** A small scene: writes a uniform every frame, draws one pass, and occasionally reads the picture back. */
class Scene {
  constructor(device) {
    this.device = device;
    this.texture = device.createTexture({ size: [SIDE, SIDE], format: 'rgba8unorm', usage: 17 });
    this.uniform = device.createBuffer({ size: 16, usage: 64 | 8 });
    this.read = device.createBuffer({ size: SIDE * 256, usage: 1 | 8 });
    this.makePipeline(0);
  }

  /** Drops the previous pipeline. */
  makePipeline(number) {
    const { device } = this;
    const module = device.createShaderModule({ code: wgsl(number) });
    this.pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    });
    this.group = device.createBindGroup({
      layout: this.pipeline.getBindGroupLayout(0),
      entries: [{ binding: 0, resource: { buffer: this.uniform } }],
    });
  }

  async frame(number, reads) {
    const { device } = this;
    const red = (number % 256) / 255;
    device.queue.writeBuffer(this.uniform, 0, Float32Array.of(red, 0, 0, 1));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: this.texture.createView(), loadOp: 'clear', storeOp: 'store' }],
    });
    pass.setPipeline(this.pipeline);
    pass.setBindGroup(0, this.group);
    pass.draw(3);
    pass.end();
    if (reads)
      encoder.copyTextureToBuffer({ texture: this.texture }, { buffer: this.read, bytesPerRow: 256 }, [SIDE, SIDE]);
    device.queue.submit([encoder.finish()]);
    if (!reads) return;
    await this.read.mapAsync(1);
    const alpha = new Uint8Array(this.read.getMappedRange(), 0, 4)[3];
    this.read.unmap();
    if (alpha !== 255) throw new Error(`frame ${number} is wrong: alpha ${alpha}`);
  }
}

async function open() {
  const { create } = await import('../build/index.js');
  const adapter = await create().requestAdapter();
  const device = await adapter.requestDevice({ requiredFeatures: ['statistics'] });
  device.onuncapturederror = ({ error }) => {
    throw new Error(error.message);
  };
  return device;
}

/** Takes a sample after everything collectible is collected. Finalizers run in later turns of the event loop. */
async function sample(device) {
  for (let i = 0; i < 2; i++) {
    globalThis.gc();
    await pause(0);
  }
  const { bytesUsed, bytesReserved } = device.statistics().memory;
  return {
    residentMiB: process.memoryUsage.rss() / MiB,
    deviceMiB: bytesUsed / MiB,
    reservedMiB: bytesReserved / MiB,
    threads: workers.size,
  };
}

async function runFrames(told) {
  const device = await open();
  const scene = new Scene(device);
  for (let i = 1; i <= FRAMES; i++) {
    if (i % PIPELINE_EVERY === 0) scene.makePipeline(i / PIPELINE_EVERY);
    await scene.frame(i, i % READ_EVERY === 0);
    if (i % AWAIT_EVERY === 0) await device.queue.onSubmittedWorkDone();
    if (i % (FRAMES / SAMPLES) === 0) told(i, await sample(device));
  }
}

async function runDevices(destroys, told) {
  for (let i = 1; i <= DEVICES; i++) {
    const device = await open();
    // The first frame runs before the workers have started, a later one afterwards.
    const scene = new Scene(device);
    await scene.frame(i, true);
    for (let tries = 0; device.statistics().workers === 0 && tries < 50; tries++) await pause(0);
    await scene.frame(i + 1, true);
    const taken = await sample(device);
    if (destroys) device.destroy();
    told(i, taken);
  }
}

const PARTS = {
  frames: { what: `${FRAMES} frames`, all: FRAMES, run: runFrames },
  destroyed: { what: `${DEVICES} devices, destroyed`, all: DEVICES, run: (told) => runDevices(true, told) },
  dropped: { what: `${DEVICES} devices, dropped`, all: DEVICES, run: (told) => runDevices(false, told) },
};

/** Returns the samples of a part, which runs in a separate process. */
function measure(name) {
  const { what, all } = PARTS[name];
  const samples = [];
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), [name], { execArgv: ['--expose-gc'] });
    child.on('message', ({ at, ...taken }) => {
      samples.push({ at, ...taken });
      progress(at, all, `${what}: ${taken.residentMiB.toFixed(0)} MiB resident, ${taken.threads} threads`);
    });
    child.on('error', reject);
    child.on('exit', (code) =>
      code === 0 ? resolve(samples) : reject(new Error(`${what}: the process ended with code ${code}`))
    );
  });
}

const round = roundTo(2);

function judge(samples) {
  const quarter = samples.length >> 2;
  const result = Object.fromEntries(
    FIELDS.map((field) => {
      const of = (from) => median(samples.slice(from, from + quarter).map((each) => each[field]));
      const second = of(quarter);
      const last = of(samples.length - quarter);
      return [field, { second: round(second), last: round(last), ratio: last === second ? 1 : round(last / second) }];
    })
  );
  return { ...result, reached: FIELDS.every((field) => result[field].last <= result[field].second * LIMITS[field]) };
}

async function main() {
  const results = {};
  let all = true;
  for (const [name, { what }] of Object.entries(PARTS)) {
    const began = performance.now();
    const samples = await measure(name);
    const judged = judge(samples);
    results[name] = {
      ...judged,
      seconds: round((performance.now() - began) / 1000),
      samples: samples.map(({ at, ...taken }) => ({
        at,
        ...Object.fromEntries(FIELDS.map((field) => [field, round(taken[field])])),
      })),
    };
    all &&= judged.reached;
    say(`${what.padEnd(24)} ${judged.reached ? 'reached' : 'NOT REACHED'}  (${results[name].seconds} s)`);
    for (const field of FIELDS)
      say(
        `  ${field.padEnd(12)} ${String(judged[field].second).padStart(9)} `
          + `→ ${String(judged[field].last).padStart(9)}   ×${judged[field].ratio}`
      );
  }
  keep('soak', { limits: LIMITS, reached: all, results });
  process.exitCode = all ? 0 : 1;
}

/** Runs a part in its process. */
async function serve(name) {
  watchWorkers();
  await PARTS[name].run((at, taken) => process.send({ at, ...taken }));
  process.disconnect();
}

await (process.send && process.argv[2] in PARTS ? serve(process.argv[2]) : main());
