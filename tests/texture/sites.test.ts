// Texture reads of compiled shaders: the results of a site's function compared with sampleWarp and loadWarp, bit by
// bit.
import { describe, expect, it } from 'vitest';
import {
  FORMAT_BGRA8UNORM,
  FORMAT_BGRA8UNORM_SRGB,
  FORMAT_DEPTH32FLOAT,
  FORMAT_R16FLOAT,
  FORMAT_R8UNORM,
  FORMAT_RG16FLOAT,
  FORMAT_RG8UNORM,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA8SNORM,
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
} from '../../assembly/layout/texture/formats';
import { SITE_MAX_TEXTURES } from '../../assembly/layout/warp/site-codes';
import {
  ADDRESS_CLAMP,
  ADDRESS_REPEAT,
  COMPARE_ALWAYS,
  COMPARE_EQUAL,
  COMPARE_GREATER,
  COMPARE_GREATER_EQUAL,
  COMPARE_LESS,
  COMPARE_LESS_EQUAL,
  COMPARE_NEVER,
  COMPARE_NOT_EQUAL,
  DIMENSION_2D,
  DIMENSION_2D_ARRAY,
  DIMENSION_3D,
  DIMENSION_CUBE,
  DIMENSION_CUBE_ARRAY,
  MODE_BIAS,
  MODE_GRAD,
  MODE_IMPLICIT,
  MODE_LEVEL,
} from '../../assembly/layout/texture/texture-codes';
import { Access, Site } from '../../build/layout';
import { generator, writeSampler, type Operands } from './harness';
import {
  FORMATS,
  NAMES,
  type Read,
  SAMPLER,
  SITES,
  SIZES,
  TEXTURES,
  atSite,
  atWarp,
  bits,
  buffer,
  build,
  compare,
  coordinates,
  kernel,
  levelsOf,
  offsetFor,
  open,
  operandsFor,
  pick,
  samplerFor,
} from './sites.kit';

const MODES = [MODE_IMPLICIT, MODE_IMPLICIT, MODE_BIAS, MODE_LEVEL, MODE_GRAD];

describe('a site of one texture gives the bits of sampleWarp', () => {
  it.each(FORMATS.map((format) => [NAMES[format]!, format] as const))('%s', (name, format) => {
    const random = generator(format * 7 + 1);
    for (const size of SIZES)
      for (let round = 0; round < 40; round++) {
        const { address } = build(TEXTURES, format, size, random);
        const sampler = samplerFor(random);
        writeSampler({ buffer, base: SAMPLER }, sampler);
        const mode = pick(random, MODES);
        const read: Read = {
          textures: [{ address, wanted: 1 + Math.floor(random() * 15) }],
          mode,
          load: false,
          offset: offsetFor(random),
          operands: operandsFor(mode, random, round % 4 === 3),
          base: mode === MODE_LEVEL && round % 2 === 0,
        };
        if (read.base) read.operands.set(Access.level, new Float32Array(64));
        compare(
          read,
          `${name} ${size.join('×')} mode ${mode} ${JSON.stringify(sampler)} offset ${read.offset.join(',')}`
        );
      }
  });
});

/** Zero, the limits of denormal and normal numbers, infinity, NaN; the harness makes this many half floats of 0 … 1. */
const SPECIAL_HALVES = [0, 1, 0x3ff, 0x400, 0x7bff, 0x7c00, 0x7c01, 0x7fff];
const HALVES = 0x4800;

