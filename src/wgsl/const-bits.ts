// Bit operations on constants: bit counting and bit fields, packing and unpacking, bitcast (WGSL §17.1, §17.2, §17.9,
// §17.10).

import { floatBits, floatFromBits } from '../base/bits';
import { FoldFailure } from './constant';
import type { ConstData } from './constant';
import { halfBits, halfValue } from './half';
import type { Scalar } from './types';

/** The 32 bits of a concrete leaf. */
function leafBits(scalar: Scalar, value: number): number {
  return scalar === 'f32' ? floatBits(value) : value >>> 0;
}

/** Converts leaves to words. Two halves share a word, the first in the low bits. */
function wordsOf(from: Scalar, data: readonly number[]): number[] {
  if (from !== 'f16') return data.map((value) => leafBits(from, value));
  const halves = data.map(halfBits);
  return Array.from({ length: halves.length / 2 }, (_, k) => joinFields(halves.slice(2 * k, 2 * k + 2), 16));
}

/** bitcast of constants. A NaN or infinity is not a valid constant. */
export function bitcastData(from: Scalar, to: Scalar, data: readonly number[]): readonly number[] | FoldFailure {
  const result = wordsOf(from, data).flatMap((bits) => {
    if (to === 'f16') return splitFields(bits, 16, false).map(halfValue);
    return to === 'f32' ? floatFromBits(bits) : to === 'i32' ? bits | 0 : bits;
  });
  return result.every(Number.isFinite) ? result : new FoldFailure('not-finite', 'bitcast');
}

function countBits(word: number): number {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count++;
  return count;
}

function reverse(word: number): number {
  let result = 0;
  for (let i = 0; i < 32; i++) result = (result << 1) | ((word >>> i) & 1);
  return result;
}

/** 32 for 0. */
const trailingZeros = (word: number): number => (word === 0 ? 32 : 31 - Math.clz32(word & -word));

function firstLeadingBit(word: number, signed: boolean): number {
  const looked = signed && word < 0 ? ~word : word;
  return looked === 0 ? -1 : 31 - Math.clz32(looked);
}

const BIT_COMPONENTS: ReadonlyMap<string, (word: number, signed: boolean) => number> = new Map([
  ['countLeadingZeros', (word: number) => Math.clz32(word)],
  ['countOneBits', countBits],
  ['countTrailingZeros', trailingZeros],
  ['firstLeadingBit', firstLeadingBit],
  ['firstTrailingBit', (word: number) => (word === 0 ? -1 : trailingZeros(word))],
  ['reverseBits', reverse],
]);

function extract(word: number, offset: number, count: number, signed: boolean): number {
  if (count === 0) return 0;
  const left = 32 - offset - count;
  return signed ? (word << left) >> (32 - count) : (word << left) >>> (32 - count);
}

function insert(word: number, field: number, offset: number, count: number): number {
  if (count === 0) return word;
  const mask = ((count === 32 ? -1 : (1 << count) - 1) << offset) | 0;
  return (word & ~mask) | ((field << offset) & mask);
}

// ── Packing ──────────────────────────────────────────────────────────────────────────────────

function packNorm(values: readonly number[], bits: 8 | 16, signed: boolean): number {
  const scale = signed ? 2 ** (bits - 1) - 1 : 2 ** bits - 1;
  return joinFields(
    values.map((x) => {
      const clamped = Math.min(Math.max(x, signed ? -1 : 0), 1);
      return Math.floor(Math.fround(0.5 + Math.fround(scale * clamped)));
    }),
    bits
  );
}

function joinFields(values: readonly number[], bits: 8 | 16): number {
  const mask = 2 ** bits - 1;
  return values.reduce((word, value, k) => (word | ((value & mask) << (k * bits))) >>> 0, 0);
}

function splitFields(word: number, bits: 8 | 16, signed: boolean): number[] {
  return Array.from({ length: 32 / bits }, (_, k) => extract(word, k * bits, bits, signed));
}

