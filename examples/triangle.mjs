// node examples/triangle.mjs [triangle.png]
// The smallest complete program: draws a triangle with WebGPU, without a GPU, and writes it to a PNG file. Needs `npm
// run build`.
import { writeFileSync } from 'node:fs';
import { encode } from 'fast-png';
import { create, globals } from 'rasterloom';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;
const [file = 'triangle.png'] = process.argv.slice(2);
const width = 512;
const height = 512;
const format = 'rgba8unorm';

const adapter = await create().requestAdapter();
const device = await adapter.requestDevice();
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});

const module = device.createShaderModule({
  code: `
  struct Corner { @builtin(position) position: vec4f, @location(0) colour: vec3f }
  @vertex fn corner(@builtin(vertex_index) i: u32) -> Corner {
    let positions = array(vec2f(0, 0.8), vec2f(-0.8, -0.7), vec2f(0.8, -0.7));
    let colours = array(vec3f(1, 0.3, 0.2), vec3f(0.2, 0.8, 0.3), vec3f(0.2, 0.4, 1));
    return Corner(vec4f(positions[i], 0, 1), colours[i]);
  }
  @fragment fn colour(in: Corner) -> @location(0) vec4f { return vec4f(in.colour, 1); }`,
});
const pipeline = device.createRenderPipeline({
  layout: 'auto',
  vertex: { module },
  fragment: { module, targets: [{ format }] },
  multisample: { count: 4 },
});

const size = [width, height];
const { RENDER_ATTACHMENT, COPY_SRC } = GPUTextureUsage;
const samples = device.createTexture({ size, format, sampleCount: 4, usage: RENDER_ATTACHMENT });
const picture = device.createTexture({ size, format, usage: RENDER_ATTACHMENT | COPY_SRC });
const buffer = device.createBuffer({
  size: width * height * 4,
  usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
});

const encoder = device.createCommandEncoder();
const pass = encoder.beginRenderPass({
  colorAttachments: [
    {
      view: samples.createView(),
      resolveTarget: picture.createView(),
      loadOp: 'clear',
      storeOp: 'discard',
      clearValue: [0.08, 0.08, 0.1, 1],
    },
  ],
});
pass.setPipeline(pipeline);
pass.draw(3);
pass.end();
// bytesPerRow must be a multiple of 256
encoder.copyTextureToBuffer({ texture: picture }, { buffer, bytesPerRow: width * 4 }, size);
device.queue.submit([encoder.finish()]);

await buffer.mapAsync(GPUMapMode.READ);
writeFileSync(file, encode({ width, height, channels: 4, data: new Uint8Array(buffer.getMappedRange()) }));
console.log(`Wrote ${file}.`);
device.destroy();
