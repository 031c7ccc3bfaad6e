// Texels of a site's quad in one level, for one texture: fetched from the taps that site-quad.ts worked out, filtered,
// and written to the site's results. One channel of four pixels is a v128 from the start, so that channels that nobody
// wants cost nothing. The numbers are those of sample.ts, where a v128 is one pixel: each word goes through the same
// operations (classes.ts).
import { Site, SITE_BLUE_FIRST, SITE_SRGB } from '../layout';
import { blendWords, floatsOfHalfWords, interleaveHighWords, interleaveLowWords } from '../simd/channels';
import { evenLanes, oddLanes, splatFrom } from '../simd/lanes';
import { SRGB_TABLE } from '../surface/srgb';
import { BITS, BYTE_SUM, EVEN_BYTES, LOW_BYTE, NUMBERS, ONE, UNORM8 } from './constants';
import { lerp } from './filter';

/**
 * From the upper row of a footprint to the lower one, and from its left texels to the right ones, where both are read
 * by the same accessors.
 */
function below(row: Site): Site {
  return changetype<Site>(
    changetype<usize>(row)
      + (changetype<usize>(changetype<Site>(0).offsets01) - changetype<usize>(changetype<Site>(0).offsets00))
  );
}
function right(row: Site): Site {
  return changetype<Site>(
    changetype<usize>(row)
      + (changetype<usize>(changetype<Site>(0).offsets10) - changetype<usize>(changetype<Site>(0).offsets00))
  );
}
// Addresses of the left and right texels of four pixels.
function left0(row: Site, base: usize): usize { return base + load<u32>(row.offsets00); }
function left1(row: Site, base: usize): usize { return base + load<u32>(row.offsets00 + 4); }
function left2(row: Site, base: usize): usize { return base + load<u32>(row.offsets00 + 8); }
function left3(row: Site, base: usize): usize { return base + load<u32>(row.offsets00 + 12); }
function right0(row: Site, base: usize): usize { return base + load<u32>(row.offsets10); }
function right1(row: Site, base: usize): usize { return base + load<u32>(row.offsets10 + 4); }
function right2(row: Site, base: usize): usize { return base + load<u32>(row.offsets10 + 8); }
function right3(row: Site, base: usize): usize { return base + load<u32>(row.offsets10 + 12); }

/** A quad's only level, or the first or second of two. */
export const STEP_ONLY = 0;
export const STEP_FIRST = 1;
export const STEP_SECOND = 2;

// Stores a channel: scaled where it is complete, mixed with that of the first level in the second.
function put(result: usize, v: v128, step: i32, fractions: v128, scales: v128): void {
  if (step == STEP_FIRST) {
    v128.store(result, v);
    return;
  }
  if (step == STEP_SECOND) v = lerp(v128.load(result), v, fractions);
  v128.store(result, f32x4.mul(v, scales));
}

function ones(): v128 { return splatFrom(NUMBERS, ONE); }

// Texels of two pixels (0 and 1, or 2 and 3) in a row: left and right of the first, left and right of the second, 32
// bits each.
// @ts-ignore: decorator
@inline function rowOfTwo(row: Site, base: usize, first: bool, together: bool): v128 {
  const a = first ? left0(row, base) : left2(row, base);
  const b = first ? left1(row, base) : left3(row, base);
  if (together) return v128.load64_lane(b, v128.load64_zero(a), 1);
  const v = v128.load32_lane(first ? right0(row, base) : right2(row, base), v128.load32_zero(a), 1);
  return v128.load32_lane(first ? right1(row, base) : right3(row, base), v128.load32_lane(b, v, 2), 3);
}

// Rows of pairs (left, right) of i16, and weights: both rows filtered in x, then in y.
export function ofPairs(top: v128, bottom: v128, weights: v128, fy: v128): v128 {
  return lerp(
    f32x4.convert_i32x4_s(i32x4.dot_i16x8_s(top, weights)), f32x4.convert_i32x4_s(i32x4.dot_i16x8_s(bottom, weights)),
    fy
  );
}

