// Stored tiles of multisampled surfaces. Whatever their samples are, a stored tile restores them, uses the fewest bytes
// that its states allow, and holds only the pages that it needs.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FORMAT_R16FLOAT,
  FORMAT_R32FLOAT,
  FORMAT_R8UNORM,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA32FLOAT,
  FORMAT_RGBA8UNORM,
} from '../../assembly/layout/texture/formats';
import {
  SURFACE_1SPP,
  SURFACE_CLEAR,
  SURFACE_FULL,
  SURFACE_SUBSET,
  SURFACE_UNIFORM,
} from '../../assembly/layout/surface/surface-codes';
import { Reads, SurfaceTile } from '../../build/layout';
import { TestKernel } from '../support/kernel';
import { content, generator, KINDS } from './contents';
import { TestPool, TestSurface } from './kit';
import { TestStaging } from './staging.kit';

const FORMATS = {
  1: FORMAT_R8UNORM,
  2: FORMAT_R16FLOAT,
  4: FORMAT_RGBA8UNORM,
  8: FORMAT_RGBA16FLOAT,
  16: FORMAT_RGBA32FLOAT,
} as const;
type Bytes = keyof typeof FORMATS;
const BYTES = [1, 2, 4, 8, 16] as const;
const SAMPLES = [2, 4, 8, 16] as const;

/**
 * Whether some pixels of a block classify it as full (compare.ts). Pixels in `mixed` are compared. Each sample of the
 * first four pixels has a distinct value (EARLY_EXIT_PIXELS); or all pixels are compared, and those that looksFull()
 * examines have more values than all may have on average.
 */
function looksFull(held: readonly Set<number>[], mixed: bigint, samples: number, bytes: number): boolean {
  const looked = held.filter((_, pixel) => (mixed >> BigInt(pixel)) & 1n);
  const limit = Math.floor((64 * (samples - 1) * bytes - 16) / (bytes + 2));
  if (looked.length === 64 && [0, 21, 42, 63].every((pixel) => held[pixel]!.size - 1 > Math.floor(limit / 64)))
    return true;
  return looked.length * (samples - 1) > limit && looked.slice(0, 4).every(({ size }) => size === samples);
}

/** The minimum bytes of each block, and its state, computed independently. `mixedBits`: pixels that are compared. */
function cheapest(
  values: Uint16Array,
  samples: number,
  bytes: number,
  mixedBits: BigUint64Array
): { state: number; bytes: number }[] {
  const up = (n: number): number => (n + 15) & ~15;
  return Array.from({ length: 64 }, (_, block) => {
    let mixed = 0;
    let further = 0;
    const first = values[block * 64 * samples]!;
    let flat = true;
    const all: Set<number>[] = [];
    for (let pixel = block * 64; pixel < block * 64 + 64; pixel++) {
      const held = new Set(values.subarray(pixel * samples, (pixel + 1) * samples));
      all.push(held);
      if (held.size > 1) mixed++;
      further += held.size - 1;
      flat &&= held.size === 1 && held.has(first);
    }
    if (flat) return first === 0 ? { state: SURFACE_CLEAR, bytes: 0 } : { state: SURFACE_UNIFORM, bytes: 16 };
    if (mixed === 0) return { state: SURFACE_1SPP, bytes: 64 * bytes };
    const full = 64 * samples * bytes;
    const counts = further === mixed ? 0 : 32;
    const subsets = 16 + up(64 * bytes) + counts + up(2 * further) + up(further * bytes);
    return subsets < full && !looksFull(all, mixedBits[block]!, samples, bytes)
      ? { state: SURFACE_SUBSET, bytes: subsets }
      : { state: SURFACE_FULL, bytes: full };
  });
}

const plan = fc.record({
  bytes: fc.constantFrom(...BYTES),
  samples: fc.constantFrom(...SAMPLES),
  encodes: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
  tiles: fc.array(fc.record({ kinds: fc.subarray([...KINDS], { minLength: 1 }), seed: fc.nat() }), {
    minLength: 1,
    maxLength: 3,
  }),
});

const kernel = new TestKernel({ pages: 1024 });

