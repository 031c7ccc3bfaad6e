// Formats and the features that extend them: drawing, blending, resolving, filtering and copying, and the errors on
// devices without a feature.
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { create } from '../../../src/index';
import { forCreate, type CreateOptions } from '../../support/options';
import { GPUBufferUsage, GPUMapMode, GPUShaderStage, GPUTextureUsage } from '../../support/flags';

const KERNELS = pathToFileURL('build/');
const USAGE = { COPY_SRC: 1, COPY_DST: 2, SAMPLED: 4, STORAGE: 8, ATTACHMENT: 16 } as const;
const ALL = [
  'depth32float-stencil8',
  'rg11b10ufloat-renderable',
  'float32-filterable',
  'float32-blendable',
  'texture-formats-tier2',
  'bgra8unorm-storage',
];
const engines: Record<string, CreateOptions> = {
  compiled: { engine: 'jit', threads: 0 },
  interpreted: { engine: 'interpreter', threads: 2 },
  scalar: { simd: false, threads: 0 },
};
async function open(options: CreateOptions, features: readonly string[]): Promise<GPUDevice> {
  const adapter = await create(forCreate({ ...options, kernelUrl: KERNELS })).requestAdapter();
  return adapter!.requestDevice({ requiredFeatures: features as GPUFeatureName[] });
}
const VERTEX = `@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, 1 - f32(i >> 1) * 4, 0.25, 1);
}`;

/** Reads channels of texels, for formats that features make renderable. */
const decoders: Record<
  string,
  { bytes: number; channels: number; read: (view: DataView, at: number, c: number) => number; step: number }
> = {
  ...Object.fromEntries(
    ['r', 'rg', 'rgba'].flatMap((prefix) => [
      [
        `${prefix}8snorm`,
        {
          bytes: prefix.length,
          channels: prefix.length,
          step: 1 / 127,
          read: (v: DataView, at: number, c: number) => Math.max(-1, v.getInt8(at + c) / 127),
        },
      ],
      [
        `${prefix}16unorm`,
        {
          bytes: prefix.length * 2,
          channels: prefix.length,
          step: 1 / 65535,
          read: (v: DataView, at: number, c: number) => v.getUint16(at + 2 * c, true) / 65535,
        },
      ],
      [
        `${prefix}16snorm`,
        {
          bytes: prefix.length * 2,
          channels: prefix.length,
          step: 1 / 32767,
          read: (v: DataView, at: number, c: number) => Math.max(-1, v.getInt16(at + 2 * c, true) / 32767),
        },
      ],
    ])
  ),
  rg11b10ufloat: {
    bytes: 4,
    channels: 3,
    step: 1 / 32,
    read: (v, at, c) => {
      const bits = (v.getUint32(at, true) >>> [0, 11, 22][c]!) & (c === 2 ? 0x3ff : 0x7ff);
      const m = c === 2 ? 5 : 6;
      return (1 + (bits & ((1 << m) - 1)) / (1 << m)) * 2 ** ((bits >> m) - 15) * (bits >> m > 0 ? 1 : 0);
    },
  },
  r32float: { bytes: 4, channels: 1, step: 1e-6, read: (v, at) => v.getFloat32(at, true) },
  rg32float: { bytes: 8, channels: 2, step: 1e-6, read: (v, at, c) => v.getFloat32(at + 4 * c, true) },
  rgba32float: { bytes: 16, channels: 4, step: 1e-6, read: (v, at, c) => v.getFloat32(at + 4 * c, true) },
};

