// Reads and writes of more than one value: vectors of buffers, lane arrays, sizes of textures. Every address is clamped
// to its own resource, with the results of the interpreter (assembly/warp/memory.ts, access.ts).

import { Resource, Texture } from '../../../build/layout';
import { forEachInstruction, type Instruction, type IrNode, type ValueId } from '../../ir';
import { splitOffset } from '../schedule';
import type { FunctionWriter, Local } from '../wasm/writer';
import { gather, gatherWords, pushResource, unlessEmpty } from './resources';
import type { Sites } from './sites';
import type { Values } from './values';

const LANES = [0, 1, 2, 3] as const;

/**
 * The loads of `list` at the offset of `first`, and 4, 8 and 12 bytes further on, if at least three of them are wanted:
 * a vector's.
 */
function rowOf(values: Values, first: Instruction, list: readonly IrNode[]): (Instruction | null)[] | null {
  const { needs } = values;
  const { base, immediate } = splitOffset(needs, first.args[0]!);
  if (base === null || values.isConvergent(first.args[0]!)) return null;
  const row: (Instruction | null)[] = [null, null, null, null];
  for (const node of list) {
    if (node.kind !== 'op' || node.op !== 'buffer.load' || node.imm !== first.imm || !needs.needed(node)) continue;
    const other = splitOffset(needs, node.args[0]!);
    const slot = (other.immediate - immediate) / 4;
    if (other.base !== null && needs.root(other.base) === needs.root(base) && slot in row) row[slot] ??= node;
  }
  return row[0] === first && row.filter((member) => member !== null).length >= 3 ? row : null;
}

/**
 * Loads a vector of each lane whole, and transposes them, while all lie inside the binding; else word by word (a mesh
 * that reads its vertices from storage: 5.5 → 3.2 ms a frame of 300 000). False where `first` does not begin a vector.
 * Adds what it loads to `loaded`.
 */
export function loadRows(
  values: Values, first: Instruction, list: readonly IrNode[], loaded: Set<Instruction>
): boolean {
  const row = rowOf(values, first, list);
  if (row === null) return false;
  const { writer } = values.frame;
  const offsets = writer.local('v128');
  const rows = LANES.map(() => writer.local('v128'));
  values.push(first.args[0]!);
  writer.set(offsets);
  pushInside(values, offsets, first.imm);
  values.begin('if');
  pushTransposed(values, offsets, first.imm, rows);
  writer.else();
  rows.forEach((words, k) => {
    if (row[k] === null) return;
    unlessEmpty(values, first.imm, () => gatherWords(values, () => {
      writer.get(offsets);
      values.frame.splat(4 * k);
      writer.op('i32x4.add');
    }, first.imm));
    writer.set(words);
  });
  values.end();
  row.forEach((member, k) => {
    if (member === null) return;
    loaded.add(member);
    if (member !== first) values.passOver(member.args[0]!);
    values.keep(member.results[0]!, () => writer.get(rows[k]!));
  });
  for (const local of [offsets, ...rows]) writer.release(local);
  return true;
}

/** Whether 16 bytes at the offsets of all lanes lie inside the binding. */
function pushInside(values: Values, offsets: Local, resource: number): void {
  const { writer } = values.frame;
  writer.get(offsets);
  pushResource(values, resource, Resource.size);
  writer.i32(-16);
  writer.op('i32.add');
  writer.op('i32x4.splat');
  writer.op('i32x4.le_u');
  writer.op('i32x4.all_true');
  pushResource(values, resource, Resource.size);
  writer.i32(16);
  writer.op('i32.ge_u');
  writer.op('i32.and');
}

