import { bufferOf, cleared, contextOf, nextFrame, openDevice, targetOf, type Page } from './kit';

const SHADER = `
struct Corner { @builtin(position) position: vec4f, @location(0) color: vec3f }
@vertex fn vertex(@location(0) position: vec2f, @location(1) color: vec3f) -> Corner {
  return Corner(vec4f(position, 0, 1), color);
}
@fragment fn fragment(in: Corner) -> @location(0) vec4f { return vec4f(in.color, 1); }`;
const LAYOUT: GPUVertexBufferLayout = {
  arrayStride: 20,
  attributes: [
    { shaderLocation: 0, offset: 0, format: 'float32x2' },
    { shaderLocation: 1, offset: 8, format: 'float32x3' },
  ],
};

/** Rays from the middle of the left half, each from white to a color. */
function rays(count: number): number[] {
  return Array.from({ length: count }, (_, i) => {
    const side = (i * 8) / count;
    const part = (side % 2) - 1;
    const edge = Math.floor(side / 2);
    const x = [part, 1, -part, -1][edge]!;
    const y = [1, -part, -1, part][edge]!;
    return [-0.5, 0, 1, 1, 1, -0.5 + x * 0.45, y * 0.9, i % 2, (i >> 1) % 2, 0.5];
  }).flat();
}
/** Squares around the middle of the right half: five vertices each, and the index that restarts a strip. */
function squares(count: number): { vertices: number[]; indices: number[] } {
  const vertices: number[] = [];
  const indices: number[] = [];
  for (let i = 0; i < count; i++) {
    const radius = (i + 1) / count;
    const first = vertices.length / 5;
    for (const [x, y] of [
      [0, 1],
      [1, 0.2],
      [0.2, -1],
      [-1, -0.2],
    ] as const)
      vertices.push(0.5 + x * radius * 0.45, y * radius * 0.9, radius, 1 - radius, 1);
    indices.push(first, first + 1, first + 2, first + 3, first, 0xffff);
  }
  return { vertices, indices };
}

/** Line lists and line strips with four samples. */
export async function lines(page: Page): Promise<void> {
  const canvas = page.addCanvas(240, 160);
  const device = await openDevice(page);
  const { context, format } = contextOf(canvas, device);
  const module = device.createShaderModule({ code: SHADER });
  const make = (primitive: GPUPrimitiveState): GPURenderPipeline =>
    device.createRenderPipeline({
      layout: 'auto',
      vertex: { module, buffers: [LAYOUT] },
      fragment: { module, targets: [{ format }] },
      primitive,
      multisample: { count: 4 },
    });
  const list = make({ topology: 'line-list' });
  const strip = make({ topology: 'line-strip', stripIndexFormat: 'uint16' });
  const star = rays(32);
  const rings = squares(9);
  const starBuffer = bufferOf(device, new Float32Array(star), GPUBufferUsage.VERTEX);
  const ringBuffer = bufferOf(device, new Float32Array(rings.vertices), GPUBufferUsage.VERTEX);
  const indices = bufferOf(device, new Uint16Array(rings.indices), GPUBufferUsage.INDEX);
  const samples = targetOf(device, canvas, format, { sampleCount: 4 });
  await nextFrame();
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [
      { ...cleared(samples.createView(), [0, 0, 0, 1]), resolveTarget: context.getCurrentTexture().createView() },
    ],
  });
  pass.setPipeline(list);
  pass.setVertexBuffer(0, starBuffer);
  pass.draw(star.length / 5);
  pass.setPipeline(strip);
  pass.setVertexBuffer(0, ringBuffer);
  pass.setIndexBuffer(indices, 'uint16');
  pass.drawIndexed(rings.indices.length);
  pass.end();
  device.queue.submit([encoder.finish()]);
}
