// Data packing functions (WGSL §17.9 and §17.10) and dot products of packed bytes.

import type { OpName, ScalarType, ValueId } from '../../ir';
import type { IrBuilder } from './builder';
import type { BuiltinRule } from './builtin-rule';

const op = (builder: IrBuilder, name: OpName, type: ScalarType, ...args: ValueId[]): ValueId =>
  builder.op(name, type, args);

/** Packs the low `bits` of each value into a word, the first in the lowest bits. */
function joinFields(builder: IrBuilder, values: readonly ValueId[], bits: number): ValueId {
  const mask = builder.u32(2 ** bits - 1);
  let word: ValueId | null = null;
  values.forEach((value, k) => {
    const field = op(builder, 'int.and', 'u32', value, mask);
    const shifted: ValueId = k === 0 ? field : op(builder, 'int.shl', 'u32', field, builder.u32(k * bits));
    word = word === null ? shifted : op(builder, 'int.or', 'u32', word, shifted);
  });
  return word!;
}

/** Fields of a u32, as u32 or sign-extended to i32. */
function splitFields(builder: IrBuilder, word: ValueId, bits: number, signed: boolean): ValueId[] {
  const type = signed ? 'i32' : 'u32';
  const source = signed ? op(builder, 'int.cast', 'i32', word) : word;
  return Array.from({ length: 32 / bits }, (_, k) =>
    op(builder, signed ? 'i32.extractBits' : 'u32.extractBits', type, source, builder.u32(k * bits), builder.u32(bits))
  );
}

/** ⌊0.5 + scale · clamp(x, low, 1)⌋ as bits of an i32. */
const packNorm =
  (bits: 8 | 16, signed: boolean): BuiltinRule =>
  ({ builder, args: [v] }) => {
    const scale = builder.f32(signed ? 2 ** (bits - 1) - 1 : 2 ** bits - 1);
    const fields = v!.map((x) => {
      const clamped = op(
        builder,
        'f32.min',
        'f32',
        op(builder, 'f32.max', 'f32', x, builder.f32(signed ? -1 : 0)),
        builder.f32(1)
      );
      const rounded = op(
        builder,
        'f32.floor',
        'f32',
        op(builder, 'f32.add', 'f32', builder.f32(0.5), op(builder, 'f32.mul', 'f32', scale, clamped))
      );
      return op(builder, 'int.cast', 'u32', op(builder, 'i32.fromF32', 'i32', rounded));
    });
    return [joinFields(builder, fields, bits)];
  };

/** max(field ÷ scale, −1). */
const unpackNorm =
  (bits: 8 | 16, signed: boolean): BuiltinRule =>
  ({ builder, args: [[word]] }) => {
    const scale = builder.f32(signed ? 2 ** (bits - 1) - 1 : 2 ** bits - 1);
    return splitFields(builder, word!, bits, signed).map((field) => {
      const ratio = op(
        builder,
        'f32.div',
        'f32',
        op(builder, signed ? 'f32.fromI32' : 'f32.fromU32', 'f32', field),
        scale
      );
      return signed ? op(builder, 'f32.max', 'f32', ratio, builder.f32(-1)) : ratio;
    });
  };

const packHalves: BuiltinRule = ({ builder, args: [v] }) => [
  joinFields(
    builder,
    v!.map((x) => op(builder, 'f16.pack', 'u32', x)),
    16
  ),
];
const unpackHalves: BuiltinRule = ({ builder, args: [[word]] }) => [
  op(builder, 'f16.unpack', 'f32', word!),
  op(builder, 'f16.unpack', 'f32', op(builder, 'u32.shr', 'u32', word!, builder.u32(16))),
];

const packBytes =
  (type: 'i32' | 'u32', clamped: boolean): BuiltinRule =>
  ({ builder, args: [v] }) => {
    const [low, high] = type === 'i32' ? [-128, 127] : [0, 255];
    const fields = v!.map((x) => {
      const kept = clamped
        ? op(
            builder,
            `${type}.min`,
            type,
            op(builder, `${type}.max`, type, x, builder.constant(type, low!)),
            builder.constant(type, high!)
          )
        : x;
      return type === 'i32' ? op(builder, 'int.cast', 'u32', kept) : kept;
    });
    return [joinFields(builder, fields, 8)];
  };

const unpackBytes =
  (signed: boolean): BuiltinRule =>
  ({ builder, args: [[word]] }) =>
    splitFields(builder, word!, 8, signed);

const dotBytes =
  (signed: boolean): BuiltinRule =>
  ({ builder, args: [[a], [b]] }) => {
    const type = signed ? 'i32' : 'u32';
    const left = splitFields(builder, a!, 8, signed);
    const right = splitFields(builder, b!, 8, signed);
    return [
      left
        .map((x, k) => op(builder, 'int.mul', type, x, right[k]!))
        .reduce((sum, x) => op(builder, 'int.add', type, sum, x)),
    ];
  };

export const packingBuiltins: readonly [string, BuiltinRule][] = [
  ['pack4x8snorm', packNorm(8, true)],
  ['pack4x8unorm', packNorm(8, false)],
  ['pack2x16snorm', packNorm(16, true)],
  ['pack2x16unorm', packNorm(16, false)],
  ['unpack4x8snorm', unpackNorm(8, true)],
  ['unpack4x8unorm', unpackNorm(8, false)],
  ['unpack2x16snorm', unpackNorm(16, true)],
  ['unpack2x16unorm', unpackNorm(16, false)],
  ['pack2x16float', packHalves],
  ['unpack2x16float', unpackHalves],
  ['pack4xI8', packBytes('i32', false)],
  ['pack4xU8', packBytes('u32', false)],
  ['pack4xI8Clamp', packBytes('i32', true)],
  ['pack4xU8Clamp', packBytes('u32', true)],
  ['unpack4xI8', unpackBytes(true)],
  ['unpack4xU8', unpackBytes(false)],
  ['dot4I8Packed', dotBytes(true)],
  ['dot4U8Packed', dotBytes(false)],
];
