// node examples/modular/relief.mjs [relief.png] [--stats]
// Hills that are tessellated and displaced once and drawn in three ways: shaded, with their normals as hairs, and with
// outlines. A geometry stage with triangle adjacency finds the outlines. After the evaluation stage, the modular
// pipeline fans out to three sinks. Needs `npm run build`.
import { writeFileSync } from 'node:fs';
import { encode } from 'fast-png';
import { create, globals } from 'rasterloom';
import { printStatistics } from './statistics.mjs';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;
const words = process.argv.slice(2);
const [file = 'relief.png'] = words.filter((word) => word !== '--stats');
const width = 768;
const height = 384;
const size = [width, height];
const multisample = { count: 4 };
const format = 'rgba8unorm';
const depthFormat = 'depth24plus';
const patches = 10;

const adapter = await create().requestAdapter();
const device = await adapter.requestDevice({ requiredFeatures: ['modular-pipelines'] });
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});

const module = device.createShaderModule({
  code: `
  enable modular_pipelines;

  struct Camera { matrix: mat4x4f, eye: vec3f, pixel: f32 }
  @group(0) @binding(0) var<uniform> camera: Camera;

  fn placeOf(at: vec2f) -> vec3f {
    let hills = sin(at.x * 9 + 1) * cos(at.y * 8) + 0.45 * sin(at.x * 17 + at.y * 13)
      + 0.2 * cos(at.y * 31 - at.x * 11);
    let bowl = smoothstep(0.72, 0.2, distance(at, vec2f(0.5)));
    return vec3f(at.x, 0.075 * (hills + 1) * bowl, at.y);
  }

  struct Corner { @location(0) at: vec2f }
  @vertex fn corner(@builtin(vertex_index) i: u32) -> Corner {
    return Corner(vec2f(vec2u(i % ${patches + 1}, i / ${patches + 1})) / ${patches});
  }
  struct Levels { @builtin(tess_outer) outer: vec4f, @builtin(tess_inner) inner: vec2f }
  @tess_control fn cut(p: array<Corner, 4>) -> Levels { return Levels(vec4f(8), vec2f(8)); }

  struct Place { @location(0) p: vec3f, @location(1) n: vec3f, @location(2) at: vec2f }
  @tess_evaluation fn lift(p: array<Corner, 4>, @builtin(tess_coord) uv: vec3f) -> Place {
    let at = mix(mix(p[0].at, p[1].at, uv.x), mix(p[3].at, p[2].at, uv.x), uv.y);
    let e = 0.002;
    let along = placeOf(at + vec2f(e, 0)) - placeOf(at - vec2f(e, 0));
    let across = placeOf(at + vec2f(0, e)) - placeOf(at - vec2f(0, e));
    return Place(placeOf(at), normalize(cross(across, along)), at);
  }

  struct Seen { @builtin(position) position: vec4f, @location(0) p: vec3f, @location(1) n: vec3f }
  @vertex fn look(v: Place) -> Seen { return Seen(camera.matrix * vec4f(v.p, 1), v.p, v.n); }

  // Of every other triangle, its first vertex' normal.
  @geometry fn hair(v: array<Place, 3>) {
    let cell = vec2i(round(v[0].at * ${patches * 8}));
    if (((cell.x | cell.y) & 1) != 0) { return; }
    emitVertex(v[0]);
    emitVertex(Place(v[0].p + v[0].n * 0.03, v[0].n, v[0].at));
  }

  // What is across each edge: where the grid goes on there.
  fn beyond(a: Place, b: Place, c: Place) -> Place {
    let at = a.at + b.at - c.at; return Place(placeOf(at), vec3f(), at);
  }
  @geometry fn surround(v: array<Place, 3>) {
    for (var k = 0; k < 3; k++) {
      emitVertex(v[k]);
      emitVertex(beyond(v[k], v[(k + 1) % 3], v[(k + 2) % 3]));
    }
  }
  fn isSeen(a: Place, b: Place, c: Place) -> bool { return dot(cross(b.p - a.p, c.p - a.p), camera.eye - a.p) < 0; }
  // An edge between a triangle that is seen and one that is not, as wide as a line, a little nearer than the hills.
  @geometry fn outline(v: array<Place, 6>) {
    if (!isSeen(v[0], v[2], v[4])) { return; }
    for (var k = 0; k < 6; k += 2) {
      let a = v[k];
      let b = v[(k + 2) % 6];
      if (isSeen(a, v[k + 1], b)) { continue; }
      let start = camera.matrix * vec4f(mix(a.p, camera.eye, 0.004), 1);
      let end = camera.matrix * vec4f(mix(b.p, camera.eye, 0.004), 1);
      let way = normalize(end.xy / end.w - start.xy / start.w) * vec2f(2, 1);
      let side = vec4f(vec2f(-way.y, way.x) * vec2f(1, 2), 0, 0) * camera.pixel;
      for (var corner = 0; corner < 4; corner++) {
        let here = select(start, end, corner > 1);
        emitVertex(Seen(here + side * here.w * select(-1.0, 1.0, (corner & 1) == 1), a.p, a.n));
      }
      endStrip();
    }
  }

  @fragment fn shade(v: Seen) -> @location(0) vec4f {
    let n = normalize(v.n);
    let light = max(dot(n, normalize(vec3f(-0.6, 0.5, 0.3))), 0) * 0.75 + 0.3 + 0.1 * n.y;
    let ground = mix(vec3f(0.5, 0.62, 0.42), vec3f(0.86, 0.78, 0.62), smoothstep(0.05, 0.17, v.p.y));
    return vec4f(sqrt(ground * light), 1);
  }
  @fragment fn colored(v: Seen) -> @location(0) vec4f { return vec4f(v.n * vec3f(0.5, 0.4, 0.5) + 0.4, 1); }
  @fragment fn ink(v: Seen) -> @location(0) vec4f { return vec4f(0.08, 0.1, 0.16, 1); }
`,
});

