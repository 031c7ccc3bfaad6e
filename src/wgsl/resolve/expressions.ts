// Expressions. Names, literals and calls are resolved here. Operators, accesses, constructors and built-in functions
// have separate files that work on operands.

import { unreachable } from '../../base/assert';
import { BUFFER_VIEWS, isBufferView, SIGNATURES } from '../builtin-table';
import type { BinaryOp } from '../hir';
import { isPatternBuiltin } from '../overloads';
import { isTypeName, MATRIX_FAMILIES, typeNames, VECTOR_FAMILIES } from '../predeclared';
import type {
  BinaryExpression,
  CallExpression,
  Expression,
  IdentExpression,
  LiteralExpression,
  Span,
  UnaryExpression,
} from '../syntax';
import { BOOL, scalarType, typeName, VOID } from '../type-store';
import type { Scalar, Type } from '../types';
import { RESERVED_WORDS } from '../words';
import { addressOf, dereference, resolveIndex, resolveMember } from './access';
import { resolveBufferView } from './buffer-views';
import { handleSourceOrNull, resolveBitcast, resolveBuiltinCall } from './builtins';
import { construct, convertEach, inferArray, inferMatrix, inferVector } from './constructors';
import type { Context, Signature } from './context';
import { concretize, convert, convertible, load, loadAt } from './convert';
import { F16_EXTENSION, requireExtension } from './declarations/directives';
import { resolveBinary, resolveLogical, resolveUnary } from './operators';
import { at, computed, emit, known, Stage } from './operand';
import type { Operand } from './operand';
import { hasEffect, isSpecialBuiltin, resolveSpecialBuiltin, specialBuiltinNames } from './special-builtins';
import { resolveType, suggestion } from './type-expressions';

/** A type expression in this context. Constants in a type are evaluated even in an expression that is not. */
export function typeExpression(ctx: Context, node: Expression): Type | null {
  return ctx.report.withAll(() => resolveType(ctx, node, value));
}

/** An expression as a value: references are loaded, and a call without a result is rejected. */
export function value(ctx: Context, node: Expression): Operand | null {
  if (node.kind === 'ident') {
    const named = identifier(ctx, node);
    // A named variable is loaded directly, without an intermediate reference.
    return named === null ? null : named.ref === null ? at(named, node.span) : loadAt(ctx, named, node.span);
  }
  const operand = load(ctx, expression(ctx, node));
  if (operand?.type !== VOID) return operand;
  ctx.report.error('no-value', node.span, [], node.kind === 'call' ? node.callee.name.text : 'the expression');
  return null;
}

/** An expression without the load rule: a reference stays a reference. Null after an error. */
export function expression(ctx: Context, node: Expression): Operand | null {
  switch (node.kind) {
    case 'literal':
      return literal(ctx, node);
    case 'ident': {
      const named = identifier(ctx, node);
      return named === null ? null : at(named, node.span);
    }
    case 'call':
      return call(ctx, node);
    case 'index': {
      const base = expression(ctx, node.base);
      const index = concretizeIndex(ctx, value(ctx, node.index));
      return base === null || index === null ? null : resolveIndex(ctx, base, index, node.span);
    }
    case 'member': {
      const base = memberBase(ctx, node.base);
      return base === null ? null : resolveMember(ctx, base, node.member, node.span);
    }
    case 'unary':
      return unary(ctx, node);
    case 'binary':
      return binary(ctx, node);
  }
}

/** A struct in memory keeps the span of its declaration, because the member access has a span itself. */
function memberBase(ctx: Context, node: Expression): Operand | null {
  if (node.kind !== 'ident') return expression(ctx, node);
  const named = identifier(ctx, node);
  return named === null || (named.ref !== null && named.type.kind === 'struct') ? named : at(named, node.span);
}

/** A known index keeps its type, so that any value out of range gives the message "out of bounds". */
export function concretizeIndex(ctx: Context, index: Operand | null): Operand | null {
  return index === null || index.data !== null ? index : concretize(ctx, index);
}

function literal(ctx: Context, node: LiteralExpression): Operand | null {
  if (node.type === 'f16' && !requireExtension(ctx, F16_EXTENSION, 'a number with the suffix h', node.span))
    return null;
  const data = typeof node.value === 'boolean' ? Number(node.value) : node.value;
  return known(node.span, scalarType(node.type as Scalar), [data]);
}

