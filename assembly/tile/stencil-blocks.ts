// Stencil of 8×8 blocks as a whole: a block whose samples all hold one value is not stored at all, and is tested once
// (visibility/stencil.ts). Both builds share this code.

import { BLOCK_PIXELS, STENCIL_STORED, Tile, TILE_BLOCKS, TILE_PIXELS } from '../layout';
import { repeatWords } from '../surface/texel-same';

/** Sets all blocks of the tile to `value`, or (STENCIL_STORED) marks them as stored in the plane. */
export function beginStencilBlocks(tile: Tile, value: i32): void {
  for (let block = 0; block < TILE_BLOCKS; block++) setStencil(tile, block, value);
}

/** The value of all samples of a block, or STENCIL_STORED. */
export function stencilOf(tile: Tile, block: i32): i32 {
  return load<u16>(tile.stencilBlocks + (block << 1));
}

export function setStencil(tile: Tile, block: i32, value: i32): void {
  store<u16>(tile.stencilBlocks + (block << 1), value);
}

/** Writes a block's stencil to the plane, unless the plane already holds it. */
export function expandStencil(tile: Tile, block: i32): void {
  const value = stencilOf(tile, block);
  if (value == STENCIL_STORED) return;
  setStencil(tile, block, STENCIL_STORED);
  const bytes = BLOCK_PIXELS * tile.layerSamples;
  const eight = <u64>value * 0x0101010101010101;
  let at = tile.stencil + block * bytes;
  for (let layer = tile.layers; layer > 0; layer--) {
    repeatWords(at, eight, eight, bytes);
    at += TILE_PIXELS * 4;
  }
}
