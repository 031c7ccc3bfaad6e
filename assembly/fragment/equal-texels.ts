// Tiles that one triangle covers completely and whose shader reads equal texels everywhere, as the last passes of a
// frame do over a background. If the results follow from texels alone (PROGRAM_FLAG_TEXEL_RESULTS), they are the same
// in all pixels. The shader runs for the quads in the corners of the tile. Coordinates lie between those in the
// corners, so the texels between them decide. A frame of three.js that only shows a background takes 0.6 of the time,
// and frames with small objects take 0.8.

import {
  ADDRESS_CLAMP,
  DEFERRED_PACKERS,
  DIMENSION_2D,
  PACKER_QUADS,
  PROGRAM_FLAG_NO_MASKS,
  PROGRAM_FLAG_TEXEL_RESULTS,
  PROGRAM_FLAG_TEXELS_BY_VARYINGS,
  Program,
  Site,
  SITE_LOD_NONE,
  SITE_OPERAND_LEVEL,
  SITE_OPERAND_V,
  SiteTexture,
  sizeOf,
  STATUS_DONE,
  Texture,
  Tile,
  TRI_FLAG_AFFINE,
  Triangle,
  Warp,
} from '../layout';
import { anyTrue } from '../simd/lanes';
import { pixelAt } from '../simd/positions';
import { CLASS_BYTES4, CLASS_FLOAT, CLASS_HALF4, CLASS_SRGB, classOf } from '../texture/texels/classes';
import { putEntries } from '../tile/entries';
import { putSampleMasks } from './inputs/sample-masks';
import { bind } from './lanes/bind';

/** Texels around those between the corners that must be equal, too: those that filters mix in, and rounding. */
const MARGIN: f32 = 2;
/** Coordinates beyond this many texels are not converted to integers. */
const MAX_TEXELS: f32 = 65536;

/** Whether a triangle that covers the tile reads equal texels in all of its pixels. */
export function readsEqualTexels(tile: Tile, triangle: Triangle): bool {
  const draw = triangle.draw;
  const program = draw.fragment.program;
  const flags = program.flags;
  const wanted = PROGRAM_FLAG_TEXEL_RESULTS | PROGRAM_FLAG_NO_MASKS;
  if ((flags & wanted) != wanted || !program.quadsSlot || !program.siteCount) return false;
  if (flags & PROGRAM_FLAG_TEXELS_BY_VARYINGS && !(triangle.flags & TRI_FLAG_AFFINE)) return false;
  const warp = tile.warp;
  bind(tile, warp, draw);
  const end = warp.sites + program.siteCount * sizeOf<Site>();
  for (let at: usize = warp.sites; at < end; at += sizeOf<Site>()) if (!isPlain(changetype<Site>(at))) return false;
  const right = tile.width - 1;
  const bottom = tile.height - 1;
  for (let corner = 0; corner < 4; corner++) {
    const quad = pixelAt(corner & 1 ? right : 0, corner & 2 ? bottom : 0) >> 2;
    if (!runQuad(tile, triangle, program, quad)) return false;
    for (let at: usize = warp.sites; at < end; at += sizeOf<Site>()) noteCoordinates(changetype<Site>(at), !corner);
  }
  for (let at: usize = warp.sites; at < end; at += sizeOf<Site>()) if (!isEqual(changetype<Site>(at))) return false;
  return true;
}

/** Whether a site reads the first level of textures that are compared texel by texel. */
function isPlain(site: Site): bool {
  const part = site.part;
  if (site.partCount != 1 || part.lod != SITE_LOD_NONE) return false;
  const access = site.access;
  const sampler = access.sampler;
  if (changetype<usize>(sampler)) {
    if (sampler.addressU != ADDRESS_CLAMP || sampler.addressV != ADDRESS_CLAMP) return false;
    if (access.offsetX | access.offsetY || sampler.anisotropy > 1) return false;
  }
  for (let at = part.first; at < part.end; at += sizeOf<SiteTexture>()) {
    const texture = changetype<SiteTexture>(at).texture;
    if (texture.dimension != DIMENSION_2D || texture.samples != 1 || texture.stream || !texelBytesOf(texture))
      return false;
  }
  return true;
}

/** Bytes of a texel in the formats that are compared; 0 for others. */
function texelBytesOf(texture: Texture): i32 {
  switch (classOf(texture.format)) {
    case CLASS_HALF4:
      return 8;
    case CLASS_BYTES4:
    case CLASS_SRGB:
    case CLASS_FLOAT:
      return 4;
    default:
      return 0;
  }
}

