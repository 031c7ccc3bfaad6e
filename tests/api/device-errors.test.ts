import { describe, expect, test, vi } from 'vitest';
import { DeviceLostError } from '../../src/base/errors';
import { OutOfMemoryError } from '../../src/memory';
import { apiDevice, classes, validationError } from './fake';
import { GPUBufferUsage, GPUMapMode, GPUShaderStage, GPUTextureUsage } from '../support/flags';

const bad = (device: GPUDevice): GPUBuffer => device.createBuffer({ label: 'bad', size: 4, usage: 0 });

describe('errors', () => {
  test('go to the innermost scope of their kind, and only the first is kept', async () => {
    const { device, uncaptured } = await apiDevice();
    device.pushErrorScope('validation');
    device.pushErrorScope('out-of-memory');
    bad(device);
    device.createBuffer({ label: 'worse', size: 4, usage: 0 });
    expect(await device.popErrorScope()).toBeNull();
    const error = await device.popErrorScope();
    expect(error).toBeInstanceOf(classes['GPUValidationError']);
    expect(error).toBeInstanceOf(classes['GPUError']);
    expect(error!.message).toMatch(/\[Buffer "bad"\]/);
    expect(uncaptured).toEqual([]);
  });
  test('popErrorScope without a scope', async () => {
    const { device } = await apiDevice();
    await expect(device.popErrorScope()).rejects.toThrow(/no error scope is open/);
  });
  test('are dispatched to listeners if no scope captures them', async () => {
    const { device, uncaptured } = await apiDevice();
    bad(device);
    expect(uncaptured).toEqual([]);
    await Promise.resolve();
    expect(uncaptured).toEqual([expect.stringMatching(/\[Buffer "bad"\] createBuffer: usage is 0/)]);
    const seen = vi.fn();
    device.onuncapturederror = null;
    device.addEventListener('uncapturederror', (event) => seen((event as GPUUncapturedErrorEvent).error.message));
    bad(device);
    await Promise.resolve();
    expect(seen).toHaveBeenCalledOnce();
    expect(uncaptured).toHaveLength(1);
  });
  test('are logged as warnings without listeners', async () => {
    const { device } = await apiDevice();
    device.onuncapturederror = null;
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    bad(device);
    await Promise.resolve();
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/uncaptured GPUValidationError: \[Buffer "bad"\]/)
    );
    device.addEventListener('uncapturederror', (event) => event.preventDefault());
    bad(device);
    await Promise.resolve();
    expect(warn).toHaveBeenCalledOnce();
    warn.mockRestore();
  });
  test('out of memory', async () => {
    const { device, fake } = await apiDevice();
    fake.createBuffer = (size, label) => {
      throw new OutOfMemoryError(`${label} of ${size} bytes does not fit`);
    };
    device.pushErrorScope('out-of-memory');
    const buffer = device.createBuffer({ label: 'big', size: 1024, usage: GPUBufferUsage.COPY_DST });
    const error = await device.popErrorScope();
    expect(error).toBeInstanceOf(classes['GPUOutOfMemoryError']);
    expect(error!.message).toBe('[Buffer "big"] of 1024 bytes does not fit');
    expect(await validationError(device, () => device.queue.writeBuffer(buffer, 0, new Uint8Array(4)))).toMatch(
      /is invalid, because its creation failed/
    );
  });
  test('out of memory while encoding', async () => {
    const { device, fake } = await apiDevice();
    const target = device.createTexture({
      size: [4, 4],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.RENDER_ATTACHMENT,
    });
    fake.createView = () => {
      throw new OutOfMemoryError('no room for a view');
    };
    device.pushErrorScope('validation');
    device.pushErrorScope('out-of-memory');
    const encoder = device.createCommandEncoder();
    encoder
      .beginRenderPass({ colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }] })
      .end();
    encoder.finish();
    expect((await device.popErrorScope())?.message).toBe('no room for a view');
    expect((await device.popErrorScope())?.message).toBe('no room for a view');
  });
  test('objects made from invalid objects are invalid', async () => {
    const { device } = await apiDevice();
    device.pushErrorScope('validation');
    const buffer = bad(device);
    await device.popErrorScope();
    const layout = device.createBindGroupLayout({
      entries: [{ binding: 0, visibility: GPUShaderStage.VERTEX, buffer: {} }],
    });
    let group!: GPUBindGroup;
    expect(
      await validationError(
        device,
        () => (group = device.createBindGroup({ label: 'g', layout, entries: [{ binding: 0, resource: { buffer } }] }))
      )
    ).toMatch(/\[BindGroup "g"\] createBindGroup: \[Buffer "bad"\] is invalid/);
    const target = device.createTexture({
      size: [4, 4],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.RENDER_ATTACHMENT,
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
    });
    let commands!: GPUCommandBuffer;
    expect(
      await validationError(device, () => (pass.setBindGroup(0, group), pass.end(), (commands = encoder.finish())))
    ).toMatch(/setBindGroup: \[BindGroup "g"\] is invalid/);
    expect(await validationError(device, () => device.queue.submit([commands]))).toMatch(
      /\[CommandBuffer \(unlabeled\)\] is invalid/
    );
  });
  test('objects of another device are rejected', async () => {
    const { device } = await apiDevice({ label: 'one' });
    const { device: other } = await apiDevice({ label: 'two' });
    const buffer = other.createBuffer({ label: 'b', size: 4, usage: GPUBufferUsage.COPY_DST });
    expect(await validationError(device, () => device.queue.writeBuffer(buffer, 0, new Uint8Array(4)))).toMatch(
      /belongs to another device \(\[Device "two"\]\)/
    );
  });
  test('the classes can be constructed', () => {
    const make = (name: string, ...args: unknown[]): Error =>
      new (classes[name] as unknown as new (...args: unknown[]) => Error)(...args);
    expect(make('GPUValidationError', 'm').message).toBe('m');
    expect(() => make('GPUValidationError')).toThrow(TypeError);
    const pipeline = make('GPUPipelineError', 'm', { reason: 'internal' });
    expect(pipeline).toBeInstanceOf(DOMException);
    expect([pipeline.name, pipeline.message, (pipeline as unknown as GPUPipelineError).reason]).toEqual([
      'GPUPipelineError',
      'm',
      'internal',
    ]);
    expect(() => make('GPUUncapturedErrorEvent', 'x', { error: {} })).toThrow(TypeError);
  });
});

