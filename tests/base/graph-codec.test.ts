// Graphs of objects as bytes.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeGraph, encodeGraph } from '../../src/base/graph-codec';

const again = (value: object): object => decodeGraph(encodeGraph(value));

describe('a graph of objects', () => {
  const values: readonly object[] = [
    { a: 1, b: 'text', c: true, d: null, e: undefined },
    [NaN, Infinity, -Infinity, -0, 0, 1e300, -1.5],
    [[], {}, [[]], [[1], ['NaN'], [null]]],
    new Set([1, 'a', -0]),
    new Map<unknown, unknown>([
      [1, { two: 2 }],
      ['a', new Set()],
    ]),
    { ['__proto__']: 1, constructor: 2 },
    [
      Uint8Array.of(1, 2, 3),
      Uint32Array.of(2 ** 32 - 1),
      Int32Array.of(-1),
      Float64Array.of(-0, NaN),
      new Uint8Array(),
    ],
  ];
  test.each(values.map((value) => [value]))('%# is the same after it was stored', (value) => {
    expect(again(value)).toStrictEqual(value);
  });

  test('is the same for random values', () => {
    const value = fc.anything({ withMap: true, withSet: true, maxDepth: 4, withNullPrototype: false });
    fc.assert(
      fc.property(value, (content) => {
        expect(again({ content })).toStrictEqual({ content });
      })
    );
  });

  test('keeps shared objects and cycles', () => {
    const shared = { name: 'shared' };
    const value: Record<string, unknown> = { a: shared, b: [shared], set: new Set([shared]) };
    value.self = value;
    const { a, b, set, self } = again(value) as { a: object; b: object[]; set: Set<object>; self: object };
    expect(b[0]).toBe(a);
    expect([...set][0]).toBe(a);
    expect((self as { a: object }).a).toBe(a);
  });

  test('takes no more than its own part of a larger array', () => {
    const whole = new Uint8Array(1 << 16).fill(7);
    const bytes = encodeGraph({ part: whole.subarray(3, 8) });
    expect(bytes.length).toBeLessThan(100);
    const larger = new Uint8Array(bytes.length + 5);
    larger.set(bytes, 5);
    const { part } = decodeGraph(larger.subarray(5)) as { part: Uint8Array };
    expect(part).toEqual(Uint8Array.of(7, 7, 7, 7, 7));
    expect(part.buffer.byteLength).toBe(5);
  });

  test('can refer to objects that are not stored', () => {
    const known = [new Date(1), new Date(2)];
    const atoms = {
      pack: (object: object) => (object instanceof Date ? [known.indexOf(object)] : null),
      unpack: ([index]: readonly unknown[]) => known[index as number]!,
    };
    const decoded = decodeGraph(encodeGraph({ dates: known }, atoms), atoms) as { dates: Date[] };
    expect(decoded.dates[1]).toBe(known[1]);
    expect(() => again(known)).toThrow('an object of the class Date cannot be stored');
  });

  test('refuses functions and big integers, and bytes that are no graph', () => {
    expect(() => encodeGraph({ act: () => 1 })).toThrow('a function cannot be stored');
    expect(() => encodeGraph({ big: 1n })).toThrow('a bigint cannot be stored');
    expect(() => decodeGraph(new Uint8Array())).toThrow();
    expect(() => decodeGraph(new Uint8Array(64))).toThrow();
  });
});
