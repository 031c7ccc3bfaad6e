// node examples/shading/corridor.mjs [corridor.png] [--stats]
// Shading rates from depth. Writes four pictures of a corridor side by side: shaded once per pixel; shaded coarsely far
// away, by a depth table; the rates that the table selects; and eight times the difference of the first two. Prints the
// time per frame. Needs `npm run build`.
import { writeFileSync } from 'node:fs';
import { encode } from 'fast-png';
import { create, globals } from 'rasterloom';
import { corridor, depthRates } from './corridor-scene.mjs';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;
const words = process.argv.slice(2);
const [file = 'corridor.png'] = words.filter((word) => word !== '--stats');
const width = 640;
const height = 360;
const size = [width, height];
const samples = 4;
const format = 'rgba8unorm';
const frames = 7;

const adapter = await create().requestAdapter();
const device = await adapter.requestDevice({ requiredFeatures: ['shading-rate', 'statistics'] });
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});

const { RENDER_ATTACHMENT, COPY_SRC } = GPUTextureUsage;
const target = (each, sampleCount, usage = 0) =>
  device.createTexture({ size, format: each, sampleCount, usage: RENDER_ATTACHMENT | usage });
const colors = target(format, samples);
const depths = target('depth32float', samples);
const picture = target(format, 1, COPY_SRC);
const shaded = corridor(device, { width, height, samples, format });
const mapped = corridor(device, { width, height, samples, format, shows: 'rates' });

/** Draws a frame and waits for it. `shadingRates` is the render pass's descriptor member of that name. */
async function draw(scene, shadingRates, tick = 0) {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [
      { view: colors.createView(), resolveTarget: picture.createView(), loadOp: 'clear', storeOp: 'discard' },
    ],
    depthStencilAttachment: {
      view: depths.createView(),
      depthLoadOp: 'clear',
      depthClearValue: 1,
      depthStoreOp: 'discard',
    },
    shadingRates,
  });
  scene.draw(pass, tick);
  pass.end();
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
}

async function pixels() {
  const buffer = device.createBuffer({
    size: width * height * 4,
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
  });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture: picture }, { buffer, bytesPerRow: width * 4 }, size);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const data = new Uint8Array(buffer.getMappedRange()).slice();
  buffer.destroy();
  return data;
}

// The frames of both ways alternate, so that other load on the machine slows both alike.
const ways = [
  ['1x1', {}],
  ['by depth', { depth: depthRates }],
].map(([name, rates]) => ({ name, rates, times: [] }));
for (let frame = 0; frame < frames; frame++) {
  for (const { rates, times } of ways) {
    const began = performance.now();
    await draw(shaded, rates, frame / 1000);
    times.push(performance.now() - began);
  }
}
for (const way of ways) {
  const before = device.statistics().shadingRates.rates;
  await draw(shaded, way.rates);
  const { rates } = device.statistics().shadingRates;
  way.picture = await pixels();
  way.threads = Object.keys(rates).map((rate) => [rate, rates[rate].threads - before[rate].threads]);
}
await draw(mapped, { depth: depthRates });
const map = await pixels();

const [fine, coarse] = ways.map((way) => way.picture);
const difference = fine.map((value, i) => (i % 4 === 3 ? 255 : Math.min(255, 8 * Math.abs(value - coarse[i]))));
const sheet = new Uint8Array(width * height * 16);
[fine, coarse, map, difference].forEach((data, i) => {
  const left = (i & 1) * width;
  const top = (i >> 1) * height;
  for (let y = 0; y < height; y++)
    sheet.set(data.subarray(y * width * 4, (y + 1) * width * 4), ((top + y) * width * 2 + left) * 4);
});
try {
  writeFileSync(file, encode({ width: width * 2, height: height * 2, channels: 4, data: sheet }));
} catch (error) {
  console.error(`The picture ${JSON.stringify(file)} cannot be written: ${error.message}`);
  process.exit(1);
}

for (const { name, times, threads } of ways) {
  const all = threads.reduce((sum, [, count]) => sum + count, 0);
  const number = (value) => value.toLocaleString('en-US');
  console.log(`${name.padEnd(8)}  ${Math.min(...times).toFixed(1)} ms a frame, ${number(all)} threads`);
  if (words.includes('--stats'))
    for (const [rate, count] of threads) if (count > 0) console.log(`  ${rate}  ${number(count)} threads`);
}
console.log(`Wrote ${file}.`);
device.destroy();
