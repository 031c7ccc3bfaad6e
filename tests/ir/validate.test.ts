import { describe, expect, test } from 'vitest';
import { print, validate, type IrNode, type IrProgram } from '../../src/ir';

const program = (body: readonly IrNode[], parts: Partial<IrProgram> = {}): IrProgram => ({
  name: 'p',
  kind: 'fragment',
  values: ['f32', 'f32', 'bool'],
  variables: [{ name: 'v', type: 'u32' }],
  arrays: [],
  inputs: [],
  outputs: [{ kind: 'color', location: 0, component: 0, type: 'f32' }],
  resources: [],
  body,
  usesDiscard: false,
  usesDerivatives: false,
  ...parts,
});
const constant = (id: number, imm = 0): IrNode => ({ kind: 'op', op: 'const', results: [id], args: [], imm });
const op = (
  name: 'f32.neg' | 'var.set' | 'output' | 'f32.add' | 'emit' | 'cut' | 'dispatch',
  results: number[],
  args: number[],
  imm = 0
): IrNode => ({ kind: 'op', op: name, results, args, imm });

describe('validate', () => {
  test.each<[string, IrNode[], string]>([
    [
      'a value is defined before it is used',
      [op('f32.neg', [1], [0]), constant(0)],
      '%0 is visible where f32.neg uses it',
    ],
    ['a value is defined once', [constant(0), constant(0)], '%0 is defined once'],
    [
      'a value is not seen outside its list',
      [constant(2), { kind: 'if', condition: 2, then: [constant(0)], otherwise: [] }, op('f32.neg', [1], [0])],
      '%0 is visible',
    ],
    ['arguments have their types', [constant(2), op('f32.neg', [1], [2])], 'argument 0 of f32.neg is f32, not bool'],
    ['arguments are counted', [constant(0), op('f32.add', [1], [0])], 'f32.add has 2 arguments, not 1'],
    ['a variable has its type', [constant(0), op('var.set', [], [0])], 'var.set: variable 0 is u32, not f32'],
    ['an output exists', [constant(0), op('output', [], [0], 3)], 'output: output 3 exists'],
    ['fragment programs emit no vertices', [op('emit', [], [])], 'emit is only allowed in a geometry shader'],
    ['nor do they end strips', [op('cut', [], [])], 'cut is only allowed in a geometry shader'],
    ['what is dispatched has a mask', [op('dispatch', [], [])], 'dispatch has 1 arguments, not 0'],
    ['a leave stands in its block', [{ kind: 'leave', label: 4 }], 'leave 4 is only allowed inside that block'],
    [
      'a leave is last',
      [{ kind: 'block', label: 1, body: [{ kind: 'leave', label: 1 }, constant(0)] }],
      'a leave is the last node of its list',
    ],
    [
      'a condition is a bool',
      [constant(0), { kind: 'if', condition: 0, then: [], otherwise: [] }],
      'the condition %0 is a bool',
    ],
  ])('%s', (_, body, message) => {
    expect(() => validate(program(body))).toThrow(message);
  });
});

test('geometry programs write their outputs repeatedly, and know the vertices that they read', () => {
  const body = [constant(0), ...[1, 2].flatMap(() => [op('output', [], [0]), op('emit', [], [])]), op('cut', [], [])];
  const outputs = [{ kind: 'position', component: 0, type: 'f32' }] as const;
  const attribute = { kind: 'attribute', location: 0, component: 0, type: 'f32' } as const;
  const corners = [
    { ...attribute, corner: 0 },
    { ...attribute, corner: 1 },
  ];
  validate(program(body, { kind: 'geometry', inputs: corners, outputs }));
  validate(program([], { kind: 'primitive', corners: 2, inputs: corners }));
  const message = 'attributes of programs that take primitives, and no others, have a corner';
  expect(() => validate(program(body, { kind: 'geometry', inputs: [attribute], outputs }))).toThrow(message);
  expect(() => validate(program([], { kind: 'vertex', inputs: corners, outputs }))).toThrow(message);
});

test('print shows a program as text', () => {
  const body: IrNode[] = [
    constant(0, 0x3f800000),
    constant(2, 0xffffffff),
    op('f32.neg', [1], [0]),
    { kind: 'if', condition: 2, then: [op('output', [], [1])], otherwise: [] },
  ];
  expect(print(program(body))).toBe(`fragment p
out0 color 0.x f32
v0 v: u32
  %0: f32 = const 1.0
  %2: bool = const true
  %1: f32 = f32.neg %0
  if %2 {
    output out0, %1
  }`);
});