// Two channels that are two bytes apart, as words: of the left and right texels of both rows. Wanted are those of bits
// 0 and 2.
// @ts-ignore: decorator
@inline function evenAndOdd(
  wanted: u32, low: usize, high: usize, l0: v128, r0: v128, l1: v128, r1: v128, weights: v128, fy: v128, step: i32,
  fractions: v128, scales: v128
): void {
  // Both at once in a branch of their own: V8 would compute what they share twice, in the branches of each.
  if ((wanted & 5) == 5) {
    put(low, lowWords(l0, r0, l1, r1, weights, fy), step, fractions, scales);
    put(high, highWords(l0, r0, l1, r1, weights, fy), step, fractions, scales);
  } else if (wanted & 1) put(low, lowWords(l0, r0, l1, r1, weights, fy), step, fractions, scales);
  else put(high, highWords(l0, r0, l1, r1, weights, fy), step, fractions, scales);
}

function lowWords(l0: v128, r0: v128, l1: v128, r1: v128, weights: v128, fy: v128): v128 {
  return ofPairs(blendWords(l0, i32x4.shl(r0, 16)), blendWords(l1, i32x4.shl(r1, 16)), weights, fy);
}

function highWords(l0: v128, r0: v128, l1: v128, r1: v128, weights: v128, fy: v128): v128 {
  return ofPairs(blendWords(i32x4.shr_u(l0, 16), r0), blendWords(i32x4.shr_u(l1, 16), r1), weights, fy);
}

/** rgba8unorm and bgra8unorm, linear. */
// @ts-ignore: decorator
@inline function linearBytes4(
  taps: Site, base: usize, result: usize, flags: u32, step: i32, fractions: v128, scales: v128
): void {
  const lower = below(taps);
  let a: v128;
  let b: v128;
  let c: v128;
  let d: v128;
  if (load<u32>(taps.together)) {
    a = rowOfTwo(taps, base, true, true);
    b = rowOfTwo(taps, base, false, true);
    c = rowOfTwo(lower, base, true, true);
    d = rowOfTwo(lower, base, false, true);
  } else {
    a = rowOfTwo(taps, base, true, false);
    b = rowOfTwo(taps, base, false, false);
    c = rowOfTwo(lower, base, true, false);
    d = rowOfTwo(lower, base, false, false);
  }
  const left0 = evenLanes(a, b);
  const right0 = oddLanes(a, b);
  const left1 = evenLanes(c, d);
  const right1 = oddLanes(c, d);
  const weights = v128.load(taps.weights);
  const fy = v128.load(taps.fy);
  const bytes = splatFrom(BITS, EVEN_BYTES);
  if (flags & 5) {
    const blue = flags & SITE_BLUE_FIRST;
    evenAndOdd(
      flags, result + blue, result + (blue ^ 32), v128.and(left0, bytes), v128.and(right0, bytes),
      v128.and(left1, bytes), v128.and(right1, bytes), weights, fy, step, fractions, scales
    );
  }
  if (flags & 10) {
    evenAndOdd(
      flags >> 1, result + 16, result + 48, i16x8.shr_u(left0, 8), i16x8.shr_u(right0, 8), i16x8.shr_u(left1, 8),
      i16x8.shr_u(right1, 8), weights, fy, step, fractions, scales
    );
  }
}

// @ts-ignore: decorator
@inline function rowBytes2(row: Site, base: usize, together: bool): v128 {
  if (together) {
    let v = v128.load32_zero(left0(row, base));
    v = v128.load32_lane(left1(row, base), v, 1);
    v = v128.load32_lane(left2(row, base), v, 2);
    return v128.load32_lane(left3(row, base), v, 3);
  }
  let v = v128.load16_lane(left0(row, base), i32x4.splat(0), 0);
  v = v128.load16_lane(right0(row, base), v, 1);
  v = v128.load16_lane(left1(row, base), v, 2);
  v = v128.load16_lane(right1(row, base), v, 3);
  v = v128.load16_lane(left2(row, base), v, 4);
  v = v128.load16_lane(right2(row, base), v, 5);
  v = v128.load16_lane(left3(row, base), v, 6);
  return v128.load16_lane(right3(row, base), v, 7);
}

