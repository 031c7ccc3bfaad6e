import { describe, expect, it } from 'vitest';
import {
  FORMAT_R32FLOAT,
  FORMAT_R8UNORM,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA8SNORM,
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
} from '../../assembly/layout/texture/formats';
import {
  ADDRESS_CLAMP,
  DIMENSION_2D,
  DIMENSION_2D_ARRAY,
  DIMENSION_3D,
  DIMENSION_CUBE,
  FILTER_NEAREST,
  MODE_BIAS,
  MODE_IMPLICIT,
  MODE_LEVEL,
} from '../../assembly/layout/texture/texture-codes';
import { Access, Texture } from '../../build/layout';
import { TestPool, TestSurface } from '../surface/kit';
import { buildTexture, generator, writeAccess, writeSampler, type Operands, type TextureSpec } from './harness';
import {
  ACCESS,
  FORMATS,
  SAMPLER,
  SAMPLER_DEFAULT,
  TEXTURE,
  buffer,
  kernel,
  lanes,
  runBoth,
  texture,
} from './sample.kit';

describe('non-finite coordinates', () => {
  const WILD = [
    NaN,
    Infinity,
    -Infinity,
    1e38,
    -1e38,
    3e9,
    -3e9,
    1e-45,
    -1e-45,
    -0,
    16777217,
    -0.99999994,
    0.99999994,
    2147483648,
  ];
  it('stay inside the texture and agree', () => {
    const random = generator(300);
    const wild = (): Float32Array =>
      lanes(() => (random() < 0.7 ? WILD[Math.floor(random() * WILD.length)]! : random() * 4 - 2));
    for (const dimension of [DIMENSION_2D, DIMENSION_3D, DIMENSION_CUBE])
      for (const format of [FORMAT_RGBA8UNORM, FORMAT_RGBA8SNORM, FORMAT_RGBA16FLOAT]) {
        const cube = dimension === DIMENSION_CUBE;
        const t = texture(
          format,
          dimension,
          { width: 8, height: 8, depth: dimension === DIMENSION_3D ? 4 : 1, layers: cube ? 6 : 1 },
          301
        );
        const largest = Math.max(...t.levels.flatMap((l) => l.texels.flat().map(Math.abs)));
        for (let round = 0; round < 24; round++)
          for (const mode of [MODE_IMPLICIT, MODE_LEVEL, MODE_BIAS]) {
            const s = { ...SAMPLER_DEFAULT, u: round % 3, v: round % 3, w: round % 3, mag: round & 1, min: round & 1 };
            const operands = new Map([
              [Access.u, wild()],
              [Access.v, wild()],
              [Access.w, wild()],
              [Access.level, wild()],
            ]);
            const got = runBoth(s, mode, operands, cube ? [0, 0] : [(round % 9) - 4, 3]);
            // Every result is a mean of texels.
            for (const channel of got)
              for (const x of channel)
                if (!(Math.abs(x) <= largest * 1.0001)) throw new Error(`${x} is no mean of texels`);
          }
      }
  });
  it('writes only the requested results', () => {
    texture(FORMAT_RGBA8UNORM, DIMENSION_2D, {}, 310);
    writeSampler({ buffer, base: SAMPLER }, SAMPLER_DEFAULT);
    const operands: Operands = new Map([
      [Access.u, lanes(() => 0.5)],
      [Access.v, lanes(() => 0.5)],
    ]);
    const { access, results } = writeAccess(
      { buffer, base: ACCESS },
      { texture: TEXTURE, sampler: SAMPLER, mode: MODE_IMPLICIT, offset: [0, 0], operands },
      3
    );
    new DataView(buffer).setUint32(access + Access.result + 4, 0, true);
    kernel.call.sampleWarp!(access);
    expect(new Uint32Array(buffer, results[1]!, 1)[0]).toBe(0xdeadbeef);
    expect(new Uint32Array(buffer, results[0]!, 64)[12]).toBe(0xdeadbeef);
    expect(new Uint32Array(buffer, results[0]!, 64)[11]).not.toBe(0xdeadbeef);
    expect(new Uint32Array(buffer, 0, 1)[0]).toBe(0);
  });
});

