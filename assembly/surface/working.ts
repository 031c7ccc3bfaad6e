// Pixels of a WORKING tile (layout/surface/load-store-unit.ts): locates their samples, finds which samples hold a
// value, and writes samples. A block is present once it was fetched or all of its samples were written; in other
// blocks, only the written samples are valid. Masks have a bit for each sample of the surface. With two samples, the
// tile stores four, and the last two repeat the first two.

import { BLOCK_PIXELS, LAYER_WORDS, LoadStoreUnit, Plane, Surface, TILE_SHIFT, Working } from '../layout';
import { layersOf } from '../simd/positions';
import { lanesOf } from '../simd/texels';
import { samplesWith } from './compare';
import { ALL_PIXELS } from './encode';
import { isBlueFirst } from './formats';
import { expandPixel, fillPixels, gatherPixel, putSamples, spreadBlock } from './plane';
import { decodeSlot, encodeSlot } from './quad-codecs';
import { copyTexel, copyWords, sameTexel } from './texel-same';
import { pixelsInside } from './whole';

/** Initializes the PLANE of a record for a tile of a surface. */
export function beginPlane(unit: LoadStoreUnit, working: Working, surface: Surface): void {
  const plane = working.plane;
  plane.samples = working.pixels + (unit.pixelBytes << 10);
  plane.pixels = working.pixels;
  plane.states = working.blocks;
  plane.perSample = working.perSample;
  plane.clear = working.clear;
  plane.texelBytes = surface.texelBytes;
  plane.layers = layersOf(surface.samples);
  if (!ASC_FEATURE_SIMD) return;
  const format = surface.format;
  working.decode = decodeSlot(format);
  working.encode = encodeSlot(format);
  working.blueFirst = isBlueFirst(format) ? 1 : 0;
}

function pixelBit(pixel: i32): u64 {
  return (<u64>1) << u64(pixel & 63);
}

export function blockBit(block: i32): u64 {
  return (<u64>1) << u64(block);
}

/** Mask of the samples of a pixel that were written. */
function writtenSamples(working: Working, pixel: i32): i32 {
  return working.dirty & blockBit(pixel >> 6) ? load<u16>(working.written + (pixel << 1)) : 0;
}

/** Mask of the samples of a pixel that are valid in the planes. */
export function validSamples(working: Working, pixel: i32): i32 {
  return working.presentBlocks & blockBit(pixel >> 6) ? working.surface.whole : writtenSamples(working, pixel);
}

/** Address of a sample's texel; valid until the tile is next written. */
export function texelInTile(working: Working, pixel: i32, sample: i32): usize {
  const plane = working.plane;
  return plane.isPerSample(pixel) ? plane.sampleAt(plane.sample(pixel), sample) : plane.texel(pixel);
}

/** Mask of the samples of a pixel that hold the bits of the texel at `value`. */
export function samplesHolding(working: Working, pixel: i32, value: usize): i32 {
  const plane = working.plane;
  const whole = working.surface.whole;
  if (plane.isPerSample(pixel))
    return samplesWith(plane.texelBytes, plane.sample(pixel), plane.layerBytes, plane.layers, value) & whole;
  return sameTexel(plane.texelBytes, texelInTile(working, pixel, 0), value) ? whole : 0;
}

/** Prepares a block for its first write. If it was not fetched, only written samples are valid from now on. */
function openBlock(working: Working, block: i32): void {
  const surface = working.surface;
  const plane = working.plane;
  const inside = blockInside(surface, working.tile, block);
  memory.fill(working.written + (block << 7), 0, BLOCK_PIXELS << 1);
  store<u64>(working.missing + (block << 3), inside);
  working.dirty |= blockBit(block);
  if (working.presentBlocks & blockBit(block)) return;
  // Pixels outside the surface are never written: they must hold a defined value that never depends on history.
  if (inside != ALL_PIXELS || !surface.encodes) fillPixels(plane, block);
  if (!surface.encodes) spreadBlock(plane, block);
  store<u8>(plane.states + block, 0);
}

/** Records that samples of a pixel are about to be written. */
function noteWritten(working: Working, pixel: i32, mask: i32): void {
  const block = pixel >> 6;
  if (!(working.dirty & blockBit(block))) openBlock(working, block);
  const at = working.written + (pixel << 1);
  const written = load<u16>(at) | mask;
  store<u16>(at, written);
  if (written == working.surface.whole) noteWhole(working, block, pixelBit(pixel));
}

/** Records that all samples of some pixels of a dirty block were written. */
function noteWhole(working: Working, block: i32, pixels: u64): void {
  const missing = working.missing + (block << 3);
  const rest = load<u64>(missing) & ~pixels;
  store<u64>(missing, rest);
  if (!rest) working.presentBlocks |= blockBit(block);
}

