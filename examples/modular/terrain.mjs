// node examples/modular/terrain.mjs [terrain.png]
// A terrain of 24 × 24 patches with tessellation by distance. The control stage chooses the tessellation levels. The
// evaluation stage displaces every vertex by the height in a texture. On the right, the second draw call also enables a
// geometry stage that outlines the triangles. Needs `npm run build`.
import { writeFileSync } from 'node:fs';
import { encode } from 'fast-png';
import { create, globals } from 'rasterloom';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;
const [file = 'terrain.png'] = process.argv.slice(2);
const width = 640;
const height = 320;
const size = [width, height];
const split = 400;
const multisample = { count: 4 };
const format = 'rgba8unorm';
const depthFormat = 'depth24plus';
const patches = 24;
const texels = 512;

const adapter = await create().requestAdapter();
const device = await adapter.requestDevice({ requiredFeatures: ['modular-pipelines'] });
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});

const module = device.createShaderModule({
  code: `
  enable modular_pipelines;

  struct Camera { matrix: mat4x4f, eye: vec3f }
  @group(0) @binding(0) var<uniform> camera: Camera;
  @group(0) @binding(1) var heights: texture_2d<f32>;

  fn heightAt(at: vec2f) -> f32 {
    let texel = clamp(at, vec2f(0), vec2f(1)) * ${texels - 1};
    let i = vec2i(texel);
    let f = fract(texel);
    let low = mix(textureLoad(heights, i, 0).x, textureLoad(heights, i + vec2i(1, 0), 0).x, f.x);
    let high = mix(textureLoad(heights, i + vec2i(0, 1), 0).x, textureLoad(heights, i + vec2i(1, 1), 0).x, f.x);
    return mix(low, high, f.y);
  }

  struct Corner { @location(0) at: vec2f }
  @vertex fn corner(@builtin(vertex_index) i: u32) -> Corner {
    return Corner(vec2f(vec2u(i % ${patches + 1}, i / ${patches + 1})) / ${patches});
  }

  // An edge has the level that its middle is near for, whichever patch asks: so neighbours meet.
  fn levelOf(a: vec2f, b: vec2f) -> f32 {
    let middle = (a + b) / 2;
    return 3 / distance(vec3f(middle.x, heightAt(middle), middle.y), camera.eye);
  }
  struct Levels { @builtin(tess_outer) outer: vec4f, @builtin(tess_inner) inner: vec2f }
  @tess_control fn cut(p: array<Corner, 4>) -> Levels {
    let outer = vec4f(
      levelOf(p[3].at, p[0].at), levelOf(p[0].at, p[1].at), levelOf(p[1].at, p[2].at), levelOf(p[2].at, p[3].at)
    );
    return Levels(outer, vec2f(outer.y + outer.w, outer.x + outer.z) / 2);
  }

  struct Place { @location(0) p: vec3f }
  @tess_evaluation fn lift(p: array<Corner, 4>, @builtin(tess_coord) uv: vec3f) -> Place {
    let at = mix(mix(p[0].at, p[1].at, uv.x), mix(p[3].at, p[2].at, uv.x), uv.y);
    return Place(vec3f(at.x, heightAt(at), at.y));
  }

  // A little nearer than the triangle, so that they hide nothing of each other.
  @geometry fn outline(v: array<Place, 3>) {
    for (var k = 0; k < 4; k++) { emitVertex(Place(mix(v[k % 3].p, camera.eye, 0.006))); }
  }

  struct Seen { @builtin(position) position: vec4f, @location(0) p: vec3f }
  @vertex fn look(v: Place) -> Seen { return Seen(camera.matrix * vec4f(v.p, 1), v.p); }

  const sea = 0.035;
  fn sky(down: f32) -> vec3f { return mix(vec3f(0.93, 0.89, 0.82), vec3f(0.5, 0.66, 0.84), clamp(1 - down, 0, 1)); }
  @fragment fn shade(v: Seen) -> @location(0) vec4f {
    let step = 1.0 / ${texels};
    let slope = vec2f(
      heightAt(v.p.xz + vec2f(step, 0)) - heightAt(v.p.xz - vec2f(step, 0)),
      heightAt(v.p.xz + vec2f(0, step)) - heightAt(v.p.xz - vec2f(0, step)),
    ) / (2 * step);
    let n = normalize(vec3f(-slope.x, 1, -slope.y));
    let sun = normalize(vec3f(-0.65, 0.55, 0.1));
    let steep = 1 - n.y;
    var ground = mix(vec3f(0.76, 0.7, 0.5), vec3f(0.3, 0.42, 0.16), smoothstep(sea, sea + 0.012, v.p.y));
    ground = mix(ground, vec3f(0.42, 0.37, 0.32), smoothstep(0.12, 0.26, steep + v.p.y * 0.6));
    ground = mix(ground, vec3f(0.95, 0.96, 1), smoothstep(0.135, 0.155, v.p.y - steep * 0.14));
    let day = max(dot(n, sun), 0) * vec3f(1.25, 1.12, 0.92) + (0.5 + 0.5 * n.y) * vec3f(0.22, 0.28, 0.38);
    var color = ground * day;
    if (v.p.y <= sea + 1e-4) {
      let glance = normalize(camera.eye - v.p);
      color = mix(vec3f(0.1, 0.27, 0.36), vec3f(0.62, 0.74, 0.84), pow(1 - glance.y, 4));
    }
    let far = distance(v.p, camera.eye);
    return vec4f(mix(sqrt(color), sky(0.7), 1 - exp(-far * far * 0.5)), 1);
  }
  @fragment fn ink(v: Seen) -> @location(0) vec4f { return vec4f(0.04, 0.08, 0.13, 0.6); }
  @vertex fn screen(@builtin(vertex_index) i: u32) -> Seen {
    let at = vec2f(f32(i & 1), f32(i >> 1)) * 4 - 1;
    return Seen(vec4f(at, 1, 1), vec3f(at, 0));
  }
  @fragment fn above(v: Seen) -> @location(0) vec4f { return vec4f(sky(0.9 - v.p.y * 0.8), 1); }
`,
});

