// Finds values that are uniform for a draw call, because they depend only on constants, bindings and sizes. They are
// pure and total, so a code generator may compute them once per draw call, wherever they are used.

import { opInfo, readsTexture, type OpName } from '../ops';
import type { Instruction, IrInput, IrProgram, ValueId } from '../program';
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
  const same = findFollowing(program, isFlat);
  return program.body.every(
    (node) =>
      node.kind === 'op'
      && (node.op === 'output'
        ? same.has(node.args[0]!)
        : node.results.length > 0 && node.results.every((id) => same.has(id)))
  );
}

/** Whether an input is the same for all pixels of a triangle. */
function isFlat(input: IrInput): boolean {
  return input.kind === 'varying'
    ? input.interpolation === 'flat'
    : input.kind === 'builtin' && input.builtin === 'front_facing';
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

/** Operations that keep a coordinate steady if their other argument is the same for all pixels. */
const STEADY: ReadonlySet<OpName> = new Set([
  'f32.add',
  'f32.sub',
  'f32.mul',
  'f32.neg',
  'f32.floor',
  'i32.fromF32',
  'u32.fromF32',
  'f32.fromI32',
  'f32.fromU32',
]);

/**
 * Whether the results of a fragment program follow from texels of 2D textures and uniform values alone, and what the
 * coordinates follow from. They must be steady: along rows of pixels, each one grows, shrinks or stays, and along
 * columns. Then it lies between its values at the corners of a rectangle of pixels.
 */
export function texelSources(program: IrProgram): 'position' | 'varyings' | null {
  if (program.kind !== 'fragment') return null;
  const same = new Set<ValueId>();
  const steady = new Set<ValueId>();
  let varyings = false;
  let reads = 0;
  for (const node of program.body) {
    if (node.kind !== 'op') return null;
    const { op, args, results, imm, texture } = node;
    const isSame = args.every((id) => same.has(id));
    if (op === 'output') {
      if (!isSame || program.outputs[imm]!.kind !== 'color') return null;
    } else if (op === 'input') {
      const input = program.inputs[imm]!;
      if (isFlat(input)) {
        same.add(results[0]!);
        continue;
      }
      if (!isSteady(input)) return null;
      varyings ||= input.kind === 'varying';
      steady.add(results[0]!);
    } else if (texture && readsTexture(op)) {
      const isRead = isPlainRead(program, node) && args.every((id, k) => same.has(id) || (k < 2 && steady.has(id)));
      if (!isRead) return null;
      reads++;
      for (const id of results) same.add(id);
    } else if (!opInfo(op).pure) return null;
    else if (isSame) for (const id of results) same.add(id);
    else if (isStep(op, args, same, steady)) steady.add(results[0]!);
    else return null;
  }
  return reads === 0 ? null : varyings ? 'varyings' : 'position';
}

/** Whether an operation makes a steady coordinate of another one. */
function isStep(
  op: OpName,
  args: readonly ValueId[],
  same: ReadonlySet<ValueId>,
  steady: ReadonlySet<ValueId>
): boolean {
  if (op === 'f32.div') return steady.has(args[0]!) && same.has(args[1]!);
  return (
    STEADY.has(op)
    && args.every((id) => same.has(id) || steady.has(id))
    && args.filter((id) => !same.has(id)).length === 1
  );
}

/** Whether an input at pixel centres is steady where w is 1. */
function isSteady(input: IrInput): boolean {
  if (input.kind === 'varying')
    return input.interpolation !== 'flat' && input.sampling === 'center' && input.type === 'f32';
  return input.kind === 'builtin' && input.builtin === 'position' && input.component < 2 && input.ofSample !== true;
}

/** Whether an instruction samples or loads a 2D texture, without comparison and at its own level or a given one. */
function isPlainRead({ resources }: IrProgram, { op, texture }: Instruction): boolean {
  const { mode, compare, texture: index } = texture!;
  const resource = resources[index]!;
  if (op !== 'texture.sample' && op !== 'texture.load') return false;
  if (mode !== 'implicit' && mode !== 'level' && mode !== 'load') return false;
  return !compare && resource.kind === 'texture' && resource.dimension === '2d' && !resource.multisampled;
}
