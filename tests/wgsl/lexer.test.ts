// Tokens, and where template lists begin and end (WGSL §3.9): the cases of the specification and its neighbours.

import { describe, expect, it } from 'vitest';
import { tokenize, TokenKind } from '../../src/wgsl/lexer';
import { Reporter } from '../../src/wgsl/messages';

/** Token texts; the brackets of template lists as ⟨ and ⟩. */
function tokens(source: string): string {
  const report = new Reporter();
  const { kinds, texts } = tokenize(source, report);
  expect(report.diagnostics).toEqual([]);
  expect(kinds[kinds.length - 1]).toBe(TokenKind.End);
  return [...kinds.slice(0, -1)]
    .map((kind, i) => (kind === TokenKind.TemplateOpen ? '⟨' : kind === TokenKind.TemplateClose ? '⟩' : texts[i]!))
    .join(' ');
}

describe('template lists', () => {
  it.each([
    ['A<B>', 'A ⟨ B ⟩'], ['A<B>C', 'A ⟨ B ⟩ C'], ['A<B<C>>', 'A ⟨ B ⟨ C ⟩ ⟩'], ['A<B<C<D>>>', 'A ⟨ B ⟨ C ⟨ D ⟩ ⟩ ⟩'],
    ['a < b', 'a < b'], ['a < b && c > d', 'a < b && c > d'], ['a < b || c > d', 'a < b || c > d'],
    ['a<b; c>d', 'a < b ; c > d'], ['A<(B>C)>', 'A ⟨ ( B > C ) ⟩'], ['A<(B>=C)>', 'A ⟨ ( B >= C ) ⟩'],
    ['A<(B!=C)>', 'A ⟨ ( B != C ) ⟩'], ['A<(B==C)>', 'A ⟨ ( B == C ) ⟩'], ['A<B[C>D]>', 'A ⟨ B [ C > D ] ⟩'],
    ['(A<B)>C', '( A < B ) > C'], ['A[B<C]>D', 'A [ B < C ] > D'], ['A<B=C>', 'A < B = C >'],
    ['A<B+=C>', 'A < B += C >'], ['A<B<<C>', 'A ⟨ B << C ⟩'], ['A<B<=C>', 'A ⟨ B <= C ⟩'],
    ['A<B && C>D>', 'A < B && C > D >'], ['vec3<f32>(1)>=x', 'vec3 ⟨ f32 ⟩ ( 1 ) >= x'],
    ['array<i32,select(2,3,a>b)>', 'array ⟨ i32 , select ( 2 , 3 , a > b ) ⟩'],
    ['var<storage,read_write>x', 'var ⟨ storage , read_write ⟩ x'], ['a>>b', 'a >> b'], ['a>>=b', 'a >>= b'],
    ['A<B>>=c', 'A ⟨ B ⟩ >= c'], ['if (a < b) { c >d; }', 'if ( a < b ) { c > d ; }'], ['A /* x */ <B>', 'A ⟨ B ⟩'],
    ['1<b>c', '1 < b > c'],
  ])('%s', (source, expected) => expect(tokens(source)).toBe(expected));
});

describe('tokens', () => {
  it.each([
    ['a+++b', 'a ++ + b'], ['a---b', 'a -- - b'], ['->x', '-> x'], ['a&&&b', 'a && & b'], ['x.y', 'x . y'],
    ['1.5.x', '1.5 . x'], ['_x _ _1', '_x _ _1'], ['größe été', 'größe été'], ['a\u2028b//c\u0085d', 'a b d'],
    ['/*/**/*/a', 'a'], ['0x1p-2f 1e+5 .5', '0x1p-2f 1e+5 .5'], ['', ''],
  ])('%s', (source, expected) => expect(tokens(source)).toBe(expected));
});

describe('number literals', () => {
  it.each([
    ['0', 'abstract-int', 0n], ['42u', 'u32', 42], ['0x7fffffffi', 'i32', 0x7fffffff], ['1.5', 'abstract-float', 1.5],
    ['0.1f', 'f32', Math.fround(0.1)], ['0x1.fp3', 'abstract-float', 15.5], ['0x.1', 'abstract-float', 0.0625],
    ['0xA.p0f', 'f32', 10], ['1e-45f', 'f32', 2 ** -149], ['0x1p-1074', 'abstract-float', 5e-324],
    ['0x0.0000000000000000000001p90', 'abstract-float', 4],
    ['9223372036854775807', 'abstract-int', 9223372036854775807n], ['0f', 'f32', 0],
    ['1h', 'f16', 1], ['0.1h', 'f16', 0.0999755859375], ['6e-8h', 'f16', 2 ** -24], ['0x1.8p3h', 'f16', 12],
  ])('%s', (source, type, value) => {
    const report = new Reporter();
    expect(tokenize(source, report).numbers.get(0)).toEqual({ type, value });
    expect(report.diagnostics).toEqual([]);
  });

  it.each([
    ['00', 'leading-zero'], ['1x', 'invalid-number'], ['1.5i', 'invalid-number'], ['0x', 'invalid-number'],
    ['2147483648i', 'literal-out-of-range'], ['9223372036854775808', 'literal-out-of-range'],
    ['1e400', 'literal-out-of-range'], ['0x1p128f', 'literal-out-of-range'], ['0x1p1024', 'literal-out-of-range'],
    ['0x1.00000000000001p0', 'literal-not-exact'], ['0x1p-1075', 'literal-not-exact'],
    ['0x1p999999999999', 'literal-out-of-range'], ['65520h', 'literal-out-of-range'],
    ['0x1.001p0h', 'literal-not-exact'],
  ])('%s is refused', (source, code) => {
    const report = new Reporter();
    tokenize(source, report);
    expect(report.diagnostics.map((d) => d.code)).toEqual([code]);
  });
});
