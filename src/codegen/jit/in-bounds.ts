// Recognises offsets that are inside their binding whatever its size. The front end clamps an index of a runtime-sized
// array to the last element, and no binding is smaller than one element (WebGPU §8.3, minimum buffer binding size). An
// access within a clamped element therefore needs no further check.

import { WORD } from '../../base/bits';
import type { Instruction, IrResource, Lanes, ValueId } from '../../ir';
import { bitsOf, type Control } from '../control';

/** Maximum number of terms of a sum that are analysed. */
const MAX_TERMS = 8;

interface Element {
  readonly index: ValueId;
  readonly stride: number;
  /** Byte offset of the array. */
  readonly first: number;
}
interface Known {
  readonly control: Control;
  readonly lanes: Lanes;
}

/** Whether `bytes` at an offset are inside a buffer, in all lanes. */
export function isInside(
  { control, lanes }: Known,
  {
    offset,
    bytes,
    resource,
    described,
  }: { readonly offset: ValueId; readonly bytes: number; readonly resource: number; readonly described: IrResource }
): boolean {
  if (described.kind !== 'storage' && described.kind !== 'uniform') return false;
  const terms: ValueId[] = [];
  const constant = termsOf(control, offset, terms);
  if (terms.length > MAX_TERMS) return false;
  let least = constant + bytes;
  let element: Element | null = null;
  for (const term of terms) {
    const found: Element | null = element === null ? elementOf(control, term, resource) : null;
    if (found === null) least += lanes.rangeOf(term).maximum;
    else element = found;
  }
  if (element === null) return least <= described.minSize;
  const { first, stride } = element;
  return first + stride <= described.minSize && least <= first + stride;
}

/**
 * Whether the words of four lanes are contiguous, provided that those after the first lane's are inside. This holds for
 * words of an array whose index increases by one per lane until it is clamped.
 */
export function isRowUnlessClamped({ control, lanes }: Known, offset: ValueId, resource: number): boolean {
  const terms: ValueId[] = [];
  termsOf(control, offset, terms);
  const element = terms.length === 1 ? elementOf(control, terms[0]!, resource) : null;
  return element !== null && element.stride === WORD && lanes.stepOf(element.index) === 1;
}

const definition = ({ definitions, roots }: Control, id: ValueId): Instruction => definitions[roots[id]!]!.instruction;

/** Returns the sum of an offset's constants and appends its other terms to `terms`. */
function termsOf(control: Control, id: ValueId, terms: ValueId[]): number {
  const bits = bitsOf(control, id);
  if (bits !== undefined) return bits >>> 0;
  const { op, args } = definition(control, id);
  if (op === 'int.add' && terms.length < MAX_TERMS)
    return termsOf(control, args[0]!, terms) + termsOf(control, args[1]!, terms);
  terms.push(id);
  return 0;
}

/** The element of a runtime-sized array at which a term starts, if its index is clamped to the last one. */
function elementOf(control: Control, term: ValueId, resource: number): Element | null {
  const { op, args } = definition(control, term);
  let index = term;
  let stride = 1;
  if (op === 'int.shl') {
    const shift = bitsOf(control, args[1]!);
    if (shift === undefined) return null;
    [index, stride] = [args[0]!, 2 ** (shift & 31)];
  } else if (op === 'int.mul') {
    const at = bitsOf(control, args[1]!) === undefined ? 0 : 1;
    const factor = bitsOf(control, args[at]!);
    if (factor === undefined) return null;
    [index, stride] = [args[1 - at]!, factor >>> 0];
  }
  const clamped = definition(control, index);
  if (clamped.op !== 'u32.min') return null;
  for (const [k, most] of clamped.args.entries()) {
    const first = firstOf(control, { last: most, stride, resource });
    if (first !== null) return { index: clamped.args[1 - k]!, stride, first };
  }
  return null;
}

/** The byte offset of an array whose last element has the index `last` = (size − first) / stride − 1. */
function firstOf(
  control: Control,
  { last, stride, resource }: { last: ValueId; stride: number; resource: number }
): number | null {
  const count = lessConstant(control, last);
  if (count === null || count.constant !== 1) return null;
  const { op, args } = definition(control, count.value);
  const divisor = args[1];
  const by = divisor === undefined ? undefined : bitsOf(control, divisor);
  const isCount =
    by !== undefined && ((op === 'u32.shr' && 2 ** (by & 31) === stride) || (op === 'u32.div' && by >>> 0 === stride));
  if (!isCount) return null;
  const isSize = (id: ValueId): boolean => {
    const size = definition(control, id);
    return size.op === 'buffer.size' && size.imm === resource;
  };
  if (isSize(args[0]!)) return 0;
  const behind = lessConstant(control, args[0]!);
  return behind !== null && isSize(behind.value) ? behind.constant : null;
}

/** Matches x − c, also in the form x + −c. */
function lessConstant(control: Control, id: ValueId): { value: ValueId; constant: number } | null {
  const { op, args } = definition(control, id);
  const bits = args[1] === undefined ? undefined : bitsOf(control, args[1]);
  if (bits === undefined || (op !== 'int.sub' && op !== 'int.add')) return null;
  return { value: args[0]!, constant: (op === 'int.sub' ? bits : -bits) >>> 0 };
}