/** rg8unorm, linear. */
// @ts-ignore: decorator
@inline function linearBytes2(
  taps: Site, base: usize, result: usize, flags: u32, step: i32, fractions: v128, scales: v128
): void {
  let top: v128;
  let bottom: v128;
  if (load<u32>(taps.together)) {
    top = rowBytes2(taps, base, true);
    bottom = rowBytes2(below(taps), base, true);
  } else {
    top = rowBytes2(taps, base, false);
    bottom = rowBytes2(below(taps), base, false);
  }
  const weights = v128.load(taps.weights);
  const fy = v128.load(taps.fy);
  if (flags & 1) {
    const bytes = splatFrom(BITS, EVEN_BYTES);
    put(result, ofPairs(v128.and(top, bytes), v128.and(bottom, bytes), weights, fy), step, fractions, scales);
  }
  if (flags & 2)
    put(result + 16, ofPairs(i16x8.shr_u(top, 8), i16x8.shr_u(bottom, 8), weights, fy), step, fractions, scales);
}

function rowBytes1(row: Site, base: usize): v128 {
  let v = v128.load8_lane(left0(row, base), i32x4.splat(0), 0);
  v = v128.load8_lane(right0(row, base), v, 1);
  v = v128.load8_lane(left1(row, base), v, 2);
  v = v128.load8_lane(right1(row, base), v, 3);
  v = v128.load8_lane(left2(row, base), v, 4);
  v = v128.load8_lane(right2(row, base), v, 5);
  v = v128.load8_lane(left3(row, base), v, 6);
  return i16x8.extend_low_i8x16_u(v128.load8_lane(right3(row, base), v, 7));
}

/** r8unorm, linear. */
function linearBytes1(taps: Site, base: usize, result: usize, step: i32, fractions: v128, scales: v128): void {
  put(
    result, ofPairs(rowBytes1(taps, base), rowBytes1(below(taps), base), v128.load(taps.weights), v128.load(taps.fy)),
    step, fractions, scales
  );
}

// srgbToLinear of one byte's value in the table.
export function tableEntry(texel: usize): usize { return SRGB_TABLE + (load<u8>(texel) << 2); }

/** One channel of four sRGB texels, left ones from the corner on; `base` is moved on by the channel. */
function linearOfSrgb(corner: Site, base: usize): v128 {
  let v = v128.load32_zero(tableEntry(left0(corner, base)));
  v = v128.load32_lane(tableEntry(left1(corner, base)), v, 1);
  v = v128.load32_lane(tableEntry(left2(corner, base)), v, 2);
  return v128.load32_lane(tableEntry(left3(corner, base)), v, 3);
}

// One byte of four texels in the low bytes of the lanes.
function bytesOf(corner: Site, base: usize): v128 {
  let v = i32x4.splat(load<u8>(left0(corner, base)));
  v = v128.load8_lane(left1(corner, base), v, 4);
  v = v128.load8_lane(left2(corner, base), v, 8);
  return v128.load8_lane(left3(corner, base), v, 12);
}

function alphaOfSrgb(corner: Site, base: usize): v128 {
  return f32x4.mul(f32x4.convert_i32x4_s(bytesOf(corner, base + 3)), splatFrom(NUMBERS, UNORM8));
}

// Four decoded texels of each pixel, filtered in x, then in y.
export function ofCorners(taps: Site, a00: v128, a10: v128, a01: v128, a11: v128): v128 {
  const fx = v128.load(taps.fx);
  return lerp(lerp(a00, a10, fx), lerp(a01, a11, fx), v128.load(taps.fy));
}

/** rgba8unorm-srgb and bgra8unorm-srgb, linear. */
function linearSrgb(taps: Site, base: usize, result: usize, flags: u32, step: i32, fractions: v128): void {
  const blue = flags & SITE_BLUE_FIRST;
  const lower = below(taps);
  for (let c: u32 = 0; c < 3; c++) {
    if (!(flags >> c & 1)) continue;
    const from = base + c;
    const v = ofCorners(
      taps, linearOfSrgb(taps, from), linearOfSrgb(right(taps), from), linearOfSrgb(lower, from),
      linearOfSrgb(right(lower), from)
    );
    put(result + (c == 1 ? 16 : blue ^ c << 4), v, step, fractions, ones());
  }
  if (!(flags & 8)) return;
  const v = ofCorners(
    taps, alphaOfSrgb(taps, base), alphaOfSrgb(right(taps), base), alphaOfSrgb(lower, base),
    alphaOfSrgb(right(lower), base)
  );
  put(result + 48, v, step, fractions, ones());
}

