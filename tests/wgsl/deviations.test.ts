// Small rules of the language: for each, a valid and an invalid shader.

import { describe, expect, it } from 'vitest';
import { checkModule, parseModule } from '../../src/wgsl';
import { simpleMath } from './simple-math';

function codesOf(source: string): string[] {
  const { module, diagnostics } = parseModule(source);
  return [...diagnostics, ...checkModule(module, simpleMath).diagnostics]
    .filter(({ severity }) => severity === 'error')
    .map(({ code }) => code);
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
  'arrays of one override are of one type': `
    override n = 4; var<workgroup> a: array<u32, n>; fn g(p: ptr<workgroup, array<u32, n>>) { (*p)[0] = 1; }
     fn f() { g(&a); }`,
  'storage textures that are read': 'requires readonly_and_readwrite_storage_textures;',
  'locals with the names of words that templates of the module have': `
    @group(0) @binding(0) var<storage, read_write> a: i32;
    @group(0) @binding(1) var t: texture_storage_2d<r32float, write>;
     fn f(read_write: i32, r32float: i32) { let storage = read_write; let write = r32float; a = storage + write; }`,
  'pointers to what has no size of its own': `
    fn f(a: ptr<workgroup, array<u32>>, b: ptr<uniform, array<vec4f>>, c: ptr<storage, array<atomic<u32>>,
      read_write>) {
    }
  `,
  'atomicLoad as a statement':
    '@group(0) @binding(0) var<storage, read_write> a: atomic<u32>; fn f() { atomicLoad(&a); }',
  'bitcast of an abstract integer that is a u32':
    'const_assert bitcast<u32>(4294967295) == 4294967295u; const_assert all(bitcast<vec2u>(vec2(4294967295, '
    + '1)) == vec2u(4294967295, 1));',
  'the angle of no direction': 'const_assert atan2(0.0, 0.0) == 0.0; const a = atan2(vec2(0, 1), vec2(0, 0));',
  'the largest half in a word': 'const_assert pack2x16float(vec2f(65504, -65504)) == 0xfbff7bffu;',
  'errors that are not evaluated, in values and not in types':
    'const a = false && (sqrt(-1.0) > 0); const b = true || (pack2x16float(vec2(65505.0, 0)) > 2);',
  'workgroupUniformLoad of an atomic, and of a struct': `
    struct S { a: vec2u, b: array<u32, 3> } var<workgroup> s: S; var<workgroup> a: atomic<u32>;
    @compute @workgroup_size(1) fn f() { let x = workgroupUniformLoad(&s).b[1] + workgroupUniformLoad(&a); }`,
  'immediate data of structs, vectors and matrices':
    'requires immediate_address_space; struct S { a: vec4f, m: mat2x2f } struct T { s: S } var<immediate> t: T;',
  'storage textures that vertex stages read': `
    @group(0) @binding(0) var t: texture_storage_2d<r32uint, read>;
    @vertex fn v() -> @builtin(position) vec4f { return vec4f(textureLoad(t, vec2u())); }`,
  'pointers of unreachable statements that do not alias': `
    fn g(a: ptr<function, i32>, b: ptr<function, i32>) { return; *a = *b; } fn f() { var x = 1; var y = 2; g(&x, &y); }
  `,
  'powers of positive numbers': 'const a = pow(2.0, 3.0) + pow(0.0, 0.5);',
};
const invalid: Readonly<Record<string, [string, string]>> = {
  '@invariant()': ['struct S { @builtin(position) @invariant() p: vec4f }', 'argument-count'],
  '@fragment()': ['@fragment() fn f() {}', 'argument-count'],
  'a NUL in a line comment': ['// \0\n', 'invalid-character'],
  'a NUL in a block comment': ['/* \0 */', 'invalid-character'],
  'two severities of a rule': [
    'diagnostic(off, derivative_uniformity); diagnostic(info, derivative_uniformity);',
    'diagnostic-conflict',
  ],
  'a rule twice at one place': [`${OFF} ${OFF} ${fn('')}`, 'duplicate-attribute'],
  'a rule twice before a block': [fn(`${OFF} ${OFF} { }`), 'duplicate-attribute'],
  'nested arrays of an override': ['override n = 4; var<workgroup> a: array<array<u32, n>, 2>;', 'array-element-type'],
  'arrays of different overrides': [
    `override n = 4; override m = 4; var<workgroup> a: array<u32, m>;
     fn g(p: ptr<workgroup, array<u32, n>>) { (*p)[0] = 1; } fn f() { g(&a); }`,
    'type-mismatch',
  ],
  'normalize that overflows': ['const a = normalize(vec2f(1e30, 1e30));', 'not-finite'],
  'pow of a negative number': ['const a = pow(-2.0, 2.0);', 'not-finite'],
  'pow of zero': ['const a = pow(0.0, 0.0);', 'not-finite'],
  'pow that overflows': ['const a = pow(1e30f, 2f);', 'not-finite'],
  'pack2x16float that overflows': ['const a = pack2x16float(vec2f(65505, 0));', 'half-range'],
  'quantizeToF16 that overflows': ['const a = quantizeToF16(-65505.0);', 'half-range'],
  'bitcast of an abstract integer that is no u32': ['const a = bitcast<u32>(-1);', 'not-representable'],
  'bitcast of an abstract integer that is no i32': ['const a = bitcast<i32>(4294967295);', 'not-representable'],
  'an error in a type that is not evaluated': ['const a = false && array<bool, u32(sqrt(-1))>()[0];', 'not-finite'],
  'an error in a type, within what is not evaluated': [
    'const a = true || vec3<bool>(false, array<bool, u32(1 / 0)>()[0], true).x;',
    'division-by-zero',
  ],
  'workgroupUniformLoad of a struct with an atomic': [
    `struct S { a: atomic<u32> } var<workgroup> s: S;
     @compute @workgroup_size(1) fn f() { let x = workgroupUniformLoad(&s); }`,
    'no-overload',
  ],
  'workgroupUniformLoad of an array of an override': [
    `override n = 3; var<workgroup> a: array<u32, n>;
     @compute @workgroup_size(1) fn f() { let x = workgroupUniformLoad(&a); }`,
    'no-overload',
  ],
  'immediate data that are an array': [
    'requires immediate_address_space; var<immediate> a: array<u32, 4>;',
    'store-type',
  ],
  'immediate data with an array inside': [
    'requires immediate_address_space; struct S { a: array<u32, 4> } struct T { s: S } var<immediate> t: T;',
    'store-type',
  ],
  '@size of a runtime-sized array': [
    'struct S { @size(64) a: array<u32> } @group(0) @binding(0) var<storage> s: S;',
    'member-size-open',
  ],
  'storage textures that vertex stages read and write': [
    `@group(0) @binding(0) var t: texture_storage_2d<r32uint, read_write>;
     @vertex fn v() -> @builtin(position) vec4f { return vec4f(textureLoad(t, vec2u())); }`,
    'stage-not-allowed',
  ],
  'workgroup variables of vertex stages': [
    'var<workgroup> w: u32; @vertex fn v() -> @builtin(position) vec4f { _ = w; return vec4f(); }',
    'stage-not-allowed',
  ],
  'workgroup variables that a fragment stage has in a function': [
    'var<workgroup> w: array<u32, 4>; fn g() { w[1] = 2; } @fragment fn f() { if (false) { g(); } }',
    'stage-not-allowed',
  ],
  'pointers to workgroup variables in a fragment stage': [
    'var<workgroup> w: array<u32, 4>; @fragment fn f() { let p = &w; }',
    'stage-not-allowed',
  ],
  'pointers that alias in what is never reached': [
    'fn g(a: ptr<function, i32>, b: ptr<function, i32>) { return; *a = *b; } fn f() { var x = 1; g(&x, &x); }',
    'aliased-pointers',
  ],
  'a variable that aliases behind a break': [
    'var<private> p: i32; fn g(a: ptr<private, i32>) { loop { break; *a = p; } } fn f() { g(&p); }',
    'aliased-variable',
  ],
  'exp that overflows f32': ['const a: f32 = exp(100.0);', 'not-representable'],
};

describe('valid', () => {
  it.each(Object.entries(valid))('%s', (_, source) => expect(codesOf(source)).toEqual([]));
});
describe('an unknown diagnostic rule', () => {
  it.each([
    '@diagnostic(off, some_rule) fn f() {}',
    'fn f() { @diagnostic(off, some_rule) if (true) {} }',
    'diagnostic(off, some_rule);',
  ])('is a warning in %s', (source) => {
    const { module } = parseModule(source);
    const { diagnostics } = checkModule(module, simpleMath);
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([['unknown-diagnostic-rule', 'warning']]);
  });
});
describe('invalid', () => {
  it.each(Object.entries(invalid))('%s', (_, [source, code]) => expect(codesOf(source)).toContain(code));
});
