// Finds values that are uniform for a draw call, because they depend only on constants, bindings and sizes. They are
// pure and total, so a code generator may compute them once per draw call, wherever they are used.

import { opInfo, readsTexture } from '../ops';
import type { IrInput, IrProgram, ValueId } from '../program';
import { forEachInstruction } from '../walk';
import { isUniformInWarp } from '../workgroups';

/** Values that are equal in all lanes and known before any lane runs. Includes constants. */
export function findUniform(program: IrProgram): ReadonlySet<ValueId> {
  return findFollowing(program, () => false);
}

/** In compute programs, also includes values that are known when a workgroup, or a part of it, starts. */
export function findWarpUniform(program: IrProgram): ReadonlySet<ValueId> {
  return findFollowing(program, (input) => isUniformInWarp(program, input));
}

/** Whether a fragment program only writes results that are the same for all pixels of a triangle. */
export function isSameForTriangle(program: IrProgram): boolean {
  if (program.kind !== 'fragment') return false;
  const same = findFollowing(program, (input) =>
    input.kind === 'varying'
      ? input.interpolation === 'flat'
      : input.kind === 'builtin' && input.builtin === 'front_facing'
  );
  return program.body.every(
    (node) =>
      node.kind === 'op'
      && (node.op === 'output'
        ? same.has(node.args[0]!)
        : node.results.length > 0 && node.results.every((id) => same.has(id)))
  );
}

/** Values that depend only on constants, bindings, sizes and the `given` inputs. */
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
