// WebIDL conformance of objects. https://webidl.spec.whatwg.org/#js-interfaces
import { describe, expect, test } from 'vitest';
import { apiDevice, classes } from './fake';
import { globals, makeGpu } from '../../src/api';
import { GPUBufferUsage, GPUShaderStage, GPUTextureUsage } from '../support/flags';

const wanted = [
  'GPU',
  'GPUAdapter',
  'GPUAdapterInfo',
  'GPUBindGroup',
  'GPUBindGroupLayout',
  'GPUBuffer',
  'GPUCanvasContext',
  'GPUCommandBuffer',
  'GPUCommandEncoder',
  'GPUCompilationInfo',
  'GPUCompilationMessage',
  'GPUComputePassEncoder',
  'GPUComputePipeline',
  'GPUDevice',
  'GPUDeviceLostInfo',
  'GPUError',
  'GPUExternalTexture',
  'GPUInternalError',
  'GPUOutOfMemoryError',
  'GPUPipelineError',
  'GPUPipelineLayout',
  'GPUQuerySet',
  'GPUQueue',
  'GPURenderBundle',
  'GPURenderBundleEncoder',
  'GPURenderPassEncoder',
  'GPURenderPipeline',
  'GPUSampler',
  'GPUShaderModule',
  'GPUSupportedFeatures',
  'GPUSupportedLimits',
  'GPUTexture',
  'GPUTextureView',
  'GPUUncapturedErrorEvent',
  'GPUValidationError',
  'WGSLLanguageFeatures',
];
const namespaces = { GPUBufferUsage: 10, GPUTextureUsage: 6, GPUShaderStage: 3, GPUMapMode: 2, GPUColorWrite: 5 };
const constructible = [
  'GPUInternalError',
  'GPUOutOfMemoryError',
  'GPUPipelineError',
  'GPUUncapturedErrorEvent',
  'GPUValidationError',
];

describe('globals', () => {
  test('contain every interface and namespace, and nothing else', () => {
    expect(Object.keys(globals).sort()).toEqual([...wanted, ...Object.keys(namespaces)].sort());
  });
  test.each(Object.entries(namespaces))('%s has %i constants', (name, count) => {
    const namespace = globals[name] as Record<string, number>;
    expect(Object.keys(namespace)).toHaveLength(count);
    expect(Object.prototype.toString.call(namespace)).toBe(`[object ${name}]`);
    expect(() => {
      'use strict';
      namespace[Object.keys(namespace)[0]!] = 7;
    }).toThrow(TypeError);
  });
  test.each(wanted)('%s has its name and tag', (name) => {
    const constructor = classes[name] as unknown as {
      name: string;
      length: number;
      prototype: Record<symbol, unknown>;
    };
    expect(constructor.name).toBe(name);
    expect(constructor.prototype[Symbol.toStringTag]).toBe(name);
  });
  test.each(wanted.filter((name) => !constructible.includes(name)))('new %s throws', (name) => {
    expect(() => new (classes[name] as unknown as new () => object)()).toThrow(new TypeError('Illegal constructor'));
  });
  test.each(wanted)('members of %s are enumerable on the prototype and check their receiver', (name) => {
    const { prototype } = classes[name] as { prototype: object };
    for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (key === 'constructor') continue;
      expect(property.enumerable, key).toBe(true);
      // Errors keep their state in private fields: the engine throws.
      if (property.get) expect(() => property.get!.call({}), key).toThrow(TypeError);
    }
  });
});

