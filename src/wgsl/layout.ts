// Where things lie in memory (WGSL §14.4 "Memory Layout"): alignment, size and stride in bytes, in all address spaces
// alike (the language feature uniform_buffer_standard_layout).

import { unreachable } from '../base/assert';
import type { Scalar, StructMember, StructType, Type } from './types';

export function roundUp(multiple: number, value: number): number {
  return Math.ceil(value / multiple) * multiple;
}

/** That of the type with the strictest alignment, as whatever it is viewed as. */
const BUFFER_ALIGN = 16;
/** Bytes of a buffer that says no size. */
export const LEAST_BUFFER = 4;

/** Bytes of a scalar in memory. */
export const scalarSize = (scalar: Scalar): number => (scalar === 'f16' ? 2 : 4);
/** A vec3 is aligned like a vec4. */
export const vectorAlign = (size: number, scalar: Scalar): number => (size === 2 ? 2 : 4) * scalarSize(scalar);

/** An answer about a struct type, found once: structs of structs hold each other many times over. */
export function remembered<T>(answers: WeakMap<Type, T>, type: Type, find: () => T): T {
  let answer = answers.get(type);
  if (answer === undefined) answers.set(type, (answer = find()));
  return answer;
}
const laidOut = new WeakMap<Type, boolean>(), hostShareable = new WeakMap<Type, boolean>();

/** Whether a value of the type lies in memory: numbers, bools and what is made of them. */
function isLaidOut(type: Type): boolean {
  switch (type.kind) {
    case 'scalar':
    case 'vector':
    case 'matrix':
      return type.scalar !== 'abstract-int' && type.scalar !== 'abstract-float';
    case 'atomic':
      return true;
    case 'array':
      return isLaidOut(type.element);
    case 'struct':
      return remembered(laidOut, type, () => type.members.every((member) => isLaidOut(member.type)));
    default:
      return false;
  }
}

/** Bytes from one element of an array to the next. */
export const strideOf = (element: Type): number => (
  isLaidOut(element) ? roundUp(alignOf(element), sizeOf(element)) : 0
);

/** Whether a value of the type has a layout that buffers share with the host: no bools, no handles. */
export function isHostShareable(type: Type): boolean {
  switch (type.kind) {
    case 'scalar':
    case 'vector':
    case 'matrix':
      return type.scalar === 'i32' || type.scalar === 'u32' || type.scalar === 'f32' || type.scalar === 'f16';
    case 'atomic':
      return true;
    case 'array':
      return isHostShareable(type.element);
    case 'struct':
      return remembered(hostShareable, type, () => type.members.every((member) => isHostShareable(member.type)));
    default:
      return false;
  }
}

export function alignOf(type: Type): number {
  switch (type.kind) {
    case 'scalar':
    case 'atomic':
      return scalarSize(type.scalar);
    case 'vector':
      return vectorAlign(type.size, type.scalar);
    case 'matrix':
      return vectorAlign(type.rows, type.scalar);
    case 'array':
      return alignOf(type.element);
    case 'struct':
      return type.align;
    case 'buffer':
      return BUFFER_ALIGN;
    default:
      return unreachable(`wgsl: ${type.kind} has no alignment`);
  }
}

/** Size in bytes; a runtime-sized array counts as one element, which is the least that a binding must hold. */
export function sizeOf(type: Type): number {
  switch (type.kind) {
    case 'scalar':
    case 'atomic':
      return scalarSize(type.scalar);
    case 'vector':
      return type.size * scalarSize(type.scalar);
    case 'matrix':
      return type.columns * vectorAlign(type.rows, type.scalar);
    case 'array':
      return (type.count ?? 1) * roundUp(alignOf(type.element), sizeOf(type.element));
    case 'struct':
      return type.size;
    case 'buffer':
      return type.size ?? LEAST_BUFFER;
    default:
      return unreachable(`wgsl: ${type.kind} has no size`);
  }
}

/** A struct member before it has a place; `align` and `size` are what its attributes say. */
export interface UnplacedMember {
  readonly name: string;
  readonly type: Type;
  readonly io: StructMember['io'];
  readonly align: number | null;
  readonly size: number | null;
}

/** Places members one after the other, each at the next multiple of its alignment. */
export function layOutStruct(name: string, unplaced: readonly UnplacedMember[]): StructType {
  const hasPlaces = unplaced.every((member) => isLaidOut(member.type));
  let align = 1;
  let end = 0;
  const members: StructMember[] = [];
  for (const { name: memberName, type, io, align: wantedAlign, size } of unplaced) {
    if (!hasPlaces) {
      members.push({ name: memberName, type, offset: 0, io });
      continue;
    }
    const memberAlign = wantedAlign ?? alignOf(type);
    const offset = roundUp(memberAlign, end);
    members.push({ name: memberName, type, offset, io });
    align = Math.max(align, memberAlign);
    end = offset + (size ?? sizeOf(type));
  }
  return { kind: 'struct', name, members, align, size: roundUp(align, end) };
}
