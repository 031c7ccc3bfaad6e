// The opcode of each IR operation that maps to a single instruction.

import {
  OP_BOOL_NOT, OP_DDX_COARSE, OP_DDX_FINE, OP_DDY_COARSE, OP_DDY_FINE, OP_F16_PACK, OP_F16_UNPACK, OP_F32_ABS,
  OP_F32_ACOS, OP_F32_ACOSH, OP_F32_ADD, OP_F32_ASIN, OP_F32_ASINH, OP_F32_ATAN, OP_F32_ATAN2, OP_F32_ATANH,
  OP_F32_CEIL, OP_F32_COS, OP_F32_COSH, OP_F32_DIV, OP_F32_EQ, OP_F32_EXP, OP_F32_EXP2, OP_F32_FLOOR, OP_F32_FRACT,
  OP_F32_FREXP_EXPONENT, OP_F32_FREXP_FRACTION, OP_F32_FROM_BOOL, OP_F32_FROM_I32, OP_F32_FROM_U32, OP_F32_INVERSE_SQRT,
  OP_F32_LDEXP, OP_F32_LE, OP_F32_LOG, OP_F32_LOG2, OP_F32_LT, OP_F32_MAX, OP_F32_MIN, OP_F32_MUL, OP_F32_NE,
  OP_F32_NEG, OP_F32_POW, OP_F32_QUANTIZE_F16, OP_F32_REM, OP_F32_ROUND, OP_F32_SIGN, OP_F32_SIN, OP_F32_SINH,
  OP_F32_SQRT, OP_F32_SUB, OP_F32_TAN, OP_F32_TANH, OP_F32_TRUNC, OP_I32_ABS, OP_I32_DIV, OP_I32_EXTRACT_BITS,
  OP_I32_FIRST_LEADING_BIT, OP_I32_FROM_F32, OP_I32_LE, OP_I32_LT, OP_I32_MAX, OP_I32_MIN, OP_I32_REM, OP_I32_SHR,
  OP_I32_SIGN, OP_INT_ADD, OP_INT_AND, OP_INT_COUNT_LEADING_ZEROS, OP_INT_COUNT_ONE_BITS, OP_INT_COUNT_TRAILING_ZEROS,
  OP_INT_EQ, OP_INT_FIRST_TRAILING_BIT, OP_INT_FROM_BOOL, OP_INT_FROM_F32_BITS, OP_INT_INSERT_BITS, OP_INT_MUL,
  OP_INT_NE, OP_INT_NEG, OP_INT_NOT, OP_INT_OR, OP_INT_REVERSE_BITS, OP_INT_SHL, OP_INT_SUB, OP_INT_XOR, OP_SELECT,
  OP_U32_DIV, OP_U32_EXTRACT_BITS, OP_U32_FIRST_LEADING_BIT, OP_U32_FROM_F32, OP_U32_LE, OP_U32_LT, OP_U32_MAX,
  OP_U32_MIN, OP_U32_REM, OP_U32_SHR,
} from '../../assembly/layout/opcodes';
import type { OpName } from '../ir';

