// Resolves statements to HIR (WGSL §9). Assignments are resolved in assignments.ts.

import type { Note } from '../../../base/diagnostics';
import type { Expr, Stmt } from '../../hir';
import type {
  Attribute,
  BlockStatement,
  CallStatement,
  ConstAssert,
  Expression,
  ForStatement,
  IfStatement,
  LoopStatement,
  Name,
  ReturnStatement,
  Span,
  Statement,
  VariableDeclaration,
  WhileStatement,
} from '../../syntax';
import { BOOL, isConstructible, isHandle, typeName, VOID } from '../../type-store';
import type { Type } from '../../types';
import { resolveAssignment, resolveStep } from './assignments';
import { resolveAttributes } from '../declarations/attributes';
import { Behavior, next, type Resolved } from './behavior';
import type { Binding, Context, FunctionFacts } from '../context';
import { concretize } from '../convert';
import { callStatement, constantValue, require, typeExpression, value, valueOf } from '../expressions';
import { at, computed, emit, reference } from '../operand';
import type { Operand } from '../operand';
import { resolveSwitch } from './switch';
import { enumerant } from '../type-expressions';

/** What a jump would leave: the innermost loop, switch or continuing block. */
type Enclosing = 'loop' | 'switch' | 'continuing';

/** Resolves the statements of one function. */
export class StatementResolver {
  readonly enclosing: Enclosing[] = [];
  /** Position of the first `continue` of each enclosing loop, innermost last; null if there is none yet. */
  private readonly firstContinues: (number | null)[] = [];

  constructor(
    readonly ctx: Context,
    private readonly facts: FunctionFacts
  ) {}

  /** Resolves statements in the current scope. Unreachable statements are checked, but not part of the result. */
  sequence(statements: readonly Statement[]): Resolved {
    const stmts: Stmt[] = [];
    let behavior: number = Behavior.Next;
    let warned = false;
    for (const statement of statements) {
      const resolved = this.statement(statement);
      if ((behavior & Behavior.Next) === 0) {
        if (!warned) this.ctx.report.warning('unreachable-code', statement.span, []);
        warned = true;
        this.facts.unreachable.push(...resolved.stmts);
        continue;
      }
      stmts.push(...resolved.stmts);
      behavior = (behavior & ~Behavior.Next) | resolved.behavior;
    }
    return { stmts, behavior };
  }

  checkAttributes(attributes: readonly Attribute[], span: Span): void {
    if (attributes.length === 0) return;
    resolveAttributes(this.ctx, attributes, 'statement', 'a statement');
    this.ctx.module.severities.note(attributes, span);
  }

  block(block: BlockStatement): Resolved {
    this.checkAttributes(block.attributes, block.span);
    return this.ctx.scoped(() => this.sequence(block.body));
  }

  private statement(statement: Statement): Resolved {
    if ('attributes' in statement) this.checkAttributes(statement.attributes, statement.span);
    switch (statement.kind) {
      case 'variable':
        return this.localDeclaration(statement);
      case 'const_assert':
        checkConstAssert(this.ctx, statement);
        return next();
      case 'block': {
        const inner = this.ctx.scoped(() => this.sequence(statement.body));
        return { stmts: [{ kind: 'block', body: inner.stmts, span: statement.span }], behavior: inner.behavior };
      }
      case 'if':
        return this.ifStatement(statement);
      case 'switch':
        this.checkAttributes(statement.bodyAttributes, statement.bodySpan);
        return resolveSwitch(this, statement);
      case 'loop':
        this.checkAttributes(statement.body.attributes, statement.body.span);
        if (statement.continuing !== null)
          this.checkAttributes(statement.continuing.attributes, statement.continuing.span);
        return this.loopStatement(statement);
      case 'for':
        return this.ctx.scoped(() => this.forStatement(statement));
      case 'while':
        return this.whileStatement(statement);
      case 'return':
        return this.returnStatement(statement);
      case 'break':
      case 'continue':
        return this.jump(statement.kind, statement.span);
      case 'discard':
        this.facts.stageUses.push({ name: 'discard', stages: ['fragment'], span: statement.span });
        return next({ kind: 'discard', span: statement.span });
      case 'assign':
        return resolveAssignment(this.ctx, this.facts, statement);
      case 'step':
        return resolveStep(this.ctx, statement);
      case 'call-statement':
        return this.callStatement(statement);
    }
  }

