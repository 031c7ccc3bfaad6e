// The exec mask: which lanes of a warp run. It lies in the warp's record; saved masks are registers.
// Quads beyond the warp's own are off in exec, so that "no lane is on" can be asked of whole steps.
import { Warp } from '../layout';
import { STEP_BYTES } from './loops';

/** How two masks make one. */
export const COMBINE_AND: i32 = 0;
export const COMBINE_AND_NOT: i32 = 1;
export const COMBINE_OR: i32 = 2;

function combineLanes(how: i32, a: v128, b: v128): v128 {
  if (how == COMBINE_AND) return v128.and(a, b);
  if (how == COMBINE_AND_NOT) return v128.andnot(a, b);
  return v128.or(a, b);
}

function combineBits(how: i32, a: u64, b: u64): u64 {
  if (how == COMBINE_AND) return a & b;
  if (how == COMBINE_AND_NOT) return a & ~b;
  return a | b;
}

/** dst = a combined with b; whether any lane of dst is on. */
// @ts-ignore: decorator
@inline export function combine<T>(how: i32, dst: usize, a: usize, b: usize, bytes: usize): bool {
  const end = dst + bytes;
  if (isVector<T>()) {
    let any = i32x4.splat(0);
    do {
      const m0 = combineLanes(how, v128.load(a), v128.load(b));
      const m1 = combineLanes(how, v128.load(a, 16), v128.load(b, 16));
      const m2 = combineLanes(how, v128.load(a, 32), v128.load(b, 32));
      const m3 = combineLanes(how, v128.load(a, 48), v128.load(b, 48));
      v128.store(dst, m0);
      v128.store(dst, m1, 16);
      v128.store(dst, m2, 32);
      v128.store(dst, m3, 48);
      any = v128.or(any, v128.or(v128.or(m0, m1), v128.or(m2, m3)));
      dst += STEP_BYTES;
      a += STEP_BYTES;
      b += STEP_BYTES;
    } while (dst < end);
    return v128.any_true(any);
  } else {
    let any: u64 = 0;
    do {
      const m = combineBits(how, load<u64>(a), load<u64>(b));
      store<u64>(dst, m);
      any |= m;
      dst += 8;
      a += 8;
      b += 8;
    } while (dst < end);
    return any != 0;
  }
}

/** Turns off the lanes of quads beyond the warp's own, up to the next whole step. */
export function clearUnused(warp: usize, used: usize, bytes: usize): void {
  memory.fill(warp + changetype<usize>(changetype<Warp>(0).exec) + used, 0, bytes - used);
}

/** Address of the i-th saved mask of a list of register numbers. */
function saved(list: usize, i: u32, registers: usize): usize { return registers + (load<u16>(list + (i << 1)) << 8); }

/** The lanes that are on leave the blocks whose saved masks are listed. */
export function leaveAll<T>(list: usize, count: u32, registers: usize, exec: usize, bytes: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    const save = saved(list, i, registers);
    combine<T>(COMBINE_AND_NOT, save, save, exec, bytes);
  }
  memory.fill(exec, 0, bytes);
}

/**
 * The lanes of `exec` for which `condition` (with COMBINE_AND; its opposite with COMBINE_AND_NOT) holds leave. Whether
 * any stay.
 */
// @ts-ignore: decorator
@inline export function leaveWhere<T>(
  how: i32, list: usize, count: u32, registers: usize, exec: usize, condition: usize, bytes: usize
): bool {
  for (let i: u32 = 0; i < count; i++) removeWhere<T>(how, saved(list, i, registers), exec, condition, bytes);
  return combine<T>(how == COMBINE_AND ? COMBINE_AND_NOT : COMBINE_AND, exec, exec, condition, bytes);
}

/** save &= ~(exec combined with condition). */
function removeWhere<T>(how: i32, save: usize, exec: usize, condition: usize, bytes: usize): void {
  const end = save + bytes;
  do {
    if (isVector<T>()) {
      v128.store(save, v128.andnot(v128.load(save), combineLanes(how, v128.load(exec), v128.load(condition))));
      save += 16;
      exec += 16;
      condition += 16;
    } else {
      store<u64>(save, load<u64>(save) & ~combineBits(how, load<u64>(exec), load<u64>(condition)));
      save += 8;
      exec += 8;
      condition += 8;
    }
  } while (save < end);
}
