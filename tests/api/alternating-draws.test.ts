// Draws of several pipelines in turn, between which some of the state changes: each has its own, though those of one
// pipeline share records where they have the same.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deviceOf } from '../compute/kit';

const DRAWS = 24, MOST = 3;
const CODE = `
  struct Out { @builtin(position) p: vec4f, @location(0) c: vec4f }
  @group(0) @binding(0) var<uniform> group: f32;
  @vertex fn vertex(@builtin(instance_index) i: u32, @location(0) value: f32) -> Out {
    return Out(vec4f((f32(i) + 0.5) / ${DRAWS} * 2 - 1, 0, 0.5, 1), vec4f(0, value, group, 0));
  }
  @fragment fn f0(@location(0) c: vec4f) -> @location(0) vec4f { return c + vec4f(0, 0, 0, 1); }
  @fragment fn f1(@location(0) c: vec4f) -> @location(0) vec4f { return c + vec4f(1, 0, 0, 1); }
  @fragment fn f2(@location(0) c: vec4f) -> @location(0) vec4f { return c + vec4f(2, 0, 0, 1); }`;

interface Step { pipeline: number; group: number; vertices: number; isCut: boolean }

test('draws in turn have their own state', async () => {
  const device = await deviceOf('compiled');
  const module = device.createShaderModule({ code: CODE });
  const groupLayout = device.createBindGroupLayout({ entries: [{ binding: 0, visibility: 1, buffer: {} }] });
  const layout = device.createPipelineLayout({ bindGroupLayouts: [groupLayout] });
  const buffers = Array.from({ length: MOST }, (_, value) => {
    const buffer = device.createBuffer({ size: 16, usage: 32 | 64 | 8 });
    device.queue.writeBuffer(buffer, 0, new Float32Array([value]));
    return buffer;
  });
  const groups = buffers.map((buffer) => device.createBindGroup({
    layout: groupLayout, entries: [{ binding: 0, resource: { buffer } }],
  }));
  const pipelines = Array.from({ length: MOST }, (_, k) => device.createRenderPipeline({
    layout, primitive: { topology: 'point-list' },
    vertex: { module, buffers: [{ arrayStride: 4, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32' }] }] },
    fragment: { module, entryPoint: `f${k}`, targets: [{ format: 'rgba32float' }] },
  }));
  const target = device.createTexture({ size: [DRAWS, 1], format: 'rgba32float', usage: 16 | 1 });
  const out = device.createBuffer({ size: 512, usage: 1 | 8 });
  const picture = async (steps: readonly Step[]): Promise<number[][]> => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store', clearValue: [9, 9, 9, 9] }],
    });
    // What has not changed is not set again: then it is the same to the renderer.
    steps.forEach(({ pipeline, group, vertices, isCut }, i) => {
      const before = steps[i - 1];
      pass.setPipeline(pipelines[pipeline]!);
      if (group !== before?.group) pass.setBindGroup(0, groups[group]!);
      if (vertices !== before?.vertices) pass.setVertexBuffer(0, buffers[vertices]!);
      if (isCut !== before?.isCut) pass.setScissorRect(0, 0, isCut ? 0 : DRAWS, 1);
      pass.draw(1, 1, 0, i);
    });
    pass.end();
    encoder.copyTextureToBuffer({ texture: target }, { buffer: out, bytesPerRow: 512 }, [DRAWS, 1]);
    device.queue.submit([encoder.finish()]);
    await out.mapAsync(1);
    const words = new Float32Array(out.getMappedRange().slice(0));
    out.unmap();
    return steps.map((_, i) => [...words.subarray(4 * i, 4 * i + 4)]);
  };
  const of = (most: number): fc.Arbitrary<number> => fc.nat(most - 1);
  const step = fc.record({
    pipeline: of(MOST), group: of(2), vertices: of(2), isCut: fc.nat(4).map((n) => n === 0),
  });
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: DRAWS }), async (steps) => {
    expect(await picture(steps)).toEqual(steps.map(({ pipeline, group, vertices, isCut }) => (
      isCut ? [9, 9, 9, 9] : [pipeline, vertices, group, 1]
    )));
  }), { numRuns: 60 });
});
