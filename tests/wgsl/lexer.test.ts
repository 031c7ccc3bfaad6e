// Tokens, and the bounds of template lists (WGSL §3.9): the cases of the specification and similar ones.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TOKEN_END, TOKEN_TEMPLATE_CLOSE, TOKEN_TEMPLATE_OPEN } from '../../assembly/layout/text-codes';
import { tokenize } from '../../src/wgsl/lexer';
import { Reporter } from '../../src/wgsl/messages';

/** Texts of tokens; the brackets of template lists as ⟨ and ⟩. */
function tokens(source: string): string {
  const report = new Reporter();
  const { kinds, texts } = tokenize(source, report);
  expect(report.diagnostics).toEqual([]);
  expect(kinds[kinds.length - 1]).toBe(TOKEN_END);
  return [...kinds.slice(0, -1)]
    .map((kind, i) => (kind === TOKEN_TEMPLATE_OPEN ? '⟨' : kind === TOKEN_TEMPLATE_CLOSE ? '⟩' : texts[i]!))
    .join(' ');
}

describe('template lists', () => {
  it.each([
    ['A<B>', 'A ⟨ B ⟩'],
    ['A<B>C', 'A ⟨ B ⟩ C'],
    ['A<B<C>>', 'A ⟨ B ⟨ C ⟩ ⟩'],
    ['A<B<C<D>>>', 'A ⟨ B ⟨ C ⟨ D ⟩ ⟩ ⟩'],
    ['a < b', 'a < b'],
    ['a < b && c > d', 'a < b && c > d'],
    ['a < b || c > d', 'a < b || c > d'],
    ['a<b; c>d', 'a < b ; c > d'],
    ['A<(B>C)>', 'A ⟨ ( B > C ) ⟩'],
    ['A<(B>=C)>', 'A ⟨ ( B >= C ) ⟩'],
    ['A<(B!=C)>', 'A ⟨ ( B != C ) ⟩'],
    ['A<(B==C)>', 'A ⟨ ( B == C ) ⟩'],
    ['A<B[C>D]>', 'A ⟨ B [ C > D ] ⟩'],
    ['(A<B)>C', '( A < B ) > C'],
    ['A[B<C]>D', 'A [ B < C ] > D'],
    ['A<B=C>', 'A < B = C >'],
    ['A<B+=C>', 'A < B += C >'],
    ['A<B<<C>', 'A ⟨ B << C ⟩'],
    ['A<B<=C>', 'A ⟨ B <= C ⟩'],
    ['A<B && C>D>', 'A < B && C > D >'],
    ['vec3<f32>(1)>=x', 'vec3 ⟨ f32 ⟩ ( 1 ) >= x'],
    ['array<i32,select(2,3,a>b)>', 'array ⟨ i32 , select ( 2 , 3 , a > b ) ⟩'],
    ['var<storage,read_write>x', 'var ⟨ storage , read_write ⟩ x'],
    ['a>>b', 'a >> b'],
    ['a>>=b', 'a >>= b'],
    ['A<B>>=c', 'A ⟨ B ⟩ >= c'],
    ['if (a < b) { c >d; }', 'if ( a < b ) { c > d ; }'],
    ['A /* x */ <B>', 'A ⟨ B ⟩'],
    ['1<b>c', '1 < b > c'],
  ])('%s', (source, expected) => expect(tokens(source)).toBe(expected));
});

describe('tokens', () => {
  it.each([
    ['a+++b', 'a ++ + b'],
    ['a---b', 'a -- - b'],
    ['->x', '-> x'],
    ['a&&&b', 'a && & b'],
    ['x.y', 'x . y'],
    ['1.5.x', '1.5 . x'],
    ['_x _ _1', '_x _ _1'],
    ['größe été', 'größe été'],
    ['a\u2028b//c\u0085d', 'a b d'],
    ['/*/**/*/a', 'a'],
    ['0x1p-2f 1e+5 .5', '0x1p-2f 1e+5 .5'],
    ['', ''],
  ])('%s', (source, expected) => expect(tokens(source)).toBe(expected));
});

