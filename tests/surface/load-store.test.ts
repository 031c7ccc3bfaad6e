// The rules of the load/store unit: stored contents and results of loads, invalid accesses, tiles used by two workers,
// and equal bits of its builds.
import { describe, expect, it } from 'vitest';
import {
  COUNT_FETCHES,
  COUNT_LOADS,
  COUNT_MERGED_NEAR,
  COUNT_MISSES,
  COUNT_OVERTAKEN,
  COUNT_STORES,
  COUNT_WRITE_BACKS,
  FAULT_EMPTY_MASK,
  FAULT_FOREIGN_MASK,
  FAULT_OUTSIDE,
  MAX_DEFERRED,
} from '../../assembly/layout/surface/load-store-codes';
import { STATUS_DONE, STATUS_NEEDS_MEMORY } from '../../assembly/layout/status';
import { SURFACE_1SPP, SURFACE_CLEAR, SURFACE_FULL, SURFACE_SUBSET } from '../../assembly/layout/surface/surface-codes';
import { LoadStoreUnit, Surface, SurfaceTile } from '../../build/layout';
import { mulberry32 } from '../support/floats';
import { COUNTS, FORMATS, hex, LoadStoreKernel, type FormatName, type SurfaceShape } from './load-store-kit';

const RGBA8: SurfaceShape = { format: 'rgba8unorm', samples: 4, width: 128, height: 64 };
const WHOLE = 15;
const grey = (value: number): number[] => [value, value, value, 1];

/** One surface and one unit. */
class Bench {
  readonly k: LoadStoreKernel;
  readonly surface: number;
  readonly context: number;
  constructor(
    readonly shape: SurfaceShape = RGBA8,
    build: 'testing' | 'kernel.scalar' = 'testing'
  ) {
    this.k = new LoadStoreKernel(build);
    this.surface = this.k.surface(shape);
    this.context = this.k.context(this.k.pixelBytes(shape));
  }

  store(x: number, y: number, mask: number, value: readonly number[], context = this.context): void {
    this.k.store(context, { surface: this.surface, format: this.shape.format }, x, y, mask, value);
  }
  load(x: number, y: number, mask: number, context = this.context): ReturnType<LoadStoreKernel['load']> {
    return this.k.load(context, this.surface, x, y, mask);
  }
  count(counter: number): number {
    return this.k.counters(this.context)[counter]!;
  }
  /** The first tile, as stored. */
  get tile(): { state: number; length: number } {
    const { k, surface } = this;
    const tile = k.u32(surface + Surface.tilesAddress, 1)[0]!;
    return { state: k.u32(tile + SurfaceTile.state, 1)[0]!, length: k.u32(tile + SurfaceTile.length, 1)[0]! };
  }
  get moved(): number {
    return this.k.moved(this.surface);
  }
  /** The sample's value. */
  value(x: number, y: number, sample: number): string {
    return this.load(x, y, 1 << sample).value;
  }
  bits(value: readonly number[]): string {
    return this.k.decode(this.shape.format, this.k.encode(this.shape.format, value)).bits;
  }
}
const eachPixel = (visit: (x: number, y: number) => void): void => {
  for (let i = 0; i < 64; i++) visit(i & 7, i >> 3);
};

describe('a store', () => {
  it('to some samples keeps the others, and merges those that become equal', () => {
    const b = new Bench();
    b.store(1, 1, 0b0011, grey(1));
    b.store(1, 1, 0b0100, grey(0.5));
    b.store(1, 1, 0b0101, grey(0.5));
    expect([0, 1, 2, 3].map((s) => b.value(1, 1, s))).toEqual(
      [0.5, 1, 0.5, 0].map((v) => b.bits(v ? grey(v) : [0, 0, 0, 0]))
    );
    b.store(1, 1, 0b1010, grey(0.5));
    expect(b.load(1, 1, 1)).toEqual({ value: b.bits(grey(0.5)), mask: WHOLE, state: SURFACE_1SPP });
  });

  it('of equal values sample by sample takes one texel per pixel', () => {
    const b = new Bench();
    eachPixel((x, y) => {
      for (let s = 0; s < 4; s++) b.store(x, y, 1 << s, grey(x / 8));
    });
    b.k.flush(b.context);
    expect(b.tile.length).toBe(64 * 4);
  });
});

