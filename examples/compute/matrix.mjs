// node examples/compute/matrix.mjs [size]
// Multiplies two matrices in tiles that each workgroup reads once into workgroup memory. Each invocation computes four
// rows of one column. Then multiplies them in JavaScript and prints both times. Needs `npm run build`.
import { create, globals } from 'rasterloom';

const { GPUBufferUsage, GPUMapMode } = globals;
const [words = '512'] = process.argv.slice(2);
const N = Number(words);
if (!(N >= 64 && N % 64 === 0)) throw new Error('node examples/compute/matrix.mjs [size]: a multiple of 64');

const adapter = await create().requestAdapter();
const device = await adapter.requestDevice();
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});

const module = device.createShaderModule({
  code: `
  override N: u32;
  @group(0) @binding(0) var<storage, read> a: array<f32>;
  @group(0) @binding(1) var<storage, read> b: array<f32>;
  @group(0) @binding(2) var<storage, read_write> product: array<f32>;
  // 64 rows of a, 16 columns of b.
  var<workgroup> left: array<f32, 1024>;
  var<workgroup> right: array<f32, 256>;
  @compute @workgroup_size(16, 16) fn multiply(
    @builtin(local_invocation_id) l: vec3u, @builtin(workgroup_id) w: vec3u
  ) {
    var sums = vec4f();
    let first = w.y * 64u + l.y;
    for (var k = 0u; k < N; k += 16u) {
      for (var r = 0u; r < 64u; r += 16u) { left[(l.y + r) * 16u + l.x] = a[(first + r) * N + k + l.x]; }
      right[l.y * 16u + l.x] = b[(k + l.y) * N + w.x * 16u + l.x];
      workgroupBarrier();
      for (var i = 0u; i < 16u; i++) {
        let at = l.y * 16u + i;
        sums += vec4f(left[at], left[at + 256u], left[at + 512u], left[at + 768u]) * right[i * 16u + l.x];
      }
      workgroupBarrier();
    }
    for (var r = 0u; r < 4u; r++) { product[(first + r * 16u) * N + w.x * 16u + l.x] = sums[r]; }
  }`,
});
const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module, constants: { N } } });

// Small integers keep all sums exact, so both results must be equal.
const matrix = (seed) => Float32Array.from({ length: N * N }, (_, i) => (Math.imul(i + seed, 0x9e3779b1) >>> 28) - 8);
const a = matrix(1);
const b = matrix(7);
const { STORAGE, COPY_DST, COPY_SRC, MAP_READ } = GPUBufferUsage;
const size = a.byteLength;
const buffers = [a, b, null].map((data) => {
  const buffer = device.createBuffer({ size, usage: STORAGE | COPY_DST | COPY_SRC });
  if (data !== null) device.queue.writeBuffer(buffer, 0, data);
  return buffer;
});
const copy = device.createBuffer({ size, usage: COPY_DST | MAP_READ });
const group = device.createBindGroup({
  layout: pipeline.getBindGroupLayout(0),
  entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
});
await device.queue.onSubmittedWorkDone();

const began = performance.now();
const encoder = device.createCommandEncoder();
const pass = encoder.beginComputePass();
pass.setPipeline(pipeline);
pass.setBindGroup(0, group);
pass.dispatchWorkgroups(N / 16, N / 64);
pass.end();
encoder.copyBufferToBuffer(buffers[2], 0, copy, 0, size);
device.queue.submit([encoder.finish()]);
await copy.mapAsync(GPUMapMode.READ);
const product = new Float32Array(copy.getMappedRange());
const ms = performance.now() - began;

const before = performance.now();
const wanted = new Float32Array(N * N);
for (let y = 0; y < N; y++) {
  for (let k = 0; k < N; k++) {
    const value = a[y * N + k];
    const row = wanted.subarray(y * N, y * N + N);
    for (let x = 0; x < N; x++) row[x] += value * b[k * N + x];
  }
}
const jsMs = performance.now() - before;
if (product.some((value, i) => value !== wanted[i])) throw new Error('the products differ');
console.log(`${N} × ${N}: ${Math.round(ms)} ms, in JavaScript ${Math.round(jsMs)} ms; the products are the same.`);
device.destroy();
