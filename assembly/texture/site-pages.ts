// Reads of a quad at a site from a streamed texture of bytes, filtered. Most quads lie in one page in each level: its
// entry is looked at once, and the texels are read as those of any texture, in rows as long as the page. Where a
// footprint goes over an edge each texel is looked for by itself (pages.ts): of pages of 128 texels, and quads that are
// read at their own size, 3 to 6 in a hundred. So pages need no border that would have to follow their neighbours'
// coming and going.
import {
  FILTER_LINEAR, Site, SITE_LOD_IMPLICIT, SITE_LOD_LEVEL, SITE_LOD_NONE, SitePart, SiteTaps,
} from '../layout';
import { isSplat, splatFrom } from '../simd/lanes';
import { firstIndices, secondIndices, tapsOfQuad, wholeInts } from './axis';
import { HALF, MINUS_HALF, NUMBERS } from './constants';
import { byteWeights } from './filter';
import { implicitLod, lodsOfQuad, within } from './lods';
import { entryOf, noteMissOf, noteUse, pageTexels } from './pages';
import { layersOf } from './places';
import { fetchPage, fetchTexelsOf, putPages } from './site-bytes';
import { generalSite } from './site-general';

/** Where the texels of a level lie: not all there, and a smaller level stands for them; anywhere; in rows of a page. */
const PLACE_SMALLER = 0;
const PLACE_ANYWHERE = 1;
const PLACE_ROWS = 2;

/** Taps of the quad in a level, with addresses in place of offsets. Gives PLACE_*. */
function placeQuad(site: Site, taps: SiteTaps, index: i32): i32 {
  const access = site.access, sampler = access.sampler, texture = access.texture, record = texture.level(index);
  const modeU = sampler.addressU, modeV = sampler.addressV;
  const one = i32x4.splat(1), center = splatFrom(NUMBERS, MINUS_HALF);
  const shiftX = f32x4.add(f32x4.splat(<f32>access.offsetX), center);
  const shiftY = f32x4.add(f32x4.splat(<f32>access.offsetY), center);
  const x = tapsOfQuad(v128.load(site.operands), i32x4.splat(record.width), modeU, shiftX, access.offsetX != 0);
  const y = tapsOfQuad(v128.load(site.operands + 16), i32x4.splat(record.height), modeV, shiftY, access.offsetY != 0);
  const wholeX = f32x4.floor(x), wholeY = f32x4.floor(y);
  const i = wholeInts(wholeX), j = wholeInts(wholeY);
  const lastX = i32x4.splat(record.innerX + 1), lastY = i32x4.splat(record.innerY + 1);
  const i0 = firstIndices(i, lastX, modeU), i1 = secondIndices(i32x4.add(i, one), lastX, modeU);
  const j0 = firstIndices(j, lastY, modeV), j1 = secondIndices(i32x4.add(j, one), lastY, modeV);
  const z = layersOf(access, 0, texture.layers);
  const fx = f32x4.sub(x, wholeX);
  v128.store(taps.weights, byteWeights(fx));
  v128.store(taps.fx, fx);
  v128.store(taps.fy, f32x4.sub(y, wholeY));
  const stream = texture.stream, shift = stream.pageShift;
  const read = site.warp.access.quadRead, misses = read.misses;
  const hasSmaller = !stream.waits && index + 1 < texture.levelCount;
  const x0 = i32x4.extract_lane(i0, 0), y0 = i32x4.extract_lane(j0, 0), z0 = i32x4.extract_lane(z, 0);
  // The first texel of the page; how far the others are from it.
  const cornerX = i32x4.splat(x0 >> shift << shift), cornerY = i32x4.splat(y0 >> shift << shift);
  const column = i32x4.sub(i0, cornerX), row = i32x4.sub(j0, cornerY), side = i32x4.splat(1 << shift);
  const apart = v128.or(
    v128.or(v128.xor(i1, i32x4.add(i0, one)), v128.xor(j1, i32x4.add(j0, one))), v128.xor(z, i32x4.splat(z0))
  );
  // The second texels are in it, too, as unsigned numbers.
  const inside = v128.and(
    i32x4.lt_u(i32x4.add(column, one), side), v128.and(i32x4.lt_u(row, side), i32x4.lt_u(i32x4.add(row, one), side))
  );
  if (!v128.any_true(apart) && i32x4.all_true(v128.and(inside, i32x4.lt_u(column, side)))) {
    const entry = entryOf(stream, record, x0, y0, z0), page = entry.page;
    if (page) {
      noteUse(stream, entry);
      const texels = i32x4.shl(i32x4.add(i32x4.shl(row, shift), column), stream.texelShift);
      v128.store(taps.offsets00, i32x4.add(i32x4.splat(page), texels));
      return PLACE_ROWS;
    }
    if (hasSmaller && noteMissOf(misses, entry)) return PLACE_SMALLER;
  }
  if (misses) misses.seen = 0;
  const levels = i32x4.splat(index);
  v128.store(taps.offsets00, pageTexels(access, read, levels, z, i0, j0));
  v128.store(taps.offsets10, pageTexels(access, read, levels, z, i1, j0));
  v128.store(taps.offsets01, pageTexels(access, read, levels, z, i0, j1));
  v128.store(taps.offsets11, pageTexels(access, read, levels, z, i1, j1));
  return hasSmaller && misses && misses.seen ? PLACE_SMALLER : PLACE_ANYWHERE;
}

