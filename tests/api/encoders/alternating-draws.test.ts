// Draw calls with alternating pipelines and partial state changes in between. Each has its own state, although draw
// calls of one pipeline share records with equal contents. Bundles of them draw the same.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openBuiltWith } from '../../images/open';
import { forCreate } from '../../support/options';
import { GPUBufferUsage, GPUMapMode, GPUShaderStage, GPUTextureUsage } from '../../support/flags';

const DRAWS = 192;
const MOST = 3;
const STRIDE = 256;
const CODE = `
  struct Out { @builtin(position) p: vec4f, @location(0) c: vec4f }
  @group(0) @binding(0) var<uniform> group: f32;
  @group(0) @binding(1) var<uniform> moved: vec2f;
  @vertex fn vertex(@builtin(instance_index) i: u32, @location(0) value: f32) -> Out {
    return Out(vec4f((f32(i) + 0.5) / ${DRAWS} * 2 - 1, 0, 0.5, 1), vec4f(0, value, group + 8 * moved.x, 0));
  }
  @fragment fn f0(@location(0) c: vec4f) -> @location(0) vec4f { return c + vec4f(0, 0, 0, moved.y); }
  @fragment fn f1(@location(0) c: vec4f) -> @location(0) vec4f { return c + vec4f(1, 0, 0, moved.y + group); }
  @fragment fn f2(@location(0) c: vec4f) -> @location(0) vec4f { return c + vec4f(2, 0, 0, 1); }`;

interface Step {
  pipeline: number;
  group: number;
  offset: number;
  vertices: number;
  isIndexed: boolean;
  isIndirect: boolean;
  count: number;
  isCut: boolean;
}

/** The pixel after a draw call with the step's state. */
function expected({ pipeline, group, offset, vertices, isCut }: Step): number[] {
  if (isCut) return [9, 9, 9, 9];
  const alpha = [offset + 0.5, offset + 0.5 + group, 1][pipeline]!;
  return [pipeline, vertices, group + 8 * offset, alpha];
}

