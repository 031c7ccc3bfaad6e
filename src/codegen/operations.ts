// The opcode of each IR operation that is an instruction by itself.

import * as Op from '../../assembly/layout/opcodes';
import type { OpName } from '../ir';

export const opcodes: Readonly<Partial<Record<OpName, number>>> = {
  'f32.add': Op.OP_F32_ADD, 'f32.sub': Op.OP_F32_SUB, 'f32.mul': Op.OP_F32_MUL, 'f32.div': Op.OP_F32_DIV, 'f32.rem': Op.OP_F32_REM,
  'f32.min': Op.OP_F32_MIN, 'f32.max': Op.OP_F32_MAX, 'f32.neg': Op.OP_F32_NEG, 'f32.abs': Op.OP_F32_ABS, 'f32.sign': Op.OP_F32_SIGN,
  'f32.floor': Op.OP_F32_FLOOR, 'f32.ceil': Op.OP_F32_CEIL, 'f32.trunc': Op.OP_F32_TRUNC, 'f32.round': Op.OP_F32_ROUND,
  'f32.fract': Op.OP_F32_FRACT, 'f32.sqrt': Op.OP_F32_SQRT, 'f32.inverseSqrt': Op.OP_F32_INVERSE_SQRT,
  'f32.exp': Op.OP_F32_EXP, 'f32.exp2': Op.OP_F32_EXP2, 'f32.log': Op.OP_F32_LOG, 'f32.log2': Op.OP_F32_LOG2, 'f32.pow': Op.OP_F32_POW,
  'f32.sin': Op.OP_F32_SIN, 'f32.cos': Op.OP_F32_COS, 'f32.tan': Op.OP_F32_TAN, 'f32.asin': Op.OP_F32_ASIN, 'f32.acos': Op.OP_F32_ACOS,
  'f32.atan': Op.OP_F32_ATAN, 'f32.atan2': Op.OP_F32_ATAN2, 'f32.sinh': Op.OP_F32_SINH, 'f32.cosh': Op.OP_F32_COSH,
  'f32.tanh': Op.OP_F32_TANH, 'f32.asinh': Op.OP_F32_ASINH, 'f32.acosh': Op.OP_F32_ACOSH, 'f32.atanh': Op.OP_F32_ATANH,
  'f32.ldexp': Op.OP_F32_LDEXP, 'f32.frexpFraction': Op.OP_F32_FREXP_FRACTION, 'f32.frexpExponent': Op.OP_F32_FREXP_EXPONENT,
  'f32.quantizeToF16': Op.OP_F32_QUANTIZE_F16,
  'f32.eq': Op.OP_F32_EQ, 'f32.ne': Op.OP_F32_NE, 'f32.lt': Op.OP_F32_LT, 'f32.le': Op.OP_F32_LE,
  'int.add': Op.OP_INT_ADD, 'int.sub': Op.OP_INT_SUB, 'int.mul': Op.OP_INT_MUL, 'int.and': Op.OP_INT_AND, 'int.or': Op.OP_INT_OR,
  'int.xor': Op.OP_INT_XOR, 'int.neg': Op.OP_INT_NEG, 'int.not': Op.OP_INT_NOT,
  'int.shl': Op.OP_INT_SHL, 'i32.shr': Op.OP_I32_SHR, 'u32.shr': Op.OP_U32_SHR, 'int.eq': Op.OP_INT_EQ, 'int.ne': Op.OP_INT_NE,
  'i32.div': Op.OP_I32_DIV, 'i32.rem': Op.OP_I32_REM, 'u32.div': Op.OP_U32_DIV, 'u32.rem': Op.OP_U32_REM,
  'i32.min': Op.OP_I32_MIN, 'i32.max': Op.OP_I32_MAX, 'u32.min': Op.OP_U32_MIN, 'u32.max': Op.OP_U32_MAX,
  'i32.abs': Op.OP_I32_ABS, 'i32.sign': Op.OP_I32_SIGN,
  'i32.lt': Op.OP_I32_LT, 'i32.le': Op.OP_I32_LE, 'u32.lt': Op.OP_U32_LT, 'u32.le': Op.OP_U32_LE,
  'int.countLeadingZeros': Op.OP_INT_COUNT_LEADING_ZEROS, 'int.countTrailingZeros': Op.OP_INT_COUNT_TRAILING_ZEROS,
  'int.countOneBits': Op.OP_INT_COUNT_ONE_BITS, 'int.reverseBits': Op.OP_INT_REVERSE_BITS,
  'i32.firstLeadingBit': Op.OP_I32_FIRST_LEADING_BIT, 'u32.firstLeadingBit': Op.OP_U32_FIRST_LEADING_BIT,
  'int.firstTrailingBit': Op.OP_INT_FIRST_TRAILING_BIT,
  'i32.extractBits': Op.OP_I32_EXTRACT_BITS, 'u32.extractBits': Op.OP_U32_EXTRACT_BITS, 'int.insertBits': Op.OP_INT_INSERT_BITS,
  'bool.and': Op.OP_INT_AND, 'bool.or': Op.OP_INT_OR, 'bool.eq': Op.OP_INT_EQ, 'bool.ne': Op.OP_INT_XOR, 'bool.not': Op.OP_BOOL_NOT,
  'select': Op.OP_SELECT,
  'i32.fromF32': Op.OP_I32_FROM_F32, 'u32.fromF32': Op.OP_U32_FROM_F32, 'f32.fromI32': Op.OP_F32_FROM_I32, 'f32.fromU32': Op.OP_F32_FROM_U32,
  'int.fromBool': Op.OP_INT_FROM_BOOL, 'f32.fromBool': Op.OP_F32_FROM_BOOL, 'int.fromF32Bits': Op.OP_INT_FROM_F32_BITS,
  'f16.pack': Op.OP_F16_PACK, 'f16.unpack': Op.OP_F16_UNPACK,
  'ddx.coarse': Op.OP_DDX_COARSE, 'ddx.fine': Op.OP_DDX_FINE, 'ddy.coarse': Op.OP_DDY_COARSE, 'ddy.fine': Op.OP_DDY_FINE,
};

/** Comparisons that are others with their operands exchanged. */
export const swapped: Readonly<Partial<Record<OpName, number>>> = {
  'f32.gt': Op.OP_F32_LT, 'f32.ge': Op.OP_F32_LE, 'i32.gt': Op.OP_I32_LT, 'i32.ge': Op.OP_I32_LE, 'u32.gt': Op.OP_U32_LT, 'u32.ge': Op.OP_U32_LE,
};

/** Operations that change the type and no bit: the result is the operand's register. */
export const isAlias = (op: OpName): boolean => op === 'int.cast' || op === 'f32.fromBits';
