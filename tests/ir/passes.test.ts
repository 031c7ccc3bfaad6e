import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countNodes, keepOutputs, optimize, print, validate, type IrProgram } from '../../src/ir';
import { dropUnused } from '../../src/ir';
import { arbitraryProgram, BUFFER_BYTES, Random, randomBits } from './arbitrary';
import { evaluate, hostMath, sameOutputs, type Environment } from './evaluate';

/** Fixed, so that a run of the suite is repeatable; RASTERLOOM_SEED tries others. */
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 20261120);

/** Inputs by what they are, so that programs with other input lists see the same values. */
function environmentFor(program: IrProgram, all: IrProgram, inputs: readonly number[], buffer: Uint8Array): Environment {
  const key = (input: IrProgram['inputs'][number]): string => JSON.stringify(input);
  const values = new Map(all.inputs.map((input, k) => [key(input), inputs[k]!]));
  return { inputs: program.inputs.map((input) => values.get(key(input))!), buffers: new Map([[0, buffer]]), math: hostMath };
}

function expectSame(program: IrProgram, changed: IrProgram, seed: number): void {
  const random = new Random(seed ^ 0x5bd1e995);
  for (let round = 0; round < 6; round++) {
    const inputs = program.inputs.map(({ type }) => randomBits(random, type));
    const buffer = Uint8Array.from({ length: BUFFER_BYTES }, () => random.below(256));
    const before = evaluate(program, environmentFor(program, program, inputs, buffer));
    const after = evaluate(changed, environmentFor(changed, program, inputs, buffer));
    if (!sameOutputs(program, before, after)) {
      throw new Error(`inputs ${inputs.join(' ')}: ${JSON.stringify(before)} became ${JSON.stringify(after)}\n${print(program)}\n\n${print(changed)}`);
    }
  }
}

describe('passes', () => {
  test('generated programs are valid', () => {
    fc.assert(fc.property(fc.nat(), (seed) => validate(arbitraryProgram(seed))), { numRuns: 150, endOnFailure: true, seed: SEED });
  });

  test('dead code goes, and nothing else', () => {
    fc.assert(fc.property(fc.nat(), (seed) => {
      const program = arbitraryProgram(seed);
      const dropped = dropUnused(program);
      validate(dropped);
      expect(countNodes(dropped.body)).toBeLessThanOrEqual(countNodes(program.body));
      expectSame(program, dropped, seed);
    }), { numRuns: 150, endOnFailure: true, seed: SEED });
  });

  test('an optimised program gives the same bits', () => {
    fc.assert(fc.property(fc.nat(), (seed) => {
      const program = arbitraryProgram(seed, { statements: 60 });
      const optimized = optimize(program, hostMath);
      validate(optimized);
      expectSame(program, optimized, seed);
    }), { numRuns: 400, endOnFailure: true, seed: SEED });
  });

  test('outputs that are not wanted take their computation along', () => {
    fc.assert(fc.property(fc.nat(), (seed) => {
      const program = optimize(arbitraryProgram(seed), hostMath);
      const kept = keepOutputs(program, (_, index) => index === 1);
      validate(kept);
      expect(kept.outputs).toEqual([program.outputs[1]]);
      const inputs = program.inputs.map(({ type }) => randomBits(new Random(seed), type));
      const buffer = new Uint8Array(BUFFER_BYTES);
      const all = evaluate(program, environmentFor(program, program, inputs, buffer));
      const one = evaluate(kept, environmentFor(kept, program, inputs, buffer));
      expect(sameOutputs(kept, { ...all, outputs: [all.outputs[1]!] }, one)).toBe(true);
    }), { numRuns: 100, endOnFailure: true, seed: SEED });
  });
});
