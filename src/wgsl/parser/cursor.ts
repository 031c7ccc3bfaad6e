// The parser's position in the token stream: lookahead, consuming, expectations, and recovery after a syntax error. The
// grammar is in the derived classes.

import { TOKEN_END, TOKEN_NUMBER, TOKEN_WORD } from '../../../assembly/layout/text-codes';
import type { MessageArguments, MessageCode, Reporter } from '../messages';
import type { Name, Span } from '../syntax';
import { Mark } from '../lexer';
import type { TokenStream } from '../lexer';
import { RESERVED_WORDS } from '../words';

/** Thrown after a syntax error has been reported. It is caught where parsing can continue. */
export class ParseFailure extends Error {}

const STATEMENT_STARTS: ReadonlySet<string> = new Set([
  'if',
  'switch',
  'loop',
  'for',
  'while',
  'return',
  'let',
  'var',
  'const',
  'discard',
  'const_assert',
  'break',
  'continue',
]);
const DECLARATION_STARTS: ReadonlySet<string> = new Set(['fn', 'struct', 'alias', 'override', '@']);

/**
 * Maximum nesting of expressions, and maximum length of a chain of 'else if'. Far above any real shader, and far below
 * the stack limit.
 */
const MAX_DEPTH = 200;
/** Maximum nesting of statements in braces inside a function's body (WGSL §2.4). */
const MAX_BRACES = 127;

export class Cursor {
  protected position = 0;
  /** Current nesting of expressions and the like. Code that catches a failure resets it. */
  protected depth = 0;
  /** Current nesting of blocks: 1 in a function's body. */
  protected braces = 0;
  /** Name of the declaration being parsed, until it is complete. */
  protected pendingName: string | null = null;
  protected readonly brokenNames = new Set<string>();

  protected readonly kinds: Uint8Array;
  protected readonly marks: Uint8Array;
  protected readonly texts: string[];
  protected readonly starts: Int32Array;
  protected readonly ends: Int32Array;

  constructor(
    protected readonly tokens: TokenStream,
    protected readonly report: Reporter
  ) {
    ({ kinds: this.kinds, marks: this.marks, texts: this.texts, starts: this.starts, ends: this.ends } = tokens);
  }

  // ── Lookahead ──────────────────────────────────────────────────────────────────────────────

  /**
   * Text of the next token; '' at the end. For operators, use the level instead, because '<' may open a template list.
   */
  protected get text(): string {
    return this.texts[this.position]!;
  }

  protected get kind(): number {
    return this.kinds[this.position]!;
  }

  /** Level of the next token as a binary operator (see Mark); 0 if it is not an operator. */
  protected get level(): number {
    return this.marks[this.position]! & Mark.Level;
  }

  protected get isKeyword(): boolean {
    return (this.marks[this.position]! & Mark.Keyword) !== 0;
  }

  protected get start(): number {
    return this.starts[this.position]!;
  }

  /** End of the last consumed token. */
  protected get lastEnd(): number {
    return this.position === 0 ? 0 : this.ends[this.position - 1]!;
  }

  protected get tokenSpan(): Span {
    return { start: this.starts[this.position]!, end: this.ends[this.position]! };
  }

  protected is(text: string): boolean {
    return this.texts[this.position] === text;
  }

  protected from(start: number): Span {
    return { start, end: this.position === 0 ? 0 : this.ends[this.position - 1]! };
  }

  /** The next token as named in error messages. */
  protected get found(): string {
    const { text } = this;
    switch (this.kind) {
      case TOKEN_END:
        return 'the end of the file';
      case TOKEN_NUMBER:
        return `number '${text}'`;
      case TOKEN_WORD:
        return this.isKeyword ? `keyword '${text}'` : `'${text}'`;
      default:
        return `'${text}'`;
    }
  }

  // ── Consuming ──────────────────────────────────────────────────────────────────────────────

  protected advance(): void {
    if (this.kind !== TOKEN_END) this.position++;
  }

  protected take(text: string): boolean {
    if (this.texts[this.position] !== text) return false;
    this.position++;
    return true;
  }

  /** Consumes an operator of one character. In an expression, '--' is two operators, and only the first is consumed. */
  protected takeOperator(): void {
    const { texts, starts, position } = this;
    if (texts[position] !== '--') return this.advance();
    texts[position] = '-';
    starts[position]!++;
  }

  protected takeKind(kind: number): boolean {
    if (this.kind !== kind) return false;
    this.position++;
    return true;
  }

