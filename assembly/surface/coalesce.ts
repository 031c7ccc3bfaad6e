// The coalescer: gathers stores into 8×8 blocks of a surface, as entries (pixel, samples, value), and flushes them into working tiles (cache.ts).
//
// - A block is flushed when all of its samples are there; when another block needs its room; when a sample comes that is there with another value;
//   and at the end of the tile. Always the whole block goes. Tried: at a conflict the pixel alone, which moved 2.2 times the bytes and took a
//   fifth more time where small triangles lie over one another in a few blocks.
// - Parts of blocks are gathered too, eight blocks at a time. With large triangles 1, 4, 8, 16 and 32 blocks moved 179, 164, 142, 141 and 141 KB,
//   with small ones all over a tile 96, 81, 81, 80 and 78; more of them take longer to search. Nothing gathered would be 451 and 140 KB, in a sixth
//   to a fifth less time: an access takes 55 to 65 ns as it is, with the call.
// - A sample that comes again with its value is dropped; samples with the value of an entry of their pixel join it. Samples that come one by one lie
//   each at its own place without a comparison, and are compared all at once when they are flushed (analysis.ts).

import { SURFACE_BYTES_TEXEL, SURFACE_FORMAT, SURFACE_HEIGHT, SURFACE_SAMPLES, SURFACE_THRESHOLD, SURFACE_TILES_X, SURFACE_WIDTH } from '../layout/surface';
import {
  COUNT_ANALYSED, COUNT_ANALYSED_JOINED, COUNT_DISCARDED, COUNT_FLUSHES_CONFLICT, COUNT_FLUSHES_END, COUNT_FLUSHES_FULL, COUNT_FLUSHES_ROOM, COUNT_MERGED_EXACT,
  COUNT_MERGED_NEAR, GATHERED_BLOCKS, GATHERED_COVERAGE, GATHERED_EXISTING, GATHERED_MASKS, GATHERED_PLACE, GATHERED_PLACES, GATHERED_SINGLES, GATHERED_SURFACE, GATHERED_TOUCHED, GATHERED_USED,
  GATHERED_WHOLE, LSU_LAST_GATHERED, LSU_OTHER_WORDS, LSU_TALLY, LSU_TEXEL, LSU_WORDS, TALLY_ENTRIES, TALLY_FULL, TALLY_ONE, TALLY_PARTIAL, TALLY_SAMPLES,
  TALLY_SUBSET_ENTRIES, TALLY_SUBSETS,
} from '../layout/unit';
import { BLOCK_PIXELS } from '../layout/tile';
import { pixelX, pixelY } from '../simd/positions';
import { analysePixel } from './analysis';
import { analysePixelScalar } from './analysis.scalar';
import { cachedTile, count, stamp } from './cache';
import { countForm } from './forms';
import { coverageOf, findGathered, gatheredAt, gatheredSamples, holders, maskOf, placesHolding, placesOf, samplesAt, sampleTexel, valuesOf } from './gathered';
import { formatKind, KIND_UINT, loadTexel } from './texel';
import { copyTexel, sameTexel } from './texel-same';
import { putSamples, settle, wholeMask } from './working';

const ALL: u64 = ~<u64>0;

/** Stores the texel in LSU_TEXEL to samples (at least one) of a pixel (0 … 4095) of a tile. */
export function gather(unit: usize, surface: usize, tile: i32, pixel: i32, mask: i32): void {
  const place = (tile << 6) | (pixel >> 6);
  let gathered = findGathered(unit, surface, place);
  if (mask != wholeMask(surface) && load<f32>(surface, SURFACE_THRESHOLD) > 0) takeNearValue(unit, surface, gathered, tile, pixel, mask);
  if (!gathered) gathered = openBlock(unit, surface, place);
  stamp(unit, gathered + GATHERED_USED);
  store<u32>(unit, <u32>gathered, LSU_LAST_GATHERED);
  if (!add(unit, gathered, surface, pixel & 63, mask)) {
    flush(unit, gathered, COUNT_FLUSHES_CONFLICT);
    add(unit, gathered, surface, pixel & 63, mask);
  }
  if (load<u64>(gathered, GATHERED_WHOLE) == load<u64>(gathered, GATHERED_EXISTING)) {
    flush(unit, gathered, COUNT_FLUSHES_FULL);
    release(unit, gathered);
  }
}

