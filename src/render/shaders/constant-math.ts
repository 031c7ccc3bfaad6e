// Constant folding with the kernel's math functions, so that folded values equal those that shaders compute.
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
  OP_F32_QUANTIZE_F16,
  OP_F32_REM,
  OP_F32_SIN,
  OP_F32_SINH,
  OP_F32_TAN,
  OP_F32_TANH,
} from '../../../assembly/layout/program/opcodes';
import { unreachable } from '../../base/assert';
import type { KernelExports } from '../../kernels';
import type { RenderDevice } from '../types';

const unaryOpcodes: Readonly<Record<string, number>> = {
  exp: OP_F32_EXP,
  exp2: OP_F32_EXP2,
  log: OP_F32_LOG,
  log2: OP_F32_LOG2,
  inverseSqrt: OP_F32_INVERSE_SQRT,
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
  quantizeToF16: OP_F32_QUANTIZE_F16,
};
const binaryOpcodes: Readonly<Record<string, number>> = { pow: OP_F32_POW, atan2: OP_F32_ATAN2, rem: OP_F32_REM };

export function constantMath(exports: KernelExports): RenderDevice['constantMath'] {
  const opcode = (table: Readonly<Record<string, number>>, name: string): number =>
    table[name] ?? unreachable(`render: no kernel function ${name}`);
  return {
    unary: (name, x) => exports.mathUnary(opcode(unaryOpcodes, name), x),
    binary: (name, x, y) => exports.mathBinary(opcode(binaryOpcodes, name), x, y),
  };
}

/** Kernels of devices. Some may be gone. */
const kernels = new Set<WeakRef<KernelExports>>();
/** Lets `sharedMath` use a kernel as long as it exists. */
export function shareMath(exports: KernelExports): void {
  for (const kernel of kernels) if (!kernel.deref()) kernels.delete(kernel);
  kernels.add(new WeakRef(exports));
}

function anyKernel(): KernelExports {
  for (const kernel of kernels) {
    const exports = kernel.deref();
    if (exports) return exports;
  }
  return unreachable('render: a shader is compiled without a device');
}

/**
 * The functions of any device, for results that outlive their device. All kernels give the same values, and a device
 * for which a shader is compiled exists.
 */
export const sharedMath: RenderDevice['constantMath'] = {
  unary: (name, x) => constantMath(anyKernel()).unary(name, x),
  binary: (name, x, y) => constantMath(anyKernel()).binary(name, x, y),
};
