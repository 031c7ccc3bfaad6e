// Formulas shared by operators and builtin functions: clamp, vector and matrix products. Sums are computed from the
// first term to the last, and each product and sum is rounded separately. Code generators may fuse such chains only if
// the rounding stays the same.

import type { ValueId } from '../../ir';
import type { MatrixType } from '../types';
import type { IrBuilder } from './builder';

/** An operand, and whether it is a constant in the source. */
export interface Operand {
  readonly value: ValueId;
  readonly isConstant: boolean;
}

/**
 * `min` or `max`. WGSL leaves the result for NaN open; these operations return their first operand in that case.
 * Shaders rely on max(x, 0.0) being a number, as on GPUs, so a constant in the source goes first. Values that become
 * constant later keep their place, because the result must depend only on the text.
 */
export function extreme(builder: IrBuilder, name: 'min' | 'max', a: Operand, b: Operand): ValueId {
  const type = builder.values[a.value]! as 'f32' | 'i32' | 'u32';
  const isSwapped = type === 'f32' && b.isConstant && !a.isConstant;
  return builder.op(`${type}.${name}`, type, isSwapped ? [b.value, a.value] : [a.value, b.value]);
}

/** min(max(low, x), high). A NaN becomes `low`, unless `x` is constant and `low` is not. */
export function clamp(builder: IrBuilder, x: Operand, low: Operand, high: Operand): ValueId {
  const [first, second] = builder.values[x.value] === 'f32' ? [low, x] : [x, low];
  const raised = extreme(builder, 'max', first, second);
  return extreme(builder, 'min', { value: raised, isConstant: low.isConstant || x.isConstant }, high);
}

/** clamp(x, 0, 1). */
export function saturate(builder: IrBuilder, x: ValueId): ValueId {
  const constant = (value: number): Operand => ({ value: builder.f32(value), isConstant: true });
  return clamp(builder, { value: x, isConstant: false }, constant(0), constant(1));
}

/** ((a0·b0) + (a1·b1)) + … for f32, i32 or u32. */
export function dot(builder: IrBuilder, a: readonly ValueId[], b: readonly ValueId[]): ValueId {
  const type = builder.values[a[0]!]!;
  const [mul, add] = type === 'f32' ? (['f32.mul', 'f32.add'] as const) : (['int.mul', 'int.add'] as const);
  let sum: ValueId | null = null;
  a.forEach((x, k) => {
    const product: ValueId = builder.op(mul, type, [x, b[k]!]);
    sum = sum === null ? product : builder.op(add, type, [sum, product]);
  });
  return sum!;
}

export function cross(builder: IrBuilder, a: readonly ValueId[], b: readonly ValueId[]): ValueId[] {
  return [0, 1, 2].map((k) => {
    const i = (k + 1) % 3;
    const j = (k + 2) % 3;
    return difference(builder, a[i]!, b[j]!, a[j]!, b[i]!);
  });
}

/** a·b − c·d. */
function difference(builder: IrBuilder, a: ValueId, b: ValueId, c: ValueId, d: ValueId): ValueId {
  return builder.op('f32.sub', 'f32', [builder.op('f32.mul', 'f32', [a, b]), builder.op('f32.mul', 'f32', [c, d])]);
}

const row = (type: MatrixType, m: readonly ValueId[], r: number): ValueId[] =>
  Array.from({ length: type.columns }, (_, c) => m[c * type.rows + r]!);
const column = (type: MatrixType, m: readonly ValueId[], c: number): readonly ValueId[] =>
  m.slice(c * type.rows, (c + 1) * type.rows);

export function multiplyMatrixVector(
  builder: IrBuilder,
  type: MatrixType,
  m: readonly ValueId[],
  v: readonly ValueId[]
): ValueId[] {
  return Array.from({ length: type.rows }, (_, r) => dot(builder, row(type, m, r), v));
}

export function multiplyVectorMatrix(
  builder: IrBuilder,
  v: readonly ValueId[],
  type: MatrixType,
  m: readonly ValueId[]
): ValueId[] {
  return Array.from({ length: type.columns }, (_, c) => dot(builder, v, column(type, m, c)));
}

export function multiplyMatrices(
  builder: IrBuilder,
  aType: MatrixType,
  a: readonly ValueId[],
  bType: MatrixType,
  b: readonly ValueId[]
): ValueId[] {
  return Array.from({ length: bType.columns }, (_, c) =>
    multiplyMatrixVector(builder, aType, a, column(bType, b, c))
  ).flat();
}

export function transpose(type: MatrixType, m: readonly ValueId[]): ValueId[] {
  return Array.from({ length: type.rows }, (_, r) => row(type, m, r)).flat();
}

/** Expands along the first column. */
export function determinant(builder: IrBuilder, size: number, m: readonly ValueId[]): ValueId {
  if (size === 2) return difference(builder, m[0]!, m[3]!, m[2]!, m[1]!);
  let sum: ValueId | null = null;
  for (let r = 0; r < size; r++) {
    const minor: ValueId[] = [];
    for (let c = 1; c < size; c++) for (let k = 0; k < size; k++) if (k !== r) minor.push(m[c * size + k]!);
    const term: ValueId = builder.op('f32.mul', 'f32', [m[r]!, determinant(builder, size - 1, minor)]);
    sum = sum === null ? term : builder.op(r % 2 === 1 ? 'f32.sub' : 'f32.add', 'f32', [sum, term]);
  }
  return sum!;
}