describe('with the features', () => {
  let devices: GPUDevice[];
  beforeAll(async () => {
    devices = await Promise.all(Object.values(engines).map((options) => open(options, ALL)));
  });
  afterAll(() => devices.forEach((device) => device.destroy()));

  async function bytesOf(
    device: GPUDevice,
    texture: GPUTexture,
    texelBytes: number,
    aspect: GPUTextureAspect = 'all'
  ): Promise<DataView> {
    const buffer = device.createBuffer({ size: 256 * 4, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const encoder = device.createCommandEncoder();
    encoder.copyTextureToBuffer({ texture, aspect }, { buffer, bytesPerRow: 256 }, [4, 4]);
    device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    const all = new Uint8Array(buffer.getMappedRange());
    return new DataView(
      Uint8Array.from([0, 1, 2, 3].flatMap((y) => [...all.subarray(y * 256, y * 256 + 4 * texelBytes)])).buffer
    );
  }
  async function byAll(run: (device: GPUDevice) => Promise<DataView>): Promise<DataView> {
    const [first, ...others] = await Promise.all(
      devices.map(async (device) => {
        device.pushErrorScope('validation');
        const found = await run(device);
        expect((await device.popErrorScope())?.message).toBeUndefined();
        return found;
      })
    );
    for (const other of others) expect(new Uint8Array(other.buffer)).toEqual(new Uint8Array(first!.buffer));
    return first!;
  }

  test.each(Object.keys(decoders))('%s: cleared, drawn and blended', async (format) => {
    const { bytes, channels, read, step } = decoders[format]!;
    const found = await byAll(async (device) => {
      const texture = device.createTexture({
        size: [4, 4],
        format: format as GPUTextureFormat,
        usage: USAGE.ATTACHMENT | USAGE.COPY_SRC,
      });
      const module = device.createShaderModule({
        code: `${VERTEX}
        @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return vec4f(0.5, 0.25, 0.75, 0.5); }`,
      });
      const pipeline = device.createRenderPipeline({
        layout: 'auto',
        vertex: { module },
        fragment: {
          module,
          targets: [
            {
              format: format as GPUTextureFormat,
              blend: {
                color: { srcFactor: 'src-alpha', dstFactor: 'one' },
                alpha: { srcFactor: 'zero', dstFactor: 'one' },
              },
            },
          ],
        },
      });
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({
        colorAttachments: [
          { view: texture.createView(), clearValue: [0.25, 0.5, 0.125, 0.75], loadOp: 'clear', storeOp: 'store' },
        ],
      });
      pass.setPipeline(pipeline);
      pass.setScissorRect(2, 0, 2, 4);
      pass.draw(3);
      pass.end();
      device.queue.submit([encoder.finish()]);
      return bytesOf(device, texture, bytes);
    });
    for (let i = 0; i < 16; i++)
      for (let c = 0; c < channels; c++) {
        const want = (i % 4 < 2 ? [0.25, 0.5, 0.125, 0.75] : [0.5, 0.625, 0.5, 0.75])[c]!;
        expect(Math.abs(read(found, i * bytes, c) - want)).toBeLessThanOrEqual(step);
      }
  });

  test.each(['r8snorm', 'rg8snorm', 'rgba8snorm', 'rg11b10ufloat'])('%s: four samples, resolved', async (format) => {
    const { bytes, channels, read, step } = decoders[format]!;
    const found = await byAll(async (device) => {
      const make = (sampleCount: number): GPUTexture =>
        device.createTexture({
          size: [4, 4],
          sampleCount,
          format: format as GPUTextureFormat,
          usage: USAGE.ATTACHMENT | (sampleCount === 1 ? USAGE.COPY_SRC : 0),
        });
      const target = make(1);
      const samples = make(4);
      const module = device.createShaderModule({
        code: `${VERTEX}
        @fragment fn fs() -> @location(0) vec4f { return vec4f(1, 0.5, 0.75, 1); }`,
      });
      const pipeline = device.createRenderPipeline({
        layout: 'auto',
        vertex: { module },
        multisample: { count: 4, mask: 3 },
        fragment: { module, targets: [{ format: format as GPUTextureFormat }] },
      });
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({
        colorAttachments: [
          { view: samples.createView(), resolveTarget: target.createView(), loadOp: 'clear', storeOp: 'discard' },
        ],
      });
      pass.setPipeline(pipeline);
      pass.draw(3);
      pass.end();
      device.queue.submit([encoder.finish()]);
      return bytesOf(device, target, bytes);
    });
    for (let i = 0; i < 16; i++)
      for (let c = 0; c < channels; c++)
        expect(Math.abs(read(found, i * bytes, c) - [0.5, 0.25, 0.375, 0.5][c]!)).toBeLessThanOrEqual(step);
  });

  test('depth32float-stencil8: both aspects are drawn, copied and read', async () => {
    for (const aspect of ['depth-only', 'stencil-only'] as const) {
      const found = await byAll(async (device) => {
        const make = (): GPUTexture =>
          device.createTexture({
            size: [4, 4],
            format: 'depth32float-stencil8',
            usage: USAGE.ATTACHMENT | USAGE.COPY_SRC | USAGE.COPY_DST | USAGE.SAMPLED,
          });
        const a = make();
        const b = make();
        const module = device.createShaderModule({ code: VERTEX });
        const pipeline = device.createRenderPipeline({
          layout: 'auto',
          vertex: { module },
          depthStencil: {
            format: 'depth32float-stencil8',
            depthWriteEnabled: true,
            depthCompare: 'less',
            stencilFront: { passOp: 'replace' },
            stencilBack: { passOp: 'replace' },
          },
        });
        const encoder = device.createCommandEncoder();
        const pass = encoder.beginRenderPass({
          colorAttachments: [],
          depthStencilAttachment: {
            view: a.createView(),
            depthLoadOp: 'clear',
            depthStoreOp: 'store',
            depthClearValue: 0.7,
            stencilLoadOp: 'clear',
            stencilStoreOp: 'store',
            stencilClearValue: 9,
          },
        });
        pass.setPipeline(pipeline);
        pass.setStencilReference(77);
        pass.setScissorRect(0, 0, 4, 2);
        pass.draw(3);
        pass.end();
        encoder.copyTextureToTexture({ texture: a }, { texture: b }, [4, 4]);
        device.queue.submit([encoder.finish()]);
        return bytesOf(device, b, aspect === 'depth-only' ? 4 : 1, aspect);
      });
      for (let i = 0; i < 16; i++)
        if (aspect === 'depth-only') expect(found.getFloat32(i * 4, true)).toBe(Math.fround(i < 8 ? 0.25 : 0.7));
        else expect(found.getUint8(i)).toBe(i < 8 ? 77 : 9);
    }
  });

  test.each(['r32float', 'rg32float', 'rgba32float'] as const)('%s is filtered', async (format) => {
    const channels = decoders[format]!.channels;
    const found = await byAll(async (device) => {
      const texture = device.createTexture({ size: [2, 1], format, usage: USAGE.SAMPLED | USAGE.COPY_DST });
      device.queue.writeTexture(
        { texture },
        Float32Array.from({ length: 2 * channels }, (_, i) => (i < channels ? i : i * 3)),
        {},
        [2, 1]
      );
      const target = device.createTexture({
        size: [4, 4],
        format: 'rgba32float',
        usage: USAGE.ATTACHMENT | USAGE.COPY_SRC,
      });
      const module = device.createShaderModule({
        code: `${VERTEX}
        @group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler;
        @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return textureSample(t, s,
          p.xy / 4); }`,
      });
      const pipeline = device.createRenderPipeline({
        layout: 'auto',
        vertex: { module },
        fragment: { module, targets: [{ format: 'rgba32float' }] },
      });
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({
        colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
      });
      pass.setPipeline(pipeline);
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [
            { binding: 0, resource: texture.createView() },
            { binding: 1, resource: device.createSampler({ magFilter: 'linear', minFilter: 'linear' }) },
          ],
        })
      );
      pass.draw(3);
      pass.end();
      device.queue.submit([encoder.finish()]);
      return bytesOf(device, target, 16);
    });
    for (let x = 0; x < 4; x++)
      for (let c = 0; c < channels; c++) {
        const t = [0, 0.25, 0.75, 1][x]!;
        expect(found.getFloat32(x * 16 + c * 4, true)).toBeCloseTo(c * (1 - t) + (channels + c) * 3 * t, 5);
      }
  });
});

