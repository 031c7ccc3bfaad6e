// The load/store unit compared with an uncompressed twin: random masked stores and loads, which interleave whole
// pixels, single samples and parts of pixels, while some tiles are written back. Also compares the reported bytes with
// those touched.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COUNTERS } from '../../assembly/layout/surface/load-store-codes';
import * as U from '../../assembly/layout/surface/load-store-codes';
import { mulberry32 } from '../support/floats';
import {
  COUNTS,
  FORMATS,
  Twin,
  LoadStoreKernel,
  type FormatName,
  type Loaded,
  type SurfaceShape,
} from './load-store-kit';

/** Fixed, so that a run of the suite is repeatable; RASTERLOOM_SEED tries others. */
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 20261121);
const names = Object.keys(FORMATS) as FormatName[];
const shapes = names.flatMap((format) =>
  COUNTS.map((samples): [string, SurfaceShape] => [
    `${format}, ${samples} samples`,
    { format, samples, width: 150, height: 75 },
  ])
);
const k = new LoadStoreKernel('testing');

class Random {
  private readonly next: () => number;
  constructor(seed: number) {
    this.next = mulberry32(seed);
  }
  below(n: number): number {
    return Math.floor((this.next() / 2 ** 32) * n);
  }
  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}

type Access = { readonly x: number; readonly y: number; readonly mask: number; readonly value?: readonly number[] };

/** Few values, so that stores meet equal ones; some are near others. */
function palette({ format }: SurfaceShape, random: Random): readonly number[][] {
  const one = (): number =>
    format === 'rgba32uint'
      ? random.below(2 ** 32)
      : random.of([0, 1, random.below(1000) / 999, random.below(64) / 999]);
  return [[0, 0, 0, 0], ...Array.from({ length: 3 + random.below(20) }, () => [one(), one(), one(), one()])];
}

/** Bursts of one kind each, over blocks, some of which are at the surface's edge. */
function arbitraryAccesses(shape: SurfaceShape, random: Random, bursts: number): Access[] {
  const { samples, width, height } = shape;
  const whole = 2 ** samples - 1;
  const values = palette(shape, random);
  const accesses: Access[] = [];
  const blocks = Array.from(
    { length: 14 },
    () => [random.below(Math.ceil(width / 8)) * 8, random.below(Math.ceil(height / 8)) * 8] as const
  );
  const anyMask = (): number => 1 + random.below(whole);
  const pixels = ([left, top]: readonly [number, number]): [number, number][] =>
    Array.from({ length: 64 }, (_, i): [number, number] => [left + (i & 7), top + (i >> 3)]).filter(
      ([x, y]) => x < width && y < height
    );
  const put = (x: number, y: number, mask: number, value = random.of(values)): void => {
    accesses.push({ x, y, mask, value });
  };
  /** All samples of a pixel, in one to many stores. */
  const cover = (x: number, y: number): void => {
    for (let left = whole; left;) {
      const mask = random.below(3) ? left & anyMask() : left;
      if (mask) put(x, y, mask);
      left &= ~mask;
    }
  };
  const kinds: (() => void)[] = [
    // One value per pixel, over a block.
    () => {
      for (const [x, y] of pixels(random.of(blocks))) put(x, y, whole);
    },
    // A value per sample, one by one.
    () => {
      for (const [x, y] of pixels(random.of(blocks))) for (let s = 0; s < samples; s++) put(x, y, 1 << s);
    },
    // A different state for every pixel, over a block or a part of it.
    () => {
      const share = 1 + random.below(4);
      for (const [x, y] of pixels(random.of(blocks)))
        if (random.below(4) < share)
          random.of([
            () => {
              put(x, y, whole);
            },
            () => {
              cover(x, y);
            },
            () => {
              for (let s = 0; s < samples; s++) put(x, y, 1 << s);
            },
          ])();
    },
    // Mostly one kind, and a few pixels of another.
    () => {
      const odd = 1 + random.below(8);
      const few = random.below(2) === 0;
      for (const [i, [x, y]] of pixels(random.of(blocks)).entries())
        if (i % 8 < odd === few) put(x, y, whole);
        else cover(x, y);
    },
    // At random places.
    () => {
      for (let i = 0; i < 40; i++) {
        const [x, y] = random.of(pixels(random.of(blocks)));
        put(x, y, random.below(2) ? whole : anyMask());
      }
    },
    // One pixel repeatedly.
    () => {
      const [x, y] = random.of(pixels(random.of(blocks)));
      for (let i = 0; i < 12; i++) {
        put(x, y, anyMask());
        if (i & 1) accesses.push({ x, y, mask: anyMask() });
      }
    },
    // Loads.
    () => {
      for (const [x, y] of pixels(random.of(blocks))) accesses.push({ x, y, mask: anyMask() });
    },
  ];
  for (let i = 0; i < bursts; i++) random.of(kinds)();
  return accesses;
}

/** A load's result as a string, which expect() compares faster than an object. */
const shown = ({ value, mask, state }: Loaded): string => `${value} ${mask} ${state}`;

