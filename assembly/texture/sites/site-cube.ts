// Filtered reads of a quad from cube maps of four half floats, of one float, or of depth, if all pixels read the same
// level. Results equal those of quad.ts. Frames of physical materials that a prefiltered cube map lights take 10 % less
// time.
import {
  FILTER_LINEAR,
  FORMAT_RGBA16FLOAT,
  Site,
  SITE_LOD_NONE,
  SITE_OPERAND_LEVEL,
  SitePart,
  SiteTexture,
  sizeOf,
  Texture,
  TextureLevel,
} from '../../layout';
import { isSplat, splatFrom } from '../../simd/lanes';
import { wholeInts } from '../addresses/axis';
import { findFaces, tapsOfCube } from '../addresses/cubes';
import { within } from '../lods';
import { HALF, NUMBERS } from '../texels/constants';
import { generalSite } from './site-general';
import { readHalves } from './site-halves';
import { readFloats } from './site-texels';

/** Shifts of the bytes of a texel. */
const HALVES_SHIFT = 3;
const FLOAT_SHIFT = 2;

/** Reads the textures of the part. Its level is SITE_LOD_NONE or SITE_LOD_LEVEL. */
export function readCube(site: Site): void {
  const part = site.part;
  const access = site.access;
  let index = 0;
  let fraction: f32 = 0;
  if (part.lod != SITE_LOD_NONE) {
    const lods = v128.load(site.operands + SITE_OPERAND_LEVEL);
    if (!isSplat(lods)) {
      generalSite(site);
      return;
    }
    // levelPosition of level.ts.
    let position = within(
      changetype<usize>(part) + offsetof<SitePart>('low'),
      changetype<usize>(part) + offsetof<SitePart>('high'),
      lods
    );
    if (access.sampler.mipmap != FILTER_LINEAR) position = f32x4.floor(f32x4.add(position, splatFrom(NUMBERS, HALF)));
    const whole = f32x4.floor(position);
    index = i32x4.extract_lane(wholeInts(whole), 0);
    fraction = f32x4.extract_lane(f32x4.sub(position, whole), 0);
  }
  const read = site.warp.access.quadRead;
  findFaces(access, read, 0);
  const halves = access.texture.format == FORMAT_RGBA16FLOAT;
  const shift = halves ? HALVES_SHIFT : FLOAT_SHIFT;
  const two = fraction != 0;
  let inside = tapsOfCube(access, read, site.taps, index, shift);
  if (two) inside = tapsOfCube(access, read, site.nextTaps, index + 1, shift) && inside;
  const level = changetype<usize>(changetype<Texture>(0).levels) + index * sizeOf<TextureLevel>();
  const end = part.end;
  for (let at = part.first; at < end; at += sizeOf<SiteTexture>()) {
    const entry = changetype<SiteTexture>(at);
    if (halves) readHalves(two, site, entry, level, inside, fraction);
    else readFloats(two, site, entry, level, fraction, true);
  }
}
