// Reads a quad at a site from a streamed texture. Most quads are in one page per level: its entry is looked up once,
// and texels are read as from any texture, with rows as long as the page. A footprint that crosses an edge looks up
// texels in up to four pages (pages.ts). With pages of 128 texels and quads at their natural size, these are 3 to 6 %.
// Pages therefore need no border, which would have to be updated whenever neighbours come and go.
import {
  FILTER_LINEAR,
  Site,
  SITE_LOD_IMPLICIT,
  SITE_LOD_LEVEL,
  SITE_LOD_NONE,
  SITE_OPERAND_LEVEL,
  SITE_OPERAND_V,
  SitePage,
  SitePart,
  SiteTaps,
  SiteTexture,
  TextureLevel,
  TextureStream,
} from '../../layout';
import { isSplat, splatFrom } from '../../simd/lanes';
import { firstIndices, secondIndices, tapsOfQuad, turnedTexel, turnNumbers, wholeInts } from '../addresses/axis';
import { HALF, MINUS_HALF, NUMBERS } from '../texels/constants';
import { byteWeights, lerp, texelShift } from '../texels/filter';
import { filterHalves, filterInside, storePixels } from '../texels/halves';
import { implicitLod, lodsOfQuad, within } from '../lods';
import { entryOf, noteUse, pageFootprints, pageTexels, putFootprints } from '../addresses/pages';
import { layersOf } from '../addresses/places';
import { fetchPage, fetchTexelsOf, putPages } from './site-bytes';
import { generalSite } from './site-general';
import { ADDRESS_ANY } from './site-quad';
import { filterFloats, nearestTexels, STEP_FIRST, STEP_ONLY, STEP_SECOND } from './site-texels';

/**
 * Where the texels of a quad in a level are. PLACE_SMALLER: some are in non-resident pages, and a smaller level is read
 * instead. PLACE_ANYWHERE: at arbitrary addresses. PLACE_ROWS: in rows of one page.
 */
const PLACE_SMALLER = 0;
const PLACE_ANYWHERE = 1;
const PLACE_ROWS = 2;

// @ts-ignore: decorator
@inline function storeFractions<C>(taps: SiteTaps, fx: v128, fy: v128): void {
  if (isInteger<C>()) v128.store(taps.weights, byteWeights(fx));
  // Four-byte texels may be sRGB.
  if (sizeof<C>() >= 4) v128.store(taps.fx, fx);
  v128.store(taps.fy, fy);
}

/** Makes the part find its pages again. */
export function forgetPages(part: SitePart, stream: TextureStream): void {
  part.version = stream.version;
  part.page.lastX = -1;
  part.nextPage.lastX = -1;
}

/** Whether texels, with their right and lower neighbours if reads are filtered, are in a known page. */
// @ts-ignore: decorator
@inline function isIn(page: SitePage, i: v128, j: v128): bool {
  const at = changetype<usize>(page);
  const column = i32x4.sub(i, v128.load32_splat(at + offsetof<SitePage>('left')));
  const row = i32x4.sub(j, v128.load32_splat(at + offsetof<SitePage>('top')));
  const lastX = v128.load32_splat(at + offsetof<SitePage>('lastX'));
  const lastY = v128.load32_splat(at + offsetof<SitePage>('lastY'));
  // A negative number is before the first texel, or beyond the last one.
  const outside = v128.or(v128.or(column, i32x4.sub(lastX, column)), v128.or(row, i32x4.sub(lastY, row)));
  return !i32x4.bitmask(outside);
}

/**
 * Whether texels are in one resident page: in the known one, or in that of the first pixel, which becomes known. No
 * function is called, because V8 keeps fewer values in registers around calls.
 */
// @ts-ignore: decorator
@inline function isInPage(site: Site, page: SitePage, record: TextureLevel, i: v128, j: v128, linear: bool): bool {
  if (isIn(page, i, j)) return true;
  const stream = site.access.texture.stream;
  const shift = stream.pageShift;
  const side = 1 << shift;
  const x = i32x4.extract_lane(i, 0);
  const y = i32x4.extract_lane(j, 0);
  const left = x & -side;
  const top = y & -side;
  const past = linear ? 0 : 1;
  page.left = left;
  page.top = top;
  page.lastX = min<i32>(side - 2, record.innerX - left) + past;
  page.lastY = min<i32>(side - 2, record.innerY - top) + past;
  if (isIn(page, i, j)) {
    const read = site.warp.access.quadRead;
    const entry = entryOf(stream, record, x, y, 0, read);
    const address = entry.page;
    if (address) {
      noteUse(stream, entry, read);
      page.origin = address - (((top << shift) + left) << stream.texelShift);
      // Any read may replace a page of decoded blocks, so it does not stay known.
      if (stream.blocks) page.lastX = -1;
      return true;
    }
  }
  page.lastX = -1;
  return false;
}

