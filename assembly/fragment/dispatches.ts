// Results of programs that send by themselves (src/ir/dispatches.ts): a pixel has several, with a mask of samples each,
// one behind the other in its output registers. Where they are equal they go together; then they are written in their
// order, each as if it were all that the program gave. A warp may hold several triangles at one pixel: all dispatches
// of an earlier one are written before those of a later one. The same code in both builds.

import { Packer, REGISTER_BYTES, SampleSets, Tile } from '../layout';
import { outputWarp } from '../output/output';
import { pixelMask } from '../tile/layers';
import { countPixels } from './counts';

/** Writes the results of a packer's warp, of `sets.dispatches` each; counts them. */
export function outputDispatches(tile: Tile, packer: Packer, sets: SampleSets): void {
  const masks = tile.setRoom.masks;
  const count = packer.count;
  for (let i = 0; i < count; i++) store<u64>(masks + (i << 3), packer.entry(i).mask);
  for (let from = 0; from < count; ) {
    const end = endOfApart(packer, masks, from);
    outputEntries(tile, packer, sets, from, end);
    from = end;
  }
}

/** The first entry behind `from` that has a sample of one between the two, or the packer's end. */
function endOfApart(packer: Packer, masks: usize, from: i32): i32 {
  const count = packer.count;
  /** Quads, by their last six bits. */
  let seen: u64 = 0;
  for (let i = from; i < count; i++) {
    const quad = packer.entry(i).quad;
    const bit = <u64>1 << <u64>(quad & 63);
    if (seen & bit) {
      const mask = load<u64>(masks + (i << 3));
      for (let k = from; k < i; k++)
        if (packer.entry(k).quad == quad && load<u64>(masks + (k << 3)) & mask) return i;
    }
    seen |= bit;
  }
  return count;
}

/** Writes the dispatches of the entries from `from` to `end`, the first ones of all of them before the second ones. */
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
    for (let i = 0; i < count; i++)
      packer.entry(i).mask = i >= from && i < end ? load<u64>(room.masks + (i << 3)) : 0;
    const results = at - (sets.dispatchStride - 1) * REGISTER_BYTES;
    statistics.mergedDispatches += takeLater(tile, sets, results, sets.dispatches - k - 1, from << 2, end << 2);
    tile.registers = registers + k * stride;
    outputWarp(tile, packer);
    statistics.dispatches += countPixels(tile, packer);
  }
  tile.registers = registers;
}

/** Whether a dispatch has samples in any of some quads. */
function isSent(masks: usize, quads: i32): bool {
  let any: u64 = 0;
  for (const end = masks + (quads << 4); masks < end; masks += 8) any |= load<u64>(masks);
  return any != 0;
}

/**
 * Gives the dispatch whose results begin at `results` the samples of those of the `later` ones behind it that have the
 * same results, in the lanes from `lane` to `end`; returns how many there are.
 */
function takeLater(tile: Tile, sets: SampleSets, results: usize, later: i32, lane: i32, end: i32): u32 {
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

/** Whether a lane's words are the same in `count` registers. */
function isSame(a: usize, b: usize, count: i32): bool {
  for (const end = a + count * REGISTER_BYTES; a < end; a += REGISTER_BYTES, b += REGISTER_BYTES) {
    if (load<u32>(a) != load<u32>(b)) return false;
  }
  return true;
}
