// Analyses words of arrays that are not adjacent from lane to lane, such as `a[3 * i]`.

import type { Instruction, ValueId } from '../../ir';
import { bitsOf, splitOffset, type Control } from '../control';

/** Maximum depth to which an index is analysed. */
const MAX_DEPTH = 6;

interface Known {
  readonly control: Control;
  isConvergent(id: ValueId): boolean;
}

/** The offset of a word of an array whose index is clamped to the last element: 4 · min(base + added, last). */
interface Indexed {
  readonly index: ValueId;
  readonly base: ValueId;
  readonly added: number;
  readonly last: ValueId;
  readonly clamped: ValueId;
}

const definition = ({ definitions, roots }: Control, id: ValueId): Instruction => definitions[roots[id]!]!.instruction;

export function indexedBy(known: Known, offset: ValueId): Indexed | null {
  const { control } = known;
  const {
    op,
    args: [clamped, shift],
  } = definition(control, offset);
  if (op !== 'int.shl' || bitsOf(control, shift!) !== 2) return null;
  const {
    op: least,
    args: [index, last],
  } = definition(control, clamped!);
  if (least !== 'u32.min' || !known.isConvergent(last!) || known.isConvergent(index!)) return null;
  const { base, immediate } = splitOffset(control, control.roots[index!]!);
  return base === null ? null : { index: index!, base, added: immediate, last: last!, clamped: clamped! };
}

/** A number that divides the difference between the indices of any two lanes, unless an index wraps; 1 if unknown. */
export function multipleOf(known: Known, id: ValueId, depth = MAX_DEPTH): number {
  const { control } = known;
  const { op, args } = definition(control, id);
  const [a, b] = args;
  if (depth === 0) return 1;
  const ofOther = (): number => {
    if (known.isConvergent(b!)) return multipleOf(known, a!, depth - 1);
    return known.isConvergent(a!) ? multipleOf(known, b!, depth - 1) : 1;
  };
  switch (op) {
    case 'int.cast':
      return multipleOf(known, a!, depth - 1);
    case 'int.add':
    case 'int.sub':
      return ofOther();
    case 'int.shl':
      return 2 ** ((bitsOf(control, b!) ?? 0) & 31);
    case 'int.mul':
      return bitsOf(control, b!) ?? bitsOf(control, a!) ?? 1;
    default:
      return 1;
  }
}

/** Whether the words at an offset are never adjacent, except in clamped lanes. */
export function areApart(known: Known, offset: ValueId): boolean {
  const found = indexedBy(known, offset);
  return found !== null && multipleOf(known, found.base) > 1;
}
