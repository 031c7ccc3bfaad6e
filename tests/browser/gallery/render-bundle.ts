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
struct Thing { model: mat4x4f, color: vec4f }
@group(1) @binding(0) var<uniform> thing: Thing;
struct Corner { @builtin(position) position: vec4f, @location(0) normal: vec3f }
@vertex fn vertex(@location(0) position: vec3f, @location(1) normal: vec3f) -> Corner {
  return Corner(view * thing.model * vec4f(position, 1), (thing.model * vec4f(normal, 0)).xyz);
}
@fragment fn fragment(in: Corner) -> @location(0) vec4f {
  return vec4f(thing.color.rgb * (0.4 + 0.6 * max(0, normalize(in.normal).z)), 1);
}`;
const COUNT = 60;
const SPACING = 256;

/** A tower of blocks, each slightly rotated: a matrix and a color per 256 bytes. */
function things(): Float32Array {
  const floats = new Float32Array((COUNT * SPACING) / 4);
  for (let i = 0; i < COUNT; i++) {
    const level = Math.floor(i / 3);
    const place = translation([((i % 3) - 1) * 1.1, level * 0.4 - 4, 0]);
    const model = multiply(turnY(level * 0.06), place, scaling([0.5, 0.18, 1.6]));
    floats.set([...model, 0.4 + (i % 3) * 0.3, 0.9 - level * 0.03, 0.3 + level * 0.03, 1], (i * SPACING) / 4);
  }
  return floats;
}

/** Sixty draw calls with dynamic offsets, recorded once and executed in each frame while the view rotates. */
export async function renderBundle(page: Page): Promise<void> {
  const canvas = page.addCanvas(240, 160);
  const device = await openDevice(page);
  const { context, format } = contextOf(canvas, device);
  const module = device.createShaderModule({ code: SHADER });
  const viewLayout = device.createBindGroupLayout({
    entries: [{ binding: 0, visibility: GPUShaderStage.VERTEX, buffer: {} }],
  });
  const thingLayout = device.createBindGroupLayout({
    entries: [
      { binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, buffer: { hasDynamicOffset: true } },
    ],
  });
  const pipeline = device.createRenderPipeline({
    layout: device.createPipelineLayout({ bindGroupLayouts: [viewLayout, thingLayout] }),
    vertex: { module, buffers: [CUBE_LAYOUT] },
    fragment: { module, targets: [{ format }] },
    primitive: { cullMode: 'back' },
    depthStencil: DEPTH,
  });
  const view = device.createBuffer({ size: 64, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
  const viewGroup = device.createBindGroup({
    layout: viewLayout,
    entries: [{ binding: 0, resource: { buffer: view } }],
  });
  const buffer = bufferOf(device, things(), GPUBufferUsage.UNIFORM);
  const thingGroup = device.createBindGroup({
    layout: thingLayout,
    entries: [{ binding: 0, resource: { buffer, size: 80 } }],
  });
  const { vertices, indices } = makeCube(device);
  const recorder = device.createRenderBundleEncoder({ colorFormats: [format], depthStencilFormat: DEPTH.format });
  recorder.setPipeline(pipeline);
  recorder.setBindGroup(0, viewGroup);
  recorder.setVertexBuffer(0, vertices);
  recorder.setIndexBuffer(indices, 'uint16');
  for (let i = 0; i < COUNT; i++) {
    recorder.setBindGroup(1, thingGroup, [i * SPACING]);
    recorder.drawIndexed(36);
  }
  const bundle = recorder.finish();
  const depth = targetOf(device, canvas, 'depth24plus');
  const projection = perspective(2.2, canvas.width / canvas.height, 1, 40);
  for (let frame = 0; frame < 3; frame++) {
    await nextFrame();
    const matrix = multiply(projection, translation([0, 0, -14]), turnX(0.15), turnY(frame * 0.2));
    device.queue.writeBuffer(view, 0, new Float32Array(matrix));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [cleared(context.getCurrentTexture().createView(), [0.2, 0.15, 0.25, 1])],
      depthStencilAttachment: clearedDepth(depth),
    });
    pass.executeBundles([bundle]);
    pass.end();
    device.queue.submit([encoder.finish()]);
  }
}
