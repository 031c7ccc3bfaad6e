// The load/store unit: what the instructions that load and store samples of multi-sample storage textures call, a lane at a time. Start reading
// here; then coalesce.ts (stores), cache.ts (tiles) and layout/unit.ts. With SURFACE_ENCODES off nothing is gathered: every sample is written to its place
// in the cached tile, and loads compare what is there.
//
// Values and masks that loads return follow from what was stored to the pixel alone, never from what happens to be gathered or cached.

import { CTX_UNIT } from '../layout/context';
import {
  SURFACE_1SPP, SURFACE_BYTES_TEXEL, SURFACE_CLEAR, SURFACE_ENCODES, SURFACE_FORMAT, SURFACE_FULL, SURFACE_HEIGHT, SURFACE_SUBSET, SURFACE_TILE_CLEAR, SURFACE_TILES_X,
  SURFACE_WIDTH, STAGE_BYTES,
} from '../layout/surface';
import { STATUS_DONE } from '../layout/status';
import { TILE_PIXELS } from '../layout/tile';
import {
  COUNT_LOADS, COUNT_STORES, FAULT_EMPTY_MASK, FAULT_FOREIGN_MASK, FAULT_NONE, FAULT_OUTSIDE, GATHERED_BLOCKS, LSU_FAULT, LSU_FAULT_MASK, LSU_FAULT_SURFACE, LSU_FAULT_X,
  LSU_FAULT_Y, LSU_FAULTS, LSU_GATHERED, LSU_PIXEL_BYTES, LSU_STAGE, LSU_STATUS, LSU_TEXEL, LSU_WORKING, LSU_WORKING_BYTES, WORKING_PIXELS, WORKING_SURFACE, WORKING_TILES,
  GATHERED_VALUES,
} from '../layout/unit';
import { cachedTile, count, emptyCache } from './cache';
import { flushGathered, gather } from './coalesce';
import { findGathered, gatheredBytes, gatheredSamples, holders, sampleTexel } from './gathered';
import { tileAt } from './stored';
import { loadTexel, storeTexel } from './texel';
import { sameTexel } from './texel-same';
import { pixelIndex } from './tile';
import { putSamples, wholeMask } from './working';

const LOADED_BYTES = 24;
const LOADED_MASK = 16;
const LOADED_STATE = 20;

/** Bytes of an LSU record for surfaces of up to `pixelBytes` a pixel: samples (of two, four) times bytes of a texel. */
export function unitBytes(pixelBytes: i32): i32 {
  return LSU_GATHERED + GATHERED_BLOCKS * <i32>gatheredBytes(pixelBytes) + (WORKING_TILES + 1) * <i32>workingBytes(pixelBytes) + STAGE_BYTES;
}

// A texel a pixel is a quarter of a layer's samples or less.
function workingBytes(pixelBytes: i32): usize { return <usize>(WORKING_PIXELS + (TILE_PIXELS + (TILE_PIXELS >> 2)) * pixelBytes); }

/** Prepares the record at `unit`, 16-byte aligned: nothing is gathered or cached, all counters are 0. */
export function unitInit(unit: usize, pixelBytes: i32): void {
  memory.fill(unit, 0, LSU_GATHERED);
  store<i32>(unit, pixelBytes, LSU_PIXEL_BYTES);
  const gathered = unit + LSU_GATHERED;
  for (let i = 0; i < GATHERED_BLOCKS; i++) memory.fill(gathered + <usize>i * gatheredBytes(pixelBytes), 0, GATHERED_VALUES);
  const working: usize = gathered + <usize>GATHERED_BLOCKS * gatheredBytes(pixelBytes);
  store<u32>(unit, <u32>working, LSU_WORKING);
  store<u32>(unit, <u32>workingBytes(pixelBytes), LSU_WORKING_BYTES);
  store<u32>(unit, <u32>(working + <usize>(WORKING_TILES + 1) * workingBytes(pixelBytes)), LSU_STAGE);
  for (let i = 0; i <= WORKING_TILES; i++) memory.fill(working + <usize>i * workingBytes(pixelBytes) + WORKING_SURFACE, 0, WORKING_PIXELS);
}

/**
 * Loads the lowest of `samples` of the pixel (x, y): writes its value to `out` as four words, the mask of all samples that hold the same value, and the
 * pixel's state, SURFACE_*. An access that cannot be made gives zeros and is noted.
 */
