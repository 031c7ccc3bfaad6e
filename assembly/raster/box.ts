// Converts the triangle's bounding box (clipped to the scissor) to coverage: bit quad·4 + pixel of a block, bit pixel
// of a quad.

import { Tile } from '../layout';

/** The pixels of a block to the left of column k, k = 0 … 8. */
const LEFT_OF: usize = memory.data<u64>([
  0x0, 0x5000500050005, 0xf000f000f000f, 0x5f005f005f005f, 0xff00ff00ff00ff, 0x5ff05ff05ff05ff, 0xfff0fff0fff0fff,
  0x5fff5fff5fff5fff, 0xffffffffffffffff,
]);
/** The pixels of a block above row k. */
const ABOVE: usize = memory.data<u64>([
  0x0, 0x3333, 0xffff, 0x3333ffff, 0xffffffff, 0x3333ffffffff, 0xffffffffffff, 0x3333ffffffffffff, 0xffffffffffffffff,
]);
/** The same for a row of a block's quads at four samples, 16 bits per quad, and for a column of its quads. */
const QUADS_LEFT_OF: usize = memory.data<u64>([
  0x0, 0xf0f, 0xffff, 0xf0fffff, 0xffffffff, 0xf0fffffffff, 0xffffffffffff, 0xf0fffffffffffff, 0xffffffffffffffff,
]);
const QUADS_ABOVE: usize = memory.data<u64>([
  0x0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff, 0xffffffffffffffff,
]);
/** Expands four bits, one per pixel, to sixteen, four per pixel. */
const SPREAD: usize = memory.data<u16>([
  0x0, 0xf, 0xf0, 0xff, 0xf00, 0xf0f, 0xff0, 0xfff, 0xf000, 0xf00f, 0xf0f0, 0xf0ff, 0xff00, 0xff0f, 0xfff0, 0xffff,
]);

/** The samples of the pixels in `pixels` (4 bits), at four samples. */
export function spread(pixels: i32): i32 {
  return load<u16>(SPREAD + (pixels << 1));
}

/** Pixels of the block at (x, y) that are in the box. */
export function boxOfBlock(tile: Tile, x: i32, y: i32): u64 {
  return columnsOfBlock(tile, x) & rowsOfBlock(tile, y);
}

/** Pixels of a block at x whose columns intersect the box. */
export function columnsOfBlock(tile: Tile, x: i32): u64 {
  return entry(LEFT_OF, tile.boxX1 - x) & ~entry(LEFT_OF, tile.boxX0 - x);
}

/** Pixels of a block at y whose rows intersect the box. */
export function rowsOfBlock(tile: Tile, y: i32): u64 {
  return entry(ABOVE, tile.boxY1 - y) & ~entry(ABOVE, tile.boxY0 - y);
}

/** columnsOfBlock at four samples, for the four quads of a row: 16 bits per quad. */
export function columnsOfQuads(tile: Tile, x: i32): u64 {
  return entry(QUADS_LEFT_OF, tile.boxX1 - x) & ~entry(QUADS_LEFT_OF, tile.boxX0 - x);
}

/** rowsOfBlock at four samples, for the four quads of a column: 16 bits per quad. */
export function rowsOfQuads(tile: Tile, y: i32): u64 {
  return entry(QUADS_ABOVE, tile.boxY1 - y) & ~entry(QUADS_ABOVE, tile.boxY0 - y);
}

function entry(table: usize, k: i32): u64 {
  return load<u64>(table + ((k < 0 ? 0 : k > 8 ? 8 : k) << 3));
}

/** Pixels of the quad at (x, y) that are in the box. The quad must touch the box. */
export function boxOfQuad(tile: Tile, x: i32, y: i32): i32 {
  let pixels = 15;
  if (x < tile.boxX0) pixels &= 10;
  if (x + 1 >= tile.boxX1) pixels &= 5;
  if (y < tile.boxY0) pixels &= 12;
  if (y + 1 >= tile.boxY1) pixels &= 3;
  return pixels;
}
