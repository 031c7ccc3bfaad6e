// Reads and writes of several values: vectors in buffers, lane arrays, and texture sizes. Every address is clamped to
// its own resource, with the same results as the interpreter (assembly/warp/memory.ts, access.ts).

import { REGISTER_BYTES } from '../../../assembly/layout/limits';
import { Resource, Texture } from '../../../build/layout';
import type { Instruction, ValueId } from '../../ir';
import { bitsOf, rowOf, type Operation } from '../control';
import { emitted, i32, i32x4, v128, type I32, type Local, type V128 } from '../wasm/expression';
import type { FunctionWriter } from '../wasm/writer';
import { Binding, gather, gatherWords, resourceField } from './words';
import type { Sites } from './sites';
import type { Values } from './values';

/** Interleaves the first two words of two vectors, and the last two. */
const LOW = [0, 4, 1, 5];
const HIGH = [2, 6, 3, 7];
/** REGISTER_BYTES is a power of two. */
const REGISTER_SHIFT = 31 - Math.clz32(REGISTER_BYTES);
export type Four<T> = readonly [T, T, T, T];

/**
 * Loads a whole vector per lane and transposes them if all are inside the binding, and otherwise loads word by word. A
 * mesh that reads its vertices from storage takes 3.2 instead of 5.5 ms per frame of 300 000 vertices. Returns false if
 * `first` does not start a vector. Adds the loads that it covers to `loaded`.
 */
export function loadRows(values: Values, first: Operation, loaded: Set<Operation>): boolean {
  const { args, imm } = first.instruction;
  if (values.isConvergent(args[0]!)) return false;
  const row = rowOf(values.control, first, ({ position }) => values.needs.needed[position] === 1);
  if (row === null) return false;
  const {
    frame,
    frame: { writer },
  } = values;
  const binding = new Binding(values, imm);
  const offsets = writer.local('v128');
  const rows = [writer.local('v128'), writer.local('v128'), writer.local('v128'), writer.local('v128')] as const;
  writer.set(offsets, values.value(args[0]!));
  const places = i32x4.sum(offsets, i32x4.splat(binding.address));
  if (binding.holds(args[0]!, 16)) loadTransposed(values, offsets, places, rows);
  else
    writer.if(
      areInside(values, offsets, imm),
      () => {
        loadTransposed(values, offsets, v128.and(places, frame.splat(~3)), rows);
      },
      () => {
        rows.forEach((words, k) => {
          if (row[k] === null) return;
          const each = gatherWords(binding, i32x4.sum(offsets, frame.splat(4 * k)));
          writer.set(words, binding.unlessEmpty(each));
        });
      }
    );
  row.forEach((member, k) => {
    if (member === null) return;
    loaded.add(member);
    if (member !== first) values.skipUse(member.instruction.args[0]!);
    values.keep(member.instruction.results[0]!, rows[k]!);
  });
  for (const local of [offsets, ...rows]) writer.release(local);
  return true;
}

/** Whether 16 bytes at the offsets of all lanes are inside the binding. */
export function areInside({ frame }: Values, offsets: V128, resource: number): I32 {
  const size = resourceField(frame, resource, Resource.size);
  const last = i32.sum(size, i32.constant(-16));
  return i32.and(i32x4.areAll(i32x4.atMost(offsets, i32x4.splat(last))), i32.atLeast(size, i32.constant(16)));
}

/** Loads the vectors of four lanes, at `places`, into `rows` and transposes them into components. */
export function loadTransposed(
  { frame: { writer } }: Values,
  addresses: Local<'v128'>,
  places: V128,
  rows: Four<Local<'v128'>>
): void {
  writer.set(addresses, places);
  rows.forEach((local, lane) => writer.set(local, v128.load(i32x4.lane(addresses, lane))));
  transpose(writer, rows);
}