// Hills: octaves of smooth noise, ridged at high altitudes and flat below sea level.
const random = (x, y) => {
  let h = Math.imul(x, 374761393) + Math.imul(y, 668265263) + 1013904223;
  h = Math.imul(h ^ (h >>> 13), 1274126177);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
};
const noise = (x, y) => {
  const i = Math.floor(x);
  const j = Math.floor(y);
  const smooth = (f) => f * f * f * (f * (f * 6 - 15) + 10);
  const u = smooth(x - i);
  const v = smooth(y - j);
  return (
    (random(i, j) * (1 - u) + random(i + 1, j) * u) * (1 - v)
    + (random(i, j + 1) * (1 - u) + random(i + 1, j + 1) * u) * v
  );
};
const heightOf = (x, y) => {
  let sum = 0;
  let scale = 0.5;
  let weight = 1;
  for (let octave = 0, f = 3; octave < 7; octave++, f *= 2.03, scale *= 0.5) {
    const ridge = 1 - Math.abs(2 * noise(x * f + 17, y * f + 5) - 1);
    sum += scale * ridge * ridge * weight;
    weight = Math.min(1, ridge * ridge * 1.6);
  }
  return Math.max(0.035, 0.34 * sum * (0.35 + 0.75 * noise(x * 2.3 + 3, y * 2.3 + 8)) - 0.02);
};
const heights = Float32Array.from({ length: texels * texels }, (_, i) =>
  heightOf((i % texels) / texels, Math.floor(i / texels) / texels)
);
const texture = device.createTexture({
  size: [texels, texels],
  format: 'r32float',
  usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
});
device.queue.writeTexture({ texture }, heights, { bytesPerRow: texels * 4 }, [texels, texels]);

