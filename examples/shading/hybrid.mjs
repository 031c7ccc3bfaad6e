// node examples/shading/hybrid.mjs [hybrid.png] [--stats] [--frames 5]
// Forward rendering in hybrid mode, with four samples per pixel. Shadows, ambient occlusion, subsurface scattering and
// diffuse light run in stages once per pixel. The depth test and specular light run in a stage once per sample set.
//
// Writes four pictures: everything once per pixel (top left), hybrid (top right), everything once per sample (bottom
// left), and a map of the number of sample sets per pixel. Prints how similar the pictures are to the one shaded once
// per sample, measured where there is specular light or a depth edge. `--stats` also prints shader runs and frame
// times. Needs `npm run build`.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { encode } from 'fast-png';
import { create, globals } from 'rasterloom';
import { psnrOf, texelsOf } from '../compare.mjs';
import { edgesOf, hybridScene } from './hybrid-scene.mjs';

const { GPUBufferUsage, GPUMapMode } = globals;
const {
  positionals: [file = 'hybrid.png'],
  values,
} = parseArgs({
  allowPositionals: true,
  options: { stats: { type: 'boolean' }, frames: { type: 'string', default: '5' } },
});
const frames = values.stats ? Number(values.frames) : 0;
const width = 640;
const height = 360;
const samples = 4;
/** Colours by the number of sample sets of a pixel: none, 1 … 8. Higher numbers count as 8. */
const HEAT = [
  [24, 24, 30],
  [40, 60, 140],
  [40, 110, 190],
  [50, 160, 170],
  [90, 180, 90],
  [190, 200, 70],
  [240, 170, 50],
  [240, 110, 40],
  [210, 40, 40],
];

const adapter = await create().requestAdapter();
const device = await adapter.requestDevice({ requiredFeatures: ['fragment-stages', 'statistics'] });
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});
const scene = hybridScene(device, { width, height, samples });

/** Returns how often the last stage of 'counted' ran for each pixel. */
async function setsOf() {
  scene.render('counted');
  const buffer = device.createBuffer({
    size: scene.sets.size,
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
  });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(scene.sets, 0, buffer, 0, buffer.size);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const sets = new Uint32Array(buffer.getMappedRange()).slice();
  buffer.destroy();
  return sets;
}

/** For each way: its picture, its frame times in milliseconds, and the counters of one frame. */
const ways = ['pixel', 'hybrid', 'sample'].map((name) => ({ name, times: [] }));
for (const way of ways) {
  scene.render(way.name);
  way.picture = await texelsOf(device, scene.color);
}
// The frames of all ways alternate, so that other load on the machine slows all of them alike.
for (let frame = 1; frame <= frames; frame++)
  for (const way of ways) {
    const before = device.statistics().counters;
    const began = performance.now();
    scene.render(way.name, { now: frame / 1000 });
    await device.queue.onSubmittedWorkDone();
    way.times.push(performance.now() - began);
    const { counters } = device.statistics();
    way.counted = (name) => (counters[name] - before[name]).toLocaleString('en-US');
  }
const isEdge = await edgesOf(device, scene);
const sets = await setsOf();
const best = ways[2].picture;

const heat = new Uint8Array(width * height * 4);
sets.forEach((count, i) => heat.set([...HEAT[Math.min(count, 8)], 255], i * 4));
const sheet = new Uint8Array(width * height * 16);
[ways[0].picture, ways[1].picture, best, heat].forEach((data, i) => {
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

for (const { name, picture, times, counted } of ways) {
  const alike = picture === best ? [] : [`${psnrOf(picture, best, isEdge).toFixed(1)} dB of "sample" at its edges`];
  const runs = !counted
    ? []
    : [
        `${Math.min(...times).toFixed(1)} ms a frame`,
        name === 'hybrid'
          ? `runs for ${counted('pixelRuns')} pixels and ${counted('sampleRuns')} sets`
          : `${counted('lanesShaded')} runs`,
      ];
  console.log([name.padEnd(6), [...alike, ...runs].join(', ')].join('  ').trimEnd());
}
const most = sets.reduce((largest, count) => Math.max(largest, count), 0);
console.log(`Up to ${most} sets a pixel, of which there are ${samples} where one surface slopes.`);
console.log(`Wrote ${file}.`);
device.destroy();
