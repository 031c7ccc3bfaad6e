// Filters texels of four half floats (rgba16float), one pixel at a time. A v128 holds the channels, which avoids
// gathering single channels as for other formats. (With one channel of four pixels per v128: 1.9 times the time.)
import { floatsOfHalfWords, highWordsTwice, lowWordsTwice } from '../../simd/channels';
import {
  anyTrue,
  evenLanes,
  lowHalves,
  middleLanes,
  rightOfRows,
  splat0,
  splatFrom,
  storeColumns,
} from '../../simd/lanes';
import { splat1, splat2, splat3 } from '../../simd/texels';
import { BITS, HALF_SCALE, HALF_SHIFTED, HALF_SPECIAL } from './constants';
import { lerp } from './filter';

/** Two texels: the words of the first, then of the second. */
function rowOf(left: usize, right: usize): v128 {
  return v128.load64_lane(right, v128.load64_zero(left), 1);
}

/**
 * Converts the half floats in the upper halves of four words to floats; exact except for infinities and NaN. `scale`,
 * 2^112, changes the exponent's bias from 15 to 127. Constants are passed as locals, because V8 would reload them for
 * every texel.
 */
// @ts-ignore: decorator
@inline function finite(words: v128, shifted: v128, scale: v128): v128 {
  return f32x4.mul(v128.and(i32x4.shr_s(words, 3), shifted), scale);
}

/** The first texel of a row, in any kind of number (`any`) or in those that `finite` supports. See `second`. */
// @ts-ignore: decorator
@inline function first(any: bool, row: v128, shifted: v128, scale: v128): v128 {
  return any ? floatsOfHalfWords(i32x4.extend_low_i16x8_u(row)) : finite(lowWordsTwice(row), shifted, scale);
}

// @ts-ignore: decorator
@inline function second(any: bool, row: v128, shifted: v128, scale: v128): v128 {
  return any ? floatsOfHalfWords(i32x4.extend_high_i16x8_u(row)) : finite(highWordsTwice(row), shifted, scale);
}

/**
 * Ranks half floats as unsigned words. Ranks below HALF_SPECIAL need the special path: infinities and NaN, which
 * `finite` does not support, and denormals, whose products take a hundred cycles. (With one denormal in fifteen texels,
 * a quad took twice the time.) The minimum over several rows decides for all of them.
 */
function ranks(row: v128): v128 {
  // Twice the half float without its sign, as a signed number, minus 1: infinities and NaN are as close to zero as
  // denormals, and zero itself wraps to the largest number.
  return i16x8.add(i16x8.abs(i16x8.shl(row, 1)), i16x8.splat(-1));
}

function hasSpecials(least: v128): bool {
  return anyTrue(i16x8.sub_sat_u(splatFrom(BITS, HALF_SPECIAL), least));
}

/** Whether `lowFinite` and `highFinite` support the half floats of both halves of all words. */
export function areFinite(words: v128): bool {
  return !hasSpecials(ranks(words));
}

/** areFinite for four vectors. */
export function areAllFinite(a: v128, b: v128, c: v128, d: v128): bool {
  return !hasSpecials(i16x8.min_u(i16x8.min_u(ranks(a), ranks(b)), i16x8.min_u(ranks(c), ranks(d))));
}

/** Converts the half floats in the low or in the upper half of each word, exact except for infinities and NaN. */
export function lowFinite(words: v128): v128 {
  return highFinite(i32x4.shl(words, 16));
}
export function highFinite(words: v128): v128 {
  return finite(words, splatFrom(BITS, HALF_SHIFTED), splatFrom(BITS, HALF_SCALE));
}

/**
 * Filters the texels of four pixels to four channels of each pixel at `out`. Addresses are `base` plus four v128 of
 * offsets at `offsets`, for (0,0) (1,0) (0,1) (1,1). For pixels INSIDE (site-bytes.ts), only the first is used, with
 * rows of `row` bytes. `fractions` holds the fractions in x, then in y.
 */
// @ts-ignore: decorator
@inline function filterPixels(
  inside: bool,
  offsets: usize,
  base: usize,
  row: usize,
  fractions: usize,
  out: usize
): void {
  const shifted = splatFrom(BITS, HALF_SHIFTED);
  const scale = splatFrom(BITS, HALF_SCALE);
  for (let lane: usize = 0; lane < 16; lane += 4) {
    const at = offsets + lane;
    const texel = base + load<u32>(at);
    const top = inside ? v128.load(texel) : rowOf(texel, base + load<u32>(at, 16));
    const bottom = inside ? v128.load(texel + row) : rowOf(base + load<u32>(at, 32), base + load<u32>(at, 48));
    const fx = v128.load32_splat(fractions + lane);
    const fy = v128.load32_splat(fractions + lane, 16);
    if (hasSpecials(i16x8.min_u(ranks(top), ranks(bottom)))) {
      v128.store(out + (lane << 2), lerp(specialRow(top, fx), specialRow(bottom, fx), fy));
      continue;
    }
    const upper = lerp(first(false, top, shifted, scale), second(false, top, shifted, scale), fx);
    const lower = lerp(first(false, bottom, shifted, scale), second(false, bottom, shifted, scale), fx);
    v128.store(out + (lane << 2), lerp(upper, lower, fy));
  }
}

/** Filters pixels anywhere. */
export function filterHalves(offsets: usize, base: usize, fractions: usize, out: usize): void {
  filterPixels(false, offsets, base, 0, fractions, out);
}

