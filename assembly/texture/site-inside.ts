// Reads of a quad whose texels, in all levels that it reads, have their right and lower neighbours behind them in
// memory, as most have: one offset a pixel instead of four, and both levels of a texture at once. For four bytes a
// texel, filtered. Texels of all textures are fetched before any is filtered, so that their cache misses overlap (five
// textures read at random: 1352 → 982 cycles a quad; nothing lost where all is in the cache). The numbers are those of
// site-texels.ts.
import {
  Site, SITE_BLUE_FIRST, SITE_SRGB, SITE_TAPS_BYTES, SITE_TEXELS_BYTES, SITE_TEXTURE_BYTES, sizeOf, TextureLevel,
} from '../layout';
import { blendWords } from '../simd/channels';
import { evenLanes, oddLanes, splatFrom } from '../simd/lanes';
import { turnedTexel, wholeInts } from './axis';
import { BITS, BYTE_SUM, EVEN_BYTES, LOW_BYTE, MINUS_HALF, NUMBERS, UNORM8 } from './constants';
import { byteWeights, lerp } from './filter';
import { ofCorners, ofPairs, tableEntry } from './site-texels';

function outside(i: v128, inner: v128): v128 { return v128.or(i, i32x4.sub(inner, i)); }

/**
 * Taps of the quad in the level that `record` describes, at `taps`: the offset of the upper left texel, weights and
 * fractions. Lanes are negative where a pixel is outside: then it has neighbours somewhere else, and the taps means
 * nothing.
 */
// @ts-ignore: decorator
@inline export function tapsInside(taps: Site, record: TextureLevel, u: v128, v: v128, address: i32): v128 {
  const center = splatFrom(NUMBERS, MINUS_HALF);
  const x = turnedTexel(u, i32x4.splat(record.width), address, center, false);
  const y = turnedTexel(v, i32x4.splat(record.height), address, center, false);
  const wholeX = f32x4.floor(x);
  const wholeY = f32x4.floor(y);
  const i = wholeInts(wholeX);
  const j = wholeInts(wholeY);
  const rows = i32x4.mul(j, i32x4.splat(record.rowBytes));
  v128.store(taps.offsets00, i32x4.add(rows, i32x4.shl(i, 2)));
  const fx = f32x4.sub(x, wholeX);
  v128.store(taps.weights, byteWeights(fx));
  // Bytes may be sRGB.
  v128.store(taps.fx, fx);
  v128.store(taps.fy, f32x4.sub(y, wholeY));
  return v128.or(outside(i, i32x4.splat(record.innerX)), outside(j, i32x4.splat(record.innerY)));
}

// Texels of two pixels in a row: left and right of the first, left and right of the second.
function rowOfTwo(a: usize, b: usize): v128 { return v128.load64_lane(b, v128.load64_zero(a), 1); }

// The first or the last two channels of four pixels, in bytes, from upper (or lower) texels of both: words of the left
// and right texel of each.
function firstChannels(left: v128, right: v128): v128 { return blendWords(left, i32x4.shl(right, 16)); }
function lastChannels(left: v128, right: v128): v128 { return blendWords(i32x4.shr_u(left, 16), right); }

// A channel of the quad from its words, finished: `a` and `b` are upper and lower rows in the only level or the first,
// `c` and `d` in the second.
function put(
  two: bool, result: usize, a: v128, b: v128, c: v128, d: v128, weights: v128, fy: v128, nextWeights: v128,
  nextFy: v128, fractions: v128, scale: v128
): void {
  let v = ofPairs(a, b, weights, fy);
  if (two) v = lerp(v, ofPairs(c, d, nextWeights, nextFy), fractions);
  v128.store(result, f32x4.mul(v, scale));
}

/** A texture of bytes. */
// @ts-ignore: decorator
@inline function putBytes(two: bool, site: Site, texels: usize, result: usize, flags: u32, fraction: f32): void {
  // Once for all channels: V8 loads again what is loaded again.
  const next = changetype<Site>(changetype<usize>(site) + SITE_TAPS_BYTES);
  const weights = v128.load(site.weights);
  const fy = v128.load(site.fy);
  const nextWeights = two ? v128.load(next.weights) : weights;
  const nextFy = two ? v128.load(next.fy) : fy;
  const fractions = f32x4.splat(fraction);
  const scale = splatFrom(NUMBERS, BYTE_SUM);
  const low = splatFrom(BITS, EVEN_BYTES);
  const blue = flags & SITE_BLUE_FIRST;
  const a = v128.load(texels);
  const b = v128.load(texels, 16);
  const c = two ? v128.load(texels, 64) : a;
  const d = two ? v128.load(texels, 80) : b;
  if (flags & 1)
    put(
      two, result + blue, v128.and(a, low), v128.and(b, low), v128.and(c, low), v128.and(d, low), weights, fy,
      nextWeights, nextFy, fractions, scale
    );
  if (flags & 2)
    put(
      two, result + 16, i16x8.shr_u(a, 8), i16x8.shr_u(b, 8), i16x8.shr_u(c, 8), i16x8.shr_u(d, 8), weights, fy,
      nextWeights, nextFy, fractions, scale
    );
  if (!(flags & 12)) return;
  const e = v128.load(texels, 32);
  const f = v128.load(texels, 48);
  const g = two ? v128.load(texels, 96) : e;
  const h = two ? v128.load(texels, 112) : f;
  if (flags & 4)
    put(
      two, result + (blue ^ 32), v128.and(e, low), v128.and(f, low), v128.and(g, low), v128.and(h, low), weights, fy,
      nextWeights, nextFy, fractions, scale
    );
  if (flags & 8)
    put(
      two, result + 48, i16x8.shr_u(e, 8), i16x8.shr_u(f, 8), i16x8.shr_u(g, 8), i16x8.shr_u(h, 8), weights, fy,
      nextWeights, nextFy, fractions, scale
    );
}

