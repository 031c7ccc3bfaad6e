// Text to tokens (WGSL §3), template lists included: whether '<' opens a template list is decided
// here, in the same pass (§3.9), so that the parser never has to guess. A token is a row in four
// arrays; its text is cut out only when someone asks.

import { isLineBreak } from '../base/diagnostics';
import type { Span } from '../base/diagnostics';
import type { Reporter } from './messages';
import { scanNumber, type NumberValue } from './number';
import { KEYWORDS } from './words';

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

/**
 * What the parser asks of every token, so that it compares no texts for it: the level of a binary operator, in the
 * lowest three bits, whether an expression can begin with it as an operator, and whether a word is a keyword.
 */
export const enum Mark {
  Bitwise = 1,
  Logical = 2,
  Relational = 3,
  Shift = 4,
  Additive = 5,
  Multiplicative = 6,
  Level = 7,
  Unary = 8,
  Keyword = 16,
}

/** The tokens of a module, as parallel arrays. The last one is `End`. */
export interface TokenStream {
  readonly source: string;
  /** TokenKind of each. */
  readonly kinds: Uint8Array;
  /** Mark of each; 0 of brackets of template lists. */
  readonly marks: Uint8Array;
  readonly texts: string[];
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly numbers: NumberTokens;
}

const WORD = /[_\p{XID_Start}]\p{XID_Continue}*/uy;
const BLANK = /[\t\n\v\f\r \u0085\u200e\u200f\u2028\u2029]/;

/** What a token means for the template lists around it (§3.9). */
const enum Effect { None, Less, Opens, Closes, Joins, Forgets }

interface Punctuator {
  readonly text: string;
  /** Codes of its second and third character; -1 where it has none. */
  readonly second: number;
  readonly third: number;
  readonly mark: number;
  readonly effect: Effect;
}

const MARKS: ReadonlyMap<string, number> = new Map([
  ...['|', '^'].map((text) => [text, Mark.Bitwise] as const),
  ...['&&', '||'].map((text) => [text, Mark.Logical] as const),
  ...['==', '!=', '<', '<=', '>', '>='].map((text) => [text, Mark.Relational] as const),
  ...['<<', '>>'].map((text) => [text, Mark.Shift] as const),
  ...['/', '%'].map((text) => [text, Mark.Multiplicative] as const),
  // a--b is a minus the negative of b.
  ['+', Mark.Additive], ['-', Mark.Additive | Mark.Unary], ['--', Mark.Additive | Mark.Unary],
  ['&', Mark.Bitwise | Mark.Unary], ['*', Mark.Multiplicative | Mark.Unary], ['!', Mark.Unary], ['~', Mark.Unary],
]);

function effectOf(text: string): Effect {
  switch (text) {
    case '<': return Effect.Less;
    case '(': case '[': return Effect.Opens;
    case ')': case ']': return Effect.Closes;
    case '&&': case '||': return Effect.Joins;
    // An assignment or the end of a statement cannot stand inside a template list.
    case ';': case '{': case ':': return Effect.Forgets;
    case '==': case '!=': case '<=': case '>=': return Effect.None;
    default: return text.endsWith('=') ? Effect.Forgets : Effect.None;
  }
}

/** By the code of their first character, longest first; '>' is handled by itself, because it may close a list. */
const PUNCTUATION: readonly (readonly Punctuator[] | undefined)[] = [
  ['<<=', '<<', '<=', '<'], ['>>=', '>>', '>=', '>'], ['==', '='], ['!=', '!'], ['&&', '&=', '&'], ['||', '|=', '|'],
  ['++', '+=', '+'], ['--', '-=', '->', '-'], ['*=', '*'], ['/=', '/'], ['%=', '%'], ['^=', '^'], ['~'],
  ['('], [')'], ['['], [']'], ['{'], ['}'], [','], [';'], [':'], ['.'], ['@'],
].reduce<(Punctuator[] | undefined)[]>((table, group) => {
  table[group[0]!.charCodeAt(0)] = group.map((text) => ({
    text, second: text.length > 1 ? text.charCodeAt(1) : -1, third: text.length > 2 ? text.charCodeAt(2) : -1,
    mark: MARKS.get(text) ?? 0, effect: effectOf(text),
  }));
  return table;
}, new Array<Punctuator[] | undefined>(128).fill(undefined));