test.each([
  { engine: 'jit', threads: 0 },
  { engine: 'interpreter', threads: 2 },
  { engine: 'jit', threads: 2, distribution: 'any', chunkEveryDraw: true },
] as const)('alternating draw calls have their own state with %o', async (options) => {
  const device = await openBuiltWith(['indirect-first-instance'], forCreate(options));
  const module = device.createShaderModule({ code: CODE });
  const groupLayout = device.createBindGroupLayout({
    entries: [
      { binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, buffer: {} },
      { binding: 1, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, buffer: { hasDynamicOffset: true } },
    ],
  });
  const layout = device.createPipelineLayout({ bindGroupLayouts: [groupLayout] });
  const buffers = Array.from({ length: MOST }, (_, value) => {
    const buffer = device.createBuffer({
      size: 16,
      usage: GPUBufferUsage.VERTEX | GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    });
    device.queue.writeBuffer(buffer, 0, new Float32Array([value]));
    return buffer;
  });
  const offsets = device.createBuffer({ size: MOST * STRIDE, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
  for (let k = 0; k < MOST; k++) device.queue.writeBuffer(offsets, k * STRIDE, new Float32Array([k, k + 0.5]));
  // Strides of 0: all vertices are the first one.
  const indices = device.createBuffer({ size: 4 * DRAWS, usage: GPUBufferUsage.INDEX });
  const arguments_ = device.createBuffer({
    size: 16 * DRAWS,
    usage: GPUBufferUsage.INDIRECT | GPUBufferUsage.COPY_DST,
  });
  const groups = buffers.map((buffer) =>
    device.createBindGroup({
      layout: groupLayout,
      entries: [
        { binding: 0, resource: { buffer } },
        { binding: 1, resource: { buffer: offsets, size: 8 } },
      ],
    })
  );
  const pipelines = Array.from({ length: MOST }, (_, k) =>
    device.createRenderPipeline({
      layout,
      primitive: { topology: 'point-list' },
      vertex: {
        module,
        buffers: [{ arrayStride: 0, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32' }] }],
      },
      fragment: { module, entryPoint: `f${k}`, targets: [{ format: 'rgba32float' }] },
    })
  );
  const target = device.createTexture({
    size: [DRAWS, 1],
    format: 'rgba32float',
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
  });
  const out = device.createBuffer({ size: 16 * DRAWS, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  type Draws = Pick<GPURenderPassEncoder, 'setPipeline' | 'setBindGroup' | 'setVertexBuffer' | 'setIndexBuffer'>
    & Pick<GPURenderPassEncoder, 'draw' | 'drawIndexed' | 'drawIndirect'>;
  /** Unchanged state is not set again, except in every `again`th draw call: the renderer then sees the same object. */
  const encode = (
    to: Draws,
    { pipeline, group, offset, vertices, isIndexed, count, isIndirect }: Step,
    i: number,
    before: Step | undefined
  ): void => {
    if (!before) to.setIndexBuffer(indices, 'uint32');
    const again = i % 7 === 0;
    to.setPipeline(pipelines[pipeline]!);
    if (again || group !== before?.group || offset !== before.offset) {
      if (i % 2 === 0) to.setBindGroup(0, groups[group]!, [offset * STRIDE]);
      else to.setBindGroup(0, groups[group]!, new Uint32Array([7, offset * STRIDE]), 1, 1);
    }
    if (again || vertices !== before?.vertices) to.setVertexBuffer(0, buffers[vertices]!);
    if (isIndirect) {
      device.queue.writeBuffer(arguments_, i * 16, new Uint32Array([count, 1, 0, i]));
      to.drawIndirect(arguments_, i * 16);
    } else if (isIndexed) to.drawIndexed(count, 1, 0, 0, i);
    else to.draw(count, 1, 0, i);
    // Draws nothing.
    if (again) to.draw(0, 1, 0, i);
  };
  const bundleOf = (steps: readonly Step[], first: number, end: number): GPURenderBundle => {
    const encoder = device.createRenderBundleEncoder({ colorFormats: ['rgba32float'] });
    for (let i = first; i < end; i++) encode(encoder, steps[i]!, i, i > first ? steps[i - 1] : undefined);
    return encoder.finish();
  };
  const picture = async (steps: readonly Step[], inBundles: boolean): Promise<number[][]> => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store', clearValue: [9, 9, 9, 9] }],
    });
    const cuts = steps.flatMap(({ isCut }, i) => (isCut === steps[i - 1]?.isCut ? [] : [i]));
    cuts.forEach((first, k) => {
      const end = cuts[k + 1] ?? steps.length;
      pass.setScissorRect(0, 0, steps[first]!.isCut ? 0 : DRAWS, 1);
      if (inBundles) pass.executeBundles([bundleOf(steps, first, end)]);
      else for (let i = first; i < end; i++) encode(pass, steps[i]!, i, steps[i - 1]);
    });
    pass.end();
    encoder.copyTextureToBuffer({ texture: target }, { buffer: out, bytesPerRow: 16 * DRAWS }, [DRAWS, 1]);
    device.queue.submit([encoder.finish()]);
    await out.mapAsync(GPUMapMode.READ);
    const words = new Float32Array(out.getMappedRange().slice(0));
    out.unmap();
    return steps.map((_, i) => [...words.subarray(4 * i, 4 * i + 4)]);
  };
  const of = (most: number): fc.Arbitrary<number> => fc.nat(most - 1);
  const step = fc.record({
    pipeline: of(MOST),
    group: of(2),
    offset: of(MOST),
    vertices: of(2),
    isIndexed: fc.boolean(),
    isIndirect: fc.nat(7).map((n) => n === 0),
    // A few large ones fill more than one call of the kernel.
    count: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 4 }) }, fc.integer({ min: 1, max: DRAWS })),
    isCut: fc.nat(4).map((n) => n === 0),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: DRAWS, size: 'max' }), async (steps) => {
      expect(await picture(steps, false)).toEqual(steps.map(expected));
      expect(await picture(steps, true)).toEqual(steps.map(expected));
    }),
    { numRuns: 20 }
  );
  device.destroy();
});
