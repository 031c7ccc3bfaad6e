// What the renderer receives for a pass: complete states, shared by consecutive draw calls.
import { describe, expect, test } from 'vitest';
import { apiDevice, drawsOf } from '../fake';
import { GPUBufferUsage, GPUShaderStage, GPUTextureUsage } from '../../support/flags';

const WGSL = `
@group(0) @binding(0) var<uniform> u: vec4f;
@vertex fn vs(@location(0) p: vec4f) -> @builtin(position) vec4f { return p + u; }
@vertex fn bare() -> @builtin(position) vec4f { return vec4f(); }
@fragment fn fs() -> @location(0) vec4f { return vec4f(1); }`;

async function scene() {
  const made = await apiDevice();
  const { device, fake } = made;
  const module = device.createShaderModule({ code: WGSL });
  const target = device.createTexture({
    size: [32, 16],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.RENDER_ATTACHMENT,
  });
  const pipeline = device.createRenderPipeline({
    layout: device.createPipelineLayout({
      bindGroupLayouts: [
        device.createBindGroupLayout({
          entries: [{ binding: 0, visibility: GPUShaderStage.VERTEX, buffer: { hasDynamicOffset: true } }],
        }),
      ],
    }),
    vertex: {
      module,
      entryPoint: 'vs',
      buffers: [{ arrayStride: 16, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x4' }] }],
    },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
  });
  const bare = device.createRenderPipeline({
    label: 'bare',
    layout: 'auto',
    vertex: { module, entryPoint: 'bare' },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
  });
  const vertices = device.createBuffer({ size: 64, usage: GPUBufferUsage.VERTEX | GPUBufferUsage.INDEX });
  const uniforms = device.createBuffer({ size: 512, usage: GPUBufferUsage.UNIFORM });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer: uniforms, size: 16 } }],
  });
  const record = async (
    body: (pass: GPURenderPassEncoder) => void,
    descriptor: Partial<GPURenderPassDescriptor> = {}
  ) => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store', clearValue: [0.5, 0, 0, 1] }],
      ...descriptor,
    });
    body(pass);
    pass.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    expect(made.uncaptured).toEqual([]);
    return fake.passes.at(-1)!;
  };
  return { ...made, target, pipeline, bare, vertices, group, record };
}