// @ts-ignore: decorator
@inline function fetchLevel<C>(site: Site, taps: SiteTaps, place: i32, texels: usize): void {
  const stream = site.access.texture.stream;
  if (sizeof<C>() > 1 && place == PLACE_ROWS) fetchPage<C>(taps, sizeof<C>() << stream.pageShift, texels);
  else {
    if (sizeof<C>() == 1 && place == PLACE_ROWS) completeRows(taps, 1 << stream.pageShift);
    fetchTexelsOf<C>(taps, texels);
  }
}

// Of single bytes, which are read one by one.
function completeRows(taps: SiteTaps, rowBytes: i32): void {
  const first = v128.load(taps.offsets00), one = i32x4.splat(1), rows = i32x4.splat(rowBytes);
  v128.store(taps.offsets10, i32x4.add(first, one));
  v128.store(taps.offsets01, i32x4.add(first, rows));
  v128.store(taps.offsets11, i32x4.add(i32x4.add(first, rows), one));
}

// The quad's level and the fraction of the next one, as readQuad (site-quad.ts) has them. NaN: pixels have levels of
// their own.
function positionOf(site: Site): f32 {
  const part = site.part, access = site.access, kind = part.lod;
  if (kind == SITE_LOD_NONE) return 0;
  let lods: v128;
  if (kind == SITE_LOD_IMPLICIT)
    lods = implicitLod(access.texture, v128.load(site.operands), v128.load(site.operands + 16));
  else {
    lods = kind == SITE_LOD_LEVEL ? v128.load(site.operands + 64) : lodsOfQuad(access, 0);
    if (!isSplat(lods)) return NaN;
  }
  let position = within(
    changetype<usize>(part) + offsetof<SitePart>('low'), changetype<usize>(part) + offsetof<SitePart>('high'), lods
  );
  if (access.sampler.mipmap != FILTER_LINEAR)
    position = f32x4.floor(f32x4.add(position, splatFrom(NUMBERS, HALF)));
  return f32x4.extract_lane(position, 0);
}

/** Reads a quad of a streamed texture, filtered. `C`: an integer of a texel's size. */
// @ts-ignore: decorator
@inline export function readPages<C>(site: Site): void {
  const position = positionOf(site);
  if (!(position == position)) {
    generalSite(site);
    return;
  }
  const whole = floor<f32>(position);
  let index = <i32>whole;
  let fraction: f32 = position - whole;
  let place = placeQuad(site, site.taps, index);
  while (place == PLACE_SMALLER) {
    index++;
    fraction = 0;
    place = placeQuad(site, site.taps, index);
  }
  fetchLevel<C>(site, site.taps, place, site.texels);
  if (fraction != 0) {
    const next = placeQuad(site, site.nextTaps, index + 1);
    if (next == PLACE_SMALLER) fraction = 0;
    else fetchLevel<C>(site, site.nextTaps, next, site.texels + 64);
  }
  if (fraction == 0) putPages<C>(false, site, 0);
  else putPages<C>(true, site, fraction);
}
