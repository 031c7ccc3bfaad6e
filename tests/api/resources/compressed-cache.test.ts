// The cache of decoded compressed texels. With any budget and any sequence of writes, all engines read the same as from
// a texture that was written at once and decoded entirely, and the size of the cache is bounded.
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { create } from '../../../src/index';
import { forCreate, type CreateOptions } from '../../support/options';
import { formatInfo } from '../../../src/surface';
import { rounds } from '../../support/rounds';
import { Model, Reader, fill, generator, oneOf, randomCase, upTo } from './compressed-cache.model';
import { BUFFER } from './compressed-cache.kit';

const KERNELS = pathToFileURL('build/');
const FEATURES = [
  'texture-compression-bc',
  'texture-compression-bc-sliced-3d',
  'texture-compression-etc2',
  'texture-compression-astc',
  'texture-compression-astc-sliced-3d',
  'texture-compression-unaligned',
  'texture-component-swizzle',
  'statistics',
] as GPUFeatureName[];
/** Room for a few of the textures below. */
const SOME_BYTES = 400_000;
const configurations: Record<string, CreateOptions> = {
  'pages, compiled, two workers': { engine: 'jit', threads: 2, alwaysUseWorkers: true, budgets: { decodedBytes: 1 } },
  'pages, interpreted': { engine: 'interpreter', threads: 0, budgets: { decodedBytes: 1 } },
  'pages, scalar': { simd: false, threads: 0, budgets: { decodedBytes: 1 } },
  'some decoded, compiled': { engine: 'jit', threads: 1, budgets: { decodedBytes: SOME_BYTES } },
  'all decoded, interpreted': { engine: 'interpreter', threads: 2, alwaysUseWorkers: true },
};

async function open(options: CreateOptions): Promise<GPUDevice> {
  const adapter = await create(forCreate({ ...options, kernelUrl: KERNELS })).requestAdapter();
  return adapter!.requestDevice({ requiredFeatures: FEATURES });
}

