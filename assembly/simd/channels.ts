// Idioms over the channels of a texel, one v128 for the four of them, and over texel positions.

/** Byte i of a, byte i of b, for the low eight bytes. */
// @ts-ignore: decorator
@inline export function interleaveBytes(a: v128, b: v128): v128 {
  return v128.shuffle<u8>(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

/** The low four bytes as four f32. */
// @ts-ignore: decorator
@inline export function floatsOfBytes(v: v128): v128 { return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v))); }

/** Four half floats in the low eight bytes as four f32, exactly; denormals, infinities and NaN included. */
// @ts-ignore: decorator
@inline export function floatsOfHalves(v: v128): v128 {
  const h = i32x4.extend_low_i16x8_u(v);
  const magnitude = i32x4.shl(v128.and(h, i32x4.splat(0x7fff)), 13);
  const sign = i32x4.shl(v128.and(h, i32x4.splat(0x8000)), 16);
  // 2^112 moves the exponent's bias from 15 to 127; it also normalises denormals.
  const scaled = f32x4.mul(magnitude, f32x4.splat(5192296858534827628530496329220096.0));
  const special = v128.and(i32x4.ge_s(magnitude, i32x4.splat(0x0f800000)), i32x4.splat(0x7f800000));
  return v128.or(v128.or(scaled, special), sign);
}

/** Integers of |x| < 2^22 from floats that are whole: two instructions where a saturating conversion takes five. */
// @ts-ignore: decorator
@inline export function intsOfWhole(x: v128): v128 { return i32x4.sub(f32x4.add(x, f32x4.splat(12582912.0)), i32x4.splat(0x4b400000)); }
