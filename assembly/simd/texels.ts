// Operations on texels and samples: lane masks from bits, splats of one lane, and sums of bytes.

import { splatFrom } from './lanes';

/** A v128 for each of the 16 four-bit masks, with all ones in the lanes whose bit is set. */
const LANES: usize = memory.data<u32>([
  0, 0, 0, 0, 0xffffffff, 0, 0, 0, 0, 0xffffffff, 0, 0, 0xffffffff, 0xffffffff, 0, 0, 0, 0, 0xffffffff, 0, 0xffffffff,
  0, 0xffffffff, 0, 0, 0xffffffff, 0xffffffff, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0, 0, 0, 0, 0xffffffff,
  0xffffffff, 0, 0, 0xffffffff, 0, 0xffffffff, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0, 0xffffffff, 0, 0, 0xffffffff,
  0xffffffff, 0xffffffff, 0, 0xffffffff, 0xffffffff, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
  0xffffffff, 0xffffffff,
]);

/**
 * Gathers four texels into the low bits of the lanes, from `base` plus the four offsets or addresses at `offsets`. C is
 * an unsigned integer type of the texel's size.
 */
// @ts-ignore: decorator
@inline export function gatherTexels<C>(base: usize, offsets: usize): v128 {
  const first = base + load<u32>(offsets);
  let v = sizeof<C>() == 4 ? v128.load32_zero(first) : i32x4.splat(load<C>(first));
  v = v128.load_lane<C>(base + load<u32>(offsets, 4), v, <u8>(4 / sizeof<C>()));
  v = v128.load_lane<C>(base + load<u32>(offsets, 8), v, <u8>(8 / sizeof<C>()));
  return v128.load_lane<C>(base + load<u32>(offsets, 12), v, <u8>(12 / sizeof<C>()));
}

/** All ones in the lanes whose bit is set in `bits` (0…15). */
export function lanesOf(bits: i32): v128 {
  return v128.load(LANES + (bits << 4));
}

/**
 * Orders of bytes for pickBytes, by four-bit masks: the lanes whose bits are set, first to last, and zeros after them;
 * then the same for putting them back into their lanes.
 */
const ORDERS: usize = memory.data<u8>([
  128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0, 1, 2, 3, 128, 128, 128, 128, 128,
  128, 128, 128, 128, 128, 128, 128, 4, 5, 6, 7, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0, 1, 2, 3,
  4, 5, 6, 7, 128, 128, 128, 128, 128, 128, 128, 128, 8, 9, 10, 11, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
  128, 128, 0, 1, 2, 3, 8, 9, 10, 11, 128, 128, 128, 128, 128, 128, 128, 128, 4, 5, 6, 7, 8, 9, 10, 11, 128, 128, 128,
  128, 128, 128, 128, 128, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 128, 128, 128, 128, 12, 13, 14, 15, 128, 128, 128, 128,
  128, 128, 128, 128, 128, 128, 128, 128, 0, 1, 2, 3, 12, 13, 14, 15, 128, 128, 128, 128, 128, 128, 128, 128, 4, 5, 6,
  7, 12, 13, 14, 15, 128, 128, 128, 128, 128, 128, 128, 128, 0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 128, 128, 128, 128,
  8, 9, 10, 11, 12, 13, 14, 15, 128, 128, 128, 128, 128, 128, 128, 128, 0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 128,
  128, 128, 128, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 128, 128, 128, 128, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
  13, 14, 15, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0, 1, 2, 3, 128, 128, 128,
  128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0, 1, 2, 3, 128, 128, 128, 128, 128, 128, 128, 128,
  0, 1, 2, 3, 4, 5, 6, 7, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0, 1, 2, 3,
  128, 128, 128, 128, 0, 1, 2, 3, 128, 128, 128, 128, 4, 5, 6, 7, 128, 128, 128, 128, 128, 128, 128, 128, 0, 1, 2, 3, 4,
  5, 6, 7, 128, 128, 128, 128, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
  128, 128, 128, 128, 128, 128, 0, 1, 2, 3, 0, 1, 2, 3, 128, 128, 128, 128, 128, 128, 128, 128, 4, 5, 6, 7, 128, 128,
  128, 128, 0, 1, 2, 3, 128, 128, 128, 128, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 128, 128, 128, 128, 8, 9, 10, 11, 128,
  128, 128, 128, 128, 128, 128, 128, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 128, 128, 128, 128, 4, 5, 6, 7, 8, 9, 10, 11,
  128, 128, 128, 128, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
]);

