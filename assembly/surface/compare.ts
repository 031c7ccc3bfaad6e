// Analyses what the samples of a block hold: which pixels have a single value, and how many additional values the
// others have. One comparison covers 16 bytes: sixteen samples of one byte, eight of two, four of four, two of eight or
// one of sixteen. Scalar twin: compare.scalar.ts.

import { BLOCK_PIXELS, bytesOfLayer, LAYER_WORDS } from '../layout';
import { areDistinct, distinctOf, nonzeroOfFour } from '../simd/texels';
import { mixedWordsScalar, sampleAt, samplesWithScalar, TOO_MANY } from './compare.scalar';
import { sameTexel } from './texel-same';

/** The distance of the four pixels of a block that looksFull() examines: two corners and two pixels near the centre. */
const SAMPLED_STEP = 21;

/**
 * The analysis gives up early if this many leading pixels hold a different value in every sample and the block would
 * exceed the limit if the others did too. Sloped depth is like that everywhere: analysing it took half of the time of
 * storing a tile of eight samples.
 */
export const EARLY_EXIT_PIXELS = 4;

/**
 * The additional values of the first EARLY_EXIT_PIXELS pixels if the early exit applies; else −1, which no count
 * equals.
 */
export function earlyExitCount(all: i32, perSample: u64, limit: i32): i32 {
  const most = popcnt<i32>(all) - 1;
  return <i32>popcnt<u64>(perSample) * most > limit ? EARLY_EXIT_PIXELS * most : -1;
}

/**
 * Whether a block whose pixels all lie in the sample plane is to be stored as SURFACE_FULL without an analysis: each of
 * its sampled pixels holds more values than all pixels may have on average. `limit`: the most further values of the
 * block; `at`: the block's samples. Blending blocks of three values at four samples took 1.3 times as long as without
 * encoding, mostly for analyses that found them full again.
 */
export function looksFull(bytes: i32, at: usize, layers: i32, all: i32, limit: i32): bool {
  const stride = bytesOfLayer(bytes);
  const average = limit / BLOCK_PIXELS;
  for (let pixel = 0; pixel < BLOCK_PIXELS; pixel += SAMPLED_STEP) {
    const texels = at + (pixel << 2) * bytes;
    if (ASC_FEATURE_SIMD) {
      if (bytes == 4) {
        if (distinctOf(texels, stride, layers) <= average + 1) return false;
        continue;
      }
    }
    let left = all & ~samplesWith(bytes, texels, stride, layers, texels);
    for (let further = 0; further < average; further++) {
      if (!left) return false;
      left &= ~samplesWith(bytes, texels, stride, layers, sampleAt(bytes, texels, stride, ctz(left)));
    }
    if (!left) return false;
  }
  return true;
}

/**
 * Mask of the samples that hold the bits of the texel at `texel`. `at` is the address of the pixel's texels in layer 0;
 * the `layers` layers lie `stride` bytes apart. With two samples, the bits repeat.
 */
// @ts-ignore: decorator
@inline
export function samplesWith(bytes: i32, at: usize, stride: usize, layers: i32, texel: usize): i32 {
  if (ASC_FEATURE_SIMD)
    return bytes == 4 ? equalSimd(4, at, stride, layers, texel) : samplesWithSimd(bytes, at, stride, layers, texel);
  return samplesWithScalar(bytes, at, stride, layers, texel);
}

export function samplesWithSimd(bytes: i32, at: usize, stride: usize, layers: i32, texel: usize): i32 {
  switch (bytes) {
    case 1:
      return equalSimd(1, at, stride, layers, texel);
    case 2:
      return equalSimd(2, at, stride, layers, texel);
    case 4:
      return equalSimd(4, at, stride, layers, texel);
    case 8:
      return equalSimd(8, at, stride, layers, texel);
    default:
      return equalSimd(16, at, stride, layers, texel);
  }
}

/**
 * Counts the pixels of a block with four-byte texels that hold more than one value, and stores their mask (u64) at
 * `found`. Returns TOO_MANY if they are more than `limit`. This is for depth: a pixel with two depths mostly has a
 * different one in every sample, and counting the values exactly costs ten times as much.
 */
