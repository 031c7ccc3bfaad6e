// Loads stored tiles and blocks from memory into the planes of a tile context.

import {
  bitsOf,
  BLOCK_PIXELS,
  bytesOfLayer,
  DEPTH_PLANE_BYTES,
  PAGE_SIZE,
  Plane,
  someOf,
  Staging,
  Subsets,
  sumOf,
  Surface,
  SURFACE_1SPP,
  SURFACE_CLEAR,
  SURFACE_FULL,
  SURFACE_PLANE,
  SURFACE_UNIFORM,
  SurfaceTile,
  TILE_BLOCKS,
  TILE_PIXELS,
  VECTOR_BYTES,
} from '../layout';
import { lanesOf } from '../simd/texels';
import { ALL_PIXELS } from './encode';
import { loadLists } from './lists';
import { fillPixels, fillSamples, putAll, putSamples, repeatPixels } from './plane';
import { blockBytes, blockOffset, blockState, bytesAt, moveBytes, countMovedBytes, valueAt } from './stored';
import { copyTexel, copyWords } from './texel-same';

/**
 * Loads a tile into the planes, block states and clear value of its STAGING. With `fills`, clear blocks are also
 * written to the sample plane, for planes whose blocks have no states. Blocks that are stored as planes of depth go to
 * Staging.depthPlanes instead.
 */
export function loadTile(surface: Surface, index: i32, staging: Staging, fills: bool): void {
  const plane = staging.plane;
  const tile = surface.tile(index);
  const bytes = surface.texelBytes;
  const one = plane.pixels != 0 && surface.encodes != 0;
  const states = plane.states;
  const perSample = plane.perSample;
  memory.copy(plane.clear, tile.clear, 16);
  countMovedBytes(surface, tile.length, TILE_BLOCKS);
  if (one && (tile.state == SURFACE_1SPP || tile.state == SURFACE_UNIFORM)) {
    if (tile.state == SURFACE_1SPP) moveBytes(tile, 0, plane.pixels, TILE_PIXELS * bytes, false);
    else repeatPixels(plane, 0, tile.value, TILE_PIXELS);
    memory.fill(states, 0, TILE_BLOCKS);
    memory.fill(perSample, 0, TILE_BLOCKS << 3);
    return;
  }
  for (let block = 0; block < TILE_BLOCKS; block++) {
    const state = blockState(tile, block);
    const clear = state == SURFACE_CLEAR && !fills;
    store<u8>(states + block, clear ? 1 : 0);
    store<u64>(perSample + (block << 3), clear ? 0 : loadBlock(surface, tile, staging, block, state, one));
  }
}

/** Loads some blocks of a tile into the planes and states of its STAGING, which already has the tile's clear value. */
export function loadBlocks(surface: Surface, index: i32, staging: Staging, blocks: u64): void {
  const plane = staging.plane;
  const tile = surface.tile(index);
  for (let rest = blocks; rest; rest &= rest - 1) {
    const block = <i32>ctz(rest);
    const state = blockState(tile, block);
    const clear = state == SURFACE_CLEAR;
    countMovedBytes(surface, blockBytes(surface, tile, block), 1);
    store<u8>(plane.states + block, clear ? 1 : 0);
    store<u64>(plane.bits(block), clear ? 0 : loadBlock(surface, tile, staging, block, state, surface.encodes != 0));
  }
}

/** Loads one block of a tile into the planes and states of its STAGING, which already has the tile's clear value. */
export function fetchBlock(surface: Surface, index: i32, staging: Staging, block: i32): void {
  const plane = staging.plane;
  const tile = surface.tile(index);
  const state = blockState(tile, block);
  countMovedBytes(surface, blockBytes(surface, tile, block), 1);
  if (state == SURFACE_CLEAR && surface.encodes) {
    fillPixels(plane, block);
    return;
  }
  store<u8>(plane.states + block, 0);
  store<u64>(plane.bits(block), loadBlock(surface, tile, staging, block, state, surface.encodes != 0));
}

