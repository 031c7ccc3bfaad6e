// Reads of one quad at a site whose textures are flat and share taps: level of detail, taps and weights once, then
// texels of each texture. The bodies of the functions that sites.ts chooses from. Neighbours: site-inside.ts has the
// common case, site-texels.ts all others.
import {
  FILTER_LINEAR, Sampler, Site, SITE_LOD_GENERAL, SITE_LOD_IMPLICIT, SITE_LOD_LEVEL, SITE_LOD_NONE, SITE_TAPS_BYTES,
  SITE_TEXTURE_BYTES, sizeOf, Texture, TextureLevel,
} from '../layout';
import { isSplat, splatFrom } from '../simd/lanes';
import { firstIndices, secondIndices, turnedTexel, turnNumbers, turnQuad, wholeInts } from './axis';
import { HALF, MINUS_HALF, NUMBERS } from './constants';
import { byteWeights } from './filter';
import { quadLods } from './level';
import { implicitLod, within } from './lods';
import { generalSite } from './site-general';
import { readInside, readInsideTwo, tapsInside } from './site-inside';
import { linearTexels, nearestTexels, STEP_FIRST, STEP_ONLY, STEP_SECOND } from './site-texels';

/** Address modes that differ, or are mirrored, or come with texel offsets: looked up for each quad. */
export const ADDRESS_ANY = -1;

/** Of the part that begins with an entry of Site.textures: the guess, and the limits of its levels. */
function guessOf(entry: usize): usize {
  return entry + (changetype<usize>(changetype<Site>(0).guesses) - changetype<usize>(changetype<Site>(0).textures));
}
function limitsOf(entry: usize): usize {
  return entry + (changetype<usize>(changetype<Site>(0).limits) - changetype<usize>(changetype<Site>(0).textures));
}

// As a vector: V8 merges a scalar conversion into its scratch register, and the processor waits for whatever was last
// computed there.
function floats(v: v128): v128 { return f32x4.convert_i32x4_s(v); }

function addressU(sampler: Sampler, address: i32): i32 { return address == ADDRESS_ANY ? sampler.addressU : address; }

function addressV(sampler: Sampler, address: i32): i32 { return address == ADDRESS_ANY ? sampler.addressV : address; }

/**
 * Taps of the quad in one level at `taps` (the site, or SITE_TAPS_BYTES further on), as tapsInLevel of taps.ts has them
 * for a warp, with columns added to rows. `C`: an integer of a texel's size, f64 for half floats.
 */
// @ts-ignore: decorator
@inline function tapsOfSite<C>(
  site: Site, taps: Site, u: v128, v: v128, texture: Texture, sampler: Sampler, index: i32, address: i32, linear: bool
): void {
  const shift = sizeof<C>() == 8 ? 3 : sizeof<C>() == 4 ? 2 : sizeof<C>() == 2 ? 1 : 0;
  const width = max<i32>(1, texture.width >> index);
  const height = max<i32>(1, texture.height >> index);
  const modeU = addressU(sampler, address);
  const modeV = addressV(sampler, address);
  const offsetX = address == ADDRESS_ANY ? site.access.offsetX : 0;
  const offsetY = address == ADDRESS_ANY ? site.access.offsetY : 0;
  const ones = i32x4.splat(-1);
  const widths = i32x4.splat(width);
  const heights = i32x4.splat(height);
  const lastX = i32x4.add(widths, ones);
  const lastY = i32x4.add(heights, ones);
  const center = linear ? splatFrom(NUMBERS, MINUS_HALF) : f32x4.splat(0);
  const shiftX = address == ADDRESS_ANY ? f32x4.add(floats(i32x4.splat(offsetX)), center) : center;
  const shiftY = address == ADDRESS_ANY ? f32x4.add(floats(i32x4.splat(offsetY)), center) : center;
  const x = turnedTexel(u, floats(widths), modeU, shiftX, offsetX != 0);
  const y = turnedTexel(v, floats(heights), modeV, shiftY, offsetY != 0);
  const wholeX = f32x4.floor(x);
  const wholeY = f32x4.floor(y);
  const i = wholeInts(wholeX);
  const j = wholeInts(wholeY);
  const rowBytes = i32x4.splat(texture.level(index).rowBytes);
  const firstX = firstIndices(i, lastX, modeU);
  const x0 = i32x4.shl(firstX, shift);
  const row0 = i32x4.mul(firstIndices(j, lastY, modeV), rowBytes);
  v128.store(taps.offsets00, i32x4.add(row0, x0));
  if (!linear) return;
  const row1 = i32x4.mul(secondIndices(i32x4.sub(j, ones), lastY, modeV), rowBytes);
  v128.store(taps.offsets01, i32x4.add(row1, x0));
  const fx = f32x4.sub(x, wholeX);
  if (isInteger<C>()) v128.store(taps.weights, byteWeights(fx));
  // Bytes of 32 bits may be sRGB.
  if (sizeof<C>() >= 4) v128.store(taps.fx, fx);
  v128.store(taps.fy, f32x4.sub(y, wholeY));
  // Repeated and clamped rows are torn behind the last texel alone. (Of 32 bits, such rows are read elsewhere, mostly.)
  if (sizeof<C>() == 2 && address != ADDRESS_ANY && !v128.any_true(i32x4.eq(firstX, lastX))) {
    store<u32>(taps.together, 1);
    return;
  }
  const x1 = i32x4.shl(secondIndices(i32x4.sub(i, ones), lastX, modeU), shift);
  v128.store(taps.offsets10, i32x4.add(row0, x1));
  v128.store(taps.offsets11, i32x4.add(row1, x1));
  store<u32>(taps.together, v128.any_true(v128.xor(i32x4.sub(x1, x0), i32x4.shl(i32x4.neg(ones), shift))) ? 0 : 1);
}