describe('a load', () => {
  it.each(COUNTS)('of %i samples returns every set of equal ones once, cached or stored', (samples) => {
    const b = new Bench({ ...RGBA8, samples });
    const whole = 2 ** samples - 1;
    const even = 0x5555 & whole;
    b.store(3, 3, whole, grey(0.25));
    b.k.flush(b.context);
    b.store(3, 3, even & ~1, grey(1));
    b.store(3, 3, 1, grey(1));
    for (const wait of [false, true]) {
      if (wait) b.k.flush(b.context);
      const sets: number[] = [];
      for (let left = whole; left; left &= ~sets.at(-1)!) sets.push(b.load(3, 3, left).mask);
      expect(sets).toEqual([even, whole & ~even]);
      expect(b.load(3, 3, whole).state).toBe(samples === 2 ? SURFACE_FULL : SURFACE_SUBSET);
    }
    b.store(3, 3, whole & ~even, grey(1));
    expect(b.load(3, 3, whole)).toEqual({ value: b.bits(grey(1)), mask: whole, state: SURFACE_1SPP });
    expect(b.load(4, 3, whole)).toEqual({ value: b.bits([0, 0, 0, 0]), mask: whole, state: SURFACE_CLEAR });
  });
});

describe('thresholds', () => {
  it('chains of near values stay within the threshold', () => {
    const b = new Bench({ ...RGBA8, format: 'rgba32float', samples: 16, threshold: 0.1 });
    for (let s = 0; s < 16; s++) b.store(0, 0, 1 << s, grey(1 + s * 0.06));
    const held = Array.from({ length: 16 }, (_, s) => Buffer.from(b.value(0, 0, s), 'hex').readFloatLE(0));
    held.forEach((value, s) => {
      expect(Math.abs(value - Math.fround(1 + s * 0.06))).toBeLessThanOrEqual(0.1 + 1e-6);
    });
    expect(new Set(held).size).toBeLessThan(10);
    expect(b.count(COUNT_MERGED_NEAR)).toBeGreaterThan(5);
  });

  it('the result does not depend on when tiles are written back', () => {
    const [early, late] = [true, false].map((flushes) => {
      const b = new Bench({ ...RGBA8, format: 'rgba16float', samples: 8, threshold: 0.05 });
      const next = mulberry32(7);
      for (let i = 0; i < 200; i++) {
        b.store(next() % 4, 0, 1 + (next() % 255), grey((next() % 64) / 256));
        if (flushes) b.k.flush(b.context);
      }
      return Array.from({ length: 32 }, (_, i) => b.load(i >> 3, 0, 1 << (i & 7)));
    });
    expect(early).toEqual(late);
  });

  it('integers are stored exactly', () => {
    const b = new Bench({ ...RGBA8, format: 'rgba32uint', threshold: 5 });
    b.store(0, 0, 3, [7, 7, 7, 7]);
    b.store(0, 0, 12, [8, 7, 7, 7]);
    expect(b.load(0, 0, WHOLE).mask).toBe(3);
  });
});

