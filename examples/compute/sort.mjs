// node examples/compute/sort.mjs [log2 of the count]
// A bitonic sort. Steps whose distance fits workgroup memory share one dispatch with barriers. Each longer step needs
// a separate dispatch. Needs `npm run build`.
import { create, globals } from 'rasterloom';

const { GPUBufferUsage, GPUMapMode } = globals;
const [words = '18'] = process.argv.slice(2);
const LOG = Number(words);
const COUNT = 2 ** LOG;
const BLOCK = 512;
if (!(LOG >= 9 && LOG <= 24)) throw new Error('node examples/compute/sort.mjs [log2 of the count]: 9 to 24');

const adapter = await create().requestAdapter();
const device = await adapter.requestDevice();
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});

const module = device.createShaderModule({
  code: `
  // Runs of 'run' keys are made ascending and descending in turn, by exchanges over 'distance'.
  struct Step { run: u32, distance: u32 }
  @group(0) @binding(0) var<storage, read_write> keys: array<u32>;
  @group(0) @binding(1) var<uniform> step: Step;
  var<workgroup> near: array<u32, ${BLOCK}>;
  fn exchangeNear(pair: u32, run: u32, distance: u32, base: u32) {
    let i = (pair / distance) * 2u * distance + pair % distance;
    let x = near[i];
    let y = near[i + distance];
    if ((x > y) == (((base + i) & run) == 0u)) { near[i] = y; near[i + distance] = x; }
  }
  fn take(base: u32, pair: u32) { near[pair] = keys[base + pair]; near[pair + 256u] = keys[base + pair + 256u]; }
  fn give(base: u32, pair: u32) { keys[base + pair] = near[pair]; keys[base + pair + 256u] = near[pair + 256u]; }
  @compute @workgroup_size(256) fn blocks(
    @builtin(local_invocation_index) pair: u32, @builtin(workgroup_id) w: vec3u
  ) {
    let base = w.x * ${BLOCK}u;
    take(base, pair);
    for (var run = 2u; run <= ${BLOCK}u; run <<= 1u) {
      for (var distance = run >> 1u; distance > 0u; distance >>= 1u) {
        workgroupBarrier();
        exchangeNear(pair, run, distance, base);
      }
    }
    workgroupBarrier();
    give(base, pair);
  }
  @compute @workgroup_size(256) fn finish(
    @builtin(local_invocation_index) pair: u32, @builtin(workgroup_id) w: vec3u
  ) {
    let base = w.x * ${BLOCK}u;
    take(base, pair);
    for (var distance = ${BLOCK / 2}u; distance > 0u; distance >>= 1u) {
      workgroupBarrier();
      exchangeNear(pair, step.run, distance, base);
    }
    workgroupBarrier();
    give(base, pair);
  }
  @compute @workgroup_size(256) fn exchange(@builtin(global_invocation_id) id: vec3u) {
    let i = (id.x / step.distance) * 2u * step.distance + id.x % step.distance;
    let x = keys[i];
    let y = keys[i + step.distance];
    if ((x > y) == ((i & step.run) == 0u)) { keys[i] = y; keys[i + step.distance] = x; }
  }`,
});
const { STORAGE, UNIFORM, COPY_DST, COPY_SRC, MAP_READ } = GPUBufferUsage;
const layout = device.createBindGroupLayout({
  entries: [
    { binding: 0, visibility: 4, buffer: { type: 'storage' } },
    { binding: 1, visibility: 4, buffer: { hasDynamicOffset: true, minBindingSize: 8 } },
  ],
});
const [blocks, exchange, finish] = await Promise.all(
  ['blocks', 'exchange', 'finish'].map((entryPoint) =>
    device.createComputePipelineAsync({
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module, entryPoint },
    })
  )
);

const values = Uint32Array.from({ length: COUNT }, (_, i) => Math.imul(i + 1, 0x9e3779b1) ^ Math.imul(i, 0x85ebca6b));
const keys = device.createBuffer({ size: values.byteLength, usage: STORAGE | COPY_DST | COPY_SRC });
device.queue.writeBuffer(keys, 0, values);
const STRIDE = 256;
const steps = [{ pipeline: blocks, run: 0, distance: 0 }];
for (let run = 2 * BLOCK; run <= COUNT; run *= 2) {
  for (let distance = run / 2; distance >= BLOCK; distance /= 2) steps.push({ pipeline: exchange, run, distance });
  steps.push({ pipeline: finish, run, distance: 0 });
}
const parameters = device.createBuffer({ size: steps.length * STRIDE, usage: UNIFORM | COPY_DST });
steps.forEach(({ run, distance }, i) => {
  device.queue.writeBuffer(parameters, i * STRIDE, Uint32Array.of(run, distance));
});
const group = device.createBindGroup({
  layout,
  entries: [
    { binding: 0, resource: { buffer: keys } },
    { binding: 1, resource: { buffer: parameters, size: 8 } },
  ],
});
const copy = device.createBuffer({ size: values.byteLength, usage: COPY_DST | MAP_READ });

const began = performance.now();
const encoder = device.createCommandEncoder();
const pass = encoder.beginComputePass();
steps.forEach(({ pipeline }, i) => {
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group, [i * STRIDE]);
  pass.dispatchWorkgroups(COUNT / BLOCK);
});
pass.end();
encoder.copyBufferToBuffer(keys, 0, copy, 0, values.byteLength);
device.queue.submit([encoder.finish()]);
await copy.mapAsync(GPUMapMode.READ);
const sorted = new Uint32Array(copy.getMappedRange());
const ms = performance.now() - began;
const before = performance.now();
const wanted = values.slice().sort();
const jsMs = performance.now() - before;
if (sorted.some((value, i) => value !== wanted[i])) throw new Error('the keys are not sorted');
console.log(
  `${COUNT} keys in ${steps.length} dispatches: ${Math.round(ms)} ms, by Uint32Array.sort ${Math.round(jsMs)} ms.`
);
device.destroy();
