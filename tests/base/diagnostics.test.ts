import { describe, expect, it } from 'vitest';
import { InternalError, assert, unreachable } from '../../src/base/assert';
import { locate, renderDiagnostic, renderDiagnostics } from '../../src/base/diagnostics';
import type { Diagnostic } from '../../src/base/diagnostics';

const error = (start: number, end: number): Diagnostic => ({
  code: 'some-code',
  severity: 'error',
  message: 'something is wrong',
  span: { start, end },
});

describe('locate', () => {
  it('counts lines and UTF-16 columns from 1, over every line break of WGSL', () => {
    const source = 'a\nb\r\nc\rd\u0085e\u2028f\u2029g\vh\fi';
    const places = [...'abcdefghi'].map((letter) => locate(source, source.indexOf(letter)));
    expect(places).toEqual(places.map((_, i) => ({ line: i + 1, column: 1 })));
    expect(locate('😀x', 2)).toEqual({ line: 1, column: 3 });
    expect(locate('ab', 99)).toEqual({ line: 1, column: 3 });
  });
});

describe('renderDiagnostic', () => {
  it('puts the caret under the span, with tabs kept', () => {
    expect(renderDiagnostic('x\n\tlet\ty = z;', error(9, 10))).toBe(
      'error[some-code]: something is wrong\n --> 2:8\n2 | \tlet\ty = z;\n  | \t   \t  ^'
    );
  });

  it('marks a span of several lines to the end of its first line', () => {
    expect(renderDiagnostic('ab {\n}\n', error(3, 6))).toBe(
      'error[some-code]: something is wrong\n --> 1:4\n1 | ab {\n  |    ^'
    );
  });

  it('gives an empty span one caret, also at the end of the text', () => {
    expect(renderDiagnostic('ab', error(2, 2))).toBe('error[some-code]: something is wrong\n --> 1:3\n1 | ab\n  |   ^');
    expect(renderDiagnostic('', error(0, 0))).toBe('error[some-code]: something is wrong\n --> 1:1\n1 | \n  | ^');
  });

  it('prints notes below, with their positions, and widens the gutter for long numbers', () => {
    const source = `${'\n'.repeat(9)}abc`;
    const notes = [{ message: "did you mean 'abd'?" }, { message: 'declared here', span: { start: 2, end: 3 } }];
    expect(renderDiagnostic(source, { ...error(9, 12), severity: 'warning', notes })).toBe(
      "warning[some-code]: something is wrong\n  --> 10:1\n10 | abc\n   | ^^^\n   = did you mean 'abd'?\n"
        + '   = declared here (3:1)'
    );
  });

  it('shows the relevant part of a long line', () => {
    const text = renderDiagnostic(`${'a'.repeat(500)}!${'b'.repeat(500)}`, error(500, 501));
    expect(text.split('\n').slice(2)).toEqual([`1 | …${'a'.repeat(80)}!${'b'.repeat(119)}…`, `  | ${' '.repeat(81)}^`]);
  });

  it('sorts them by position', () => {
    expect(renderDiagnostics('a b', [error(2, 3), error(0, 1)])).toBe(
      [renderDiagnostic('a b', error(0, 1)), renderDiagnostic('a b', error(2, 3))].join('\n\n')
    );
  });
});

describe('internal errors', () => {
  it('say that they are a bug of Rasterloom', () => {
    expect(() => unreachable('jit: no lowering for Phi')).toThrow(InternalError);
    expect(() => assert(false, 'a rule')).toThrow(/a bug in Rasterloom, please report it\): a rule/);
    expect(() => assert(true, 'a rule')).not.toThrow();
  });
});
