// Reads one quad at a site whose textures are flat and share taps. Level of detail, taps and weights are computed once,
// then each texture's texels are read. These are the generic bodies of the functions that sites.ts chooses from.
// site-bytes.ts filters bytes; site-texels.ts reads all other texels.
import {
  FILTER_LINEAR,
  Sampler,
  Site,
  SITE_LOD_GENERAL,
  SITE_LOD_IMPLICIT,
  SITE_LOD_LEVEL,
  SITE_LOD_NONE,
  SITE_OPERAND_LEVEL,
  SITE_OPERAND_V,
  SitePart,
  SiteTaps,
  SiteTexture,
  sizeOf,
  Texture,
  TextureLevel,
} from '../../layout';
import { isSplat, splatFrom } from '../../simd/lanes';
import { firstIndices, secondIndices, tapsOfQuad, turnNumbers, wholeInts } from '../addresses/axis';
import { HALF, MINUS_HALF, NUMBERS } from '../texels/constants';
import { byteWeights, texelShift } from '../texels/filter';
import { implicitLod, lodsOfQuad, within } from '../lods';
import { layersOf } from '../addresses/places';
import { readBytes, readBytesTwo, tapsInside } from './site-bytes';
import { readFloatsInside, readFloatsNearest } from './site-floats';
import { generalSite } from './site-general';
import { readHalves, readWindow } from './site-halves';
import { nearestTexels, readFloats, STEP_FIRST, STEP_ONLY, STEP_SECOND } from './site-texels';

/** Address modes that differ, are mirrored, or come with texel offsets or layers: looked up for each quad. */
export const ADDRESS_ANY = -1;

// A vector conversion: for a scalar one, V8 would merge the result into its scratch register, and the processor would
// wait for the register's previous value.
function floats(v: v128): v128 {
  return f32x4.convert_i32x4_s(v);
}

function addressU(sampler: Sampler, address: i32): i32 {
  return address == ADDRESS_ANY ? sampler.addressU : address;
}

function addressV(sampler: Sampler, address: i32): i32 {
  return address == ADDRESS_ANY ? sampler.addressV : address;
}

// The byte offsets of the pixels' array layers.
function layersAt(site: Site, record: TextureLevel): v128 {
  if (!site.access.layer) return i32x4.splat(0);
  return i32x4.mul(layersOf(site.access, 0, site.access.texture.layers), i32x4.splat(record.layerBytes));
}

/**
 * Computes the taps of the quad in one level, like tapsInLevel of taps.ts for a warp, but with columns added to rows. C
 * is an integer type of the texel's size, f64 for half floats, or f32 for floats.
 */
// @ts-ignore: decorator
@inline function tapsOfSite<C>(site: Site, taps: SiteTaps, record: TextureLevel, address: i32, linear: bool): void {
  const shift = texelShift<C>();
  const sampler = site.access.sampler;
  const modeU = addressU(sampler, address);
  const modeV = addressV(sampler, address);
  const offsetX = address == ADDRESS_ANY ? site.access.offsetX : 0;
  const offsetY = address == ADDRESS_ANY ? site.access.offsetY : 0;
  const lastX = i32x4.splat(record.innerX + 1);
  const lastY = i32x4.splat(record.innerY + 1);
  const center = linear ? splatFrom(NUMBERS, MINUS_HALF) : f32x4.splat(0);
  const shiftX = address == ADDRESS_ANY ? f32x4.add(floats(i32x4.splat(offsetX)), center) : center;
  const shiftY = address == ADDRESS_ANY ? f32x4.add(floats(i32x4.splat(offsetY)), center) : center;
  const x = tapsOfQuad(v128.load(site.operands), i32x4.splat(record.width), modeU, shiftX, offsetX != 0);
  const y = tapsOfQuad(
    v128.load(site.operands + SITE_OPERAND_V),
    i32x4.splat(record.height),
    modeV,
    shiftY,
    offsetY != 0
  );
  const wholeX = f32x4.floor(x);
  const wholeY = f32x4.floor(y);
  const i = wholeInts(wholeX);
  const j = wholeInts(wholeY);
  const rowBytes = i32x4.splat(record.rowBytes);
  const x0 = i32x4.shl(firstIndices(i, lastX, modeU), shift);
  let row0 = i32x4.mul(firstIndices(j, lastY, modeV), rowBytes);
  if (address == ADDRESS_ANY) row0 = i32x4.add(row0, layersAt(site, record));
  v128.store(taps.offsets00, i32x4.add(row0, x0));
  if (!linear) return;
  const one = i32x4.splat(1);
  const x1 = i32x4.shl(secondIndices(i32x4.add(i, one), lastX, modeU), shift);
  let row1 = i32x4.mul(secondIndices(i32x4.add(j, one), lastY, modeV), rowBytes);
  if (address == ADDRESS_ANY) row1 = i32x4.add(row1, layersAt(site, record));
  v128.store(taps.offsets10, i32x4.add(row0, x1));
  v128.store(taps.offsets01, i32x4.add(row1, x0));
  v128.store(taps.offsets11, i32x4.add(row1, x1));
  const fx = f32x4.sub(x, wholeX);
  if (isInteger<C>()) v128.store(taps.weights, byteWeights(fx));
  // Four-byte texels may be sRGB.
  if (sizeof<C>() >= 4) v128.store(taps.fx, fx);
  v128.store(taps.fy, f32x4.sub(y, wholeY));
}

