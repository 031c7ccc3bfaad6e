// The pixel side of modular pipelines: random tables of fragment slots compared with the plain composition of the same
// functions, on all engines, with and without workers.
// RASTERLOOM_FUZZ=count runs more tables, RASTERLOOM_SEED=number others.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CreateOptions } from '../../support/options';
import { open } from '../../threads/open';
import { composedPixels, drawnPixels, pixelTables } from './modular-pixels.kit';
import { firstDifference } from '../../support/first-difference';

const TABLES = Number(process.env['RASTERLOOM_FUZZ'] ?? 100);
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 62);

const engines: Readonly<Record<string, CreateOptions>> = {
  compiled: { engine: 'jit', threads: 0 },
  interpreted: { engine: 'interpreter', threads: 0 },
  'compiled, two workers': { engine: 'jit', threads: 2 },
  'interpreted, two workers': { engine: 'interpreter', threads: 2 },
  'the scalar kernel': { simd: false, threads: 0 },
};

describe.each(Object.entries(engines))('random fragment slots: %s', (name, options) => {
  let device: GPUDevice;
  beforeAll(async () => {
    device = await open(options);
  });
  afterAll(() => device.destroy());

  test('pictures equal the composition', async () => {
    const numRuns = Math.ceil(TABLES / Object.keys(engines).length);
    await fc.assert(
      fc.asyncProperty(pixelTables, async (table) => {
        const found = await drawnPixels(device, table);
        expect(firstDifference(found, composedPixels(table))).toBe(-1);
      }),
      {
        numRuns,
        seed: SEED + Object.keys(engines).indexOf(name),
        interruptAfterTimeLimit: 100_000,
        markInterruptAsFailure: true,
      }
    );
  }, 120_000);
});
