// The load/store unit: implements the instructions that load and store samples of multisampled storage textures, one
// lane at a time. quads.ts handles most quads as a whole. Start reading here; then see cache.ts (tiles), working.ts
// (their pixels) and layout/surface/load-store-unit.ts. With Surface.encodes off, every sample is written to its slot
// in the cached tile, and loads compare the samples.
//
// The values and masks that loads return depend only on what was stored to the pixel, never on what happens to be
// cached.

import {
  COUNT_LOADS,
  COUNT_MERGED_NEAR,
  COUNT_STORES,
  DeferredStore,
  FAULT_EMPTY_MASK,
  FAULT_FOREIGN_MASK,
  FAULT_NONE,
  FAULT_OUTSIDE,
  LoadStoreUnit,
  MAX_DEFERRED,
  sizeOf,
  Staging,
  STATUS_DONE,
  Surface,
  SURFACE_1SPP,
  SURFACE_CLEAR,
  SURFACE_FULL,
  SURFACE_SUBSET,
  TILE_PIXELS,
  Working,
} from '../layout';
import { pixelAt } from '../simd/positions';
import { cachedTile, count, emptyCache, hold, tileOrDefer } from './cache';
import { isInteger, loadTexel, storeTexel } from './formats';
import { isNear } from './merge';
import { copyTexel, sameTexel } from './texel-same';
import { samplesHolding, texelInTile, writeSamples } from './working';

const LOADED_BYTES = 24;
const LOADED_MASK = 16;
const LOADED_STATE = 20;

/**
 * Bytes of an LSU record that caches `tiles` tiles, for pixels of up to `pixelBytes`: the samples (two count as four)
 * times the texel size.
 */
export function unitBytes(pixelBytes: i32, tiles: i32): i32 {
  return (
    sizeOf<LoadStoreUnit>()
    + (tiles + 1) * workingBytes(pixelBytes)
    + sizeOf<Staging>()
    + MAX_DEFERRED * sizeOf<DeferredStore>()
  );
}

// The pixel plane takes at most a quarter of one layer of the sample plane.
function workingBytes(pixelBytes: i32): usize {
  return changetype<usize>(changetype<Working>(0).pixels) + (TILE_PIXELS + (TILE_PIXELS >> 2)) * pixelBytes;
}

/** Initializes the record at `unit`, which is 16-byte aligned: nothing is cached, and all counters are 0. */
export function unitInit(unit: LoadStoreUnit, pixelBytes: i32, tiles: i32): void {
  memory.fill(changetype<usize>(unit), 0, sizeOf<LoadStoreUnit>());
  unit.pixelBytes = pixelBytes;
  const working = changetype<Working>(unit.past);
  unit.working = working;
  unit.workingBytes = workingBytes(pixelBytes);
  unit.tiles = tiles;
  unit.staging = changetype<Staging>(changetype<usize>(working) + (tiles + 1) * workingBytes(pixelBytes));
  unit.deferred = changetype<usize>(unit.staging) + sizeOf<Staging>();
  for (let i = 0; i <= tiles; i++)
    memory.fill(
      changetype<usize>(working) + offsetof<Working>('surface') + i * workingBytes(pixelBytes),
      0,
      changetype<usize>(changetype<Working>(0).pixels)
    );
}

/**
 * Loads the lowest of `samples` of the pixel (x, y). Writes to `out` its value (four words), the mask of all samples
 * that hold the same value, and the SURFACE_* state of the pixel. An invalid access reads zeros and is recorded as a
 * fault.
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
  const mask = samplesHolding(working, pixel, texel);
  loadTexel(surface.format, texel, out);
  store<i32>(out, mask, LOADED_MASK);
  store<i32>(out, stateOf(working, pixel, texel, mask), LOADED_STATE);
}

/** The SURFACE_* state, judged by values, of a pixel whose samples `mask`, and no others, hold the texel at `texel`. */
export function stateOf(working: Working, pixel: i32, texel: usize, mask: i32): i32 {
  const surface = working.surface;
  if (mask == surface.whole) return sameTexel(surface.texelBytes, texel, working.clear) ? SURFACE_CLEAR : SURFACE_1SPP;
  return (mask & (mask - 1)) == 0 && allDiffer(working, pixel, mask) ? SURFACE_FULL : SURFACE_SUBSET;
}

/** Whether all samples of a pixel differ; the value of each sample in `mask` is known to be unique. */
function allDiffer(working: Working, pixel: i32, mask: i32): bool {
  for (let left = working.surface.whole & ~mask; left; left &= left - 1) {
    const texel = texelInTile(working, pixel, ctz(left));
    if (samplesHolding(working, pixel, texel) != (left & -left)) return false;
  }
  return true;
}

/**
 * Stores the value at `value` (four words) to the samples `mask` of the pixel (x, y). An invalid store is skipped and
 * recorded as a fault.
 */
export function surfaceStore(unit: LoadStoreUnit, surface: Surface, x: i32, y: i32, mask: i32, value: usize): void {
  if (!unit || refuses(unit, surface, x, y, mask)) return;
  count(unit, COUNT_STORES, 1);
  storeTexel(surface.format, unit.texel, value);
  const pixel = pixelAt(x, y);
  const working = tileOrDefer(unit, surface, surface.tileOf(x, y), pixel, mask);
  if (!working) return;
  if (mask != surface.whole && surface.threshold > 0) takeNearValue(unit, working, pixel, mask, unit.texel);
  writeSamples(working, pixel, mask, unit.texel);
}

/**
 * For lossy surfaces: replaces the texel at `texel` by the first value among the pixel's other samples that is within
 * the threshold, unless one is equal. Values that the pixel already holds never move, so a sample never deviates from
 * the value stored to it by more than the threshold.
 */
export function takeNearValue(unit: LoadStoreUnit, working: Working, pixel: i32, mask: i32, texel: usize): void {
  const surface = working.surface;
  const format = surface.format;
  if (isInteger(format) || !surface.encodes) return;
  hold(unit, working, pixel);
  const others = surface.whole & ~mask;
  if (others & samplesHolding(working, pixel, texel)) return;
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
 * Writes all cached tiles back to memory, at the end of a tile's work. Returns STATUS_DONE, or STATUS_NEEDS_MEMORY if
 * the pool lacked pages for a tile since the last call; that tile keeps its previous stored contents.
 */
export function surfaceFlush(unit: LoadStoreUnit): i32 {
  if (!unit) return STATUS_DONE;
  emptyCache(unit);
  const status = unit.status;
  unit.status = STATUS_DONE;
  return status;
}

/** Whether an access is invalid; if so, the fault is recorded. */
// @ts-ignore: decorator
@inline
function refuses(unit: LoadStoreUnit, surface: Surface, x: i32, y: i32, mask: i32): bool {
  if (surface.holds(x, y) && <u32>(mask - 1) < <u32>surface.whole) return false;
  noteFault(unit, surface, x, y, mask);
  return true;
}

/** Of several faults the topmost, then leftmost one is kept, independent of their order. */
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
