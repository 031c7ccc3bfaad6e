import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModularPipeline, ModularPipelineDescriptor, ModularPipelineCommands } from '../../../src/index';
import { builtPackage } from '../../images/open';
import { open } from '../../threads/open';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../../support/flags';
import { CODE, type Device, buffer } from './modular.kit';

describe('modular pipelines', () => {
  let device: Device;
  let module: GPUShaderModule;
  beforeAll(async () => {
    device = (await open({ threads: 0 })) as unknown as Device;
    module = device.createShaderModule({ code: CODE });
  });
  afterAll(() => device.destroy());

  const stage = (entryPoint: string, enabled = true) => ({ kind: 'vertex' as const, module, entryPoint, enabled });
  const raster = (entryPoint: string) => ({
    raster: { fragment: { module, entryPoint, targets: [{ format: 'rgba8unorm' as const }] } },
  });
  const table = (
    stages: ModularPipelineDescriptor['stages'],
    more: Partial<ModularPipelineDescriptor> = {}
  ): ModularPipelineDescriptor => ({
    label: 'stack',
    layout: 'auto',
    input: { buffers: [buffer('float32x3')] },
    stages,
    sinks: [raster('fs')],
    ...more,
  });
  async function errorOf(act: () => unknown): Promise<string | undefined> {
    device.pushErrorScope('validation');
    act();
    return (await device.popErrorScope())?.message;
  }

  function drawn(draw: (pass: GPURenderPassEncoder & ModularPipelineCommands) => void): Promise<string | undefined> {
    return errorOf(() => {
      const view = device
        .createTexture({ size: [4, 4], format: 'rgba8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT })
        .createView();
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
      draw(pass as GPURenderPassEncoder & ModularPipelineCommands);
      pass.end();
      device.queue.submit([encoder.finish()]);
    });
  }
  function set(pass: GPURenderPassEncoder, pipeline: ModularPipeline): void {
    pass.setPipeline(pipeline);
    pass.setVertexBuffer(0, device.createBuffer({ size: 64, usage: GPUBufferUsage.VERTEX }));
  }

  test('require each of several sink buffers to be set', async () => {
    const pipeline = device.createModularPipeline(
      table([stage('load')], {
        sinks: [0, 1].map(() => ({
          buffer: { arrayStride: 4, attributes: [{ shaderLocation: 2, offset: 0, format: 'float32' as const }] },
        })),
      })
    );
    const buffer = (): GPUBuffer => device.createBuffer({ size: 64, usage: GPUBufferUsage.STORAGE });
    const said = await drawn((pass) => {
      set(pass, pipeline);
      pass.setSinkBuffer(buffer());
      pass.draw(3);
    });
    expect(said).toContain('has a buffer sink; call setSinkBuffer() for sinks[1] first');
    expect(
      await drawn((pass) => {
        pass.setSinkBuffer(buffer(), 0, 64, null, 0, 32);
      })
    ).toContain('sink 32: a modular pipeline has at most 32 sinks');
  });

  test('reject overlapping sink buffers and counts', async () => {
    const pipeline = device.createModularPipeline(
      table([stage('load')], {
        sinks: [0, 1].map(() => ({
          buffer: { arrayStride: 4, attributes: [{ shaderLocation: 2, offset: 0, format: 'float32' as const }] },
        })),
      })
    );
    const [one, other] = [0, 1].map((i) =>
      device.createBuffer({ label: `b${i}`, size: 64, usage: GPUBufferUsage.STORAGE })
    ) as [GPUBuffer, GPUBuffer];
    type Part = readonly [offset: number, size: number, counts: GPUBuffer | null, at: number];
    const drawnTo = (a: Part, b: Part, second = one): Promise<string | undefined> =>
      drawn((pass) => {
        set(pass, pipeline);
        pass.setSinkBuffer(one, ...a, 0);
        pass.setSinkBuffer(second, ...b, 1);
        pass.draw(3);
      });
    const first =
      'sinks[0] and sinks[1] are overlapping parts of [Buffer "b0"]; give setSinkBuffer() parts that do not overlap';
    expect(await drawnTo([0, 32, null, 0], [0, 32, null, 0])).toContain(first);
    expect(await drawnTo([0, 32, null, 0], [28, 32, null, 0])).toContain(first);
    expect(await drawnTo([0, 32, null, 0], [32, 32, null, 0])).toBeUndefined();
    expect(await drawnTo([0, 64, null, 0], [0, 64, null, 0], other)).toBeUndefined();
    expect(await drawnTo([0, 32, one, 16], [32, 32, null, 0])).toContain(
      'sinks[0] and the counts of sinks[0] are overlapping'
    );
    expect(await drawnTo([0, 64, other, 0], [0, 16, other, 16], other)).toContain(
      'the counts of sinks[0] and sinks[1] are'
    );
    expect(await drawnTo([0, 16, one, 32], [16, 16, one, 44])).toContain(
      'the counts of sinks[0] and the counts of sinks[1] are'
    );
    expect(await drawnTo([0, 16, one, 32], [16, 16, one, 48])).toBeUndefined();
    // A sink that the pipeline does not have is not written.
    expect(
      await drawn((pass) => {
        pass.setSinkBuffer(one, 0, 32, null, 0, 5);
        set(pass, pipeline);
        pass.setSinkBuffer(one, 0, 32, null, 0, 0);
        pass.setSinkBuffer(one, 32, 32, null, 0, 1);
        pass.draw(3);
      })
    ).toBeUndefined();
  });

  test('reject draw calls that write to sinks of earlier ones, unless they continue after them', async () => {
    const pipeline = device.createModularPipeline(
      table([stage('load')], {
        sinks: [
          { buffer: { arrayStride: 4, attributes: [{ shaderLocation: 2, offset: 0, format: 'float32' as const }] } },
        ],
      })
    );
    const sink = device.createBuffer({ label: 'b', size: 64, usage: GPUBufferUsage.STORAGE });
    type Draws = readonly (readonly [offset: number, size: number] | null)[];
    const record = (pass: ModularPipelineCommands & GPURenderPassEncoder, draws: Draws): void => {
      set(pass, pipeline);
      for (const part of draws) {
        if (part) pass.setSinkBuffer(sink, ...part);
        pass.draw(3);
      }
    };
    const said = 'sinks[0] of an earlier draw and sinks[0] are overlapping parts of [Buffer "b"]';
    expect(
      await drawn((pass) => {
        record(pass, [
          [0, 32],
          [0, 32],
        ]);
      })
    ).toContain(said);
    expect(
      await drawn((pass) => {
        record(pass, [
          [0, 12],
          [16, 12],
          [8, 12],
        ]);
      })
    ).toContain(said);
    expect(
      await drawn((pass) => {
        record(pass, [[0, 32], null, [32, 32], null]);
      })
    ).toBeUndefined();
    expect(
      await drawn((pass) => {
        pass.setSinkBuffer(sink, 0, 64);
        record(pass, [[0, 64]]);
      })
    ).toBeUndefined();
  });

  test('bundles of passes without attachments can set sinks', async () => {
    const pipeline = device.createModularPipeline(
      table([stage('load')], {
        sinks: [
          { buffer: { arrayStride: 4, attributes: [{ shaderLocation: 2, offset: 0, format: 'float32' as const }] } },
        ],
      })
    );
    const counts = device.createBuffer({ size: 16, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
    const read = device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const vertices = device.createBuffer({ size: 64, usage: GPUBufferUsage.VERTEX });
    expect(
      await errorOf(() => {
        const bundler = device.createRenderBundleEncoder({ colorFormats: [] }) as GPURenderBundleEncoder
          & ModularPipelineCommands;
        bundler.setPipeline(pipeline);
        bundler.setVertexBuffer(0, vertices);
        bundler.setSinkBuffer(device.createBuffer({ size: 64, usage: GPUBufferUsage.STORAGE }), 0, 64, counts);
        bundler.draw(3);
        const bundle = bundler.finish();
        const encoder = device.createCommandEncoder();
        const pass = encoder.beginRenderPass({
          colorAttachments: [],
          size: [1, 1],
          sampleCount: 1,
        } as unknown as GPURenderPassDescriptor);
        pass.executeBundles([bundle, bundle]);
        pass.end();
        encoder.copyBufferToBuffer(counts, 0, read, 0, 16);
        device.queue.submit([encoder.finish()]);
      })
    ).toBeUndefined();
    await read.mapAsync(GPUMapMode.READ);
    expect([...new Uint32Array(read.getMappedRange())]).toEqual([6, 1, 0, 0]);
    const bare = (): GPURenderBundle => device.createRenderBundleEncoder({ colorFormats: [] }).finish();
    expect(await drawn((pass) => pass.executeBundles([bare()]))).toContain(
      'renders to colour formats [], but the pass has [rgba8unorm]'
    );
    const adapter = await (await builtPackage()).create({ threads: 0 }).requestAdapter();
    const plain = await adapter!.requestDevice();
    plain.pushErrorScope('validation');
    plain.createRenderBundleEncoder({ colorFormats: [] });
    expect((await plain.popErrorScope())?.message).toContain(
      'the bundle has no attachment: add a colour format or a depthStencilFormat'
    );
    plain.destroy();
  });
});
