// Places: the targets of references and pointers, and how their leaves are read and written.
//
// A WGSL variable becomes one of the following:
//
//   variables   One scalar IR variable per leaf, the common case. Small dynamic indices become chains of selects.
//   lanes       Lane arrays, one for each scalar type in the variable. Used for large arrays with dynamic indices.
//   buffer      Bytes of a uniform or storage binding, or of workgroup memory. A bool is 0 or 1.
//
// A dynamic index is evaluated and clamped once, when the place is resolved (WGSL §8.5.1: a pointer keeps its indices).

import { unreachable } from '../../base/assert';
import type { ScalarType, ValueId } from '../../ir';
import { alignOf } from '../layout';
import type { Type } from '../types';
import type { IrBuilder } from './builder';
import {
  leafCount,
  leafCountOf,
  leafHalves,
  leafOffsets,
  leafTypes,
  leavesBefore,
  minBindingSize,
  partCount,
  partOffset,
  partStride,
  partType,
} from './leaves';

export type Memory =
  | { readonly kind: 'variables'; readonly variables: readonly number[] }
  | { readonly kind: 'lanes'; readonly arrays: ReadonlyMap<ScalarType, number> }
  /** `offset`: the start of a workgroup variable. */
  | { readonly kind: 'buffer'; readonly resource: number; readonly writable: boolean; readonly offset?: number };

interface DynamicStep {
  /** u32, in range. */
  readonly index: ValueId;
  /** Infinity for a runtime-sized array. */
  readonly count: number;
  readonly element: Type;
  readonly strideBytes: number;
}

export interface ResolvedPlace {
  readonly memory: Memory;
  readonly type: Type;
  /** Number of leaves before the place if all dynamic indices are 0. */
  readonly leaf: number;
  /** As `leaf`, counting only leaves of one scalar type. */
  readonly leafOf: Readonly<Record<ScalarType, number>>;
  readonly bytes: number;
  readonly dynamic: readonly DynamicStep[];
  /** In a view of a buffer: byte offset in the resource where the view ends, as u32. */
  readonly end?: ValueId;
}

const scalarTypes: readonly ScalarType[] = ['bool', 'i32', 'u32', 'f32'];
/** Up to this number of candidates, a chain of selects is cheaper than a lane array. */
export const SELECT_CHAIN_LIMIT = 4;

export function placeOf(memory: Memory, type: Type): ResolvedPlace {
  return {
    memory,
    type,
    leaf: 0,
    leafOf: { bool: 0, i32: 0, u32: 0, f32: 0 },
    bytes: (memory.kind === 'buffer' ? memory.offset : 0) ?? 0,
    dynamic: [],
  };
}

/** A struct member, component, column or element with a constant index in range. */
export function memberOf(place: ResolvedPlace, index: number): ResolvedPlace {
  const { type } = place;
  const leafOf = { ...place.leafOf };
  const buffer = place.memory.kind === 'buffer';
  if (!buffer) for (const scalar of scalarTypes) leafOf[scalar] += leavesBefore(type, index, scalar);
  return {
    ...place,
    leafOf,
    type: partType(type, index),
    leaf: buffer ? 0 : place.leaf + leavesBefore(type, index),
    bytes: buffer ? place.bytes + partOffset(type, index) : 0,
  };
}

/** Length of the runtime-sized array at `place`, as u32. */
export function runtimeLength(builder: IrBuilder, place: ResolvedPlace): ValueId {
  if (place.memory.kind !== 'buffer' || place.type.kind !== 'array')
    return unreachable('lower: length of something that is no runtime-sized array');
  const bytes =
    place.end === undefined
      ? builder.op('int.sub', 'u32', [
          builder.once('buffer.size', 'u32', place.memory.resource),
          builder.u32(place.bytes),
        ])
      : bytesAfter(builder, place, place.end);
  return builder.op('u32.div', 'u32', [bytes, builder.u32(place.type.stride)]);
}

