// Compiles a shader's single entry point to optimized bytecode, without a device.
import { encodeBytecode, type EncodedProgram } from '../../src/codegen';
import { optimize } from '../../src/ir';
import { parseModule, resolveEntryPoint } from '../../src/wgsl';
import { lowerEntryPoint } from '../../src/wgsl/lower';
import { kernelMath } from '../support/kernel-math';

/** `code` has an entry point `main`. */
export function bytecodeOf(code: string): EncodedProgram {
  const { module } = parseModule(code);
  return encodeBytecode(
    optimize(lowerEntryPoint(resolveEntryPoint(module, { entryPoint: 'main', math: kernelMath }).hir!, 0), kernelMath)
  );
}
