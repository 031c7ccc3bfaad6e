// node examples/shading/shapes.mjs [shapes.png]
// Draws discs, rings, bars and stars without triangles. A shader that runs once per pixel finds the samples that each
// shape covers and sends them its colour with dispatchSamples. Prints how often the shader ran and how much it sent,
// and whether shading once per sample gives the same picture. Needs `npm run build`.
import { writeFileSync } from 'node:fs';
import { encode } from 'fast-png';
import { create } from 'rasterloom';
import { texelsOf } from '../compare.mjs';
import { shapesScene } from './shapes-scene.mjs';

const [file = 'shapes.png'] = process.argv.slice(2);
const width = 640;
const height = 400;

const adapter = await create().requestAdapter();
const device = await adapter.requestDevice({ requiredFeatures: ['fragment-stages', 'statistics'] });
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});

const scene = shapesScene(device, { width, height });
/** Draws a frame and returns its picture and counters. */
async function drawn(way) {
  const before = device.statistics().counters;
  scene.render(way);
  const texels = await texelsOf(device, scene.color);
  const after = device.statistics().counters;
  return { texels, ran: after.lanesShaded - before.lanesShaded, sent: after.dispatches - before.dispatches };
}
const dispatched = await drawn('dispatch');
const each = await drawn('sample');
const pixels = width * height;
const perPixel = (count) => (count / pixels).toFixed(2);
console.log(`once a pixel: ${perPixel(dispatched.ran)} runs a pixel, ${perPixel(dispatched.sent)} dispatches`);
console.log(`once a sample: ${perPixel(each.ran)} runs a pixel`);
const isSame = dispatched.texels.every((value, i) => value === each.texels[i]);
console.log(`the picture is ${isSame ? 'the same' : 'another'}`);
if (!isSame) process.exitCode = 1;

device.destroy();
try {
  writeFileSync(file, encode({ width, height, data: dispatched.texels, channels: 4 }));
} catch (error) {
  console.error(`The picture ${JSON.stringify(file)} cannot be written: ${error.message}`);
  process.exit(1);
}
console.log(`Wrote ${file}.`);