/**
 * Reads the textures of the part in level `index`, and in the next where there is a fraction of it, from their taps at
 * the site.
 */
function readTexels<C>(site: Site, index: i32, fraction: f32, linear: bool): void {
  const first = site.first;
  const end = site.end;
  const last = fraction != 0 ? changetype<usize>(site) + SITE_TAPS_BYTES : changetype<usize>(site);
  const fractions = f32x4.splat(fraction);
  let level = index * sizeOf<TextureLevel>();
  for (let taps = changetype<usize>(site); taps <= last; taps += SITE_TAPS_BYTES) {
    const step = taps != changetype<usize>(site) ? STEP_SECOND : last == changetype<usize>(site) ? STEP_ONLY
      : STEP_FIRST;
    for (let entry = first; entry < end; entry += SITE_TEXTURE_BYTES) {
      const base = load<u32>(changetype<Texture>(load<u32>(entry) + level).levels);
      const flags = load<u32>(entry, 4);
      const result = site.results + (flags >> 16);
      if (linear) linearTexels<C>(changetype<Site>(taps), base, result, flags, step, fractions);
      else nearestTexels<C>(changetype<Site>(taps), base, result, flags, step, fractions);
    }
    level += sizeOf<TextureLevel>();
  }
}

function linearQuad<C>(site: Site, index: i32, fraction: f32): void { readTexels<C>(site, index, fraction, true); }
function nearestQuad<C>(site: Site, index: i32, fraction: f32): void { readTexels<C>(site, index, fraction, false); }

/** Reads a quad. `address`: ADDRESS_* of both coordinates, or ADDRESS_ANY. */
// @ts-ignore: decorator
@inline export function readQuad<C>(site: Site, address: i32, linear: bool): void {
  const kind = site.lod;
  // Before anything else is looked at, so that nothing has to be kept over the call.
  if (kind == SITE_LOD_GENERAL && !quadLods(site.access, 0, site.lods)) {
    generalSite(site);
    return;
  }
  const texture = site.access.texture;
  const sampler = site.access.sampler;
  let index = 0;
  let fraction: f32 = 0;
  if (kind != SITE_LOD_NONE) {
    const first = site.first;
    let lods: v128;
    if (kind == SITE_LOD_IMPLICIT) {
      lods = implicitLod(texture, v128.load(site.operands), v128.load(site.operands + 16));
    } else if (kind == SITE_LOD_LEVEL) {
      lods = v128.load(site.operands + 64);
      if (!isSplat(lods)) {
        generalSite(site);
        return;
      }
    } else lods = v128.load(site.lods);
    // levelPosition of level.ts, in lane 0.
    let position = within(limitsOf(first), limitsOf(first) + 4, lods);
    if (sampler.mipmap != FILTER_LINEAR) position = f32x4.floor(f32x4.add(position, splatFrom(NUMBERS, HALF)));
    // The way from coordinates to a level is long. A guess that a branch confirms lets the processor fetch texels
    // before it is done.
    index = load<i32>(guessOf(first));
    let rest = f32x4.sub(position, floats(v128.load32_splat(guessOf(first))));
    // Not in 0 … 1.
    if (<u32>i32x4.extract_lane(rest, 0) >= 0x3f800000) {
      const whole = f32x4.floor(position);
      index = i32x4.extract_lane(wholeInts(whole), 0);
      store<i32>(guessOf(first), index);
      rest = f32x4.sub(position, whole);
    }
    fraction = f32x4.extract_lane(rest, 0);
  }
  // Both levels are placed before texels of either are fetched: their ways to an address are long, and the processor
  // goes them side by side.
  if (linear && isInteger<C>() && sizeof<C>() == 4 && address != ADDRESS_ANY) {
    const u = turnNumbers(v128.load(site.operands), address);
    const v = turnNumbers(v128.load(site.operands + 16), address);
    const level = changetype<usize>(changetype<Texture>(0).levels) + index * sizeOf<TextureLevel>();
    const outside = tapsInside(site, changetype<TextureLevel>(changetype<usize>(texture) + level), u, v, address);
    if (fraction == 0) {
      if (!i32x4.bitmask(outside)) {
        readInside(site, level);
        return;
      }
    } else if (!i32x4.bitmask(
      v128.or(
        outside,
        tapsInside(
          changetype<Site>(changetype<usize>(site) + SITE_TAPS_BYTES),
          changetype<TextureLevel>(changetype<usize>(texture) + level + sizeOf<TextureLevel>()), u, v, address
        )
      )
    )) {
      readInsideTwo(site, level, fraction);
      return;
    }
  }
  const u = turnQuad(v128.load(site.operands), addressU(sampler, address));
  const v = turnQuad(v128.load(site.operands + 16), addressV(sampler, address));
  tapsOfSite<C>(site, site, u, v, texture, sampler, index, address, linear);
  if (fraction != 0)
    tapsOfSite<C>(
      site, changetype<Site>(changetype<usize>(site) + SITE_TAPS_BYTES), u, v, texture, sampler, index + 1, address,
      linear
    );
  if (linear) linearQuad<C>(site, index, fraction);
  else nearestQuad<C>(site, index, fraction);
}