describe('textureLoad', () => {
  const int = (f: (i: number) => number): Int32Array => Int32Array.from({ length: 64 }, (_, i) => f(i));
  function load(operands: Operands): Float32Array[] {
    const { access, results } = writeAccess(
      { buffer, base: ACCESS },
      { texture: TEXTURE, sampler: 0, mode: MODE_LEVEL, offset: [0, 0], operands }
    );
    kernel.call.loadWarp!(access);
    return results.map((at) => new Float32Array(buffer, at, 64).slice());
  }
  it('reads single texels, and zeros out of bounds', () => {
    const random = generator(400);
    for (const [, format] of FORMATS)
      for (const dimension of [DIMENSION_2D, DIMENSION_2D_ARRAY, DIMENSION_3D]) {
        const t = texture(
          format,
          dimension,
          { depth: dimension === DIMENSION_3D ? 4 : 1, layers: dimension === DIMENSION_2D_ARRAY ? 3 : 1 },
          401
        );
        const [x, y, z, l] = [
          int(() => random() * 20 - 3),
          int(() => random() * 12 - 3),
          int(() => (dimension === DIMENSION_2D ? 0 : random() * 6 - 1)),
          int((i) => (i & 1 ? 0 : random() * 6 - 1)),
        ];
        x[0] = 0x7fffffff;
        y[1] = -0x80000000;
        const operands: Operands = new Map([
          [Access.u, x],
          [Access.v, y],
          [Access.level, l],
        ]);
        operands.set(dimension === DIMENSION_3D ? Access.w : Access.layer, z);
        const got = load(operands);
        for (let i = 0; i < 64; i++) {
          const level = t.levels[l[i]!];
          const inside =
            level !== undefined
            && x[i]! >= 0
            && y[i]! >= 0
            && z[i]! >= 0
            && x[i]! < level.width
            && y[i]! < level.height
            && z[i]! < level.slices;
          const want = inside ? level.texels[(z[i]! * level.height + y[i]!) * level.width + x[i]!]! : [0, 0, 0, 0];
          for (let c = 0; c < 4; c++) expect(Math.abs(got[c]![i]! - want[c]!)).toBeLessThan(2e-6);
        }
      }
  });
  it('reads samples of a multisampled surface', () => {
    const [width, height] = [100, 70];
    texture(FORMAT_R32FLOAT, DIMENSION_2D, { width: 4, height: 4, levels: 1 }, 402);
    const view = new DataView(buffer);
    view.setInt32(TEXTURE + Texture.width, width, true);
    view.setInt32(TEXTURE + Texture.height, height, true);
    view.setInt32(TEXTURE + Texture.samples, 4, true);
    const pool = new TestPool(kernel);
    const surface = new TestSurface(pool, { format: FORMAT_R32FLOAT, bytes: 4, samples: 4, width, height });
    pool.provide(surface.maxPages);
    view.setUint32(TEXTURE + Texture.surface, surface.address, true);
    const texels = kernel.alloc(surface.tiles * surface.tileBytes);
    new Float32Array(buffer, texels, surface.tiles * 4096 * 4).forEach((_, i, all) => {
      all[i] = i;
    });
    surface.write(texels);
    const random = generator(403);
    const [x, y, s] = [int(() => random() * 104 - 2), int(() => random() * 74 - 2), int(() => random() * 5 - 0.5)];
    const got = load(
      new Map([
        [Access.u, x],
        [Access.v, y],
        [Access.level, s],
      ])
    );
    for (let i = 0; i < 64; i++) {
      const [X, Y, S] = [x[i]!, y[i]!, s[i]!];
      const inside = X >= 0 && Y >= 0 && S >= 0 && X < width && Y < height && S < 4;
      const tile = Math.floor(Y / 64) * 2 + Math.floor(X / 64);
      const block = Math.floor((Y % 64) / 8) * 8 + Math.floor((X % 64) / 8);
      const quad = Math.floor((Y % 8) / 2) * 4 + Math.floor((X % 8) / 2);
      expect(got[0]![i]).toBe(inside ? (((tile * 64 + block) * 16 + quad) * 4 + (Y % 2) * 2 + (X % 2)) * 4 + S : 0);
    }
  });
});

describe('reads that may share results of an earlier read in the warp', () => {
  it('give each read its own numbers, whatever came before', () => {
    const random = generator(77);
    const specs: [number, Partial<TextureSpec>][] = [
      [FORMAT_RGBA8UNORM, {}],
      [FORMAT_RGBA8UNORM_SRGB, {}],
      [FORMAT_R8UNORM, {}],
      [FORMAT_RGBA8UNORM, { width: 8 }],
      [FORMAT_RGBA8UNORM, { levels: 2 }],
      [FORMAT_RGBA16FLOAT, {}],
      [FORMAT_R32FLOAT, {}],
    ];
    let base = TEXTURE;
    const textures = specs.map(([format, part], seed) => {
      const built = buildTexture(
        { buffer, base },
        { format, dimension: DIMENSION_2D, width: 16, height: 8, depth: 1, layers: 1, levels: 4, ...part },
        generator(seed)
      );
      base = built.end;
      return built.address;
    });
    const samplers = [
      SAMPLER_DEFAULT,
      { ...SAMPLER_DEFAULT, u: ADDRESS_CLAMP },
      { ...SAMPLER_DEFAULT, min: FILTER_NEAREST, mag: FILTER_NEAREST },
      { ...SAMPLER_DEFAULT, lodMin: 1.5 },
    ];
    const slopes = [0.02, 0.05, 0.2].map((slope) =>
      lanes((i) => (i >> 2) * 0.13 + (i & 1) * slope + (i & 2) * slope * random())
    );
    const pick = <V>(of: readonly V[]): V => of[Math.floor(random() * of.length)]!;
    for (let read = 0; read < 400; read++) {
      writeSampler({ buffer, base: SAMPLER }, pick(samplers));
      const operands: Operands = new Map([
        [Access.u, pick(slopes)],
        [Access.v, pick(slopes)],
        [Access.level, slopes[2]!],
      ]);
      const spec = {
        texture: pick(textures),
        sampler: SAMPLER,
        mode: pick([MODE_IMPLICIT, MODE_IMPLICIT, MODE_LEVEL]),
        offset: pick([
          [0, 0],
          [3, -1],
        ] as [number, number][]),
        operands,
      };
      const quads = pick([16, 16, 5]);
      const [simd, scalar] = [kernel.call.sampleWarp!, kernel.call.sampleWarpScalar!].map((run) => {
        const { access, results } = writeAccess({ buffer, base: ACCESS }, spec, quads);
        run(access);
        return results.map((at) => new Float32Array(buffer, at, quads * 4).slice());
      });
      expect(simd, `read ${read}`).toEqual(scalar);
    }
  });
});
