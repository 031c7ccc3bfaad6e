// The sequence of optimisation passes. Each pass preserves every bit of every output, and an endless lane stays
// endless.

import { finish, type Steps } from '../../base/steps';
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
import { dropZeroSums } from './zeros';

/**
 * Maximum number of rounds. More rounds find nothing in practice; a round only follows one that changed the program.
 */
const MAX_ROUNDS = 8;
/**
 * Node counts from which the optimiser runs only one round, and none after the first cleanup. Handwritten shaders stay
 * below: three.js's physical material with every map ends at 2 839 nodes. For larger programs, such as 150 kB of loops,
 * optimisation took too long.
 */
const LARGE_NODES = 6_000;
const HUGE_NODES = 10_000;

/** Optimises a program. `math` folds functions other than + − × ÷ and sqrt, with the same bits as the kernel. */
export const optimize = (program: IrProgram, math: ConstantMath): IrProgram => finish(optimizing(program, math));

/** Same as `optimize`, in steps. */
export function* optimizing(program: IrProgram, math: ConstantMath): Steps<IrProgram> {
  /** Whether the last cleanup found no blocks, loops or leaves, so that another one would find nothing. */
  let isStructured = false;
  function* cleaned(changed: IrProgram): Steps<IrProgram> {
    yield;
    const propagated = propagate(changed, math);
    yield;
    const structured = structure(propagated);
    isStructured = structured === propagated;
    return dropUnused(structured);
  }
  // The first unrolling runs before the first cleanup, which then covers the unrolled loops too.
  let current = yield* cleaned(unroll(program, math));
  const nodes = countNodes(current.body);
  if (nodes > HUGE_NODES) return current;
  const rounds = nodes > LARGE_NODES ? 1 : MAX_ROUNDS;
  for (let round = 0; round < rounds && !isStraight(current); round++) {
    yield;
    const scalars = scalarizeArrays(current);
    const unrolled = unroll(scalars, math);
    const changed = unrolled === scalars ? convertBranches(scalars) : unrolled;
    if (changed === current && isStructured) break;
    const next: IrProgram = yield* cleaned(changed);
    const settled =
      unrolled === current
      && countNodes(next.body) === countNodes(current.body)
      && next.variables.length === current.variables.length;
    current = next;
    if (settled) break;
  }
  yield;
  const hoisted = hoistInvariants(current, math);
  const last = hoisted === current ? current : dropUnused(propagate(hoisted, math));
  yield;
  const dropped = dropZeroSums(last);
  return dropped === last ? last : dropUnused(dropped);
}

/** Whether a program consists only of instructions. One forward walk then finds everything. */
function isStraight({ body, variables, arrays }: IrProgram): boolean {
  return (
    variables.length === 0
    && arrays.every(({ constants }) => constants !== undefined)
    && body.every(({ kind }) => kind === 'op')
  );
}
