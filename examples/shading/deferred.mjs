// node examples/shading/deferred.mjs [deferred.png]
// Deferred shading of boxes and balls under 24 lamps, with four samples per pixel, in two ways. In one pass: the last
// draw call reads the surface attributes by framebuffer fetch (@color) and lights each set of equal samples once. Its
// render targets are discarded, so their contents never leave the tile. In two passes: the first stores the surface
// attributes, and the second loads and lights every sample. Prints the number of lit samples and the bytes of surfaces
// moved. Needs `npm run build`.
import { writeFileSync } from 'node:fs';
import { encode } from 'fast-png';
import { create, globals } from 'rasterloom';
import { psnrOf, texelsOf } from '../compare.mjs';

const { GPUBufferUsage, GPUTextureUsage } = globals;
const [file = 'deferred.png'] = process.argv.slice(2);
const width = 640;
const height = 360;
const size = [width, height];
const samples = 4;
const multisample = { count: samples };
const format = 'rgba8unorm';
const depthFormat = 'depth32float';
/** The render targets: albedo, with alpha 1 where there is a surface; octahedral normal, view distance and gloss. */
const SURFACES = ['rgba8unorm', 'rgba16float'];
const LAMPS = 24;

const adapter = await create().requestAdapter();
const device = await adapter.requestDevice({ requiredFeatures: ['fragment-stages', 'statistics'] });
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});

// The camera looks along −z, slightly downwards. Half of the picture's height spans 0.5 units at distance 1.
const VIEW = `
const eye = vec3f(0, 3.2, 9);
const ahead = vec3f(0, -0.3, -0.954);
const above = vec3f(0, 0.954, -0.3);
const halfHeight = 0.5;
const aspect = ${width / height};
fn unfolded(e: vec2f) -> vec3f {
  let n = vec3f(e, 1 - abs(e.x) - abs(e.y));
  let t = max(-n.z, 0);
  return normalize(vec3f(n.xy - select(vec2f(-t), vec2f(t), n.xy >= vec2f()), n.z));
}
fn folded(n: vec3f) -> vec2f {
  let p = n.xy / (abs(n.x) + abs(n.y) + abs(n.z));
  return select((1 - abs(p.yx)) * select(vec2f(-1), vec2f(1), p >= vec2f()), p, n.z >= 0);
}`;

const surfaceModule = device.createShaderModule({
  code: `${VIEW}
struct Seen {
  @builtin(position) position: vec4f,
  @location(0) p: vec3f, @location(1) n: vec3f, @location(2) @interpolate(flat) color: vec4f,
}
fn seen(p: vec3f, n: vec3f, color: vec4f) -> Seen {
  let v = p - eye;
  let away = dot(v, ahead);
  let place = vec2f(v.x / aspect, dot(v, above)) / halfHeight;
  return Seen(vec4f(place, (away - 1) * 40.0 / 39, away), p, n, color);
}
fn hash(n: u32) -> f32 {
  var x = n * 747796405u + 2891336453u;
  x = ((x >> ((x >> 28) + 4)) ^ x) * 277803737u;
  return f32(((x >> 22) ^ x) >> 8) / 16777216;
}
fn colorOf(k: u32) -> vec4f {
  return vec4f(vec3f(hash(k * 8), hash(k * 8 + 1), hash(k * 8 + 2)) * 0.6 + 0.3, 0.2 + 0.8 * hash(k * 8 + 3));
}
fn placeOf(k: u32) -> vec3f { return vec3f((hash(k * 8 + 4) - 0.5) * 14, 0, 5 - hash(k * 8 + 5) * 16); }

@vertex fn ground(@builtin(vertex_index) i: u32) -> Seen {
  let corner = vec2f(f32(array(0, 0, 1, 1, 0, 1)[i]), f32(array(0, 1, 0, 0, 1, 1)[i])) * 2 - 1;
  return seen(vec3f(corner.x * 20, 0, corner.y * 20 - 8), vec3f(0, 1, 0), vec4f(0.42, 0.4, 0.38, 0.3));
}
// Six faces of two triangles.
@vertex fn box(@builtin(vertex_index) i: u32, @builtin(instance_index) k: u32) -> Seen {
  let face = i / 6;
  let side = select(-1.0, 1.0, (face & 1) == 1);
  let across = vec2f(f32(array(0, 1, 0, 0, 1, 1)[i % 6]), f32(array(0, 0, 1, 1, 0, 1)[i % 6])) * 2 - 1;
  let local = vec3f(across.x * side, across.y, side);
  let turned = array(local, local.zxy, local.yzx)[face / 2];
  let n = array(vec3f(0, 0, side), vec3f(side, 0, 0), vec3f(0, side, 0))[face / 2];
  let high = 0.3 + hash(k * 8 + 6) * 0.7;
  return seen(placeOf(k) + vec3f(0, high, 0) + turned * vec3f(0.35, high, 0.35), n, colorOf(k));
}
// Rings of 24 × 12 patches.
@vertex fn ball(@builtin(vertex_index) i: u32, @builtin(instance_index) k: u32) -> Seen {
  let patch_ = i / 6;
  let u = f32(patch_ % 24 + array(0u, 1, 0, 0, 1, 1)[i % 6]) * (6.2831853 / 24);
  let v = f32(patch_ / 24 + array(0u, 0, 1, 1, 0, 1)[i % 6]) * (3.1415927 / 12);
  let n = vec3f(sin(v) * cos(u), cos(v), sin(v) * sin(u));
  let radius = 0.25 + hash(k * 8 + 6) * 0.35;
  return seen(placeOf(k) + vec3f(0, radius, 0) + n * radius, n, colorOf(k));
}
struct Surface { @location(0) albedo: vec4f, @location(1) shape: vec4f }
@fragment fn surface(v: Seen) -> Surface {
  let squares = f32((i32(floor(v.p.x)) + i32(floor(v.p.z))) & 1) * f32(v.p.y < 0.001);
  return Surface(vec4f(v.color.rgb * (1 - 0.4 * squares), 1),
    vec4f(folded(normalize(v.n)), dot(v.p - eye, ahead), v.color.a));
}`,
});

