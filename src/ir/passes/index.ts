// Passes in their order. Each keeps every bit of every output (a lane that never ends, never ends).

import type { IrProgram } from '../program';
import { countNodes } from '../walk';
import { dropUnused } from './dead';
import type { ConstantMath } from './fold';
import { hoistInvariants } from './invariant';
import { propagate } from './propagate';
import { scalarizeArrays } from './scalars';
import { convertBranches } from './select';
import { structure } from './structure';
import { unroll } from './unroll';

/** More rounds find nothing in practice; each must shrink or reshape the program for another to be run. */
const MAX_ROUNDS = 8;

/** The program made fast. `math` folds what + − × ÷ and sqrt do not cover, with the bits of the kernel. */
export function optimize(program: IrProgram, math: ConstantMath): IrProgram {
  let current = program;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = current;
    current = dropUnused(structure(propagate(current, math)));
    const unrolled = unroll(current, math);
    if (unrolled !== current) {
      current = scalarizeArrays(propagate(unrolled, math));
      continue;
    }
    current = scalarizeArrays(dropUnused(convertBranches(current)));
    if (countNodes(current.body) === countNodes(before.body) && current.variables.length === before.variables.length) break;
  }
  return dropUnused(propagate(hoistInvariants(current), math));
}
