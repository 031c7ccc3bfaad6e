// Texels of four half floats, filtered, a pixel at a time: one v128 holds the channels (rgba16float), which saves the
// gathering of single channels that other formats go through. (A channel of four pixels from the start: 1.9 times the
// time.)
import { SiteTaps } from '../layout';
import { floatsOfHalfWords } from '../simd/channels';
import { anyTrue, highHalves, leftOfRows, splat0, splatFrom, storeColumns } from '../simd/lanes';
import { lanesOf, splat1, splat2 } from '../simd/texels';
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

/** Where the texels of four pixels start in a window, but for rows: bytes. */
const WINDOW_COLUMNS: usize = memory.data<u32>([0, 8, 0, 8]);

/**
 * Whether the texels of four pixels are a window of three by three, `row` bytes from one row to the next, and pixels of
 * a column have the same fraction in x, those of a row in y: the quad lies along the texture's axes, and a pixel is as
 * large as a texel, or smaller.
 */
function isWindow(taps: SiteTaps, row: u32): bool {
  const upperLeft = v128.load(taps.offsets00);
  const rows = i32x4.splat(row);
  const starts = i32x4.add(v128.load(WINDOW_COLUMNS), v128.and(rows, lanesOf(12)));
  const fx = v128.load(taps.fx);
  const fy = v128.load(taps.fy);
  // Diagonal neighbours that follow in memory say the same of both others.
  const steps = i32x4.sub(i32x4.sub(v128.load(taps.offsets11), upperLeft), i32x4.add(rows, i32x4.splat(8)));
  const places = v128.xor(upperLeft, i32x4.add(splat0(upperLeft), starts));
  return !anyTrue(v128.or(
    v128.or(steps, places), v128.or(v128.xor(fx, highHalves(fx, fx)), v128.xor(fy, leftOfRows(fy)))
  ));
}

/**
 * The same as filterHalves and storePixels, to channels at `out`, of a window: nine texels instead of sixteen are
 * decoded, and rows that pixels have in common are filtered once. Nothing is done, and false returned, where there is
 * no window, or texels that need specialRow. (Wider quads along the axes as well, by rows: the bench's frame in half
 * floats took 3 % longer.)
 */
export function filterWindow(taps: SiteTaps, base: usize, row: u32, out: usize): bool {
  if (!isWindow(taps, row)) return false;
  const first = base + load<u32>(taps.offsets00);
  const second = first + row;
  const third = second + row;
  const top = v128.load(first);
  const middle = v128.load(second);
  const bottom = v128.load(third);
  const right = rowOf(first + 16, second + 16);
  const corner = v128.load64_zero(third + 16);
  const magnitude = splatFrom(BITS, HALF_MAGNITUDE);
  const least = splatFrom(BITS, HALF_LEAST);
  const special = v128.or(
    v128.or(specials(top, magnitude, least), specials(middle, magnitude, least)),
    v128.or(
      v128.or(specials(bottom, magnitude, least), specials(right, magnitude, least)),
      specials(corner, magnitude, least)
    )
  );
  if (anyTrue(special)) return false;
  const shifted = splatFrom(BITS, HALF_SHIFTED);
  const scale = splatFrom(BITS, HALF_SCALE);
  const fx = v128.load(taps.fx);
  const fy = v128.load(taps.fy);
  const left = splat0(fx);
  const next = splat1(fx);
  let center = finite(i32x4.extend_high_i16x8_s(top), shifted, scale);
  const topLeft = lerp(finite(i32x4.extend_low_i16x8_s(top), shifted, scale), center, left);
  const topRight = lerp(center, finite(i32x4.extend_low_i16x8_s(right), shifted, scale), next);
  center = finite(i32x4.extend_high_i16x8_s(middle), shifted, scale);
  const middleLeft = lerp(finite(i32x4.extend_low_i16x8_s(middle), shifted, scale), center, left);
  const middleRight = lerp(center, finite(i32x4.extend_high_i16x8_s(right), shifted, scale), next);
  center = finite(i32x4.extend_high_i16x8_s(bottom), shifted, scale);
  const bottomLeft = lerp(finite(i32x4.extend_low_i16x8_s(bottom), shifted, scale), center, left);
  const bottomRight = lerp(center, finite(i32x4.extend_low_i16x8_s(corner), shifted, scale), next);
  const upper = splat0(fy);
  const lower = splat2(fy);
  storeColumns(
    out, 16, lerp(topLeft, middleLeft, upper), lerp(topRight, middleRight, upper),
    lerp(middleLeft, bottomLeft, lower), lerp(middleRight, bottomRight, lower)
  );
  return true;
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