describe.each([
  ['four', FORMAT_RGBA16FLOAT],
  ['single', FORMAT_R16FLOAT],
  ['pairs of', FORMAT_RG16FLOAT],
])('%s half floats of axis-aligned quads', (_, format) => {
  // A quad at the texture's own size, or half of it, reads three by three texels.
  it.each([0.25, 0.5, 1, 1.5, 2, 3])('at a distance of %f texels between pixels', (step) => {
    const random = generator(step * 64);
    for (let round = 0; round < 60; round++) {
      const small = round % 3 === 2;
      const special = round % 5 === 4;
      // Many windows of one value.
      const sparse = round % 7 === 6;
      const [width, height] = [16, 8];
      const { address } = build(
        TEXTURES,
        format,
        [width, height],
        () => {
          const part = random();
          if (sparse && part > 0.02) return 0.5;
          if (special && part < 0.04) return (pick(random, SPECIAL_HALVES) + 0.5) / HALVES;
          return small && part < 0.1 ? part / 10 : 0.06 + part * 0.94;
        },
        { levels: 1 }
      );
      const mode = round % 4;
      writeSampler(
        { buffer, base: SAMPLER },
        { mag: 1, min: 1, mip: 0, u: mode % 3, v: mode % 3, w: 0, lodMin: 0, lodMax: 32, compare: 0 }
      );
      const u = new Float32Array(64);
      const v = new Float32Array(64);
      for (let quad = 0; quad < 64; quad += 4) {
        const whole = random() < 0.5 ? 0.25 : random();
        const [x, y] = [Math.floor(random() * 14) + whole, Math.floor(random() * 6) + whole];
        for (let i = 0; i < 4; i++) {
          u[quad + i] = (x + (i & 1) * step) / width;
          v[quad + i] = (y + (i >> 1) * step) / height;
        }
        // A row or column with another fraction, or slightly displaced.
        if (random() < 0.2) (random() < 0.5 ? u : v)[quad + Math.floor(random() * 4)]! += random() < 0.5 ? 0.01 : 0.125;
      }
      const operands: Operands = new Map([
        [Access.u, u],
        [Access.v, v],
        [Access.level, new Float32Array(64)],
      ]);
      compare(
        { textures: [{ address, wanted: 15 }], mode: MODE_LEVEL, load: false, offset: [0, 0], operands },
        `step ${step} round ${round}`
      );
    }
  });
});

describe('cube maps', () => {
  it.each([
    ['half floats', DIMENSION_CUBE, FORMAT_RGBA16FLOAT],
    ['half floats, in an array', DIMENSION_CUBE_ARRAY, FORMAT_RGBA16FLOAT],
    ['depth', DIMENSION_CUBE, FORMAT_DEPTH32FLOAT],
    ['depth, in an array', DIMENSION_CUBE_ARRAY, FORMAT_DEPTH32FLOAT],
    ['four bytes', DIMENSION_CUBE, FORMAT_RGBA8UNORM],
    ['sRGB, in an array', DIMENSION_CUBE_ARRAY, FORMAT_BGRA8UNORM_SRGB],
    ['two bytes', DIMENSION_CUBE, FORMAT_RG8UNORM],
    ['one byte', DIMENSION_CUBE, FORMAT_R8UNORM],
    ['other texels', DIMENSION_CUBE, FORMAT_RGBA8SNORM],
  ])('%s', (_, dimension, format) => {
    const random = generator(60 + dimension);
    const isDepth = format === FORMAT_DEPTH32FLOAT;
    for (let round = 0; round < 300; round++) {
      const side = pick(random, [1, 2, 3, 8, 16]);
      const levels = Math.ceil(random() * levelsOf(side, side));
      let at = TEXTURES;
      const textures = Array.from({ length: pick(random, [1, 1, 2, 3]) }, () => {
        const t = build(at, format, [side, side], random, {
          dimension,
          levels,
          layers: dimension === DIMENSION_CUBE ? 6 : pick(random, [6, 12, 18]),
        });
        at = t.end;
        return { address: t.address, wanted: isDepth ? 1 : 1 + Math.floor(random() * 15) };
      });
      const compares = isDepth && round % 2 === 0;
      const sampler = { ...samplerFor(random), compare: compares ? 1 + (round % 8) : 0 };
      writeSampler({ buffer, base: SAMPLER }, sampler);
      const mode = pick(random, [MODE_LEVEL, MODE_LEVEL, MODE_LEVEL, MODE_IMPLICIT, MODE_GRAD]);
      const wild = round % 6 === 5;
      const operands = operandsFor(mode, random, wild);
      // Directions: mostly close to each other, some on edges and at corners.
      const [u, v, w] = [Access.u, Access.v, Access.w].map((field) => {
        const values = coordinates(random, wild);
        operands.set(field, values);
        return values;
      });
      for (let quad = 0; quad < 64; quad += 4) {
        const near = random() < 0.7;
        const edge = random() < 0.2;
        for (let i = quad; i < quad + 4; i++) {
          if (near && i > quad) for (const all of [u!, v!, w!]) all[i] = all[quad]! + (random() - 0.5) * 0.05;
          if (edge) (random() < 0.5 ? v! : w!)[i] = random() < 0.5 ? u![i]! : -u![i]!;
        }
      }
      if (compares)
        operands.set(
          Access.compare,
          Float32Array.from({ length: 64 }, () => random())
        );
      if (dimension === DIMENSION_CUBE_ARRAY)
        operands.set(
          Access.layer,
          Int32Array.from({ length: 64 }, () => Math.floor(random() * 5) - 1)
        );
      if (mode === MODE_GRAD)
        for (const field of [Access.ddxW, Access.ddyW]) operands.set(field, coordinates(random, false));
      const read: Read = { textures, mode, load: false, offset: [0, 0], operands };
      compare(read, `${side}² mode ${mode} ${JSON.stringify(sampler)} round ${round}`);
    }
  });
});

