// How the invocations of workgroups lie in warps, and on which of their built-in values lanes agree.

import { isOfQuad } from './ops';
import type { IrInput, IrProgram } from './program';
import { forEachInstruction } from './walk';

const WARP_LANES = 64;

/** Invocations of a workgroup. */
export const invocationsOf = ({ workgroupSize }: Pick<IrProgram, 'workgroupSize'>): number => (
  (workgroupSize ?? [1]).reduce((product, extent) => product * extent, 1)
);

/** Whether workgroups of a program may share a warp: small ones that have no memory of their own, and no parts. */
export const sharesWarps = (program: IrProgram): boolean => program.parts === undefined
  && !program.resources.some(({ kind }) => kind === 'workgroup') && 2 * invocationsOf(program) <= WARP_LANES;

/** Whether each quad of a compute program starts, and starts each part, with four lanes that are on. */
export const startsWhole = (program: IrProgram): boolean => program.kind === 'compute'
  && invocationsOf(program) % 4 === 0 && (program.parts === undefined || program.partsTogether === true);

/** Whether lanes of a quad ask each other: then a quad belongs to one workgroup. */
export function asksLanes(program: IrProgram): boolean {
  let found = false;
  forEachInstruction(program.body, ({ op }) => { found ||= isOfQuad(op); });
  return found;
}

type BuiltinInput = Extract<IrInput, { kind: 'builtin' }>;

/** Whether all lanes of a warp have the same value. */
export function agreesInWarp(program: IrProgram, input: IrInput): boolean {
  if (program.kind !== 'compute' || input.kind !== 'builtin') return false;
  return input.builtin === 'part' || input.builtin === 'num_workgroups'
    || (input.builtin === 'workgroup_id' && !sharesWarps(program));
}

/** Whether four or eight lanes that lie side by side, from a multiple of that on, have the same value. */
export function agreesInQuad(program: IrProgram, input: IrInput, lanes: 4 | 8 = 4): boolean {
  if (program.kind !== 'compute' || input.kind !== 'builtin') return false;
  if (agreesInWarp(program, input)) return true;
  // Of smaller groups, a quad holds several; two quads do of those that have an odd number of quads.
  const invocations = invocationsOf(program);
  if (invocations < 3 || (lanes === 8 && sharesWarps(program) && invocations % 8 !== 0)) return false;
  return input.builtin === 'workgroup_id' || isAcrossRows(program, input, lanes);
}

/** Rows of whole quads: a quad's lanes differ in x alone. */
function isAcrossRows({ workgroupSize }: IrProgram, input: BuiltinInput, lanes: number): boolean {
  if (input.builtin !== 'local_invocation_id' && input.builtin !== 'global_invocation_id') return false;
  return workgroupSize![input.component] === 1 || (input.component > 0 && workgroupSize![0] % lanes === 0);
}
