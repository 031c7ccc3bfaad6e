// Reads textures at a site and for a whole warp, and compares the results.
import { expect } from 'vitest';
import {
  FORMAT_BGRA8UNORM,
  FORMAT_BGRA8UNORM_SRGB,
  FORMAT_R16FLOAT,
  FORMAT_R32FLOAT,
  FORMAT_R8UNORM,
  FORMAT_RG16FLOAT,
  FORMAT_RG8UNORM,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA32FLOAT,
  FORMAT_RGBA8SNORM,
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
} from '../../assembly/layout/texture/formats';
import { REGISTER_BYTES } from '../../assembly/layout/limits';
import { OPERAND_NONE } from '../../assembly/layout/program/opcodes';
import { SITE_MAX_TEXTURES } from '../../assembly/layout/warp/site-codes';
import { DIMENSION_2D, MODE_BIAS, MODE_GRAD, MODE_LEVEL } from '../../assembly/layout/texture/texture-codes';
import { Access, Program, Resource, Sampler, Site, SiteDescription, Warp } from '../../build/layout';
import { TestKernel } from '../support/kernel';
import {
  buildTexture,
  writeAccess,
  type BuiltTexture,
  type Operands,
  type SamplerSpec,
  type TextureSpec,
} from './harness';

export const kernel = new TestKernel();
export const { buffer } = kernel.memory;
const ACCESS = kernel.alloc(Warp.bytes - Warp.access + 16 * REGISTER_BYTES);
export const SAMPLER = kernel.alloc(Sampler.bytes);
const PROGRAM = kernel.alloc(Program.bytes);
const WARP = kernel.alloc(Warp.bytes);
const RESOURCES = kernel.alloc(Resource.bytes * 16);
const DESCRIPTIONS = kernel.alloc(SiteDescription.bytes * 2);
export const SITES = kernel.alloc(Site.bytes * 2);
const OPERANDS = kernel.alloc(16 * 16 * 12);
const RESULTS = kernel.alloc(16 * 64 * SITE_MAX_TEXTURES);
export const TEXTURES = kernel.alloc(1 << 20);
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

export interface Read {
  textures: { address: number; wanted: number }[];
  mode: number;
  load: boolean;
  /** In x and y, and in z for volumes. */
  offset: readonly [number, number, number?];
  operands: Operands;
  /** SiteDescription.baseLevel. */
  base?: boolean;
}

/** Writes the program's description of one site at `index`, opens the sites, and returns the record's address. */
export function open(read: Read, index = 0): number {
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
  set(SiteDescription.offsetZ, offset[2] ?? 0);
  set(SiteDescription.operands, given(operands));
  set(SiteDescription.baseLevel, read.base ? 1 : 0);
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
export const bits = (words: Uint32Array): number[] =>
  Array.from(words, (w) => ((w & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : w));

/** Reads 16 quads at the site: [texture][channel] → 64 words. */
export function atSite(site: number, read: Read): Uint32Array[][] {
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

export function atWarp(read: Read, texture: number): Uint32Array[] {
  const { access, results } = writeAccess(
    { buffer, base: ACCESS },
    { texture, sampler: read.load ? 0 : SAMPLER, mode: read.mode, offset: read.offset, operands: read.operands }
  );
  (read.load ? kernel.call.loadWarp! : kernel.call.sampleWarp!)(access);
  return results.map((at) => new Uint32Array(buffer, at, 64).slice());
}

/** Opens a site, reads it, and compares the requested channels with the warp's read of each texture. */
export function compare(read: Read, what: string): void {
  const got = atSite(open(read), read);
  read.textures.forEach(({ address, wanted }, t) => {
    const want = atWarp(read, address);
    for (let c = 0; c < 4; c++)
      if ((wanted >> c) & 1) expect(bits(got[t]![c]!), `${what}, texture ${t}, channel ${c}`).toEqual(bits(want[c]!));
  });
}

export const lanes = (f: (lane: number) => number): Float32Array => Float32Array.from({ length: 64 }, (_, i) => f(i));
export const NAMES: Record<number, string> = {
  [FORMAT_RGBA8UNORM]: 'rgba8unorm',
  [FORMAT_BGRA8UNORM]: 'bgra8unorm',
  [FORMAT_RG8UNORM]: 'rg8unorm',
  [FORMAT_R8UNORM]: 'r8unorm',
  [FORMAT_RGBA8UNORM_SRGB]: 'rgba8unorm-srgb',
  [FORMAT_BGRA8UNORM_SRGB]: 'bgra8unorm-srgb',
  [FORMAT_R16FLOAT]: 'r16float',
  [FORMAT_RG16FLOAT]: 'rg16float',
  [FORMAT_RGBA16FLOAT]: 'rgba16float',
  [FORMAT_RGBA8SNORM]: 'rgba8snorm',
  [FORMAT_RGBA32FLOAT]: 'rgba32float',
  [FORMAT_R32FLOAT]: 'r32float',
};
export const FORMATS = Object.keys(NAMES).map(Number);
export const SIZES: [number, number][] = [
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
export function coordinates(random: () => number, wild: boolean): Float32Array {
  if (wild) return lanes(() => (random() < 0.7 ? WILD[Math.floor(random() * WILD.length)]! : random() * 4 - 2));
  const out = new Float32Array(64);
  for (let q = 0; q < 64; q += 4) {
    const scale = 2 ** (random() * 8 - 7);
    const [base, x, y] = [random() * 3 - 1, (random() - 0.5) * scale, (random() - 0.5) * scale];
    out.set(random() < 0.1 ? [base, base, base, base] : [base, base + x, base + y, base + x + y], q);
  }
  return out;
}

export function operandsFor(mode: number, random: () => number, wild: boolean): Operands {
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

export const pick = <V>(random: () => number, of: readonly V[]): V => of[Math.floor(random() * of.length)]!;

export function samplerFor(random: () => number): SamplerSpec {
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

export const levelsOf = (width: number, height: number): number => Math.floor(Math.log2(Math.max(width, height))) + 1;
export function build(
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
export const offsetFor = (random: () => number): [number, number] =>
  random() < 0.75 ? [0, 0] : [Math.floor(random() * 16) - 8, Math.floor(random() * 16) - 8];
