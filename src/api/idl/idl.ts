// Argument conversion as WebIDL specifies it: from any JavaScript value to a complete record, or to a TypeError that
// names the call and the argument. WebGPU's own rules are not checked here.

import type { Slot } from './interface';
import { text } from './text';

export { text };

/** Converts `value`. `at` names its place for messages: "createBuffer: descriptor.size". */
export type Convert<T> = (value: unknown, at: string) => T;

/** Formats a value for a message. Objects are shown by their class. */
export const show = (value: unknown): string => {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === 'object' && value !== null) return Object.prototype.toString.call(value).slice(8, -1);
  if (typeof value === 'function') return 'a function';
  return typeof value === 'bigint' ? `${value}n` : String(value);
};

function integer(name: string, low: number, high: number): Convert<number> {
  return (value, at) => {
    if (typeof value === 'bigint' || typeof value === 'symbol')
      throw new TypeError(`${at} must be a number, not ${show(value)}`);
    const number = Math.trunc(Number(value));
    // WebIDL [EnforceRange]: NaN, infinities and out-of-range values are errors; they do not wrap around.
    if (!(number >= low && number <= high))
      throw new TypeError(`${at} must be a ${name} from ${low} to ${high}, not ${show(value)}`);
    return number + 0;
  };
}
const anyU32 = integer('32-bit unsigned integer', 0, 0xffffffff);
/** Draw calls convert many of these. Most are integers already. */
export const u32: Convert<number> = (value, at) => {
  if (typeof value !== 'number') return anyU32(value, at);
  const integer = value >>> 0;
  return integer === value ? integer : anyU32(value, at);
};
export const i32 = integer('32-bit integer', -0x80000000, 0x7fffffff);
export const u64 = integer('64-bit unsigned integer', 0, Number.MAX_SAFE_INTEGER);
/** WebIDL [Clamp]: rounds to the nearest value in the range, halves to even; NaN becomes 0. */
export const clampedU16: Convert<number> = (value, at) => {
  const number = Math.min(Math.max(unrestrictedDouble(value, at), 0), 0xffff);
  if (Number.isNaN(number)) return 0;
  const low = Math.floor(number);
  const rest = number - low;
  return rest > 0.5 || (rest === 0.5 && low % 2 === 1) ? low + 1 : low;
};

/** WebIDL's unrestricted double: the call itself must refuse NaN and infinities. */
export const unrestrictedDouble: Convert<number> = (value, at) => {
  if (typeof value === 'bigint' || typeof value === 'symbol')
    throw new TypeError(`${at} must be a number, not ${show(value)}`);
  return Number(value);
};
export const double: Convert<number> = (value, at) => {
  const number = unrestrictedDouble(value, at);
  if (!Number.isFinite(number)) throw new TypeError(`${at} must be a finite number, not ${show(value)}`);
  return number;
};
export const float: Convert<number> = (value, at) => {
  const number = Math.fround(double(value, at));
  if (!Number.isFinite(number)) throw new TypeError(`${at} must fit a 32-bit float, but ${show(value)} does not`);
  return number;
};
export const boolean: Convert<boolean> = (value) => Boolean(value);
export function enumeration<const T extends readonly string[]>(name: string, values: T): Convert<T[number]> {
  const known = new Set<string>(values);
  return (value, at) => {
    const string = text(value, at);
    if (!known.has(string)) {
      const list = values.length > 12 ? '' : `; valid values are ${values.map((v) => `"${v}"`).join(', ')}`;
      throw new TypeError(`${at}: ${show(string)} is not a valid ${name}${list}`);
    }
    return string;
  };
}

/** Converts an object of a GPU interface to its core. */
export function object<Core extends object>(slot: Slot<Core>): Convert<Core> {
  return (value, at) => {
    const core = slot.find(value);
    if (core === undefined) throw new TypeError(`${at} must be a ${slot.name}, not ${show(value)}`);
    return core;
  };
}

export function nullable<T>(convert: Convert<T>): Convert<T | null> {
  return (value, at) => (value === null || value === undefined ? null : convert(value, at));
}

export function sequence<T>(convert: Convert<T>): Convert<T[]> {
  return (value, at) => {
    if (!isIterable(value)) throw new TypeError(`${at} must be a sequence, not ${show(value)}`);
    // Arrays are handled separately: with an iterator, a list of one offset takes three times as long.
    if (Array.isArray(value)) return listOf(value, convert, at);
    return Array.from(value, (item, i) => convert(item, `${at}[${i}]`));
  };
}

function listOf<T>(values: readonly unknown[], convert: Convert<T>, at: string): T[] {
  const list: T[] = [];
  for (let i = 0; i < values.length; i++) list.push(convert(values[i], `${at}[${i}]`));
  return list;
}

export function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

export function record<T>(convert: Convert<T>): Convert<Map<string, T>> {
  return (value, at) => {
    if (typeof value !== 'object' || value === null) throw new TypeError(`${at} must be an object, not ${show(value)}`);
    return new Map(Object.entries(value).map(([key, item]) => [key, convert(item, `${at}.${key}`)]));
  };
}

/**
 * A type alias, because the types of dictionaries in other files spell it out; an interface would need a name there.
 */
type Member<T> = { readonly convert: Convert<T>; readonly required: boolean; readonly fallback: () => T };

export function required<T>(convert: Convert<T>): Member<T> {
  return { convert, required: true, fallback: () => convert(undefined, '') };
}
export function optional<T>(convert: Convert<T>): Member<T | undefined>;
export function optional<T, const D>(convert: Convert<T>, fallback: D): Member<T | D>;
export function optional<T>(convert: Convert<T>, fallback?: unknown): Member<unknown> {
  return { convert, required: false, fallback: () => fallback };
}
/** A nested dictionary that gets its default members if it is omitted. */
export function defaulted<T>(convert: Convert<T>): Member<T> {
  return { convert, required: false, fallback: () => convert(undefined, '') };
}