/** The lanes of `v` whose bits are set, first to last, then zeros. */
export function packLanes(v: v128, bits: i32): v128 {
  return i8x16.swizzle(v, v128.load(ORDERS + (bits << 4)));
}

/** Puts the first lanes of `v` into the lanes whose bits are set; the others are zero. */
export function unpackLanes(v: v128, bits: i32): v128 {
  return i8x16.swizzle(v, v128.load(ORDERS + 256 + (bits << 4)));
}

/** One bit per byte, twice; then swizzle indices: byte 0 eight times and byte 1 eight times. */
const BYTE_BITS: usize = memory.data<u32>([
  0x08040201, 0x80402010, 0x08040201, 0x80402010, 0, 0, 0x01010101, 0x01010101,
]);

/** All ones in the bytes whose bit is set in `bits` (16 bits). */
export function bytesOf(bits: i32): v128 {
  const each = v128.load(BYTE_BITS);
  return i8x16.eq(v128.and(i8x16.swizzle(i32x4.splat(bits), v128.load(BYTE_BITS, 16)), each), each);
}

/** The low four bits of each lane, packed from lane 0 on. */
export function nibblesOf(v: v128): i32 {
  const low = v128.and(v, i32x4.splat(15));
  const words = i16x8.narrow_i32x4_u(low, low);
  const bytes = i32x4.extract_lane(i8x16.narrow_i16x8_u(words, words), 0);
  return (bytes & 15) | ((bytes >> 4) & 0xf0) | ((bytes >> 8) & 0xf00) | ((bytes >> 12) & 0xf000);
}

/** The bits of a quad's pixels, then of their samples. */
const PIXEL_BITS: usize = memory.data<u32>([1, 2, 4, 8, 15, 0xf0, 0xf00, 0xf000]);

/**
 * All ones in the lanes of pixels that have a bit set in a coverage mask, which is splatted; `perSample` means four
 * bits per pixel.
 */
export function lanesWithin(masks: v128, perSample: bool): v128 {
  return i32x4.gt_s(v128.and(masks, v128.load(PIXEL_BITS + ((<usize>perSample) << 4))), i32x4.splat(0));
}

/** All ones in the lanes of pixels whose four bits are all set in a coverage mask. */
// @ts-ignore: decorator
@inline
export function wholeLanes(mask: i32): v128 {
  const pixels = v128.load(PIXEL_BITS, 16);
  return i32x4.eq(v128.and(i32x4.splat(mask), pixels), pixels);
}

/** All ones in the lanes of pixels that have any of their four bits set. */
// @ts-ignore: decorator
@inline
export function coveredLanes(mask: i32): v128 {
  return i32x4.gt_s(v128.and(i32x4.splat(mask), v128.load(PIXEL_BITS, 16)), i32x4.splat(0));
}

export function sumOfLanes(v: v128): i32 {
  return i32x4.extract_lane(v, 0) + i32x4.extract_lane(v, 1) + i32x4.extract_lane(v, 2) + i32x4.extract_lane(v, 3);
}

/** Stores lanesOf(bits); for both builds. */
export function copyLanes(to: usize, bits: i32): void {
  const from = LANES + (bits << 4);
  if (ASC_FEATURE_SIMD) {
    v128.store(to, v128.load(from));
  } else {
    store<u64>(to, load<u64>(from));
    store<u64>(to, load<u64>(from, 8), 8);
  }
}

export function splat1(v: v128): v128 {
  return v128.shuffle<i32>(v, v, 1, 1, 1, 1);
}

export function splat2(v: v128): v128 {
  return v128.shuffle<i32>(v, v, 2, 2, 2, 2);
}

export function splat3(v: v128): v128 {
  return v128.shuffle<i32>(v, v, 3, 3, 3, 3);
}

