// Writes the operations of a program as bytecode, and assigns virtual registers to its values, variables and arrays.
// Control flow is written in body.ts.

import {
  OPERAND_NONE,
  OP_ARRAY_LOAD,
  OP_ARRAY_STORE,
  OP_BUFFER_ATOMIC,
  OP_BUFFER_LOAD,
  OP_BUFFER_LOAD4,
  OP_BUFFER_SIZE,
  OP_BUFFER_STORE,
  OP_BUFFER_STORE_HALF,
  OP_DISCARD,
  OP_IMAGE_LOAD,
  OP_IMAGE_STORE,
  OP_LANES_BALLOT,
  OP_LANES_INDEX,
  OP_LANES_PERMUTE,
  OP_LANES_SHUFFLE,
  OP_MOVE,
  OP_SET,
  OP_SURFACE_FIELD,
  OP_SURFACE_LOAD,
  OP_SURFACE_STORE,
  OP_TEXTURE_DIMENSIONS,
  OP_TEXTURE_LAYERS,
  OP_TEXTURE_LEVELS,
  OP_TEXTURE_LOAD,
  OP_TEXTURE_LOAD_SAMPLES,
  OP_TEXTURE_SAMPLE,
  OP_TEXTURE_SAMPLES,
} from '../../assembly/layout/program/opcodes';
import { Surface } from '../../build/layout';
import { unreachable } from '../base/assert';
import { variablesReadAtStart, type IrProgram, type ValueId } from '../ir';
import { atomicCodes } from './atomics';
import type { ConstantPool } from './constant-pool';
import { bitsOf, rowOf, splitOffset, type Operation } from './control';
import type { Plan } from './fuse';
import {
  ARRAY,
  CONSTANT,
  INPUT,
  MachineCode,
  OUTPUT,
  UNIFORM,
  virtual,
  type Half,
  type VirtualRegister,
} from './machine';
import { isDone, type Schedule } from './schedule';
import { modeOf, operandSlots } from './texture-operands';

const NONE = OPERAND_NONE;

export class InstructionWriter {
  readonly body = new MachineCode();
  readonly prologue = new MachineCode();
  /** Values of the uniform registers, in order. */
  readonly uniforms: ValueId[] = [];
  private code: MachineCode = this.body;
  /** By value. */
  private readonly registers: (VirtualRegister | undefined)[];
  /** The first temporaries of the body. */
  private readonly variables: VirtualRegister[] = [];
  /** For each array, the index of its first register among the constants or arrays. */
  private readonly arrays: number[] = [];
  arrayRegisters = 0;
  /** Number of registers of arrays that keep their contents between parts. They follow the outputs. */
  keptRegisters = 0;
  /** Loads that were written together with an earlier one. */
  private readonly grouped = new Set<Operation>();

  constructor(
    private readonly program: IrProgram,
    private readonly schedule: Schedule,
    private readonly constants: ConstantPool
  ) {
    this.registers = new Array<undefined>(program.values.length).fill(undefined);
    for (let k = 0; k < program.variables.length; k++) this.variables.push(this.body.temp());
    for (const [array, { length, constants: table, kept }] of program.arrays.entries()) {
      if (table !== undefined) this.arrays.push(constants.table(array, table));
      else if (kept) {
        this.arrays.push(program.outputs.length + this.keptRegisters);
        this.keptRegisters += length;
      } else {
        this.arrays.push(this.arrayRegisters);
        this.arrayRegisters += length;
      }
    }
  }

  /** Assigns the uniform registers, and clears what must be zero at the start. */
  start(): void {
    for (const id of this.schedule.shared) this.registers[id] = virtual(UNIFORM, this.uniforms.push(id) - 1);
    this.clear();
  }

  /**
   * Zeroes everything whose initial zero can be observed: variables that are read before they are set, arrays, and
   * outputs that some lanes do not write.
   */
  private clear(): void {
    for (const variable of variablesReadAtStart(this.program)) this.zero(this.variables[variable]!);
    const stored = this.storedAtStart();
    for (const [array, { length, constants: table, kept }] of this.program.arrays.entries()) {
      if (table !== undefined || kept) continue;
      for (let k = 0; k < length; k++) if (!stored.has(`${array} ${k}`)) this.zero(this.element(array, k));
    }
    const written = new Set<number>();
    for (const node of this.program.body) if (node.kind === 'op' && node.op === 'output') written.add(node.imm);
    for (let k = 0; k < this.program.outputs.length; k++) if (!written.has(k)) this.zero(virtual(OUTPUT, k));
  }

