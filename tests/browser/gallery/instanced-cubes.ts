import {
  bufferOf,
  CUBE_LAYOUT,
  cleared,
  clearedDepth,
  contextOf,
  DEPTH,
  makeCube,
  multiply,
  nextFrame,
  openDevice,
  perspective,
  scaling,
  targetOf,
  translation,
  turnX,
  turnY,
  type Page,
} from './kit';

const SHADER = `
@group(0) @binding(0) var<uniform> view: mat4x4f;
struct Instance {
  @location(3) x: vec4f, @location(4) y: vec4f, @location(5) z: vec4f, @location(6) w: vec4f, @location(7) tint: vec4f,
}
struct Corner { @builtin(position) position: vec4f, @location(0) tint: vec4f, @location(1) normal: vec3f }
@vertex fn vertex(@location(0) position: vec3f, @location(1) normal: vec3f, i: Instance) -> Corner {
  let model = mat4x4f(i.x, i.y, i.z, i.w);
  return Corner(view * model * vec4f(position, 1), i.tint, (model * vec4f(normal, 0)).xyz);
}
@fragment fn fragment(in: Corner) -> @location(0) vec4f {
  let light = 0.3 + 0.7 * max(0, dot(normalize(in.normal), vec3f(0.36, 0.48, 0.8)));
  return vec4f(in.tint.rgb * light, 1);
}`;
const COUNT = 6;

/** A matrix (64 bytes) and a color (4 bytes) per cube. */
function instances(): Float32Array {
  const bytes = new Uint8Array(COUNT * COUNT * 68);
  const floats = new DataView(bytes.buffer);
  for (let i = 0; i < COUNT * COUNT; i++) {
    const x = i % COUNT;
    const y = Math.floor(i / COUNT);
    const place = [(x - 2.5) * 3, (y - 2.5) * 2.4, 0] as const;
    multiply(translation(place), turnY(x * 0.2 - 0.5), turnX(y * 0.2), scaling([0.8, 0.8, 0.8])).forEach((value, k) =>
      floats.setFloat32(i * 68 + k * 4, value, true)
    );
    bytes.set([60 + x * 38, 60 + y * 38, 200 - x * 20, 255], i * 68 + 64);
  }
  return new Float32Array(bytes.buffer);
}

/** Many cubes in one draw call, with a vertex buffer per instance and four samples. */
export async function instancedCubes(page: Page): Promise<void> {
  const canvas = page.addCanvas(240, 160);
  const device = await openDevice(page);
  const { context, format } = contextOf(canvas, device);
  const module = device.createShaderModule({ code: SHADER });
  const columns = [3, 4, 5, 6].map(
    (shaderLocation, i) => ({ shaderLocation, offset: i * 16, format: 'float32x4' }) as const
  );
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    fragment: { module, targets: [{ format }] },
    depthStencil: DEPTH,
    multisample: { count: 4 },
    primitive: { cullMode: 'back' },
    vertex: {
      module,
      buffers: [
        CUBE_LAYOUT,
        {
          arrayStride: 68,
          stepMode: 'instance',
          attributes: [...columns, { shaderLocation: 7, offset: 64, format: 'unorm8x4' }],
        },
      ],
    },
  });
  const view = multiply(perspective(2, canvas.width / canvas.height, 1, 60), translation([0, 0, -17]), turnX(0.1));
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer: bufferOf(device, new Float32Array(view), GPUBufferUsage.UNIFORM) } }],
  });
  const { vertices, indices } = makeCube(device);
  const each = bufferOf(device, instances(), GPUBufferUsage.VERTEX);
  const samples = targetOf(device, canvas, format, { sampleCount: 4 });
  const depth = targetOf(device, canvas, 'depth24plus', { sampleCount: 4 });
  await nextFrame();
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [
      {
        ...cleared(samples.createView(), [0.1, 0.1, 0.15, 1]),
        resolveTarget: context.getCurrentTexture().createView(),
        storeOp: 'discard',
      },
    ],
    depthStencilAttachment: clearedDepth(depth),
  });
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.setVertexBuffer(0, vertices);
  pass.setVertexBuffer(1, each);
  pass.setIndexBuffer(indices, 'uint16');
  pass.drawIndexed(36, COUNT * COUNT);
  pass.end();
  device.queue.submit([encoder.finish()]);
}
