// Less used opcodes: integers, conversions, shifts, bit fields, halves. They are outside the interpreter's main switch,
// so that the WASM engine compiles that one sooner. One quad per step.
import {
  OP_DDX_COARSE,
  OP_DDX_FINE,
  OP_DDY_COARSE,
  OP_DDY_FINE,
  OP_F16_PACK,
  OP_F16_UNPACK,
  OP_F32_CEIL,
  OP_F32_EQ,
  OP_F32_FREXP_EXPONENT,
  OP_F32_FREXP_FRACTION,
  OP_F32_FROM_BOOL,
  OP_F32_FROM_I32,
  OP_F32_FROM_U32,
  OP_F32_LDEXP,
  OP_F32_NE,
  OP_F32_QUANTIZE_F16,
  OP_F32_REM,
  OP_F32_ROUND,
  OP_F32_SIGN,
  OP_F32_TRUNC,
  OP_I32_ABS,
  OP_I32_CLAMP,
  OP_I32_DIV,
  OP_I32_EXTRACT_BITS,
  OP_I32_FIRST_LEADING_BIT,
  OP_I32_FROM_F32,
  OP_I32_LE,
  OP_I32_LT,
  OP_I32_MAX,
  OP_I32_MIN,
  OP_I32_REM,
  OP_I32_SHR,
  OP_I32_SIGN,
  OP_INT_AND_NOT,
  OP_INT_COUNT_LEADING_ZEROS,
  OP_INT_COUNT_ONE_BITS,
  OP_INT_COUNT_TRAILING_ZEROS,
  OP_INT_EQ,
  OP_INT_FIRST_TRAILING_BIT,
  OP_INT_FROM_BOOL,
  OP_INT_FROM_F32_BITS,
  OP_INT_INSERT_BITS,
  OP_INT_MUL,
  OP_INT_NE,
  OP_INT_NEG,
  OP_INT_NOT,
  OP_INT_REVERSE_BITS,
  OP_INT_SHL,
  OP_INT_SUB,
  OP_INT_XOR,
  OP_U32_DIV,
  OP_U32_EXTRACT_BITS,
  OP_U32_FIRST_LEADING_BIT,
  OP_U32_FROM_F32,
  OP_U32_LE,
  OP_U32_LT,
  OP_U32_MAX,
  OP_U32_MIN,
  OP_U32_REM,
  OP_U32_SHR,
} from '../layout';
import { executeMath } from './functions';
import { binaryLong, derivative, high, quaternary, shift, ternary, ternaryLong, unaryLong } from './loops';
import {
  DdxCoarse,
  DdxFine,
  DdyCoarse,
  DdyFine,
  F16Pack,
  F16Unpack,
  F32Ceil,
  F32Eq,
  F32FrexpExponent,
  F32FrexpFraction,
  F32FromBool,
  F32FromI32,
  F32FromU32,
  F32Ldexp,
  F32Ne,
  F32QuantizeF16,
  F32Rem,
  F32Round,
  F32Sign,
  F32Trunc,
  I32Abs,
  I32Clamp,
  I32Div,
  I32ExtractBits,
  I32FirstLeadingBit,
  I32FromF32,
  I32Le,
  I32Lt,
  I32Max,
  I32Min,
  I32Rem,
  I32Shr,
  I32Sign,
  IntAndNot,
  IntCountLeadingZeros,
  IntCountOneBits,
  IntCountTrailingZeros,
  IntEq,
  IntFirstTrailingBit,
  IntFromBool,
  IntFromF32Bits,
  IntInsertBits,
  IntMul,
  IntNe,
  IntNeg,
  IntNot,
  IntReverseBits,
  IntShl,
  IntSub,
  IntXor,
  U32Div,
  U32ExtractBits,
  U32FirstLeadingBit,
  U32FromF32,
  U32Le,
  U32Lt,
  U32Max,
  U32Min,
  U32Rem,
  U32Shr,
} from './operations';