/** Of the characters below 128: 1 where a word can begin with it, 2 for digits, 0 for others. */
const LETTERS = Uint8Array.from({ length: 128 }, (_, code) => (
  /[A-Za-z_]/.test(String.fromCharCode(code)) ? 1 : isDigit(code) ? 2 : 0
));

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

/** Words that are remembered at a time, each at one place: a power of two. */
const WORD_PLACES = 2048;

const encoder = new TextEncoder();

/**
 * The text's UTF-16 code units and a 0: with charCodeAt instead, a module of 39 kB took 12 ms to check and not 8, once
 * the engine had compiled all that it passes through.
 */
function codesOf(source: string): Uint8Array | Uint16Array {
  const bytes = new Uint8Array(source.length + 1), { read, written } = encoder.encodeInto(source, bytes);
  // As many bytes as units: all are of ASCII.
  if (read === source.length && written === source.length) return bytes;
  const codes = new Uint16Array(source.length + 1);
  for (let i = 0; i < source.length; i++) codes[i] = source.charCodeAt(i);
  return codes;
}

interface TemplateCandidate {
  readonly token: number;
  readonly depth: number;
}

class Lexer {
  // Typed arrays: lists of numbers were copied and scanned as they grew, a fifth of the front end's time.
  private kinds: Uint8Array;
  private marks: Uint8Array;
  private texts: string[];
  private count = 0;
  private starts: Int32Array;
  private ends: Int32Array;
  private readonly numbers = new NumberTokens();
  private readonly codes: Uint8Array | Uint16Array;
  /** Those seen last, by their length and some of their characters. Most words of a text are in it many times. */
  private readonly words = new Array<string | undefined>(WORD_PLACES);
  private readonly wordMarks = new Uint8Array(WORD_PLACES);
  private at = 0;
  private candidates: TemplateCandidate[] = [];
  private depth = 0;

  constructor(private readonly source: string, private readonly report: Reporter) {
    const room = Math.ceil(source.length / CHARACTERS_PER_TOKEN) + 16;
    this.kinds = new Uint8Array(room);
    this.marks = new Uint8Array(room);
    this.texts = new Array<string>(room);
    this.starts = new Int32Array(room);
    this.ends = new Int32Array(room);
    this.codes = codesOf(source);
  }

  run(): TokenStream {
    const { source, codes } = this;
    while (this.skipBlank()) {
      const code = codes[this.at]!, letter = code < 128 ? LETTERS[code]! : 1;
      if (letter === 1) this.word();
      else if (letter === 2 || (code === 0x2e /* . */ && isDigit(codes[this.at + 1]!))) this.number();
      else this.punctuation(code);
    }
    this.push(TokenKind.End, 0, '', source.length, source.length);
    const { kinds, marks, texts, starts, ends, numbers, count } = this;
    texts.length = count;
    return { source, kinds: kinds.subarray(0, count), marks, texts, starts, ends, numbers };
  }

  private push(kind: TokenKind, mark: number, text: string, start: number, end: number): void {
    const token = this.count++;
    if (token === this.kinds.length) this.grow();
    this.texts[token] = text;
    this.kinds[token] = kind;
    this.marks[token] = mark;
    this.starts[token] = start;
    this.ends[token] = end;
    this.at = end;
  }

  private grow(): void {
    const { kinds, marks, starts, ends } = this, room = kinds.length * 2;
    this.kinds = new Uint8Array(room);
    this.marks = new Uint8Array(room);
    this.starts = new Int32Array(room);
    this.ends = new Int32Array(room);
    this.kinds.set(kinds);
    this.marks.set(marks);
    this.starts.set(starts);
    this.ends.set(ends);
  }

