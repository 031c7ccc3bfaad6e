// Values of WGSL in JavaScript: numbers, booleans, arrays (vectors, matrices by columns, arrays) and objects (structs).
// Arguments and results pass through buffers of 32-bit words, one per scalar, so that every type has the same layout.
import type { ShaderType } from '../../index';
import { halfBits, halfValue } from '../../wgsl/half';

/** A value of WGSL: matrices are flat arrays, column by column. */
export type ShaderValue = number | boolean | readonly ShaderValue[] | { readonly [member: string]: ShaderValue };

/** What is accepted for a value: typed arrays, too. */
export type ShaderArgument =
  number | boolean | ArrayLike<number> | readonly ShaderArgument[] | { readonly [member: string]: ShaderArgument };

type Scalar = Extract<ShaderType, { readonly kind: 'scalar' }>['scalar'];
/** Words of the largest argument. Each is an expression of the shader. */
const MAX_WORDS = 4096;

/** The scalars of a type in order; each is a word. @throws TypeError for a type without values */
export function wordsOf(type: ShaderType, what: string): number {
  const words = countWords(type, what);
  if (words > MAX_WORDS)
    throw new TypeError(`${what} has the type ${type.name} of ${words} words; the most is ${MAX_WORDS}`);
  return words;
}

function countWords(type: ShaderType, what: string): number {
  switch (type.kind) {
    case 'scalar':
    case 'atomic':
      return 1;
    case 'vector':
      return type.size;
    case 'matrix':
      return type.columns * type.rows;
    case 'array':
      if (type.count !== null) return type.count * countWords(type.element, what);
      break;
    case 'struct':
      return type.members.reduce((sum, member) => sum + countWords(member.type, what), 0);
  }
  throw new TypeError(`${what} has the type ${type.name}, which has no values in JavaScript`);
}

/** Places of a type's parts: one word after another, or the layout of buffers. */
interface Layout {
  /** Distance of the elements of an array. */
  stride(type: Extract<ShaderType, { kind: 'array' }>): number;
  scalarSize(scalar: Scalar): number;
  columnSize(type: Extract<ShaderType, { kind: 'matrix' }>): number;
  offsets(type: Extract<ShaderType, { kind: 'struct' }>): readonly number[];
}

export const WORDS: Layout = {
  stride: (type) => countWords(type.element, ''),
  scalarSize: () => 1,
  columnSize: (type) => type.rows,
  offsets(type) {
    let at = 0;
    return type.members.map((member) => (at += countWords(member.type, '')) - countWords(member.type, ''));
  },
};

export const BYTES: Layout = {
  stride: (type) => type.stride,
  scalarSize: (scalar) => (scalar === 'f16' ? 2 : 4),
  columnSize: (type) => (type.rows === 2 ? 2 : 4) * (type.scalar === 'f16' ? 2 : 4),
  offsets: (type) => type.members.map((member) => member.offset),
};

const isList = (value: unknown): value is ArrayLike<ShaderArgument> =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && 'length' in value);

/** Calls `put` with each scalar of a value. @throws TypeError if the value does not fit the type */
export function writeValue(
  value: unknown,
  type: ShaderType,
  what: string,
  layout: Layout,
  put: (scalar: Scalar, at: number, value: number | boolean) => void,
  at = 0
): void {
  const list = (length: number): ArrayLike<ShaderArgument> => {
    if (!isList(value) || value.length !== length)
      throw new TypeError(
        `${what} must be an array of ${length} for ${type.name}, not ${
          isList(value) ? `one of ${value.length}` : shown(value)
        }`
      );
    return value;
  };
  switch (type.kind) {
    case 'scalar':
    case 'atomic':
      put(type.scalar, at, checkedScalar(value, type.scalar, what));
      return;
    case 'vector':
    case 'matrix': {
      const [columns, rows] = type.kind === 'vector' ? [1, type.size] : [type.columns, type.rows];
      const numbers = list(columns * rows);
      const step = type.kind === 'vector' ? 0 : layout.columnSize(type);
      for (let i = 0; i < numbers.length; i++)
        put(
          type.scalar,
          at + Math.floor(i / rows) * step + (i % rows) * layout.scalarSize(type.scalar),
          checkedScalar(numbers[i], type.scalar, `${what}[${i}]`)
        );
      return;
    }
    case 'array': {
      const elements = list(type.count ?? (isList(value) ? value.length : 0));
      for (let i = 0; i < elements.length; i++)
        writeValue(elements[i], type.element, `${what}[${i}]`, layout, put, at + i * layout.stride(type));
      return;
    }
    case 'struct': {
      if (typeof value !== 'object' || value === null || isList(value))
        throw new TypeError(`${what} must be an object with the members of ${type.name}, not ${shown(value)}`);
      const given = Object.keys(value);
      const unknown = given.find((name) => !type.members.some((member) => member.name === name));
      if (unknown !== undefined) throw new TypeError(`${what} has a member "${unknown}", which ${type.name} has not`);
      const offsets = layout.offsets(type);
      type.members.forEach((member, i) => {
        const part = (value as Record<string, unknown>)[member.name];
        writeValue(part, member.type, `${what}.${member.name}`, layout, put, at + offsets[i]!);
      });
      return;
    }
    default:
      throw new TypeError(`${what} has the type ${type.name}, which has no values in JavaScript`);
  }
}

