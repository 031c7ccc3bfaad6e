// The coalescer: gathers stores into 8×8 blocks of a surface, as entries (pixel, samples, value), and flushes them into
// working tiles (cache.ts).
//
// - A block is flushed when all of its samples are there; when another block needs its room; when a sample comes that
//   is there with another value;
//   and at the end of the tile. Always the whole block goes. Tried: at a conflict the pixel alone, which moved 2.2
//   times the bytes and took a
//   fifth more time where small triangles lie over one another in a few blocks.
// - Parts of blocks are gathered too, eight blocks at a time. With large triangles 1, 4, 8, 16 and 32 blocks moved 179,
//   164, 142, 141 and 141 KB,
//   with small ones all over a tile 96, 81, 81, 80 and 78; more of them take longer to search. Nothing gathered would
//   be 451 and 140 KB, in a sixth
//   to a fifth less time: an access takes 55 to 65 ns as it is, with the call.
// - A sample that comes again with its value is dropped; samples with the value of an entry of their pixel join it.
//   Samples that come one by one lie
//   each at its own slot without a comparison, and are compared all at once when they are flushed (analysis.ts).

import {
  COUNT_ANALYSED, COUNT_ANALYSED_JOINED, COUNT_DISCARDED, COUNT_FLUSHES_CONFLICT, COUNT_FLUSHES_END,
  COUNT_FLUSHES_FULL, COUNT_FLUSHES_ROOM, COUNT_MERGED_EXACT, COUNT_MERGED_NEAR, Gathered, GATHERED_BLOCKS,
  LoadStoreUnit, Surface,
} from '../layout';
import { analysePixel } from './analysis';
import { analysePixelScalar } from './analysis.scalar';
import { cachedTile, count, now } from './cache';
import { isInteger, loadTexel } from './formats';
import { countForm } from './forms';
import {
  coverageOf, findGathered, gatheredAt, holders, maskOf, samplesAt, sampleTexel, slotsHolding, slotsOf, valuesOf,
  workingOf,
} from './gathered';
import { isNear } from './merge';
import { copyTexel, sameTexel } from './texel-same';
import { pixelsInside } from './whole';
import { settle, writeSamples } from './working';

/** Stores the texel in LoadStoreUnit.texel to samples (at least one) of a pixel (0 … 4095) of a tile. */
export function gather(unit: LoadStoreUnit, surface: Surface, tile: i32, pixel: i32, mask: i32): void {
  const slot = (tile << 6) | (pixel >> 6);
  let gathered = findGathered(unit, surface, slot);
  if (mask != surface.whole && surface.threshold > 0) takeNearValue(unit, surface, gathered, tile, pixel, mask);
  if (!gathered) gathered = openBlock(unit, surface, slot);
  gathered.used = now(unit);
  unit.lastGathered = gathered;
  if (!add(unit, gathered, surface, pixel & 63, mask)) {
    flush(unit, gathered, COUNT_FLUSHES_CONFLICT);
    add(unit, gathered, surface, pixel & 63, mask);
  }
  if (gathered.whole == gathered.existing) {
    flush(unit, gathered, COUNT_FLUSHES_FULL);
    release(unit, gathered);
  }
}

/** Flushes all blocks. */
export function flushGathered(unit: LoadStoreUnit): void {
  for (let i = 0; i < GATHERED_BLOCKS; i++) {
    const gathered = gatheredAt(unit, i);
    if (!gathered.surface) continue;
    flush(unit, gathered, COUNT_FLUSHES_END);
    release(unit, gathered);
  }
}

/**
 * Lossy surfaces: takes instead of LoadStoreUnit.texel the value of the first of the pixel's other samples that is near
 * enough, if none is equal. It is what the pixel holds that counts, gathered or not, so that the outcome does not hang
 * on when blocks are flushed; and a value that is held never moves, so that a sample is never farther from what was
 * stored to it than the threshold.
 */
