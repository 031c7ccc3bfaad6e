// npm run bench queued [frames]
// Measures frames that are queued without waiting: 10 000 frames of 512×512 pixels, each with a write of 64 KiB. A loop
// submits them without yielding, with timeouts, or with immediates, with and without workers. Reports frames per
// second, the peak resident memory of the process, the duration of the longest call, and the time from the last call
// until all frames were drawn. Each part runs in a separate process; all take a minute. Fails if the last picture is
// missing.
import { fork } from 'node:child_process';
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { create, globals } from '../../build/index.js';

const SIDE = 512;
const BYTES = 65536;
const LOOKS = 100;
const PARTS = [
  ['loop', 2],
  ['time-outs', 2],
  ['immediates', 2],
  ['loop', 0],
];
const turns = { loop: () => undefined, 'time-outs': () => pause(0), immediates: () => immediate() };
const WGSL = `
  @group(0) @binding(0) var<storage, read> data: array<f32>;
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
  }
  @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return vec4f(data[0], p.xy / ${SIDE}, 1); }`;

async function open(threads) {
  const adapter = await create({ threads }).requestAdapter();
  const device = await adapter.requestDevice({ requiredFeatures: ['statistics'] });
  while (device.statistics().workers < threads) await pause(5);
  return device;
}

/** Returns the red channel of the first pixel. */
async function firstPixel(device, texture) {
  const read = device.createBuffer({ size: 256, usage: 1 | 8 });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture }, { buffer: read, bytesPerRow: 256 }, [1, 1]);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(1);
  return new Uint8Array(read.getMappedRange())[0];
}

async function measure(kind, threads, count) {
  Object.assign(globalThis, globals);
  const device = await open(threads);
  const { queue } = device;
  const module = device.createShaderModule({ code: WGSL });
  const pipeline = await device.createRenderPipelineAsync({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
  });
  const buffer = device.createBuffer({ size: BYTES, usage: 8 | 128 });
  const data = new Float32Array(BYTES / 4);
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer } }],
  });
  const texture = device.createTexture({ size: [SIDE, SIDE], format: 'rgba8unorm', usage: 1 | 16 });
  const view = texture.createView();
  const begun = performance.now();
  let longest = 0;
  let memory = 0;
  for (let frame = 1; frame <= count; frame++) {
    const start = performance.now();
    data[0] = frame / count;
    queue.writeBuffer(buffer, 0, data);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.draw(3);
    pass.end();
    queue.submit([encoder.finish()]);
    longest = Math.max(longest, performance.now() - start);
    if (frame % Math.ceil(count / LOOKS) === 0) memory = Math.max(memory, process.memoryUsage.rss());
    await turns[kind]();
  }
  const queued = performance.now();
  await queue.onSubmittedWorkDone();
  const done = performance.now();
  const red = await firstPixel(device, texture);
  if (red !== 255) throw new Error(`the last frame is not there: its red is ${red}`);
  device.destroy();
  return {
    queued: kind,
    workers: threads,
    'frames a second': Math.round((count * 1000) / (done - begun)),
    'MB at most': Math.round(memory / 2 ** 20),
    'longest call, ms': Math.round(longest),
    'drawn after the last call, ms': Math.round(done - queued),
  };
}

const [first = '10000', kind, threads] = process.argv.slice(2);
if (kind !== undefined) process.send(await measure(kind, Number(threads), Number(first)));
else {
  const rows = [];
  for (const part of PARTS)
    rows.push(
      await new Promise((done, fail) => {
        fork(fileURLToPath(import.meta.url), [first, ...part.map(String)])
          .on('message', done)
          .on('exit', (code) => fail(new Error(`a part has ended with code ${code}`)));
      })
    );
  console.table(rows);
}
