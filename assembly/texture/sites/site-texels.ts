// Fetches the texels of a site's quad in one level of one texture, from the taps that site-quad.ts computed. Except for
// filtered bytes (site-bytes.ts), it also writes the site's results. A v128 holds one channel of four pixels from the
// start, so unwanted channels cost nothing. Results equal those of sample.ts, where a v128 is one pixel: each word goes
// through the same operations (classes.ts).
import { Access, Site, SITE_BLUE_FIRST, SITE_SRGB, SiteTaps, SiteTexture, sizeOf } from '../../layout';
import { floatsOfHalfWords } from '../../simd/channels';
import { splatFrom } from '../../simd/lanes';
import { gatherTexels } from '../../simd/texels';
import { SRGB_TABLE } from '../../surface/srgb';
import { CLASS_BYTES1, CLASS_BYTES2, CLASS_FLOAT, CLASS_HALF4 } from '../texels/classes';
import { passes, referencesOf } from '../texels/compare';
import { BITS, LOW_BYTE, LOW_WORD, NUMBERS, ONE, UNORM8 } from '../texels/constants';
import { lerp } from '../texels/filter';
import { areFinite, highFinite, lowFinite } from '../texels/halves';

/** A quad's only level, or the first or second of two. */
export const STEP_ONLY = 0;
export const STEP_FIRST = 1;
export const STEP_SECOND = 2;

// Stores a channel. The second level is mixed with the first; complete results are scaled.
function put(result: usize, v: v128, step: i32, fractions: v128, scales: v128): void {
  if (step == STEP_FIRST) {
    v128.store(result, v);
    return;
  }
  if (step == STEP_SECOND) v = lerp(v128.load(result), v, fractions);
  v128.store(result, f32x4.mul(v, scales));
}

function ones(): v128 {
  return splatFrom(NUMBERS, ONE);
}

/** Filters four decoded texels of each pixel, in x, then in y. */
export function ofCorners(taps: SiteTaps, a00: v128, a10: v128, a01: v128, a11: v128): v128 {
  const fx = v128.load(taps.fx);
  return lerp(lerp(a00, a10, fx), lerp(a01, a11, fx), v128.load(taps.fy));
}

function tableEntry(byte: usize): usize {
  return SRGB_TABLE + (load<u8>(byte) << 2);
}

/** srgbToLinear of the lowest byte of each of four words at `bytes`. */
export function decodeSrgb(bytes: usize): v128 {
  let v = v128.load32_zero(tableEntry(bytes));
  v = v128.load32_lane(tableEntry(bytes + 4), v, 1);
  v = v128.load32_lane(tableEntry(bytes + 8), v, 2);
  return v128.load32_lane(tableEntry(bytes + 12), v, 3);
}

/** Converts bytes, one per lane, to 0…1. */
export function unorms(bytes: v128): v128 {
  return f32x4.mul(f32x4.convert_i32x4_s(bytes), splatFrom(NUMBERS, UNORM8));
}

/** Converts the half floats in the low or in the upper half of each word. */
export function lowHalves(words: v128): v128 {
  return floatsOfHalfWords(v128.and(words, splatFrom(BITS, LOW_WORD)));
}
export function highHalves(words: v128): v128 {
  return floatsOfHalfWords(i32x4.shr_u(words, 16));
}

function nearestHalves(taps: SiteTaps, base: usize, result: usize, wanted: u32, step: i32, fractions: v128): void {
  const words = gatherTexels<u32>(base, taps.offsets00);
  const finite = areFinite(words);
  if (wanted & 1) put(result, finite ? lowFinite(words) : lowHalves(words), step, fractions, ones());
  if (wanted & 2) put(result + 16, finite ? highFinite(words) : highHalves(words), step, fractions, ones());
}

// Whole numbers up to 255. sample.ts scales them by 2^14, a power of two that its last scale removes: UNORM8_SCALE is
// 2^14·BYTE_SCALE.
function nearestByte(result: usize, bytes: v128, step: i32, fractions: v128): void {
  put(result, f32x4.convert_i32x4_s(bytes), step, fractions, splatFrom(NUMBERS, UNORM8));
}

