// Text to tokens (WGSL §3), template lists included: whether '<' opens a template list is decided
// here, in the same pass (§3.9), so that the parser never has to guess. A token is a row in four
// arrays; its text is cut out only when someone asks.

import { isLineBreak } from '../base/diagnostics';
import type { Span } from '../base/diagnostics';
import type { Reporter } from './messages';
import { scanNumber, type NumberValue } from './number';

/** What a token is. Punctuation and words are compared by their text, which is interned. */
export const enum TokenKind {
  End,
  Word,
  Number,
  Punctuation,
  /** The '<' and '>' of a template list. */
  TemplateOpen,
  TemplateClose,
}

/** The tokens of a module, as parallel arrays. The last one is `End`. */
export interface TokenStream {
  readonly source: string;
  /** TokenKind of each. */
  readonly kinds: Uint8Array;
  readonly texts: string[];
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly numbers: NumberTokens;
}

const WORD = /[_\p{XID_Start}]\p{XID_Continue}*/uy;
const BLANK = /[\t\n\v\f\r \u0085\u200e\u200f\u2028\u2029]/;

/** Longest first within a leading character; '>' is handled by itself, because it may close a template list. */
const PUNCTUATION: ReadonlyMap<string, readonly string[]> = new Map(
  [
    ['<<=', '<<', '<=', '<'], ['>>=', '>>', '>=', '>'], ['==', '='], ['!=', '!'], ['&&', '&=', '&'], ['||', '|=', '|'],
    ['++', '+=', '+'], ['--', '-=', '->', '-'], ['*=', '*'], ['/=', '/'], ['%=', '%'], ['^=', '^'], ['~'],
    ['('], [')'], ['['], [']'], ['{'], ['}'], [','], [';'], [':'], ['.'], ['@'],
  ].map((group) => [group[0]!.charAt(0), group]),
);

/** The values of number tokens, in order of the tokens. */
export class NumberTokens {
  private readonly tokens: number[] = [];
  private readonly values: NumberValue[] = [];
  /** Parsers ask for one after the other, mostly. */
  private next = 0;

  add(token: number, value: NumberValue): void {
    this.tokens.push(token);
    this.values.push(value);
  }

  /** Of a token that is a number. */
  get(token: number): NumberValue {
    if (this.tokens[this.next] !== token) this.next = this.find(token);
    return this.values[this.next++]!;
  }

  private find(token: number): number {
    let low = 0, high = this.tokens.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.tokens[middle]! < token) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Characters that a token has at least, on average: what there is room for at first. */
const CHARACTERS_PER_TOKEN = 3;

interface TemplateCandidate {
  readonly token: number;
  readonly depth: number;
}

class Lexer {
  // Typed arrays: lists of numbers were copied and scanned as they grew, a fifth of the front end's time.
  private kinds: Uint8Array;
  private readonly texts: string[] = [];
  private starts: Int32Array;
  private ends: Int32Array;
  private readonly numbers = new NumberTokens();
  private at = 0;
  private candidates: TemplateCandidate[] = [];
  private depth = 0;

  constructor(private readonly source: string, private readonly report: Reporter) {
    const room = Math.ceil(source.length / CHARACTERS_PER_TOKEN) + 16;
    this.kinds = new Uint8Array(room);
    this.starts = new Int32Array(room);
    this.ends = new Int32Array(room);
  }

  run(): TokenStream {
    const { source } = this;
    while (this.skipBlank()) {
      const code = source.charCodeAt(this.at);
      const digit = isDigit(code) || (code === 0x2e /* . */ && isDigit(source.charCodeAt(this.at + 1)));
      if (digit) this.number();
      else if (isWordStart(code) || code > 0x7f) this.word();
      else this.punctuation();
    }
    this.push(TokenKind.End, '', source.length, source.length);
    const { kinds, texts, starts, ends, numbers } = this;
    return { source, kinds: kinds.subarray(0, texts.length), texts, starts, ends, numbers };
  }

  private push(kind: TokenKind, text: string, start: number, end: number): void {
    const token = this.texts.push(text) - 1;
    if (token === this.kinds.length) this.grow();
    this.kinds[token] = kind;
    this.starts[token] = start;
    this.ends[token] = end;
    this.at = end;
  }

  private grow(): void {
    const { kinds, starts, ends } = this, room = kinds.length * 2;
    this.kinds = new Uint8Array(room);
    this.starts = new Int32Array(room);
    this.ends = new Int32Array(room);
    this.kinds.set(kinds);
    this.starts.set(starts);
    this.ends.set(ends);
  }

  /** Moves to the next token; false at the end of the text. */
  private skipBlank(): boolean {
    const { source } = this;
    while (this.at < source.length) {
      const code = source.charCodeAt(this.at);
      if (code === 0x20 || (code >= 0x09 && code <= 0x0d)) this.at++;
      else if (code === 0x2f && source.charCodeAt(this.at + 1) === 0x2f) this.lineComment();
      else if (code === 0x2f && source.charCodeAt(this.at + 1) === 0x2a) this.blockComment();
      else if (code > 0x7f && BLANK.test(source.charAt(this.at))) this.at++;
      else return true;
    }
    return false;
  }