// Left and right texel of one pixel in a row, eight halves.
function rowOfHalves(left: usize, right: usize): v128 { return v128.load64_lane(right, v128.load64_zero(left), 1); }

// Channels of halves of one row filtered in x; `low`: which of the two channels in `left` and `right`.
function rowOfChannel(left: v128, right: v128, low: bool, fx: v128): v128 {
  const a = low ? i32x4.extend_low_i16x8_u(left) : i32x4.extend_high_i16x8_u(left);
  const b = low ? i32x4.extend_low_i16x8_u(right) : i32x4.extend_high_i16x8_u(right);
  return lerp(floatsOfHalfWords(a), floatsOfHalfWords(b), fx);
}

/**
 * Two channels of rgba16float from the words of a row: pixels 0 and 2, then 1 and 3, of the left texels and of the
 * right ones.
 */
// @ts-ignore: decorator
@inline function twoChannels(
  taps: Site, result: usize, wanted: u32, left0: v128, right0: v128, left1: v128, right1: v128, step: i32,
  fractions: v128
): void {
  const fx = v128.load(taps.fx);
  const fy = v128.load(taps.fy);
  if (wanted & 1)
    put(
      result, lerp(rowOfChannel(left0, right0, true, fx), rowOfChannel(left1, right1, true, fx), fy), step, fractions,
      ones()
    );
  if (wanted & 2)
    put(
      result + 16, lerp(rowOfChannel(left0, right0, false, fx), rowOfChannel(left1, right1, false, fx), fy), step,
      fractions, ones()
    );
}

/** rgba16float, linear. */
// @ts-ignore: decorator
@inline function linearHalves(taps: Site, base: usize, result: usize, flags: u32, step: i32, fractions: v128): void {
  const a = rowOfHalves(left0(taps, base), right0(taps, base));
  const b = rowOfHalves(left1(taps, base), right1(taps, base));
  const c = rowOfHalves(left2(taps, base), right2(taps, base));
  const d = rowOfHalves(left3(taps, base), right3(taps, base));
  const e = rowOfHalves(left0(below(taps), base), right0(below(taps), base));
  const f = rowOfHalves(left1(below(taps), base), right1(below(taps), base));
  const g = rowOfHalves(left2(below(taps), base), right2(below(taps), base));
  const h = rowOfHalves(left3(below(taps), base), right3(below(taps), base));
  // r0 r2 g0 g2 b0 b2 a0 a2 of the left texels, and so on.
  const left02 = interleaveLowWords(a, c);
  const left13 = interleaveLowWords(b, d);
  const right02 = interleaveHighWords(a, c);
  const right13 = interleaveHighWords(b, d);
  const below02 = interleaveLowWords(e, g);
  const below13 = interleaveLowWords(f, h);
  const corner02 = interleaveHighWords(e, g);
  const corner13 = interleaveHighWords(f, h);
  if (flags & 3) {
    twoChannels(
      taps, result, flags, interleaveLowWords(left02, left13), interleaveLowWords(right02, right13),
      interleaveLowWords(below02, below13), interleaveLowWords(corner02, corner13), step, fractions
    );
  }
  if (flags & 12) {
    twoChannels(
      taps, result + 32, flags >> 2, interleaveHighWords(left02, left13), interleaveHighWords(right02, right13),
      interleaveHighWords(below02, below13), interleaveHighWords(corner02, corner13), step, fractions
    );
  }
}

/**
 * Filters the quad's texels of one texture, whose level begins at `base`; `step`: STEP_*, `fractions`: those of the
 * second level.
 */
// @ts-ignore: decorator
@inline export function linearTexels<C>(
  taps: Site, base: usize, result: usize, flags: u32, step: i32, fractions: v128
): void {
  const scales = splatFrom(NUMBERS, BYTE_SUM);
  if (!isInteger<C>()) linearHalves(taps, base, result, flags, step, fractions);
  else if (sizeof<C>() == 1) linearBytes1(taps, base, result, step, fractions, scales);
  else if (sizeof<C>() == 2) linearBytes2(taps, base, result, flags, step, fractions, scales);
  else if (flags & SITE_SRGB) linearSrgb(taps, base, result, flags, step, fractions);
  else linearBytes4(taps, base, result, flags, step, fractions, scales);
}

