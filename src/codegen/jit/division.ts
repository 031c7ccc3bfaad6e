// Division by a constant as multiplication by its reciprocal: the upper words of 64-bit products, shifted (Granlund and
// Montgomery, "Division by Invariant Integers using Multiplication", 1994). Gives the same bits as a division in a
// third of the instructions.

import { i32, i32x4, i64x2, v128, type Local, type V128 } from '../wasm/expression';
import type { Frame } from './frame';

type DivisionOp = 'i32.div' | 'i32.rem' | 'u32.div' | 'u32.rem';
export const isDivision = (op: string): op is DivisionOp => /^[iu]32\.(div|rem)$/.test(op);

const WORDS = 2n ** 32n;
/** Upper words of two pairs of products. */
const UPPER = [1, 3, 5, 7];

/**
 * ⌊x ÷ d⌋ = ⌊x · factor ÷ 2^(32 + shift)⌋. `factor` has 32 bits, or 33 if `hasHighest`, which stores the highest bit
 * separately.
 */
interface Reciprocal {
  readonly factor: number;
  readonly shift: number;
  readonly hasHighest: boolean;
}

/**
 * The reciprocal of a divisor that is not a power of two, for numbers up to `most`. With m = ⌈2^k ÷ d⌉, x · m ÷ 2^k
 * exceeds x ÷ d by x · (m · d − 2^k) ÷ (d · 2^k). The error changes the result only if it is 1 ÷ d or more.
 */
function reciprocalOf(divisor: number, most: number): Reciprocal {
  const d = BigInt(divisor);
  const lastShift = 32 - Math.clz32(divisor);
  for (let shift = 0; shift <= lastShift; shift++) {
    const power = WORDS << BigInt(shift);
    const factor = (power + d - 1n) / d;
    if (factor < WORDS && BigInt(most) * (factor * d - power) < power)
      return { factor: Number(factor), shift, hasHighest: false };
  }
  const power = WORDS << BigInt(lastShift);
  return { factor: Number((power + d - 1n) / d - WORDS), shift: lastShift, hasHighest: true };
}

interface Dividend {
  readonly x: V128;
  /** Bits of the divisor; not 0. */
  readonly divisor: number;
  /** The maximum of x as an unsigned number. */
  readonly most: number;
}

/** Leaves x ÷ d or x % d of each lane on the stack. */
export function writeDivision(frame: Frame, op: DivisionOp, { x, divisor, most }: Dividend): void {
  const { writer } = frame;
  const number = writer.kept('v128', x);
  const quotient = op.startsWith('i32')
    ? signedQuotient(frame, number, divisor | 0)
    : unsignedQuotient(frame, number, { divisor: divisor >>> 0, most });
  const result = op.endsWith('div')
    ? quotient
    : i32x4.difference(number, i32x4.product(quotient, frame.splat(divisor)));
  result.write(writer);
  writer.release(quotient);
  writer.release(number);
}

/**
 * Divides magnitudes. The magnitude of the most negative number has the same bits as the number itself, and so does the
 * quotient by −1.
 */
function signedQuotient(frame: Frame, x: Local<'v128'>, divisor: number): Local<'v128'> {
  const { writer } = frame;
  const magnitude = writer.kept('v128', i32x4.magnitude(x));
  const quotient = unsignedQuotient(frame, magnitude, { divisor: Math.abs(divisor), most: 2 ** 31 });
  const sign = i32x4.shiftRightSigned(x, i32.constant(31));
  writer.set(magnitude, divisor < 0 ? v128.not(sign) : sign);
  writer.set(quotient, i32x4.difference(v128.xor(quotient, magnitude), magnitude));
  writer.release(magnitude);
  return quotient;
}

function unsignedQuotient(frame: Frame, x: Local<'v128'>, { divisor, most }: Omit<Dividend, 'x'>): Local<'v128'> {
  const { writer } = frame;
  if (2 ** (31 - Math.clz32(divisor)) === divisor) return writer.kept('v128', shifted(x, 31 - Math.clz32(divisor)));
  const { factor, shift, hasHighest } = reciprocalOf(divisor, most);
  const factors = frame.splat(factor);
  const upper = writer.kept('v128', v128.shuffle(i64x2.productLow(x, factors), i64x2.productHigh(x, factors), UPPER));
  // With the highest bit, the quotient is (upper + x) >> shift with a 33-bit sum.
  const half = i32x4.shiftRight(i32x4.difference(x, upper), i32.constant(1));
  writer.set(upper, hasHighest ? shifted(i32x4.sum(half, upper), shift - 1) : shifted(upper, shift));
  return upper;
}

const shifted = (x: V128, by: number): V128 => (by === 0 ? x : i32x4.shiftRight(x, i32.constant(by)));