// One channel of four sRGB texels, from the byte of the first on.
function decode(bytes: usize): v128 {
  let v = v128.load32_zero(tableEntry(bytes));
  v = v128.load32_lane(tableEntry(bytes + 4), v, 1);
  v = v128.load32_lane(tableEntry(bytes + 8), v, 2);
  return v128.load32_lane(tableEntry(bytes + 12), v, 3);
}

// A channel of the quad in one level. Right texels lie two bytes behind left ones, lower rows 16.
// @ts-ignore: decorator
@inline function srgbChannel(taps: Site, bytes: usize): v128 {
  return ofCorners(taps, decode(bytes), decode(bytes + 2), decode(bytes + 16), decode(bytes + 18));
}

function alphas(words: v128): v128 { return f32x4.mul(f32x4.convert_i32x4_s(words), splatFrom(NUMBERS, UNORM8)); }

function alphaChannel(taps: Site, texels: usize): v128 {
  const low = splatFrom(BITS, LOW_BYTE);
  const upper = v128.load(texels, 32);
  const lower = v128.load(texels, 48);
  return ofCorners(
    taps, alphas(v128.and(i32x4.shr_u(upper, 8), low)), alphas(i32x4.shr_u(upper, 24)),
    alphas(v128.and(i32x4.shr_u(lower, 8), low)), alphas(i32x4.shr_u(lower, 24))
  );
}

/** An sRGB texture. */
function putSrgb(two: bool, site: Site, texels: usize, result: usize, flags: u32, fraction: f32): void {
  const blue = flags & SITE_BLUE_FIRST;
  const next = changetype<Site>(changetype<usize>(site) + SITE_TAPS_BYTES);
  const fractions = f32x4.splat(fraction);
  for (let c: u32 = 0; c < 3; c++) {
    if (!(flags >> c & 1)) continue;
    const bytes = texels + (c == 2 ? 32 : c);
    let v = srgbChannel(site, bytes);
    if (two) v = lerp(v, srgbChannel(next, bytes + SITE_TEXELS_BYTES / 2), fractions);
    v128.store(result + (c == 1 ? 16 : blue ^ c << 4), v);
  }
  if (!(flags & 8)) return;
  let v = alphaChannel(site, texels);
  if (two) v = lerp(v, alphaChannel(next, texels + SITE_TEXELS_BYTES / 2), fractions);
  v128.store(result, v, 48);
}

function left0(taps: Site, base: usize): usize { return base + load<u32>(taps.offsets00); }
function left1(taps: Site, base: usize): usize { return base + load<u32>(taps.offsets00 + 4); }
function left2(taps: Site, base: usize): usize { return base + load<u32>(taps.offsets00 + 8); }
function left3(taps: Site, base: usize): usize { return base + load<u32>(taps.offsets00 + 12); }

// Fetches texels of one level: words of the first two channels of upper and lower texels, then of the last two.
// @ts-ignore: decorator
@inline function fetch(taps: Site, base: usize, row: usize, texels: usize): void {
  const p = left0(taps, base);
  const q = left1(taps, base);
  const r = left2(taps, base);
  const s = left3(taps, base);
  const upper0 = rowOfTwo(p, q);
  const upper1 = rowOfTwo(r, s);
  const lower0 = rowOfTwo(p + row, q + row);
  const lower1 = rowOfTwo(r + row, s + row);
  const a = evenLanes(upper0, upper1);
  const b = oddLanes(upper0, upper1);
  const c = evenLanes(lower0, lower1);
  const d = oddLanes(lower0, lower1);
  v128.store(texels, firstChannels(a, b));
  v128.store(texels, firstChannels(c, d), 16);
  v128.store(texels, lastChannels(a, b), 32);
  v128.store(texels, lastChannels(c, d), 48);
}

// @ts-ignore: decorator
@inline function readTextures(two: bool, site: Site, level: usize, fraction: f32): void {
  const end = site.end;
  const first = changetype<TextureLevel>(changetype<usize>(site.access.texture) + level);
  const row = first.rowBytes;
  const nextRow = two
    ? load<u32>(changetype<usize>(first) + offsetof<TextureLevel>('rowBytes') + sizeOf<TextureLevel>())
    : 0;
  let texels = site.texels;
  for (let entry = site.first; entry < end; entry += SITE_TEXTURE_BYTES) {
    const record = changetype<TextureLevel>(load<u32>(entry) + level);
    fetch(site, record.address, row, texels);
    if (two)
      fetch(
        changetype<Site>(changetype<usize>(site) + SITE_TAPS_BYTES),
        load<u32>(changetype<usize>(record) + offsetof<TextureLevel>('address') + sizeOf<TextureLevel>()), nextRow,
        texels + 64
      );
    texels += SITE_TEXELS_BYTES;
  }
  texels = site.texels;
  for (let entry = site.first; entry < end; entry += SITE_TEXTURE_BYTES) {
    const flags = load<u32>(entry, 4);
    const result = site.results + (flags >> 16);
    if (flags & SITE_SRGB) putSrgb(two, site, texels, result, flags, fraction);
    else putBytes(two, site, texels, result, flags, fraction);
    texels += SITE_TEXELS_BYTES;
  }
}

/** Reads the textures of the part in the level at byte offset `level` of TEXTURE records, from the taps at the site. */
export function readInside(site: Site, level: usize): void { readTextures(false, site, level, 0); }

/** The same in this level and the next, from both taps; `fraction`: of the next. */
export function readInsideTwo(site: Site, level: usize, fraction: f32): void {
  readTextures(true, site, level, fraction);
}
