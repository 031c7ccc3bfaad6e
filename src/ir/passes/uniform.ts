// Values that are the same in every lane of a draw, because they follow from constants, bindings and sizes alone.
// They are pure and total, so a code generator may compute them once a draw, wherever they stand.

import { opInfo, readsTexture } from '../ops';
import type { IrInput, IrProgram, ValueId } from '../program';
import { forEachInstruction } from '../walk';
import { agreesInWarp } from '../workgroups';

/** Values that are the same in all lanes and known before any lane runs. Constants are among them. */
export function findUniform(program: IrProgram): ReadonlySet<ValueId> {
  return findFollowing(program, () => false);
}

/** The same, and those of compute programs that are known once a workgroup, or a part of it, is run. */
export function findWarpUniform(program: IrProgram): ReadonlySet<ValueId> {
  return findFollowing(program, (input) => agreesInWarp(program, input));
}

/** Whether a fragment program does nothing but to give all pixels of a triangle the same results. */
export function isSameForTriangle(program: IrProgram): boolean {
  if (program.kind !== 'fragment') return false;
  const same = findFollowing(
    program,
    (input) => (input.kind === 'varying'
      ? input.interpolation === 'flat'
      : input.kind === 'builtin' && input.builtin === 'front_facing')
  );
  return program.body.every((node) => (
    node.kind === 'op'
      && (node.op === 'output'
        ? same.has(node.args[0]!)
        : node.results.length > 0 && node.results.every((id) => same.has(id)))));
}

/** Values that follow from constants, bindings, sizes and the `given` inputs. */
function findFollowing(program: IrProgram, given: (input: IrInput) => boolean): ReadonlySet<ValueId> {
  const uniform = new Set<ValueId>();
  forEachInstruction(program.body, (instruction) => {
    const { op, args, results, imm } = instruction;
    if (op === 'array.load') {
      if (program.arrays[imm]!.constants === undefined) return;
    } else if (op === 'input') {
      if (!given(program.inputs[imm]!)) return;
    } else if (!opInfo(op).pure || readsTexture(op)) {
      return;
    }
    for (let k = 0; k < args.length; k++) if (!uniform.has(args[k]!)) return;
    for (let k = 0; k < results.length; k++) uniform.add(results[k]!);
  });
  return uniform;
}
