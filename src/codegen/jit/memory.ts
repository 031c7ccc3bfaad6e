// Reads and writes whose address is a value: buffers, lane arrays, sizes of textures. Every one is clamped to its own resource, with the
// results of the interpreter (assembly/warp/memory.ts, access.ts).

import { RESOURCE_ADDRESS, RESOURCE_BYTES, RESOURCE_SIZE } from '../../../assembly/layout/program';
import { DIMENSION_CUBE_ARRAY, TEXTURE_DEPTH, TEXTURE_DIMENSION, TEXTURE_HEIGHT, TEXTURE_LAYERS, TEXTURE_LEVELS, TEXTURE_SAMPLES, TEXTURE_WIDTH } from '../../../assembly/layout/texture';
import { forEachInstruction, type Instruction, type ValueId } from '../../ir';
import type { FunctionWriter, Local } from '../wasm/writer';
import type { Values } from './values';

const LANES = [0, 1, 2, 3] as const;

function pushResource(values: Values, resource: number, field: number): void {
  const { writer } = values.frame;
  writer.get(values.frame.base('resources'));
  writer.memory('i32.load', resource * RESOURCE_BYTES + field);
}

/** The word at min(offset, size − 4) & ~3 in each lane; 0 when the binding has no word. */
export function pushBufferLoad(values: Values, { args, imm }: Instruction): void {
  const { writer } = values.frame;
  const offset = args[0]!;
  pushResource(values, imm, RESOURCE_SIZE);
  writer.i32(4);
  writer.op('i32.lt_u');
  writer.begin('if', 'v128');
  values.depth++;
  values.frame.splat(0);
  writer.else();
  if (values.isConvergent(offset)) {
    pushWordAddress(values, offset, imm);
    writer.memory('v128.load32_splat', 0);
  } else gatherWords(values, offset, imm);
  values.end();
}

function pushWordAddress(values: Values, offset: ValueId, resource: number): void {
  const { writer } = values.frame;
  const word = writer.local('i32');
  const last = writer.local('i32');
  values.pushWord(offset);
  writer.tee(word);
  pushResource(values, resource, RESOURCE_SIZE);
  writer.i32(-4);
  writer.op('i32.add');
  writer.tee(last);
  writer.get(word);
  writer.get(last);
  writer.op('i32.lt_u');
  writer.op('select');
  writer.i32(~3);
  writer.op('i32.and');
  pushResource(values, resource, RESOURCE_ADDRESS);
  writer.op('i32.add');
  writer.release(word);
  writer.release(last);
}

function gatherWords(values: Values, offset: ValueId, resource: number): void {
  const { writer } = values.frame;
  const addresses = writer.local('v128');
  values.push(offset);
  pushResource(values, resource, RESOURCE_SIZE);
  writer.i32(-4);
  writer.op('i32.add');
  writer.op('i32x4.splat');
  writer.op('i32x4.min_u');
  values.frame.splat(~3);
  writer.op('v128.and');
  pushResource(values, resource, RESOURCE_ADDRESS);
  writer.op('i32x4.splat');
  writer.op('i32x4.add');
  writer.set(addresses);
  gather(writer, addresses, 0);
  writer.release(addresses);
}

/** The words at four addresses; lane k of them reads `stride`·k bytes further on. */
function gather(writer: FunctionWriter, addresses: Local, stride: number): void {
  writer.get(addresses);
  writer.lane('i32x4.extract_lane', 0);
  writer.memory('v128.load32_zero', 0);
  const words = writer.local('v128');
  writer.set(words);
  for (const lane of LANES.slice(1)) {
    writer.get(addresses);
    writer.lane('i32x4.extract_lane', lane);
    writer.get(words);
    writer.memoryLane('v128.load32_lane', stride * lane, lane);
    writer.set(words);
  }
  writer.get(words);
  writer.release(words);
}

