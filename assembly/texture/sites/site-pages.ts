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
  SitePart,
  SiteTaps,
  SiteTexture,
  TextureLevel,
} from '../../layout';
import { isSplat, splatFrom } from '../../simd/lanes';
import { firstIndices, secondIndices, tapsOfQuad, turnedTexel, turnNumbers, wholeInts } from '../addresses/axis';
import { HALF, MINUS_HALF, NUMBERS } from '../texels/constants';
import { byteWeights, lerp, texelShift } from '../texels/filter';
import { filterHalves, filterInside, storePixels } from '../texels/halves';
import { implicitLod, lodsOfQuad, within } from '../lods';
import { entryOf, noteUse, pageTexels } from '../addresses/pages';
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

/**
 * Computes the taps of a quad whose texels, with their right and lower neighbours if `linear`, are all in one resident
 * page. The taps hold addresses instead of offsets. Returns false otherwise, with undefined taps. `x` and `y` come from
 * turnedTexel.
 */
// @ts-ignore: decorator
@inline function placeInside<C>(
  site: Site,
  taps: SiteTaps,
  record: TextureLevel,
  x: v128,
  y: v128,
  linear: bool
): bool {
  const wholeX = f32x4.floor(x);
  const wholeY = f32x4.floor(y);
  const i = wholeInts(wholeX);
  const j = wholeInts(wholeY);
  const stream = site.access.texture.stream;
  const shift = stream.pageShift;
  const side = 1 << shift;
  const read = site.warp.access.quadRead;
  const x0 = i32x4.extract_lane(i, 0);
  const y0 = i32x4.extract_lane(j, 0);
  const cornerX = x0 & -side;
  const cornerY = y0 & -side;
  // The last texel whose neighbours are within both the page and the texture.
  const past = linear ? 0 : 1;
  const lastX = min<i32>(side - 2, record.innerX - cornerX) + past;
  const lastY = min<i32>(side - 2, record.innerY - cornerY) + past;
  const column = i32x4.sub(i, i32x4.splat(cornerX));
  const row = i32x4.sub(j, i32x4.splat(cornerY));
  // Positions before the first texel become large unsigned numbers, beyond the last one. With a last texel of −1, all
  // positions are outside.
  const outside = v128.or(
    v128.or(column, i32x4.sub(i32x4.splat(lastX), column)),
    v128.or(row, i32x4.sub(i32x4.splat(lastY), row))
  );
  if (i32x4.bitmask(outside)) return false;
  const entry = entryOf(stream, record, x0, y0, 0, read);
  const page = entry.page;
  if (!page) return false;
  noteUse(stream, entry, read);
  const first = i32x4.add(i32x4.splat(page), i32x4.shl(column, texelShift<C>()));
  v128.store(taps.offsets00, i32x4.add(first, i32x4.shl(row, shift + texelShift<C>())));
  if (linear) storeFractions<C>(taps, f32x4.sub(x, wholeX), f32x4.sub(y, wholeY));
  return true;
}

