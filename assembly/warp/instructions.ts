// What the interpreter reads of instructions besides their operands: addresses of other instructions, lengths, whether
// an operand is uniform. Also when a warp must stop.
import { LOOP_CHECK_INTERVAL, Warp } from '../layout';

/** The host's clock: nonzero when the current call has used up its time. */
// @ts-ignore: decorator
@external('host', 'timeExpired')
declare function timeExpired(): i32;

/** Address of the code word whose index is `offset` bytes into the instruction. */
export function target(begin: usize, code: usize, offset: usize): usize {
  return begin + (load<u32>(code + offset) << 2);
}

/** Size in bytes of an instruction's list of register numbers, two per word. */
export function listBytes(code: usize): usize {
  return (((load<u32>(code) >>> 16) + 1) >>> 1) << 2;
}

/** Whether a register is a constant or a uniform, and so has the same value in all lanes of all quads. */
export function isSplat(register: usize, same: usize, sameBytes: usize): bool {
  return register - same < sameBytes;
}

/** Whether a warp has read a non-resident page and must not have visible effects (Warp.missFlag). */
// @ts-ignore: decorator
@inline
export function hasMissed(warp: Warp): bool {
  return warp.missFlag != 0 && load<u32>(warp.missFlag) != 0;
}

/** Counts a back edge over `bytes` of code; long bodies count more than once. Returns false when the time is up. */
export function countBackEdge(warp: Warp, bytes: usize): bool {
  const left = warp.loopBudget - 1 - (bytes >>> 6);
  warp.loopBudget = left;
  if (left > 0) return true;
  warp.loopBudget = LOOP_CHECK_INTERVAL;
  return timeExpired() == 0;
}
