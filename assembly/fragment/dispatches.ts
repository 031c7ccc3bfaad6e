// Results of programs that send by themselves (src/ir/dispatches.ts): a pixel has several, with a mask of samples each,
// one behind the other in its output registers. Where they are equal they go together; then they are written in their
// order, each as if it were all that the program gave. The same code in both builds.

import { Packer, REGISTER_BYTES, SampleSets, Tile } from '../layout';
import { outputWarp } from '../output/output';
import { pixelMask } from '../tile/layers';
import { countPixels } from './counts';

/** Writes the results of a packer's warp, of `sets.dispatches` each; counts them. */
export function outputDispatches(tile: Tile, packer: Packer, sets: SampleSets): void {
  const registers = tile.registers;
  const stride = sets.dispatchStride * REGISTER_BYTES;
  const masks = registers + packer.draw.sampleMaskOutRegister * REGISTER_BYTES;
  const room = tile.setRoom;
  const count = packer.count;
  const statistics = tile.pass.statistics;
  for (let i = 0; i < count; i++) store<u64>(room.masks + (i << 3), packer.entry(i).mask);
  for (let k = 0; k < sets.dispatches; k++) {
    const at = masks + k * stride;
    if (k > 0) {
      if (!isSent(at, count)) continue;
      for (let i = 0; i < count; i++) packer.entry(i).mask = load<u64>(room.masks + (i << 3));
    }
    statistics.mergedDispatches += takeLater(tile, packer, sets, at - (sets.dispatchStride - 1) * REGISTER_BYTES, k);
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
 * Gives the dispatch whose results begin at `results` the samples of those behind it that have the same ones; returns
 * how many there are.
 */
function takeLater(tile: Tile, packer: Packer, sets: SampleSets, results: usize, from: i32): u32 {
  const room = tile.setRoom;
  const words = sets.dispatchStride - 1;
  const stride = sets.dispatchStride * REGISTER_BYTES;
  const later = sets.dispatches - from - 1;
  if (later <= 0) return 0;
  let merged: u32 = 0;
  for (let lane = 0; lane < packer.count << 2; lane++) {
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
