import {
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
@group(0) @binding(0) var<uniform> matrix: mat4x4f;
@group(0) @binding(1) var smooth_sampler: sampler;
@group(0) @binding(2) var picture: texture_2d<f32>;
struct Corner { @builtin(position) position: vec4f, @location(0) uv: vec2f, @location(1) seen: vec3f }
@vertex fn vertex(@location(0) position: vec3f, @location(2) uv: vec2f) -> Corner {
  return Corner(matrix * vec4f(position, 1), uv, position * 0.5 + 0.5);
}
@fragment fn fragment(in: Corner) -> @location(0) vec4f {
  return textureSample(picture, smooth_sampler, in.uv) * vec4f(in.seen, 1);
}`;

/** Tiles of two colors, each with a darker rim. */
function tiles(side: number): Uint8Array<ArrayBuffer> {
  const texels = new Uint8Array(side * side * 4);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const isRim = x % 16 < 1 || y % 16 < 1;
      const isWarm = ((x >> 4) + (y >> 4)) % 2 === 0;
      texels.set([...(isRim ? [60, 60, 60] : isWarm ? [255, 200, 120] : [160, 210, 255]), 255], (y * side + x) * 4);
    }
  return texels;
}

/** A textured cube that rotates for three frames. */
export async function texturedCube(page: Page): Promise<void> {
  const canvas = page.addCanvas(240, 160);
  const device = await openDevice(page);
  const { context, format } = contextOf(canvas, device);
  const module = device.createShaderModule({ code: SHADER });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module, buffers: [CUBE_LAYOUT] },
    fragment: { module, targets: [{ format }] },
    primitive: { cullMode: 'back' },
    depthStencil: DEPTH,
  });
  const texture = device.createTexture({
    size: [64, 64],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
  });
  device.queue.writeTexture({ texture }, tiles(64), { bytesPerRow: 256 }, [64, 64]);
  const matrix = device.createBuffer({ size: 64, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [
      { binding: 0, resource: { buffer: matrix } },
      { binding: 1, resource: device.createSampler({ magFilter: 'linear', minFilter: 'linear' }) },
      { binding: 2, resource: texture.createView() },
    ],
  });
  const { vertices, indices } = makeCube(device);
  const depth = targetOf(device, canvas, 'depth24plus');
  const projection = perspective(2, canvas.width / canvas.height, 1, 20);
  for (let frame = 1; frame <= 3; frame++) {
    await nextFrame();
    const model = multiply(translation([0, 0, -4.5]), turnX(0.25), turnY(frame * 0.15));
    device.queue.writeBuffer(matrix, 0, new Float32Array(multiply(projection, model)));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [cleared(context.getCurrentTexture().createView(), [0.5, 0.5, 0.5, 1])],
      depthStencilAttachment: clearedDepth(depth),
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.setVertexBuffer(0, vertices);
    pass.setIndexBuffer(indices, 'uint16');
    pass.drawIndexed(36);
    pass.end();
    device.queue.submit([encoder.finish()]);
  }
}
