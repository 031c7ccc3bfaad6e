// Reads of a quad from float textures, and comparisons with depth textures, in one level. Results equal those of
// readFloats (site-texels.ts), which takes the quads that are not INSIDE (site-bytes.ts).
import {
  Access,
  ADDRESS_CLAMP,
  COMPARE_GREATER,
  COMPARE_GREATER_EQUAL,
  COMPARE_LESS,
  COMPARE_LESS_EQUAL,
  Site,
  SITE_OPERAND_V,
  SiteTexture,
  sizeOf,
  TextureLevel,
} from '../../layout';
import { evenLanes, oddLanes, splatFrom } from '../../simd/lanes';
import { gatherTexels } from '../../simd/texels';
import { turnedTexel, turnNumbers, wholeInts } from '../addresses/axis';
import { layersOf } from '../addresses/places';
import { referencesOf } from '../texels/compare';
import { MINUS_HALF, NUMBERS, ONE } from '../texels/constants';
import { lerp } from '../texels/filter';
import { outside, rowOfTwo } from './site-bytes';

/** Positions of the quad in one coordinate, in texels, shifted by `center`. */
export function positions(coordinates: usize, size: i32, mode: i32, center: v128): v128 {
  return turnedTexel(turnNumbers(v128.load(coordinates), mode), i32x4.splat(size), mode, center, false);
}

/**
 * The last texels at or before the positions. Where comparisons clamp, the last one has a successor too: filtering with
 * the fraction 1 is exact for zeros and ones.
 */
function wholes(x: v128, inner: i32, clamps: bool): v128 {
  const whole = f32x4.floor(x);
  return clamps ? f32x4.pmin(whole, f32x4.splat(<f32>inner)) : whole;
}

/** Whether a read is compared, and not in an order that `compared` supports. */
function isUnordered(access: Access): bool {
  const compare = access.sampler.compare;
  return access.compare != 0 && !isStrict(compare) && !flips(compare) && compare != COMPARE_LESS_EQUAL;
}
function isStrict(compare: i32): bool {
  return compare == COMPARE_LESS || compare == COMPARE_GREATER;
}
/** "Greater" is "less" with both signs flipped. */
function flips(compare: i32): bool {
  return compare == COMPARE_GREATER || compare == COMPARE_GREATER_EQUAL;
}

/** 1 where the reference passes against a texel of flipped sign, else 0. */
function compared(strict: bool, reference: v128, texels: v128): v128 {
  return v128.and(splatFrom(NUMBERS, ONE), strict ? f32x4.lt(reference, texels) : f32x4.le(reference, texels));
}

/** Reads the textures of the part, if all pixels are INSIDE; otherwise returns false. */
export function readFloatsInside(site: Site, level: usize): bool {
  const access = site.access;
  if (isUnordered(access) || access.offsetX | access.offsetY) return false;
  const sampler = access.sampler;
  const compares = access.compare != 0;
  const record = changetype<TextureLevel>(changetype<usize>(access.texture) + level);
  const modeU = sampler.addressU;
  const modeV = sampler.addressV;
  const center = splatFrom(NUMBERS, MINUS_HALF);
  const x = positions(site.operands, record.width, modeU, center);
  const y = positions(site.operands + SITE_OPERAND_V, record.height, modeV, center);
  const wholeX = wholes(x, record.innerX, compares && modeU == ADDRESS_CLAMP);
  const wholeY = wholes(y, record.innerY, compares && modeV == ADDRESS_CLAMP);
  const i = wholeInts(wholeX);
  const j = wholeInts(wholeY);
  if (i32x4.bitmask(v128.or(outside(i, record.innerX), outside(j, record.innerY)))) return false;
  filterRows(site, level, placesOf(access, record, i, j), f32x4.sub(x, wholeX), f32x4.sub(y, wholeY));
  return true;
}

/** Byte offsets of the texels in columns `i` and rows `j`. */
function placesOf(access: Access, record: TextureLevel, i: v128, j: v128): v128 {
  const places = i32x4.add(i32x4.mul(j, i32x4.splat(record.rowBytes)), i32x4.shl(i, 2));
  if (!access.layer) return places;
  return i32x4.add(places, i32x4.mul(layersOf(access, 0, access.texture.layers), i32x4.splat(record.layerBytes)));
}

