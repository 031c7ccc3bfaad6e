// WGSL's numeric built-in functions, called by the kit, against the accuracy that the specification requires. The rows
// are those of tests/wgsl-accuracy, whose own tests compare engines without a device.
import { describe, expect, test } from 'vitest';
import { wgsl } from '../../src/test-kit/testing';
import { SIGNATURES } from '../../src/wgsl/builtin-table';
import { specialBuiltinNames } from '../../src/wgsl/resolve/special-builtins';
import { floatOf } from '../support/kernel';
import { showSet, type Arguments } from '../wgsl-accuracy/engine';
import { FLOAT_ROWS } from '../wgsl-accuracy/floats';
import { floatSets, wordSets } from '../wgsl-accuracy/inputs';
import { INTEGER_ROWS } from '../wgsl-accuracy/integers';
import { missOf } from '../wgsl-accuracy/measure';

/** Built-in functions without results to measure, and where they are tested. */
const ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/^texture/, 'reads, writes or describes a texture: tests/texture, and tests/test-kit/resources.test.ts'],
  [/^(dpd[xy]|fwidth)/, 'depends on neighbours: tests/test-kit/resources.test.ts'],
  [/^(storage|texture|workgroup)Barrier$|^workgroupUniformLoad$/, 'has no number as result: tests/compute'],
  [/^(subgroup|quad)/, 'combines invocations: tests/compute/subgroups.test.ts'],
  [/^atomic/, 'works on memory, exactly: tests/compute'],
  [/^(arrayLength|bufferLength)$/, 'describes a buffer: tests/compute'],
  [/^(emitVertex|endStrip|dispatchSamples)$/, 'ends an invocation of a stage: tests/mpipe'],
];
const NAMES = [...SIGNATURES.keys(), ...specialBuiltinNames()].filter(
  (name) => !ELSEWHERE.some(([pattern]) => pattern.test(name))
);
const calls = (form: string): string[] => [...form.matchAll(/\b(\w+)\(/g)].map((found) => found[1]!);
const isOfBuiltin = ({ forms }: { readonly forms: readonly string[] }): boolean =>
  calls(forms[0]!).some((name) => NAMES.includes(name));
const FLOATS = FLOAT_ROWS.filter((row) => isOfBuiltin(row) || row.name.includes('matrix'));
const INTEGERS = INTEGER_ROWS.filter(isOfBuiltin);

const PARAMETERS = ['a', 'b', 'c', 'd'];
/** Evaluates an expression of the type vec4u in a, b, c and d, once per set of their words. */
async function evaluate(expression: string, types: readonly string[], sets: readonly Arguments[]): Promise<number[][]> {
  const names = PARAMETERS.slice(0, types.length);
  const parameters = names.map((name) => `${name}_: vec4u`).join(', ');
  const values = names.map((name, k) => `let ${name} = bitcast<${types[k]!}>(${name}_);`).join(' ');
  const { batch } = wgsl(`fn row(${parameters}) -> vec4u { ${values} return ${expression}; }`).function<number[]>(
    'row'
  );
  return batch(sets);
}

describe('has the accuracy that WGSL requires', () => {
  test.each(FLOATS.map((row) => [row.name, row] as const))('%s', async (_, row) => {
    const sets = floatSets(row.pools, 400);
    const types = row.pools.map(() => 'vec4f');
    const results = await evaluate(`bitcast<vec4u>(${row.forms[0]!})`, types, sets);
    const wrong = sets.flatMap((set, n) => {
      const args = set.map((vector) => vector.map(floatOf));
      return results[n]!.flatMap((word, c) => {
        const miss = missOf(row, args, c, floatOf(word), row.exact(args, c));
        return miss === null
          ? []
          : [`${row.forms[0]!} of ${args.join(' | ')}, component ${c}, ${floatOf(word)} ${miss}`];
      });
    });
    expect(wrong.slice(0, 5)).toEqual([]);
  });
});

describe('is exact', () => {
  test.each(INTEGERS.map((row) => [row.name, row] as const))('%s', async (_, row) => {
    const sets = row.floats
      ? floatSets(
          row.types.map(() => () => true),
          384
        )
      : wordSets(row.types.length, 384);
    const results = await evaluate(row.forms[0]!, row.types, sets);
    sets.forEach((set, n) => expect(results[n], `${row.forms[0]!} of ${showSet(set)}`).toEqual(row.exact(...set)));
  });
});

test('every built-in function of the front end has a row, or a named reason', () => {
  const tested = new Set([...FLOATS, ...INTEGERS].flatMap(({ forms }) => calls(forms[0]!)));
  expect(NAMES.filter((name) => !tested.has(name))).toEqual([]);
  const all = [...SIGNATURES.keys(), ...specialBuiltinNames()];
  expect(ELSEWHERE.filter(([pattern]) => !all.some((name) => pattern.test(name)))).toEqual([]);
});
