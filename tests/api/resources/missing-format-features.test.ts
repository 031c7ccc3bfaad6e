import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GPUShaderStage, GPUTextureUsage } from '../../support/flags';
import { USAGE, VERTEX, open } from './format-features.kit';

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
