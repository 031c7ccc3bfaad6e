import {
  bufferOf,
  CUBE_LAYOUT,
  cleared,
  clearedDepth,
  contextOf,
  DEPTH,
  lookFrom,
  makeCube,
  multiply,
  nextFrame,
  openDevice,
  perspective,
  targetOf,
  type Page,
  type Vector,
} from './kit';

const SHADER = `
@group(0) @binding(0) var<uniform> view: mat4x4f;
struct Corner { @builtin(position) position: vec4f, @location(0) normal: vec3f, @location(1) uv: vec2f }
@vertex fn vertex(@location(0) position: vec3f, @location(1) normal: vec3f, @location(2) uv: vec2f) -> Corner {
  return Corner(view * vec4f(position, 1), normal, uv);
}
@fragment fn fragment(in: Corner) -> @location(0) vec4f {
  let cell = vec2u(in.uv * 4);
  return vec4f((in.normal * 0.5 + 0.5) * select(1.0, 0.6, (cell.x + cell.y) % 2 == 0), 1);
}`;
const VIEWS: readonly { size: readonly [number, number]; eye: Vector; background: GPUColor }[] = [
  { size: [240, 60], eye: [1, 2, 6], background: [0.9, 0.9, 0.9, 1] },
  { size: [100, 60], eye: [-4, 0.5, 2], background: [0.1, 0.1, 0.1, 1] },
  { size: [60, 90], eye: [3, -4, -2], background: [0.2, 0.3, 0.2, 1] },
];

/** One cube, one pipeline and one device on three canvases of different sizes, all in one submit. */
export async function severalCanvases(page: Page): Promise<void> {
  const device = await openDevice(page);
  const module = device.createShaderModule({ code: SHADER });
  const format = navigator.gpu.getPreferredCanvasFormat();
  const { vertices, indices } = makeCube(device);
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module, buffers: [CUBE_LAYOUT] },
    fragment: { module, targets: [{ format }] },
    primitive: { cullMode: 'back' },
    depthStencil: DEPTH,
  });
  const parts = VIEWS.map(({ size: [width, height], eye, background }) => {
    const canvas = page.addCanvas(width, height);
    const view = new Float32Array(multiply(perspective(1.8, width / height, 1, 20), lookFrom(eye)));
    return {
      context: contextOf(canvas, device).context,
      depth: targetOf(device, canvas, 'depth24plus'),
      background,
      group: device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: { buffer: bufferOf(device, view, GPUBufferUsage.UNIFORM) } }],
      }),
    };
  });
  await nextFrame();
  const encoder = device.createCommandEncoder();
  for (const { context, depth, background, group } of parts) {
    const pass = encoder.beginRenderPass({
      colorAttachments: [cleared(context.getCurrentTexture().createView(), background)],
      depthStencilAttachment: clearedDepth(depth),
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.setVertexBuffer(0, vertices);
    pass.setIndexBuffer(indices, 'uint16');
    pass.drawIndexed(36);
    pass.end();
  }
  device.queue.submit([encoder.finish()]);
}