function unary(ctx: Context, node: UnaryExpression): Operand | null {
  if (node.op === '&') {
    const operand = expression(ctx, node.operand);
    return operand === null ? null : addressOf(ctx, operand, node.span);
  }
  const operand = value(ctx, node.operand);
  if (operand === null) return null;
  return node.op === '*' ? dereference(ctx, operand, node.span) : resolveUnary(ctx, node.op, operand, node.span);
}

function binary(ctx: Context, node: BinaryExpression): Operand | null {
  const left = value(ctx, node.left);
  if (node.op === '&&' || node.op === '||') return logical(ctx, node, left);
  const right = value(ctx, node.right);
  if (left === null || right === null) return null;
  return resolveBinary(ctx, node.op as BinaryOp, left, right, node.span, node.opStart);
}

/** Evaluation errors, which are not reported for an expression that is never evaluated. */
const EVALUATION_ERRORS: ReadonlySet<string> = new Set([
  'division-by-zero',
  'integer-overflow',
  'not-finite',
  'half-range',
  'shift-too-far',
  'shift-overflow',
  'invalid-constant-arguments',
  'index-out-of-bounds',
  'not-representable',
]);

/** `&&` and `||`. If the left side decides, the types of the right side are checked, but it is not evaluated (§8.6). */
function logical(ctx: Context, node: BinaryExpression, left: Operand | null): Operand | null {
  const decided = left?.type === BOOL && left.data !== null && (left.data[0] === 1) === (node.op === '||');
  if (!decided) {
    const right = value(ctx, node.right);
    return left === null || right === null ? null : resolveLogical(ctx, node, left, right);
  }
  const { result: right, failed } = ctx.report.without(EVALUATION_ERRORS, () => value(ctx, node.right));
  if (right !== null) return resolveLogical(ctx, node, left, right);
  return failed ? { ...left, span: node.span } : null;
}

// ── Names ────────────────────────────────────────────────────────────────────────────────────

/** What a name stands for, with the span of its declaration. */
function identifier(ctx: Context, node: IdentExpression): Operand | null {
  const name = node.name.text;
  const binding = ctx.lookup(node.name);
  if (binding === undefined) return unknownIdentifier(ctx, node);
  if (binding.kind === 'broken') return null;
  if (binding.kind !== 'value') {
    const notes = binding.kind === 'function' ? [{ message: `call it: ${name}(…)` }] : [];
    ctx.report.error('not-a-value', node.span, notes, name, binding.kind);
    return null;
  }
  if (node.template !== null) {
    ctx.report.error('unexpected-template', node.span, [], name);
    return null;
  }
  checkNotBypassed(ctx, node, binding.declared);
  noteGlobal(ctx, binding.operand, node.span);
  return binding.operand;
}

/**
 * A continuing block must not use a declaration that a `continue` has skipped (§9.4.7). Names from outside the loop are
 * declared outside its text.
 */
function checkNotBypassed(ctx: Context, node: IdentExpression, declared: Span): void {
  const loop = ctx.continuing;
  if (loop === null || declared.start < loop.firstContinue || declared.start >= loop.start) return;
  ctx.report.error(
    'continue-skips-declaration',
    node.span,
    [{ message: 'declared here, after a continue', span: declared }],
    node.name.text
  );
}

function noteGlobal(ctx: Context, operand: Operand, span: Span): void {
  const root = operand.ref?.place.root;
  const global = root?.root === 'global' ? root.global : operand.expr?.op === 'global' ? operand.expr.global : null;
  if (global !== null && ctx.facts !== null && !ctx.facts.globals.has(global)) ctx.facts.globals.set(global, span);
}

const isBuiltinFunction = (name: string): boolean =>
  isPatternBuiltin(name) || isSpecialBuiltin(name) || name === 'bitcast' || isBufferView(name);

function unknownIdentifier(ctx: Context, node: IdentExpression): null {
  const name = node.name.text;
  if (isTypeName(name) || isBuiltinFunction(name)) {
    ctx.report.error('not-a-value', node.span, [], name, isTypeName(name) ? 'type' : 'built-in function');
  } else reportUnknown(ctx, node, ctx.namesInScope());
  return null;
}