/** Flushes all blocks. */
export function flushGathered(unit: usize): void {
  for (let i = 0; i < GATHERED_BLOCKS; i++) {
    const gathered = gatheredAt(unit, i);
    if (!load<u32>(gathered, GATHERED_SURFACE)) continue;
    flush(unit, gathered, COUNT_FLUSHES_END);
    release(unit, gathered);
  }
}

/**
 * Lossy surfaces: takes in place of LSU_TEXEL the value of the first of the pixel's other samples that is near enough, if none is equal. It is what
 * the pixel holds that counts, gathered or not, so that the outcome does not hang on when blocks are flushed; and a value that is
 * held never moves, so that a sample is never farther from what was stored to it than the threshold.
 */
function takeNearValue(unit: usize, surface: usize, gathered: usize, tile: i32, pixel: i32, mask: i32): void {
  const format = load<i32>(surface, SURFACE_FORMAT);
  if (formatKind(format) >= KIND_UINT) return;
  const covered = gatheredSamples(gathered, pixel);
  const others = wholeMask(surface) & ~mask;
  const working: usize = covered == wholeMask(surface) ? 0 : cachedTile(unit, surface, tile);
  const texel = unit + LSU_TEXEL;
  if (others & holders(unit, surface, gathered, working, pixel, texel)) return;
  loadTexel(format, texel, unit + LSU_WORDS);
  for (let left = others; left; left &= left - 1) {
    const other = sampleTexel(unit, surface, gathered, working, pixel, ctz(left));
    loadTexel(format, other, unit + LSU_OTHER_WORDS);
    if (!isNear(unit, load<f32>(surface, SURFACE_THRESHOLD))) continue;
    copyTexel(load<i32>(surface, SURFACE_BYTES_TEXEL), texel, other);
    count(unit, COUNT_MERGED_NEAR, 1);
    return;
  }
}

/** Whether no channel of the two decoded texels differs by more; NaN is near nothing. */
function isNear(unit: usize, threshold: f32): bool {
  for (let offset: usize = 0; offset < 16; offset += 4) {
    // In f64, where the difference is exact or far from the threshold.
    if (!(abs<f64>(<f64>load<f32>(unit + offset, LSU_WORDS) - <f64>load<f32>(unit + offset, LSU_OTHER_WORDS)) <= <f64>threshold)) return false;
  }
  return true;
}

/** A record for a block; the one used least recently makes room. */
function openBlock(unit: usize, surface: usize, place: i32): usize {
  let gathered: usize = 0;
  for (let i = 0; i < GATHERED_BLOCKS; i++) {
    const one = gatheredAt(unit, i);
    if (!gathered || load<u32>(one, GATHERED_USED) < load<u32>(gathered, GATHERED_USED)) gathered = one;
  }
  if (load<u32>(gathered, GATHERED_SURFACE)) flush(unit, gathered, COUNT_FLUSHES_ROOM);
  store<u32>(gathered, <u32>surface, GATHERED_SURFACE);
  store<i32>(gathered, place, GATHERED_PLACE);
  store<u64>(gathered, existing(surface, place), GATHERED_EXISTING);
  return gathered;
}

function release(unit: usize, gathered: usize): void {
  store<u32>(gathered, 0, GATHERED_SURFACE);
  store<u32>(gathered, 0, GATHERED_USED);
  if (<usize>load<u32>(unit, LSU_LAST_GATHERED) == gathered) store<u32>(unit, 0, LSU_LAST_GATHERED);
}

