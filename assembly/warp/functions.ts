// Opcodes of mathematical functions. As in rare.ts, they are outside the interpreter's main switch: the WASM engine
// compiles each function separately, and the most used opcodes should be compiled first.
import {
  OP_F32_ACOS,
  OP_F32_ACOSH,
  OP_F32_ASIN,
  OP_F32_ASINH,
  OP_F32_ATAN,
  OP_F32_ATAN2,
  OP_F32_ATANH,
  OP_F32_COS,
  OP_F32_COSH,
  OP_F32_EXP,
  OP_F32_EXP2,
  OP_F32_LOG,
  OP_F32_LOG2,
  OP_F32_POW,
  OP_F32_SIN,
  OP_F32_SINH,
  OP_F32_TAN,
  OP_F32_TANH,
} from '../layout';
import { binaryLong, unaryLong } from './loops';
import {
  F32Acos,
  F32Acosh,
  F32Asin,
  F32Asinh,
  F32Atan,
  F32Atan2,
  F32Atanh,
  F32Cos,
  F32Cosh,
  F32Exp,
  F32Exp2,
  F32Log,
  F32Log2,
  F32Pow,
  F32Sin,
  F32Sinh,
  F32Tan,
  F32Tanh,
} from './operations';

/** Runs the instruction at `code`, whose opcode is `op`. Returns its length in bytes. */
export function executeMath<T>(op: i32, code: usize, registers: usize, bytes: usize): usize {
  switch (op) {
    case OP_F32_EXP:
      unaryLong<F32Exp, T>(code, registers, bytes);
      return 8;
    case OP_F32_EXP2:
      unaryLong<F32Exp2, T>(code, registers, bytes);
      return 8;
    case OP_F32_LOG:
      unaryLong<F32Log, T>(code, registers, bytes);
      return 8;
    case OP_F32_LOG2:
      unaryLong<F32Log2, T>(code, registers, bytes);
      return 8;
    case OP_F32_SIN:
      unaryLong<F32Sin, T>(code, registers, bytes);
      return 8;
    case OP_F32_COS:
      unaryLong<F32Cos, T>(code, registers, bytes);
      return 8;
    case OP_F32_TAN:
      unaryLong<F32Tan, T>(code, registers, bytes);
      return 8;
    case OP_F32_ASIN:
      unaryLong<F32Asin, T>(code, registers, bytes);
      return 8;
    case OP_F32_ACOS:
      unaryLong<F32Acos, T>(code, registers, bytes);
      return 8;
    case OP_F32_ATAN:
      unaryLong<F32Atan, T>(code, registers, bytes);
      return 8;
    case OP_F32_SINH:
      unaryLong<F32Sinh, T>(code, registers, bytes);
      return 8;
    case OP_F32_COSH:
      unaryLong<F32Cosh, T>(code, registers, bytes);
      return 8;
    case OP_F32_TANH:
      unaryLong<F32Tanh, T>(code, registers, bytes);
      return 8;
    case OP_F32_ASINH:
      unaryLong<F32Asinh, T>(code, registers, bytes);
      return 8;
    case OP_F32_ACOSH:
      unaryLong<F32Acosh, T>(code, registers, bytes);
      return 8;
    case OP_F32_ATANH:
      unaryLong<F32Atanh, T>(code, registers, bytes);
      return 8;
    case OP_F32_POW:
      binaryLong<F32Pow, T>(code, registers, bytes);
      return 8;
    case OP_F32_ATAN2:
      binaryLong<F32Atan2, T>(code, registers, bytes);
      return 8;
    // The encoder writes no other opcode.
    default:
      return unreachable();
  }
}
