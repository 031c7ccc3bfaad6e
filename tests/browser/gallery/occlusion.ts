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
  readNumbers,
  scaling,
  targetOf,
  translation,
  turnY,
  type Matrix,
  type Page,
} from './kit';

const SHADER = `
struct Thing { matrix: mat4x4f, color: vec4f }
@group(0) @binding(0) var<uniform> things: array<Thing, 8>;
struct Corner { @builtin(position) position: vec4f, @location(0) @interpolate(flat) color: vec4f }
@vertex fn vertex(
  @location(0) position: vec3f, @location(1) normal: vec3f, @builtin(instance_index) i: u32
) -> Corner {
  let light = 0.6 + 0.4 * normal.y + 0.2 * normal.x;
  return Corner(things[i].matrix * vec4f(position, 1), vec4f(things[i].color.rgb * light, 1));
}
@fragment fn fragment(in: Corner) -> @location(0) vec4f { return in.color; }`;

/** A wall, and cubes around it: fully hidden, partly hidden, visible, and outside of the picture. */
const WALL: Matrix = multiply(translation([0, 0, 0]), scaling([2, 1.5, 0.1]));
const CUBES: readonly Matrix[] = [
  [0, 0, -3],
  [-0.8, 0.4, -2],
  [2.2, 0, -2],
  [-3.4, 0, 0],
  [0, 2.6, 1],
  [0.5, -0.4, 2],
  [40, 0, 0],
].map(([x = 0, y = 0, z = 0]) => multiply(translation([x, y, z]), turnY(0.3), scaling([0.4, 0.4, 0.4])));

/**
 * Finds which of seven cubes behind and in front of a wall are visible, by occlusion queries. Visible ones are marked
 * along the lower edge.
 */
export async function occlusion(page: Page): Promise<readonly boolean[]> {
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
  const view = multiply(perspective(2, canvas.width / canvas.height, 1, 60), translation([0, 0, -9]));
  const things = device.createBuffer({ size: 8 * 80, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
  const place = (matrices: readonly Matrix[]): void =>
    device.queue.writeBuffer(
      things,
      0,
      new Float32Array(
        matrices.flatMap((matrix, i) => [...matrix, i === 0 ? 0.5 : 0.15 * i, 0.6, i === 0 ? 0.5 : 0.9 - 0.1 * i, 1])
      )
    );
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer: things } }],
  });
  const { vertices, indices } = makeCube(device);
  const depth = targetOf(device, canvas, 'depth24plus');
  const occlusionQuerySet = device.createQuerySet({ type: 'occlusion', count: CUBES.length });
  const results = device.createBuffer({
    size: 8 * CUBES.length,
    usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
  });
  const draw = (loadOp: GPULoadOp, body: (pass: GPURenderPassEncoder) => void): void => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ ...cleared(context.getCurrentTexture().createView(), [0.1, 0.12, 0.1, 1]), loadOp }],
      depthStencilAttachment: clearedDepth(depth),
      occlusionQuerySet,
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.setVertexBuffer(0, vertices);
    pass.setIndexBuffer(indices, 'uint16');
    body(pass);
    pass.end();
    encoder.resolveQuerySet(occlusionQuerySet, 0, CUBES.length, results, 0);
    device.queue.submit([encoder.finish()]);
  };
  const asSeen = [WALL, ...CUBES].map((model) => multiply(view, model));
  const drawAll = (pass: GPURenderPassEncoder): void => {
    pass.drawIndexed(36);
    for (const i of CUBES.keys()) {
      pass.beginOcclusionQuery(i);
      pass.drawIndexed(36, 1, 0, 0, i + 1);
      pass.endOcclusionQuery();
    }
  };
  await nextFrame();
  place(asSeen);
  draw('clear', drawAll);
  const numbers = await readNumbers(device, results);
  const isSeen = CUBES.map((_, i) => numbers[2 * i] !== 0 || numbers[2 * i + 1] !== 0);
  // Both passes in one frame.
  await nextFrame();
  place(asSeen);
  draw('clear', drawAll);
  place(CUBES.map((_, i) => multiply(translation([i * 0.25 - 0.75, -0.85, 0.5]), scaling([0.08, 0.08, 0.01]))));
  draw('load', (pass) =>
    isSeen.forEach((seen, i) => {
      if (seen) pass.drawIndexed(36, 1, 0, 0, i);
    })
  );
  return isSeen;
}