/**
 * Loads a block that is not clear, or that must be filled. Returns the pixels whose samples are in the sample plane.
 * With `one`, pixels that hold a single value go to the pixel plane only.
 */
function loadBlock(surface: Surface, tile: SurfaceTile, staging: Staging, block: i32, state: i32, one: bool): u64 {
  const plane = staging.plane;
  const bytes = surface.texelBytes;
  const offset = blockOffset(surface, tile, block);
  if (plane.secondTexels) {
    store<u64>(plane.paired + (block << 3), 0);
    store<u64>(plane.listed + (block << 3), 0);
  }
  if (state == SURFACE_CLEAR) {
    fillSamples(plane, block, plane.clear);
  } else if (state == SURFACE_UNIFORM) {
    const value = valueAt(surface, tile, block, VECTOR_BYTES);
    if (one) {
      repeatPixels(plane, block, value, BLOCK_PIXELS);
      return 0;
    }
    fillSamples(plane, block, value);
  } else if (state == SURFACE_1SPP) {
    const length = BLOCK_PIXELS * bytes;
    if (one) {
      moveBytes(tile, offset, plane.texel(block << 6), length, false);
      return 0;
    }
    moveBytes(tile, offset, staging.block, length, false);
    spreadPixels(plane, block, staging.block);
  } else if (state == SURFACE_PLANE) {
    moveBytes(tile, offset, staging.depthPlane(block), DEPTH_PLANE_BYTES, false);
    staging.planeBlocks |= (<u64>1) << (<u64>block);
  } else if (state == SURFACE_FULL) {
    loadFull(surface, tile, staging, block, offset);
  } else {
    return loadSubsets(surface, tile, staging, block, offset, one);
  }
  return ALL_PIXELS;
}

/** Copies the 64 texels at `from` to all samples of their pixels. */
function spreadPixels(plane: Plane, block: i32, from: usize): void {
  for (let pixel = 0; pixel < BLOCK_PIXELS; pixel++)
    putAll(plane, (block << 6) + pixel, from + pixel * plane.texelBytes);
}

function loadFull(surface: Surface, tile: SurfaceTile, staging: Staging, block: i32, offset: u32): void {
  const plane = staging.plane;
  const bytes = plane.texelBytes;
  const to = plane.sample(block << 6);
  if (surface.samples > 2) {
    const part = 4 * BLOCK_PIXELS * bytes;
    for (let layer = 0; layer < plane.layers; layer++)
      moveBytes(tile, offset + layer * part, to + layer * plane.layerBytes, part, false);
    return;
  }
  const pair = bytes << 1;
  moveBytes(tile, offset, staging.block, BLOCK_PIXELS * pair, false);
  for (let pixel = 0; pixel < BLOCK_PIXELS; pixel++) {
    const from = staging.block + pixel * pair;
    for (let lane = 0; lane < 4; lane++) copyTexel(bytes, to + (pixel * 4 + lane) * bytes, from + (lane & 1) * bytes);
  }
}

