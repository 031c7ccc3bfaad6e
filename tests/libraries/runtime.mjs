// Draws the bundled sample, a canvas of install() and a compute pass in the runtime that runs this file: `runtime.mjs
// THREADS` prints a hash of each.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createCanvas, install } from '../../build/index.js';
import { renderGltf } from '../../build/gltf.js';

const threads = Number(process.argv[2]);
const print = (what, data) => console.log(`${what} ${createHash('sha256').update(data).digest('hex')}`);
// The option hides the runtime, and workers must start all the same.
const { exit } = process;
const uninstall = install({ threads, platform: 'browser' });
const adapter = await navigator.gpu.requestAdapter();
const device = await adapter.requestDevice();
const module = device.createShaderModule({
  code: `
@group(0) @binding(0) var<storage, read_write> values: array<f32>;
@compute @workgroup_size(64) fn iterate(@builtin(global_invocation_id) id: vec3u) {
  var x = f32(id.x) * 0.01;
  for (var i = 0; i < 200; i++) { x = sin(x) * 1.7 + 0.1; }
  values[id.x] = x;
}
@vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
}
@fragment fn paint(@builtin(position) at: vec4f) -> @location(0) vec4f {
  return vec4f(sin(at.xy * 0.1) * 0.5 + 0.5, 0.25, 1);
}`,
});
const size = 4 * 64 * 1024;
const { COPY_SRC, COPY_DST, STORAGE, MAP_READ } = GPUBufferUsage;
const buffer = device.createBuffer({ size, usage: STORAGE | COPY_SRC });
const result = device.createBuffer({ size, usage: MAP_READ | COPY_DST });
const compute = device.createComputePipeline({ layout: 'auto', compute: { module } });
const canvas = createCanvas(160, 100);
const context = canvas.getContext('webgpu');
context.configure({ device, format: 'rgba8unorm' });
const render = device.createRenderPipeline({
  layout: 'auto',
  vertex: { module },
  fragment: { module, targets: [{ format: 'rgba8unorm' }] },
});
const encoder = device.createCommandEncoder();
const computing = encoder.beginComputePass();
computing.setPipeline(compute);
const entries = [{ binding: 0, resource: { buffer } }];
computing.setBindGroup(0, device.createBindGroup({ layout: compute.getBindGroupLayout(0), entries }));
computing.dispatchWorkgroups(1024);
computing.end();
const drawing = encoder.beginRenderPass({
  colorAttachments: [{ view: context.getCurrentTexture().createView(), loadOp: 'clear', storeOp: 'store' }],
});
drawing.setPipeline(render);
drawing.draw(3);
drawing.end();
encoder.copyBufferToBuffer(buffer, 0, result, 0, size);
device.queue.submit([encoder.finish()]);
await result.mapAsync(GPUMapMode.READ);
print('compute', new Uint8Array(result.getMappedRange()));
print('canvas', (await canvas.getPixels()).data);
uninstall();
const sample = readFileSync(new URL('../../build/sample.glb', import.meta.url));
print('sample', (await renderGltf(sample, { width: 160, height: 90, threads })).pixels);
exit(0);
