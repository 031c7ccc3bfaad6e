// node examples/compute/ocean.mjs [ocean.png] [seconds]
// An ocean by Fourier transforms (Tessendorf, Simulating Ocean Water). The wind sets the amplitudes of the waves, and
// their lengths set their speed. A transform of rows and one of columns, each with a line in workgroup memory, turn
// them into heights and slopes. The render pass draws the result as its vertex buffer. Needs `npm run build`.
import { writeFileSync } from 'node:fs';
import { encode } from 'fast-png';
import { create, globals } from 'rasterloom';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;
const [file = 'ocean.png', seconds = '7'] = process.argv.slice(2);
const N = 256;
const LOG = 8;
const WIDTH = 640;
const HEIGHT = 360;

const adapter = await create().requestAdapter();
const device = await adapter.requestDevice();
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});

const module = device.createShaderModule({
  code: `
  const N = ${N}u;
  // Metres of a side.
  const SIDE = 220.0;
  override time: f32 = 0;
  // Two transforms at once, a complex number each: x y heights, z w slopes along x and z.
  @group(0) @binding(0) var<storage, read_write> field: array<vec4f>;

  fn chance(seed: vec3u) -> f32 {
    var h = (seed.x * 0x9e3779b1u) ^ (seed.y * 0x85ebca6bu) ^ (seed.z * 0xc2b2ae35u);
    h = (h ^ (h >> 15u)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12u)) * 0x297a2d39u;
    return f32((h ^ (h >> 15u)) >> 8u) / 16777216;
  }
  fn times(a: vec2f, b: vec2f) -> vec2f { return vec2f(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
  fn turn(angle: f32) -> vec2f { return vec2f(cos(angle), sin(angle)); }

  // The wave of a place in the spectrum before time begins.
  fn wave(at: vec2u, k: vec2f) -> vec2f {
    let length2 = dot(k, k);
    if (length2 < 0.000001) { return vec2f(); }
    const WIND = normalize(vec2f(1, 0.45));
    const LONGEST = 11.0 * 11.0 / 9.81;
    let along = dot(normalize(k), WIND);
    let power = 0.0035 * exp(-1 / (length2 * LONGEST * LONGEST)) / (length2 * length2) * along * along
      * exp(-length2 * 0.2) * select(1.0, 0.15, along < 0);
    // Of a normal distribution, by two numbers that look like chance.
    let radius = sqrt(-2 * log(max(chance(vec3u(at, 1u)), 0.000001)));
    return sqrt(power) * radius * turn(6.2831853 * chance(vec3u(at, 2u))) * ${(2 * Math.PI).toFixed(6)} / SIDE * 0.9;
  }
  fn wavesOf(at: vec2u) -> vec2f {
    return vec2f(vec2i(at) - select(vec2i(), vec2i(i32(N)), at >= vec2u(N / 2))) * (6.2831853 / SIDE);
  }
  @compute @workgroup_size(64) fn spectrum(@builtin(global_invocation_id) id: vec3u) {
    let k = wavesOf(id.xy);
    let opposite = (vec2u(N) - id.xy) % N;
    let angle = sqrt(9.81 * length(k)) * time;
    let back = wave(opposite, wavesOf(opposite));
    // Heights are real: what goes one way is the conjugate of what goes the other.
    let h = times(wave(id.xy, k), turn(angle)) + times(vec2f(back.x, -back.y), turn(-angle));
    // Slopes: i k h. Of two real fields one is the imaginary part.
    let slopes = times(h, vec2f(0, 1)) * k.x + times(times(h, vec2f(0, 1)) * k.y, vec2f(0, 1));
    field[id.y * N + id.x] = vec4f(h, slopes);
  }

  override isColumn: bool = false;
  var<workgroup> line: array<vec4f, N>;
  // The transform of one line: the first half of invocations' pairs, turned and crossed, log2(N) times.
  @compute @workgroup_size(N / 2) fn transform(
    @builtin(local_invocation_index) i: u32, @builtin(workgroup_id) w: vec3u
  ) {
    let first = select(w.x * N, w.x, isColumn);
    let stride = select(1u, N, isColumn);
    line[reverseBits(i) >> ${32 - LOG}u] = field[first + i * stride];
    line[reverseBits(i + N / 2) >> ${32 - LOG}u] = field[first + (i + N / 2) * stride];
    for (var half = 1u; half < N; half *= 2) {
      workgroupBarrier();
      let k = i % half;
      let a = (i - k) * 2 + k;
      let t = turn(3.14159265 * f32(k) / f32(half));
      let x = line[a];
      let y = line[a + half];
      let turned = vec4f(times(y.xy, t), times(y.zw, t));
      line[a] = x + turned;
      line[a + half] = x - turned;
    }
    workgroupBarrier();
    field[first + i * stride] = line[i];
    field[first + (i + N / 2) * stride] = line[i + N / 2];
  }

  struct Point { @builtin(position) position: vec4f, @location(0) place: vec3f, @location(1) slope: vec2f }
  const EYE = vec3f(0, 9, -6);
  @vertex fn rise(
    @builtin(vertex_index) i: u32, @builtin(instance_index) tile: u32, @location(0) heights: vec4f
  ) -> Point {
    let at = vec2f(vec2u(i % (N + 1), i / (N + 1))) / f32(N) + vec2f(f32(tile % 3u) - 1.5, f32(tile / 3u));
    let place = vec3f(at.x * SIDE, heights.x, at.y * SIDE);
    let p = place - EYE;
    // Down a little.
    let view = vec3f(p.x, p.y * 0.97 + p.z * 0.24, p.z * 0.97 - p.y * 0.24);
    return Point(vec4f(view.x * 1.3, view.y * 1.3 * ${WIDTH / HEIGHT}, view.z - 1, view.z), place, heights.zw);
  }
  fn sky(d: vec3f) -> vec3f {
    let sun = max(dot(d, normalize(vec3f(0.25, 0.16, 1))), 0.0);
    return mix(vec3f(0.95, 0.6, 0.35), vec3f(0.12, 0.27, 0.55), pow(saturate(d.y * 1.6), 0.6))
      + vec3f(1, 0.65, 0.3) * (pow(sun, 12) * 0.4 + pow(sun, 900) * 20);
  }
  @fragment fn shine(point: Point) -> @location(0) vec4f {
    let to = point.place - EYE;
    let d = normalize(to);
    let n = normalize(vec3f(-point.slope.x, 1, -point.slope.y));
    let r = reflect(d, n);
    let mirrored = 0.02 + 0.98 * pow(1 - saturate(-dot(d, n)), 5);
    let deep = vec3f(0.01, 0.07, 0.1) + vec3f(0.0, 0.13, 0.11) * saturate(point.place.y * 0.25 + 0.3);
    let color = mix(deep, sky(vec3f(r.x, abs(r.y), r.z)), mirrored);
    return vec4f(mix(color, sky(vec3f(d.x, 0.02, d.z)), 1 - exp(-length(to) * 0.0022)), 1);
  }
  @vertex fn far(@builtin(vertex_index) i: u32) -> Point {
    let at = vec2f(f32(i / 2u), f32(i % 2u)) * 4 - 1;
    return Point(vec4f(at, 0.9999999, 1), vec3f(at.x / 1.3, at.y / 1.3 * ${HEIGHT / WIDTH} - 0.24, 1), vec2f());
  }
  @fragment fn air(point: Point) -> @location(0) vec4f { return vec4f(sky(normalize(point.place)), 1); }

  // The vertex buffer: one more in each direction, where the waves begin anew.
  @group(0) @binding(1) var<storage, read_write> vertices: array<vec4f>;
  @compute @workgroup_size(64) fn gather(@builtin(global_invocation_id) id: vec3u) {
    if (id.x > N) { return; }
    let found = field[(id.y % N) * N + id.x % N];
    vertices[id.y * (N + 1) + id.x] = vec4f(found.x, 0, found.zw);
  }`,
});
const { STORAGE, VERTEX, INDEX, COPY_DST, MAP_READ } = GPUBufferUsage;
const V = N + 1;
const field = device.createBuffer({ size: N * N * 16, usage: STORAGE });
const vertices = device.createBuffer({ size: V * V * 16, usage: STORAGE | VERTEX });
const quads = Uint32Array.from({ length: N * N * 6 }, (_, i) => {
  const quad = Math.floor(i / 6);
  const corner = [0, 1, V, V, 1, V + 1][i % 6];
  return Math.floor(quad / N) * V + (quad % N) + corner;
});
const indices = device.createBuffer({ size: quads.byteLength, usage: INDEX | COPY_DST });
device.queue.writeBuffer(indices, 0, quads);