/**
 * Runs the instruction at `code`, whose opcode is `op`. Returns its length in bytes. The registers in the `sameBytes`
 * bytes from `same` on have the same value in all lanes.
 */
export function executeRare<T>(
  op: i32,
  code: usize,
  registers: usize,
  bytes: usize,
  same: usize,
  sameBytes: usize
): usize {
  switch (op) {
    case OP_F32_SIGN:
      unaryLong<F32Sign, T>(code, registers, bytes);
      return 8;
    case OP_F32_CEIL:
      unaryLong<F32Ceil, T>(code, registers, bytes);
      return 8;
    case OP_F32_TRUNC:
      unaryLong<F32Trunc, T>(code, registers, bytes);
      return 8;
    case OP_F32_ROUND:
      unaryLong<F32Round, T>(code, registers, bytes);
      return 8;
    case OP_F32_FREXP_FRACTION:
      unaryLong<F32FrexpFraction, T>(code, registers, bytes);
      return 8;
    case OP_F32_FREXP_EXPONENT:
      unaryLong<F32FrexpExponent, T>(code, registers, bytes);
      return 8;
    case OP_F32_QUANTIZE_F16:
      unaryLong<F32QuantizeF16, T>(code, registers, bytes);
      return 8;
    case OP_INT_NEG:
      unaryLong<IntNeg, T>(code, registers, bytes);
      return 8;
    case OP_INT_NOT:
      unaryLong<IntNot, T>(code, registers, bytes);
      return 8;
    case OP_I32_ABS:
      unaryLong<I32Abs, T>(code, registers, bytes);
      return 8;
    case OP_I32_SIGN:
      unaryLong<I32Sign, T>(code, registers, bytes);
      return 8;
    case OP_INT_COUNT_LEADING_ZEROS:
      unaryLong<IntCountLeadingZeros, T>(code, registers, bytes);
      return 8;
    case OP_INT_COUNT_TRAILING_ZEROS:
      unaryLong<IntCountTrailingZeros, T>(code, registers, bytes);
      return 8;
    case OP_INT_COUNT_ONE_BITS:
      unaryLong<IntCountOneBits, T>(code, registers, bytes);
      return 8;
    case OP_INT_REVERSE_BITS:
      unaryLong<IntReverseBits, T>(code, registers, bytes);
      return 8;
    case OP_I32_FIRST_LEADING_BIT:
      unaryLong<I32FirstLeadingBit, T>(code, registers, bytes);
      return 8;
    case OP_U32_FIRST_LEADING_BIT:
      unaryLong<U32FirstLeadingBit, T>(code, registers, bytes);
      return 8;
    case OP_INT_FIRST_TRAILING_BIT:
      unaryLong<IntFirstTrailingBit, T>(code, registers, bytes);
      return 8;
    case OP_I32_FROM_F32:
      unaryLong<I32FromF32, T>(code, registers, bytes);
      return 8;
    case OP_U32_FROM_F32:
      unaryLong<U32FromF32, T>(code, registers, bytes);
      return 8;
    case OP_F32_FROM_I32:
      unaryLong<F32FromI32, T>(code, registers, bytes);
      return 8;
    case OP_F32_FROM_U32:
      unaryLong<F32FromU32, T>(code, registers, bytes);
      return 8;
    case OP_INT_FROM_BOOL:
      unaryLong<IntFromBool, T>(code, registers, bytes);
      return 8;
    case OP_F32_FROM_BOOL:
      unaryLong<F32FromBool, T>(code, registers, bytes);
      return 8;
    case OP_INT_FROM_F32_BITS:
      unaryLong<IntFromF32Bits, T>(code, registers, bytes);
      return 8;
    case OP_F16_PACK:
      unaryLong<F16Pack, T>(code, registers, bytes);
      return 8;
    case OP_F16_UNPACK:
      unaryLong<F16Unpack, T>(code, registers, bytes);
      return 8;
    case OP_DDX_COARSE:
      derivative<DdxCoarse, T>(code, registers, bytes);
      return 8;
    case OP_DDX_FINE:
      derivative<DdxFine, T>(code, registers, bytes);
      return 8;
    case OP_DDY_COARSE:
      derivative<DdyCoarse, T>(code, registers, bytes);
      return 8;
    case OP_DDY_FINE:
      derivative<DdyFine, T>(code, registers, bytes);
      return 8;
    case OP_F32_REM:
      binaryLong<F32Rem, T>(code, registers, bytes);
      return 8;
    case OP_F32_LDEXP:
      binaryLong<F32Ldexp, T>(code, registers, bytes);
      return 8;
    case OP_F32_EQ:
      binaryLong<F32Eq, T>(code, registers, bytes);
      return 8;
    case OP_F32_NE:
      binaryLong<F32Ne, T>(code, registers, bytes);
      return 8;
    case OP_INT_SUB:
      binaryLong<IntSub, T>(code, registers, bytes);
      return 8;
    case OP_INT_MUL:
      binaryLong<IntMul, T>(code, registers, bytes);
      return 8;
    case OP_INT_XOR:
      binaryLong<IntXor, T>(code, registers, bytes);
      return 8;
    case OP_INT_EQ:
      binaryLong<IntEq, T>(code, registers, bytes);
      return 8;
    case OP_INT_NE:
      binaryLong<IntNe, T>(code, registers, bytes);
      return 8;
    case OP_I32_DIV:
      binaryLong<I32Div, T>(code, registers, bytes);
      return 8;
    case OP_I32_REM:
      binaryLong<I32Rem, T>(code, registers, bytes);
      return 8;
    case OP_U32_DIV:
      binaryLong<U32Div, T>(code, registers, bytes);
      return 8;
    case OP_U32_REM:
      binaryLong<U32Rem, T>(code, registers, bytes);
      return 8;
    case OP_I32_MIN:
      binaryLong<I32Min, T>(code, registers, bytes);
      return 8;
    case OP_I32_MAX:
      binaryLong<I32Max, T>(code, registers, bytes);
      return 8;
    case OP_U32_MIN:
      binaryLong<U32Min, T>(code, registers, bytes);
      return 8;
    case OP_U32_MAX:
      binaryLong<U32Max, T>(code, registers, bytes);
      return 8;
    case OP_I32_LT:
      binaryLong<I32Lt, T>(code, registers, bytes);
      return 8;
    case OP_I32_LE:
      binaryLong<I32Le, T>(code, registers, bytes);
      return 8;
    case OP_U32_LT:
      binaryLong<U32Lt, T>(code, registers, bytes);
      return 8;
    case OP_U32_LE:
      binaryLong<U32Le, T>(code, registers, bytes);
      return 8;
    case OP_INT_AND_NOT:
      binaryLong<IntAndNot, T>(code, registers, bytes);
      return 8;
    case OP_INT_SHL:
      shift<IntShl, T>(code, registers, bytes, high(registers, load<u32>(code, 4)) - same < sameBytes);
      return 8;
    case OP_I32_SHR:
      shift<I32Shr, T>(code, registers, bytes, high(registers, load<u32>(code, 4)) - same < sameBytes);
      return 8;
    case OP_U32_SHR:
      shift<U32Shr, T>(code, registers, bytes, high(registers, load<u32>(code, 4)) - same < sameBytes);
      return 8;
    case OP_I32_CLAMP:
      ternary<I32Clamp, T>(code, registers, bytes);
      return 12;
    case OP_I32_EXTRACT_BITS:
      ternaryLong<I32ExtractBits, u32>(code, registers, bytes);
      return 12;
    case OP_U32_EXTRACT_BITS:
      ternaryLong<U32ExtractBits, u32>(code, registers, bytes);
      return 12;
    case OP_INT_INSERT_BITS:
      quaternary<IntInsertBits, u32>(code, registers, bytes);
      return 12;
    default:
      return executeMath<T>(op, code, registers, bytes);
  }
}
