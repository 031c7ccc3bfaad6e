// Describes how the invocations of workgroups are laid out in warps, and on which built-in values lanes agree.

import { readsQuadLanes } from './ops';
import type { IrInput, IrProgram } from './program';
import { forEachInstruction } from './walk';

const WARP_LANES = 64;

/** Number of invocations in a workgroup. */
export const invocationsOf = ({ workgroupSize }: Pick<IrProgram, 'workgroupSize'>): number =>
  (workgroupSize ?? [1]).reduce((product, extent) => product * extent, 1);

/** Whether several workgroups may share a warp: they are small and have neither workgroup memory nor parts. */
export const sharesWarps = (program: IrProgram): boolean =>
  program.parts === undefined
  && !program.resources.some(({ kind }) => kind === 'workgroup')
  && 2 * invocationsOf(program) <= WARP_LANES;

/** Whether each quad of a compute program has four active lanes at the start of the program and of each part. */
export const startsWithFullQuads = (program: IrProgram): boolean =>
  program.kind === 'compute'
  && invocationsOf(program) % 4 === 0
  && (program.parts === undefined || program.partsInLockstep === true);

/** Whether lanes of a quad read each other. Each quad then belongs to a single workgroup. */
export function readsOtherLanes(program: IrProgram): boolean {
  let found = false;
  forEachInstruction(program.body, ({ op }) => {
    found ||= readsQuadLanes(op);
  });
  return found;
}

type BuiltinInput = Extract<IrInput, { kind: 'builtin' }>;

/** Whether all lanes of a warp have the same value. */
export function isUniformInWarp(program: IrProgram, input: IrInput): boolean {
  if (program.kind !== 'compute' || input.kind !== 'builtin') return false;
  return (
    input.builtin === 'part'
    || input.builtin === 'num_workgroups'
    || (input.builtin === 'workgroup_id' && !sharesWarps(program))
  );
}

/** Whether the value is the same in four or eight adjacent lanes, starting at a multiple of that number. */
export function isUniformInQuad(program: IrProgram, input: IrInput, lanes: 4 | 8 = 4): boolean {
  if (program.kind !== 'compute' || input.kind !== 'builtin') return false;
  if (isUniformInWarp(program, input)) return true;
  // A quad contains several workgroups if they are smaller; two quads do if workgroups have an odd number of quads.
  const invocations = invocationsOf(program);
  if (invocations < 3 || (lanes === 8 && sharesWarps(program) && invocations % 8 !== 0)) return false;
  return input.builtin === 'workgroup_id' || isAcrossRows(program, input, lanes);
}

/** Rows consist of whole quads, so the lanes of a quad differ only in x. */
function isAcrossRows({ workgroupSize }: IrProgram, input: BuiltinInput, lanes: number): boolean {
  if (input.builtin !== 'local_invocation_id' && input.builtin !== 'global_invocation_id') return false;
  return workgroupSize![input.component] === 1 || (input.component > 0 && workgroupSize![0] % lanes === 0);
}
