// Operators and conversions on values that have been evaluated, leaf by leaf: unary and binary operators, conversions
// between scalar types, and bitcasts.

import { unreachable } from '../../base/assert';
import type { OpName, ScalarType, ValueId } from '../../ir';
import type { BinaryOp } from '../hir';
import type { Type } from '../types';
import { multiplyMatrices, multiplyMatrixVector, multiplyVectorMatrix } from './arithmetic';
import type { IrBuilder } from './builder';
import type { Context } from './context';
import { isHalf, scalarOf } from './leaves';

/** A unary operator on evaluated leaves. */
export function unaryValues(
  context: Context,
  operator: '-' | '!' | '~',
  values: readonly ValueId[]
): readonly ValueId[] {
  const { builder } = context;
  return values.map((value) => {
    const type = builder.values[value]!;
    if (operator === '!') return builder.op('bool.not', 'bool', [value]);
    if (operator === '~') return builder.op('int.not', type, [value]);
    return builder.op(type === 'f32' ? 'f32.neg' : 'int.neg', type, [value]);
  });
}

type Row = Partial<Record<ScalarType, OpName>>;
const arithmetic: Readonly<Partial<Record<BinaryOp, Row>>> = {
  '+': { f32: 'f32.add', i32: 'int.add', u32: 'int.add' },
  '-': { f32: 'f32.sub', i32: 'int.sub', u32: 'int.sub' },
  '*': { f32: 'f32.mul', i32: 'int.mul', u32: 'int.mul' },
  '/': { f32: 'f32.div', i32: 'i32.div', u32: 'u32.div' },
  '%': { f32: 'f32.rem', i32: 'i32.rem', u32: 'u32.rem' },
  '&': { bool: 'bool.and', i32: 'int.and', u32: 'int.and' },
  '|': { bool: 'bool.or', i32: 'int.or', u32: 'int.or' },
  '^': { i32: 'int.xor', u32: 'int.xor' },
  '<<': { i32: 'int.shl', u32: 'int.shl' },
  '>>': { i32: 'i32.shr', u32: 'u32.shr' },
};
const comparison: Readonly<Partial<Record<BinaryOp, Row>>> = {
  '==': { f32: 'f32.eq', i32: 'int.eq', u32: 'int.eq', bool: 'bool.eq' },
  '!=': { f32: 'f32.ne', i32: 'int.ne', u32: 'int.ne', bool: 'bool.ne' },
  '<': { f32: 'f32.lt', i32: 'i32.lt', u32: 'u32.lt' },
  '<=': { f32: 'f32.le', i32: 'i32.le', u32: 'u32.le' },
  '>': { f32: 'f32.gt', i32: 'i32.gt', u32: 'u32.gt' },
  '>=': { f32: 'f32.ge', i32: 'i32.ge', u32: 'u32.ge' },
};

/** `left operator right` on two scalars. */
function scalarBinary(context: Context, operator: BinaryOp, left: ValueId, right: ValueId): ValueId {
  const type = context.builder.values[left]!;
  const compared = comparison[operator]?.[type];
  if (compared !== undefined) return context.builder.op(compared, 'bool', [left, right]);
  const op = arithmetic[operator]?.[type] ?? unreachable(`lower: ${type} ${operator}`);
  return context.builder.op(op, type, [left, right]);
}

/** A binary expression on evaluated operands. Scalars are repeated for vectors and matrices. */
function binaryValues(
  context: Context,
  operator: BinaryOp,
  leftType: Type,
  left: readonly ValueId[],
  rightType: Type,
  right: readonly ValueId[]
): readonly ValueId[] {
  if (operator === '*') {
    if (leftType.kind === 'matrix' && rightType.kind === 'matrix')
      return multiplyMatrices(context.builder, leftType, left, rightType, right);
    if (leftType.kind === 'matrix' && rightType.kind === 'vector')
      return multiplyMatrixVector(context.builder, leftType, left, right);
    if (leftType.kind === 'vector' && rightType.kind === 'matrix')
      return multiplyVectorMatrix(context.builder, left, rightType, right);
  }
  const spread = (type: Type, values: readonly ValueId[], k: number): ValueId =>
    type.kind === 'scalar' ? values[0]! : values[k]!;
  return Array.from({ length: Math.max(left.length, right.length) }, (_, k) =>
    scalarBinary(context, operator, spread(leftType, left, k), spread(rightType, right, k))
  );
}

/** Rounds values to halves if `wanted`. */
export function asHalves(builder: IrBuilder, wanted: boolean, values: readonly ValueId[]): readonly ValueId[] {
  return wanted ? values.map((value) => builder.op('f32.quantizeToF16', 'f32', [value])) : values;
}

/** The result of an operator. Operators on halves round it to a half once. */
export function operate(
  context: Context,
  operator: BinaryOp,
  leftType: Type,
  left: readonly ValueId[],
  rightType: Type,
  right: readonly ValueId[]
): readonly ValueId[] {
  const values = binaryValues(context, operator, leftType, left, rightType, right);
  return asHalves(context.builder, isHalf(leftType) && !(operator in comparison), values);
}

/** Value conversion (WGSL §6.1 and the value constructors of §17.1). */
export function convert(context: Context, value: ValueId, to: ScalarType): ValueId {
  const { builder } = context;
  const from = builder.values[value]!;
  if (from === to) return value;
  if (to === 'bool') return builder.op(from === 'f32' ? 'f32.ne' : 'int.ne', 'bool', [value, builder.zero(from)]);
  if (from === 'bool') return builder.op(to === 'f32' ? 'f32.fromBool' : 'int.fromBool', to, [value]);
  if (to === 'f32') return builder.op(from === 'i32' ? 'f32.fromI32' : 'f32.fromU32', 'f32', [value]);
  if (from === 'f32') return builder.op(to === 'i32' ? 'i32.fromF32' : 'u32.fromF32', to, [value]);
  return builder.op('int.cast', to, [value]);
}

/** A bitcast of evaluated leaves. A word holds two halves, the first in the low bits. */
export function bitcastLeaves(
  context: Context,
  values: readonly ValueId[],
  from: Type,
  type: Type
): readonly ValueId[] {
  const { builder } = context;
  if (isHalf(from) === isHalf(type)) return values.map((value) => bitcast(context, value, scalarOf(type)));
  if (isHalf(type)) {
    return values.flatMap((value) => {
      const word = bitcast(context, value, 'u32');
      return [word, builder.op('u32.shr', 'u32', [word, builder.u32(16)])].map((half) =>
        builder.op('f16.unpack', 'f32', [half])
      );
    });
  }
  const halves = values.map((value) => builder.op('f16.pack', 'u32', [value]));
  return Array.from({ length: halves.length / 2 }, (_, k) => {
    const high = builder.op('int.shl', 'u32', [halves[2 * k + 1]!, builder.u32(16)]);
    return bitcast(context, builder.op('int.or', 'u32', [halves[2 * k]!, high]), scalarOf(type));
  });
}

function bitcast(context: Context, value: ValueId, to: ScalarType): ValueId {
  const { builder } = context;
  const from = builder.values[value]!;
  if (from === to) return value;
  if (from === 'f32') return builder.op('int.fromF32Bits', to, [value]);
  if (to === 'f32') return builder.op('f32.fromBits', 'f32', [value]);
  return builder.op('int.cast', to, [value]);
}
