// Integers, bools, bits, packing and conversions, from WGSL's text to the interpreter's bits, and as const-expressions:
// exact.
import { describe, expect, test } from 'vitest';
import { SIGNATURES } from '../../src/wgsl/builtin-table';
import { floatOf } from '../support/kernel';
import { evaluateConstant, evaluateExpressions, showSet, type Arguments } from './engine';
import { FLOAT_ROWS } from './floats';
import { any, floatSets, wordSets } from './inputs';
import { INTEGER_ROWS } from './integers';
import { type IntegerRow } from './integer-row';

const setsOf = (row: IntegerRow, count: number): Arguments[] =>
  row.floats
    ? floatSets(
        row.types.map(() => any),
        count
      )
    : wordSets(row.types.length, count);

describe('exact at run time', () => {
  test.each(INTEGER_ROWS.map((row) => [row.name, row] as const))('%s', (_, row) => {
    const sets = setsOf(row, 384);
    const results = evaluateExpressions(row.forms, row.types, sets);
    sets.forEach((set, n) => {
      const exact = row.exact(...set);
      results.forEach((list, k) => {
        if (list[n]!.some((word, c) => word !== exact[c]))
          expect(list[n], `${row.forms[k]!} of ${showSet(set)}`).toEqual(exact);
      });
    });
  });
});

describe('exact in const-expressions', () => {
  test.each(INTEGER_ROWS.map((row) => [row.name, row] as const))('%s', (_, row) => {
    const usable = setsOf(row, 1500).filter(
      (set) =>
        (row.constant?.(...set) ?? true)
        && (!row.floats || set.every((v) => v.every((x) => Number.isFinite(floatOf(x)))))
    );
    expect(usable.length).toBeGreaterThan(2);
    const step = Math.max(1, Math.floor(usable.length / 10));
    for (let n = 0; n < usable.length; n += step) {
      const set = usable[n]!;
      expect(evaluateConstant(row.forms[0]!, row.types, set), `${row.forms[0]!} of ${showSet(set)}`).toEqual(
        row.exact(...set)
      );
    }
  });
});

test('every numeric builtin has a row', () => {
  const tested = [...FLOAT_ROWS, ...INTEGER_ROWS].flatMap(({ forms }) => forms).join(' ');
  // For subgroups and quads see tests/compute/subgroups.test.ts.
  const elsewhere = /^(texture|dpd|fwidth|storageBarrier|workgroup|subgroup|quad)/;
  expect([...SIGNATURES.keys()].filter((name) => !elsewhere.test(name) && !tested.includes(`${name}(`))).toEqual([]);
});
