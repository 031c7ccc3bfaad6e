// node examples/shading/forest.mjs [forest.png] [--stats]
// Automatic shading rates. Writes a picture of a forest beside its heat map: a compute shader looks at the frame before
// and lets regions without contrast be shaded coarsely (rasterloom/rate-image). Prints the time per frame and how much
// the picture differs from the one shaded per pixel. Needs `npm run build`.
import { writeFileSync } from 'node:fs';
import { encode } from 'fast-png';
import { create, globals } from 'rasterloom';
import { createRateImage } from 'rasterloom/rate-image';
import { forest } from './forest-scene.mjs';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;
const words = process.argv.slice(2);
const [file = 'forest.png'] = words.filter((word) => word !== '--stats');
const width = 640;
const height = 360;
const size = [width, height];
const format = 'rgba8unorm';
const tolerance = 8 / 255;
const frames = 7;

const adapter = await create().requestAdapter();
const device = await adapter.requestDevice({ requiredFeatures: ['shading-rate', 'statistics'] });
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});

const { RENDER_ATTACHMENT, COPY_SRC, TEXTURE_BINDING } = GPUTextureUsage;
const target = (each, usage = 0) => device.createTexture({ size, format: each, usage: RENDER_ATTACHMENT | usage });
const depths = target('depth32float');
// Frames are drawn to both textures in turn, so that the frame before is still there.
const pictures = [0, 1].map(() => target(format, COPY_SRC | TEXTURE_BINDING));
const heat = target(format, COPY_SRC);
const shaded = forest(device, { width, height, samples: 1, format });
const mapped = forest(device, { width, height, samples: 1, format, shows: 'rates' });
const rates = createRateImage(device, { width, height, tolerance });

/** Draws a frame and waits for it. `before`: the frame before, by which rates are chosen. */
async function draw(scene, picture, before) {
  const encoder = device.createCommandEncoder();
  if (before) rates.update(encoder, { color: before });
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: picture, loadOp: 'clear', storeOp: 'store', clearValue: [0.5, 0.55, 0.68, 1] }],
    depthStencilAttachment: { view: depths, depthLoadOp: 'clear', depthClearValue: 1, depthStoreOp: 'discard' },
    ...(before ? { shadingRates: { region: rates.region } } : {}),
  });
  scene.draw(pass, 0, before !== undefined);
  pass.end();
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
}

async function pixelsOf(texture) {
  const buffer = device.createBuffer({
    size: width * height * 4,
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
  });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: width * 4 }, size);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const data = new Uint8Array(buffer.getMappedRange()).slice();
  buffer.destroy();
  return data;
}

/** Draws a frame `frames` times. Returns its least milliseconds, its threads by rate, and its picture. */
async function measured(before) {
  const times = [];
  const counts = () => device.statistics().shadingRates.rates;
  const start = counts();
  for (let frame = 0; frame < frames; frame++) {
    const began = performance.now();
    await draw(shaded, pictures[1], before);
    times.push(performance.now() - began);
  }
  const end = counts();
  const threads = Object.keys(end).map((rate) => [rate, (end[rate].threads - start[rate].threads) / frames]);
  return { ms: Math.min(...times), threads, picture: await pixelsOf(pictures[1]) };
}

await draw(shaded, pictures[0]);
const fine = await measured();
const automatic = await measured(pictures[0]);
await draw(mapped, heat, pictures[0]);
const map = await pixelsOf(heat);

const sheet = new Uint8Array(width * height * 8);
[automatic.picture, map].forEach((data, i) => {
  for (let y = 0; y < height; y++)
    sheet.set(data.subarray(y * width * 4, (y + 1) * width * 4), (y * width * 2 + i * width) * 4);
});
try {
  writeFileSync(file, encode({ width: width * 2, height, channels: 4, data: sheet }));
} catch (error) {
  console.error(`The picture ${JSON.stringify(file)} cannot be written: ${error.message}`);
  process.exit(1);
}

const number = (value) => Math.round(value).toLocaleString('en-US');
for (const [name, { ms, threads }] of Object.entries({ '1x1': fine, automatic })) {
  const all = threads.reduce((sum, [, count]) => sum + count, 0);
  console.log(`${name.padEnd(9)}  ${ms.toFixed(1)} ms a frame, ${number(all)} threads`);
  if (words.includes('--stats'))
    for (const [rate, count] of threads) if (count > 0) console.log(`  ${rate}  ${number(count)} threads`);
}
const differences = fine.picture.map((value, i) => Math.abs(value - automatic.picture[i]));
const beyond = differences.filter((difference) => difference > tolerance * 255 + 1).length / differences.length;
const mean = differences.reduce((sum, difference) => sum + difference, 0) / differences.length;
console.log(
  `The pictures differ by ${mean.toFixed(2)} of 255 steps on average, `
    + `and by more than the tolerance in ${(100 * beyond).toFixed(2)} % of the values.`
);
console.log(`Wrote ${file}.`);
rates.destroy();
device.destroy();
