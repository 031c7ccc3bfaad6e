// Converts text to tokens (WGSL §3), including template lists. Whether '<' opens a template list is decided here, in
// the same pass (§3.9), so that the parser never has to guess. Tokens are stored in parallel arrays. The common cases
// are read by assembly/text/lexer.ts. Numbers, non-ASCII characters and errors are handled here, where the WASM lexer
// stops.

import {
  EFFECT_CLOSES,
  EFFECT_FORGETS,
  EFFECT_JOINS,
  EFFECT_LESS,
  EFFECT_NONE,
  EFFECT_OPENS,
  LETTER_DIGIT,
  LETTER_FIRST,
  STOP_BEYOND,
  STOP_END,
  STOP_NO_TOKEN,
  STOP_NUL_IN_COMMENT,
  STOP_NUMBER,
  STOP_OPEN_COMMENT,
  TEXT_AT,
  TOKEN_END,
  TOKEN_NUMBER,
  TOKEN_WORD,
} from '../../assembly/layout/text-codes';
import { Lexer, Name, Punctuator } from '../../build/layout';
import { LEXER } from '../../build/lexer';
import { unreachable } from '../base/assert';
import { UnavailableError } from '../base/errors';
import type { Span } from '../base/diagnostics';
import type { Reporter } from './messages';
import { scanNumber, type NumberValue } from './number';
import { KEYWORDS } from './words';

/**
 * Properties of a token that spare the parser string comparisons. The lowest three bits are the precedence level as a
 * binary operator. The other bits tell whether the token can start an expression as a unary operator, and whether it is
 * a keyword.
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
  /** TOKEN_* of each token. */
  readonly kinds: Uint8Array;
  /** Mark of each token; 0 for brackets of template lists. */
  readonly marks: Uint8Array;
  /** The text of each token; equal texts are the same string. */
  readonly texts: string[];
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly numbers: NumberTokens;
}

const WORD = /[_\p{XID_Start}]\p{XID_Continue}*/uy;

const MARKS: ReadonlyMap<string, number> = new Map([
  ...['|', '^'].map((text) => [text, Mark.Bitwise] as const),
  ...['&&', '||'].map((text) => [text, Mark.Logical] as const),
  ...['==', '!=', '<', '<=', '>', '>='].map((text) => [text, Mark.Relational] as const),
  ...['<<', '>>'].map((text) => [text, Mark.Shift] as const),
  ...['/', '%'].map((text) => [text, Mark.Multiplicative] as const),
  // a--b is a minus the negative of b.
  ['+', Mark.Additive],
  ['-', Mark.Additive | Mark.Unary],
  ['--', Mark.Additive | Mark.Unary],
  ['&', Mark.Bitwise | Mark.Unary],
  ['*', Mark.Multiplicative | Mark.Unary],
  ['!', Mark.Unary],
  ['~', Mark.Unary],
]);

function effectOf(text: string): number {
  switch (text) {
    case '<':
      return EFFECT_LESS;
    case '(':
    case '[':
      return EFFECT_OPENS;
    case ')':
    case ']':
      return EFFECT_CLOSES;
    case '&&':
    case '||':
      return EFFECT_JOINS;
    // Assignments and ends of statements cannot occur inside a template list.
    case ';':
    case '{':
    case ':':
      return EFFECT_FORGETS;
    case '==':
    case '!=':
    case '<=':
    case '>=':
      return EFFECT_NONE;
    default:
      return text.endsWith('=') ? EFFECT_FORGETS : EFFECT_NONE;
  }
}

/** Grouped by first character, longest first. */
const PUNCTUATION: readonly (readonly string[])[] = [
  ['<<=', '<<', '<=', '<'],
  ['>>=', '>>', '>=', '>'],
  ['==', '='],
  ['!=', '!'],
  ['&&', '&=', '&'],
  ['||', '|=', '|'],
  ['++', '+=', '+'],
  ['--', '-=', '->', '-'],
  ['*=', '*'],
  ['/=', '/'],
  ['%=', '%'],
  ['^=', '^'],
  ['~'],
  ['('],
  [')'],
  ['['],
  [']'],
  ['{'],
  ['}'],
  [','],
  [';'],
  [':'],
  ['.'],
  ['@'],
];
/** Token texts other than words, by their number as a name: the end of the text, then punctuation. */
const KNOWN = ['', ...PUNCTUATION.flat()];

