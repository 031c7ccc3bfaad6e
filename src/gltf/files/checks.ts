// Checks of values in a glTF file's JSON. Each throws a ModelError that says what is wrong.
import { quoted } from '../../base/printable';
import { ModelError } from '../errors';

/** An object whose members have not been checked. */
export type Loose = Record<string, unknown>;

export function damaged(message: string): never {
  throw new ModelError(`The glTF file is damaged: ${message}.`);
}

export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

export function reference(value: unknown, list: readonly unknown[] | undefined, what: string): void {
  const size = list?.length ?? 0;
  if (!isCount(value) || value >= size) damaged(`${what} is ${quoted(value)}, not an index below ${size}`);
}

export function optionalReference(value: unknown, list: readonly unknown[] | undefined, what: string): void {
  if (value !== undefined) reference(value, list, what);
}

/** Checks a range of bytes of a buffer. */
export function range(bufferBytes: number, byteOffset: unknown, byteLength: unknown, what: string): void {
  const offset = byteOffset ?? 0;
  if (!isCount(offset) || !isCount(byteLength)) damaged(`${what} has no valid range`);
  if (offset + byteLength > bufferBytes) damaged(`${what} reaches past the end of its buffer`);
}

/** Checks a list that may be missing. */
export function listOf<T>(value: readonly T[] | undefined, what: string): readonly T[] {
  if (value !== undefined && !Array.isArray(value)) damaged(`${what} are not a list`);
  return value ?? [];
}

/** Checks that each of the named members is a number or missing. */
export function numberMembers(object: unknown, names: readonly string[], what: string): void {
  for (const name of names) {
    const value = (object as Loose | undefined)?.[name];
    if (value !== undefined && typeof value !== 'number') damaged(`${name} of ${what} is not a number`);
  }
}

/** Checks a list of `size` numbers that may be missing. */
export function numbers(value: unknown, size: number, what: string): void {
  if (value === undefined) return;
  if (!Array.isArray(value) || value.length !== size || value.some((n) => typeof n !== 'number'))
    damaged(`${what} should be ${size} numbers`);
}

export function object(value: unknown, what: string): Loose {
  if (typeof value !== 'object' || value === null) damaged(`${what} is not an object`);
  return value as Loose;
}
