import { describe, expect, it } from 'vitest';
import {
  FORMAT_DEPTH16UNORM,
  FORMAT_DEPTH32FLOAT,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA32FLOAT,
  FORMAT_RGBA8SNORM,
  FORMAT_RGBA8UNORM,
} from '../../assembly/layout/texture/formats';
import {
  ADDRESS_CLAMP,
  ADDRESS_MIRROR,
  DIMENSION_1D,
  DIMENSION_2D,
  DIMENSION_2D_ARRAY,
  DIMENSION_3D,
  DIMENSION_CUBE,
  DIMENSION_CUBE_ARRAY,
  MODE_LEVEL,
} from '../../assembly/layout/texture/texture-codes';
import { Access } from '../../build/layout';
import { generator, type Operands } from './harness';
import { FORMATS, SAMPLER_DEFAULT, check, grid, lanes, runBoth, texture } from './sample.kit';

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
