// Exponents, fractions and half floats of single values: the steps of float.ts. Half floats and bits are u32.
import { NUMBERS, SMALLEST_NORMAL } from './constants';
import { coefficient } from './scalar';

/** 1, −1, or 0 for zeros and NaN. */
export function signScalar(x: f32): f32 {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

/** x − floor x. */
export function fractScalar(x: f32): f32 {
  return x - floor(x);
}

/** x − y·trunc(x ÷ y), each step rounded. */
export function remScalar(x: f32, y: f32): f32 {
  return x - y * trunc(x / y);
}

/** x·2^e, rounded once. */
export function ldexpScalar(x: f32, e: i32): f32 {
  // ±300 reaches from the smallest denormal past infinity, and back to zero.
  const n = max(min(e, 300), -300);
  return <f32>(<f64>x * reinterpret<f64>((<i64>(n + 1023)) << 52));
}

function hasExponent(x: f32): bool {
  return abs(x) < Infinity && x != 0;
}

function isTiny(x: f32): bool {
  return abs(x) < coefficient(NUMBERS, SMALLEST_NORMAL);
}

/** The fraction of x = fraction · 2^exponent. */
export function frexpFractionScalar(x: f32): f32 {
  const scaled = reinterpret<u32>(isTiny(x) ? x * 16777216 : x);
  return hasExponent(x) ? reinterpret<f32>((scaled & 0x807fffff) | 0x3f000000) : x;
}

/** The exponent that belongs to frexpFractionScalar. */
export function frexpExponentScalar(x: f32): i32 {
  const tiny = isTiny(x);
  const scaled = reinterpret<u32>(tiny ? x * 16777216 : x);
  const e = ((scaled >> 23) & 255) - 126 - (tiny ? 24 : 0);
  return hasExponent(x) ? e : 0;
}

/** The nearest half float, in the low 16 bits. */
export function packHalfScalar(x: f32): u32 {
  if (x != x) return 0x7e00;
  const magnitude = reinterpret<u32>(x) & 0x7fffffff;
  const signBit = (reinterpret<u32>(x) >> 16) & 0x8000;
  if (magnitude >= 0x47800000) return signBit | 0x7c00;
  // Below 2^-14, adding ½ leaves the denormal half float, rounded by the addition, in the low bits.
  if (magnitude < 0x38800000) return signBit | (reinterpret<u32>(reinterpret<f32>(magnitude) + 0.5) - 0x3f000000);
  const odd = (magnitude >> 13) & 1;
  return signBit | ((magnitude + 0xc8000fff + odd) >> 13);
}

/** The value of the half float in the low 16 bits. */
export function unpackHalfScalar(h: u32): f32 {
  const bits = (h & 0x7fff) << 13;
  let value = bits + 0x38000000;
  if (bits >= 0x0f800000) value = bits > 0x0f800000 ? 0x7fc00000 : 0x7f800000;
  else if (bits < 0x00800000)
    value = reinterpret<u32>(reinterpret<f32>(bits + 0x38800000) - reinterpret<f32>(0x38800000));
  return reinterpret<f32>(value | ((h & 0x8000) << 16));
}

/** x rounded to the nearest half float. */
export function quantizeHalfScalar(x: f32): f32 {
  const sign = reinterpret<u32>(x) & 0x80000000;
  let magnitude = reinterpret<f32>(reinterpret<u32>(x) ^ sign);
  if (magnitude > 65536) magnitude = 65536;
  const power = max<u32>(reinterpret<u32>(magnitude) & 0x7f800000, 113 << 23);
  const step = reinterpret<f32>(power + (13 << 23));
  const rounded = magnitude + step - step;
  const bits = reinterpret<u32>(rounded) | (rounded >= 65536 ? 0x7f800000 : 0);
  return reinterpret<f32>(bits | sign);
}
