// The syntax tree: the structure of the text before names and types are resolved. The parser creates it, and the
// resolver reads it. Every node carries the span of its text.
//
// Types, functions and variables are all identifiers (WGSL §3.8): `array<f32, 4>` as a type and `array<f32, 4>(…)` in
// an expression are the same node.

import type { Span } from '../base/diagnostics';

export type { Span };

export interface Name {
  readonly text: string;
  readonly span: Span;
}

export type LiteralType = 'bool' | 'abstract-int' | 'abstract-float' | 'i32' | 'u32' | 'f32' | 'f16';

export type UnaryOperator = '-' | '!' | '~' | '*' | '&';

export type BinaryOperator =
  '+' | '-' | '*' | '/' | '%' | '&' | '|' | '^' | '<<' | '>>' | '&&' | '||' | '==' | '!=' | '<' | '<=' | '>' | '>=';

export interface LiteralExpression {
  readonly kind: 'literal';
  readonly type: LiteralType;
  /** abstract-int is a bigint in the range of i64. Other numbers are already rounded to their type. */
  readonly value: number | bigint | boolean;
  span: Span;
}

export interface IdentExpression {
  readonly kind: 'ident';
  readonly name: Name;
  /** null if there is no template list. */
  readonly template: readonly Expression[] | null;
  span: Span;
}

export interface CallExpression {
  readonly kind: 'call';
  readonly callee: IdentExpression;
  readonly args: readonly Expression[];
  span: Span;
}

interface IndexExpression {
  readonly kind: 'index';
  readonly base: Expression;
  readonly index: Expression;
  span: Span;
}

interface MemberExpression {
  readonly kind: 'member';
  readonly base: Expression;
  readonly member: Name;
  span: Span;
}

export interface UnaryExpression {
  readonly kind: 'unary';
  readonly op: UnaryOperator;
  readonly operand: Expression;
  span: Span;
}

export interface BinaryExpression {
  readonly kind: 'binary';
  readonly op: BinaryOperator;
  /** Start of the operator. */
  readonly opStart: number;
  readonly left: Expression;
  readonly right: Expression;
  span: Span;
}

export type Expression =
  | LiteralExpression
  | IdentExpression
  | CallExpression
  | IndexExpression
  | MemberExpression
  | UnaryExpression
  | BinaryExpression;

export interface Attribute {
  readonly name: Name;
  readonly args: readonly Expression[];
  /** Whether it has parentheses, with or without arguments. */
  readonly isCalled: boolean;
  readonly span: Span;
}

/** `var`, `let`, `const` and `override`, at module scope and in functions. */
export interface VariableDeclaration {
  readonly kind: 'variable';
  readonly keyword: 'var' | 'let' | 'const' | 'override';
  readonly attributes: readonly Attribute[];
  /** The `<storage, read>` of a `var`. */
  readonly template: readonly Expression[] | null;
  readonly name: Name;
  readonly type: Expression | null;
  readonly init: Expression | null;
  readonly span: Span;
}

export interface ConstAssert {
  readonly kind: 'const_assert';
  readonly condition: Expression;
  readonly span: Span;
}

export interface BlockStatement {
  readonly kind: 'block';
  readonly attributes: readonly Attribute[];
  readonly body: readonly Statement[];
  readonly span: Span;
}

export interface IfStatement {
  readonly kind: 'if';
  readonly attributes: readonly Attribute[];
  readonly condition: Expression;
  readonly then: BlockStatement;
  readonly otherwise: BlockStatement | IfStatement | null;
  readonly span: Span;
}

export interface SwitchClause {
  /** `null` represents `default` as a selector. */
  readonly selectors: readonly (Expression | null)[];
  readonly body: BlockStatement;
  readonly span: Span;
}

export interface SwitchStatement {
  readonly kind: 'switch';
  readonly attributes: readonly Attribute[];
  readonly selector: Expression;
  readonly bodyAttributes: readonly Attribute[];
  readonly bodySpan: Span;
  readonly clauses: readonly SwitchClause[];
  readonly span: Span;
}

