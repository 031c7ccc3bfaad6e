// Statements (WGSL §9). A statement that does not parse is reported and skipped, and parsing of the block continues.

import { TOKEN_END, TOKEN_TEMPLATE_OPEN, TOKEN_WORD } from '../../../assembly/layout/text-codes';
import type {
  Attribute,
  BinaryOperator,
  BlockStatement,
  ConstAssert,
  Expression,
  ForStatement,
  IfStatement,
  LoopStatement,
  Statement,
  SwitchClause,
  SwitchStatement,
  VariableDeclaration,
  WhileStatement,
} from '../syntax';
import { ParseFailure } from './cursor';
import { ExpressionParser } from './expressions';

const COMPOUND_ASSIGNMENT: ReadonlySet<string> = new Set([
  '+=',
  '-=',
  '*=',
  '/=',
  '%=',
  '&=',
  '|=',
  '^=',
  '<<=',
  '>>=',
]);

interface ContinuingPart {
  readonly block: BlockStatement;
  readonly breakIf: Expression | null;
}

export class StatementParser extends ExpressionParser {
  /** `{ … }`. */
  protected block(attributes: readonly Attribute[] = []): BlockStatement {
    this.descendIntoBraces();
    const start = this.start;
    this.expect('{');
    const body = this.statementsUntilBrace(null);
    this.expect('}');
    this.braces--;
    return { kind: 'block', attributes, body, span: this.from(start) };
  }

  /** Statements up to '}'. `onContinuing` is called when a loop body reaches 'continuing'. */
  private statementsUntilBrace(onContinuing: (() => void) | null): Statement[] {
    const body: Statement[] = [];
    const { depth, braces } = this;
    while (!this.is('}') && this.kind !== TOKEN_END) {
      const begin = this.position;
      try {
        if (onContinuing !== null && this.is('continuing')) onContinuing();
        else {
          const statement = this.statement();
          if (statement !== null) body.push(statement);
        }
      } catch (failure) {
        if (!(failure instanceof ParseFailure)) throw failure;
        this.depth = depth;
        this.braces = braces;
        this.itemCount = 0;
        this.abandonDeclaration();
        this.recoverStatement(begin);
      }
      this.pendingName = null;
    }
    return body;
  }

  /** One statement; null for a single ';'. */
  private statement(): Statement | null {
    if (this.kind === TOKEN_WORD && !this.isKeyword) return this.updateStatement();
    const attributes = this.attributes();
    const statement = this.attributedStatement(attributes);
    if (statement !== undefined) return statement;
    if (attributes.length > 0)
      this.fail('attribute-not-allowed', attributes[0]!.span, attributes[0]!.name.text, 'this statement');
    return this.simpleStatement();
  }

  /** Statements that may have attributes; undefined if the next token does not start one. */
  private attributedStatement(attributes: readonly Attribute[]): Statement | undefined {
    switch (this.text) {
      case '{':
        return this.block(attributes);
      case 'if':
        return this.ifStatement(attributes);
      case 'switch':
        return this.switchStatement(attributes);
      case 'loop':
        return this.loopStatement(attributes);
      case 'for':
        return this.forStatement(attributes);
      case 'while':
        return this.whileStatement(attributes);
      default:
        return undefined;
    }
  }

  private simpleStatement(): Statement | null {
    const start = this.start;
    switch (this.text) {
      case ';':
        this.advance();
        return null;
      case 'var':
      case 'let':
      case 'const':
      case 'const_assert':
      case 'override':
        return this.localDeclaration();
      case 'return': {
        this.advance();
        const value = this.is(';') || this.is('}') ? null : this.expression();
        this.expectSemicolon("'return'");
        return { kind: 'return', value, span: this.from(start) };
      }
      case 'break':
        return this.breakStatement();
      case 'continue':
      case 'discard': {
        const kind = this.text as 'continue' | 'discard';
        this.advance();
        const span = this.from(start);
        this.expectSemicolon(`'${kind}'`);
        return { kind, span };
      }
      case 'case':
      case 'default':
        return this.fail('case-outside-switch', this.tokenSpan, this.text);
      case 'else':
        return this.fail('else-without-if', this.tokenSpan);
      case 'continuing':
        return this.fail('continuing-not-last', this.tokenSpan);
      default:
        return this.updateStatement();
    }
  }

  private updateStatement(): Statement {
    const statement = this.variableUpdate();
    this.expectSemicolon('the statement');
    return statement;
  }

  private localDeclaration(): Statement {
    if (this.is('override')) this.fail('override-in-function', this.tokenSpan);
    const declaration = this.is('const_assert') ? this.constAssert() : this.variable([]);
    this.expectSemicolon(declaration.kind === 'variable' ? 'the declaration' : "'const_assert'");
    return declaration;
  }

  protected constAssert(): ConstAssert {
    const start = this.start;
    this.expect('const_assert');
    const condition = this.expression();
    return { kind: 'const_assert', condition, span: this.from(start) };
  }

  /** `var`, `let`, `const` or `override`, up to but not including the ';'. */
  protected variable(attributes: readonly Attribute[]): VariableDeclaration {
    const start = attributes[0]?.span.start ?? this.start;
    const keyword = this.text as VariableDeclaration['keyword'];
    this.advance();
    const template = keyword === 'var' && this.kind === TOKEN_TEMPLATE_OPEN ? this.templateList() : null;
    const name = this.declaredName(`a name after '${keyword}'`);
    const type = this.take(':') ? this.typeExpression() : null;
    const init = this.take('=') ? this.expression() : null;
    if (init === null && (keyword === 'let' || keyword === 'const'))
      this.fail('let-without-initializer', name.span, keyword, name.text);
    return { kind: 'variable', keyword, attributes, template, name, type, init, span: this.from(start) };
  }

