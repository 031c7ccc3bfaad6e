// Pixels of a GATHERED block (layout/unit.ts): entries of a pixel, which of them hold a sample or a value, and what a pixel holds as loads see it:
// what is gathered, over what the cached tile holds. Masks have a bit for each sample of the surface.

import { SURFACE_BYTES_TEXEL, SURFACE_SAMPLES } from '../layout/surface';
import { GATHERED_BLOCKS, GATHERED_COVERAGE, GATHERED_MASKS, GATHERED_PLACE, GATHERED_PLACES, GATHERED_SURFACE, GATHERED_VALUES, LSU_GATHERED, LSU_LAST_GATHERED, LSU_PIXEL_BYTES } from '../layout/unit';
import { BLOCK_PIXELS } from '../layout/tile';
import { layersOf } from '../simd/positions';
import { samplesWith } from './compare';
import { holdersInTile, texelInTile, wholeMask } from './working';

/** Bytes of a GATHERED record for pixels of so many bytes. */
// @ts-ignore: decorator
@inline
export function gatheredBytes(pixelBytes: i32): usize { return <usize>(GATHERED_VALUES + BLOCK_PIXELS * pixelBytes); }

// @ts-ignore: decorator
@inline
export function gatheredAt(unit: usize, index: i32): usize {
  return unit + LSU_GATHERED + <usize>index * gatheredBytes(load<i32>(unit, LSU_PIXEL_BYTES));
}

/** The record that gathers a block, or 0. `place`: tile · 64 + block. */
export function findGathered(unit: usize, surface: usize, place: i32): usize {
  const last = <usize>load<u32>(unit, LSU_LAST_GATHERED);
  if (last && gathers(last, surface, place)) return last;
  for (let i = 0; i < GATHERED_BLOCKS; i++) {
    const gathered = gatheredAt(unit, i);
    if (gathers(gathered, surface, place)) return gathered;
  }
  return 0;
}

// @ts-ignore: decorator
@inline
function gathers(gathered: usize, surface: usize, place: i32): bool {
  return <usize>load<u32>(gathered, GATHERED_SURFACE) == surface && load<i32>(gathered, GATHERED_PLACE) == place;
}

// Fields of a pixel (0 … 63) of the block.

// @ts-ignore: decorator
@inline
export function coverageOf(gathered: usize, pixel: i32): i32 { return load<u16>(gathered + (<usize>pixel << 1), GATHERED_COVERAGE); }

// @ts-ignore: decorator
@inline
export function placesOf(gathered: usize, pixel: i32): i32 { return load<u16>(gathered + (<usize>pixel << 1), GATHERED_PLACES); }

/** Samples of the entry at a place. */
// @ts-ignore: decorator
@inline
export function maskOf(gathered: usize, pixel: i32, place: i32): i32 { return load<u16>(gathered + (<usize>(pixel * 16 + place) << 1), GATHERED_MASKS); }

/** Where a pixel's texels lie, that of the entry at place i as if it were sample i's. */
// @ts-ignore: decorator
@inline
export function valuesOf(gathered: usize, surface: usize, pixel: i32): usize {
  return gathered + GATHERED_VALUES + <usize>(pixel * 4 * layersOf(load<i32>(surface, SURFACE_SAMPLES)) * load<i32>(surface, SURFACE_BYTES_TEXEL));
}

/** Places of the entries that hold the bits of the texel at `value`. */
export function placesHolding(gathered: usize, surface: usize, pixel: i32, value: usize): i32 {
  const bytes = load<i32>(surface, SURFACE_BYTES_TEXEL);
  return placesOf(gathered, pixel) & samplesWith(bytes, valuesOf(gathered, surface, pixel), <usize>(bytes << 2), layersOf(load<i32>(surface, SURFACE_SAMPLES)), value);
}

/** Samples of the entries at `places`. */
export function samplesAt(gathered: usize, pixel: i32, places: i32): i32 {
  let mask = 0;
  for (let left = places; left; left &= left - 1) mask |= maskOf(gathered, pixel, ctz(left));
  return mask;
}

/** Place of the entry that has a sample, which must be covered. */
function placeOf(gathered: usize, pixel: i32, sample: i32): i32 {
  const places = placesOf(gathered, pixel);
  // Entries have no sample in common: one that lies at the sample is the sample's.
  if ((places >> sample) & 1) return sample;
  let left = places;
  while (!((maskOf(gathered, pixel, ctz(left)) >> sample) & 1)) left &= left - 1;
  return ctz(left);
}

// A pixel as it is: `gathered` is 0 where nothing is, `working` 0 where all of it is gathered. Here `pixel` is 0 … 4095.

/** Samples of a pixel that are gathered. */
// @ts-ignore: decorator
@inline
export function gatheredSamples(gathered: usize, pixel: i32): i32 { return gathered ? coverageOf(gathered, pixel & 63) : 0; }

/** Where a sample's texel lies, until the next access. */
export function sampleTexel(unit: usize, surface: usize, gathered: usize, working: usize, pixel: i32, sample: i32): usize {
  if (!((gatheredSamples(gathered, pixel) >> sample) & 1)) return texelInTile(unit, working, surface, pixel, sample);
  const inBlock = pixel & 63;
  return valuesOf(gathered, surface, inBlock) + <usize>(placeOf(gathered, inBlock, sample) * load<i32>(surface, SURFACE_BYTES_TEXEL));
}

/** All samples of a pixel that hold the bits of the texel at `value`. */
export function holders(unit: usize, surface: usize, gathered: usize, working: usize, pixel: i32, value: usize): i32 {
  const covered = gatheredSamples(gathered, pixel);
  let mask = 0;
  if (covered) mask = samplesAt(gathered, pixel & 63, placesHolding(gathered, surface, pixel & 63, value));
  if (covered != wholeMask(surface)) mask |= holdersInTile(unit, working, surface, pixel, value) & ~covered;
  return mask;
}
