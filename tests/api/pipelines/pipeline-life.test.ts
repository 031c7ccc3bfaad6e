// When pipelines are compiled, and what happens if that fails.
import { describe, expect, test } from 'vitest';
import { ProgramTooLargeError } from '../../../src/base/errors';
import { OutOfMemoryError } from '../../../src/memory';
import { apiDevice } from '../fake';

const WGSL = `
  @vertex fn vs() -> @builtin(position) vec4f { return vec4f(); }
  @fragment fn fs() -> @location(0) vec4f { return vec4f(1); }
`;
const describePipeline = (device: GPUDevice): GPURenderPipelineDescriptor => {
  const module = device.createShaderModule({ code: WGSL });
  return { label: 'p', layout: 'auto', vertex: { module }, fragment: { module, targets: [{ format: 'rgba8unorm' }] } };
};

describe('createRenderPipeline', () => {
  test('requests compilation once', async () => {
    const { device, fake, uncaptured } = await apiDevice();
    device.createRenderPipeline(describePipeline(device));
    expect([fake.log, uncaptured]).toEqual([['compile'], []]);
  });

  test('shares compiled shaders between modules of the same text while one of them exists', async () => {
    const { device, fake } = await apiDevice();
    const descriptors = [describePipeline(device), describePipeline(device)];
    for (const each of descriptors) device.createRenderPipeline(each);
    const [first, second] = fake.pipelines;
    expect(first!.tree.stages.map(({ program }, i) => program === second!.tree.stages[i]!.program)).toEqual([true]);
    expect(first!.fragment!.program).toBe(second!.fragment!.program);
  });

  test('reports an invalid text each time it is passed', async () => {
    const { device } = await apiDevice();
    const messages = await Promise.all(
      [0, 1].map(() => {
        device.pushErrorScope('validation');
        const module = device.createShaderModule({ code: 'fn f() { let x = y; }' });
        return Promise.all([device.popErrorScope(), module.getCompilationInfo()]);
      })
    );
    expect(messages.map(([error, info]) => [error!.message.includes("'y'"), info.messages.length])).toEqual([
      [true, 1],
      [true, 1],
    ]);
  });

  test('a shader that cannot be compiled is an internal error', async () => {
    for (const [error, filter] of [
      [new ProgramTooLargeError('too large'), 'internal'],
      [new OutOfMemoryError('no room'), 'out-of-memory'],
    ] as const) {
      const { device, fake } = await apiDevice();
      fake.compile = () => {
        throw error;
      };
      device.pushErrorScope(filter);
      expect(device.createRenderPipeline(describePipeline(device)).label).toBe('p');
      expect((await device.popErrorScope())!.message).toContain(error.message);
    }
  });
});

describe('createRenderPipelineAsync', () => {
  test('resolves when the renderer is ready, and not before', async () => {
    const { device, fake } = await apiDevice();
    let ready: (() => void) | null = null;
    fake.prepare = () =>
      new Promise((resolve) => {
        ready = resolve;
      });
    let made: GPURenderPipeline | null = null;
    const making = device.createRenderPipelineAsync(describePipeline(device)).then((pipeline) => {
      made = pipeline;
    });
    await device.queue.onSubmittedWorkDone();
    // On a busy machine the shader is compiled in several steps.
    await expect.poll(() => ready).not.toBeNull();
    expect(made).toBeNull();
    ready!();
    await making;
    expect([made!.label, fake.log]).toEqual(['p', []]);
  });

  test('rejects if a shader cannot be compiled', async () => {
    for (const error of [new ProgramTooLargeError('too large'), new OutOfMemoryError('no room')]) {
      const { device, fake, uncaptured } = await apiDevice();
      fake.prepare = () => Promise.reject(error);
      await expect(device.createRenderPipelineAsync(describePipeline(device))).rejects.toMatchObject({
        name: 'GPUPipelineError',
        reason: 'internal',
        message: error.message,
      });
      expect(uncaptured).toEqual([]);
    }
  });

  test('requests nothing if the descriptor is invalid or the device is lost', async () => {
    const { device, fake } = await apiDevice();
    const descriptor = describePipeline(device);
    await expect(device.createRenderPipelineAsync({ ...descriptor, multisample: { count: 3 } })).rejects.toMatchObject({
      name: 'GPUPipelineError',
      reason: 'validation',
    });
    device.destroy();
    await expect(device.createRenderPipelineAsync(descriptor)).resolves.toBeDefined();
    expect([fake.log, fake.pipelines]).toEqual([[], []]);
  });
});