describe('objects', async () => {
  const { device } = await apiDevice({ label: 'device' });
  const objects = {
    buffer: device.createBuffer({ label: 'x', size: 4, usage: GPUBufferUsage.COPY_DST }),
    texture: device.createTexture({ size: [1], format: 'r8unorm', usage: GPUTextureUsage.TEXTURE_BINDING }),
    sampler: device.createSampler(),
    module: device.createShaderModule({ code: '' }),
    encoder: device.createCommandEncoder(),
    device,
    queue: device.queue,
    limits: device.limits,
    features: device.features,
  };
  test.each(Object.entries(objects))('%s has no own keys, symbols included', (_name, object) => {
    expect(Reflect.ownKeys(object).filter((key) => typeof key === 'string')).toEqual([]);
  });
  test('instanceof', () => {
    expect(objects.buffer).toBeInstanceOf(classes['GPUBuffer']);
    expect(objects.texture.createView()).toBeInstanceOf(classes['GPUTextureView']);
    expect(device).toBeInstanceOf(EventTarget);
    expect(device).not.toBeInstanceOf(classes['GPUBuffer']);
    expect(String(objects.buffer)).toBe('[object GPUBuffer]');
  });
  test('attributes', () => {
    expect([objects.buffer.size, objects.buffer.usage, objects.buffer.mapState, objects.buffer.label]).toEqual([
      4,
      8,
      'unmapped',
      'x',
    ]);
    expect([
      objects.texture.width,
      objects.texture.height,
      objects.texture.format,
      objects.texture.dimension,
      objects.texture.mipLevelCount,
    ]).toEqual([1, 1, 'r8unorm', '2d', 1]);
    expect(() => {
      'use strict';
      (objects.buffer as { size: number }).size = 7;
    }).toThrow(TypeError);
  });
  test('labels can be changed', () => {
    objects.buffer.label = 'y';
    device.label = 'other';
    expect([objects.buffer.label, device.label]).toEqual(['y', 'other']);
    objects.buffer.label = 'a\ud800b';
    expect(objects.buffer.label).toBe('a\ufffdb');
  });
  test('the same queue, limits and features are returned every time', () => {
    expect([
      device.queue === device.queue,
      device.limits === device.limits,
      device.features === device.features,
    ]).toEqual([true, true, true]);
  });

  const wrong: [string, () => unknown, RegExp][] = [
    [
      'no argument',
      () => (device as unknown as { createBuffer(): void }).createBuffer(),
      /^createBuffer needs 1 argument, but got 0$/,
    ],
    [
      'member missing',
      () => device.createBuffer({ usage: GPUBufferUsage.COPY_DST } as GPUBufferDescriptor),
      /^createBuffer: descriptor lacks 'size', which a GPUBufferDescriptor must have$/,
    ],
    [
      'negative',
      () => device.createBuffer({ size: -1, usage: GPUBufferUsage.COPY_DST }),
      /descriptor\.size must be a 64-bit unsigned integer from 0 to .*, not -1/,
    ],
    ['NaN', () => device.createBuffer({ size: NaN, usage: GPUBufferUsage.COPY_DST }), /not NaN/],
    ['too large', () => device.createBuffer({ size: 4, usage: 2 ** 32 }), /usage must be a 32-bit unsigned integer/],
    [
      'bigint',
      () => device.createBuffer({ size: 4n as unknown as number, usage: GPUBufferUsage.COPY_DST }),
      /must be a number, not 4/,
    ],
    [
      'no dictionary',
      () => device.createBuffer(3 as unknown as GPUBufferDescriptor),
      /descriptor must be a GPUBufferDescriptor, not 3/,
    ],
    [
      'enum',
      () => device.createSampler({ magFilter: 'cubic' as GPUFilterMode }),
      /descriptor\.magFilter: "cubic" is not a valid GPUFilterMode; valid values are "nearest", "linear"/,
    ],
    [
      'feature format',
      () => device.createTexture({ size: [4, 4], format: 'bc1-rgba-unorm', usage: GPUTextureUsage.TEXTURE_BINDING }),
      /format "bc1-rgba-unorm" needs the feature "texture-compression-bc"/,
    ],
    [
      'unknown format',
      () =>
        device.createTexture({
          size: [4, 4],
          format: 'rgb8' as GPUTextureFormat,
          usage: GPUTextureUsage.TEXTURE_BINDING,
        }),
      /"rgb8" is not a valid GPUTextureFormat$/,
    ],
    [
      'extent',
      () => device.createTexture({ size: [1, 2, 3, 4], format: 'r8unorm', usage: GPUTextureUsage.TEXTURE_BINDING }),
      /size must have 1 to 3 numbers, not 4/,
    ],
    [
      'interface',
      () => device.queue.writeBuffer(objects.texture as unknown as GPUBuffer, 0, new Uint8Array(4)),
      /writeBuffer: buffer must be a GPUBuffer, not GPUTexture/,
    ],
    [
      'data',
      () => device.queue.writeBuffer(objects.buffer, 0, [1, 2] as unknown as BufferSource),
      /writeBuffer: data must be an ArrayBuffer or a view of one, not Array/,
    ],
    ['sequence', () => device.queue.submit(3 as unknown as GPUCommandBuffer[]), /commandBuffers must be a sequence/],
    [
      'sequence member',
      () => device.queue.submit([objects.buffer as unknown as GPUCommandBuffer]),
      /commandBuffers\[0\] must be a GPUCommandBuffer, not GPUBuffer/,
    ],
    [
      'nested',
      () => device.createBindGroupLayout({ entries: [{ binding: 0 } as GPUBindGroupLayoutEntry] }),
      /descriptor\.entries\[0\] lacks 'visibility'/,
    ],
    [
      'layout',
      () => device.createRenderPipeline({ layout: 'none' as 'auto', vertex: { module: objects.module } }),
      /descriptor\.layout must be a GPUPipelineLayout or "auto"/,
    ],
    [
      'colour',
      () =>
        device
          .createCommandEncoder()
          .beginRenderPass({
            colorAttachments: [
              { view: objects.texture.createView(), loadOp: 'clear', storeOp: 'store', clearValue: [1, 2, 3] },
            ],
          }),
      /clearValue must have 4 numbers, not 3/,
    ],
    [
      'label',
      () => device.createSampler({ label: Symbol('x') as unknown as string }),
      /label must be a string, not a symbol/,
    ],
    [
      'detached method',
      () => device.createBuffer.call({} as GPUDevice, { size: 4, usage: GPUBufferUsage.COPY_DST }),
      /Illegal invocation: this is not a GPUDevice/,
    ],
  ];
  test.each(wrong)('a TypeError explains the mistake: %s', (_name, run, message) => {
    expect(run).toThrow(TypeError);
    expect(run).toThrow(message);
  });
  test('operations that return promises reject instead', async () => {
    await expect((objects.buffer as unknown as { mapAsync(): Promise<void> }).mapAsync()).rejects.toThrow(
      /mapAsync needs 1 argument/
    );
    await expect(device.createRenderPipelineAsync({} as GPURenderPipelineDescriptor)).rejects.toThrow(/lacks 'layout'/);
  });
  test('sequences may be any iterable', () => {
    const entries = new Set<GPUBindGroupLayoutEntry>([
      { binding: 0, visibility: GPUShaderStage.FRAGMENT, sampler: {} },
    ]);
    expect(device.createBindGroupLayout({ entries: entries as unknown as GPUBindGroupLayoutEntry[] })).toBeInstanceOf(
      classes['GPUBindGroupLayout']
    );
  });
});

