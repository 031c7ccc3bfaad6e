// node examples/compute/life.mjs [life.png] [generations]
// Conway's Game of Life in compute passes that alternate between two buffers. A render pass then draws the live cells,
// with trails of cells that have died, from the same memory. Needs `npm run build`.
import { writeFileSync } from 'node:fs';
import { encode } from 'fast-png';
import { create, globals } from 'rasterloom';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;
const [file = 'life.png', generations = '300'] = process.argv.slice(2);
const N = 256;
const SCALE = 2;
const SIDE = N * SCALE;

const adapter = await create().requestAdapter();
const device = await adapter.requestDevice();
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});

const module = device.createShaderModule({
  code: `
  const N = ${N}u;
  @group(0) @binding(0) var<storage, read> before: array<u32>;
  @group(0) @binding(1) var<storage, read_write> after: array<u32>;
  // A row of 34 × 10 cells around the workgroup's own 32 × 8: each is read once.
  var<workgroup> near: array<u32, 340>;
  // The lowest bit: it lives; above it, how long that is ago.
  @compute @workgroup_size(32, 8) fn step(
    @builtin(local_invocation_id) l: vec3u, @builtin(local_invocation_index) i: u32, @builtin(workgroup_id) w: vec3u
  ) {
    for (var k = i; k < 340u; k += 256u) {
      let x = (w.x * 32u + k % 34u + N - 1u) % N;
      let y = (w.y * 8u + k / 34u + N - 1u) % N;
      near[k] = before[y * N + x];
    }
    workgroupBarrier();
    let at = (l.y + 1u) * 34u + l.x + 1u;
    var count = 0u;
    for (var dy = 0u; dy < 3u; dy++) {
      for (var dx = 0u; dx < 3u; dx++) { count += near[at + dy * 34u + dx - 35u] & 1u; }
    }
    let own = near[at];
    let lives = count == 3u || (count == 4u && (own & 1u) == 1u);
    after[(w.y * 8u + l.y) * N + w.x * 32u + l.x] = select(min((own >> 1u) + 1u, 60u) << 1u, 1u, lives);
  }
  @vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i / 2u) * 4 - 1, f32(i % 2u) * 4 - 1, 0, 1);
  }
  @fragment fn show(@builtin(position) p: vec4f) -> @location(0) vec4f {
    let cell = before[u32(p.y / ${SCALE}) * N + u32(p.x / ${SCALE})];
    let trail = 1 - f32(cell >> 1u) / 60;
    return select(vec4f(trail * trail * vec3f(0.1, 0.35, 0.6), 1), vec4f(1, 0.9, 0.6, 1), (cell & 1u) == 1u);
  }`,
});
const step = device.createComputePipeline({ layout: 'auto', compute: { module } });
const show = device.createRenderPipeline({
  layout: 'auto',
  vertex: { module },
  fragment: { module, targets: [{ format: 'rgba8unorm' }] },
});

const cells = Uint32Array.from({ length: N * N }, (_, i) => ((Math.imul(i + 7, 0x9e3779b1) >>> 13) % 10 < 3 ? 1 : 120));
const { STORAGE, COPY_DST, COPY_SRC, MAP_READ } = GPUBufferUsage;
const buffers = [0, 1].map(() => device.createBuffer({ size: cells.byteLength, usage: STORAGE | COPY_DST | COPY_SRC }));
device.queue.writeBuffer(buffers[0], 0, cells);
const groupOf = (pipeline, ...bound) =>
  device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: bound.map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
const groups = [groupOf(step, buffers[0], buffers[1]), groupOf(step, buffers[1], buffers[0])];
const picture = device.createTexture({
  size: [SIDE, SIDE],
  format: 'rgba8unorm',
  usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
});
const pixels = device.createBuffer({ size: SIDE * SIDE * 4, usage: COPY_DST | MAP_READ });

const began = performance.now();
const encoder = device.createCommandEncoder();
const pass = encoder.beginComputePass();
pass.setPipeline(step);
for (let k = 0; k < Number(generations); k++) {
  pass.setBindGroup(0, groups[k % 2]);
  pass.dispatchWorkgroups(N / 32, N / 8);
}
pass.end();
const draw = encoder.beginRenderPass({
  colorAttachments: [{ view: picture.createView(), loadOp: 'clear', storeOp: 'store' }],
});
draw.setPipeline(show);
draw.setBindGroup(0, groupOf(show, buffers[Number(generations) % 2]));
draw.draw(3);
draw.end();
encoder.copyTextureToBuffer({ texture: picture }, { buffer: pixels, bytesPerRow: SIDE * 4 }, [SIDE, SIDE]);
device.queue.submit([encoder.finish()]);
await pixels.mapAsync(GPUMapMode.READ);
const data = new Uint8Array(pixels.getMappedRange());
const ms = Math.round(performance.now() - began);
writeFileSync(file, encode({ width: SIDE, height: SIDE, channels: 4, data }));
console.log(`Wrote ${file}: ${generations} generations of ${N} × ${N} cells in ${ms} ms.`);
device.destroy();