/** Lights a sample that contains a surface. */
const LIT = `${VIEW}
struct Lamp { place: vec3f, power: f32, color: vec3f }
@group(0) @binding(0) var<uniform> lamps: array<Lamp, ${LAMPS}>;
@vertex fn whole(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
}
fn lit(pixel: vec2f, albedo: vec4f, shape: vec4f) -> vec4f {
  if (albedo.a == 0) { return vec4f(0.03, 0.04, 0.07, 1); }
  let q = (pixel / vec2f(${width / 2}, ${-height / 2}) + vec2f(-1, 1)) * halfHeight;
  let ray = ahead + vec3f(q.x * aspect, 0, 0) + above * q.y;
  let p = eye + ray * shape.z;
  let n = unfolded(shape.xy);
  let look = normalize(-ray);
  var light = albedo.rgb * (0.06 + 0.04 * n.y);
  for (var i = 0; i < ${LAMPS}; i++) {
    let way = lamps[i].place - p;
    let square = dot(way, way);
    let l = way * inverseSqrt(square);
    let halfway = max(dot(n, normalize(l + look)), 0);
    let shine = pow(halfway, 8 + 80 * shape.w) * shape.w;
    light += lamps[i].color * (lamps[i].power / (0.3 + square)) * max(dot(n, l), 0) * (albedo.rgb + shine);
  }
  return vec4f(sqrt(light / (light + 0.6) * 1.3), 1);
}`;
const onePassModule = device.createShaderModule({
  code: `enable fragment_stages; ${LIT}
// Position is the pixel's: what is lit differs between samples by what they hold alone.
@fragment fn light(
  @builtin(position) position: vec4f, @color(0) albedo: vec4f, @color(1) shape: vec4f
) -> @location(2) vec4f { return lit(position.xy, albedo, shape); }`,
});
const twoPassModule = device.createShaderModule({
  code: `${LIT}
@group(0) @binding(1) var albedo: texture_multisampled_2d<f32>;
@group(0) @binding(2) var shape: texture_multisampled_2d<f32>;
@fragment fn light(@builtin(position) position: vec4f, @builtin(sample_index) i: u32) -> @location(0) vec4f {
  let at = vec2u(position.xy);
  return lit(floor(position.xy) + 0.5, textureLoad(albedo, at, i), textureLoad(shape, at, i));
}`,
});

const { RENDER_ATTACHMENT, TEXTURE_BINDING, COPY_SRC } = GPUTextureUsage;
const target = (label, of, sampleCount, usage = 0) =>
  device.createTexture({ label, size, format: of, sampleCount, usage: RENDER_ATTACHMENT | usage });
