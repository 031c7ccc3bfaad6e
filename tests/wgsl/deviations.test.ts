// Small rules of the language, each broken once and kept once.

import { describe, expect, it } from 'vitest';
import { checkModule, parseModule } from '../../src/wgsl';
import { simpleMath } from './simple-math';

function codesOf(source: string): string[] {
  const { module, diagnostics } = parseModule(source);
  return [...diagnostics, ...checkModule(module, simpleMath).diagnostics]
    .filter(({ severity }) => severity === 'error').map(({ code }) => code);
}

const OFF = '@diagnostic(off, derivative_uniformity)';
const fn = (body: string): string => `fn f() { ${body} }`;

const valid: Readonly<Record<string, string>> = {
  'a--b is a minus the negative of b': 'const_assert 5--3 == 8; const_assert 5 - -3 * 2 == 11; const_assert --4 == 4;',
  'a--b of names': `const a = 1; const b = 2; const_assert a--b == 3; const_assert a---b == -1;`,
  'a step is still a step': fn('var i = 3; i--; for (; i > 0; i--) {}'),
  'a diagnostic for each rule': `@diagnostic(off, derivative_uniformity) @diagnostic(off, my.rule) ${fn('')}`,
  'the same severity again': 'diagnostic(off, derivative_uniformity); diagnostic(off, derivative_uniformity);',
  'another severity inside': `${OFF} ${fn('@diagnostic(error, derivative_uniformity) { }')}`,
  'arrays of one override are of one type':
    `override n = 4; var<workgroup> a: array<u32, n>; fn g(p: ptr<workgroup, array<u32, n>>) { (*p)[0] = 1; }
     fn f() { g(&a); }`,
  'storage textures that are read': 'requires readonly_and_readwrite_storage_textures;',
  'locals with the names of words that templates of the module have':
    `@group(0) @binding(0) var<storage, read_write> a: i32; @group(0) @binding(1) var t: texture_storage_2d<r32float, write>;
     fn f(read_write: i32, r32float: i32) { let storage = read_write; let write = r32float; a = storage + write; }`,
  'pointers to what has no size of its own':
    'fn f(a: ptr<workgroup, array<u32>>, b: ptr<uniform, array<vec4f>>, c: ptr<storage, array<atomic<u32>>, read_write>) {}',
  'powers of positive numbers': 'const a = pow(2.0, 3.0) + pow(0.0, 0.5);',
};
const invalid: Readonly<Record<string, [string, string]>> = {
  '@invariant()': ['struct S { @builtin(position) @invariant() p: vec4f }', 'argument-count'],
  '@fragment()': ['@fragment() fn f() {}', 'argument-count'],
  'a NUL in a line comment': ['// \0\n', 'invalid-character'],
  'a NUL in a block comment': ['/* \0 */', 'invalid-character'],
  'two severities of a rule': [
    'diagnostic(off, derivative_uniformity); diagnostic(info, derivative_uniformity);', 'diagnostic-conflict',
  ],
  'a rule twice at one place': [`${OFF} ${OFF} ${fn('')}`, 'duplicate-attribute'],
  'a rule twice before a block': [fn(`${OFF} ${OFF} { }`), 'duplicate-attribute'],
  'nested arrays of an override': ['override n = 4; var<workgroup> a: array<array<u32, n>, 2>;', 'array-element-type'],
  'arrays of different overrides': [
    `override n = 4; override m = 4; var<workgroup> a: array<u32, m>;
     fn g(p: ptr<workgroup, array<u32, n>>) { (*p)[0] = 1; } fn f() { g(&a); }`, 'type-mismatch',
  ],
  'normalize that overflows': ['const a = normalize(vec2f(1e30, 1e30));', 'not-finite'],
  'pow of a negative number': ['const a = pow(-2.0, 2.0);', 'not-finite'],
  'pow of zero': ['const a = pow(0.0, 0.0);', 'not-finite'],
  'pow that overflows': ['const a = pow(1e30f, 2f);', 'not-finite'],
  'pack2x16float that overflows': ['const a = pack2x16float(vec2f(65520, 0));', 'not-finite'],
  'exp that overflows f32': ['const a: f32 = exp(100.0);', 'not-representable'],
};

describe('valid', () => {
  it.each(Object.entries(valid))('%s', (_, source) => expect(codesOf(source)).toEqual([]));
});
describe('invalid', () => {
  it.each(Object.entries(invalid))('%s', (_, [source, code]) => expect(codesOf(source)).toContain(code));
});
