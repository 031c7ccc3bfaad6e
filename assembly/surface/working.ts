// Pixels of a WORKING tile (layout/unit.ts): where their samples lie, which of them hold a value, and how samples are written.
// Masks have a bit for each sample of the surface. Two samples lie in the tile as four, of which the last two are the first two again.

import { SURFACE_BYTES_TEXEL, SURFACE_ENCODES, SURFACE_SAMPLES } from '../layout/surface';
import { BLOCK_PIXELS } from '../layout/tile';
import { LSU_PIXEL_BYTES, WORKING_BLOCKS, WORKING_CLEAR, WORKING_DIRTY, WORKING_PIXELS, WORKING_SEVERAL, WORKING_WRITTEN } from '../layout/unit';
import { layersOf } from '../simd/positions';
import { sampleAt, samplesWith } from './compare';
import { layerBytes } from './encode';
import { copyTexel, sameTexel } from './texel-same';

/** All samples of the surface. */
// @ts-ignore: decorator
@inline
export function wholeMask(surface: usize): i32 { return (1 << load<i32>(surface, SURFACE_SAMPLES)) - 1; }

/** All samples as they lie in the tile. */
// @ts-ignore: decorator
@inline
function laidMask(samples: i32): i32 { return samples == 2 ? 15 : (1 << samples) - 1; }

/** The plane of a texel a sample. */
// @ts-ignore: decorator
@inline
export function samplePlane(unit: usize, working: usize): usize {
  return working + WORKING_PIXELS + (<usize>load<u32>(unit, LSU_PIXEL_BYTES) << 10);
}

// @ts-ignore: decorator
@inline
function pixelTexel(working: usize, pixel: i32, bytes: i32): usize { return working + WORKING_PIXELS + <usize>(pixel * bytes); }

/** The first sample of a pixel in the plane of samples. */
// @ts-ignore: decorator
@inline
function firstSample(unit: usize, working: usize, pixel: i32, bytes: i32): usize { return samplePlane(unit, working) + <usize>(pixel * 4 * bytes); }

// @ts-ignore: decorator
@inline
function severalBits(working: usize, pixel: i32): usize { return working + (<usize>(pixel >> 6) << 3); }

// @ts-ignore: decorator
@inline
function pixelBit(pixel: i32): u64 { return <u64>1 << <u64>(pixel & 63); }

/** Where a sample's texel lies; good until the tile is written. */
export function texelInTile(unit: usize, working: usize, surface: usize, pixel: i32, sample: i32): usize {
  const bytes = load<i32>(surface, SURFACE_BYTES_TEXEL);
  if (load<u8>(working + <usize>(pixel >> 6), WORKING_BLOCKS)) return working + WORKING_CLEAR;
  if (!(load<u64>(severalBits(working, pixel), WORKING_SEVERAL) & pixelBit(pixel))) return pixelTexel(working, pixel, bytes);
  return sampleAt(bytes, firstSample(unit, working, pixel, bytes), layerBytes(bytes), sample);
}

/** Samples of a pixel that hold the bits of the texel at `value`. */
export function holdersInTile(unit: usize, working: usize, surface: usize, pixel: i32, value: usize): i32 {
  const bytes = load<i32>(surface, SURFACE_BYTES_TEXEL);
  const whole = wholeMask(surface);
  if (load<u8>(working + <usize>(pixel >> 6), WORKING_BLOCKS)) return sameTexel(bytes, working + WORKING_CLEAR, value) ? whole : 0;
  if (!(load<u64>(severalBits(working, pixel), WORKING_SEVERAL) & pixelBit(pixel))) return sameTexel(bytes, pixelTexel(working, pixel, bytes), value) ? whole : 0;
  return samplesWith(bytes, firstSample(unit, working, pixel, bytes), layerBytes(bytes), layersOf(load<i32>(surface, SURFACE_SAMPLES)), value) & whole;
}

