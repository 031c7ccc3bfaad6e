// The limits of shaders (WGSL §2.4): modules exactly at each limit, and one beyond.

import { describe, expect, it } from 'vitest';
import { checkModule, parseModule } from '../../src/wgsl';
import { simpleMath } from './simple-math';

function messages(source: string): string[] {
  const { module, diagnostics } = parseModule(source);
  return [...diagnostics, ...checkModule(module, simpleMath).diagnostics]
    .filter(({ severity }) => severity === 'error')
    .map(({ code, message }) => `${code}: ${message}`);
}

const list = (count: number, write: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => write(i)).join('');
const nested =
  (open: string, close: string) =>
  (count: number): string =>
    `fn f() { var x = 0; ${open.repeat(count)} x += 1; ${close.repeat(count)} }`;
const arrays =
  (of: string) =>
  (levels: number): string =>
    `var<private> a: ${'array<'.repeat(levels)}${of}${', 1>'.repeat(levels)};`;

const BRACES = 'braces-too-deep: statements in braces nest deeper than 127 levels';
const TYPES = 'type-too-deep: types nest deeper than 15 levels';

const limits: Readonly<Record<string, [(count: number) => string, number, string]>> = {
  'nested blocks': [nested('{', '}'), 127, BRACES],
  'nested if': [nested('if x < 9 {', '}'), 127, BRACES],
  'nested else': [nested('if x < 9 {} else {', '}'), 127, BRACES],
  'nested loop': [nested('loop { if x < 9 { break; }', '}'), 126, BRACES],
  'nested for': [nested('for (var i = 0; i < 2; i++) {', '}'), 127, BRACES],
  'nested while': [nested('while x < 9 {', '}'), 127, BRACES],
  'nested switch': [nested('switch x { default {', '}}'), 127, BRACES],
  'nested continuing': [nested('loop { if x < 9 { break; } continuing {', '}}'), 63, BRACES],
  parameters: [
    (count) => `fn f(${list(count, (i) => `p${i}: i32,`)}) {}`,
    255,
    "too-many-parameters: function 'f' has more than 255 parameters",
  ],
  'arrays of scalars': [arrays('f32'), 15, TYPES],
  'arrays of vectors': [arrays('vec2f'), 14, TYPES],
  'arrays of matrices': [arrays('mat2x2f'), 13, TYPES],
  'struct members': [
    (count) => `struct S { ${list(count, (i) => `m${i}: f32,`)} }`,
    1023,
    "too-many-members: struct 'S' has more than 1023 members",
  ],
  'case values': [
    (count) => `fn f(x: i32) { switch x { case ${list(count - 2, (i) => `${i},`)} {} case -1, default, -2 {} } }`,
    1023,
    'too-many-case-values: a switch can have at most 1023 case values',
  ],
  'elements of an array': [
    (count) => `const a = array<i32, ${count}>(${list(count, (i) => `${i},`)});`,
    2047,
    'too-many-elements: an array constructor takes at most 2047 elements, found 2048: '
      + 'assign the others one by one',
  ],
  'elements of an array whose type is inferred': [
    (count) => `fn f(x: i32) { let a = array(${list(count, () => 'x,')}); }`,
    2047,
    'too-many-elements: an array constructor takes at most 2047 elements, found 2048: '
      + 'assign the others one by one',
  ],
};

describe.each(Object.entries(limits))('%s', (_, [write, limit, message]) => {
  it(`${limit} are accepted`, () => expect(messages(write(limit))).toEqual([]));
  it('one more is rejected', () => expect(messages(write(limit + 1))).toContain(message));
});

it('the nesting of one function does not count for the next', () => {
  const f = nested('if x < 9 {', '}')(127);
  expect(messages(f + f.replace('fn f', 'fn g'))).toEqual([]);
});

it('an expression may be as deep within nested statements as outside', () => {
  const deep = `${'abs('.repeat(150)}x${')'.repeat(150)}`;
  expect(messages(nested('if x < 9 {', '}')(127).replace('x += 1', `x += ${deep}`))).toEqual([]);
});
