// Value constructors (WGSL §17.1): conversions, repeated scalars, vectors from parts, matrices from columns, arrays and
// structs. The type is explicit or inferred from the arguments.

import { convertLeaf } from '../constant';
import type { Leaf } from '../constant';
import type { Span } from '../syntax';
import {
  isConstructible,
  isFloat,
  leafCount,
  matrixType,
  scalarOf,
  scalarRank,
  typeName,
  vectorType,
} from '../type-store';
import type { Extent } from '../type-store';
import type { ArrayType, MatrixType, Scalar, StructType, Type, VectorType } from '../types';
import type { Context } from './context';
import { convert, convertible } from './convert';
import { allData, computed, emit, known, latest, pendingOverride, Stage, zeroValue } from './operand';
import type { Operand } from './operand';
import { nestedArray } from './type-expressions';

/** Maximum number of leaves of an array value that a shader can write or zero, because it is stored as a list. */
const MAX_VALUE_LEAVES = 65_536;
/** Maximum number of elements written for one array (WGSL §2.4). */
const MAX_ELEMENTS = 2047;

/** Joins converted parts into a value. `repeat` repeats one scalar for all components. */
function join(ctx: Context, span: Span, type: Type, parts: readonly Operand[], repeat = 1): Operand | null {
  const data = allData(parts);
  if (data !== null) {
    if (!ctx.module.spendConstants(leafCount(type), span)) return null;
    const leaves = repeat > 1 ? new Array<Leaf>(repeat).fill(data[0]![0]!) : data.length === 1 ? data[0]! : data.flat();
    return known(span, type, leaves, latest(parts));
  }
  return latest(parts) === Stage.Runtime
    ? computed({ op: 'construct', type, args: parts.map(emit), span })
    : pendingOverride(span, type);
}

function refuse(ctx: Context, type: Type, args: readonly Operand[], span: Span, hint: string): null {
  const given = args.map((arg) => typeName(arg.type)).join(', ');
  ctx.report.error('no-constructor', span, [{ message: hint }], typeName(type), given);
  return null;
}

function isSmallEnough(ctx: Context, type: Type, span: Span): boolean {
  if (leafCount(type) <= MAX_VALUE_LEAVES) return true;
  ctx.report.error('value-too-large', span, [], typeName(type), MAX_VALUE_LEAVES);
  return false;
}

/** `T(args)` with an explicit type. */
export function construct(ctx: Context, type: Type, args: readonly Operand[], span: Span): Operand | null {
  if (!isConstructible(type) || ctx.module.openArrays.has(type)) {
    ctx.report.error('not-constructible', span, [], typeName(type));
    return null;
  }
  if (!isSmallEnough(ctx, type, span)) return null;
  if (args.length === 0) return ctx.module.spendConstants(leafCount(type), span) ? zeroValue(span, type) : null;
  switch (type.kind) {
    case 'scalar': {
      const [only] = args;
      if (args.length === 1 && only!.type.kind === 'scalar') return convertExplicitly(ctx, only!, type, span);
      return refuse(ctx, type, args, span, `${typeName(type)}(…) takes one scalar`);
    }
    case 'vector':
      return constructVector(ctx, type, args, span);
    case 'matrix':
      return constructMatrix(ctx, type, args, span);
    case 'array':
      return constructArray(ctx, type, args, span);
    case 'struct':
      return constructStruct(ctx, type, args, span);
    default:
      return null;
  }
}

/** `f32(i)`, `vec3u(v)`: the same shape with another scalar type. */
function convertExplicitly(ctx: Context, operand: Operand, type: Type, span: Span): Operand | null {
  if (operand.type === type) return { ...operand, span };
  const from = scalarOf(operand.type)!;
  const to = scalarOf(type)!;
  if (operand.data === null) {
    if (operand.stage !== Stage.Runtime) return pendingOverride(span, type);
    return computed({ op: 'convert', operand: emit(operand), type, span });
  }
  const data: Leaf[] = [];
  for (const leaf of operand.data) {
    const converted = convertLeaf(leaf, from, to);
    if (converted === null) {
      ctx.report.error('not-representable', operand.span, [], String(leaf), to);
      return null;
    }
    data.push(converted);
  }
  return known(span, type, data, operand.stage);
}

/** Converts every argument to the scalar type. Null after an error, undefined if an argument cannot be converted. */
function convertAll(ctx: Context, args: readonly Operand[], scalar: Scalar): Operand[] | null | undefined {
  const parts = new Array<Operand>(args.length);
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    const from = scalarOf(arg.type);
    if (from === null || scalarRank(from, scalar) === Infinity) return undefined;
    const part = from === scalar ? arg : convert(ctx, arg, ctx.types.withScalar(arg.type, scalar));
    if (part === null) return null;
    parts[i] = part;
  }
  return parts;
}

function constructVector(ctx: Context, type: VectorType, args: readonly Operand[], span: Span): Operand | null {
  const first = args[0]!;
  if (args.length === 1 && first.type.kind === 'vector' && first.type.size === type.size)
    return convertExplicitly(ctx, first, type, span);
  let simple = true;
  let count = 0;
  for (let i = 0; i < args.length; i++) {
    const { type: given } = args[i]!;
    if (given.kind !== 'scalar' && given.kind !== 'vector') simple = false;
    else count += given.kind === 'vector' ? given.size : 1;
  }
  const splat = args.length === 1 && first.type.kind === 'scalar';
  if (!splat && (!simple || count !== type.size)) {
    return refuse(
      ctx,
      type,
      args,
      span,
      simple
        ? `${typeName(type)} has ${type.size} components, but the arguments have ${count}`
        : 'a vector is constructed from scalars and vectors'
    );
  }
  const parts = convertAll(ctx, args, type.scalar);
  if (parts === null) return null;
  if (parts === undefined)
    return refuse(
      ctx,
      type,
      args,
      span,
      `every argument must be made of ${type.scalar}; write ${type.scalar}(…) to convert`
    );
  return join(ctx, span, type, parts, splat ? type.size : 1);
}

