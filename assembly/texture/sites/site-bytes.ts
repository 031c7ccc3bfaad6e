// Filtered reads of a quad from byte textures. The texels of both levels of all textures are fetched before any is
// filtered, so that their cache misses overlap (five textures at random positions: 1352 → 982 cycles per quad; no loss
// if all texels are cached). Most quads are INSIDE: all texels, in all levels that are read, have their right and lower
// neighbours adjacent in memory, so one offset per pixel suffices for four texels. Results equal those of sample.ts.
//
// Texels are stored in rows. A cache that never missed would save 19 % on the helmet scene with one thread. Tried:
// layouts with better locality; tiles of 4×4 texels took 1.15 to 1.18 times the time, overlapping tiles 1.07 to 1.2,
// and bands of rows 1.02 to 1.04.
import { Site, SITE_BLUE_FIRST, SITE_SRGB, SiteTaps, SiteTexture, sizeOf, TextureLevel } from '../../layout';
import { blendWords } from '../../simd/channels';
import { evenLanes, oddLanes, splatFrom } from '../../simd/lanes';
import { gatherTexels } from '../../simd/texels';
import { turnedTexel, wholeInts } from '../addresses/axis';
import { BITS, BYTE_SUM, EVEN_BYTES, LOW_BYTE, MINUS_HALF, NUMBERS } from '../texels/constants';
import { byteWeights, lerp, texelShift } from '../texels/filter';
import { decodeSrgb, ofCorners, unorms } from './site-texels';

/** Negative in the lanes of indices that are not within 0…inner. */
export function outside(i: v128, inner: i32): v128 {
  return v128.or(i, i32x4.sub(i32x4.splat(inner), i));
}

/**
 * Computes the taps of the quad in a level: the offset of the upper left texel, weights and fractions. The result is
 * negative in lanes that are not INSIDE; their taps are undefined.
 */
// @ts-ignore: decorator
@inline export function tapsInside<C>(taps: SiteTaps, record: TextureLevel, u: v128, v: v128, address: i32): v128 {
  const center = splatFrom(NUMBERS, MINUS_HALF);
  const x = turnedTexel(u, i32x4.splat(record.width), address, center, false);
  const y = turnedTexel(v, i32x4.splat(record.height), address, center, false);
  const wholeX = f32x4.floor(x);
  const wholeY = f32x4.floor(y);
  const i = wholeInts(wholeX);
  const j = wholeInts(wholeY);
  const rows = i32x4.mul(j, i32x4.splat(record.rowBytes));
  v128.store(taps.offsets00, i32x4.add(rows, i32x4.shl(i, texelShift<C>())));
  const fx = f32x4.sub(x, wholeX);
  if (isInteger<C>()) v128.store(taps.weights, byteWeights(fx));
  // Four-byte texels may be sRGB.
  if (sizeof<C>() >= 4) v128.store(taps.fx, fx);
  v128.store(taps.fy, f32x4.sub(y, wholeY));
  return v128.or(outside(i, record.innerX), outside(j, record.innerY));
}

/** Texels of two pixels in a row: left and right of the first, left and right of the second. */
export function rowOfTwo(a: usize, b: usize): v128 {
  return v128.load64_lane(b, v128.load64_zero(a), 1);
}

// Packs two channels of a row into words: bytes of both channels, of the left texel and of the right texel.
function firstChannels(left: v128, right: v128): v128 {
  return blendWords(left, i32x4.shl(right, 16));
}
function lastChannels(left: v128, right: v128): v128 {
  return blendWords(i32x4.shr_u(left, 16), right);
}

// Writes four texels of each pixel to `texels`: words of the first two channels of the upper and lower rows, then those
// of the last two channels.
// @ts-ignore: decorator
@inline function putTexels<C>(texels: usize, left0: v128, right0: v128, left1: v128, right1: v128): void {
  v128.store(texels, firstChannels(left0, right0));
  v128.store(texels, firstChannels(left1, right1), 16);
  if (sizeof<C>() < 4) return;
  v128.store(texels, lastChannels(left0, right0), 32);
  v128.store(texels, lastChannels(left1, right1), 48);
}

// @ts-ignore: decorator
@inline function textureInside<C>(taps: SiteTaps, base: usize, row: usize, texels: usize): void {
  const offsets = taps.offsets00;
  if (sizeof<C>() == 2) {
    v128.store(texels, gatherTexels<u32>(base, offsets));
    v128.store(texels, gatherTexels<u32>(base + row, offsets), 16);
    return;
  }
  const p = base + load<u32>(offsets);
  const q = base + load<u32>(offsets, 4);
  const r = base + load<u32>(offsets, 8);
  const s = base + load<u32>(offsets, 12);
  const upper0 = rowOfTwo(p, q);
  const upper1 = rowOfTwo(r, s);
  const lower0 = rowOfTwo(p + row, q + row);
  const lower1 = rowOfTwo(r + row, s + row);
  putTexels<C>(
    texels,
    evenLanes(upper0, upper1),
    oddLanes(upper0, upper1),
    evenLanes(lower0, lower1),
    oddLanes(lower0, lower1)
  );
}

