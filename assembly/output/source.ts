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

/** Address of the register that goes into `channel` of a target; `integer`: of an integer format. */
export function sourceRegister(context: Tile, target: Target, channel: i32, integer: bool): usize {
  const register = load<i32>(target.registers + (<usize>channel << 2));
  if (register >= 0) return context.registers + <usize>register * REGISTER_BYTES;
  return channel < 3 ? ZEROS : integer ? INTEGER_ONES : ONES;
}