  // ── Declarations ───────────────────────────────────────────────────────────────────────────

  declare(name: Name, binding: Binding): void {
    const previous = this.ctx.scope!.declare(name.text, binding);
    if (previous === undefined) return;
    const notes: Note[] =
      previous.kind === 'broken' ? [] : [{ message: 'first declared here', span: previous.declared }];
    this.ctx.report.error('redeclaration', name.span, notes, name.text);
  }

  private localDeclaration(node: VariableDeclaration): Resolved {
    const { name } = node;
    // The initial value is resolved before the name is declared: `let x = x;` reads the outer x.
    const declaredType = node.type === null ? null : typeExpression(this.ctx, node.type);
    const broken = node.type !== null && declaredType === null;
    const init = node.init === null ? null : this.initializer(node, declaredType);
    if (broken || (node.init !== null && init === null)) return this.declareBroken(name);
    switch (node.keyword) {
      case 'const':
        this.declare(name, { kind: 'value', operand: init!, declared: name.span });
        return next();
      case 'let':
        return this.letDeclaration(node, init!);
      default:
        return this.varDeclaration(node, declaredType, init);
    }
  }

  private declareBroken(name: Name): Resolved {
    this.declare(name, { kind: 'broken' });
    return next();
  }

  private initializer(node: VariableDeclaration, declaredType: Type | null): Operand | null {
    const { ctx } = this;
    const what = `the initial value of '${node.name.text}'`;
    const operand = node.keyword === 'const' ? constantValue(ctx, node.init!, what) : value(ctx, node.init!);
    if (operand === null) return null;
    if (declaredType !== null) return require(ctx, operand, declaredType, what);
    return node.keyword === 'const' ? operand : concretize(ctx, operand);
  }

  private letDeclaration(node: VariableDeclaration, init: Operand): Resolved {
    const { name, span } = node;
    if (isHandle(init.type)) {
      // Another name for the texture, the sampler or the parameter.
      this.declare(name, { kind: 'value', operand: at(init, name.span), declared: name.span });
      return next();
    }
    const local = this.facts.addLocal({ name: name.text, type: init.type, kind: 'let' });
    const operand = computed({ op: 'local', local, type: init.type, span: name.span });
    this.declare(name, { kind: 'value', operand, declared: name.span });
    return next({ kind: 'let', local, value: emit(init), span });
  }

  private varDeclaration(node: VariableDeclaration, declaredType: Type | null, init: Operand | null): Resolved {
    const { ctx } = this;
    const { name, span } = node;
    this.checkLocalSpace(node);
    const type = declaredType ?? init?.type ?? null;
    if (type === null) {
      ctx.report.error('var-without-type', name.span, [], name.text);
      return this.declareBroken(name);
    }
    if (!isConstructible(type) || ctx.module.openArrays.has(type)) {
      ctx.report.error(
        'type-not-allowed',
        (node.type ?? node.init)?.span ?? name.span,
        [],
        typeName(type),
        "a function's 'var'"
      );
      return this.declareBroken(name);
    }
    const local = this.facts.addLocal({ name: name.text, type, kind: 'var' });
    const place = { root: { root: 'variable', local }, steps: [], type, span: name.span } as const;
    const operand = reference({ place, space: 'function', access: 'read_write', vectorComponent: false });
    this.declare(name, { kind: 'value', operand, declared: name.span });
    return next({ kind: 'var', local, value: init === null ? null : emit(init), span });
  }