const hash = (n) => {
  const x = Math.sin(n * 12.9898) * 43758.5453;
  return x - Math.floor(x);
};
const lamps = device.createBuffer({ size: LAMPS * 32, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
device.queue.writeBuffer(
  lamps,
  0,
  new Float32Array(
    Array.from({ length: LAMPS }, (_, i) => [
      (hash(i) - 0.5) * 14,
      0.5 + 1.5 * hash(i + 50),
      5 - hash(i + 100) * 15,
      1.6,
      0.4 + 0.6 * hash(i + 150),
      0.4 + 0.6 * hash(i + 200),
      0.4 + 0.6 * hash(i + 250),
      0,
    ]).flat()
  )
);

/**
 * Draws the surfaces. `more` lists the formats of the render targets after those of SURFACES; this leaves them
 * unchanged.
 */
function drawSurfaces(pass, more) {
  for (const [entryPoint, vertices, instances, first] of [
    ['ground', 6, 1, 0],
    ['box', 36, 40, 1],
    ['ball', 24 * 12 * 6, 50, 60],
  ]) {
    pass.setPipeline(
      device.createRenderPipeline({
        layout: 'auto',
        vertex: { module: surfaceModule, entryPoint },
        multisample,
        fragment: {
          module: surfaceModule,
          targets: [
            ...SURFACES.map((each) => ({ format: each })),
            ...more.map((each) => ({ format: each, writeMask: 0 })),
          ],
        },
        depthStencil: { format: depthFormat, depthCompare: 'less', depthWriteEnabled: true },
      })
    );
    pass.draw(vertices, instances, 0, first);
  }
}
function drawLight(pass, pipeline, textures) {
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [{ buffer: lamps }, ...textures].map((resource, binding) => ({ binding, resource })),
    })
  );
  pass.draw(3);
}
const attachment = (texture, storeOp, resolveTarget) => ({
  view: texture.createView(),
  loadOp: 'clear',
  storeOp,
  clearValue: [0, 0, 0, 0],
  ...(resolveTarget ? { resolveTarget: resolveTarget.createView() } : {}),
});
const depthAttachment = () => ({
  view: target('depth', depthFormat, samples).createView(),
  depthLoadOp: 'clear',
  depthClearValue: 1,
  depthStoreOp: 'discard',
});

/** Without `lights`, draws the surfaces only. */
function onePass(surfaces, picture, lights = true) {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [
      ...surfaces.map((texture) => attachment(texture, 'discard')),
      attachment(target('light', format, samples), 'discard', picture),
    ],
    depthStencilAttachment: depthAttachment(),
  });
  drawSurfaces(pass, [format]);
  if (lights)
    drawLight(
      pass,
      device.createRenderPipeline({
        layout: 'auto',
        vertex: { module: onePassModule },
        multisample,
        fragment: {
          module: onePassModule,
          targets: [...SURFACES.map((each) => ({ format: each, writeMask: 0 })), { format }],
        },
        depthStencil: { format: depthFormat, depthCompare: 'always', depthWriteEnabled: false },
      }),
      []
    );
  pass.end();
  device.queue.submit([encoder.finish()]);
}
function twoPasses(surfaces, picture) {
  const encoder = device.createCommandEncoder();
  const filling = encoder.beginRenderPass({
    colorAttachments: surfaces.map((texture) => attachment(texture, 'store')),
    depthStencilAttachment: depthAttachment(),
  });
  drawSurfaces(filling, []);
  filling.end();
  const lighting = encoder.beginRenderPass({
    colorAttachments: [attachment(target('light', format, samples), 'discard', picture)],
  });
  drawLight(
    lighting,
    device.createRenderPipeline({
      layout: 'auto',
      vertex: { module: twoPassModule },
      fragment: { module: twoPassModule, targets: [{ format }] },
      multisample,
    }),
    surfaces.map((texture) => texture.createView())
  );
  lighting.end();
  device.queue.submit([encoder.finish()]);
}

const number = (value) => value.toLocaleString('en-US');
const every = width * height * samples;
const pictures = [];
const moved = [];
const lit = [number(every)];
for (const [name, draw, usage] of [
  ['one pass', onePass, 0],
  ['two passes', twoPasses, TEXTURE_BINDING],
]) {
  const surfaces = SURFACES.map((each, i) => target(`${name}, surface ${i}`, each, samples, usage));
  const picture = target(`${name}, picture`, format, 1, COPY_SRC);
  const before = device.statistics().counters;
  draw(surfaces, picture);
  pictures.push(await texelsOf(device, picture));
  const { counters, surfaces: all } = device.statistics();
  const counted = all.filter(({ label }) => label.includes(`"${name}, surface `));
  if (counted.length !== SURFACES.length) throw new Error(`the statistics have ${counted.length} surfaces of ${name}`);
  moved.push(counted.reduce((sum, { bytesMoved }) => sum + bytesMoved, 0));
  if (draw !== onePass) continue;
  // Subtract the lanes that shade the surfaces, so that only the lighting is counted.
  draw(surfaces, picture, false);
  await device.queue.onSubmittedWorkDone();
  const alone = device.statistics().counters.lanesShaded - counters.lanesShaded;
  lit.unshift(`${number(counters.lanesShaded - before.lanesShaded - alone)} sets`);
}
['one pass', 'two passes'].forEach((name, way) =>
  console.log(
    `${name.padEnd(10)}  lit ${lit[way]} of ${number(every)} samples; ${number(moved[way])} bytes of surfaces moved`
  )
);
console.log(`Of each other, the pictures are ${psnrOf(...pictures).toFixed(1)} dB.`);
try {
  writeFileSync(file, encode({ width, height, channels: 4, data: pictures[0] }));
} catch (error) {
  console.error(`The picture ${JSON.stringify(file)} cannot be written: ${error.message}`);
  process.exit(1);
}
console.log(`Wrote ${file}.`);
device.destroy();
