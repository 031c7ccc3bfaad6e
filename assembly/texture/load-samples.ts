// textureLoadSample and textureLoadSamples on sampled multisampled textures: for each of four pixels, the value of the
// lowest sample of a mask, all samples that hold the same value, and the state of the pixel's values. All three are
// those of the load/store unit (surface/unit.ts), but they are read from the stored tile directly, because no shader
// stores to the surface meanwhile. Start reading at loadSamples.
import {
  PixelReads,
  QuadRead,
  Surface,
  SURFACE_1SPP,
  SURFACE_CLEAR,
  SURFACE_FULL,
  SURFACE_PLANE,
  SURFACE_SUBSET,
  SurfaceAccess,
  SurfaceTile,
  Texture,
} from '../layout';
import { allTrue, select } from '../simd/lanes';
import { layersOf, pixelAt } from '../simd/positions';
import { samplesWith } from '../surface/compare';
import { sampleAt } from '../surface/compare.scalar';
import { isBlueFirst, isInteger, loadTexels, swapRedAndBlue } from '../surface/formats';
import { isQuad } from '../surface/quads';
import {
  blockState,
  copyDepths,
  copySamples,
  depthAddress,
  fullAddress,
  quadOfOnes,
  sampleAddress,
} from '../surface/stored';
import { sameTexel } from '../surface/texel-same';
import { notePixel, readsOf } from './reads';
import { isSwizzled, swizzleTexels } from './swizzle';
import { fetchTexels, prepareTexels } from './texels/texels';

/**
 * Loads for all lanes of `access`. A lane outside the texture, or without a sample of it in its mask, gets zeros and
 * the mask that it asked for, so that a loop over the remaining samples also ends for it. `quad`: byte offset of the
 * quad in the warp's lanes. The states are determined only if `states` is set.
 */
export function loadSamples(texture: Texture, read: QuadRead, access: SurfaceAccess, quad: usize, states: bool): void {
  const pixels = readsOf(read, texture.surface);
  if (ASC_FEATURE_SIMD) {
    if (!loadOnes(pixels, read, access, quad, states)) loadLanes(pixels, read, access, quad, states);
    decode(texture, read, access);
  } else {
    loadLanes(pixels, read, access, quad, states);
    loadTexels(texture.format, read.addresses, access.texel);
  }
  if (isSwizzled(texture)) swizzleTexels(texture, access.texel);
}

/** Decodes the texels at QuadRead.addresses, where 0 stands for zeros. */
function decode(texture: Texture, read: QuadRead, access: SurfaceAccess): void {
  const format = texture.format;
  const out = access.texel;
  const isThere = i32x4.ne(v128.load(read.addresses), i32x4.splat(0));
  read.format = read.own;
  prepareTexels(read.own, format, true);
  fetchTexels(read, 1);
  const channels = read.own.channelCount;
  for (let c = 0; c < channels; c++) v128.store(out + (c << 4), v128.and(isThere, v128.load(read.texels + (c << 4))));
  for (let c = channels; c < 3; c++) v128.store(out + (c << 4), i32x4.splat(0));
  if (channels < 4) v128.store(out, v128.and(isThere, i32x4.splat(isInteger(format) ? 1 : 0x3f800000)), 48);
  if (isBlueFirst(format)) swapRedAndBlue(out);
}

/** As loadLanes, for a quad of pixels with one value each. Returns false, without effect, for other lanes. */
function loadOnes(pixels: PixelReads, read: QuadRead, access: SurfaceAccess, quad: usize, states: bool): bool {
  const surface = pixels.reads.surface;
  const x = v128.load(access.x);
  const y = v128.load(access.y);
  if (!isQuad(surface, x, y)) return false;
  const reads = pixels.reads;
  const places = v128.or(x, i32x4.shl(y, 16));
  const ones = pixels.texels + quad;
  if (!allTrue(v128.and(i32x4.eq(places, v128.load(pixels.places + quad)), v128.load(ones)))) {
    if (!quadOfOnes(reads, i32x4.extract_lane(x, 0), i32x4.extract_lane(y, 0), ones)) return false;
    v128.store(pixels.places + quad, places);
  }
  const asked = v128.load(access.mask);
  const whole = i32x4.splat(surface.whole);
  const takes = i32x4.ne(v128.and(asked, whole), i32x4.splat(0));
  reads.texels += popcnt(i32x4.bitmask(takes)) * surface.samples;
  v128.store(read.addresses, v128.and(takes, v128.load(ones)));
  v128.store(access.known, select(takes, whole, asked));
  if (!states) return true;
  const tile = surface.tile(surface.tileOf(load<i32>(access.x), load<i32>(access.y)));
  for (let lane: usize = 0; lane < 16; lane += 4) {
    const texel = load<u32>(read.addresses + lane);
    store<i32>(access.state + lane, texel ? stateOfOne(surface, tile, texel) : 0);
  }
  return true;
}

