// Values known at compile time: leaf scalars in declaration order, and arithmetic on them. Each operation rounds once,
// with Math.fround, as the kernels do. Operations other than + − × ÷ and sqrt are in const-builtins.ts. Abstract
// integers are bigints in the range of i64; all other leaves are numbers.

import { unreachable } from '../base/assert';
import type { BinaryOp, UnaryOp } from './hir';
import { rounded } from './half';
import type { Scalar } from './types';

export type Leaf = number | bigint;
export type ConstData = readonly Leaf[];

/** The reason why a const-expression has no value. */
export class FoldFailure {
  constructor(
    readonly code:
      | 'division-by-zero'
      | 'integer-overflow'
      | 'not-finite'
      | 'half-range'
      | 'shift-too-far'
      | 'shift-overflow'
      | 'invalid-constant-arguments',
    readonly detail: string
  ) {}
}

const I64_MIN = -0x8000_0000_0000_0000n;
const I64_MAX = 0x7fff_ffff_ffff_ffffn;
const I32_MIN = -0x8000_0000;

export const bool = (value: boolean): number => (value ? 1 : 0);

export function zeroLeaf(scalar: Scalar): Leaf {
  return scalar === 'abstract-int' ? 0n : 0;
}

/** An implicit conversion (WGSL §6.1.2); null if the value does not fit. */
export function convertLeafExact(value: Leaf, from: Scalar, to: Scalar): Leaf | null {
  if (from === to) return value;
  if (from === 'abstract-int') {
    const whole = value as bigint;
    if (to === 'i32') return whole >= -0x8000_0000n && whole <= 0x7fff_ffffn ? Number(whole) : null;
    if (to === 'u32') return whole >= 0n && whole <= 0xffff_ffffn ? Number(whole) : null;
    // Number() rounds ties to even, like the conversion to AbstractFloat. Every i64 is in f32's range. Rounding only
    // starts beyond 2^53, which is outside the range of f16.
    const number = rounded(to, Number(whole));
    return Number.isFinite(number) ? number : null;
  }
  if (from === 'abstract-float' && (to === 'f32' || to === 'f16')) {
    const number = rounded(to, value as number);
    return Number.isFinite(number) ? number : null;
  }
  return unreachable(`wgsl: no implicit conversion ${from} to ${to}`);
}

/** An explicit conversion by a value constructor (WGSL §16.1.2); null if an abstract value does not fit. */
export function convertLeaf(value: Leaf, from: Scalar, to: Scalar): Leaf | null {
  if (from === to) return value;
  if (to === 'bool') return bool(Number(value) !== 0);
  if (from === 'abstract-int' && (to === 'i32' || to === 'u32')) return convertLeafExact(value, from, to);
  const number = Number(value);
  switch (to) {
    case 'f32':
    case 'f16': {
      const nearest = rounded(to, number);
      return Number.isFinite(nearest) ? nearest : null;
    }
    case 'i32':
      if (from === 'u32' || from === 'bool') return number | 0;
      // Clamps to the closest value that the float type can represent (WGSL §15.7.6), as at run time. Adding 0 turns −0
      // into 0.
      return Math.trunc(Math.min(Math.max(number, I32_MIN), from === 'f32' ? 2147483520 : 0x7fff_ffff)) + 0;
    case 'u32':
      if (from === 'i32' || from === 'bool') return number >>> 0;
      return Math.trunc(Math.min(Math.max(number, 0), from === 'f32' ? 4294967040 : 0xffff_ffff)) + 0;
    case 'abstract-float':
      return number;
    case 'abstract-int':
      return unreachable(`wgsl: conversion of ${from} to abstract-int`);
  }
}

/** A number as shown in messages. For f32 and f16, the shortest text that parses to the same value. */
export function showLeaf(value: Leaf, scalar: Scalar): string {
  if (typeof value === 'bigint' || (scalar !== 'f32' && scalar !== 'f16')) return String(value);
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (rounded(scalar, short) === value) return String(short);
  }
  return String(value);
}

// ── Operators ────────────────────────────────────────────────────────────────────────────────

export function foldUnary(op: UnaryOp, scalar: Scalar, value: Leaf): Leaf | FoldFailure {
  switch (op) {
    case '!':
      return value === 0 ? 1 : 0;
    case '~':
      if (typeof value === 'bigint') return ~value;
      return scalar === 'u32' ? ~value >>> 0 : ~value;
    case '-':
      // The most negative number has no positive counterpart and stays as it is.
      if (typeof value === 'bigint') return BigInt.asIntN(64, -value);
      return scalar === 'i32' ? (0 - value) | 0 : -value;
  }
}

