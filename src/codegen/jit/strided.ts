// Combines accesses in which each lane reads or writes several consecutive words, as in `a[3 * i]`, `a[3 * i + 1]` and
// `a[3 * i + 2]`. Each lane accesses one vector, and the four vectors are transposed, instead of four words each.

import { WORD } from '../../base/bits';
import { isAtomic, type Instruction } from '../../ir';
import type { Operation } from '../control';
import { i32, i32x4, v128, type I32, type Local } from '../wasm/expression';
import { areInside, loadTransposed, transpose, type Four } from './memory';
import { indexedBy, multipleOf } from './spread';
import type { Values } from './values';
import { Binding, gatherHeld } from './words';

/** Minimum stride between lanes in words. Below that, reading word by word is faster. */
const MIN_ROW_LOADS = 3;

type Row = readonly [Operation, ...(Operation | null)[]];

/** Whether a load may read another value after the instruction than before it. */
const mayWrite = ({ op, imm }: Instruction, resource: number): boolean =>
  op === 'barrier' || (imm === resource && (op.startsWith('storage.store') || isAtomic(op)));

/** `first`, and loads of the next one, two and three words; null if there are fewer than two more. */
function rowFrom(values: Values, first: Operation): Row | null {
  const { op, args, imm } = first.instruction;
  const {
    control: { roots },
    needs,
  } = values;
  const start = indexedBy(values, args[0]!);
  if (start === null || multipleOf(values, start.base) < MIN_ROW_LOADS) return null;
  const isHad = ({ args: [offset], results: [result] }: Instruction): boolean =>
    needs.uses[result!]! > 0 && new Binding(values, imm).holds(offset!);
  if (!isHad(first.instruction)) return null;
  const row: [Operation, ...(Operation | null)[]] = [first, null, null, null];
  const { list } = first;
  for (let i = list.indexOf(first) + 1; i < list.length; i++) {
    const step = list[i]!;
    if (step.kind !== 'op' || mayWrite(step.instruction, imm)) break;
    const { instruction } = step;
    const offset = instruction.args[0]!;
    if (instruction.op !== op || instruction.imm !== imm || !isHad(instruction)) continue;
    const next = indexedBy(values, offset);
    const slot = next === null ? 0 : next.added - start.added;
    if (next === null || roots[next.base] !== roots[start.base] || roots[next.last] !== roots[start.last]) continue;
    const isInPlace = needs.inPlace[roots[offset]!]! > 0 && needs.inPlace[roots[next.clamped]!]! > 0;
    if (row[slot] === null && (values.canHave(offset) || (isInPlace && values.canPrecompute(next.index))))
      row[slot] = step;
  }
  return row.filter((member) => member !== null).length < MIN_ROW_LOADS ? null : row;
}

/** Loads a row and adds its loads to `loaded`; false if there is none. */
export function loadStrided(values: Values, first: Operation, loaded: Set<Operation>): boolean {
  if (values.program.kind !== 'compute') return false;
  const row = rowFrom(values, first);
  if (row === null) return false;
  const {
    frame: { writer },
  } = values;
  const { imm } = first.instruction;
  const binding = new Binding(values, imm);
  const offsets = row.map((member) => member && offsetOf(values, member));
  const rows = [writer.local('v128'), writer.local('v128'), writer.local('v128'), writer.local('v128')] as const;
  const start = offsets[0]!;
  const places = i32x4.sum(start, i32x4.splat(binding.address));
  writer.if(
    areWhole(values, offsets, imm),
    () => loadTransposed(values, start, places, rows),
    () => {
      offsets.forEach((offset, k) => {
        if (offset) writer.set(rows[k]!, gatherHeld(binding, offset));
      });
    }
  );
  row.forEach((member, k) => {
    if (member === null) return;
    loaded.add(member);
    values.keep(member.instruction.results[0]!, rows[k]!);
  });
  for (const local of [...offsets, ...rows]) if (local) writer.release(local);
  return true;
}

function offsetOf(
  values: Values,
  {
    instruction: {
      args: [offset],
    },
  }: Operation
): Local<'v128'> {
  if (!values.canHave(offset!)) values.precompute(indexedBy(values, offset!)!.index);
  return values.frame.writer.kept('v128', values.value(offset!));
}

