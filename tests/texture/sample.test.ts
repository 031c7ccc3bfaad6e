// Texture reads compared with an oracle in double precision, and the scalar twin with the SIMD kernel bit by bit.
import { describe, expect, it } from 'vitest';
import {
  FORMAT_BGRA8UNORM,
  FORMAT_BGRA8UNORM_SRGB,
  FORMAT_DEPTH16UNORM,
  FORMAT_DEPTH32FLOAT,
  FORMAT_R32FLOAT,
  FORMAT_R8UNORM,
  FORMAT_RG8UNORM,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA32FLOAT,
  FORMAT_RGBA8SNORM,
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
} from '../../assembly/layout/texture/formats';
import { REGISTER_BYTES } from '../../assembly/layout/limits';
import {
  ADDRESS_CLAMP,
  ADDRESS_MIRROR,
  ADDRESS_REPEAT,
  DIMENSION_1D,
  DIMENSION_2D,
  DIMENSION_2D_ARRAY,
  DIMENSION_3D,
  DIMENSION_CUBE,
  DIMENSION_CUBE_ARRAY,
  FILTER_NEAREST,
  MODE_BIAS,
  MODE_GRAD,
  MODE_IMPLICIT,
  MODE_LEVEL,
} from '../../assembly/layout/texture/texture-codes';
import { Access, Sampler, Texture, Warp } from '../../build/layout';
import { TestKernel } from '../support/kernel';
import { TestPool, TestSurface } from '../surface/kit';
import {
  buildTexture,
  generator,
  writeAccess,
  writeSampler,
  type BuiltTexture,
  type Operands,
  type SamplerSpec,
  type TextureSpec,
} from './harness';
import { cubeLod, gradientLod, sample, type Vector } from './oracle';

const kernel = new TestKernel();
const { buffer } = kernel.memory;
const ACCESS = kernel.alloc(Warp.bytes - Warp.access + 16 * REGISTER_BYTES);
const SAMPLER = kernel.alloc(Sampler.bytes);
const TEXTURE = kernel.alloc(1 << 20);

const SAMPLER_DEFAULT: SamplerSpec = {
  mag: 1,
  min: 1,
  mip: 1,
  u: ADDRESS_REPEAT,
  v: ADDRESS_REPEAT,
  w: ADDRESS_REPEAT,
  lodMin: 0,
  lodMax: 32,
  compare: 0,
};
function texture(format: number, dimension: number, part: Partial<TextureSpec>, seed: number): BuiltTexture {
  return buildTexture(
    { buffer, base: TEXTURE },
    { format, dimension, width: 16, height: 8, depth: 1, layers: 1, levels: 4, ...part },
    generator(seed)
  );
}

/**
 * Runs both twins on the same record, requires equal bits (NaNs count as equal), and returns the SIMD kernel's numbers.
 */
function runBoth(s: SamplerSpec, mode: number, operands: Operands, offset: [number, number] = [0, 0]): Float32Array[] {
  writeSampler({ buffer, base: SAMPLER }, s);
  const spec = { texture: TEXTURE, sampler: SAMPLER, mode, offset, operands };
  const read = (run: (access: number) => void): Float32Array[] => {
    const { access, results } = writeAccess({ buffer, base: ACCESS }, spec);
    run(access);
    return results.map((at) => new Float32Array(buffer, at, 64).slice());
  };
  const simd = read((a) => {
    kernel.call.sampleWarp!(a);
  });
  const scalar = read((a) => {
    kernel.call.sampleWarpScalar!(a);
  });
  for (let c = 0; c < 4; c++) expect(scalar[c]).toEqual(simd[c]);
  return simd;
}

const lanes = (f: (lane: number) => number): Float32Array => Float32Array.from({ length: 64 }, (_, i) => f(i));
/** Multiples of a fraction such that f32 products with small sizes are exact, so that "nearest" has one answer. */
const grid = (random: () => number, span: number): Float32Array =>
  lanes(() => (Math.floor(random() * 512 * span) - 256 * span + 0.5) / 256);