// Whole numbers up to 255. sample.ts has them times 2^14, a power of two that the last scale takes back: UNORM8_SCALE
// is 2^14·BYTE_SCALE.
function nearestByte(result: usize, bytes: v128, step: i32, fractions: v128): void {
  put(result, f32x4.convert_i32x4_s(bytes), step, fractions, splatFrom(NUMBERS, UNORM8));
}

function nearestBytes4(taps: Site, base: usize, result: usize, flags: u32, step: i32, fractions: v128): void {
  let v = v128.load32_zero(left0(taps, base));
  v = v128.load32_lane(left1(taps, base), v, 1);
  v = v128.load32_lane(left2(taps, base), v, 2);
  v = v128.load32_lane(left3(taps, base), v, 3);
  const low = splatFrom(BITS, LOW_BYTE);
  const blue = flags & SITE_BLUE_FIRST;
  if (flags & 1) nearestByte(result + blue, v128.and(v, low), step, fractions);
  if (flags & 2) nearestByte(result + 16, v128.and(i32x4.shr_u(v, 8), low), step, fractions);
  if (flags & 4) nearestByte(result + (blue ^ 32), v128.and(i32x4.shr_u(v, 16), low), step, fractions);
  if (flags & 8) nearestByte(result + 48, i32x4.shr_u(v, 24), step, fractions);
}

// rg8unorm and r8unorm.
function nearestBytes<C>(taps: Site, base: usize, result: usize, flags: u32, step: i32, fractions: v128): void {
  const size: usize = sizeof<C>();
  for (let c: usize = 0; c < size; c++) {
    if (!(flags >> c & 1)) continue;
    nearestByte(result + (c << 4), bytesOf(taps, base + c), step, fractions);
  }
}

function nearestSrgb(taps: Site, base: usize, result: usize, flags: u32, step: i32, fractions: v128): void {
  const blue = flags & SITE_BLUE_FIRST;
  for (let c: u32 = 0; c < 3; c++) {
    if (flags >> c & 1)
      put(result + (c == 1 ? 16 : blue ^ c << 4), linearOfSrgb(taps, base + c), step, fractions, ones());
  }
  if (flags & 8) put(result + 48, alphaOfSrgb(taps, base), step, fractions, ones());
}

// @ts-ignore: decorator
@inline function nearestHalves(taps: Site, base: usize, result: usize, flags: u32, step: i32, fractions: v128): void {
  const ac = interleaveLowWords(v128.load64_zero(left0(taps, base)), v128.load64_zero(left2(taps, base)));
  const bd = interleaveLowWords(v128.load64_zero(left1(taps, base)), v128.load64_zero(left3(taps, base)));
  const rg = interleaveLowWords(ac, bd);
  const ba = interleaveHighWords(ac, bd);
  if (flags & 1) put(result, floatsOfHalfWords(i32x4.extend_low_i16x8_u(rg)), step, fractions, ones());
  if (flags & 2) put(result + 16, floatsOfHalfWords(i32x4.extend_high_i16x8_u(rg)), step, fractions, ones());
  if (flags & 4) put(result + 32, floatsOfHalfWords(i32x4.extend_low_i16x8_u(ba)), step, fractions, ones());
  if (flags & 8) put(result + 48, floatsOfHalfWords(i32x4.extend_high_i16x8_u(ba)), step, fractions, ones());
}

/** Takes the texels at Site.offsets00 as they are; otherwise as linearTexels. */
// @ts-ignore: decorator
@inline export function nearestTexels<C>(
  taps: Site, base: usize, result: usize, flags: u32, step: i32, fractions: v128
): void {
  if (!isInteger<C>()) nearestHalves(taps, base, result, flags, step, fractions);
  else if (sizeof<C>() < 4) nearestBytes<C>(taps, base, result, flags, step, fractions);
  else if (flags & SITE_SRGB) nearestSrgb(taps, base, result, flags, step, fractions);
  else nearestBytes4(taps, base, result, flags, step, fractions);
}
