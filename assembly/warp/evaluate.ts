// Evaluates single values with the interpreter's operations, for constant folding and constant evaluation. Every build
// uses the scalar implementations; the four-lane ones give the same bits.
import {
  OP_BOOL_NOT,
  OP_F16_PACK,
  OP_F16_UNPACK,
  OP_F32_ABS,
  OP_F32_ACOS,
  OP_F32_ACOSH,
  OP_F32_ADD,
  OP_F32_ASIN,
  OP_F32_ASINH,
  OP_F32_ATAN,
  OP_F32_ATAN2,
  OP_F32_ATANH,
  OP_F32_CEIL,
  OP_F32_COS,
  OP_F32_COSH,
  OP_F32_DIV,
  OP_F32_EQ,
  OP_F32_EXP,
  OP_F32_EXP2,
  OP_F32_FLOOR,
  OP_F32_FRACT,
  OP_F32_FREXP_EXPONENT,
  OP_F32_FREXP_FRACTION,
  OP_F32_FROM_BOOL,
  OP_F32_FROM_I32,
  OP_F32_FROM_U32,
  OP_F32_INVERSE_SQRT,
  OP_F32_LDEXP,
  OP_F32_LE,
  OP_F32_LOG,
  OP_F32_LOG2,
  OP_F32_LT,
  OP_F32_MAX,
  OP_F32_MIN,
  OP_F32_MUL,
  OP_F32_NE,
  OP_F32_NEG,
  OP_F32_POW,
  OP_F32_QUANTIZE_F16,
  OP_F32_REM,
  OP_F32_ROUND,
  OP_F32_SATURATE,
  OP_F32_SIGN,
  OP_F32_SIN,
  OP_F32_SINH,
  OP_F32_SQRT,
  OP_F32_SUB,
  OP_F32_TAN,
  OP_F32_TANH,
  OP_F32_TRUNC,
  OP_I32_ABS,
  OP_I32_DIV,
  OP_I32_FIRST_LEADING_BIT,
  OP_I32_FROM_F32,
  OP_I32_LE,
  OP_I32_LT,
  OP_I32_MAX,
  OP_I32_MIN,
  OP_I32_REM,
  OP_I32_SHR,
  OP_I32_SIGN,
  OP_INT_ADD,
  OP_INT_AND,
  OP_INT_AND_NOT,
  OP_INT_COUNT_LEADING_ZEROS,
  OP_INT_COUNT_ONE_BITS,
  OP_INT_COUNT_TRAILING_ZEROS,
  OP_INT_EQ,
  OP_INT_FIRST_TRAILING_BIT,
  OP_INT_FROM_BOOL,
  OP_INT_FROM_F32_BITS,
  OP_INT_MUL,
  OP_INT_NE,
  OP_INT_NEG,
  OP_INT_NOT,
  OP_INT_OR,
  OP_INT_REVERSE_BITS,
  OP_INT_SHL,
  OP_INT_SUB,
  OP_INT_XOR,
  OP_U32_DIV,
  OP_U32_FIRST_LEADING_BIT,
  OP_U32_FROM_F32,
  OP_U32_LE,
  OP_U32_LT,
  OP_U32_MAX,
  OP_U32_MIN,
  OP_U32_REM,
  OP_U32_SHR,
} from '../layout';
import { canonicalBits } from '../math/scalar';
import {
  BoolNot,
  F16Pack,
  F16Unpack,
  F32Abs,
  F32Acos,
  F32Acosh,
  F32Add,
  F32Asin,
  F32Asinh,
  F32Atan,
  F32Atan2,
  F32Atanh,
  F32Ceil,
  F32Cos,
  F32Cosh,
  F32Div,
  F32Eq,
  F32Exp,
  F32Exp2,
  F32Floor,
  F32Fract,
  F32FrexpExponent,
  F32FrexpFraction,
  F32FromBool,
  F32FromI32,
  F32FromU32,
  F32InverseSqrt,
  F32Ldexp,
  F32Le,
  F32Log,
  F32Log2,
  F32Lt,
  F32Max,
  F32Min,
  F32Mul,
  F32Ne,
  F32Neg,
  F32Pow,
  F32QuantizeF16,
  F32Rem,
  F32Round,
  F32Saturate,
  F32Sign,
  F32Sin,
  F32Sinh,
  F32Sqrt,
  F32Sub,
  F32Tan,
  F32Tanh,
  F32Trunc,
  I32Abs,
  I32Div,
  I32FirstLeadingBit,
  I32FromF32,
  I32Le,
  I32Lt,
  I32Max,
  I32Min,
  I32Rem,
  I32Shr,
  I32Sign,
  IntAdd,
  IntAnd,
  IntAndNot,
  IntCountLeadingZeros,
  IntCountOneBits,
  IntCountTrailingZeros,
  IntEq,
  IntFirstTrailingBit,
  IntFromBool,
  IntFromF32Bits,
  IntMul,
  IntNe,
  IntNeg,
  IntNot,
  IntOr,
  IntReverseBits,
  IntShl,
  IntSub,
  IntXor,
  U32Div,
  U32FirstLeadingBit,
  U32FromF32,
  U32Le,
  U32Lt,
  U32Max,
  U32Min,
  U32Rem,
  U32Shr,
} from './operations';

