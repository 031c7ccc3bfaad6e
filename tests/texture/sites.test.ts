// Texture reads of compiled shaders: the results of a site's function compared with sampleWarp and loadWarp, bit by
// bit.
import { describe, expect, it } from 'vitest';
import {
  FORMAT_BGRA8UNORM,
  FORMAT_BGRA8UNORM_SRGB,
  FORMAT_DEPTH16UNORM,
  FORMAT_DEPTH32FLOAT,
  FORMAT_R32FLOAT,
  FORMAT_R32SINT,
  FORMAT_R32UINT,
  FORMAT_R8UNORM,
  FORMAT_RG8UNORM,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA32FLOAT,
  FORMAT_RGBA32SINT,
  FORMAT_RGBA32UINT,
  FORMAT_RGBA8SNORM,
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
} from '../../assembly/layout/texture/formats';
import { REGISTER_BYTES } from '../../assembly/layout/limits';
import { OPERAND_NONE } from '../../assembly/layout/program/opcodes';
import { SITE_MAX_TEXTURES } from '../../assembly/layout/warp/site-codes';
import {
  ADDRESS_CLAMP,
  ADDRESS_REPEAT,
  DIMENSION_1D,
  DIMENSION_2D,
  DIMENSION_2D_ARRAY,
  DIMENSION_3D,
  DIMENSION_CUBE,
  MODE_BIAS,
  MODE_GRAD,
  MODE_IMPLICIT,
  MODE_LEVEL,
} from '../../assembly/layout/texture/texture-codes';
import { Access, Program, Resource, Sampler, Site, SiteDescription, Texture, Warp } from '../../build/layout';
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

const kernel = new TestKernel();
const { buffer } = kernel.memory;
const ACCESS = kernel.alloc(Warp.bytes - Warp.access + 16 * REGISTER_BYTES);
const SAMPLER = kernel.alloc(Sampler.bytes);
const PROGRAM = kernel.alloc(Program.bytes);
const WARP = kernel.alloc(Warp.bytes);
const RESOURCES = kernel.alloc(Resource.bytes * 16);
const DESCRIPTIONS = kernel.alloc(SiteDescription.bytes * 2);
const SITES = kernel.alloc(Site.bytes * 2);
const OPERANDS = kernel.alloc(16 * 16 * 12);
const RESULTS = kernel.alloc(16 * 64 * SITE_MAX_TEXTURES);
const TEXTURES = kernel.alloc(1 << 20);
/** ACCESS_* in the order of Site.operands. */
const FIELDS = [
  Access.u,
  Access.v,
  Access.w,
  Access.layer,
  Access.level,
  Access.compare,
  Access.ddxU,
  Access.ddxV,
  Access.ddxW,
  Access.ddyU,
  Access.ddyV,
  Access.ddyW,
];

interface Read {
  textures: { address: number; wanted: number }[];
  mode: number;
  load: boolean;
  offset: [number, number];
  operands: Operands;
}

/** Writes the program's description of one site at `index`, opens the sites, and returns the record's address. */
function open(read: Read, index = 0): number {
  const { textures, mode, load, offset, operands } = read;
  textures.forEach(({ address }, i) => {
    kernel.u32(RESOURCES + (i + 1) * Resource.bytes, 1)[0] = address;
  });
  kernel.u32(RESOURCES, 1)[0] = SAMPLER;
  const at = DESCRIPTIONS + index * SiteDescription.bytes;
  kernel.u8(at, SiteDescription.bytes).fill(0);
  const set = (field: number, value: number): void => {
    kernel.i32(at + field, 1)[0] = value;
  };
  set(SiteDescription.count, textures.length);
  set(SiteDescription.mode, mode);
  set(SiteDescription.load, load ? 1 : 0);
  set(SiteDescription.sampler, load ? OPERAND_NONE : 0);
  set(SiteDescription.offsetX, offset[0]);
  set(SiteDescription.offsetY, offset[1]);
  set(SiteDescription.operands, given(operands));
  textures.forEach(({ wanted }, i) => {
    set(SiteDescription.textures + i * 4, (i + 1) | (wanted << 16));
  });
  kernel.u32(PROGRAM + Program.sites, 1)[0] = DESCRIPTIONS;
  kernel.u32(PROGRAM + Program.siteCount, 1)[0] = index + 1;
  kernel.u32(WARP + Warp.program, 1)[0] = PROGRAM;
  kernel.u32(WARP + Warp.resources, 1)[0] = RESOURCES;
  kernel.u32(WARP + Warp.sites, 1)[0] = SITES;
  kernel.u8(SITES, 2 * Site.bytes).fill(0xa5);
  kernel.call.openSites!(WARP);
  return SITES + index * Site.bytes;
}