/** Addresses of texels in a known page. */
// @ts-ignore: decorator
@inline function texelsIn<C>(site: Site, page: SitePage, i: v128, j: v128): v128 {
  const columns = i32x4.add(i32x4.splat(page.origin), i32x4.shl(i, texelShift<C>()));
  return i32x4.add(columns, i32x4.shl(j, site.access.texture.stream.pageShift + texelShift<C>()));
}

/**
 * Computes the taps of a quad that is not in one resident page, with addresses instead of offsets. `i` and `j` are its
 * first columns and rows before the address mode. Returns PLACE_*.
 */
function placeAcross(site: Site, taps: SiteTaps, index: i32, i: v128, j: v128): i32 {
  const access = site.access;
  const texture = access.texture;
  const record = texture.level(index);
  const sampler = access.sampler;
  const modeU = sampler.addressU;
  const modeV = sampler.addressV;
  const lastX = i32x4.splat(record.innerX + 1);
  const lastY = i32x4.splat(record.innerY + 1);
  const one = i32x4.splat(1);
  const z = layersOf(access, 0, texture.layers);
  const read = site.warp.access.quadRead;
  const misses = read.misses;
  const hasSmaller = changetype<usize>(misses) != 0 && !texture.stream.waits && index + 1 < texture.levelCount;
  if (misses) misses.anyMiss = 0;
  const levels = i32x4.splat(index);
  const i0 = firstIndices(i, lastX, modeU);
  const j0 = firstIndices(j, lastY, modeV);
  const to = taps.offsets00;
  if (sampler.mag == FILTER_LINEAR) {
    const i1 = secondIndices(i32x4.add(i, one), lastX, modeU);
    const j1 = secondIndices(i32x4.add(j, one), lastY, modeV);
    putFootprints(to, i0, i1, j0, j1);
    if (pageFootprints(access, read, levels, z, to)) return PLACE_ROWS;
  } else v128.store(to, pageTexels(access, read, levels, z, i0, j0));
  return hasSmaller && misses.anyMiss ? PLACE_SMALLER : PLACE_ANYWHERE;
}

/**
 * Computes the taps of a quad whose texels, with their right and lower neighbours if `linear`, are all in one resident
 * page, with addresses instead of offsets. Returns false otherwise, with undefined taps. `isNext`: the level is the
 * second of two. `x` and `y` come from turnedTexel.
 */
// @ts-ignore: decorator
@inline function placeInside<C>(site: Site, isNext: bool, record: TextureLevel, x: v128, y: v128, linear: bool): bool {
  const taps = isNext ? site.nextTaps : site.taps;
  const page = isNext ? site.part.nextPage : site.part.page;
  const wholeX = f32x4.floor(x);
  const wholeY = f32x4.floor(y);
  const i = wholeInts(wholeX);
  const j = wholeInts(wholeY);
  if (!isInPage(site, page, record, i, j, linear)) return false;
  v128.store(taps.offsets00, texelsIn<C>(site, page, i, j));
  if (linear) storeFractions<C>(taps, f32x4.sub(x, wholeX), f32x4.sub(y, wholeY));
  return true;
}

// Computes the addresses of the neighbours in rows of a page, for texels that are read one by one.
function completeRows(taps: SiteTaps, texelBytes: i32, rowBytes: i32): void {
  const first = v128.load(taps.offsets00);
  const one = i32x4.splat(texelBytes);
  const rows = i32x4.splat(rowBytes);
  v128.store(taps.offsets10, i32x4.add(first, one));
  v128.store(taps.offsets01, i32x4.add(first, rows));
  v128.store(taps.offsets11, i32x4.add(i32x4.add(first, rows), one));
}

/** Fetches the quad's texels in one level to `texels`: eight v128 (see site-bytes.ts), or pixels of four channels. */
// @ts-ignore: decorator
@inline function fetchLevel<C>(taps: SiteTaps, rows: bool, rowBytes: i32, texels: usize): void {
  if (isInteger<C>()) {
    if (sizeof<C>() > 1 && rows) fetchPage<C>(taps, rowBytes, texels);
    else {
      if (rows) completeRows(taps, sizeof<C>(), rowBytes);
      fetchTexelsOf<C>(taps, texels);
    }
  } else if (sizeof<C>() == 8) {
    if (rows) filterInside(taps.offsets00, 0, rowBytes, taps.fx, texels);
    else filterHalves(taps.offsets00, 0, taps.fx, texels);
  } else if (rows) completeRows(taps, 4, rowBytes);
}

