// Loads stored tiles and blocks from memory into the planes of a tile context.

import {
  BLOCK_PIXELS,
  bytesOfLayer,
  PAGE_SIZE,
  Plane,
  Staging,
  Subsets,
  Surface,
  SURFACE_1SPP,
  SURFACE_CLEAR,
  SURFACE_FULL,
  SurfaceTile,
  TILE_BLOCKS,
  TILE_PIXELS,
} from '../layout';
import { lanesOf } from '../simd/texels';
import { ALL_PIXELS } from './encode';
import { maxListed, putList } from './lists';
import { fillPixels, fillSamples, putAll, putSamples } from './plane';
import { blockBytes, blockOffset, blockState, bytesAt, moveBytes, countMovedBytes } from './stored';
import { copyTexel, copyWords } from './texel-same';

/**
 * Loads a tile into the planes, block states and clear value of its STAGING. With `fills`, clear blocks are also
 * written to the sample plane, for planes whose blocks have no states.
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
  if (one && tile.state == SURFACE_1SPP) {
    moveBytes(tile, 0, plane.pixels, TILE_PIXELS * bytes, false);
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
    fillSamples(plane, block);
  } else if (state == SURFACE_1SPP) {
    const length = BLOCK_PIXELS * bytes;
    if (one) {
      moveBytes(tile, offset, plane.texel(block << 6), length, false);
      return 0;
    }
    moveBytes(tile, offset, staging.block, length, false);
    spreadPixels(plane, block, staging.block);
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
  const perSample = record.divided;
  const texels = record.texels;
  if (one) copyWords(plane.texel(block << 6), texels, BLOCK_PIXELS * bytes);
  else spreadPixels(plane, block, texels);
  const pairs = one && plane.secondTexels ? loadPairs(record, plane, block) : 0;
  if (pairs) store<u64>(plane.paired + (block << 3), pairs);
  if (ASC_FEATURE_SIMD) {
    if (bytes == 4) {
      if (pairs != perSample) loadWords(record, pairs, plane, block, samples == 2);
      return one ? perSample : ALL_PIXELS;
    }
  }
  const masks = record.masks(bytes);
  const values = record.values(bytes);
  let before: usize = 0;
  for (let rest = perSample; rest; rest &= rest - 1, before++) {
    const pixel = <i32>ctz<u64>(rest);
    if (pairs & rest & -rest) continue;
    if (one) putAll(plane, (block << 6) + pixel, texels + pixel * bytes);
    const end = record.first(bytes, before + 1);
    for (let number = record.first(bytes, before); number < end; number++) {
      const mask = <i32>load<u16>(masks + (number << 1));
      // With two samples, the last two of four lanes repeat the first two.
      putSamples(plane, (block << 6) + pixel, samples == 2 ? mask * 5 : mask, values + number * bytes);
    }
  }
  return one ? perSample : ALL_PIXELS;
}

/** Loads the second texel and its mask for pixels that hold exactly two values; returns these pixels. */
function loadPairs(record: Subsets, plane: Plane, block: i32): u64 {
  const bytes = plane.texelBytes;
  const divided = record.divided;
  const masks = record.masks(bytes);
  const values = record.values(bytes);
  if (record.count == BLOCK_PIXELS && divided == ALL_PIXELS) {
    copyWords(plane.maskAt(block << 6), masks, BLOCK_PIXELS << 1);
    copyWords(plane.second(block << 6), values, BLOCK_PIXELS * bytes);
    return ALL_PIXELS;
  }
  let pairs: u64 = 0;
  let before: usize = 0;
  for (let rest = divided; rest; rest &= rest - 1, before++) {
    const number = record.first(bytes, before);
    if (record.first(bytes, before + 1) - number != 1) continue;
    const pixel = (block << 6) + <i32>ctz<u64>(rest);
    pairs |= rest & -rest;
    store<u16>(plane.maskAt(pixel), load<u16>(masks + (number << 1)));
    copyTexel(bytes, plane.second(pixel), values + number * bytes);
  }
  return pairs;
}

/**
 * Loads the values of divided pixels, except `pairs`, from a SUBSETS record of 4-byte texels: as lists where the plane
 * may have them, else as samples. With `two` (two samples per pixel), the bits of the masks repeat.
 */
function loadWords(record: Subsets, pairs: u64, plane: Plane, block: i32, two: bool): void {
  const layers = plane.layers;
  const samples = plane.sample(block << 6);
  const most = plane.pixels && plane.secondTexels ? maxListed(layers) : 0;
  let listed: u64 = 0;
  const texels = record.texels;
  const masks = record.masks(4);
  const values = record.values(4);
  let before: usize = 0;
  for (let rest = record.divided; rest; rest &= rest - 1, before++) {
    if (pairs & rest & -rest) continue;
    const pixel = <usize>ctz<u64>(rest);
    const begin = record.first(4, before);
    const end = record.first(4, before + 1);
    const count = <i32>(end - begin);
    if (count <= most) {
      putList(plane, (block << 6) + <i32>pixel, masks + (begin << 1), values + (begin << 2), count);
      listed |= rest & -rest;
      continue;
    }
    const first = v128.load32_splat(texels + (pixel << 2));
    let to = samples + (pixel << 4);
    for (let shift = 0; shift < layers << 2; shift += 4) {
      let held = first;
      for (let number = begin; number < end; number++) {
        const mask = <i32>load<u16>(masks + (number << 1));
        held = v128.bitselect(
          v128.load32_splat(values + (number << 2)),
          held,
          lanesOf((two ? mask * 5 : mask >> shift) & 15)
        );
      }
      v128.store(to, held);
      to += bytesOfLayer(4);
    }
  }
  if (listed) store<u64>(plane.listed + (block << 3), listed);
}