// @ts-ignore: decorator
@inline function textureAnywhere<C>(taps: SiteTaps, base: usize, texels: usize): void {
  putTexels<C>(
    texels,
    gatherTexels<C>(base, taps.offsets00),
    gatherTexels<C>(base, taps.offsets10),
    gatherTexels<C>(base, taps.offsets01),
    gatherTexels<C>(base, taps.offsets11)
  );
}

/** Filters rows of i16 pairs (left, right) with weights in x, then in y. */
function ofPairs(top: v128, bottom: v128, weights: v128, fy: v128): v128 {
  return lerp(
    f32x4.convert_i32x4_s(i32x4.dot_i16x8_s(top, weights)),
    f32x4.convert_i32x4_s(i32x4.dot_i16x8_s(bottom, weights)),
    fy
  );
}

// Filters a texture of linear bytes.
// @ts-ignore: decorator
@inline function putBytes<C>(two: bool, site: Site, texels: usize, result: usize, flags: u32, fractions: v128): void {
  // Loaded once for all channels, because V8 does not combine repeated loads.
  const weights = v128.load(site.taps.weights);
  const fy = v128.load(site.taps.fy);
  const nextWeights = two ? v128.load(site.nextTaps.weights) : weights;
  const nextFy = two ? v128.load(site.nextTaps.fy) : fy;
  const scale = splatFrom(NUMBERS, BYTE_SUM);
  const low = splatFrom(BITS, EVEN_BYTES);
  // Result of the first of two channels.
  let even = result + (flags & SITE_BLUE_FIRST);
  for (let half: usize = 0; half < 16 * sizeof<C>(); half += 32) {
    const a = v128.load(texels + half);
    const b = v128.load(texels + half, 16);
    const c = two ? v128.load(texels + half, 64) : a;
    const d = two ? v128.load(texels + half, 80) : b;
    if (flags & 1) {
      let v = ofPairs(v128.and(a, low), v128.and(b, low), weights, fy);
      if (two) v = lerp(v, ofPairs(v128.and(c, low), v128.and(d, low), nextWeights, nextFy), fractions);
      v128.store(even, f32x4.mul(v, scale));
    }
    if (flags & 2) {
      let v = ofPairs(i16x8.shr_u(a, 8), i16x8.shr_u(b, 8), weights, fy);
      if (two) v = lerp(v, ofPairs(i16x8.shr_u(c, 8), i16x8.shr_u(d, 8), nextWeights, nextFy), fractions);
      v128.store(result + half, f32x4.mul(v, scale), 16);
    }
    if (!(flags & 12)) return;
    even = result + ((flags & SITE_BLUE_FIRST) ^ 32);
    flags >>= 2;
  }
}

// Filters a channel of the quad in one level. Right texels follow left ones by 2 bytes, lower rows upper ones by 16.
// @ts-ignore: decorator
@inline function srgbChannel(taps: SiteTaps, bytes: usize): v128 {
  return ofCorners(taps, decodeSrgb(bytes), decodeSrgb(bytes + 2), decodeSrgb(bytes + 16), decodeSrgb(bytes + 18));
}

function alphaChannel(taps: SiteTaps, texels: usize): v128 {
  const low = splatFrom(BITS, LOW_BYTE);
  const upper = v128.load(texels, 32);
  const lower = v128.load(texels, 48);
  return ofCorners(
    taps,
    unorms(v128.and(i32x4.shr_u(upper, 8), low)),
    unorms(i32x4.shr_u(upper, 24)),
    unorms(v128.and(i32x4.shr_u(lower, 8), low)),
    unorms(i32x4.shr_u(lower, 24))
  );
}

// Filters an sRGB texture.
function putSrgb(two: bool, site: Site, texels: usize, result: usize, flags: u32, fractions: v128): void {
  const blue = flags & SITE_BLUE_FIRST;
  for (let c: u32 = 0; c < 3; c++) {
    if (!((flags >> c) & 1)) continue;
    const bytes = texels + (c == 2 ? 32 : c);
    let v = srgbChannel(site.taps, bytes);
    if (two) v = lerp(v, srgbChannel(site.nextTaps, bytes + 64), fractions);
    v128.store(result + (c == 1 ? 16 : blue ^ (c << 4)), v);
  }
  if (!(flags & 8)) return;
  let v = alphaChannel(site.taps, texels);
  if (two) v = lerp(v, alphaChannel(site.nextTaps, texels + 64), fractions);
  v128.store(result, v, 48);
}

