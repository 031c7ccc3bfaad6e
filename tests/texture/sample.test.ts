// Texture reads compared with an oracle in double precision, and the scalar twin with the SIMD kernel bit by bit.
import { describe, expect, it } from 'vitest';
import { FORMAT_RGBA16FLOAT, FORMAT_RGBA8UNORM, FORMAT_RGBA8UNORM_SRGB } from '../../assembly/layout/texture/formats';
import {
  DIMENSION_2D,
  DIMENSION_CUBE,
  MODE_BIAS,
  MODE_GRAD,
  MODE_IMPLICIT,
  MODE_LEVEL,
} from '../../assembly/layout/texture/texture-codes';
import { Access } from '../../build/layout';
import { generator, type BuiltTexture } from './harness';
import { cubeLod, gradientLod, sample, type Vector } from './oracle';
import { FORMATS, SAMPLER_DEFAULT, check, grid, lanes, runBoth, texture } from './sample.kit';

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