/** Writes the four texels at `texels` to all samples of the quad whose first pixel is `pixel`. */
export function writeQuad(working: Working, pixel: i32, texels: usize): void {
  const plane = working.plane;
  const block = pixel >> 6;
  if (!(working.dirty & blockBit(block))) openBlock(working, block);
  store<u64>(working.written + (pixel << 1), <u64>working.surface.whole * 0x0001000100010001);
  noteWhole(working, block, (<u64>15) << u64(pixel & 63));
  plane.joinSamples(pixel >> 2);
  switch (plane.texelBytes) {
    case 1:
      store<u32>(plane.texel(pixel), load<u32>(texels));
      return;
    case 2:
      store<u64>(plane.texel(pixel), load<u64>(texels));
      return;
    default:
      copyWords(plane.texel(pixel), texels, plane.texelBytes << 2);
  }
}

/**
 * Writes the texel at `texel` to samples of a pixel and joins the pixel into one texel if its samples are then equal.
 */
export function writeSamples(working: Working, pixel: i32, mask: i32, texel: usize): void {
  const surface = working.surface;
  const plane = working.plane;
  const held = validSamples(working, pixel);
  noteWritten(working, pixel, mask);
  const bits = plane.bits(pixel >> 6);
  if (mask == surface.whole && surface.encodes) {
    copyTexel(plane.texelBytes, plane.texel(pixel), texel);
    store<u64>(bits, load<u64>(bits) & ~pixelBit(pixel));
    return;
  }
  const one = !plane.isPerSample(pixel);
  const isKnown = held == surface.whole;
  if (one) {
    if (surface.encodes && isKnown && sameTexel(plane.texelBytes, plane.texel(pixel), texel)) return;
    // Samples that are not valid yet get arbitrary values here, until they are written or fetched.
    divide(plane, pixel);
  }
  putLanes(plane, surface, pixel, mask, texel);
  // A pixel with one value that is partly overwritten by another holds two, so it cannot be joined.
  if (one && isKnown) return;
  if ((held | mask) == surface.whole) joinSamples(working, pixel);
}

/** Moves a pixel from the pixel plane to the sample plane. */
function divide(plane: Plane, pixel: i32): void {
  const bits = plane.bits(pixel >> 6);
  expandPixel(plane, pixel);
  store<u64>(bits, load<u64>(bits) | pixelBit(pixel));
}

/** Writes the texel at `texel` to samples of a pixel in the sample plane. */
function putLanes(plane: Plane, surface: Surface, pixel: i32, mask: i32, texel: usize): void {
  let lanes = surface.samples == 2 ? mask * 5 : mask;
  if (ASC_FEATURE_SIMD) {
    if (plane.texelBytes == 4) {
      const value = v128.load32_splat(texel);
      for (let at = plane.sample(pixel); lanes; lanes >>= 4) {
        v128.store(at, v128.bitselect(value, v128.load(at), lanesOf(lanes & 15)));
        at += LAYER_WORDS;
      }
      return;
    }
  }
  putSamples(plane, pixel, lanes, texel);
}

/** Moves a pixel to the pixel plane if its samples are equal. */
function joinSamples(working: Working, pixel: i32): void {
  const plane = working.plane;
  if (!working.surface.encodes || !gatherPixel(plane, pixel)) return;
  const bits = plane.bits(pixel >> 6);
  store<u64>(bits, load<u64>(bits) & ~pixelBit(pixel));
}

/** Fills in the unwritten samples of a dirty block from `stored`, which holds the tile's stored contents. */
export function fillIn(working: Working, stored: Working, block: i32): void {
  const surface = working.surface;
  const plane = working.plane;
  for (let rest = load<u64>(working.missing + (block << 3)); rest; rest &= rest - 1) {
    const pixel = (block << 6) + <i32>ctz(rest);
    const written = writtenSamples(working, pixel);
    if (!written) {
      copyPixel(plane, stored.plane, pixel);
      continue;
    }
    if (!plane.isPerSample(pixel)) divide(plane, pixel);
    for (let left = surface.whole & ~written; left; left &= left - 1)
      putLanes(plane, surface, pixel, left & -left, texelInTile(stored, pixel, ctz(left)));
    joinSamples(working, pixel);
  }
}

function copyPixel(to: Plane, from: Plane, pixel: i32): void {
  const bits = to.bits(pixel >> 6);
  if (!from.isPerSample(pixel)) {
    copyTexel(to.texelBytes, to.texel(pixel), from.texel(pixel));
    store<u64>(bits, load<u64>(bits) & ~pixelBit(pixel));
    return;
  }
  for (let layer = 0; layer < to.layers; layer++) {
    const offset = layer * to.layerBytes;
    memory.copy(to.sample(pixel) + offset, from.sample(pixel) + offset, to.texelBytes << 2);
  }
  store<u64>(bits, load<u64>(bits) | pixelBit(pixel));
}

/** Mask of the pixels of a block of a tile that lie within the surface. */
function blockInside(surface: Surface, tile: i32, block: i32): u64 {
  const left = ((tile % surface.tilesX) << TILE_SHIFT) + ((block & 7) << 3);
  const top = ((tile / surface.tilesX) << TILE_SHIFT) + ((block >> 3) << 3);
  return pixelsInside(surface.width - left, surface.height - top);
}