function check(
  t: BuiltTexture,
  s: SamplerSpec,
  got: Float32Array[],
  coordinates: Float32Array[],
  lod: (lane: number) => number,
  {
    tolerance,
    ...extra
  }: { tolerance: number; layer?: Int32Array; offset?: [number, number]; reference?: Float32Array }
): void {
  let compared = 0;
  for (let i = 0; i < 64; i++) {
    const level = lod(i);
    // Where rounding decides between two levels, either is correct.
    if (s.mip === FILTER_NEAREST && Math.abs(level - Math.floor(level) - 0.5) < 1e-4) continue;
    if (s.mag !== s.min && Math.abs(level) < 1e-4) continue;
    const uvw = [0, 1, 2].map((c) => coordinates[c]?.[i] ?? 0) as Vector;
    const want = sample(t, s, uvw, {
      lod: level,
      layer: extra.layer?.[i] ?? 0,
      offset: extra.offset ?? [0, 0],
      reference: extra.reference?.[i] ?? null,
    });
    for (let c = 0; c < (extra.reference ? 1 : 4); c++) {
      const error = Math.abs(got[c]![i]! - want[c]!);
      if (!(error <= tolerance))
        throw new Error(
          `lane ${i} channel ${c}: ${got[c]![i]} instead of ${want[c]} at ${uvw.join(', ')}, level ${level}`
        );
    }
    compared++;
  }
  expect(compared).toBeGreaterThan(48);
}

const FORMATS: [string, number, number][] = [
  ['rgba8unorm', FORMAT_RGBA8UNORM, 1e-4],
  ['bgra8unorm', FORMAT_BGRA8UNORM, 1e-4],
  ['rg8unorm', FORMAT_RG8UNORM, 1e-4],
  ['r8unorm', FORMAT_R8UNORM, 1e-4],
  ['rgba8unorm-srgb', FORMAT_RGBA8UNORM_SRGB, 2e-6],
  ['bgra8unorm-srgb', FORMAT_BGRA8UNORM_SRGB, 2e-6],
  ['rgba16float', FORMAT_RGBA16FLOAT, 2e-5],
  ['rgba8snorm', FORMAT_RGBA8SNORM, 2e-6],
  ['rgba32float', FORMAT_RGBA32FLOAT, 2e-6],
  ['r32float', FORMAT_R32FLOAT, 2e-6],
];

describe('textureSampleLevel, 2d', () => {
  for (const [name, format, tolerance] of FORMATS) {
    it(`filters ${name} in every address mode`, () => {
      const random = generator(format);
      for (const [width, height] of [
        [16, 8],
        [5, 3],
        [1, 1],
      ] as const) {
        const t = texture(format, DIMENSION_2D, { width, height, levels: width === 16 ? 4 : 1 }, format);
        for (let mode = 0; mode < 3; mode++)
          for (const linear of [0, 1])
            for (const offset of [
              [0, 0],
              [-7, 5],
            ] as [number, number][]) {
              const s = { ...SAMPLER_DEFAULT, mag: linear, min: linear, u: mode, v: (mode + 1) % 3 };
              const u = grid(random, 3);
              const v = grid(random, 3);
              const levels = lanes((i) => (i < 32 ? Math.floor(i / 4) / 4 : random() * 4 - 0.5));
              const got = runBoth(
                s,
                MODE_LEVEL,
                new Map([
                  [Access.u, u],
                  [Access.v, v],
                  [Access.level, levels],
                ]),
                offset
              );
              check(t, s, got, [u, v], (i) => levels[i]!, { tolerance, offset });
            }
      }
    });
  }

  it('picks the nearest level, rounding half up, and the magnification filter up to level 0', () => {
    const t = texture(FORMAT_RGBA8UNORM, DIMENSION_2D, {}, 3);
    const random = generator(4);
    const s = { ...SAMPLER_DEFAULT, mag: 0, mip: 0 };
    const u = grid(random, 1);
    const v = grid(random, 1);
    const levels = lanes((i) => [-1, 0, 0.25, 0.75, 1.25, 2.75, 9, 1][i & 7]!);
    check(
      t,
      s,
      runBoth(
        s,
        MODE_LEVEL,
        new Map([
          [Access.u, u],
          [Access.v, v],
          [Access.level, levels],
        ])
      ),
      [u, v],
      (i) => levels[i]!,
      { tolerance: 1e-4 }
    );
    const half = lanes(() => 0.5);
    const at = runBoth(
      s,
      MODE_LEVEL,
      new Map([
        [Access.u, u],
        [Access.v, v],
        [Access.level, half],
      ])
    );
    expect(
      Math.abs(
        at[0]![0]! - sample(t, s, [u[0]!, v[0]!, 0], { lod: 0.6, layer: 0, offset: [0, 0], reference: null })[0]!
      )
    ).toBeLessThan(1e-4);
  });

  it('clamps the level between lodMin and lodMax', () => {
    const t = texture(FORMAT_RGBA8UNORM_SRGB, DIMENSION_2D, {}, 5);
    const random = generator(6);
    const s = { ...SAMPLER_DEFAULT, lodMin: 0.5, lodMax: 1.75 };
    const u = grid(random, 1);
    const v = grid(random, 1);
    const levels = lanes(() => random() * 6 - 2);
    check(
      t,
      s,
      runBoth(
        s,
        MODE_LEVEL,
        new Map([
          [Access.u, u],
          [Access.v, v],
          [Access.level, levels],
        ])
      ),
      [u, v],
      (i) => levels[i]!,
      { tolerance: 1e-5 }
    );
  });
});