describe('number literals', () => {
  it.each([
    ['0', 'abstract-int', 0n],
    ['42u', 'u32', 42],
    ['0x7fffffffi', 'i32', 0x7fffffff],
    ['1.5', 'abstract-float', 1.5],
    ['0.1f', 'f32', Math.fround(0.1)],
    ['0x1.fp3', 'abstract-float', 15.5],
    ['0x.1', 'abstract-float', 0.0625],
    ['0xA.p0f', 'f32', 10],
    ['1e-45f', 'f32', 2 ** -149],
    ['0x1p-1074', 'abstract-float', 5e-324],
    ['0x0.0000000000000000000001p90', 'abstract-float', 4],
    ['9223372036854775807', 'abstract-int', 9223372036854775807n],
    ['0f', 'f32', 0],
    ['1h', 'f16', 1],
    ['0.1h', 'f16', 0.0999755859375],
    ['6e-8h', 'f16', 2 ** -24],
    ['0x1.8p3h', 'f16', 12],
  ])('%s', (source, type, value) => {
    const report = new Reporter();
    expect(tokenize(source, report).numbers.get(0)).toEqual({ type, value });
    expect(report.diagnostics).toEqual([]);
  });

  it.each([
    ['00', 'leading-zero'],
    ['1x', 'invalid-number'],
    ['1.5i', 'invalid-number'],
    ['0x', 'invalid-number'],
    ['2147483648i', 'literal-out-of-range'],
    ['9223372036854775808', 'literal-out-of-range'],
    ['1e400', 'literal-out-of-range'],
    ['0x1p128f', 'literal-out-of-range'],
    ['0x1p1024', 'literal-out-of-range'],
    ['0x1.00000000000001p0', 'literal-not-exact'],
    ['0x1p-1075', 'literal-not-exact'],
    ['0x1p999999999999', 'literal-out-of-range'],
    ['65520h', 'literal-out-of-range'],
    ['0x1.001p0h', 'literal-not-exact'],
  ])('%s is rejected', (source, code) => {
    const report = new Reporter();
    tokenize(source, report);
    expect(report.diagnostics.map((d) => d.code)).toEqual([code]);
  });
});

describe('texts of any length', () => {
  const BLANKS = [' ', '\n', '\t', '\u2028', '// ü <\n', '/* a /* < */ b */', '\r\n', '/**/'];
  const PIECES = [
    'a',
    'fn',
    'x1',
    '_y',
    'größe',
    'été',
    'Δ',
    'longer_than_most_names_of_a_shader',
    '1',
    '2.5',
    '0x1fu',
    '1e-3f',
    '.5h',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '<',
    '>',
    '<<=',
    '>>',
    '==',
    '->',
    '&&',
    '@',
    ';',
    ':',
    ',',
    '--',
    '+=',
    '^',
    '%=',
  ];

  it('are split where they were joined', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...PIECES), fc.constantFrom(...BLANKS)), { maxLength: 400 }),
        fc.boolean(),
        (pieces, isAscii) => {
          const chosen = isAscii ? pieces.map(([piece, blank]) => [ascii(piece), ascii(blank)] as const) : pieces;
          const report = new Reporter();
          const { texts, starts, ends } = tokenize(chosen.flat().join(''), report);
          let at = 0;
          const places = chosen.map(([piece, blank]) => {
            const start = at;
            at += piece.length + blank.length;
            return [piece, start, start + piece.length];
          });
          // A '>' may close a list, and '>>' may become two tokens.
          const found = texts.slice(0, -1).map((text, i) => [text, starts[i], ends[i]]);
          expect(joined(found)).toEqual(joined(places));
          expect(report.diagnostics).toEqual([]);
        }
      ),
      { numRuns: 300, seed: 3 }
    );
  });

  /** Joins two adjacent '>' tokens. */
  const joined = (tokens: readonly (readonly unknown[])[]): unknown[][] =>
    tokens.reduce<unknown[][]>((all, token) => {
      const [text, start, end] = token;
      const last = all.at(-1);
      if (last && last[2] === start && String(last[0]).startsWith('>') && String(text).startsWith('>'))
        all[all.length - 1] = [`${String(last[0])}${String(text)}`, last[1], end];
      else all.push([...token]);
      return all;
    }, []);
  const ascii = (text: string): string => text.replace('\u2028', ' ').replace(/[\u0080-\uffff]/g, 'u');

  it.each([
    ['punctuators alone', ';'.repeat(100_000), 100_001, 2],
    ['names of their own', Array.from({ length: 50_000 }, (_, k) => `n${k}`).join(' '), 50_001, 50_001],
    ['brackets that open no list', 'a<'.repeat(60_000), 120_001, 3],
    ['a word', 'w'.repeat(300_000), 2, 2],
  ])('%s', (_, source, count, different) => {
    const { kinds, texts, ends } = tokenize(source, new Reporter());
    expect([kinds.length, texts.length, new Set(texts).size]).toEqual([count, count, different]);
    expect(ends[count - 2]).toBe(source.length);
    // No state is left for the next text.
    expect(tokens('b < c')).toBe('b < c');
  });

  it('report the position of invalid characters', () => {
    const report = new Reporter();
    tokenize('a /* \0 */ b // \0\n # \u{1f600} /* /*', report);
    expect(report.diagnostics.map(({ code, span }) => [code, span.start, span.end])).toEqual([
      ['invalid-character', 5, 6],
      ['invalid-character', 15, 16],
      ['invalid-character', 18, 19],
      ['invalid-character', 20, 22],
      ['unterminated-comment', 23, 25],
    ]);
  });
});