export interface LoopStatement {
  readonly kind: 'loop';
  readonly attributes: readonly Attribute[];
  readonly body: BlockStatement;
  readonly continuing: BlockStatement | null;
  /** The condition of `break if` at the end of a continuing block. */
  readonly breakIf: Expression | null;
  readonly span: Span;
}

export interface ForStatement {
  readonly kind: 'for';
  readonly attributes: readonly Attribute[];
  readonly init: Statement | null;
  readonly condition: Expression | null;
  readonly update: Statement | null;
  readonly body: BlockStatement;
  readonly span: Span;
}

export interface WhileStatement {
  readonly kind: 'while';
  readonly attributes: readonly Attribute[];
  readonly condition: Expression;
  readonly body: BlockStatement;
  readonly span: Span;
}

export interface ReturnStatement {
  readonly kind: 'return';
  readonly value: Expression | null;
  readonly span: Span;
}

interface JumpStatement {
  readonly kind: 'break' | 'continue' | 'discard';
  readonly span: Span;
}

/** `lhs = rhs`, `lhs op= rhs`, and `_ = rhs` (target is null). */
export interface AssignStatement {
  readonly kind: 'assign';
  readonly target: Expression | null;
  /** null for `=`. */
  readonly op: BinaryOperator | null;
  readonly opSpan: Span;
  readonly value: Expression;
  readonly span: Span;
}

export interface StepStatement {
  readonly kind: 'step';
  readonly op: '++' | '--';
  readonly target: Expression;
  readonly span: Span;
}

export interface CallStatement {
  readonly kind: 'call-statement';
  readonly call: CallExpression;
  readonly span: Span;
}

export type Statement =
  | VariableDeclaration
  | ConstAssert
  | BlockStatement
  | IfStatement
  | SwitchStatement
  | LoopStatement
  | ForStatement
  | WhileStatement
  | ReturnStatement
  | JumpStatement
  | AssignStatement
  | StepStatement
  | CallStatement;

export interface Parameter {
  readonly attributes: readonly Attribute[];
  readonly name: Name;
  readonly type: Expression;
  readonly span: Span;
}

export interface FunctionDeclaration {
  readonly kind: 'function';
  readonly attributes: readonly Attribute[];
  readonly name: Name;
  readonly parameters: readonly Parameter[];
  readonly returnAttributes: readonly Attribute[];
  readonly returnType: Expression | null;
  readonly body: BlockStatement;
  readonly span: Span;
}

export interface MemberDeclaration {
  readonly attributes: readonly Attribute[];
  readonly name: Name;
  readonly type: Expression;
  readonly span: Span;
}

export interface StructDeclaration {
  readonly kind: 'struct';
  readonly name: Name;
  readonly members: readonly MemberDeclaration[];
  readonly span: Span;
}

export interface AliasDeclaration {
  readonly kind: 'alias';
  readonly name: Name;
  readonly type: Expression;
  readonly span: Span;
}

export type GlobalDeclaration =
  VariableDeclaration | FunctionDeclaration | StructDeclaration | AliasDeclaration | ConstAssert;

export interface Directive {
  readonly kind: 'enable' | 'requires' | 'diagnostic';
  /** Names of extensions; for `diagnostic`, the severity and the parts of the rule's name. */
  readonly names: readonly Name[];
  readonly span: Span;
}

export interface ModuleSyntax {
  readonly directives: readonly Directive[];
  readonly declarations: readonly GlobalDeclaration[];
  /**
   * Names whose declarations did not parse. The resolver does not report their uses, so that one syntax error causes
   * one message.
   */
  readonly brokenNames: ReadonlySet<string>;
  /** Whether a declaration failed before its name was read. Unknown identifiers are then not reported. */
  readonly namelessBreak: boolean;
}
