// However a device reports an error, the command ends with its message. The device is a stand-in.
/// <reference types="@webgpu/types" />
import { describe, expect, it } from 'vitest';
import { DeviceError } from '../../src/cli/errors';
import { openGpu } from '../../src/cli/gpu';

class FakeDevice {
  onuncapturederror: ((event: { error: { message: string } }) => void) | null = null;
  lose: (info: { reason: string; message: string }) => void = () => undefined;
  readonly lost = new Promise((resolve) => {
    this.lose = resolve;
  });
  readonly scopes: string[] = [];
  /** Errors in the scopes, by filter. */
  readonly errors = new Map<string, { message: string }>();
  pushErrorScope(filter: string): void {
    this.scopes.push(filter);
  }
  popErrorScope(): Promise<{ message: string } | null> {
    const filter = this.scopes.pop();
    if (filter === undefined) throw new Error('no scope is open');
    return Promise.resolve(this.errors.get(filter) ?? null);
  }
}

async function open(device: FakeDevice): Promise<Awaited<ReturnType<typeof openGpu>>> {
  const adapter = {
    features: new Set<string>(),
    limits: { maxTextureDimension2D: 8192, maxBufferSize: 1 << 28 },
    requestDevice: () => Promise.resolve(device),
  };
  return openGpu(() => ({ requestAdapter: () => Promise.resolve(adapter) }) as unknown as GPU, []);
}

describe('openGpu', () => {
  it('reports that there is no adapter', async () => {
    await expect(
      openGpu(() => ({ requestAdapter: () => Promise.resolve(null) }) as unknown as GPU, [])
    ).rejects.toThrow('No GPU adapter is available.');
  });

  it('has no statistics if the GPU does not offer them', async () => {
    expect((await open(new FakeDevice())).statistics()).toBeNull();
  });

  it.each([
    [[], ['statistics']],
    [['statistics-times'], ['statistics', 'statistics-times']],
    [['shading-rate'], ['statistics']],
  ])('requests optional features that exist (%j)', async (wanted, expected) => {
    const device = Object.assign(new FakeDevice(), { statistics: () => ({ counters: { passes: 3 } }) });
    let asked: GPUDeviceDescriptor | undefined;
    const adapter = {
      features: new Set(['statistics', 'statistics-times']),
      limits: {},
      requestDevice: (descriptor: GPUDeviceDescriptor) => {
        asked = descriptor;
        return Promise.resolve(device);
      },
    };
    const gpu = await openGpu(() => ({ requestAdapter: () => Promise.resolve(adapter) }) as unknown as GPU, wanted);
    expect(asked?.requiredFeatures).toEqual(expected);
    expect(gpu.statistics()?.counters).toEqual({ passes: 3 });
  });

  it('returns the result of work without errors, and closes its scopes', async () => {
    const device = new FakeDevice();
    const { run } = await open(device);
    expect(await run('Working', () => Promise.resolve(7))).toBe(7);
    expect(device.scopes).toEqual([]);
  });

  it.each(['validation', 'out-of-memory', 'internal'])('reports a %s error', async (filter) => {
    const device = new FakeDevice();
    device.errors.set(filter, { message: 'the texture "x" is too large' });
    const { run } = await open(device);
    await expect(run('Uploading', () => 1)).rejects.toThrow('Uploading failed: the texture "x" is too large');
    expect(device.scopes).toEqual([]);
  });

  it('reports out of memory before its consequences, with its message', async () => {
    const device = new FakeDevice();
    device.errors.set('validation', { message: 'the texture is invalid' });
    device.errors.set('out-of-memory', { message: 'the texture needs 4294967296 bytes' });
    const { run } = await open(device);
    await expect(run('Rendering', () => 1, 'take less')).rejects.toThrow(/^Rendering failed: take less$/);
    const other = await open(Object.assign(new FakeDevice(), { errors: device.errors }));
    await expect(other.run('Uploading', () => 1)).rejects.toThrow(
      'Uploading failed: the texture needs 4294967296 bytes'
    );
  });

  it('prefers the cause to its consequences', async () => {
    const device = new FakeDevice();
    device.errors.set('validation', { message: 'the buffer is not mappable' });
    const { run } = await open(device);
    await expect(run('Rendering', () => Promise.reject(new Error('mapAsync failed')))).rejects.toThrow(
      'Rendering failed: the buffer is not mappable'
    );
  });

  it('passes on exceptions without another cause', async () => {
    const device = new FakeDevice();
    const { run } = await open(device);
    await expect(
      run('Rendering', () => {
        throw new Error('a mistake of ours');
      })
    ).rejects.toThrow(/^a mistake of ours$/);
    expect(device.scopes).toEqual([]);
  });

  it('reports a pipeline that cannot be created, unless a scope has a better error', async () => {
    const echo = () => Promise.reject(new DOMException('the pipeline "material" is too large', 'GPUPipelineError'));
    const { run } = await open(new FakeDevice());
    await expect(run('Uploading', echo)).rejects.toThrow(
      new DeviceError('Uploading failed: the pipeline "material" is too large')
    );
    const device = new FakeDevice();
    device.errors.set('validation', { message: 'line 3: unknown type' });
    await expect((await open(device)).run('Uploading', echo)).rejects.toThrow('Uploading failed: line 3: unknown type');
  });

  it('reports a lost device and uncaptured errors', async () => {
    const lost = new FakeDevice();
    const first = await open(lost);
    await expect(
      first.run('Rendering', async () => {
        lost.lose({ reason: 'unknown', message: 'a shader did not end' });
        await lost.lost;
      })
    ).rejects.toThrow('Rendering failed: the device was lost: a shader did not end');
    const loose = new FakeDevice();
    const second = await open(loose);
    loose.onuncapturederror!({ error: { message: 'late' } });
    await expect(second.run('Rendering', () => 1)).rejects.toThrow('Rendering failed: late');
  });

  it('accepts the deliberate destruction of the device', async () => {
    const device = new FakeDevice();
    const { run } = await open(device);
    device.lose({ reason: 'destroyed', message: 'destroyed' });
    expect(await run('Working', () => 3)).toBe(3);
  });
});
