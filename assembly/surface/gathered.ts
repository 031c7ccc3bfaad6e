// Pixels of a GATHERED block (load-store-unit): entries of a pixel, which of them hold a sample or a value, and what a
// pixel holds as loads see it: what is gathered, over what the cached tile holds. Masks have a bit for each sample of
// the surface.

import { BLOCK_PIXELS, Gathered, GATHERED_BLOCKS, LoadStoreUnit, Surface, Working } from '../layout';
import { layersOf } from '../simd/positions';
import { cachedTile } from './cache';
import { samplesWith } from './compare';
import { holdersInTile, texelInTile } from './working';

/** Bytes of a GATHERED record for pixels of so many bytes. */
export function gatheredBytes(pixelBytes: i32): usize {
  return changetype<usize>(changetype<Gathered>(0).values) + BLOCK_PIXELS * pixelBytes;
}

export function gatheredAt(unit: LoadStoreUnit, index: i32): Gathered {
  return changetype<Gathered>(unit.gathered + index * gatheredBytes(unit.pixelBytes));
}

/** The record that gathers a block, or 0. `slot`: tile · 64 + block. */
export function findGathered(unit: LoadStoreUnit, surface: Surface, slot: i32): Gathered {
  const last = unit.lastGathered;
  if (last && gathers(last, surface, slot)) return last;
  for (let i = 0; i < GATHERED_BLOCKS; i++) {
    const gathered = gatheredAt(unit, i);
    if (gathers(gathered, surface, slot)) return gathered;
  }
  return changetype<Gathered>(0);
}

function gathers(gathered: Gathered, surface: Surface, slot: i32): bool {
  return gathered.surface == surface && gathered.block == slot;
}

// Fields of a pixel (0 … 63) of the block.

export function coverageOf(gathered: Gathered, pixel: i32): i32 { return load<u16>(gathered.coverage + (pixel << 1)); }

export function slotsOf(gathered: Gathered, pixel: i32): i32 { return load<u16>(gathered.slots + (pixel << 1)); }

/** Samples of the entry at a slot. */
export function maskOf(gathered: Gathered, pixel: i32, slot: i32): i32 {
  return load<u16>(gathered.masks + ((pixel * 16 + slot) << 1));
}

/** Where a pixel's texels lie, that of the entry at slot i as if it were sample i's. */
export function valuesOf(gathered: Gathered, surface: Surface, pixel: i32): usize {
  return gathered.values + pixel * 4 * layersOf(surface.samples) * surface.texelBytes;
}

/** Slots of the entries that hold the bits of the texel at `value`. */
export function slotsHolding(gathered: Gathered, surface: Surface, pixel: i32, value: usize): i32 {
  const bytes = surface.texelBytes;
  return slotsOf(gathered, pixel)
    & samplesWith(bytes, valuesOf(gathered, surface, pixel), bytes << 2, layersOf(surface.samples), value);
}

/** Samples of the entries at `slots`. */
export function samplesAt(gathered: Gathered, pixel: i32, slots: i32): i32 {
  let mask = 0;
  for (let left = slots; left; left &= left - 1) mask |= maskOf(gathered, pixel, ctz(left));
  return mask;
}

/** Slot of the entry that has a sample, which must be covered. */
function slotOf(gathered: Gathered, pixel: i32, sample: i32): i32 {
  const slots = slotsOf(gathered, pixel);
  // Entries have no sample in common: one that lies at the sample is the sample's.
  if ((slots >> sample) & 1) return sample;
  let left = slots;
  while (!((maskOf(gathered, pixel, ctz(left)) >> sample) & 1)) left &= left - 1;
  return ctz(left);
}

// A pixel as it is: `gathered` is 0 where nothing is, `working` 0 where all of it is gathered. Here `pixel` is 0 …
// 4095.

/** Samples of a pixel that are gathered. */
export function gatheredSamples(gathered: Gathered, pixel: i32): i32 {
  return gathered ? coverageOf(gathered, pixel & 63) : 0;
}

/** The cached tile of a pixel of which not all is gathered; else 0. */
export function workingOf(unit: LoadStoreUnit, surface: Surface, gathered: Gathered, tile: i32, pixel: i32): Working {
  if (gatheredSamples(gathered, pixel) == surface.whole) return changetype<Working>(0);
  return cachedTile(unit, surface, tile);
}

/** Where a sample's texel lies, until the next access. */
export function sampleTexel(surface: Surface, gathered: Gathered, working: Working, pixel: i32, sample: i32): usize {
  if (!((gatheredSamples(gathered, pixel) >> sample) & 1)) return texelInTile(working, pixel, sample);
  const inBlock = pixel & 63;
  return valuesOf(gathered, surface, inBlock) + slotOf(gathered, inBlock, sample) * surface.texelBytes;
}

/** All samples of a pixel that hold the bits of the texel at `value`. */
export function holders(surface: Surface, gathered: Gathered, working: Working, pixel: i32, value: usize): i32 {
  const covered = gatheredSamples(gathered, pixel);
  let mask = 0;
  if (covered) mask = samplesAt(gathered, pixel & 63, slotsHolding(gathered, surface, pixel & 63, value));
  if (covered != surface.whole) mask |= holdersInTile(working, surface, pixel, value) & ~covered;
  return mask;
}