/** WGSL, textureSampleBias. */
const clampedBias = (bias: number): number => (bias > -16 ? Math.min(15.99, bias) : -16);

describe('level of detail from derivatives', () => {
  const quads = (random: () => number, scale: () => number): Float32Array => {
    const out = new Float32Array(64);
    for (let q = 0; q < 64; q += 4) {
      const [base, x, y] = [random(), (random() - 0.5) * scale(), (random() - 0.5) * scale()];
      out.set([base, base + x, base + y, base + x + y], q);
    }
    return out;
  };
  const quadLod =
    (t: BuiltTexture, c: Float32Array[]) =>
    (i: number): number => {
      const q = i & ~3;
      const difference = (lane: number): Vector =>
        [0, 1, 2].map((k) => (c[k] ? c[k]![q + lane]! - c[k]![q]! : 0)) as Vector;
      return gradientLod(t, difference(1), difference(2));
    };
  for (const [name, format, tolerance] of FORMATS.slice(0, 7)) {
    it(`samples ${name} with one level per quad`, () => {
      const t = texture(format, DIMENSION_2D, {}, format + 50);
      const random = generator(format + 60);
      for (let round = 0; round < 20; round++) {
        const u = quads(random, () => 2 ** (random() * 6 - 5));
        const v = quads(random, () => 2 ** (random() * 6 - 5));
        const s = { ...SAMPLER_DEFAULT, u: round % 3, v: (round + 1) % 3 };
        // Steep coordinates times the size carry f32 rounding into the fractions.
        check(
          t,
          s,
          runBoth(
            s,
            MODE_IMPLICIT,
            new Map([
              [Access.u, u],
              [Access.v, v],
            ])
          ),
          [u, v],
          quadLod(t, [u, v]),
          { tolerance: tolerance * 4 + 2e-5 }
        );
      }
    });
  }

  it('adds a bias per lane', () => {
    const t = texture(FORMAT_RGBA8UNORM, DIMENSION_2D, {}, 70);
    const random = generator(71);
    const [u, v] = [quads(random, () => 0.3), quads(random, () => 0.3)];
    const far = lanes((i) => [-40, 300, NaN, -16.5][(i >> 2) & 3]!);
    for (const bias of [lanes((i) => (i >> 2) / 8), lanes(() => random() * 2 - 1), far]) {
      const got = runBoth(
        SAMPLER_DEFAULT,
        MODE_BIAS,
        new Map([
          [Access.u, u],
          [Access.v, v],
          [Access.level, bias],
        ])
      );
      check(t, SAMPLER_DEFAULT, got, [u, v], (i) => quadLod(t, [u, v])(i) + clampedBias(bias[i]!), { tolerance: 1e-4 });
    }
  });

  it('uses explicit gradients', () => {
    const t = texture(FORMAT_RGBA8UNORM, DIMENSION_2D, {}, 80);
    const random = generator(81);
    const [u, v] = [grid(random, 1), grid(random, 1)];
    const g = [0, 1, 2, 3].map(() => lanes(() => (random() - 0.5) * 0.6));
    const got = runBoth(
      SAMPLER_DEFAULT,
      MODE_GRAD,
      new Map([
        [Access.u, u],
        [Access.v, v],
        [Access.ddxU, g[0]!],
        [Access.ddxV, g[1]!],
        [Access.ddyU, g[2]!],
        [Access.ddyV, g[3]!],
      ])
    );
    check(
      t,
      SAMPLER_DEFAULT,
      got,
      [u, v],
      (i) => gradientLod(t, [g[0]![i]!, g[1]![i]!, 0], [g[2]![i]!, g[3]![i]!, 0]),
      { tolerance: 1e-4 }
    );
  });

  it('measures cubes on the face of each pixel, with the differences of its row and its column', () => {
    const t = texture(FORMAT_RGBA16FLOAT, DIMENSION_CUBE, { width: 16, height: 16, layers: 6, levels: 5 }, 90);
    const random = generator(91);
    const c = [0, 1, 2].map(() => {
      const q = quads(random, () => 0.2);
      return q.map((x) => (x - 0.5) * 2);
    });
    const lod = (i: number): number => {
      const q = i & ~3;
      const at = (lane: number): Vector => c.map((k) => k[q + lane]!) as Vector;
      const difference = (from: number, to: number): Vector => at(to).map((x, k) => x - at(from)[k]!) as Vector;
      return cubeLod(t, at(i & 3), difference(i & 2, (i & 2) + 1), difference(i & 1, (i & 1) + 2));
    };
    check(
      t,
      SAMPLER_DEFAULT,
      runBoth(
        SAMPLER_DEFAULT,
        MODE_IMPLICIT,
        new Map([
          [Access.u, c[0]!],
          [Access.v, c[1]!],
          [Access.w, c[2]!],
        ])
      ),
      c,
      lod,
      { tolerance: 1e-3 }
    );
  });
});

