// node examples/modular/modifiers.mjs [modifiers.png] [--stats]
// One mesh and one modular pipeline with a slot for each modifier. Each draw call enables the modifiers that it needs.
// They apply in the order of the slots. Needs `npm run build`.
import { writeFileSync } from 'node:fs';
import { encode } from 'fast-png';
import { create, globals } from 'rasterloom';
import { printStatistics } from './statistics.mjs';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;
const words = process.argv.slice(2);
const [file = 'modifiers.png'] = words.filter((word) => word !== '--stats');
const width = 640;
const height = 184;
const size = [width, height];
const multisample = { count: 4 };
const format = 'rgba8unorm';
const depthFormat = 'depth24plus';

const adapter = await create().requestAdapter();
const device = await adapter.requestDevice({ requiredFeatures: ['modular-pipelines'] });
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});

const module = device.createShaderModule({
  code: `
  enable modular_pipelines;

  // A point of the mesh with two others close by. Whatever stages do to all three, they are where the surface is, so
  // that the last stage finds the normal, and no modifier has to know about it.
  struct Patch { @location(0) p: vec3f, @location(1) u: vec3f, @location(2) v: vec3f, @location(3) at: vec2f }

  // A rounded box on the floor, two high; around it once as at.x goes from 0 to 1, from below to above as at.y does.
  fn rounded(angle: f32, power: f32) -> vec2f {
    let d = vec2f(cos(angle), sin(angle));
    return d * pow(dot(pow(abs(d), vec2f(power)), vec2f(1)), -1 / power);
  }
  fn onBox(at: vec2f) -> vec3f {
    let profile = rounded((at.y - 0.5) * 3.14159, 10);
    return vec3f(rounded(at.x * 6.28319, 5) * profile.x * 0.3, 1 + profile.y).xzy;
  }
  @vertex fn box(@location(0) at: vec2f) -> Patch {
    return Patch(onBox(at), onBox(at + vec2f(0.001, 0)), onBox(at + vec2f(0, 0.001)), at);
  }

  fn inflated(p: vec3f) -> vec3f { return p * vec2f(1 + 0.4 * sin(p.y * 1.5708), 1).xyx; }
  @vertex fn inflate(b: Patch) -> Patch { return Patch(inflated(b.p), inflated(b.u), inflated(b.v), b.at); }

  fn twisted(p: vec3f) -> vec3f {
    let s = sin(p.y * 1.4);
    let c = cos(p.y * 1.4);
    return vec3f(c * p.x - s * p.z, p.y, s * p.x + c * p.z);
  }
  @vertex fn twist(b: Patch) -> Patch { return Patch(twisted(b.p), twisted(b.u), twisted(b.v), b.at); }

  fn waved(p: vec3f) -> vec3f { return p + vec3f(0.16 * sin(p.y * 5), 0, 0); }
  @vertex fn wave(b: Patch) -> Patch { return Patch(waved(b.p), waved(b.u), waved(b.v), b.at); }

  fn bent(p: vec3f) -> vec3f { return vec3f(2.3 - (2.3 - p.x) * cos(p.y / 2.3), (2.3 - p.x) * sin(p.y / 2.3), p.z); }
  @vertex fn bend(b: Patch) -> Patch { return Patch(bent(b.p), bent(b.u), bent(b.v), b.at); }

  // Where the light does not reach the floor. No other output: what the next stage reads besides has its default.
  @vertex fn shadow(@location(0) p: vec3f) -> @location(0) vec3f { return vec3f(p.x + 0.42 * p.y, 0, p.z - 0.5 * p.y); }

  struct Seen {
    @builtin(position) position: vec4f, @location(0) @interpolate(perspective, centroid) normal: vec3f,
    @location(1) @interpolate(perspective, centroid) at: vec2f, @location(2) @interpolate(flat) place: u32,
  }
  @vertex fn look(b: Patch, @builtin(instance_index) place: u32) -> Seen {
    let p = b.p + vec3f(f32(place) * 1.36 - 4.42, -0.88, 0);
    let s = sin(0.35);
    let c = cos(0.35);
    let eye = vec3f(p.x, c * p.y - s * p.z, c * p.z + s * p.y - 14);
    let position = vec4f(eye.xy * 2.8 * vec2f(1, ${width / height}), -eye.z * 1.25 - 12.5, -eye.z);
    return Seen(position, cross(b.v - b.p, b.u - b.p), b.at, place);
  }

  @fragment fn light(seen: Seen) -> @location(0) vec4f {
    if (dot(seen.normal, seen.normal) == 0) { return vec4f(0.74, 0.72, 0.7, 1); } // a shadow
    let n = normalize(seen.normal);
    let stripe = abs(fract(seen.at.x * 8) - 0.5) * 4 - 1;
    let pigment = 0.55 + 0.45 * cos(f32(seen.place) * 0.8 + vec3f(0.2, 2.2, 4.2));
    let color = mix(pigment, vec3f(0.95), smoothstep(-0.12, 0.12, stripe));
    let day = max(dot(n, normalize(vec3f(-0.5, 1, 0.45))), 0);
    let sky = 0.5 + 0.5 * n.y;
    let shine = pow(max(dot(n, normalize(vec3f(-0.5, 1.35, 1.4))), 0), 60);
    return vec4f(sqrt(color * color * (0.3 * sky + 0.16 + 0.75 * day)) + 0.25 * shine, 1);
  }`,
});