// The camera: the columns of its view-projection matrix.
const eye = [0.5, 0.3, 1.12];
const target = [0.5, 0.02, 0.35];
const zoom = 1.5;
const near = 0.02;
const far = 4;
const minus = (a, b) => a.map((value, i) => value - b[i]);
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
const unit = (v) => v.map((value) => value / Math.hypot(...v));
const back = unit(minus(eye, target));
const side = unit([back[2], 0, -back[0]]);
const cross = (a, b) => [1, 2, 0].map((j, i) => a[j] * b[3 - i - j] - a[3 - i - j] * b[j]);
const up = cross(back, side);
const row = (v, factor) => [...v, -dot(v, eye)].map((value) => value * factor);
const depth = row(back, far / (near - far));
depth[3] += (near * far) / (near - far);
const rows = [row(side, (zoom * height) / width), row(up, zoom), depth, row(back, -1)];
const camera = device.createBuffer({ size: 80, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
device.queue.writeBuffer(
  camera,
  0,
  new Float32Array([...[0, 1, 2, 3].flatMap((column) => rows.map((one) => one[column])), ...eye])
);

const corners = [];
for (let y = 0; y < patches; y++)
  for (let x = 0; x < patches; x++) {
    const here = y * (patches + 1) + x;
    corners.push(here, here + 1, here + patches + 2, here + patches + 1);
  }
const indices = device.createBuffer({
  size: corners.length * 2,
  usage: GPUBufferUsage.INDEX | GPUBufferUsage.COPY_DST,
});
device.queue.writeBuffer(indices, 0, new Uint16Array(corners));

const stages = [
  { kind: 'vertex', module, entryPoint: 'corner' },
  { kind: 'tess_control', module, entryPoint: 'cut' },
  { kind: 'tess_evaluation', module, entryPoint: 'lift', domain: 'quads', spacing: 'fractional-odd', maxLevel: 32 },
  { kind: 'geometry', module, entryPoint: 'outline', topology: 'line-strip', maxVertices: 4, enabled: false },
  { kind: 'vertex', module, entryPoint: 'look' },
];
const blend = {
  color: { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' },
  alpha: { srcFactor: 'one', dstFactor: 'one' },
};
const tableOf = (entryPoint, more) =>
  device.createModularPipeline({
    layout: 'auto',
    stages,
    input: { topology: 'patch-list', patchVertices: 4 },
    sinks: [
      {
        raster: {
          multisample,
          depthStencil: { format: depthFormat, depthCompare: 'less-equal', depthWriteEnabled: true },
          fragment: { module, entryPoint, targets: [{ format, ...more }] },
        },
      },
    ],
  });
const shaded = tableOf('shade', {});
const outlined = tableOf('ink', { blend });
const background = device.createRenderPipeline({
  layout: 'auto',
  multisample,
  vertex: { module, entryPoint: 'screen' },
  depthStencil: { format: depthFormat, depthCompare: 'always', depthWriteEnabled: false },
  fragment: { module, entryPoint: 'above', targets: [{ format }] },
});
const groupOf = (table, entries) => device.createBindGroup({ layout: table.getBindGroupLayout(0), entries });
const entries = [
  { binding: 0, resource: { buffer: camera } },
  { binding: 1, resource: texture.createView() },
];

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
  colorAttachments: [{ view: colors, resolveTarget: picture, loadOp: 'clear', storeOp: 'discard' }],
  depthStencilAttachment: { view: depths, depthLoadOp: 'clear', depthClearValue: 1, depthStoreOp: 'discard' },
});
pass.setPipeline(background);
pass.draw(3);
pass.setIndexBuffer(indices, 'uint16');
pass.setPipeline(shaded);
pass.setBindGroup(0, groupOf(shaded, entries));
pass.drawIndexed(corners.length);
// Draw the same patches again, as lines.
pass.setPipeline(outlined);
pass.setStageEnabled(3, true);
pass.setBindGroup(0, groupOf(outlined, entries));
pass.setScissorRect(split, 0, width - split, height);
pass.drawIndexed(corners.length);
pass.end();
encoder.copyTextureToBuffer({ texture: picture }, { buffer, bytesPerRow: width * 4 }, size);
device.queue.submit([encoder.finish()]);
await buffer.mapAsync(GPUMapMode.READ);
writeFileSync(file, encode({ width, height, channels: 4, data: new Uint8Array(buffer.getMappedRange()) }));
console.log(`Wrote ${file}.`);
device.destroy();