/** Transposes the vectors of four lanes into components, or back. */
export function transpose(writer: FunctionWriter, rows: Four<Local<'v128'>>): void {
  const mix = (a: V128, b: V128, words: readonly number[]): Local<'v128'> =>
    writer.kept('v128', v128.shuffle(a, b, words));
  // a0 c0 a1 c1, a2 c2 a3 c3; b0 d0 b1 d1, b2 d2 b3 d3.
  const [a, b, c, d] = rows;
  const halves = [mix(a, c, LOW), mix(a, c, HIGH), mix(b, d, LOW), mix(b, d, HIGH)] as const;
  rows.forEach((local, k) => {
    const mixed = mix(halves[k >> 1]!, halves[(k >> 1) + 2]!, k % 2 === 0 ? LOW : HIGH);
    writer.set(local, mixed);
    writer.release(mixed);
  });
  for (const local of halves) writer.release(local);
}

/**
 * Lane arrays. They are in locals if every index is constant. Otherwise they are in memory after the texture sites,
 * with 16 bytes per element.
 */
export class MemoryOperations {
  /** Byte offset of each array in memory, from the end of the sites; −1 for arrays in locals. */
  private readonly offsets: readonly number[];
  /** Byte offset, after the outputs, of the registers of each array that is kept between parts; −1 for others. */
  private readonly registers: readonly number[];
  private readonly elements: Local<'v128'>[][] = [];

  constructor(
    private readonly values: Values,
    private readonly sites: Sites
  ) {
    const { program, control, needs } = values;
    const inMemory = new Set<number>();
    if (program.arrays.length > 0) {
      for (const event of control.events) {
        if (event.kind !== 'op' || needs.needed[event.position] === 0) continue;
        const { op, args, imm } = event.instruction;
        if ((op === 'array.load' || op === 'array.store') && bitsOf(control, args[0]!) === undefined) inMemory.add(imm);
      }
    }
    this.offsets = program.arrays.map(({ length, constants, kept }, array) =>
      !inMemory.has(array) || constants !== undefined || kept ? -1 : sites.takeMemory(length * 16)
    );
    let register = values.outputOffset(program.outputs.length);
    this.registers = program.arrays.map(({ length, kept }) => {
      if (!kept) return -1;
      register += length * REGISTER_BYTES;
      return register - length * REGISTER_BYTES;
    });
  }

  /** Zeroes the arrays. */
  clear(): void {
    const { frame, program } = this.values;
    program.arrays.forEach(({ length, constants, kept }, array) => {
      if (constants !== undefined || kept) return;
      for (let k = 0; k < length; k++) {
        if (this.offsets[array]! < 0) frame.writer.set(this.element(array, k), frame.splat(0));
        else frame.writer.store(frame.sites, frame.splat(0), this.elementOffset(array, k));
      }
    });
  }

  load({ instruction: { args, imm } }: Operation): V128 {
    const { frame, program } = this.values;
    const { constants, kept } = program.arrays[imm]!;
    const k = this.namedElement(imm, args[0]!);
    if (k !== undefined) {
      if (kept) return v128.load(this.values.quad.registers, this.registers[imm]! + k * REGISTER_BYTES);
      if (constants !== undefined) return frame.splat(constants[k]!);
      return this.offsets[imm]! < 0 ? this.element(imm, k) : v128.load(frame.sites, this.elementOffset(imm, k));
    }
    return emitted((writer) => {
      const addresses = writer.local('v128');
      writer.set(addresses, this.addresses(imm, args[0]!));
      gather(writer, addresses, constants === undefined ? 4 : 0);
      writer.release(addresses);
    });
  }

  store(operation: Operation): void {
    const { values } = this;
    const { args, imm } = operation.instruction;
    const k = this.namedElement(imm, args[0]!);
    if (k === undefined) return this.storeLanes(operation);
    const value = values.value(args[1]!);
    if (values.program.arrays[imm]!.kept) return this.storeKept(operation, k, value);
    if (this.offsets[imm]! < 0) return values.assign(this.element(imm, k), value, operation);
    const { writer, sites } = values.frame;
    const offset = this.elementOffset(imm, k);
    writer.store(sites, values.masked(value, v128.load(sites, offset), operation), offset);
  }

