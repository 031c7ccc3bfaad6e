// node examples/map.mjs [map.png] [--frames 8]
// Flies over a map of 65 536 × 65 536 texels, 23 GB with its levels, within 128 MB: pages of it are made when the
// picture reads them, by a function in place of a disk or a network. Writes the last picture, and prints what each
// frame took. Needs `npm run build`.
import { writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { encode } from 'fast-png';
import { create, globals } from 'rasterloom';
import { texelsOf } from './compare.mjs';

const { GPUBufferUsage, GPUTextureUsage } = globals;
const { positionals: [file = 'map.png'], values } = parseArgs({
  allowPositionals: true, options: { frames: { type: 'string', default: '8' } },
});
const frames = Number(values.frames), size = [960, 540], format = 'rgba8unorm', SIDE = 65536, LEVELS = 17;

const adapter = await create({ memoryBudget: 128e6 }).requestAdapter();
const device = await adapter.requestDevice({ requiredFeatures: ['streamed-textures', 'statistics'] });
device.addEventListener('uncapturederror', ({ error }) => { console.error(error.message); process.exitCode = 1; });

/** A number from 0 to 1 at a point of a grid. */
function noiseAt(x, y, seed) {
  let hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b) ^ Math.imul(seed, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 8) / 0x1000000;
}

/** Noise between the points of a grid of so many texels of the first level, which repeats at the map's edge. */
function smooth(x, y, cell) {
  const u = x / cell, v = y / cell, i = Math.floor(u), j = Math.floor(v), most = SIDE / cell;
  const fade = (t) => t * t * (3 - 2 * t), s = fade(u - i), t = fade(v - j), i1 = (i + 1) % most, j1 = (j + 1) % most;
  const upper = noiseAt(i, j, cell) * (1 - s) + noiseAt(i1, j, cell) * s;
  return upper * (1 - t) + (noiseAt(i, j1, cell) * (1 - s) + noiseAt(i1, j1, cell) * s) * t;
}

/** Height at a texel of a level: no finer than the level is. */
function heightAt(x, y, level) {
  let height = 0, weight = 0.5;
  for (let cell = SIDE / 8; cell >= Math.max(8, 2 << level); cell >>= 1, weight *= 0.55)
    height += (smooth(x, y, cell) - 0.5) * weight;
  return height;
}

const RAMP = [
  [-0.4, 18, 44, 92], [-0.03, 38, 104, 150], [0, 206, 190, 140], [0.02, 92, 138, 66], [0.14, 60, 104, 52],
  [0.22, 120, 108, 92], [0.3, 160, 152, 146], [0.36, 244, 246, 250], [1, 255, 255, 255],
];
function colorAt(height) {
  const next = RAMP.findIndex(([from]) => from > height), [a, ...low] = RAMP[Math.max(0, next - 1)];
  const [b, ...high] = RAMP[Math.max(0, next)], t = Math.min(1, Math.max(0, (height - a) / Math.max(1e-6, b - a)));
  return low.map((value, c) => value + (high[c] - value) * t);
}

/** A page: 128 × 128 texels of a level. */
async function loadPage(level, x, y) {
  // A source on a disk or a network would answer later.
  await wait(2);
  const side = Math.min(128, SIDE >> level), bytes = new Uint8Array(side * side * 4), step = 1 << level;
  const heights = new Float32Array((side + 1) * (side + 1));
  for (let row = 0; row <= side; row++)
    for (let column = 0; column <= side; column++)
      heights[row * (side + 1) + column] =
        heightAt(((x * 128 + column) * step) % SIDE, ((y * 128 + row) * step) % SIDE, level);
  for (let row = 0; row < side; row++)
    for (let column = 0; column < side; column++) {
      const at = row * (side + 1) + column, height = heights[at];
      const slope = (height - heights[at + side + 2]) * 900 / step;
      const light = height < 0 ? 1 : Math.min(1.35, Math.max(0.45, 1 + slope));
      bytes.set([...colorAt(height).map((value) => Math.min(255, value * light)), 255], (row * side + column) * 4);
    }
  return bytes;
}

const map = device.createTexture({
  label: 'map', size: [SIDE, SIDE], format, mipLevelCount: LEVELS, usage: GPUTextureUsage.TEXTURE_BINDING,
  stream: { loadPage, pageSize: 128, outstanding: 16, budget: 48e6 },
});

const module = device.createShaderModule({ code: `
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
}` });
const pipeline = device.createRenderPipeline({
  layout: 'auto', vertex: { module }, fragment: { module, targets: [{ format }] },
});
const uniforms = device.createBuffer({ size: 64, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
const sampler = device.createSampler({
  magFilter: 'linear', minFilter: 'linear', mipmapFilter: 'linear', maxAnisotropy: 8, addressModeU: 'repeat',
  addressModeV: 'repeat',
});
const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [
  { binding: 0, resource: map.createView() }, { binding: 1, resource: sampler },
  { binding: 2, resource: { buffer: uniforms } },
] });
const target = device.createTexture({
  size, format, usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
});

/** From far above, down to a few texels above the ground. */
function fly(t) {
  const high = 0.35 * 0.03 ** t, tilt = 0.95 - 0.5 * t, turn = 0.5 + 1.2 * t;
  const ahead = [Math.cos(turn) * Math.cos(tilt), Math.sin(turn) * Math.cos(tilt), -Math.sin(tilt)];
  const right = [Math.sin(turn), -Math.cos(turn), 0];
  const above = [Math.cos(turn) * Math.sin(tilt), Math.sin(turn) * Math.sin(tilt), Math.cos(tilt)];
  const eye = [0.31 + 0.12 * t, 0.4 + 0.1 * t, high];
  return new Float32Array([...eye, size[0] / size[1], ...ahead, 0, ...right, 0, ...above, 0]);
}

for (let frame = 0; frame < frames; frame++) {
  const before = device.statistics(), began = performance.now();
  device.queue.writeBuffer(uniforms, 0, fly(frames > 1 ? frame / (frames - 1) : 1));
  const encoder = device.createCommandEncoder(), pass = encoder.beginRenderPass({
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
    `frame ${frame}: ${more('pagesLoaded')} pages came, ${more('pagesEvicted')} went, ${counters.tilesAgain - before.counters.tilesAgain} runs of tiles were thrown away; ${Math.round(performance.now() - began)} ms, ${Math.round(memory.bytesReserved / 1e6)} MB`
  );
}
writeFileSync(file, encode({ width: size[0], height: size[1], channels: 4, data: await texelsOf(device, target) }));
device.destroy();