const given = (operands: Operands): number =>
  FIELDS.reduce((mask, field, i) => mask | (operands.has(field) ? 1 << i : 0), 0);

/** Bits of a channel's 64 lanes; every NaN is one NaN. */
const bits = (words: Uint32Array): number[] =>
  Array.from(words, (w) => ((w & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : w));

/** Reads 16 quads at the site: [texture][channel] → 64 words. */
function atSite(site: number, read: Read): Uint32Array[][] {
  const lists = FIELDS.filter((field) => read.operands.has(field)).map((field) => read.operands.get(field)!);
  lists.forEach((values, k) => {
    const words = new Uint32Array(values.buffer, values.byteOffset, 64);
    for (let quad = 0; quad < 16; quad++)
      kernel.u32(OPERANDS + (quad * lists.length + k) * 16, 4).set(words.subarray(quad * 4, quad * 4 + 4));
  });
  const bytes = read.textures.length * 64;
  kernel.u8(RESULTS, bytes * 16).fill(0);
  kernel.call.readSite!(site, 16, given(read.operands), OPERANDS, RESULTS);
  return read.textures.map((_, t) =>
    [0, 1, 2, 3].map((c) => {
      const words = new Uint32Array(64);
      for (let quad = 0; quad < 16; quad++)
        words.set(kernel.u32(RESULTS + quad * bytes + t * 64 + c * 16, 4), quad * 4);
      return words;
    })
  );
}

function atWarp(read: Read, texture: number): Uint32Array[] {
  const { access, results } = writeAccess(
    { buffer, base: ACCESS },
    { texture, sampler: read.load ? 0 : SAMPLER, mode: read.mode, offset: read.offset, operands: read.operands }
  );
  (read.load ? kernel.call.loadWarp! : kernel.call.sampleWarp!)(access);
  return results.map((at) => new Uint32Array(buffer, at, 64).slice());
}

/** Opens a site, reads it, and compares the requested channels with the warp's read of each texture. */
function compare(read: Read, what: string): void {
  const got = atSite(open(read), read);
  read.textures.forEach(({ address, wanted }, t) => {
    const want = atWarp(read, address);
    for (let c = 0; c < 4; c++)
      if ((wanted >> c) & 1) expect(bits(got[t]![c]!), `${what}, texture ${t}, channel ${c}`).toEqual(bits(want[c]!));
  });
}

const lanes = (f: (lane: number) => number): Float32Array => Float32Array.from({ length: 64 }, (_, i) => f(i));
const ints = (f: (lane: number) => number): Int32Array => Int32Array.from({ length: 64 }, (_, i) => f(i));
const NAMES: Record<number, string> = {
  [FORMAT_RGBA8UNORM]: 'rgba8unorm',
  [FORMAT_BGRA8UNORM]: 'bgra8unorm',
  [FORMAT_RG8UNORM]: 'rg8unorm',
  [FORMAT_R8UNORM]: 'r8unorm',
  [FORMAT_RGBA8UNORM_SRGB]: 'rgba8unorm-srgb',
  [FORMAT_BGRA8UNORM_SRGB]: 'bgra8unorm-srgb',
  [FORMAT_RGBA16FLOAT]: 'rgba16float',
  [FORMAT_RGBA8SNORM]: 'rgba8snorm',
  [FORMAT_RGBA32FLOAT]: 'rgba32float',
  [FORMAT_R32FLOAT]: 'r32float',
};
const FORMATS = Object.keys(NAMES).map(Number);
const SIZES: [number, number][] = [
  [1, 1],
  [2, 1],
  [1, 5],
  [3, 3],
  [7, 13],
  [16, 8],
  [33, 64],
  [64, 64],
];
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
  0,
  1,
  -1,
  16777217,
  -0.99999994,
  0.99999994,
  2147483648,
];

