import { expect, test } from 'vitest';
import { countNodes, forEachInstruction, print, validate } from '../../src/ir';
import { arbitraryProgram } from './arbitrary';
import { reduce } from './reduce';

test('a failing program is reduced, stays valid and still fails', () => {
  for (let seed = 1; seed < 2000; seed++) {
    const program = arbitraryProgram(seed, { statements: 60 });
    /** Fails if a division feeds a store to the second array, inside a loop. */
    const fails = (candidate: typeof program): boolean => {
      let [division, loops, found] = [new Set<number>(), print(candidate).includes('loop'), false];
      forEachInstruction(candidate.body, ({ op, args, results, imm }) => {
        if (op === 'i32.div') division = new Set([...division, ...results]);
        if (op === 'array.store' && imm === 1 && division.has(args[1]!)) found = true;
      });
      return found && loops;
    };
    if (!fails(program)) continue;
    const small = reduce(program, fails);
    validate(small);
    expect(fails(small)).toBe(true);
    // A constant or two, the division, the store, a loop.
    expect(countNodes(small.body)).toBeLessThanOrEqual(5);
    return;
  }
  throw new Error('no such program was generated');
});
