import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BUFFER, USAGE, engines, open } from './compressed.kit';

describe('compressed textures', () => {
  let devices: GPUDevice[];
  beforeAll(async () => {
    devices = await Promise.all(Object.values(engines).map((options) => open(options)));
  });
  afterAll(() => devices.forEach((device) => device.destroy()));
  const first = (): GPUDevice => devices[0]!;

  describe('validation rules', () => {
    const texture = (d: GPUDevice, o: Partial<GPUTextureDescriptor> = {}): GPUTexture =>
      d.createTexture({
        size: [16, 16],
        format: 'bc1-rgba-unorm',
        usage: USAGE.COPY_SRC | USAGE.COPY_DST | USAGE.SAMPLED,
        ...o,
      });
    const buffer = (d: GPUDevice): GPUBuffer =>
      d.createBuffer({ size: 65536, usage: BUFFER.COPY_SRC | BUFFER.COPY_DST });
    const encode = (d: GPUDevice, body: (e: GPUCommandEncoder) => void): void => {
      const e = d.createCommandEncoder();
      body(e);
      e.finish();
    };
    const cases: [string, RegExp | null, (d: GPUDevice) => void][] = [
      ['whole blocks', null, (d) => texture(d, { size: [20, 8] })],
      [
        'a width in parts of blocks',
        /size 18×8 does not consist of whole blocks of bc1-rgba-unorm, which are 4×4/,
        (d) => texture(d, { size: [18, 8] }),
      ],
      [
        'a height in parts of blocks',
        /size 20×9 does not consist of whole blocks/,
        (d) => texture(d, { size: [20, 9] }),
      ],
      ['astc blocks', null, (d) => texture(d, { format: 'astc-10x5-unorm', size: [20, 10] })],
      [
        'astc in parts of blocks',
        /does not consist of whole blocks of astc-10x5-unorm, which are 10×5/,
        (d) => texture(d, { format: 'astc-10x5-unorm', size: [20, 12] }),
      ],
      [
        'in one dimension',
        /a 1d texture cannot have the compressed format/,
        (d) => texture(d, { dimension: '1d', size: [16, 1] }),
      ],
      ['slices', null, (d) => texture(d, { dimension: '3d', size: [16, 16, 4] })],
      [
        'slices of etc2',
        /a 3d texture cannot have the compressed format etc2-rgb8unorm/,
        (d) => texture(d, { dimension: '3d', size: [16, 16, 4], format: 'etc2-rgb8unorm' }),
      ],
      ['rendered to', /cannot be rendered to/, (d) => texture(d, { usage: USAGE.ATTACHMENT })],
      ['stored to', /cannot be used for a storage texture/, (d) => texture(d, { usage: USAGE.STORAGE })],
      ['several samples', /cannot have 4 samples/, (d) => texture(d, { sampleCount: 4 })],
      ['a view format', null, (d) => texture(d, { viewFormats: ['bc1-rgba-unorm-srgb'] })],
      [
        'another view format',
        /must be bc1-rgba-unorm with or without sRGB/,
        (d) => texture(d, { viewFormats: ['bc2-rgba-unorm'] }),
      ],
      [
        'a write at a block',
        null,
        (d) => d.queue.writeTexture({ texture: texture(d), origin: [4, 8] }, new Uint8Array(8), {}, [4, 4]),
      ],
      [
        'a write between blocks',
        /2, 8 \+ 4×4 does not consist of whole blocks/,
        (d) => d.queue.writeTexture({ texture: texture(d), origin: [2, 8] }, new Uint8Array(8), {}, [4, 4]),
      ],
      [
        'a write of a part',
        /does not consist of whole blocks/,
        (d) => d.queue.writeTexture({ texture: texture(d) }, new Uint8Array(8), {}, [3, 4]),
      ],
      [
        'a row that is long enough',
        null,
        (d) => d.queue.writeTexture({ texture: texture(d) }, new Uint8Array(64), { bytesPerRow: 32 }, [16, 8]),
      ],
      [
        'a row that is too short',
        /bytesPerRow 31 is less than the 32 bytes of 16 texels/,
        (d) => d.queue.writeTexture({ texture: texture(d) }, new Uint8Array(64), { bytesPerRow: 31 }, [16, 8]),
      ],
      [
        'too few bytes',
        /exceed the 63 bytes of data/,
        (d) => d.queue.writeTexture({ texture: texture(d) }, new Uint8Array(63), { bytesPerRow: 32 }, [16, 8]),
      ],
      [
        'rows of an image',
        null,
        (d) =>
          d.queue.writeTexture(
            { texture: texture(d, { size: [16, 16, 2] }) },
            new Uint8Array(256),
            { bytesPerRow: 32, rowsPerImage: 4 },
            [16, 16, 2]
          ),
      ],
      [
        'too few rows of an image',
        /rowsPerImage 3 is less than the height 4, in blocks/,
        (d) =>
          d.queue.writeTexture(
            { texture: texture(d, { size: [16, 16, 2] }) },
            new Uint8Array(256),
            { bytesPerRow: 32, rowsPerImage: 3 },
            [16, 16, 2]
          ),
      ],
      [
        'the block that a small level lies in',
        null,
        (d) =>
          d.queue.writeTexture(
            { texture: texture(d, { size: [12, 12], mipLevelCount: 4 }), mipLevel: 2 },
            new Uint8Array(8),
            {},
            [4, 4]
          ),
      ],
      [
        'more than that',
        /x 0 \+ 8 exceeds 4, the size of level 2/,
        (d) =>
          d.queue.writeTexture(
            { texture: texture(d, { size: [12, 12], mipLevelCount: 4 }), mipLevel: 2 },
            new Uint8Array(16),
            {},
            [8, 4]
          ),
      ],
      [
        'an offset of whole blocks',
        null,
        (d) =>
          encode(d, (e) =>
            e.copyBufferToTexture({ buffer: buffer(d), offset: 8, bytesPerRow: 256 }, { texture: texture(d) }, [16, 16])
          ),
      ],
      [
        'another offset',
        /offset 4 is not a multiple of 8/,
        (d) =>
          encode(d, (e) =>
            e.copyBufferToTexture({ buffer: buffer(d), offset: 4, bytesPerRow: 256 }, { texture: texture(d) }, [16, 16])
          ),
      ],
      [
        'a copy to the same with sRGB',
        null,
        (d) =>
          encode(d, (e) =>
            e.copyTextureToTexture(
              { texture: texture(d) },
              { texture: texture(d, { format: 'bc1-rgba-unorm-srgb' }) },
              [16, 16]
            )
          ),
      ],
      [
        'a copy to another',
        /differ in more than sRGB/,
        (d) =>
          encode(d, (e) =>
            e.copyTextureToTexture(
              { texture: texture(d) },
              { texture: texture(d, { format: 'bc4-r-unorm' }) },
              [16, 16]
            )
          ),
      ],
    ];
    test.each(cases)('%s', async (_, error, run) => {
      const device = first();
      device.pushErrorScope('validation');
      run(device);
      const message = (await device.popErrorScope())?.message ?? null;
      if (error === null) expect(message).toBeNull();
      else expect(message).toMatch(error);
    });

    test('without the features, the formats are invalid enum values', async () => {
      const device = await open({ threads: 0 }, ['texture-compression-bc', 'texture-compression-astc']);
      expect(() => texture(device, { format: 'etc2-rgb8unorm' })).toThrow(
        /needs the feature "texture-compression-etc2"/
      );
      expect(() => texture(device, { viewFormats: ['etc2-rgb8unorm'] })).toThrow(TypeError);
      device.pushErrorScope('validation');
      texture(device, { dimension: '3d', size: [16, 16, 4] });
      expect((await device.popErrorScope())?.message).toMatch(/without the feature "texture-compression-bc-sliced-3d"/);
      device.destroy();
    });
  });
});
