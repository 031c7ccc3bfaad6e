// Levels and taps of a quad at a site, in any mode. site-quad.ts has a version with constants for flat textures in the
// common formats.
import {
  FILTER_LINEAR,
  Site,
  SITE_LOD_LEVEL,
  SITE_LOD_NONE,
  SITE_OPERAND_LEVEL,
  SITE_OPERAND_V,
  SitePart,
  SiteTaps,
  TextureLevel,
} from '../../layout';
import { splatFrom } from '../../simd/lanes';
import { firstIndices, secondIndices, tapsOfQuad, wholeInts } from '../addresses/axis';
import { layersOf } from '../addresses/places';
import { lodsOfQuad, within } from '../lods';
import { CLASS_BYTES1, CLASS_BYTES2, CLASS_HALF4 } from '../texels/classes';
import { HALF, MINUS_HALF, NUMBERS } from '../texels/constants';
import { byteWeights } from '../texels/filter';

/** The pixels' positions among the levels: levelPosition of level.ts. */
export function positionsOfQuad(site: Site): v128 {
  const part = site.part;
  if (part.lod == SITE_LOD_NONE) return f32x4.splat(0);
  const access = site.access;
  const lods = part.lod == SITE_LOD_LEVEL ? v128.load(site.operands + SITE_OPERAND_LEVEL) : lodsOfQuad(access, 0);
  const position = within(
    changetype<usize>(part) + offsetof<SitePart>('low'),
    changetype<usize>(part) + offsetof<SitePart>('high'),
    lods
  );
  return access.sampler.mipmap == FILTER_LINEAR ? position : f32x4.floor(f32x4.add(position, splatFrom(NUMBERS, HALF)));
}

/** log2 of the bytes of a texel, for a class other than CLASS_TEXEL. */
export function shiftOfClass(textureClass: i32): i32 {
  if (textureClass == CLASS_HALF4) return 3;
  return textureClass == CLASS_BYTES2 ? 1 : textureClass == CLASS_BYTES1 ? 0 : 2;
}

/** The offset of a coordinate: that of the read and, for linear filters, half a texel back. */
export function centreOf(offset: i32, linear: bool): v128 {
  const whole = f32x4.convert_i32x4_s(i32x4.splat(offset));
  return linear ? f32x4.add(whole, splatFrom(NUMBERS, MINUS_HALF)) : whole;
}

/**
 * Writes offsets in a level for texels of 2^`shift` bytes: of one texel per pixel or, if `linear`, of four with weights
 * and fractions.
 */
export function tapsAnywhere(site: Site, taps: SiteTaps, record: TextureLevel, shift: i32, linear: bool): void {
  const access = site.access;
  const modeU = access.sampler.addressU;
  const modeV = access.sampler.addressV;
  const one = i32x4.splat(1);
  const lastX = i32x4.splat(record.innerX + 1);
  const lastY = i32x4.splat(record.innerY + 1);
  const u = v128.load(site.operands);
  const v = v128.load(site.operands + SITE_OPERAND_V);
  const x = tapsOfQuad(u, i32x4.splat(record.width), modeU, centreOf(access.offsetX, linear), access.offsetX != 0);
  const y = tapsOfQuad(v, i32x4.splat(record.height), modeV, centreOf(access.offsetY, linear), access.offsetY != 0);
  const wholeX = f32x4.floor(x);
  const wholeY = f32x4.floor(y);
  const i = wholeInts(wholeX);
  const j = wholeInts(wholeY);
  const rowBytes = i32x4.splat(record.rowBytes);
  const layers = access.layer
    ? i32x4.mul(layersOf(access, 0, access.texture.layers), i32x4.splat(record.layerBytes))
    : i32x4.splat(0);
  const row0 = i32x4.add(layers, i32x4.mul(firstIndices(j, lastY, modeV), rowBytes));
  const x0 = i32x4.shl(firstIndices(i, lastX, modeU), shift);
  v128.store(taps.offsets00, i32x4.add(row0, x0));
  if (!linear) return;
  const row1 = i32x4.add(layers, i32x4.mul(secondIndices(i32x4.add(j, one), lastY, modeV), rowBytes));
  const x1 = i32x4.shl(secondIndices(i32x4.add(i, one), lastX, modeU), shift);
  v128.store(taps.offsets10, i32x4.add(row0, x1));
  v128.store(taps.offsets01, i32x4.add(row1, x0));
  v128.store(taps.offsets11, i32x4.add(row1, x1));
  const fx = f32x4.sub(x, wholeX);
  v128.store(taps.weights, byteWeights(fx));
  v128.store(taps.fx, fx);
  v128.store(taps.fy, f32x4.sub(y, wholeY));
}