describe('a pass', () => {
  test('has its attachments', async () => {
    const { record, device } = await scene();
    const many = device.createTexture({
      size: [8, 8],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.RENDER_ATTACHMENT,
      sampleCount: 4,
    });
    const one = device.createTexture({
      size: [16, 16],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.RENDER_ATTACHMENT,
      mipLevelCount: 2,
    });
    const depth = device.createTexture({
      size: [8, 8],
      format: 'depth24plus-stencil8',
      usage: GPUTextureUsage.RENDER_ATTACHMENT,
      sampleCount: 4,
    });
    const state = await record(() => undefined, {
      label: 'x',
      colorAttachments: [
        null,
        {
          view: many.createView(),
          resolveTarget: one.createView({ baseMipLevel: 1 }),
          loadOp: 'load',
          storeOp: 'discard',
        },
      ],
      depthStencilAttachment: {
        view: depth.createView(),
        depthLoadOp: 'clear',
        depthStoreOp: 'discard',
        depthClearValue: 0.25,
        stencilReadOnly: true,
      },
    });
    expect(state).toMatchObject({ label: 'x', width: 8, height: 8, samples: 4, runs: [] });
    expect(state.colors[0]).toBeNull();
    expect(state.colors[1]).toMatchObject({ clear: null, store: false, depthSlice: 0 });
    expect(state.colors[1]!.resolve!.shape).toMatchObject({ baseMipLevel: 1, mipLevelCount: 1 });
    expect(state.depthStencil).toMatchObject({
      depthClear: 0.25,
      depthStore: false,
      depthReadOnly: false,
      stencilClear: null,
      stencilStore: true,
      stencilReadOnly: true,
    });
  });

  test('draw calls share a state until a setter is called', async () => {
    const { record, pipeline, vertices, group } = await scene();
    const draws = drawsOf(
      await record((pass) => {
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group, [256]);
        pass.setVertexBuffer(0, vertices, 16);
        pass.draw(3);
        pass.draw(1, 2, 1, 4);
        pass.setPipeline(pipeline);
        pass.draw(2);
        pass.setScissorRect(1, 2, 3, 4);
        pass.setBlendConstant({ r: 1, g: 2, b: 3, a: 4 });
        pass.setStencilReference(9);
        pass.setViewport(1, 2, 3, 4, 0.25, 0.5);
        pass.setIndexBuffer(vertices, 'uint16', 2, 12);
        pass.drawIndexed(6, 1, 0, -1, 0);
      })
    );
    expect(draws).toHaveLength(4);
    expect([
      draws[1]!.state === draws[0]!.state,
      draws[2]!.state === draws[0]!.state,
      draws[3]!.state === draws[0]!.state,
    ]).toEqual([true, true, false]);
    expect(draws[1]).toMatchObject({
      indexed: false,
      count: 1,
      instanceCount: 2,
      first: 1,
      baseVertex: 0,
      firstInstance: 4,
      indirect: null,
    });
    expect(draws[3]).toMatchObject({ indexed: true, count: 6, baseVertex: -1 });
    const [first, last] = [draws[0]!, draws[3]!];
    expect(first).toMatchObject({
      viewports: [[0, 0, 32, 16, 0, 1]],
      scissor: [0, 0, 32, 16],
      blendConstant: [0, 0, 0, 0],
      stencilReference: 0,
      state: { index: null },
    });
    expect(first.groups[0]).toMatchObject({ group: { dynamic: [0] }, dynamicOffsets: [256] });
    expect(first.state.vertexBuffers[0]).toMatchObject({ offset: 16, size: 48 });
    expect(last).toMatchObject({
      viewports: [[1, 2, 3, 4, 0.25, 0.5]],
      scissor: [1, 2, 3, 4],
      blendConstant: [1, 2, 3, 4],
      stencilReference: 9,
      state: { index: { offset: 2, size: 12, bytes: 2 } },
    });
  });

  test('dynamic offsets may come from a part of a Uint32Array', async () => {
    const { record, pipeline, vertices, group } = await scene();
    const draws = drawsOf(
      await record((pass) => {
        pass.setPipeline(pipeline);
        pass.setVertexBuffer(0, vertices);
        pass.setBindGroup(0, group, new Uint32Array([1, 256, 3]), 1, 1);
        pass.draw(1);
        expect(() => pass.setBindGroup(0, group, new Uint32Array(2), 1, 2)).toThrow(RangeError);
      })
    );
    expect(draws[0]!.groups[0]!.dynamicOffsets).toEqual([256]);
  });

  test('empty draw calls are validated and skipped', async () => {
    const { record, bare } = await scene();
    const draws = drawsOf(
      await record((pass) => {
        pass.setPipeline(bare);
        pass.draw(0);
        pass.draw(3, 0);
      })
    );
    expect(draws).toEqual([]);
  });

  test('indirect draw calls carry their buffer', async () => {
    const { record, bare, device } = await scene();
    const buffer = device.createBuffer({ size: 64, usage: GPUBufferUsage.INDIRECT });
    const draws = drawsOf(
      await record((pass) => {
        pass.setPipeline(bare);
        pass.drawIndirect(buffer, 16);
      })
    );
    expect(draws[0]!.indirect!.offset).toBe(16);
  });

  test('bundles run with the dynamic state of the pass and reset all other state', async () => {
    const { record, pipeline, bare, vertices, group, device } = await scene();
    const encoder = device.createRenderBundleEncoder({ label: 'b', colorFormats: ['rgba8unorm', null] });
    encoder.setPipeline(pipeline);
    encoder.setVertexBuffer(0, vertices);
    encoder.setBindGroup(0, group, [256]);
    encoder.pushDebugGroup('two');
    encoder.draw(3);
    encoder.draw(0);
    encoder.draw(2, 5);
    encoder.popDebugGroup();
    const bundle = encoder.finish({ label: 'twice' });
    const state = await record((pass) => {
      pass.setPipeline(bare);
      pass.draw(7);
      pass.setScissorRect(1, 2, 3, 4);
      pass.executeBundles([bundle, bundle]);
      pass.setScissorRect(0, 0, 1, 1);
      pass.executeBundles([]);
      pass.executeBundles([bundle]);
    });
    expect(state.runs.map(({ begin, end }) => end - begin)).toEqual([1, 2, 2, 2]);
    expect(state.runs[2]!.list).toBe(state.runs[1]!.list);
    expect(drawsOf(state).map(({ count, scissor }) => [count, ...scissor])).toEqual([
      [7, 0, 0, 32, 16],
      [3, 1, 2, 3, 4],
      [2, 1, 2, 3, 4],
      [3, 1, 2, 3, 4],
      [2, 1, 2, 3, 4],
      [3, 0, 0, 1, 1],
      [2, 0, 0, 1, 1],
    ]);
    device.pushErrorScope('validation');
    const commands = device.createCommandEncoder();
    const pass = commands.beginRenderPass({
      label: 'p',
      colorAttachments: [
        {
          view: device.createTexture({ size: [4, 4], format: 'rgba8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT }),
          loadOp: 'clear',
          storeOp: 'store',
        },
      ],
    });
    pass.setPipeline(bare);
    pass.executeBundles([]);
    pass.draw(1);
    pass.end();
    commands.finish();
    expect((await device.popErrorScope())?.message).toBe(
      '[RenderPassEncoder "p"] draw: no pipeline is set; call setPipeline() first'
    );
  });

  test('resources of a bundle are validated at submit', async () => {
    const { target, pipeline, vertices, group, device } = await scene();
    const encoder = device.createRenderBundleEncoder({ colorFormats: ['rgba8unorm'] });
    encoder.setPipeline(pipeline);
    encoder.setVertexBuffer(0, vertices);
    encoder.setBindGroup(0, group, [0]);
    encoder.draw(1);
    const bundle = encoder.finish();
    const commands = device.createCommandEncoder();
    const pass = commands.beginRenderPass({ colorAttachments: [{ view: target, loadOp: 'clear', storeOp: 'store' }] });
    pass.executeBundles([bundle]);
    pass.end();
    const buffer = commands.finish();
    vertices.destroy();
    device.pushErrorScope('validation');
    device.queue.submit([buffer]);
    expect((await device.popErrorScope())?.message).toMatch(/uses .*, which is destroyed/);
  });

  test('after the first error nothing is encoded, and finish reports it', async () => {
    const { device, target, fake } = await scene();
    device.pushErrorScope('validation');
    const encoder = device.createCommandEncoder({ label: 'e' });
    const pass = encoder.beginRenderPass({
      label: 'p',
      colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
    });
    pass.draw(3);
    pass.setScissorRect(0, 0, 999, 999);
    pass.end();
    const commands = encoder.finish();
    expect((await device.popErrorScope())?.message).toBe(
      '[RenderPassEncoder "p"] draw: no pipeline is set; call setPipeline() first'
    );
    device.pushErrorScope('validation');
    device.queue.submit([commands]);
    expect((await device.popErrorScope())?.message).toMatch(/is invalid/);
    await device.queue.onSubmittedWorkDone();
    expect(fake.passes).toEqual([]);
  });

  test('the renderer receives a complete render pipeline', async () => {
    const { fake } = await scene();
    expect(fake.pipelines.at(-1)).toMatchObject({
      label: 'bare',
      buffers: [],
      depthStencil: null,
      targets: [{ blend: null, writeMask: 15, format: { name: 'rgba8unorm' } }],
      primitive: { topology: 'triangle-list', frontFace: 'ccw', cullMode: 'none', unclippedDepth: false },
      multisample: { count: 1, mask: 0xffffffff, alphaToCoverageEnabled: false },
    });
  });
});

describe('a pass that begins while another is open', () => {
  const begin = { compute: (encoder: GPUCommandEncoder) => encoder.beginComputePass(), render: beginRender };
  function beginRender(encoder: GPUCommandEncoder, device: GPUDevice): GPURenderPassEncoder {
    const view = device.createTexture({ size: [4, 4], format: 'rgba8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT });
    return encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
  }
  const kinds = ['compute', 'render'] as const;
  test.each(kinds.flatMap((a) => kinds.map((b) => [a, b] as const)))('cannot be ended: %s, then %s', async (a, b) => {
    const { device } = await apiDevice();
    const errorOf = async (act: () => unknown): Promise<string | undefined> => {
      device.pushErrorScope('validation');
      act();
      return (await device.popErrorScope())?.message;
    };
    for (const ends of [[0], [1], [0, 1], [1, 0]]) {
      const encoder = device.createCommandEncoder();
      const passes = [begin[a](encoder, device), begin[b](encoder, device)];
      for (const index of ends) {
        const message = await errorOf(() => passes[index]!.end());
        if (index === 0) expect(message).toBeUndefined();
        else expect(message).toMatch(/end: it was begun while another pass of .* was open/);
      }
      expect(await errorOf(() => encoder.finish())).toMatch(/is open; call its end\(\) first/);
    }
  });
});
