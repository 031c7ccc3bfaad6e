// Every float operator and builtin of WGSL, from its text to the interpreter's bits, within the accuracy of §15.7.4.1.
// The front end must give the same bits when it computes them as const-expressions.
import { describe, expect, test } from 'vitest';
import { floatOf } from '../support/kernel';
import { evaluateConstant, evaluateExpressions, showSet } from './engine';
import { FLOAT_ROWS } from './floats';
import { type FloatRow } from './float-row';
import { floatSets } from './inputs';
import { measure } from './measure';

const words = (form: string): string => `bitcast<vec4u>(${form})`;

describe('accuracy within the limits of WGSL', () => {
  test.each(FLOAT_ROWS.map((row) => [row.name, row] as const))('%s', (_, row) => {
    expect(measure(row).misses).toEqual([]);
  });
});

const SETS = 10;

/** Sets spread over the row's arguments, without infinities and NaNs, which const-expressions cannot contain. */
function constantSets(row: FloatRow): (readonly number[])[][] {
  const sets = [...floatSets(row.pools, 1100), ...floatSets(row.domain ?? row.pools, 1100)].filter((set) => {
    const floats = set.map((vector) => vector.map(floatOf));
    return floats.every((v) => v.every(Number.isFinite)) && (row.constant?.(floats) ?? true);
  });
  return Array.from(
    { length: SETS },
    (_, k) => sets[Math.floor((k * sets.length) / SETS)] as (readonly number[])[]
  ).filter((set) => set !== undefined);
}

describe('const-expressions have the bits of run time', () => {
  test.each(FLOAT_ROWS.map((row) => [row.name, row] as const))('%s', (_, row) => {
    const sets = constantSets(row);
    const types = row.pools.map(() => 'vec4f');
    const [results] = evaluateExpressions([words(row.forms[0]!)], types, sets);
    let compared = 0;
    sets.forEach((set, n) => {
      const constant = evaluateConstant(words(row.forms[0]!), types, set);
      const atRunTime = results![n]!;
      const finite = atRunTime.every((word) => Number.isFinite(floatOf(word)));
      // A value that f32 cannot represent is a shader error.
      if (typeof constant === 'string') expect(finite, `${row.forms[0]!} of ${showSet(set)}: ${constant}`).toBe(false);
      else expect(constant, `${row.forms[0]!} of ${showSet(set)}`).toEqual(atRunTime);
      compared += Number(typeof constant !== 'string');
    });
    expect(compared).toBeGreaterThan(2);
  });
});