/** Makes a value of the scalars that `get` returns. @param length elements of an array of any length */
export function readValue(
  type: ShaderType,
  layout: Layout,
  get: (scalar: Scalar, at: number) => number | boolean,
  at = 0,
  length = 0
): ShaderValue {
  switch (type.kind) {
    case 'scalar':
    case 'atomic':
      return get(type.scalar, at);
    case 'vector':
      return Array.from({ length: type.size }, (_, i) => get(type.scalar, at + i * layout.scalarSize(type.scalar)));
    case 'matrix':
      return Array.from({ length: type.columns * type.rows }, (_, i) =>
        get(
          type.scalar,
          at + Math.floor(i / type.rows) * layout.columnSize(type) + (i % type.rows) * layout.scalarSize(type.scalar)
        )
      );
    case 'array':
      return Array.from({ length: type.count ?? length }, (_, i) =>
        readValue(type.element, layout, get, at + i * layout.stride(type))
      );
    case 'struct': {
      const offsets = layout.offsets(type);
      return Object.fromEntries(
        type.members.map((member, i) => [member.name, readValue(member.type, layout, get, at + offsets[i]!)])
      );
    }
    default:
      throw new TypeError(`the type ${type.name} has no values in JavaScript`);
  }
}

const shown = (value: unknown): string =>
  value === undefined ? 'undefined' : (JSON.stringify(value)?.slice(0, 60) ?? typeof value);

const RANGES = { i32: [-(2 ** 31), 2 ** 31 - 1], u32: [0, 2 ** 32 - 1] } as const;

function checkedScalar(value: unknown, scalar: Scalar, what: string): number | boolean {
  if (scalar === 'bool') {
    if (typeof value !== 'boolean') throw new TypeError(`${what} must be true or false, not ${shown(value)}`);
    return value;
  }
  if (typeof value !== 'number') throw new TypeError(`${what} must be a number for ${scalar}, not ${shown(value)}`);
  if (scalar === 'i32' || scalar === 'u32') {
    const [least, most] = RANGES[scalar];
    if (!Number.isInteger(value) || value < least || value > most)
      throw new TypeError(`${what} must be an integer of ${scalar}, not ${value}`);
  }
  return value;
}

/** Writes a scalar into a word of its own. f16 is passed as f32, which holds each of its values. */
export function putWord(view: DataView, scalar: Scalar, word: number, value: number | boolean): void {
  if (scalar === 'i32' || scalar === 'u32' || scalar === 'bool') view.setUint32(word * 4, Number(value), true);
  else view.setFloat32(word * 4, Number(value), true);
}

export function getWord(view: DataView, scalar: Scalar, word: number): number | boolean {
  if (scalar === 'bool') return view.getUint32(word * 4, true) !== 0;
  if (scalar === 'u32') return view.getUint32(word * 4, true);
  return scalar === 'i32' ? view.getInt32(word * 4, true) : view.getFloat32(word * 4, true);
}

/** Writes a scalar in the layout of buffers. */
export function putBytes(view: DataView, scalar: Scalar, at: number, value: number | boolean): void {
  if (scalar === 'f16') view.setUint16(at, halfBits(Number(value)), true);
  else putWord(view, scalar, at / 4, value);
}

export const getBytes = (view: DataView, scalar: Scalar, at: number): number | boolean =>
  scalar === 'f16' ? halfValue(view.getUint16(at, true)) : getWord(view, scalar, at / 4);
