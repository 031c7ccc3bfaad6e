// Expressions (WGSL §8). The grammar has few precedence levels and rejects most combinations of different operators
// without parentheses. Such combinations are reported and then read from left to right, so that parsing can continue.

import {
  TOKEN_NUMBER,
  TOKEN_PUNCTUATION,
  TOKEN_TEMPLATE_CLOSE,
  TOKEN_TEMPLATE_OPEN,
  TOKEN_WORD,
} from '../../../assembly/layout/text-codes';
import { Mark } from '../lexer';
import type { Attribute, BinaryOperator, Expression, IdentExpression, Name, UnaryOperator } from '../syntax';
import { Cursor } from './cursor';

const NO_ATTRIBUTES: readonly Attribute[] = [];

/**
 * Maximum height of an expression tree, including chains of operators and postfixes. Code that walks such a tree
 * recursively needs half of the engine's stack (984 KiB in V8).
 */
const MAX_HEIGHT = 1000;

export class ExpressionParser extends Cursor {
  /** Height of the last parsed expression. */
  private height = 0;
  /**
   * Items of the enclosing lists that are not complete yet. Each list is sliced from it, because an array that grows on
   * demand allocates room for seventeen elements at once.
   */
  private readonly items: Expression[] = [];
  /** Number of these items. Code that catches a failure resets it. */
  protected itemCount = 0;

  expression(): Expression {
    this.descend();
    const first = this.unary();
    const { position } = this;
    // Most operands are not followed by an operator, so the levels need not be checked.
    const expression =
      (this.marks[position]! & Mark.Level) === 0 && this.texts[position] !== '=' ? first : this.operators(first);
    this.depth--;
    return expression;
  }

  private operators(first: Expression): Expression {
    const { level } = this;
    if (level === Mark.Bitwise) return this.refuseMixture(this.chain(first, Mark.Bitwise));
    if (level < Mark.Additive) return this.refuseMixture(this.logical(first));
    // Most operators are of this level, and usually no operator of another level follows.
    const left = this.additive(first);
    const next = this.level;
    if (next === 0 && !this.is('=')) return left;
    return this.refuseMixture(next === Mark.Relational || next === Mark.Logical ? this.logical(left) : left);
  }

  private logical(first: Expression): Expression {
    const left = this.relational(first);
    return this.level === Mark.Logical ? this.chain(left, Mark.Logical) : left;
  }

  private relational(first: Expression): Expression {
    const left = this.shift(first);
    return this.level === Mark.Relational ? this.once(left, Mark.Relational) : left;
  }

  private shift(first: Expression): Expression {
    return this.level === Mark.Shift ? this.once(first, Mark.Shift) : this.additive(first);
  }

  private additive(first: Expression): Expression {
    return this.repeat(this.repeat(first, Mark.Multiplicative), Mark.Additive);
  }

  /** An operand of an operator of the given level, including operators that bind more tightly. */
  private operand(level: number): Expression {
    const first = this.unary();
    switch (level) {
      case Mark.Additive:
        return this.repeat(first, Mark.Multiplicative);
      case Mark.Relational:
        return this.shift(first);
      case Mark.Logical:
        return this.relational(first);
      default:
        return first;
    }
  }

  /** Operators that do not chain. */
  private once(left: Expression, level: number): Expression {
    const node = this.binary(left, level);
    if (this.level !== level) return node;
    this.report.error('chained-operator', this.tokenSpan, [], this.text);
    this.repeat(node, level);
    return node;
  }

  private repeat(first: Expression, level: number): Expression {
    let left = first;
    while (this.level === level) left = this.binary(left, level);
    return left;
  }

  /** Operators that chain only with themselves: & | ^ and && ||. */
  private chain(first: Expression, level: number): Expression {
    const op = this.text;
    let left = first;
    while (this.level === level) {
      if (this.text !== op) this.report.error('mixed-operators', this.tokenSpan, [], op, this.text);
      left = this.binary(left, level);
    }
    return left;
  }

  private binary(left: Expression, level: number): Expression {
    const { height, position, texts } = this;
    const text = texts[position]!;
    const opStart = this.starts[position]!;
    const op = (text === '--' ? '-' : text) as BinaryOperator;
    this.takeOperator();
    const right = this.operand(level);
    this.grow(height);
    return { kind: 'binary', op, opStart, left, right, span: { start: left.span.start, end: right.span.end } };
  }

  /** Adds a level above the last parsed expression and another part with the given height. */
  private grow(other: number): void {
    this.height = Math.max(this.height, other) + 1;
    if (this.height > MAX_HEIGHT) this.fail('too-deep', this.tokenSpan, MAX_HEIGHT);
  }

  /** A remaining operator is one of another level without parentheses, or a single '='. */
  private refuseMixture(left: Expression): Expression {
    const { text } = this;
    if (text === '=') this.fail('assignment-in-expression', this.tokenSpan);
    if (this.level === 0 || left.kind !== 'binary') return left;
    this.report.error('mixed-operators', this.tokenSpan, [], left.op, text);
    let node: Expression = left;
    while (this.level !== 0) node = this.binary(node, Mark.Bitwise);
    return node;
  }

