// Hostile uses of the public API. hostile.mjs starts this file in a separate process with the name of a program, which
// prints its outcome to standard output.
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { create } from '../../build/index.js';

const COVER = `
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
  }
`;
const RED = '@fragment fn fs() -> @location(0) vec4f { return vec4f(1, 0, 0, 1); }';
const SLOW = `
  @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var x = 0.0; for (var i = 0; i < 8000; i++) { x = x * 0.5 + p.y; } return vec4f(1, 0, 0, x);
  }
`;

async function open(options = { threads: 0 }) {
  const device = await (await create(options).requestAdapter()).requestDevice();
  device.onuncapturederror = (event) => event.preventDefault();
  return device;
}

const firstLine = (text) => text.split('\n')[0];

/** Maximum duration of an event loop block in milliseconds. */
const MAX_BLOCKED_MS = 50;

/** Returns the first error of the error scopes, or else the error that `work` threw, or null. */
async function errorOf(device, work) {
  const filters = ['validation', 'out-of-memory', 'internal'];
  for (const filter of filters) device.pushErrorScope(filter);
  const thrown = await Promise.resolve()
    .then(work)
    .then(
      () => null,
      (error) => error
    );
  const told = (await Promise.all(filters.map(() => device.popErrorScope()))).find((error) => error !== null);
  return told ?? thrown;
}

async function draw(device, code, body = (pass) => pass.draw(3)) {
  const module = device.createShaderModule({ code });
  const pipeline = await device.createRenderPipelineAsync({
    layout: 'auto',
    vertex: { module, entryPoint: 'vs' },
    fragment: { module, entryPoint: 'fs', targets: [{ format: 'rgba8unorm' }] },
  });
  const texture = device.createTexture({ size: [64, 64], format: 'rgba8unorm', usage: 17 });
  const read = device.createBuffer({ size: 256 * 64, usage: 9 });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
  });
  pass.setPipeline(pipeline);
  body(pass);
  pass.end();
  encoder.copyTextureToBuffer({ texture }, { buffer: read, bytesPerRow: 256 }, [64, 64]);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(1);
  return `picture ${[...new Uint8Array(read.getMappedRange(), 0, 4)].join()}`;
}

const COUNTER = '@group(0) @binding(0) var<storage, read_write> count: atomic<u32>;';

async function dispatch(device, code, counts) {
  const pipeline = device.createComputePipeline({
    layout: 'auto',
    compute: { module: device.createShaderModule({ code }) },
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  if (code.includes('count')) {
    const buffer = device.createBuffer({ size: 4, usage: 128 });
    const layout = pipeline.getBindGroupLayout(0);
    pass.setBindGroup(0, device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer } }] }));
  }
  pass.dispatchWorkgroups(...counts);
  pass.end();
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
  const lost = await Promise.race([device.lost, turn(null)]);
  return lost ? `lost: ${lost.message}` : 'done';
}

/** Opens a device and waits until its workers have started. */
async function ready(options) {
  const adapter = await create(options).requestAdapter();
  const device = await adapter.requestDevice({ requiredFeatures: ['statistics'] });
  while (device.statistics().workers < options.threads) await pause(1);
  return device;
}

/** Returns the outcome of `work`, after the longest time between two turns of the event loop meanwhile. */
async function blockedBy(work) {
  let last = performance.now();
  let longest = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  const outcome = await work();
  clearInterval(timer);
  return `${longest <= MAX_BLOCKED_MS ? 'free' : 'blocked'}: ${longest.toFixed(0)} ms at the longest, ${outcome}`;
}

async function outcomeOf(device, work) {
  let outcome;
  const error = await errorOf(device, async () => {
    outcome = await work();
  });
  const lost = await Promise.race([device.lost, turn(null)]);
  return lost ? `lost: ${lost.message}` : error ? `${error.constructor.name}: ${firstLine(error.message)}` : outcome;
}

