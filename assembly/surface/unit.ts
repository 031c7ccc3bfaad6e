// Loads and stores of single pixels of a surface, for programs: one sample and the samples known to hold the same, or a value for the samples of
// a mask. Here on surfaces that hold a texel a sample (SURFACE_ENCODES 0), tile by tile in the order of tile.ts.

import { CTX_UNIT } from '../layout/context';
import { TILE_SHIFT, TILE_SIZE } from '../layout/limits';
import { STATUS_DONE } from '../layout/status';
import {
  SURFACE_BYTES_TEXEL, SURFACE_FORMAT, SURFACE_FULL, SURFACE_1SPP, SURFACE_HEIGHT, SURFACE_SAMPLES, SURFACE_SUBSET, SURFACE_TILES_ADDRESS, SURFACE_TILES_X,
  SURFACE_TILE_STRIDE, SURFACE_WIDTH,
} from '../layout/surface';
import {
  FAULT_EMPTY_MASK, FAULT_FOREIGN_MASK, FAULT_OUTSIDE, LSU_BYTES, LSU_FAULT, LSU_FAULT_MASK, LSU_FAULT_SURFACE, LSU_FAULT_X, LSU_FAULT_Y, LSU_FAULTS,
} from '../layout/unit';
import { loadTexel, storeTexel } from './texel';

/** Bytes of the unit's record for surfaces of up to so many bytes a pixel. */
export function unitBytes(pixelBytes: i32): i32 { return LSU_BYTES; }

/** Readies a unit for a pass. */
export function unitInit(unit: usize, pixelBytes: i32): void { memory.fill(unit, 0, LSU_BYTES); }

/** Notes an access that cannot be: of several, the uppermost, leftmost one is kept, whichever comes first. */
function noteFault(context: usize, kind: i32, surface: usize, x: i32, y: i32, mask: i32): void {
  const unit: usize = load<usize>(context + CTX_UNIT);
  const count = load<u32>(unit, LSU_FAULTS);
  store<u32>(unit, count + 1, LSU_FAULTS);
  const keptY = load<i32>(unit, LSU_FAULT_Y);
  if (count && (keptY < y || (keptY == y && load<i32>(unit, LSU_FAULT_X) <= x))) return;
  store<i32>(unit, kind, LSU_FAULT);
  store<u32>(unit, <u32>surface, LSU_FAULT_SURFACE);
  store<i32>(unit, x, LSU_FAULT_X);
  store<i32>(unit, y, LSU_FAULT_Y);
  store<i32>(unit, mask, LSU_FAULT_MASK);
}

/** Whether an access is one; what is not is noted. */
function isAccess(context: usize, surface: usize, x: i32, y: i32, mask: i32): bool {
  const inside = <u32>x < load<u32>(surface, SURFACE_WIDTH) && <u32>y < load<u32>(surface, SURFACE_HEIGHT);
  const foreign = mask & ~((1 << load<i32>(surface, SURFACE_SAMPLES)) - 1);
  if (inside && mask && !foreign) return true;
  noteFault(context, !inside ? FAULT_OUTSIDE : !mask ? FAULT_EMPTY_MASK : FAULT_FOREIGN_MASK, surface, x, y, mask);
  return false;
}

/** Address of a pixel's first sample. */
function pixelAddress(surface: usize, x: i32, y: i32): usize {
  const tile = (y >> TILE_SHIFT) * load<i32>(surface, SURFACE_TILES_X) + (x >> TILE_SHIFT);
  const inX = x & (TILE_SIZE - 1);
  const inY = y & (TILE_SIZE - 1);
  const block = (inY & ~7) + (inX >> 3);
  const quad = ((inY & 6) << 1) + ((inX & 6) >> 1);
  const pixel = ((inY & 1) << 1) + (inX & 1);
  const texel = (((block << 4) + quad) * 4 + pixel) * load<i32>(surface, SURFACE_SAMPLES);
  return load<usize>(surface, SURFACE_TILES_ADDRESS) + <usize>tile * load<usize>(surface, SURFACE_TILE_STRIDE) + <usize>(texel * load<i32>(surface, SURFACE_BYTES_TEXEL));
}

/** Samples of a pixel whose texels are that of `sample`, bit for bit. */
function samplesLike(at: usize, sample: i32, samples: i32, bytes: usize): i32 {
  let like = 0;
  for (let i = 0; i < samples; i++) {
    if (memory.compare(at + <usize>i * bytes, at + <usize>sample * bytes, bytes) == 0) like |= 1 << i;
  }
  return like;
}

/**
 * Loads the lowest sample of the mask `samples` of a pixel: four words, the mask of the samples that hold the same, and SURFACE_*, at `out`, 24 bytes
 * in all. What is no access is noted as a fault, and gives zeros.
 */
export function surfaceLoad(context: usize, surface: usize, x: i32, y: i32, samples: i32, out: usize): void {
  if (!isAccess(context, surface, x, y, samples)) {
    memory.fill(out, 0, 24);
    return;
  }
  const at = pixelAddress(surface, x, y);
  const count = load<i32>(surface, SURFACE_SAMPLES);
  const bytes = load<usize>(surface, SURFACE_BYTES_TEXEL);
  const sample = ctz(samples);
  const like = samplesLike(at, sample, count, bytes);
  loadTexel(load<i32>(surface, SURFACE_FORMAT), at + <usize>sample * bytes, out);
  store<i32>(out, like, 16);
  store<i32>(out, like == (1 << count) - 1 ? SURFACE_1SPP : popcnt(like) > 1 ? SURFACE_SUBSET : SURFACE_FULL, 20);
}

/** Stores four words at `value` to the samples of a pixel that `mask` names. What is no access is noted as a fault, and does nothing. */
export function surfaceStore(context: usize, surface: usize, x: i32, y: i32, mask: i32, value: usize): void {
  if (!isAccess(context, surface, x, y, mask)) return;
  const at = pixelAddress(surface, x, y);
  const bytes = load<i32>(surface, SURFACE_BYTES_TEXEL);
  for (let rest = mask; rest; rest &= rest - 1) storeTexel(load<i32>(surface, SURFACE_FORMAT), at + <usize>(ctz(rest) * bytes), value);
}

/** Writes back all that is buffered: nothing is. Returns STATUS_*. */
export function surfaceFlush(context: usize): i32 {
  return STATUS_DONE;
}