function nearestSrgb(taps: SiteTaps, texels: v128, result: usize, flags: u32, step: i32, fractions: v128): void {
  const blue = flags & SITE_BLUE_FIRST;
  // Weights are not needed here, so their slot serves as scratch.
  v128.store(taps.weights, texels);
  for (let c: u32 = 0; c < 3; c++) {
    if ((flags >> c) & 1)
      put(result + (c == 1 ? 16 : blue ^ (c << 4)), decodeSrgb(taps.weights + c), step, fractions, ones());
  }
  if (flags & 8) put(result + 48, unorms(i32x4.shr_u(texels, 24)), step, fractions, ones());
}

// The texels of one tap, or their comparison results.
function floatsAt(access: Access, base: usize, offsets: usize): v128 {
  const texels = gatherTexels<u32>(base, offsets);
  if (!access.compare) return texels;
  return v128.and(passes(access.sampler.compare, referencesOf(access, 0), texels), ones());
}

/** Float texels of the quad in one level, filtered if `linear`, compared if the read has a reference. */
// @ts-ignore: decorator
@inline export function filterFloats(access: Access, taps: SiteTaps, base: usize, linear: bool): v128 {
  const first = floatsAt(access, base, taps.offsets00);
  return !linear
    ? first
    : ofCorners(
        taps,
        first,
        floatsAt(access, base, taps.offsets10),
        floatsAt(access, base, taps.offsets01),
        floatsAt(access, base, taps.offsets11)
      );
}

/** Reads a float texture in one level or two, filtered if `linear`, compared if the read has a reference. */
// @ts-ignore: decorator
@inline export function readFloats(
  two: bool,
  site: Site,
  entry: SiteTexture,
  level: usize,
  fraction: f32,
  linear: bool
): void {
  const record = entry.level(level);
  let v = filterFloats(site.access, site.taps, record.address, linear);
  if (two) v = lerp(v, filterFloats(site.access, site.nextTaps, record.next().address, linear), f32x4.splat(fraction));
  v128.store(entry.results(site), v);
}

/**
 * Writes unfiltered texels of one texture, from the taps of one level. `step` is STEP_*; `fractions` are those of the
 * second level. C is the type of gatherTexels, or f64 for half floats.
 */
// @ts-ignore: decorator
@inline export function nearestTexels<C>(
  taps: SiteTaps,
  base: usize,
  result: usize,
  flags: u32,
  step: i32,
  fractions: v128
): void {
  if (!isInteger<C>()) {
    if (flags & 3) nearestHalves(taps, base, result, flags, step, fractions);
    if (flags & 12) nearestHalves(taps, base + 4, result + 32, flags >> 2, step, fractions);
    return;
  }
  const texels = gatherTexels<C>(base, taps.offsets00);
  if (sizeof<C>() == 4 && flags & SITE_SRGB) {
    nearestSrgb(taps, texels, result, flags, step, fractions);
    return;
  }
  const low = splatFrom(BITS, LOW_BYTE);
  const blue = flags & SITE_BLUE_FIRST;
  if (flags & 1) nearestByte(result + blue, v128.and(texels, low), step, fractions);
  if (flags & 2) nearestByte(result + 16, v128.and(i32x4.shr_u(texels, 8), low), step, fractions);
  if (sizeof<C>() < 4) return;
  if (flags & 4) nearestByte(result + (blue ^ 32), v128.and(i32x4.shr_u(texels, 16), low), step, fractions);
  if (flags & 8) nearestByte(result + 48, i32x4.shr_u(texels, 24), step, fractions);
}

/** Reads the part's textures, of a class other than CLASS_TEXEL, unfiltered in one level, from the taps at the site. */
export function nearestOfClass(site: Site, textureClass: i32, level: usize): void {
  const end = site.part.end;
  const none = f32x4.splat(0);
  for (let at = site.part.first; at < end; at += sizeOf<SiteTexture>()) {
    const entry = changetype<SiteTexture>(at);
    const base = entry.level(level).address;
    const results = entry.results(site);
    const flags = entry.flags;
    if (textureClass == CLASS_FLOAT) v128.store(results, filterFloats(site.access, site.taps, base, false));
    else if (textureClass == CLASS_HALF4) nearestTexels<f64>(site.taps, base, results, flags, STEP_ONLY, none);
    else if (textureClass == CLASS_BYTES1) nearestTexels<u8>(site.taps, base, results, flags, STEP_ONLY, none);
    else if (textureClass == CLASS_BYTES2) nearestTexels<u16>(site.taps, base, results, flags, STEP_ONLY, none);
    else nearestTexels<u32>(site.taps, base, results, flags, STEP_ONLY, none);
  }
}