// Stages that every draw call runs are enabled here. Each draw call enables the modifiers between them.
const slots = ['box', 'inflate', 'twist', 'wave', 'bend', 'shadow', 'look'];
const pipeline = device.createModularPipeline({
  layout: 'auto',
  input: { buffers: [{ arrayStride: 8, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x2' }] }] },
  stages: slots.map((entryPoint) => ({
    kind: 'vertex',
    module,
    entryPoint,
    enabled: entryPoint === 'box' || entryPoint === 'look',
  })),
  sinks: [
    {
      raster: {
        depthStencil: { format: depthFormat, depthCompare: 'less', depthWriteEnabled: true },
        multisample,
        fragment: { module, targets: [{ format }] },
      },
    },
  ],
});
const pictured = [
  [],
  ['inflate'],
  ['twist'],
  ['wave'],
  ['bend'],
  ['twist', 'bend'],
  ['inflate', 'twist', 'wave', 'bend'],
];

// A grid: points of the unit square, with two triangles per cell.
const columns = 64;
const rows = 48;
const points = [];
const corners = [];
for (let row = 0; row <= rows; row++)
  for (let column = 0; column <= columns; column++) {
    points.push(column / columns, row / rows);
    if (row === rows || column === columns) continue;
    const here = row * (columns + 1) + column;
    const above = here + columns + 1;
    corners.push(here, above, here + 1, here + 1, above, above + 1);
  }
const bufferOf = (data, usage) => {
  const buffer = device.createBuffer({ size: data.byteLength, usage: usage | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(buffer, 0, data);
  return buffer;
};
const vertices = bufferOf(new Float32Array(points), GPUBufferUsage.VERTEX);
const indices = bufferOf(new Uint16Array(corners), GPUBufferUsage.INDEX);

const { RENDER_ATTACHMENT, COPY_SRC } = GPUTextureUsage;
const sampleCount = multisample.count;
const colors = device.createTexture({ size, format, sampleCount, usage: RENDER_ATTACHMENT });
const depths = device.createTexture({ size, format: depthFormat, sampleCount, usage: RENDER_ATTACHMENT });
const picture = device.createTexture({ size, format, usage: RENDER_ATTACHMENT | COPY_SRC });
const buffer = device.createBuffer({
  size: width * height * 4,
  usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
});

const encoder = device.createCommandEncoder();
const pass = encoder.beginRenderPass({
  colorAttachments: [
    { view: colors, resolveTarget: picture, loadOp: 'clear', storeOp: 'discard', clearValue: [0.87, 0.86, 0.84, 1] },
  ],
  depthStencilAttachment: { view: depths, depthLoadOp: 'clear', depthClearValue: 1, depthStoreOp: 'discard' },
});
pass.setVertexBuffer(0, vertices);
pass.setIndexBuffer(indices, 'uint16');
for (const [place, modifiers] of pictured.entries())
  for (const more of [[], ['shadow']]) {
    pass.setPipeline(pipeline); // resets the enabled stages
    for (const name of [...modifiers, ...more]) pass.setStageEnabled(slots.indexOf(name), true);
    pass.drawIndexed(corners.length, 1, 0, 0, place);
  }
pass.end();
// bytesPerRow must be a multiple of 256
encoder.copyTextureToBuffer({ texture: picture }, { buffer, bytesPerRow: width * 4 }, size);
device.queue.submit([encoder.finish()]);

await buffer.mapAsync(GPUMapMode.READ);
writeFileSync(file, encode({ width, height, channels: 4, data: new Uint8Array(buffer.getMappedRange()) }));
console.log(`Wrote ${file}.`);
if (words.includes('--stats')) printStatistics(pipeline);
device.destroy();