/**
 * For each four-bit sample mask, the byte indices of the first sample's texel within a pixel's 16 bytes; for an empty
 * mask, those of sample 0.
 */
const FIRST: usize = memory.data<u32>([
  0x03020100, 0x03020100, 0x07060504, 0x03020100, 0x0b0a0908, 0x03020100, 0x07060504, 0x03020100, 0x0f0e0d0c,
  0x03020100, 0x07060504, 0x03020100, 0x0b0a0908, 0x03020100, 0x07060504, 0x03020100,
]);

/** The texel of the first sample in the low four bits of `mask`, from a pixel's four texels, in all lanes. */
// @ts-ignore: decorator
@inline
export function firstTexel(texels: v128, mask: i32): v128 {
  return i8x16.swizzle(texels, splatFrom(FIRST, mask & 15));
}

/** The signs of the lanes of four vectors, in order: 16 bits. */
export function signBits16(a: v128, b: v128, c: v128, d: v128): i32 {
  return i8x16.bitmask(i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d)));
}

/** All ones in each of eight 16-bit lanes for which the lane of two vectors is negative. */
export function signLanes8(a: v128, b: v128): v128 {
  return i16x8.narrow_i32x4_s(i32x4.shr_s(a, 31), i32x4.shr_s(b, 31));
}

/** One bit for each of sixteen 16-bit lanes that is not 0. */
export function nonzeroBits16(a: v128, b: v128): i32 {
  const none = i32x4.splat(0);
  return i8x16.bitmask(i8x16.narrow_i16x8_s(i16x8.eq(a, none), i16x8.eq(b, none))) ^ 0xffff;
}

/** The first two of the four words of `words`, each repeated four times. */
export function repeatFirst(words: u64): v128 {
  const v = i64x2.splat(words);
  return v128.shuffle<u16>(v, v, 0, 0, 0, 0, 1, 1, 1, 1);
}

/** repeatFirst for the last two words. */
export function repeatLast(words: u64): v128 {
  const v = i64x2.splat(words);
  return v128.shuffle<u16>(v, v, 2, 2, 2, 2, 3, 3, 3, 3);
}

/** One bit for each vector that is not 0; saturation preserves being nonzero. */
export function nonzeroOfFour(a: v128, b: v128, c: v128, d: v128): i32 {
  const bytes = i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d));
  return i32x4.bitmask(i32x4.eq(bytes, i32x4.splat(0))) ^ 15;
}

/** Whether all dwords of `layers` (1, 2 or 4) vectors, `stride` bytes apart, are different. */
export function areDistinct(at: usize, stride: usize, layers: i32): bool {
  const a = v128.load(at);
  let equal = equalWithin(a);
  if (layers > 1) {
    const b = v128.load(at + stride);
    equal = v128.or(equal, v128.or(equalWithin(b), equalAcross(a, b)));
    if (layers > 2) {
      const c = v128.load(at + 2 * stride);
      const d = v128.load(at + 3 * stride);
      equal = v128.or(equal, v128.or(v128.or(equalWithin(c), equalWithin(d)), equalAcross(c, d)));
      equal = v128.or(equal, v128.or(equalAcross(a, c), equalAcross(a, d)));
      equal = v128.or(equal, v128.or(equalAcross(b, c), equalAcross(b, d)));
    }
  }
  return !v128.any_true(equal);
}

/** The number of different values that the samples of the pixel at `at` hold; `stride` as for areDistinct. */
export function distinctOf(at: usize, stride: usize, layers: i32): i32 {
  let repeated = 0;
  for (let layer = 0; layer < layers; layer++) {
    const texels = v128.load(at + layer * stride);
    let equal = equalBefore(texels);
    for (let other = 0; other < layer; other++)
      equal = v128.or(equal, equalAcross(texels, v128.load(at + other * stride)));
    repeated += popcnt(i32x4.bitmask(equal));
  }
  return (layers << 2) - repeated;
}