export function surfaceLoad(context: usize, surface: usize, x: i32, y: i32, samples: i32, out: usize): void {
  memory.fill(out, 0, LOADED_BYTES);
  const unit = <usize>load<u32>(context, CTX_UNIT);
  if (!unit || refuses(unit, surface, x, y, samples)) return;
  count(unit, COUNT_LOADS, 1);
  const tile = tileOf(surface, x, y);
  const pixel = pixelIndex(x & 63, y & 63);
  const gathered = load<u32>(surface, SURFACE_ENCODES) ? findGathered(unit, surface, (tile << 6) | (pixel >> 6)) : 0;
  const working: usize = gatheredSamples(gathered, pixel) == wholeMask(surface) ? 0 : cachedTile(unit, surface, tile);
  const texel = sampleTexel(unit, surface, gathered, working, pixel, ctz(samples));
  const mask = holders(unit, surface, gathered, working, pixel, texel);
  loadTexel(load<i32>(surface, SURFACE_FORMAT), texel, out);
  store<i32>(out, mask, LOADED_MASK);
  let state = SURFACE_SUBSET;
  if (mask == wholeMask(surface)) state = sameTexel(load<i32>(surface, SURFACE_BYTES_TEXEL), texel, tileAt(surface, tile) + SURFACE_TILE_CLEAR) ? SURFACE_CLEAR : SURFACE_1SPP;
  else if ((mask & (mask - 1)) == 0 && allDiffer(unit, surface, gathered, working, pixel, mask)) state = SURFACE_FULL;
  store<i32>(out, state, LOADED_STATE);
}

/** Whether no two samples of a pixel hold the same value; `mask`: samples that are known to be alone with theirs. */
function allDiffer(unit: usize, surface: usize, gathered: usize, working: usize, pixel: i32, mask: i32): bool {
  for (let left = wholeMask(surface) & ~mask; left; left &= left - 1) {
    const texel = sampleTexel(unit, surface, gathered, working, pixel, ctz(left));
    if (holders(unit, surface, gathered, working, pixel, texel) != (left & -left)) return false;
  }
  return true;
}

/** Stores the value at `value`, four words, to the samples `mask` of the pixel (x, y). A store that cannot be made is noted and left out. */
export function surfaceStore(context: usize, surface: usize, x: i32, y: i32, mask: i32, value: usize): void {
  const unit = <usize>load<u32>(context, CTX_UNIT);
  if (!unit || refuses(unit, surface, x, y, mask)) return;
  count(unit, COUNT_STORES, 1);
  storeTexel(load<i32>(surface, SURFACE_FORMAT), unit + LSU_TEXEL, value);
  const tile = tileOf(surface, x, y);
  const pixel = pixelIndex(x & 63, y & 63);
  if (load<u32>(surface, SURFACE_ENCODES)) gather(unit, surface, tile, pixel, mask);
  else putSamples(unit, cachedTile(unit, surface, tile), surface, pixel, mask, unit + LSU_TEXEL);
}

/**
 * Writes all that is buffered back to the stored tiles: at the end of a tile's work. Returns STATUS_DONE; or STATUS_NEEDS_MEMORY if, since the last time, there
 * was no room for a tile: what was stored of it before is kept.
 */
export function surfaceFlush(context: usize): i32 {
  const unit = <usize>load<u32>(context, CTX_UNIT);
  if (!unit) return STATUS_DONE;
  flushGathered(unit);
  emptyCache(unit);
  const status = load<i32>(unit, LSU_STATUS);
  store<i32>(unit, STATUS_DONE, LSU_STATUS);
  return status;
}

// @ts-ignore: decorator
@inline
function tileOf(surface: usize, x: i32, y: i32): i32 { return (y >> 6) * load<i32>(surface, SURFACE_TILES_X) + (x >> 6); }

/** Whether an access cannot be made, which is noted. */
// @ts-ignore: decorator
@inline
function refuses(unit: usize, surface: usize, x: i32, y: i32, mask: i32): bool {
  if (<u32>x < load<u32>(surface, SURFACE_WIDTH) && <u32>y < load<u32>(surface, SURFACE_HEIGHT) && <u32>(mask - 1) < <u32>wholeMask(surface)) return false;
  noteFault(unit, surface, x, y, mask);
  return true;
}

/** Of several faults the uppermost, leftmost one is kept, whichever comes first. */
function noteFault(unit: usize, surface: usize, x: i32, y: i32, mask: i32): void {
  store<u32>(unit, load<u32>(unit, LSU_FAULTS) + 1, LSU_FAULTS);
  const keptY = load<i32>(unit, LSU_FAULT_Y);
  if (load<i32>(unit, LSU_FAULT) != FAULT_NONE && (keptY < y || (keptY == y && load<i32>(unit, LSU_FAULT_X) <= x))) return;
  const outside = <u32>x >= load<u32>(surface, SURFACE_WIDTH) || <u32>y >= load<u32>(surface, SURFACE_HEIGHT);
  store<i32>(unit, outside ? FAULT_OUTSIDE : mask == 0 ? FAULT_EMPTY_MASK : FAULT_FOREIGN_MASK, LSU_FAULT);
  store<u32>(unit, <u32>surface, LSU_FAULT_SURFACE);
  store<i32>(unit, x, LSU_FAULT_X);
  store<i32>(unit, y, LSU_FAULT_Y);
  store<i32>(unit, mask, LSU_FAULT_MASK);
}