describe('device loss', () => {
  test('is reported before error scopes that are popped after it', async () => {
    const { device } = await apiDevice();
    const told: string[] = [];
    void device.lost.then(() => told.push('lost'));
    device.pushErrorScope('validation');
    device.destroy();
    expect(await device.popErrorScope()).toBeNull();
    expect(told).toEqual(['lost']);
  });
  test('pending pipelines reject before the loss is reported', async () => {
    for (const isRender of [false, true]) {
      const { device } = await apiDevice();
      const told: string[] = [];
      const module = device.createShaderModule({ code: '@compute @workgroup_size(1) fn main() {}' });
      const stage = { module, entryPoint: 'missing' };
      const made = isRender
        ? device.createRenderPipelineAsync({ layout: 'auto', vertex: stage })
        : device.createComputePipelineAsync({ layout: 'auto', compute: stage });
      const rejected = made.then(
        () => told.push('made'),
        (error: Error) => told.push(error.constructor.name)
      );
      void device.lost.then(() => told.push('lost'));
      device.destroy();
      await Promise.all([rejected, device.lost]);
      expect(told).toEqual(['GPUPipelineError', 'lost']);
    }
  });
  test('by destroy()', async () => {
    const { device, fake } = await apiDevice();
    const buffer = device.createBuffer({ size: 8, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const mapped = device.createBuffer({ size: 8, usage: GPUBufferUsage.COPY_DST, mappedAtCreation: true });
    const map = buffer.mapAsync(GPUMapMode.READ);
    const done = device.queue.onSubmittedWorkDone();
    device.destroy();
    device.destroy();
    await expect(map).rejects.toMatchObject({ name: 'AbortError' });
    await expect(done).resolves.toBeUndefined();
    expect(await device.lost).toMatchObject({ reason: 'destroyed' });
    expect(await device.lost).toBeInstanceOf(classes['GPUDeviceLostInfo']);
    expect([fake.destroyed, mapped.mapState]).toEqual([true, 'unmapped']);
  });
  test('afterwards nothing is reported and nothing runs', async () => {
    const { device, fake, uncaptured } = await apiDevice();
    device.destroy();
    bad(device);
    device.queue.writeBuffer(device.createBuffer({ size: 4, usage: GPUBufferUsage.COPY_DST }), 0, new Uint8Array(4));
    device.pushErrorScope('validation');
    expect(await device.popErrorScope()).toBeNull();
    await expect(device.queue.onSubmittedWorkDone()).resolves.toBeUndefined();
    await expect(
      device
        .createBuffer({ size: 4, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST })
        .mapAsync(GPUMapMode.READ)
    ).rejects.toMatchObject({ name: 'AbortError' });
    expect([fake.log, uncaptured]).toEqual([[], []]);
  });
  const submitPass = (device: GPUDevice): void => {
    const target = device.createTexture({
      size: [4, 4],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.RENDER_ATTACHMENT,
    });
    const encoder = device.createCommandEncoder();
    encoder
      .beginRenderPass({ colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }] })
      .end();
    device.queue.submit([encoder.finish()]);
  };
  test('by work that never ends: later work is dropped', async () => {
    const { device, fake } = await apiDevice();
    fake.runPass = () => ({
      step: () => {
        throw new DeviceLostError('a shader does not end');
      },
    });
    submitPass(device);
    const map = device
      .createBuffer({ size: 8, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST })
      .mapAsync(GPUMapMode.READ);
    device.queue.writeBuffer(device.createBuffer({ size: 4, usage: GPUBufferUsage.COPY_DST }), 0, new Uint8Array(4));
    await expect(map).rejects.toMatchObject({ name: 'AbortError' });
    expect(await device.lost).toMatchObject({ reason: 'unknown', message: 'a shader does not end' });
    expect(fake.log).toEqual(['renderPass 0']);
  });
  test('by an internal error: with a message and a printed stack trace', async () => {
    const { device, fake } = await apiDevice();
    const print = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    fake.runPass = () => ({
      step: () => {
        throw new RangeError('out of bounds');
      },
    });
    submitPass(device);
    expect((await device.lost).message).toMatch(/internal error \(a bug in Rasterloom.*out of bounds/);
    expect(print).toHaveBeenCalledOnce();
    print.mockRestore();
  });
  test('not by a lack of memory: that is an error, and the queue continues', async () => {
    const { device, fake, uncaptured } = await apiDevice();
    fake.runPass = () => ({
      step: () => {
        throw new OutOfMemoryError('no room for triangles');
      },
    });
    submitPass(device);
    await device.queue.onSubmittedWorkDone();
    expect(uncaptured).toEqual(['no room for triangles']);
  });
});