describe('a tile', () => {
  it('restores what was stored, in the states with the fewest bytes, over any contents', () => {
    const states = new Set<number>();
    fc.assert(
      fc.property(plan, ({ bytes, samples, encodes, tiles }) => {
        kernel.reset();
        const pool = new TestPool(kernel);
        const surface = new TestSurface(pool, {
          format: FORMATS[bytes as Bytes],
          bytes,
          samples,
          width: 64,
          height: 64,
          encodes,
        });
        const staging = new TestStaging(kernel, samples, bytes);
        pool.provide(surface.maxPages);
        const touched = kernel.touched;
        for (const { kinds, seed } of tiles) {
          const values = content(kinds, samples, seed);
          staging.put(values, generator(seed + 1), encodes);
          const mixedBits = staging.compared.slice();
          expect(kernel.call.storeTile!(surface.address, 0, staging.address)).toBe(0);
          const want = cheapest(values, samples, bytes, mixedBits);
          const isUniform = new Set(values).size === 1 && values[0] !== 0;
          const blocks = isUniform ? 0 : want.reduce((sum, block) => sum + block.bytes, 0);
          const length = encodes ? blocks : 4096 * samples * bytes;
          expect(surface.field(0, SurfaceTile.length)).toBe(length);
          const same = new Set(want.map((block) => block.state));
          const state = surface.field(0, SurfaceTile.state);
          const shared = same.size === 1 && (isUniform || !same.has(SURFACE_UNIFORM));
          expect(state).toBe(!encodes ? SURFACE_FULL : shared ? want[0]!.state : SURFACE_SUBSET);
          states.add(state);
          if (state === SURFACE_SUBSET) expect(surface.blockStates(0)).toEqual(want.map((block) => block.state));
          // As many pages as the bytes need; no page is lost or held twice.
          expect(surface.pagesHeld).toBe(Math.ceil(length / 4096));
          expect(surface.field(0, SurfaceTile.pageCount)).toBe(surface.pagesHeld);
          expect(pool.free).toBe(surface.maxPages - surface.pagesHeld);
          expect(new Set([...pool.pages, ...surface.pages(0)]).size).toBe(surface.maxPages);
          for (const fills of [0, 1]) {
            staging.spoil();
            kernel.call.loadTile!(surface.address, 0, staging.address, fills);
            expect(staging.get(), `loaded, fills ${fills}`).toEqual(values);
          }
          staging.withoutPixels(() => {
            staging.spoil();
            kernel.call.loadTile!(surface.address, 0, staging.address, 1);
            expect(staging.get(), 'loaded to samples alone').toEqual(values);
          });
        }
        expect(surface.moved, 'bytes that it says were moved').toBe(kernel.touched - touched);
      }),
      { seed: 41, numRuns: 60 }
    );
    expect([...states].sort()).toEqual([0, 1, 2, 3, 4]);
  });

  it('returns single samples, and the states of pixels', () => {
    const seen = new Set<number>();
    fc.assert(
      fc.property(plan, ({ bytes, samples, encodes, tiles }) => {
        kernel.reset();
        const pool = new TestPool(kernel);
        const [width, height] = [61, 50];
        const surface = new TestSurface(pool, {
          format: FORMATS[bytes as Bytes],
          bytes,
          samples,
          width,
          height,
          encodes,
        });
        const staging = new TestStaging(kernel, samples, bytes);
        pool.provide(surface.maxPages);
        const rows = kernel.alloc(64 * 64);
        const values = content(tiles[0]!.kinds, samples, tiles[0]!.seed);
        staging.put(values, generator(7), encodes);
        kernel.call.storeTile!(surface.address, 0, staging.address);
        for (let y = 0; y < height; y++) kernel.call.surfaceStates!(surface.address, y, rows + y * width);
        const reads = kernel.alloc(Reads.bytes);
        kernel.u32(reads + Reads.surface, 1)[0] = surface.address;
        const touched = kernel.touched;
        const moved = surface.moved;
        for (let i = 0; i < 300; i++) {
          const [x, y, s] = [(i * 37) % width, (i * 23) % height, i % samples];
          const pixel = pixelOf(x, y);
          const held = values.subarray(pixel * samples, (pixel + 1) * samples);
          const at = kernel.call.sampleAddress!(reads, x, y, s)!;
          expect(staging.valueAt(at), `(${x}, ${y}) sample ${s}`).toBe(held[s]);
          const mask = held.reduce((all, v, other) => all | (v === held[s] ? 1 << other : 0), 0);
          const state = kernel.u8(rows + y * width + x, 1)[0];
          const all = 2 ** samples - 1;
          if (state! < SURFACE_SUBSET) expect(mask).toBe(all);
          if (state === SURFACE_SUBSET) expect(mask).not.toBe(all);
          seen.add(state!);
        }
        const quad = kernel.alloc(16);
        const ones = kernel.alloc(16);
        for (let y = 0; y + 1 < height; y += 6)
          for (let x = 0; x + 1 < width; x += 2) {
            kernel.u32(ones, 4).fill(0);
            kernel.call.quadAddresses!(reads, x, y, x % samples, quad, ones);
            const found = [...kernel.u32(quad, 4)];
            expect([...kernel.u32(ones, 4)].every((one, i) => one === 0 || one === found[i])).toBe(true);
            const single = [0, 1, 2, 3].map((i) =>
              kernel.call.sampleAddress!(reads, x + (i & 1), y + (i >> 1), x % samples)
            );
            expect(found).toEqual(single);
          }
        kernel.call.noteReads!(reads);
        expect(surface.moved - moved).toBe(kernel.touched - touched);
        for (const [x, y, s] of [
          [-1, 0, 0],
          [width, 0, 0],
          [0, -1, 0],
          [0, height, 0],
          [0, 0, -1],
          [0, 0, samples],
        ] as const) {
          expect(kernel.call.sampleAddress!(reads, x, y, s)).toBe(0);
        }
      }),
      { seed: 42, numRuns: 60 }
    );
    expect([...seen].sort()).toEqual([0, 1, 2, 3]);
  });

  it('keeps its contents when the pool is empty, and names its surface', () => {
    kernel.reset();
    const pool = new TestPool(kernel);
    const surface = new TestSurface(pool, { format: FORMAT_RGBA8UNORM, bytes: 4, samples: 4, width: 64, height: 64 });
    const staging = new TestStaging(kernel, 4, 4);
    pool.provide(9);
    const before = content(['one', 'edges', 'clear'], 4, 5);
    staging.put(before, generator(1), true);
    expect(kernel.call.storeTile!(surface.address, 0, staging.address)).toBe(0);
    const held = surface.pages(0);
    const free = pool.pages;
    const after = content(['all'], 4, 6);
    staging.put(after, generator(1), true);
    expect(kernel.call.storeTile!(surface.address, 0, staging.address)).toBe(1);
    expect(surface.pages(0)).toEqual(held);
    expect(pool.pages.sort()).toEqual(free.sort());
    expect(pool.missed).toBe(surface.address);
    // The staging is unchanged, too: with pages the store succeeds.
    expect(staging.get()).toEqual(after);
    staging.spoil();
    kernel.call.loadTile!(surface.address, 0, staging.address, 0);
    expect(staging.get()).toEqual(before);
    pool.provide(16);
    staging.put(after, generator(1), true);
    expect(kernel.call.storeTile!(surface.address, 0, staging.address)).toBe(0);
    staging.spoil();
    kernel.call.loadTile!(surface.address, 0, staging.address, 0);
    expect(staging.get()).toEqual(after);
  });
});