// Filters the fetched texels of a texture, in one level or slice or, with `two`, in two that are mixed by `fractions`.
// @ts-ignore: decorator
@inline function putTexture<C>(two: bool, site: Site, texels: usize, result: usize, flags: u32, fractions: v128): void {
  if (sizeof<C>() == 4 && flags & SITE_SRGB) putSrgb(two, site, texels, result, flags, fractions);
  else putBytes<C>(two, site, texels, result, flags, fractions);
}

// Fetches the texels of all textures, for quads that are INSIDE.
// @ts-ignore: decorator
@inline function fetchInside<C>(two: bool, site: Site, level: usize): void {
  const end = site.part.end;
  const first = changetype<TextureLevel>(changetype<usize>(site.access.texture) + level);
  const row = first.rowBytes;
  const nextRow = two ? first.next().rowBytes : 0;
  let texels = site.texels;
  for (let entry = site.part.first; entry < end; entry += sizeOf<SiteTexture>()) {
    const record = changetype<SiteTexture>(entry).level(level);
    textureInside<C>(site.taps, record.address, row, texels);
    if (two) textureInside<C>(site.nextTaps, record.next().address, nextRow, texels + 64);
    texels += 128;
  }
}

// A separate function, because V8 keeps fewer values in registers around calls and branches.
function fetchAnywhere<C>(two: bool, site: Site, level: usize): void {
  const end = site.part.end;
  let texels = site.texels;
  for (let entry = site.part.first; entry < end; entry += sizeOf<SiteTexture>()) {
    const record = changetype<SiteTexture>(entry).level(level);
    textureAnywhere<C>(site.taps, record.address, texels);
    if (two) textureAnywhere<C>(site.nextTaps, record.next().address, texels + 64);
    texels += 128;
  }
}

// @ts-ignore: decorator
@inline function readTextures<C>(two: bool, site: Site, level: usize, inside: bool, fraction: f32): void {
  if (sizeof<C>() > 1 && inside) fetchInside<C>(two, site, level);
  else fetchAnywhere<C>(two, site, level);
  const end = site.part.end;
  let texels = site.texels;
  for (let entry = site.part.first; entry < end; entry += sizeOf<SiteTexture>()) {
    const flags = changetype<SiteTexture>(entry).flags;
    const result = changetype<SiteTexture>(entry).results(site);
    putTexture<C>(two, site, texels, result, flags, f32x4.splat(fraction));
    texels += 128;
  }
}

/** Fetches a quad's texels from rows of `rowBytes`; the taps hold the address of each pixel's first texel. */
// @ts-ignore: decorator
@inline export function fetchPage<C>(taps: SiteTaps, rowBytes: usize, texels: usize): void {
  textureInside<C>(taps, 0, rowBytes, texels);
}

/** Fetches a quad's texels, each from its own address. */
// @ts-ignore: decorator
@inline export function fetchTexelsOf<C>(taps: SiteTaps, texels: usize): void {
  textureAnywhere<C>(taps, 0, texels);
}

/** Filters the fetched texels of the part's only texture, in one level or in two. */
// @ts-ignore: decorator
@inline export function putPages<C>(two: bool, site: Site, fraction: f32): void {
  const entry = changetype<SiteTexture>(site.part.first);
  const flags = entry.flags;
  const result = entry.results(site);
  putTexture<C>(two, site, site.texels, result, flags, f32x4.splat(fraction));
}

/**
 * Reads the textures of the part in the level at byte offset `level` of TEXTURE records, from the taps at the site.
 * `inside` tells that they come from tapsInside.
 */
export function readBytes<C>(site: Site, level: usize, inside: bool): void {
  readTextures<C>(false, site, level, inside, 0);
}

/** As readBytes, in this level and the next one, from both taps; `fraction` is the weight of the next level. */
export function readBytesTwo<C>(site: Site, level: usize, inside: bool, fraction: f32): void {
  readTextures<C>(true, site, level, inside, fraction);
}

/** Reads a texture in two slices of a level, of both taps at the site, mixed by `fractions`. */
export function readSlices<C>(site: Site, entry: SiteTexture, base: usize, fractions: v128): void {
  const texels = site.texels;
  textureAnywhere<C>(site.taps, base, texels);
  textureAnywhere<C>(site.nextTaps, base, texels + 64);
  putTexture<C>(true, site, texels, entry.results(site), entry.flags, fractions);
}