/** The values of number tokens, in token order. */
class NumberTokens {
  private readonly tokens: number[] = [];
  private readonly values: NumberValue[] = [];
  /** Parsers mostly request them in order. */
  private next = 0;

  add(token: number, value: NumberValue): void {
    this.tokens.push(token);
    this.values.push(value);
  }

  /** The value of a number token. */
  get(token: number): NumberValue {
    if (this.tokens[this.next] !== token) this.next = this.find(token);
    return this.values[this.next++]!;
  }

  private find(token: number): number {
    let low = 0;
    let high = this.tokens.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.tokens[middle]! < token) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

interface LexerExports {
  begin(lexer: number): void;
  run(lexer: number): number;
  push(lexer: number, kind: number, mark: number, id: number, end: number): void;
  nameTo(lexer: number, end: number): number;
  roomFor(lexer: number, bytes: number): number;
  markWords(lexer: number, marks: number): void;
}

/** Address of the LEXER record. */
const RECORD = 0;
/** Texts longer than this, in code units, use a memory that is released afterwards. */
const MAX_KEPT_CHARACTERS = 1 << 18;
const WORD_BYTES = 4;

const encoder = new TextEncoder();
let compiled: WebAssembly.Module | null = null;
let kept: LexerInstance | null = null;

interface LexerInstance {
  readonly exports: LexerExports;
  readonly memory: WebAssembly.Memory;
}

function newMemory(): WebAssembly.Memory {
  try {
    return new WebAssembly.Memory({ initial: 1, maximum: 65536 });
  } catch {
    throw new UnavailableError(
      'the JavaScript engine cannot allocate a WebAssembly.Memory for reading shaders: '
        + 'destroy other devices or raise the memory limit of the process'
    );
  }
}

function instantiate(): LexerInstance {
  compiled ??= new WebAssembly.Module(Uint8Array.from(atob(LEXER), (byte) => byte.charCodeAt(0)));
  const memory = newMemory();
  const instance = new WebAssembly.Instance(compiled, { env: { memory } });
  const bytes = new Uint8Array(memory.buffer);
  const words = new Uint32Array(memory.buffer);
  for (let code = 0; code < 128; code++) {
    const letter = String.fromCharCode(code);
    bytes[Lexer.letters + code] = /[A-Za-z_]/.test(letter) ? LETTER_FIRST : /[0-9]/.test(letter) ? LETTER_DIGIT : 0;
  }
  let at: number = Lexer.punctuators;
  let name = 1;
  for (const group of PUNCTUATION) {
    words[(Lexer.groups >>> 2) + group[0]!.charCodeAt(0)] = at;
    for (const text of group) {
      words[(at + Punctuator.second) >>> 2] = text.length > 1 ? text.charCodeAt(1) : -1;
      words[(at + Punctuator.third) >>> 2] = text.length > 2 ? text.charCodeAt(2) : -1;
      bytes[at + Punctuator.name] = name++;
      bytes[at + Punctuator.mark] = MARKS.get(text) ?? 0;
      bytes[at + Punctuator.effect] = effectOf(text);
      bytes[at + Punctuator.length] = text.length;
      at += Punctuator.bytes;
    }
  }
  words[Lexer.knownNames >>> 2] = KNOWN.length;
  words[Lexer.closer >>> 2] = KNOWN.indexOf('>');
  return { exports: instance.exports as unknown as LexerExports, memory };
}

/** Handles the tokens at which the WASM lexer stops, and reads its results. */
class TextReader {
  private readonly exports: LexerExports;
  private readonly memory: WebAssembly.Memory;
  private readonly numbers = new NumberTokens();

  constructor(
    private readonly source: string,
    private readonly report: Reporter
  ) {
    const isKept = source.length <= MAX_KEPT_CHARACTERS;
    ({ exports: this.exports, memory: this.memory } = isKept ? (kept ??= instantiate()) : instantiate());
    this.write();
  }

  run(): TokenStream {
    const { exports, source } = this;
    for (let stop = exports.run(RECORD); stop !== STOP_END; stop = exports.run(RECORD)) {
      switch (stop) {
        case STOP_NUMBER:
          this.number();
          break;
        case STOP_BEYOND:
          this.word();
          break;
        case STOP_NO_TOKEN:
          this.badCharacter();
          break;
        case STOP_NUL_IN_COMMENT:
          this.nulInComment();
          break;
        case STOP_OPEN_COMMENT: {
          const start = this.get(Lexer.opened);
          this.report.error('unterminated-comment', { start, end: start + 2 }, []);
          break;
        }
        default:
          unreachable(`lexer: stop ${stop}`);
      }
    }
    exports.push(RECORD, TOKEN_END, 0, 0, source.length);
    return this.take();
  }

