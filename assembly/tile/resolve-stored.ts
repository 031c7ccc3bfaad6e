// Resolve straight from stored tiles to rows, where every pixel has one value: it is its own mean.

import {
  Attachment, BLOCK_PIXELS, BLOCK_SIZE, PAGE_SIZE, SURFACE_1SPP, SURFACE_CLEAR, SurfaceTile, Tile, TILE_BLOCKS,
  TILE_SIZE,
} from '../layout';
import { bytesAt, noteMoved } from '../surface/stored';
import { fillRows, moveRows, Store } from './rows';

/** Resolves a tile of state SURFACE_CLEAR or SURFACE_1SPP; false for others. */
export function resolveStored(tile: Tile, attachment: Attachment): bool {
  const surface = attachment.surface;
  const stored = surface.tile(tile.number);
  const state = stored.state;
  if (state != SURFACE_CLEAR && state != SURFACE_1SPP) return false;
  const bytes = surface.texelBytes;
  const rowBytes = attachment.resolveRowBytes;
  const corner = attachment.resolveAddress + tile.y * rowBytes + tile.x * bytes;
  noteMoved(surface, state == SURFACE_CLEAR ? 0 : tile.width * tile.height * bytes, TILE_BLOCKS);
  if (state == SURFACE_CLEAR) fillRows(stored.clear, corner, rowBytes, tile.width * bytes, tile.height);
  else copyTile(stored, bytes, corner, rowBytes, tile.width, tile.height);
  return true;
}

/** A texel a pixel, as many blocks side by side at once as lie in one page. */
function copyTile(stored: SurfaceTile, bytes: i32, corner: usize, rowBytes: u32, width: i32, height: i32): void {
  const blocks = PAGE_SIZE / (BLOCK_PIXELS * bytes);
  const columns = min<i32>(TILE_SIZE, blocks * BLOCK_SIZE);
  for (let top = 0; top < height; top += BLOCK_SIZE) {
    for (let left = 0; left < width; left += columns) {
      const pixels = min<i32>(columns, width - left);
      const rows = min<i32>(BLOCK_SIZE, height - top);
      const from = bytesAt(stored, (top + (left >> 3)) * BLOCK_PIXELS * bytes, pixels * rows * bytes);
      moveRows<Store>(corner + top * rowBytes + left * bytes, rowBytes, from, bytes, pixels, rows);
    }
  }
}
