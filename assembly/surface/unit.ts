// The load/store unit: what the instructions that load and store samples of multi-sample storage textures call, a lane
// at a time; quads.ts takes most quads as they are. Start reading here; then cache.ts (tiles), working.ts (their
// pixels) and load-store-unit. With
// Surface.encodes off every sample is written to its slot in the cached tile, and loads compare what is there.
//
// Values and masks that loads return follow from what was stored to the pixel alone, never from what happens to be
// cached.

import {
  COUNT_LOADS, COUNT_MERGED_NEAR, COUNT_STORES, FAULT_EMPTY_MASK, FAULT_FOREIGN_MASK, FAULT_NONE, FAULT_OUTSIDE,
  LoadStoreUnit, sizeOf, Staging, STATUS_DONE, Surface, SURFACE_1SPP, SURFACE_CLEAR, SURFACE_FULL, SURFACE_SUBSET,
  TILE_PIXELS, Working, WORKING_TILES,
} from '../layout';
import { pixelAt } from '../simd/positions';
import { cachedTile, count, emptyCache, hold } from './cache';
import { isInteger, loadTexel, storeTexel } from './formats';
import { isNear } from './merge';
import { copyTexel, sameTexel } from './texel-same';
import { holdersInTile, texelInTile, writeSamples } from './working';

const LOADED_BYTES = 24;
const LOADED_MASK = 16;
const LOADED_STATE = 20;

/** Bytes of an LSU record for surfaces of up to `pixelBytes` a pixel: samples (of two, four) times bytes of a texel. */
export function unitBytes(pixelBytes: i32): i32 {
  return sizeOf<LoadStoreUnit>() + (WORKING_TILES + 1) * workingBytes(pixelBytes) + sizeOf<Staging>();
}

// A texel a pixel is a quarter of a layer's samples or less.
function workingBytes(pixelBytes: i32): usize {
  return changetype<usize>(changetype<Working>(0).pixels) + (TILE_PIXELS + (TILE_PIXELS >> 2)) * pixelBytes;
}

/** Prepares the record at `unit`, 16-byte aligned: nothing is cached, all counters are 0. */
export function unitInit(unit: LoadStoreUnit, pixelBytes: i32): void {
  memory.fill(changetype<usize>(unit), 0, sizeOf<LoadStoreUnit>());
  unit.pixelBytes = pixelBytes;
  const working = changetype<Working>(unit.past);
  unit.working = working;
  unit.workingBytes = workingBytes(pixelBytes);
  unit.staging = changetype<Staging>(changetype<usize>(working) + (WORKING_TILES + 1) * workingBytes(pixelBytes));
  for (let i = 0; i <= WORKING_TILES; i++)
    memory.fill(
      changetype<usize>(working) + offsetof<Working>('surface') + i * workingBytes(pixelBytes), 0,
      changetype<usize>(changetype<Working>(0).pixels)
    );
}

/**
 * Loads the lowest of `samples` of the pixel (x, y): writes its value to `out` as four words, the mask of all samples
 * that hold the same value, and the pixel's state, SURFACE_*. An access that cannot be made gives zeros and is noted.
 */
export function surfaceLoad(unit: LoadStoreUnit, surface: Surface, x: i32, y: i32, samples: i32, out: usize): void {
  memory.fill(out, 0, LOADED_BYTES);
  if (!unit || refuses(unit, surface, x, y, samples)) return;
  count(unit, COUNT_LOADS, 1);
  const tile = surface.tileOf(x, y);
  const pixel = pixelAt(x, y);
  const working = cachedTile(unit, surface, tile);
  hold(unit, working, pixel);
  const texel = texelInTile(working, pixel, ctz(samples));
  const mask = holdersInTile(working, pixel, texel);
  loadTexel(surface.format, texel, out);
  store<i32>(out, mask, LOADED_MASK);
  store<i32>(out, stateOf(working, pixel, texel, mask), LOADED_STATE);
}