/** Notes that samples of a pixel are about to be written; a clear block gets texels. */
function noteWritten(working: usize, surface: usize, pixel: i32, mask: i32): void {
  const block = pixel >> 6;
  const bit = <u64>1 << <u64>block;
  const dirty = load<u64>(working, WORKING_DIRTY);
  if (!(dirty & bit)) {
    store<u64>(working, dirty | bit, WORKING_DIRTY);
    memory.fill(working + WORKING_WRITTEN + (<usize>block << 7), 0, BLOCK_PIXELS << 1);
    if (load<u8>(working + <usize>block, WORKING_BLOCKS)) fillClear(working, block, load<i32>(surface, SURFACE_BYTES_TEXEL));
  }
  const written = working + (<usize>pixel << 1);
  store<u16>(written, load<u16>(written, WORKING_WRITTEN) | mask, WORKING_WRITTEN);
}

function fillClear(working: usize, block: i32, bytes: i32): void {
  let at = pixelTexel(working, block << 6, bytes);
  for (const end = at + <usize>(BLOCK_PIXELS * bytes); at < end; at += 16) copyTexel(16, at, working + WORKING_CLEAR);
  store<u64>(working + (<usize>block << 3), 0, WORKING_SEVERAL);
  store<u8>(working + <usize>block, 0, WORKING_BLOCKS);
}

/** Writes the texel at `texel` to samples of a pixel. A pixel written in part is to be settled (settle) when all of its parts are written. */
export function putSamples(unit: usize, working: usize, surface: usize, pixel: i32, mask: i32, texel: usize): void {
  const bytes = load<i32>(surface, SURFACE_BYTES_TEXEL);
  noteWritten(working, surface, pixel, mask);
  const several = severalBits(working, pixel);
  const bits = load<u64>(several, WORKING_SEVERAL);
  const own = pixelTexel(working, pixel, bytes);
  if (mask == wholeMask(surface) && load<u32>(surface, SURFACE_ENCODES)) {
    copyTexel(bytes, own, texel);
    store<u64>(several, bits & ~pixelBit(pixel), WORKING_SEVERAL);
    return;
  }
  const first = firstSample(unit, working, pixel, bytes);
  const samples = load<i32>(surface, SURFACE_SAMPLES);
  if (!(bits & pixelBit(pixel))) {
    store<u64>(several, bits | pixelBit(pixel), WORKING_SEVERAL);
    spread(first, bytes, laidMask(samples), own);
  }
  spread(first, bytes, samples == 2 ? mask | (mask << 2) : mask, texel);
}

/** The texel at `texel` to samples of the pixel whose first is at `first`. */
function spread(first: usize, bytes: i32, mask: i32, texel: usize): void {
  for (let left = mask; left; left &= left - 1) {
    copyTexel(bytes, sampleAt(bytes, first, layerBytes(bytes), ctz(left)), texel);
  }
}

/** Makes a pixel one texel if its samples have become equal. */
export function settle(unit: usize, working: usize, surface: usize, pixel: i32): void {
  const several = severalBits(working, pixel);
  const bits = load<u64>(several, WORKING_SEVERAL);
  if (!(bits & pixelBit(pixel)) || !load<u32>(surface, SURFACE_ENCODES)) return;
  const bytes = load<i32>(surface, SURFACE_BYTES_TEXEL);
  const first = firstSample(unit, working, pixel, bytes);
  const samples = load<i32>(surface, SURFACE_SAMPLES);
  const all = laidMask(samples);
  if ((samplesWith(bytes, first, layerBytes(bytes), layersOf(samples), first) & all) != all) return;
  copyTexel(bytes, pixelTexel(working, pixel, bytes), first);
  store<u64>(several, bits & ~pixelBit(pixel), WORKING_SEVERAL);
}

/** Writes to `to` what was written of `from`, another state of the same tile. */
export function overlay(unit: usize, to: usize, from: usize, surface: usize): void {
  for (let blocks = load<u64>(from, WORKING_DIRTY); blocks; blocks &= blocks - 1) {
    const first = <i32>ctz(blocks) << 6;
    for (let pixel = first; pixel < first + BLOCK_PIXELS; pixel++) {
      let left = <i32>load<u16>(from + (<usize>pixel << 1), WORKING_WRITTEN);
      if (!left) continue;
      for (; left; left &= left - 1) putSamples(unit, to, surface, pixel, left & -left, texelInTile(unit, from, surface, pixel, ctz(left)));
      settle(unit, to, surface, pixel);
    }
  }
}
