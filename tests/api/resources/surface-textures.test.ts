import { describe, expect, test } from 'vitest';
import { type MultisampleTextureDescriptor, type StatisticsDevice } from '../../../src/api';
import { apiDevice, validationError } from '../fake';
import { GPUShaderStage } from '../../support/flags';
import { CODE, EMPTY, deviceWith, usage } from './surfaces.kit';

const DEPTH = { format: 'depth32float' } as const;
const members: [string, RegExp | null, Partial<MultisampleTextureDescriptor>][] = [
  ['a colour threshold', null, { colorMergeThreshold: 0.01 }],
  ['a depth threshold of 0', null, { format: 'depth24plus-stencil8', depthMergeThreshold: 0 }],
  [
    'a negative colour threshold',
    /"t".*colorMergeThreshold must be finite and at least 0, not -0\.5/,
    { colorMergeThreshold: -0.5 },
  ],
  [
    'a colour threshold that is no number',
    /colorMergeThreshold must be finite and at least 0, not NaN/,
    { colorMergeThreshold: NaN },
  ],
  [
    'an infinite colour threshold',
    /colorMergeThreshold must be finite and at least 0, not Infinity/,
    { colorMergeThreshold: Infinity },
  ],
  [
    'a negative depth threshold',
    /depthMergeThreshold must be finite and at least 0, not -1/,
    { ...DEPTH, depthMergeThreshold: -1 },
  ],
  [
    'a depth threshold that is no number',
    /depthMergeThreshold must be finite and at least 0, not NaN/,
    { ...DEPTH, depthMergeThreshold: NaN },
  ],
  [
    'a colour threshold of depth',
    /colorMergeThreshold is only for float and normalized colour formats, not depth32float/,
    { ...DEPTH, colorMergeThreshold: 0.1 },
  ],
  [
    'a colour threshold of integers',
    /colorMergeThreshold is only for float and normalized colour formats, not rgba8uint/,
    { format: 'rgba8uint', colorMergeThreshold: 0.1 },
  ],
  [
    'a depth threshold of colour',
    /depthMergeThreshold is only for formats with depth, not rgba8unorm/,
    { depthMergeThreshold: 0.1 },
  ],
  [
    'a depth threshold of stencil',
    /depthMergeThreshold is only for formats with depth, not stencil8/,
    { format: 'stencil8', depthMergeThreshold: 0.1 },
  ],
  [
    'a threshold of one sample',
    /colorMergeThreshold is only for multisampled textures, but this one has one/,
    { sampleCount: 1, colorMergeThreshold: 0.1 },
  ],
  ['overcommit', null, { overcommit: true }],
  [
    'overcommit of one sample',
    /overcommit is only for multisampled textures, but this one has one/,
    { sampleCount: 1, overcommit: true },
  ],
];
const attachment = (device: GPUDevice, o: Partial<MultisampleTextureDescriptor>): GPUTexture => {
  const descriptor: MultisampleTextureDescriptor = {
    label: 't',
    size: [16, 16],
    sampleCount: 4,
    format: 'rgba8unorm',
    usage: usage.RENDER_ATTACHMENT,
    ...o,
  };
  return device.createTexture(descriptor);
};

test.each(members)('a texture with %s', async (_, error, o) => {
  const { device } = await apiDevice();
  const message = await validationError(device, () => attachment(device, o));
  if (error === null) expect(message).toBeNull();
  else expect(message).toMatch(error);
});

test('extended-sample-counts allows 2, 8 and 16 samples, and no others', async () => {
  const device = await deviceWith(['extended-sample-counts']);
  for (const sampleCount of [1, 2, 4, 8, 16])
    expect(await validationError(device, () => attachment(device, { sampleCount }))).toBeNull();
  for (const sampleCount of [3, 32])
    expect(await validationError(device, () => attachment(device, { sampleCount }))).toContain(
      `sampleCount must be 1, 2, 4, 8 or 16, not ${sampleCount}`
    );
  const without = (await apiDevice()).device;
  for (const sampleCount of [2, 8, 16])
    expect(await validationError(without, () => attachment(without, { sampleCount }))).toContain(
      `sampleCount ${sampleCount} needs the feature "extended-sample-counts"`
    );
});

