// Facts about a program's outputs that are known without running it.

import { FLOAT_ONE_BITS } from '../../base/bits';
import type { IrOutput, IrProgram, ValueId } from '../program';
import { forEachInstruction } from '../walk';

/**
 * For each output, the constant bits that all invocations write. Undefined if they differ or if some path does not
 * write the output.
 */
export function findConstantOutputs(program: IrProgram): readonly (number | undefined)[] {
  const constants = new Map<ValueId, number>();
  const written = program.outputs.map(() => new Set<number | undefined>());
  forEachInstruction(program.body, ({ op, args, results, imm }) => {
    if (op === 'const') constants.set(results[0]!, imm);
    else if (op === 'output') written[imm]!.add(constants.get(args[0]!));
  });
  const always = new Set(program.body.map((node) => (node.kind === 'op' && node.op === 'output' ? node.imm : -1)));
  return written.map((bits, output) => (always.has(output) && bits.size === 1 ? [...bits][0] : undefined));
}

/** Bits of the alpha that a render target receives if the shader writes none. */
const MISSING_ALPHA = { f32: FLOAT_ONE_BITS, i32: 1, u32: 1, bool: undefined };

/**
 * For each output, whether it is an alpha with the value of a missing one. Most shaders for opaque objects write such
 * an alpha.
 */
export function findMissingAlphas(program: IrProgram): readonly boolean[] {
  const isAlpha = (output: IrOutput): boolean => output.kind === 'color' && output.component === 3;
  const constants = program.outputs.some(isAlpha) ? findConstantOutputs(program) : [];
  return program.outputs.map(
    (output, index) =>
      isAlpha(output) && constants[index] !== undefined && constants[index] === MISSING_ALPHA[output.type]
  );
}
