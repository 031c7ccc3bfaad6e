// The maximum number of operations of an invocation: which loops have a constant bound, and that none exceeds it.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maxOperations, optimize } from '../../src/ir';
import { lower } from '../lower/source';
import { hostMath } from './evaluate';

const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 20261128);
const most = (body: string): number =>
  maxOperations(
    optimize(
      lower(`
  override limit = 40u;
  @group(0) @binding(0) var<storage, read_write> data: array<u32>;
  var<workgroup> shared_word: u32;
  @compute @workgroup_size(1) fn main(@builtin(local_invocation_index) l: u32) { ${body} }`),
      hostMath
    )
  );

describe('a loop has a constant bound', () => {
  test.each<[string, number, number]>([
    ['for (var i = 0u; i < 8000u; i++) { data[i] = l; }', 8000, 100_000],
    [
      'for (var i = 0; i < 100; i += 3) { if (data[i] == 3) { continue; } if (data[i] == 4) { break; } data[i] = 2; }',
      34,
      1000,
    ],
    ['for (var i = 100; i >= 0; i--) { for (var j = 0; j < 100; j++) { data[i] += data[j]; } }', 10_000, 200_000],
    ['for (var i = 99u; i > 0u; i--) { data[i] = l; }', 99, 2000],
    ['var i = 0u; while (i < 50u) { i = i + 1; data[i] = i; }', 50, 1000],
    ['var i = 0u; while (50u >= i) { data[i] = i; i++; }', 51, 1000],
    ['var i = 0u; loop { i++; data[i] = i; continuing { break if i >= 64u; } }', 64, 1000],
    ['for (var i = 0u; i != 30u; i += 2u) { data[i] = l; }', 15, 500],
    ['for (var i = 0u; i < limit; i++) { data[i] = l; }', 40, 1000],
    ['for (var i = 0u; i < 40u && data[i] != 7u; i++) { data[i] = l; }', 40, 2000],
    ['for (var i = 0u; i < 40u; i++) { workgroupBarrier(); data[i] = l; }', 40, 2000],
    [
      'let n = data[0]; for (var i = 0u; i < 40u; i++) { for (var j = i; j < 40u; j++) { data[i + j] = n; } }',
      1600,
      40_000,
    ],
    ['var x = data[0]; loop { if (x > 3u) { break; } data[x] = l; break; }', 1, 100],
  ])('%s', (body, least, atMost) => {
    const operations = most(body);
    expect(operations).toBeGreaterThanOrEqual(least);
    expect(operations).toBeLessThanOrEqual(atMost);
  });
});

describe('a loop has no constant bound', () => {
  test.each([
    'loop { data[0] += 1u; if (data[0] == 0u) { break; } }',
    'for (var i = 0u; i < data[0]; i++) { data[i] = l; }',
    'for (var i = 0u; i < 2u; i += data[0]) { data[1] = i; }',
    'for (var i = 0u; i < 9u; i++) { if (data[i] == 1u) { i -= 1u; } data[i] = l; }',
    'for (var i = 0u; i < 9u;) { if (data[i] == 1u) { i++; } data[i] = l; }',
    'for (var i = 9u; i >= 0u; i--) { data[i] = l; }',
    'for (var i = 0u; i != 31u; i += 2u) { data[i] = l; }',
    'for (var i = 0u; i <= 4294967295u; i++) { data[i] = l; }',
    'for (var i = 0u; i < 4294967295u; i += 2u) { data[i] = l; }',
    'for (var i = 0; i > -9; i++) { data[i] = l; }',
    'for (var i = 0u; i < 90u; i++) { while (data[i] == 1u) { data[i] -= l; } }',
    'var i = 0u; loop { if (data[i] == 0u) { continue; } if (i > 9u) { break; } continuing { i++; } }',
    'loop { if (workgroupUniformLoad(&shared_word) == 1u) { break; } }',
    'var i = 0u; loop { if (i > 9u) { if (data[0] == l) { continue; } break; } data[i] = l; continuing { i++; } }',
  ])('%s', (body) => {
    expect(most(body)).toBe(Infinity);
  });
});

const MAX_ROUNDS = 2000;
interface Shape {
  readonly type: 'i32' | 'u32';
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly order: '<' | '<=' | '>' | '>=' | '!=' | '==';
  /** The condition follows the step; its operands are swapped; the counter is stepped by a subtraction. */
  readonly isLate: boolean;
  readonly isMirrored: boolean;
  readonly subtracts: boolean;
}

const number = (type: 'i32' | 'u32', value: number): number => (type === 'i32' ? value | 0 : value >>> 0);
const literal = (type: 'i32' | 'u32', value: number): string => `bitcast<${type}>(${value >>> 0}u)`;
const MIRRORED = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '!=': '!=', '==': '==' } as const;
const HOLDS: Readonly<Record<Shape['order'], (a: number, b: number) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '!=': (a, b) => a !== b,
  '==': (a, b) => a === b,
};

function textOf({ type, start, end, step, order, isLate, isMirrored, subtracts }: Shape): string {
  const limit = literal(type, end);
  const condition = isMirrored ? `${limit} ${MIRRORED[order]} i` : `i ${order} ${limit}`;
  const check = `if (!(${condition})) { break; }`;
  const next = subtracts ? `i -= ${literal(type, -step)};` : `i += ${literal(type, step)};`;
  return `var i = ${literal(type, start)};
    loop { ${isLate ? '' : check} data[u32(i) & 3u] += l; ${next} ${isLate ? check : ''} }`;
}

/** Iterations that the loop begins; Infinity beyond MAX_ROUNDS. */
function roundsOf({ type, start, end, step, order, isLate }: Shape): number {
  let value = number(type, start);
  for (let rounds = 1; rounds <= MAX_ROUNDS; rounds++) {
    if (!isLate && !HOLDS[order](value, number(type, end))) return rounds;
    value = number(type, value + step);
    if (isLate && !HOLDS[order](value, number(type, end))) return rounds;
  }
  return Infinity;
}

const edges = fc.constantFrom(0, 1, -1, 2 ** 31, 2 ** 31 - 1, 2 ** 32 - 1, -(2 ** 31));
const near = fc.tuple(edges, fc.integer({ min: -40, max: 40 })).map(([edge, by]) => edge + by);
const shapes: fc.Arbitrary<Shape> = fc.record({
  type: fc.constantFrom('i32', 'u32'),
  start: near,
  end: near,
  step: fc.integer({ min: -9, max: 9 }),
  order: fc.constantFrom('<', '<=', '>', '>=', '!=', '=='),
  isLate: fc.boolean(),
  isMirrored: fc.boolean(),
  subtracts: fc.boolean(),
});

test('no counted loop exceeds its bound, and most bounds are tight', () => {
  let known = 0;
  let short = 0;
  fc.assert(
    fc.property(shapes, (shape) => {
      const rounds = roundsOf(shape);
      const bound = most(textOf(shape));
      expect(bound).toBeGreaterThanOrEqual(rounds === Infinity ? MAX_ROUNDS : rounds - 1);
      if (rounds === Infinity) return;
      short++;
      if (bound === Infinity) return;
      known++;
      expect(bound).toBeLessThanOrEqual(60 + 40 * rounds);
    }),
    { seed: SEED, numRuns: 1500 }
  );
  expect(known).toBeGreaterThan(0.6 * short);
});
