// Compressed textures through the API: uploaded blocks are read back, sampled texels are the decoded ones, and the
// rules for blocks.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatInfo } from '../../../src/surface';
import { FORMATS, USAGE, blocksOf, engines, make, noise, open, sampleBlocks, texels, write } from './compressed.kit';

describe('compressed textures', () => {
  let devices: GPUDevice[];
  beforeAll(async () => {
    devices = await Promise.all(Object.values(engines).map((options) => open(options)));
  });
  afterAll(() => devices.forEach((device) => device.destroy()));
  const first = (): GPUDevice => devices[0]!;

  test.each(FORMATS)('%s: blocks are read back, entirely and in part, through textures and buffers', async (format) => {
    const device = first();
    const { block } = formatInfo(format)!;
    const data = noise(15 * block!.bytes);
    const source = make(device, format);
    const target = make(device, format);
    write(device, source, data);
    const encoder = device.createCommandEncoder();
    const w = block!.width;
    const h = block!.height;
    encoder.copyTextureToTexture({ texture: source, origin: [w, 0] }, { texture: target, origin: [0, h] }, [
      4 * w,
      2 * h,
    ]);
    device.queue.submit([encoder.finish()]);
    expect(await blocksOf(device, source, [5 * w, 3 * h])).toEqual(data);
    const rows = [1, 2].flatMap((y) => [...data.subarray(((y - 1) * 5 + 1) * block!.bytes, y * 5 * block!.bytes)]);
    expect([...(await blocksOf(device, target, [4 * w, 2 * h], { origin: [0, h] }))]).toEqual(rows);
    expect((await blocksOf(device, target, [5 * w, h])).every((byte) => byte === 0)).toBe(true);
    // Copied blocks are decoded as well.
    const a = await texels(device, source.createView(), 5 * w, 3 * h, 'textureLoad(t, id.xy, 0)');
    const b = await texels(device, target.createView(), 5 * w, 3 * h, 'textureLoad(t, id.xy, 0)');
    for (let y = 0; y < 2 * h; y++)
      for (let x = 0; x < 4 * w; x++)
        for (let c = 0; c < 4; c++) expect(b[((y + h) * 5 * w + x) * 4 + c]).toBe(a[(y * 5 * w + x + w) * 4 + c]);
  });

  test.each(FORMATS)('%s: all engines sample the same; samples at centers equal loads', async (format) => {
    const { block } = formatInfo(format)!;
    const data = sampleBlocks(format);
    const w = 5 * block!.width;
    const h = 3 * block!.height;
    const [loaded, ...others] = await Promise.all(
      devices.flatMap((device) => {
        const texture = make(device, format);
        write(device, texture, data);
        return [
          texels(device, texture.createView(), w, h, 'textureLoad(t, id.xy, 0)'),
          texels(device, texture.createView(), w, h, 'textureSampleLevel(t, s, uv, 0)'),
        ];
      })
    );
    others.forEach((other, i) => {
      // Every second expression samples: filters of bytes use weights in steps of 2^−14.
      if (i % 2 === 1) expect(other).toEqual(loaded);
      else
        other.forEach((value, k) =>
          expect(Math.abs(value - loaded![k]!)).toBeLessThanOrEqual(Math.max(4e-5, Math.abs(loaded![k]!) * 1e-3))
        );
    });
    expect(new Set(loaded!).size).toBeGreaterThan(20);
  });

  test.each(FORMATS)('%s: unwritten blocks are zeros', async (format) => {
    const device = first();
    const { block } = formatInfo(format)!;
    const untouched = make(device, format);
    const zeros = make(device, format);
    const partly = make(device, format);
    write(device, zeros, new Uint8Array(15 * block!.bytes));
    device.queue.writeTexture({ texture: partly }, new Uint8Array(block!.bytes), {}, [block!.width, block!.height]);
    const [a, b, c] = await Promise.all(
      [untouched, zeros, partly].map((texture) =>
        texels(device, texture.createView(), 5 * block!.width, 3 * block!.height, 'textureLoad(t, id.xy, 0)')
      )
    );
    expect(a).toEqual(b);
    expect(c).toEqual(b);
  });

  test('levels smaller than a block', async () => {
    const device = first();
    const texture = make(device, 'bc1-rgba-unorm', 3, 3, { size: [12, 12], mipLevelCount: 4 });
    for (let level = 0; level < 4; level++) {
      const blocks = Math.ceil((12 >> level) / 4) ** 2;
      // One color per level: red in steps of 1/31.
      write(
        device,
        texture,
        Uint8Array.from({ length: blocks * 8 }, (_, i) => (i % 8 === 1 ? (level * 8 + 3) << 3 : 0)),
        level
      );
    }
    for (let level = 0; level < 4; level++) {
      const size = Math.max(1, 12 >> level);
      const found = await texels(
        device,
        texture.createView({ baseMipLevel: level, mipLevelCount: 1 }),
        size,
        size,
        'textureLoad(t, id.xy, 0)'
      );
      for (let i = 0; i < size * size; i++)
        expect(found[i * 4]).toBe(Math.fround(Math.round(((level * 8 + 3) * 255) / 31) / 255));
      expect(
        (await blocksOf(device, texture, [Math.ceil(size / 4) * 4, Math.ceil(size / 4) * 4], { mipLevel: level }))
          .length
      ).toBe(Math.ceil(size / 4) ** 2 * 8);
    }
  });

  test('layers, and slices of a 3D texture', async () => {
    const device = first();
    for (const dimension of ['2d', '3d'] as const)
      for (const format of ['bc7-rgba-unorm', 'astc-8x8-unorm'] as const) {
        const { block } = formatInfo(format)!;
        const size = [2 * block!.width, 2 * block!.height, 3];
        const texture = device.createTexture({
          size,
          dimension,
          format,
          usage: USAGE.COPY_SRC | USAGE.COPY_DST | USAGE.SAMPLED,
        });
        const data = noise(12 * 16, 3);
        device.queue.writeTexture({ texture }, data, { bytesPerRow: 32, rowsPerImage: 2 }, size);
        expect(await blocksOf(device, texture, size as [number, number, number])).toEqual(data);
        expect(await blocksOf(device, texture, [size[0]!, size[1]!, 1], { origin: [0, 0, 2] })).toEqual(
          data.slice(128)
        );
      }
  });

  test('views with and without sRGB', async () => {
    const device = first();
    const texture = make(device, 'bc7-rgba-unorm', 5, 3, { viewFormats: ['bc7-rgba-unorm-srgb'] });
    write(device, texture, noise(15 * 16, 5));
    const linear = await texels(device, texture.createView(), 20, 12, 'textureLoad(t, id.xy, 0)');
    const srgb = await texels(
      device,
      texture.createView({ format: 'bc7-rgba-unorm-srgb' }),
      20,
      12,
      'textureLoad(t, id.xy, 0)'
    );
    linear.forEach((v, i) => {
      const want = i % 4 === 3 ? v : v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
      expect(Math.abs(srgb[i]! - want)).toBeLessThan(1e-6);
    });
  });
});
