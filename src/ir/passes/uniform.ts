// Values that are the same in every lane of a draw, because they follow from constants, bindings and sizes alone.
// They are pure and total, so a code generator may compute them once a draw, wherever they stand.

import { opInfo } from '../ops';
import type { IrProgram, ValueId } from '../program';
import { forEachInstruction } from '../walk';

/** Values that are the same in all lanes and known before any lane runs. Constants are among them. */
export function findUniform(program: IrProgram): ReadonlySet<ValueId> {
  const uniform = new Set<ValueId>();
  forEachInstruction(program.body, (instruction) => {
    const { op, args, results, imm } = instruction;
    if (op === 'array.load') {
      if (program.arrays[imm]!.constants === undefined) return;
    } else if (!opInfo(op).pure || op === 'input' || op === 'texture.sample' || op === 'texture.load') {
      return;
    }
    if (args.every((id) => uniform.has(id))) for (const id of results) uniform.add(id);
  });
  return uniform;
}
