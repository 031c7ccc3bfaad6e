// Colour of a tile by state (layout/plane.ts). A block of 8×8 pixels is clear and lies nowhere, or is stored. Then each
// pixel lies in the pixel plane, one texel for all its samples, or (its bit in Tile.perSample is set) in the sample
// planes, a texel a sample, layer by layer.
//
//   clear ── first write ──> stored, no bits ── a pixel is written in part ──> its texel goes to all its samples, its
//   bit is set
//                                            <── it is overwritten in all samples, or gatherPixels finds them equal ──
//
// Without Tile.encodes nothing is ever clear and all bits stay set. At one sample the planes are one, and no bit is
// ever set. The same code in both builds.

import { Attachment, BLOCK_PIXELS, COLOR_CLEAR, COLOR_STORED, Tile, TILE_BLOCKS } from '../layout';
import { expandPixel as expand, fillPixels, gatherPixel, spreadBlock as spread } from '../surface/plane';
import { clearTexel, PLANE_COLOR, repeat } from './rows';

/** Bytes of the longest texel. */
const TEXEL_BYTES = 16;

/** Prepares the PLANE of a target, whose texels lie at `samples` and `pixels`. */
export function beginPlane(tile: Tile, index: i32, samples: usize, pixels: usize, bytes: i32): void {
  const plane = tile.plane(index);
  plane.samples = samples;
  plane.pixels = pixels;
  plane.states = tile.colorBlocks + index * TILE_BLOCKS;
  plane.perSample = tile.perSample + index * TILE_BLOCKS * 8;
  plane.clear = tile.clearTexels + index * TEXEL_BYTES;
  plane.texelBytes = bytes;
  plane.layers = tile.layers;
}

// What output asks of a target's plane.

export function colorStates(tile: Tile, index: i32): usize { return tile.plane(index).states; }

export function perSamplePixels(tile: Tile, index: i32): usize { return tile.plane(index).perSample; }

export function pixelPlane(tile: Tile, index: i32): usize { return tile.plane(index).pixels; }

function hasSamples(tile: Tile): bool {
  return tile.layerSamples != 1;
}

/** All blocks of a target are clear. */
export function clearColors(tile: Tile, attachment: Attachment, index: i32): void {
  const plane = tile.plane(index);
  clearTexel(attachment, PLANE_COLOR, plane.clear, true);
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
    if (hasSamples(tile)) spread(plane, block);
    else if (plane.isClear(block)) fillPixels(plane, block);
  }
}

/** Puts a block into the sample planes. */
export function spreadBlock(tile: Tile, index: i32, block: i32, bytes: i32): void { spread(tile.plane(index), block); }

/** Copies the texel of a pixel (block·64 + quad·4 + pixel) to all of its samples. */
export function expandPixel(tile: Tile, index: i32, pixel: i32, bytes: i32): void { expand(tile.plane(index), pixel); }

/**
 * Address of the 64 texels of a block that is to be overwritten with one texel a pixel. endBlock is called when they
 * are there.
 */
export function beginBlock(tile: Tile, index: i32, block: i32, bytes: i32): usize {
  const plane = tile.plane(index);
  store<u8>(plane.states + block, COLOR_STORED);
  store<u64>(plane.bits(block), 0);
  return plane.pixels + block * BLOCK_PIXELS * bytes;
}

// @ts-ignore: decorator
@inline
export function endBlock(tile: Tile, index: i32, block: i32, bytes: i32): void {
  if (hasSamples(tile) && !tile.encodes) spread(tile.plane(index), block);
}

/**
 * Puts the pixels of a block whose samples all hold the same bits, but lie one by one, into the pixel plane. For who is
 * about to store the block. Nothing without Tile.encodes.
 */
export function gatherPixels(tile: Tile, index: i32, block: i32): void {
  const plane = tile.plane(index);
  if (!tile.encodes || plane.isClear(block)) return;
  let left: u64 = 0;
  for (let rest = load<u64>(plane.bits(block)); rest; rest &= rest - 1) {
    if (!gatherPixel(plane, (block << 6) + <i32>ctz(rest))) left |= rest & (0 - rest);
  }
  store<u64>(plane.bits(block), left);
}

