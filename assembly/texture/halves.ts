// Texels of four half floats, filtered, a pixel at a time: one v128 holds the channels (rgba16float), which saves the
// gathering of single channels that other formats go through. (A channel of four pixels from the start: 1.9 times the
// time.)
import { floatsOfHalfWords } from '../simd/channels';
import { anyTrue, splatFrom, storeColumns } from '../simd/lanes';
import { BITS, HALF_LEAST, HALF_MAGNITUDE, HALF_SCALE, HALF_SHIFTED } from './constants';
import { lerp } from './filter';

/** Two texels: words of the first, then of the second. */
function rowOf(left: usize, right: usize): v128 { return v128.load64_lane(right, v128.load64_zero(left), 1); }

/**
 * Sign-extended halves as floats, exactly, but for infinities and NaN: the exponent's bias goes from 15 to 127 by
 * `scale`, 2^112. Constants come as locals: V8 would load them again for every texel.
 */
// @ts-ignore: decorator
@inline function finite(words: v128, shifted: v128, scale: v128): v128 {
  return f32x4.mul(v128.and(i32x4.shl(words, 13), shifted), scale);
}

/**
 * Words with all bits where `finite` will not do, or not fast: infinities and NaN; numbers below the least normal half,
 * of which a product takes processors a hundred cycles (with one in fifteen, a quad took twice its time).
 */
// @ts-ignore: decorator
@inline function specials(row: v128, magnitude: v128, least: v128): v128 {
  // Turned by the least normal half: infinities and NaN come first, then zero, small numbers, all others.
  const turned = v128.and(i16x8.add(row, least), magnitude);
  const small = i16x8.lt_s(turned, i16x8.shl(least, 1));
  return v128.andnot(small, i16x8.eq(turned, least));
}

/**
 * Filters the texels of four pixels: addresses are `base` and four v128 at `offsets`, (0,0) (1,0) (0,1) (1,1);
 * fractions in x, then in y, lie at `fractions`. Four channels of each pixel go to `out`.
 */
export function filterHalves(offsets: usize, base: usize, fractions: usize, out: usize): void {
  const shifted = splatFrom(BITS, HALF_SHIFTED);
  const scale = splatFrom(BITS, HALF_SCALE);
  const magnitude = splatFrom(BITS, HALF_MAGNITUDE);
  const least = splatFrom(BITS, HALF_LEAST);
  for (let lane: usize = 0; lane < 16; lane += 4) {
    const at = offsets + lane;
    const top = rowOf(base + load<u32>(at), base + load<u32>(at, 16));
    const bottom = rowOf(base + load<u32>(at, 32), base + load<u32>(at, 48));
    const fx = v128.load32_splat(fractions + lane);
    const fy = v128.load32_splat(fractions + lane, 16);
    if (anyTrue(v128.or(specials(top, magnitude, least), specials(bottom, magnitude, least)))) {
      v128.store(out + (lane << 2), lerp(specialRow(top, fx), specialRow(bottom, fx), fy));
      continue;
    }
    const upper = lerp(
      finite(i32x4.extend_low_i16x8_s(top), shifted, scale), finite(i32x4.extend_high_i16x8_s(top), shifted, scale), fx
    );
    const lower = lerp(
      finite(i32x4.extend_low_i16x8_s(bottom), shifted, scale),
      finite(i32x4.extend_high_i16x8_s(bottom), shifted, scale), fx
    );
    v128.store(out + (lane << 2), lerp(upper, lower, fy));
  }
}

// Both texels of a row, of any numbers.
function specialRow(row: v128, fx: v128): v128 {
  return lerp(
    floatsOfHalfWords(i32x4.extend_low_i16x8_u(row)), floatsOfHalfWords(i32x4.extend_high_i16x8_u(row)), fx
  );
}

/** Four pixels at `pixels` as four channels at `out`. */
export function storePixels(out: usize, pixels: usize): void {
  storeColumns(
    out, 16, v128.load(pixels), v128.load(pixels, 16), v128.load(pixels, 32), v128.load(pixels, 48)
  );
}
