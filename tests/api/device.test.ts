// Devices: requested features and limits, error reporting, and loss.
import { describe, expect, test } from 'vitest';
import { OutOfMemoryError } from '../../src/memory';
import { makeCreate, globals, makeGpu, type CreateOptions } from '../../src/api';
import { loadEngine, opened } from '../support/engine';
import { fakeDevice, validationError } from './fake';
import type { StatisticsDevice } from '../../src/api';

describe('requestDevice', () => {
  const adapter = async (): Promise<GPUAdapter> => (await makeGpu(() => opened(fakeDevice())).requestAdapter())!;
  test('features', async () => {
    const device = await (await adapter()).requestDevice({ requiredFeatures: ['depth-clip-control'] });
    expect([...device.features].sort()).toEqual(['core-features-and-limits', 'depth-clip-control']);
    await expect(
      (await adapter()).requestDevice({ requiredFeatures: ['streamed-texture' as GPUFeatureName] })
    ).rejects.toThrow(
      new RegExp(
        /^requestDevice: this adapter does not have the feature "streamed-texture"; /.source
          + /it has "core-features-and-limits", .*"streamed-textures"/.source
      )
    );
  });
  test('enabling a feature enables the features that it includes', async () => {
    for (const [feature, others] of [
      ['subgroup-size-control', ['subgroups']],
      ['texture-compression-bc-sliced-3d', ['texture-compression-bc']],
      ['texture-compression-astc-sliced-3d', ['texture-compression-astc']],
      ['texture-formats-tier2', ['texture-formats-tier1', 'rg11b10ufloat-renderable']],
    ] as const) {
      const device = await (await adapter()).requestDevice({ requiredFeatures: [feature as GPUFeatureName] });
      expect([...device.features].sort()).toEqual(['core-features-and-limits', feature, ...others].sort());
    }
  });
  test('adapter and device describe the adapter alike, in separate objects', async () => {
    const offered = await adapter();
    const device = await offered.requestDevice();
    const { info } = offered;
    const { adapterInfo } = device;
    expect(offered.info).toBe(info);
    expect(device.adapterInfo).toBe(adapterInfo);
    expect(adapterInfo).not.toBe(info);
    for (const key of Object.keys(Object.getPrototypeOf(info) as object) as (keyof GPUAdapterInfo)[])
      expect(adapterInfo[key]).toEqual(info[key]);
  });
  test("enabling all features of the adapter keeps WebGPU's behavior", async () => {
    const offered = await adapter();
    const own = [
      'statistics',
      'statistics-times',
      'extended-sample-counts',
      'multisample-storage-textures',
      'multisample-32bit',
    ];
    expect([...offered.features].filter((name) => own.includes(name))).toEqual([]);
    const device = await offered.requestDevice({ requiredFeatures: [...offered.features] as GPUFeatureName[] });
    const texture = {
      size: { width: 4, height: 4 },
      format: 'rgba8unorm',
      usage: globals.GPUTextureUsage.RENDER_ATTACHMENT,
    } as const;
    expect(await validationError(device, () => device.createTexture({ ...texture, sampleCount: 8 }))).toMatch(
      /sampleCount 8 needs the feature "extended-sample-counts"/
    );
    expect('statistics' in device).toBe(false);
  });
  test("our own features are listed according to create's options, and requested by name", async () => {
    const listed = async (extensions?: CreateOptions['extensions']): Promise<string[]> => {
      const gpu = makeCreate(() => Promise.reject(new Error('no kernel')), {
        spawn: null,
        cores: 1,
        readImage: () => null,
        shaderStore: null,
        loadEngine,
      })({ extensions });
      return [...(await gpu.requestAdapter())!.features];
    };
    const plain = [
      'core-features-and-limits',
      'depth-clip-control',
      'depth32float-stencil8',
      'texture-compression-bc',
      'texture-compression-bc-sliced-3d',
      'texture-compression-etc2',
      'texture-compression-astc',
      'texture-compression-astc-sliced-3d',
      'texture-compression-unaligned',
      'timestamp-query',
      'indirect-first-instance',
      'shader-f16',
      'rg11b10ufloat-renderable',
      'bgra8unorm-storage',
      'float32-filterable',
      'float32-blendable',
      'texture-formats-tier1',
      'texture-formats-tier2',
      'subgroups',
      'dual-source-blending',
      'clip-distances',
      'primitive-index',
      'texture-component-swizzle',
      'subgroup-size-control',
    ];
    expect(await listed()).toEqual(plain);
    expect(await listed(false)).toEqual(plain);
    expect(await listed(['statistics'])).toEqual([...plain, 'statistics']);
    expect(await listed(true)).toEqual([
      ...plain,
      'statistics',
      'statistics-times',
      'extended-sample-counts',
      'multisample-storage-textures',
      'multisample-32bit',
      'modular-pipelines',
      'shading-rate',
      'fragment-stages',
      'streamed-textures',
      'trace',
      'processing-order',
    ]);
    await expect(listed(['statistic'] as unknown as ['statistics'])).rejects.toThrow(
      'create: extensions: unknown feature "statistic"; known features are "statistics", "statistics-times"'
    );
    await expect(listed('statistics' as unknown as ['statistics'])).rejects.toThrow('must be true, false, or names');
    const device = await (
      await adapter()
    ).requestDevice({ requiredFeatures: ['extended-sample-counts' as GPUFeatureName] });
    expect([...device.features].sort()).toEqual(['core-features-and-limits', 'extended-sample-counts']);
  });
  test('statistics require a feature', async () => {
    expect('statistics' in (await (await adapter()).requestDevice())).toBe(false);
    const device = (await (
      await adapter()
    ).requestDevice({ requiredFeatures: ['statistics' as GPUFeatureName] })) as StatisticsDevice;
    expect(Object.keys(device)).toEqual([]);
    expect(device.statistics()).toEqual({
      memory: expect.objectContaining({ bytesUsed: expect.any(Number) }),
      counters: expect.any(Object),
      loadStoreUnit: expect.objectContaining({ loads: 0, stores: 0 }),
      workers: 0,
      work: [],
      programs: expect.objectContaining({ engine: 'interpreter' }),
      surfaces: [],
      streams: expect.objectContaining({ pagesRequested: 0 }),
      shadingRates: expect.objectContaining({ lookUps: 0 }),
    });
  });
  test('timing statistics require another, which includes the counters', async () => {
    const render = fakeDevice();
    const device = (await (await makeGpu(() => opened(render)).requestAdapter())!.requestDevice({
      requiredFeatures: ['statistics-times' as GPUFeatureName],
    })) as StatisticsDevice;
    expect([...device.features].sort()).toEqual(['core-features-and-limits', 'statistics', 'statistics-times']);
    expect(device.statistics().times).toEqual({
      vertex: 0,
      setup: 0,
      raster: 0,
      pack: 0,
      shade: 0,
      blend: 0,
      resolve: 0,
      prepare: 0,
      finish: 0,
    });
    expect(render.log).toEqual(['measure true']);
  });
  test('limits', async () => {
    const device = await (
      await adapter()
    ).requestDevice({
      requiredLimits: { maxBufferSize: 300_000_000, maxBindGroups: 1, minUniformBufferOffsetAlignment: 256 },
    });
    expect([device.limits.maxBufferSize, device.limits.maxBindGroups]).toEqual([300_000_000, 4]);
    const refused: [Record<string, number>, RegExp][] = [
      [{ maxTextureDimension2D: 16384 }, /maxTextureDimension2D: 16384 is more than this adapter's 8192/],
      [{ maxNonsense: 1 }, /"maxNonsense" is not a WebGPU limit/],
      [{ minUniformBufferOffsetAlignment: 16 }, /16 is less than this adapter's 32/],
      [{ minUniformBufferOffsetAlignment: 300 }, /300 is not a power of two/],
    ];
    for (const [requiredLimits, message] of refused) {
      const error: unknown = await (await adapter()).requestDevice({ requiredLimits }).catch((e: unknown) => e);
      expect(error).toBeInstanceOf(DOMException);
      expect((error as DOMException).name).toBe('OperationError');
      expect((error as DOMException).message).toMatch(message);
    }
  });
  test('an adapter creates one device', async () => {
    const once = await adapter();
    await once.requestDevice();
    await expect(once.requestDevice()).rejects.toThrow(/has already created a device/);
  });
  test('a memory error of the renderer is an OperationError', async () => {
    const gpu = makeGpu(() => Promise.reject(new OutOfMemoryError('no room for the kernel')));
    await expect((await gpu.requestAdapter())!.requestDevice()).rejects.toThrow(/no room for the kernel/);
  });
});
