// Arena sizes within memory budgets.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { arenaSizes, fitArena, maxInputWorkers, minArenaBytes } from '../../src/render/budgets';

const MOST = 48 << 20;

test('an arena stays within its budget, down to one worker with room for a triangle', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 128 }),
      fc.integer({ min: 1, max: 128 }),
      fc.integer({ min: 1, max: 64 }),
      fc.integer({ min: 1, max: MOST }),
      fc.integer({ min: 1, max: 1 << 30 }),
      (columns, rows, workers, most, budget) => {
        const { bytes, softBytes, hardBytes, shareBytes, holders } = fitArena(columns * rows, most, workers, budget);
        expect(holders).toBeGreaterThanOrEqual(1);
        expect(holders).toBeLessThanOrEqual(workers);
        expect(softBytes).toBeGreaterThanOrEqual(1);
        expect(softBytes).toBeLessThanOrEqual(most);
        expect(hardBytes).toBe(softBytes + shareBytes);
        const least = minArenaBytes(columns * 64, rows * 64);
        expect(bytes).toBeLessThanOrEqual(Math.max(budget, least));
      }
    ),
    { seed: 18, numRuns: 2000 }
  );
});

test('an arena is not reduced when there is enough room or no budget', () => {
  const wanted = arenaSizes(240, MOST, 4);
  expect(fitArena(240, MOST, 4, null)).toEqual(wanted);
  expect(fitArena(240, MOST, 4, wanted.bytes)).toEqual(wanted);
  expect(fitArena(240, MOST, 4, wanted.bytes - 1).bytes).toBeLessThan(wanted.bytes);
});

test('the number of workers is reduced before chunks become short', () => {
  const of = (budget: number): number[] => {
    const { holders, softBytes } = fitArena(240, MOST, 8, budget);
    return [holders, Math.floor((softBytes / budget) * 10)];
  };
  expect(of(64 << 20)).toEqual([8, 6]);
  const [few, part] = of(3 << 20);
  expect(few).toBeLessThan(8);
  expect(part).toBeGreaterThanOrEqual(2);
});

test('the number of workers that hold inputs is limited by memory', () => {
  expect([1, 99, 100, 199, 200, 1000].map((budget) => maxInputWorkers(100, 4, budget))).toEqual([1, 1, 1, 1, 2, 4]);
  expect([maxInputWorkers(0, 4, 1), maxInputWorkers(100, 4, null)]).toEqual([4, 4]);
});
