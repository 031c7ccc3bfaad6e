// textureGather and textureGatherCompare (WGSL §17.7.2, §17.7.3): one channel of the four texels that a linear filter
// would combine in the first level, or their comparison results. Four pixels are processed at a time. Twin:
// gather.scalar.ts.
import { Access, ADDRESS_CLAMP, DIMENSION_CUBE, MODE_GATHER, QuadRead, TextureLevel } from '../layout';
import { isBlueFirst, isInteger } from '../surface/formats';
import { firstIndices, secondIndices, tapsOfQuad, wholeInts } from './addresses/axis';
import { compareTexels } from './texels/compare';
import { findFaces, placeCube } from './addresses/cubes';
import { gatherWarpScalar } from './gather.scalar';
import { pageFootprints, putFootprints } from './addresses/pages';
import { layersOf } from './addresses/places';
import { fetchTexels, prepareTexels } from './texels/texels';

/**
 * Position of the first texel, from −1 on. Before the first texel, a filter has weight 0 for the outer texel, whereas a
 * gather returns the edge texel twice.
 */
function firstOf(u: v128, sizes: v128, mode: i32, offset: i32): v128 {
  const shifts = f32x4.splat(<f32>offset - 0.5);
  if (mode != ADDRESS_CLAMP) return wholeInts(f32x4.floor(tapsOfQuad(u, sizes, mode, shifts, offset != 0)));
  const x = f32x4.add(f32x4.mul(u, sizes), shifts);
  const last = f32x4.sub(sizes, f32x4.splat(1));
  return wholeInts(f32x4.floor(f32x4.pmin(last, f32x4.pmax(f32x4.splat(-1), x))));
}

function placeFlat(access: Access, read: QuadRead, quad: usize): void {
  const texture = access.texture;
  const sampler = access.sampler;
  const record = texture.level(0);
  const one = i32x4.splat(1);
  const zero = i32x4.splat(0);
  const modeU = sampler.addressU;
  const modeV = sampler.addressV;
  const widths = v128.load32_splat(changetype<usize>(record) + offsetof<TextureLevel>('width'));
  const heights = v128.load32_splat(changetype<usize>(record) + offsetof<TextureLevel>('height'));
  const lastX = i32x4.splat(record.innerX + 1);
  const lastY = i32x4.splat(record.innerY + 1);
  const i = firstOf(v128.load(access.u + quad), widths, modeU, access.offsetX);
  const j = firstOf(v128.load(access.v + quad), heights, modeV, access.offsetY);
  const layers = layersOf(access, quad, texture.layers);
  const base = i32x4.add(i32x4.splat(<i32>record.address), i32x4.mul(layers, i32x4.splat(record.layerBytes)));
  const bytes = i32x4.splat(read.format.texelBytes);
  const rowBytes = i32x4.splat(record.rowBytes);
  const i0 = i32x4.max_s(firstIndices(i, lastX, modeU), zero);
  const i1 = secondIndices(i32x4.add(i, one), lastX, modeU);
  const j0 = i32x4.max_s(firstIndices(j, lastY, modeV), zero);
  const j1 = secondIndices(i32x4.add(j, one), lastY, modeV);
  const to = read.addresses;
  if (texture.stream) {
    putFootprints(to, i0, i1, j0, j1);
    pageFootprints(access, read, zero, layers, to);
    return;
  }
  const x0 = i32x4.mul(i0, bytes);
  const x1 = i32x4.mul(i1, bytes);
  const row0 = i32x4.add(base, i32x4.mul(j0, rowBytes));
  const row1 = i32x4.add(base, i32x4.mul(j1, rowBytes));
  v128.store(to, i32x4.add(row0, x0));
  v128.store(to, i32x4.add(row0, x1), 16);
  v128.store(to, i32x4.add(row1, x0), 32);
  v128.store(to, i32x4.add(row1, x1), 48);
}

/**
 * Gathers for the quad at byte offset `quad` of the operands, to QuadRead.result. The texels are in the order (0,1)
 * (1,1) (1,0) (0,0), counter-clockwise from the lower left one. QuadRead.format must be prepared for loads (texels.ts).
 */
export function gatherQuad(access: Access, read: QuadRead, quad: usize): void {
  const texture = access.texture;
  const out = read.result;
  let channel = access.mode - MODE_GATHER;
  if (!(channel & 1) && isBlueFirst(texture.format)) channel ^= 2;
  if (channel >= read.format.channelCount) {
    const value = channel < 3 ? i32x4.splat(0) : isInteger(texture.format) ? i32x4.splat(1) : f32x4.splat(1);
    for (let at: usize = 0; at < 64; at += 16) v128.store(out + at, value);
    return;
  }
  if (texture.dimension >= DIMENSION_CUBE) {
    findFaces(access, read, quad);
    placeCube(access, read, quad, i32x4.splat(0), true);
  } else placeFlat(access, read, quad);
  fetchTexels(read, 4);
  if (access.compare) compareTexels(access, read, quad, 4);
  const texels = read.texels + (channel << 4);
  v128.store(out, v128.load(texels, 128));
  v128.store(out, v128.load(texels, 192), 16);
  v128.store(out, v128.load(texels, 64), 32);
  v128.store(out, v128.load(texels), 48);
}

function gatherQuads(access: Access): void {
  const read = access.quadRead;
  read.format = read.own;
  prepareTexels(read.own, access.texture.format, true);
  const end = access.quads << 4;
  for (let quad: usize = 0; quad < end; quad += 16) {
    gatherQuad(access, read, quad);
    for (let c: usize = 0; c < 4; c++) {
      const result = load<u32>(access.result + (c << 2));
      if (result) v128.store(result + quad, v128.load(read.result + (c << 4)));
    }
  }
}

/** Executes the ACCESS record of a gather for all quads of its warp. */
export function gatherWarp(access: Access): void {
  if (ASC_FEATURE_SIMD) gatherQuads(access);
  else gatherWarpScalar(access);
}
