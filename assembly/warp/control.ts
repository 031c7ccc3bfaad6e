// The execution mask: which lanes of a warp are active. It is in the warp's record; saved masks are registers. The mask
// is inactive for quads beyond those of the warp. The code can therefore test all quads of its last loop step for
// active lanes, also if the warp uses only some of them.
import { Warp } from '../layout';
import { inAllLanes, low, ternaryOf, two } from './loops';
import { IntAndNot, IntOr } from './operations';

/** dst = a combined with b by O. Returns whether any lane of dst is active. */
// @ts-ignore: decorator
@inline export function combine<O, T>(dst: usize, a: usize, b: usize, bytes: usize): bool {
  let any = inAllLanes<T>(0);
  const end = dst + bytes;
  do {
    const m0 = two<O, T>(load<T>(a), load<T>(b));
    const m1 = two<O, T>(load<T>(a, sizeof<T>()), load<T>(b, sizeof<T>()));
    store<T>(dst, m0);
    store<T>(dst, m1, sizeof<T>());
    any = two<IntOr, T>(any, two<IntOr, T>(m0, m1));
    dst += 2 * sizeof<T>();
    a += 2 * sizeof<T>();
    b += 2 * sizeof<T>();
  } while (dst < end);
  if (isVector<T>()) return v128.any_true(any);
  else return any != 0;
}

/**
 * Deactivates the lanes beyond the warp's quads: the mask's bytes from `used` up to `bytes`, a whole number of loop
 * steps.
 */
export function clearUnused(warp: Warp, used: usize, bytes: usize): void {
  memory.fill(warp.exec + used, 0, bytes - used);
}

/** Address of the i-th saved mask in a list of register numbers. */
function saved(list: usize, i: u32, registers: usize): usize {
  return registers + (load<u16>(list + (i << 1)) << 8);
}

/** OP_LEAVE: the active lanes leave the blocks whose saved masks the instruction lists. */
export function leaveAll<T>(code: usize, registers: usize, exec: usize, bytes: usize): void {
  const count = load<u32>(code) >>> 16;
  for (let i: u32 = 0; i < count; i++) {
    const save = saved(code + 4, i, registers);
    combine<IntAndNot, T>(save, save, exec, bytes);
  }
  memory.fill(exec, 0, bytes);
}

// a with the lanes of O(b, c) removed.
@unmanaged class Without<O> {

  @inline lanes(a: v128, b: v128, c: v128): v128 {
    return v128.andnot(a, changetype<O>(0).lanes(b, c));
  }


  @inline bits(a: u32, b: u32, c: u32): u32 {
    return a & ~changetype<O>(0).bits(b, c);
  }
}

/**
 * OP_LEAVE_IF and OP_LEAVE_UNLESS: the lanes in Leaving(exec, condition) leave the blocks, those in Staying(exec,
 * condition) stay. Returns whether any stay.
 */
// @ts-ignore: decorator
@inline export function leaveWhere<Leaving, Staying, T>(
  code: usize,
  registers: usize,
  exec: usize,
  bytes: usize
): bool {
  const condition = low(registers, load<u32>(code, 4));
  const count = load<u32>(code) >>> 16;
  for (let i: u32 = 0; i < count; i++) {
    const save = saved(code + 12, i, registers);
    ternaryOf<Without<Leaving>, T>(save, save, exec, condition, bytes);
  }
  return combine<Staying, T>(exec, exec, condition, bytes);
}