  /** Moves to the next token; false at the end of the text. */
  private skipBlank(): boolean {
    const { source, codes } = this, { length } = source;
    let { at } = this;
    for (;;) {
      let code = 0;
      while (at < length && ((code = codes[at]!) === 0x20 || (code >= 0x09 && code <= 0x0d))) at++;
      this.at = at;
      if (at >= length) return false;
      if (code === 0x2f && codes[at + 1] === 0x2f) this.lineComment();
      else if (code === 0x2f && codes[at + 1] === 0x2a) this.blockComment();
      else if (code > 0x7f && BLANK.test(source.charAt(at))) this.at++;
      else return true;
      ({ at } = this);
    }
  }

  private lineComment(): void {
    for (; this.at < this.source.length; this.at++) {
      const code = this.codes[this.at]!;
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
    const { source, codes } = this, start = this.at;
    let end = start, code = 0;
    while ((code = codes[end]!) < 128 && LETTERS[code] !== 0) end++;
    if (code > 0x7f) {
      WORD.lastIndex = start;
      const match = WORD.exec(source);
      if (match === null) return this.badCharacter();
      end = start + match[0].length;
    }
    this.pushWord(start, end);
  }

  /** Words that are the same are one string: nothing is cut out, hashed or compared letter by letter again. */
  private pushWord(start: number, end: number): void {
    const { source, codes, words, wordMarks } = this, length = end - start;
    const place = (31 * codes[start]! + 37 * codes[start + (length >> 1)]! + 101 * codes[end - 1]!
      + 7 * codes[end - 2]! + 311 * length) & (WORD_PLACES - 1);
    let text = words[place];
    if (text === undefined || text.length !== length || !source.startsWith(text, start)) {
      text = source.slice(start, end);
      words[place] = text;
      wordMarks[place] = KEYWORDS.has(text) ? Mark.Keyword : 0;
    }
    this.push(TokenKind.Word, wordMarks[place]!, text, start, end);
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
    this.numbers.add(this.count, value);
    this.push(TokenKind.Number, 0, this.source.slice(start, end), start, end);
  }

  private punctuation(code: number): void {
    const { codes, at } = this, group = PUNCTUATION[code];
    if (group === undefined) return this.badCharacter();
    if (code === 0x3e /* > */ && this.closesTemplate()) return;
    let k = 0;
    if (group.length > 1) {
      const second = codes[at + 1]!, third = codes[at + 2]!;
      while (!matches(group[k]!, second, third)) k++;
    }
    const { text, mark, effect } = group[k]!;
    if (effect !== Effect.None) this.trackTemplates(effect);
    this.push(TokenKind.Punctuation, mark, text, at, at + text.length);
  }

  private closesTemplate(): boolean {
    const top = this.candidates[this.candidates.length - 1];
    if (top === undefined || top.depth !== this.depth) return false;
    this.candidates.pop();
    this.kinds[top.token] = TokenKind.TemplateOpen;
    this.marks[top.token] = 0;
    this.push(TokenKind.TemplateClose, 0, '>', this.at, this.at + 1);
    return true;
  }

  /** The template list discovery of §3.9, fed with tokens instead of characters. */
  private trackTemplates(effect: Effect): void {
    const { candidates } = this;
    switch (effect) {
      case Effect.Less: {
        const previous = this.count - 1;
        if (previous >= 0 && this.kinds[previous] === TokenKind.Word)
          candidates.push({ token: previous + 1, depth: this.depth });
        break;
      }
      case Effect.Opens:
        this.depth++;
        break;
      case Effect.Closes:
        this.dropCandidates();
        this.depth = Math.max(0, this.depth - 1);
        break;
      case Effect.Joins:
        this.dropCandidates();
        break;
      case Effect.Forgets:
        this.depth = 0;
        if (candidates.length > 0) this.candidates = [];
    }
  }

  private dropCandidates(): void {
    const { candidates } = this;
    while (candidates.length > 0 && candidates[candidates.length - 1]!.depth >= this.depth) candidates.pop();
  }
}

const matches = ({ second, third }: Punctuator, next: number, behind: number): boolean =>
  second < 0 || (second === next && (third < 0 || third === behind));

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Cuts a module into tokens. Mistakes are reported and skipped, so the stream is always whole. */
export function tokenize(source: string, report: Reporter): TokenStream {
  return new Lexer(source, report).run();
}