/** Coordinates: quads with slopes of all sizes, or non-finite numbers. */
function coordinates(random: () => number, wild: boolean): Float32Array {
  if (wild) return lanes(() => (random() < 0.7 ? WILD[Math.floor(random() * WILD.length)]! : random() * 4 - 2));
  const out = new Float32Array(64);
  for (let q = 0; q < 64; q += 4) {
    const scale = 2 ** (random() * 8 - 7);
    const [base, x, y] = [random() * 3 - 1, (random() - 0.5) * scale, (random() - 0.5) * scale];
    out.set(random() < 0.1 ? [base, base, base, base] : [base, base + x, base + y, base + x + y], q);
  }
  return out;
}

function operandsFor(mode: number, random: () => number, wild: boolean): Operands {
  const operands: Operands = new Map([
    [Access.u, coordinates(random, wild)],
    [Access.v, coordinates(random, wild)],
  ]);
  const steady = random() < 0.7;
  // Equal levels in a quad take the fast path, others do not.
  const levels = new Float32Array(64);
  for (let i = 0; i < 64; i++)
    levels[i] =
      steady && i & 3
        ? levels[i & ~3]!
        : random() < 0.2
          ? Math.floor(random() * 3)
          : wild && random() < 0.3
            ? WILD[Math.floor(random() * WILD.length)]!
            : random() * 7 - 1.5;
  if (mode === MODE_LEVEL || mode === MODE_BIAS) operands.set(Access.level, levels);
  if (mode === MODE_GRAD) {
    for (const field of [Access.ddxU, Access.ddxV, Access.ddyU, Access.ddyV]) {
      const slopes = coordinates(random, wild);
      if (steady) for (let i = 0; i < 64; i++) slopes[i] = slopes[i & ~3]!;
      operands.set(field, slopes);
    }
  }
  return operands;
}

const pick = <V>(random: () => number, of: readonly V[]): V => of[Math.floor(random() * of.length)]!;

function samplerFor(random: () => number): SamplerSpec {
  const filter = Math.floor(random() * 2);
  const u = Math.floor(random() * 3);
  const other = random() < 0.3;
  const low = random() < 0.2 ? random() * 3 : 0;
  return {
    mag: filter,
    min: random() < 0.85 ? filter : 1 - filter,
    mip: Math.floor(random() * 2),
    u,
    v: other ? Math.floor(random() * 3) : u,
    w: 0,
    compare: 0,
    lodMin: low,
    lodMax: random() < 0.2 ? low + random() * 3 : random() < 0.1 ? 0 : 32,
  };
}

const levelsOf = (width: number, height: number): number => Math.floor(Math.log2(Math.max(width, height))) + 1;
function build(
  at: number,
  format: number,
  size: [number, number],
  random: () => number,
  part: Partial<TextureSpec> = {}
): BuiltTexture {
  const [width, height] = size;
  const levels = random() < 0.3 ? 1 : Math.ceil(random() * levelsOf(width, height));
  return buildTexture(
    { buffer, base: at },
    { format, dimension: DIMENSION_2D, width, height, depth: 1, layers: 1, levels, ...part },
    random
  );
}
const offsetFor = (random: () => number): [number, number] =>
  random() < 0.75 ? [0, 0] : [Math.floor(random() * 16) - 8, Math.floor(random() * 16) - 8];
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
        };
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