/** Runs the shader for one quad; its results are not written. Returns whether it has ended normally. */
function runQuad(tile: Tile, triangle: Triangle, program: Program, quad: i32): bool {
  const packer = tile.packer(DEFERRED_PACKERS);
  packer.draw = triangle.draw;
  packer.kind = PACKER_QUADS;
  packer.count = 1;
  packer.divided = 0;
  putEntries(tile, packer, triangle, quad, 1);
  const warp: Warp = tile.warp;
  warp.quadCount = 1;
  warp.lanes = 4;
  putSampleMasks(tile, packer);
  warp.packer = packer;
  const status = call_indirect<i32>(program.quadsSlot, warp);
  packer.count = 0;
  return status == STATUS_DONE;
}

/**
 * Keeps the least coordinates of the quads so far and the least of their negatives, lane by lane, in the taps of the
 * next level, which sites without levels do not use. Coordinates of loads are integers.
 */
function noteCoordinates(site: Site, first: bool): void {
  const to = site.nextTaps;
  const loads = !changetype<usize>(site.access.sampler);
  const u = loads ? f32x4.convert_i32x4_s(v128.load(site.operands)) : v128.load(site.operands);
  const v = loads
    ? f32x4.convert_i32x4_s(v128.load(site.operands + SITE_OPERAND_V))
    : v128.load(site.operands + SITE_OPERAND_V);
  v128.store(to.offsets00, first ? u : f32x4.min(u, v128.load(to.offsets00)));
  v128.store(to.offsets10, first ? f32x4.neg(u) : f32x4.min(f32x4.neg(u), v128.load(to.offsets10)));
  v128.store(to.offsets01, first ? v : f32x4.min(v, v128.load(to.offsets01)));
  v128.store(to.offsets11, first ? f32x4.neg(v) : f32x4.min(f32x4.neg(v), v128.load(to.offsets11)));
}

/** The least of four numbers; NaN if one of them is NaN. */
function least(at: usize): f32 {
  const lanes = v128.load(at);
  return min<f32>(
    min<f32>(f32x4.extract_lane(lanes, 0), f32x4.extract_lane(lanes, 1)),
    min<f32>(f32x4.extract_lane(lanes, 2), f32x4.extract_lane(lanes, 3))
  );
}

/** The greatest of the numbers whose negatives are at `at`; NaN if one of them is NaN. */
function greatest(at: usize): f32 {
  return -least(at);
}

/** Whether all texels that the site can read between the noted coordinates are equal. */
function isEqual(site: Site): bool {
  const access = site.access;
  const loads = !changetype<usize>(access.sampler);
  if (loads && access.level && load<u32>(site.operands + SITE_OPERAND_LEVEL)) return false;
  const bounds = site.nextTaps;
  const width = access.texture.width;
  const height = access.texture.height;
  const left = firstOf(least(bounds.offsets00), width, loads);
  const right = lastOf(greatest(bounds.offsets10), width, loads);
  const top = firstOf(least(bounds.offsets01), height, loads);
  const bottom = lastOf(greatest(bounds.offsets11), height, loads);
  if ((left | right | top | bottom) < 0) return false;
  const part = site.part;
  for (let at = part.first; at < part.end; at += sizeOf<SiteTexture>()) {
    const texture = changetype<SiteTexture>(at).texture;
    const bytes = texelBytesOf(texture);
    const level = texture.level(0);
    const first = level.address + top * level.rowBytes + left * bytes;
    if (!isEqualBox(first, level.rowBytes, bytes, right - left + 1, bottom - top + 1)) return false;
  }
  return true;
}

/** The first column or row of texels to be compared; negative if that is unknown. */
function firstOf(coordinate: f32, size: i32, loads: bool): i32 {
  if (loads) return coordinate >= 0 ? <i32>coordinate : -1;
  const texel = coordinate * <f32>size;
  return texel > -MAX_TEXELS && texel < MAX_TEXELS ? max<i32>(0, min<i32>(size - 1, <i32>floor(texel - MARGIN))) : -1;
}

/** The last one. */
function lastOf(coordinate: f32, size: i32, loads: bool): i32 {
  if (loads) return coordinate < <f32>size ? <i32>coordinate : -1;
  const texel = coordinate * <f32>size;
  return texel > -MAX_TEXELS && texel < MAX_TEXELS ? max<i32>(0, min<i32>(size - 1, <i32>ceil(texel + MARGIN))) : -1;
}

/** Whether the texels of a box whose first one is at `row` are equal. Rows of less than 16 bytes are not compared. */
function isEqualBox(row: usize, rowBytes: usize, bytes: i32, columns: i32, rows: i32): bool {
  const last: usize = columns * bytes - 16;
  if (<isize>last < 0) return false;
  const texel = bytes == 8 ? v128.load64_splat(row) : v128.load32_splat(row);
  for (; rows > 0; rows--) {
    let others = v128.xor(v128.load(row + last), texel);
    for (let at: usize = 0; at < last; at += 16) others = v128.or(others, v128.xor(v128.load(row + at), texel));
    if (anyTrue(others)) return false;
    row += rowBytes;
  }
  return true;
}
