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
  targetOf,
  translation,
  turnX,
  turnY,
  type Page,
} from './kit';

const SHADER = `
struct Frame { projection: mat4x4f, turned: mat4x4f, model: mat4x4f }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var sky: texture_cube<f32>;
@group(0) @binding(2) var smooth_sampler: sampler;
struct Corner { @builtin(position) position: vec4f, @location(0) direction: vec3f, @location(1) normal: vec3f }

// The inside of a cube around the eye, behind everything: depth is 1.
@vertex fn skyVertex(@location(0) position: vec3f) -> Corner {
  let clip = frame.projection * frame.turned * vec4f(position * 10, 1);
  return Corner(clip.xyww, position, position);
}
@fragment fn skyFragment(in: Corner) -> @location(0) vec4f {
  return textureSample(sky, smooth_sampler, in.direction);
}
@vertex fn mirrorVertex(@location(0) position: vec3f, @location(1) normal: vec3f) -> Corner {
  let seen = frame.model * vec4f(position, 1);
  return Corner(frame.projection * seen, seen.xyz, (frame.model * vec4f(normal, 0)).xyz);
}
@fragment fn mirrorFragment(in: Corner) -> @location(0) vec4f {
  let reflected = reflect(normalize(in.direction), normalize(in.normal));
  return textureSample(sky, smooth_sampler, (vec4f(reflected, 0) * frame.turned).xyz) * vec4f(0.9, 0.8, 0.6, 1);
}`;
const SIDE = 32;
const COLORS = [
  [220, 60, 60],
  [60, 160, 60],
  [90, 150, 240],
  [90, 70, 50],
  [230, 200, 60],
  [170, 80, 200],
];

/** A face: its color with rings, and a white dot towards its first texel. */
function face(color: readonly number[]): ImageData {
  const image = new ImageData(SIDE, SIDE);
  for (let y = 0; y < SIDE; y++)
    for (let x = 0; x < SIDE; x++) {
      const fromMiddle = Math.max(Math.abs(x - 15.5), Math.abs(y - 15.5));
      const isDot = x > 2 && x < 8 && y > 2 && y < 8;
      const factor = Math.floor(fromMiddle / 4) % 2 ? 1 : 0.7;
      image.data.set(isDot ? [255, 255, 255, 255] : [...color.map((c) => c * factor), 255], (y * SIDE + x) * 4);
    }
  return image;
}

/** A cube map around the eye, and a cube that reflects it. */
export async function skybox(page: Page): Promise<void> {
  const canvas = page.addCanvas(240, 160);
  const device = await openDevice(page);
  const { context, format } = contextOf(canvas, device);
  const module = device.createShaderModule({ code: SHADER });
  const texture = device.createTexture({
    size: [SIDE, SIDE, 6],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST | GPUTextureUsage.RENDER_ATTACHMENT,
  });
  for (const [z, color] of COLORS.entries())
    device.queue.copyExternalImageToTexture({ source: face(color) }, { texture, origin: [0, 0, z] }, [SIDE, SIDE]);
  const bindings = device.createBindGroupLayout({
    entries: [
      { binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, buffer: {} },
      { binding: 1, visibility: GPUShaderStage.FRAGMENT, texture: { viewDimension: 'cube' } },
      { binding: 2, visibility: GPUShaderStage.FRAGMENT, sampler: {} },
    ],
  });
  const make = (name: string, depthCompare: GPUCompareFunction, cullMode: GPUCullMode): GPURenderPipeline =>
    device.createRenderPipeline({
      layout: device.createPipelineLayout({ bindGroupLayouts: [bindings] }),
      primitive: { cullMode },
      vertex: { module, entryPoint: `${name}Vertex`, buffers: [CUBE_LAYOUT] },
      fragment: { module, entryPoint: `${name}Fragment`, targets: [{ format }] },
      depthStencil: { ...DEPTH, depthCompare },
    });
  const mirror = make('mirror', 'less', 'back');
  const sky = make('sky', 'less-equal', 'front');
  const turned = multiply(turnX(0.12), turnY(0.3));
  const frame = new Float32Array([
    ...perspective(1.2, canvas.width / canvas.height, 0.5, 40),
    ...turned,
    ...multiply(translation([0, 0, -4]), turnX(0.3), turnY(0.4)),
  ]);
  const group = device.createBindGroup({
    layout: bindings,
    entries: [
      { binding: 0, resource: { buffer: bufferOf(device, frame, GPUBufferUsage.UNIFORM) } },
      { binding: 1, resource: texture.createView({ dimension: 'cube' }) },
      { binding: 2, resource: device.createSampler({ magFilter: 'linear', minFilter: 'linear' }) },
    ],
  });
  const { vertices, indices } = makeCube(device);
  const depth = targetOf(device, canvas, 'depth24plus');
  await nextFrame();
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [cleared(context.getCurrentTexture().createView(), [0, 0, 0, 1])],
    depthStencilAttachment: clearedDepth(depth),
  });
  pass.setBindGroup(0, group);
  pass.setVertexBuffer(0, vertices);
  pass.setIndexBuffer(indices, 'uint16');
  for (const pipeline of [mirror, sky]) {
    pass.setPipeline(pipeline);
    pass.drawIndexed(36);
  }
  pass.end();
  device.queue.submit([encoder.finish()]);
}
