// Filtered reads of a quad from float textures, and comparisons with depth textures, in one level. Results equal those
// of readFloats (site-texels.ts), which takes the quads that are not INSIDE (site-bytes.ts).
import {
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
import { turnedTexel, turnNumbers, wholeInts } from '../addresses/axis';
import { layersOf } from '../addresses/places';
import { referencesOf } from '../texels/compare';
import { MINUS_HALF, NUMBERS, ONE } from '../texels/constants';
import { lerp } from '../texels/filter';
import { outside, rowOfTwo } from './site-bytes';

/** Positions of the quad in one coordinate, in texels. */
export function positions(coordinates: usize, size: i32, mode: i32): v128 {
  return turnedTexel(
    turnNumbers(v128.load(coordinates), mode),
    i32x4.splat(size),
    mode,
    splatFrom(NUMBERS, MINUS_HALF),
    false
  );
}

/**
 * The last texels at or before the positions. Where comparisons clamp, the last one has a successor too: filtering with
 * the fraction 1 is exact for zeros and ones.
 */
function wholes(x: v128, inner: i32, clamps: bool): v128 {
  const whole = f32x4.floor(x);
  return clamps ? f32x4.pmin(whole, f32x4.splat(<f32>inner)) : whole;
}

/** Reads the textures of the part, if all pixels are INSIDE; otherwise returns false. */
export function readFloatsInside(site: Site, level: usize): bool {
  const access = site.access;
  const sampler = access.sampler;
  const compares = access.compare != 0;
  const compare = sampler.compare;
  // Only comparisons that order; "greater" is "less" with both signs flipped.
  const strict = compare == COMPARE_LESS || compare == COMPARE_GREATER;
  const flips = compare == COMPARE_GREATER || compare == COMPARE_GREATER_EQUAL;
  if (compares && !(strict || flips || compare == COMPARE_LESS_EQUAL)) return false;
  if (access.offsetX | access.offsetY) return false;
  const record = changetype<TextureLevel>(changetype<usize>(access.texture) + level);
  const modeU = sampler.addressU;
  const modeV = sampler.addressV;
  const x = positions(site.operands, record.width, modeU);
  const y = positions(site.operands + SITE_OPERAND_V, record.height, modeV);
  const wholeX = wholes(x, record.innerX, compares && modeU == ADDRESS_CLAMP);
  const wholeY = wholes(y, record.innerY, compares && modeV == ADDRESS_CLAMP);
  const i = wholeInts(wholeX);
  const j = wholeInts(wholeY);
  if (i32x4.bitmask(v128.or(outside(i, record.innerX), outside(j, record.innerY)))) return false;
  const row = record.rowBytes;
  let places = i32x4.add(i32x4.mul(j, i32x4.splat(row)), i32x4.shl(i, 2));
  if (access.layer)
    places = i32x4.add(places, i32x4.mul(layersOf(access, 0, access.texture.layers), i32x4.splat(record.layerBytes)));
  const fx = f32x4.sub(x, wholeX);
  const fy = f32x4.sub(y, wholeY);
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
      const sign = i32x4.splat(flips ? 0x80000000 : 0);
      const reference = v128.xor(referencesOf(access, 0), sign);
      a00 = v128.xor(a00, sign);
      a10 = v128.xor(a10, sign);
      a01 = v128.xor(a01, sign);
      a11 = v128.xor(a11, sign);
      const one = splatFrom(NUMBERS, ONE);
      a00 = v128.and(one, strict ? f32x4.lt(reference, a00) : f32x4.le(reference, a00));
      a10 = v128.and(one, strict ? f32x4.lt(reference, a10) : f32x4.le(reference, a10));
      a01 = v128.and(one, strict ? f32x4.lt(reference, a01) : f32x4.le(reference, a01));
      a11 = v128.and(one, strict ? f32x4.lt(reference, a11) : f32x4.le(reference, a11));
    }
    v128.store(entry.results(site), lerp(lerp(a00, a10, fx), lerp(a01, a11, fx), fy));
  }
  return true;
}
