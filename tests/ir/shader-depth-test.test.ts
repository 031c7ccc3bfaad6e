// Which shaders are recognized to have a programmable depth test.
import { describe, expect, test } from 'vitest';
import { shaderDepthTest, type IrInput, type IrNode, type OpName } from '../../src/ir';

const STORED: IrInput = { kind: 'builtin', builtin: 'sample_depth', type: 'f32' };
const OWN: IrInput = { kind: 'builtin', builtin: 'position', component: 2, type: 'f32', ofSample: true };
const DISCARD = op('discard', [], []);

function op(name: OpName, results: number[], args: number[], imm = 0): IrNode {
  return { kind: 'op', op: name, results, args, imm };
}
/** Value 0: stored depth; 1: the fragment's depth; 2: their comparison. */
const first = (compare: OpName, args = [1, 0]): IrNode[] => [
  op('input', [0], [], 0),
  op('input', [1], [], 1),
  op(compare, [2], args),
];
const on = (condition: number, then: readonly IrNode[]): IrNode => ({ kind: 'if', condition, then, otherwise: [] });
const found = (body: readonly IrNode[], inputs: readonly IrInput[] = [STORED, OWN], isSingle = false): string | null =>
  shaderDepthTest({ body, inputs }, isSingle);

describe('a depth test in a shader', () => {
  test.each([
    ['f32.ge', 'less', 'greater'],
    ['f32.gt', 'less-equal', 'greater-equal'],
    ['f32.le', 'greater', 'less'],
    ['f32.lt', 'greater-equal', 'less-equal'],
  ] as const)('%s', (compare, kept, turned) => {
    expect(found([...first(compare), on(2, [DISCARD])])).toBe(kept);
    expect(found([...first(compare, [0, 1]), on(2, [DISCARD])])).toBe(turned);
  });

  test('with other values, or at the center of a multisampled pixel, is not recognized', () => {
    const body = [...first('f32.ge'), on(2, [DISCARD])];
    const { ofSample: _, ...centre } = OWN as { ofSample?: true } & IrInput;
    expect(found([...first('f32.eq'), on(2, [DISCARD])])).toBe(null);
    expect(found([...first('f32.ge', [1, 1]), on(2, [DISCARD])])).toBe(null);
    expect(found(body, [STORED, centre])).toBe(null);
    expect(found(body, [STORED, centre], true)).toBe('less');
    expect(found(body, [STORED, { ...OWN, component: 3 } as IrInput])).toBe(null);
  });

  test('in a condition with others is recognized if any of them suffices', () => {
    const other = op('f32.lt', [3], [1, 1]);
    expect(found([...first('f32.ge'), other, op('bool.or', [4], [3, 2]), on(4, [DISCARD])])).toBe('less');
    expect(found([...first('f32.ge'), other, op('bool.and', [4], [3, 2]), on(4, [DISCARD])])).toBe(null);
    expect(found([...first('f32.ge'), op('bool.not', [4], [2]), on(4, [DISCARD])])).toBe(null);
  });

  test('that not all lanes reach is not recognized', () => {
    const other = op('f32.lt', [3], [1, 1]);
    const its = on(2, [DISCARD]);
    const leave: IrNode = { kind: 'leave', label: 7 };
    const block = (body: readonly IrNode[]): IrNode => ({ kind: 'block', label: 7, body });
    expect(found([...first('f32.ge'), other, on(3, [its])])).toBe(null);
    expect(found([...first('f32.ge'), other, block([on(3, [leave]), its])])).toBe(null);
    expect(found([...first('f32.ge'), other, block([its, on(3, [leave])])])).toBe('less');
    expect(found([...first('f32.ge'), other, block([on(3, [leave])]), its])).toBe('less');
    expect(found([...first('f32.ge'), other, { kind: 'loop', label: 8, body: [block([on(3, [leave]), its])] }])).toBe(
      null
    );
  });

  test('with effects visible to others is not recognized', () => {
    expect(found([...first('f32.ge'), op('storage.store', [], [0, 0], 0), on(2, [DISCARD])])).toBe(null);
  });
});