/** Filters pixels INSIDE. Tried: four pixels at once with a joint test for special numbers (no faster). */
export function filterInside(offsets: usize, base: usize, row: usize, fractions: usize, out: usize): void {
  filterPixels(true, offsets, base, row, fractions, out);
}

// Filters a window whose first texel is at `upperLeft`. With `any`, it supports all numbers. Otherwise it returns
// false, without effect, if some number is not supported by `finite`.
// @ts-ignore: decorator
@inline function filterNine(any: bool, upperLeft: usize, row: u32, f: v128, out: usize): bool {
  const top = v128.load(upperLeft);
  const middle = v128.load(upperLeft + row);
  const bottom = v128.load(upperLeft + row + row);
  const right = rowOf(upperLeft + 16, upperLeft + row + 16);
  const corner = v128.load64_zero(upperLeft + row + row + 16);
  if (!any) {
    const least = i16x8.min_u(i16x8.min_u(ranks(top), ranks(middle)), ranks(bottom));
    if (hasSpecials(i16x8.min_u(least, i16x8.min_u(ranks(right), ranks(corner))))) return false;
  }
  const shifted = splatFrom(BITS, HALF_SHIFTED);
  const scale = splatFrom(BITS, HALF_SCALE);
  if (!any) {
    // Windows of one value, as in a background, are not filtered.
    const same = v128.load64_splat(upperLeft);
    const others = v128.or(v128.or(v128.xor(top, same), v128.xor(middle, same)), v128.xor(bottom, same));
    const rest = v128.or(v128.xor(right, same), v128.xor(v128.load64_splat(upperLeft + row + row + 16), same));
    if (!anyTrue(v128.or(others, rest))) {
      // Filters turn −0 into 0.
      const texel = f32x4.add(first(false, same, shifted, scale), f32x4.splat(0));
      v128.store(out, splat0(texel));
      v128.store(out, splat1(texel), 16);
      v128.store(out, splat2(texel), 32);
      v128.store(out, splat3(texel), 48);
      return true;
    }
  }
  const left = splat0(f);
  const next = splat2(f);
  let center = second(any, top, shifted, scale);
  const topLeft = lerp(first(any, top, shifted, scale), center, left);
  const topRight = lerp(center, first(any, right, shifted, scale), next);
  center = second(any, middle, shifted, scale);
  const middleLeft = lerp(first(any, middle, shifted, scale), center, left);
  const middleRight = lerp(center, second(any, right, shifted, scale), next);
  center = second(any, bottom, shifted, scale);
  const bottomLeft = lerp(first(any, bottom, shifted, scale), center, left);
  const bottomRight = lerp(center, first(any, corner, shifted, scale), next);
  const upper = splat1(f);
  const lower = splat3(f);
  storeColumns(
    out,
    16,
    lerp(topLeft, middleLeft, upper),
    lerp(topRight, middleRight, upper),
    lerp(middleLeft, bottomLeft, lower),
    lerp(middleRight, bottomRight, lower)
  );
  return true;
}

// Handles windows with special numbers. In a bloom, a sixth of the texels are denormal: light fades around highlights.
function filterSpecials(upperLeft: usize, row: u32, f: v128, out: usize): void {
  filterNine(true, upperLeft, row, f, out);
}

/**
 * Does the work of filterInside and storePixels for a WINDOW: the quad covers three by three texels, with the first at
 * `upperLeft`. Pixels of a column share the fraction in x, those of a row the fraction in y. It decodes nine texels
 * instead of sixteen and filters shared rows once.
 */
// @ts-ignore: decorator
@inline export function filterWindow(upperLeft: usize, row: u32, f: v128, out: usize): void {
  if (!filterNine(false, upperLeft, row, f, out)) filterSpecials(upperLeft, row, f, out);
}

/** Three half floats from `texel` on, as words. */
function rowOfThree(texel: usize): v128 {
  return v128.load16_lane(texel + 4, v128.load32_zero(texel), 2);
}

/**
 * Filters a WINDOW of one half float per texel, with the first at `upperLeft`. Returns the four pixels. `f` holds the
 * fractions of the left column, the upper row, the right column and the lower row.
 */
// @ts-ignore: decorator
@inline export function filterNarrowWindow(upperLeft: usize, row: usize, f: v128): v128 {
  const outer = lowHalves(rowOfThree(upperLeft), rowOfThree(upperLeft + row + row));
  const inner = rowOfThree(upperLeft + row);
  const any = hasSpecials(i16x8.min_u(ranks(outer), ranks(inner)));
  const shifted = splatFrom(BITS, HALF_SHIFTED);
  const scale = splatFrom(BITS, HALF_SCALE);
  const top = first(any, outer, shifted, scale);
  const middle = first(any, inner, shifted, scale);
  const bottom = second(any, outer, shifted, scale);
  const fx = evenLanes(f, f);
  const upper = lerp(lowHalves(top, middle), middleLanes(top, middle), fx);
  const lower = lerp(lowHalves(middle, bottom), middleLanes(middle, bottom), fx);
  return lerp(upper, lower, rightOfRows(f));
}

// Filters both texels of a row, for any numbers.
function specialRow(row: v128, fx: v128): v128 {
  return lerp(floatsOfHalfWords(i32x4.extend_low_i16x8_u(row)), floatsOfHalfWords(i32x4.extend_high_i16x8_u(row)), fx);
}

/** Transposes four pixels at `pixels` to four channels at `out`. */
export function storePixels(out: usize, pixels: usize): void {
  storeColumns(out, 16, v128.load(pixels), v128.load(pixels, 16), v128.load(pixels, 32), v128.load(pixels, 48));
}