describe('invalid accesses', () => {
  const bad: [string, number, number, number, number][] = [
    ['right of the surface', 128, 0, 1, FAULT_OUTSIDE],
    ['below', 0, 64, 1, FAULT_OUTSIDE],
    ['left', -1, 0, 1, FAULT_OUTSIDE],
    ['far away', 2147483647, -2147483648, 1, FAULT_OUTSIDE],
    ['no samples', 1, 2, 0, FAULT_EMPTY_MASK],
    ['samples that are not there', 1, 2, 16, FAULT_FOREIGN_MASK],
    ['all bits', 1, 2, -1, FAULT_FOREIGN_MASK],
  ];
  it.each(bad)('%s: loads zeros, stores nothing and records a fault', (_, x, y, mask, fault) => {
    const b = new Bench();
    const record = b.k.loadStoreUnitOf(b.context);
    expect(b.load(x, y, mask)).toEqual({ value: '00'.repeat(16), mask: 0, state: 0 });
    b.store(x, y, mask, grey(1));
    expect([...b.k.i32(record + LoadStoreUnit.fault, 6)]).toEqual([fault, b.surface, x, y, mask, 2]);
    expect([b.count(COUNT_LOADS), b.count(COUNT_STORES)]).toEqual([0, 0]);
  });

  it('of several faults, the topmost and leftmost is kept', () => {
    const b = new Bench();
    for (const [x, y] of [
      [130, 9],
      [129, 8],
      [140, 8],
      [128, 60],
    ] as const)
      b.store(x, y, 1, grey(1));
    expect([...b.k.i32(b.k.loadStoreUnitOf(b.context) + LoadStoreUnit.faultX, 2)]).toEqual([129, 8]);
  });

  it('without a unit: loads zeros, stores nothing', () => {
    const b = new Bench();
    const context = b.k.alloc(65536);
    b.store(0, 0, 1, grey(1), context);
    expect(b.load(0, 0, 1, context)).toEqual({ value: '00'.repeat(16), mask: 0, state: 0 });
    expect(b.k.flush(context)).toBe(STATUS_DONE);
  });
});

describe('a block', () => {
  const content = (b: Bench, width: number, height: number): void => {
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        b.store(x, y, WHOLE, grey(((x * 7 + y) % 16) / 16));
        if ((x >> 3) % 3 === 1) b.store(x, y, 0b0100, grey(1));
      }
    b.k.flush(b.context);
  };

  it('that is overwritten is never fetched', () => {
    const b = new Bench({ ...RGBA8, width: 100, height: 37 });
    content(b, 100, 37);
    const fetches = b.count(COUNT_FETCHES);
    const moved = b.moved;
    for (let y = 0; y < 37; y++) for (let x = 0; x < 100; x++) b.store(x, y, WHOLE, grey(x / 128));
    expect(b.value(99, 36, 3)).toBe(b.bits(grey(99 / 128)));
    b.k.flush(b.context);
    expect(b.count(COUNT_FETCHES)).toBe(fetches);
    // 13 by 5 blocks with a texel per pixel, including those at the edges.
    expect(b.moved - moved).toBe(13 * 5 * 64 * 4);
  });

  it('that is overwritten sample by sample is never fetched either', () => {
    const b = new Bench();
    content(b, 64, 64);
    const fetches = b.count(COUNT_FETCHES);
    for (const s of [8, 1, 6])
      eachPixel((x, y) => {
        b.store(x, y, s, grey(s / 8));
      });
    expect([0, 1, 2, 3].map((s) => b.value(3, 3, s))).toEqual([1, 6, 6, 8].map((v) => b.bits(grey(v / 8))));
    expect(b.count(COUNT_FETCHES)).toBe(fetches);
  });

  it('is fetched alone when a sample of it is loaded', () => {
    const b = new Bench();
    content(b, 64, 64);
    const moved = b.moved;
    const fetches = b.count(COUNT_FETCHES);
    expect(b.value(17, 33, 2)).toBe(b.bits(grey(((17 * 7 + 33) % 16) / 16)));
    b.k.flush(b.context);
    expect([b.moved - moved, b.count(COUNT_FETCHES) - fetches]).toEqual([64 * 4, 1]);
  });

  it('written in part is fetched around the written part when it is loaded or written back', () => {
    for (const loads of [false, true]) {
      const b = new Bench();
      content(b, 64, 64);
      b.store(1, 2, 0b0110, grey(0.75));
      b.store(5, 5, WHOLE, grey(0.75));
      if (loads) expect(b.value(1, 2, 0)).toBe(b.bits(grey(9 / 16)));
      b.k.flush(b.context);
      expect([0, 1, 2, 3].map((s) => b.value(1, 2, s))).toEqual([9, 12, 12, 9].map((v) => b.bits(grey(v / 16))));
      expect([b.value(5, 5, 3), b.value(2, 2, 1)]).toEqual([b.bits(grey(0.75)), b.bits(grey(0))]);
    }
  });

  it('of unchanged size is replaced in place, without access to the others', () => {
    const b = new Bench();
    content(b, 64, 64);
    const before = b.tile;
    const moved = b.moved;
    eachPixel((x, y) => {
      b.store(x, y, WHOLE, grey((x * 8 + y) / 64));
    });
    b.store(20, 20, WHOLE, grey(0.875));
    b.k.flush(b.context);
    expect(b.tile).toEqual(before);
    // One overwritten, one fetched and stored again.
    expect(b.moved - moved).toBe(3 * 64 * 4);
    expect([b.value(20, 20, 1), b.value(21, 20, 1), b.value(9, 1, 2)]).toEqual(
      [0.875, ((21 * 7 + 20) % 16) / 16, 1].map((v) => b.bits(grey(v)))
    );
  });
});