/** Any binary operator except shifts and short-circuiting operators. Both operands have the scalar type `scalar`. */
export function foldBinary(op: BinaryOp, scalar: Scalar, left: Leaf, right: Leaf): Leaf | FoldFailure {
  switch (op) {
    case '==':
      return bool(left === right);
    case '!=':
      return bool(left !== right);
    case '<':
      return bool(left < right);
    case '<=':
      return bool(left <= right);
    case '>':
      return bool(left > right);
    case '>=':
      return bool(left >= right);
    default:
  }
  if (typeof left === 'bigint' && typeof right === 'bigint') return foldAbstractInt(op, left, right);
  const a = Number(left);
  const b = Number(right);
  switch (scalar) {
    case 'f32':
    case 'f16':
    case 'abstract-float':
      return foldFloat(op, scalar, a, b);
    case 'bool':
      return op === '&' ? a & b : a | b;
    default:
      return foldInt(op, scalar === 'u32', a, b);
  }
}

function foldFloat(op: BinaryOp, scalar: 'f32' | 'f16' | 'abstract-float', a: number, b: number): number | FoldFailure {
  const exact = op === '%' && scalar === 'abstract-float' ? a % b : floatOperation(op, a, b);
  // Sums, products and quotients of halves are rounded only once, because a double has sufficient precision.
  const value = rounded(scalar, exact);
  if (Number.isFinite(value)) return value;
  const code = b === 0 && (op === '/' || op === '%') ? 'division-by-zero' : 'not-finite';
  return new FoldFailure(code, `${showLeaf(a, scalar)} ${op} ${showLeaf(b, scalar)}`);
}

function floatOperation(op: BinaryOp, a: number, b: number): number {
  switch (op) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '%':
      return remainder(a, b);
    default:
      return unreachable(`wgsl: float operator ${op}`);
  }
}

/** x − y · trunc(x / y) (WGSL §8.7), with each step rounded to f32 as at run time. */
function remainder(x: number, y: number): number {
  const quotient = Math.trunc(Math.fround(x / y));
  return Math.fround(x - Math.fround(y * quotient));
}

function foldInt(op: BinaryOp, unsigned: boolean, a: number, b: number): number | FoldFailure {
  const wrap = (value: number): number => (unsigned ? value >>> 0 : value | 0);
  switch (op) {
    case '+':
      return wrap(a + b);
    case '-':
      return wrap(a - b);
    case '*':
      return wrap(Math.imul(a, b));
    case '&':
      return wrap(a & b);
    case '|':
      return wrap(a | b);
    case '^':
      return wrap(a ^ b);
    case '/':
    case '%':
      if (b === 0) return new FoldFailure('division-by-zero', `${a} ${op} 0`);
      if (!unsigned && a === I32_MIN && b === -1) return new FoldFailure('integer-overflow', `${a} ${op} ${b}`);
      return wrap(op === '/' ? Math.trunc(a / b) : a % b);
    default:
      return unreachable(`wgsl: integer operator ${op}`);
  }
}

function foldAbstractInt(op: BinaryOp, a: bigint, b: bigint): bigint | FoldFailure {
  if ((op === '/' || op === '%') && b === 0n) return new FoldFailure('division-by-zero', `${a} ${op} 0`);
  const value = abstractIntOperation(op, a, b);
  return value < I64_MIN || value > I64_MAX ? new FoldFailure('integer-overflow', `${a} ${op} ${b}`) : value;
}

function abstractIntOperation(op: BinaryOp, a: bigint, b: bigint): bigint {
  switch (op) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '%':
      return a % b;
    case '&':
      return a & b;
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    default:
      return unreachable(`wgsl: abstract integer operator ${op}`);
  }
}

/** Rounds an f32 result computed from halves to a half. */
export function toHalf(value: number): number | FoldFailure {
  const half = rounded('f16', value);
  return Number.isFinite(half) ? half : new FoldFailure('not-finite', `f16(${showLeaf(value, 'f32')})`);
}

/** Shifts (WGSL §8.9). In a const-expression, a left shift must not lose significant bits. */
export function foldShift(op: '<<' | '>>', scalar: Scalar, value: Leaf, amount: number): Leaf | FoldFailure {
  const shown = `${value} ${op} ${amount}`;
  if (typeof value === 'bigint') {
    if (op === '>>') return value >> BigInt(Math.min(amount, 64));
    const shifted = amount >= 64 && value !== 0n ? I64_MAX + 1n : value << BigInt(Math.min(amount, 64));
    return shifted < I64_MIN || shifted > I64_MAX ? new FoldFailure('shift-overflow', shown) : shifted;
  }
  if (amount >= 32) return new FoldFailure('shift-too-far', shown);
  if (op === '>>') return scalar === 'u32' ? value >>> amount : value >> amount;
  const wrapped = scalar === 'u32' ? (value << amount) >>> 0 : value << amount;
  return wrapped === value * 2 ** amount ? wrapped : new FoldFailure('shift-overflow', shown);
}
