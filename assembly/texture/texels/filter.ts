// Filters the texels of one footprint, with the channels in one v128. Twin of filter.scalar.ts; see classes.ts for the
// arithmetic. The class of format is a type argument, so that each class gets its own code: u32, u16 and u8 are the
// byte classes by size, f32 is sRGB, f64 is half floats.
import { floatsOfBytes, floatsOfHalves, interleaveBytes } from '../../simd/channels';
import { madd, splatFrom } from '../../simd/lanes';
import { SRGB_TABLE } from '../../surface/srgb';
import { UNORM8_SCALE, WEIGHT_ONE } from './classes';
import { BITS, BYTE_WEIGHT, NUMBERS, ROUND, WEIGHT } from './constants';

export function lerp(a: v128, b: v128, t: v128): v128 {
  return madd(f32x4.sub(b, a), t, a);
}

/** log2 of the bytes per texel, for the class that the type represents. */
export function texelShift<T>(): i32 {
  return !isInteger<T>() && sizeof<T>() == 8 ? 3 : sizeof<T>() >> 1;
}

function loadBytes<T>(address: usize): v128 {
  if (sizeof<T>() == 4) return v128.load32_zero(address);
  if (sizeof<T>() == 2) return v128.load16_splat(address);
  return v128.load8_splat(address);
}

// srgbToLinear of three bytes, each loaded from the table into its lane.
function decodeSrgb(address: usize): v128 {
  const texel = load<u32>(address);
  let v = v128.load32_zero(SRGB_TABLE + ((texel & 255) << 2));
  v = v128.load32_lane(SRGB_TABLE + ((texel >> 6) & 0x3fc), v, 1);
  v = v128.load32_lane(SRGB_TABLE + ((texel >> 14) & 0x3fc), v, 2);
  return f32x4.replace_lane(v, 3, <f32>(texel >> 24) * UNORM8_SCALE);
}

/**
 * Decodes one texel. Bytes become whole numbers scaled by 2^14, like the result of filtering four texels, so that both
 * take the same final scale.
 */
export function decodeTexel<T>(address: usize): v128 {
  if (isInteger<T>()) return f32x4.mul(floatsOfBytes(loadBytes<T>(address)), f32x4.splat(<f32>WEIGHT_ONE));
  if (sizeof<T>() == 4) return decodeSrgb(address);
  return floatsOfHalves(v128.load64_zero(address));
}

/** The i16 pairs (2^14 − wx, wx) of four pixels, from the fractions in x. */
export function byteWeights(fx: v128): v128 {
  // Adding 2^23 rounds to a whole number and leaves it in the low bits.
  const round = splatFrom(BITS, ROUND);
  const wx = i32x4.sub(madd(fx, splatFrom(NUMBERS, BYTE_WEIGHT), round), round);
  return v128.or(i32x4.sub(splatFrom(BITS, WEIGHT), wx), i32x4.shl(wx, 16));
}

function byteRow<T>(a0: usize, a1: usize, weights: v128): v128 {
  const pairs = i16x8.extend_low_i8x16_u(interleaveBytes(loadBytes<T>(a0), loadBytes<T>(a1)));
  return f32x4.convert_i32x4_s(i32x4.dot_i16x8_s(pairs, weights));
}

/**
 * Filters four texels. `across` is the weight pair of byteWeights for byte classes, else the fraction in x; it and `fy`
 * are splatted.
 */
// @ts-ignore: decorator
@inline export function bilinear<T>(a00: usize, a10: usize, a01: usize, a11: usize, across: v128, fy: v128): v128 {
  if (isInteger<T>()) return lerp(byteRow<T>(a00, a10, across), byteRow<T>(a01, a11, across), fy);
  const top = lerp(decodeTexel<T>(a00), decodeTexel<T>(a10), across);
  return lerp(top, lerp(decodeTexel<T>(a01), decodeTexel<T>(a11), across), fy);
}