/** Stores the addresses of the texels of all lanes to QuadRead.addresses, and their masks and states. */
function loadLanes(pixels: PixelReads, read: QuadRead, access: SurfaceAccess, quad: usize, states: bool): void {
  for (let lane: usize = 0; lane < 16; lane += 4) {
    const one = changetype<SurfaceAccess>(changetype<usize>(access) + lane);
    store<u32>(read.addresses + lane, loadLane(pixels, one, quad + lane, read.texels, states));
  }
}

/** Loads for the first lane of `access`. Returns the address of its texel; 0: there is none. */
function loadLane(pixels: PixelReads, access: SurfaceAccess, lane: usize, scratch: usize, states: bool): usize {
  const surface = pixels.reads.surface;
  const x = load<i32>(access.x);
  const y = load<i32>(access.y);
  const asked = load<i32>(access.mask);
  const samples = asked & surface.whole;
  if (!samples || !surface.holds(x, y)) {
    store<i32>(access.known, asked);
    store<i32>(access.state, 0);
    return 0;
  }
  const place = x | (y << 16);
  const tile = surface.tile(surface.tileOf(x, y));
  const reads = pixels.reads;
  let texel = load<usize>(pixels.texels + lane);
  // Without encoding, all samples are read.
  reads.texels += surface.samples;
  if (!texel || load<i32>(pixels.places + lane) != place) {
    const pixel = pixelAt(x, y);
    const state = surface.uniform ? SURFACE_CLEAR : blockState(tile, pixel >> 6);
    if (state == SURFACE_FULL) {
      copySamples(reads, tile, pixel, scratch);
      return loadFull(surface, tile, fullAddress(surface, tile, pixel, ctz(samples)), access, scratch, states);
    }
    if (state == SURFACE_PLANE) {
      copyDepths(reads, tile, x, y, scratch);
      return loadFull(surface, tile, depthAddress(reads, x, y, ctz(samples)), access, scratch, states);
    }
    texel = sampleAddress(reads, x, y, ctz(samples));
    reads.texels -= 1;
    notePixel(pixels, lane, place, texel);
    if (reads.values > 1) {
      store<i32>(access.known, reads.mask & surface.whole);
      store<i32>(access.state, reads.values == surface.samples ? SURFACE_FULL : SURFACE_SUBSET);
      return texel;
    }
  }
  store<i32>(access.known, surface.whole);
  if (states) store<i32>(access.state, stateOfOne(surface, tile, texel));
  return texel;
}

/** As loadLane, for a pixel whose samples were copied to `scratch`, and of which the one at `texel` is asked for. */
function loadFull(
  surface: Surface,
  tile: SurfaceTile,
  texel: usize,
  access: SurfaceAccess,
  scratch: usize,
  states: bool
): usize {
  const mask = samplesOf(surface, scratch, texel);
  store<i32>(access.known, mask);
  if (!states) return texel;
  let state = SURFACE_SUBSET;
  if (mask == surface.whole) state = stateOfOne(surface, tile, texel);
  else if (!(mask & (mask - 1)) && allDiffer(surface, scratch, surface.whole & ~mask)) state = SURFACE_FULL;
  store<i32>(access.state, state);
  return texel;
}

/** The samples of the pixel at `scratch` that hold the texel at `texel`. */
function samplesOf(surface: Surface, scratch: usize, texel: usize): i32 {
  const bytes = surface.texelBytes;
  return samplesWith(bytes, scratch, bytes << 2, layersOf(surface.samples), texel) & surface.whole;
}

/** Whether no other sample holds the value of one of these samples. */
function allDiffer(surface: Surface, scratch: usize, samples: i32): bool {
  const bytes = surface.texelBytes;
  for (let left = samples; left; left &= left - 1)
    if (samplesOf(surface, scratch, sampleAt(bytes, scratch, bytes << 2, ctz(left))) != (left & -left)) return false;
  return true;
}

/** The state of a pixel that holds one value. */
function stateOfOne(surface: Surface, tile: SurfaceTile, texel: usize): i32 {
  const clear = surface.uniform ? surface.clear : tile.clear;
  return sameTexel(surface.texelBytes, texel, clear) ? SURFACE_CLEAR : SURFACE_1SPP;
}
