// Fills, expands and gathers pixels and blocks of a PLANE (layout/surface/plane.ts). Both builds share this code.

import { BLOCK_PIXELS, bytesOfLayer, Plane } from '../layout';
import { differentTexels } from './compare';
import { expandList, keepsLists, spreadLists } from './lists';
import { chooseFour, copyFour, copyTexel, repeatWords, sameTexel } from './texel-same';

/** Turns a clear block into a stored one, with all pixels in the pixel plane. */
export function fillPixels(plane: Plane, block: i32): void {
  clearPixels(plane, block);
  store<u8>(plane.states + block, 0);
  store<u64>(plane.bits(block), 0);
}

/** Writes the clear value to all texels of a block in the pixel plane. */
export function clearPixels(plane: Plane, block: i32): void {
  repeatPixels(plane, block, plane.clear, BLOCK_PIXELS);
}

/** Writes the texel at `value`, repeated to 16 bytes, to all samples of a block. */
export function fillSamples(plane: Plane, block: i32, value: usize): void {
  let at = plane.sample(block * BLOCK_PIXELS);
  for (let layer = plane.layers; layer > 0; layer--) {
    repeatTexel(plane, at, value, 4 * BLOCK_PIXELS);
    at += plane.layerBytes;
  }
}

/** Writes the texel at `value`, repeated to 16 bytes, to `pixels` pixels of the pixel plane from a block on. */
export function repeatPixels(plane: Plane, block: i32, value: usize, pixels: i32): void {
  repeatTexel(plane, plane.texel(block * BLOCK_PIXELS), value, pixels);
}

function repeatTexel(plane: Plane, at: usize, value: usize, texels: i32): void {
  repeatWords(at, load<u64>(value), load<u64>(value, 8), texels * plane.texelBytes);
}

/** Moves all pixels of a block to the sample plane. */
export function spreadBlock(plane: Plane, block: i32): void {
  if (plane.isClear(block)) {
    fillSamples(plane, block, plane.clear);
  } else {
    spreadPairs(plane, block);
    for (let rest = ~load<u64>(plane.bits(block)); rest; rest &= rest - 1)
      expandPixel(plane, (block << 6) + <i32>ctz(rest));
  }
  store<u8>(plane.states + block, 0);
  store<u64>(plane.bits(block), -1);
  if (!plane.secondTexels) return;
  store<u64>(plane.paired + (block << 3), 0);
  store<u64>(plane.listed + (block << 3), 0);
}

/** Returns the pixels of a block that hold two texels. Pixels whose texels have become equal hold one from now on. */
export function joinPairs(plane: Plane, block: i32): u64 {
  const pairs = plane.pairsOf(block);
  if (!pairs) return 0;
  const first = block << 6;
  const differs = differentTexels(plane.texelBytes, plane.texel(first), plane.second(first), pairs);
  if (differs != pairs) store<u64>(plane.bits(block), load<u64>(plane.bits(block)) & ~(pairs ^ differs));
  return differs;
}

/** Lets no pixel of a block hold a value twice, which it may do after a blend: lists are then expanded. */
export function uniteEqual(plane: Plane, block: i32): void {
  if (!plane.secondTexels || plane.isClear(block)) return;
  joinPairs(plane, block);
  if (plane.listedOf(block) && !keepsLists(plane, block)) spreadLists(plane, block);
}

/** Moves the pixels of a block that have two texels or a list to the sample plane. */
export function spreadPairs(plane: Plane, block: i32): void {
  if (!plane.secondTexels) return;
  spreadLists(plane, block);
  for (let rest = plane.pairsOf(block); rest; rest &= rest - 1) expandPair(plane, (block << 6) + <i32>ctz(rest));
  store<u64>(plane.paired + (block << 3), 0);
}

/** Expands the two texels of a pixel to its samples. Its bits stay unchanged. */
function expandPair(plane: Plane, pixel: i32): void {
  const bytes = plane.texelBytes;
  const first = plane.texel(pixel);
  const second = plane.second(pixel);
  let mask = <i32>load<u16>(plane.maskAt(pixel));
  let at = plane.sample(pixel);
  for (let layer = plane.layers; layer > 0; layer--) {
    chooseFour(bytes, at, mask & 15, second, first);
    at += plane.layerBytes;
    mask >>= 4;
  }
}

