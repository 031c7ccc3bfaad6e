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

/** Mean of the four texels of four bytes each, rounded to nearest, in the low four bytes. */
// @ts-ignore: decorator
@inline export function meanOfFour(texels: v128): v128 {
  const pairs = i16x8.add(i16x8.extend_low_i8x16_u(texels), i16x8.extend_high_i8x16_u(texels));
  const sums = i16x8.add(pairs, v128.shuffle<i32>(pairs, pairs, 2, 3, 2, 3));
  const means = i16x8.shr_u(i16x8.add(sums, i16x8.splat(2)), 2);
  return i8x16.narrow_i16x8_u(means, means);
}
