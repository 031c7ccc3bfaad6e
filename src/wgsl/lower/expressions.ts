// Lowers expressions to values, one ValueId per leaf. Builtin functions are lowered in builtins.ts, and operators on
// evaluated leaves in operators.ts.

import { unreachable } from '../../base/assert';
import type { ValueId } from '../../ir';
import type { BinaryExpr, Expr, LogicalExpr, Place } from '../hir';
import type { Type } from '../types';
import { bitsOf } from './builder';
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
import { asHalves, bitcastLeaves, convert, operate, unaryValues } from './operators';

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
      return unaryValues(context, expr.operator, lowerExpr(context, expr.operand));
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
      return bitcastLeaves(context, lowerExpr(context, expr.operand), expr.operand.type, expr.type);
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
