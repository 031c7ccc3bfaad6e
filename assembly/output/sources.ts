// Where the colours of a warp lie: the registers of a target's channels, or constants where the program writes none.

import { REGISTER_BYTES, Target, Tile } from '../layout';

/** What a program that lacks an output writes: 0, 0, 0, 1. A register each. */
const ZEROS: usize = memory.data(256);
const ONES: usize = memory.data<f32>([
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
const INTEGER_ONES: usize = memory.data<u32>([
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);

/** Address of the register that goes into channel `index`, in the order of the texel's bits. */
export function sourceRegister<C>(tile: Tile, target: Target, index: i32): usize {
  const register = load<i32>(target.registers + (<usize>target.channel(index) << 2));
  if (register >= 0) return tile.registers + <usize>register * REGISTER_BYTES;
  return index < 3 ? ZEROS : changetype<C>(0).isInteger ? INTEGER_ONES : ONES;
}
