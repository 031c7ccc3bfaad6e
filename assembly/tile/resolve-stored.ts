// Resolves directly from stored tiles to rows. This covers tiles in which every pixel has one value, which is its mean.
// For linear formats of four bytes, it covers all blocks: values are weighted by the number of samples that hold them.
// Other tiles are loaded first.

import {
  Attachment,
  BLOCK_PIXELS,
  BLOCK_SIZE,
  FORMAT_BGRA8UNORM,
  FORMAT_RGBA8UNORM,
  PAGE_SIZE,
  Plane,
  quadCounts,
  Subsets,
  sumOf,
  Surface,
  SURFACE_1SPP,
  SURFACE_CLEAR,
  SURFACE_FULL,
  SURFACE_UNIFORM,
  SurfaceTile,
  Tile,
  TILE_BLOCKS,
  TILE_SIZE,
  VECTOR_BYTES,
} from '../layout';
import { layersOf } from '../simd/positions';
import { meansOfCounts } from '../simd/texels';
import { ALL_PIXELS } from '../surface/encode';
import { clearPixels, repeatPixels } from '../surface/plane';
import { blockBytes, blockOffset, blockState, bytesAt, moveBytes, countMovedBytes } from '../surface/stored';
import { meansOfFurther, meansOfQuads } from './resolve';
import { fillRows, moveRows, Store } from './rows';

/** Resolves a tile if that is possible without loading it. `plane` is the context's, and is overwritten. */
export function resolveStored(tile: Tile, attachment: Attachment, plane: Plane): bool {
  const surface = attachment.surface;
  const stored = surface.tile(tile.number);
  const state = stored.state;
  const bytes = surface.texelBytes;
  const rowBytes = attachment.resolveRowBytes;
  const corner = attachment.resolveAddress + tile.y * rowBytes + tile.x * bytes;
  const isFlat = state == SURFACE_CLEAR || state == SURFACE_UNIFORM;
  if (!isFlat && state != SURFACE_1SPP) {
    const format = attachment.format;
    if (surface.samples == 2 || (format != FORMAT_RGBA8UNORM && format != FORMAT_BGRA8UNORM)) return false;
    if (ASC_FEATURE_SIMD) {
      meansOfTile(tile, surface, stored, plane);
      moveRows<Store>(corner, rowBytes, plane.pixels, bytes, tile.width, tile.height);
      return true;
    }
    return false;
  }
  countMovedBytes(surface, isFlat ? 0 : tile.width * tile.height * bytes, TILE_BLOCKS);
  const value = state == SURFACE_CLEAR ? stored.clear : stored.value;
  if (isFlat) fillRows(value, corner, rowBytes, tile.width * bytes, tile.height);
  else copyTile(stored, bytes, corner, rowBytes, tile.width, tile.height);
  return true;
}

/** Writes the means of a tile with four-byte texels to the pixel plane. */
function meansOfTile(tile: Tile, surface: Surface, stored: SurfaceTile, plane: Plane): void {
  let moved: u32 = 0;
  memory.copy(plane.clear, stored.clear, 16);
  for (let top = 0; top < tile.height; top += BLOCK_SIZE) {
    for (let left = 0; left < tile.width; left += BLOCK_SIZE) {
      const block = top + (left >> 3);
      const state = blockState(stored, block);
      if (state == SURFACE_CLEAR) {
        clearPixels(plane, block);
        continue;
      }
      const length = blockBytes(surface, stored, block);
      const offset = blockOffset(surface, stored, block);
      const to = plane.texel(block << 6);
      moved += length;
      if (state == SURFACE_UNIFORM) {
        repeatPixels(plane, block, bytesAt(stored, offset, length), BLOCK_PIXELS);
        continue;
      }
      if (state == SURFACE_1SPP) {
        moveBytes(stored, offset, to, length, false);
        continue;
      }
      let from = tile.staging.block;
      // Vectors of further values may begin at the last one.
      const end = state == SURFACE_FULL ? length : length + 2 * VECTOR_BYTES;
      if (end > <u32>PAGE_SIZE - (offset & (PAGE_SIZE - 1))) moveBytes(stored, offset, from, length, false);
      else from = bytesAt(stored, offset, length);
      if (state == SURFACE_FULL) meansOfQuads(from, to, ALL_PIXELS, layersOf(surface.samples), 16 * BLOCK_PIXELS);
      else meansOfSubsets(changetype<Subsets>(from), to, surface.samples);
    }
  }
  countMovedBytes(surface, moved, TILE_BLOCKS);
}

/** Writes the means of the pixels of a SUBSETS record with four-byte texels to `to`, one texel per pixel. */
function meansOfSubsets(record: Subsets, to: usize, samples: i32): void {
  const texels = record.texels;
  const divided = record.divided;
  let masks = record.masks(4);
  let values = record.values(4);
  if (record.count == BLOCK_PIXELS && divided == ALL_PIXELS) {
    for (let offset: usize = 0; offset < 4 * BLOCK_PIXELS; offset += 16) {
      v128.store(
        to + offset,
        meansOfCounts(
          v128.load(texels + offset),
          v128.load(values + offset),
          v128.load64_zero(masks + (offset >> 1)),
          samples
        )
      );
    }
    return;
  }
  const from = record.hasCounts ? record.counts(4) : 0;
  for (let quad = 0; quad < BLOCK_PIXELS >> 2; quad++) {
    const offset = <usize>(quad << 4);
    const counts = quadCounts(divided, from, quad);
    v128.store(to + offset, meansOfFurther(texels + offset, counts, masks, values, samples));
    const count = sumOf(counts);
    masks += count << 1;
    values += count << 2;
  }
}

/** Copies one texel per pixel, as many adjacent blocks at a time as are in one page. */
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