describe('encodingStates', () => {
  test('requires an existing multisampled texture of this device', async () => {
    const device = (await deviceWith(['statistics'])) as StatisticsDevice;
    expect(await device.encodingStates(attachment(device, {}))).toEqual(new Uint8Array());
    await expect(device.encodingStates(attachment(device, { sampleCount: 1 }))).rejects.toThrow(
      '[Texture "t"] encodingStates: it has one sample; only multisampled textures are encoded'
    );
    await expect(device.encodingStates({} as GPUTexture)).rejects.toThrow(TypeError);
    const other = (await apiDevice()).device;
    await expect(device.encodingStates(attachment(other, {}))).rejects.toThrow(/"t".* device/);
    const gone = attachment(device, {});
    gone.destroy();
    await expect(device.encodingStates(gone)).rejects.toThrow(/destroyed/);
  });

  test('requires the feature "statistics"', async () => {
    expect('encodingStates' in (await apiDevice()).device).toBe(false);
  });
});

describe('a device without the feature', async () => {
  const { device } = await apiDevice();
  const needs = /needs the (device )?feature ['"]multisample-storage-textures['"]/;
  test.each<[string, (d: GPUDevice) => unknown]>([
    [
      'a texture',
      (d) => d.createTexture({ size: [4, 4], sampleCount: 4, format: 'rgba8unorm', usage: usage.STORAGE_BINDING }),
    ],
    [
      'a layout',
      (d) =>
        d.createBindGroupLayout({
          entries: [
            {
              binding: 0,
              visibility: GPUShaderStage.FRAGMENT,
              storageTexture: { format: 'r32uint', multisampled: true } as GPUStorageTextureBindingLayout,
            },
          ],
        }),
    ],
    ['a shader', (d) => d.createShaderModule({ code: CODE })],
    [
      'a pass without attachments',
      (d) => {
        const encoder = d.createCommandEncoder();
        encoder.beginRenderPass({ colorAttachments: [], ...EMPTY } as unknown as GPURenderPassDescriptor).end();
        encoder.finish();
      },
    ],
  ])('reports an error for %s', async (_, run) => {
    device.pushErrorScope('validation');
    run(device);
    expect((await device.popErrorScope())?.message).toMatch(needs);
  });

  test("has WebGPU's single-sampled storage textures", async () => {
    device.pushErrorScope('validation');
    device.createTexture({ size: [4, 4], format: 'rgba8unorm', usage: usage.STORAGE_BINDING });
    expect(await device.popErrorScope()).toBeNull();
    device.pushErrorScope('validation');
    device.createTexture({ size: [4, 4], format: 'bgra8unorm', usage: usage.STORAGE_BINDING });
    expect((await device.popErrorScope())?.message).toMatch(
      /STORAGE_BINDING\) without the feature "bgra8unorm-storage"/
    );
  });
  test('bgra8unorm can be written, but not read', async () => {
    const { device: all } = await apiDevice({
      requiredFeatures: ['bgra8unorm-storage', 'texture-formats-tier2'] as GPUFeatureName[],
    });
    for (const [access, error] of [
      ['write-only', null],
      ['read-only', /format bgra8unorm does not support access "read-only"/],
      ['read-write', /format bgra8unorm does not support access "read-write"/],
    ] as const) {
      all.pushErrorScope('validation');
      all.createBindGroupLayout({
        entries: [{ binding: 0, visibility: GPUShaderStage.COMPUTE, storageTexture: { format: 'bgra8unorm', access } }],
      });
      const message = (await all.popErrorScope())?.message;
      if (error === null) expect(message).toBeUndefined();
      else expect(message).toMatch(error);
    }
  });
});