type Record_<M extends Record<string, Member<unknown>>> = {
  readonly [K in keyof M]: M[K] extends Member<infer T> ? T : never;
};
type Dictionary<M extends Record<string, Member<unknown>>> = Convert<Record_<M>> & { readonly members: M };

export function dictionary<M extends Record<string, Member<unknown>>>(name: string, members: M): Dictionary<M> {
  const entries = Object.entries(members);
  const convert = (value: unknown, at: string): Record_<M> => {
    if (value !== undefined && value !== null && typeof value !== 'object' && typeof value !== 'function')
      throw new TypeError(`${at} must be a ${name}, not ${show(value)}`);
    const source = (value ?? {}) as Record<string, unknown>;
    const result: Record<string, unknown> = {};
    for (const [key, member] of entries) {
      const item = source[key];
      if (item !== undefined) result[key] = member.convert(item, `${at}.${key}`);
      else if (member.required) throw new TypeError(`${at} lacks '${key}', which a ${name} must have`);
      else result[key] = member.fallback();
    }
    return result as Record_<M>;
  };
  return Object.assign(convert, { members });
}

/** A dictionary of Rasterloom's own, which refuses unknown members. */
export function closed<M extends Record<string, Member<unknown>>>(convert: Dictionary<M>): Dictionary<M> {
  const known = Object.keys(convert.members);
  return Object.assign(
    (value: unknown, at: string) => {
      if (typeof value === 'object' && value !== null) requireKnown(value, known, at);
      return convert(value, at);
    },
    { members: convert.members }
  );
}

/** Refuses unknown names in Rasterloom's own options. WebIDL would ignore a mistyped name. */
export function requireKnown(given: object, known: readonly string[], at: string): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`${at}: unknown member ${show(unknown)}; known members are ${known.map(show).join(', ')}`);
}

/** Throws a TypeError if an operation gets too few arguments. As in WebIDL, this happens before any conversion. */
export function needArguments(call: string, given: number, needed: number): void {
  if (given < needed)
    throw new TypeError(`${call} needs ${needed} argument${needed === 1 ? '' : 's'}, but got ${given}`);
}

/** Runs an operation that returns a promise. As in WebIDL, exceptions become rejections. */
export function promising<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return Promise.resolve(run());
  } catch (error) {
    return Promise.reject(error as Error);
  }
}

function bytesOf(buffer: ArrayBufferLike, at: string, offset?: number, length?: number): Uint8Array {
  try {
    return new Uint8Array(buffer, offset, length);
  } catch (error) {
    throw new TypeError(`${at} is detached: its memory has been transferred`, { cause: error });
  }
}

/** Returns the bytes of an AllowSharedBufferSource and the size of its elements (1 for buffers and DataViews). */
export const bufferSource: Convert<{ readonly bytes: Uint8Array; readonly elementSize: number }> = (value, at) => {
  if (ArrayBuffer.isView(value)) {
    const elementSize = 'BYTES_PER_ELEMENT' in value ? Number(value.BYTES_PER_ELEMENT) : 1;
    return { bytes: bytesOf(value.buffer, at, value.byteOffset, value.byteLength), elementSize };
  }
  if (value instanceof ArrayBuffer || (typeof SharedArrayBuffer !== 'undefined' && value instanceof SharedArrayBuffer))
    return { bytes: bytesOf(value, at), elementSize: 1 };
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  // Buffers of another realm (test runners, iframes) are not instances of this realm's classes.
  if (tag === 'ArrayBuffer' || tag === 'SharedArrayBuffer')
    return { bytes: bytesOf(value as ArrayBuffer, at), elementSize: 1 };
  throw new TypeError(`${at} must be an ArrayBuffer or a view of one, not ${show(value)}`);
};

export interface Extent {
  readonly width: number;
  readonly height: number;
  readonly depthOrArrayLayers: number;
}
const extentDictionary = dictionary('GPUExtent3D', {
  width: required(u32),
  height: optional(u32, 1),
  depthOrArrayLayers: optional(u32, 1),
});
export const extent: Convert<Extent> = (value, at) => {
  if (!isIterable(value)) return extentDictionary(value, at);
  const list = sequence(u32)(value, at);
  if (list.length < 1 || list.length > 3) throw new TypeError(`${at} must have 1 to 3 numbers, not ${list.length}`);
  return { width: list[0]!, height: list[1] ?? 1, depthOrArrayLayers: list[2] ?? 1 };
};
const originDictionary = dictionary('GPUOrigin3D', { x: optional(u32, 0), y: optional(u32, 0), z: optional(u32, 0) });
export type Origin = readonly [number, number, number];
export const origin: Convert<Origin> = (value, at) => {
  if (!isIterable(value)) {
    const { x, y, z } = originDictionary(value, at);
    return [x, y, z];
  }
  const list = sequence(u32)(value, at);
  if (list.length > 3) throw new TypeError(`${at} must have at most 3 numbers, not ${list.length}`);
  return [list[0] ?? 0, list[1] ?? 0, list[2] ?? 0];
};
const colorDictionary = dictionary('GPUColor', {
  r: required(double),
  g: required(double),
  b: required(double),
  a: required(double),
});
export type Color = readonly [number, number, number, number];
export const color: Convert<Color> = (value, at) => {
  if (!isIterable(value)) {
    const { r, g, b, a } = colorDictionary(value, at);
    return [r, g, b, a];
  }
  const list = sequence(double)(value, at);
  if (list.length !== 4) throw new TypeError(`${at} must have 4 numbers, not ${list.length}`);
  return [list[0]!, list[1]!, list[2]!, list[3]!];
};