/** The lanes that equal one before them. */
function equalBefore(a: v128): v128 {
  return v128.or(
    v128.and(i32x4.eq(a, v128.shuffle<u32>(a, a, 3, 0, 1, 2)), lanesOf(14)),
    v128.or(
      v128.and(i32x4.eq(a, v128.shuffle<u32>(a, a, 2, 3, 0, 1)), lanesOf(12)),
      v128.and(i32x4.eq(a, v128.shuffle<u32>(a, a, 1, 2, 3, 0)), lanesOf(8))
    )
  );
}

function equalWithin(a: v128): v128 {
  return v128.or(i32x4.eq(a, v128.shuffle<u32>(a, a, 1, 2, 3, 0)), i32x4.eq(a, v128.shuffle<u32>(a, a, 2, 3, 0, 1)));
}

function equalAcross(a: v128, b: v128): v128 {
  return v128.or(
    v128.or(i32x4.eq(a, b), i32x4.eq(a, v128.shuffle<u32>(b, b, 1, 2, 3, 0))),
    v128.or(i32x4.eq(a, v128.shuffle<u32>(b, b, 2, 3, 0, 1)), i32x4.eq(a, v128.shuffle<u32>(b, b, 3, 0, 1, 2)))
  );
}

/** Sums of samples 0 and 2, and of 1 and 3, of a pixel with 4-byte samples, as eight u16. */
export function sumsOfSamples(texels: v128): v128 {
  return i16x8.add(i16x8.extend_low_i8x16_u(texels), i16x8.extend_high_i8x16_u(texels));
}

/**
 * Means of two pixels' samples from their sums, rounded to nearest, as eight u16. `shift` is log2 of the sample count.
 */
function meansOfTwo(a: v128, b: v128, shift: i32): v128 {
  const sums = i16x8.add(v128.shuffle<i64>(a, b, 0, 2), v128.shuffle<i64>(a, b, 1, 3));
  return i16x8.shr_u(i16x8.add(sums, i16x8.splat(<i16>((<i32>1) << (shift - 1)))), shift);
}

/**
 * Four 4-byte texels, each the mean of a pixel's samples, rounded to nearest. The inputs are sumsOfSamples() over the
 * pixel's 1, 2 or 4 layers.
 */
export function meansOfSums(p0: v128, p1: v128, p2: v128, p3: v128, layers: i32): v128 {
  const shift = 2 + (layers >> 1);
  return i8x16.narrow_i16x8_u(meansOfTwo(p0, p1, shift), meansOfTwo(p2, p3, shift));
}

/**
 * Four 4-byte texels, each the mean of `samples` samples (a power of two), rounded to nearest. Samples in the pixel's
 * mask (u16, in the low half of `masks`) hold `second`, the others hold `first`.
 */
export function meansOfCounts(first: v128, second: v128, masks: v128, samples: i32): v128 {
  const counts = i16x8.extadd_pairwise_i8x16_u(i8x16.popcnt(masks));
  const low = v128.shuffle<u16>(counts, counts, 0, 0, 0, 0, 1, 1, 1, 1);
  const high = v128.shuffle<u16>(counts, counts, 2, 2, 2, 2, 3, 3, 3, 3);
  return i8x16.narrow_i16x8_u(
    weighedMeans(i16x8.extend_low_i8x16_u(first), i16x8.extend_low_i8x16_u(second), low, samples),
    weighedMeans(i16x8.extend_high_i8x16_u(first), i16x8.extend_high_i8x16_u(second), high, samples)
  );
}

// Tried: shifting the first by log2(samples) and multiplying only the difference (10 % longer).
function weighedMeans(first: v128, second: v128, counts: v128, samples: i32): v128 {
  const others = i16x8.sub(i16x8.splat(<i16>samples), counts);
  const sums = i16x8.add(i16x8.mul(first, others), i16x8.mul(second, counts));
  return i16x8.shr_u(i16x8.add(sums, i16x8.splat(<i16>(samples >> 1))), <i32>ctz(samples));
}

