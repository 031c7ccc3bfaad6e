import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatInfo } from '../../../src/surface';
import {
  FEATURES,
  FORMATS,
  USAGE,
  blocksOf,
  engines,
  make,
  noise,
  open,
  sampleBlocks,
  texels,
  write,
} from './compressed.kit';

describe('compressed textures', () => {
  let devices: GPUDevice[];
  beforeAll(async () => {
    devices = await Promise.all(Object.values(engines).map((options) => open(options)));
  });
  afterAll(() => devices.forEach((device) => device.destroy()));
  const first = (): GPUDevice => devices[0]!;

  describe('sizes that are not multiples of the block size', () => {
    const UNALIGNED = 'texture-compression-unaligned' as GPUFeatureName;
    let others: GPUDevice[];
    beforeAll(async () => {
      others = await Promise.all(Object.values(engines).map((options) => open(options, [...FEATURES, UNALIGNED])));
    });
    afterAll(() => others.forEach((device) => device.destroy()));

    test.each(FORMATS)('%s: texels, samples and blocks equal those of a texture of whole blocks', async (format) => {
      const { block } = formatInfo(format)!;
      const data = sampleBlocks(format);
      const w = block!.width;
      const h = block!.height;
      const width = 5 * w - 3;
      const height = 3 * h - 1;
      for (const device of others) {
        const whole = make(device, format);
        const cut = make(device, format, 5, 3, { size: [width, height] });
        const copy = make(device, format, 5, 3, { size: [width, height] });
        for (const texture of [whole, cut])
          device.queue.writeTexture({ texture }, data, { bytesPerRow: 5 * block!.bytes, rowsPerImage: 3 }, [
            5 * w,
            3 * h,
          ]);
        const encoder = device.createCommandEncoder();
        encoder.copyTextureToTexture({ texture: cut }, { texture: copy }, [5 * w, 3 * h]);
        device.queue.submit([encoder.finish()]);
        const load = 'textureLoad(t, id.xy, 0)';
        const all = await texels(device, whole.createView(), 5 * w, 3 * h, load);
        const wanted = Float32Array.from({ length: width * height * 4 }, (_, i) => {
          const texel = i >> 2;
          const x = texel % width;
          const y = Math.floor(texel / width);
          return all[(y * 5 * w + x) * 4 + (i % 4)]!;
        });
        for (const texture of [cut, copy]) {
          expect(await texels(device, texture.createView(), width, height, load)).toEqual(wanted);
          expect(await blocksOf(device, texture, [5 * w, 3 * h])).toEqual(data);
        }
        // At and beyond an edge, the last texel of the texture is sampled, not one in the rest of its block.
        const sampled = await texels(
          device,
          cut.createView(),
          width,
          height,
          'textureSampleLevel(t, s, vec2f(1, 1) + uv, 0)'
        );
        for (let i = 0; i < sampled.length; i++) {
          const last = wanted[(width * height - 1) * 4 + (i % 4)]!;
          expect(Math.abs(sampled[i]! - last)).toBeLessThanOrEqual(Math.max(4e-5, Math.abs(last) * 1e-3));
        }
        for (const texture of [whole, cut, copy]) texture.destroy();
      }
    });

    test('levels: each has half of the texels, in the blocks that contain them', async () => {
      for (const device of others) {
        const texture = make(device, 'bc1-rgba-unorm', 3, 3, { size: [10, 7], mipLevelCount: 4 });
        const sizes = [
          [10, 7],
          [5, 3],
          [2, 1],
          [1, 1],
        ] as const;
        sizes.forEach(([width, height], level) => {
          const blocks = Math.ceil(width / 4) * Math.ceil(height / 4);
          write(
            device,
            texture,
            Uint8Array.from({ length: blocks * 8 }, (_, i) => (i % 8 === 1 ? (level * 8 + 3) << 3 : 0)),
            level
          );
        });
        for (const [level, [width, height]] of sizes.entries()) {
          const view = texture.createView({ baseMipLevel: level, mipLevelCount: 1 });
          const found = await texels(
            device,
            view,
            width,
            height,
            'vec4f(textureLoad(t, id.xy, 0).x, vec2f(textureDimensions(t)), 0)'
          );
          for (let i = 0; i < width * height; i++)
            expect([...found.subarray(4 * i, 4 * i + 3)]).toEqual([
              Math.fround(Math.round(((level * 8 + 3) * 255) / 31) / 255),
              width,
              height,
            ]);
        }
      }
    });

    test('a 1×1 texture, layers, slices', async () => {
      const device = others[0]!;
      const data = noise(2 * 3 * 16, 3);
      for (const dimension of ['2d', '3d'] as const) {
        const texture = device.createTexture({
          size: [5, 1, 3],
          dimension,
          format: 'bc7-rgba-unorm',
          usage: USAGE.COPY_SRC | USAGE.COPY_DST | USAGE.SAMPLED,
        });
        device.queue.writeTexture({ texture }, data, { bytesPerRow: 32, rowsPerImage: 1 }, [8, 4, 3]);
        expect(await blocksOf(device, texture, [8, 4, 3])).toEqual(data);
        expect(await blocksOf(device, texture, [4, 4, 1], { origin: [4, 0, 2] })).toEqual(data.slice(80));
      }
    });

    test('validation rules', async () => {
      const device = others[0]!;
      const errorOf = async (run: () => void): Promise<string | null> => {
        device.pushErrorScope('validation');
        run();
        return (await device.popErrorScope())?.message ?? null;
      };
      const texture = make(device, 'bc1-rgba-unorm', 5, 3, { size: [18, 9] });
      const writing =
        (size: readonly number[], origin = [0, 0]) =>
        (): void =>
          device.queue.writeTexture({ texture, origin }, new Uint8Array(1024), { bytesPerRow: 64 }, size);
      expect(await errorOf(writing([20, 12]))).toBeNull();
      expect(await errorOf(writing([4, 4], [16, 8]))).toBeNull();
      // Copies still need whole blocks that exist.
      expect(await errorOf(writing([18, 9]))).toMatch(/18×9 does not consist of whole blocks/);
      expect(await errorOf(writing([24, 12]))).toMatch(/exceeds 20/);
      expect(await errorOf(writing([4, 4], [20, 0]))).toMatch(/exceeds 20/);
      expect(await errorOf(() => make(device, 'astc-12x12-unorm', 1, 1, { size: [1, 1] }))).toBeNull();
      expect(await errorOf(() => make(device, 'bc1-rgba-unorm', 1, 1, { size: [16384, 1] }))).toMatch(/exceeds/);
      // The feature adds neither formats nor 3D textures.
      const alone = await open({ threads: 0 }, [UNALIGNED, 'texture-compression-bc']);
      expect(() => make(alone, 'astc-12x12-unorm')).toThrow(/needs the feature "texture-compression-astc"/);
      alone.pushErrorScope('validation');
      make(alone, 'bc1-rgba-unorm', 1, 1, { size: [5, 5, 2], dimension: '3d' });
      expect((await alone.popErrorScope())?.message).toMatch(/without the feature "texture-compression-bc-sliced-3d"/);
      alone.destroy();
      first().pushErrorScope('validation');
      make(first(), 'bc1-rgba-unorm', 5, 3, { size: [18, 9] });
      expect((await first().popErrorScope())?.message).toMatch(
        new RegExp(
          /size 18×9 does not consist of whole blocks of bc1-rgba-unorm, /.source
            + /which are 4×4 without the feature "texture-compression-unaligned"/.source
        )
      );
    });
  });
});
