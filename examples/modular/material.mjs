// node examples/modular/material.mjs [material.png] [--stats]
// A shader with eight options as a table: each option is a fragment stage in a slot. The picture has all 256 choices.
// Every stage is compiled once, and no pipeline is created for a choice. Needs `npm run build`.
import { readFileSync, writeFileSync } from 'node:fs';
import { create, createCanvas } from 'rasterloom';
import { printStatistics } from './statistics.mjs';

const words = process.argv.slice(2);
const [file = 'material.png'] = words.filter((word) => word !== '--stats');
const hasStatistics = words.includes('--stats');
const SIDE = 16;
const format = 'rgba8unorm';

const adapter = await create().requestAdapter();
const device = await adapter.requestDevice({
  requiredFeatures: ['modular-pipelines', 'fragment-stages', ...(hasStatistics ? ['statistics'] : [])],
});
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});
const code = readFileSync(new URL('material.wgsl', import.meta.url), 'utf8');
const module = device.createShaderModule({ code });
const canvas = createCanvas(SIDE * 40, SIDE * 40);
const context = canvas.getContext('webgpu');
context.configure({ device, format });

const pixel = (entryPoint, more) => ({ kind: 'pixel', module, entryPoint, ...more });
const option = (entryPoint, more) => pixel(entryPoint, { enabled: false, ...more });
const stages = [
  { kind: 'vertex', module },
  pixel('surface'),
  option('checks'),
  option('rings'),
  option('bumps'),
  pixel('lamp'),
  option('lamp', { constants: { lampX: 0.9, lampY: -0.4, red: 0.2, blue: 1.4 } }),
  option('gloss'),
  option('rim'),
  option('film'),
  pixel('shade'),
  option('fog'),
  pixel('show'),
];
const material = device.createModularPipeline({
  layout: 'auto',
  input: { topology: 'triangle-strip' },
  stages,
  sinks: [{ raster: { fragment: { targets: [{ format }] } } }],
});
const options = stages.flatMap(({ enabled }, slot) => (enabled === false ? [slot] : []));

const encoder = device.createCommandEncoder();
const pass = encoder.beginRenderPass({
  colorAttachments: [{ view: context.getCurrentTexture().createView(), loadOp: 'clear', storeOp: 'store' }],
});
pass.setPipeline(material);
for (let choice = 0; choice < 1 << options.length; choice++) {
  options.forEach((slot, i) => pass.setStageEnabled(slot, ((choice >> i) & 1) === 1));
  pass.draw(4, 1, 0, choice);
}
pass.end();
device.queue.submit([encoder.finish()]);
writeFileSync(file, await canvas.toPNG());
if (hasStatistics) printStatistics(material);
console.log(`Wrote ${file}.`);
