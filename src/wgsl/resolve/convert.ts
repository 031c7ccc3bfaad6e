// Conversions of operands: the load rule, and abstract values to the required type (WGSL §6.1.2).

import { assert } from '../../base/assert';
import { convertLeafExact } from '../constant';
import type { Leaf } from '../constant';
import type { Span } from '../syntax';
import {
  containsRuntimeArray,
  isAbstract,
  isConstructible,
  leafCount,
  scalarOf,
  scalarRank,
  typeName,
} from '../type-store';
import type { Scalar, Type } from '../types';
import type { Context } from './context';
import { computed, known } from './operand';
import type { Operand } from './operand';

/** The load rule (WGSL §6.4.4): loads a reference where a value is needed. */
export function load(ctx: Context, operand: Operand | null): Operand | null {
  return operand === null || operand.ref === null ? operand : loadAt(ctx, operand, operand.span);
}

/** As `load`, for a reference that is used at another position in the text. */
export function loadAt(ctx: Context, operand: Operand, span: Span): Operand | null {
  const { place, access } = operand.ref!;
  if (access === 'write') {
    ctx.report.error('read-of-write-only', span, []);
    return null;
  }
  if (!isConstructible(operand.type)) {
    const why =
      operand.type.kind === 'buffer'
        ? 'read it through a bufferView'
        : containsRuntimeArray(operand.type)
          ? 'it contains a runtime-sized array'
          : 'it contains an atomic';
    ctx.report.error('not-loadable', span, [], typeName(operand.type), why);
    return null;
  }
  const used = place.span === span ? place : { root: place.root, steps: place.steps, type: place.type, span };
  return computed({ op: 'load', type: operand.type, span, place: used });
}

/** Whether a value of type `from` converts implicitly to `to`: the same shape, with abstract scalars. */
export function convertible(ctx: Context, from: Type, to: Type): boolean {
  if (from === to) return true;
  if (from.kind === 'struct') return ctx.types.concrete(from) === to;
  const [source, target] = [scalarOf(from), scalarOf(to)];
  if (source === null || target === null || !isAbstract(from) || scalarRank(source, target) === Infinity) return false;
  return ctx.types.withScalar(from, target) === to;
}

/** The scalar types of a value's leaves, to be repeated as needed. This is a single type except for structs. */
function leafScalars(type: Type): readonly Scalar[] {
  return type.kind === 'struct'
    ? type.members.flatMap(({ type: member }) => Array<Scalar>(leafCount(member)).fill(scalarOf(member)!))
    : [scalarOf(type)!];
}

/** Converts a value to a type to which it is convertible; null after an error about its range. */
export function convert(ctx: Context, operand: Operand, type: Type): Operand | null {
  if (operand.type === type) return operand;
  const { span, stage } = operand;
  assert(operand.data !== null, 'wgsl: an abstract value without data');
  if (type.kind === 'scalar') {
    const leaf = operand.data[0]!;
    const converted = convertLeafExact(leaf, scalarOf(operand.type)!, type.scalar);
    if (converted !== null) return known(span, type, [converted], stage);
    ctx.report.error('not-representable', span, [], String(leaf), type.scalar);
    return null;
  }
  const scalars = leafScalars(operand.type);
  const wanted = leafScalars(type);
  if (!ctx.module.spendConstants(operand.data.length, operand.span)) return null;
  const { length } = operand.data;
  const data = new Array<Leaf>(length);
  for (let i = 0; i < length; i++) {
    const leaf = operand.data[i]!;
    const to = wanted[i % wanted.length]!;
    const converted = convertLeafExact(leaf, scalars[i % scalars.length]!, to);
    if (converted === null) {
      ctx.report.error('not-representable', span, [], String(leaf), to);
      return null;
    }
    data[i] = converted;
  }
  return known(span, type, data, stage);
}

/** Converts abstract values to concrete ones where no particular type is required. */
export function concretize(ctx: Context, operand: Operand | null): Operand | null {
  if (operand === null) return null;
  const type = ctx.types.concrete(operand.type);
  return type === operand.type ? operand : convert(ctx, operand, type);
}
