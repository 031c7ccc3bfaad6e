// The member invocationCounts of a render pass descriptor: validation and effects.
import { describe, expect, test } from 'vitest';
import type { StatisticsRenderPassDescriptor } from '../../../src/api';
import { apiDevice, validationError } from '../fake';
import { GPUShaderStage } from '../../support/flags';

const ATTACHMENT = 16;
const counted = (): ReturnType<typeof apiDevice> => apiDevice({ requiredFeatures: ['statistics' as GPUFeatureName] });
const texture = (device: GPUDevice, o: Partial<GPUTextureDescriptor> = {}): GPUTexture =>
  device.createTexture({ label: 't', size: [16, 16], format: 'r32uint', usage: ATTACHMENT, ...o });
const descriptor = (
  device: GPUDevice,
  invocationCounts: GPUTexture | GPUTextureView,
  more: Partial<GPURenderPassDescriptor> = {}
): StatisticsRenderPassDescriptor => ({
  colorAttachments: [{ view: texture(device, { format: 'rgba8unorm' }), loadOp: 'clear', storeOp: 'store' }],
  ...more,
  invocationCounts,
});
/** Encodes a pass, and submits it if it is valid. */
const begin = (device: GPUDevice, d: GPURenderPassDescriptor): GPUCommandBuffer => {
  const encoder = device.createCommandEncoder();
  encoder.beginRenderPass(d).end();
  return encoder.finish();
};

describe('invocationCounts', () => {
  test.each<[string, RegExp, Partial<GPUTextureDescriptor>, GPUTextureViewDescriptor?]>([
    ['format', /invocationCounts: .*"t".* has format r32sint; it must be r32uint/, { format: 'r32sint' }],
    [
      'samples',
      /invocationCounts: .*"t".* has format rgba8uint; it must be r32uint/,
      { format: 'rgba8uint', sampleCount: 4 },
    ],
    ['size', /invocationCounts: .*"t".* is 16×8, but the attachments are 16×16/, { size: [16, 8] }],
    ['usage', /invocationCounts: .*"t".* needs usage RENDER_ATTACHMENT; it has TEXTURE_BINDING/, { usage: 4 }],
    ['levels', /invocationCounts: .*"t".* has 2 mip levels/, { mipLevelCount: 2 }],
    ['layers', /invocationCounts: .*"t".* has 2 layers/, { size: [16, 16, 2] }],
    ['dimension', /invocationCounts: .*"t".* is 3d; it must be 2d/, { size: [16, 16, 2], dimension: '3d' }],
    ['transient', /invocationCounts: .*"t".* is transient/, { usage: ATTACHMENT | 32 }],
  ])('with a wrong %s is an error', async (_name, message, o) => {
    const { device } = await counted();
    expect(await validationError(device, () => begin(device, descriptor(device, texture(device, o))))).toMatch(message);
  });

  test('without the feature is an error', async () => {
    const { device } = await apiDevice();
    expect(await validationError(device, () => begin(device, descriptor(device, texture(device))))).toMatch(
      /invocationCounts: the device does not have the feature "statistics"/
    );
  });

  test('without an attachment, or the same as one', async () => {
    const { device } = await counted();
    expect(
      await validationError(device, () => begin(device, descriptor(device, texture(device), { colorAttachments: [] })))
    ).toMatch(/the pass has no attachment/);
    const both = texture(device);
    expect(
      await validationError(device, () =>
        begin(
          device,
          descriptor(device, both, { colorAttachments: [{ view: both, loadOp: 'load', storeOp: 'store' }] })
        )
      )
    ).toMatch(/colorAttachments\[0\] and invocationCounts are the same part of/);
  });

  test('of another device, or destroyed before submit', async () => {
    const { device } = await counted();
    const other = await counted();
    expect(await validationError(device, () => begin(device, descriptor(device, texture(other.device))))).toMatch(
      /"t".* device/
    );
    const gone = texture(device);
    const commands = begin(device, descriptor(device, gone));
    gone.destroy();
    expect(await validationError(device, () => device.queue.submit([commands]))).toMatch(/"t".* destroyed/);
  });

  test('reaches the renderer as a view, and is null if omitted', async () => {
    const { device, fake, uncaptured } = await counted();
    const layered = texture(device, { size: [16, 16, 3] });
    device.queue.submit([
      begin(device, descriptor(device, layered.createView({ dimension: '2d', baseArrayLayer: 2 }))),
    ]);
    device.queue.submit([begin(device, descriptor(device, texture(device)))]);
    device.queue.submit([
      begin(device, {
        colorAttachments: [{ view: texture(device, { format: 'rgba8unorm' }), loadOp: 'clear', storeOp: 'store' }],
      }),
    ]);
    await device.queue.onSubmittedWorkDone();
    expect(fake.passes.map(({ counts }) => counts?.shape.baseArrayLayer ?? null)).toEqual([2, 0, null]);
    expect(uncaptured).toEqual([]);
  });

  test('cannot be sampled in the same pass', async () => {
    const { device } = await counted();
    const counts = texture(device, { usage: ATTACHMENT | 4 });
    const layout = device.createBindGroupLayout({
      entries: [{ binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: { sampleType: 'uint' } }],
    });
    const group = device.createBindGroup({ layout, entries: [{ binding: 0, resource: counts.createView() }] });
    expect(
      await validationError(device, () => {
        const encoder = device.createCommandEncoder();
        const pass = encoder.beginRenderPass(descriptor(device, counts));
        pass.setBindGroup(0, group);
        pass.end();
        encoder.finish();
      })
    ).toMatch(/is sampled while the pass renders to it as invocationCounts/);
  });
});