/** Number of bytes from a place to the end of its view; 0 if the place is beyond the end. */
function bytesAfter(builder: IrBuilder, place: ResolvedPlace, end: ValueId): ValueId {
  const indexed = dynamicBytes(builder, place);
  const constant = builder.u32(place.bytes);
  const begin = indexed === null ? constant : builder.op('int.add', 'u32', [indexed, constant]);
  return builder.op('int.sub', 'u32', [builder.op('u32.max', 'u32', [end, begin]), begin]);
}

/** Size of a buffer in bytes: as declared by its type, or that of the binding. */
export function bufferLength(builder: IrBuilder, { memory, type }: ResolvedPlace): ValueId {
  if (memory.kind !== 'buffer' || type.kind !== 'buffer') return unreachable('lower: length of no buffer');
  return type.size === null ? builder.once('buffer.size', 'u32', memory.resource) : builder.u32(type.size);
}

const isRuntimeSized = (type: Type): boolean =>
  type.kind === 'array'
    ? type.count === null
    : type.kind === 'struct' && isRuntimeSized(type.members[type.members.length - 1]!.type);

/**
 * Views a buffer as a value of `type` at `offset`, rounded down to the type's alignment. If the buffer's size is known,
 * a view that does not fit is moved to the end. Otherwise, accesses beyond the end are outside the binding and are
 * clamped. `size`: byte size of a view that ends before its buffer.
 */
export function viewOf(
  builder: IrBuilder,
  buffer: ResolvedPlace,
  type: Type,
  offset: ValueId,
  size: ValueId | null
): ResolvedPlace {
  if (buffer.type.kind !== 'buffer') return unreachable('lower: a view of no buffer');
  const align = alignOf(type);
  const shift = 31 - Math.clz32(align);
  const least = minBindingSize(type);
  const length = buffer.type.size;
  const op = (name: 'u32.shr' | 'u32.min' | 'u32.max' | 'int.add' | 'int.sub', a: ValueId, b: ValueId): ValueId =>
    builder.op(name, 'u32', [a, b]);
  const unsigned = (value: ValueId): ValueId =>
    builder.values[value] === 'u32' ? value : builder.op('int.cast', 'u32', [value]);
  const known = builder.constantBits(offset);
  const place = { ...buffer, type };
  const all = bufferLength(builder, buffer);
  let from: ResolvedPlace;
  if (known !== undefined) from = { ...place, bytes: buffer.bytes + (known >>> 0) };
  else {
    const most =
      length === null ? op('u32.shr', all, builder.u32(shift)) : builder.u32(Math.floor((length - least) / align));
    const index = op('u32.min', op('u32.shr', unsigned(offset), builder.u32(shift)), most);
    from = { ...place, dynamic: [{ index, count: Infinity, element: type, strideBytes: align }] };
  }
  if (!isRuntimeSized(type)) return from;
  const bufferEnd = op('int.add', all, builder.u32(buffer.bytes));
  if (size === null) return { ...from, end: bufferEnd };
  const left = bytesAfter(builder, from, bufferEnd);
  const taken = op('u32.min', op('u32.max', unsigned(size), builder.u32(least)), left);
  return { ...from, end: op('int.sub', bufferEnd, op('int.sub', left, taken)) };
}

/** A component, column or element with a dynamic index (i32 or u32), clamped as unsigned to the last one. */
export function elementOf(builder: IrBuilder, place: ResolvedPlace, index: ValueId): ResolvedPlace {
  const { type } = place;
  const count = partCount(type);
  const last =
    count === null
      ? builder.op('int.sub', 'u32', [runtimeLength(builder, place), builder.u32(1)])
      : builder.u32(count - 1);
  const element = partType(type, 0);
  const step: DynamicStep = {
    index: clampIndex(builder, index, last),
    count: count ?? Infinity,
    element,
    strideBytes: partStride(type),
  };
  return { ...place, type: element, dynamic: [...place.dynamic, step] };
}

export function clampIndex(builder: IrBuilder, index: ValueId, last: ValueId): ValueId {
  const unsigned = builder.values[index] === 'u32' ? index : builder.op('int.cast', 'u32', [index]);
  return builder.op('u32.min', 'u32', [unsigned, last]);
}

