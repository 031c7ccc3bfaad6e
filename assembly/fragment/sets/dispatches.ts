// Output of shaders with explicit dispatches (src/ir/dispatches.ts). A pixel may have several results, each with a
// sample mask, stored one after the other in its output registers. Equal results are merged. The rest are written in
// order, each as if it were the shader's only result. If a warp holds several triangles at one pixel, all dispatches of
// an earlier triangle are written before those of a later one. The SIMD and scalar builds share this code.

import { Packer, REGISTER_BYTES, SampleSets, Tile } from '../../layout';
import { outputWarp } from '../../output/output';
import { pixelMask } from '../../tile/layers';
import { countPixels } from '../lanes/counts';

/** Writes and counts the results of a packer's warp: `sets.dispatches` for each pixel. */
export function outputDispatches(tile: Tile, packer: Packer, sets: SampleSets): void {
  const masks = tile.setRoom.masks;
  const count = packer.count;
  for (let i = 0; i < count; i++) store<u64>(masks + (i << 3), packer.entry(i).mask);
  for (let from = 0; from < count;) {
    const end = endOfDisjointEntries(packer, masks, from);
    outputEntries(tile, packer, sets, from, end);
    from = end;
  }
}

/** The first entry after `from` that shares a sample with another entry since `from`, or the packer's end. */
function endOfDisjointEntries(packer: Packer, masks: usize, from: i32): i32 {
  const count = packer.count;
  /** Quads seen so far, by the last six bits of their index. */
  let seen: u64 = 0;
  for (let i = from; i < count; i++) {
    const quad = packer.entry(i).quad;
    const bit = (<u64>1) << u64(quad & 63);
    if (seen & bit) {
      const mask = load<u64>(masks + (i << 3));
      for (let k = from; k < i; k++) if (packer.entry(k).quad == quad && load<u64>(masks + (k << 3)) & mask) return i;
    }
    seen |= bit;
  }
  return count;
}

/**
 * Writes the dispatches of the entries from `from` to `end`: first dispatch 0 of all entries, then dispatch 1, and so
 * on.
 */
function outputEntries(tile: Tile, packer: Packer, sets: SampleSets, from: i32, end: i32): void {
  const registers = tile.registers;
  const stride = sets.dispatchStride * REGISTER_BYTES;
  const masks = registers + packer.draw.sampleMaskOutRegister * REGISTER_BYTES;
  const room = tile.setRoom;
  const count = packer.count;
  const statistics = tile.pass.statistics;
  for (let k = 0; k < sets.dispatches; k++) {
    const at = masks + k * stride;
    if (k > 0 && !isSent(at + (from << 4), end - from)) continue;
    for (let i = 0; i < count; i++) packer.entry(i).mask = i >= from && i < end ? load<u64>(room.masks + (i << 3)) : 0;
    const results = at - (sets.dispatchStride - 1) * REGISTER_BYTES;
    statistics.mergedDispatches += mergeFollowing(tile, sets, results, sets.dispatches - k - 1, from << 2, end << 2);
    tile.registers = registers + k * stride;
    outputWarp(tile, packer);
    statistics.dispatches += countPixels(tile, packer);
  }
  tile.registers = registers;
}

/** Whether a dispatch has samples in any of the given quads. */
function isSent(masks: usize, quads: i32): bool {
  let any: u64 = 0;
  for (const end = masks + (quads << 4); masks < end; masks += 8) any |= load<u64>(masks);
  return any != 0;
}

/**
 * Merges equal dispatches. The dispatch whose results begin at `results` takes the samples of those of the `later`
 * following ones that have the same results, in lanes `lane` … `end` - 1. Returns the number of merged dispatches.
 */
function mergeFollowing(tile: Tile, sets: SampleSets, results: usize, later: i32, lane: i32, end: i32): u32 {
  const room = tile.setRoom;
  const words = sets.dispatchStride - 1;
  const stride = sets.dispatchStride * REGISTER_BYTES;
  if (later <= 0) return 0;
  let merged: u32 = 0;
  for (; lane < end; lane++) {
    const covered = pixelMask(load<u64>(room.masks + ((lane >> 2) << 3)), lane & 3);
    if (!covered) continue;
    let at = results + (lane << 2);
    const masks = at + words * REGISTER_BYTES;
    let mask = load<u32>(masks);
    if (!mask) continue;
    for (let k = 1; k <= later; k++) {
      at += stride;
      const other = at + words * REGISTER_BYTES;
      const samples = load<u32>(other);
      if (!samples || !isSame(at - k * stride, at, words)) continue;
      if (samples & covered && mask & covered) merged++;
      mask |= samples;
      store<u32>(other, 0);
    }
    store<u32>(masks, mask);
  }
  return merged;
}

/** Whether a lane has the same words in `count` registers. */
function isSame(a: usize, b: usize, count: i32): bool {
  for (const end = a + count * REGISTER_BYTES; a < end; a += REGISTER_BYTES, b += REGISTER_BYTES) {
    if (load<u32>(a) != load<u32>(b)) return false;
  }
  return true;
}
