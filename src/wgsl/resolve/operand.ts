// A resolved expression on its way into the HIR. It is one of
// - a known value (`data`), which may still be abstract;
// - a reference to memory (`ref`), which becomes a value by the load rule;
// - a value computed at run time (`expr`), or an override's value that is not known yet (none of the three).
// A null Operand stands for an expression whose error has been reported: it silences what depends on it.

import { assert } from '../../base/assert';
import { convertLeafExact, zeroLeaf } from '../constant';
import type { ConstData, Leaf } from '../constant';
import type { Expr, Place } from '../hir';
import type { Span } from '../syntax';
import { containsRuntimeArray, isAbstract, isConstructible, leafCount, scalarOf, typeName } from '../type-store';
import type { AddressSpace, PointerType, Scalar, Type } from '../types';
import type { Context } from './context';

/** When an expression's value is known (WGSL §8.1.1). */
export const enum Stage {
  Const,
  Override,
  Runtime,
}

export interface Reference {
  readonly place: Place;
  readonly space: AddressSpace;
  readonly access: PointerType['access'];
  /** The reference is to one component of a vector, which has no address. */
  readonly vectorComponent: boolean;
}

export interface Operand {
  readonly span: Span;
  /** Type of the value; of a reference, the type of what it refers to. */
  readonly type: Type;
  readonly stage: Stage;
  readonly data: ConstData | null;
  readonly ref: Reference | null;
  readonly expr: Expr | null;
}

export function known(span: Span, type: Type, data: ConstData, stage: Stage = Stage.Const): Operand {
  return { span, type, stage, data, ref: null, expr: null };
}

export function computed(expr: Expr): Operand {
  return { span: expr.span, type: expr.type, stage: Stage.Runtime, data: null, ref: null, expr };
}

export function reference(ref: Reference): Operand {
  return { span: ref.place.span, type: ref.place.type, stage: Stage.Runtime, data: null, ref, expr: null };
}

/** An override-expression while the pipeline's constants are not known: a type, but no value. */
export function pendingOverride(span: Span, type: Type): Operand {
  return { span, type, stage: Stage.Override, data: null, ref: null, expr: null };
}

export function zeroValue(span: Span, type: Type): Operand {
  const scalar = scalarOf(type);
  return known(span, type, new Array<Leaf>(leafCount(type)).fill(scalar === null ? 0 : zeroLeaf(scalar)));
}

/** The same expression seen at another place in the text: a use of a name. */
export function at(operand: Operand, span: Span): Operand {
  if (operand.ref !== null) return { ...operand, span, ref: { ...operand.ref, place: { ...operand.ref.place, span } } };
  return operand.expr === null ? { ...operand, span } : { ...operand, span, expr: { ...operand.expr, span } };
}

export const latest = (operands: readonly Operand[]): Stage =>
  operands.reduce<Stage>((stage, operand) => (operand.stage > stage ? operand.stage : stage), Stage.Const);

/** All operands' values; null when one of them is not known. */
export function allData(operands: readonly Operand[]): ConstData[] | null {
  const data: ConstData[] = [];
  for (const operand of operands) {
    if (operand.data === null) return null;
    data.push(operand.data);
  }
  return data;
}

/** A value as a HIR expression. The type must be concrete. */
export function emit(operand: Operand): Expr {
  if (operand.expr !== null) return operand.expr;
  assert(operand.ref === null && !isAbstract(operand.type), `wgsl: emit of ${typeName(operand.type)}`);
  // An override that is still open only occurs where the HIR is thrown away after checking.
  const data = (operand.data ?? []) as readonly number[];
  return { op: 'const', type: operand.type, span: operand.span, data };
}

/** The load rule (WGSL §6.4.4): a reference where a value is needed. */
export function load(ctx: Context, operand: Operand | null): Operand | null {
  if (operand === null || operand.ref === null) return operand;
  const { place, access } = operand.ref;
  if (access === 'write') {
    ctx.report.error('read-of-write-only', operand.span, []);
    return null;
  }
  if (!isConstructible(operand.type)) {
    const why = containsRuntimeArray(operand.type) ? 'it contains a runtime-sized array' : 'it contains an atomic';
    ctx.report.error('not-loadable', operand.span, [], typeName(operand.type), why);
    return null;
  }
  return computed({ op: 'load', type: operand.type, span: operand.span, place });
}

const RANK: Readonly<Record<string, number>> = {
  'abstract-float f32': 1,
  'abstract-int i32': 3,
  'abstract-int u32': 4,
  'abstract-int abstract-float': 5,
  'abstract-int f32': 6,
};

/** Conversion rank between scalars (WGSL §6.1.2); Infinity where there is no automatic conversion. */
export function scalarRank(from: Scalar, to: Scalar): number {
  return from === to ? 0 : (RANK[`${from} ${to}`] ?? Infinity);
}

/** Whether a value of type `from` converts to `to` by itself: same shape, abstract scalars. */
export function convertible(ctx: Context, from: Type, to: Type): boolean {
  if (from === to) return true;
  const [source, target] = [scalarOf(from), scalarOf(to)];
  if (source === null || target === null || !isAbstract(from) || scalarRank(source, target) === Infinity) return false;
  return ctx.types.withScalar(from, target) === to;
}

/** Converts a value to a type that it is convertible to; null after an error about its range. */
export function convert(ctx: Context, operand: Operand, type: Type): Operand | null {
  if (operand.type === type) return operand;
  const from = scalarOf(operand.type)!;
  const to = scalarOf(type)!;
  assert(operand.data !== null, 'wgsl: an abstract value without data');
  const data: Leaf[] = [];
  for (const leaf of operand.data) {
    const converted = convertLeafExact(leaf, from, to);
    if (converted === null) {
      ctx.report.error('not-representable', operand.span, [], String(leaf), to);
      return null;
    }
    data.push(converted);
  }
  return { ...operand, type, data };
}

/** Abstract to concrete, where nothing says which concrete type is wanted. */
export function concretize(ctx: Context, operand: Operand | null): Operand | null {
  if (operand === null) return null;
  const type = ctx.types.concrete(operand.type);
  return type === operand.type ? operand : convert(ctx, operand, type);
}
