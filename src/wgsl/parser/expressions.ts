// Expressions (WGSL §8). The grammar has few precedence levels and refuses most mixtures of operators
// without parentheses; those are reported, and read from left to right so that parsing goes on.

import { TokenKind } from '../lexer';
import type { Attribute, BinaryOperator, Expression, IdentExpression, Name, UnaryOperator } from '../syntax';
import { KEYWORDS } from '../words';
import { Cursor } from './cursor';

const UNARY: ReadonlySet<string> = new Set(['-', '--', '!', '~', '*', '&']);
const MULTIPLICATIVE: ReadonlySet<string> = new Set(['*', '/', '%']);
/** a--b is a minus the negative of b. */
const ADDITIVE: ReadonlySet<string> = new Set(['+', '-', '--']);
const SHIFT: ReadonlySet<string> = new Set(['<<', '>>']);
const RELATIONAL: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);
const BITWISE: ReadonlySet<string> = new Set(['&', '|', '^']);
const LOGICAL: ReadonlySet<string> = new Set(['&&', '||']);

/** What follows most operands: no operator, so that none of the levels need be looked at. */
const ENDS: ReadonlySet<string> = new Set([')', ',', ';', ']', '{']);

/**
 * Most levels of an expression's tree, chains of operators and postfixes among them: what walks it by recursion needs
 * half of the stack that engines give (984 KiB in V8) for as many.
 */
const MAX_HEIGHT = 1000;

export class ExpressionParser extends Cursor {
  /** Levels of the expression that was parsed last. */
  private height = 0;

  expression(): Expression {
    return this.nested(() => {
      const first = this.unary();
      if (this.kind !== TokenKind.Punctuation || ENDS.has(this.text)) return first;
      const left = BITWISE.has(this.text) ? this.chain(first, BITWISE, () => this.unary()) : this.logical(first);
      return this.refuseMixture(left);
    });
  }

  private logical(first: Expression): Expression {
    const left = this.relational(first);
    return LOGICAL.has(this.text) ? this.chain(left, LOGICAL, () => this.relational(this.unary())) : left;
  }

  private relational(first: Expression): Expression {
    const left = this.shift(first);
    if (!RELATIONAL.has(this.text)) return left;
    const node = this.binary(left, () => this.shift(this.unary()));
    if (!RELATIONAL.has(this.text)) return node;
    this.report.error('chained-operator', this.tokenSpan, [], this.text);
    this.repeat(node, RELATIONAL, () => this.shift(this.unary()));
    return node;
  }

  private shift(first: Expression): Expression {
    if (!SHIFT.has(this.text)) return this.additive(first);
    const node = this.binary(first, () => this.unary());
    if (!SHIFT.has(this.text)) return node;
    this.report.error('chained-operator', this.tokenSpan, [], this.text);
    this.repeat(node, SHIFT, () => this.unary());
    return node;
  }

  private additive(first: Expression): Expression {
    const left = this.repeat(first, MULTIPLICATIVE, () => this.unary());
    return this.repeat(left, ADDITIVE, () => this.repeat(this.unary(), MULTIPLICATIVE, () => this.unary()));
  }

  private repeat(first: Expression, operators: ReadonlySet<string>, operand: () => Expression): Expression {
    let left = first;
    while (operators.has(this.text)) left = this.binary(left, operand);
    return left;
  }

  /** Operators that chain only with themselves: & | ^ and && ||. */
  private chain(first: Expression, operators: ReadonlySet<string>, operand: () => Expression): Expression {
    const op = this.text;
    let left = first;
    while (operators.has(this.text)) {
      if (this.text !== op) this.report.error('mixed-operators', this.tokenSpan, [], op, this.text);
      left = this.binary(left, operand);
    }
    return left;
  }

  private binary(left: Expression, operand: () => Expression): Expression {
    const op = (this.is('--') ? '-' : this.text) as BinaryOperator;
    const opSpan = this.is('--') ? { start: this.start, end: this.start + 1 } : this.tokenSpan;
    const { height } = this;
    this.takeOperator();
    const right = operand();
    this.grow(height);
    return { kind: 'binary', op, opSpan, left, right, span: { start: left.span.start, end: right.span.end } };
  }

  /** Another level over what was parsed last and a part of so many levels. */
  private grow(other: number): void {
    this.height = Math.max(this.height, other) + 1;
    if (this.height > MAX_HEIGHT) this.fail('too-deep', this.tokenSpan, MAX_HEIGHT);
  }

  /** What is left over is an operator of another level without parentheses, or a lone '='. */
  private refuseMixture(left: Expression): Expression {
    const text = this.text;
    if (text === '=') this.fail('assignment-in-expression', this.tokenSpan);
    const binary = BITWISE.has(text) || SHIFT.has(text) || ADDITIVE.has(text) || MULTIPLICATIVE.has(text)
      || RELATIONAL.has(text) || LOGICAL.has(text);
    if (!binary || left.kind !== 'binary') return left;
    this.report.error('mixed-operators', this.tokenSpan, [], left.op, text);
    let node: Expression = left;
    while (this.atBinaryOperator()) node = this.binary(node, () => this.unary());
    return node;
  }