/** Pixels of a block that lie within the surface. */
function existing(surface: usize, place: i32): u64 {
  const tile = place >> 6;
  const tilesX = load<i32>(surface, SURFACE_TILES_X);
  const width = load<i32>(surface, SURFACE_WIDTH) - ((tile % tilesX) << 6) - ((place & 7) << 3);
  const height = load<i32>(surface, SURFACE_HEIGHT) - ((tile / tilesX) << 6) - ((place & 56));
  if (width >= 8 && height >= 8) return ALL;
  let pixels: u64 = 0;
  for (let pixel = 0; pixel < BLOCK_PIXELS; pixel++) {
    if (pixelX(pixel) < width && pixelY(pixel) < height) pixels |= <u64>1 << <u64>pixel;
  }
  return pixels;
}

/** Adds LSU_TEXEL to a pixel's entries; false, with nothing changed, if a sample is there with another value. */
function add(unit: usize, gathered: usize, surface: usize, pixel: i32, mask: i32): bool {
  const covered = coverageOf(gathered, pixel) & mask;
  const bit = <u64>1 << <u64>pixel;
  const texel = unit + LSU_TEXEL;
  const singles = load<u64>(gathered, GATHERED_SINGLES);
  const single = (mask & (mask - 1)) == 0;
  if (single && (!coverageOf(gathered, pixel) || singles & bit)) {
    if (!covered) {
      store<u64>(gathered, singles | bit, GATHERED_SINGLES);
      place(gathered, surface, pixel, mask, texel);
      return true;
    }
    if (placesOf(gathered, pixel) & mask) {
      const bytes = load<i32>(surface, SURFACE_BYTES_TEXEL);
      if (!sameTexel(bytes, valuesOf(gathered, surface, pixel) + <usize>(ctz(mask) * bytes), texel)) return false;
      count(unit, COUNT_DISCARDED, 1);
      return true;
    }
  }
  const equal = coverageOf(gathered, pixel) ? placesHolding(gathered, surface, pixel, texel) : 0;
  if (covered) {
    if (covered & ~samplesAt(gathered, pixel, equal)) return false;
    if (covered == mask) {
      count(unit, COUNT_DISCARDED, 1);
      return true;
    }
  }
  const rest = mask & ~covered;
  if (equal) {
    const entry = gathered + (<usize>(pixel * 16 + ctz(equal)) << 1);
    store<u16>(entry, load<u16>(entry, GATHERED_MASKS) | rest, GATHERED_MASKS);
    cover(gathered, surface, pixel, rest);
    count(unit, COUNT_MERGED_EXACT, 1);
  } else {
    place(gathered, surface, pixel, rest, texel);
  }
  return true;
}

/** A new entry, at the first of its samples. */
function place(gathered: usize, surface: usize, pixel: i32, mask: i32, texel: usize): void {
  const at = ctz(mask);
  const bytes = load<i32>(surface, SURFACE_BYTES_TEXEL);
  copyTexel(bytes, valuesOf(gathered, surface, pixel) + <usize>(at * bytes), texel);
  store<u16>(gathered + (<usize>(pixel * 16 + at) << 1), mask, GATHERED_MASKS);
  store<u16>(gathered + (<usize>pixel << 1), placesOf(gathered, pixel) | (1 << at), GATHERED_PLACES);
  cover(gathered, surface, pixel, mask);
}

/** Notes that samples are there. */
function cover(gathered: usize, surface: usize, pixel: i32, mask: i32): void {
  const covered = coverageOf(gathered, pixel) | mask;
  const bit = <u64>1 << <u64>pixel;
  store<u16>(gathered + (<usize>pixel << 1), covered, GATHERED_COVERAGE);
  store<u64>(gathered, load<u64>(gathered, GATHERED_TOUCHED) | bit, GATHERED_TOUCHED);
  if (covered == wholeMask(surface)) store<u64>(gathered, load<u64>(gathered, GATHERED_WHOLE) | bit, GATHERED_WHOLE);
}

