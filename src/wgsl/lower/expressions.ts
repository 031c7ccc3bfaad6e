// Lowers expressions to values, one ValueId per leaf. Builtin functions are lowered in builtins.ts.

import { unreachable } from '../../base/assert';
import type { OpName, ScalarType, ValueId } from '../../ir';
import type { BinaryExpr, BinaryOp, Expr, LogicalExpr, Place } from '../hir';
import type { Type } from '../types';
import { multiplyMatrices, multiplyMatrixVector, multiplyVectorMatrix } from './arithmetic';
import { bitsOf, type IrBuilder } from './builder';
import type { BuiltinArgument } from './builtin-rule';
import { lowerBuiltin } from './builtins';
import { resourceIndex, type Binding, type Context } from './context';
import { isHalf, leafCount, leafTypes, leavesBefore, partCount, partType, scalarOf } from './leaves';
import {
  chooseElement,
  clampIndex,
  elementOf,
  lanesFor,
  load,
  memberOf,
  placeOf,
  SELECT_CHAIN_LIMIT,
  store,
  tablesFor,
  viewOf,
  type ResolvedPlace,
} from './memory';

/** Evaluates an expression of any type except pointers, textures and samplers. */
export function lowerExpr(context: Context, expr: Expr): readonly ValueId[] {
  const { builder } = context;
  builder.descend();
  const values = lowerBySort(context, expr);
  builder.ascend();
  return values;
}

function lowerBySort(context: Context, expr: Expr): readonly ValueId[] {
  const { builder } = context;
  switch (expr.op) {
    case 'const':
      builder.spend(expr.data.length >> 4);
      return leafTypes(expr.type).map((scalar, k) => builder.constant(scalar, expr.data[k]!));
    case 'local':
      return readLocal(context, expr.local);
    case 'load':
      return load(builder, resolvePlace(context, expr.place));
    case 'unary':
      return lowerUnary(context, expr.operator, lowerExpr(context, expr.operand));
    case 'binary':
      return lowerBinary(context, expr);
    case 'logical':
      return lowerLogical(context, expr);
    case 'call':
      return context.inline(
        expr.fn,
        expr.args.map((arg) => lowerArgument(context, arg))
      );
    case 'builtin':
      return lowerBuiltin(
        builder,
        expr,
        expr.args.map((arg) => lowerBuiltinArgument(context, arg))
      );
    case 'construct':
      return lowerConstruct(context, expr.type, expr.args);
    case 'convert':
      return asHalves(
        builder,
        isHalf(expr.type) && scalarOf(expr.operand.type) !== 'bool',
        lowerExpr(context, expr.operand).map((value) => convert(context, value, scalarOf(expr.type)))
      );
    case 'bitcast':
      return lowerBitcast(context, expr.operand, expr.type);
    case 'member': {
      const start = leavesBefore(expr.base.type, expr.index);
      return lowerExpr(context, expr.base).slice(start, start + leafCount(expr.type));
    }
    case 'index':
      return lowerIndex(context, expr.base, expr.index);
    case 'swizzle': {
      const base = lowerExpr(context, expr.base);
      return expr.components.map((component) => base[component]!);
    }
    case 'address-of':
    case 'global':
      return unreachable(`lower: ${expr.op} where a value is wanted`);
  }
}

/** Evaluates a scalar expression. */
export function lowerScalar(context: Context, expr: Expr): ValueId {
  return lowerExpr(context, expr)[0]!;
}

function readLocal(context: Context, local: number): readonly ValueId[] {
  const binding = context.frame.locals[local];
  if (binding?.kind === 'values') return binding.values;
  if (binding?.kind === 'spilled') return binding.variables.map((variable) => context.builder.get(variable));
  return unreachable(
    `lower: local '${context.frame.fn.locals[local]?.name}' of '${context.frame.fn.name}' has no value`
  );
}

/**
 * Which leaves of a scalar or vector are constants in the source: const- and override-expressions, `let`s of them, and
 * vectors of them. Excludes what only the lowering knows, such as the contents of a variable.
 */
