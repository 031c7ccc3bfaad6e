// Colour of a tile by block state (layout/surface/plane.ts). An 8×8 block is either clear, and not stored at all, or
// stored. Each pixel of a stored block is in the pixel plane, with one texel for all its samples, or in the sample
// planes, with one texel per sample, layer by layer. Its bit in Tile.perSample selects which.
//
//   clear ── first write ──> stored, no bits ── part of a pixel is written ──> its texel is copied to all its samples,
//                                                                              its bit is set
//                                            <── all its samples are overwritten ──
//   two texels or a list, as they were stored ── part of a pixel is written ──> one texel per sample
//
// Without Tile.encodes, nothing is ever clear and all bits stay set. At one sample, there is only one plane, and no bit
// is ever set. Both builds share this code.

import { Attachment, COLOR_CLEAR, COLOR_STORED, Plane, Tile, TILE_BLOCKS, TILE_PIXELS } from '../layout';
import { fillPixels, spreadBlock } from '../surface/plane';
import { clearTexel, repeat } from './rows';

/** Size of the largest texel in bytes. */
const TEXEL_BYTES = 16;

/**
 * Initialises the PLANE of a target, whose texels are at `samples` and `pixels`. With more than two samples, the second
 * texels, their masks and the records of lists follow those at `pixels`.
 */
export function beginPlane(tile: Tile, index: i32, samples: usize, pixels: usize, bytes: i32): void {
  const plane = tile.plane(index);
  plane.samples = samples;
  plane.pixels = pixels;
  plane.states = tile.colorBlocks + index * TILE_BLOCKS;
  plane.perSample = tile.perSample + index * TILE_BLOCKS * 8;
  plane.paired = tile.paired + index * TILE_BLOCKS * 8;
  plane.listed = tile.listed + index * TILE_BLOCKS * 8;
  plane.masks = pixels + 2 * TILE_PIXELS * bytes;
  plane.records = plane.masks + 2 * TILE_PIXELS;
  plane.clear = tile.clearTexels + index * TEXEL_BYTES;
  plane.texelBytes = bytes;
  plane.layers = tile.layers;
}

function hasSamples(tile: Tile): bool {
  return tile.layerSamples != 1;
}

/** Called before a target is cleared or `loaded`. Loaded pixels may have two texels, except at two samples. */
export function keepPairs(tile: Tile, index: i32, loaded: bool): void {
  const plane = tile.plane(index);
  plane.unloaded = 0;
  const keeps = loaded && tile.samples > 2 && tile.encodes != 0;
  plane.secondTexels = keeps ? plane.pixels + TILE_PIXELS * plane.texelBytes : 0;
  memory.fill(plane.paired, 0, TILE_BLOCKS * 8);
  memory.fill(plane.listed, 0, TILE_BLOCKS * 8);
}

/** Called before a target is stored: allows pixels with two texels. */
export function allowPairs(tile: Tile, index: i32): void {
  const plane = tile.plane(index);
  if (tile.samples > 2 && tile.encodes != 0) plane.secondTexels = plane.pixels + TILE_PIXELS * plane.texelBytes;
}

/** Marks all blocks of a target as clear. */
export function clearColors(tile: Tile, attachment: Attachment, index: i32): void {
  const plane = tile.plane(index);
  clearTexel(tile.pass, attachment, plane.clear, true);
  repeat(plane.clear, plane.texelBytes, TEXEL_BYTES);
  memory.fill(plane.states, <u8>COLOR_CLEAR, TILE_BLOCKS);
  memory.fill(plane.perSample, 0, TILE_BLOCKS * 8);
  if (hasSamples(tile) && !tile.encodes) expandColors(tile, index);
}

/** Whether all blocks of a target are clear. */
export function isAllClear(plane: Plane): bool {
  for (let block = 0; block < TILE_BLOCKS; block += 8)
    if (load<u64>(plane.states + block) != COLOR_CLEAR * 0x0101010101010101) return false;
  return true;
}

/** Marks all of a target as stored in the sample planes. */
export function noteSamples(tile: Tile, index: i32): void {
  const plane = tile.plane(index);
  memory.fill(plane.states, <u8>COLOR_STORED, TILE_BLOCKS);
  memory.fill(plane.perSample, hasSamples(tile) ? 0xff : 0, TILE_BLOCKS * 8);
}

/** Expands all of a target into the sample planes. */
export function expandColors(tile: Tile, index: i32): void {
  const plane = tile.plane(index);
  for (let block = 0; block < TILE_BLOCKS; block++) {
    if (hasSamples(tile)) spreadBlock(plane, block);
    else if (plane.isClear(block)) fillPixels(plane, block);
  }
}

/** Called before a block is overwritten with one texel per pixel. */
export function beginBlock(tile: Tile, index: i32, block: i32): void {
  const plane = tile.plane(index);
  plane.unloaded &= ~((<u64>1) << (<u64>block));
  store<u8>(plane.states + block, COLOR_STORED);
  store<u64>(plane.bits(block), 0);
}

/** Called after the texels were written. */
// @ts-ignore: decorator
@inline
export function endBlock(tile: Tile, index: i32, block: i32): void {
  if (hasSamples(tile) && !tile.encodes) spreadBlock(tile.plane(index), block);
}
