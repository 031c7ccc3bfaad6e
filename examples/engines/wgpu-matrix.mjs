// wgpu-matrix with compute passes in Node, with the unmodified npm package: `npm install rasterloom wgpu-matrix`, then
// `node wgpu-matrix.mjs` writes wgpu-matrix.png: a swarm of 20 000 blocks. A compute pass combines the library's
// matrices and quaternions into a matrix for each visible block and counts the visible blocks for an indirect draw
// call.
// Visible blocks are appended by atomic operations. In deterministic mode their order is the same on every run.
import { writeFileSync } from 'node:fs';
import { createCanvas, install } from 'rasterloom';

install({ deterministic: true });
const { mat4, quat, vec3 } = await import('wgpu-matrix');
const adapter = await navigator.gpu.requestAdapter();
const device = await adapter.requestDevice();
const WIDTH = 640;
const HEIGHT = 360;
const COUNT = 20_000;
const canvas = createCanvas(WIDTH, HEIGHT);
const context = canvas.getContext('webgpu');
const format = navigator.gpu.getPreferredCanvasFormat();
context.configure({ device, format });

const { STORAGE, UNIFORM, INDIRECT, COPY_DST } = GPUBufferUsage;
const bufferOf = (data, usage) => {
  const buffer = device.createBuffer({ size: data.byteLength, usage: usage | COPY_DST });
  device.queue.writeBuffer(buffer, 0, data);
  return buffer;
};
// Position and rotation of each block: x, y, z, size, then a quaternion.
let seed = 1;
const chance = () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
};
const blocks = new Float32Array(COUNT * 8);
for (let i = 0; i < COUNT; i++) {
  const arm = i % 3;
  const far = 0.6 + 10 * Math.sqrt(chance());
  const angle = arm * 2.094 + far * 0.4 + (chance() - chance()) * 0.9;
  const high = ((chance() - chance()) * 6) / (far + 2);
  const turned = quat.fromEuler(6 * chance(), 6 * chance(), 6 * chance(), 'xyz');
  const at = vec3.create(Math.cos(angle) * far, high, Math.sin(angle) * far);
  blocks.set([...at, 0.02 + 0.08 * chance() ** 3, ...turned], i * 8);
}
const view = mat4.lookAt([0, 6, 12], [1, -0.5, 0], [0, 1, 0]);
const seen = mat4.multiply(mat4.perspective(0.8, WIDTH / HEIGHT, 0.1, 60), view);
// The planes of the view frustum are sums of the matrix's rows.
const row = (k) => [0, 1, 2, 3].map((column) => seen[column * 4 + k]);
const plane = (k, sign) => {
  const sum = row(3).map((x, i) => x + sign * row(k)[i]);
  const length = vec3.length(sum.slice(0, 3));
  return sum.map((x) => x / length);
};
const planes = [plane(0, 1), plane(0, -1), plane(1, 1), plane(1, -1), row(2), plane(2, -1)];
const camera = bufferOf(new Float32Array([...seen, ...planes.flat()]), UNIFORM);
const table = bufferOf(blocks, STORAGE);
const matrices = bufferOf(new Float32Array(COUNT * 16), STORAGE);
const draw = bufferOf(new Uint32Array([36, 0, 0, 0]), STORAGE | INDIRECT);

