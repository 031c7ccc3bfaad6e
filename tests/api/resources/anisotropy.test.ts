// Anisotropic filtering (`maxAnisotropy`): details along the narrow direction of a footprint stay distinct, all engines
// give the same bits, and footprints that need no probes are sampled as usual.
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { create } from '../../../src/index';
import { forCreate, type CreateOptions } from '../../support/options';
import { GPUBufferUsage, GPUMapMode } from '../../support/flags';
import { rounds } from '../../support/rounds';

const KERNELS = pathToFileURL('build/');
const SIZE = 64;
const engines: Record<string, CreateOptions> = {
  compiled: { engine: 'jit', threads: 2 },
  interpreted: { engine: 'interpreter', threads: 0 },
  scalar: { simd: false, threads: 0 },
};
interface Sampled {
  readonly sampler?: GPUSamplerDescriptor;
  readonly format?: GPUTextureFormat;
  /** The WGSL that computes the result; `uv` and the pixel's center `p` are in scope. */
  readonly code: string;
  /** Texels of the first level, a byte per channel; further levels are averages. */
  readonly texel: (x: number, y: number) => readonly number[];
  readonly layers?: number;
  /** Whether it is a cube map with six layers. */
  readonly cube?: boolean;
  /** Whether the layers are the slices of a 3D texture, which has one level. */
  readonly volume?: boolean;
}

/** Per face: the directions in which s and t grow, and of the face. */
const FACES = [
  ['vec3f(0, 0, -1)', 'vec3f(0, -1, 0)', 'vec3f(1, 0, 0)'],
  ['vec3f(0, 0, 1)', 'vec3f(0, -1, 0)', 'vec3f(-1, 0, 0)'],
  ['vec3f(1, 0, 0)', 'vec3f(0, 0, 1)', 'vec3f(0, 1, 0)'],
  ['vec3f(1, 0, 0)', 'vec3f(0, 0, -1)', 'vec3f(0, -1, 0)'],
  ['vec3f(1, 0, 0)', 'vec3f(0, -1, 0)', 'vec3f(0, 0, 1)'],
  ['vec3f(-1, 0, 0)', 'vec3f(0, -1, 0)', 'vec3f(0, 0, -1)'],
] as const;