  private checkLocalSpace(node: VariableDeclaration): void {
    const [space, extra] = node.template ?? [];
    if (space === undefined) return;
    const word = enumerant(this.ctx, space, 'an address space', [
      'function',
      'private',
      'workgroup',
      'uniform',
      'storage',
      'immediate',
    ] as const);
    if (word !== null && word !== 'function') this.ctx.report.error('space-in-function', space.span, [], word);
    else if (extra !== undefined) this.ctx.report.error('access-mode-not-allowed', extra.span, [], 'function');
  }

  // ── Control flow ───────────────────────────────────────────────────────────────────────────

  condition(node: Expression, what: string): Operand | null {
    return valueOf(this.ctx, node, BOOL, what);
  }

  private ifStatement(node: IfStatement): Resolved {
    const condition = this.condition(node.condition, "the condition of 'if'");
    const then = this.block(node.then);
    const otherwise =
      node.otherwise === null
        ? next()
        : node.otherwise.kind === 'if'
          ? this.ifStatement(node.otherwise)
          : this.block(node.otherwise);
    const behavior = then.behavior | otherwise.behavior;
    if (condition === null) return { stmts: [], behavior };
    const { span } = node;
    return {
      stmts: [{ kind: 'if', condition: emit(condition), then: then.stmts, otherwise: otherwise.stmts, span }],
      behavior,
    };
  }

  inside<T>(what: Enclosing, body: () => T): T {
    this.enclosing.push(what);
    try {
      return body();
    } finally {
      this.enclosing.pop();
    }
  }

  private loopStatement(node: LoopStatement): Resolved {
    return this.ctx.scoped(() => {
      this.firstContinues.push(null);
      const body = this.inside('loop', () => this.sequence(node.body.body));
      const firstContinue = this.firstContinues.pop() ?? null;
      let breakIf: Operand | null = null;
      const continuing = this.inContinuing(firstContinue, node.continuing?.span.start ?? node.span.end, () => {
        const resolved = this.sequence(node.continuing?.body ?? []);
        if (node.breakIf !== null) breakIf = this.condition(node.breakIf, "the condition of 'break if'");
        return resolved;
      });
      const behavior = body.behavior | continuing.behavior | (node.breakIf === null ? 0 : Behavior.Break);
      return this.loop(node.span, 4, body.stmts, continuing.stmts, breakIf, behavior);
    });
  }

  private inContinuing<T>(firstContinue: number | null, start: number, body: () => T): T {
    const outer = this.ctx.continuing;
    if (firstContinue !== null) this.ctx.continuing = { firstContinue, start };
    try {
      return this.inside('continuing', () => this.ctx.scoped(body));
    } finally {
      this.ctx.continuing = outer;
    }
  }

  /** Control continues after a loop only if something breaks out of it. `word` is the length of the loop's keyword. */
  private loop(
    span: Span,
    word: number,
    body: readonly Stmt[],
    continuing: readonly Stmt[],
    breakIf: Operand | null,
    inner: number
  ): Resolved {
    const leaves = (inner & Behavior.Break) !== 0;
    const behavior = (inner & Behavior.Return) | (leaves ? Behavior.Next : 0);
    if (behavior === 0 && !this.ctx.module.syntaxIsBroken)
      this.ctx.report.error('endless-loop', { start: span.start, end: span.start + word }, []);
    const stmt: Stmt = { kind: 'loop', body, continuing, breakIf: breakIf === null ? null : emit(breakIf), span };
    // After this error, the code that follows is not reported as unreachable too.
    return { stmts: [stmt], behavior: behavior === 0 ? Behavior.Next : behavior };
  }

  /** The body of a `for` or `while`. Its names are not visible in the update statement. */
  private loopBody(node: BlockStatement): Resolved {
    this.firstContinues.push(null);
    const body = this.inside('loop', () => this.block(node));
    this.firstContinues.pop();
    return body;
  }