describe('a tile', () => {
  it("that two workers write keeps both workers' values", () => {
    const b = new Bench();
    const other = b.k.context(16);
    b.store(0, 0, 3, grey(1));
    b.store(9, 9, WHOLE, grey(1));
    b.load(1, 0, 1);
    b.store(0, 0, 8, grey(0.5), other);
    b.store(20, 20, WHOLE, grey(0.5), other);
    b.load(1, 0, 1, other);
    expect([b.k.flush(b.context), b.k.flush(other)]).toEqual([STATUS_DONE, STATUS_DONE]);
    expect(b.k.counters(other)[COUNT_OVERTAKEN]).toBe(1);
    expect([0, 1, 2, 3].map((s) => b.value(0, 0, s))).toEqual(
      [grey(1), grey(1), [0, 0, 0, 0], grey(0.5)].map((v) => b.bits(v))
    );
    expect([b.load(9, 9, 1), b.load(20, 20, 1)].map(({ mask, value }) => [mask, value])).toEqual([
      [WHOLE, b.bits(grey(1))],
      [WHOLE, b.bits(grey(0.5))],
    ]);
  });

  it('that was only read is not written back', () => {
    const b = new Bench();
    b.load(0, 0, 1);
    b.load(70, 0, 1);
    b.k.flush(b.context);
    expect([b.count(COUNT_MISSES), b.count(COUNT_WRITE_BACKS)]).toEqual([2, 0]);
  });

  it('keeps its contents and reports an error at the end when there is no memory', () => {
    const b = new Bench();
    b.store(0, 0, WHOLE, grey(1));
    b.store(64, 0, WHOLE, grey(1));
    b.k.starve(b.surface);
    expect(b.k.flush(b.context)).toBe(STATUS_NEEDS_MEMORY);
    expect(b.k.flush(b.context)).toBe(STATUS_DONE);
    expect(b.load(0, 0, 1)).toEqual({ value: b.bits([0, 0, 0, 0]), mask: WHOLE, state: SURFACE_CLEAR });
  });
});

