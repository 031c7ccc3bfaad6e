// node examples/modular/lines.mjs [lines.png] [--stats]
// Wide lines with mitred joins, dashes and discs, which WebGPU does not offer. Geometry stages turn lists of lines into
// triangles. All draw calls share one modular pipeline, and each enables the slots that it needs. Needs `npm run
// build`.
import { writeFileSync } from 'node:fs';
import { encode } from 'fast-png';
import { create, globals } from 'rasterloom';
import { printStatistics } from './statistics.mjs';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;
const words = process.argv.slice(2);
const [file = 'lines.png'] = words.filter((word) => word !== '--stats');
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

  // Places are pixels from the middle of a curve; the third number is the depth. Half of the line's width is the
  // vertex's own; along, the curve is as many as it has dashes or discs.
  struct Point { @location(0) p: vec3f, @location(1) half: f32, @location(2) along: f32 }
  @vertex fn load(v: Point) -> Point { return v; }

  // A line with the points before and behind it becomes one that knows how its ends are cut: halfway between its own
  // direction and its neighbour's, so that two lines meet without a gap. A curve that ends repeats its last point.
  struct Joint { @location(0) p: vec3f, @location(1) half: f32, @location(2) along: f32, @location(3) side: vec2f }
  fn leftOf(a: Point, b: Point) -> vec2f { return normalize(a.p.yx - b.p.yx) * vec2f(1, -1); }
  fn joint(v: Point, one: vec2f, other: vec2f) -> Joint {
    let middle = normalize(one + other);
    return Joint(v.p, v.half, v.along, middle / max(dot(middle, one), 0.4)); // a sharp bend does not stick out far
  }
  @geometry fn join(v: array<Point, 4>) {
    let here = leftOf(v[1], v[2]);
    var before = here;
    if (any(v[0].p != v[1].p)) { before = leftOf(v[0], v[1]); }
    var behind = here;
    if (any(v[2].p != v[3].p)) { behind = leftOf(v[2], v[3]); }
    emitVertex(joint(v[1], here, before));
    emitVertex(joint(v[2], here, behind));
  }

  fn between(a: Joint, b: Joint, along: f32) -> Joint {
    let t = (along - a.along) / (b.along - a.along);
    return Joint(mix(a.p, b.p, t), mix(a.half, b.half, t), along, mix(a.side, b.side, t));
  }

  // A line becomes those parts of it that are dashes: none, one, or the end of one and the beginning of another.
  override dash: f32 = 0.6;
  @geometry fn cut(v: array<Joint, 2>) {
    for (var i = floor(v[0].along); i < v[1].along; i += 1) {
      let from_ = max(v[0].along, i);
      let to = min(v[1].along, i + dash);
      if (from_ >= to) { continue; }
      emitVertex(between(v[0], v[1], from_));
      emitVertex(between(v[0], v[1], to));
      endStrip();
    }
  }

  // What is drawn: round is from the middle of a line or disc to its edge, along the picture's axes.
  struct Seen { @location(0) p: vec3f, @location(1) round: vec2f, @location(2) along: f32 }
  @geometry fn widen(v: array<Joint, 2>) {
    for (var i = 0; i < 2; i++) {
      let side = v[i].side;
      emitVertex(Seen(v[i].p + vec3f(side * v[i].half, 0), normalize(side), v[i].along));
      emitVertex(Seen(v[i].p - vec3f(side * v[i].half, 0), -normalize(side), v[i].along));
    }
  }

  // A line becomes a point, where a disc's place is on it, or nothing.
  @geometry fn mark(v: array<Joint, 2>) {
    let at = ceil(v[0].along);
    if (at < v[1].along) { emitVertex(between(v[0], v[1], at)); }
  }
  override corners: u32;
  @geometry fn disc(v: array<Joint, 1>) {
    for (var i = 0u; i < corners; i++) { // from one side to the other and back
      let angle = f32((i + 1) / 2) * select(-1.0, 1.0, i % 2 == 0) * 6.28319 / f32(corners);
      let round = vec2f(cos(angle), sin(angle));
      emitVertex(Seen(v[0].p + vec3f(round * v[0].half, 0), round, v[0].along));
    }
  }

  struct Fragment {
    @builtin(position) position: vec4f, @location(1) round: vec2f, @location(2) along: f32,
    @location(3) @interpolate(flat) place: u32,
  }
  @vertex fn look(v: Seen, @builtin(instance_index) place: u32) -> Fragment {
    let p = v.p.xy + vec2f(80 + 160 * f32(place), 92);
    let size = vec2f(${size});
    return Fragment(vec4f((p * 2 - size) / size, v.p.z, 1), v.round, v.along, place);
  }

  @fragment fn light(v: Fragment) -> @location(0) vec4f {
    let n = vec3f(v.round, sqrt(max(1 - dot(v.round, v.round), 0)));
    let pigment = 0.6 + 0.4 * cos(f32(v.place) * 1.3 + 6.28319 * v.along / 40 + vec3f(0.4, 2.2, 4.0));
    let day = max(dot(n, normalize(vec3f(-0.5, 0.8, 0.6))), 0);
    let shine = pow(max(dot(n, normalize(vec3f(-0.3, 0.5, 1.2))), 0), 40);
    let edge = smoothstep(0.2, 0.45, n.z);
    return vec4f((sqrt(pigment * pigment * (0.25 + 0.9 * day)) + 0.3 * shine) * edge + 0.08 * (1 - edge), 1);
  }`,
});

// Stages that every draw call runs are enabled here. Each draw call enables those that decide how its lines look.
const vertex = { kind: 'vertex', module };
const geometry = { kind: 'geometry', module, enabled: false };
const corners = 32;
const slots = [
  { ...vertex, entryPoint: 'load' },
  { ...geometry, entryPoint: 'join', topology: 'line-strip', maxVertices: 2, enabled: true },
  { ...geometry, entryPoint: 'cut', topology: 'line-strip', maxVertices: 4 },
  { ...geometry, entryPoint: 'widen', topology: 'triangle-strip', maxVertices: 4 },
  { ...geometry, entryPoint: 'mark', topology: 'point-list', maxVertices: 1 },
  { ...geometry, entryPoint: 'disc', topology: 'triangle-strip', maxVertices: corners, constants: { corners } },
  { ...vertex, entryPoint: 'look' },
];
const pipeline = device.createModularPipeline({
  layout: 'auto',
  stages: slots,
  input: {
    topology: 'line-list-adjacency',
    buffers: [
      {
        arrayStride: 20,
        attributes: [
          ['float32x3', 0],
          ['float32', 12],
          ['float32', 16],
        ].map(([format, offset], shaderLocation) => ({ shaderLocation, offset, format })),
      },
    ],
  },
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

// Curves: map 0 … 1 to a position from −1 to 1 and half of the line's width.
const { cos, sin, exp, hypot, PI } = Math;
const torusKnot = (p, q, thin, thick) => (t) => {
  const r = 0.62 + 0.34 * cos(q * t * 2 * PI);
  const z = sin(q * t * 2 * PI);
  return [r * cos(p * t * 2 * PI), r * sin(p * t * 2 * PI), z, thin + ((thick - thin) * (1 + z)) / 2];
};
const lissajous = (t) => {
  const angle = t * 2 * PI;
  return [0.92 * cos(3 * angle + 0.785), 0.92 * cos(2 * angle), sin(5 * angle + 0.3), 3.6];
};
const harmonograph = (t) => {
  const angle = t * 2 * PI * 7;
  const fade = exp(-1.3 * t);
  const x = 0.42 * sin(2.006 * angle) - 0.56 * sin(3 * angle);
  return [fade * x, fade * (0.42 * cos(2.006 * angle) + 0.56 * cos(3 * angle)), t * 2 - 1, 2.1 - 1.4 * t];
};
const drawn = [
  { at: torusKnot(2, 5, 3, 6.5), segments: 240, dashes: 40, slots: ['widen'] },
  { at: lissajous, segments: 400, dashes: 56, slots: ['cut', 'widen'] },
  { at: harmonograph, segments: 2400, dashes: 50, isOpen: true, slots: ['widen'] },
  { at: torusKnot(3, 4, 3, 6.5), segments: 400, dashes: 80, slots: ['mark', 'disc'] },
];

// Line lists with adjacency: the previous point, the two ends of the line, and the next point.
const data = [];
const indices = [];
for (const curve of drawn) {
  const { at, segments, dashes, isOpen } = curve;
  const first = data.length / 5;
  const points = Array.from({ length: segments + 1 }, (_, i) => at(i / segments).map((x, k) => (k < 2 ? x * 80 : x)));
  const lengths = [0];
  for (let i = 1; i <= segments; i++)
    lengths.push(lengths[i - 1] + hypot(points[i][0] - points[i - 1][0], points[i][1] - points[i - 1][1]));
  for (const [i, [x, y, z, half]] of points.entries())
    data.push(x, y, 0.5 - z * 0.4, half, (dashes * lengths[i]) / lengths[segments]);
  curve.firstIndex = indices.length;
  for (let i = 0; i < segments; i++) {
    const before = i > 0 ? i - 1 : isOpen ? 0 : segments - 1;
    const behind = i + 1 < segments ? i + 2 : isOpen ? segments : 1;
    indices.push(...[before, i, i + 1, behind].map((index) => first + index));
  }
}
const bufferOf = (contents, usage) => {
  const buffer = device.createBuffer({ size: contents.byteLength, usage: usage | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(buffer, 0, contents);
  return buffer;
};
const vertexBuffer = bufferOf(new Float32Array(data), GPUBufferUsage.VERTEX);
const indexBuffer = bufferOf(new Uint16Array(indices), GPUBufferUsage.INDEX);

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
pass.setVertexBuffer(0, vertexBuffer);
pass.setIndexBuffer(indexBuffer, 'uint16');
for (const [place, { segments, firstIndex, slots: more }] of drawn.entries()) {
  pass.setPipeline(pipeline); // resets the enabled stages
  for (const name of more)
    pass.setStageEnabled(
      slots.findIndex(({ entryPoint }) => entryPoint === name),
      true
    );
  pass.drawIndexed(segments * 4, 1, firstIndex, 0, place);
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