function reportUnknown(ctx: Context, node: IdentExpression, candidates: Iterable<string>): void {
  const name = node.name.text;
  if (ctx.module.isBrokenName(name)) return;
  if (RESERVED_WORDS.has(name)) ctx.report.error('reserved-word', node.name.span, [], name);
  else ctx.report.error('unknown-identifier', node.name.span, suggestion(ctx, name, candidates), name);
}

// ── Calls ────────────────────────────────────────────────────────────────────────────────────

function call(ctx: Context, node: CallExpression): Operand | null {
  const { callee } = node;
  const binding = ctx.lookup(callee.name);
  if (binding?.kind === 'function') return userCall(ctx, node, binding.signature);
  if (binding?.kind === 'value') {
    ctx.report.error(
      'not-callable',
      callee.span,
      [{ message: 'declared here', span: binding.declared }],
      callee.name.text
    );
    return null;
  }
  const args = argumentValues(ctx, node.args);
  if (binding?.kind === 'broken') return null;
  if (binding === undefined && !isTypeName(callee.name.text)) return builtinCall(ctx, node, args);
  const inferred = binding === undefined && callee.template === null ? inferredConstructor(ctx, node, args) : undefined;
  if (inferred !== undefined) return inferred;
  const type = typeExpression(ctx, callee);
  return type === null || args === null ? null : construct(ctx, type, args, node.span);
}

/** Resolves all arguments, even after an error in one of them. */
function argumentValues(ctx: Context, nodes: readonly Expression[]): Operand[] | null {
  // Allocated at its final length, because an array that grows on demand allocates room for seventeen elements at once.
  const args = new Array<Operand>(nodes.length);
  let whole = true;
  for (let i = 0; i < nodes.length; i++) {
    const operand = value(ctx, nodes[i]!);
    if (operand === null) whole = false;
    else args[i] = operand;
  }
  return whole ? args : null;
}

/** `vec3(…)`, `mat4x4(…)`, `array(…)` without a template list; undefined for other types. */
function inferredConstructor(ctx: Context, node: CallExpression, args: Operand[] | null): Operand | null | undefined {
  const name = node.callee.name.text;
  const size = VECTOR_FAMILIES.get(name);
  const shape = MATRIX_FAMILIES.get(name);
  if (size === undefined && shape === undefined && name !== 'array') return undefined;
  if (args === null) return null;
  if (size !== undefined) return inferVector(ctx, size, args, node.span);
  return shape === undefined ? inferArray(ctx, args, node.span) : inferMatrix(ctx, shape[0], shape[1], args, node.span);
}

function* callableNames(ctx: Context): Iterable<string> {
  yield* ctx.namesInScope();
  yield* SIGNATURES.keys();
  yield* specialBuiltinNames();
  yield 'bitcast';
  yield* BUFFER_VIEWS;
  yield* typeNames();
}

function builtinCall(ctx: Context, node: CallExpression, args: Operand[] | null): Operand | null {
  const { callee, span } = node;
  const name = callee.name.text;
  if (name === 'bitcast') return bitcast(ctx, node, args);
  if (!isBuiltinFunction(name)) {
    reportUnknown(ctx, callee, callableNames(ctx));
    return null;
  }
  if (isBufferView(name)) return bufferView(ctx, node, args);
  if (callee.template !== null) {
    ctx.report.error('unexpected-template', callee.span, [], name);
    return null;
  }
  if (args === null) return null;
  return isSpecialBuiltin(name)
    ? resolveSpecialBuiltin(ctx, callee.name, args, span)
    : resolveBuiltinCall(ctx, callee.name, args, span);
}

function bitcast(ctx: Context, node: CallExpression, args: Operand[] | null): Operand | null {
  const { callee, span } = node;
  if (callee.template?.length !== 1) {
    ctx.report.error('missing-template', callee.span, [], 'bitcast', 'bitcast<u32>');
    return null;
  }
  const type = typeExpression(ctx, callee.template[0]!);
  if (type === null || args === null) return null;
  if (args.length !== 1) {
    ctx.report.error('argument-count', span, [], 'bitcast', '1', args.length);
    return null;
  }
  return resolveBitcast(ctx, type, args[0]!, span);
}

