// Alias analysis: pointers to one variable and who may use them together (WGSL §11.4.1).
import { expect, test } from 'vitest';
import { checkModule, parseModule } from '../../src/wgsl';
import { simpleMath } from './simple-math';

const DECLARED = `
  var<private> x: i32; var<private> y: i32; var<private> list: array<i32, 4>;
  struct S { a: i32, b: i32 }
  @group(0) @binding(0) var<storage, read_write> sums: array<atomic<u32>>;
  fn both_read(a: ptr<private, i32>, b: ptr<private, i32>) -> i32 { return *a + *b; }
  fn writes_one(a: ptr<private, i32>, b: ptr<private, i32>) { *a = *b; }
  fn writes_both(a: ptr<private, i32>, b: ptr<private, i32>) { *a = 1; *b = 2; }
  fn unused(a: ptr<private, i32>, b: ptr<private, i32>) { *a = 1; }
  fn through(a: ptr<private, i32>, b: ptr<private, i32>) { writes_one(a, b); }
  fn local(a: ptr<function, i32>, b: ptr<function, i32>) { *a += *b; }
  fn reads_x(p: ptr<private, i32>) -> i32 { return *p + x; }
  fn writes_and_x(p: ptr<private, i32>) { *p = x; }
  fn reads_and_writes_x(p: ptr<private, i32>) { x = *p; }
  fn through_x(p: ptr<private, i32>) { helper(); *p = 2; }
  fn helper() { _ = x; }
  fn counts(p: ptr<storage, array<atomic<u32>>, read_write>, q: ptr<storage, array<atomic<u32>>, read_write>) {
    atomicAdd(&p[0], atomicLoad(&q[1]));
  }
  fn lengths(p: ptr<storage, array<atomic<u32>>, read_write>) -> u32 { atomicAdd(&sums[0], 1u); return arrayLength(p); }
`;

function codes(body: string): string[] {
  const { module, diagnostics } = parseModule(`fn f() { ${body} } ${DECLARED}`);
  return [...diagnostics, ...checkModule(module, simpleMath).diagnostics].map(({ code }) => code);
}

test.each([
  '_ = both_read(&x, &x);',
  'writes_one(&x, &y);',
  'writes_both(&x, &y);',
  'unused(&x, &x);',
  'through(&y, &x);',
  'var a = 1; var b = 2; local(&a, &b);',
  '_ = reads_x(&x);',
  'writes_and_x(&y);',
  'reads_and_writes_x(&y);',
  '_ = lengths(&sums);',
  'let p = &x; let q = &y; writes_one(p, q);',
])('%s', (body) => {
  expect(codes(body)).toEqual([]);
});

test.each([
  'writes_one(&x, &x);',
  'writes_both(&x, &x);',
  'through(&x, &x);',
  'var a = 1; local(&a, &a);',
  'let p = &x; writes_one(p, &x);',
  'let p = &x; let q = p; writes_one(q, p);',
  'writes_one(&list[0], &list[1]);',
  'var s: S; local(&s.a, &s.b);',
  'counts(&sums, &sums);',
])('%s is rejected', (body) => {
  expect(codes(body)).toEqual(['aliased-pointers']);
});

test.each(['writes_and_x(&x);', 'reads_and_writes_x(&x);', 'through_x(&x);'])('%s is rejected: a name', (body) => {
  expect(codes(body)).toEqual(['aliased-variable']);
});
