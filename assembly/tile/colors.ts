// Colour of a tile by state (layout/plane.ts). A block of 8×8 pixels is clear and lies nowhere, or is stored. Then each
// pixel lies in the pixel plane, one texel for all its samples, or (its bit in Tile.perSample is set) in the sample
// planes, a texel a sample, layer by layer.
//
//   clear ── first write ──> stored, no bits ── a pixel is written in part ──> its texel goes to all its samples, its
//   bit is set
//                                            <── it is overwritten in all samples ──
//   two texels, as they were stored ── a pixel is written in part ──> a texel a sample
//
// Without Tile.encodes nothing is ever clear and all bits stay set. At one sample the planes are one, and no bit is
// ever set. The same code in both builds.

import { Attachment, COLOR_CLEAR, COLOR_STORED, Tile, TILE_BLOCKS, TILE_PIXELS } from '../layout';
import { fillPixels, spreadBlock } from '../surface/plane';
import { clearTexel, repeat } from './rows';

/** Bytes of the longest texel. */
const TEXEL_BYTES = 16;

/**
 * Prepares the PLANE of a target, whose texels lie at `samples` and `pixels`; behind these second ones, but not at two
 * samples, which are no more.
 */
export function beginPlane(tile: Tile, index: i32, samples: usize, pixels: usize, bytes: i32): void {
  const plane = tile.plane(index);
  plane.samples = samples;
  plane.pixels = pixels;
  plane.states = tile.colorBlocks + index * TILE_BLOCKS;
  plane.perSample = tile.perSample + index * TILE_BLOCKS * 8;
  plane.paired = tile.paired + index * TILE_BLOCKS * 8;
  plane.masks = pixels + 2 * TILE_PIXELS * bytes;
  plane.clear = tile.clearTexels + index * TEXEL_BYTES;
  plane.texelBytes = bytes;
  plane.layers = tile.layers;
}

function hasSamples(tile: Tile): bool {
  return tile.layerSamples != 1;
}

/** Before a target is cleared, or `loaded`: what is loaded may have pixels of two texels, but not of two samples. */
export function keepPairs(tile: Tile, index: i32, loaded: bool): void {
  const plane = tile.plane(index);
  const keeps = loaded && tile.samples > 2 && tile.encodes != 0;
  plane.further = keeps ? plane.pixels + TILE_PIXELS * plane.texelBytes : 0;
  memory.fill(plane.paired, 0, TILE_BLOCKS * 8);
}

/** Before a target is stored: pixels of two texels may be found. */
export function allowPairs(tile: Tile, index: i32): void {
  const plane = tile.plane(index);
  if (tile.samples > 2 && tile.encodes != 0) plane.further = plane.pixels + TILE_PIXELS * plane.texelBytes;
}

/** All blocks of a target are clear. */
export function clearColors(tile: Tile, attachment: Attachment, index: i32): void {
  const plane = tile.plane(index);
  clearTexel(tile.pass, attachment, plane.clear, true);
  repeat(plane.clear, plane.texelBytes, TEXEL_BYTES);
  memory.fill(plane.states, <u8>COLOR_CLEAR, TILE_BLOCKS);
  memory.fill(plane.perSample, 0, TILE_BLOCKS * 8);
  if (hasSamples(tile) && !tile.encodes) spreadColors(tile, index);
}

/** All of a target is in the sample planes. */
export function noteSamples(tile: Tile, index: i32): void {
  const plane = tile.plane(index);
  memory.fill(plane.states, <u8>COLOR_STORED, TILE_BLOCKS);
  memory.fill(plane.perSample, hasSamples(tile) ? 0xff : 0, TILE_BLOCKS * 8);
}

/** Puts all of a target into the sample planes. */
export function spreadColors(tile: Tile, index: i32): void {
  const plane = tile.plane(index);
  for (let block = 0; block < TILE_BLOCKS; block++) {
    if (hasSamples(tile)) spreadBlock(plane, block);
    else if (plane.isClear(block)) fillPixels(plane, block);
  }
}

/** Before a block is overwritten with one texel a pixel. */
export function beginBlock(tile: Tile, index: i32, block: i32): void {
  const plane = tile.plane(index);
  store<u8>(plane.states + block, COLOR_STORED);
  store<u64>(plane.bits(block), 0);
}

/** When the texels are there. */
// @ts-ignore: decorator
@inline
export function endBlock(tile: Tile, index: i32, block: i32): void {
  if (hasSamples(tile) && !tile.encodes) spreadBlock(tile.plane(index), block);
}
