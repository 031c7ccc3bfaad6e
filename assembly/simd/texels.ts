// Idioms over texels and samples: lane masks from bits, one lane in all lanes, sums of bytes.

/** v128 for each of 16 four-bit masks: all ones in the lanes whose bit is set. */
const LANES: usize = memory.data<u32>([
  0, 0, 0, 0, 0xffffffff, 0, 0, 0, 0, 0xffffffff, 0, 0, 0xffffffff, 0xffffffff, 0, 0,
  0, 0, 0xffffffff, 0, 0xffffffff, 0, 0xffffffff, 0, 0, 0xffffffff, 0xffffffff, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0,
  0, 0, 0, 0xffffffff, 0xffffffff, 0, 0, 0xffffffff, 0, 0xffffffff, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0, 0xffffffff,
  0, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0, 0xffffffff, 0xffffffff, 0, 0xffffffff, 0xffffffff, 0xffffffff,
  0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff]);

/** Lanes whose bit is set in `bits` (0 … 15). */
// @ts-ignore: decorator
@inline export function lanesOf(bits: i32): v128 { return v128.load(LANES + (<usize>bits << 4)); }

/** Stores lanesOf(bits), in both builds. */
// @ts-ignore: decorator
@inline export function copyLanes(to: usize, bits: i32): void {
  const from = LANES + (<usize>bits << 4);
  if (ASC_FEATURE_SIMD) {
    v128.store(to, v128.load(from));
  } else {
    store<u64>(to, load<u64>(from));
    store<u64>(to, load<u64>(from, 8), 8);
  }
}

// @ts-ignore: decorator
@inline export function splat1(v: v128): v128 { return v128.shuffle<i32>(v, v, 1, 1, 1, 1); }

// @ts-ignore: decorator
@inline export function splat2(v: v128): v128 { return v128.shuffle<i32>(v, v, 2, 2, 2, 2); }

// @ts-ignore: decorator
@inline export function splat3(v: v128): v128 { return v128.shuffle<i32>(v, v, 3, 3, 3, 3); }

/** One bit a lane, in order, of the signs of four vectors: 16 bits. */
// @ts-ignore: decorator
@inline export function signBits16(a: v128, b: v128, c: v128, d: v128): i32 {
  return i8x16.bitmask(i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d)));
}

/** Lanes 0 of four vectors. */
// @ts-ignore: decorator
@inline export function firsts(a: v128, b: v128, c: v128, d: v128): v128 {
  return v128.shuffle<i32>(v128.shuffle<i32>(a, b, 0, 4, 0, 4), v128.shuffle<i32>(c, d, 0, 4, 0, 4), 0, 1, 4, 5);
}

/** Sums of the samples 0, 2 and 1, 3 of a pixel of four bytes a sample, as eight u16. */
// @ts-ignore: decorator
@inline function halfSums(texels: v128): v128 {
  return i16x8.add(i16x8.extend_low_i8x16_u(texels), i16x8.extend_high_i8x16_u(texels));
}

/** Means of two pixels' samples from their half sums, rounded to nearest, as eight u16. */
// @ts-ignore: decorator
@inline function meansOfTwo(a: v128, b: v128): v128 {
  const sums = i16x8.add(v128.shuffle<i64>(a, b, 0, 2), v128.shuffle<i64>(a, b, 1, 3));
  return i16x8.shr_u(i16x8.add(sums, i16x8.splat(2)), 2);
}

/** Four texels of four bytes, each the mean of a pixel's four samples, rounded to nearest. */
// @ts-ignore: decorator
@inline
export function meansOfQuad(p0: v128, p1: v128, p2: v128, p3: v128): v128 {
  return i8x16.narrow_i16x8_u(meansOfTwo(halfSums(p0), halfSums(p1)), meansOfTwo(halfSums(p2), halfSums(p3)));
}

// Fixed-point blending of bytes. A pixel's TERMS are a v128: for each byte of its texel a weight W, then a summand S, as i16.
// The blended byte is (d·W + 256·S) >> 14, saturated: W has 14 bits of fraction, S is in units of 1/64 of a byte and holds the half that rounds.

/** 256 in each 16-bit lane. */
const UNIT: usize = memory.data<u32>([0x01000100]);

/** The dwords of four texels' bytes d, each with 256 above, times the terms of each texel, summed. */
// @ts-ignore: decorator
@inline function weigh(low: v128, high: v128, t0: v128, t1: v128, t2: v128, t3: v128): v128 {
  const unit = v128.load32_splat(UNIT);
  return i8x16.narrow_i16x8_u(
    i16x8.narrow_i32x4_s(
      i32x4.shr_s(i32x4.dot_i16x8_s(v128.shuffle<u16>(low, unit, 0, 8, 1, 9, 2, 10, 3, 11), t0), 14),
      i32x4.shr_s(i32x4.dot_i16x8_s(v128.shuffle<u16>(low, unit, 4, 12, 5, 13, 6, 14, 7, 15), t1), 14)),
    i16x8.narrow_i32x4_s(
      i32x4.shr_s(i32x4.dot_i16x8_s(v128.shuffle<u16>(high, unit, 0, 8, 1, 9, 2, 10, 3, 11), t2), 14),
      i32x4.shr_s(i32x4.dot_i16x8_s(v128.shuffle<u16>(high, unit, 4, 12, 5, 13, 6, 14, 7, 15), t3), 14)));
}

/** Four texels of four bytes, each blended with terms of its own. */
// @ts-ignore: decorator
@inline export function blendBytes(texels: v128, t0: v128, t1: v128, t2: v128, t3: v128): v128 {
  return weigh(i16x8.extend_low_i8x16_u(texels), i16x8.extend_high_i8x16_u(texels), t0, t1, t2, t3);
}
