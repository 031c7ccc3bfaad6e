// Colour of a tile context by state (layout/context.ts). A block of 8×8 pixels is clear and lies nowhere, or is stored. Then each pixel lies in
// the pixel plane, one texel for all its samples, or (its bit in Tile.perSample is set) in the sample planes, a texel a sample, layer by layer.
//
//   clear ── first write ──> stored, no bits ── a pixel is written in part ──> its texel goes to all its samples, its bit is set
//                                            <── it is overwritten in all samples, or gatherPixels finds them equal ──
//
// Without Tile.encodes nothing is ever clear and all bits stay set. At one sample the planes are one, and no bit is ever set.
// The same code in both builds.

import { TILE_BLOCKS } from '../layout/limits';
import { Attachment } from '../layout/pass';
import { Tile } from '../layout/tile';
import { COLOR_CLEAR, COLOR_STORED } from '../layout/tile-codes';
import { BLOCK_PIXELS, TILE_PIXELS } from '../layout/tile-order';
import { copyFour, copyTexel, repeatWords, sameTexel } from './texel-same';
import { clearTexel, PLANE_COLOR, repeat } from './tile';

/** Bytes of the longest texel. */
const TEXEL_BYTES = 16;

/** Address of the states of a target's blocks, a byte each. */
// @ts-ignore: decorator
@inline
export function colorStates(context: Tile, index: i32): usize {
  return context.colorBlocks + <usize>(index * TILE_BLOCKS);
}

/** Address of the bits of a target's blocks, a u64 each. */
// @ts-ignore: decorator
@inline
export function severalPixels(context: Tile, index: i32): usize {
  return context.perSample + <usize>(index * TILE_BLOCKS * 8);
}

/** Address of a target's plane of a texel a pixel. */
// @ts-ignore: decorator
@inline
export function pixelPlane(context: Tile, index: i32): usize {
  return load<usize>(context.colorPixels + (<usize>index << 2));
}

/** Address of a target's planes of a texel a sample. */
// @ts-ignore: decorator
@inline
export function samplePlane(context: Tile, index: i32): usize {
  return load<usize>(context.colors + (<usize>index << 2));
}

/** Bytes from a layer's plane to the next. */
// @ts-ignore: decorator
@inline
export function layerBytes(bytes: i32): usize {
  return <usize>(TILE_PIXELS * 4 * bytes);
}

// @ts-ignore: decorator
@inline
function hasSamples(context: Tile): bool {
  return context.layerSamples != 1;
}

/** All blocks of a target are clear. */
export function clearColors(context: Tile, attachment: Attachment, index: i32, bytes: i32): void {
  const texel = context.clearTexels + <usize>(index * TEXEL_BYTES);
  clearTexel(attachment, PLANE_COLOR, texel, true);
  repeat(texel, bytes, TEXEL_BYTES);
  memory.fill(colorStates(context, index), <u8>COLOR_CLEAR, TILE_BLOCKS);
  memory.fill(severalPixels(context, index), 0, TILE_BLOCKS * 8);
  if (hasSamples(context) && !context.encodes) spreadColors(context, index, bytes);
}

/** All of a target is in the sample planes. */
export function noteSamples(context: Tile, index: i32): void {
  memory.fill(colorStates(context, index), <u8>COLOR_STORED, TILE_BLOCKS);
  memory.fill(severalPixels(context, index), hasSamples(context) ? 0xff : 0, TILE_BLOCKS * 8);
}

/** Puts all of a target, of `bytes` a texel, into the sample planes. */
export function spreadColors(context: Tile, index: i32, bytes: i32): void {
  for (let block = 0; block < TILE_BLOCKS; block++) spreadBlock(context, index, block, bytes);
}

/** Puts a block into the sample planes. */
export function spreadBlock(context: Tile, index: i32, block: i32, bytes: i32): void {
  const state = colorStates(context, index) + <usize>block;
  if (!hasSamples(context)) {
    if (load<u8>(state) == COLOR_CLEAR) fillBlock(context, index, block, bytes);
    return;
  }
  const several = severalPixels(context, index) + (<usize>block << 3);
  if (load<u8>(state) == COLOR_CLEAR) {
    const length = <usize>(BLOCK_PIXELS * 4 * bytes);
    let at = samplePlane(context, index) + <usize>block * length;
    for (let layer = 0; layer < context.layers; layer++) {
      fill(context, index, at, length);
      at += layerBytes(bytes);
    }
  } else {
    for (let rest = ~load<u64>(several); rest; rest &= rest - 1) expandPixel(context, index, (block << 6) + <i32>ctz(rest), bytes);
  }
  store<u8>(state, COLOR_STORED);
  store<u64>(several, -1);
}

