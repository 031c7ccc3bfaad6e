// Classifies the pixels of a block by the values that their samples hold, for texels of four bytes, four pixels at a
// time. It finds what compare.ts finds pixel by pixel, in the layout that a store needs. The first value of every pixel
// goes to the pixel plane; the second value and its sample mask go to the planes for pairs. Writing them always is
// cheaper than testing which pixel needs them. Builds without SIMD use only compare.ts.

import { LAYER_WORDS, Plane } from '../layout';
import { packWords } from '../simd/channels';
import { select, transposeColumn0, transposeColumn1, transposeColumn2, transposeColumn3 } from '../simd/lanes';
import { areDistinct, lanesOf } from '../simd/texels';
import { EARLY_EXIT_PIXELS, earlyExitCount, samplesWith } from './compare';
import { sampleAt, TOO_MANY } from './compare.scalar';

/**
 * Classifies the pixels of a block that lie only in the sample plane; pixels with one or two values move to the compact
 * planes. Returns the number of values beyond the first of each pixel. If there are more than `limit`, returns TOO_MANY
 * and the pixels keep their state. The plane must have room for second values.
 */
export function classifyWords(plane: Plane, block: i32, limit: i32): i32 {
  const pairs = plane.pairsOf(block);
  const compact = pairs | plane.listedOf(block);
  const pixels = load<u64>(plane.bits(block)) & ~compact;
  const layers = plane.layers;
  const all = (1 << (layers << 2)) - 1;
  if (earlyExitCount(all, pixels, limit) > 0 && areAllDistinct(plane, block, pixels)) return TOO_MANY;
  let mixed: u64 = 0;
  let two: u64 = 0;
  let count = 0;
  for (let rest = pixels; rest;) {
    const shift = ctz(rest) & ~3;
    const bits = (<i32>(rest >> shift)) & 15;
    rest &= ~((<u64>15) << shift);
    const pixel = (block << 6) + <i32>shift;
    const divided = layers == 1 ? divideFour(plane, pixel, bits) : divideLayers(plane, pixel, bits);
    const many = (divided >> 4) & bits;
    mixed |= (<u64>(divided & bits)) << shift;
    two |= (<u64>(divided & bits & ~many)) << shift;
    count += popcnt<i32>(divided & bits);
    if (layers == 1) count += popcnt<i32>(many) + popcnt<i32>((divided >> 8) & bits);
    else for (let left = many; left; left &= left - 1) count += extraValues(plane, pixel + ctz<i32>(left), all);
    if (count > limit) return TOO_MANY;
  }
  store<u64>(plane.bits(block), compact | mixed);
  store<u64>(plane.paired + (block << 3), pairs | two);
  return count;
}

/** Whether each of the first EARLY_EXIT_PIXELS pixels holds a different value in every sample. */
function areAllDistinct(plane: Plane, block: i32, pixels: u64): bool {
  let rest = pixels;
  for (let seen = 0; seen < EARLY_EXIT_PIXELS; seen++, rest &= rest - 1)
    if (!areDistinct(plane.sample((block << 6) + <i32>ctz(rest)), LAYER_WORDS, plane.layers)) return false;
  return true;
}

/** The number of values of a pixel beyond its second. */
function extraValues(plane: Plane, pixel: i32, all: i32): i32 {
  const texels = plane.sample(pixel);
  const layers = plane.layers;
  let left = all & ~samplesWith(4, texels, LAYER_WORDS, layers, texels) & ~(<i32>load<u16>(plane.maskAt(pixel)));
  let count = 0;
  for (; left; count++)
    left &= ~samplesWith(4, texels, LAYER_WORDS, layers, sampleAt(4, texels, LAYER_WORDS, ctz<i32>(left)));
  return count;
}

/**
 * Stores the first two values of the pixels of a quad, for four samples. Returns three groups of four bits, one bit per
 * pixel: the pixel holds more than one value; more than two; four.
 */