/** Loads the vectors of four lanes into `rows`, and turns them into their components. */
function pushTransposed(values: Values, offsets: Local, resource: number, rows: readonly Local[]): void {
  const { writer } = values.frame;
  rows.forEach((local, lane) => {
    writer.get(offsets);
    writer.lane('i32x4.extract_lane', lane);
    writer.i32(~3);
    writer.op('i32.and');
    pushResource(values, resource, Resource.address);
    writer.op('i32.add');
    writer.memory('v128.load', 0);
    writer.set(local);
  });
  // a0 c0 a1 c1, a2 c2 a3 c3; b0 d0 b1 d1, b2 d2 b3 d3.
  const halves = [0, 1].flatMap((k) => [true, false].map((low) => interleave(writer, rows[k]!, rows[k + 2]!, low)));
  for (const k of [0, 1]) {
    for (const low of [true, false]) {
      const mixed = interleave(writer, halves[k]!, halves[k + 2]!, low);
      writer.get(mixed);
      writer.set(rows[2 * k + (low ? 0 : 1)]!);
      writer.release(mixed);
    }
  }
  for (const local of halves) writer.release(local);
}

/** The first or last two words of two vectors by turns. */
function interleave(writer: FunctionWriter, from: Local, to: Local, low: boolean): Local {
  const mixed = writer.local('v128');
  writer.get(from);
  writer.get(to);
  if (low) writer.shuffleWords(0, 4, 1, 5);
  else writer.shuffleWords(2, 6, 3, 7);
  writer.set(mixed);
  return mixed;
}

/**
 * Lane arrays: in locals where every index is a constant, else in memory, 16 bytes an element, behind the texture
 * sites.
 */
export class MemoryOperations {
  /** Byte offset of each array in memory, from the end of the sites; −1 for those in locals. */
  private readonly offsets: readonly number[];
  private readonly elements: Local[][] = [];

  constructor(private readonly values: Values, private readonly sites: Sites) {
    const inMemory = new Set<number>();
    forEachInstruction(values.program.body, (instruction) => {
      const { op, args, imm } = instruction;
      if ((op === 'array.load' || op === 'array.store') && values.needs.needed(instruction)
        && values.needs.bits(args[0]!) === undefined)
        inMemory.add(imm);
    });
    this.offsets = values.program.arrays.map(({ length, constants }, array) => (!inMemory.has(array)
      || constants !== undefined
      ? -1
      : sites.takeMemory(length * 16)));
  }

  /** Arrays start at zero. */
  clear(): void {
    const { values } = this;
    const { writer } = values.frame;
    values.program.arrays.forEach(({ length, constants }, array) => {
      if (constants !== undefined) return;
      const offset = this.offsets[array]!;
      for (let k = 0; k < length; k++) {
        if (offset < 0) {
          values.frame.splat(0);
          writer.set(this.element(array, k));
        } else {
          writer.get(values.frame.base('sites'));
          values.frame.splat(0);
          writer.memory('v128.store', this.sites.memoryOffset(offset + k * 16));
        }
      }
    });
  }

  load({ args, imm }: Instruction): void {
    const { values } = this;
    const { constants, length } = values.program.arrays[imm]!;
    const index = values.needs.bits(args[0]!);
    if (index !== undefined) {
      const k = Math.min(index >>> 0, length - 1);
      if (constants !== undefined) values.frame.splat(constants[k]!);
      else if (this.offsets[imm]! < 0) values.frame.writer.get(this.element(imm, k));
      else this.loadElement(imm, k);
      return;
    }
    const { writer } = values.frame;
    const addresses = writer.local('v128');
    this.pushAddresses(imm, args[0]!);
    writer.set(addresses);
    gather(writer, addresses, constants === undefined ? 4 : 0);
    writer.release(addresses);
  }

  store(instruction: Instruction): void {
    const { values } = this;
    const { args, imm } = instruction;
    const { length } = values.program.arrays[imm]!;
    const full = values.convergence.full(instruction);
    const index = values.needs.bits(args[0]!);
    const k = index === undefined ? 0 : Math.min(index >>> 0, length - 1);
    if (index === undefined) this.storeLanes(instruction, full);
    else if (this.offsets[imm]! < 0) values.assign(this.element(imm, k), args[1]!, full);
    else {
      const { writer } = values.frame;
      writer.get(values.frame.base('sites'));
      values.push(args[1]!);
      if (!full) {
        this.loadElement(imm, k);
        writer.get(values.exec!);
        writer.op('v128.bitselect');
      }
      writer.memory('v128.store', this.sites.memoryOffset(this.offsets[imm]! + k * 16));
    }
  }