// The camera: the columns of its view-projection matrix.
const eye = [0.5, 0.34, 1.35];
const target = [0.5, 0.03, 0.45];
const zoom = 2.05;
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
  new Float32Array([...[0, 1, 2, 3].flatMap((column) => rows.map((one) => one[column])), ...eye, 0.75 / height])
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

const depthStencil = { format: depthFormat, depthCompare: 'less', depthWriteEnabled: true };
const drawnBy = (entryPoint) => ({
  multisample,
  depthStencil,
  fragment: { module, entryPoint, targets: [{ format }] },
});
const table = device.createModularPipeline({
  layout: 'auto',
  input: { topology: 'patch-list', patchVertices: 4 },
  stages: [
    { kind: 'vertex', module, entryPoint: 'corner' },
    { kind: 'tess_control', module, entryPoint: 'cut' },
    { kind: 'tess_evaluation', module, entryPoint: 'lift', domain: 'quads', maxLevel: 8 },
    { kind: 'vertex', module, entryPoint: 'look' },
    { kind: 'geometry', module, entryPoint: 'hair', topology: 'line-strip', maxVertices: 2 },
    { kind: 'vertex', module, entryPoint: 'look' },
    { kind: 'geometry', module, entryPoint: 'surround', topology: 'triangle-list-adjacency', maxVertices: 6 },
    { kind: 'geometry', module, entryPoint: 'outline', topology: 'triangle-strip', maxVertices: 12 },
  ],
  edges: [
    [0, 1],
    [1, 2],
    [2, 3],
    [2, 4],
    [4, 5],
    [2, 6],
    [6, 7],
  ],
  sinks: [
    { from: 3, raster: drawnBy('shade') },
    { from: 5, raster: drawnBy('colored') },
    { from: 7, raster: drawnBy('ink') },
  ],
});

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
    { view: colors, resolveTarget: picture, loadOp: 'clear', clearValue: [0.95, 0.95, 0.93, 1], storeOp: 'discard' },
  ],
  depthStencilAttachment: { view: depths, depthLoadOp: 'clear', depthClearValue: 1, depthStoreOp: 'discard' },
});
pass.setPipeline(table);
pass.setIndexBuffer(indices, 'uint16');
pass.setBindGroup(
  0,
  device.createBindGroup({
    layout: table.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer: camera } }],
  })
);
pass.drawIndexed(corners.length);
pass.end();
encoder.copyTextureToBuffer({ texture: picture }, { buffer, bytesPerRow: width * 4 }, size);
device.queue.submit([encoder.finish()]);
await buffer.mapAsync(GPUMapMode.READ);
writeFileSync(file, encode({ width, height, channels: 4, data: new Uint8Array(buffer.getMappedRange()) }));
console.log(`Wrote ${file}.`);
if (words.includes('--stats')) printStatistics(table);
device.destroy();