describe('volumes', () => {
  it.each(FORMATS.map((format) => [NAMES[format]!, format] as const))('%s', (name, format) => {
    const random = generator(format * 5 + 2);
    for (let round = 0; round < 100; round++) {
      const [width, height, depth] = [1, 2, 3].map(() => pick(random, [1, 2, 3, 8])) as [number, number, number];
      const levels = Math.ceil(random() * levelsOf(Math.max(width, height, depth), 1));
      const { address } = build(TEXTURES, format, [width, height], random, { dimension: DIMENSION_3D, depth, levels });
      const sampler = { ...samplerFor(random), w: Math.floor(random() * 3) };
      writeSampler({ buffer, base: SAMPLER }, sampler);
      const mode = pick(random, MODES);
      const wild = round % 4 === 3;
      const operands = operandsFor(mode, random, wild);
      operands.set(Access.w, coordinates(random, wild));
      if (mode === MODE_GRAD)
        for (const field of [Access.ddxW, Access.ddyW]) operands.set(field, coordinates(random, false));
      const read: Read = {
        textures: [{ address, wanted: 1 + Math.floor(random() * 15) }],
        mode,
        load: false,
        offset: round % 3 ? [0, 0] : [...offsetFor(random), Math.floor(random() * 16) - 8],
        operands,
      };
      compare(read, `${name} ${width}×${height}×${depth} mode ${mode} ${JSON.stringify(sampler)} round ${round}`);
    }
  });
});

describe('arrays at one site', () => {
  it('clamp layers to their own number of layers', () => {
    const random = generator(70);
    for (const format of FORMATS) {
      let at = TEXTURES;
      const textures = [5, 2, 3].map((layers) => {
        const t = build(at, format, [16, 8], random, { dimension: DIMENSION_2D_ARRAY, layers, levels: 1 });
        at = t.end;
        return { address: t.address, wanted: 15 };
      });
      for (const filter of [0, 1]) {
        writeSampler(
          { buffer, base: SAMPLER },
          { mag: filter, min: filter, mip: 0, u: 0, v: 0, w: 0, lodMin: 0, lodMax: 32, compare: 0 }
        );
        const operands = operandsFor(MODE_LEVEL, random, false);
        operands.set(
          Access.layer,
          Int32Array.from({ length: 64 }, () => Math.floor(random() * 8) - 1)
        );
        compare({ textures, mode: MODE_LEVEL, load: false, offset: [0, 0], operands }, `${NAMES[format]!} ${filter}`);
      }
    }
  });
});

describe('comparisons', () => {
  it.each([
    ['never', COMPARE_NEVER],
    ['less', COMPARE_LESS],
    ['equal', COMPARE_EQUAL],
    ['less-equal', COMPARE_LESS_EQUAL],
    ['greater', COMPARE_GREATER],
    ['not-equal', COMPARE_NOT_EQUAL],
    ['greater-equal', COMPARE_GREATER_EQUAL],
    ['always', COMPARE_ALWAYS],
  ])('%s', (_, comparison) => {
    const random = generator(comparison);
    for (let round = 0; round < 90; round++) {
      const size = pick(random, SIZES);
      // Depths of a few values, so that references equal them often.
      const depth = (): number => Math.floor(random() * 6) / 6;
      const layers = round % 3 === 0 ? 3 : 1;
      const { address } = build(TEXTURES, FORMAT_DEPTH32FLOAT, size, depth, {
        layers,
        levels: 1 + Math.floor(random() * levelsOf(...size)),
        dimension: layers === 1 ? DIMENSION_2D : DIMENSION_2D_ARRAY,
      });
      const sampler = { ...samplerFor(random), compare: comparison };
      writeSampler({ buffer, base: SAMPLER }, sampler);
      const mode = pick(random, MODES);
      const operands: Operands = operandsFor(mode, random, round % 4 === 3);
      operands.set(
        Access.compare,
        Float32Array.from({ length: 64 }, () =>
          random() < 0.1 ? NaN : Math.fround(depth() - (random() < 0.2 ? 1 : 0))
        )
      );
      if (layers > 1) {
        const chosen = Int32Array.from({ length: 64 }, () => Math.floor(random() * 5) - 1);
        operands.set(Access.layer, chosen);
      }
      compare(
        { textures: [{ address, wanted: 1 }], mode, load: false, offset: offsetFor(random), operands },
        `${size.join('×')} mode ${mode} ${JSON.stringify(sampler)}`
      );
    }
  });
});