const module = device.createShaderModule({
  code: `
    struct Camera { seen: mat4x4f, planes: array<vec4f, 6> }
    struct Block { at: vec3f, size: f32, turned: vec4f }
    struct Draw { vertices: u32, blocks: atomic<u32>, firstVertex: u32, firstBlock: u32 }
    @group(0) @binding(0) var<uniform> camera: Camera;
    @group(0) @binding(1) var<storage, read> blocks: array<Block>;
    @group(0) @binding(2) var<storage, read_write> matrices: array<mat4x4f>;
    @group(0) @binding(3) var<storage, read_write> draw: Draw;
    fn turn(q: vec4f, v: vec3f) -> vec3f { return v + 2 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
    @compute @workgroup_size(64) fn place(@builtin(global_invocation_id) id: vec3u) {
      if (id.x >= arrayLength(&blocks)) { return; }
      let block = blocks[id.x];
      for (var k = 0; k < 6; k++) {
        if (dot(camera.planes[k], vec4f(block.at, 1)) < -1.8 * block.size) { return; }
      }
      let x = turn(block.turned, vec3f(block.size, 0, 0));
      let y = turn(block.turned, vec3f(0, block.size, 0));
      let z = turn(block.turned, vec3f(0, 0, block.size));
      matrices[atomicAdd(&draw.blocks, 1)] = mat4x4f(vec4f(x, 0), vec4f(y, 0), vec4f(z, 0), vec4f(block.at, 1));
    }

    @group(0) @binding(4) var<storage, read> placed: array<mat4x4f>;
    struct Corner { @builtin(position) at: vec4f, @location(0) normal: vec3f, @location(1) far: f32 }
    @vertex fn corner(@builtin(vertex_index) v: u32, @builtin(instance_index) i: u32) -> Corner {
      let side = v / 6;
      let out = select(-1.0, 1.0, side < 3);
      let flat = vec3f(
        select(-1.0, 1.0, ((0x34u >> (v % 6)) & 1) == 1) * out, select(-1.0, 1.0, ((0x2au >> (v % 6)) & 1) == 1), out
      );
      let local = select(select(flat.zxy, flat.yzx, side % 3 == 1), flat, side % 3 == 0);
      let normal = select(select(vec3f(out, 0, 0), vec3f(0, out, 0), side % 3 == 1), vec3f(0, 0, out), side % 3 == 0);
      let world = placed[i] * vec4f(local, 1);
      return Corner(camera.seen * world, normalize((placed[i] * vec4f(normal, 0)).xyz), length(placed[i][3].xyz));
    }
    @fragment fn light(in: Corner) -> @location(0) vec4f {
      let hue = mix(vec3f(1, 0.75, 0.3), vec3f(0.2, 0.45, 1), smoothstep(1, 10, in.far));
      return vec4f(hue * (0.25 + 0.75 * max(0, dot(normalize(in.normal), normalize(vec3f(2, 5, 3))))), 1);
    }`,
});
const placing = device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint: 'place' } });
const drawing = device.createRenderPipeline({
  layout: 'auto',
  vertex: { module },
  fragment: { module, targets: [{ format }] },
  depthStencil: { format: 'depth24plus', depthWriteEnabled: true, depthCompare: 'less' },
  multisample: { count: 4 },
});
const groupOf = (pipeline, buffers) =>
  device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: Object.entries(buffers).map(([binding, buffer]) => ({ binding: Number(binding), resource: { buffer } })),
  });
const targetOf = (targetFormat) =>
  device
    .createTexture({
      size: [WIDTH, HEIGHT],
      format: targetFormat,
      sampleCount: 4,
      usage: GPUTextureUsage.RENDER_ATTACHMENT,
    })
    .createView();

const encoder = device.createCommandEncoder();
const compute = encoder.beginComputePass();
compute.setPipeline(placing);
compute.setBindGroup(0, groupOf(placing, { 0: camera, 1: table, 2: matrices, 3: draw }));
compute.dispatchWorkgroups(Math.ceil(COUNT / 64));
compute.end();
const pass = encoder.beginRenderPass({
  colorAttachments: [
    {
      view: targetOf(format),
      resolveTarget: context.getCurrentTexture().createView(),
      clearValue: [0.03, 0.04, 0.08, 1],
      loadOp: 'clear',
      storeOp: 'discard',
    },
  ],
  depthStencilAttachment: {
    view: targetOf('depth24plus'),
    depthClearValue: 1,
    depthLoadOp: 'clear',
    depthStoreOp: 'discard',
  },
});
pass.setPipeline(drawing);
pass.setBindGroup(0, groupOf(drawing, { 0: camera, 4: matrices }));
pass.drawIndirect(draw, 0);
pass.end();
device.queue.submit([encoder.finish()]);
writeFileSync('wgpu-matrix.png', await canvas.toPNG());
device.destroy();
