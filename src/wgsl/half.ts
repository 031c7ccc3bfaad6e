// Half floats (IEEE 754 binary16), the representation of f16, and rounding to the float types. Values are JavaScript
// numbers.

import { floatBits } from '../base/bits';
import type { Scalar } from './types';

/**
 * The bits of the half nearest to a number; ties round to even. Numbers out of range become infinity, NaN becomes 7e00.
 */
export function halfBits(value: number): number {
  const bits = floatBits(value);
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (magnitude >= 65520) return sign | 0x7c00;
  // Below 2^-14, halves are multiples of 2^-24. Above, the step is 2^(exponent - 10).
  const exponent = Math.max(-14, ((bits >>> 23) & 0xff) - 127);
  const steps = roundToEven(magnitude / 2 ** (exponent - 10));
  // The hidden bit of a normal number is step 1024. Adding it to the exponent field produces the correct carry.
  return sign | (steps + ((exponent + 14) << 10));
}

function roundToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}

/** The value of a half. */
export function halfValue(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** The nearest value of a float type, rounded once. Abstract floats are doubles. */
export function rounded(scalar: Scalar, value: number): number {
  if (scalar === 'f32') return Math.fround(value);
  return scalar === 'f16' ? halfValue(halfBits(value)) : value;
}
