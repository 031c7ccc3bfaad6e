// Filtered reads of a quad from textures of one or two half floats (r16float, rg16float) in their first level. Results
// equal those of quad.ts. Depth of field, whose circles of confusion are such texels, takes 23 % less time than by the
// general path; a rough material, whose table of reflections is read at its last row, 10 % less.
import { Site, SITE_OPERAND_V, SiteTexture, sizeOf, TextureLevel } from '../../layout';
import { evenLanes, oddLanes, splatFrom } from '../../simd/lanes';
import { gatherTexels } from '../../simd/texels';
import { wholeInts } from '../addresses/axis';
import { layersOf } from '../addresses/places';
import { outside, rowOfTwo } from './site-bytes';
import { positions } from './site-floats';
import { MINUS_HALF, NUMBERS } from '../texels/constants';
import { areAllFinite, filterNarrowWindow, highFinite, lowFinite } from '../texels/halves';
import { tapsAnywhere } from './site-taps';
import { edgePositions, isWindow } from './windows';
import { highHalves, lowHalves, ofCorners } from './site-texels';

/** Reads the textures of the part; C has the size of their texels. */
// @ts-ignore: decorator
@inline
export function readNarrow<C>(site: Site): void {
  const access = site.access;
  const sampler = access.sampler;
  const texture = access.texture;
  const record = texture.level(0);
  if (sizeof<C>() == 2 && !access.layer && sampler.addressU == sampler.addressV && readNarrowWindow(site, record))
    return;
  const center = splatFrom(NUMBERS, MINUS_HALF);
  const x = positions(site.operands, record.width, sampler.addressU, center);
  const y = positions(site.operands + SITE_OPERAND_V, record.height, sampler.addressV, center);
  const wholeX = f32x4.floor(x);
  const wholeY = f32x4.floor(y);
  const i = wholeInts(wholeX);
  const j = wholeInts(wholeY);
  if (i32x4.bitmask(v128.or(outside(i, record.innerX), outside(j, record.innerY)))) {
    readEdge<C>(site, record);
    return;
  }
  const row = record.rowBytes;
  let places = i32x4.add(i32x4.mul(j, i32x4.splat(row)), i32x4.shl(i, narrowShift<C>()));
  if (access.layer)
    places = i32x4.add(places, i32x4.mul(layersOf(access, 0, texture.layers), i32x4.splat(record.layerBytes)));
  const taps = site.taps;
  v128.store(taps.offsets00, places);
  v128.store(taps.fx, f32x4.sub(x, wholeX));
  v128.store(taps.fy, f32x4.sub(y, wholeY));
  const level = changetype<usize>(record) - changetype<usize>(texture);
  const end = site.part.end;
  for (let at = site.part.first; at < end; at += sizeOf<SiteTexture>()) {
    const entry = changetype<SiteTexture>(at);
    filterNarrow<C>(site, entry, entry.level(level), row);
  }
}

// Reads one half float per texel if the quad reads a window; otherwise returns false.
// @ts-ignore: decorator
@inline
function readNarrowWindow(site: Site, record: TextureLevel): bool {
  const u = v128.load(site.operands);
  const v = v128.load(site.operands + SITE_OPERAND_V);
  const places = edgePositions(record, u, v, site.access.sampler.addressU);
  const whole = f32x4.floor(places);
  const i = wholeInts(whole);
  if (!isWindow(record, u, v, i)) return false;
  const row = record.rowBytes;
  const offset = i32x4.extract_lane(i, 1) * row + (i32x4.extract_lane(i, 0) << 1);
  const level = changetype<usize>(record) - changetype<usize>(site.access.texture);
  const f = f32x4.sub(places, whole);
  const end = site.part.end;
  for (let at = site.part.first; at < end; at += sizeOf<SiteTexture>()) {
    const entry = changetype<SiteTexture>(at);
    v128.store(entry.results(site), filterNarrowWindow(entry.level(level).address + offset, row, f));
  }
  return true;
}

/** Shift of the bytes of a texel. */
function narrowShift<C>(): i32 {
  return sizeof<C>() == 4 ? 2 : 1;
}

// Reads quads some of whose texels have no adjacent right or lower neighbour: these are addressed one by one.
function readEdge<C>(site: Site, record: TextureLevel): void {
  const taps = site.taps;
  tapsAnywhere(site, taps, record, narrowShift<C>(), true);
  const level = changetype<usize>(record) - changetype<usize>(site.access.texture);
  const end = site.part.end;
  for (let at = site.part.first; at < end; at += sizeOf<SiteTexture>()) {
    const entry = changetype<SiteTexture>(at);
    const base = entry.level(level).address;
    filterCorners<C>(
      site,
      entry,
      gatherTexels<C>(base, taps.offsets00),
      gatherTexels<C>(base, taps.offsets10),
      gatherTexels<C>(base, taps.offsets01),
      gatherTexels<C>(base, taps.offsets11)
    );
  }
}

/** Filters the texels of a texture that has rows of `row` bytes. */
// @ts-ignore: decorator
@inline
function filterNarrow<C>(site: Site, entry: SiteTexture, record: TextureLevel, row: usize): void {
  const taps = site.taps;
  const offsets = taps.offsets00;
  const results = entry.results(site);
  const base = record.address;
  if (sizeof<C>() == 2) {
    const upper = gatherTexels<u32>(base, offsets);
    const lower = gatherTexels<u32>(base + row, offsets);
    if (areAllFinite(upper, upper, lower, lower))
      v128.store(results, ofCorners(taps, lowFinite(upper), highFinite(upper), lowFinite(lower), highFinite(lower)));
    else v128.store(results, ofCorners(taps, lowHalves(upper), highHalves(upper), lowHalves(lower), highHalves(lower)));
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
  const a00 = evenLanes(upper0, upper1);
  const a10 = oddLanes(upper0, upper1);
  const a01 = evenLanes(lower0, lower1);
  const a11 = oddLanes(lower0, lower1);
  filterCorners<C>(site, entry, a00, a10, a01, a11);
}

/** Filters four texels of each pixel; a texel is the lower half of a word or both halves. */
function filterCorners<C>(site: Site, entry: SiteTexture, a00: v128, a10: v128, a01: v128, a11: v128): void {
  const taps = site.taps;
  const results = entry.results(site);
  const second = sizeof<C>() == 4 && (entry.flags & 2) != 0;
  if (areAllFinite(a00, a10, a01, a11)) {
    if (entry.flags & 1)
      v128.store(results, ofCorners(taps, lowFinite(a00), lowFinite(a10), lowFinite(a01), lowFinite(a11)));
    if (second)
      v128.store(results, ofCorners(taps, highFinite(a00), highFinite(a10), highFinite(a01), highFinite(a11)), 16);
    return;
  }
  if (entry.flags & 1)
    v128.store(results, ofCorners(taps, lowHalves(a00), lowHalves(a10), lowHalves(a01), lowHalves(a11)));
  if (second)
    v128.store(results, ofCorners(taps, highHalves(a00), highHalves(a10), highHalves(a01), highHalves(a11)), 16);
}
