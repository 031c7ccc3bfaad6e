import { describe, expect, it } from 'vitest';
import { renderDiagnostic } from '../../src/base/diagnostics';
import { cut, inColumns, plain, printed, quoted } from '../../src/base/printable';
import { parseModule } from '../../src/wgsl';

const CLIPBOARD = '\x1b]52;c;cm0gLXJmIH4=\x07';

describe('untrusted text', () => {
  it('contains no control characters that a terminal obeys', () => {
    expect(printed(`a${CLIPBOARD}\n\tb\x9b2J\x7f`)).toBe('a\\u001b]52;c;cm0gLXJmIH4=\\u0007\n\tb\\u009b2J\\u007f');
    expect(quoted(`a"\\${CLIPBOARD}\n`)).toBe('"a\\"\\\\\\u001b]52;c;cm0gLXJmIH4=\\u0007\\n"');
    expect(plain('a\nb\x1b')).toBe('a\\u000ab\\u001b');
    expect(printed('\u202egnp.exe\u2069\ud800')).toBe('\\u202egnp.exe\\u2069\\ud800');
    expect(printed('Grüße 😀 日本')).toBe('Grüße 😀 日本');
  });

  it('is truncated in the middle', () => {
    expect(cut('x'.repeat(80))).toHaveLength(80);
    expect(quoted(`begin${'x'.repeat(3e6)}end`)).toMatch(/^"beginx{48}…x{23}end"$/);
    expect([{}, [1], null, undefined, 3].map(quoted)).toEqual(['an object', 'a list', 'null', 'undefined', '3']);
  });

  it('keeps its columns if carets follow below', () => {
    expect(inColumns('\x1b[2J\t\x7f\x9b')).toBe('␛[2J\t␡�');
  });
});

describe('messages about shaders', () => {
  it('show the source without control characters, and truncate names', () => {
    const source = `/* ${CLIPBOARD} */ const a = ;`;
    const { diagnostics } = parseModule(source);
    const text = renderDiagnostic(source, diagnostics[0]!);
    expect(text).toContain('/* ␛]52;c;cm0gLXJmIH4=␇ */ const a = ;');
    const long = parseModule(`fn f() { let ${'n'.repeat(3e5)} = 1 1; }`).diagnostics;
    for (const { message } of long) expect(message.length).toBeLessThan(400);
    expect(parseModule(`alias ${'n'.repeat(3e5)} = ;;x`).diagnostics.every(({ message }) => message.length < 400)).toBe(
      true
    );
  });
});