describe('a threshold', () => {
  it('moves no sample farther from its given value, through passes that overwrite some samples', () => {
    let merged = 0;
    fc.assert(
      fc.property(fc.constantFrom(...SAMPLES), fc.nat(), fc.constantFrom(0.01, 0.25), (samples, seed, threshold) => {
        kernel.reset();
        const next = generator(seed);
        const pool = new TestPool(kernel);
        const surface = new TestSurface(pool, {
          format: FORMAT_R32FLOAT,
          bytes: 4,
          samples,
          width: 64,
          height: 64,
          threshold,
        });
        const staging = new TestStaging(kernel, samples, 4);
        pool.provide(surface.maxPages);
        const given = new Float32Array(4096 * samples);
        let held: Float32Array = given.slice();
        const touched = kernel.touched;
        for (let pass = 0; pass < 5; pass++) {
          const written = Uint8Array.from(given, () => (pass === 0 || next() < 0.3 ? 1 : 0));
          // A chain: each value is slightly larger than the previous one.
          given.forEach((_, i) => {
            if (written[i])
              given[i] =
                next() < 0.02
                  ? NaN
                  : (i % samples) * threshold * 0.7 + pass * threshold * 0.3 + next() * threshold * 0.5;
          });
          const values = held.map((v, i) => (written[i] ? given[i]! : v));
          staging.putFloats(values);
          kernel.call.mergeTile!(surface.address, 0, staging.address);
          expect(kernel.call.storeTile!(surface.address, 0, staging.address)).toBe(0);
          staging.spoil();
          kernel.call.loadTile!(surface.address, 0, staging.address, 1);
          const after = staging.getFloats();
          const before = new Uint32Array(held.buffer);
          const now = new Uint32Array(after.buffer);
          let wrong = 0;
          after.forEach((v, i) => {
            if (!written[i] && now[i] !== before[i]) wrong++;
            if (Number.isNaN(given[i]) ? !Number.isNaN(v) : !(Math.abs(v - given[i]!) <= Math.fround(threshold)))
              wrong++;
            if (v !== values[i] && !Number.isNaN(v)) merged++;
          });
          expect(wrong).toBe(0);
          held = after;
        }
        expect(surface.moved, 'bytes that it says were moved').toBe(kernel.touched - touched);
      }),
      { seed: 43, numRuns: 16 }
    );
    expect(merged).toBeGreaterThan(10000);
  });
});