describe('GPU', () => {
  const gpu = makeGpu(() => Promise.reject(new Error('no renderer')));
  test('is created synchronously', () => {
    expect(gpu).toBeInstanceOf(classes['GPU']);
    expect(gpu.getPreferredCanvasFormat()).toBe('rgba8unorm');
    const other = makeGpu(() => Promise.reject(new Error('no renderer')), { canvasFormat: 'bgra8unorm' });
    expect(other.getPreferredCanvasFormat()).toBe('bgra8unorm');
    expect(gpu.wgslLanguageFeatures.size).toBe([...gpu.wgslLanguageFeatures].length);
  });
  test('adapters', async () => {
    expect(await gpu.requestAdapter({ featureLevel: 'compatibility' })).toBeInstanceOf(classes['GPUAdapter']);
    expect(await gpu.requestAdapter({ featureLevel: 'future' })).toBeNull();
    const adapter = (await gpu.requestAdapter())!;
    expect([
      adapter.features.has('core-features-and-limits'),
      adapter.features.has('wings' as GPUFeatureName),
      adapter.info.isFallbackAdapter,
    ]).toEqual([true, false, true]);
    expect(adapter.limits.maxTextureDimension2D).toBe(8192);
    await expect(gpu.requestAdapter({ powerPreference: 'fast' as GPUPowerPreference })).rejects.toThrow(TypeError);
  });
});
