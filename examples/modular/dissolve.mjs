// node examples/modular/dissolve.mjs [dissolve.png] [--stats]
// Balls that dissolve. One geometry stage sorts triangles into three streams: whole ones are drawn as they are, those
// at the edge as outlines, and those beyond as sparks. The sparks also go to a buffer, whose counts say how many there
// are. Needs `npm run build`.
import { writeFileSync } from 'node:fs';
import { encode } from 'fast-png';
import { create, globals } from 'rasterloom';
import { printStatistics } from './statistics.mjs';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;
const words = process.argv.slice(2);
const [file = 'dissolve.png'] = words.filter((word) => word !== '--stats');
const width = 640;
const height = 184;
const size = [width, height];
const multisample = { count: 4 };
const format = 'rgba8unorm';
const depthFormat = 'depth24plus';
const balls = 4;
const [columns, rows] = [96, 48];

const adapter = await create().requestAdapter();
const device = await adapter.requestDevice({ requiredFeatures: ['modular-pipelines'] });
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});

const module = device.createShaderModule({
  code: `
  enable modular_pipelines;
  struct P { @location(0) p: vec3f, @location(1) n: vec3f, @location(2) ball: f32 }
  struct Seen { @builtin(position) position: vec4f, @location(0) color: vec3f }

  // A ball of ${columns} × ${rows} cells, six vertices each; one for each instance.
  @vertex fn load(@builtin(vertex_index) i: u32, @builtin(instance_index) ball: u32) -> P {
    let corner = array(vec2u(0, 0), vec2u(1, 0), vec2u(0, 1), vec2u(0, 1), vec2u(1, 0), vec2u(1, 1))[i % 6];
    let cell = vec2u(i / 6 % ${columns}, i / ${6 * columns}) + corner;
    let turn = vec2f(cell) / vec2f(${columns}, ${rows}) * vec2f(6.2831853, 3.1415927);
    let n = vec3f(sin(turn.y) * cos(turn.x), cos(turn.y), sin(turn.y) * sin(turn.x));
    return P(n, n, f32(ball));
  }

  fn moved(v: P, by: vec3f) -> P { return P(v.p + by, v.n, v.ball); }
  @geometry fn dissolve(v: array<P, 3>, @builtin(primitive_index) number: u32) {
    let middle = (v[0].p + v[1].p + v[2].p) / 3;
    let noise = fract(sin(f32(number) * 12.9898) * 43758.547);
    let gone = v[0].ball * 0.34 - 0.42 - middle.y * 0.4 - middle.x * 0.3 - 0.25 * noise;
    if (gone < 0) {
      for (var i = 0; i < 3; i++) { emitVertex(v[i]); }
      endStrip();
    } else if (gone < 0.3) {
      for (var i = 0; i < 4; i++) { emitVertex(moved(v[i % 3], middle * gone * 0.3), 1); }
      endStrip(1);
    } else {
      let far = (gone - 0.2) * (0.3 + 0.6 * noise);
      emitVertex(moved(v[0], middle * far + vec3f(far * far * 0.4, far * 0.3, 0)), 2);
    }
  }

  override red = 1.0;
  override green = 1.0;
  override blue = 1.0;
  @vertex fn look(v: P) -> Seen {
    let at = vec2f((v.ball + 0.5) * ${2 / balls} - 1, 0) + v.p.xy * vec2f(${(0.7 * height) / width}, 0.7);
    let day = 0.3 + 0.8 * max(dot(v.n, normalize(vec3f(-0.5, 0.7, 0.6))), 0);
    return Seen(vec4f(at, 0.5 - v.p.z * 0.25, 1), vec3f(red, green, blue) * day);
  }
  @fragment fn fs(@location(0) color: vec3f) -> @location(0) vec4f { return vec4f(sqrt(color), 1); }`,
});

const look = (red, green, blue) => ({ kind: 'vertex', module, entryPoint: 'look', constants: { red, green, blue } });
const raster = {
  depthStencil: { format: depthFormat, depthCompare: 'less', depthWriteEnabled: true },
  multisample,
  fragment: { module, targets: [{ format }] },
};
const pipeline = device.createModularPipeline({
  layout: 'auto',
  input: {},
  stages: [
    { kind: 'vertex', module, entryPoint: 'load' },
    { kind: 'geometry', module, maxVertices: 4, topology: ['triangle-strip', 'line-strip', 'point-list'] },
    look(0.2, 0.35, 0.75),
    look(0.9, 0.5, 0.15),
    look(1, 0.75, 0.3),
  ],
  // The third number is the stream.
  edges: [
    [0, 1],
    [1, 2, 0],
    [1, 3, 1],
    [1, 4, 2],
  ],
  sinks: [
    { from: [2, 3, 4], raster },
    {
      from: 1,
      stream: 2,
      buffer: { arrayStride: 12, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x3' }] },
    },
  ],
});

const { RENDER_ATTACHMENT, COPY_SRC } = GPUTextureUsage;
const picture = device.createTexture({ size, format, usage: RENDER_ATTACHMENT | COPY_SRC });
const samples = device.createTexture({ size, format, sampleCount: 4, usage: RENDER_ATTACHMENT });
const depth = device.createTexture({ size, format: depthFormat, sampleCount: 4, usage: RENDER_ATTACHMENT });
const { STORAGE, MAP_READ, COPY_DST } = GPUBufferUsage;
const sparks = device.createBuffer({ size: 12 * 5000, usage: STORAGE });
const counts = device.createBuffer({ size: 32, usage: STORAGE | GPUBufferUsage.COPY_SRC });
const read = device.createBuffer({ size: width * height * 4 + 32, usage: MAP_READ | COPY_DST });

const encoder = device.createCommandEncoder();
const pass = encoder.beginRenderPass({
  colorAttachments: [
    {
      view: samples.createView(),
      resolveTarget: picture.createView(),
      loadOp: 'clear',
      storeOp: 'discard',
      clearValue: [0.06, 0.07, 0.1, 1],
    },
  ],
  depthStencilAttachment: {
    view: depth.createView(),
    depthLoadOp: 'clear',
    depthClearValue: 1,
    depthStoreOp: 'discard',
  },
});
pass.setPipeline(pipeline);
// The buffer has room for 5000 sparks. Word 4 of the counts says how many did not fit.
pass.setSinkBuffer(sparks, 0, undefined, counts, 0, 1, 16);
pass.draw(6 * columns * rows, balls);
pass.end();
encoder.copyTextureToBuffer({ texture: picture }, { buffer: read, bytesPerRow: width * 4 }, size);
encoder.copyBufferToBuffer(counts, 0, read, width * height * 4, 32);
device.queue.submit([encoder.finish()]);

await read.mapAsync(GPUMapMode.READ);
const bytes = new Uint8Array(read.getMappedRange());
writeFileSync(file, encode({ width, height, data: bytes.slice(0, width * height * 4), channels: 4 }));
console.log(`Wrote ${file}.`);
if (words.includes('--stats')) {
  const [kept, , , , missed] = new Uint32Array(bytes.slice(width * height * 4).buffer);
  console.log(`${kept} sparks are in the buffer, and ${missed} did not fit.`);
  printStatistics(pipeline);
}
device.destroy();
