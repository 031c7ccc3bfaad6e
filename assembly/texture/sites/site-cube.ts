// Reads of a quad from cube maps of bytes, of four half floats, of one float, or of depth, if all pixels read
// the same level. Results equal those of quad.ts. Frames of physical materials that a prefiltered cube map lights take
// 10 % less time; a pass that reads a cube map of bytes, a third.
import { FILTER_LINEAR, Site, SiteTexture, sizeOf, Texture, TextureLevel } from '../../layout';
import { isSplat } from '../../simd/lanes';
import { wholeInts } from '../addresses/axis';
import { findFaces, nearestOfCube, tapsOfCube } from '../addresses/cubes';
import { CLASS_BYTES1, CLASS_BYTES2, CLASS_FLOAT, CLASS_HALF4, classOf } from '../texels/classes';
import { readBytes, readBytesTwo } from './site-bytes';
import { generalSite } from './site-general';
import { readFloatRows } from './site-floats';
import { readHalves } from './site-halves';
import { positionsOfQuad, shiftOfClass } from './site-taps';
import { nearestOfClass, readFloats } from './site-texels';

/** Reads the textures of the part, which are of one class other than CLASS_TEXEL. */
export function readCube(site: Site): void {
  const part = site.part;
  const access = site.access;
  const position = positionsOfQuad(site);
  if (!isSplat(position)) {
    generalSite(site);
    return;
  }
  const whole = f32x4.floor(position);
  const index = i32x4.extract_lane(wholeInts(whole), 0);
  const fraction = f32x4.extract_lane(f32x4.sub(position, whole), 0);
  const read = site.warp.access.quadRead;
  findFaces(access, read, 0);
  const textureClass = classOf(access.texture.format);
  const shift = shiftOfClass(textureClass);
  const level = changetype<usize>(changetype<Texture>(0).levels) + index * sizeOf<TextureLevel>();
  const two = fraction != 0;
  if (access.sampler.mag != FILTER_LINEAR) {
    if (two) generalSite(site);
    else {
      nearestOfCube(access, read, site.taps, index, shift);
      nearestOfClass(site, textureClass, level);
    }
    return;
  }
  let inside = tapsOfCube(access, read, site.taps, index, shift);
  if (two) inside = tapsOfCube(access, read, site.nextTaps, index + 1, shift) && inside;
  if (textureClass != CLASS_HALF4 && textureClass != CLASS_FLOAT) {
    if (textureClass == CLASS_BYTES1) readCubeBytes<u8>(site, level, inside, fraction);
    else if (textureClass == CLASS_BYTES2) readCubeBytes<u16>(site, level, inside, fraction);
    else readCubeBytes<u32>(site, level, inside, fraction);
    return;
  }
  if (textureClass == CLASS_FLOAT && inside && !two && readFloatRows(site, level)) return;
  const end = part.end;
  for (let at = part.first; at < end; at += sizeOf<SiteTexture>()) {
    const entry = changetype<SiteTexture>(at);
    if (textureClass == CLASS_HALF4) readHalves(two, site, entry, level, inside, fraction);
    else readFloats(two, site, entry, level, fraction, true);
  }
}

function readCubeBytes<C>(site: Site, level: usize, inside: bool, fraction: f32): void {
  if (fraction == 0) readBytes<C>(site, level, inside);
  else readBytesTwo<C>(site, level, inside, fraction);
}