/** Filters two by two texels of each pixel, the first of which is at `places`. */
// @ts-ignore: decorator
@inline function filterRows(site: Site, level: usize, places: v128, fx: v128, fy: v128): void {
  const access = site.access;
  const compares = access.compare != 0;
  const compare = access.sampler.compare;
  const strict = isStrict(compare);
  const row = changetype<TextureLevel>(changetype<usize>(access.texture) + level).rowBytes;
  const p0 = <usize>i32x4.extract_lane(places, 0);
  const p1 = <usize>i32x4.extract_lane(places, 1);
  const p2 = <usize>i32x4.extract_lane(places, 2);
  const p3 = <usize>i32x4.extract_lane(places, 3);
  const end = site.part.end;
  for (let at = site.part.first; at < end; at += sizeOf<SiteTexture>()) {
    const entry = changetype<SiteTexture>(at);
    const base = entry.level(level).address;
    const lower = base + row;
    const upper0 = rowOfTwo(base + p0, base + p1);
    const upper1 = rowOfTwo(base + p2, base + p3);
    const lower0 = rowOfTwo(lower + p0, lower + p1);
    const lower1 = rowOfTwo(lower + p2, lower + p3);
    let a00 = evenLanes(upper0, upper1);
    let a10 = oddLanes(upper0, upper1);
    let a01 = evenLanes(lower0, lower1);
    let a11 = oddLanes(lower0, lower1);
    if (compares) {
      const sign = i32x4.splat(flips(compare) ? 0x80000000 : 0);
      const reference = v128.xor(referencesOf(access, 0), sign);
      a00 = compared(strict, reference, v128.xor(a00, sign));
      a10 = compared(strict, reference, v128.xor(a10, sign));
      a01 = compared(strict, reference, v128.xor(a01, sign));
      a11 = compared(strict, reference, v128.xor(a11, sign));
    }
    v128.store(entry.results(site), lerp(lerp(a00, a10, fx), lerp(a01, a11, fx), fy));
  }
}

/** Reads the textures of the part from taps INSIDE, if they are not compared or in order; otherwise returns false. */
export function readFloatRows(site: Site, level: usize): bool {
  if (isUnordered(site.access)) return false;
  const taps = site.taps;
  filterRows(site, level, v128.load(taps.offsets00), v128.load(taps.fx), v128.load(taps.fy));
  return true;
}

/** Reads the textures of the part unfiltered, if all texels are found by `positions`; otherwise returns false. */
export function readFloatsNearest(site: Site, level: usize): bool {
  const access = site.access;
  if (isUnordered(access) || access.offsetX | access.offsetY) return false;
  const sampler = access.sampler;
  const record = changetype<TextureLevel>(changetype<usize>(access.texture) + level);
  const none = f32x4.splat(0);
  const i = wholeInts(f32x4.floor(positions(site.operands, record.width, sampler.addressU, none)));
  const j = wholeInts(f32x4.floor(positions(site.operands + SITE_OPERAND_V, record.height, sampler.addressV, none)));
  if (i32x4.bitmask(v128.or(outside(i, record.innerX + 1), outside(j, record.innerY + 1)))) return false;
  v128.store(site.taps.offsets00, placesOf(access, record, i, j));
  const compare = sampler.compare;
  const end = site.part.end;
  for (let at = site.part.first; at < end; at += sizeOf<SiteTexture>()) {
    const entry = changetype<SiteTexture>(at);
    let texels = gatherTexels<u32>(entry.level(level).address, site.taps.offsets00);
    if (access.compare) {
      const sign = i32x4.splat(flips(compare) ? 0x80000000 : 0);
      const reference = v128.xor(referencesOf(access, 0), sign);
      texels = compared(isStrict(compare), reference, v128.xor(texels, sign));
    }
    v128.store(entry.results(site), texels);
  }
  return true;
}
