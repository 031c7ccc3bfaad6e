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
  type Page,
} from './kit';

const SHADER = `
@group(0) @binding(0) var<uniform> view: mat4x4f;
@group(0) @binding(1) var<uniform> picked: u32;
struct Corner {
  @builtin(position) position: vec4f, @location(0) normal: vec3f, @location(1) @interpolate(flat) id: u32
}
@vertex fn vertex(
  @location(0) position: vec3f, @location(1) normal: vec3f, @builtin(instance_index) i: u32
) -> Corner {
  let place = vec3f(f32(i % 4) * 2.6 - 3.9, f32(i / 4) * 2.6 - 2.6, -f32(i % 3));
  return Corner(view * vec4f(position + place, 1), normal, i + 1);
}
struct Pixel { @location(0) color: vec4f, @location(1) id: u32 }
@fragment fn fragment(in: Corner) -> Pixel {
  let light = 0.5 + 0.5 * dot(in.normal, vec3f(0.3, 0.6, 0.74));
  let color = select(vec3f(0.5, 0.6, 0.7), vec3f(1, 0.6, 0.1), in.id == picked);
  return Pixel(vec4f(color * light, 1), in.id);
}`;

/** Ids in a second target; the ids under the pointer are read, and the last one is drawn in another color. */
export async function picking(page: Page): Promise<readonly number[]> {
  const canvas = page.addCanvas(240, 160);
  const device = await openDevice(page);
  const { context, format } = contextOf(canvas, device);
  const module = device.createShaderModule({ code: SHADER });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module, buffers: [CUBE_LAYOUT] },
    primitive: { cullMode: 'back' },
    depthStencil: DEPTH,
    fragment: { module, targets: [{ format }, { format: 'r32uint' }] },
  });
  const matrix = multiply(perspective(2, canvas.width / canvas.height, 1, 40), translation([0, 0, -11]), turnX(0.08));
  const view = bufferOf(device, new Float32Array(matrix), GPUBufferUsage.UNIFORM);
  const picked = device.createBuffer({ size: 4, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [view, picked].map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
  const { vertices, indices } = makeCube(device);
  const depth = targetOf(device, canvas, 'depth24plus');
  const ids = targetOf(device, canvas, 'r32uint', { usage: GPUTextureUsage.COPY_SRC });
  const draw = (): void => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [
        cleared(context.getCurrentTexture().createView(), [0.1, 0.1, 0.1, 1]),
        cleared(ids.createView(), [0, 0, 0, 0]),
      ],
      depthStencilAttachment: clearedDepth(depth),
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.setVertexBuffer(0, vertices);
    pass.setIndexBuffer(indices, 'uint16');
    pass.drawIndexed(36, 12);
    pass.end();
    device.queue.submit([encoder.finish()]);
  };
  const idAt = async (x: number, y: number): Promise<number> => {
    const buffer = device.createBuffer({ size: 4, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const encoder = device.createCommandEncoder();
    encoder.copyTextureToBuffer({ texture: ids, origin: [x, y] }, { buffer }, [1, 1]);
    device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    return new Uint32Array(buffer.getMappedRange())[0]!;
  };
  const found: number[] = [];
  for (const [x, y] of [
    [4, 4],
    [62, 30],
    [100, 75],
    [178, 128],
  ] as const) {
    await nextFrame();
    draw();
    found.push(await idAt(x, y));
    device.queue.writeBuffer(picked, 0, new Uint32Array(found.slice(-1)));
  }
  await nextFrame();
  draw();
  return found;
}
