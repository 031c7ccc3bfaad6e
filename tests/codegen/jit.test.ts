// Compiled programs give the bits of the interpreter.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forEachInstruction, ops } from '../../src/ir';
import { expectAgreement, generateCase } from './generated';
import { WarpRunner } from './warp';

/** Fixed, so that a run of the suite is repeatable; RASTERLOOM_SEED tries others, and `npm run fuzz` very many. */
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 20261120);

describe('interpreter and compiled code', () => {
  const runner = new WarpRunner();

  test('the generated programs hold every operation', () => {
    const found = new Set<string>();
    for (let seed = 1; seed <= 600; seed++) forEachInstruction(generateCase(seed).program.body, ({ op }) => found.add(op));
    const missing = Object.keys(ops).filter((op) => !found.has(op));
    expect(missing).toEqual([]);
  });

  test('agree on generated programs', () => {
    fc.assert(fc.property(fc.nat(), (seed) => expectAgreement(runner, seed)), { numRuns: 400, endOnFailure: true, seed: SEED });
  });
});
