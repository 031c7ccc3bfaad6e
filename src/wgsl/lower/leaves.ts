// Splits types into scalars ("leaves") in declaration order: vector components, matrix columns, array elements, struct
// members. The order is that of ConstExpr.data. Byte offsets follow WGSL §14.4 "Memory Layout".

import { unreachable } from '../../base/assert';
import { ProgramTooLargeError } from '../../base/errors';
import type { ScalarType } from '../../ir';
import { MIN_BUFFER_BYTES, scalarSize, vectorAlign } from '../layout';
import type { MatrixType, Type } from '../types';

interface Leaves {
  readonly types: readonly ScalarType[];
  /**
   * Which leaves are halves. In registers they are f32 with values that a half can represent; in memory they take two
   * bytes.
   */
  readonly halves: readonly boolean[];
  /** Byte offset of each leaf in a buffer; meaningless for types that no buffer may contain. */
  readonly offsets: readonly number[];
}

/** A value with more scalars does not fit in registers, whose numbers have 16 bits. */
const MAX_LEAVES = 0xffff;

function checkSize(what: string, scalars: number): void {
  if (scalars > MAX_LEAVES)
    throw new ProgramTooLargeError(
      `${what} of ${scalars} scalars exceeds the limit of ${MAX_LEAVES} for a variable or value: `
        + 'use a smaller array, or a storage buffer'
    );
}

const cache = new WeakMap<Type, Leaves>();

function repeat(element: Type, count: number, stride: number): Leaves {
  const inner = leaves(element);
  checkSize('an array', count * inner.types.length);
  const types: ScalarType[] = [];
  const halves: boolean[] = [];
  const offsets: number[] = [];
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < inner.types.length; k++) {
      types.push(inner.types[k]!);
      halves.push(inner.halves[k]!);
      offsets.push(i * stride + inner.offsets[k]!);
    }
  }
  return { types, halves, offsets };
}

function concrete(scalar: string): ScalarType {
  if (scalar === 'f16') return 'f32';
  if (scalar === 'bool' || scalar === 'i32' || scalar === 'u32' || scalar === 'f32') return scalar;
  return unreachable(`lower: abstract type ${scalar} after resolution`);
}

function compute(type: Type): Leaves {
  switch (type.kind) {
    case 'scalar':
    case 'atomic':
      return { types: [concrete(type.scalar)], halves: [type.scalar === 'f16'], offsets: [0] };
    case 'vector':
      return repeat({ kind: 'scalar', scalar: type.scalar }, type.size, scalarSize(type.scalar));
    case 'matrix':
      return repeat(columnType(type), type.columns, columnStride(type));
    case 'array':
      return repeat(type.element, type.count ?? unreachable('lower: a runtime-sized array has no leaves'), type.stride);
    case 'struct': {
      const types: ScalarType[] = [];
      const halves: boolean[] = [];
      const offsets: number[] = [];
      for (const member of type.members) {
        const inner = leaves(member.type);
        checkSize(`the struct ${type.name}`, types.length + inner.types.length);
        for (let k = 0; k < inner.types.length; k++) {
          types.push(inner.types[k]!);
          halves.push(inner.halves[k]!);
          offsets.push(member.offset + inner.offsets[k]!);
        }
      }
      return { types, halves, offsets };
    }
    case 'void':
      return { types: [], halves: [], offsets: [] };
    default:
      return unreachable(`lower: no leaves in a ${type.kind}`);
  }
}

function leaves(type: Type): Leaves {
  let found = cache.get(type);
  if (found === undefined) cache.set(type, (found = compute(type)));
  return found;
}

/** Scalar types of the leaves. */
export const leafTypes = (type: Type): readonly ScalarType[] => leaves(type).types;
/** Which leaves are f16. */
export const leafHalves = (type: Type): readonly boolean[] => leaves(type).halves;
/** Whether the type consists only of f16. */
export const isHalf = (type: Type): boolean =>
  (type.kind === 'scalar' || type.kind === 'vector' || type.kind === 'matrix') && type.scalar === 'f16';