export function constantLeaves(context: Context, expr: Expr): readonly boolean[] {
  const count = leafCount(expr.type);
  switch (expr.op) {
    case 'const':
      return Array<boolean>(count).fill(true);
    case 'local':
      return context.frame.constants.get(expr.local) ?? [];
    case 'construct': {
      const leaves = expr.args.flatMap((arg) => {
        const found = constantLeaves(context, arg);
        return Array.from({ length: leafCount(arg.type) }, (_, k) => found[k] === true);
      });
      return leaves.length === 1 ? Array<boolean>(count).fill(leaves[0]!) : leaves;
    }
    case 'swizzle': {
      const base = constantLeaves(context, expr.base);
      return expr.components.map((component) => base[component] === true);
    }
    case 'member': {
      const start = leavesBefore(expr.base.type, expr.index);
      return constantLeaves(context, expr.base).slice(start, start + count);
    }
    default:
      return [];
  }
}

/** An argument of a user-defined function: a value, a pointer or a handle. */
export function lowerArgument(context: Context, expr: Expr): Binding {
  switch (expr.type.kind) {
    case 'pointer':
      return { kind: 'pointer', place: resolvePointer(context, expr) };
    case 'texture':
    case 'storage-texture':
    case 'sampler':
      return { kind: 'handle', global: resolveHandle(context, expr) };
    default:
      return { kind: 'values', values: lowerExpr(context, expr) };
  }
}

function lowerBuiltinArgument(context: Context, expr: Expr): BuiltinArgument {
  switch (expr.type.kind) {
    case 'pointer':
      return { kind: 'pointer', place: resolvePointer(context, expr) };
    case 'texture':
    case 'storage-texture':
    case 'sampler':
      return { kind: 'handle', type: expr.type, resource: resourceIndex(context, resolveHandle(context, expr)) };
    default:
      return {
        kind: 'value',
        type: expr.type,
        values: lowerExpr(context, expr),
        constants: () => constantLeaves(context, expr),
      };
  }
}

/** Global index of a texture or sampler. */
function resolveHandle(context: Context, expr: Expr): number {
  if (expr.op === 'global') return expr.global;
  if (expr.op === 'local') {
    const binding = context.frame.locals[expr.local];
    if (binding?.kind === 'handle') return binding.global;
  }
  return unreachable('lower: a texture or sampler that is neither a global nor a parameter');
}

/** The target of a pointer value. */
function resolvePointer(context: Context, expr: Expr): ResolvedPlace {
  if (expr.op === 'address-of') return resolvePlace(context, expr.place);
  if (expr.op === 'local') {
    const binding = context.frame.locals[expr.local];
    if (binding?.kind === 'pointer') return binding.place;
    if (binding?.kind === 'spilled-pointer') {
      const dynamic = binding.place.dynamic.map((step, i) => ({
        ...step,
        index: context.builder.get(binding.indices[i]!),
      }));
      return { ...binding.place, dynamic, ...(binding.end !== null && { end: context.builder.get(binding.end) }) };
    }
  }
  if (expr.op === 'builtin' && expr.type.kind === 'pointer') {
    const [base, ...numbers] = expr.args;
    const [offset, size] = numbers.map((number) => lowerScalar(context, number));
    return viewOf(context.builder, resolvePointer(context, base!), expr.type.store, offset!, size ?? null);
  }
  return unreachable(`lower: a pointer from ${expr.op}`);
}

function resolveRoot(context: Context, place: Place): ResolvedPlace {
  const { root } = place;
  switch (root.root) {
    case 'pointer':
      return resolvePointer(context, root.pointer);
    case 'global': {
      const memory = context.globals.get(root.global);
      if (memory === undefined)
        return unreachable(`lower: global '${context.hir.globals[root.global]?.name}' has no memory`);
      return placeOf(memory, context.hir.globals[root.global]!.type);
    }
    case 'variable': {
      const binding = context.frame.locals[root.local];
      if (binding?.kind !== 'memory')
        return unreachable(`lower: variable '${context.frame.fn.locals[root.local]?.name}' has no memory`);
      return placeOf(binding.memory, context.frame.fn.locals[root.local]!.type);
    }
  }
}

/** Follows the steps of a place. Dynamic indices are evaluated here, once. */
export function resolvePlace(context: Context, place: Place): ResolvedPlace {
  let resolved = resolveRoot(context, place);
  for (const step of place.steps) {
    resolved =
      step.step === 'member'
        ? memberOf(resolved, step.index)
        : elementOf(context.builder, resolved, lowerScalar(context, step.index));
  }
  return resolved;
}