  private zero(register: VirtualRegister): void {
    this.move(register, this.constants.register(0));
  }

  private move(to: VirtualRegister, from: VirtualRegister): void {
    this.code.emit([OP_MOVE, to, from], [to], [from]);
  }

  /** Elements that are certainly stored before anything can read them. */
  private storedAtStart(): ReadonlySet<string> {
    const stored = new Set<string>();
    for (const node of this.program.body) {
      if (node.kind !== 'op' || node.op === 'array.load') break;
      if (node.op !== 'array.store') continue;
      const index = bitsOf(this.schedule.control, node.args[0]!);
      if (index !== undefined) stored.add(`${node.imm} ${Math.min(index, this.program.arrays[node.imm]!.length - 1)}`);
    }
    return stored;
  }

  private element(array: number, k: number): VirtualRegister {
    const { constants, kept } = this.program.arrays[array]!;
    return virtual(kept ? OUTPUT : constants === undefined ? ARRAY : CONSTANT, this.arrays[array]! + k);
  }

  /** The register that holds a value. */
  register(id: ValueId): VirtualRegister {
    const { control } = this.schedule;
    const bits = bitsOf(control, id);
    if (bits !== undefined) return this.constants.register(bits);
    return this.registers[control.roots[id]!] ?? unreachable(`codegen: %${id} has no register`);
  }

  private registersOf(ids: readonly ValueId[]): VirtualRegister[] {
    return ids.map((id) => this.register(id));
  }

  /** The register to which a new value is written. */
  private target(id: ValueId): VirtualRegister {
    const variable = this.schedule.intoVariable[id]!;
    const output = this.schedule.intoOutput[id]!;
    return (this.registers[id] ??=
      variable >= 0 ? this.variables[variable]! : output >= 0 ? virtual(OUTPUT, output) : this.code.temp());
  }

  /** Writes an operation, into the prologue if it has been hoisted. */
  operation(operation: Operation): void {
    const { schedule } = this;
    const {
      position,
      full,
      instruction: { op, results, args, imm },
    } = operation;
    if (schedule.elided[position] || this.grouped.has(operation)) return;
    if (results.length > 0 && !isDone(schedule, op, results)) return;
    this.code = schedule.hoisted[position] ? this.prologue : this.body;
    const plan = schedule.plans[position];
    if (plan !== undefined) this.arithmetic(plan, results[0]!);
    else {
      switch (op) {
        case 'const':
        case 'int.cast':
        case 'f32.fromBits':
          break;
        case 'input':
          this.registers[results[0]!] = virtual(INPUT, imm);
          break;
        case 'var.get':
          this.variableGet(operation);
          break;
        case 'var.set':
          this.store(this.variables[imm]!, args[0]!, full);
          break;
        case 'output':
          this.store(virtual(OUTPUT, imm), args[0]!, full);
          break;
        case 'array.load':
          this.arrayLoad(operation);
          break;
        case 'array.store':
          this.arrayStore(operation);
          break;
        case 'buffer.load':
          this.bufferLoad(operation);
          break;
        case 'buffer.size':
          this.query(OP_BUFFER_SIZE, operation);
          break;
        case 'texture.levels':
          this.query(OP_TEXTURE_LEVELS, operation);
          break;
        case 'texture.layers':
          this.query(OP_TEXTURE_LAYERS, operation);
          break;
        case 'texture.samples':
          this.query(OP_TEXTURE_SAMPLES, operation);
          break;
        case 'texture.dimensions':
          this.textureDimensions(operation);
          break;
        case 'texture.sample':
        case 'texture.load':
          this.textureRead(operation);
          break;
        case 'texture.loadSamples':
          this.quadLoad(OP_TEXTURE_LOAD_SAMPLES, operation);
          break;
        case 'surface.load':
          this.quadLoad(OP_SURFACE_LOAD, operation);
          break;
        case 'surface.store':
          this.quadStore(OP_SURFACE_STORE, operation);
          break;
        case 'image.load':
          this.quadLoad(OP_IMAGE_LOAD, operation);
          break;
        case 'image.store':
          this.quadStore(OP_IMAGE_STORE, operation);
          break;
        case 'surface.width':
          this.query(OP_SURFACE_FIELD, operation, Surface.width);
          break;
        case 'surface.height':
          this.query(OP_SURFACE_FIELD, operation, Surface.height);
          break;
        case 'surface.samples':
          this.query(OP_SURFACE_FIELD, operation, Surface.samples);
          break;
        case 'discard':
          this.code.emit([OP_DISCARD], [], []);
          break;
        case 'barrier':
          return unreachable('bytecode: a barrier of a program that was not cut into parts');
        case 'emit':
        case 'cut':
        case 'dispatch':
          return unreachable(`bytecode: ${op} that was not gathered`);
        case 'lanes.permute':
          this.lanesPermute(operation);
          break;
        case 'lanes.shuffle':
          this.lanes(OP_LANES_SHUFFLE, operation);
          break;
        case 'lanes.ballot':
          this.lanes(OP_LANES_BALLOT, operation);
          break;
        case 'lanes.index':
          this.lanes(OP_LANES_INDEX, operation);
          break;
        case 'storage.load':
          this.storageLoad(operation);
          break;
        case 'storage.store':
          this.storageStore(OP_BUFFER_STORE, operation);
          break;
        case 'storage.storeHalf':
          this.storageStore(OP_BUFFER_STORE_HALF, operation);
          break;
        default:
          this.atomic(operation);
      }
    }
    this.code = this.body;
  }

