// Surfaces as a whole: emptied, copied, and told about.

import { TILE_SHIFT } from '../layout/limits';
import { STATUS_DONE, STATUS_NEEDS_MEMORY } from '../layout/status';
import {
  PAGE_SIZE, SUBSETS_SEVERAL, SURFACE_1SPP, SURFACE_HEIGHT, SURFACE_SUBSET, SURFACE_TILE_BYTES, SURFACE_TILE_CLEAR, SURFACE_TILE_PAGES, SURFACE_TILE_STATE,
  SURFACE_TILES, SURFACE_TILES_X, SURFACE_WIDTH,
} from '../layout/surface';
import { clearTile, noteMoved } from './encode';
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

/** The state of every pixel, SURFACE_*, in rows of a byte a pixel at `to`. */
export function surfaceStates(surface: usize, to: usize): void {
  const width = load<i32>(surface, SURFACE_WIDTH);
  const tilesX = load<i32>(surface, SURFACE_TILES_X);
  for (let y = 0; y < load<i32>(surface, SURFACE_HEIGHT); y++) {
    for (let x = 0; x < width; x++) {
      const tile = tileAt(surface, (y >> TILE_SHIFT) * tilesX + (x >> TILE_SHIFT));
      const block = blockOf(x, y);
      let state = blockState(tile, block);
      if (state == SURFACE_SUBSET && !(load<u64>(byteAt(tile, blockOffset(surface, tile, block)), SUBSETS_SEVERAL) >> pixelOf(x, y) & 1)) state = SURFACE_1SPP;
      store<u8>(to++, state);
    }
  }
}
