// Operations on whole surfaces: clearing, copying and statistics.

import {
  PAGE_SIZE,
  STATUS_DONE,
  STATUS_NEEDS_MEMORY,
  Surface,
  SURFACE_1SPP,
  SURFACE_CLEAR,
  SURFACE_FULL,
  SURFACE_PLANE,
  SURFACE_SUBSET,
  SURFACE_UNIFORM,
  SurfaceTile,
  TILE_BLOCKS,
  TILE_SHIFT,
} from '../layout';
import { pixelAt } from '../simd/positions';
import { ALL_PIXELS, clearTile } from './encode';
import { blockState, bytesAt, holdPages, countMovedBytes, subsetsOf } from './stored';
import { sameTexel } from './texel-same';

/** Sets every sample of the surface to zero and returns its pages to the pool. */
export function clearSurface(surface: Surface): void {
  if (surface.uniform && !(load<u64>(surface.clear) | load<u64>(surface.clear, 8))) return;
  for (let index = 0; index < surface.tileCount; index++) {
    const texel = surface.tile(index).clear;
    memory.fill(texel, 0, 16);
    clearTile(surface, index, texel);
  }
  memory.fill(surface.clear, 0, 16);
  surface.uniform = 1;
}

/** Whether all samples are known to hold the texel at `texel` (16 bytes), with no tile stored. */
export function isUniform(surface: Surface, texel: usize): bool {
  return surface.uniform != 0 && sameTexel(16, surface.clear, texel);
}

/**
 * Copies all tiles of a surface, in their encoded form, to one with the same size, sample count and texel size. Returns
 * STATUS_DONE, or STATUS_NEEDS_MEMORY after copying only some tiles.
 */
export function copySurface(from: Surface, to: Surface): i32 {
  if (from.uniform && isUniform(to, from.clear)) return STATUS_DONE;
  for (let index = 0; index < from.tileCount; index++) {
    const source = from.tile(index);
    const target = to.tile(index);
    const length = source.length;
    if (!holdPages(to, target, length)) return STATUS_NEEDS_MEMORY;
    for (let offset: u32 = 0; offset < length; offset += PAGE_SIZE) {
      const part = min<u32>(length - offset, PAGE_SIZE);
      memory.copy(bytesAt(target, offset, part), bytesAt(source, offset, part), part);
    }
    target.state = source.state;
    target.length = length;
    // The clear value, block states and block offsets are contiguous.
    memory.copy(
      target.clear,
      source.clear,
      changetype<usize>(changetype<SurfaceTile>(0).pages) - changetype<usize>(changetype<SurfaceTile>(0).clear)
    );
    countMovedBytes(from, length, TILE_BLOCKS);
    countMovedBytes(to, length, TILE_BLOCKS);
  }
  to.uniform = from.uniform;
  memory.copy(to.clear, from.clear, 16);
  return STATUS_DONE;
}

/** Counts the tiles (four u32 at `to`) and then the pixels (four u32) in each SURFACE_* state. */
export function countStates(surface: Surface, to: usize): void {
  memory.fill(to, 0, 32);
  if (surface.uniform) {
    count(to, SURFACE_CLEAR, surface.tileCount);
    count(to + 16, SURFACE_CLEAR, surface.width * surface.height);
    return;
  }
  const tilesX = surface.tilesX;
  for (let index = 0; index < surface.tileCount; index++) {
    const tile = surface.tile(index);
    const x = (index % tilesX) << TILE_SHIFT;
    const y = (index / tilesX) << TILE_SHIFT;
    let tileState = reported(blockState(tile, 0));
    for (let block = 0; block < TILE_BLOCKS; block++) {
      const inside = pixelsInside(surface.width - x - ((block & 7) << 3), surface.height - y - ((block >> 3) << 3));
      const state = reported(blockState(tile, block));
      if (state != tileState) tileState = SURFACE_SUBSET;
      const perSample = state == SURFACE_SUBSET ? inside & subsetsOf(surface, tile, block).divided : 0;
      count(to + 16, SURFACE_SUBSET, <u32>popcnt<u64>(perSample));
      count(to + 16, state == SURFACE_SUBSET ? SURFACE_1SPP : state, <u32>popcnt<u64>(inside & ~perSample));
    }
    count(to, tileState, 1);
  }
}

/** The state by which statistics name a state. */
function reported(state: i32): i32 {
  if (state == SURFACE_UNIFORM) return SURFACE_1SPP;
  return state == SURFACE_PLANE ? SURFACE_FULL : state;
}

function count(to: usize, state: i32, more: u32): void {
  const at = to + (state << 2);
  store<u32>(at, load<u32>(at) + more);
}

/** Mask of the pixels of a block that lie within `width` and `height` of its top left corner. */
export function pixelsInside(width: i32, height: i32): u64 {
  if (width >= 8 && height >= 8) return ALL_PIXELS;
  let pixels: u64 = 0;
  for (let y = 0; y < min<i32>(height, 8); y++) {
    for (let x = 0; x < min<i32>(width, 8); x++) pixels |= (<u64>1) << pixelAt(x, y);
  }
  return pixels;
}

/** Writes the SURFACE_* state of every pixel of row `y` to `to`, one byte each. */
export function surfaceStates(surface: Surface, y: i32, to: usize): void {
  if (surface.uniform) {
    memory.fill(to, <u8>SURFACE_CLEAR, surface.width);
    return;
  }
  for (let x = 0; x < surface.width; x++) {
    const tile = surface.tile(surface.tileOf(x, y));
    const pixel = pixelAt(x, y);
    let state = reported(blockState(tile, pixel >> 6));
    if (state == SURFACE_SUBSET && !((subsetsOf(surface, tile, pixel >> 6).divided >> (pixel & 63)) & 1))
      state = SURFACE_1SPP;
    store<u8>(to + x, state);
  }
}