describe('without a feature', () => {
  let none: GPUDevice;
  let tier1: GPUDevice;
  beforeAll(async () => {
    none = await open({ threads: 0 }, []);
    tier1 = await open({ threads: 0 }, ['texture-formats-tier1']);
  });
  afterAll(() => [none, tier1].forEach((device) => device.destroy()));
  const textureOf =
    (format: string, usage: number, sampleCount = 1) =>
    (d: GPUDevice): unknown =>
      d.createTexture({ size: [4, 4], format: format as GPUTextureFormat, usage, sampleCount });
  const targetOf =
    (format: string, blend = false) =>
    (d: GPUDevice): unknown => {
      const module = d.createShaderModule({
        code: `${VERTEX} @fragment fn fs() -> @location(0) vec4f { return vec4f(1); }`,
      });
      const component = { srcFactor: 'one', dstFactor: 'one' } as const;
      return d.createRenderPipeline({
        layout: 'auto',
        vertex: { module },
        fragment: {
          module,
          targets: [
            { format: format as GPUTextureFormat, ...(blend && { blend: { color: component, alpha: component } }) },
          ],
        },
      });
    };
  const storageOf =
    (format: string, access: GPUStorageTextureAccess) =>
    (d: GPUDevice): unknown =>
      d.createBindGroupLayout({
        entries: [
          {
            binding: 0,
            visibility: GPUShaderStage.COMPUTE,
            storageTexture: { format: format as GPUTextureFormat, access },
          },
        ],
      });
  const autoStorage =
    (format: string, access: string) =>
    (d: GPUDevice): unknown =>
      d.createComputePipeline({
        layout: 'auto',
        compute: {
          module: d.createShaderModule({
            code: `@group(0) @binding(0) var t: texture_storage_2d<${format}, ${access}>;
      @compute @workgroup_size(1) fn main() { _ = textureDimensions(t); }`,
          }),
        },
      });
  const filtered = (d: GPUDevice): unknown => {
    const layout = d.createBindGroupLayout({
      entries: [{ binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: {} }],
    });
    const texture = d.createTexture({ size: [4, 4], format: 'r32float', usage: USAGE.SAMPLED });
    return d.createBindGroup({ layout, entries: [{ binding: 0, resource: texture.createView() }] });
  };
  const refused: [string, (d: GPUDevice) => unknown, RegExp, boolean][] = [
    [
      'rg11b10ufloat drawn to',
      textureOf('rg11b10ufloat', USAGE.ATTACHMENT),
      /cannot be rendered to.*"rg11b10ufloat-renderable"/,
      true,
    ],
    [
      'r8snorm drawn to',
      textureOf('r8snorm', USAGE.ATTACHMENT),
      /cannot be rendered to.*"texture-formats-tier1"/,
      true,
    ],
    ['a target of rgba8snorm', targetOf('rgba8snorm'), /cannot be rendered to/, true],
    ['r8unorm stored to', textureOf('r8unorm', USAGE.STORAGE), /STORAGE_BINDING.*"texture-formats-tier1"/, true],
    ['a layout of r16float', storageOf('r16float', 'write-only'), /"texture-formats-tier1"/, true],
    [
      'a layout of rgba8unorm to read and write',
      storageOf('rgba8unorm', 'read-write'),
      /"texture-formats-tier2"/,
      false,
    ],
    ['a program that stores rg8unorm', autoStorage('rg8unorm', 'write'), /"texture-formats-tier1"/, true],
    [
      'a program that reads and writes r8unorm',
      autoStorage('r8unorm', 'read_write'),
      /STORAGE_BINDING|read-write/,
      false,
    ],
    ['r32float blended', targetOf('r32float', true), /cannot be blended.*"float32-blendable"/, false],
    ['r32float filtered', filtered, /has sample type "unfilterable-float"/, false],
  ];
  test.each(refused)('%s', async (_, run, error, isTier1) => {
    for (const [device, isRight] of [
      [none, false],
      [tier1, isTier1],
    ] as const) {
      device.pushErrorScope('validation');
      run(device);
      const message = (await device.popErrorScope())?.message;
      if (isRight) expect(message).toBeUndefined();
      else expect(message).toMatch(error);
    }
  });
  test('r32float can be filtered with its feature', async () => {
    const device = await open({ threads: 0 }, ['float32-filterable']);
    device.pushErrorScope('validation');
    filtered(device);
    expect(await device.popErrorScope()).toBeNull();
    device.destroy();
  });

  test.each(['r16unorm', 'rg16snorm', 'rgba16unorm', 'depth32float-stencil8'])('%s is not a name', (format) => {
    const wanted = format.startsWith('depth') ? 'depth32float-stencil8' : 'texture-formats-tier1';
    for (const run of [textureOf(format, USAGE.SAMPLED), storageOf(format, 'write-only'), targetOf(format)])
      expect(() => run(none)).toThrow(new RegExp(`format "${format}" needs the feature "${wanted}"`));
    expect(() =>
      none.createTexture({
        size: [1],
        format: 'rgba8unorm',
        usage: GPUTextureUsage.TEXTURE_BINDING,
        viewFormats: [format as GPUTextureFormat],
      })
    ).toThrow(TypeError);
    expect(() =>
      none
        .createTexture({ size: [1], format: 'rgba8unorm', usage: GPUTextureUsage.TEXTURE_BINDING })
        .createView({ format: format as GPUTextureFormat })
    ).toThrow(TypeError);
    expect(() => none.createRenderBundleEncoder({ colorFormats: [format as GPUTextureFormat] })).toThrow(TypeError);
  });

  test('a tier includes the lower tiers', async () => {
    const tier2 = await open({ threads: 0 }, ['texture-formats-tier2']);
    for (const device of [tier1, tier2]) expect(device.features.has('rg11b10ufloat-renderable')).toBe(true);
    expect([
      tier2.features.has('texture-formats-tier1' as GPUFeatureName),
      tier1.features.has('texture-formats-tier2' as GPUFeatureName),
    ]).toEqual([true, false]);
    expect(none.features.has('core-features-and-limits')).toBe(true);
    tier2.destroy();
  });
});
