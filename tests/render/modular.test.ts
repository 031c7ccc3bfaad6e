// Pipelines that programs put together: random tables against the plain composition of the same functions, on all
// engines, any number of threads, with small arenas.
//
// RASTERLOOM_FUZZ=count runs more tables, RASTERLOOM_SEED=number others.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CreateOptions } from '../../src/index';
import { open } from '../threads/open';
import { emittedBy, emittedOn, emittingTables, listedBy, listedOn } from './modular.geometry';
import { composed, drawn, tables } from './modular.kit';

const TABLES = Number(process.env['RASTERLOOM_FUZZ'] ?? 240);
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 18);

const engines: Readonly<Record<string, CreateOptions>> = {
  'compiled': { engine: 'jit', threads: 0 }, 'interpreted': { engine: 'interpreter', threads: 0 },
  'by default, one worker': { threads: 1 }, 'compiled, two workers': { engine: 'jit', threads: 2 },
  'interpreted by three, a chunk after every draw': { engine: 'interpreter', threads: 3, chunkEveryDraw: true },
  'compiled, four workers, a small arena': { engine: 'jit', threads: 4, arenaBytes: 1024 },
  'the scalar kernel': { simd: false, threads: 0 }, 'the oracle': { immediate: true, threads: 0 },
};

describe.each(Object.entries(engines))('random tables: %s', (name, options) => {
  let device: GPUDevice;
  beforeAll(async () => { device = await open(options); });
  afterAll(() => device.destroy());

  test('packets are those of the composition', async () => {
    const numRuns = Math.ceil(TABLES / Object.keys(engines).length), seed = SEED + Object.keys(engines).indexOf(name);
    await fc.assert(fc.asyncProperty(tables, async (table) => {
      const found = await drawn(device, table), wanted = composed(table);
      expect(found.findIndex((word, i) => word !== wanted[i])).toBe(-1);
    }), { numRuns, seed, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true });
  }, 120_000);

  test('and of what stages emit, in its order', async () => {
    const numRuns = Math.ceil(TABLES / Object.keys(engines).length), seed = SEED + Object.keys(engines).indexOf(name);
    await fc.assert(fc.asyncProperty(emittingTables, async (table) => {
      const found = await emittedOn(device, table), wanted = emittedBy(table);
      expect(found.findIndex((word, i) => word !== wanted[i])).toBe(-1);
    }), { numRuns, seed, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true });
  }, 120_000);

  test('and buffers hold them one behind the other', async () => {
    const numRuns = Math.ceil(TABLES / Object.keys(engines).length), seed = SEED + Object.keys(engines).indexOf(name);
    await fc.assert(fc.asyncProperty(emittingTables, async (table) => {
      const emitting = table.stages.flatMap((stage) => (stage.kind === 'geometry' ? [stage.most] : []));
      fc.pre(!table.input.endsWith('strip') || emitting.length > 0);
      // The buffer has room for all that may come.
      fc.pre(emitting.reduce((all, most) => all * most, table.vertices) < 20_000);
      const { vertices, counts } = await listedOn(device, table), wanted = listedBy(table);
      expect(counts).toEqual([wanted.length, 1, 0, 0]);
      expect(vertices.findIndex((word, i) => word !== wanted[i % wanted.length])).toBe(-1);
    }), { numRuns, seed, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true });
  }, 120_000);
});