/** Reads the textures of the part from the taps at the site, except filtered byte textures (site-bytes.ts). */
// @ts-ignore: decorator
@inline function readTexels<C>(two: bool, site: Site, level: usize, inside: bool, fraction: f32, linear: bool): void {
  const end = site.part.end;
  const fractions = f32x4.splat(fraction);
  for (let at = site.part.first; at < end; at += sizeOf<SiteTexture>()) {
    const entry = changetype<SiteTexture>(at);
    if (isFloat<C>() && sizeof<C>() == 4) readFloats(two, site, entry, level, fraction, linear);
    else if (isFloat<C>() && linear) readHalves(two, site, entry, level, inside, fraction);
    else {
      const record = entry.level(level);
      const results = entry.results(site);
      nearestTexels<C>(site.taps, record.address, results, entry.flags, two ? STEP_FIRST : STEP_ONLY, fractions);
      if (two) nearestTexels<C>(site.nextTaps, record.next().address, results, entry.flags, STEP_SECOND, fractions);
    }
  }
}

/** Whether there is a separate path for quads whose texels all have adjacent right and lower neighbours. */
function hasInside<C>(linear: bool): bool {
  return linear && (isInteger<C>() ? sizeof<C>() > 1 : sizeof<C>() == 8);
}

/**
 * Reads the part's textures in the level of `record`, at byte offset `level` of TEXTURE records, and mixes in the next
 * level by `fraction`. Requires that all pixels are INSIDE (site-bytes.ts); returns false otherwise.
 */
// @ts-ignore: decorator
@inline function readInside<C>(site: Site, record: TextureLevel, level: usize, address: i32, fraction: f32): bool {
  const givenU = v128.load(site.operands);
  const givenV = v128.load(site.operands + SITE_OPERAND_V);
  if (isFloat<C>() && fraction == 0 && readWindow(site, level, givenU, givenV, address)) return true;
  const u = turnNumbers(givenU, address);
  const v = turnNumbers(givenV, address);
  if (fraction == 0) {
    if (i32x4.bitmask(tapsInside<C>(site.taps, record, u, v, address))) return false;
    if (isInteger<C>()) readBytes<C>(site, level, true);
    else readTexels<C>(false, site, level, true, 0, true);
    return true;
  }
  // The taps of both levels are computed before texels of either are fetched: address computations have long latencies,
  // which the processor overlaps this way.
  const outside = tapsInside<C>(site.taps, record, u, v, address);
  if (i32x4.bitmask(v128.or(outside, tapsInside<C>(site.nextTaps, record.next(), u, v, address)))) return false;
  if (isInteger<C>()) readBytesTwo<C>(site, level, true, fraction);
  else readTexels<C>(true, site, level, true, fraction, true);
  return true;
}

/** Reads a quad. `address` is the ADDRESS_* mode of both coordinates, or ADDRESS_ANY. */
// @ts-ignore: decorator
@inline export function readQuad<C>(site: Site, address: i32, linear: bool): void {
  const part = site.part;
  const kind = part.lod;
  // This comes first, so that no values have to be preserved across the call.
  if (kind == SITE_LOD_GENERAL) {
    const lods = lodsOfQuad(site.access, 0);
    if (!isSplat(lods)) {
      generalSite(site);
      return;
    }
    v128.store(site.lods, lods);
  }
  const texture = site.access.texture;
  let index = 0;
  let fraction: f32 = 0;
  if (kind != SITE_LOD_NONE) {
    let lods: v128;
    if (kind == SITE_LOD_IMPLICIT) {
      lods = implicitLod(texture, v128.load(site.operands), v128.load(site.operands + SITE_OPERAND_V));
    } else if (kind == SITE_LOD_LEVEL) {
      lods = v128.load(site.operands + SITE_OPERAND_LEVEL);
      if (!isSplat(lods)) {
        generalSite(site);
        return;
      }
    } else lods = v128.load(site.lods);
    // levelPosition of level.ts, in lane 0.
    let position = within(
      changetype<usize>(part) + offsetof<SitePart>('low'),
      changetype<usize>(part) + offsetof<SitePart>('high'),
      lods
    );
    if (site.access.sampler.mipmap != FILTER_LINEAR)
      position = f32x4.floor(f32x4.add(position, splatFrom(NUMBERS, HALF)));
    // Computing a level from coordinates has a long latency. A guess that a branch confirms lets the processor fetch
    // texels earlier.
    index = part.guess;
    let rest = f32x4.sub(position, floats(v128.load32_splat(changetype<usize>(part) + offsetof<SitePart>('guess'))));
    // Not in 0…1.
    if (<u32>i32x4.extract_lane(rest, 0) >= 0x3f800000) {
      const whole = f32x4.floor(position);
      index = i32x4.extract_lane(wholeInts(whole), 0);
      part.guess = index;
      rest = f32x4.sub(position, whole);
    }
    fraction = f32x4.extract_lane(rest, 0);
  }
  const level = changetype<usize>(changetype<Texture>(0).levels) + index * sizeOf<TextureLevel>();
  const record = changetype<TextureLevel>(changetype<usize>(texture) + level);
  if (isFloat<C>() && sizeof<C>() == 4 && fraction == 0) {
    if (linear ? readFloatsInside(site, level) : readFloatsNearest(site, level)) return;
  }
  if (hasInside<C>(linear) && address != ADDRESS_ANY && readInside<C>(site, record, level, address, fraction)) return;
  tapsOfSite<C>(site, site.taps, record, address, linear);
  if (fraction != 0) tapsOfSite<C>(site, site.nextTaps, record.next(), address, linear);
  if (isInteger<C>()) {
    if (linear) {
      if (fraction == 0) readBytes<C>(site, level, false);
      else readBytesTwo<C>(site, level, false, fraction);
      return;
    }
  }
  if (fraction == 0) readTexels<C>(false, site, level, false, 0, linear);
  else readTexels<C>(true, site, level, false, fraction, linear);
}