/** The order of layout/tile/tile.ts, implemented independently. */
function pixelOf(x: number, y: number): number {
  return ((y >> 3) * 8 + (x >> 3)) * 64 + (((y >> 1) & 3) * 4 + ((x >> 1) & 3)) * 4 + (y & 1) * 2 + (x & 1);
}

describe('surfaces', () => {
  it('are copied exactly, and cleared to zeros without pages', () => {
    kernel.reset();
    const pool = new TestPool(kernel);
    const shape = { format: FORMAT_RGBA8UNORM, bytes: 4, samples: 8, width: 128, height: 64 };
    const [from, to] = [new TestSurface(pool, shape), new TestSurface(pool, shape)];
    const staging = new TestStaging(kernel, 8, 4);
    pool.provide(2 * from.maxPages);
    const touched = kernel.touched;
    const tiles = [content(['edges', 'clear', 'all'], 8, 1), content(['one'], 8, 2)];
    tiles.forEach((values, i) => {
      staging.put(values, generator(i), true);
      kernel.call.storeTile!(from.address, i, staging.address);
    });
    staging.put(tiles[0]!, generator(3), true);
    kernel.call.storeTile!(to.address, 1, staging.address);
    expect(kernel.call.copySurface!(from.address, to.address)).toBe(0);
    expect(to.pagesHeld).toBe(from.pagesHeld);
    tiles.forEach((values, i) => {
      staging.spoil();
      kernel.call.loadTile!(to.address, i, staging.address, 0);
      expect(staging.get()).toEqual(values);
    });
    expect(from.moved + to.moved, 'bytes that they say were moved').toBe(kernel.touched - touched);
    kernel.call.clearSurface!(from.address);
    kernel.call.clearSurface!(to.address);
    expect([from.pagesHeld, to.pagesHeld, pool.free]).toEqual([0, 0, 2 * from.maxPages]);
    staging.spoil();
    kernel.call.loadTile!(to.address, 1, staging.address, 0);
    expect(staging.get()).toEqual(new Uint16Array(4096 * 8));
  });
});

describe('the comparison', () => {
  it.each(BYTES)('of %i bytes per sample agrees with its scalar twin', (bytes) => {
    kernel.reset();
    const next = generator(bytes);
    const stride = 16384 * bytes;
    const at = kernel.alloc(4 * stride);
    const found = kernel.alloc(16);
    for (let round = 0; round < 200; round++) {
      const samples = SAMPLES[round % 4]!;
      const layers = Math.max(1, samples / 4);
      for (let layer = 0; layer < layers; layer++) {
        const texels = kernel.u8(at + layer * stride, 256 * bytes);
        for (let i = 0; i < 256; i++)
          texels.fill(next() < 0.7 ? 3 : Math.floor(next() * 4), i * bytes, (i + 1) * bytes);
        // A single byte differs.
        if (next() < 0.5) texels[Math.floor(next() * texels.length)]! ^= 0x80;
      }
      if (samples === 2)
        for (let pixel = 0; pixel < 64; pixel++)
          kernel.u8(at, 256 * bytes).copyWithin((pixel * 4 + 2) * bytes, pixel * 4 * bytes, (pixel * 4 + 2) * bytes);
      const mixed = BigInt.asUintN(
        64,
        (BigInt(Math.floor(next() * 2 ** 32)) << 32n) | BigInt(Math.floor(next() * 2 ** 32))
      );
      const limit = Math.floor(next() * 64 * samples);
      const run = (twin: string): unknown => {
        kernel.u32(found, 2).set([Number(mixed & 0xffffffffn), Number(mixed >> 32n)]);
        const count = (kernel.call as unknown as Record<string, (...args: number[]) => number>)[twin]!(
          bytes,
          at,
          layers,
          2 ** samples - 1,
          limit,
          found
        );
        return [count, ...kernel.u32(found, 2)];
      };
      expect(run('analyseSimd'), `round ${round}`).toEqual(run('analyseScalar'));
      if (bytes === 4) {
        const mixed = (twin: string): number[] => {
          kernel.u32(found, 2).fill(0);
          return [
            (kernel.call as unknown as Record<string, (...args: number[]) => number>)[twin]!(
              at,
              layers,
              round % 65,
              found
            ),
            ...kernel.u32(found, 2),
          ];
        };
        expect(mixed('mixedWordsSimd'), `round ${round}`).toEqual(mixed('mixedWordsScalar'));
      }
    }
  });
});
