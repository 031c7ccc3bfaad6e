// textureLoad: unfiltered texels by integer coordinates, four pixels at a time. A texel outside the texture, its
// levels, layers or samples reads as zeros (WebGPU allows zeros, (0,0,0,1) or a texel inside). Twin: load.scalar.ts.
import { Access, DIMENSION_1D, DIMENSION_3D, QuadRead, TextureLevel } from '../layout';
import { isBlueFirst, isInteger } from '../surface/formats';
import { allTrue, isSplat } from '../simd/lanes';
import { isQuad } from '../surface/quads';
import { quadAddresses } from '../surface/stored';
import { wholeInts } from './addresses/axis';
import { loadWarpScalar } from './load.scalar';
import { pageTexels } from './addresses/pages';
import { commonLevel, fieldOf } from './addresses/places';
import { storeChannels } from './quad';
import { pixelAddress, readsOf } from './reads';
import { fetchTexels, prepareTexels } from './texels/texels';

function operand(register: usize, quad: usize): v128 {
  return register ? v128.load(register + quad) : i32x4.splat(0);
}

// Stores the addresses of the quad's texels. Returns all ones in the lanes whose texel exists.
function placeTexels(access: Access, read: QuadRead, quad: usize): v128 {
  const texture = access.texture;
  const x = v128.load(access.u + quad);
  const y = texture.dimension == DIMENSION_1D ? i32x4.splat(0) : v128.load(access.v + quad);
  const numbers = operand(access.level, quad);
  const exists = i32x4.lt_u(numbers, i32x4.splat(texture.levelCount));
  const levels = v128.and(numbers, exists);
  const common = commonLevel(texture, levels);
  const volume = texture.dimension == DIMENSION_3D;
  const z = operand(volume ? access.w : access.layer, quad);
  const slices = volume
    ? wholeInts(fieldOf(texture, levels, common, offsetof<TextureLevel>('slices')))
    : i32x4.splat(texture.layers);
  const two = i32x4.splat(2);
  const width = i32x4.add(fieldOf(texture, levels, common, offsetof<TextureLevel>('innerX')), two);
  const height = i32x4.add(fieldOf(texture, levels, common, offsetof<TextureLevel>('innerY')), two);
  const inside = v128.and(
    v128.and(i32x4.lt_u(x, width), i32x4.lt_u(y, height)),
    v128.and(i32x4.lt_u(z, slices), exists)
  );
  if (texture.stream) {
    // All ones, thus a negative level, where a lane is outside.
    const own = v128.or(levels, v128.not(inside));
    v128.store(read.addresses, pageTexels(access, read, own, z, x, y));
    return inside;
  }
  const row = i32x4.mul(y, fieldOf(texture, levels, common, offsetof<TextureLevel>('rowBytes')));
  const slice = i32x4.mul(z, fieldOf(texture, levels, common, offsetof<TextureLevel>('layerBytes')));
  const column = i32x4.mul(x, i32x4.splat(read.format.texelBytes));
  v128.store(
    read.addresses,
    i32x4.add(
      fieldOf(texture, levels, common, offsetof<TextureLevel>('address')),
      v128.and(inside, i32x4.add(i32x4.add(row, slice), column))
    )
  );
  return inside;
}

/**
 * Stores the addresses of texels of a multisampled texture, whose sample index takes the place of the level, to
 * QuadRead.addresses. Returns all ones in the lanes whose texel exists. Pixels that are known to be stored with one
 * value are not looked up again.
 */
export function placeSamples(access: Access, read: QuadRead, quad: usize): v128 {
  const surface = access.texture.surface;
  const pixels = readsOf(read, surface);
  const reads = pixels.reads;
  const x = v128.load(access.u + quad);
  const y = v128.load(access.v + quad);
  const numbers = operand(access.level, quad);
  const places = v128.or(x, i32x4.shl(y, 16));
  const ones = pixels.texels + quad;
  const first = i32x4.extract_lane(numbers, 0);
  const known = v128.and(i32x4.eq(places, v128.load(pixels.places + quad)), v128.load(ones));
  if (isSplat(numbers) && <u32>first < <u32>surface.samples && isQuad(surface, x, y)) {
    if (allTrue(known)) {
      reads.texels += 4;
      v128.store(read.addresses, known);
    } else {
      v128.store(pixels.places + quad, places);
      v128.store(ones, known);
      quadAddresses(reads, i32x4.extract_lane(x, 0), i32x4.extract_lane(y, 0), first, read.addresses, ones);
    }
    return i32x4.splat(-1);
  }
  for (let lane = quad; lane < quad + 16; lane += 4) {
    const number = access.level ? load<i32>(access.level + lane) : 0;
    const address = pixelAddress(pixels, lane, load<i32>(access.u + lane), load<i32>(access.v + lane), number);
    store<u32>(read.addresses + lane - quad, address);
  }
  return i32x4.ne(v128.load(read.addresses), i32x4.splat(0));
}

/** Loads the quad at byte offset `quad` of the operands: all channels, in memory order, to QuadRead.result. */
export function loadQuad(access: Access, read: QuadRead, quad: usize): void {
  const texture = access.texture;
  const inside = texture.samples > 1 ? placeSamples(access, read, quad) : placeTexels(access, read, quad);
  fetchTexels(read, 1);
  const channels = read.format.channelCount;
  const out = read.result;
  for (let c = 0; c < channels; c++) v128.store(out + (c << 4), v128.and(inside, v128.load(read.texels + (c << 4))));
  if (channels == 4) return;
  for (let c = channels; c < 3; c++) v128.store(out + (c << 4), i32x4.splat(0));
  v128.store(out, v128.and(inside, i32x4.splat(isInteger(texture.format) ? 1 : 0x3f800000)), 48);
}

/** Executes the ACCESS record of a load for all quads of its warp. */
export function loadWarp(access: Access): void {
  if (ASC_FEATURE_SIMD) loadQuads(access);
  else loadWarpScalar(access);
}

function loadQuads(access: Access): void {
  const read = access.quadRead;
  read.format = read.own;
  prepareTexels(read.own, access.texture.format, true);
  const swap: usize = isBlueFirst(access.texture.format) ? 2 : 0;
  const end = access.quads << 4;
  for (let quad: usize = 0; quad < end; quad += 16) {
    loadQuad(access, read, quad);
    storeChannels(access, read, quad, swap);
  }
}