/** Makes a clear block a stored one, all pixels in the pixel plane. */
export function fillBlock(context: Tile, index: i32, block: i32, bytes: i32): void {
  const length = <usize>(BLOCK_PIXELS * bytes);
  fill(context, index, pixelPlane(context, index) + <usize>block * length, length);
  store<u8>(colorStates(context, index) + <usize>block, COLOR_STORED);
  store<u64>(severalPixels(context, index) + (<usize>block << 3), 0);
}

/**
 * Address of the 64 texels of a block that is to be overwritten with one texel a pixel. endBlock is called when they are there.
 */
// @ts-ignore: decorator
@inline
export function beginBlock(context: Tile, index: i32, block: i32, bytes: i32): usize {
  store<u8>(colorStates(context, index) + <usize>block, COLOR_STORED);
  store<u64>(severalPixels(context, index) + (<usize>block << 3), 0);
  return pixelPlane(context, index) + <usize>(block * BLOCK_PIXELS * bytes);
}

// @ts-ignore: decorator
@inline
export function endBlock(context: Tile, index: i32, block: i32, bytes: i32): void {
  if (!context.encodes) spreadBlock(context, index, block, bytes);
}

/** Copies the texel of a pixel (block·64 + quad·4 + pixel) to all of its samples. */
export function expandPixel(context: Tile, index: i32, pixel: i32, bytes: i32): void {
  const texel = pixelPlane(context, index) + <usize>(pixel * bytes);
  let at = samplePlane(context, index) + <usize>(pixel * 4 * bytes);
  for (let layer = context.layers; layer > 0; layer--) {
    copyFour(bytes, at, texel);
    at += layerBytes(bytes);
  }
}

/**
 * Puts the pixels of a block whose samples all hold the same bits, but lie one by one, into the pixel plane. For who is about to store the
 * block. Nothing without Tile.encodes.
 */
export function gatherPixels(context: Tile, index: i32, block: i32, bytes: i32): void {
  if (!context.encodes || load<u8>(colorStates(context, index) + <usize>block) == COLOR_CLEAR) return;
  const several = severalPixels(context, index) + (<usize>block << 3);
  const layers = context.layers;
  const samples = samplePlane(context, index) + <usize>(block * BLOCK_PIXELS * 4 * bytes);
  const pixels = pixelPlane(context, index) + <usize>(block * BLOCK_PIXELS * bytes);
  let left: u64 = 0;
  for (let rest = load<u64>(several); rest; rest &= rest - 1) {
    const pixel = <usize>ctz(rest);
    const at = samples + (pixel << 2) * <usize>bytes;
    if (pixelEqual(bytes, at, layers)) copyTexel(bytes, pixels + pixel * <usize>bytes, at);
    else left |= rest & (0 - rest);
  }
  store<u64>(several, left);
}

/** Whether all samples of the pixel at `at` hold the same bits. */
// @ts-ignore: decorator
@inline
export function pixelEqual(bytes: i32, at: usize, layers: i32): bool {
  if (!layerEqual(bytes, at)) return false;
  for (let layer = 1; layer < layers; layer++) {
    const other = at + <usize>layer * layerBytes(bytes);
    if (!sameTexel(bytes, at, other) || !layerEqual(bytes, other)) return false;
  }
  return true;
}

/** Whether the four texels at `at` hold the same bits. */
// @ts-ignore: decorator
@inline
function layerEqual(bytes: i32, at: usize): bool {
  const first = load<u64>(at);
  switch (bytes) {
    case 1: return <u32>first == rotl(<u32>first, 8);
    case 2: return first == rotl(first, 16);
    case 4: return first == load<u64>(at, 8) && first == rotl(first, 32);
    case 8: return ((first ^ load<u64>(at, 8)) | (first ^ load<u64>(at, 16)) | (first ^ load<u64>(at, 24))) == 0;
    default: {
      const second = load<u64>(at, 8);
      return ((first ^ load<u64>(at, 16)) | (first ^ load<u64>(at, 32)) | (first ^ load<u64>(at, 48))
        | (second ^ load<u64>(at, 24)) | (second ^ load<u64>(at, 40)) | (second ^ load<u64>(at, 56))) == 0;
    }
  }
}

function fill(context: Tile, index: i32, at: usize, length: usize): void {
  const texel = context.clearTexels + <usize>(index * TEXEL_BYTES);
  repeatWords(at, load<u64>(texel), load<u64>(texel, 8), length);
}