const encoder = device.createCommandEncoder();
const pass = encoder.beginComputePass();
for (const [entryPoint, constants, x, y, buffers] of [
  ['spectrum', { time: Number(seconds) }, N / 64, N, [field]],
  ['transform', { isColumn: 0 }, N, 1, [field]],
  ['transform', { isColumn: 1 }, N, 1, [field]],
  ['gather', {}, Math.ceil(V / 64), V, [field, vertices]],
]) {
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint, constants } });
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
    })
  );
  pass.dispatchWorkgroups(x, y);
}
pass.end();

const { RENDER_ATTACHMENT, COPY_SRC } = GPUTextureUsage;
const format = 'rgba8unorm-srgb';
const texture = (kind, sampleCount, usage) =>
  device.createTexture({ size: [WIDTH, HEIGHT], format: kind, sampleCount, usage });
const picture = texture(format, 1, RENDER_ATTACHMENT | COPY_SRC);
const drawing = encoder.beginRenderPass({
  colorAttachments: [
    {
      view: texture(format, 4, RENDER_ATTACHMENT).createView(),
      resolveTarget: picture.createView(),
      loadOp: 'clear',
      storeOp: 'discard',
    },
  ],
  depthStencilAttachment: {
    view: texture('depth32float', 4, RENDER_ATTACHMENT).createView(),
    depthLoadOp: 'clear',
    depthClearValue: 1,
    depthStoreOp: 'discard',
  },
});
const pipelineOf = (vertex, fragment, buffers) =>
  device.createRenderPipeline({
    layout: 'auto',
    multisample: { count: 4 },
    vertex: { module, entryPoint: vertex, buffers },
    fragment: { module, entryPoint: fragment, targets: [{ format }] },
    depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'less' },
  });
drawing.setPipeline(pipelineOf('far', 'air', []));
drawing.draw(3);
drawing.setPipeline(
  pipelineOf('rise', 'shine', [
    { arrayStride: 16, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x4' }] },
  ])
);
drawing.setVertexBuffer(0, vertices);
drawing.setIndexBuffer(indices, 'uint32');
drawing.drawIndexed(quads.length, 9);
drawing.end();
const pixels = device.createBuffer({ size: WIDTH * HEIGHT * 4, usage: COPY_DST | MAP_READ });
encoder.copyTextureToBuffer({ texture: picture }, { buffer: pixels, bytesPerRow: WIDTH * 4 }, [WIDTH, HEIGHT]);
device.queue.submit([encoder.finish()]);
await pixels.mapAsync(GPUMapMode.READ);
const data = new Uint8Array(pixels.getMappedRange());
writeFileSync(file, encode({ width: WIDTH, height: HEIGHT, channels: 4, data }));
console.log(`Wrote ${file}.`);
device.destroy();