export function pushBufferSize(values: Values, resource: number): void {
  pushResource(values, resource, RESOURCE_SIZE);
  values.frame.writer.op('i32x4.splat');
}

export function pushTextureField(values: Values, op: 'texture.levels' | 'texture.layers' | 'texture.samples', resource: number): void {
  const { writer } = values.frame;
  const field = { 'texture.levels': TEXTURE_LEVELS, 'texture.layers': TEXTURE_LAYERS, 'texture.samples': TEXTURE_SAMPLES }[op];
  pushResource(values, resource, RESOURCE_ADDRESS);
  writer.memory('i32.load', field);
  if (op === 'texture.layers') {
    // A cube array has six layers a cube.
    writer.i32(6);
    writer.i32(1);
    pushResource(values, resource, RESOURCE_ADDRESS);
    writer.memory('i32.load', TEXTURE_DIMENSION);
    writer.i32(DIMENSION_CUBE_ARRAY);
    writer.op('i32.eq');
    writer.op('select');
    writer.op('i32.div_u');
  }
  writer.op('i32x4.splat');
}

/** Lane arrays: in locals where every index is a constant, else in memory, 16 bytes an element, behind the texture sites. */
export class MemoryOperations {
  /** Byte offset of each array in memory, from the end of the sites; −1 for those in locals. */
  private readonly places: readonly number[];
  private readonly elements: Local[][] = [];

  constructor(private readonly values: Values) {
    const inMemory = new Set<number>();
    forEachInstruction(values.program.body, (instruction) => {
      const { op, args, imm } = instruction;
      if ((op === 'array.load' || op === 'array.store') && values.needs.needed(instruction) && values.needs.bits(args[0]!) === undefined) inMemory.add(imm);
    });
    this.places = values.program.arrays.map(({ length, constants }, array) => (!inMemory.has(array) || constants !== undefined ? -1 : values.sites.takeMemory(length * 16)));
  }

  /** Arrays start at zero. */
  clear(): void {
    const { values } = this;
    const { writer } = values.frame;
    values.program.arrays.forEach(({ length, constants }, array) => {
      if (constants !== undefined) return;
      const place = this.places[array]!;
      for (let k = 0; k < length; k++) {
        if (place < 0) {
          values.frame.splat(0);
          writer.set(this.element(array, k));
        } else {
          writer.get(values.frame.base('sites'));
          values.frame.splat(0);
          writer.memory('v128.store', values.sites.memoryOffset(place + k * 16));
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
      else if (this.places[imm]! < 0) values.frame.writer.get(this.element(imm, k));
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
    else if (this.places[imm]! < 0) values.assign(this.element(imm, k), args[1]!, full);
    else {
      const { writer } = values.frame;
      writer.get(values.frame.base('sites'));
      values.push(args[1]!);
      if (!full) {
        this.loadElement(imm, k);
        writer.get(values.exec!);
        writer.op('v128.bitselect');
      }
      writer.memory('v128.store', values.sites.memoryOffset(this.places[imm]! + k * 16));
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
    values.frame.writer.memory('v128.load', values.sites.memoryOffset(this.places[array]! + k * 16));
  }

  /** Addresses of the elements that the lanes name, clamped to the array; lane k's word is 4·k bytes further on, in a table at the address. */
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
    writer.i32(constants === undefined ? values.sites.memoryOffset(this.places[array]!) : values.frame.constants.table(constants));
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
    pushResource(values, imm, RESOURCE_ADDRESS);
    writer.set(texture);
    values.push(args[0]!);
    writer.get(texture);
    writer.memory('i32.load', TEXTURE_LEVELS);
    writer.i32(1);
    writer.op('i32.sub');
    writer.op('i32x4.splat');
    writer.op('i32x4.min_u');
    writer.set(levels);
    [TEXTURE_WIDTH, TEXTURE_HEIGHT, TEXTURE_DEPTH].forEach((field, k) => {
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
