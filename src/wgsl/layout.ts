// Memory layout (WGSL §14.4 "Memory Layout"): alignment, size and stride in bytes. All address spaces use the same
// layout (language feature uniform_buffer_standard_layout).

import { unreachable } from '../base/assert';
import type { Scalar, StructMember, StructType, Type } from './types';

export function roundUp(multiple: number, value: number): number {
  return Math.ceil(value / multiple) * multiple;
}

/** Alignment of the strictest type, because a buffer may be viewed as any type. */
const BUFFER_ALIGN = 16;
/** Size in bytes of a buffer that declares none. */
export const MIN_BUFFER_BYTES = 4;

/** Size in bytes of a scalar in memory. */
export const scalarSize = (scalar: Scalar): number => (scalar === 'f16' ? 2 : 4);
/** A vec3 is aligned like a vec4. */
export const vectorAlign = (size: number, scalar: Scalar): number => (size === 2 ? 2 : 4) * scalarSize(scalar);

/** Caches a property of a struct type, because nested structs would otherwise be visited many times. */
export function remembered<T>(answers: WeakMap<Type, T>, type: Type, find: () => T): T {
  let answer = answers.get(type);
  if (answer === undefined) answers.set(type, (answer = find()));
  return answer;
}
const laidOut = new WeakMap<Type, boolean>();
const hostShareable = new WeakMap<Type, boolean>();

/** Whether values of the type can be in memory: numbers, bools and composites of them. */
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

/** Distance in bytes between consecutive elements of an array. */
export const strideOf = (element: Type): number =>
  isLaidOut(element) ? roundUp(alignOf(element), sizeOf(element)) : 0;

/** Whether the type has a layout that buffers share with the host. Excludes bools and handles. */
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

/** Size in bytes. A runtime-sized array counts as one element, which is the minimum that a binding must hold. */
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
      return type.size ?? MIN_BUFFER_BYTES;
    default:
      return unreachable(`wgsl: ${type.kind} has no size`);
  }
}

/** A struct member before layout. `align` and `size` are the values of its attributes. */
export interface UnplacedMember {
  readonly name: string;
  readonly type: Type;
  readonly io: StructMember['io'];
  readonly align: number | null;
  readonly size: number | null;
}

/** Lays out members in order, each at the next multiple of its alignment. */
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