export const opcodes: Readonly<Partial<Record<OpName, number>>> = {
  'f32.add': OP_F32_ADD, 'f32.sub': OP_F32_SUB, 'f32.mul': OP_F32_MUL, 'f32.div': OP_F32_DIV, 'f32.rem': OP_F32_REM,
  'f32.min': OP_F32_MIN, 'f32.max': OP_F32_MAX, 'f32.neg': OP_F32_NEG, 'f32.abs': OP_F32_ABS, 'f32.sign': OP_F32_SIGN,
  'f32.floor': OP_F32_FLOOR, 'f32.ceil': OP_F32_CEIL, 'f32.trunc': OP_F32_TRUNC, 'f32.round': OP_F32_ROUND,
  'f32.fract': OP_F32_FRACT, 'f32.sqrt': OP_F32_SQRT, 'f32.inverseSqrt': OP_F32_INVERSE_SQRT, 'f32.exp': OP_F32_EXP,
  'f32.exp2': OP_F32_EXP2, 'f32.log': OP_F32_LOG, 'f32.log2': OP_F32_LOG2, 'f32.pow': OP_F32_POW, 'f32.sin': OP_F32_SIN,
  'f32.cos': OP_F32_COS, 'f32.tan': OP_F32_TAN, 'f32.asin': OP_F32_ASIN, 'f32.acos': OP_F32_ACOS,
  'f32.atan': OP_F32_ATAN, 'f32.atan2': OP_F32_ATAN2, 'f32.sinh': OP_F32_SINH, 'f32.cosh': OP_F32_COSH,
  'f32.tanh': OP_F32_TANH, 'f32.asinh': OP_F32_ASINH, 'f32.acosh': OP_F32_ACOSH, 'f32.atanh': OP_F32_ATANH,
  'f32.ldexp': OP_F32_LDEXP, 'f32.frexpFraction': OP_F32_FREXP_FRACTION, 'f32.frexpExponent': OP_F32_FREXP_EXPONENT,
  'f32.quantizeToF16': OP_F32_QUANTIZE_F16, 'f32.eq': OP_F32_EQ, 'f32.ne': OP_F32_NE, 'f32.lt': OP_F32_LT,
  'f32.le': OP_F32_LE, 'int.add': OP_INT_ADD, 'int.sub': OP_INT_SUB, 'int.mul': OP_INT_MUL, 'int.and': OP_INT_AND,
  'int.or': OP_INT_OR, 'int.xor': OP_INT_XOR, 'int.neg': OP_INT_NEG, 'int.not': OP_INT_NOT, 'int.shl': OP_INT_SHL,
  'i32.shr': OP_I32_SHR, 'u32.shr': OP_U32_SHR, 'int.eq': OP_INT_EQ, 'int.ne': OP_INT_NE, 'i32.div': OP_I32_DIV,
  'i32.rem': OP_I32_REM, 'u32.div': OP_U32_DIV, 'u32.rem': OP_U32_REM, 'i32.min': OP_I32_MIN, 'i32.max': OP_I32_MAX,
  'u32.min': OP_U32_MIN, 'u32.max': OP_U32_MAX, 'i32.abs': OP_I32_ABS, 'i32.sign': OP_I32_SIGN, 'i32.lt': OP_I32_LT,
  'i32.le': OP_I32_LE, 'u32.lt': OP_U32_LT, 'u32.le': OP_U32_LE, 'int.countLeadingZeros': OP_INT_COUNT_LEADING_ZEROS,
  'int.countTrailingZeros': OP_INT_COUNT_TRAILING_ZEROS, 'int.countOneBits': OP_INT_COUNT_ONE_BITS,
  'int.reverseBits': OP_INT_REVERSE_BITS, 'i32.firstLeadingBit': OP_I32_FIRST_LEADING_BIT,
  'u32.firstLeadingBit': OP_U32_FIRST_LEADING_BIT, 'int.firstTrailingBit': OP_INT_FIRST_TRAILING_BIT,
  'i32.extractBits': OP_I32_EXTRACT_BITS, 'u32.extractBits': OP_U32_EXTRACT_BITS, 'int.insertBits': OP_INT_INSERT_BITS,
  'bool.and': OP_INT_AND, 'bool.or': OP_INT_OR, 'bool.eq': OP_INT_EQ, 'bool.ne': OP_INT_XOR, 'bool.not': OP_BOOL_NOT,
  'select': OP_SELECT, 'i32.fromF32': OP_I32_FROM_F32, 'u32.fromF32': OP_U32_FROM_F32, 'f32.fromI32': OP_F32_FROM_I32,
  'f32.fromU32': OP_F32_FROM_U32, 'int.fromBool': OP_INT_FROM_BOOL, 'f32.fromBool': OP_F32_FROM_BOOL,
  'int.fromF32Bits': OP_INT_FROM_F32_BITS, 'f16.pack': OP_F16_PACK, 'f16.unpack': OP_F16_UNPACK,
  'ddx.coarse': OP_DDX_COARSE, 'ddx.fine': OP_DDX_FINE, 'ddy.coarse': OP_DDY_COARSE, 'ddy.fine': OP_DDY_FINE,
};

/** Comparisons that are expressed by another one with swapped operands. */
export const swapped: Readonly<Partial<Record<OpName, number>>> = {
  'f32.gt': OP_F32_LT, 'f32.ge': OP_F32_LE, 'i32.gt': OP_I32_LT, 'i32.ge': OP_I32_LE, 'u32.gt': OP_U32_LT,
  'u32.ge': OP_U32_LE,
};

/** Operations that change the type but no bits: the result uses the operand's register. */
export const isAlias = (op: OpName): boolean => op === 'int.cast' || op === 'f32.fromBits';
