// Surfaces as a whole: emptied, copied, and told about.

import { TILE_BLOCKS, TILE_SHIFT } from '../layout/limits';
import { STATUS_DONE, STATUS_NEEDS_MEMORY } from '../layout/status';
import {
  PAGE_SIZE, SUBSETS_SEVERAL, SURFACE_1SPP, SURFACE_HEIGHT, SURFACE_SUBSET, SURFACE_TILE_BYTES, SURFACE_TILE_CLEAR, SURFACE_TILE_PAGES, SURFACE_TILE_STATE,
  SURFACE_TILES, SURFACE_TILES_X, SURFACE_WIDTH,
} from '../layout/surface';
import { ALL_PIXELS, clearTile, noteMoved } from './encode';
import { blockOf, blockOffset, blockState, byteAt, holdPages, pixelOf, tileAt } from './stored';

/** Every sample of the surface becomes zero, and its pages go back to the pool. */
export function clearSurface(surface: usize): void {
  for (let index = 0; index < load<i32>(surface, SURFACE_TILES); index++) {
    const texel = tileAt(surface, index) + SURFACE_TILE_CLEAR;
    memory.fill(texel, 0, 16);
    clearTile(surface, index, texel);
  }
}

/** Copies all tiles of a surface to one of the same size, samples and texels, as they are. STATUS_DONE, or STATUS_NEEDS_MEMORY after some. */
export function copySurface(from: usize, to: usize): i32 {
  for (let index = 0; index < load<i32>(from, SURFACE_TILES); index++) {
    const source = tileAt(from, index);
    const target = tileAt(to, index);
    const length = load<u32>(source, SURFACE_TILE_BYTES);
    if (!holdPages(to, target, length)) return STATUS_NEEDS_MEMORY;
    for (let offset: u32 = 0; offset < length; offset += PAGE_SIZE) {
      memory.copy(byteAt(target, offset), byteAt(source, offset), min<u32>(length - offset, PAGE_SIZE));
    }
    store<i32>(target, load<i32>(source, SURFACE_TILE_STATE), SURFACE_TILE_STATE);
    store<u32>(target, length, SURFACE_TILE_BYTES);
    // Clear value, block states and offsets lie one behind the other.
    memory.copy(target + SURFACE_TILE_CLEAR, source + SURFACE_TILE_CLEAR, SURFACE_TILE_PAGES - SURFACE_TILE_CLEAR);
    noteMoved(from, length);
    noteMoved(to, length);
  }
  return STATUS_DONE;
}

/** How many tiles (four u32) and how many pixels (four u32) are in each state, SURFACE_*, at `to`. */
export function countStates(surface: usize, to: usize): void {
  memory.fill(to, 0, 32);
  const tilesX = load<i32>(surface, SURFACE_TILES_X);
  for (let index = 0; index < load<i32>(surface, SURFACE_TILES); index++) {
    const tile = tileAt(surface, index);
    count(to, load<i32>(tile, SURFACE_TILE_STATE), 1);
    const x = (index % tilesX) << TILE_SHIFT;
    const y = (index / tilesX) << TILE_SHIFT;
    for (let block = 0; block < TILE_BLOCKS; block++) {
      const inside = pixelsInside(load<i32>(surface, SURFACE_WIDTH) - x - ((block & 7) << 3), load<i32>(surface, SURFACE_HEIGHT) - y - ((block >> 3) << 3));
      const state = blockState(tile, block);
      const several = state == SURFACE_SUBSET ? inside & load<u64>(byteAt(tile, blockOffset(surface, tile, block)), SUBSETS_SEVERAL) : 0;
      count(to + 16, SURFACE_SUBSET, <u32>popcnt<u64>(several));
      count(to + 16, state == SURFACE_SUBSET ? SURFACE_1SPP : state, <u32>popcnt<u64>(inside & ~several));
    }
  }
}

// @ts-ignore: decorator
@inline
function count(to: usize, state: i32, more: u32): void {
  const at = to + (<usize>state << 2);
  store<u32>(at, load<u32>(at) + more);
}

/** Bit pixel of those of a block that lie within `width` and `height` of its corner. */
function pixelsInside(width: i32, height: i32): u64 {
  if (width >= 8 && height >= 8) return ALL_PIXELS;
  let pixels: u64 = 0;
  for (let y = 0; y < min<i32>(height, 8); y++) {
    for (let x = 0; x < min<i32>(width, 8); x++) pixels |= <u64>1 << pixelOf(x, y);
  }
  return pixels;
}

/** The state of every pixel of a row, SURFACE_*, a byte each at `to`. */
export function surfaceStates(surface: usize, y: i32, to: usize): void {
  const first = (y >> TILE_SHIFT) * load<i32>(surface, SURFACE_TILES_X);
  for (let x = 0; x < load<i32>(surface, SURFACE_WIDTH); x++) {
    const tile = tileAt(surface, first + (x >> TILE_SHIFT));
    const block = blockOf(x, y);
    let state = blockState(tile, block);
    if (state == SURFACE_SUBSET && !(load<u64>(byteAt(tile, blockOffset(surface, tile, block)), SUBSETS_SEVERAL) >> pixelOf(x, y) & 1)) state = SURFACE_1SPP;
    store<u8>(to + <usize>x, state);
  }
}
