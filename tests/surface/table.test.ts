// The table of tile sizes by texel size and sample count, in the documentation and in the code, is what the kernel
// stores.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import {
  FORMAT_R16FLOAT,
  FORMAT_R8UNORM,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA32FLOAT,
  FORMAT_RGBA8UNORM,
} from '../../assembly/layout/texture/formats';
import { SURFACE_FULL, SURFACE_SUBSET } from '../../assembly/layout/surface/surface-codes';
import { SurfaceTile } from '../../build/layout';
import { TestKernel } from '../support/kernel';
import { TestPool, TestSurface } from './kit';
import { TestStaging } from './staging.kit';

const FORMATS = {
  1: FORMAT_R8UNORM,
  2: FORMAT_R16FLOAT,
  4: FORMAT_RGBA8UNORM,
  8: FORMAT_RGBA16FLOAT,
  16: FORMAT_RGBA32FLOAT,
} as const;
const BYTES = [1, 2, 4, 8, 16] as const;
const SAMPLES = [2, 4, 8, 16] as const;
/** Of a SIMD register. */
const COMPARE_BYTES = 16;

/**
 * Samples of a block with `count` values besides one a pixel, in as few pixels as can be; the first of these is the one
 * that may not have as many as samples, so that the block is not taken for full unseen.
 */
function block(count: number, samples: number): number[] {
  return Array.from({ length: 64 * samples }, (_, i) => {
    const before = 63 - Math.floor(i / samples);
    const sample = i % samples;
    const further = Math.min(samples - 1, Math.max(0, count - before * (samples - 1)));
    return sample <= further ? 1 + sample : 1;
  });
}

/** KiB of a tile that is full, and the most further values with which a block of one is stored as subsets. */
function measured(bytes: (typeof BYTES)[number], samples: number): { full: number; further: number } {
  const kernel = new TestKernel({ pages: 512 });
  const pool = new TestPool(kernel);
  const surface = new TestSurface(pool, { format: FORMATS[bytes], bytes, samples, width: 64, height: 64 });
  const staging = new TestStaging(kernel, samples, bytes);
  pool.provide(surface.maxPages);
  const all = 64 * (samples - 1);
  let further = 0;
  for (let first = 1; first <= all; first += 64) {
    // In each block a further value more than in the one before.
    const counts = Array.from({ length: 64 }, (_, b) => Math.min(all, first + b));
    staging.put(Uint16Array.from(counts.flatMap((count) => block(count, samples))), () => 0, true);
    expect(kernel.call.storeTile!(surface.address, 0, staging.address)).toBe(0);
    const states =
      surface.field(0, SurfaceTile.state) === SURFACE_SUBSET
        ? surface.blockStates(0)
        : counts.map(() => surface.field(0, SurfaceTile.state));
    counts.forEach((count, b) => {
      if (states[b] === SURFACE_SUBSET) further = Math.max(further, count);
    });
  }
  staging.put(Uint16Array.from(Array.from({ length: 64 }, () => block(all, samples)).flat()), () => 0, true);
  expect(kernel.call.storeTile!(surface.address, 0, staging.address)).toBe(0);
  expect(surface.field(0, SurfaceTile.state)).toBe(SURFACE_FULL);
  return { full: surface.field(0, SurfaceTile.length) / 1024, further };
}

const rows = BYTES.map((bytes) => {
  const tiles = SAMPLES.map((samples) => measured(bytes, samples));
  // Two samples are held as four, the last two equal to the first.
  const compares = SAMPLES.map((samples) => Math.ceil((Math.max(4, samples) * bytes) / COMPARE_BYTES));
  return [
    bytes,
    tiles.map(({ full }) => full),
    COMPARE_BYTES / bytes,
    compares,
    tiles.map(({ further }) => further),
  ].map((cell) => (Array.isArray(cell) ? cell.join(', ') : String(cell)));
});

it.each([
  ['docs/internals/memory-and-records.md', /^\| (\d+ \| .*) \|$/gm],
  ['src/surface/surfaces.ts', /^\/\/ {3}(\d+ \| .*)$/gm],
])('the table in %s is right', (name, line) => {
  const text = readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), 'utf8');
  expect([...text.matchAll(line)].map(([, cells]) => cells!.split('|').map((cell) => cell.trim()))).toEqual(rows);
});
