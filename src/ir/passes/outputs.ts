// What can be said of a program's outputs without running it.

import type { IrOutput, IrProgram, ValueId } from '../program';
import { forEachInstruction } from '../walk';

/**
 * Bits of each output that is the same constant in all invocations; undefined of the others, and of those that are not
 * written on every path.
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

/** Bits of the alpha that a target takes from a program that writes none. */
const MISSING_ALPHA = { f32: 0x3f800000, i32: 1, u32: 1, bool: undefined };

/**
 * Of each output, whether it is an alpha that is what a missing one is: most programs that draw what is opaque write
 * such.
 */
export function findMissingAlphas(program: IrProgram): readonly boolean[] {
  const isAlpha = (output: IrOutput): boolean => output.kind === 'color' && output.component === 3;
  const constants = program.outputs.some(isAlpha) ? findConstantOutputs(program) : [];
  return program.outputs.map((output, index) => isAlpha(output) && constants[index] !== undefined
    && constants[index] === MISSING_ALPHA[output.type]);
}