/** Filters what fetchLevel fetched for one level or two and writes the results. */
// @ts-ignore: decorator
@inline function putLevels<C>(site: Site, fraction: f32): void {
  if (isInteger<C>()) {
    if (fraction == 0) putPages<C>(false, site, 0);
    else putPages<C>(true, site, fraction);
    return;
  }
  const results = changetype<SiteTexture>(site.part.first).results(site);
  if (sizeof<C>() == 8) {
    const pixels = site.texels;
    if (fraction != 0) {
      const fractions = f32x4.splat(fraction);
      for (let at = pixels; at < pixels + 64; at += 16)
        v128.store(at, lerp(v128.load(at), v128.load(at, 64), fractions));
    }
    storePixels(results, pixels);
    return;
  }
  let value = filterFloats(site.access, site.taps, 0, true);
  if (fraction != 0) value = lerp(value, filterFloats(site.access, site.nextTaps, 0, true), f32x4.splat(fraction));
  v128.store(results, value);
}

/** As putLevels, for unfiltered texels. */
// @ts-ignore: decorator
@inline function putNearest<C>(site: Site, fraction: f32): void {
  const entry = changetype<SiteTexture>(site.part.first);
  const results = entry.results(site);
  const fractions = f32x4.splat(fraction);
  if (isFloat<C>() && sizeof<C>() == 4) {
    let value = filterFloats(site.access, site.taps, 0, false);
    if (fraction != 0) value = lerp(value, filterFloats(site.access, site.nextTaps, 0, false), fractions);
    v128.store(results, value);
    return;
  }
  nearestTexels<C>(site.taps, 0, results, entry.flags, fraction == 0 ? STEP_ONLY : STEP_FIRST, fractions);
  if (fraction != 0) nearestTexels<C>(site.nextTaps, 0, results, entry.flags, STEP_SECOND, fractions);
}

// The quad's level, with the weight of the next one as its fraction, as in readQuad (site-quad.ts). NaN if the pixels
// have different levels.
// @ts-ignore: decorator
@inline function positionOf(site: Site): v128 {
  const part = site.part;
  const access = site.access;
  const kind = part.lod;
  let lods: v128;
  if (kind == SITE_LOD_IMPLICIT)
    lods = implicitLod(access.texture, v128.load(site.operands), v128.load(site.operands + SITE_OPERAND_V));
  else {
    lods = kind == SITE_LOD_LEVEL ? v128.load(site.operands + SITE_OPERAND_LEVEL) : lodsOfQuad(access, 0);
    if (!isSplat(lods)) return f32x4.splat(NaN);
  }
  const position = within(
    changetype<usize>(part) + offsetof<SitePart>('low'),
    changetype<usize>(part) + offsetof<SitePart>('high'),
    lods
  );
  if (access.sampler.mipmap == FILTER_LINEAR) return position;
  return f32x4.floor(f32x4.add(position, splatFrom(NUMBERS, HALF)));
}

/** Positions in a level, in texels, in any address mode. */
function positionsIn(site: Site, operand: usize, size: i32, linear: bool): v128 {
  const u = v128.load(site.operands + operand);
  const access = site.access;
  const mode = operand ? access.sampler.addressV : access.sampler.addressU;
  const offset = operand ? access.offsetY : access.offsetX;
  const center = linear ? splatFrom(NUMBERS, MINUS_HALF) : f32x4.splat(0);
  return tapsOfQuad(u, i32x4.splat(size), mode, f32x4.add(f32x4.splat(<f32>offset), center), offset != 0);
}

/** Computes the taps of any quad in the level `index`. `isAcross`: it is not in one resident page. Returns PLACE_*. */
function placeQuad<C>(site: Site, isNext: bool, index: i32, isAcross: bool): i32 {
  const linear = site.access.sampler.mag == FILTER_LINEAR;
  const record = site.access.texture.level(index);
  const x = positionsIn(site, 0, record.width, linear);
  const y = positionsIn(site, SITE_OPERAND_V, record.height, linear);
  if (!isAcross && !site.access.layer && placeInside<C>(site, isNext, record, x, y, linear)) return PLACE_ROWS;
  const wholeX = f32x4.floor(x);
  const wholeY = f32x4.floor(y);
  const taps = isNext ? site.nextTaps : site.taps;
  storeFractions<C>(taps, f32x4.sub(x, wholeX), f32x4.sub(y, wholeY));
  return placeAcross(site, taps, index, wholeInts(wholeX), wholeInts(wholeY));
}

