// Conversions of small floats: 16-bit half floats, and the unsigned 11-bit and 10-bit floats of rg11b10ufloat. They use
// integer arithmetic except where a product is exact.

/** The value of a half float. NaN is canonical. */
export function halfToFloat(bits: u32): f32 {
  const sign = (bits & 0x8000) << 16;
  const exponent = (bits >> 10) & 31;
  const mantissa = bits & 0x3ff;
  if (exponent == 31) return mantissa ? reinterpret<f32>(0x7fc00000) : reinterpret<f32>(sign | 0x7f800000);
  if (exponent != 0) return reinterpret<f32>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  // Denormal: mantissa · 2^-24 is exact in f32.
  const value = <f32>mantissa * reinterpret<f32>(0x33800000);
  return reinterpret<f32>(sign | reinterpret<u32>(value));
}

/** Rounds to the nearest half float, ties to even. Values that are too large become infinity; NaN becomes 0x7e00. */
export function floatToHalf(value: f32): u32 {
  const bits = reinterpret<u32>(value);
  if (value != value) return 0x7e00;
  return ((bits >> 16) & 0x8000) | roundMagnitude(bits & 0x7fffffff, 10);
}

/**
 * Rounds to the nearest unsigned float with a 5-bit exponent and `mantissaBits` of mantissa. Negative values become 0;
 * NaN becomes the quiet NaN.
 */
export function floatToSmall(value: f32, mantissaBits: u32): u32 {
  if (value != value) return (31 << mantissaBits) | (1 << (mantissaBits - 1));
  if (value <= 0) return 0;
  return roundMagnitude(reinterpret<u32>(value), mantissaBits);
}

/** The value of an unsigned float with a 5-bit exponent and `mantissaBits` of mantissa. */
export function smallToFloat(bits: u32, mantissaBits: u32): f32 {
  return halfToFloat((bits << (10 - mantissaBits)) & 0x7fff);
}

/** Rounds the bits of a non-negative f32 to a 5-bit exponent and `mantissaBits` of mantissa, ties to even. */
function roundMagnitude(bits: u32, mantissaBits: u32): u32 {
  const infinity: u32 = 31 << mantissaBits;
  let shift: u32 = 23 - mantissaBits;
  const exponent = <i32>(bits >> 23);
  if (exponent >= 143) return infinity;
  let mantissa = bits;
  if (exponent < 113) {
    // Denormal in the small format: shift the whole significand into place.
    const extra: u32 = 113 - exponent;
    if (extra > 24) return 0;
    mantissa = (bits & 0x7fffff) | 0x800000;
    shift += extra;
    if (shift > 31) return 0;
  } else {
    mantissa = bits - (112 << 23);
  }
  const half: u32 = 1 << (shift - 1);
  const rest = mantissa & ((1 << shift) - 1);
  let result = mantissa >> shift;
  if (rest > half || (rest == half && result & 1)) result++;
  return result < infinity ? result : infinity;
}