function one<O>(a: u32): u32 {
  return changetype<O>(0).bits(a);
}

function two<O>(a: u32, b: u32): u32 {
  return changetype<O>(0).bits(a, b);
}

/** Any operation with one operand except derivatives, by opcode, on bits. NaN bits are not canonicalised. */
export function evaluateUnary(op: i32, a: u32): u32 {
  switch (op) {
    case OP_F32_NEG:
      return one<F32Neg>(a);
    case OP_F32_ABS:
      return one<F32Abs>(a);
    case OP_F32_SIGN:
      return one<F32Sign>(a);
    case OP_F32_FLOOR:
      return one<F32Floor>(a);
    case OP_F32_CEIL:
      return one<F32Ceil>(a);
    case OP_F32_TRUNC:
      return one<F32Trunc>(a);
    case OP_F32_ROUND:
      return one<F32Round>(a);
    case OP_F32_FRACT:
      return one<F32Fract>(a);
    case OP_F32_SQRT:
      return one<F32Sqrt>(a);
    case OP_F32_INVERSE_SQRT:
      return one<F32InverseSqrt>(a);
    case OP_F32_EXP:
      return one<F32Exp>(a);
    case OP_F32_EXP2:
      return one<F32Exp2>(a);
    case OP_F32_LOG:
      return one<F32Log>(a);
    case OP_F32_LOG2:
      return one<F32Log2>(a);
    case OP_F32_SIN:
      return one<F32Sin>(a);
    case OP_F32_COS:
      return one<F32Cos>(a);
    case OP_F32_TAN:
      return one<F32Tan>(a);
    case OP_F32_ASIN:
      return one<F32Asin>(a);
    case OP_F32_ACOS:
      return one<F32Acos>(a);
    case OP_F32_ATAN:
      return one<F32Atan>(a);
    case OP_F32_SINH:
      return one<F32Sinh>(a);
    case OP_F32_COSH:
      return one<F32Cosh>(a);
    case OP_F32_TANH:
      return one<F32Tanh>(a);
    case OP_F32_ASINH:
      return one<F32Asinh>(a);
    case OP_F32_ACOSH:
      return one<F32Acosh>(a);
    case OP_F32_ATANH:
      return one<F32Atanh>(a);
    case OP_F32_FREXP_FRACTION:
      return one<F32FrexpFraction>(a);
    case OP_F32_FREXP_EXPONENT:
      return one<F32FrexpExponent>(a);
    case OP_F32_QUANTIZE_F16:
      return one<F32QuantizeF16>(a);
    case OP_F32_SATURATE:
      return one<F32Saturate>(a);
    case OP_INT_NEG:
      return one<IntNeg>(a);
    case OP_INT_NOT:
      return one<IntNot>(a);
    case OP_I32_ABS:
      return one<I32Abs>(a);
    case OP_I32_SIGN:
      return one<I32Sign>(a);
    case OP_INT_COUNT_LEADING_ZEROS:
      return one<IntCountLeadingZeros>(a);
    case OP_INT_COUNT_TRAILING_ZEROS:
      return one<IntCountTrailingZeros>(a);
    case OP_INT_COUNT_ONE_BITS:
      return one<IntCountOneBits>(a);
    case OP_INT_REVERSE_BITS:
      return one<IntReverseBits>(a);
    case OP_I32_FIRST_LEADING_BIT:
      return one<I32FirstLeadingBit>(a);
    case OP_U32_FIRST_LEADING_BIT:
      return one<U32FirstLeadingBit>(a);
    case OP_INT_FIRST_TRAILING_BIT:
      return one<IntFirstTrailingBit>(a);
    case OP_BOOL_NOT:
      return one<BoolNot>(a);
    case OP_I32_FROM_F32:
      return one<I32FromF32>(a);
    case OP_U32_FROM_F32:
      return one<U32FromF32>(a);
    case OP_F32_FROM_I32:
      return one<F32FromI32>(a);
    case OP_F32_FROM_U32:
      return one<F32FromU32>(a);
    case OP_INT_FROM_BOOL:
      return one<IntFromBool>(a);
    case OP_F32_FROM_BOOL:
      return one<F32FromBool>(a);
    case OP_INT_FROM_F32_BITS:
      return one<IntFromF32Bits>(a);
    case OP_F16_PACK:
      return one<F16Pack>(a);
    case OP_F16_UNPACK:
      return one<F16Unpack>(a);
    default:
      return unreachable();
  }
}

