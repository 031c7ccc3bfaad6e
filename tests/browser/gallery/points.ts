import { bufferOf, cleared, contextOf, nextFrame, openDevice, type Page } from './kit';

const SHADER = `
@group(0) @binding(0) var<uniform> size: vec2f;
struct Corner { @builtin(position) position: vec4f, @location(0) color: vec4f, @location(1) at: vec2f }
@vertex fn point(@location(0) position: vec2f, @location(1) color: vec4f) -> Corner {
  return Corner(vec4f(position, 0, 1), color, vec2f(0));
}
@vertex fn disc(
  @location(0) position: vec2f, @location(1) color: vec4f, @builtin(vertex_index) i: u32
) -> Corner {
  let at = vec2f(f32(i & 1), f32(i >> 1)) * 2 - 1;
  return Corner(vec4f(position + at * size, 0, 1), color, at);
}
@fragment fn dot_(in: Corner) -> @location(0) vec4f { return in.color; }
@fragment fn glow(in: Corner) -> @location(0) vec4f {
  let near = 1 - length(in.at);
  if (near < 0) { discard; }
  return vec4f(in.color.rgb * near, near);
}`;
const COUNT = 400;

/** Positions in the picture, at irrational steps, and colors of four bytes. */
function stars(): Float32Array {
  const bytes = new Uint8Array(COUNT * 12);
  const floats = new DataView(bytes.buffer);
  for (let i = 0; i < COUNT; i++) {
    floats.setFloat32(i * 12, ((i * 0.7548776662) % 1) * 1.9 - 0.95, true);
    floats.setFloat32(i * 12 + 4, ((i * 0.5698402909) % 1) * 1.9 - 0.95, true);
    bytes.set([100 + (i % 156), 100 + ((i * 7) % 156), 255 - (i % 100), 255], i * 12 + 8);
  }
  return new Float32Array(bytes.buffer);
}

/** Points of one pixel, and larger ones drawn as quads, with additive blending. */
export async function points(page: Page): Promise<void> {
  const canvas = page.addCanvas(240, 160);
  const device = await openDevice(page);
  const { context, format } = contextOf(canvas, device);
  const module = device.createShaderModule({ code: SHADER });
  const layout = (stepMode: GPUVertexStepMode): GPUVertexBufferLayout => ({
    arrayStride: 12,
    stepMode,
    attributes: [
      { shaderLocation: 0, offset: 0, format: 'float32x2' },
      { shaderLocation: 1, offset: 8, format: 'unorm8x4' },
    ],
  });
  const dots = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module, entryPoint: 'point', buffers: [layout('vertex')] },
    fragment: { module, entryPoint: 'dot_', targets: [{ format }] },
    primitive: { topology: 'point-list' },
  });
  const add: GPUBlendComponent = { srcFactor: 'one', dstFactor: 'one', operation: 'add' };
  const discs = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module, entryPoint: 'disc', buffers: [layout('instance')] },
    fragment: { module, entryPoint: 'glow', targets: [{ format, blend: { color: add, alpha: add } }] },
    primitive: { topology: 'triangle-strip' },
  });
  const size = bufferOf(device, new Float32Array([12 / canvas.width, 12 / canvas.height]), GPUBufferUsage.UNIFORM);
  const group = device.createBindGroup({
    layout: discs.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer: size } }],
  });
  const buffer = bufferOf(device, stars(), GPUBufferUsage.VERTEX);
  await nextFrame();
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [cleared(context.getCurrentTexture().createView(), [0, 0, 0.1, 1])],
  });
  pass.setVertexBuffer(0, buffer);
  pass.setPipeline(dots);
  pass.draw(COUNT);
  pass.setPipeline(discs);
  pass.setBindGroup(0, group);
  pass.draw(4, 60, 0, 100);
  pass.end();
  device.queue.submit([encoder.finish()]);
}