describe('other dimensions', () => {
  const random = generator(100);
  const level = (): Float32Array => lanes(() => Math.floor(random() * 16) / 4 - 0.5);
  it('1d', () => {
    const t = texture(FORMAT_RGBA8UNORM, DIMENSION_1D, { height: 1, levels: 1 }, 101);
    for (const linear of [0, 1]) {
      const s = { ...SAMPLER_DEFAULT, mag: linear, min: linear, u: ADDRESS_MIRROR };
      const u = grid(random, 3);
      check(
        t,
        s,
        runBoth(
          s,
          MODE_LEVEL,
          new Map([
            [Access.u, u],
            [Access.level, lanes(() => 0)],
          ])
        ),
        [u],
        () => 0,
        { tolerance: 1e-4 }
      );
    }
  });
  it('2d-array, with clamped layers', () => {
    for (const format of [FORMAT_RGBA8UNORM, FORMAT_RGBA16FLOAT, FORMAT_RGBA8SNORM]) {
      const t = texture(format, DIMENSION_2D_ARRAY, { layers: 3 }, 102);
      const [u, v, l] = [grid(random, 2), grid(random, 2), lanes(() => random() * 3)];
      const layer = Int32Array.from({ length: 64 }, () => Math.floor(random() * 7) - 2);
      check(
        t,
        SAMPLER_DEFAULT,
        runBoth(
          SAMPLER_DEFAULT,
          MODE_LEVEL,
          new Map<number, Float32Array | Int32Array>([
            [Access.u, u],
            [Access.v, v],
            [Access.layer, layer],
            [Access.level, l],
          ])
        ),
        [u, v],
        (i) => l[i]!,
        { tolerance: 1e-4, layer }
      );
      const flat = lanes(() => 1);
      check(
        t,
        SAMPLER_DEFAULT,
        runBoth(
          SAMPLER_DEFAULT,
          MODE_LEVEL,
          new Map<number, Float32Array | Int32Array>([
            [Access.u, u],
            [Access.v, v],
            [Access.layer, layer],
            [Access.level, flat],
          ])
        ),
        [u, v],
        () => 1,
        { tolerance: 1e-4, layer }
      );
    }
  });
  it('3d', () => {
    for (const linear of [0, 1]) {
      const t = texture(FORMAT_RGBA8UNORM, DIMENSION_3D, { depth: 4, levels: 4 }, 103);
      const s = { ...SAMPLER_DEFAULT, mag: linear, min: linear, w: ADDRESS_MIRROR };
      const [u, v, w, l] = [grid(random, 2), grid(random, 2), grid(random, 2), level()];
      check(
        t,
        s,
        runBoth(
          s,
          MODE_LEVEL,
          new Map([
            [Access.u, u],
            [Access.v, v],
            [Access.w, w],
            [Access.level, l],
          ])
        ),
        [u, v, w],
        (i) => l[i]!,
        { tolerance: 1e-4 }
      );
    }
  });
  it('cube and cube-array, filtered across edges', () => {
    for (const format of [FORMAT_RGBA8UNORM, FORMAT_RGBA16FLOAT, FORMAT_RGBA32FLOAT])
      for (const cubes of [1, 2])
        for (const linear of [0, 1]) {
          const t = texture(
            format,
            cubes === 1 ? DIMENSION_CUBE : DIMENSION_CUBE_ARRAY,
            { width: 8, height: 8, layers: cubes * 6 },
            104
          );
          const s = { ...SAMPLER_DEFAULT, mag: linear, min: linear };
          for (let round = 0; round < 10; round++) {
            const c = [0, 1, 2].map(() => lanes(() => random() * 2 - 1));
            // Half of the directions are close to an edge or a corner.
            for (let i = 0; i < 64; i += 2) c[1]![i] = c[0]![i]! * (1 + (random() - 0.5) * 0.1);
            const l = level();
            const layer = Int32Array.from({ length: 64 }, () => Math.floor(random() * 4) - 1);
            const operands = new Map<number, Float32Array | Int32Array>([
              [Access.u, c[0]!],
              [Access.v, c[1]!],
              [Access.w, c[2]!],
              [Access.level, l],
            ]);
            if (cubes > 1) operands.set(Access.layer, layer);
            check(t, s, runBoth(s, MODE_LEVEL, operands), c, (i) => l[i]!, {
              tolerance: 1e-4,
              ...(cubes > 1 ? { layer } : {}),
            });
          }
        }
  });
  it('cubes inside their faces, each pixel with its own level', () => {
    for (const [, format, tolerance] of FORMATS) {
      const t = texture(format, DIMENSION_CUBE, { width: 32, height: 32, layers: 6, levels: 4 }, 106);
      for (let round = 0; round < 12; round++) {
        const near = (): number => random() * 1.4 - 0.7;
        const c = [0, 1, 2].map(() => lanes(near));
        // Each lane reads its own face, away from its edges.
        for (let i = 0; i < 64; i++) c[(i * 7 + round) % 3]![i] = i & 1 ? 1 : -1;
        const l = lanes((i) => (i < 32 ? random() * 3.5 - 0.25 : i >> 4));
        const s = { ...SAMPLER_DEFAULT, mip: round & 1 };
        check(
          t,
          s,
          runBoth(
            s,
            MODE_LEVEL,
            new Map([
              [Access.u, c[0]!],
              [Access.v, c[1]!],
              [Access.w, c[2]!],
              [Access.level, l],
            ])
          ),
          c,
          (i) => l[i]!,
          { tolerance: tolerance + 1e-4 }
        );
      }
    }
  });
  it('is continuous across a cube edge', () => {
    texture(FORMAT_RGBA32FLOAT, DIMENSION_CUBE, { width: 8, height: 8, layers: 6, levels: 1 }, 105);
    const e = 1e-5;
    // Lanes 2k and 2k+1 are on both sides of the edge between +X and +Z.
    const t = lanes((i) => ((i >> 1) - 16) / 20);
    const got = runBoth(
      SAMPLER_DEFAULT,
      MODE_LEVEL,
      new Map([
        [Access.u, lanes((i) => (i & 1 ? 1 + e : 1))],
        [Access.v, t],
        [Access.w, lanes((i) => (i & 1 ? 1 : 1 + e))],
        [Access.level, lanes(() => 0)],
      ])
    );
    for (let i = 0; i < 64; i += 2)
      if (Math.abs(t[i]!) < 0.85) expect(Math.abs(got[0]![i]! - got[0]![i + 1]!)).toBeLessThan(1e-3);
  });
});

describe('depth textures', () => {
  it('are sampled and compared with percentage-closer filtering', () => {
    const random = generator(200);
    for (const format of [FORMAT_DEPTH32FLOAT, FORMAT_DEPTH16UNORM])
      for (let compare = 1; compare <= 8; compare++)
        for (const linear of [0, 1]) {
          const t = texture(format, DIMENSION_2D, { levels: 1 }, 201);
          const s = { ...SAMPLER_DEFAULT, mag: linear, min: linear, compare, u: ADDRESS_CLAMP };
          const [u, v, reference] = [grid(random, 2), grid(random, 2), lanes(() => random())];
          const operands: Operands = new Map([
            [Access.u, u],
            [Access.v, v],
            [Access.level, lanes(() => 0)],
            [Access.compare, reference],
          ]);
          check(t, s, runBoth(s, MODE_LEVEL, operands), [u, v], () => 0, { tolerance: 1e-6, reference });
          operands.delete(Access.compare);
          check(t, { ...s, mag: 0, min: 0 }, runBoth({ ...s, mag: 0, min: 0 }, MODE_LEVEL, operands), [u, v], () => 0, {
            tolerance: 1e-6,
          });
        }
  });
});

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
