// Code of the caller that runs in the middle of a call, and changes the objects in use.
import { describe, expect, test } from 'vitest';
import { draw, IS_RED, open, pause, pixel, RED } from './kit';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';

describe('reentrant callers', () => {
  test('a finished mapping destroys the device: later ones are aborted', async () => {
    const { device } = await open();
    const [first, second] = [0, 1].map(() =>
      device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST })
    ) as [GPUBuffer, GPUBuffer];
    const done = first.mapAsync(GPUMapMode.READ).then(() => device.destroy());
    await expect(second.mapAsync(GPUMapMode.READ)).rejects.toMatchObject({ name: 'AbortError' });
    await done;
    expect([first.mapState, (await device.lost).reason]).toEqual(['unmapped', 'destroyed']);
  });

  test('a finished mapping destroys its buffer', async () => {
    const { device } = await open();
    const buffer = device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    await buffer.mapAsync(GPUMapMode.READ).then(() => buffer.destroy());
    expect(() => buffer.getMappedRange()).toThrow(/not mapped/);
  });

  test('an error handler causes errors, submits and destroys', async () => {
    const { device } = await open();
    let seen = 0;
    device.onuncapturederror = (event) => {
      event.preventDefault();
      if (++seen === 5) device.destroy();
      device.createBuffer({ size: 16, usage: 0 });
      device.queue.submit([device.createCommandEncoder().finish()]);
    };
    device.createBuffer({ size: 16, usage: 0 });
    expect((await device.lost).reason).toBe('destroyed');
    await pause(5);
    expect(seen).toBe(5);
  });

  test('descriptor getters destroy the device, or the objects that they name', async () => {
    const { device } = await open();
    const texture = device.createTexture({
      size: [64, 64],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
    });
    device.pushErrorScope('validation');
    const encoder = device.createCommandEncoder();
    const attachment = {
      get view() {
        texture.destroy();
        return texture.createView();
      },
      loadOp: 'clear',
      storeOp: 'store',
    } as const;
    encoder.beginRenderPass({ colorAttachments: [attachment] }).end();
    device.queue.submit([encoder.finish()]);
    expect((await device.popErrorScope())?.message).toMatch(/which is destroyed/);
    const buffer = device.createBuffer({
      get size() {
        device.destroy();
        return 16;
      },
      usage: GPUBufferUsage.COPY_DST,
    });
    device.queue.submit({
      *[Symbol.iterator]() {
        yield device.createCommandEncoder().finish();
      },
    } as Iterable<GPUCommandBuffer>);
    await device.queue.onSubmittedWorkDone();
    expect([buffer.size, (await device.lost).reason]).toEqual([16, 'destroyed']);
  });

  test('data shrinks or is detached while its offset is read', async () => {
    const { device } = await open();
    const buffer = device.createBuffer({ size: 64, usage: GPUBufferUsage.COPY_DST });
    const data = new Uint8Array(64);
    const steal = {
      valueOf: () => (structuredClone(data.buffer, { transfer: [data.buffer] }), 0),
    } as unknown as number;
    expect(() => device.queue.writeBuffer(buffer, steal, data, 0, 64)).toThrow();
    expect(pixel(await draw(device, { code: RED }), 1, 1)).toBe(IS_RED);
  });

  test('the device is destroyed in the middle of a draw call', async () => {
    const { device, uncaptured } = await open();
    const drawn = draw(device, { code: RED, body: (pass) => pass.draw(3, 200_000) });
    const outcome = expect(drawn).rejects.toMatchObject({ name: 'AbortError' });
    await pause(20);
    device.destroy();
    await outcome;
    expect(uncaptured).toEqual([]);
  });
});
