// How a colour attachment is written, as the kernels read it: the TARGET record of a pipeline's draws. The kernel
// adds what it makes of the format and the state (assembly/output/target.ts), so that nothing of them is asked when
// warps are written.
import { Target } from '../../build/layout';
import { findConstantOutputs, type IrProgram, type ScalarType } from '../ir';
import { blendFactorNumber, blendOperationNumber } from './enums';
import type { BlendComponentState, TargetState } from './types';

/** Runs the kernel's prepareTarget on a record. */
export type PrepareTarget = (record: Uint8Array) => void;

/** Whether what was there before has a say: source · 1 + destination · 0 replaces it. */
export function blends(target: TargetState): boolean {
  const replaces = ({ operation, srcFactor, dstFactor }: BlendComponentState): boolean =>
    operation === 'add' && srcFactor === 'one' && dstFactor === 'zero';
  return target.blend !== null && !(replaces(target.blend.color) && replaces(target.blend.alpha));
}

/** Bits of what a channel is that a program does not write: 0, 0, 0, 1. */
const missingBits = (component: number, type: ScalarType): number =>
  component < 3 ? 0 : type === 'f32' ? 0x3f800000 : 1;

/**
 * Writes the record of the attachment at `location`. `firstOutput`: register of the first of the program's outputs. A
 * channel that is always what a missing one would be counts as one: most programs that draw opaque things write an
 * alpha of 1.
 */
export function putTarget(
  record: Uint8Array, target: TargetState | null, location: number,
  program: IrProgram | null, firstOutput: number, prepare: PrepareTarget,
): void {
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  const put = (field: number, value: number): void => view.setInt32(field, value, true);
  for (let component = 0; component < 4; component++) put(Target.registers + component * 4, -1);
  if (!target || !program) return;
  const constants = findConstantOutputs(program);
  let written = false;
  program.outputs.forEach((output, index) => {
    if (output.kind !== 'color' || output.location !== location) return;
    written = true;
    const { component, type } = output;
    if (constants[index] !== missingBits(component, type))
      put(Target.registers + component * 4, firstOutput + index);
  });
  if (!written) return;
  put(Target.format, target.format.id);
  put(Target.writeMask, target.writeMask);
  if (target.blend && blends(target)) {
    const { color, alpha } = target.blend;
    put(Target.blend, 1);
    put(Target.colorOp, blendOperationNumber[color.operation]);
    put(Target.colorSrc, blendFactorNumber[color.srcFactor]!);
    put(Target.colorDst, blendFactorNumber[color.dstFactor]!);
    put(Target.alphaOp, blendOperationNumber[alpha.operation]);
    put(Target.alphaSrc, blendFactorNumber[alpha.srcFactor]!);
    put(Target.alphaDst, blendFactorNumber[alpha.dstFactor]!);
  }
  prepare(record);
}