describe('half floats of axis-aligned quads', () => {
  // A quad at the texture's own size, or half of it, reads three by three texels.
  it.each([0.25, 0.5, 1, 1.5, 2, 3])('at a distance of %f texels between pixels', (step) => {
    const random = generator(step * 64);
    for (let round = 0; round < 60; round++) {
      const small = round % 3 === 2;
      const special = round % 5 === 4;
      const [width, height] = [16, 8];
      const { address } = build(
        TEXTURES,
        FORMAT_RGBA16FLOAT,
        [width, height],
        () => {
          const part = random();
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

describe('a site without a specialized function', () => {
  it.each([
    ['2d array', DIMENSION_2D_ARRAY],
    ['3d', DIMENSION_3D],
    ['cube', DIMENSION_CUBE],
    ['1d', DIMENSION_1D],
  ] as const)('%s', (name, dimension) => {
    const random = generator(20 + dimension);
    for (let round = 0; round < 60; round++) {
      const format = pick(random, FORMATS);
      const { address } = build(TEXTURES, format, [8, dimension === DIMENSION_1D ? 1 : 8], random, {
        dimension,
        depth: dimension === DIMENSION_3D ? 4 : 1,
        layers: dimension === DIMENSION_CUBE ? 6 : dimension === DIMENSION_2D_ARRAY ? 3 : 1,
      });
      writeSampler({ buffer, base: SAMPLER }, samplerFor(random));
      const mode = pick(random, [MODE_IMPLICIT, MODE_BIAS, MODE_LEVEL]);
      const operands = operandsFor(mode, random, false);
      if (dimension >= DIMENSION_3D) operands.set(Access.w, coordinates(random, false));
      if (dimension === DIMENSION_2D_ARRAY)
        operands.set(
          Access.layer,
          ints(() => random() * 5 - 1)
        );
      if (dimension === DIMENSION_1D) operands.delete(Access.v);
      compare(
        {
          textures: [{ address, wanted: 15 }],
          mode,
          load: false,
          offset: dimension === DIMENSION_CUBE ? [0, 0] : offsetFor(random),
          operands,
        },
        `${name} ${NAMES[format]!}`
      );
    }
  });

  it('depth, compared', () => {
    const random = generator(30);
    for (let compareBy = 1; compareBy <= 8; compareBy++)
      for (const format of [FORMAT_DEPTH32FLOAT, FORMAT_DEPTH16UNORM]) {
        const { address } = build(TEXTURES, format, [16, 8], random, { levels: 1 });
        writeSampler({ buffer, base: SAMPLER }, { ...samplerFor(random), compare: compareBy });
        const operands = operandsFor(MODE_LEVEL, random, false);
        operands.set(
          Access.compare,
          lanes(() => random())
        );
        compare(
          { textures: [{ address, wanted: 1 }], mode: MODE_LEVEL, load: false, offset: [0, 0], operands },
          `compare ${compareBy}`
        );
      }
  });
});

describe('loads at a site give the bits of loadWarp', () => {
  const integers = [FORMAT_R32UINT, FORMAT_R32SINT, FORMAT_RGBA32UINT, FORMAT_RGBA32SINT];
  it.each([...FORMATS, FORMAT_DEPTH32FLOAT, FORMAT_DEPTH16UNORM, ...integers])('format %i', (format) => {
    const random = generator(40 + format);
    const likeness =
      format === FORMAT_R32UINT || format === FORMAT_R32SINT
        ? FORMAT_R32FLOAT
        : integers.includes(format)
          ? FORMAT_RGBA32FLOAT
          : format;
    for (let round = 0; round < 80; round++) {
      const size = pick(random, SIZES);
      const levels = Math.ceil(random() * levelsOf(...size));
      let at = TEXTURES;
      const textures = Array.from({ length: pick(random, [1, 1, 2]) }, () => {
        const t = build(at, likeness, round % 5 ? size : pick(random, SIZES), random, { levels });
        kernel.i32(t.address + Texture.format, 1)[0] = format;
        at = t.end;
        return { address: t.address, wanted: 1 + Math.floor(random() * 15) };
      });
      const operands: Operands = new Map([
        [Access.u, ints(() => random() * (size[0] + 4) - 2)],
        [Access.v, ints(() => random() * (size[1] + 4) - 2)],
      ]);
      const wild = [0x7fffffff, -0x80000000, -1, 65536];
      if (round % 4 === 0)
        for (const values of operands.values()) for (let i = 0; i < 64; i += 3) values[i] = pick(random, wild);
      const numbers = ints(() => Math.floor(random() * (levels + 2)) - 1);
      if (round % 3)
        numbers.forEach((_, i) => {
          numbers[i] = numbers[i & ~3]!;
        });
      if (random() < 0.8) operands.set(Access.level, numbers);
      compare(
        { textures, mode: MODE_LEVEL, load: true, offset: [0, 0], operands },
        `format ${format}, ${size.join('×')}, round ${round}`
      );
    }
  });

  it('arrays and multisampled textures take the general path', () => {
    const random = generator(90);
    const array = build(TEXTURES, FORMAT_RGBA8UNORM, [16, 8], random, {
      dimension: DIMENSION_2D_ARRAY,
      layers: 3,
      levels: 2,
    });
    const operands: Operands = new Map([
      [Access.u, ints(() => random() * 18 - 1)],
      [Access.v, ints(() => random() * 10 - 1)],
      [Access.layer, ints(() => random() * 5 - 1)],
      [Access.level, ints((i) => (i >> 4) & 1)],
    ]);
    compare(
      { textures: [{ address: array.address, wanted: 15 }], mode: MODE_LEVEL, load: true, offset: [0, 0], operands },
      'array'
    );
    const tiled = build(TEXTURES, FORMAT_R32FLOAT, [64, 64], random, { levels: 1 });
    kernel.i32(tiled.address + Texture.samples, 1)[0] = 4;
    const pool = new TestPool(kernel);
    const surface = new TestSurface(pool, { format: FORMAT_R32FLOAT, bytes: 4, samples: 4, width: 64, height: 64 });
    pool.provide(surface.maxPages);
    const texels = kernel.alloc(surface.tileBytes);
    kernel.f32(texels, 16384).forEach((_, i, all) => {
      all[i] = i;
    });
    surface.write(texels);
    kernel.u32(tiled.address + Texture.surface, 1)[0] = surface.address;
    operands.delete(Access.layer);
    operands.set(
      Access.level,
      ints(() => random() * 5 - 0.5)
    );
    compare(
      { textures: [{ address: tiled.address, wanted: 1 }], mode: MODE_LEVEL, load: true, offset: [0, 0], operands },
      'samples'
    );
  });
});

describe('the slot of a site', () => {
  it('can be called from a module compiled elsewhere', () => {
    const random = generator(100);
    const { address } = build(TEXTURES, FORMAT_RGBA8UNORM, [16, 8], random, { levels: 4 });
    writeSampler(
      { buffer, base: SAMPLER },
      { mag: 1, min: 1, mip: 1, u: ADDRESS_REPEAT, v: ADDRESS_REPEAT, w: 0, lodMin: 0, lodMax: 32, compare: 0 }
    );
    const read: Read = {
      textures: [{ address, wanted: 15 }],
      mode: MODE_IMPLICIT,
      load: false,
      offset: [0, 0],
      operands: operandsFor(MODE_IMPLICIT, random, false),
    };
    const site = open(read);
    const want = atSite(site, read);
    // (import "env" "table" (table 0 funcref)) (func (export "call") (param i32 i32) local.get 0 local.get 1
    // call_indirect (param i32))
    const module = new WebAssembly.Module(
      new Uint8Array([
        0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 10, 2, 0x60, 1, 0x7f, 0, 0x60, 2, 0x7f, 0x7f, 0, 2, 15, 1, 3, 0x65, 0x6e,
        0x76, 5, 0x74, 0x61, 0x62, 0x6c, 0x65, 1, 0x70, 0, 0, 3, 2, 1, 1, 7, 8, 1, 4, 0x63, 0x61, 0x6c, 0x6c, 0, 0, 10,
        11, 1, 9, 0, 0x20, 0, 0x20, 1, 0x11, 0, 0, 0x0b,
      ])
    );
    const call = new WebAssembly.Instance(module, { env: { table: kernel.table } }).exports.call as (
      site: number,
      slot: number
    ) => void;
    kernel.u8(site + Site.results, 64).fill(0);
    const words = (field: number, quad: number): Uint32Array =>
      new Uint32Array(read.operands.get(field)!.buffer, quad * 16, 4);
    kernel.u32(site + Site.operands, 4).set(words(Access.u, 3));
    kernel.u32(site + Site.operands + 16, 4).set(words(Access.v, 3));
    call(site, kernel.u32(site + Site.slot, 1)[0]!);
    for (let c = 0; c < 4; c++)
      expect([...kernel.u32(site + Site.results + c * 16, 4)]).toEqual([...want[0]![c]!.subarray(12, 16)]);
  });
});
