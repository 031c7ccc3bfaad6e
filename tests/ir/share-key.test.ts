// Keys of equal computations: equal for equal computations and for no others, whether keys are numbers or strings.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OpName, ScalarType } from '../../src/ir';
import { ops, type Instruction } from '../../src/ir';
import { shareKey } from '../../src/ir/passes/share';

const names = Object.keys(ops) as OpName[];
const commutes = (op: OpName): boolean => op === 'f32.add' || op === 'int.xor' || op === 'bool.eq';
// Close to where a number has no room for another one, and far beyond.
const id = fc.oneof(fc.nat(3), fc.constantFrom(2 ** 14 - 1, 2 ** 14, 2 ** 21 - 1, 2 ** 21, 2 ** 31), fc.nat(2 ** 22));
const computation = fc.record({
  op: fc.constantFrom(
    ...names.slice(-2),
    'f32.add' as const,
    'int.xor' as const,
    'f32.sub' as const,
    'select' as const
  ),
  type: fc.constantFrom<ScalarType>('bool', 'i32', 'u32', 'f32'),
  args: fc.array(id, { maxLength: 4 }),
  imm: fc.oneof(fc.constant(0), fc.nat(2), fc.constantFrom(2 ** 14, 2 ** 21, 2 ** 32 - 1)),
});
type Computation = typeof computation extends fc.Arbitrary<infer T> ? T : never;

const keyOf = ({ op, type, args, imm }: Computation): unknown =>
  shareKey({ kind: 'op', op, results: [0], args, imm, texture: undefined } satisfies Instruction, type);
const meaning = ({ op, type, args, imm }: Computation): string =>
  JSON.stringify([op, type, imm, args.length === 2 && commutes(op) ? args.toSorted((a, b) => a - b) : args]);

test('keys are equal for equal computations only', () => {
  fc.assert(
    fc.property(computation, computation, fc.nat(4), (a, b, like) => {
      // Pairs that differ in one thing, or in none, are frequent.
      const { op, type, args, imm } = a;
      const other = [
        b,
        { ...b, op, type, args },
        { ...b, op, type, imm },
        { ...b, op, args, imm },
        { op, type, imm, args: args.toReversed() },
      ][like]!;
      // An operation always has the same number of arguments.
      fc.pre(op !== other.op || args.length === other.args.length);
      expect(keyOf(a) === keyOf(other)).toBe(meaning(a) === meaning(other));
    }),
    { numRuns: 5000 }
  );
});

test('keys are exact for the last of all operations', () => {
  const key = (op: OpName, args: readonly number[]): unknown => keyOf({ op, type: 'f32', args: [...args], imm: 0 });
  expect(names.length).toBeLessThanOrEqual(256);
  const last = names.at(-1)!;
  expect(key(last, [2 ** 21 - 1, 2 ** 21 - 1])).not.toBe(key(last, [2 ** 21 - 1, 2 ** 21 - 2]));
  expect(typeof key(last, [1, 2, 3])).toBe('number');
});
