// Running out of memory at any point, and freeing memory.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { draw, fragment, open, pause, pixel, RED, IS_RED, type Opened } from './kit';
import { GPUBufferUsage, GPUMapMode, GPUShaderStage, GPUTextureUsage } from '../support/flags';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const SAMPLED = fragment(
  'var a: array<f32, 300>; a[u32(p.x)] = 1; return textureSample(t, s, p.xy) + a[u32(p.y)];',
  '@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler;'
);

describe('out of memory', () => {
  /**
   * A draw call with a texture, a sampler and a large register file. Returns the messages of the error scopes and of
   * the promise.
   */
  async function told({ device }: Opened): Promise<string[]> {
    const filters = ['out-of-memory', 'validation', 'internal'] as const;
    for (const filter of filters) device.pushErrorScope(filter);
    const body = (pass: GPURenderPassEncoder, pipeline: GPURenderPipeline): void => {
      const view = device
        .createTexture({ size: [8, 8], format: 'rgba8unorm', usage: GPUTextureUsage.TEXTURE_BINDING })
        .createView();
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [
            { binding: 0, resource: view },
            { binding: 1, resource: device.createSampler() },
          ],
        })
      );
      pass.draw(3);
    };
    const outcome = await draw(device, { code: SAMPLED, body }).then(
      (pixels) => `drawn ${pixel(pixels, 32, 32)}`,
      (error: Error) => `thrown ${error.name}`
    );
    const found = [];
    for (const filter of [...filters].reverse()) {
      const error = await device.popErrorScope();
      if (error) found.push(`${filter}: ${error.message}`);
    }
    return [outcome, ...found];
  }

  test('may occur at any step: the error names the purpose, and the device continues', async () => {
    let finished = 0;
    for (let memoryBudget = 600_000; memoryBudget < 1_500_000; memoryBudget += 15_997) {
      const opened = await open({ memoryBudget, arenaBytes: 4096 }).catch((error: Error) => error);
      if (opened instanceof Error) {
        expect(opened).toMatchObject({ name: 'OperationError', message: expect.stringMatching(/needs \d+ bytes/) });
        continue;
      }
      const [outcome, ...errors] = await told(opened);
      if (errors.length === 0) {
        finished++;
        expect(outcome).toMatch(/^drawn (?!0,0,0,0)/);
      } else
        expect(errors.join('\n')).toMatch(
          /out-of-memory: (\[|a |the |register|tasks|warps|uniform|render|tile|triangle).* needs \d+ bytes/
        );
      expect(opened.uncaptured).toEqual([]);
      opened.device.destroy();
      expect((await opened.device.lost).reason).toBe('destroyed');
    }
    expect(finished).toBeGreaterThan(0);
  });

  test('names an object without a label by its kind', async () => {
    const { device } = await open({ memoryBudget: 80 << 20 });
    device.pushErrorScope('out-of-memory');
    device.createTexture({ size: [8192, 8192], format: 'rgba8unorm', usage: GPUTextureUsage.TEXTURE_BINDING });
    expect((await device.popErrorScope())?.message).toMatch(/^\[Texture \(unlabeled\)\] needs 268435488 bytes/);
    device.pushErrorScope('out-of-memory');
    device.createBuffer({ size: 100 << 20, usage: GPUBufferUsage.COPY_DST });
    expect((await device.popErrorScope())?.message).toMatch(/^\[Buffer \(unlabeled\)\] needs 104857600 bytes/);
  });

  const commands = (device: GPUDevice): GPUCommandBuffer => {
    const encoder = device.createCommandEncoder();
    const view = device
      .createTexture({ size: [64, 64], format: 'rgba8unorm', sampleCount: 4, usage: GPUTextureUsage.RENDER_ATTACHMENT })
      .createView();
    encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'discard' }] }).end();
    return encoder.finish();
  };
  test.each<[string, (device: GPUDevice) => unknown]>([
    ['buffers', (device) => device.createBuffer({ size: 65536, usage: GPUBufferUsage.COPY_DST })],
    ['samplers', (device) => device.createSampler()],
    [
      'mapped buffers',
      (device) =>
        device.createBuffer({ size: 65536, usage: GPUBufferUsage.COPY_SRC, mappedAtCreation: true }).getMappedRange(),
    ],
    [
      'buffers with a mapping on its way',
      (device) =>
        device
          .createBuffer({ size: 65536, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST })
          .mapAsync(GPUMapMode.READ),
    ],
    ['shader modules', (device) => device.createShaderModule({ code: RED })],
    ['command buffers never submitted', commands],
    [
      'passes never ended',
      (device) =>
        device
          .createCommandEncoder()
          .beginRenderPass({
            colorAttachments: [
              {
                view: device
                  .createTexture({ size: [64, 64], format: 'rgba8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT })
                  .createView(),
                loadOp: 'clear',
                storeOp: 'store',
              },
            ],
          }),
    ],
    ['work that is done', (device) => device.queue.submit([commands(device)])],
    [
      'bind groups',
      (device) =>
        device.createBindGroup({
          layout: device.createBindGroupLayout({
            entries: [{ binding: 0, visibility: GPUShaderStage.FRAGMENT, buffer: {} }],
          }),
          entries: [
            { binding: 0, resource: { buffer: device.createBuffer({ size: 65536, usage: GPUBufferUsage.UNIFORM }) } },
          ],
        }),
    ],
  ])('is avoided by freeing dropped %s', async (_name, make) => {
    const { device, render, uncaptured } = await open();
    const settle = async (): Promise<number> => {
      for (let i = 0; i < 4; i++) {
        collect();
        await pause(2);
      }
      return render.memoryStatistics().bytesUsed;
    };
    const many = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) {
        make(device);
        if (i % 50 === 49) await device.queue.onSubmittedWorkDone();
      }
    };
    await many(50);
    const before = await settle();
    await many(300);
    expect(await settle()).toBeLessThanOrEqual(before + 65536);
    expect(uncaptured).toEqual([]);
    expect(pixel(await draw(device, { code: RED }), 1, 1)).toBe(IS_RED);
  });
});