export function mixedWords(at: usize, layers: i32, limit: i32, found: usize): i32 {
  if (ASC_FEATURE_SIMD) return mixedWordsSimd(at, layers, limit, found);
  return mixedWordsScalar(at, layers, limit, found);
}

export function mixedWordsSimd(at: usize, layers: i32, limit: i32, found: usize): i32 {
  let count = 0;
  let bits: u64 = 0;
  for (let pixel: u64 = 0; pixel < <u64>BLOCK_PIXELS; pixel += 4) {
    const mixed = nonzeroOfFour(
      otherBits(at, layers),
      otherBits(at + 16, layers),
      otherBits(at + 32, layers),
      otherBits(at + 48, layers)
    );
    bits |= (<u64>mixed) << pixel;
    count += popcnt<i32>(mixed);
    if (count > limit) return TOO_MANY;
    at += 64;
  }
  store<u64>(found, bits);
  return count;
}

/** The OR of the bits in which a pixel's samples differ from its first sample. */
// @ts-ignore: decorator
@inline
function otherBits(at: usize, layers: i32): v128 {
  const first = v128.load32_splat(at);
  let other = v128.xor(first, v128.load(at));
  for (let layer = 1; layer < layers; layer++)
    other = v128.or(other, v128.xor(first, v128.load(at + layer * LAYER_WORDS)));
  return other;
}

/** The subset of `pixels` whose texels at `a` and `b` differ, for planes with one texel per pixel. */
export function differentTexels(bytes: i32, a: usize, b: usize, pixels: u64): u64 {
  let differs: u64 = 0;
  if (ASC_FEATURE_SIMD) {
    if (bytes == 4) {
      for (let quad: u64 = 0; quad < 64; quad += 4) {
        const equal = i32x4.bitmask(i32x4.eq(v128.load(a), v128.load(b)));
        differs |= (<u64>(equal ^ 15)) << quad;
        a += 16;
        b += 16;
      }
      return differs & pixels;
    }
  }
  for (let rest = pixels; rest; rest &= rest - 1) {
    const offset = <usize>ctz(rest) * bytes;
    if (!sameTexel(bytes, a + offset, b + offset)) differs |= rest & -rest;
  }
  return differs;
}

/**
 * Examines the pixels of a block whose bits are set at `found` (u64) and keeps the bits of those that hold more than
 * one value. Returns the number of values beyond that of sample 0, or TOO_MANY as soon as they exceed `limit`. `at` is
 * the address of the block's samples in layer 0; `all` is the mask of all samples.
 */
export function analyse(bytes: i32, at: usize, layers: i32, all: i32, limit: i32, found: usize): i32 {
  if (ASC_FEATURE_SIMD) return analyseSimd(bytes, at, layers, all, limit, found);
  return analyseScalar(bytes, at, layers, all, limit, found);
}

export function analyseSimd(bytes: i32, at: usize, layers: i32, all: i32, limit: i32, found: usize): i32 {
  switch (bytes) {
    case 1:
      return analyseBlock<v128>(1, at, layers, all, limit, found);
    case 2:
      return analyseBlock<v128>(2, at, layers, all, limit, found);
    case 4:
      return layers == 1
        ? analyseBlock<v128>(4, at, 1, all, limit, found)
        : analyseBlock<v128>(4, at, layers, all, limit, found);
    case 8:
      return analyseBlock<v128>(8, at, layers, all, limit, found);
    default:
      return analyseBlock<v128>(16, at, layers, all, limit, found);
  }
}

export function analyseScalar(bytes: i32, at: usize, layers: i32, all: i32, limit: i32, found: usize): i32 {
  return analyseBlock<u32>(bytes, at, layers, all, limit, found);
}

