// Where the colours of a warp lie: registers of a target's channels, or constants where they would hold nothing else.

import { REGISTER_BYTES, Target, Tile } from '../layout';
import { allSamples } from '../tile/layers';

/** What a program that lacks an output writes: 0, 0, 0, 1. A register each. */
const ZEROS: usize = memory.data(256);
const ONES: usize = memory.data<f32>([
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
const INTEGER_ONES: usize = memory.data<u32>([
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);

/**
 * Fills the scratch of output for a warp: the addresses of the four, in the order of the texel's bits, and what the
 * samples are. `integer`: the format's words are.
 */
export function beginTarget(tile: Tile, target: Target, integer: bool): void {
  const scratch = tile.output;
  const ones = integer ? INTEGER_ONES : ONES;
  for (let i = 0; i < 4; i++) {
    const register = target.register(target.channel(i));
    const address = register >= 0 ? tile.registers + register * REGISTER_BYTES : i < 3 ? ZEROS : ones;
    store<usize>(scratch.registers + (i << 2), address);
  }
  scratch.target = target;
  scratch.every = allSamples(tile);
  scratch.whole = target.writesAll & tile.encodes ? scratch.every : 0;
}
