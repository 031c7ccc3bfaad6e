// Reads of a quad from volumes (3D textures) of bytes, of four half floats or of one float, if all pixels read
// the same single level. Results equal those of quad.ts. A pass that reads a volume of bytes takes half the time.
import {
  FILTER_LINEAR,
  Site,
  SITE_OPERAND_W,
  SiteTaps,
  SiteTexture,
  sizeOf,
  Texture,
  TextureLevel,
} from '../../layout';
import { isSplat } from '../../simd/lanes';
import { firstIndices, secondIndices, tapsOfQuad, wholeInts } from '../addresses/axis';
import { CLASS_BYTES1, CLASS_BYTES2, CLASS_FLOAT, CLASS_HALF4, classOf } from '../texels/classes';
import { lerp } from '../texels/filter';
import { filterHalves, storePixels } from '../texels/halves';
import { readSlices } from './site-bytes';
import { generalSite } from './site-general';
import { centreOf, positionsOfQuad, shiftOfClass, tapsAnywhere } from './site-taps';
import { filterFloats, nearestOfClass } from './site-texels';

/** Reads the textures of the part, which are of one class other than CLASS_TEXEL. */
export function readVolume(site: Site): void {
  const part = site.part;
  const position = positionsOfQuad(site);
  const whole = f32x4.floor(position);
  if (!isSplat(position) || f32x4.extract_lane(position, 0) != f32x4.extract_lane(whole, 0)) {
    generalSite(site);
    return;
  }
  const access = site.access;
  const index = i32x4.extract_lane(wholeInts(whole), 0);
  const textureClass = classOf(access.texture.format);
  const linear = access.sampler.mag == FILTER_LINEAR;
  tapsAnywhere(site, site.taps, access.texture.level(index), shiftOfClass(textureClass), linear);
  const fractions = tapsOfSlices(site, access.texture.level(index), linear);
  const level = changetype<usize>(changetype<Texture>(0).levels) + index * sizeOf<TextureLevel>();
  if (!linear) {
    nearestOfClass(site, textureClass, level);
    return;
  }
  const end = part.end;
  for (let at = part.first; at < end; at += sizeOf<SiteTexture>()) {
    const entry = changetype<SiteTexture>(at);
    const base = entry.level(level).address;
    if (textureClass == CLASS_HALF4) readHalfSlices(site, entry, base, fractions);
    else if (textureClass == CLASS_FLOAT) readFloatSlices(site, entry, base, fractions);
    else if (textureClass == CLASS_BYTES1) readSlices<u8>(site, entry, base, fractions);
    else if (textureClass == CLASS_BYTES2) readSlices<u16>(site, entry, base, fractions);
    else readSlices<u32>(site, entry, base, fractions);
  }
}

/**
 * Moves the taps to the first slices. If `linear`, also writes those of the second ones after them, and returns the
 * fractions.
 */
function tapsOfSlices(site: Site, record: TextureLevel, linear: bool): v128 {
  const access = site.access;
  const mode = access.sampler.addressW;
  const sizes = i32x4.splat(record.slices);
  const w = v128.load(site.operands + SITE_OPERAND_W);
  const z = tapsOfQuad(w, sizes, mode, centreOf(access.offsetZ, linear), access.offsetZ != 0);
  const whole = f32x4.floor(z);
  const k = wholeInts(whole);
  const one = i32x4.splat(1);
  const last = i32x4.sub(wholeInts(sizes), one);
  const layerBytes = i32x4.splat(record.layerBytes);
  const near = i32x4.mul(firstIndices(k, last, mode), layerBytes);
  const taps = site.taps.offsets00;
  if (!linear) {
    v128.store(taps, i32x4.add(v128.load(taps), near));
    return whole;
  }
  const far = i32x4.mul(secondIndices(i32x4.add(k, one), last, mode), layerBytes);
  const next = site.nextTaps.offsets00;
  const ends = changetype<SiteTaps>(0).weights;
  for (let at: usize = 0; at < ends; at += 16) {
    const offsets = v128.load(taps + at);
    v128.store(taps + at, i32x4.add(offsets, near));
    v128.store(next + at, i32x4.add(offsets, far));
  }
  for (let at = ends; at < changetype<SiteTaps>(0).past; at += 16) v128.store(next + at, v128.load(taps + at));
  return f32x4.sub(z, whole);
}

function readHalfSlices(site: Site, entry: SiteTexture, base: usize, fractions: v128): void {
  const pixels = site.texels;
  const second = pixels + 64;
  filterHalves(site.taps.offsets00, base, site.taps.fx, pixels);
  filterHalves(site.nextTaps.offsets00, base, site.taps.fx, second);
  const results = entry.results(site);
  storePixels(results, pixels);
  storePixels(pixels, second);
  for (let at: usize = 0; at < 64; at += 16)
    v128.store(results + at, lerp(v128.load(results + at), v128.load(pixels + at), fractions));
}

function readFloatSlices(site: Site, entry: SiteTexture, base: usize, fractions: v128): void {
  const first = filterFloats(site.access, site.taps, base, true);
  v128.store(entry.results(site), lerp(first, filterFloats(site.access, site.nextTaps, base, true), fractions));
}
