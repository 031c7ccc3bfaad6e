// Texels of four half floats, filtered, a pixel at a time: one v128 holds the channels (rgba16float), which saves the
// gathering of single channels that other formats go through. (A channel of four pixels from the start: 1.9 times the
// time.)
import { floatsOfHalfWords, highWordsTwice, lowWordsTwice } from '../simd/channels';
import { anyTrue, splat0, splatFrom, storeColumns } from '../simd/lanes';
import { splat1, splat2, splat3 } from '../simd/texels';
import { BITS, HALF_SCALE, HALF_SHIFTED, HALF_SPECIAL } from './constants';
import { lerp } from './filter';

/** Two texels: words of the first, then of the second. */
function rowOf(left: usize, right: usize): v128 { return v128.load64_lane(right, v128.load64_zero(left), 1); }

/**
 * Halves, each in both words of a lane, as floats, exactly, but for infinities and NaN: the exponent's bias goes from
 * 15 to 127 by `scale`, 2^112. Constants come as locals: V8 would load them again for every texel.
 */
// @ts-ignore: decorator
@inline function finite(words: v128, shifted: v128, scale: v128): v128 {
  return f32x4.mul(v128.and(i32x4.shr_s(words, 3), shifted), scale);
}

/** Numbers of any kind, or those that `finite` takes: the first texel of a row, or the second. */
// @ts-ignore: decorator
@inline function first(any: bool, row: v128, shifted: v128, scale: v128): v128 {
  return any ? floatsOfHalfWords(i32x4.extend_low_i16x8_u(row)) : finite(lowWordsTwice(row), shifted, scale);
}

// @ts-ignore: decorator
@inline function second(any: bool, row: v128, shifted: v128, scale: v128): v128 {
  return any ? floatsOfHalfWords(i32x4.extend_high_i16x8_u(row)) : finite(highWordsTwice(row), shifted, scale);
}

/**
 * Words that are less than twice the least normal half, as unsigned numbers, where `finite` will not do, or not fast:
 * infinities and NaN; numbers below the least normal half, of which a product takes processors a hundred cycles (with
 * one in fifteen, a quad took twice its time). The least of several rows says it of all of them.
 */
function ranks(row: v128): v128 {
  // Twice the half without its sign, as a signed number: infinities and NaN are as near to zero as small numbers. Zero
  // itself comes last.
  return i16x8.add(i16x8.abs(i16x8.shl(row, 1)), i16x8.splat(-1));
}

function hasSpecials(least: v128): bool {
  return anyTrue(i16x8.sub_sat_u(splatFrom(BITS, HALF_SPECIAL), least));
}

/**
 * Filters the texels of four pixels: addresses are `base` and four v128 at `offsets`, (0,0) (1,0) (0,1) (1,1), of which
 * the first alone is there for pixels INSIDE (site-bytes.ts), in rows of `row` bytes. Fractions in x, then in y, lie at
 * `fractions`. Four channels of each pixel go to `out`.
 */
// @ts-ignore: decorator
@inline function filterPixels(
  inside: bool, offsets: usize, base: usize, row: usize, fractions: usize, out: usize
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

/** Of pixels anywhere. */
export function filterHalves(offsets: usize, base: usize, fractions: usize, out: usize): void {
  filterPixels(false, offsets, base, 0, fractions, out);
}

/** Of pixels inside. (The four side by side, with one look at all their numbers, took as long.) */
export function filterInside(offsets: usize, base: usize, row: usize, fractions: usize, out: usize): void {
  filterPixels(true, offsets, base, row, fractions, out);
}

// Filters a window at `upperLeft`. `any`: texels are numbers of any kind; else nothing is done, and false returned,
// where there are others than those that `finite` takes.
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
    out, 16, lerp(topLeft, middleLeft, upper), lerp(topRight, middleRight, upper),
    lerp(middleLeft, bottomLeft, lower), lerp(middleRight, bottomRight, lower)
  );
  return true;
}

// A sixth of a bloom's texels are smaller than the least normal half: around what is bright, light fades to nothing.
function filterSpecials(upperLeft: usize, row: u32, f: v128, out: usize): void {
  filterNine(true, upperLeft, row, f, out);
}

/**
 * The same as filterInside and storePixels, to channels at `out`, of a WINDOW: the quad's texels are three by three,
 * the first at `upperLeft`, and pixels of a column have the same fraction in x, those of a row in y. Nine texels
 * instead of sixteen are decoded, and rows that pixels have in common are filtered once.
 */
// @ts-ignore: decorator
@inline export function filterWindow(upperLeft: usize, row: u32, f: v128, out: usize): void {
  if (!filterNine(false, upperLeft, row, f, out)) filterSpecials(upperLeft, row, f, out);
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