  protected expect(text: string, what = `'${text}'`): void {
    if (!this.take(text)) this.failUnexpected(what);
  }

  /**
   * If ';' is missing at the end of a line, the error is reported at its position, and parsing continues as if it were
   * there. In the middle of a line, the next token is reported as unexpected.
   */
  protected expectSemicolon(after: string): void {
    if (this.take(';')) return;
    const between = this.tokens.source.slice(this.lastEnd, this.start);
    const span = { start: this.lastEnd, end: this.lastEnd };
    if (/[\n\r]/.test(between) || this.is('}') || this.kind === TOKEN_END || STATEMENT_STARTS.has(this.text)) {
      this.report.error('missing-token', span, [], ';', after);
      return;
    }
    this.failUnexpected("';'");
  }

  /** A new name. Keywords and reserved words are reported; parsing continues after reserved ones. */
  protected declaredName(what: string): Name {
    if (this.kind !== TOKEN_WORD) this.failUnexpected(what);
    const name: Name = { text: this.text, span: this.tokenSpan };
    if (this.isKeyword) this.fail('keyword-as-name', name.span, name.text);
    if (RESERVED_WORDS.has(name.text)) this.report.error('reserved-word', name.span, [], name.text);
    else if (name.text === '_')
      this.report.error('invalid-name', name.span, [], '_', "'_' is only allowed on the left of an assignment");
    else if (name.text.startsWith('__'))
      this.report.error('invalid-name', name.span, [], name.text, 'two leading underscores are reserved');
    this.advance();
    this.pendingName = name.text;
    return name;
  }

  // ── Errors ─────────────────────────────────────────────────────────────────────────────────

  protected fail<C extends MessageCode>(code: C, span: Span, ...args: MessageArguments<C>): never {
    this.report.error(code, span, [], ...args);
    throw new ParseFailure(code);
  }

  protected failUnexpected(expected: string): never {
    // If a character before this token was skipped with an error, that is the cause of the failure.
    if (this.report.hasErrorWithin(this.lastEnd, this.start)) throw new ParseFailure(expected);
    this.report.error('unexpected-token', this.tokenSpan, [], expected, this.found);
    throw new ParseFailure(expected);
  }

  /**
   * Enters a nested level until `depth` is decremented. Excessive nesting gives an error instead of a stack overflow.
   */
  protected descend(): void {
    if (this.depth >= MAX_DEPTH) this.fail('too-deep', this.tokenSpan, MAX_DEPTH);
    this.depth++;
  }

  /** Must precede the parsing of statements in braces. A function's body is the first level and does not count. */
  protected descendIntoBraces(): void {
    if (this.braces > MAX_BRACES) this.fail('braces-too-deep', this.tokenSpan, MAX_BRACES);
    this.braces++;
  }

  /** Called when the current declaration did not parse, so that uses of its name are not reported. */
  protected abandonDeclaration(): void {
    if (this.pendingName !== null) this.brokenNames.add(this.pendingName);
    this.pendingName = null;
  }

  /** Skips the rest of a statement: to after its ';' or block, or up to the next statement or the end of the block. */
  protected recoverStatement(begin: number): void {
    if (this.position === begin && !this.is('}')) this.advance();
    for (let parens = 0; this.kind !== TOKEN_END;) {
      const text = this.text;
      if (text === '}') return;
      if (text === '{') {
        this.skipBraces();
        return;
      }
      if (text === '(') parens++;
      else if (text === ')') parens = Math.max(0, parens - 1);
      else if (text === ';' && parens === 0) {
        this.advance();
        return;
      } else if (STATEMENT_STARTS.has(text) && this.startsLine()) return;
      this.advance();
    }
  }

  /** Skips the rest of a declaration at module scope. */
  protected recoverDeclaration(begin: number): void {
    if (this.position === begin) this.advance();
    while (this.kind !== TOKEN_END) {
      if (this.take(';')) return;
      if (this.is('{')) {
        this.skipBraces();
        this.take(';');
        return;
      }
      if (this.kind !== TOKEN_NUMBER && DECLARATION_STARTS.has(this.text) && this.startsLine()) return;
      this.advance();
    }
  }

  private startsLine(): boolean {
    return /[\n\r]/.test(this.tokens.source.slice(this.lastEnd, this.start));
  }

  protected skipBraces(): void {
    let open = 0;
    do {
      if (this.is('{')) open++;
      else if (this.is('}')) open--;
      this.advance();
    } while (open > 0 && this.kind !== TOKEN_END);
  }
}