function takeNearValue(
  unit: LoadStoreUnit, surface: Surface, gathered: Gathered, tile: i32, pixel: i32, mask: i32
): void {
  const format = surface.format;
  if (isInteger(format)) return;
  const others = surface.whole & ~mask;
  const working = workingOf(unit, surface, gathered, tile, pixel);
  const texel = unit.texel;
  if (others & holders(surface, gathered, working, pixel, texel)) return;
  loadTexel(format, texel, unit.words);
  for (let left = others; left; left &= left - 1) {
    const other = sampleTexel(surface, gathered, working, pixel, ctz(left));
    loadTexel(format, other, unit.otherWords);
    if (!isNear(unit.words, unit.otherWords, surface.threshold)) continue;
    copyTexel(surface.texelBytes, texel, other);
    count(unit, COUNT_MERGED_NEAR, 1);
    return;
  }
}

/** A record for a block; the one used least recently makes room. */
function openBlock(unit: LoadStoreUnit, surface: Surface, slot: i32): Gathered {
  let gathered = changetype<Gathered>(0);
  for (let i = 0; i < GATHERED_BLOCKS; i++) {
    const one = gatheredAt(unit, i);
    if (!gathered || one.used < gathered.used) gathered = one;
  }
  if (gathered.surface) flush(unit, gathered, COUNT_FLUSHES_ROOM);
  gathered.surface = surface;
  gathered.block = slot;
  gathered.existing = existing(surface, slot);
  return gathered;
}

function release(unit: LoadStoreUnit, gathered: Gathered): void {
  gathered.surface = changetype<Surface>(0);
  gathered.used = 0;
  if (unit.lastGathered == gathered) unit.lastGathered = changetype<Gathered>(0);
}

/** Pixels of a block that lie within the surface. */
function existing(surface: Surface, slot: i32): u64 {
  const tile = slot >> 6;
  const tilesX = surface.tilesX;
  const width = surface.width - ((tile % tilesX) << 6) - ((slot & 7) << 3);
  const height = <i32>surface.height - ((tile / tilesX) << 6) - ((slot & 56));
  return pixelsInside(width, height);
}

/**
 * Adds LoadStoreUnit.texel to a pixel's entries; false, with nothing changed, if a sample is there with another value.
 */
function add(unit: LoadStoreUnit, gathered: Gathered, surface: Surface, pixel: i32, mask: i32): bool {
  const covered = coverageOf(gathered, pixel) & mask;
  const bit = <u64>1 << <u64>pixel;
  const texel = unit.texel;
  const singles = gathered.singles;
  const single = (mask & (mask - 1)) == 0;
  if (single && (!coverageOf(gathered, pixel) || singles & bit)) {
    if (!covered) {
      gathered.singles = singles | bit;
      slot(gathered, surface, pixel, mask, texel);
      return true;
    }
    if (slotsOf(gathered, pixel) & mask) {
      const bytes = surface.texelBytes;
      if (!sameTexel(bytes, valuesOf(gathered, surface, pixel) + ctz(mask) * bytes, texel)) return false;
      count(unit, COUNT_DISCARDED, 1);
      return true;
    }
  }
  const equal = coverageOf(gathered, pixel) ? slotsHolding(gathered, surface, pixel, texel) : 0;
  if (covered) {
    if (covered & ~samplesAt(gathered, pixel, equal)) return false;
    if (covered == mask) {
      count(unit, COUNT_DISCARDED, 1);
      return true;
    }
  }
  const rest = mask & ~covered;
  if (equal) {
    const entry = gathered.masks + ((pixel * 16 + ctz(equal)) << 1);
    store<u16>(entry, load<u16>(entry) | rest);
    cover(gathered, surface, pixel, rest);
    count(unit, COUNT_MERGED_EXACT, 1);
  } else {
    slot(gathered, surface, pixel, rest, texel);
  }
  return true;
}

/** A new entry, at the first of its samples. */
function slot(gathered: Gathered, surface: Surface, pixel: i32, mask: i32, texel: usize): void {
  const at = ctz(mask);
  const bytes = surface.texelBytes;
  copyTexel(bytes, valuesOf(gathered, surface, pixel) + at * bytes, texel);
  store<u16>(gathered.masks + ((pixel * 16 + at) << 1), mask);
  store<u16>(gathered.slots + (pixel << 1), slotsOf(gathered, pixel) | (1 << at));
  cover(gathered, surface, pixel, mask);
}