function constructMatrix(ctx: Context, type: MatrixType, args: readonly Operand[], span: Span): Operand | null {
  const first = args[0]!.type;
  if (args.length === 1 && first.kind === 'matrix' && first.columns === type.columns && first.rows === type.rows) {
    return convertExplicitly(ctx, args[0]!, type, span);
  }
  const columns =
    args.length === type.columns && args.every((arg) => arg.type.kind === 'vector' && arg.type.size === type.rows);
  const scalars = args.length === type.columns * type.rows && args.every((arg) => arg.type.kind === 'scalar');
  const parts = columns || scalars ? convertAll(ctx, args, type.scalar) : undefined;
  if (parts === null) return null;
  if (parts === undefined) {
    return refuse(
      ctx,
      type,
      args,
      span,
      `${typeName(type)} takes ${type.columns} columns of vec${type.rows}, or ${type.columns * type.rows} scalars`
    );
  }
  return join(ctx, span, type, parts);
}

function constructArray(ctx: Context, type: ArrayType, args: readonly Operand[], span: Span): Operand | null {
  if (args.length !== type.count) {
    ctx.report.error('argument-count', span, [], typeName(type), `${type.count}`, args.length);
    return null;
  }
  if (args.length > MAX_ELEMENTS) {
    ctx.report.error('too-many-elements', span, [], args.length, MAX_ELEMENTS);
    return null;
  }
  const parts = convertEach(ctx, args, () => type.element);
  return parts === null ? null : join(ctx, span, type, parts);
}

function constructStruct(ctx: Context, type: StructType, args: readonly Operand[], span: Span): Operand | null {
  if (args.length !== type.members.length) {
    ctx.report.error('argument-count', span, [], type.name, `${type.members.length}`, args.length);
    return null;
  }
  const parts = convertEach(
    ctx,
    args,
    (i) => type.members[i]!.type,
    (i) => ` for member '${type.members[i]!.name}'`
  );
  return parts === null ? null : join(ctx, span, type, parts);
}

/** Converts each argument to its own type. Reports each argument that does not fit. */
export function convertEach(
  ctx: Context,
  args: readonly Operand[],
  typeOf: (i: number) => Type,
  where: (i: number) => string = () => ''
): Operand[] | null {
  const parts: Operand[] = [];
  args.forEach((arg, i) => {
    const wanted = typeOf(i);
    if (!convertible(ctx, arg.type, wanted)) {
      ctx.report.error('type-mismatch', arg.span, [], `${typeName(wanted)}${where(i)}`, typeName(arg.type));
      return;
    }
    const part = convert(ctx, arg, wanted);
    if (part !== null) parts.push(part);
  });
  return parts.length === args.length ? parts : null;
}

// ── Inferred types ───────────────────────────────────────────────────────────────────────────

/** The scalar type to which all arguments convert, or null. */
function commonScalar(args: readonly Operand[]): Scalar | null {
  let common: Scalar | null = null;
  for (const arg of args) {
    const scalar = scalarOf(arg.type);
    if (scalar === null) return null;
    if (common === null || scalarRank(common, scalar) !== Infinity) common = scalar;
    else if (scalarRank(scalar, common) === Infinity) return null;
  }
  return common;
}

/** `vec3(…)`. */
export function inferVector(ctx: Context, size: Extent, args: readonly Operand[], span: Span): Operand | null {
  const scalar = args.length === 0 ? 'abstract-int' : commonScalar(args);
  if (scalar !== null && args.every((arg) => arg.type.kind !== 'array'))
    return construct(ctx, vectorType(size, scalar), args, span);
  ctx.report.error('cannot-infer', span, [], `vec${size}`, args.map((arg) => typeName(arg.type)).join(', '));
  return null;
}

/** `mat2x2(…)`. */
export function inferMatrix(
  ctx: Context,
  columns: Extent,
  rows: Extent,
  args: readonly Operand[],
  span: Span
): Operand | null {
  const common = commonScalar(args);
  const scalar = common === 'abstract-int' ? 'abstract-float' : common;
  if (scalar !== null && isFloat(scalar)) return construct(ctx, matrixType(columns, rows, scalar), args, span);
  ctx.report.error('cannot-infer', span, [], `mat${columns}x${rows}`, args.map((arg) => typeName(arg.type)).join(', '));
  return null;
}

/** `array(…)`: the element type is the one to which all arguments convert. */
export function inferArray(ctx: Context, args: readonly Operand[], span: Span): Operand | null {
  if (args.length === 0) {
    ctx.report.error('cannot-infer', span, [], 'array', '');
    return null;
  }
  let element = args[0]!.type;
  for (const arg of args) {
    if (convertible(ctx, arg.type, element)) continue;
    if (!convertible(ctx, element, arg.type)) {
      ctx.report.error('type-mismatch', arg.span, [], typeName(element), typeName(arg.type));
      return null;
    }
    element = arg.type;
  }
  const runtime = args.some((arg) => arg.stage !== Stage.Const);
  const concrete = runtime ? ctx.types.concrete(element) : element;
  if (!isConstructible(concrete)) {
    ctx.report.error('array-element-type', args[0]!.span, [], typeName(concrete));
    return null;
  }
  const type = nestedArray(ctx, concrete, args.length, span);
  return type === null || !isSmallEnough(ctx, type, span) ? null : constructArray(ctx, type, args, span);
}