describe('decoded compressed textures', () => {
  let oracle: Reader;
  let readers: [string, Reader][];
  const errors: string[] = [];
  beforeAll(async () => {
    oracle = new Reader(await open({ engine: 'jit', threads: 0 }));
    readers = await Promise.all(
      Object.entries(configurations).map(
        async ([name, options]) => [name, new Reader(await open(options))] as [string, Reader]
      )
    );
    for (const [, { device }] of [['oracle', oracle] as const, ...readers])
      device.addEventListener('uncapturederror', ({ error }) => errors.push(error.message));
  });
  afterAll(() => [oracle, ...readers.map(([, reader]) => reader)].forEach(({ device }) => device.destroy()));

  test('are read like a texture written at once, by all engines and with any budget', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const random = generator(seed);
        const model = new Model(randomCase(random));
        const { format } = model.shape;
        const textures = readers.map(([, { device }]) => model.create(device));
        const writes = upTo(random, 3);
        for (let round = 0; round < 3; round++) {
          for (let write = 0; write < writes; write++) {
            const change = model.change(random);
            const through = oneOf(random, ['queue', 'buffer', 'texture'] as const);
            readers.forEach(([, { device }], i) => change(device, textures[i]!, through));
          }
          const view = {
            ...(random() < 0.3 && formatInfo(format)!.pair !== format ? { format: formatInfo(format)!.pair } : {}),
            ...(random() < 0.2 ? { swizzle: 'b1rg' } : {}),
            ...(random() < 0.3 ? { baseMipLevel: Math.floor(random() * model.levels.length) } : {}),
          };
          const whole = model.create(oracle.device);
          model.upload(oracle.device, whole);
          const expected = await oracle.read(whole, model, view);
          whole.destroy();
          for (const [i, [name, reader]] of readers.entries())
            expect([(await reader.read(textures[i]!, model, view)) === expected, ...errors], name).toEqual([true]);
        }
        for (const texture of textures.slice(random() < 0.5 ? 0 : 1)) texture.destroy();
      }),
      { numRuns: rounds(12), seed: 5 }
    );
  }, 120_000);

  interface Memory {
    bytesUsed: number;
    passes: { decodedBytes: number };
  }
  const memoryOf = (device: GPUDevice): Memory =>
    (device as unknown as { statistics(): { memory: Memory } }).statistics().memory;
  const volume = (width: number): Model => {
    const model = new Model({ format: 'bc1-rgba-unorm', kind: '3d', size: [width, 128, 32], levels: 1 });
    fill(generator(width), model.shape.format, model.levels[0]!.bytes);
    return model;
  };
  const filled = (device: GPUDevice, model: Model): GPUTexture => {
    const texture = model.create(device);
    model.upload(device, texture);
    return texture;
  };
  /** Bytes of one 3D texture: compressed and decoded. */
  const BLOCKS = (128 * 128 * 32) / 2;
  const DECODED = 128 * 128 * 32 * 4;

  test.each([
    ['all of what is read', 16 * DECODED, 10 * DECODED, 11 * DECODED],
    ['what fits, and pages', 4 * DECODED, 3 * DECODED, 4 * DECODED],
    ['pages alone', 1, 0, 3 << 20],
  ])(
    'take no more than their budget: %s',
    async (_, decodedBytes, least, most) => {
      const device = await open({ engine: 'interpreter', threads: 2, budgets: { decodedBytes } });
      const reader = new Reader(device);
      const small = volume(4);
      const first = filled(device, small);
      await reader.read(first, small, {});
      first.destroy();
      await device.queue.onSubmittedWorkDone();
      const before = memoryOf(device).bytesUsed;
      const model = volume(128);
      const expected = await oracleOf(model);
      const textures = Array.from({ length: 10 }, () => filled(device, model));
      await device.queue.onSubmittedWorkDone();
      const views = 10 * 4096;
      expect(memoryOf(device).bytesUsed - before).toBeLessThan(10 * (BLOCKS + 4096) + views);
      expect(memoryOf(device).passes.decodedBytes).toBe(0);
      for (const texture of textures) expect((await reader.read(texture, model, {})) === expected).toBe(true);
      const { bytesUsed, passes } = memoryOf(device);
      const entries = 3 * 10 * 32 * 4 * 8;
      expect(passes.decodedBytes).toBeGreaterThanOrEqual(least);
      expect(passes.decodedBytes).toBeLessThanOrEqual(most);
      expect(bytesUsed - before).toBeLessThan(10 * (BLOCKS + 4096) + views + entries + passes.decodedBytes + 65536);
      for (const texture of textures) texture.destroy();
      await device.queue.onSubmittedWorkDone();
      expect(memoryOf(device).passes.decodedBytes).toBe(0);
      expect(memoryOf(device).bytesUsed).toBeLessThanOrEqual(before + 4096);
      device.destroy();
    },
    60_000
  );

  async function oracleOf(model: Model): Promise<string> {
    const texture = filled(oracle.device, model);
    const bits = await oracle.read(texture, model, {});
    texture.destroy();
    return bits;
  }

  const little: CreateOptions = { engine: 'interpreter', threads: 0, arenaBytes: 1 << 20 };
  test('are evicted first when memory is short, and decoded again', async () => {
    const device = await open({ ...little, memoryBudget: 64 << 20 });
    const reader = new Reader(device);
    const model = volume(128);
    const expected = await oracleOf(model);
    const textures = Array.from({ length: 4 }, () => filled(device, model));
    const read = async (): Promise<void> => {
      for (const texture of textures) expect((await reader.read(texture, model, {})) === expected).toBe(true);
    };
    await read();
    expect(memoryOf(device).passes.decodedBytes).toBe(4 * (DECODED + 32));
    const { bytesUsed } = memoryOf(device);
    const size = (64 << 20) - bytesUsed + 2 * DECODED;
    device.pushErrorScope('out-of-memory');
    const buffer = device.createBuffer({ size, usage: BUFFER.COPY_DST });
    expect(await device.popErrorScope()).toBeNull();
    expect(memoryOf(device).passes.decodedBytes).toBeLessThanOrEqual(2 * (DECODED + 32));
    await read();
    buffer.destroy();
    device.destroy();
  }, 60_000);
});