describe('a site of more than one texture', () => {
  it('gives each its own bits, of one size and class or of many', () => {
    const random = generator(5);
    for (let round = 0; round < 400; round++) {
      const size = pick(random, SIZES);
      const format = pick(random, FORMATS);
      const levels = Math.ceil(random() * levelsOf(...size));
      const different = random() < 0.5;
      let at = TEXTURES;
      const textures = Array.from({ length: 1 + Math.floor(random() * SITE_MAX_TEXTURES) }, () => {
        const t = build(
          at,
          different && random() < 0.5 ? pick(random, FORMATS) : format,
          different && random() < 0.4 ? pick(random, SIZES) : size,
          random,
          different && random() < 0.3 ? {} : { levels }
        );
        at = t.end;
        return { address: t.address, wanted: Math.floor(random() * 16) };
      });
      writeSampler({ buffer, base: SAMPLER }, samplerFor(random));
      const mode = pick(random, MODES);
      compare(
        { textures, mode, load: false, offset: offsetFor(random), operands: operandsFor(mode, random, random() < 0.2) },
        `round ${round}`
      );
    }
  });

  it('shares texel offsets among textures of one size with 32-bit formats', () => {
    const random = generator(6);
    let at = TEXTURES;
    const textures = [
      FORMAT_RGBA8UNORM,
      FORMAT_RGBA8UNORM_SRGB,
      FORMAT_RG8UNORM,
      FORMAT_BGRA8UNORM,
      FORMAT_BGRA8UNORM_SRGB,
    ].map((format) => {
      const t = build(at, format, [16, 8], random, { levels: 4 });
      at = t.end;
      return { address: t.address, wanted: 15 };
    });
    writeSampler(
      { buffer, base: SAMPLER },
      { mag: 1, min: 1, mip: 1, u: ADDRESS_REPEAT, v: ADDRESS_REPEAT, w: 0, lodMin: 0, lodMax: 32, compare: 0 }
    );
    const read: Read = {
      textures,
      mode: MODE_IMPLICIT,
      load: false,
      offset: [0, 0],
      operands: operandsFor(MODE_IMPLICIT, random, false),
    };
    const site = open(read);
    expect(kernel.u32(site + Site.partCount, 1)[0]).toBe(2);
    compare(read, 'shared');
    compare({ ...read, textures: [textures[0]!, textures[1]!, textures[3]!] }, 'all alike');
    expect(kernel.u32(SITES + Site.partCount, 1)[0]).toBe(1);
  });

  it('does not mix the sites of a program', () => {
    const random = generator(7);
    const a = build(TEXTURES, FORMAT_RGBA8UNORM, [16, 8], random, { levels: 4 });
    writeSampler(
      { buffer, base: SAMPLER },
      { mag: 1, min: 1, mip: 0, u: ADDRESS_CLAMP, v: ADDRESS_CLAMP, w: 0, lodMin: 0, lodMax: 32, compare: 0 }
    );
    const implicit: Read = {
      textures: [{ address: a.address, wanted: 15 }],
      mode: MODE_IMPLICIT,
      load: false,
      offset: [0, 0],
      operands: operandsFor(MODE_IMPLICIT, random, false),
    };
    const level: Read = { ...implicit, mode: MODE_LEVEL, operands: operandsFor(MODE_LEVEL, random, false) };
    open(implicit, 0);
    open(level, 1);
    for (const [read, site] of [
      [implicit, SITES],
      [level, SITES + Site.bytes],
      [implicit, SITES],
    ] as const) {
      const got = atSite(site, read)[0]!;
      expect(got.map(bits)).toEqual(atWarp(read, a.address).map(bits));
    }
  });
});