/** Reads a quad that is not in one resident page per level. */
function readAcross<C>(site: Site, index: i32, fraction: f32): void {
  const part = site.part;
  const stream = site.access.texture.stream;
  let place = placeQuad<C>(site, false, index, fraction == 0);
  let next = PLACE_ROWS;
  if (place == PLACE_SMALLER) {
    fraction = 0;
    do {
      index++;
      // Known pages are of the level that was asked for.
      forgetPages(part, stream);
      place = placeQuad<C>(site, false, index, false);
    } while (place == PLACE_SMALLER);
    forgetPages(part, stream);
  } else if (fraction != 0) {
    next = placeQuad<C>(site, true, index + 1, false);
    if (next == PLACE_SMALLER) fraction = 0;
  }
  if (site.access.sampler.mag != FILTER_LINEAR) {
    putNearest<C>(site, fraction);
    return;
  }
  const rowBytes = (1 << stream.pageShift) << texelShift<C>();
  fetchLevel<C>(site.taps, place == PLACE_ROWS, rowBytes, site.texels);
  if (fraction != 0) fetchLevel<C>(site.nextTaps, next == PLACE_ROWS, rowBytes, site.texels + 64);
  putLevels<C>(site, fraction);
}

/** Reads a quad whose texels are all in one page per level; returns false otherwise. */
// @ts-ignore: decorator
@inline function readInside<C>(site: Site, index: i32, fraction: f32, address: i32, linear: bool): bool {
  const texture = site.access.texture;
  const record = texture.level(index);
  if (address == ADDRESS_ANY) {
    if (site.access.layer) return false;
    const x = positionsIn(site, 0, record.width, linear);
    if (!placeInside<C>(site, false, record, x, positionsIn(site, SITE_OPERAND_V, record.height, linear), linear))
      return false;
    if (fraction != 0) {
      const next = record.next();
      const nextX = positionsIn(site, 0, next.width, linear);
      if (!placeInside<C>(site, true, next, nextX, positionsIn(site, SITE_OPERAND_V, next.height, linear), linear))
        return false;
    }
  } else {
    const center = linear ? splatFrom(NUMBERS, MINUS_HALF) : f32x4.splat(0);
    const u = turnNumbers(v128.load(site.operands), address);
    const v = turnNumbers(v128.load(site.operands + SITE_OPERAND_V), address);
    const x = turnedTexel(u, i32x4.splat(record.width), address, center, false);
    const y = turnedTexel(v, i32x4.splat(record.height), address, center, false);
    if (!placeInside<C>(site, false, record, x, y, linear)) return false;
    if (fraction != 0) {
      const next = record.next();
      const nextX = turnedTexel(u, i32x4.splat(next.width), address, center, false);
      const nextY = turnedTexel(v, i32x4.splat(next.height), address, center, false);
      if (!placeInside<C>(site, true, next, nextX, nextY, linear)) return false;
    }
  }
  if (!linear) {
    putNearest<C>(site, fraction);
    return true;
  }
  const rowBytes = (1 << texture.stream.pageShift) << texelShift<C>();
  fetchLevel<C>(site.taps, true, rowBytes, site.texels);
  if (fraction != 0) fetchLevel<C>(site.nextTaps, true, rowBytes, site.texels + 64);
  putLevels<C>(site, fraction);
  return true;
}

/**
 * Reads a quad of a streamed texture. C is an integer type of the texel's size, f64 for half floats, or f32 for floats.
 * `address` is the ADDRESS_* mode of both coordinates, or ADDRESS_ANY.
 */
// @ts-ignore: decorator
@inline export function readPages<C>(site: Site, address: i32, linear: bool): void {
  const part = site.part;
  const stream = site.access.texture.stream;
  if (part.version != stream.version) forgetPages(part, stream);
  let index = 0;
  let fraction: f32 = 0;
  if (part.lod != SITE_LOD_NONE) {
    const position = positionOf(site);
    // As in readQuad, a guess that a branch confirms lets the processor fetch texels before the level is known.
    index = part.guess;
    let rest = f32x4.sub(
      position,
      f32x4.convert_i32x4_s(v128.load32_splat(changetype<usize>(part) + offsetof<SitePart>('guess')))
    );
    // Not in 0…1.
    if (<u32>i32x4.extract_lane(rest, 0) >= 0x3f800000) {
      if (!i32x4.extract_lane(f32x4.eq(position, position), 0)) {
        generalSite(site);
        return;
      }
      const whole = f32x4.floor(position);
      index = i32x4.extract_lane(wholeInts(whole), 0);
      part.guess = index;
      forgetPages(part, stream);
      rest = f32x4.sub(position, whole);
    }
    fraction = f32x4.extract_lane(rest, 0);
  }
  if (!readInside<C>(site, index, fraction, address, linear)) readAcross<C>(site, index, fraction);
}