/** The number of bits in each of four u16. */
export function countsOfWords(words: u64): i64 {
  const pairs = words - ((words >> 1) & 0x5555555555555555);
  const nibbles = (pairs & 0x3333333333333333) + ((pairs >> 2) & 0x3333333333333333);
  const bytes = (nibbles + (nibbles >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return (bytes + (bytes >> 8)) & 0x001f001f001f001f;
}

/** Orders of bytes for wordsOfLow, by four-bit masks, then for wordsOfHigh. */
const WORD_ORDERS: usize = memory.data<u8>([
  128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0, 1, 0, 1, 0, 1, 0, 1, 128, 128, 128,
  128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 2, 3,
  2, 3, 2, 3, 2, 3, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0, 1, 0, 1, 0, 1, 0,
  1, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
  0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0,
  1, 0, 1, 0, 1, 0, 1, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0, 1, 0, 1, 0, 1,
  0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
  128, 128, 128, 0, 1, 0, 1, 0, 1, 0, 1, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
  0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3, 128, 128, 128, 128, 128, 128, 128, 128, 128,
  128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
  128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
  128, 128, 128, 128, 128, 128, 128, 128, 128, 0, 1, 0, 1, 0, 1, 0, 1, 128, 128, 128, 128, 128, 128, 128, 128, 2, 3, 2,
  3, 2, 3, 2, 3, 128, 128, 128, 128, 128, 128, 128, 128, 2, 3, 2, 3, 2, 3, 2, 3, 128, 128, 128, 128, 128, 128, 128, 128,
  4, 5, 4, 5, 4, 5, 4, 5, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0, 1, 0, 1, 0,
  1, 0, 1, 128, 128, 128, 128, 128, 128, 128, 128, 2, 3, 2, 3, 2, 3, 2, 3, 128, 128, 128, 128, 128, 128, 128, 128, 2, 3,
  2, 3, 2, 3, 2, 3, 128, 128, 128, 128, 128, 128, 128, 128, 4, 5, 4, 5, 4, 5, 4, 5, 0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3,
  2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 4, 5, 4, 5, 4, 5, 4, 5, 2, 3, 2, 3, 2, 3, 2, 3, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4,
  5, 4, 5, 4, 5, 6, 7, 6, 7, 6, 7, 6, 7,
]);

/**
 * The words of pixels 0 and 1, each four times. The words of the pixels whose bits are set lie at the beginning of
 * `words`; those of other pixels are zero.
 */
export function wordsOfLow(words: v128, bits: i32): v128 {
  return i8x16.swizzle(words, v128.load(WORD_ORDERS + (bits << 4)));
}

/** As wordsOfLow, for pixels 2 and 3. */
export function wordsOfHigh(words: v128, bits: i32): v128 {
  return i8x16.swizzle(words, v128.load(WORD_ORDERS + 256 + (bits << 4)));
}

/**
 * Means of four 4-byte texels, rounded to nearest. `low` and `high`: sums of the further values of two pixels each,
 * weighed by the numbers of samples that hold them (the last two vectors). All other samples hold `first`.
 */
export function meansOfWeighed(first: v128, low: v128, high: v128, ofLow: v128, ofHigh: v128, samples: i32): v128 {
  const all = i16x8.splat(<i16>samples);
  const half = i16x8.splat(<i16>(samples >> 1));
  const shift = <i32>ctz(samples);
  const lower = i16x8.add(low, i16x8.mul(i16x8.extend_low_i8x16_u(first), i16x8.sub(all, ofLow)));
  const upper = i16x8.add(high, i16x8.mul(i16x8.extend_high_i8x16_u(first), i16x8.sub(all, ofHigh)));
  return i8x16.narrow_i16x8_u(i16x8.shr_u(i16x8.add(lower, half), shift), i16x8.shr_u(i16x8.add(upper, half), shift));
}

// Fixed-point blending of bytes. A pixel's TERMS are a v128: for each byte of its texel a weight W and a summand S, as
// i16. The blended byte is (d·W + 256·S) >> 14, saturated. W has 14 fraction bits. S is in units of 1/64 of a byte step
// and includes the half step that rounds.

/** 256 in each 16-bit lane. */
const UNIT: usize = memory.data<u32>([0x01000100]);

/** Multiplies each byte d of four texels, paired with 256, by the texel's terms and adds the products. */
function weigh(low: v128, high: v128, t0: v128, t1: v128, t2: v128, t3: v128): v128 {
  const unit = v128.load32_splat(UNIT);
  return i8x16.narrow_i16x8_u(
    i16x8.narrow_i32x4_s(
      i32x4.shr_s(i32x4.dot_i16x8_s(v128.shuffle<u16>(low, unit, 0, 8, 1, 9, 2, 10, 3, 11), t0), 14),
      i32x4.shr_s(i32x4.dot_i16x8_s(v128.shuffle<u16>(low, unit, 4, 12, 5, 13, 6, 14, 7, 15), t1), 14)
    ),
    i16x8.narrow_i32x4_s(
      i32x4.shr_s(i32x4.dot_i16x8_s(v128.shuffle<u16>(high, unit, 0, 8, 1, 9, 2, 10, 3, 11), t2), 14),
      i32x4.shr_s(i32x4.dot_i16x8_s(v128.shuffle<u16>(high, unit, 4, 12, 5, 13, 6, 14, 7, 15), t3), 14)
    )
  );
}

/** Blends four 4-byte texels, each with its own terms. */
export function blendBytes(texels: v128, t0: v128, t1: v128, t2: v128, t3: v128): v128 {
  return weigh(i16x8.extend_low_i8x16_u(texels), i16x8.extend_high_i8x16_u(texels), t0, t1, t2, t3);
}

// Blends without subtraction, so that nothing is negative, in 16-bit lanes of the even or the odd bytes. With W =
// 64·C + F and whole numbers, (d·W + 256·S) >> 14 = (d·C + (d·F >> 6) + 4·S) >> 8, where the last addition saturates.

/** 0x00ff in each 16-bit lane; 0x003f in each 16-bit lane; 0xffff in each dword. */
const HALVES: usize = memory.data<u32>([0x00ff00ff, 0x003f003f, 0x0000ffff]);

/** 4·S for two bytes of each texel, in the halves of its dword, from floats 2 + S·2^-22. */
export function summands(low: v128, high: v128): v128 {
  return v128.or(i32x4.shl(low, 2), i32x4.shl(high, 18));
}

/** The lower half of each dword, duplicated in both halves. */
export function twoWords(x: v128): v128 {
  return wordPairs(x, x);
}

/** The lower halves of each dword of `low` and of `high`. */
export function wordPairs(low: v128, high: v128): v128 {
  return v128.or(v128.and(low, splatFrom(HALVES, 2)), i32x4.shl(high, 16));
}

/** C of the weights. */
export function coarseWeights(weights: v128): v128 {
  return i16x8.shr_u(weights, 6);
}

/** F of the weights. */
export function fineWeights(weights: v128): v128 {
  return v128.and(weights, splatFrom(HALVES, 1));
}

function weighHalves(bytes: v128, coarse: v128, fine: v128, summand: v128): v128 {
  return i16x8.add_sat_u(i16x8.add(i16x8.mul(bytes, coarse), i16x8.shr_u(i16x8.mul(bytes, fine), 6)), summand);
}

/** The mask of even bytes for blendOverBytes, to be loaded once. */
export function evenBytes(): v128 {
  return splatFrom(HALVES, 0);
}

/** Blends four 4-byte texels, each with its own weights and summands; `low` is evenBytes(). */
export function blendOverBytes(low: v128, texels: v128, coarse: v128, fine: v128, even: v128, odd: v128): v128 {
  return v128.or(
    i16x8.shr_u(weighHalves(v128.and(texels, low), coarse, fine, even), 8),
    v128.andnot(weighHalves(i16x8.shr_u(texels, 8), coarse, fine, odd), low)
  );
}

/** Blends four 4-byte texels, given the weights of their even and of their odd bytes and the summands of both. */
export function blendHalves(texels: v128, evenWeights: v128, oddWeights: v128, even: v128, odd: v128): v128 {
  const low = evenBytes();
  const evens = weighHalves(v128.and(texels, low), coarseWeights(evenWeights), fineWeights(evenWeights), even);
  const odds = weighHalves(i16x8.shr_u(texels, 8), coarseWeights(oddWeights), fineWeights(oddWeights), odd);
  return v128.or(i16x8.shr_u(evens, 8), v128.andnot(odds, low));
}
