// node examples/map.mjs [map.png] [--frames 8] [--size 960x540]
// Flies over a streamed map of 65 536 × 65 536 texels: 23 GB with mip levels, within 128 MB of device memory. A
// function, in place of a disk or a network, makes each page when a shader first reads it. Writes the last picture and
// prints the cost of each frame. Needs `npm run build`.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { encode } from 'fast-png';
import { create, globals } from 'rasterloom';
import { texelsOf } from './compare.mjs';
import { colorPage, LEVELS, PAGE, SIDE } from './land.mjs';

const { GPUBufferUsage, GPUTextureUsage } = globals;
const {
  positionals: [file = 'map.png'],
  values,
} = parseArgs({
  allowPositionals: true,
  options: { frames: { type: 'string', default: '8' }, size: { type: 'string', default: '960x540' } },
});
const frames = Number(values.frames);
const size = values.size.split('x').map(Number);
const format = 'rgba8unorm';

const adapter = await create({ memoryBudget: 120e6, budgets: { arenaBytes: 24e6 } }).requestAdapter();
const device = await adapter.requestDevice({ requiredFeatures: ['streamed-textures', 'statistics'] });
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});

const map = device.createTexture({
  label: 'map',
  size: [SIDE, SIDE],
  format,
  mipLevelCount: LEVELS,
  usage: GPUTextureUsage.TEXTURE_BINDING,
  stream: { loadPage: colorPage, pageSize: PAGE, maxConcurrentLoads: 16, budget: 64e6 },
});

const module = device.createShaderModule({
  code: `
struct Flight { eye: vec3f, aspect: f32, ahead: vec3f, right: vec3f, above: vec3f }
@group(0) @binding(0) var map: texture_2d<f32>;
@group(0) @binding(1) var linear: sampler;
@group(0) @binding(2) var<uniform> flight: Flight;
struct Seen { @builtin(position) position: vec4f, @location(0) ray: vec3f }
@vertex fn vs(@builtin(vertex_index) i: u32) -> Seen {
  let corner = vec2f(f32(i & 1u), f32(i >> 1u)) * 4 - 1;
  let across = flight.right * corner.x * flight.aspect + flight.above * corner.y;
  return Seen(vec4f(corner, 0, 1), flight.ahead + across * 0.6);
}
@fragment fn fs(seen: Seen) -> @location(0) vec4f {
  let ray = normalize(seen.ray);
  let sky = mix(vec3f(0.75, 0.83, 0.92), vec3f(0.25, 0.45, 0.75), saturate(ray.z * 2.5));
  // The map lies in z = 0, from 0 to 1.
  let away = flight.eye.z / max(1e-4, -ray.z);
  let color = textureSample(map, linear, flight.eye.xy + ray.xy * away).rgb;
  let haze = 1 - exp(-away / (0.02 + flight.eye.z * 24));
  return vec4f(select(mix(color, vec3f(0.75, 0.83, 0.92), haze), sky, ray.z >= -1e-4), 1);
}`,
});
const pipeline = device.createRenderPipeline({
  layout: 'auto',
  vertex: { module },
  fragment: { module, targets: [{ format }] },
});
const uniforms = device.createBuffer({ size: 64, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
const sampler = device.createSampler({
  magFilter: 'linear',
  minFilter: 'linear',
  mipmapFilter: 'linear',
  maxAnisotropy: 8,
  addressModeU: 'repeat',
  addressModeV: 'repeat',
});
const group = device.createBindGroup({
  layout: pipeline.getBindGroupLayout(0),
  entries: [
    { binding: 0, resource: map.createView() },
    { binding: 1, resource: sampler },
    { binding: 2, resource: { buffer: uniforms } },
  ],
});
const target = device.createTexture({
  size,
  format,
  usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
});

/** The flight: from far above down to a few texels above the ground. */
function fly(t) {
  const high = 0.35 * 0.03 ** t;
  const tilt = 0.95 - 0.5 * t;
  const turn = 0.5 + 1.2 * t;
  const ahead = [Math.cos(turn) * Math.cos(tilt), Math.sin(turn) * Math.cos(tilt), -Math.sin(tilt)];
  const right = [Math.sin(turn), -Math.cos(turn), 0];
  const above = [Math.cos(turn) * Math.sin(tilt), Math.sin(turn) * Math.sin(tilt), Math.cos(tilt)];
  const eye = [0.31 + 0.12 * t, 0.4 + 0.1 * t, high];
  return new Float32Array([...eye, size[0] / size[1], ...ahead, 0, ...right, 0, ...above, 0]);
}

for (let frame = 0; frame < frames; frame++) {
  const before = device.statistics();
  const began = performance.now();
  device.queue.writeBuffer(uniforms, 0, fly(frames > 1 ? frame / (frames - 1) : 1));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
  });
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.draw(3);
  pass.end();
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
  const { streams, counters, memory } = device.statistics();
  const more = (name) => streams[name] - before.streams[name];
  console.log(
    `frame ${frame}: ${more('pagesLoaded')} pages came, ${more('pagesEvicted')} went, `
      + `${counters.tilesReplayed - before.counters.tilesReplayed} runs of tiles were thrown away; `
      + `${Math.round(performance.now() - began)} ms, ${Math.round(memory.bytesReserved / 1e6)} MB`
  );
}
writeFileSync(file, encode({ width: size[0], height: size[1], channels: 4, data: await texelsOf(device, target) }));
device.destroy();
