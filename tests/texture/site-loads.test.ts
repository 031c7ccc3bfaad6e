import { describe, expect, it } from 'vitest';
import {
  FORMAT_DEPTH16UNORM,
  FORMAT_DEPTH24PLUS,
  FORMAT_DEPTH24PLUS_STENCIL8,
  FORMAT_DEPTH32FLOAT,
  FORMAT_R32FLOAT,
  FORMAT_R32SINT,
  FORMAT_R32UINT,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA32FLOAT,
  FORMAT_RGBA32SINT,
  FORMAT_RGBA32UINT,
  FORMAT_RGBA8UNORM,
} from '../../assembly/layout/texture/formats';
import {
  ADDRESS_REPEAT,
  DIMENSION_1D,
  DIMENSION_2D_ARRAY,
  DIMENSION_3D,
  DIMENSION_CUBE,
  MODE_BIAS,
  MODE_IMPLICIT,
  MODE_LEVEL,
} from '../../assembly/layout/texture/texture-codes';
import { Access, Site, Texture } from '../../build/layout';
import { TestPool, TestSurface } from '../surface/kit';
import { generator, writeSampler, type Operands } from './harness';
import {
  FORMATS,
  NAMES,
  type Read,
  SAMPLER,
  SIZES,
  TEXTURES,
  atSite,
  buffer,
  build,
  compare,
  coordinates,
  kernel,
  lanes,
  levelsOf,
  offsetFor,
  open,
  operandsFor,
  pick,
  samplerFor,
} from './sites.kit';

const ints = (f: (lane: number) => number): Int32Array => Int32Array.from({ length: 64 }, (_, i) => f(i));

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
  const depths = [FORMAT_DEPTH32FLOAT, FORMAT_DEPTH24PLUS, FORMAT_DEPTH24PLUS_STENCIL8];
  it.each([...FORMATS, ...depths, FORMAT_DEPTH16UNORM, ...integers])('format %i', (format) => {
    const random = generator(40 + format);
    const likeness =
      format === FORMAT_R32UINT || format === FORMAT_R32SINT
        ? FORMAT_R32FLOAT
        : integers.includes(format)
          ? FORMAT_RGBA32FLOAT
          : depths.includes(format)
            ? FORMAT_DEPTH32FLOAT
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
      // Squares of two by two texels, as in full-screen passes.
      if (round % 2)
        for (const [field, values] of operands)
          values.forEach((_, i) => {
            values[i] = values[i & ~3]! + (field === Access.u ? i & 1 : (i >> 1) & 1);
          });
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

  it('squares of texels, some beyond the edges and in missing levels', () => {
    const random = generator(80);
    for (const format of [FORMAT_RGBA8UNORM, FORMAT_RGBA16FLOAT, FORMAT_R32FLOAT]) {
      const { address } = build(TEXTURES, format, [16, 8], random, { levels: 3 });
      for (let round = 0; round < 30; round++) {
        const at = (size: number): number => Math.floor(random() * (size + 3)) - 2;
        const corners = Array.from({ length: 16 }, () => [at(16 >> (round % 3)), at(8 >> (round % 3))] as const);
        const operands: Operands = new Map([
          [Access.u, ints((i) => corners[i >> 2]![0] + (i & 1))],
          [Access.v, ints((i) => corners[i >> 2]![1] + ((i >> 1) & 1))],
          [Access.level, ints(() => (round % 5 === 4 ? 7 : round % 3))],
        ]);
        const textures = [{ address, wanted: 1 + (round % 15) }];
        compare({ textures, mode: MODE_LEVEL, load: true, offset: [0, 0], operands }, `${format} round ${round}`);
      }
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
