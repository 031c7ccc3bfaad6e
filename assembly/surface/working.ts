// Pixels of a WORKING tile (layout/unit.ts): where their samples lie, which of them hold a value, and how samples are written.
// Masks have a bit for each sample of the surface. Two samples lie in the tile as four, of which the last two are the first two again.

import { LoadStoreUnit, WORKING_PER_SAMPLE, Working } from '../layout/load-store-unit';
import { Surface } from '../layout/surface';
import { BLOCK_PIXELS } from '../layout/tile-order';
import { layersOf } from '../simd/positions';
import { sampleAt, samplesWith } from './compare';
import { layerBytes } from './encode';
import { copyTexel, sameTexel } from './texel-same';

/** All samples of the surface. */
// @ts-ignore: decorator
@inline
export function wholeMask(surface: Surface): i32 { return (1 << surface.samples) - 1; }

/** All samples as they lie in the tile. */
// @ts-ignore: decorator
@inline
function laidMask(samples: i32): i32 { return samples == 2 ? 15 : (1 << samples) - 1; }

/** The plane of a texel a sample. */
// @ts-ignore: decorator
@inline
export function samplePlane(unit: LoadStoreUnit, working: Working): usize {
  return working.pixels + (<usize>unit.pixelBytes << 10);
}

// @ts-ignore: decorator
@inline
function pixelTexel(working: Working, pixel: i32, bytes: i32): usize { return working.pixels + <usize>(pixel * bytes); }

/** The first sample of a pixel in the plane of samples. */
// @ts-ignore: decorator
@inline
function firstSample(unit: LoadStoreUnit, working: Working, pixel: i32, bytes: i32): usize { return samplePlane(unit, working) + <usize>(pixel * 4 * bytes); }

// @ts-ignore: decorator
@inline
function severalBits(working: usize, pixel: i32): usize { return working + (<usize>(pixel >> 6) << 3); }

// @ts-ignore: decorator
@inline
function pixelBit(pixel: i32): u64 { return <u64>1 << <u64>(pixel & 63); }

/** Where a sample's texel lies; good until the tile is written. */
export function texelInTile(unit: LoadStoreUnit, working: Working, surface: Surface, pixel: i32, sample: i32): usize {
  const bytes = surface.texelBytes;
  if (load<u8>(working.blocks + <usize>(pixel >> 6))) return working.clear;
  if (!(load<u64>(severalBits(changetype<usize>(working), pixel), WORKING_PER_SAMPLE) & pixelBit(pixel))) return pixelTexel(working, pixel, bytes);
  return sampleAt(bytes, firstSample(unit, working, pixel, bytes), layerBytes(bytes), sample);
}

/** Samples of a pixel that hold the bits of the texel at `value`. */
export function holdersInTile(unit: LoadStoreUnit, working: Working, surface: Surface, pixel: i32, value: usize): i32 {
  const bytes = surface.texelBytes;
  const whole = wholeMask(surface);
  if (load<u8>(working.blocks + <usize>(pixel >> 6))) return sameTexel(bytes, working.clear, value) ? whole : 0;
  if (!(load<u64>(severalBits(changetype<usize>(working), pixel), WORKING_PER_SAMPLE) & pixelBit(pixel))) return sameTexel(bytes, pixelTexel(working, pixel, bytes), value) ? whole : 0;
  return samplesWith(bytes, firstSample(unit, working, pixel, bytes), layerBytes(bytes), layersOf(surface.samples), value) & whole;
}

/** Notes that samples of a pixel are about to be written; a clear block gets texels. */
function noteWritten(working: Working, surface: Surface, pixel: i32, mask: i32): void {
  const block = pixel >> 6;
  const bit = <u64>1 << <u64>block;
  const dirty = working.dirty;
  if (!(dirty & bit)) {
    working.dirty = dirty | bit;
    memory.fill(working.written + (<usize>block << 7), 0, BLOCK_PIXELS << 1);
    if (load<u8>(working.blocks + <usize>block)) fillClear(working, block, surface.texelBytes);
  }
  const written = changetype<Working>(changetype<usize>(working) + (<usize>pixel << 1));
  store<u16>(written.written, load<u16>(written.written) | mask);
}

function fillClear(working: Working, block: i32, bytes: i32): void {
  let at = pixelTexel(working, block << 6, bytes);
  for (const end = at + <usize>(BLOCK_PIXELS * bytes); at < end; at += 16) copyTexel(16, at, working.clear);
  store<u64>(working.perSample + (<usize>block << 3), 0);
  store<u8>(working.blocks + <usize>block, 0);
}

/** Writes the texel at `texel` to samples of a pixel. A pixel written in part is to be settled (settle) when all of its parts are written. */
export function putSamples(unit: LoadStoreUnit, working: Working, surface: Surface, pixel: i32, mask: i32, texel: usize): void {
  const bytes = surface.texelBytes;
  noteWritten(working, surface, pixel, mask);
  const several = changetype<Working>(severalBits(changetype<usize>(working), pixel));
  const bits = load<u64>(several.perSample);
  const own = pixelTexel(working, pixel, bytes);
  if (mask == wholeMask(surface) && surface.encodes) {
    copyTexel(bytes, own, texel);
    store<u64>(several.perSample, bits & ~pixelBit(pixel));
    return;
  }
  const first = firstSample(unit, working, pixel, bytes);
  const samples = surface.samples;
  if (!(bits & pixelBit(pixel))) {
    store<u64>(several.perSample, bits | pixelBit(pixel));
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
export function settle(unit: LoadStoreUnit, working: Working, surface: Surface, pixel: i32): void {
  const several = changetype<Working>(severalBits(changetype<usize>(working), pixel));
  const bits = load<u64>(several.perSample);
  if (!(bits & pixelBit(pixel)) || !surface.encodes) return;
  const bytes = surface.texelBytes;
  const first = firstSample(unit, working, pixel, bytes);
  const samples = surface.samples;
  const all = laidMask(samples);
  if ((samplesWith(bytes, first, layerBytes(bytes), layersOf(samples), first) & all) != all) return;
  copyTexel(bytes, pixelTexel(working, pixel, bytes), first);
  store<u64>(several.perSample, bits & ~pixelBit(pixel));
}

/** Writes to `to` what was written of `from`, another state of the same tile. */
export function overlay(unit: LoadStoreUnit, to: Working, from: Working, surface: Surface): void {
  for (let blocks = from.dirty; blocks; blocks &= blocks - 1) {
    const first = <i32>ctz(blocks) << 6;
    for (let pixel = first; pixel < first + BLOCK_PIXELS; pixel++) {
      let left = <i32>load<u16>(from.written + (<usize>pixel << 1));
      if (!left) continue;
      for (; left; left &= left - 1) putSamples(unit, to, surface, pixel, left & -left, texelInTile(unit, from, surface, pixel, ctz(left)));
      settle(unit, to, surface, pixel);
    }
  }
}