  private lineComment(): void {
    for (; this.at < this.source.length; this.at++) {
      const code = this.source.charCodeAt(this.at);
      if (isLineBreak(code)) return;
      if (code === 0) this.nullInComment();
    }
  }

  /** A text must not have one anywhere (§3). */
  private nullInComment(): void {
    this.report.error('invalid-character', { start: this.at, end: this.at + 1 }, [], 'U+0000');
  }

  /** Block comments nest (§3.3). */
  private blockComment(): void {
    const { source } = this;
    const open = this.at;
    let nesting = 1;
    this.at += 2;
    while (nesting > 0) {
      if (this.at >= source.length) {
        this.report.error('unterminated-comment', { start: open, end: open + 2 }, []);
        return;
      }
      const pair = source.startsWith('/*', this.at) ? 1 : source.startsWith('*/', this.at) ? -1 : 0;
      nesting += pair;
      if (source.charCodeAt(this.at) === 0) this.nullInComment();
      this.at += pair === 0 ? 1 : 2;
    }
  }

  private word(): void {
    const { source } = this;
    const start = this.at;
    let end = start;
    while (isWordPart(source.charCodeAt(end))) end++;
    if (source.charCodeAt(end) > 0x7f) {
      WORD.lastIndex = start;
      const match = WORD.exec(source);
      if (match === null) return this.badCharacter();
      end = start + match[0].length;
    }
    this.push(TokenKind.Word, source.slice(start, end), start, end);
  }

  private badCharacter(): void {
    const point = this.source.codePointAt(this.at)!;
    const length = point > 0xffff ? 2 : 1;
    const span: Span = { start: this.at, end: this.at + length };
    const code = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
    const printable = point >= 0x20 && point !== 0x7f && !(point >= 0xd800 && point <= 0xdfff);
    this.report.error('invalid-character', span, [], printable ? `'${String.fromCodePoint(point)}' (${code})` : code);
    this.at += length;
  }

  private number(): void {
    const start = this.at;
    const { end, value } = scanNumber(this.source, start, this.report);
    this.numbers.add(this.texts.length, value);
    this.push(TokenKind.Number, this.source.slice(start, end), start, end);
  }

  private punctuation(): void {
    const { source, at } = this;
    const group = PUNCTUATION.get(source.charAt(at));
    if (group === undefined) return this.badCharacter();
    if (source.charCodeAt(at) === 0x3e /* > */ && this.closesTemplate()) return;
    const text = group.length === 1 ? group[0]! : group.find((candidate) => source.startsWith(candidate, at))!;
    this.trackTemplates(text);
    this.push(TokenKind.Punctuation, text, at, at + text.length);
  }

  private closesTemplate(): boolean {
    const top = this.candidates[this.candidates.length - 1];
    if (top === undefined || top.depth !== this.depth) return false;
    this.candidates.pop();
    this.kinds[top.token] = TokenKind.TemplateOpen;
    this.push(TokenKind.TemplateClose, '>', this.at, this.at + 1);
    return true;
  }

  /** The template list discovery of §3.9, fed with tokens instead of characters. */
  private trackTemplates(text: string): void {
    const { candidates } = this;
    switch (text) {
      case '<': {
        const previous = this.texts.length - 1;
        if (previous >= 0 && this.kinds[previous] === TokenKind.Word)
          candidates.push({ token: previous + 1, depth: this.depth });
        break;
      }
      case '(':
      case '[':
        this.depth++;
        break;
      case ')':
      case ']':
        while (candidates.length > 0 && candidates[candidates.length - 1]!.depth >= this.depth) candidates.pop();
        this.depth = Math.max(0, this.depth - 1);
        break;
      case '&&':
      case '||':
        while (candidates.length > 0 && candidates[candidates.length - 1]!.depth >= this.depth) candidates.pop();
        break;
      case ';':
      case '{':
      case ':':
        this.forgetCandidates();
        break;
      default:
        if (text.endsWith('=') && text !== '==' && text !== '!=' && text !== '<=' && text !== '>=')
          this.forgetCandidates();
    }
  }

  /** An assignment or the end of a statement cannot stand inside a template list. */
  private forgetCandidates(): void {
    this.depth = 0;
    if (this.candidates.length > 0) this.candidates = [];
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isWordStart(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f;
}

function isWordPart(code: number): boolean {
  return isWordStart(code) || isDigit(code);
}

/** Cuts a module into tokens. Mistakes are reported and skipped, so the stream is always whole. */
export function tokenize(source: string, report: Reporter): TokenStream {
  return new Lexer(source, report).run();
}