  /** Writes the text to memory: as bytes if it is all ASCII, otherwise as UTF-16 code units. */
  private write(): void {
    const { source, memory } = this;
    const { length } = source;
    this.provide(TEXT_AT + 2 * (length + 1));
    const bytes = new Uint8Array(memory.buffer, TEXT_AT, length + 1);
    const { read, written } = encoder.encodeInto(source, bytes);
    const isNarrow = read === length && written === length;
    if (isNarrow) bytes[length] = 0;
    else {
      const codes = new Uint16Array(memory.buffer, TEXT_AT, length + 1);
      for (let i = 0; i < length; i++) codes[i] = source.charCodeAt(i);
      codes[length] = 0;
    }
    this.put(Lexer.length, length);
    this.put(Lexer.unitBytes, isNarrow ? 1 : 2);
    this.exports.begin(RECORD);
  }

  private provide(bytes: number): void {
    const { memory } = this;
    const missing = bytes - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / 65536));
  }

  private get(field: number): number {
    return new Uint32Array(this.memory.buffer)[field >>> 2]!;
  }
  private put(field: number, value: number): void {
    new Uint32Array(this.memory.buffer)[field >>> 2] = value;
  }

  private push(kind: number, end: number): void {
    const { exports } = this;
    exports.push(RECORD, kind, 0, exports.nameTo(RECORD, end), end);
  }

  private number(): void {
    const { end, value } = scanNumber(this.source, this.get(Lexer.at), this.report);
    this.numbers.add(this.get(Lexer.count), value);
    this.push(TOKEN_NUMBER, end);
  }

  private word(): void {
    WORD.lastIndex = this.get(Lexer.at);
    if (WORD.test(this.source)) this.push(TOKEN_WORD, WORD.lastIndex);
    else this.badCharacter();
  }

  /** NUL characters are not allowed anywhere in a text (§3). */
  private nulInComment(): void {
    const start = this.get(Lexer.at);
    this.report.error('invalid-character', { start, end: start + 1 }, [], 'U+0000');
    this.put(Lexer.at, start + 1);
  }

  private badCharacter(): void {
    const start = this.get(Lexer.at);
    const point = this.source.codePointAt(start)!;
    const length = point > 0xffff ? 2 : 1;
    const span: Span = { start, end: start + length };
    const code = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
    const printable = point >= 0x20 && point !== 0x7f && !(point >= 0xd800 && point <= 0xdfff);
    this.report.error('invalid-character', span, [], printable ? `'${String.fromCodePoint(point)}' (${code})` : code);
    this.put(Lexer.at, start + length);
  }

  private take(): TokenStream {
    const { source, numbers, memory } = this;
    const count = this.get(Lexer.count);
    const names = this.names();
    const words = (field: number): Int32Array => new Int32Array(memory.buffer, this.get(field), count);
    const bytes = (field: number): Uint8Array => new Uint8Array(memory.buffer, this.get(field), count);
    const ids = words(Lexer.ids);
    const texts = new Array<string>(count);
    for (let token = 0; token < count; token++) texts[token] = names[ids[token]!]!;
    return {
      source,
      kinds: bytes(Lexer.kinds).slice(),
      marks: bytes(Lexer.marks).slice(),
      texts,
      starts: words(Lexer.starts).slice(),
      ends: words(Lexer.ends).slice(),
      numbers,
    };
  }

  /** Token texts by number. Marks the keywords. */
  private names(): string[] {
    const { source, exports, memory } = this;
    const texts = [...KNOWN];
    const count = this.get(Lexer.nameCount);
    const marks = exports.roomFor(RECORD, count);
    const bytes = new Uint8Array(memory.buffer, marks, count);
    const spans = new Uint32Array(memory.buffer, this.get(Lexer.names), (count * Name.bytes) / WORD_BYTES);
    for (let k = 0; k < count; k++) {
      const text = source.slice(spans[2 * k], spans[2 * k + 1]);
      texts.push(text);
      bytes[k] = KEYWORDS.has(text) ? Mark.Keyword : 0;
    }
    exports.markWords(RECORD, marks);
    return texts;
  }
}

/** Splits a module into tokens. Errors are reported and skipped, so that the token stream is always complete. */
export function tokenize(source: string, report: Reporter): TokenStream {
  return new TextReader(source, report).run();
}