  private atBinaryOperator(): boolean {
    const text = this.text;
    return [BITWISE, SHIFT, ADDITIVE, MULTIPLICATIVE, RELATIONAL, LOGICAL].some((set) => set.has(text));
  }

  protected unary(): Expression {
    // '&&x' arrives as one token; WGSL has no such operator.
    if (this.kind === TokenKind.Punctuation && this.is('&&')) this.failUnexpected('an expression');
    if (this.kind === TokenKind.Punctuation && UNARY.has(this.text)) {
      const start = this.start;
      const op = this.text.charAt(0) as UnaryOperator;
      this.takeOperator();
      const operand = this.nested(() => this.unary());
      this.grow(0);
      return { kind: 'unary', op, operand, span: this.from(start) };
    }
    return this.postfix(this.primary());
  }

  private postfix(primary: Expression): Expression {
    let base = primary;
    for (;;) {
      if (this.take('[')) {
        const { height } = this;
        const index = this.expression();
        this.expect(']');
        this.grow(height);
        base = { kind: 'index', base, index, span: this.from(primary.span.start) };
      } else if (this.take('.')) {
        if (this.kind !== TokenKind.Word) this.failUnexpected("a member name after '.'");
        const member: Name = { text: this.text, span: this.tokenSpan };
        this.advance();
        this.grow(0);
        base = { kind: 'member', base, member, span: this.from(primary.span.start) };
      } else return base;
    }
  }

  private primary(): Expression {
    const { start, kind } = this;
    this.height = 0;
    if (kind === TokenKind.Number) {
      const { type, value } = this.tokens.numbers.get(this.position);
      this.advance();
      return { kind: 'literal', type, value, span: this.from(start) };
    }
    if (kind === TokenKind.Word) {
      const text = this.text;
      if (text === 'true' || text === 'false') {
        this.advance();
        return { kind: 'literal', type: 'bool', value: text === 'true', span: this.from(start) };
      }
      if (KEYWORDS.has(text) || text === '_') this.failUnexpected('an expression');
      const ident = this.templatedIdent('an expression');
      if (!this.is('(')) return ident;
      const { height } = this;
      const args = this.argumentList();
      this.grow(height);
      return { kind: 'call', callee: ident, args, span: this.from(start) };
    }
    if (this.take('(')) {
      const inner = this.expression();
      this.expect(')');
      // The parentheses belong to the expression's place, not to its meaning.
      inner.span = this.from(start);
      return inner;
    }
    return this.failUnexpected('an expression');
  }

  /** `name` or `name<…>`: a type, a function, a variable. */
  protected templatedIdent(what: string): IdentExpression {
    const start = this.start;
    if (this.kind !== TokenKind.Word || KEYWORDS.has(this.text)) this.failUnexpected(what);
    const name: Name = { text: this.text, span: this.tokenSpan };
    this.advance();
    const template = this.atTemplateList ? this.templateList() : null;
    return { kind: 'ident', name, template, span: this.from(start) };
  }

  private get atTemplateList(): boolean {
    return this.kind === TokenKind.TemplateOpen;
  }

  /** A type where only a type can stand. */
  protected typeExpression(): Expression {
    return this.nested(() => this.templatedIdent('a type'));
  }

  protected templateList(): Expression[] {
    this.takeKind(TokenKind.TemplateOpen);
    const args = this.list(() => this.kind === TokenKind.TemplateClose);
    if (!this.takeKind(TokenKind.TemplateClose)) this.failUnexpected("',' or '>'");
    return args;
  }

  protected argumentList(): Expression[] {
    this.expect('(');
    const args = this.list(() => this.is(')'));
    if (!this.take(')')) this.failUnexpected("',' or ')'");
    return args;
  }

  /** Expressions with commas between them. */
  private list(atEnd: () => boolean): Expression[] {
    const items: Expression[] = [];
    let height = 0;
    while (!atEnd()) {
      items.push(this.expression());
      height = Math.max(height, this.height);
      if (!this.take(',')) break;
    }
    this.height = height;
    return items;
  }

  protected attributes(): Attribute[] {
    const list: Attribute[] = [];
    while (this.is('@')) {
      const start = this.start;
      this.advance();
      if (this.kind !== TokenKind.Word) this.failUnexpected("an attribute name after '@'");
      const name: Name = { text: this.text, span: this.tokenSpan };
      this.advance();
      const isCalled = this.is('(');
      const args = isCalled ? this.argumentList() : [];
      list.push({ name, args, isCalled, span: this.from(start) });
    }
    return list;
  }
}