/** Any operation with two operands, by opcode, on bits. NaN bits are not canonicalised. */
export function evaluateBinary(op: i32, a: u32, b: u32): u32 {
  switch (op) {
    case OP_F32_ADD:
      return two<F32Add>(a, b);
    case OP_F32_SUB:
      return two<F32Sub>(a, b);
    case OP_F32_MUL:
      return two<F32Mul>(a, b);
    case OP_F32_DIV:
      return two<F32Div>(a, b);
    case OP_F32_REM:
      return two<F32Rem>(a, b);
    case OP_F32_MIN:
      return two<F32Min>(a, b);
    case OP_F32_MAX:
      return two<F32Max>(a, b);
    case OP_F32_POW:
      return two<F32Pow>(a, b);
    case OP_F32_ATAN2:
      return two<F32Atan2>(a, b);
    case OP_F32_LDEXP:
      return two<F32Ldexp>(a, b);
    case OP_F32_EQ:
      return two<F32Eq>(a, b);
    case OP_F32_NE:
      return two<F32Ne>(a, b);
    case OP_F32_LT:
      return two<F32Lt>(a, b);
    case OP_F32_LE:
      return two<F32Le>(a, b);
    case OP_INT_ADD:
      return two<IntAdd>(a, b);
    case OP_INT_SUB:
      return two<IntSub>(a, b);
    case OP_INT_MUL:
      return two<IntMul>(a, b);
    case OP_INT_AND:
      return two<IntAnd>(a, b);
    case OP_INT_OR:
      return two<IntOr>(a, b);
    case OP_INT_XOR:
      return two<IntXor>(a, b);
    case OP_INT_SHL:
      return two<IntShl>(a, b);
    case OP_I32_SHR:
      return two<I32Shr>(a, b);
    case OP_U32_SHR:
      return two<U32Shr>(a, b);
    case OP_INT_EQ:
      return two<IntEq>(a, b);
    case OP_INT_NE:
      return two<IntNe>(a, b);
    case OP_I32_DIV:
      return two<I32Div>(a, b);
    case OP_I32_REM:
      return two<I32Rem>(a, b);
    case OP_U32_DIV:
      return two<U32Div>(a, b);
    case OP_U32_REM:
      return two<U32Rem>(a, b);
    case OP_I32_MIN:
      return two<I32Min>(a, b);
    case OP_I32_MAX:
      return two<I32Max>(a, b);
    case OP_U32_MIN:
      return two<U32Min>(a, b);
    case OP_U32_MAX:
      return two<U32Max>(a, b);
    case OP_I32_LT:
      return two<I32Lt>(a, b);
    case OP_I32_LE:
      return two<I32Le>(a, b);
    case OP_U32_LT:
      return two<U32Lt>(a, b);
    case OP_U32_LE:
      return two<U32Le>(a, b);
    case OP_INT_AND_NOT:
      return two<IntAndNot>(a, b);
    default:
      return unreachable();
  }
}

/** f32 operation with one operand, by opcode. NaN is canonical. */
export function mathUnary(op: i32, x: f32): f32 {
  return canonical(evaluateUnary(op, reinterpret<u32>(x)));
}

/** f32 operation with two operands, by opcode. NaN is canonical. */
export function mathBinary(op: i32, x: f32, y: f32): f32 {
  return canonical(evaluateBinary(op, reinterpret<u32>(x), reinterpret<u32>(y)));
}

function canonical(bits: u32): f32 {
  return reinterpret<f32>(canonicalBits(reinterpret<f32>(bits)));
}