export const leafCount = (type: Type): number => leaves(type).types.length;
/** Byte offsets of the leaves of a host-shareable type. */
export const leafOffsets = (type: Type): readonly number[] => leaves(type).offsets;

/** Words of a buffer that contain data of a host-shareable type; excludes padding. */
export const wordsOf = (type: Type): ReadonlySet<number> => new Set(leafOffsets(type).map((offset) => offset >>> 2));

/** Number of leaves of one scalar type, which is the stride of `type` in a lane array of that scalar type. */
export function leafCountOf(type: Type, scalar: ScalarType): number {
  let count = 0;
  for (const leaf of leaves(type).types) if (leaf === scalar) count++;
  return count;
}

function columnType(type: MatrixType): Type {
  return { kind: 'vector', size: type.rows, scalar: type.scalar };
}

/** Distance in bytes between the columns of a matrix. */
const columnStride = (type: MatrixType): number => vectorAlign(type.rows, type.scalar);

/** The scalar type of a scalar, vector or matrix. */
export function scalarOf(type: Type): ScalarType {
  if (type.kind === 'scalar' || type.kind === 'vector' || type.kind === 'matrix') return concrete(type.scalar);
  return unreachable(`lower: a ${type.kind} has no scalar kind`);
}

/** Type of a struct member, component, column or element. */
export function partType(type: Type, index: number): Type {
  switch (type.kind) {
    case 'vector':
      return { kind: 'scalar', scalar: type.scalar };
    case 'matrix':
      return columnType(type);
    case 'array':
      return type.element;
    case 'struct':
      return type.members[index]!.type;
    default:
      return unreachable(`lower: a ${type.kind} has no parts`);
  }
}

/** Number of parts that a dynamic index can select; null for a runtime-sized array. */
export function partCount(type: Type): number | null {
  switch (type.kind) {
    case 'vector':
      return type.size;
    case 'matrix':
      return type.columns;
    case 'array':
      return type.count;
    default:
      return unreachable(`lower: a ${type.kind} cannot be indexed`);
  }
}

/** Distance in bytes between consecutive parts. */
export function partStride(type: Type): number {
  switch (type.kind) {
    case 'vector':
      return scalarSize(type.scalar);
    case 'matrix':
      return columnStride(type);
    case 'array':
      return type.stride;
    default:
      return unreachable(`lower: a ${type.kind} cannot be indexed`);
  }
}

/** Byte offset of a part with a constant index. */
export function partOffset(type: Type, index: number): number {
  return type.kind === 'struct' ? type.members[index]!.offset : index * partStride(type);
}

/** Number of leaves (of one scalar type, or all) before a part with a constant index. */
export function leavesBefore(type: Type, index: number, scalar?: ScalarType): number {
  const count = (part: Type): number => (scalar === undefined ? leafCount(part) : leafCountOf(part, scalar));
  if (type.kind !== 'struct') return index * count(partType(type, 0));
  let sum = 0;
  for (let i = 0; i < index; i++) sum += count(type.members[i]!.type);
  return sum;
}

/** Minimum size of a binding in bytes. A runtime-sized array counts as one element (WebGPU's minimum binding size). */
export function minBindingSize(type: Type): number {
  switch (type.kind) {
    case 'scalar':
    case 'atomic':
      return scalarSize(type.scalar);
    case 'vector':
      return type.size * scalarSize(type.scalar);
    case 'matrix':
      return type.columns * columnStride(type);
    case 'array':
      return (type.count ?? 1) * type.stride;
    case 'struct': {
      const last = type.members[type.members.length - 1]!;
      const runtimeSized = last.type.kind === 'array' && last.type.count === null;
      return runtimeSized ? roundUp(last.offset + minBindingSize(last.type), type.align) : type.size;
    }
    case 'buffer':
      return type.size ?? MIN_BUFFER_BYTES;
    default:
      return unreachable(`lower: a ${type.kind} in a buffer`);
  }
}

const roundUp = (value: number, multiple: number): number => Math.ceil(value / multiple) * multiple;
