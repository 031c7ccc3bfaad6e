// Conversions of operands: the load rule, and abstract values to the type that is wanted (WGSL §6.1.2).

import { assert } from '../../base/assert';
import { convertLeafExact } from '../constant';
import type { Leaf } from '../constant';
import { containsRuntimeArray, isAbstract, isConstructible, leafCount, scalarOf, scalarRank, typeName } from '../type-store';
import type { Scalar, Type } from '../types';
import type { Context } from './context';
import { computed } from './operand';
import type { Operand } from './operand';

/** The load rule (WGSL §6.4.4): a reference where a value is needed. */
export function load(ctx: Context, operand: Operand | null): Operand | null {
  if (operand === null || operand.ref === null) return operand;
  const { place, access } = operand.ref;
  if (access === 'write') {
    ctx.report.error('read-of-write-only', operand.span, []);
    return null;
  }
  if (!isConstructible(operand.type)) {
    const why = operand.type.kind === 'buffer' ? 'read it through a bufferView'
      : containsRuntimeArray(operand.type) ? 'it contains a runtime-sized array' : 'it contains an atomic';
    ctx.report.error('not-loadable', operand.span, [], typeName(operand.type), why);
    return null;
  }
  return computed({ op: 'load', type: operand.type, span: operand.span, place });
}

/** Whether a value of type `from` converts to `to` by itself: same shape, abstract scalars. */
export function convertible(ctx: Context, from: Type, to: Type): boolean {
  if (from === to) return true;
  if (from.kind === 'struct') return ctx.types.concrete(from) === to;
  const [source, target] = [scalarOf(from), scalarOf(to)];
  if (source === null || target === null || !isAbstract(from) || scalarRank(source, target) === Infinity) return false;
  return ctx.types.withScalar(from, target) === to;
}

/** The scalars that a value's leaves have, again and again: one, but for structs, whose members have theirs. */
function leafScalars(type: Type): readonly Scalar[] {
  return type.kind === 'struct'
    ? type.members.flatMap(({ type: member }) => Array<Scalar>(leafCount(member)).fill(scalarOf(member)!))
    : [scalarOf(type)!];
}

/** Converts a value to a type that it is convertible to; null after an error about its range. */
export function convert(ctx: Context, operand: Operand, type: Type): Operand | null {
  if (operand.type === type) return operand;
  const scalars = leafScalars(operand.type), wanted = leafScalars(type);
  assert(operand.data !== null, 'wgsl: an abstract value without data');
  if (!ctx.module.spendConstants(operand.data.length, operand.span)) return null;
  const data: Leaf[] = [];
  for (const [i, leaf] of operand.data.entries()) {
    const to = wanted[i % wanted.length]!;
    const converted = convertLeafExact(leaf, scalars[i % scalars.length]!, to);
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