function divideFour(plane: Plane, pixel: i32, bits: i32): i32 {
  const at = plane.sample(pixel);
  const a = v128.load(at);
  const b = v128.load(at, 16);
  const c = v128.load(at, 32);
  const d = v128.load(at, 48);
  const first = transposeColumn0(a, b, c, d);
  const s1 = transposeColumn1(a, b, c, d);
  const s2 = transposeColumn2(a, b, c, d);
  const s3 = transposeColumn3(a, b, c, d);
  const first1 = i32x4.eq(s1, first);
  const first2 = i32x4.eq(s2, first);
  const first3 = i32x4.eq(s3, first);
  const second = select(first1, select(first2, s3, s2), s1);
  const second2 = i32x4.eq(s2, second);
  const second3 = i32x4.eq(s3, second);
  const masks = v128.or(
    v128.andnot(i32x4.splat(2), first1),
    v128.or(
      v128.andnot(v128.and(second2, i32x4.splat(4)), first2),
      v128.andnot(v128.and(second3, i32x4.splat(8)), first3)
    )
  );
  putDown(plane, pixel, lanesOf(bits), first, second, masks);
  const one = i32x4.bitmask(i32x4.eq(first, second));
  const known2 = i32x4.bitmask(v128.or(first2, second2));
  const known3 = i32x4.bitmask(v128.or(first3, second3));
  const equal = i32x4.bitmask(i32x4.eq(s2, s3));
  return (one | ((known2 & known3) << 4) | ((known2 | known3 | equal) << 8)) ^ 0xfff;
}

/** As divideFour, for eight and sixteen samples. Returns two groups of bits: more than one value; more than two. */
function divideLayers(plane: Plane, pixel: i32, bits: i32): i32 {
  const begin = plane.sample(pixel);
  const end = begin + plane.layers * LAYER_WORDS;
  const first = transposeColumn0(v128.load(begin), v128.load(begin, 16), v128.load(begin, 32), v128.load(begin, 48));
  let second = first;
  for (let at = begin; at < end; at += LAYER_WORDS) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    const d = v128.load(at, 48);
    second = select(i32x4.eq(second, first), transposeColumn0(a, b, c, d), second);
    second = select(i32x4.eq(second, first), transposeColumn1(a, b, c, d), second);
    second = select(i32x4.eq(second, first), transposeColumn2(a, b, c, d), second);
    second = select(i32x4.eq(second, first), transposeColumn3(a, b, c, d), second);
  }
  let masks = i32x4.splat(0);
  let known = i32x4.splat(-1);
  let shift = 0;
  for (let at = begin; at < end; at += LAYER_WORDS, shift += 4) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    const d = v128.load(at, 48);
    const s0 = transposeColumn0(a, b, c, d);
    const s1 = transposeColumn1(a, b, c, d);
    const s2 = transposeColumn2(a, b, c, d);
    const s3 = transposeColumn3(a, b, c, d);
    const second0 = i32x4.eq(s0, second);
    const second1 = i32x4.eq(s1, second);
    const second2 = i32x4.eq(s2, second);
    const second3 = i32x4.eq(s3, second);
    known = v128.and(
      known,
      v128.and(
        v128.and(v128.or(second0, i32x4.eq(s0, first)), v128.or(second1, i32x4.eq(s1, first))),
        v128.and(v128.or(second2, i32x4.eq(s2, first)), v128.or(second3, i32x4.eq(s3, first)))
      )
    );
    const four = v128.or(
      v128.or(v128.and(second0, i32x4.splat(1)), v128.and(second1, i32x4.splat(2))),
      v128.or(v128.and(second2, i32x4.splat(4)), v128.and(second3, i32x4.splat(8)))
    );
    masks = v128.or(masks, i32x4.shl(four, shift));
  }
  const one = i32x4.eq(first, second);
  putDown(plane, pixel, lanesOf(bits), first, second, v128.andnot(masks, one));
  return (i32x4.bitmask(one) | (i32x4.bitmask(known) << 4)) ^ 0xff;
}

/** Stores the first two values of the chosen pixels of a quad and the masks of the samples that hold the second. */
// @ts-ignore: decorator
@inline
function putDown(plane: Plane, pixel: i32, chosen: v128, first: v128, second: v128, masks: v128): void {
  const texels = plane.texel(pixel);
  const seconds = plane.second(pixel);
  const words = plane.maskAt(pixel);
  v128.store(texels, select(chosen, first, v128.load(texels)));
  v128.store(seconds, select(chosen, second, v128.load(seconds)));
  const kept = v128.andnot(i32x4.extend_low_i16x8_u(v128.load64_zero(words)), chosen);
  const all = v128.or(kept, v128.and(masks, chosen));
  v128.store64_lane(words, packWords(all, all), 0);
}
