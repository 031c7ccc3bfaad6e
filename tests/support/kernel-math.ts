// The kernel's functions as a device gives them to the front end and to the passes.
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
  OP_F32_INVERSE_SQRT,
  OP_F32_LOG,
  OP_F32_LOG2,
  OP_F32_POW,
  OP_F32_SIN,
  OP_F32_SINH,
  OP_F32_TAN,
  OP_F32_TANH,
} from '../../assembly/layout/program/opcodes';
import type { ConstantMath } from '../../src/ir';
import { TestKernel } from './kernel';

const kernel = new TestKernel();

const UNARY: Readonly<Record<string, number>> = {
  inverseSqrt: OP_F32_INVERSE_SQRT,
  exp: OP_F32_EXP,
  exp2: OP_F32_EXP2,
  log: OP_F32_LOG,
  log2: OP_F32_LOG2,
  sin: OP_F32_SIN,
  cos: OP_F32_COS,
  tan: OP_F32_TAN,
  asin: OP_F32_ASIN,
  acos: OP_F32_ACOS,
  atan: OP_F32_ATAN,
  sinh: OP_F32_SINH,
  cosh: OP_F32_COSH,
  tanh: OP_F32_TANH,
  asinh: OP_F32_ASINH,
  acosh: OP_F32_ACOSH,
  atanh: OP_F32_ATANH,
};
const BINARY: Readonly<Record<string, number>> = { pow: OP_F32_POW, atan2: OP_F32_ATAN2 };

export const kernelMath: ConstantMath = {
  unary: (name, x) => kernel.call.mathUnary!(UNARY[name]!, x),
  binary: (name, x, y) => kernel.call.mathBinary!(BINARY[name]!, x, y),
};