/** Notes that samples are there. */
function cover(gathered: Gathered, surface: Surface, pixel: i32, mask: i32): void {
  const covered = coverageOf(gathered, pixel) | mask;
  const bit = <u64>1 << <u64>pixel;
  store<u16>(gathered.coverage + (pixel << 1), covered);
  gathered.touched |= bit;
  if (covered == surface.whole) gathered.whole |= bit;
}

/** Moves what is there to its working tile. `cause`: COUNT_FLUSHES_*. */
function flush(unit: LoadStoreUnit, gathered: Gathered, cause: i32): void {
  const moved = gathered.touched;
  if (!moved) return;
  const surface = gathered.surface;
  analyse(unit, gathered, surface, gathered.singles);
  takeTally(unit, gathered, surface, moved);
  count(unit, cause, 1);
  countForm(unit, surface);
  const spot = gathered.block;
  const working = cachedTile(unit, surface, spot >> 6);
  const first = (spot & 63) << 6;
  const bytes = surface.texelBytes;
  for (let left = moved; left; left &= left - 1) {
    const pixel = <i32>ctz(left);
    const values = valuesOf(gathered, surface, pixel);
    for (let slots = slotsOf(gathered, pixel); slots; slots &= slots - 1) {
      writeSamples(working, surface, first + pixel, maskOf(gathered, pixel, ctz(slots)), values + ctz(slots) * bytes);
    }
    // What is whole has been compared; parts may have become equal to what was there.
    if (coverageOf(gathered, pixel) != surface.whole) settle(working, surface, first + pixel);
    store<u16>(gathered.coverage + (pixel << 1), 0);
    store<u16>(gathered.slots + (pixel << 1), 0);
  }
  gathered.touched = 0;
  gathered.whole = 0;
  gathered.singles = 0;
}

/** Joins equal samples of pixels that came sample by sample. */
function analyse(unit: LoadStoreUnit, gathered: Gathered, surface: Surface, pixels: u64): void {
  const bytes = surface.texelBytes;
  const samples = surface.samples;
  for (let left = pixels; left; left &= left - 1) {
    const pixel = <i32>ctz(left);
    const values = valuesOf(gathered, surface, pixel);
    const before = popcnt(slotsOf(gathered, pixel));
    // Entries of more than one sample get a value at each of them.
    for (let slots = slotsOf(gathered, pixel); slots; slots &= slots - 1) {
      const from = values + ctz(slots) * bytes;
      for (let mask = maskOf(gathered, pixel, ctz(slots)) & ~(slots & -slots); mask; mask &= mask - 1)
        copyTexel(bytes, values + ctz(mask) * bytes, from);
    }
    const covered = coverageOf(gathered, pixel);
    const after = ASC_FEATURE_SIMD
      ? analysePixel(gathered, pixel, values, samples, bytes, covered)
      : analysePixelScalar(gathered, pixel, values, samples, bytes, covered);
    if (after < before) count(unit, COUNT_ANALYSED_JOINED, 1);
  }
  if (pixels) count(unit, COUNT_ANALYSED, popcnt(pixels));
}

/** Sorts pixels by state into LoadStoreUnit.tally. */
function takeTally(unit: LoadStoreUnit, gathered: Gathered, surface: Surface, pixels: u64): void {
  const whole = surface.whole;
  const samples = surface.samples;
  let one: u64 = 0;
  let full: u64 = 0;
  let entries = 0;
  let subsetEntries = 0;
  let covered = 0;
  for (let left = pixels; left; left &= left - 1) {
    const pixel = <i32>ctz(left);
    const held = popcnt(slotsOf(gathered, pixel));
    const coverage = coverageOf(gathered, pixel);
    entries += held;
    covered += popcnt(coverage);
    if (coverage == whole && held == 1) one |= left & -left;
    else if (held == samples) full |= left & -left;
    else subsetEntries += held;
  }
  const tally = unit.tally;
  tally.one = one;
  tally.full = full;
  tally.subsets = pixels & ~(one | full);
  tally.entries = entries;
  tally.subsetEntries = subsetEntries;
  tally.samples = covered;
  tally.partial = gathered.whole == pixels ? 0 : 1;
}