function unpackNorm(word: number, bits: 8 | 16, signed: boolean): number[] {
  const scale = signed ? 2 ** (bits - 1) - 1 : 2 ** bits - 1;
  return splitFields(word, bits, signed).map((field) => Math.max(Math.fround(field / scale), -1));
}

function dotBytes(a: number, b: number, signed: boolean): number {
  const right = splitFields(b, 8, signed);
  return splitFields(a, 8, signed).reduce((sum, x, k) => sum + x * right[k]!, 0);
}

const clampTo =
  (low: number, high: number) =>
  (x: number): number =>
    Math.min(Math.max(x, low), high);

const PACKING: ReadonlyMap<string, (args: readonly (readonly number[])[]) => readonly number[]> = new Map([
  ['pack4x8snorm', ([v]: readonly (readonly number[])[]) => [packNorm(v!, 8, true)]],
  ['pack4x8unorm', ([v]) => [packNorm(v!, 8, false)]],
  ['pack2x16snorm', ([v]) => [packNorm(v!, 16, true)]],
  ['pack2x16unorm', ([v]) => [packNorm(v!, 16, false)]],
  ['pack4xI8', ([v]) => [joinFields(v!, 8)]],
  ['pack4xU8', ([v]) => [joinFields(v!, 8)]],
  ['pack4xI8Clamp', ([v]) => [joinFields(v!.map(clampTo(-128, 127)), 8)]],
  ['pack4xU8Clamp', ([v]) => [joinFields(v!.map(clampTo(0, 255)), 8)]],
  ['unpack4x8snorm', ([v]) => unpackNorm(v![0]!, 8, true)],
  ['unpack4x8unorm', ([v]) => unpackNorm(v![0]!, 8, false)],
  ['unpack2x16snorm', ([v]) => unpackNorm(v![0]!, 16, true)],
  ['unpack2x16unorm', ([v]) => unpackNorm(v![0]!, 16, false)],
  ['unpack2x16float', ([v]) => splitFields(v![0]!, 16, false).map(halfValue)],
  ['unpack4xI8', ([v]) => splitFields(v![0]!, 8, true)],
  ['unpack4xU8', ([v]) => splitFields(v![0]!, 8, false)],
  ['dot4U8Packed', ([a, b]) => [dotBytes(a![0]!, b![0]!, false)]],
  ['dot4I8Packed', ([a, b]) => [dotBytes(a![0]!, b![0]!, true)]],
]);

const LARGEST_HALF = 65504;

/** Numbers outside the range of f16 are errors, even if they would round to its largest value. */
function outsideOfHalf(values: readonly number[]): FoldFailure | null {
  const beyond = values.find((value) => !(Math.abs(value) <= LARGEST_HALF));
  return beyond === undefined ? null : new FoldFailure('half-range', String(beyond));
}

/** Evaluates bit and packing functions; null if `name` is not one of them. */
export function evaluateBitBuiltin(
  name: string,
  scalar: Scalar,
  args: readonly ConstData[]
): ConstData | FoldFailure | null {
  const numbers = args.map((arg) => arg.map(Number));
  const signed = scalar === 'i32';
  const typed = (word: number): number => (signed ? word | 0 : word >>> 0);
  const component = BIT_COMPONENTS.get(name);
  if (component !== undefined) return numbers[0]!.map((word) => typed(component(word | 0, signed)));
  switch (name) {
    case 'extractBits':
      return numbers[0]!.map((word) => typed(extract(word, numbers[1]![0]!, numbers[2]![0]!, signed)));
    case 'insertBits':
      return numbers[0]!.map((word, k) => typed(insert(word, numbers[1]![k]!, numbers[2]![0]!, numbers[3]![0]!)));
    case 'quantizeToF16':
      return outsideOfHalf(numbers[0]!) ?? numbers[0]!.map((value) => halfValue(halfBits(value)));
    case 'pack2x16float':
      return outsideOfHalf(numbers[0]!) ?? [joinFields(numbers[0]!.map(halfBits), 16)];
    default:
      return PACKING.get(name)?.(numbers) ?? null;
  }
}