/** `index == i` as a bool, computed once for each i. */
class Comparisons {
  private readonly found = new Map<string, ValueId>();
  constructor(private readonly builder: IrBuilder) {}
  equals(index: ValueId, i: number): ValueId {
    const key = `${index} ${i}`;
    let id = this.found.get(key);
    if (id === undefined) this.found.set(key, (id = this.builder.op('int.eq', 'bool', [index, this.builder.u32(i)])));
    return id;
  }
}

/** Selects one of several candidates by a u32 index in range, with a chain of selects. */
export function chooseElement(
  builder: IrBuilder,
  index: ValueId,
  candidates: readonly (readonly ValueId[])[]
): ValueId[] {
  const comparisons = new Comparisons(builder);
  let chosen = [...candidates[candidates.length - 1]!];
  for (let i = candidates.length - 2; i >= 0; i--) {
    chosen = chosen.map((other, k) =>
      builder.op('select', builder.values[other]!, [comparisons.equals(index, i), candidates[i]![k]!, other])
    );
  }
  return chosen;
}

function loadVariables(builder: IrBuilder, place: ResolvedPlace, variables: readonly number[]): ValueId[] {
  const read = (level: number, leaf: number): ValueId[] => {
    const step = place.dynamic[level];
    if (step === undefined) return leafTypes(place.type).map((_, k) => builder.get(variables[leaf + k]!));
    const stride = leafCount(step.element);
    return chooseElement(
      builder,
      step.index,
      Array.from({ length: step.count }, (_, i) => read(level + 1, leaf + i * stride))
    );
  };
  return read(0, place.leaf);
}

function storeVariables(
  builder: IrBuilder,
  place: ResolvedPlace,
  variables: readonly number[],
  values: readonly ValueId[]
): void {
  const comparisons = new Comparisons(builder);
  const write = (level: number, leaf: number, condition: ValueId | null): void => {
    const step = place.dynamic[level];
    if (step !== undefined) {
      const stride = leafCount(step.element);
      for (let i = 0; i < step.count; i++) {
        const here = comparisons.equals(step.index, i);
        write(
          level + 1,
          leaf + i * stride,
          condition === null ? here : builder.op('bool.and', 'bool', [condition, here])
        );
      }
      return;
    }
    values.forEach((value, k) => {
      const variable = variables[leaf + k]!;
      builder.set(
        variable,
        condition === null
          ? value
          : builder.op('select', builder.values[value]!, [condition, value, builder.get(variable)])
      );
    });
  };
  write(0, place.leaf, null);
}

/** Element index, in the lane array of `scalar`, of the place's nth leaf of that type. */
function laneIndex(builder: IrBuilder, place: ResolvedPlace, scalar: ScalarType, nth: number): ValueId {
  let index = builder.u32(place.leafOf[scalar] + nth);
  for (const step of place.dynamic) {
    const scaled = builder.op('int.mul', 'u32', [step.index, builder.u32(leafCountOf(step.element, scalar))]);
    index = builder.op('int.add', 'u32', [scaled, index]);
  }
  return index;
}

function forEachLane(place: ResolvedPlace, visit: (scalar: ScalarType, nth: number, k: number) => void): void {
  const seen: Record<ScalarType, number> = { bool: 0, i32: 0, u32: 0, f32: 0 };
  leafTypes(place.type).forEach((scalar, k) => visit(scalar, seen[scalar]++, k));
}

/**
 * A leaf of a place in a buffer, with the byte offset of its word or half. `half` is null for words. For halves it is
 * the bit position in the word (0 or 16), or −1 if that depends on an index.
 */
interface BufferLeaf {
  readonly scalar: ScalarType;
  readonly offset: ValueId;
  readonly half: number | null;
}

/** Byte offset that results from the dynamic indices of a place; null if it has none. */
function dynamicBytes(builder: IrBuilder, place: ResolvedPlace): ValueId | null {
  let base: ValueId | null = null;
  for (const step of place.dynamic) {
    const scaled: ValueId = builder.op('int.mul', 'u32', [step.index, builder.u32(step.strideBytes)]);
    base = base === null ? scaled : builder.op('int.add', 'u32', [base, scaled]);
  }
  return base;
}

