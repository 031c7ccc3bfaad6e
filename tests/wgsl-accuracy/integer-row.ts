// A row of the table of exact integer expressions.
import { floatOf } from '../support/kernel';

export type Words = readonly number[];

export interface IntegerRow {
  readonly name: string;
  readonly types: readonly string[];
  /** Expressions of type vec4u that have the same value. */
  readonly forms: readonly string[];
  /** The four words of the result. */
  readonly exact: (...args: Words[]) => readonly number[];
  /** Rules for the arguments of const-expressions. */
  readonly constant?: (...args: Words[]) => boolean;
  /** Whether arguments are floats of moderate size, rather than words. */
  readonly floats?: boolean;
}

export const signed = (word: number): bigint => BigInt.asIntN(32, BigInt(word));
export const unsigned = (word: number): bigint => BigInt.asUintN(32, BigInt(word));
export const word = (value: bigint): number => Number(BigInt.asUintN(32, value));
export const minimum = (x: bigint, y: bigint): bigint => (y < x ? y : x);
export const maximum = (x: bigint, y: bigint): bigint => (y > x ? y : x);

const byte = (x: number, k: number): number => (x >>> (8 * k)) & 255;
export const bytes = (values: readonly number[]): number =>
  values.reduce((sum, x, k) => sum + (x & 255) * 2 ** (8 * k), 0);
export const clampBytes =
  (low: bigint, high: bigint, read: (x: number) => bigint) =>
  (a: Words): number =>
    bytes(a.map((x) => Number(minimum(maximum(read(x), low), high))));
export const asBytes = (type: 'I8' | 'U8', x: number): bigint[] =>
  [0, 1, 2, 3].map((k) => (type === 'I8' ? BigInt.asIntN(8, BigInt(byte(x, k))) : BigInt(byte(x, k))));

/**
 * ⌊½ + scale · clamp(x, low, 1)⌋: scale · x rounded to f32, then its sum with ½ (the intermediate results of §17.9).
 */
export const norm = (x: number, low: number, scale: number): number =>
  Math.floor(Math.fround(0.5 + Math.fround(scale * Math.max(low, Math.min(1, Number.isNaN(x) ? 0 : x)))));
export const words16 = ([x, y]: readonly number[]): number => ((x! & 0xffff) | (y! << 16)) >>> 0;
export const ofFloats =
  (pack: (v: readonly number[]) => number) =>
  (a: Words): number[] => {
    const v = a.map(floatOf);
    return [pack(v), pack([...v].reverse()), 0, 0];
  };
