// The exec mask: which lanes of a warp run. It lies in the warp's record; saved masks are registers.
// Quads beyond the warp's own are off in exec, so that "no lane is on" can be asked of whole steps.
import { Warp } from '../layout';
import { inAllLanes, low, ternaryOf, two } from './loops';
import { IntAndNot, IntOr } from './operations';

/** dst = a combined with b by O; whether any lane of dst is on. */
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

/** Turns off the lanes of quads beyond the warp's own, up to the next whole step. */
export function clearUnused(warp: Warp, used: usize, bytes: usize): void {
  memory.fill(warp.exec + used, 0, bytes - used);
}

/** Address of the i-th saved mask of a list of register numbers. */
function saved(list: usize, i: u32, registers: usize): usize { return registers + (load<u16>(list + (i << 1)) << 8); }

/** The lanes that are on leave the blocks whose saved masks OP_LEAVE lists. */
export function leaveAll<T>(code: usize, registers: usize, exec: usize, bytes: usize): void {
  const count = load<u32>(code) >>> 16;
  for (let i: u32 = 0; i < count; i++) {
    const save = saved(code + 4, i, registers);
    combine<IntAndNot, T>(save, save, exec, bytes);
  }
  memory.fill(exec, 0, bytes);
}

// a without what O makes of b and c.
@unmanaged class Without<O> {
  @inline lanes(a: v128, b: v128, c: v128): v128 { return v128.andnot(a, changetype<O>(0).lanes(b, c)); }
  @inline bits(a: u32, b: u32, c: u32): u32 { return a & ~changetype<O>(0).bits(b, c); }
}

/**
 * OP_LEAVE_IF and OP_LEAVE_UNLESS: the lanes that are on in what Leaving makes of exec and the condition leave, those
 * of Staying stay. Whether any do.
 */
// @ts-ignore: decorator
@inline export function leaveWhere<Leaving, Staying, T>(
  code: usize, registers: usize, exec: usize, bytes: usize
): bool {
  const condition = low(registers, load<u32>(code, 4));
  const count = load<u32>(code) >>> 16;
  for (let i: u32 = 0; i < count; i++) {
    const save = saved(code + 12, i, registers);
    ternaryOf<Without<Leaving>, T>(save, save, exec, condition, bytes);
  }
  return combine<Staying, T>(exec, exec, condition, bytes);
}
