// Quad accesses compared with accesses per lane: values, masks, states, faults, counters, bytes moved and stored
// contents, for every format that storage textures support.
import { describe, expect, it } from 'vitest';
import * as F from '../../assembly/layout/texture/formats';
import { LoadStoreUnit, SurfaceAccess, SurfaceTile } from '../../build/layout';
import { mulberry32 } from '../support/floats';
import { COUNTS, hex, LoadStoreKernel } from './load-store-kit';
import { TestPool, TestSurface } from './kit';

const NAMES = [
  'R8UNORM',
  'RG8UNORM',
  'RGBA8UNORM',
  'BGRA8UNORM',
  'RGBA8UNORM_SRGB',
  'BGRA8UNORM_SRGB',
  'RGB10A2UNORM',
  'R16FLOAT',
  'RG16FLOAT',
  'RGBA16FLOAT',
  'R32FLOAT',
  'RG32FLOAT',
  'RGBA32FLOAT',
  'R8UINT',
  'RG8UINT',
  'RGBA8UINT',
  'R16UINT',
  'RG16UINT',
  'RGBA16UINT',
  'RGB10A2UINT',
  'R8SINT',
  'RG8SINT',
  'RGBA8SINT',
  'R16SINT',
  'RG16SINT',
  'RGBA16SINT',
  'R32UINT',
  'R32SINT',
  'RG32UINT',
  'RG32SINT',
  'RGBA32UINT',
  'RGBA32SINT',
  'R8SNORM',
  'RG8SNORM',
  'RGBA8SNORM',
  'R16UNORM',
  'RG16UNORM',
  'RGBA16UNORM',
  'R16SNORM',
  'RG16SNORM',
  'RGBA16SNORM',
  'RG11B10UFLOAT',
] as const;
const WIDTH = 71;
const HEIGHT = 19;
/** NaN of both signs, infinities, numbers that are too small or too large for half floats. */
const ODD = [
  0x7fc00001, 0xffc12345, 0x7f800000, 0xff800000, 0x00000001, 0x80000000, 0x33000001, 0x47800000, 0x3f7fffff,
];

/** A surface, a unit and a record of accesses. */
class Side {
  readonly surface: TestSurface;
  readonly unit: number;
  readonly access: number;
  constructor(
    readonly k: LoadStoreKernel,
    format: number,
    samples: number,
    threshold: number,
    encodes: boolean
  ) {
    const pool = new TestPool(k);
    const bytes = k.call['texelBytes']!(format);
    this.surface = new TestSurface(pool, { format, bytes, samples, width: WIDTH, height: HEIGHT, threshold, encodes });
    pool.provide(this.surface.maxPages);
    this.unit = k.loadStoreUnitOf(k.context(Math.max(4, samples) * bytes));
    this.access = k.alloc(SurfaceAccess.bytes);
  }

  /** The whole record except for the scratch space. */
  put(words: readonly number[]): void {
    this.k.u32(this.access, words.length).set(words);
  }
  get loaded(): string {
    return hex(this.k.u8(this.access + SurfaceAccess.texel, 6 * 16));
  }
  /** Stored contents, counters and faults. */
  get all(): unknown {
    const { k, surface, unit } = this;
    const tiles = [0, 1].map((tile) => ({
      state: surface.field(tile, SurfaceTile.state),
      length: surface.field(tile, SurfaceTile.length),
    }));
    const samples = k.alloc(surface.tileBytes * 2);
    surface.read(samples);
    return {
      tiles,
      samples: hex(k.u8(samples, surface.tileBytes * 2)),
      moved: surface.moved,
      counters: hex(k.u8(unit + LoadStoreUnit.counters, 72)),
      faults: k.u32(unit + LoadStoreUnit.faults, 1)[0],
    };
  }
}

/** SURFACE ACCESS of a quad, or of four lanes anywhere. */
function arbitraryAccess(next: () => number, whole: number, values: readonly number[]): number[] {
  const below = (n: number): number => next() % n;
  const left = below(36) * 2;
  const top = below(10) * 2;
  const kind = below(12);
  const lanes = Array.from({ length: 4 }, () => (below(kind < 6 ? 20 : 3) ? 0xffffffff : 0));
  const x = [0, 1, 0, 1].map((dx) => left + dx);
  const y = [0, 0, 1, 1].map((dy) => top + dy);
  if (kind === 0) x[below(4)] = below(WIDTH + 4) - 2;
  if (kind === 1) y.fill(top + 1);
  if (kind === 9) for (let lane = 0; lane < 4; lane++) [x[lane], y[lane]] = [below(WIDTH), below(HEIGHT)];
  // Pixels of one tile, in the packing of single pixels.
  if (kind === 10) for (let lane = 0; lane < 4; lane++) [x[lane], y[lane]] = [below(64), below(HEIGHT)];
  const some = 1 + below(whole);
  const arbitrary = (): number => (kind < 8 ? some : 1 + below(whole));
  const mask = Array.from({ length: 4 }, () => (kind < 4 || below(3) === 0 ? whole : arbitrary()));
  if (kind === 2) mask[below(4)] = below(2) ? 0 : whole + 1;
  const same = values[below(values.length)]!;
  const texel = Array.from({ length: 16 }, () => (kind & 1 ? same : values[below(values.length)]!));
  return [...lanes, ...x, ...y, ...mask, ...texel].map((word) => word >>> 0);
}

describe.each(NAMES)('%s', (name) => {
  it.each([...COUNTS.map((samples) => [samples, 0, true] as const), [4, 0.1, true] as const, [8, 0, false] as const])(
    '%i samples, threshold %d, encoded: %s',
    (samples, threshold, encodes) => {
      const k = new LoadStoreKernel('testing');
      const format = F[`FORMAT_${name}`];
      const quads = new Side(k, format, samples, threshold, encodes);
      const lanes = new Side(k, format, samples, threshold, encodes);
      const next = mulberry32(format * 16 + samples);
      const integers = /[US]INT$/.test(name);
      const float = (value: number): number => new Uint32Array(Float32Array.of(value).buffer)[0]!;
      const values = Array.from({ length: 24 }, (_, i) =>
        i < ODD.length ? ODD[i]! : integers ? next() >>> (next() % 32) : float((next() % 300) / 255 - 0.05)
      );
      let whole = 0;
      for (let i = 0; i < 600; i++) {
        const words = arbitraryAccess(next, 2 ** samples - 1, values);
        const loads = next() % 3 === 0;
        for (const side of [quads, lanes]) side.put(words);
        const name = loads ? 'load' : 'store';
        if (k.call[`${name}Quad`]!(quads.unit, quads.surface.address, quads.access, 1)) whole++;
        else k.call[`${name}Lanes`]!(quads.unit, quads.surface.address, quads.access);
        k.call[`${name}Lanes`]!(lanes.unit, lanes.surface.address, lanes.access);
        if (loads && quads.loaded !== lanes.loaded) expect(quads.loaded, `access ${i}`).toBe(lanes.loaded);
        if (next() % 100 === 0) for (const side of [quads, lanes]) expect(k.call['surfaceFlush']!(side.unit)).toBe(0);
      }
      for (const side of [quads, lanes]) k.call['surfaceFlush']!(side.unit);
      expect(quads.all).toEqual(lanes.all);
      expect(whole).toBeGreaterThan(200);
      expect(quads.surface.moved).toBeGreaterThan(0);
    }
  );
});
