// Compressed textures through the API: uploaded blocks are read back, sampled texels are the decoded ones, and the
// rules for blocks.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { create } from '../../../src/index';
import { forCreate, type CreateOptions } from '../../support/options';
import { formatInfo } from '../../../src/surface';
import { GPUMapMode } from '../../support/flags';

const KERNELS = pathToFileURL('build/');
const USAGE = { COPY_SRC: 1, COPY_DST: 2, SAMPLED: 4, STORAGE: 8, ATTACHMENT: 16 } as const;
const BUFFER = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, STORAGE: 128 } as const;
const FEATURES = [
  'texture-compression-bc',
  'texture-compression-bc-sliced-3d',
  'texture-compression-etc2',
  'texture-compression-astc',
  'texture-compression-astc-sliced-3d',
] as GPUFeatureName[];
const FORMATS: GPUTextureFormat[] = [
  'bc1-rgba-unorm',
  'bc2-rgba-unorm-srgb',
  'bc3-rgba-unorm',
  'bc4-r-unorm',
  'bc5-rg-snorm',
  'bc6h-rgb-ufloat',
  'bc7-rgba-unorm',
  'etc2-rgb8unorm',
  'etc2-rgba8unorm-srgb',
  'eac-r11unorm',
  'eac-rg11snorm',
  'astc-4x4-unorm',
  'astc-6x5-unorm-srgb',
  'astc-12x12-unorm',
];
const engines: Record<string, CreateOptions> = {
  compiled: { engine: 'jit', threads: 2 },
  interpreted: { engine: 'interpreter', threads: 0 },
  scalar: { simd: false, threads: 0 },
};

async function open(options: CreateOptions, features: readonly GPUFeatureName[] = FEATURES): Promise<GPUDevice> {
  const adapter = await create(forCreate({ ...options, kernelUrl: KERNELS })).requestAdapter();
  return adapter!.requestDevice({ requiredFeatures: features });
}
const noise = (bytes: number, seed = 7): Uint8Array<ArrayBuffer> => {
  let state = seed;
  return new Uint8Array(bytes).map(() => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24);
};

/** Random bytes are rarely valid blocks of ASTC. */
const astc = (
  JSON.parse(readFileSync(new URL('../../blocks/vectors.json', import.meta.url), 'utf8')) as Record<
    string,
    [string, string][]
  >
)['astc-6x5-unorm']!;
function sampleBlocks(format: GPUTextureFormat): Uint8Array<ArrayBuffer> {
  if (!format.startsWith('astc')) return noise(15 * formatInfo(format)!.block!.bytes, 99);
  return Uint8Array.from(
    Array.from({ length: 15 }, (_, i) => [...Buffer.from(astc[i % astc.length]![0], 'hex')]).flat()
  );
}

/** Returns the blocks of a level, through a buffer. */
async function blocksOf(
  device: GPUDevice,
  texture: GPUTexture,
  size: readonly [number, number, number?],
  at: Omit<GPUTexelCopyTextureInfo, 'texture'> = {}
): Promise<Uint8Array> {
  const { block } = formatInfo(texture.format)!;
  const [width, height, layers = 1] = size;
  const row = (width / block!.width) * block!.bytes;
  const rows = height / block!.height;
  const stride = Math.ceil(row / 256) * 256;
  const buffer = device.createBuffer({ size: stride * rows * layers, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture, ...at }, { buffer, bytesPerRow: stride, rowsPerImage: rows }, [
    width,
    height,
    layers,
  ]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const all = new Uint8Array(buffer.getMappedRange());
  return Uint8Array.from(
    Array.from({ length: rows * layers }, (_, y) => [...all.subarray(y * stride, y * stride + row)]).flat()
  );
}

/**
 * Returns the texels of a view's first level as floats, by a shader that loads them or samples them at their centers.
 */
async function texels(
  device: GPUDevice,
  view: GPUTextureView,
  width: number,
  height: number,
  how: string
): Promise<Float32Array> {
  const out = device.createBuffer({ size: width * height * 16, usage: BUFFER.STORAGE | BUFFER.COPY_SRC });
  const read = device.createBuffer({ size: out.size, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
  const pipeline = device.createComputePipeline({
    layout: 'auto',
    compute: {
      module: device.createShaderModule({
        code: `
    @group(0) @binding(0) var t: texture_2d<f32>;
    @group(0) @binding(1) var<storage, read_write> out: array<vec4f>;
    @group(0) @binding(2) var s: sampler;
    @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
      if (id.x >= ${width} || id.y >= ${height}) { return; }
      let uv = (vec2f(id.xy) + 0.5) / vec2f(${width}, ${height});
      _ = uv;
      out[id.y * ${width} + id.x] = ${how};
    }`,
      }),
    },
  });
  const hasSampler = how.includes('textureSampleLevel');
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [
        { binding: 0, resource: view },
        { binding: 1, resource: { buffer: out } },
        ...(hasSampler
          ? [{ binding: 2, resource: device.createSampler({ magFilter: 'linear', minFilter: 'linear' }) }]
          : []),
      ],
    })
  );
  pass.dispatchWorkgroups(Math.ceil(width / 8), Math.ceil(height / 8));
  pass.end();
  encoder.copyBufferToBuffer(out, 0, read, 0, out.size);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(GPUMapMode.READ);
  return new Float32Array(read.getMappedRange().slice(0));
}

describe('compressed textures', () => {
  let devices: GPUDevice[];
  beforeAll(async () => {
    devices = await Promise.all(Object.values(engines).map((options) => open(options)));
  });
  afterAll(() => devices.forEach((device) => device.destroy()));
  const first = (): GPUDevice => devices[0]!;
  const make = (
    device: GPUDevice,
    format: GPUTextureFormat,
    columns = 5,
    rows = 3,
    o: Partial<GPUTextureDescriptor> = {}
  ): GPUTexture => {
    const { block } = formatInfo(format)!;
    return device.createTexture({
      size: [columns * block!.width, rows * block!.height],
      format,
      usage: USAGE.COPY_SRC | USAGE.COPY_DST | USAGE.SAMPLED,
      ...o,
    });
  };
  const write = (device: GPUDevice, texture: GPUTexture, data: Uint8Array<ArrayBuffer>, mipLevel = 0): void => {
    const { block } = formatInfo(texture.format)!;
    const width = Math.ceil(Math.max(1, texture.width >> mipLevel) / block!.width);
    const height = Math.ceil(Math.max(1, texture.height >> mipLevel) / block!.height);
    device.queue.writeTexture(
      { texture, mipLevel },
      data,
      { bytesPerRow: width * block!.bytes, rowsPerImage: height },
      [width * block!.width, height * block!.height]
    );
  };

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
