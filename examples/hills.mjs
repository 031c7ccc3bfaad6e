// node examples/hills.mjs [hills.png] [--frames 4] [--size 960x540]
// Flies low over the land of map.mjs, with hills. The mesh surrounds the camera, and its vertices read heights from a
// second streamed texture, at the mip level that matches their spacing. The textures have 39 GB of texels with their
// mip levels and use less than 128 MB of device memory. Writes the last picture and prints the cost of each frame.
// Needs `npm run build`.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { encode } from 'fast-png';
import { create, globals } from 'rasterloom';
import { texelsOf } from './compare.mjs';
import { colorPage, heightPage, LEVELS, PAGE, SIDE, STEEPNESS } from './land.mjs';

const { GPUBufferUsage, GPUTextureUsage } = globals;
const {
  positionals: [file = 'hills.png'],
  values,
} = parseArgs({
  allowPositionals: true,
  options: { frames: { type: 'string', default: '4' }, size: { type: 'string', default: '960x540' } },
});
const frames = Number(values.frames);
const size = values.size.split('x').map(Number);
const format = 'rgba8unorm';
const ACROSS = 320;
const AWAY = 360;

const adapter = await create({ memoryBudget: 120e6, budgets: { arenaBytes: 24e6 } }).requestAdapter();
const device = await adapter.requestDevice({
  requiredFeatures: ['streamed-textures', 'statistics', 'float32-filterable'],
});
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});

const streamed = (label, of, loadPage, budget) =>
  device.createTexture({
    label,
    size: [SIDE, SIDE],
    format: of,
    mipLevelCount: LEVELS,
    usage: GPUTextureUsage.TEXTURE_BINDING,
    stream: { loadPage, pageSize: PAGE, maxConcurrentLoads: 16, budget },
  });
const map = streamed('map', format, colorPage, 30e6);
const heights = streamed('heights', 'r32float', heightPage, 16e6);

const module = device.createShaderModule({
  code: `
struct Flight { eye: vec3f, aspect: f32, ahead: vec3f, right: vec3f, above: vec3f }
@group(0) @binding(0) var map: texture_2d<f32>;
@group(0) @binding(1) var heights: texture_2d<f32>;
@group(0) @binding(2) var linear: sampler;
@group(0) @binding(3) var<uniform> flight: Flight;
struct Seen { @builtin(position) position: vec4f, @location(0) at: vec2f, @location(1) away: f32 }
@vertex fn vs(@builtin(vertex_index) i: u32) -> Seen {
  let across = f32(i % ${ACROSS + 1}u) / ${ACROSS} - 0.5;
  let row = f32(i / ${ACROSS + 1}u) / ${AWAY};
  // Rows lie the further apart the further they are away.
  let away = 0.0004 * pow(1200.0, row);
  let ahead = normalize(flight.ahead.xy);
  let at = flight.eye.xy + away * (ahead + 3.2 * across * vec2f(ahead.y, -ahead.x));
  let level = log2(away * 3.2 / ${ACROSS} * ${SIDE});
  let height = textureSampleLevel(heights, linear, at, level).x * ${STEEPNESS};
  let seen = vec3f(at, height) - flight.eye;
  let depth = dot(seen, flight.ahead);
  let plane = vec2f(dot(seen, flight.right) / flight.aspect, dot(seen, flight.above)) / 0.6;
  return Seen(vec4f(plane, depth - 0.0001, depth), at, away);
}
@fragment fn fs(seen: Seen) -> @location(0) vec4f {
  let color = textureSample(map, linear, seen.at).rgb;
  return vec4f(mix(color, vec3f(0.75, 0.83, 0.92), 1 - exp(-seen.away * 7)), 1);
}`,
});
const pipeline = device.createRenderPipeline({
  layout: 'auto',
  vertex: { module },
  fragment: { module, targets: [{ format }] },
  depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'less' },
});

/** Indices of the squares between the vertices. */
const indices = new Uint32Array(ACROSS * AWAY * 6);
for (let row = 0, at = 0; row < AWAY; row++)
  for (let column = 0; column < ACROSS; column++, at += 6) {
    const a = row * (ACROSS + 1) + column;
    const b = a + ACROSS + 1;
    indices.set([a, a + 1, b, b, a + 1, b + 1], at);
  }
const indexBuffer = device.createBuffer({
  size: indices.byteLength,
  usage: GPUBufferUsage.INDEX | GPUBufferUsage.COPY_DST,
});
device.queue.writeBuffer(indexBuffer, 0, indices);

const uniforms = device.createBuffer({ size: 64, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
const sampler = device.createSampler({
  magFilter: 'linear',
  minFilter: 'linear',
  mipmapFilter: 'linear',
  addressModeU: 'repeat',
  addressModeV: 'repeat',
});
const group = device.createBindGroup({
  layout: pipeline.getBindGroupLayout(0),
  entries: [
    { binding: 0, resource: map.createView() },
    { binding: 1, resource: heights.createView() },
    { binding: 2, resource: sampler },
    { binding: 3, resource: { buffer: uniforms } },
  ],
});
const [target, depth] = [format, 'depth32float'].map((of) =>
  device.createTexture({ size, format: of, usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC })
);

/** The flight: over the hills, while the camera turns. */
function fly(t) {
  const tilt = 0.2;
  const turn = 0.9 + 0.5 * t;
  const eye = [0.405 + 0.01 * t, 0.482 + 0.012 * t, 0.016];
  const ahead = [Math.cos(turn) * Math.cos(tilt), Math.sin(turn) * Math.cos(tilt), -Math.sin(tilt)];
  const right = [Math.sin(turn), -Math.cos(turn), 0];
  const above = [Math.cos(turn) * Math.sin(tilt), Math.sin(turn) * Math.sin(tilt), Math.cos(tilt)];
  return new Float32Array([...eye, size[0] / size[1], ...ahead, 0, ...right, 0, ...above, 0]);
}

for (let frame = 0; frame < frames; frame++) {
  const before = device.statistics().streams;
  const began = performance.now();
  device.queue.writeBuffer(uniforms, 0, fly(frames > 1 ? frame / (frames - 1) : 1));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [
      { view: target.createView(), loadOp: 'clear', storeOp: 'store', clearValue: [0.6, 0.73, 0.88, 1] },
    ],
    depthStencilAttachment: {
      view: depth.createView(),
      depthLoadOp: 'clear',
      depthStoreOp: 'discard',
      depthClearValue: 1,
    },
  });
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.setIndexBuffer(indexBuffer, 'uint32');
  pass.drawIndexed(indices.length);
  pass.end();
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
  const { streams, memory } = device.statistics();
  const more = (name) => streams[name] - before[name];
  console.log(
    `frame ${frame}: ${more('pagesLoaded')} pages came, ${more('pagesEvicted')} went, `
      + `vertices or tiles were put aside ${more('parked')} times; ${Math.round(performance.now() - began)} ms, `
      + `${Math.round(memory.bytesReserved / 1e6)} MB`
  );
}
writeFileSync(file, encode({ width: size[0], height: size[1], channels: 4, data: await texelsOf(device, target) }));
device.destroy();