  private arithmetic(plan: Plan, result: ValueId): void {
    const operands = this.registersOf(plan.operands);
    const dst = this.target(result);
    this.code.emit([plan.opcode, dst, ...operands], [dst], operands);
  }

  /** Stores with a plain move if all lanes are active. */
  private store(register: VirtualRegister, value: ValueId, full: boolean): void {
    const source = this.register(value);
    if (full) this.move(register, source);
    else this.code.emit([OP_SET, register, source], [], [source, register]);
  }

  private variableGet({ position, instruction: { imm, results } }: Operation): void {
    if (this.schedule.inVariable[position]) this.registers[results[0]!] = this.variables[imm]!;
    else this.move(this.target(results[0]!), this.variables[imm]!);
  }

  /** The element for a constant index; undefined for other indices. */
  private namedElement(array: number, index: ValueId): VirtualRegister | undefined {
    const bits = bitsOf(this.schedule.control, index);
    return bits === undefined ? undefined : this.element(array, Math.min(bits, this.program.arrays[array]!.length - 1));
  }

  private arrayLoad({ instruction: { args, results, imm } }: Operation): void {
    const dst = this.target(results[0]!);
    const element = this.namedElement(imm, args[0]!);
    if (element !== undefined) return this.move(dst, element);
    const register = this.register(args[0]!);
    const { length } = this.program.arrays[imm]!;
    this.code.emit([OP_ARRAY_LOAD, dst, register, this.element(imm, 0), ...word(length)], [dst], [register]);
  }

  private arrayStore({ full, instruction: { args, imm } }: Operation): void {
    const element = this.namedElement(imm, args[0]!);
    // Lanes that were inactive from the start may wait for another part.
    if (element !== undefined) return this.store(element, args[1]!, full && !this.program.arrays[imm]!.kept);
    const register = this.register(args[0]!);
    const value = this.register(args[1]!);
    const { length } = this.program.arrays[imm]!;
    this.code.emit([OP_ARRAY_STORE, value, register, this.element(imm, 0), ...word(length)], [], [register, value]);
  }

  private bufferLoad(first: Operation): void {
    const {
      instruction: { args, imm, results },
    } = first;
    const { base, immediate } = splitOffset(this.schedule.control, args[0]!);
    const offset = base === null ? this.constants.register(0) : this.register(base);
    const row = rowOf(this.schedule.control, first, (member) => this.canJoin(member, first));
    if (row === null) {
      const dst = this.target(results[0]!);
      this.code.emit([OP_BUFFER_LOAD, dst, offset, imm, ...word(immediate)], [dst], [offset]);
      return;
    }
    for (const member of row) if (member !== null) this.grouped.add(member);
    const halves = row.map((member) => (member === null ? NONE : this.target(member.instruction.results[0]!)));
    const words = [OP_BUFFER_LOAD4, 0, offset, imm, ...word(immediate), ...halves];
    this.code.emit(words, written(halves), [offset], true);
  }

