// Unary and binary operators (WGSL §8.6–§8.9): operand types, result types, and values if both sides are known.

import type { BinaryOp, Expr, UnaryOp } from '../hir';
import type { ConstData } from '../constant';
import type { BinaryExpression, Span } from '../syntax';
import {
  BOOL,
  isFloat,
  isInteger,
  matrixType,
  scalarOf,
  scalarRank,
  scalarType,
  typeName,
  vectorType,
} from '../type-store';
import type { Scalar, Type } from '../types';
import type { Context } from './context';
import { concretize, convert } from './convert';
import { foldComponents, foldProduct, foldShiftData, foldUnaryData, gridOf } from './fold';
import { computed, emit, known, pendingOverride, Stage } from './operand';
import type { Operand } from './operand';

const ARITHMETIC: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%']);
const COMPARISON: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);

/** A value of a stage: known, an override without a value, or computed. */
function result(span: Span, type: Type, stage: Stage, data: ConstData | null, expr: () => Expr): Operand {
  if (data !== null) return known(span, type, data, stage);
  return stage === Stage.Runtime ? computed(expr()) : pendingOverride(span, type);
}

const later = (left: Operand, right: Operand): Stage => (left.stage > right.stage ? left.stage : right.stage);

/** The span of an operator, or only its start. */
type OperatorPlace = Span | number;

const spanOf = (op: string, place: OperatorPlace): Span =>
  typeof place === 'number' ? { start: place, end: place + op.length } : place;

export function resolveUnary(ctx: Context, op: UnaryOp, operand: Operand, span: Span): Operand | null {
  const { type } = operand;
  const scalar = type.kind === 'scalar' || type.kind === 'vector' ? type.scalar : null;
  const fits =
    scalar !== null
    && (op === '!' ? scalar === 'bool' : op === '~' ? isInteger(scalar) : scalar !== 'bool' && scalar !== 'u32');
  if (!fits) {
    const notes =
      op === '-' && scalar === 'u32' ? [{ message: 'u32 has no negative values; convert to i32 first' }] : [];
    ctx.report.error('unary-operand', span, notes, op, typeName(type));
    return null;
  }
  const data = operand.data === null ? null : foldUnaryData(ctx, span, op, scalar, operand.data);
  if (operand.data !== null && data === null) return null;
  return result(span, type, operand.stage, data, () => ({
    op: 'unary',
    operator: op,
    operand: emit(operand),
    type,
    span,
  }));
}

/** The scalar type to which both sides convert (WGSL §6.1.2), or null. */
function commonScalar(left: Scalar, right: Scalar): Scalar | null {
  if (scalarRank(left, right) !== Infinity) return right;
  return scalarRank(right, left) !== Infinity ? left : null;
}

function refuse(ctx: Context, op: string, left: Operand, right: Operand, place: OperatorPlace): null {
  const [a, b] = [scalarOf(left.type), scalarOf(right.type)];
  const notes = [];
  if (a !== null && b !== null && a !== b && a !== 'bool' && b !== 'bool') {
    const wanted = isFloat(a) ? a : isFloat(b) ? b : a;
    notes.push({
      message:
        `WGSL does not convert between ${a} and ${b} implicitly; `
        + `write ${wanted === 'abstract-float' ? 'f32' : wanted}(…)`,
    });
  }
  ctx.report.error('binary-operands', spanOf(op, place), notes, op, typeName(left.type), typeName(right.type));
  return null;
}