/** Everything that loads report about the used blocks, a line for each sample. */
function readAll(
  accesses: readonly Access[],
  samples: number,
  load: (x: number, y: number, mask: number) => Loaded
): string {
  const pixels = new Map(accesses.map(({ x, y }) => [y * 65536 + x, [x, y] as const]));
  const lines: string[] = [];
  for (const [x, y] of pixels.values())
    for (let s = 0; s < samples; s++) lines.push(`(${x}, ${y}) ${s}: ${shown(load(x, y, 1 << s))}`);
  return lines.join('\n');
}

const moved = new Array<number>(COUNTERS).fill(0);

/** Runs accesses on the unit, and compares every load, and finally all samples, with the twin. */
function expectTwin(shape: SurfaceShape, accesses: readonly Access[], random: Random): Twin {
  k.reset();
  const surface = k.surface(shape);
  const context = k.context(k.pixelBytes(shape));
  const twin = new Twin(k, shape);
  const touched = k.touched;
  for (const { x, y, mask, value } of accesses) {
    if (value) {
      k.store(context, { surface, format: shape.format }, x, y, mask, value);
      twin.store(x, y, mask, value);
    } else {
      const found = shown(k.load(context, surface, x, y, mask));
      const want = shown(twin.load(x, y, mask));
      if (found !== want) expect(found, `load of (${x}, ${y}), ${mask.toString(2)}`).toBe(want);
    }
    if (random.below(400) === 0) expect(k.flush(context)).toBe(0);
  }
  const want = readAll(accesses, shape.samples, (x, y, mask) => twin.load(x, y, mask));
  expect(readAll(accesses, shape.samples, (x, y, mask) => k.load(context, surface, x, y, mask))).toBe(want);
  expect(k.flush(context)).toBe(0);
  const other = k.context(k.pixelBytes(shape));
  expect(
    readAll(accesses, shape.samples, (x, y, mask) => k.load(other, surface, x, y, mask)),
    'as it is stored'
  ).toBe(want);
  const bytes = k.touched - touched;
  expect(k.moved(surface), 'bytes that the surface says were moved').toBe(bytes);
  expect(
    [context, other]
      .map((one) => k.counters(one))
      .reduce((sum, counters) => sum + counters[U.COUNT_BYTES_READ]! + counters[U.COUNT_BYTES_WRITTEN]!, 0),
    'and the units'
  ).toBe(bytes);
  k.counters(context).forEach((count, i) => {
    moved[i]! += count;
  });
  return twin;
}

const check = (runs: number, property: (random: Random) => void): void => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      property(new Random(seed));
    }),
    { numRuns: runs, endOnFailure: true, seed: SEED }
  );
};

describe.each(shapes)('%s', (_, shape) => {
  it('holds what its twin holds', () => {
    check(3, (random) => {
      expectTwin(shape, arbitraryAccesses(shape, random, 30), random);
    });
  });

  it('without encoding, too', () => {
    check(1, (random) => {
      expectTwin({ ...shape, encodes: false }, arbitraryAccesses(shape, random, 12), random);
    });
  });

  it('with a threshold, no sample is farther than that from the stored value', () => {
    check(2, (random) => {
      const threshold = random.of([0.01, 0.05]);
      const twin = expectTwin({ ...shape, threshold }, arbitraryAccesses(shape, random, 20), random);
      expect(twin.farthest()).toBeLessThanOrEqual(shape.format === 'rgba32uint' ? 0 : Math.fround(threshold));
    });
  });
});

it.each(COUNTS)("two units that write neighboring pixels do not lose each other's samples at %i samples", (samples) => {
  const shape: SurfaceShape = { format: 'rgba8unorm', samples, width: 70, height: 20 };
  check(4, (random) => {
    k.reset();
    const surface = k.surface(shape);
    const twin = new Twin(k, shape);
    const contexts = [k.context(k.pixelBytes(shape)), k.context(k.pixelBytes(shape))];
    const accesses = arbitraryAccesses(shape, random, 40);
    for (const { x, y, mask, value } of accesses) {
      const context = contexts[(x + y) & 1]!;
      if (value) {
        k.store(context, { surface, format: shape.format }, x, y, mask, value);
        twin.store(x, y, mask, value);
      } else expect(shown(k.load(context, surface, x, y, mask))).toBe(shown(twin.load(x, y, mask)));
      if (random.below(150) === 0) expect(k.flush(random.of(contexts))).toBe(0);
    }
    for (const context of contexts) expect(k.flush(context)).toBe(0);
    expect(readAll(accesses, samples, (x, y, mask) => k.load(contexts[0]!, surface, x, y, mask))).toBe(
      readAll(accesses, samples, (x, y, mask) => twin.load(x, y, mask))
    );
    contexts.forEach((context) => {
      k.counters(context).forEach((count, i) => {
        moved[i]! += count;
      });
    });
  });
});

describe('counters', () => {
  const named = Object.entries(U).filter(([name]) => name.startsWith('COUNT_'));
  it.each(named)('%s reports the bytes moved', (_, at) => {
    expect(moved[at]).toBeGreaterThan(0);
  });
});