  private canJoin(member: Operation, first: Operation): boolean {
    const { uses, intoVariable, uniform } = this.schedule;
    const id = member.instruction.results[0]!;
    // A value that goes to a variable's register must not be written early.
    return (
      uses[id]! > 0 && !uniform.has(id) && !this.grouped.has(member) && (member === first || intoVariable[id]! < 0)
    );
  }

  private query(opcode: number, { instruction: { results, imm } }: Operation, field = 0): void {
    const dst = this.target(results[0]!);
    this.code.emit([opcode, dst, imm, field], [dst], []);
  }

  /** Registers of the results that are used. */
  private wanted(results: readonly ValueId[]): Half[] {
    return results.map((id) => (this.schedule.uses[id]! > 0 ? this.target(id) : NONE));
  }

  private textureDimensions({ instruction: { args, results, imm } }: Operation): void {
    const level = this.register(args[0]!);
    const sizes = this.wanted(results);
    this.code.emit([OP_TEXTURE_DIMENSIONS, 0, level, imm, ...sizes], written(sizes), [level], true);
  }

  private storageLoad({ instruction: { args, results, imm } }: Operation): void {
    const { base, immediate } = splitOffset(this.schedule.control, args[0]!);
    const offset = base === null ? this.constants.register(0) : this.register(base);
    const dst = this.target(results[0]!);
    this.code.emit([OP_BUFFER_LOAD, dst, offset, imm, ...word(immediate)], [dst], [offset]);
  }

  private storageStore(opcode: number, { instruction: { args, imm } }: Operation): void {
    const [offset, value] = this.registersOf(args) as [VirtualRegister, VirtualRegister];
    this.code.emit([opcode, value, offset, imm], [], [offset, value]);
  }

  private lanesPermute({ instruction: { args, results, imm } }: Operation): void {
    const [value, other] = this.registersOf(args) as [VirtualRegister, VirtualRegister];
    const dst = this.target(results[0]!);
    this.code.emit([OP_LANES_PERMUTE, dst, value, other, ...word(imm)], [dst], [value, other]);
  }

  private lanes(opcode: number, { instruction: { args, results } }: Operation): void {
    const operands = this.registersOf(args);
    const dst = this.target(results[0]!);
    this.code.emit([opcode, dst, operands[0] ?? 0, operands[1] ?? 0], [dst], operands);
  }

  private atomic({ instruction: { op, args, results, imm } }: Operation): void {
    const code = atomicCodes[op] ?? unreachable(`codegen: no instruction for ${op}`);
    const operands = this.registersOf(args);
    const [offset, value, comparand = NONE] = operands as [Half, Half, Half?];
    const [dst] = this.wanted(results) as [Half];
    this.code.emit([OP_BUFFER_ATOMIC, dst, offset, imm, value, comparand, code, 0], written([dst]), operands, true);
  }

  private quadLoad(opcode: number, { instruction: { args, results, imm } }: Operation): void {
    const operands = this.registersOf(args);
    const dst = this.wanted(results);
    this.code.emit([opcode, 0, ...operands, imm, ...dst], written(dst), operands, true);
  }

  private quadStore(opcode: number, { instruction: { args, imm } }: Operation): void {
    const operands = this.registersOf(args);
    this.code.emit([opcode, 0, ...operands.slice(0, 3), imm, ...operands.slice(3)], [], operands);
  }

  private textureRead({ instruction: { op, args, results, texture: access } }: Operation): void {
    const { texture, sampler, offset } = access!;
    const operands = this.registersOf(args);
    const dst = this.wanted(results);
    const slots: Half[] = Array<Half>(12).fill(NONE);
    operandSlots(this.program, access!).forEach((slot, k) => {
      slots[slot] = operands[k]!;
    });
    this.code.emit(
      [
        op === 'texture.sample' ? OP_TEXTURE_SAMPLE : OP_TEXTURE_LOAD,
        modeOf(access!),
        texture,
        sampler < 0 ? NONE : sampler,
        (offset[0] & 0xff) | ((offset[1] & 0xff) << 8),
        offset[2] & 0xffff,
        ...slots,
        ...dst,
      ],
      written(dst),
      operands,
      true
    );
  }
}

/** Only the registers among the operands. */
const written = (halves: readonly Half[]): VirtualRegister[] => halves.filter((half) => half < 0);

/** A 32-bit number. */
const word = (value: number): [Half, Half] => [value & 0xffff, value >>> 16];
