// Pixels of a WORKING tile (load-store-unit): where their samples lie, which of them hold a value, and how samples are
// written. Masks have a bit for each sample of the surface. Two samples lie in the tile as four, of which the last two
// are the first two again.

import { BLOCK_PIXELS, LoadStoreUnit, Surface, Working } from '../layout';
import { layersOf } from '../simd/positions';
import { samplesWith } from './compare';
import { expandPixel, fillPixels, gatherPixel, putSamples } from './plane';
import { copyTexel, sameTexel } from './texel-same';

/** Prepares the PLANE of a record for a tile of a surface. */
export function beginPlane(unit: LoadStoreUnit, working: Working, surface: Surface): void {
  const plane = working.plane;
  plane.samples = working.pixels + (unit.pixelBytes << 10);
  plane.pixels = working.pixels;
  plane.states = working.blocks;
  plane.perSample = working.perSample;
  plane.clear = working.clear;
  plane.texelBytes = surface.texelBytes;
  plane.layers = layersOf(surface.samples);
}

function pixelBit(pixel: i32): u64 { return <u64>1 << <u64>(pixel & 63); }

/** Where a sample's texel lies; good until the tile is written. */
export function texelInTile(working: Working, pixel: i32, sample: i32): usize {
  const plane = working.plane;
  if (plane.isClear(pixel >> 6)) return plane.clear;
  return plane.isPerSample(pixel)
    ? plane.sampleAt(plane.sample(pixel), sample)
    : plane.texel(pixel);
}

/** Samples of a pixel that hold the bits of the texel at `value`. */
export function holdersInTile(working: Working, surface: Surface, pixel: i32, value: usize): i32 {
  const plane = working.plane;
  const whole = surface.whole;
  if (!plane.isClear(pixel >> 6) && plane.isPerSample(pixel))
    return samplesWith(plane.texelBytes, plane.sample(pixel), plane.layerBytes, plane.layers, value) & whole;
  return sameTexel(plane.texelBytes, texelInTile(working, pixel, 0), value) ? whole : 0;
}

/** Notes that samples of a pixel are about to be written; a clear block gets texels. */
function noteWritten(working: Working, pixel: i32, mask: i32): void {
  const block = pixel >> 6;
  const bit = <u64>1 << <u64>block;
  const dirty = working.dirty;
  if (!(dirty & bit)) {
    working.dirty = dirty | bit;
    memory.fill(working.written + (block << 7), 0, BLOCK_PIXELS << 1);
    if (working.plane.isClear(block)) fillPixels(working.plane, block);
  }
  const written = working.written + (pixel << 1);
  store<u16>(written, load<u16>(written) | mask);
}

/** Writes the texel at `texel` to samples of a pixel, which becomes one texel if they are equal then. */
export function writeSamples(working: Working, surface: Surface, pixel: i32, mask: i32, texel: usize): void {
  const plane = working.plane;
  noteWritten(working, pixel, mask);
  const bits = plane.bits(pixel >> 6);
  if (mask == surface.whole && surface.encodes) {
    copyTexel(plane.texelBytes, plane.texel(pixel), texel);
    store<u64>(bits, load<u64>(bits) & ~pixelBit(pixel));
    return;
  }
  if (!plane.isPerSample(pixel)) {
    if (surface.encodes && sameTexel(plane.texelBytes, plane.texel(pixel), texel)) return;
    expandPixel(plane, pixel);
    store<u64>(bits, load<u64>(bits) | pixelBit(pixel));
  }
  putSamples(plane, pixel, surface.samples == 2 ? mask * 5 : mask, texel);
  if (surface.encodes && gatherPixel(plane, pixel)) store<u64>(bits, load<u64>(bits) & ~pixelBit(pixel));
}

/** Writes to `to` what was written of `from`, another state of the same tile. */
export function overlay(to: Working, from: Working, surface: Surface): void {
  for (let blocks = from.dirty; blocks; blocks &= blocks - 1) {
    const first = <i32>ctz(blocks) << 6;
    for (let pixel = first; pixel < first + BLOCK_PIXELS; pixel++) {
      let left = load<u16>(from.written + (pixel << 1));
      if (!left) continue;
      for (; left; left &= left - 1)
        writeSamples(to, surface, pixel, left & -left, texelInTile(from, pixel, ctz(left)));
    }
  }
}