function bufferLeaves(builder: IrBuilder, place: ResolvedPlace): BufferLeaf[] {
  const base = dynamicBytes(builder, place);
  const offsets = leafOffsets(place.type);
  const halves = leafHalves(place.type);
  const inWords = place.dynamic.every(({ strideBytes }) => strideBytes % 4 === 0);
  return leafTypes(place.type).map((scalar, k) => {
    const bytes = place.bytes + offsets[k]!;
    const constant = builder.u32(halves[k]! && inWords ? bytes & ~3 : bytes);
    const offset = base === null ? constant : builder.op('int.add', 'u32', [base, constant]);
    return { scalar, offset, half: !halves[k]! ? null : inWords ? (bytes & 2) << 3 : -1 };
  });
}

/** The buffer and byte offset of an atomic. */
export function atomicPlace(
  builder: IrBuilder,
  place: ResolvedPlace
): { readonly resource: number; readonly scalar: ScalarType; readonly offset: ValueId } {
  if (place.memory.kind !== 'buffer') return unreachable('lower: an atomic that is in no buffer');
  return { resource: place.memory.resource, ...bufferLeaves(builder, place)[0]! };
}

/** Reads all leaves of a place. */
export function load(builder: IrBuilder, place: ResolvedPlace): ValueId[] {
  const { memory } = place;
  if (memory.kind === 'variables') return loadVariables(builder, place, memory.variables);
  if (memory.kind === 'buffer') {
    const op = memory.writable ? 'storage.load' : 'buffer.load';
    let word: ValueId | null = null;
    return bufferLeaves(builder, place).map(({ scalar, offset, half }) => {
      if (half !== null) {
        // The second half of a word was loaded with the first one.
        if (half !== 16 || word === null)
          word = builder.op(op, 'u32', [aligned(builder, offset, half)], memory.resource);
        const value = unpackHalf(builder, word, offset, half);
        if (half !== 0) word = null;
        return value;
      }
      word = null;
      if (scalar !== 'bool') return builder.op(op, scalar, [offset], memory.resource);
      return builder.op('int.ne', 'bool', [builder.op(op, 'u32', [offset], memory.resource), builder.u32(0)]);
    });
  }
  const values: ValueId[] = [];
  forEachLane(place, (scalar, nth) =>
    values.push(builder.op('array.load', scalar, [laneIndex(builder, place, scalar, nth)], memory.arrays.get(scalar)!))
  );
  return values;
}

/** Byte offset of the word that contains a half. */
const aligned = (builder: IrBuilder, offset: ValueId, half: number): ValueId =>
  half >= 0 ? offset : builder.op('int.and', 'u32', [offset, builder.u32(0xfffffffc)]);

/** Extracts a half from its word. */
function unpackHalf(builder: IrBuilder, word: ValueId, offset: ValueId, half: number): ValueId {
  if (half === 0) return builder.op('f16.unpack', 'f32', [word]);
  const bits =
    half > 0
      ? builder.u32(half)
      : builder.op('int.shl', 'u32', [builder.op('int.and', 'u32', [offset, builder.u32(2)]), builder.u32(3)]);
  return builder.op('f16.unpack', 'f32', [builder.op('u32.shr', 'u32', [word, bits])]);
}

/** Stores two halves that fill a word together. A single half leaves the other half of its word unchanged. */
function storeHalf(
  builder: IrBuilder,
  resource: number,
  leaves: readonly BufferLeaf[],
  values: readonly ValueId[],
  k: number
): void {
  const { offset, half } = leaves[k]!;
  const isPair = (first: number): boolean => leaves[first]?.half === 0 && leaves[first + 1]?.half === 16;
  if (half === 16 && isPair(k - 1)) return;
  const low = builder.op('f16.pack', 'u32', [values[k]!]);
  if (half === 0 && isPair(k)) {
    const high = builder.op('f16.pack', 'u32', [values[k + 1]!]);
    const word = builder.op('int.or', 'u32', [low, builder.op('int.shl', 'u32', [high, builder.u32(16)])]);
    return builder.effect('storage.store', [offset, word], resource);
  }
  const at = half === 16 ? builder.op('int.add', 'u32', [offset, builder.u32(2)]) : offset;
  builder.effect('storage.storeHalf', [at, low], resource);
}

