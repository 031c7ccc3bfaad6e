// What can be said of a program's outputs without running it.

import type { IrProgram, ValueId } from '../program';
import { forEachInstruction } from '../walk';
import { pickOutputs } from './dead';

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
 * Drops alphas that are what a missing one is: most programs that draw what is opaque write such. (What is left over is
 * a constant, which no code is made for.)
 */
export function dropMissingAlphas(program: IrProgram): IrProgram {
  const constants = findConstantOutputs(program);
  const needed = program.outputs.map((output, index) =>
    output.kind !== 'color' || output.component !== 3 || constants[index] === undefined
    || constants[index] !== MISSING_ALPHA[output.type]);
  return needed.every(Boolean) ? program : pickOutputs(program, (_, index) => needed[index]!);
}