/** Whether no word of a row was clamped. If the last one is at its regular place, so are those before it. */
function areWhole(values: Values, offsets: readonly (Local<'v128'> | null)[], resource: number): I32 {
  const slot = offsets.findLastIndex((offset) => offset !== null);
  const first = offsets[0]!;
  const far = v128.xor(i32x4.difference(offsets[slot]!, first), values.frame.splat(slot * WORD));
  const isRow = i32.isZero(v128.isAny(far));
  return slot === 3 ? isRow : i32.and(isRow, areInside(values, first, resource));
}

/** A store that waits for the others of its row. */
interface Waiting {
  readonly slot: number;
  readonly offset: Local<'v128'>;
  readonly value: Local<'v128'>;
}
interface StoreRow {
  readonly slots: ReadonlyMap<Operation, number>;
  readonly waiting: Waiting[];
}

/** Combines stores of four consecutive words at the place of the last of them. */
export class StridedStores {
  private readonly rows = new Map<Operation, StoreRow>();

  constructor(private readonly values: Values) {}

  /** Returns false for a store that is in no row. */
  write(operation: Operation): boolean {
    const row = this.rows.get(operation) ?? this.begin(operation);
    if (row === null) return false;
    const {
      values,
      values: {
        frame: { writer },
      },
    } = this;
    const {
      args: [offset, value],
      imm,
    } = operation.instruction;
    row.waiting.push({
      slot: row.slots.get(operation)!,
      offset: writer.kept('v128', values.value(offset!)),
      value: writer.kept('v128', values.value(value!)),
    });
    if (row.waiting.length === row.slots.size) this.finish(row.waiting, imm);
    return true;
  }

  private begin(first: Operation): StoreRow | null {
    const slots = storesFrom(this.values, first);
    if (slots === null) return null;
    const row = { slots, waiting: [] };
    for (const member of slots.keys()) this.rows.set(member, row);
    return row;
  }

  private finish(waiting: readonly Waiting[], resource: number): void {
    const {
      values,
      values: {
        frame: { writer },
      },
    } = this;
    const address = new Binding(values, resource).address;
    const inOrder = waiting.toSorted((a, b) => a.slot - b.slot);
    const offsets = inOrder.map(({ offset }) => offset);
    const rows = inOrder.map(({ value }) => value) as unknown as Four<Local<'v128'>>;
    const places = (offset: Local<'v128'>): void => writer.set(offset, i32x4.sum(offset, i32x4.splat(address)));
    writer.if(
      areWhole(values, offsets, resource),
      () => {
        places(offsets[0]!);
        transpose(writer, rows);
        rows.forEach((row, lane) => writer.store(i32x4.lane(offsets[0]!, lane), row));
      },
      () => {
        for (const { offset, value } of waiting) {
          places(offset);
          for (let lane = 0; lane < 4; lane++) writer.storeLane(i32x4.lane(offset, lane), value, 0, lane);
        }
      }
    );
    for (const local of [...offsets, ...rows]) writer.release(local);
  }
}

/**
 * The stores of four consecutive words that begin with `first`, by word index. Null if anything could observe that they
 * are delayed or in which order lanes store. A stride of a multiple of four words ensures that the rows of two lanes
 * are either identical or do not overlap.
 */
function storesFrom(values: Values, first: Operation): ReadonlyMap<Operation, number> | null {
  const { args, imm } = first.instruction;
  const {
    control: { roots },
  } = values;
  const start = indexedBy(values, args[0]!);
  if (values.program.kind !== 'compute' || start === null || multipleOf(values, start.base) % 4 !== 0) return null;
  const slots = new Map<Operation, number>();
  const { list } = first;
  for (let i = list.indexOf(first); i < list.length && slots.size < 4; i++) {
    const step = list[i]!;
    if (step.kind !== 'op') return null;
    const { instruction } = step;
    const { op } = instruction;
    if (op === 'storage.store' && instruction.imm === imm) {
      const offset = instruction.args[0]!;
      const next = indexedBy(values, offset);
      if (next === null) return null;
      if (roots[next.base] !== roots[start.base] || roots[next.last] !== roots[start.last]) return null;
      const slot = next.added - start.added;
      const isAnother = slot in [0, 1, 2, 3] && ![...slots.values()].includes(slot);
      if (!isAnother || values.lanesOf(step) !== null || !new Binding(values, imm).holds(offset)) return null;
      slots.set(step, slot);
    } else if (mayWrite(instruction, imm) || (op === 'storage.load' && instruction.imm === imm)) return null;
  }
  return slots.size === 4 ? slots : null;
}