/** Any binary operator except && and ||, on values. */
export function resolveBinary(
  ctx: Context,
  op: BinaryOp,
  left: Operand,
  right: Operand,
  span: Span,
  place: OperatorPlace
): Operand | null {
  if (op === '<<' || op === '>>') return resolveShift(ctx, op, left, right, span, place);
  const leftScalar = operandScalar(left.type);
  const rightScalar = operandScalar(right.type);
  const scalar =
    leftScalar === rightScalar || leftScalar === null || rightScalar === null
      ? leftScalar
      : commonScalar(leftScalar, rightScalar);
  if (scalar === null || rightScalar === null) return refuse(ctx, op, left, right, place);
  const type = binaryType(op, left.type, right.type, scalar);
  if (type === null) return refuse(ctx, op, left, right, place);
  const a = leftScalar === scalar ? left : convert(ctx, left, ctx.types.withScalar(left.type, scalar));
  const b = rightScalar === scalar ? right : convert(ctx, right, ctx.types.withScalar(right.type, scalar));
  if (a === null || b === null) return null;
  if (!checkDivisor(ctx, op, scalar, a, b, span)) return null;
  let data: ConstData | null = null;
  if (a.data !== null && b.data !== null) {
    data = foldValues(ctx, span, op, scalar, a, b);
    if (data === null) return null;
  }
  const stage = later(a, b);
  if (data !== null) return known(span, type, data, stage);
  if (stage !== Stage.Runtime) return pendingOverride(span, type);
  return computed({ op: 'binary', operator: op, left: emit(a), right: emit(b), type, span });
}

function operandScalar(type: Type): Scalar | null {
  return type.kind === 'scalar' || type.kind === 'vector' || type.kind === 'matrix' ? type.scalar : null;
}

function foldValues(
  ctx: Context,
  span: Span,
  op: BinaryOp,
  scalar: Scalar,
  left: Operand,
  right: Operand
): ConstData | null {
  const matrix = left.type.kind === 'matrix' || right.type.kind === 'matrix';
  const scales = left.type.kind === 'scalar' || right.type.kind === 'scalar';
  if (op === '*' && matrix && !scales) {
    return foldProduct(
      ctx,
      span,
      scalar,
      gridOf(left.type, left.data!, 'left'),
      gridOf(right.type, right.data!, 'right')
    );
  }
  return foldComponents(ctx, span, op, scalar, left.data!, right.data!);
}

/** A known integer divisor of zero is an error even if the dividend is not known. */
function checkDivisor(ctx: Context, op: BinaryOp, scalar: Scalar, left: Operand, right: Operand, span: Span): boolean {
  if ((op !== '/' && op !== '%') || !isInteger(scalar) || right.data === null || left.data !== null) return true;
  if (!right.data.some((leaf) => Number(leaf) === 0)) return true;
  ctx.report.error('division-by-zero', span, [], `${op} 0`);
  return false;
}

/** Type of `left op right` if both have the scalar type `scalar`; null if WGSL has no such operator. */
function binaryType(op: BinaryOp, left: Type, right: Type, scalar: Scalar): Type | null {
  if (left === right && left.kind !== 'matrix' && scalar !== 'bool' && ARITHMETIC.has(op)) return left;
  const sameShape = sameShapes(left, right);
  if (ARITHMETIC.has(op)) {
    if (scalar === 'bool') return null;
    return left.kind === 'matrix' || right.kind === 'matrix'
      ? matrixArithmeticType(op, left, right, scalar, sameShape)
      : mixedType(left, right, scalar);
  }
  if (left.kind === 'matrix' || !sameShape) return null;
  if (COMPARISON.has(op)) {
    if (scalar === 'bool' && op !== '==' && op !== '!=') return null;
    return left.kind === 'vector' ? vectorType(left.size, 'bool') : BOOL;
  }
  const allowed = isInteger(scalar) || (scalar === 'bool' && op !== '^');
  return allowed ? mixedType(left, right, scalar) : null;
}

function sameShapes(left: Type, right: Type): boolean {
  if (left.kind === 'vector') return right.kind === 'vector' && left.size === right.size;
  if (left.kind === 'matrix')
    return right.kind === 'matrix' && left.columns === right.columns && left.rows === right.rows;
  return left.kind === 'scalar' && right.kind === 'scalar';
}

/** Scalars and vectors: equal shapes, or a scalar that is repeated. */
function mixedType(left: Type, right: Type, scalar: Scalar): Type | null {
  if (left.kind === 'vector' && right.kind === 'vector' && left.size !== right.size) return null;
  const shaped = left.kind === 'scalar' ? right : left;
  return shaped.kind === 'vector'
    ? vectorType(shaped.size, scalar)
    : shaped.kind === 'scalar'
      ? scalarType(scalar)
      : null;
}