function loadSubsets(surface: Surface, tile: SurfaceTile, staging: Staging, block: i32, offset: u32, one: bool): u64 {
  const bytes = surface.texelBytes;
  const samples = surface.samples;
  const plane = staging.plane;
  const length = blockBytes(surface, tile, block);
  let record = changetype<Subsets>(staging.block);
  if (length > <u32>PAGE_SIZE - (offset & (PAGE_SIZE - 1)))
    moveBytes(tile, offset, changetype<usize>(record), length, false);
  else record = changetype<Subsets>(bytesAt(tile, offset, length));
  const divided = record.divided;
  const texels = record.texels;
  if (one) copyWords(plane.texel(block << 6), texels, BLOCK_PIXELS * bytes);
  else spreadPixels(plane, block, texels);
  const compact = one && plane.secondTexels != 0;
  if (compact && copyPairs(record, plane, block)) return divided;
  const isWord = ASC_FEATURE_SIMD && bytes == 4;
  if (compact && isWord) {
    loadLists(record, plane, block);
    return divided;
  }
  const pairs = compact ? loadPairs(record, plane, block) : 0;
  if (one)
    for (let rest = divided & ~pairs; rest; rest &= rest - 1)
      putAll(plane, (block << 6) + <i32>ctz(rest), texels + <usize>ctz(rest) * bytes);
  if (ASC_FEATURE_SIMD) {
    if (isWord) {
      loadWords(record, plane, block, samples == 2);
      return one ? divided : ALL_PIXELS;
    }
  }
  let masks = record.masks(bytes);
  let values = record.values(bytes);
  for (let quad = 0; quad < BLOCK_PIXELS >> 2; quad++) {
    for (let counts = record.countsOf(bytes, quad), some = 0; counts; counts -= some) {
      some = someOf(counts);
      for (let left = bitsOf(some); left; left &= left - 1) {
        const inBlock = (quad << 2) + ctz(left);
        const mask = <i32>load<u16>(masks);
        // With two samples, the last two of four lanes repeat the first two.
        if (!((pairs >> (<u64>inBlock)) & 1))
          putSamples(plane, (block << 6) + inBlock, samples == 2 ? mask * 5 : mask, values);
        masks += 2;
        values += bytes;
      }
    }
  }
  return one ? divided : ALL_PIXELS;
}

/** Loads the second texels and their masks if all pixels of a block hold two values. Returns whether they do. */
function copyPairs(record: Subsets, plane: Plane, block: i32): bool {
  const bytes = plane.texelBytes;
  if (record.count != BLOCK_PIXELS || record.divided != ALL_PIXELS) return false;
  copyWords(plane.maskAt(block << 6), record.masks(bytes), BLOCK_PIXELS << 1);
  copyWords(plane.second(block << 6), record.values(bytes), BLOCK_PIXELS * bytes);
  store<u64>(plane.paired + (block << 3), ALL_PIXELS);
  return true;
}

/** Loads the second texel and its mask for pixels that hold exactly two values; returns these pixels. */
function loadPairs(record: Subsets, plane: Plane, block: i32): u64 {
  const bytes = plane.texelBytes;
  const masks = record.masks(bytes);
  const values = record.values(bytes);
  let pairs: u64 = 0;
  let start: usize = 0;
  for (let quad = 0; quad < BLOCK_PIXELS >> 2; quad++) {
    const counts = record.countsOf(bytes, quad);
    let number = start;
    for (let left = bitsOf(someOf(counts)); left; left &= left - 1, number++) {
      if (((counts >> (ctz(left) << 2)) & 15) != 1) continue;
      const inBlock = (quad << 2) + ctz(left);
      const pixel = (block << 6) + inBlock;
      pairs |= (<u64>1) << (<u64>inBlock);
      store<u16>(plane.maskAt(pixel), load<u16>(masks + (number << 1)));
      copyTexel(bytes, plane.second(pixel), values + number * bytes);
    }
    start += sumOf(counts);
  }
  store<u64>(plane.paired + (block << 3), pairs);
  return pairs;
}

/**
 * Loads the further values of a SUBSETS record of 4-byte texels to the sample plane, where the samples of their pixels
 * already hold the first values. With `two` (two samples per pixel), the bits of the masks repeat.
 */
function loadWords(record: Subsets, plane: Plane, block: i32, two: bool): void {
  const layers = plane.layers;
  const samples = plane.sample(block << 6);
  let masks = record.masks(4);
  let values = record.values(4);
  for (let quad = 0; quad < BLOCK_PIXELS >> 2; quad++) {
    for (let counts = record.countsOf(4, quad), some = 0; counts; counts -= some) {
      some = someOf(counts);
      for (let left = bitsOf(some); left; left &= left - 1) {
        const value = v128.load32_splat(values);
        let to = samples + (((<usize>quad) << 6) + (ctz(left) << 4));
        let mask = <i32>load<u16>(masks);
        if (two) mask *= 5;
        for (let layer = 0; layer < layers; layer++, mask >>= 4, to += bytesOfLayer(4))
          v128.store(to, v128.bitselect(value, v128.load(to), lanesOf(mask & 15)));
        masks += 2;
        values += 4;
      }
    }
  }
}
