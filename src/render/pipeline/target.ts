// Encodes how a colour attachment is written: the TARGET record of a pipeline's draw calls. The kernel derives more
// fields from format and state (assembly/output/target.ts), so that nothing has to be decided when warps are written.
import { Target } from '../../../build/layout';
import type { IrOutput } from '../../ir';
import { blendFactorNumber, blendOperationNumber } from '../enums';
import type { BlendComponentState, TargetState } from '../types';

/** Runs the kernel's prepareTarget on a record. */
export type PrepareTarget = (record: Uint8Array) => void;

/** Whether the previous contents matter. source · 1 + destination · 0 replaces them. */
export function blends(target: TargetState): boolean {
  const replaces = ({ operation, srcFactor, dstFactor }: BlendComponentState): boolean =>
    operation === 'add' && srcFactor === 'one' && dstFactor === 'zero';
  return target.blend !== null && !(replaces(target.blend.color) && replaces(target.blend.alpha));
}

/** Writes the record of the attachment at `location`. `firstOutput`: register of the shader's first output. */
export function putTarget(
  record: Uint8Array,
  target: TargetState | null,
  location: number,
  outputs: readonly IrOutput[],
  firstOutput: number,
  prepare: PrepareTarget
): void {
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  const put = (field: number, value: number): void => view.setInt32(field, value, true);
  const registers = [0, 1, 2, 3].map((component) => {
    const index = outputs.findIndex(
      (output) => output.kind === 'color' && output.location === location && output.component === component
    );
    return index < 0 ? -1 : firstOutput + index;
  });
  registers.forEach((register, component) => put(Target.registers + component * 4, register));
  if (!target || registers[0]! < 0) return;
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