function matrixArithmeticType(op: BinaryOp, left: Type, right: Type, scalar: Scalar, sameShape: boolean): Type | null {
  if (op === '+' || op === '-')
    return sameShape && left.kind === 'matrix' ? matrixType(left.columns, left.rows, scalar) : null;
  if (op !== '*') return null;
  if (left.kind === 'matrix') {
    switch (right.kind) {
      case 'scalar':
        return matrixType(left.columns, left.rows, scalar);
      case 'vector':
        return right.size === left.columns ? vectorType(left.rows, scalar) : null;
      case 'matrix':
        return left.columns === right.rows ? matrixType(right.columns, left.rows, scalar) : null;
      default:
        return null;
    }
  }
  if (right.kind !== 'matrix') return null;
  if (left.kind === 'scalar') return matrixType(right.columns, right.rows, scalar);
  return left.kind === 'vector' && left.size === right.rows ? vectorType(right.columns, scalar) : null;
}

function resolveShift(
  ctx: Context,
  op: '<<' | '>>',
  left: Operand,
  right: Operand,
  span: Span,
  place: OperatorPlace
): Operand | null {
  const { type } = left;
  const scalar = type.kind === 'scalar' || type.kind === 'vector' ? type.scalar : null;
  const amountScalar = operandScalar(right.type);
  const fits =
    scalar !== null
    && isInteger(scalar)
    && (amountScalar === 'u32' || amountScalar === 'abstract-int')
    && sameShapes(type, right.type);
  if (!fits) {
    const notes = amountScalar === 'i32' ? [{ message: 'the shift amount must be u32; write u32(…)' }] : [];
    ctx.report.error('binary-operands', spanOf(op, place), notes, op, typeName(type), typeName(right.type));
    return null;
  }
  const amount = convert(ctx, right, ctx.types.withScalar(right.type, 'u32'));
  const value = amount === null || amount.data !== null ? left : concretize(ctx, left);
  if (amount === null || value === null) return null;
  const valueScalar = operandScalar(value.type)!;
  if (valueScalar !== 'abstract-int' && amount.data?.some((leaf) => Number(leaf) >= 32)) {
    ctx.report.error(
      'shift-too-far',
      amount.span,
      [],
      `${op} ${String(amount.data.find((leaf) => Number(leaf) >= 32))}`
    );
    return null;
  }
  let data: ConstData | null = null;
  if (value.data !== null && amount.data !== null) {
    data = foldShiftData(ctx, span, op, valueScalar, value.data, amount.data);
    if (data === null) return null;
  }
  return result(span, value.type, later(value, amount), data, () => ({
    op: 'binary',
    operator: op,
    left: emit(value),
    right: emit(amount),
    type: value.type,
    span,
  }));
}

/** `&&` and `||` on two bool values. */
export function resolveLogical(ctx: Context, node: BinaryExpression, left: Operand, right: Operand): Operand | null {
  const operator = node.op as '&&' | '||';
  if (left.type !== BOOL || right.type !== BOOL) {
    const notes = [
      {
        message:
          `'${operator}' needs bool on both `
          + `sides${left.type.kind === 'vector' ? "; use '&', '|', all() or any() on vectors" : ''}`,
      },
    ];
    const opSpan = spanOf(operator, node.opStart);
    ctx.report.error('binary-operands', opSpan, notes, operator, typeName(left.type), typeName(right.type));
    return null;
  }
  const decided = left.data !== null && (left.data[0] === 1) === (operator === '||');
  const data = decided ? left.data : left.data !== null && right.data !== null ? right.data : null;
  return result(node.span, BOOL, later(left, right), right.stage === Stage.Runtime ? null : data, () => ({
    op: 'logical',
    operator,
    left: emit(left),
    right: emit(right),
    type: BOOL,
    span: node.span,
  }));
}
