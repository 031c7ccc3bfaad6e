// Descriptors and uses of streamed textures that are rejected.
import { describe, expect, test } from 'vitest';
import type { TextureStream } from '../../src/index';
import { open, streamed, type Open } from './kit';
import { GPUTextureUsage } from '../support/flags';
import { bytesOf, TEXELS } from './life.kit';

describe('rejected streamed textures', () => {
  let opened: Open;
  const refusal = async (act: () => void): Promise<string> => {
    opened = await open({ threads: 0 });
    opened.device.pushErrorScope('validation');
    act();
    const error = await opened.device.popErrorScope();
    opened.device.destroy();
    return error?.message ?? '';
  };
  const loadPage: TextureStream['loadPage'] = (level, x, y, layer) => bytesOf(level, x, y, layer);
  const create = (d: Partial<GPUTextureDescriptor>, stream: Partial<TextureStream> = {}): Promise<string> =>
    refusal(() => {
      opened.device.createTexture({
        size: [256, 256],
        format: 'rgba8unorm',
        usage: GPUTextureUsage.TEXTURE_BINDING,
        stream: { loadPage, ...stream },
        ...d,
      } as GPUTextureDescriptor);
    });

  test('invalid descriptors are rejected', async () => {
    expect(await create({ usage: 4 | 2 })).toContain('must have usage TEXTURE_BINDING and no other');
    expect(await create({ format: 'depth32float' })).toContain('a colour format');
    expect(await create({ dimension: '1d', size: [256] })).toContain('must be 2d or 3d with sample count 1');
    expect(await create({}, { pageSize: 100 })).toContain('stream.pageSize 100 must be a power of two from 16 to 1024');
    expect(await create({}, { maxConcurrentLoads: 0 })).toContain('stream.maxConcurrentLoads must be at least 1');
    expect(await create({}, { budget: 1000 })).toContain('stream.budget 1000 is less than');
    expect(await create({}, { timeoutMs: 0 })).toContain('stream.timeoutMs 0 must be greater than 0');
    expect(await create({ format: 'rgba8uint' }, { fallback: [0, 0, 0, 1] })).toContain(
      'stream.fallback needs a format'
    );
    expect(await create({ size: [70000, 10] })).toContain('65536');
    expect(await create({ size: [65536, 65536], mipLevelCount: 17 })).toBe('');
  });

  test.each([
    [
      { pagesize: 64 },
      ': unknown member "pagesize"; known members are "loadPage", "pageSize", "maxConcurrentLoads", "budget", '
        + '"late", "onMissing", "timeoutMs", "retry", "priority", "fallback"',
    ],
    [{ loadPage: 'tiles' }, '.loadPage must be a function, not "tiles"'],
  ])('%j', async (stream, message) => {
    await expect(create({}, stream as object)).rejects.toThrow(
      new TypeError(`createTexture: descriptor.stream${message}`)
    );
    opened.device.destroy();
  });

  test('writes to streamed textures are rejected', async () => {
    expect(
      await refusal(() => {
        const texture = streamed(opened.device, TEXELS, { loadPage });
        opened.device.queue.writeTexture({ texture }, new Uint8Array(4), {}, [1, 1]);
      })
    ).toBe(
      '[Texture "map"] writeTexture: destination [Texture "map"] is streamed: '
        + 'its texels come from stream.loadPage, and only shaders can read them'
    );
  });
});
