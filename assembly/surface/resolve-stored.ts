// Resolve straight from stored tiles to rows, where every pixel has one value: it is its own mean.

import { BLOCK_SIZE, TILE_SIZE } from '../layout/limits';
import { ATTACHMENT_RESOLVE_ADDRESS, ATTACHMENT_RESOLVE_ROW_BYTES } from '../layout/pass';
import { PAGE_SIZE, SURFACE_1SPP, SURFACE_BYTES_TEXEL, SURFACE_CLEAR, SURFACE_TILE_BYTES, SURFACE_TILE_CLEAR, SURFACE_TILE_STATE } from '../layout/surface';
import { BLOCK_PIXELS } from '../layout/tile';
import { noteMoved } from './encode';
import { byteAt, tileAt } from './stored';
import { fillRows, moveRows } from './tile';

/** Resolves a tile of state SURFACE_CLEAR or SURFACE_1SPP, whose corner is (x, y) in the resolve target; false for others. */
export function resolveStored(surface: usize, index: i32, attachment: usize, x: i32, y: i32, width: i32, height: i32): bool {
  const tile = tileAt(surface, index);
  const state = load<i32>(tile, SURFACE_TILE_STATE);
  if (state != SURFACE_CLEAR && state != SURFACE_1SPP) return false;
  const bytes = load<i32>(surface, SURFACE_BYTES_TEXEL);
  const rowBytes = load<u32>(attachment + ATTACHMENT_RESOLVE_ROW_BYTES);
  const corner = load<usize>(attachment + ATTACHMENT_RESOLVE_ADDRESS) + <usize>y * rowBytes + <usize>(x * bytes);
  noteMoved(surface, load<u32>(tile, SURFACE_TILE_BYTES));
  if (state == SURFACE_CLEAR) fillRows(tile + SURFACE_TILE_CLEAR, bytes, corner, rowBytes, width, height);
  else copyTile(tile, bytes, corner, rowBytes, width, height);
  return true;
}

/** A texel a pixel, as many blocks side by side at once as lie in one page. */
function copyTile(tile: usize, bytes: i32, corner: usize, rowBytes: u32, width: i32, height: i32): void {
  const blocks = PAGE_SIZE / (BLOCK_PIXELS * bytes);
  const columns = min<i32>(TILE_SIZE, blocks * BLOCK_SIZE);
  for (let top = 0; top < height; top += BLOCK_SIZE) {
    for (let left = 0; left < width; left += columns) {
      const from = byteAt(tile, <u32>((top + (left >> 3)) * BLOCK_PIXELS * bytes));
      const to = corner + <usize>top * rowBytes + <usize>(left * bytes);
      moveRows(to, rowBytes, from, bytes, min<i32>(columns, width - left), min<i32>(BLOCK_SIZE, height - top), false);
    }
  }
}