/** Computes the taps of any quad in a level, with addresses instead of offsets. Returns PLACE_*. */
// @ts-ignore: decorator
@inline function placeQuad<C>(site: Site, taps: SiteTaps, index: i32, linear: bool): i32 {
  const access = site.access;
  const sampler = access.sampler;
  const texture = access.texture;
  const record = texture.level(index);
  const modeU = sampler.addressU;
  const modeV = sampler.addressV;
  const one = i32x4.splat(1);
  const center = linear ? splatFrom(NUMBERS, MINUS_HALF) : f32x4.splat(0);
  const shiftX = f32x4.add(f32x4.splat(<f32>access.offsetX), center);
  const shiftY = f32x4.add(f32x4.splat(<f32>access.offsetY), center);
  const x = tapsOfQuad(v128.load(site.operands), i32x4.splat(record.width), modeU, shiftX, access.offsetX != 0);
  const y = tapsOfQuad(
    v128.load(site.operands + SITE_OPERAND_V),
    i32x4.splat(record.height),
    modeV,
    shiftY,
    access.offsetY != 0
  );
  const wholeX = f32x4.floor(x);
  const wholeY = f32x4.floor(y);
  const i = wholeInts(wholeX);
  const j = wholeInts(wholeY);
  const lastX = i32x4.splat(record.innerX + 1);
  const lastY = i32x4.splat(record.innerY + 1);
  const i0 = firstIndices(i, lastX, modeU);
  const j0 = firstIndices(j, lastY, modeV);
  const z = layersOf(access, 0, texture.layers);
  const stream = texture.stream;
  const shift = stream.pageShift;
  const read = site.warp.access.quadRead;
  const misses = read.misses;
  const hasSmaller = changetype<usize>(misses) != 0 && !stream.waits && index + 1 < texture.levelCount;
  if (misses) misses.anyMiss = 0;
  const levels = i32x4.splat(index);
  if (!linear) {
    v128.store(taps.offsets00, pageTexels(access, read, levels, z, i0, j0));
    return hasSmaller && misses.anyMiss ? PLACE_SMALLER : PLACE_ANYWHERE;
  }
  const i1 = secondIndices(i32x4.add(i, one), lastX, modeU);
  const j1 = secondIndices(i32x4.add(j, one), lastY, modeV);
  storeFractions<C>(taps, f32x4.sub(x, wholeX), f32x4.sub(y, wholeY));
  const x0 = i32x4.extract_lane(i0, 0);
  const y0 = i32x4.extract_lane(j0, 0);
  const z0 = i32x4.extract_lane(z, 0);
  // The first texel of the page, and the distances of the others from it.
  const cornerX = i32x4.splat((x0 >> shift) << shift);
  const cornerY = i32x4.splat((y0 >> shift) << shift);
  const column = i32x4.sub(i0, cornerX);
  const row = i32x4.sub(j0, cornerY);
  const side = i32x4.splat(1 << shift);
  const apart = v128.or(
    v128.or(v128.xor(i1, i32x4.add(i0, one)), v128.xor(j1, i32x4.add(j0, one))),
    v128.xor(z, i32x4.splat(z0))
  );
  // The second texels must be in the page too, compared as unsigned numbers.
  const inside = v128.and(
    i32x4.lt_u(i32x4.add(column, one), side),
    v128.and(i32x4.lt_u(row, side), i32x4.lt_u(i32x4.add(row, one), side))
  );
  if (!v128.any_true(apart) && i32x4.all_true(v128.and(inside, i32x4.lt_u(column, side)))) {
    const entry = entryOf(stream, record, x0, y0, z0, read);
    const page = entry.page;
    if (page) {
      noteUse(stream, entry, read);
      const texels = i32x4.shl(i32x4.add(i32x4.shl(row, shift), column), texelShift<C>());
      v128.store(taps.offsets00, i32x4.add(i32x4.splat(page), texels));
      return PLACE_ROWS;
    }
  }
  v128.store(taps.offsets00, pageTexels(access, read, levels, z, i0, j0));
  v128.store(taps.offsets10, pageTexels(access, read, levels, z, i1, j0));
  v128.store(taps.offsets01, pageTexels(access, read, levels, z, i0, j1));
  v128.store(taps.offsets11, pageTexels(access, read, levels, z, i1, j1));
  return hasSmaller && misses.anyMiss ? PLACE_SMALLER : PLACE_ANYWHERE;
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

// Reads quads that are not INSIDE. A separate function, because V8 keeps fewer values in registers around calls.
// @ts-ignore: decorator
@inline function readAnywhere<C>(site: Site, index: i32, fraction: f32, linear: bool): void {
  const rowBytes = (1 << site.access.texture.stream.pageShift) << texelShift<C>();
  let place = placeQuad<C>(site, site.taps, index, linear);
  while (place == PLACE_SMALLER) {
    index++;
    fraction = 0;
    place = placeQuad<C>(site, site.taps, index, linear);
  }
  if (linear) fetchLevel<C>(site.taps, place == PLACE_ROWS, rowBytes, site.texels);
  if (fraction != 0) {
    const next = placeQuad<C>(site, site.nextTaps, index + 1, linear);
    if (next == PLACE_SMALLER) fraction = 0;
    else if (linear) fetchLevel<C>(site.nextTaps, next == PLACE_ROWS, rowBytes, site.texels + 64);
  }
  if (linear) putLevels<C>(site, fraction);
  else putNearest<C>(site, fraction);
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

/** Reads a quad whose texels are all in one page per level; returns false otherwise. */
// @ts-ignore: decorator
@inline function readInside<C>(site: Site, index: i32, fraction: f32, address: i32, linear: bool): bool {
  const texture = site.access.texture;
  const record = texture.level(index);
  const center = linear ? splatFrom(NUMBERS, MINUS_HALF) : f32x4.splat(0);
  const u = turnNumbers(v128.load(site.operands), address);
  const v = turnNumbers(v128.load(site.operands + SITE_OPERAND_V), address);
  const x = turnedTexel(u, i32x4.splat(record.width), address, center, false);
  const y = turnedTexel(v, i32x4.splat(record.height), address, center, false);
  if (!placeInside<C>(site, site.taps, record, x, y, linear)) return false;
  if (fraction != 0) {
    const next = record.next();
    const nextX = turnedTexel(u, i32x4.splat(next.width), address, center, false);
    const nextY = turnedTexel(v, i32x4.splat(next.height), address, center, false);
    if (!placeInside<C>(site, site.nextTaps, next, nextX, nextY, linear)) return false;
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
  let index = 0;
  let fraction: f32 = 0;
  if (site.part.lod != SITE_LOD_NONE) {
    const position = positionOf(site);
    const part = site.part;
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
      rest = f32x4.sub(position, whole);
    }
    fraction = f32x4.extract_lane(rest, 0);
  }
  if (address != ADDRESS_ANY && readInside<C>(site, index, fraction, address, linear)) return;
  readAnywhere<C>(site, index, fraction, linear);
}