describe('scattered stores', () => {
  const TILES = 12;
  const SHAPE: SurfaceShape = { ...RGBA8, width: 64 * TILES };
  /** Rounds of one store to every tile: to the same pixel in each, then to others. */
  const scatter = (b: Bench, rounds: number): void => {
    for (let i = 0; i < rounds; i++)
      for (let tile = 0; tile < TILES; tile++)
        b.store(tile * 64 + (i >> 1), 1, i & 1 ? 5 : 3, grey((i * 16 + tile) / 255));
  };
  /** What scatter leaves in a pixel. */
  const held = (b: Bench, tile: number, x: number, sample: number): string => {
    const round = [2 * x + 1, 2 * x, 2 * x + 1, -1][sample]!;
    return b.bits(round < 0 ? [0, 0, 0, 0] : grey((round * 16 + tile) / 255));
  };

  it('wait, and write each tile back once', () => {
    const b = new Bench(SHAPE);
    scatter(b, 8);
    expect([b.count(COUNT_STORES), b.count(COUNT_MISSES)]).toEqual([8 * TILES, 0]);
    expect(b.k.flush(b.context)).toBe(STATUS_DONE);
    expect([b.count(COUNT_MISSES), b.count(COUNT_WRITE_BACKS)]).toEqual([TILES, TILES]);
    for (let tile = 0; tile < TILES; tile++)
      for (let x = 0; x < 4; x++)
        for (let s = 0; s < 4; s++) expect(b.value(tile * 64 + x, 1, s)).toBe(held(b, tile, x, s));
  });

  it('are seen by loads of their tile', () => {
    const b = new Bench(SHAPE);
    scatter(b, 2);
    for (const tile of [5, 0, 5])
      for (let s = 0; s < 4; s++) expect(b.value(tile * 64, 1, s)).toBe(held(b, tile, 0, s));
    expect(b.count(COUNT_MISSES)).toBe(2);
    scatter(b, 4);
    expect(b.k.flush(b.context)).toBe(STATUS_DONE);
    for (let tile = 0; tile < TILES; tile++) expect(b.value(tile * 64 + 1, 1, 0)).toBe(held(b, tile, 1, 0));
  });

  it('bring a tile into the cache by the second store in a row', () => {
    const b = new Bench(SHAPE);
    b.store(0, 0, WHOLE, grey(1));
    expect(b.count(COUNT_MISSES)).toBe(0);
    b.store(1, 0, 1, grey(0.5));
    expect(b.count(COUNT_MISSES)).toBe(1);
    expect([b.value(0, 0, 3), b.value(1, 0, 0)]).toEqual([b.bits(grey(1)), b.bits(grey(0.5))]);
  });

  it('are written when no more can wait', () => {
    const b = new Bench(SHAPE);
    for (let i = 0; i <= MAX_DEFERRED; i++)
      b.store((i % TILES) * 64 + ((i >> 6) & 63), i & 63, WHOLE, grey((i & 255) / 255));
    expect(b.count(COUNT_MISSES)).toBe(TILES);
    b.k.flush(b.context);
    expect(b.count(COUNT_MISSES)).toBe(TILES + 1);
  });
});

describe('twins', () => {
  const k = new LoadStoreKernel('testing');
  const next = mulberry32(3);
  it.each([1, 2, 4, 8, 16])('comparing texels of %i bytes', (bytes) => {
    const stride = 4 * bytes + 64;
    const at = k.alloc(4 * stride);
    const value = k.alloc(16);
    for (const layers of [1, 2, 4])
      for (let i = 0; i < 300; i++) {
        // One bit of one byte may differ.
        k.u8(value, 16).fill(next() & 255);
        for (let s = 0; s < 4 * layers; s++) {
          const texel = k.u8(at + (s >> 2) * stride + (s & 3) * bytes, bytes);
          texel.set(k.u8(value, bytes));
          if (next() & 1) texel[next() % bytes]! ^= 1 << (next() & 7);
        }
        const all = 2 ** (4 * layers) - 1;
        expect(k.call['samplesWithSimd']!(bytes, at, stride, layers, value) & all).toBe(
          k.call['samplesWithScalar']!(bytes, at, stride, layers, value)
        );
      }
  });

  it.each(
    (Object.keys(FORMATS) as FormatName[]).flatMap((format) => COUNTS.map((samples) => [format, samples] as const))
  )('%s, %i samples: the builds agree on every load and counter', (format, samples) => {
    const results = (['testing', 'kernel.scalar'] as const).map((build) => {
      const b = new Bench({ format, samples, width: 70, height: 20, threshold: samples === 8 ? 0.02 : 0 }, build);
      const random = mulberry32(samples);
      const whole = 2 ** samples - 1;
      const loads: unknown[] = [];
      for (let i = 0; i < 1500; i++) {
        const x = random() % 70;
        const y = random() % 20;
        const mask = random() % 3 ? 1 + (random() % whole) : whole;
        const value = (random() % 6) / 80;
        b.store(x, y, random() % 2 ? mask : mask & -mask, grey(value));
        loads.push(b.load(random() % 70, random() % 20, mask));
      }
      b.k.flush(b.context);
      return { loads, counters: b.k.counters(b.context), stored: hex(b.k.u8(b.surface, Surface.bytes)) };
    });
    expect(results[1]).toEqual(results[0]);
  });
});
