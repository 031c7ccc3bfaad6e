// How the interpreter's instructions and the JIT's sites describe texture reads to the kernel.

import {
  MODE_BIAS,
  MODE_GATHER,
  MODE_GRAD,
  MODE_IMPLICIT,
  MODE_LEVEL,
} from '../../assembly/layout/texture/texture-codes';
import { unreachable } from '../base/assert';
import { accessOperands, type IrProgram, type TextureAccess } from '../ir';

const SITE_MODES = {
  implicit: MODE_IMPLICIT,
  bias: MODE_BIAS,
  level: MODE_LEVEL,
  grad: MODE_GRAD,
  load: MODE_LEVEL,
  gather: MODE_GATHER,
} as const;
/** MODE_*; for a gather, plus its channel. */
export const modeOf = ({ mode, component = 0 }: TextureAccess): number => SITE_MODES[mode] + component;

type TextureResource = Extract<IrProgram['resources'][number], { kind: 'texture' }>;

export function textureOf(program: IrProgram, access: TextureAccess): TextureResource {
  const resource = program.resources[access.texture]!;
  return resource.kind === 'texture' ? resource : unreachable('codegen: a texture read of no texture');
}

/** Slot of the level, or of the bias. */
export const LEVEL_SLOT = 4;

/** Slot (u, v, w, layer, level, compare, ddx u v w, ddy u v w) of each argument of a texture read. */
export function operandSlots(program: IrProgram, access: TextureAccess): number[] {
  const { dimension } = textureOf(program, access);
  const arrayed = dimension.endsWith('-array');
  const count = accessOperands(dimension, { mode: 'implicit', compare: false }).length - (arrayed ? 1 : 0);
  const coordinates = [0, 1, 2].slice(0, count);
  const slots = [...coordinates];
  if (arrayed) slots.push(3);
  if (access.mode === 'bias' || access.mode === 'level' || access.mode === 'load') slots.push(LEVEL_SLOT);
  if (access.mode === 'grad') slots.push(...coordinates.map((k) => 6 + k), ...coordinates.map((k) => 9 + k));
  if (access.compare) slots.push(5);
  return slots;
}