/** SURFACE_*, as of values, of a pixel whose samples `mask`, and no others, hold the texel at `texel`. */
export function stateOf(working: Working, pixel: i32, texel: usize, mask: i32): i32 {
  const surface = working.surface;
  if (mask == surface.whole)
    return sameTexel(surface.texelBytes, texel, working.clear) ? SURFACE_CLEAR : SURFACE_1SPP;
  return (mask & (mask - 1)) == 0 && allDiffer(working, pixel, mask) ? SURFACE_FULL : SURFACE_SUBSET;
}

/** Whether no two samples of a pixel hold the same value; `mask`: samples that are known to be alone with theirs. */
function allDiffer(working: Working, pixel: i32, mask: i32): bool {
  for (let left = working.surface.whole & ~mask; left; left &= left - 1) {
    const texel = texelInTile(working, pixel, ctz(left));
    if (holdersInTile(working, pixel, texel) != (left & -left)) return false;
  }
  return true;
}

/**
 * Stores the value at `value`, four words, to the samples `mask` of the pixel (x, y). A store that cannot be made is
 * noted and left out.
 */
export function surfaceStore(unit: LoadStoreUnit, surface: Surface, x: i32, y: i32, mask: i32, value: usize): void {
  if (!unit || refuses(unit, surface, x, y, mask)) return;
  count(unit, COUNT_STORES, 1);
  storeTexel(surface.format, unit.texel, value);
  const pixel = pixelAt(x, y);
  const working = cachedTile(unit, surface, surface.tileOf(x, y));
  if (mask != surface.whole && surface.threshold > 0) takeNearValue(unit, working, pixel, mask, unit.texel);
  writeSamples(working, pixel, mask, unit.texel);
}

/**
 * Lossy surfaces: takes instead of the texel at `texel` the value of the first of the pixel's other samples that is
 * near enough, if none is equal. It is what the pixel holds that counts; and a value that is held never moves, so that
 * a sample is never farther from what was stored to it than the threshold.
 */
export function takeNearValue(unit: LoadStoreUnit, working: Working, pixel: i32, mask: i32, texel: usize): void {
  const surface = working.surface;
  const format = surface.format;
  if (isInteger(format) || !surface.encodes) return;
  hold(unit, working, pixel);
  const others = surface.whole & ~mask;
  if (others & holdersInTile(working, pixel, texel)) return;
  loadTexel(format, texel, unit.words);
  for (let left = others; left; left &= left - 1) {
    const other = texelInTile(working, pixel, ctz(left));
    loadTexel(format, other, unit.otherWords);
    if (!isNear(unit.words, unit.otherWords, surface.threshold)) continue;
    copyTexel(surface.texelBytes, texel, other);
    count(unit, COUNT_MERGED_NEAR, 1);
    return;
  }
}

/**
 * Writes all that is buffered back to the stored tiles: at the end of a tile's work. Returns STATUS_DONE; or
 * STATUS_NEEDS_MEMORY if, since the last time, there was no room for a tile: what was stored of it before is kept.
 */
export function surfaceFlush(unit: LoadStoreUnit): i32 {
  if (!unit) return STATUS_DONE;
  emptyCache(unit);
  const status = unit.status;
  unit.status = STATUS_DONE;
  return status;
}

/** Whether an access cannot be made, which is noted. */
// @ts-ignore: decorator
@inline
function refuses(unit: LoadStoreUnit, surface: Surface, x: i32, y: i32, mask: i32): bool {
  if (surface.holds(x, y) && <u32>(mask - 1) < <u32>surface.whole) return false;
  noteFault(unit, surface, x, y, mask);
  return true;
}

/** Of many faults the uppermost, leftmost one is kept, whichever comes first. */
function noteFault(unit: LoadStoreUnit, surface: Surface, x: i32, y: i32, mask: i32): void {
  unit.faults += 1;
  const keptY = unit.faultY;
  if (unit.fault != FAULT_NONE && (keptY < y || (keptY == y && unit.faultX <= x))) return;
  unit.fault = !surface.holds(x, y) ? FAULT_OUTSIDE : mask == 0 ? FAULT_EMPTY_MASK : FAULT_FOREIGN_MASK;
  unit.faultSurface = surface;
  unit.faultX = x;
  unit.faultY = y;
  unit.faultMask = mask;
}