/** The type argument is the type as which the buffer is viewed. */
function bufferView(ctx: Context, node: CallExpression, args: Operand[] | null): Operand | null {
  const { callee, span } = node;
  const name = callee.name.text;
  if (callee.template?.length !== 1) {
    const example = name === 'bufferView' ? 'bufferView<u32>' : 'bufferArrayView<array<u32>>';
    ctx.report.error('missing-template', callee.span, [], name, example);
    return null;
  }
  const type = typeExpression(ctx, callee.template[0]!);
  if (type === null || args === null) return null;
  return resolveBufferView(ctx, callee.name, { type, span: callee.template[0]!.span }, args, span);
}

function userCall(ctx: Context, node: CallExpression, signature: Signature): Operand | null {
  const { callee, span } = node;
  const args = argumentValues(ctx, node.args);
  if (callee.template !== null) {
    ctx.report.error('unexpected-template', callee.span, [], signature.name);
    return null;
  }
  if (signature.isEntryPoint) {
    ctx.report.error('call-of-entry-point', callee.span, [], signature.name);
    return null;
  }
  if (ctx.facts === null) {
    ctx.report.error('call-not-constant', span, [], signature.name);
    return null;
  }
  if (args === null) return null;
  const { parameters, declaration } = signature;
  if (args.length !== parameters.length) {
    const notes = [{ message: 'declared here', span: declaration.name.span }];
    ctx.report.error('argument-count', span, notes, signature.name, `${parameters.length}`, args.length);
    return null;
  }
  const parts = convertEach(
    ctx,
    args,
    (i) => parameters[i]!,
    (i) => ` for parameter '${declaration.parameters[i]!.name.text}'`
  );
  if (parts === null) return null;
  ctx.facts.calls.push({ callee: signature, span: callee.span, handles: parts.map(handleSourceOrNull) });
  return computed({ op: 'call', fn: signature.index, args: parts.map(emit), type: signature.result, span });
}

/** A call as a statement. Calls of functions whose only purpose is their result are rejected. */
export function callStatement(ctx: Context, node: CallExpression): Operand | null {
  const name = node.callee.name.text;
  const operand = expression(ctx, node);
  const binding = ctx.lookup(node.callee.name);
  const result = operand?.type;
  if (operand === null || result === VOID) return operand;
  const pure =
    binding === undefined
      ? !hasEffect(name)
      : binding.kind === 'type' || (binding.kind === 'function' && binding.signature.mustUse);
  if (!pure) return operand;
  ctx.report.error('unused-result', node.span, [{ message: `write '_ = ${name}(…);' to discard it on purpose` }], name);
  return null;
}

// ── Expressions with a required type ─────────────────────────────────────────────────────────

/** A value of a given type. Reports a mismatch with `what`, as in "initial value of 'x'". */
export function valueOf(ctx: Context, node: Expression, type: Type, what: string): Operand | null {
  const operand = value(ctx, node);
  return operand === null ? null : require(ctx, operand, type, what);
}

export function require(ctx: Context, operand: Operand, type: Type, what: string): Operand | null {
  if (convertible(ctx, operand.type, type)) return convert(ctx, operand, type);
  ctx.report.error('type-mismatch', operand.span, [], `${typeName(type)} for ${what}`, typeName(operand.type));
  return null;
}

/** A const-expression (or override-expression). Null after an error; without data if an override has no value yet. */
export function constantValue(
  ctx: Context,
  node: Expression,
  what: string,
  latestStage: Stage = Stage.Const
): Operand | null {
  const operand = value(ctx, node);
  if (operand === null) return null;
  if (operand.stage <= latestStage) return operand;
  const wanted = latestStage === Stage.Const ? 'a const-expression' : 'a const- or override-expression';
  ctx.report.error('not-constant', operand.span, [], what, wanted);
  return null;
}

/** An integer const-expression, as the argument of an attribute. */
export function constantInteger(ctx: Context, node: Expression, what: string): number | null {
  const operand = constantValue(ctx, node, what);
  if (operand === null) return null;
  const { type, data } = operand;
  const whole =
    type.kind === 'scalar' && (type.scalar === 'i32' || type.scalar === 'u32' || type.scalar === 'abstract-int');
  if (whole && data !== null) return Number(data[0]);
  if (!whole) ctx.report.error('type-mismatch', operand.span, [], `an integer for ${what}`, typeName(type));
  return data === null && whole ? unreachable('wgsl: a const-expression without a value') : null;
}
