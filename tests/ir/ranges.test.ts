// Interval arithmetic: results of operands within their ranges are within the range of the result.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OpName } from '../../src/ir';
import { fold } from '../../src/ir/passes/fold';
import { narrowed, rangeOf, type Range } from '../../src/ir/passes/ranges';
import { rounds } from '../support/rounds';
import { hostMath } from './evaluate';

const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 20261129);

const end = fc.oneof(
  fc.integer({ min: 0, max: 9 }),
  fc.constantFrom(31, 32, 33, 255, 256, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff),
  fc.integer({ min: 0, max: 0xffffffff })
);

interface Operand {
  readonly range: Range;
  /** Both ends, and a number between them. */
  readonly values: readonly number[];
}
const between = (a: number, b: number): fc.Arbitrary<Operand> => {
  const [minimum, maximum] = [Math.min(a, b), Math.max(a, b)];
  return fc
    .integer({ min: minimum, max: maximum })
    .map((inner) => ({ range: { minimum, maximum }, values: [minimum, maximum, inner] }));
};
const operand = fc.tuple(end, end).chain(([a, b]) => between(a, b));
/** Two operands, whose ranges often share an end. */
const operands = operand.chain((a) => {
  const { minimum, maximum } = a.range;
  const shared = fc.tuple(fc.constantFrom(minimum, maximum), end).chain(([x, y]) => between(x, y));
  return fc.tuple(fc.constant(a), fc.oneof(operand, shared));
});

const BINARY: readonly OpName[] = [
  'int.add',
  'int.sub',
  'int.mul',
  'int.and',
  'int.or',
  'int.xor',
  'int.shl',
  'u32.shr',
  'u32.div',
  'u32.rem',
  'u32.min',
  'u32.max',
  'i32.min',
  'i32.max',
];
describe('the range of a result', () => {
  test.each(BINARY)('%s', (op) => {
    fc.assert(
      fc.property(operands, ([a, b]) => {
        const { minimum, maximum } = rangeOf(op, a.range, b.range);
        for (const x of a.values)
          for (const y of b.values) {
            const bits = fold(op, [x, y], hostMath)!;
            if (bits < minimum || bits > maximum) expect.fail(`${op}(${x}, ${y}) is ${bits}`);
          }
      }),
      { numRuns: rounds(300), seed: SEED }
    );
  });
});

const COMPARISONS: readonly OpName[] = ['lt', 'le', 'gt', 'ge'].flatMap((name) => [
  `u32.${name}` as OpName,
  `i32.${name}` as OpName,
]);
describe('the range of an operand for which a comparison holds', () => {
  test.each([...COMPARISONS, 'int.eq' as OpName])('%s', (op) => {
    fc.assert(
      fc.property(operands, ([a, b]) => {
        const found = narrowed(op, a.range, b.range);
        for (const x of a.values)
          for (const y of b.values) {
            if (fold(op, [x, y], hostMath) === 0) continue;
            if (found === null || x < found.minimum || x > found.maximum) expect.fail(`${op}(${x}, ${y}) holds`);
          }
      }),
      { numRuns: rounds(300), seed: SEED }
    );
  });
});