/** Moves what is there to its working tile. `cause`: COUNT_FLUSHES_*. */
function flush(unit: usize, gathered: usize, cause: i32): void {
  const moved = load<u64>(gathered, GATHERED_TOUCHED);
  if (!moved) return;
  const surface = <usize>load<u32>(gathered, GATHERED_SURFACE);
  analyse(unit, gathered, surface, load<u64>(gathered, GATHERED_SINGLES));
  takeTally(unit, gathered, surface, moved);
  count(unit, cause, 1);
  countForm(unit, surface);
  const spot = load<i32>(gathered, GATHERED_PLACE);
  const working = cachedTile(unit, surface, spot >> 6);
  const first = (spot & 63) << 6;
  const bytes = load<i32>(surface, SURFACE_BYTES_TEXEL);
  for (let left = moved; left; left &= left - 1) {
    const pixel = <i32>ctz(left);
    const values = valuesOf(gathered, surface, pixel);
    for (let places = placesOf(gathered, pixel); places; places &= places - 1) {
      putSamples(unit, working, surface, first + pixel, maskOf(gathered, pixel, ctz(places)), values + <usize>(ctz(places) * bytes));
    }
    // What is whole has been compared; parts may have become equal to what was there.
    if (coverageOf(gathered, pixel) != wholeMask(surface)) settle(unit, working, surface, first + pixel);
    store<u16>(gathered + (<usize>pixel << 1), 0, GATHERED_COVERAGE);
    store<u16>(gathered + (<usize>pixel << 1), 0, GATHERED_PLACES);
  }
  store<u64>(gathered, 0, GATHERED_TOUCHED);
  store<u64>(gathered, 0, GATHERED_WHOLE);
  store<u64>(gathered, 0, GATHERED_SINGLES);
}

/** Joins equal samples of pixels that came sample by sample. */
function analyse(unit: usize, gathered: usize, surface: usize, pixels: u64): void {
  const bytes = load<i32>(surface, SURFACE_BYTES_TEXEL);
  const samples = load<i32>(surface, SURFACE_SAMPLES);
  for (let left = pixels; left; left &= left - 1) {
    const pixel = <i32>ctz(left);
    const values = valuesOf(gathered, surface, pixel);
    const before = <i32>popcnt(placesOf(gathered, pixel));
    // Entries of several samples get a value at each of them.
    for (let places = placesOf(gathered, pixel); places; places &= places - 1) {
      const from = values + <usize>(ctz(places) * bytes);
      for (let mask = maskOf(gathered, pixel, ctz(places)) & ~(places & -places); mask; mask &= mask - 1) copyTexel(bytes, values + <usize>(ctz(mask) * bytes), from);
    }
    const covered = coverageOf(gathered, pixel);
    const after = ASC_FEATURE_SIMD ? analysePixel(gathered, pixel, values, samples, bytes, covered) : analysePixelScalar(gathered, pixel, values, samples, bytes, covered);
    if (after < before) count(unit, COUNT_ANALYSED_JOINED, 1);
  }
  if (pixels) count(unit, COUNT_ANALYSED, popcnt(pixels));
}

/** Sorts pixels by state into LSU_TALLY. */
function takeTally(unit: usize, gathered: usize, surface: usize, pixels: u64): void {
  const whole = wholeMask(surface);
  const samples = load<i32>(surface, SURFACE_SAMPLES);
  let one: u64 = 0;
  let full: u64 = 0;
  let entries = 0;
  let subsetEntries = 0;
  let covered = 0;
  for (let left = pixels; left; left &= left - 1) {
    const pixel = <i32>ctz(left);
    const held = popcnt(placesOf(gathered, pixel));
    const coverage = coverageOf(gathered, pixel);
    entries += held;
    covered += popcnt(coverage);
    if (coverage == whole && held == 1) one |= left & -left;
    else if (held == samples) full |= left & -left;
    else subsetEntries += held;
  }
  const tally = unit + LSU_TALLY;
  store<u64>(tally, one, TALLY_ONE);
  store<u64>(tally, full, TALLY_FULL);
  store<u64>(tally, pixels & ~(one | full), TALLY_SUBSETS);
  store<i32>(tally, entries, TALLY_ENTRIES);
  store<i32>(tally, subsetEntries, TALLY_SUBSET_ENTRIES);
  store<i32>(tally, covered, TALLY_SAMPLES);
  store<i32>(tally, load<u64>(gathered, GATHERED_WHOLE) == pixels ? 0 : 1, TALLY_PARTIAL);
}