/** T is v128, or an integer type to compare samples one by one. */
// @ts-ignore: decorator
@inline
function analyseBlock<T>(bytes: i32, at: usize, layers: i32, all: i32, limit: i32, found: usize): i32 {
  const perSample = load<u64>(found);
  const hopeless = earlyExitCount(all, perSample, limit);
  const stride = bytesOfLayer(bytes);
  let mixed: u64 = 0;
  let count = 0;
  let seen = 0;
  for (let rest = perSample; rest; rest &= rest - 1) {
    const pixel = ctz<u64>(rest);
    const texels = at + ((<usize>pixel) << 2) * bytes;
    if (
      isVector<T>()
      && bytes == 4
      && seen < EARLY_EXIT_PIXELS
      && hopeless > 0
      && areDistinct(texels, stride, layers)
    ) {
      mixed |= (<u64>1) << pixel;
      count += popcnt<i32>(all) - 1;
      if (count > limit || (++seen == EARLY_EXIT_PIXELS && count == hopeless)) return TOO_MANY;
      continue;
    }
    let left = all & ~equalTo<T>(bytes, texels, stride, layers, texels);
    seen++;
    if (!left) continue;
    mixed |= (<u64>1) << pixel;
    do {
      if (++count > limit) return TOO_MANY;
      left &= ~equalTo<T>(bytes, texels, stride, layers, sampleAt(bytes, texels, stride, ctz<i32>(left)));
    } while (left);
    if (seen == EARLY_EXIT_PIXELS && count == hopeless) return TOO_MANY;
  }
  store<u64>(found, mixed);
  return count;
}

// @ts-ignore: decorator
@inline
function equalTo<T>(bytes: i32, at: usize, stride: usize, layers: i32, texel: usize): i32 {
  if (isVector<T>()) return equalSimd(bytes, at, stride, layers, texel);
  return samplesWithScalar(bytes, at, stride, layers, texel);
}

// @ts-ignore: decorator
@inline
function equalSimd(bytes: i32, at: usize, stride: usize, layers: i32, texel: usize): i32 {
  if (bytes == 1) return equal1(at, stride, layers, v128.load8_splat(texel));
  if (bytes == 2) return equal2(at, stride, layers, v128.load16_splat(texel));
  let mask = 0;
  for (let layer = 0; layer < layers; layer++) {
    mask |=
      (bytes == 4
        ? equal4(at, v128.load32_splat(texel))
        : bytes == 8
          ? equal8(at, v128.load64_splat(texel))
          : equal16(at, v128.load(texel)))
      << (layer << 2);
    at += stride;
  }
  return mask;
}

function equal1(at: usize, stride: usize, layers: i32, texel: v128): i32 {
  let samples = v128.load32_splat(at);
  if (layers > 1) samples = v128.load32_lane(at + stride, samples, 1);
  if (layers > 2) {
    samples = v128.load32_lane(at + 2 * stride, samples, 2);
    samples = v128.load32_lane(at + 3 * stride, samples, 3);
  }
  return i8x16.bitmask(i8x16.eq(samples, texel));
}

function equal2(at: usize, stride: usize, layers: i32, texel: v128): i32 {
  let samples = v128.load64_splat(at);
  if (layers > 1) samples = v128.load64_lane(at + stride, samples, 1);
  const mask = i16x8.bitmask(i16x8.eq(samples, texel));
  if (layers <= 2) return mask;
  samples = v128.load64_lane(at + 3 * stride, v128.load64_splat(at + 2 * stride), 1);
  return mask | (i16x8.bitmask(i16x8.eq(samples, texel)) << 8);
}

function equal4(at: usize, texel: v128): i32 {
  return i32x4.bitmask(i32x4.eq(v128.load(at), texel));
}

function equal8(at: usize, texel: v128): i32 {
  return i64x2.bitmask(i64x2.eq(v128.load(at), texel)) | (i64x2.bitmask(i64x2.eq(v128.load(at, 16), texel)) << 2);
}

function equal16(at: usize, texel: v128): i32 {
  let mask = 0;
  for (let sample = 0; sample < 4; sample++) {
    mask |= (<i32>i64x2.all_true(i64x2.eq(v128.load(at + (sample << 4)), texel))) << sample;
  }
  return mask;
}