/**
 * Expands a pixel with two texels or a list to its samples, before samples of it are written one by one. Tried: masked
 * stores to the two texels instead; they made the teapot scene 4 % slower at four samples and 7 % at eight.
 */
export function leavePair(plane: Plane, pixel: i32): void {
  const block = pixel >> 6;
  const bit = (<u64>1) << u64(pixel & 63);
  if (plane.pairsOf(block) & bit) expandPair(plane, pixel);
  else if (plane.listedOf(block) & bit) expandList(plane, pixel);
  const paired = plane.paired + (block << 3);
  const listed = plane.listed + (block << 3);
  store<u64>(paired, load<u64>(paired) & ~bit);
  store<u64>(listed, load<u64>(listed) & ~bit);
}

/** Marks the pixels of a quad of a stored block as stored per sample, when all of their samples have been written. */
export function leaveQuad(plane: Plane, quad: i32): void {
  plane.divide(quad, 15);
  if (!plane.secondTexels) return;
  const at = (<usize>quad) >> 1;
  const others = ~(15 << ((quad & 1) << 2));
  store<u8>(plane.paired + at, (<i32>load<u8>(plane.paired + at)) & others);
  store<u8>(plane.listed + at, (<i32>load<u8>(plane.listed + at)) & others);
}

/** Expands the single texel of a pixel to all of its samples. */
export function expandPixel(plane: Plane, pixel: i32): void {
  putAll(plane, pixel, plane.texel(pixel));
}

/** Writes the texel at `texel` to all samples of a pixel. */
export function putAll(plane: Plane, pixel: i32, texel: usize): void {
  let at = plane.sample(pixel);
  for (let layer = plane.layers; layer > 0; layer--) {
    copyFour(plane.texelBytes, at, texel);
    at += plane.layerBytes;
  }
}

/**
 * Writes the texel at `texel` to the stored samples in `mask`. With two samples, the last two of four stored samples
 * repeat the first two, and so must the bits.
 */
export function putSamples(plane: Plane, pixel: i32, mask: i32, texel: usize): void {
  const first = plane.sample(pixel);
  for (let rest = mask; rest; rest &= rest - 1) copyTexel(plane.texelBytes, plane.sampleAt(first, ctz(rest)), texel);
}

/**
 * Copies the value of a pixel whose samples all hold the same bits to the pixel plane. Returns false if they differ.
 * The pixel's bit stays unchanged.
 */
export function gatherPixel(plane: Plane, pixel: i32): bool {
  const first = plane.sample(pixel);
  if (!pixelEqual(plane.texelBytes, first, plane.layers)) return false;
  copyTexel(plane.texelBytes, plane.texel(pixel), first);
  return true;
}

/** Whether all samples of the pixel at `at` hold the same bits. */
// @ts-ignore: decorator
@inline
export function pixelEqual(bytes: i32, at: usize, layers: i32): bool {
  if (!layerEqual(bytes, at)) return false;
  for (let layer = 1; layer < layers; layer++) {
    const other = at + layer * bytesOfLayer(bytes);
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
    case 1:
      return <u32>first == rotl(<u32>first, 8);
    case 2:
      return first == rotl(first, 16);
    case 4:
      return first == load<u64>(at, 8) && first == rotl(first, 32);
    case 8:
      return ((first ^ load<u64>(at, 8)) | (first ^ load<u64>(at, 16)) | (first ^ load<u64>(at, 24))) == 0;
    default: {
      const second = load<u64>(at, 8);
      return (
        ((first ^ load<u64>(at, 16))
          | (first ^ load<u64>(at, 32))
          | (first ^ load<u64>(at, 48))
          | (second ^ load<u64>(at, 24))
          | (second ^ load<u64>(at, 40))
          | (second ^ load<u64>(at, 56)))
        == 0
      );
    }
  }
}