describe('samplers with maxAnisotropy', () => {
  let devices: GPUDevice[];
  beforeAll(async () => {
    devices = await Promise.all(
      Object.values(engines).map(async (options) => {
        const adapter = await create(forCreate({ ...options, kernelUrl: KERNELS })).requestAdapter();
        return adapter!.requestDevice();
      })
    );
  });
  afterAll(() => devices.forEach((device) => device.destroy()));

  function upload(
    device: GPUDevice,
    { texel, format = 'rgba8unorm', cube, volume, layers = cube ? 6 : 1 }: Sampled
  ): GPUTexture {
    const texture = device.createTexture({
      size: [SIZE, SIZE, layers],
      dimension: volume ? '3d' : '2d',
      mipLevelCount: volume ? 1 : 7,
      format,
      usage: GPU_USAGE.TEXTURE | GPU_USAGE.COPY_DST,
    });
    for (let layer = 0; layer < layers; layer++) {
      let level = Array.from({ length: SIZE * SIZE }, (_, i) =>
        texel(i % SIZE, Math.floor(i / SIZE)).map((v) => v / (layer + 1))
      );
      for (let mipLevel = 0, size = SIZE; size >= (volume ? SIZE : 1); mipLevel++, size /= 2) {
        const data = new Uint8Array(level.flat().map(Math.round));
        device.queue.writeTexture({ texture, mipLevel, origin: [0, 0, layer] }, data, { bytesPerRow: size * 4 }, [
          size,
          size,
        ]);
        level = Array.from({ length: (size * size) / 4 }, (_, i) => {
          const x = (i % (size / 2)) * 2;
          const y = Math.floor(i / (size / 2)) * 2;
          return [0, 1, 2, 3].map(
            (c) => [0, 1, size, size + 1].reduce((sum, d) => sum + level[y * size + x + d]![c]!, 0) / 4
          );
        });
      }
    }
    return texture;
  }

  async function draw(device: GPUDevice, what: Sampled): Promise<Float32Array> {
    const texture = upload(device, what);
    const isArray = (what.layers ?? 1) > 1;
    const kind = what.cube ? 'cube' : what.volume ? '3d' : isArray ? '2d_array' : '2d';
    const module = device.createShaderModule({
      code: `
      @group(0) @binding(0) var t: texture_${kind}<f32>;
      @group(0) @binding(1) var s: sampler;
      @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        return vec4f(f32(i & 1) * 4 - 1, 1 - f32(i >> 1) * 4, 0, 1);
      }
      @fragment fn fs(@builtin(position) position: vec4f) -> @location(
        0) vec4f { let p = position.xy; ${what.code} }`,
    });
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: 'rgba32float' }] },
    });
    const target = device.createTexture({
      size: [32, 32],
      format: 'rgba32float',
      usage: GPU_USAGE.TARGET | GPU_USAGE.COPY_SRC,
    });
    const read = device.createBuffer({ size: 512 * 32, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [
          { binding: 0, resource: texture.createView(what.cube ? { dimension: 'cube' } : {}) },
          {
            binding: 1,
            resource: device.createSampler({
              magFilter: 'linear',
              minFilter: 'linear',
              mipmapFilter: 'linear',
              addressModeU: 'repeat',
              addressModeV: 'repeat',
              maxAnisotropy: 16,
              ...what.sampler,
            }),
          },
        ],
      })
    );
    pass.draw(3);
    pass.end();
    encoder.copyTextureToBuffer({ texture: target }, { buffer: read, bytesPerRow: 512 }, [32, 32]);
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    const found = new Float32Array(read.getMappedRange().slice(0));
    texture.destroy();
    return found;
  }
  async function byAll(what: Sampled): Promise<Float32Array> {
    const [first, ...others] = await Promise.all(devices.map((device) => draw(device, what)));
    for (const other of others) expect(new Uint32Array(other.buffer)).toEqual(new Uint32Array(first!.buffer));
    return first!;
  }
  test('read volumes like other samplers', async () => {
    const what: Sampled = {
      volume: true,
      layers: 4,
      texel: (x, y) => [x * 4, y * 4, (x * y) % 256, 255],
      code: 'return textureSample(t, s, vec3f(p.x / 8, p.y / 32, fract(p.x / 5)));',
    };
    const found = await byAll(what);
    expect(found).toEqual(await byAll({ ...what, sampler: { maxAnisotropy: 1 } }));
    expect(new Set(found).size).toBeGreaterThan(100);
  });

  const stripes = (x: number): readonly number[] => (Math.floor(x / 4) % 2 ? [255, 255, 255, 255] : [0, 0, 0, 255]);
  const contrast = (found: Float32Array): number => {
    const reds = found.filter((_, i) => i % 4 === 0);
    return Math.max(...reds) - Math.min(...reds);
  };

  test('stripes along the long axis stay, stripes across it are blurred', async () => {
    // A texel per pixel in u, sixteen in v.
    const code = 'return textureSample(t, s, vec2f(p.x / 64, p.y / 4));';
    expect(contrast(await byAll({ code, texel: stripes }))).toBeGreaterThan(0.9);
    expect(contrast(await byAll({ code, texel: stripes, sampler: { maxAnisotropy: 1 } }))).toBeLessThan(0.3);
    expect(contrast(await byAll({ code, texel: stripes, sampler: { maxAnisotropy: 4 } }))).toBeLessThan(0.9);
    expect(contrast(await byAll({ code, texel: (_, y) => stripes(y) }))).toBeLessThan(0.1);
  });

  test('stripes stay at any angle', async () => {
    // The long axis follows the stripes; the quad's axes do not.
    const code = `let a = 0.6; let q = vec2f(p.x * cos(a) - p.y * sin(a), p.x * sin(a) + p.y * cos(a));
      return textureSample(t, s, vec2f(q.x / 64, q.y / 4));`;
    expect(contrast(await byAll({ code, texel: stripes }))).toBeGreaterThan(0.85);
    expect(contrast(await byAll({ code, texel: stripes, sampler: { maxAnisotropy: 1 } }))).toBeLessThan(0.35);
  });

  test('the mean of probes is the mean of the texels along the axis', async () => {
    // A ramp of 64 texels in v: sixteen texels per pixel, a linear mean.
    const found = await byAll({
      code: 'return textureSampleGrad(t, s, vec2f(0.5, p.y / 64 + 0.25), vec2f(1.0 / 64, 0), vec2f(0, 0.125));',
      texel: (_, y) => [y * 4, 0, 0, 255],
      sampler: { addressModeV: 'clamp-to-edge' },
    });
    // Within the ramp, away from its ends.
    for (let y = 0; y < 28; y++) {
      const centre = y + 0.5 + 16 - 0.5;
      expect(Math.abs((found[y * 32 * 4]! * 255) / 4 - centre)).toBeLessThan(0.6);
    }
  });

  test('round footprints, magnification and explicit levels equal an isotropic sampler', async () => {
    const texel = (x: number, y: number): readonly number[] => [(x * 37 + y * 91) % 256, (x * y) % 256, x * 4, 255];
    for (const code of [
      'return textureSample(t, s, p / 40);',
      'return textureSample(t, s, p * vec2f(0.001, 0.004));',
      'return textureSampleLevel(t, s, p * vec2f(0.01, 0.2), 1.5);',
    ]) {
      const [with16, without] = [
        await byAll({ code, texel }),
        await byAll({ code, texel, sampler: { maxAnisotropy: 1 } }),
      ];
      // Lengths are rounded differently.
      with16.forEach((v, i) => expect(Math.abs(v - without[i]!)).toBeLessThan(1e-4));
    }
  });

  test('the same bits in all engines for any gradients, formats, layers and biases', async () => {
    const number = fc.double({ min: -0.4, max: 0.4, noNaN: true });
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(number, number, number, number),
        fc.constantFrom(2, 3, 8, 16, 64),
        fc.constantFrom('rgba8unorm', 'rgba8unorm-srgb', 'bgra8unorm', 'rgba8snorm'),
        fc.constantFrom(
          'textureSample(t, s, uv)',
          'textureSampleBias(t, s, uv, p.x * 0.1 - 1)',
          'textureSampleGrad(t, s, uv, vec2f(p.x, 1) * 0.01, vec2f(0.3, p.y * 0.02))'
        ),
        fc.boolean(),
        async ([a, b, c, d], maxAnisotropy, format, how, isArray) => {
          const uv = `let uv = vec2f(p.x * ${a} + p.y * ${b} + p.x * p.y * 0.003, p.x * ${c} + p.y * ${d});`;
          await byAll({
            code: `
              ${uv} return ${
                isArray ? how.replace('uv,', 'uv, i32(p.x) & 1,').replace('uv)', 'uv, i32(p.y) & 1)') : how
              };
            `,
            texel: (x, y) => [(x * 37 + y * 91) % 128, (x * y) % 128, x * 2, 127],
            layers: isArray ? 2 : 1,
            format: format as GPUTextureFormat,
            sampler: { maxAnisotropy },
          });
        }
      ),
      { numRuns: rounds(12) }
    );
  });

  test('stripes stay on each face of a cube', async () => {
    for (const [face, [s, t, m]] of FACES.entries()) {
      // A texel per pixel in s, sixteen in t.
      const along = (a: string, b: string): string => `return textureSampleGrad(t, s,
        ${m} + ${a} * (p.x / 32 - 0.5), ${a} / 32, ${b} / 2);`;
      const apart = contrast(await byAll({ code: along(s, t), texel: stripes, cube: true }));
      expect(apart).toBeGreaterThan(0.9 / (face + 1));
      const round = { code: along(s, t), texel: stripes, cube: true, sampler: { maxAnisotropy: 1 } };
      expect(contrast(await byAll(round))).toBeLessThan(0.3 / (face + 1));
      // Stripes along s, seen along t.
      const across = { code: along(t, s), texel: stripes, cube: true };
      expect(contrast(await byAll(across))).toBeLessThan(0.1 / (face + 1));
    }
  });

  test('the mean along the axis crosses the edges of a cube', async () => {
    // Seven tenths of the axis are on +Z, whose texels are 1/5, and three on +X, whose texels are 1.
    const found = await byAll({
      code: 'return textureSampleGrad(t, s, vec3f(0.9, p.y / 64 - 0.25, 1), vec3f(0.5, 0, 0), vec3f(0, 1.0 / 32, 0));',
      texel: () => [255, 255, 255, 255],
      cube: true,
    });
    for (let i = 0; i < found.length; i += 4) expect(Math.abs(found[i]! - (0.7 / 5 + 0.3))).toBeLessThan(0.06);
  });

  test('the same bits in all engines for any directions into a cube', async () => {
    const number = fc.double({ min: -1, max: 1, noNaN: true });
    await fc.assert(
      fc.asyncProperty(
        fc.array(number, { minLength: 9, maxLength: 9 }),
        fc.constantFrom(2, 3, 16),
        fc.constantFrom(
          'textureSample(t, s, uvw)',
          'textureSampleBias(t, s, uvw, p.x * 0.1 - 1)',
          'textureSampleGrad(t, s, uvw, vec3f(p.x, 1, -2) * 0.01, vec3f(0.3, p.y * 0.02, 0.1))'
        ),
        async (n, maxAnisotropy, how) => {
          const row = (i: number): string => `${n[i]} + p.x * ${n[i + 1]! * 0.1} + p.y * ${n[i + 2]! * 0.2}`;
          await byAll({
            code: `let uvw = vec3f(${row(0)}, ${row(3)}, ${row(6)}); return ${how};`,
            cube: true,
            sampler: { maxAnisotropy },
            texel: (x, y) => [(x * 37 + y * 91) % 256, (x * y) % 256, x * 4, 255],
          });
        }
      ),
      { numRuns: rounds(12) }
    );
    // A zero direction, and an infinite one.
    for (const uvw of ['vec3f(p.x - p.x)', 'vec3f(1, p.x * 1e38, 2)'])
      await byAll({
        code: `return textureSampleGrad(t, s, ${uvw}, vec3f(0.5, 0, 0), vec3f(0, 0.01, 0));`,
        cube: true,
        texel: (x, y) => [x * 4, y * 4, 0, 255],
      });
  });

  test('gradients that are zero, infinite or NaN', async () => {
    for (const code of [
      'return textureSampleGrad(t, s, vec2f(0.3, p.x / 9), vec2f(0), vec2f(0));',
      'let z = p.x - p.x; return textureSampleGrad(t, s, vec2f(0.3, p.x / 9), vec2f(1 / z, 0), vec2f(0, 1));',
      'let z = p.x - p.x; return textureSampleGrad(t, s, vec2f(0.3, p.x / 9), vec2f(z / z, 0), vec2f(0, 1));',
      'let z = p.x * 1e38; return textureSampleGrad(t, s, vec2f(0.3, p.x / 9), vec2f(z, z), vec2f(0, z));',
    ])
      await byAll({ code, texel: (x, y) => [x * 4, y * 4, 0, 255] });
  });
});

const GPU_USAGE = { COPY_SRC: 1, COPY_DST: 2, TEXTURE: 4, TARGET: 16 } as const;