  protected unary(): Expression {
    if ((this.marks[this.position]! & Mark.Unary) === 0) return this.postfix(this.primary());
    const { start } = this;
    const op = this.text.charAt(0) as UnaryOperator;
    this.takeOperator();
    this.descend();
    const operand = this.unary();
    this.depth--;
    this.grow(0);
    return { kind: 'unary', op, operand, span: this.from(start) };
  }

  private postfix(primary: Expression): Expression {
    let base = primary;
    for (;;) {
      const text = this.texts[this.position];
      if (text === '[') {
        this.position++;
        const { height } = this;
        const index = this.expression();
        this.expect(']');
        this.grow(height);
        base = { kind: 'index', base, index, span: this.from(primary.span.start) };
      } else if (text === '.') {
        this.position++;
        const at = this.position;
        if (this.kinds[at] !== TOKEN_WORD) this.failUnexpected("a member name after '.'");
        const end = this.ends[at]!;
        const member: Name = { text: this.texts[at]!, span: { start: this.starts[at]!, end } };
        this.position++;
        this.grow(0);
        base = { kind: 'member', base, member, span: { start: primary.span.start, end } };
      } else return base;
    }
  }

  private primary(): Expression {
    const at = this.position;
    const start = this.starts[at]!;
    const kind = this.kinds[at]!;
    const text = this.texts[at]!;
    this.height = 0;
    if (kind === TOKEN_NUMBER) {
      const { type, value } = this.tokens.numbers.get(at);
      this.position++;
      return { kind: 'literal', type, value, span: { start, end: this.ends[at]! } };
    }
    if (kind === TOKEN_WORD) {
      if (text === 'true' || text === 'false') {
        this.position++;
        return { kind: 'literal', type: 'bool', value: text === 'true', span: { start, end: this.ends[at]! } };
      }
      if (text === '_') this.failUnexpected('an expression');
      const ident = this.templatedIdent('an expression');
      if (this.texts[this.position] !== '(') return ident;
      const { height } = this;
      const args = this.argumentList();
      this.grow(height);
      return { kind: 'call', callee: ident, args, span: this.from(start) };
    }
    if (text === '(') {
      this.position++;
      const inner = this.expression();
      this.expect(')');
      // The parentheses belong to the expression's span, but not to its meaning.
      inner.span = this.from(start);
      return inner;
    }
    return this.failUnexpected('an expression');
  }

  /** `name` or `name<…>`: a type, a function or a variable. */
  protected templatedIdent(what: string): IdentExpression {
    const at = this.position;
    if (this.kinds[at] !== TOKEN_WORD || (this.marks[at]! & Mark.Keyword) !== 0) this.failUnexpected(what);
    const text = this.texts[at]!;
    const span = { start: this.starts[at]!, end: this.ends[at]! };
    this.position++;
    if (this.kinds[at + 1] !== TOKEN_TEMPLATE_OPEN)
      return { kind: 'ident', name: { text, span }, template: null, span };
    const template = this.templateList();
    return { kind: 'ident', name: { text, span }, template, span: this.from(span.start) };
  }

  /** A type in a place where only a type is allowed. */
  protected typeExpression(): Expression {
    this.descend();
    const type = this.templatedIdent('a type');
    this.depth--;
    return type;
  }

  protected templateList(): Expression[] {
    this.takeKind(TOKEN_TEMPLATE_OPEN);
    const args = this.list(TOKEN_TEMPLATE_CLOSE, '>');
    if (!this.takeKind(TOKEN_TEMPLATE_CLOSE)) this.failUnexpected("',' or '>'");
    return args;
  }

  protected argumentList(): Expression[] {
    this.expect('(');
    const args = this.list(TOKEN_PUNCTUATION, ')');
    if (!this.take(')')) this.failUnexpected("',' or ')'");
    return args;
  }

  /** Comma-separated expressions up to a bracket. */
  private list(kind: number, bracket: string): Expression[] {
    const { items } = this;
    const first = this.itemCount;
    let height = 0;
    const { kinds, texts } = this;
    while (texts[this.position] !== bracket || kinds[this.position] !== kind) {
      const item = this.expression();
      items[this.itemCount++] = item;
      height = Math.max(height, this.height);
      if (texts[this.position] !== ',') break;
      this.position++;
    }
    this.height = height;
    const list = items.slice(first, this.itemCount);
    this.itemCount = first;
    return list;
  }

  protected attributes(): readonly Attribute[] {
    if (!this.is('@')) return NO_ATTRIBUTES;
    const list: Attribute[] = [];
    while (this.is('@')) {
      const start = this.start;
      this.advance();
      if (this.kind !== TOKEN_WORD) this.failUnexpected("an attribute name after '@'");
      const name: Name = { text: this.text, span: this.tokenSpan };
      this.advance();
      const isCalled = this.is('(');
      const args = isCalled ? this.argumentList() : [];
      list.push({ name, args, isCalled, span: this.from(start) });
    }
    return list;
  }
}