  private forStatement(node: ForStatement): Resolved {
    const init = node.init === null ? next() : this.statement(node.init);
    const condition = node.condition === null ? null : this.condition(node.condition, "the condition of 'for'");
    const body = this.loopBody(node.body);
    const update = node.update === null ? next() : this.inside('continuing', () => this.statement(node.update!));
    const exit = node.condition === null ? 0 : Behavior.Break;
    const guarded = condition === null ? body.stmts : [breakUnless(emit(condition)), ...body.stmts];
    const loop = this.loop(node.span, 3, guarded, update.stmts, null, body.behavior | exit);
    return {
      stmts: [{ kind: 'block', body: [...init.stmts, ...loop.stmts], span: node.span }],
      behavior: loop.behavior,
    };
  }

  private whileStatement(node: WhileStatement): Resolved {
    const condition = this.condition(node.condition, "the condition of 'while'");
    const body = this.loopBody(node.body);
    const guarded = condition === null ? body.stmts : [breakUnless(emit(condition)), ...body.stmts];
    return this.loop(node.span, 5, guarded, [], null, body.behavior | Behavior.Break);
  }

  private returnStatement(node: ReturnStatement): Resolved {
    const { ctx } = this;
    const { returnType, name } = this.facts;
    const done = (expr: Expr | null): Resolved => ({
      stmts: [{ kind: 'return', value: expr, span: node.span }],
      behavior: Behavior.Return,
    });
    if (this.enclosing.includes('continuing')) ctx.report.error('jump-in-continuing', node.span, [], 'return');
    if (returnType === null) {
      if (node.value !== null) value(ctx, node.value);
      return done(null);
    }
    if (node.value === null) {
      if (returnType !== VOID) ctx.report.error('return-without-value', node.span, [], name, typeName(returnType));
      return done(null);
    }
    if (returnType === VOID) {
      const operand = value(ctx, node.value);
      if (operand !== null) ctx.report.error('return-with-value', node.value.span, [], name);
      return done(null);
    }
    const operand = valueOf(ctx, node.value, returnType, `the result of '${name}'`);
    return done(operand === null ? null : emit(operand));
  }

  private jump(kind: 'break' | 'continue', span: Span): Resolved {
    const behavior = kind === 'break' ? Behavior.Break : Behavior.Continue;
    const targets: readonly Enclosing[] = kind === 'break' ? ['loop', 'switch', 'continuing'] : ['loop', 'continuing'];
    const loop = this.firstContinues.length - 1;
    if (kind === 'continue' && loop >= 0) this.firstContinues[loop] ??= span.start;
    const target = [...this.enclosing].reverse().find((outer) => targets.includes(outer));
    if (target === undefined)
      this.ctx.report.error('jump-outside-loop', span, [], kind, kind === 'break' ? 'a loop or switch' : 'a loop');
    else if (target === 'continuing') this.ctx.report.error('jump-in-continuing', span, [], kind);
    return { stmts: [{ kind, span }], behavior };
  }

  // ── Calls ──────────────────────────────────────────────────────────────────────────────────

  private callStatement(node: CallStatement): Resolved {
    const operand = callStatement(this.ctx, node.call);
    return operand === null
      ? next()
      : next({ kind: 'evaluate', value: emit(concretize(this.ctx, operand) ?? operand), span: node.span });
  }
}

function breakUnless(condition: Expr): Stmt {
  const { span } = condition;
  return { kind: 'if', condition, then: [], otherwise: [{ kind: 'break', span }], span };
}

export function checkConstAssert(ctx: Context, node: ConstAssert): void {
  const operand = constantValue(ctx, node.condition, "the condition of 'const_assert'");
  const condition = operand === null ? null : require(ctx, operand, BOOL, "the condition of 'const_assert'");
  if (condition?.data?.[0] === 0) ctx.report.error('const-assert-failed', node.condition.span, []);
}
