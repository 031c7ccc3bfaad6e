// Words of arrays of which each lane reads some that follow each other, as `a[3 * i]`, `a[3 * i + 1]` and
// `a[3 * i + 2]`: a vector of each lane, and the four transposed, in place of four words each.

import { isAtomic, type Instruction } from '../../ir';
import type { Operation } from '../control';
import { i32, i32x4, v128, type I32, type Local } from '../wasm/expression';
import { areInside, loadTransposed } from './memory';
import { indexedBy, multipleOf } from './spread';
import type { Values } from './values';
import { Binding, gatherHeld } from './words';

/** So many words lie from lane to lane at least: else lanes are better read one word after the other. */
const LEAST = 3;
const WORD = 4;

type Row = readonly [Operation, ...(Operation | null)[]];

/** Whether what a load reads after it may be something else than before it. */
const mayWrite = ({ op, imm }: Instruction, resource: number): boolean => (
  op === 'barrier' || (imm === resource && (op.startsWith('storage.store') || isAtomic(op)))
);

/** `first`, and the loads of the one, two and three words behind its own; null where there are fewer than two more. */
function rowFrom(values: Values, first: Operation): Row | null {
  const { op, args, imm } = first.instruction, { control: { roots }, needs } = values;
  const start = indexedBy(values, args[0]!);
  if (start === null || multipleOf(values, start.base) < LEAST) return null;
  const isHad = ({ args: [offset], results: [result] }: Instruction): boolean => (
    needs.uses[result!]! > 0 && new Binding(values, imm).holds(offset!)
  );
  if (!isHad(first.instruction)) return null;
  const row: [Operation, ...(Operation | null)[]] = [first, null, null, null], { list } = first;
  for (let i = list.indexOf(first) + 1; i < list.length; i++) {
    const step = list[i]!;
    if (step.kind !== 'op' || mayWrite(step.instruction, imm)) break;
    const { instruction } = step, offset = instruction.args[0]!;
    if (instruction.op !== op || instruction.imm !== imm || !isHad(instruction)) continue;
    const next = indexedBy(values, offset), slot = next === null ? 0 : next.added - start.added;
    if (next === null || roots[next.base] !== roots[start.base] || roots[next.last] !== roots[start.last]) continue;
    const isInPlace = needs.inPlace[roots[offset]!]! > 0 && needs.inPlace[roots[next.clamped]!]! > 0;
    if (row[slot] === null && (values.canHave(offset) || (isInPlace && values.canBring(next.index)))) row[slot] = step;
  }
  return row.filter((member) => member !== null).length < LEAST ? null : row;
}

/** Loads a row, and adds it to `loaded`; false where there is none. */
export function loadStrided(values: Values, first: Operation, loaded: Set<Operation>): boolean {
  if (values.program.kind !== 'compute') return false;
  const row = rowFrom(values, first);
  if (row === null) return false;
  const { frame: { writer } } = values, { imm } = first.instruction, binding = new Binding(values, imm);
  const offsets = row.map((member) => member && offsetOf(values, member));
  const rows = [
    writer.local('v128'), writer.local('v128'), writer.local('v128'), writer.local('v128'),
  ] as const;
  const start = offsets[0]!, places = i32x4.sum(start, i32x4.splat(binding.address));
  writer.if(areWhole(values, offsets, imm), () => loadTransposed(values, start, places, rows), () => {
    offsets.forEach((offset, k) => { if (offset) writer.set(rows[k]!, gatherHeld(binding, offset)); });
  });
  row.forEach((member, k) => {
    if (member === null) return;
    loaded.add(member);
    values.keep(member.instruction.results[0]!, rows[k]!);
  });
  for (const local of [...offsets, ...rows]) if (local) writer.release(local);
  return true;
}

function offsetOf(values: Values, { instruction: { args: [offset] } }: Operation): Local<'v128'> {
  if (!values.canHave(offset!)) values.bring(indexedBy(values, offset!)!.index);
  return values.frame.writer.kept('v128', values.value(offset!));
}

/** Whether no word of a row was clamped: the last one lies where it should, and so do those between. */
function areWhole(values: Values, offsets: readonly (Local<'v128'> | null)[], resource: number): I32 {
  const slot = offsets.findLastIndex((offset) => offset !== null), first = offsets[0]!;
  const far = v128.xor(i32x4.difference(offsets[slot]!, first), values.frame.splat(slot * WORD));
  const isRow = i32.isZero(v128.isAny(far));
  return slot === 3 ? isRow : i32.and(isRow, areInside(values, first, resource));
}
