// Arithmetic in WebAssembly SIMD: the IR operations that map to one or a few instructions. Longer ones use the kernel's
// own functions (wasm/inlines.ts).

import type { OpName } from '../../ir';
import { f32x4, i32x4, v128, type V128 } from '../wasm/expression';
import { codeOf } from '../wasm/opcodes';

/** Arguments: IR operation and instruction, alternating. */
function table(...names: readonly string[]): Readonly<Partial<Record<OpName, number>>> {
  const codes: Record<string, number> = {};
  for (let k = 0; k < names.length; k += 2) codes[names[k]!] = codeOf(names[k + 1]!);
  return codes;
}

/**
 * Operations that map directly to one instruction. pmin(a, b) is b < a ? b : a; pmax(a, b) is a < b ? b : a. Tried:
 * taking the masks of abs and neg from constants in locals, because V8 (11.3) rebuilds them; raymarch 187 → 207 ms.
 */
export const direct = table(
  'f32.add',
  'f32x4.add',
  'f32.sub',
  'f32x4.sub',
  'f32.mul',
  'f32x4.mul',
  'f32.div',
  'f32x4.div',
  'f32.min',
  'f32x4.pmin',
  'f32.max',
  'f32x4.pmax',
  'f32.neg',
  'f32x4.neg',
  'f32.abs',
  'f32x4.abs',
  'f32.floor',
  'f32x4.floor',
  'f32.ceil',
  'f32x4.ceil',
  'f32.trunc',
  'f32x4.trunc',
  'f32.round',
  'f32x4.nearest',
  'f32.sqrt',
  'f32x4.sqrt',
  'f32.eq',
  'f32x4.eq',
  'f32.ne',
  'f32x4.ne',
  'f32.lt',
  'f32x4.lt',
  'f32.le',
  'f32x4.le',
  'f32.gt',
  'f32x4.gt',
  'f32.ge',
  'f32x4.ge',
  'int.add',
  'i32x4.add',
  'int.sub',
  'i32x4.sub',
  'int.mul',
  'i32x4.mul',
  'int.neg',
  'i32x4.neg',
  'int.and',
  'v128.and',
  'int.or',
  'v128.or',
  'int.xor',
  'v128.xor',
  'int.not',
  'v128.not',
  'int.eq',
  'i32x4.eq',
  'int.ne',
  'i32x4.ne',
  'i32.min',
  'i32x4.min_s',
  'i32.max',
  'i32x4.max_s',
  'u32.min',
  'i32x4.min_u',
  'u32.max',
  'i32x4.max_u',
  'i32.abs',
  'i32x4.abs',
  'i32.lt',
  'i32x4.lt_s',
  'i32.le',
  'i32x4.le_s',
  'i32.gt',
  'i32x4.gt_s',
  'i32.ge',
  'i32x4.ge_s',
  'u32.lt',
  'i32x4.lt_u',
  'u32.le',
  'i32x4.le_u',
  'u32.gt',
  'i32x4.gt_u',
  'u32.ge',
  'i32x4.ge_u',
  'bool.and',
  'v128.and',
  'bool.or',
  'v128.or',
  'bool.eq',
  'i32x4.eq',
  'bool.ne',
  'v128.xor',
  'bool.not',
  'v128.not',
  'f32.fromI32',
  'f32x4.convert_i32x4_s',
  'f32.fromU32',
  'f32x4.convert_i32x4_u'
);

/** Shifts by the same amount in all lanes; the instruction takes it modulo 32. */
export const shifts = {
  'int.shl': i32x4.shiftLeft,
  'i32.shr': i32x4.shiftRightSigned,
  'u32.shr': i32x4.shiftRight,
} as const;

type Lanes = readonly [number, number, number, number];
/** A formula that reads a value more than once: `first` evaluates it, `again` reads it again. */
export type Composed = (first: V128, again: V128) => V128;

const between =
  (to: Lanes, from: Lanes): Composed =>
  (first, again) =>
    f32x4.difference(v128.shuffle(first, again, to), v128.shuffle(again, again, from));

export const composed: Readonly<Partial<Record<OpName, Composed>>> = {
  'f32.fract': (first, again) => f32x4.difference(first, f32x4.floor(again)),
  'ddx.coarse': between([1, 1, 1, 1], [0, 0, 0, 0]),
  'ddx.fine': between([1, 1, 3, 3], [0, 0, 2, 2]),
  'ddy.coarse': between([2, 2, 2, 2], [0, 0, 0, 0]),
  'ddy.fine': between([2, 3, 2, 3], [0, 1, 0, 1]),
};