  /** Each lane that is on stores to its own element. */
  private storeLanes({ args, imm }: Instruction, full: boolean): void {
    const { values } = this;
    const { writer } = values.frame;
    const addresses = writer.local('v128');
    const value = writer.local('v128');
    this.pushAddresses(imm, args[0]!);
    writer.set(addresses);
    values.push(args[1]!);
    writer.set(value);
    for (const lane of LANES) {
      writer.get(addresses);
      writer.lane('i32x4.extract_lane', lane);
      writer.get(value);
      if (!full) {
        writer.get(addresses);
        writer.lane('i32x4.extract_lane', lane);
        writer.get(value);
        writer.memoryLane('v128.load32_lane', 4 * lane, lane);
        writer.get(values.exec!);
        writer.op('v128.bitselect');
      }
      writer.memoryLane('v128.store32_lane', 4 * lane, lane);
    }
    writer.release(addresses);
    writer.release(value);
  }

  private loadElement(array: number, k: number): void {
    const { values } = this;
    values.frame.writer.get(values.frame.base('sites'));
    values.frame.writer.memory('v128.load', this.sites.memoryOffset(this.offsets[array]! + k * 16));
  }

  /**
   * Addresses of the elements that the lanes name, clamped to the array; lane k's word is 4·k bytes further on, in a
   * table at the address.
   */
  private pushAddresses(array: number, index: ValueId): void {
    const { values } = this;
    const { writer } = values.frame;
    const { constants, length } = values.program.arrays[array]!;
    values.push(index);
    values.frame.splat(length - 1);
    writer.op('i32x4.min_u');
    writer.i32(constants === undefined ? 4 : 2);
    writer.op('i32x4.shl');
    writer.get(values.frame.base(constants === undefined ? 'sites' : 'constants'));
    writer.i32(
      constants === undefined ? this.sites.memoryOffset(this.offsets[array]!) : values.frame.constants.table(constants)
    );
    writer.op('i32.add');
    writer.op('i32x4.splat');
    writer.op('i32x4.add');
  }

  private element(array: number, k: number): Local {
    const list = (this.elements[array] ??= []);
    return (list[k] ??= this.values.frame.writer.lasting('v128'));
  }

  /** Width, height and depth of a level that differs from lane to lane, clamped to those there are. */
  dimensions({ args, results, imm }: Instruction): void {
    const { values } = this;
    const { writer } = values.frame;
    const levels = writer.local('v128');
    const texture = writer.local('i32');
    pushResource(values, imm, Resource.address);
    writer.set(texture);
    values.push(args[0]!);
    writer.get(texture);
    writer.memory('i32.load', Texture.levelCount);
    writer.i32(1);
    writer.op('i32.sub');
    writer.op('i32x4.splat');
    writer.op('i32x4.min_u');
    writer.set(levels);
    [Texture.width, Texture.height, Texture.depth].forEach((field, k) => {
      const result = results[k]!;
      if (values.needs.uses(result) > 0) values.keep(result, () => pushSizes(writer, texture, levels, field));
    });
    writer.release(levels);
    writer.release(texture);
  }
}

/** max(size >> level, 1) in each lane. */
function pushSizes(writer: FunctionWriter, texture: Local, levels: Local, field: number): void {
  const zeros = Array<number>(16).fill(0);
  writer.opcode('v128.const');
  writer.code.push(...zeros);
  for (const lane of LANES) {
    writer.get(texture);
    writer.memory('i32.load', field);
    writer.get(levels);
    writer.lane('i32x4.extract_lane', lane);
    writer.op('i32.shr_u');
    writer.lane('i32x4.replace_lane', lane);
  }
  writer.i32(1);
  writer.op('i32x4.splat');
  writer.op('i32x4.max_u');
}
