// node examples/compute/boids.mjs [boids.png] [steps]
// A flock of birds: each bird aligns with its neighbours, moves towards them and keeps its distance. A compute pass
// moves the birds from one buffer to the other; each workgroup reads 64 birds at a time into workgroup memory. A render
// pass then draws them with the same buffer as instance data. Needs `npm run build`.
import { writeFileSync } from 'node:fs';
import { encode } from 'fast-png';
import { create, globals } from 'rasterloom';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;
const [file = 'boids.png', steps = '200'] = process.argv.slice(2);
const COUNT = 1024;
const WIDTH = 640;
const HEIGHT = 400;

const adapter = await create().requestAdapter();
const device = await adapter.requestDevice();
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});

const module = device.createShaderModule({
  code: `
  struct Bird { position: vec2f, velocity: vec2f }
  @group(0) @binding(0) var<storage, read> before: array<Bird, ${COUNT}>;
  @group(0) @binding(1) var<storage, read_write> after: array<Bird, ${COUNT}>;
  const SPACE = vec2f(${WIDTH / HEIGHT}, 1);
  const SIGHT = 0.09;
  const ROOM = 0.022;
  var<workgroup> others: array<Bird, 64>;
  @compute @workgroup_size(64) fn step(
    @builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) index: u32
  ) {
    let own = before[id.x];
    var flight = vec2f();
    var centre = vec2f();
    var away = vec2f();
    var count = 0.0;
    for (var first = 0u; first < ${COUNT}u; first += 64u) {
      others[index] = before[first + index];
      workgroupBarrier();
      for (var k = 0u; k < 64u; k++) {
        var d = others[k].position - own.position;
        let near = dot(d, d);
        if (near > SIGHT * SIGHT || near == 0) { continue; }
        flight += others[k].velocity;
        centre += d;
        count += 1;
        if (near < ROOM * ROOM) { away -= d / (near + 0.0001) * ROOM; }
      }
      workgroupBarrier();
    }
    var v = own.velocity;
    if (count > 0) { v += (flight / count - v) * 0.06 + centre / count * 0.006 + away * 0.0006; }
    // Back from the edges.
    let beyond = max(abs(own.position) - (SPACE - 0.14), vec2f());
    v -= sign(own.position) * beyond * 0.012;
    let speed = clamp(length(v), 0.003, 0.007);
    v = normalize(v) * speed;
    after[id.x] = Bird(own.position + v, v);
  }
  struct Corner { @builtin(position) position: vec4f, @location(0) color: vec3f }
  @vertex fn bird(
    @builtin(vertex_index) i: u32, @location(0) position: vec2f, @location(1) velocity: vec2f
  ) -> Corner {
    let forward = normalize(velocity);
    let side = vec2f(-forward.y, forward.x);
    let at = array(forward * 0.02, side * 0.007 - forward * 0.01, -side * 0.007 - forward * 0.01)[i];
    let hue = atan2(forward.y, forward.x);
    return Corner(
      vec4f((position + at) / SPACE, 0, 1), 0.55 + 0.45 * cos(hue + vec3f(0, 2.1, 4.2)) * vec3f(1, 0.8, 1)
    );
  }
  @fragment fn paint(corner: Corner) -> @location(0) vec4f { return vec4f(corner.color, 1); }`,
});
const step = device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint: 'step' } });
const draw = device.createRenderPipeline({
  layout: 'auto',
  multisample: { count: 4 },
  vertex: {
    module,
    buffers: [
      {
        arrayStride: 16,
        stepMode: 'instance',
        attributes: [
          { shaderLocation: 0, offset: 0, format: 'float32x2' },
          { shaderLocation: 1, offset: 8, format: 'float32x2' },
        ],
      },
    ],
  },
  fragment: { module, targets: [{ format: 'rgba8unorm-srgb' }] },
});

/** A pseudo-random number between −1 and 1, the same on each run. */
const chance = (i) => (Math.imul(i ^ (i >>> 7), 0x9e3779b1) | 0) / 2 ** 31;
const birds = Float32Array.from({ length: COUNT * 4 }, (_, i) => chance(i * 31 + 5) * [1.4, 0.9, 0.006, 0.006][i % 4]);
const { STORAGE, VERTEX, COPY_DST, MAP_READ } = GPUBufferUsage;
const buffers = [0, 1].map(() => device.createBuffer({ size: birds.byteLength, usage: STORAGE | VERTEX | COPY_DST }));
device.queue.writeBuffer(buffers[0], 0, birds);
const groups = [
  [0, 1],
  [1, 0],
].map((order) =>
  device.createBindGroup({
    layout: step.getBindGroupLayout(0),
    entries: order.map((k, binding) => ({ binding, resource: { buffer: buffers[k] } })),
  })
);

const encoder = device.createCommandEncoder();
const pass = encoder.beginComputePass();
pass.setPipeline(step);
for (let k = 0; k < Number(steps); k++) {
  pass.setBindGroup(0, groups[k % 2]);
  pass.dispatchWorkgroups(COUNT / 64);
}
pass.end();
const texture = (sampleCount, usage) =>
  device.createTexture({ size: [WIDTH, HEIGHT], format: 'rgba8unorm-srgb', sampleCount, usage });
const { RENDER_ATTACHMENT, COPY_SRC } = GPUTextureUsage;
const picture = texture(1, RENDER_ATTACHMENT | COPY_SRC);
const drawing = encoder.beginRenderPass({
  colorAttachments: [
    {
      view: texture(4, RENDER_ATTACHMENT).createView(),
      resolveTarget: picture.createView(),
      loadOp: 'clear',
      storeOp: 'discard',
      clearValue: [0.012, 0.016, 0.03, 1],
    },
  ],
});
drawing.setPipeline(draw);
drawing.setVertexBuffer(0, buffers[Number(steps) % 2]);
drawing.draw(3, COUNT);
drawing.end();
const pixels = device.createBuffer({ size: WIDTH * HEIGHT * 4, usage: COPY_DST | MAP_READ });
encoder.copyTextureToBuffer({ texture: picture }, { buffer: pixels, bytesPerRow: WIDTH * 4 }, [WIDTH, HEIGHT]);
device.queue.submit([encoder.finish()]);
await pixels.mapAsync(GPUMapMode.READ);
const data = new Uint8Array(pixels.getMappedRange());
writeFileSync(file, encode({ width: WIDTH, height: HEIGHT, channels: 4, data }));
console.log(`Wrote ${file}.`);
device.destroy();
