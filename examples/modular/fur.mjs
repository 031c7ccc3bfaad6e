// node examples/modular/fur.mjs [fur.png] [--stats]
// Fur from repeated stages of a modular pipeline. One shader occupies many slots with different constants, and each
// slot makes the strands a segment longer. The slots that a draw call enables decide how long the strands are and how
// they lie. Needs `npm run build`.
import { writeFileSync } from 'node:fs';
import { encode } from 'fast-png';
import { create, globals } from 'rasterloom';
import { printStatistics } from './statistics.mjs';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;
const words = process.argv.slice(2);
const [file = 'fur.png'] = words.filter((word) => word !== '--stats');
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

  // A point of the skin or of a strand: where it is, the skin's normal, one segment of the strand at this point, a
  // random number that the strand has, how many segments are below. Where the last segment begins, tip is 1.
  struct Hair {
    @location(0) p: vec3f, @location(1) n: vec3f, @location(2) segment: vec3f, @location(3) tone: f32,
    @location(4) height: f32, @location(5) tip: f32,
  }
  @vertex fn skin(@location(0) p: vec3f) -> Hair { return Hair(p * 0.45, p, p, 0.5, 0, 0); }

  fn random(seed: u32) -> f32 {
    var h = seed * 747796405u + 2891336453u;
    h = ((h >> ((h >> 28u) + 4u)) ^ h) * 277803737u;
    return f32(((h >> 22u) ^ h) & 65535u) / 65535;
  }

  // A triangle of the skin becomes the first segments of strands that begin anywhere in it.
  override density: u32;
  @geometry fn root(v: array<Hair, 3>, @builtin(primitive_index) i: u32) {
    for (var k = 0u; k < density; k++) {
      let seed = (i * density + k) * 8;
      var at = vec2f(random(seed), random(seed + 1));
      if (at.x + at.y > 1) { at = 1 - at; }
      let p = v[0].p + at.x * (v[1].p - v[0].p) + at.y * (v[2].p - v[0].p);
      let n = normalize(p);
      let lean = vec3f(random(seed + 2), random(seed + 3), random(seed + 4)) - 0.5;
      let segment = normalize(n + 0.8 * lean) * (0.04 + 0.03 * random(seed + 5));
      let tone = random(seed + 6);
      emitVertex(Hair(p, n, segment, tone, 0, 1));
      emitVertex(Hair(p + segment, n, segment, tone, 1, 0));
      endStrip();
    }
  }

  // A strand's last segment becomes two, the others stay as they are. Each slot says how the new one lies.
  override weight: f32 = 0;
  override curl: f32 = 0;
  @geometry fn grow(v: array<Hair, 2>) {
    var low = v[0];
    var high = v[1];
    let isTip = low.tip == 1;
    if (isTip) {
      let side = normalize(cross(high.n, vec3f(0.3, 1, 0.2)));
      let angle = high.height * 0.5 + dot(sin(high.n * 6), vec3f(2)); // neighbours lie alike
      let around = cos(angle) * side + sin(angle) * cross(high.n, side);
      let bent = normalize(high.segment) + vec3f(0, -weight, 0) + curl * around;
      high.segment = normalize(bent) * length(high.segment);
      low.tip = 0;
      high.tip = 1;
    }
    emitVertex(low);
    emitVertex(high);
    if (isTip) { emitVertex(Hair(high.p + high.segment, high.n, high.segment, high.tone, high.height + 1, 0)); }
  }

  // A vertex stage between those that emit: it moves all that there is by now.
  @vertex fn blow(v: Hair) -> Hair {
    var blown = v;
    blown.p += vec3f(0.012, 0.003, 0.004) * v.height * v.height * (0.75 + 0.25 * sin(v.p.y * 14));
    return blown;
  }

  // A segment becomes a strip that is turned to the eye, and runs out at the tip.
  @geometry fn blade(v: array<Hair, 2>) {
    let eye = vec3f(0, ${Math.sin(0.35)}, ${Math.cos(0.35)});
    let side = normalize(cross(v[1].p - v[0].p, eye)) * 0.01;
    for (var i = 0; i < 2; i++) {
      for (var sign = -1.0; sign < 2; sign += 2) {
        var vertex = v[i];
        vertex.segment = v[1].p - v[0].p;
        vertex.p += side * sign * select(1.0, 0.15, i == 1 && v[0].tip == 1);
        emitVertex(vertex);
      }
    }
  }

  // Where the light does not reach the floor. No other output: what the next stage reads besides has its default.
  @vertex fn shadow(@location(0) p: vec3f) -> @location(0) vec3f {
    let h = p.y + 0.82;
    return vec3f(p.x + 0.42 * h, -0.82, p.z - 0.5 * h);
  }

  struct Seen {
    @builtin(position) position: vec4f, @location(0) n: vec3f, @location(1) segment: vec3f, @location(2) tone: f32,
    @location(3) height: f32, @location(4) @interpolate(flat) place: u32,
  }
  @vertex fn look(v: Hair, @builtin(instance_index) place: u32) -> Seen {
    let s = sin(0.35);
    let c = cos(0.35);
    let p = vec3f(v.p.x, c * v.p.y - s * v.p.z, c * v.p.z + s * v.p.y);
    let at = vec2f(52 + 126 * f32(place), 98) + p.xy * 78;
    let size = vec2f(${size});
    return Seen(vec4f((at * 2 - size) / size, 0.5 - p.z * 0.1, 1), v.n, v.segment, v.tone, v.height, place);
  }

  @fragment fn light(v: Seen) -> @location(0) vec4f {
    if (dot(v.n, v.n) == 0) { return vec4f(0.74, 0.72, 0.7, 1); } // a shadow
    let sun = normalize(vec3f(-0.5, 1, 0.45));
    let glance = normalize(vec3f(-0.5, 1.35, 1.4));
    let pigment = 0.6 + 0.4 * cos(f32(v.place) * 1.1 + vec3f(0.1, 1.1, 2.3) + (v.tone - 0.5) * 0.6);
    let among = 0.4 + 0.6 * select(smoothstep(0, 4, v.height), 1.0, v.place == 0); // darker between strands
    let day = 0.25 + 0.75 * smoothstep(-0.5, 1, dot(normalize(v.n), sun));
    let along = normalize(v.segment);
    let lit = dot(along, sun);
    let strand = select(sqrt(max(1 - lit * lit, 0)), 1.0, v.height == 0);
    let across = dot(along, glance);
    let shine = pow(max(1 - across * across, 0), 24) * day * day * min(v.height, 1);
    let color = pigment * pigment * among * day * (0.6 + 0.5 * strand);
    return vec4f(sqrt(color + 0.3 * among * shine), 1);
  }`,
});

// Stages that every draw call of fur runs are enabled here. Each draw call enables the segments that it needs.
const vertex = { kind: 'vertex', module };
const grow = { kind: 'geometry', module, entryPoint: 'grow', topology: 'line-strip', maxVertices: 3, enabled: false };
const segments = (name, all) => Object.fromEntries(all.map((constants, i) => [name + i, { ...grow, constants }]));
const density = 5;
const slots = {
  skin: { ...vertex, entryPoint: 'skin' },
  root: {
    kind: 'geometry',
    module,
    entryPoint: 'root',
    topology: 'line-strip',
    maxVertices: density * 2,
    constants: { density },
  },
  ...segments(
    'hang',
    [0, 0.1, 0.2, 0.4, 0.5, 0.5].map((weight) => ({ weight }))
  ),
  ...segments('curl', Array(6).fill({ curl: 0.7 })),
  blow: { ...vertex, entryPoint: 'blow', enabled: false },
  blade: { kind: 'geometry', module, entryPoint: 'blade', topology: 'triangle-strip', maxVertices: 4 },
  shadow: { ...vertex, entryPoint: 'shadow', enabled: false },
  look: { ...vertex, entryPoint: 'look' },
};
const pipeline = device.createModularPipeline({
  layout: 'auto',
  stages: Object.values(slots),
  input: { buffers: [{ arrayStride: 12, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x3' }] }] },
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
const first = (name, count) => Array.from({ length: count }, (_, i) => name + i);
const pictured = [null, first('hang', 1), first('hang', 6), first('curl', 6), [...first('hang', 4), 'blow']];

// A ball: the faces of an octahedron, divided into triangles.
const cuts = 16;
const corners = [];
for (const x of [-1, 1])
  for (const y of [-1, 1])
    for (const z of [-1, 1]) {
      const at = (i, k) => {
        const p = [x * i, y * k, z * (cuts - i - k)];
        const length = Math.hypot(...p);
        return p.map((value) => value / length);
      };
      for (let i = 0; i < cuts; i++)
        for (let k = 0; i + k < cuts; k++) {
          corners.push(...at(i, k), ...at(i + 1, k), ...at(i, k + 1));
          if (i + k < cuts - 1) corners.push(...at(i + 1, k), ...at(i + 1, k + 1), ...at(i, k + 1));
        }
    }
const ball = device.createBuffer({ size: corners.length * 4, usage: GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST });
device.queue.writeBuffer(ball, 0, new Float32Array(corners));

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
pass.setVertexBuffer(0, ball);
const setEnabled = (name, enabled) => pass.setStageEnabled(Object.keys(slots).indexOf(name), enabled);
for (const [place, hair] of pictured.entries())
  for (const isShadow of [false, true]) {
    // Draw the bare ball …
    pass.setPipeline(pipeline);
    setEnabled('root', false);
    setEnabled('blade', false);
    setEnabled('shadow', isShadow);
    pass.draw(corners.length / 3, 1, 0, place);
    // … and then the fur on it.
    if (!hair) continue;
    pass.setPipeline(pipeline);
    setEnabled('shadow', isShadow);
    for (const name of hair) setEnabled(name, true);
    pass.draw(corners.length / 3, 1, 0, place);
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
