// Arithmetic in WebAssembly SIMD: the IR operations that are a few instructions each. What is longer comes from the
// kernel's own functions (wasm/inlines.ts). Operands are on the stack, in order; the result stays there.

import type { OpName } from '../../ir';
import type { FunctionWriter } from '../wasm/writer';

/** A constant of all lanes, by its bits. */
export type PushConstant = (bits: number) => void;
type Emit = (writer: FunctionWriter, constant: PushConstant) => void;

const ops = (...names: string[]): Emit => (writer) => { for (const name of names) writer.op(name); };

/** Differences of shuffled lanes: `to` minus `from`. */
const difference = (
  to: readonly [number, number, number, number], from: readonly [number, number, number, number]
): Emit => (writer) => {
  const value = writer.local('v128');
  writer.tee(value);
  writer.get(value);
  writer.shuffleWords(...to);
  writer.get(value);
  writer.get(value);
  writer.shuffleWords(...from);
  writer.op('f32x4.sub');
  writer.release(value);
};

export const operations: Readonly<Partial<Record<OpName, Emit>>> = {
  'f32.add': ops('f32x4.add'), 'f32.sub': ops('f32x4.sub'), 'f32.mul': ops('f32x4.mul'), 'f32.div': ops('f32x4.div'),
  // pmin(a, b) is b < a ? b : a; pmax(a, b) is a < b ? b : a.
  'f32.min': ops('f32x4.pmin'), 'f32.max': ops('f32x4.pmax'),
  'f32.neg':
    ops('f32x4.neg'), 'f32.abs': ops('f32x4.abs'), 'f32.floor': ops('f32x4.floor'), 'f32.ceil': ops('f32x4.ceil'),
  'f32.trunc': ops('f32x4.trunc'), 'f32.round': ops('f32x4.nearest'), 'f32.sqrt': ops('f32x4.sqrt'),
  'f32.fract': (writer) => {
    const value = writer.local('v128');
    writer.tee(value);
    writer.get(value);
    writer.op('f32x4.floor');
    writer.op('f32x4.sub');
    writer.release(value);
  },
  'f32.eq':
    ops('f32x4.eq'), 'f32.ne':
      ops('f32x4.ne'), 'f32.lt':
        ops('f32x4.lt'), 'f32.le': ops('f32x4.le'), 'f32.gt': ops('f32x4.gt'), 'f32.ge': ops('f32x4.ge'),
  'int.add': ops('i32x4.add'), 'int.sub': ops('i32x4.sub'), 'int.mul': ops('i32x4.mul'), 'int.neg': ops('i32x4.neg'),
  'int.and': ops('v128.and'), 'int.or': ops('v128.or'), 'int.xor': ops('v128.xor'), 'int.not': ops('v128.not'),
  'int.eq': ops('i32x4.eq'), 'int.ne': ops('i32x4.ne'),
  'i32.min':
    ops('i32x4.min_s'), 'i32.max':
      ops('i32x4.max_s'), 'u32.min': ops('i32x4.min_u'), 'u32.max': ops('i32x4.max_u'), 'i32.abs': ops('i32x4.abs'),
  'i32.lt': ops('i32x4.lt_s'), 'i32.le': ops('i32x4.le_s'), 'i32.gt': ops('i32x4.gt_s'), 'i32.ge': ops('i32x4.ge_s'),
  'u32.lt': ops('i32x4.lt_u'), 'u32.le': ops('i32x4.le_u'), 'u32.gt': ops('i32x4.gt_u'), 'u32.ge': ops('i32x4.ge_u'),
  'bool.and':
    ops('v128.and'), 'bool.or':
      ops('v128.or'), 'bool.eq': ops('i32x4.eq'), 'bool.ne': ops('v128.xor'), 'bool.not': ops('v128.not'),
  'f32.fromI32': ops('f32x4.convert_i32x4_s'), 'f32.fromU32': ops('f32x4.convert_i32x4_u'),
  'int.fromBool': (writer) => {
    writer.i32(31);
    writer.op('i32x4.shr_u');
  },
  'f32.fromBool': (writer, constant) => {
    constant(0x3f800000);
    writer.op('v128.and');
  },
  'ddx.coarse': difference([1, 1, 1, 1], [0, 0, 0, 0]), 'ddx.fine': difference([1, 1, 3, 3], [0, 0, 2, 2]),
  'ddy.coarse': difference([2, 2, 2, 2], [0, 0, 0, 0]), 'ddy.fine': difference([2, 3, 2, 3], [0, 1, 0, 1]),
};

/** Shifts by the same amount in all lanes, which is then an i32 on the stack (taken modulo 32 by the instruction). */
export const shifts: Readonly<Partial<Record<OpName, string>>> = {
  'int.shl': 'i32x4.shl', 'i32.shr': 'i32x4.shr_s', 'u32.shr': 'i32x4.shr_u',
};
