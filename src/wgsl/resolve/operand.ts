// A resolved expression before it becomes HIR. It is one of the following:
//
// - A known value (`data`), which may still be abstract.
// - A reference to memory (`ref`), which becomes a value by the load rule.
// - A value computed at run time (`expr`).
// - An override-expression whose value is not known yet (none of the three).
//
// A null Operand stands for an expression whose error has been reported. It suppresses errors in everything that
// depends on it.

import { unreachable } from '../../base/assert';
import { zeroLeaf } from '../constant';
import type { ConstData, Leaf } from '../constant';
import type { Expr, Place } from '../hir';
import type { Span } from '../syntax';
import { isAbstract, leafCount, scalarOf, typeName } from '../type-store';
import type { AddressSpace, PointerType, Type } from '../types';

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
  /** Whether the reference is to one component of a vector, which has no address. */
  readonly vectorComponent: boolean;
}

export interface Operand {
  readonly span: Span;
  /** Type of the value; for a reference, the type of its target. */
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

/** An override-expression while the pipeline's constants are unknown. It has a type but no value. */
export function pendingOverride(span: Span, type: Type): Operand {
  return { span, type, stage: Stage.Override, data: null, ref: null, expr: null };
}

export function zeroValue(span: Span, type: Type): Operand {
  const scalar = scalarOf(type);
  return known(span, type, new Array<Leaf>(leafCount(type)).fill(scalar === null ? 0 : zeroLeaf(scalar)));
}

/** The same expression at another position in the text, for a use of a name. */
export function at(operand: Operand, span: Span): Operand {
  const { type, stage, data, ref, expr } = operand;
  if (ref !== null) {
    const {
      place: { root, steps, type: store },
      space,
      access,
      vectorComponent,
    } = ref;
    return reference({ place: { root, steps, type: store, span }, space, access, vectorComponent });
  }
  if (expr === null) return { span, type, stage, data, ref, expr };
  return computed(expr.op === 'local' ? { op: 'local', local: expr.local, type, span } : { ...expr, span });
}

export function latest(operands: readonly Operand[]): Stage {
  let stage: Stage = Stage.Const;
  for (let i = 0; i < operands.length; i++) if (operands[i]!.stage > stage) ({ stage } = operands[i]!);
  return stage;
}

/** The values of all operands; null if one of them is not known. */
export function allData(operands: readonly Operand[]): ConstData[] | null {
  for (let i = 0; i < operands.length; i++) if (operands[i]!.data === null) return null;
  return operands.map(({ data }) => data!);
}

/** A value as a HIR expression. The type must be concrete. */
export function emit(operand: Operand): Expr {
  if (operand.expr !== null) return operand.expr;
  if (operand.ref !== null || isAbstract(operand.type)) return unreachable(`wgsl: emit of ${typeName(operand.type)}`);
  // An override without a value only occurs if the HIR is discarded after checking.
  const data = (operand.data ?? []) as readonly number[];
  return { op: 'const', type: operand.type, span: operand.span, data };
}
