// The kernel's own functions as a device gives them to the front end and to the passes.
import * as Op from '../../assembly/layout/opcodes';
import type { ConstantMath } from '../../src/ir';
import { TestKernel } from './kernel';

const kernel = new TestKernel();

const UNARY: Readonly<Record<string, number>> = {
  inverseSqrt: Op.OP_F32_INVERSE_SQRT, exp: Op.OP_F32_EXP, exp2: Op.OP_F32_EXP2, log: Op.OP_F32_LOG, log2: Op.OP_F32_LOG2,
  sin: Op.OP_F32_SIN, cos: Op.OP_F32_COS, tan: Op.OP_F32_TAN, asin: Op.OP_F32_ASIN, acos: Op.OP_F32_ACOS, atan: Op.OP_F32_ATAN,
  sinh: Op.OP_F32_SINH, cosh: Op.OP_F32_COSH, tanh: Op.OP_F32_TANH, asinh: Op.OP_F32_ASINH, acosh: Op.OP_F32_ACOSH, atanh: Op.OP_F32_ATANH,
};
const BINARY: Readonly<Record<string, number>> = { pow: Op.OP_F32_POW, atan2: Op.OP_F32_ATAN2 };

export const kernelMath: ConstantMath = {
  unary: (name, x) => kernel.call.mathUnary!(UNARY[name]!, x),
  binary: (name, x, y) => kernel.call.mathBinary!(BINARY[name]!, x, y),
};
