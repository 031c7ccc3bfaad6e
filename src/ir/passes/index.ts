// Passes in their order. Each keeps every bit of every output (a lane that never ends, never ends).

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

/** More rounds find nothing in practice; each must shrink or reshape the program for another to be run. */
const MAX_ROUNDS = 8;
/**
 * Nodes of a program that one round has to do for, and of one that has been cleaned enough: no shader that a person
 * writes has so many (three.js's physical material with every map has 2 839 in the end), and making those of others
 * fast took longer than they may (150 kB of loops).
 */
const LARGE_NODES = 6_000, HUGE_NODES = 10_000;

/** The program made fast. `math` folds what + − × ÷ and sqrt do not cover, with the bits of the kernel. */
export const optimize = (program: IrProgram, math: ConstantMath): IrProgram => finish(optimizing(program, math));

/** `optimize` in steps. */
export function* optimizing(program: IrProgram, math: ConstantMath): Steps<IrProgram> {
  function* cleaned(changed: IrProgram): Steps<IrProgram> {
    yield;
    const propagated = propagate(changed, math);
    yield;
    return dropUnused(structure(propagated));
  }
  // What is written out at once need not be cleaned twice.
  let current = yield* cleaned(unroll(program, math));
  const nodes = countNodes(current.body);
  if (nodes > HUGE_NODES) return current;
  const rounds = nodes > LARGE_NODES ? 1 : MAX_ROUNDS;
  for (let round = 0; round < rounds && !isStraight(current); round++) {
    yield;
    const scalars = scalarizeArrays(current);
    const unrolled = unroll(scalars, math);
    const next: IrProgram = yield* cleaned(unrolled === scalars ? convertBranches(scalars) : unrolled);
    const settled = unrolled === current && countNodes(next.body) === countNodes(current.body)
      && next.variables.length === current.variables.length;
    current = next;
    if (settled) break;
  }
  yield;
  const hoisted = hoistInvariants(current);
  const last = hoisted === current ? current : dropUnused(propagate(hoisted, math));
  yield;
  const dropped = dropZeroSums(last);
  return dropped === last ? last : dropUnused(dropped);
}

/** Nothing but instructions: one walk forwards has then found all there is. */
function isStraight({ body, variables, arrays }: IrProgram): boolean {
  return variables.length === 0 && arrays.every(({ constants }) => constants !== undefined)
    && body.every(({ kind }) => kind === 'op');
}
