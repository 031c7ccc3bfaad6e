// Objects dropped without destroy() free their memory, and objects used by queued work stay.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { apiDevice, type FakeDevice } from '../fake';
import { GPUBufferUsage, GPUShaderStage, GPUTextureUsage } from '../../support/flags';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
/** Runs garbage collections and the macrotasks in which finalizers run. */
async function settle(): Promise<void> {
  for (let i = 0; i < 4; i++) {
    collect();
    await new Promise((done) => setTimeout(done, 10));
  }
}
const WGSL = `
  @vertex fn vs() -> @builtin(position) vec4f { return vec4f(); }
  @fragment fn fs() -> @location(0) vec4f { return vec4f(1); }
`;

describe('dropped objects', () => {
  test('buffers, textures, views, samplers and pipelines', async () => {
    const { device, fake } = await apiDevice();
    const module = device.createShaderModule({ code: WGSL });
    for (let i = 0; i < 200; i++) {
      device.createBuffer({ size: 16, usage: GPUBufferUsage.COPY_DST });
      device.createTexture({ size: [4, 4], format: 'rgba8unorm', usage: GPUTextureUsage.TEXTURE_BINDING }).createView();
      device.createSampler();
      device.createRenderPipeline({
        layout: 'auto',
        vertex: { module },
        fragment: { module, targets: [{ format: 'rgba8unorm' }] },
      });
    }
    expect(fake.alive).toBe(800);
    await settle();
    expect(fake.alive).toBe(0);
  });

  test('a bind group keeps its resources, and a pipeline outlives its module', async () => {
    const { device, fake } = await apiDevice();
    const layout = device.createBindGroupLayout({
      entries: [
        { binding: 0, visibility: GPUShaderStage.VERTEX, buffer: {} },
        { binding: 1, visibility: GPUShaderStage.FRAGMENT, texture: {} },
      ],
    });
    const group = ((): GPUBindGroup =>
      device.createBindGroup({
        layout,
        entries: [
          { binding: 0, resource: { buffer: device.createBuffer({ size: 16, usage: GPUBufferUsage.UNIFORM }) } },
          {
            binding: 1,
            resource: device
              .createTexture({ size: [4, 4], format: 'rgba8unorm', usage: GPUTextureUsage.TEXTURE_BINDING })
              .createView(),
          },
        ],
      }))();
    await settle();
    expect(fake.alive).toBe(2);
    expect(group.label).toBe('');
  });

  /** A pass on a texture that only the queue refers to. */
  const encodePass = (device: GPUDevice): GPUCommandBuffer => {
    const target = device.createTexture({
      size: [4, 4],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.RENDER_ATTACHMENT,
    });
    const encoder = device.createCommandEncoder();
    encoder
      .beginRenderPass({ colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }] })
      .end();
    return encoder.finish();
  };
  const blocked = (fake: FakeDevice): (() => void) => {
    let go = false;
    fake.runPass = () => ({ step: () => go });
    return () => {
      go = true;
    };
  };
  test('queued work keeps what it uses until it has run', async () => {
    const { device, fake } = await apiDevice();
    const release = blocked(fake);
    device.queue.submit([encodePass(device)]);
    ((): void =>
      device.queue.writeBuffer(
        device.createBuffer({ size: 16, usage: GPUBufferUsage.COPY_DST }),
        0,
        new Uint8Array(4)
      ))();
    await settle();
    expect(fake.alive).toBe(2);
    release();
    await device.queue.onSubmittedWorkDone();
    await settle();
    expect(fake.alive).toBe(0);
  });
  test('a command buffer that is never submitted keeps its resources while it is referenced', async () => {
    const { device, fake } = await apiDevice();
    let commands: GPUCommandBuffer | null = encodePass(device);
    await settle();
    expect([fake.alive, commands.label]).toEqual([1, '']);
    commands = null;
    await settle();
    expect(fake.alive).toBe(0);
  });
});

test('ten thousand dropped textures and pipelines are freed without a forced collection', async () => {
  const { device, fake } = await apiDevice();
  const module = device.createShaderModule({ code: WGSL });
  let most = 0;
  for (let i = 0; i < 10_000; i++) {
    device.createTexture({ size: [256, 256], format: 'rgba8unorm', usage: GPUTextureUsage.TEXTURE_BINDING });
    device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    });
    if (i % 100 === 99) await device.queue.onSubmittedWorkDone();
    most = Math.max(most, fake.alive);
  }
  // 256 KiB each: far below the device's limit.
  expect(most).toBeLessThan(8000);
});
