// Folds operators over whole values, and reports failures.

import { foldBinary, foldShift, foldUnary, FoldFailure, toHalf } from '../constant';
import type { ConstData, Leaf } from '../constant';
import type { BinaryOp, UnaryOp } from '../hir';
import type { Span } from '../syntax';
import type { MatrixType, Scalar, Type } from '../types';
import { leafCount } from '../type-store';
import type { Context } from './context';

/** Reports why a constant has no value. */
export function reportFailure(ctx: Context, span: Span, failure: FoldFailure): void {
  ctx.report.error(failure.code, span, [], failure.detail);
}

/** Collects leaves. Null, with one message, at the first that fails. */
function collect(ctx: Context, span: Span, count: number, leaf: (i: number) => Leaf | FoldFailure): Leaf[] | null {
  const data: Leaf[] = [];
  for (let i = 0; i < count; i++) {
    const value = leaf(i);
    if (value instanceof FoldFailure) {
      reportFailure(ctx, span, value);
      return null;
    }
    data.push(value);
  }
  return data;
}

export function foldUnaryData(
  ctx: Context,
  span: Span,
  op: UnaryOp,
  scalar: Scalar,
  data: ConstData
): ConstData | null {
  return collect(ctx, span, data.length, (i) => foldUnary(op, scalar, data[i]!));
}

/** Component-wise; a scalar operand is repeated. */
export function foldComponents(
  ctx: Context,
  span: Span,
  op: BinaryOp,
  scalar: Scalar,
  left: ConstData,
  right: ConstData
): ConstData | null {
  const count = Math.max(left.length, right.length);
  const part = (data: ConstData, i: number): Leaf => (data.length === 1 ? data[0]! : data[i]!);
  return collect(ctx, span, count, (i) => foldBinary(op, scalar, part(left, i), part(right, i)));
}

export function foldShiftData(
  ctx: Context,
  span: Span,
  op: '<<' | '>>',
  scalar: Scalar,
  left: ConstData,
  right: ConstData
): ConstData | null {
  return collect(ctx, span, left.length, (i) => foldShift(op, scalar, left[i]!, Number(right[i])));
}

/** A value as a matrix for multiplication: a vector on the right is one column, on the left one row. */
interface Grid {
  readonly columns: number;
  readonly rows: number;
  readonly data: ConstData;
}

export function gridOf(type: Type, data: ConstData, side: 'left' | 'right'): Grid {
  if (type.kind === 'matrix') return { columns: (type as MatrixType).columns, rows: (type as MatrixType).rows, data };
  const size = leafCount(type);
  return side === 'left' ? { columns: size, rows: 1, data } : { columns: 1, rows: size, data };
}

/**
 * Matrix product. Sums are computed in the order of the columns with one rounding per step, as the lowering emits them.
 * For halves, they are computed in f32 and rounded to a half at the end.
 */
export function foldProduct(ctx: Context, span: Span, scalar: Scalar, left: Grid, right: Grid): ConstData | null {
  const step = scalar === 'f16' ? 'f32' : scalar;
  return collect(ctx, span, right.columns * left.rows, (at) => {
    const column = Math.floor(at / left.rows);
    const row = at % left.rows;
    let sum: Leaf | FoldFailure | null = null;
    for (let k = 0; k < left.columns; k++) {
      const product: Leaf | FoldFailure = foldBinary(
        '*',
        step,
        left.data[k * left.rows + row]!,
        right.data[column * right.rows + k]!
      );
      if (product instanceof FoldFailure) return product;
      sum = sum === null ? product : foldBinary('+', step, sum, product);
      if (sum instanceof FoldFailure) return sum;
    }
    return scalar === 'f16' ? toHalf(sum as number) : sum!;
  });
}
