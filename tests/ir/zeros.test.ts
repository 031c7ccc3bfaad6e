// Removal of additions of +0, on chains of operations that keep, create and lose the signs of zeros.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { opInfo, print, type IrNode, type IrProgram, type OpName, type ScalarType, type ValueId } from '../../src/ir';
import { dropZeroSums } from '../../src/ir/passes/zeros';
import { evaluate, hostMath, sameOutputs } from './evaluate';

const OPS: readonly OpName[] = [
  'f32.add',
  'f32.add',
  'f32.add',
  'f32.sub',
  'f32.sub',
  'f32.mul',
  'f32.div',
  'f32.min',
  'f32.max',
  'f32.neg',
  'f32.abs',
  'f32.sign',
  'f32.floor',
  'f32.ceil',
  'f32.round',
  'f32.trunc',
  'f32.fract',
  'f32.sqrt',
  'f32.lt',
  'f32.eq',
  'select',
  'f32.fromI32',
  'i32.fromF32',
  'f32.fromBool',
  'f32.pow',
];
const CONSTANTS = [0, 0, 0, 0x80000000, 0x3f800000, 0x3f000000];
const INPUTS = [0, 0, 0x80000000, 0x80000000, 0x3f800000, 0xbf800000, 0xbf000000, 0x40600000];
const COUNT = 3;

/** Three inputs, six constants, then one operation per choice; the last value and another one are outputs. */
function chain(choices: readonly number[]): IrProgram {
  const values: ScalarType[] = [];
  const body: IrNode[] = [];
  const add = (op: OpName, type: ScalarType, args: readonly ValueId[], imm = 0): void => {
    body.push({ kind: 'op', op, results: [values.push(type) - 1], args, imm });
  };
  for (let k = 0; k < COUNT; k++) add('input', 'f32', [], k);
  for (const imm of CONSTANTS) add('const', 'f32', [], imm);
  add('const', 'bool', [], 0);
  add('const', 'i32', [], 0);
  for (const choice of choices) {
    const op = OPS[choice % OPS.length]!;
    let rest = Math.floor(choice / OPS.length);
    const args = opInfo(op).args.map((type) => {
      const wanted = type === 'any' ? 'f32' : type;
      const candidates = values.flatMap((has, id) => (has === wanted ? [id] : []));
      // The latest ones are more likely.
      const late = rest % 2 === 0 ? candidates.slice(-4) : candidates;
      const picked = late[Math.floor(rest / 2) % late.length]!;
      rest = Math.floor(rest / 16);
      return picked;
    });
    const result = opInfo(op).results[0]!;
    add(op, result === 'any' ? 'f32' : (result as ScalarType), args);
  }
  const floats = values.flatMap((type, id) => (type === 'f32' ? [id] : []));
  [floats.at(-1)!, floats[floats.length >> 1]!].forEach((id, imm) =>
    body.push({ kind: 'op', op: 'output', results: [], args: [id], imm })
  );
  return {
    name: 'chain',
    kind: 'fragment',
    values,
    variables: [],
    arrays: [],
    resources: [],
    body,
    usesDiscard: false,
    usesDerivatives: false,
    inputs: Array.from({ length: COUNT }, (_, location) => ({
      kind: 'varying',
      location,
      component: 0,
      type: 'f32',
      interpolation: 'flat',
      sampling: 'center',
    })),
    outputs: [0, 1].map((location) => ({ kind: 'color', location, component: 0, type: 'f32' })),
  };
}

test('observable signs of zeros are kept', () => {
  let changed = 0;
  fc.assert(
    fc.property(fc.array(fc.nat(2 ** 30), { minLength: 2, maxLength: 14, size: 'max' }), (choices) => {
      const program = chain(choices);
      const without = dropZeroSums(program);
      if (without === program) return;
      changed++;
      for (let k = 0; k < INPUTS.length ** COUNT; k += 3) {
        const inputs = [k, Math.floor(k / 8), Math.floor(k / 64)].map((n) => INPUTS[n % 8]!);
        const [before, after] = [program, without].map((of) => evaluate(of, { inputs, math: hostMath }));
        if (!sameOutputs(program, before!, after!))
          throw new Error(
            `inputs ${inputs.join(' ')}: ${before!.outputs.join(' ')} became ${after!.outputs.join(' ')}\n`
              + `${print(program)}\n${print(without)}`
          );
      }
    }),
    { numRuns: 4000, seed: 20261120 }
  );
  expect(changed).toBeGreaterThan(500);
});