/** Evaluates a dynamic index into a value. */
function lowerIndex(context: Context, base: Expr, indexExpr: Expr): readonly ValueId[] {
  const { builder } = context;
  const index = lowerScalar(context, indexExpr);
  if (base.op === 'load') return load(builder, elementOf(builder, resolvePlace(context, base.place), index));
  const count = partCount(base.type)!;
  const element = partType(base.type, 0);
  if (count <= SELECT_CHAIN_LIMIT) {
    const values = lowerExpr(context, base);
    const size = leafCount(element);
    const candidates = Array.from({ length: count }, (_, i) => values.slice(i * size, (i + 1) * size));
    return chooseElement(builder, clampIndex(builder, index, builder.u32(count - 1)), candidates);
  }
  if (base.op === 'const') {
    const types = leafTypes(base.type);
    const table = tablesFor(
      builder,
      'table',
      base.type,
      base.data.map((value, k) => bitsOf(types[k]!, value))
    );
    return load(builder, elementOf(builder, placeOf(table, base.type), index));
  }
  const place = placeOf(lanesFor(builder, 'elements', base.type).memory, base.type);
  store(builder, place, lowerExpr(context, base));
  return load(builder, elementOf(builder, place, index));
}

function lowerConstruct(context: Context, type: Type, args: readonly Expr[]): readonly ValueId[] {
  const { builder } = context;
  const types = leafTypes(type);
  if (args.length === 0) return types.map((scalar) => builder.zero(scalar));
  const values = args.flatMap((arg) => lowerExpr(context, arg));
  if (type.kind === 'vector' && values.length === 1) return types.map(() => values[0]!);
  return values;
}

function lowerUnary(context: Context, operator: '-' | '!' | '~', values: readonly ValueId[]): readonly ValueId[] {
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

function lowerBinary(context: Context, expr: BinaryExpr): readonly ValueId[] {
  const left = lowerExpr(context, expr.left);
  const right = lowerExpr(context, expr.right);
  return operate(context, expr.operator, expr.left.type, left, expr.right.type, right);
}

/**
 * Whether the right side should, or must, be skipped by a short circuit. Calls may have effects, and texture reads
 * depend on control flow.
 */
function worthBranching(expr: Expr): boolean {
  return cost(expr) > 24;
}

function placeCost(place: Place): number {
  let sum = 1;
  for (const step of place.steps) if (step.step === 'index') sum += 4 + cost(step.index);
  return sum;
}

function cost(expr: Expr): number {
  switch (expr.op) {
    case 'const':
    case 'local':
    case 'global':
    case 'address-of':
      return 0;
    case 'load':
      return placeCost(expr.place);
    case 'unary':
    case 'convert':
    case 'bitcast':
      return leafCount(expr.type) + cost(expr.operand);
    case 'binary':
      return leafCount(expr.type) * (expr.left.type.kind === 'matrix' ? 4 : 1) + cost(expr.left) + cost(expr.right);
    case 'logical':
      return 1 + cost(expr.left) + cost(expr.right);
    case 'call':
      return Infinity;
    case 'builtin':
      return expr.name.startsWith('texture') ? Infinity : 6 + expr.args.reduce((sum, arg) => sum + cost(arg), 0);
    case 'construct':
      return expr.args.reduce((sum, arg) => sum + cost(arg), 0);
    case 'member':
    case 'swizzle':
      return cost(expr.base);
    case 'index':
      return 8 + cost(expr.base) + cost(expr.index);
  }
}

function lowerLogical(context: Context, expr: LogicalExpr): readonly ValueId[] {
  const { builder } = context;
  const and = expr.operator === '&&';
  const left = lowerScalar(context, expr.left);
  if (!worthBranching(expr.right)) {
    // All pure operations are total, so evaluating the right side anyway is not observable.
    return [builder.op(and ? 'bool.and' : 'bool.or', 'bool', [left, lowerScalar(context, expr.right)])];
  }
  const result = builder.variable('logical', 'bool');
  builder.set(result, left);
  const right = (): void => builder.set(result, lowerScalar(context, expr.right));
  if (and) builder.if(left, right);
  else builder.if(left, () => undefined, right);
  return [builder.get(result)];
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

/** A word holds two halves, the first in the low bits. */
function lowerBitcast(context: Context, operand: Expr, type: Type): readonly ValueId[] {
  const { builder } = context;
  const values = lowerExpr(context, operand);
  if (isHalf(operand.type) === isHalf(type)) return values.map((value) => bitcast(context, value, scalarOf(type)));
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