/** Writes all leaves of a place. */
export function store(builder: IrBuilder, place: ResolvedPlace, values: readonly ValueId[]): void {
  const { memory } = place;
  if (memory.kind === 'variables') return storeVariables(builder, place, memory.variables, values);
  if (memory.kind === 'buffer') {
    const leaves = bufferLeaves(builder, place);
    leaves.forEach(({ offset, scalar, half }, k) => {
      if (half !== null) return storeHalf(builder, memory.resource, leaves, values, k);
      const bits =
        scalar === 'f32'
          ? builder.op('int.fromF32Bits', 'u32', [values[k]!])
          : scalar === 'bool'
            ? builder.op('int.fromBool', 'u32', [values[k]!])
            : values[k]!;
      builder.effect('storage.store', [offset, bits], memory.resource);
    });
    return;
  }
  forEachLane(place, (scalar, nth, k) =>
    builder.effect('array.store', [laneIndex(builder, place, scalar, nth), values[k]!], memory.arrays.get(scalar)!)
  );
}

/** A scalar variable for each leaf. */
export function variablesFor(builder: IrBuilder, name: string, type: Type): Memory {
  const types = leafTypes(type);
  return {
    kind: 'variables',
    variables: types.map((scalar, k) => builder.variable(types.length === 1 ? name : `${name}.${k}`, scalar)),
  };
}

type Lanes = Extract<Memory, { kind: 'lanes' }>;

/** Lane arrays for all leaves, and whether some of them may contain stale values of other variables. */
export function lanesFor(
  builder: IrBuilder,
  name: string,
  type: Type
): { readonly memory: Lanes; readonly isUsed: boolean } {
  const arrays = new Map<ScalarType, number>();
  let someUsed = false;
  for (const scalar of scalarTypes) {
    const length = leafCountOf(type, scalar);
    if (length === 0) continue;
    const { array, isUsed } = builder.array(name, scalar, length);
    arrays.set(scalar, array);
    someUsed ||= isUsed;
  }
  return { memory: { kind: 'lanes', arrays }, isUsed: someUsed };
}

/** As lanesFor, for constants: read-only tables of `data`, the bits of each leaf. */
export function tablesFor(builder: IrBuilder, name: string, type: Type, data: readonly number[]): Lanes {
  const types = leafTypes(type);
  const arrays = new Map<ScalarType, number>();
  for (const scalar of scalarTypes) {
    const constants = data.filter((_, k) => types[k] === scalar);
    if (constants.length > 0) arrays.set(scalar, builder.table(name, scalar, constants));
  }
  return { kind: 'lanes', arrays };
}

/** Longer lane arrays are cleared by a loop. */
const MAX_UNROLLED_CLEARS = 32;

/** Clears lane arrays. */
export function clearLanes(builder: IrBuilder, { arrays }: Lanes): void {
  for (const array of arrays.values()) {
    const { type, length } = builder.arrays[array]!;
    const zero = builder.zero(type);
    if (length <= MAX_UNROLLED_CLEARS) {
      for (let k = 0; k < length; k++) builder.effect('array.store', [builder.u32(k), zero], array);
      continue;
    }
    const next = builder.variable('next to clear', 'u32');
    const done = builder.label();
    builder.set(next, builder.u32(0));
    builder.block(done, () =>
      builder.loop(builder.label(), () => {
        const index = builder.get(next);
        const behind = builder.op('int.add', 'u32', [index, builder.u32(1)]);
        builder.effect('array.store', [index, zero], array);
        builder.set(next, behind);
        builder.if(builder.op('int.eq', 'bool', [behind, builder.u32(length)]), () => builder.leave(done));
      })
    );
  }
}