  /** Lanes that were inactive from the start may wait for another part, so their elements stay unchanged. */
  private storeKept(operation: Operation, k: number, value: V128): void {
    const {
      values,
      values: {
        quad: { registers },
        frame: { writer },
      },
    } = this;
    const { imm } = operation.instruction;
    const offset = this.registers[imm]! + k * REGISTER_BYTES;
    const isAgreed = values.program.arrays[imm]!.quadUniform === true;
    const isWhole = isAgreed || values.lanesOf(operation) === null;
    writer.store(registers, isWhole ? value : values.ofLanes(value, v128.load(registers, offset)), offset);
  }

  /** Each active lane stores to its own element. */
  private storeLanes(operation: Operation): void {
    const {
      values,
      values: {
        frame: { writer },
      },
    } = this;
    const { args, imm } = operation.instruction;
    const { kept } = values.program.arrays[imm]!;
    const addresses = writer.local('v128');
    const value = writer.local('v128');
    writer.set(addresses, this.addresses(imm, args[0]!));
    writer.set(value, values.value(args[1]!));
    for (let lane = 0; lane < 4; lane++) {
      const address = i32x4.lane(addresses, lane);
      const before = v128.loadLane(address, value, 4 * lane, lane);
      const stored =
        kept && values.lanesOf(operation) !== null
          ? values.ofLanes(value, before)
          : values.masked(value, before, operation);
      writer.storeLane(address, stored, 4 * lane, lane);
    }
    writer.release(addresses);
    writer.release(value);
  }

  /** The element for a constant index; undefined for other indices. */
  private namedElement(array: number, index: ValueId): number | undefined {
    const bits = bitsOf(this.values.control, index);
    return bits === undefined ? undefined : Math.min(bits >>> 0, this.values.program.arrays[array]!.length - 1);
  }

  private elementOffset(array: number, k: number): number {
    return this.sites.memoryOffset(this.offsets[array]! + k * 16);
  }

  /**
   * Addresses of the elements that the lanes select, clamped to the array. In a table, all lanes read the word at the
   * address; otherwise the word of lane k is 4·k bytes after it.
   */
  private addresses(array: number, index: ValueId): V128 {
    const {
      values,
      values: { frame },
    } = this;
    const { constants, length, kept } = values.program.arrays[array]!;
    const clamped = i32x4.min(values.value(index), frame.splat(length - 1));
    if (kept) {
      const first = i32.sum(values.quad.registers, i32.constant(this.registers[array]!));
      return i32x4.sum(i32x4.shiftLeft(clamped, i32.constant(REGISTER_SHIFT)), i32x4.splat(first));
    }
    const start =
      constants === undefined
        ? i32.sum(frame.sites, i32.constant(this.elementOffset(array, 0)))
        : emitted<'i32'>((writer) => frame.tableAddress(constants).write(writer));
    const bytes = i32x4.shiftLeft(clamped, i32.constant(constants === undefined ? 4 : 2));
    return i32x4.sum(bytes, i32x4.splat(start));
  }

  private element(array: number, k: number): Local<'v128'> {
    const list = (this.elements[array] ??= []);
    return (list[k] ??= this.values.frame.writer.persistentLocal('v128'));
  }

  /** Width, height and depth of a mip level that differs between lanes, clamped to the existing levels. */
  dimensions({ args, results, imm }: Instruction): void {
    const {
      values,
      values: {
        frame,
        frame: { writer },
      },
    } = this;
    const levels = writer.local('v128');
    const texture = writer.local('i32');
    writer.set(texture, resourceField(frame, imm, Resource.address));
    const last = i32.difference(i32.load(texture, Texture.levelCount), i32.constant(1));
    writer.set(levels, i32x4.min(values.value(args[0]!), i32x4.splat(last)));
    [Texture.width, Texture.height, Texture.depth].forEach((field, k) => {
      const result = results[k]!;
      if (values.needs.uses[result]! > 0) values.keep(result, sizes(i32.load(texture, field), levels));
    });
    writer.release(levels);
    writer.release(texture);
  }
}

/** max(size >> level, 1) in each lane. */
function sizes(size: I32, levels: V128): V128 {
  let each: V128 = v128.zero;
  for (let lane = 0; lane < 4; lane++)
    each = i32x4.withLane(each, lane, i32.shiftRight(size, i32x4.lane(levels, lane)));
  return i32x4.max(each, i32x4.splat(i32.constant(1)));
}