const programs = {
  async shader(file) {
    const device = await open();
    return outcomeOf(device, () => draw(device, readFileSync(file, 'utf8')));
  },
  async texture() {
    const device = await open();
    return outcomeOf(device, () => {
      device.createTexture({ size: [8192, 8192, 16], format: 'rgba8unorm', usage: 4 });
      return draw(device, COVER + RED);
    });
  },
  async buffer() {
    const device = await open();
    return outcomeOf(device, () => {
      device.createBuffer({ size: 2 ** 53 - 4, usage: 8 });
      return draw(device, COVER + RED);
    });
  },
  async indirect() {
    const device = await open();
    const counts = device.createBuffer({ size: 16, usage: 0x108 });
    device.queue.writeBuffer(counts, 0, Uint32Array.of(0xffffffff, 0xffffffff, 0, 0));
    return outcomeOf(device, () => draw(device, COVER + RED, (pass) => pass.drawIndirect(counts, 0)));
  },
  async dispatch() {
    const device = await open();
    return dispatch(
      device,
      `${COUNTER} @compute @workgroup_size(64) fn m() { atomicAdd(&count, 1u); }`,
      [65535, 65535, 65535]
    );
  },
  async empty() {
    return dispatch(await open(), '@compute @workgroup_size(64) fn m() { }', [65535, 65535, 2]);
  },
  /** Measures the longest block of the calling thread's event loop while workers run an endless shader. */
  async blocked() {
    const device = await ready({ threads: 2, timeoutMs: 1000 });
    const code = `
      ${COUNTER} @compute @workgroup_size(1) fn m() { loop { if (atomicAdd(&count, 1u) == 4294967295u) { break; } } }
    `;
    return blockedBy(() => dispatch(device, code, [1, 1, 1]));
  },
  /** The same for a dispatch of many workgroups that runs until its timeout. */
  async crowded() {
    const device = await ready({ threads: 2, timeoutMs: 20 });
    const code = `${COUNTER} @compute @workgroup_size(64) fn m() { atomicAdd(&count, 1u); }`;
    return blockedBy(() => dispatch(device, code, [65535, 65535, 65535]));
  },
  async timeout() {
    create({ timeoutMs: 2 ** 32 });
    return 'taken';
  },
  async limits() {
    await (await create({ threads: 0 }).requestAdapter()).requestDevice({ requiredLimits: { toString: 1e9 } });
    return 'taken';
  },
  async holes() {
    const device = await open();
    const encoder = device.createCommandEncoder();
    const layout = device.createBindGroupLayout({ entries: new Array(2) });
    device.createBindGroup({ layout, entries: new Array(2) });
    encoder.beginRenderPass({ colorAttachments: new Array(2) }).end();
    device.queue.submit(new Array(2));
    return 'taken';
  },
  /**
   * Drops devices of four workers without destroying them. Counts the threads of the process, where the platform
   * reports them.
   */
  async dropped() {
    let most = 0;
    for (let i = 0; i < 500; i++) {
      const device = await open({ threads: 4 });
      await outcomeOf(device, () => draw(device, COVER + RED));
      try {
        most = Math.max(most, readdirSync('/proc/self/task').length);
      } catch {
        /* not Linux */
      }
    }
    return `${most > 40 ? 'too many' : 'at most'}: ${most} threads`;
  },
  /** Another process stops this one for longer than a shader may run. */
  async stopped() {
    const device = await open({ threads: 0, timeoutMs: 1000 });
    let stopped = false;
    spawn('sh', ['-c', `sleep 0.2; kill -STOP ${process.pid}; sleep 3; kill -CONT ${process.pid}`], {
      stdio: 'ignore',
    }).on('exit', () => {
      stopped = true;
    });
    let last = '';
    while (!stopped) last = await outcomeOf(device, () => draw(device, COVER + SLOW));
    return last;
  },
};

const [name, ...words] = process.argv.slice(2);
try {
  console.log(await programs[name](...words));
} catch (error) {
  console.log(`${error.constructor.name}: ${error.message}`);
}