  private breakStatement(): Statement {
    const start = this.start;
    this.advance();
    if (this.is('if')) this.fail('break-if-outside-continuing', { start, end: this.tokenSpan.end });
    const span = this.from(start);
    this.expectSemicolon("'break'");
    return { kind: 'break', span };
  }

  /** Assignment, increment, decrement or call, without the ';'. */
  private variableUpdate(): Statement {
    const start = this.start;
    if (this.is('_')) {
      this.advance();
      const opSpan = this.tokenSpan;
      this.expect('=');
      const value = this.expression();
      return { kind: 'assign', target: null, op: null, opSpan, value, span: this.from(start) };
    }
    const target = this.unary();
    const opSpan = this.tokenSpan;
    const op = this.text;
    if (op === '++' || op === '--') {
      this.advance();
      return { kind: 'step', op, target, span: this.from(start) };
    }
    if (op === '=' || COMPOUND_ASSIGNMENT.has(op)) {
      this.advance();
      const value = this.expression();
      const operator = op === '=' ? null : (op.slice(0, -1) as BinaryOperator);
      return { kind: 'assign', target, op: operator, opSpan, value, span: this.from(start) };
    }
    if (target.kind === 'call') return { kind: 'call-statement', call: target, span: this.from(start) };
    if (target.kind === 'ident' && this.kind === TOKEN_WORD) this.failUnexpected("'=' or '('");
    return this.fail('not-a-statement', target.span);
  }

  private ifStatement(attributes: readonly Attribute[]): IfStatement {
    const start = this.start;
    this.advance();
    const condition = this.expression();
    const then = this.block(this.attributes());
    let otherwise: BlockStatement | IfStatement | null = null;
    if (this.take('else')) {
      if (this.is('if')) {
        this.descend();
        otherwise = this.ifStatement([]);
        this.depth--;
      } else otherwise = this.block(this.attributes());
    }
    return { kind: 'if', attributes, condition, then, otherwise, span: this.from(start) };
  }

  private switchStatement(attributes: readonly Attribute[]): SwitchStatement {
    const start = this.start;
    this.advance();
    const selector = this.expression();
    const bodyAttributes = this.attributes();
    const bodyStart = this.start;
    this.expect('{');
    const clauses: SwitchClause[] = [];
    while (!this.is('}') && this.kind !== TOKEN_END) clauses.push(this.switchClause());
    this.expect('}');
    return {
      kind: 'switch',
      attributes,
      selector,
      bodyAttributes,
      bodySpan: this.from(bodyStart),
      clauses,
      span: this.from(start),
    };
  }

  private switchClause(): SwitchClause {
    const start = this.start;
    const selectors: (Expression | null)[] = [];
    if (this.take('default')) selectors.push(null);
    else {
      this.expect('case', "'case' or 'default'");
      do {
        if (this.is(':') || this.is('{')) break;
        selectors.push(this.take('default') ? null : this.expression());
      } while (this.take(','));
      if (selectors.length === 0) this.failUnexpected('a case selector');
    }
    this.take(':');
    const span = this.from(start);
    const body = this.block(this.attributes());
    return { selectors, body, span };
  }

  private loopStatement(attributes: readonly Attribute[]): LoopStatement {
    this.descendIntoBraces();
    const start = this.start;
    this.advance();
    const bodyAttributes = this.attributes();
    const bodyStart = this.start;
    this.expect('{');
    let continuing: ContinuingPart | null = null;
    const body = this.statementsUntilBrace(() => {
      continuing = this.continuing();
      if (!this.is('}')) this.fail('continuing-not-last', this.tokenSpan);
    });
    this.expect('}');
    const block: BlockStatement = { kind: 'block', attributes: bodyAttributes, body, span: this.from(bodyStart) };
    const part = continuing as ContinuingPart | null;
    this.braces--;
    return {
      kind: 'loop',
      attributes,
      body: block,
      continuing: part?.block ?? null,
      breakIf: part?.breakIf ?? null,
      span: this.from(start),
    };
  }

  private continuing(): ContinuingPart {
    this.descendIntoBraces();
    this.advance();
    const attributes = this.attributes();
    const start = this.start;
    this.expect('{');
    const body: Statement[] = [];
    let breakIf: Expression | null = null;
    while (!this.is('}') && this.kind !== TOKEN_END) {
      if (this.is('break') && this.tokens.texts[this.position + 1] === 'if') {
        this.advance();
        this.advance();
        breakIf = this.expression();
        this.expectSemicolon("'break if'");
        if (!this.is('}')) this.fail('break-if-outside-continuing', this.tokenSpan);
        break;
      }
      const statement = this.statement();
      if (statement !== null) body.push(statement);
    }
    this.expect('}');
    this.braces--;
    return { block: { kind: 'block', attributes, body, span: this.from(start) }, breakIf };
  }

  private forStatement(attributes: readonly Attribute[]): ForStatement {
    const start = this.start;
    this.advance();
    this.expect('(');
    const init = this.is(';') ? null : this.forInit();
    this.expect(';');
    const condition = this.is(';') ? null : this.expression();
    this.expect(';');
    const update = this.is(')') ? null : this.variableUpdate();
    this.expect(')');
    const body = this.block(this.attributes());
    return { kind: 'for', attributes, init, condition, update, body, span: this.from(start) };
  }

  private forInit(): Statement {
    return this.is('var') || this.is('let') || this.is('const') ? this.variable([]) : this.variableUpdate();
  }

  private whileStatement(attributes: readonly Attribute[]): WhileStatement {
    const start = this.start;
    this.advance();
    const condition = this.expression();
    const body = this.block(this.attributes());
    return { kind: 'while', attributes, condition, body, span: this.from(start) };
  }
}
