// Writes the body and the prologue of a program as machine code.
//
// Control flow: exec is the mask of the lanes that run. An `if` saves it in a register and narrows it; a block or loop
// that lanes leave saves it at its start and restores it at its end. Lanes that leave are taken out of every saved mask
// between them and what they leave, so that nothing inside brings them back. Uniform conditions are jumps.

import {
  OPERAND_NONE, OP_ARRAY_LOAD, OP_ARRAY_STORE, OP_BUFFER_LOAD, OP_BUFFER_LOAD4, OP_BUFFER_SIZE, OP_DISCARD, OP_ELSE,
  OP_END, OP_IF, OP_IF_NOT, OP_JUMP, OP_JUMP_UNLESS, OP_LEAVE, OP_LEAVE_IF, OP_LEAVE_UNLESS, OP_LOOP_END, OP_MOVE,
  OP_RESTORE_EXEC, OP_RESTORE_EXEC_OR_JUMP, OP_SAVE_EXEC, OP_SET, OP_SURFACE_FIELD, OP_SURFACE_LOAD, OP_SURFACE_STORE,
  OP_TEXTURE_DIMENSIONS, OP_TEXTURE_LAYERS, OP_TEXTURE_LEVELS, OP_TEXTURE_LOAD, OP_TEXTURE_SAMPLE, OP_TEXTURE_SAMPLES,
} from '../../assembly/layout/opcodes';
import { MODE_BIAS, MODE_GRAD, MODE_IMPLICIT, MODE_LEVEL } from '../../assembly/layout/texture-codes';
import { Surface } from '../../build/layout';
import { unreachable } from '../base/assert';
import {
  accessOperands, leaves, variablesReadAtStart, type Instruction, type IrNode, type IrProgram, type ValueId,
} from '../ir';
import { wayOut, type Enclosing } from './constructs';
import { MachineCode, newLabel, type Half, type Label, type VirtualRegister, type Word } from './machine';
import type { Plan } from './fuse';
import { leavesOutside, splitOffset, type Schedule } from './schedule';

const NONE = OPERAND_NONE;
const MODES = {
  implicit: MODE_IMPLICIT, bias: MODE_BIAS, level: MODE_LEVEL, grad: MODE_GRAD, load: MODE_LEVEL,
} as const;

interface Construct extends Enclosing<VirtualRegister> {
  /** Where lanes may be on again when none is on here. */
  readonly revival: Label | null;
  readonly end: Label;
  /** Whether `end` is before the point where lanes that left come on again. */
  readonly revivesAtEnd: boolean;
}

/** Constants by their bits, and tables of constants one after the other. */
export class ConstantPool {
  readonly bits: number[] = [];
  private readonly single = new Map<number, VirtualRegister>();
  private readonly tables = new Map<number, VirtualRegister>();

  register(bits: number): VirtualRegister {
    let found = this.single.get(bits);
    if (found === undefined) this.single.set(bits, (found = { kind: 'constant', index: this.bits.push(bits) - 1 }));
    return found;
  }

  /** First register of a table. */
  table(array: number, constants: readonly number[]): VirtualRegister {
    let found = this.tables.get(array);
    if (found === undefined) {
      this.tables.set(array, (found = { kind: 'constant', index: this.bits.length }));
      this.bits.push(...constants);
    }
    return found;
  }
}

export class BodyWriter {
  readonly body = new MachineCode();
  readonly prologue = new MachineCode();
  /** Values of the uniform registers, in order. */
  readonly uniforms: ValueId[] = [];
  private code: MachineCode = this.body;
  private readonly registers = new Map<ValueId, VirtualRegister>();
  private readonly variables: VirtualRegister[];
  private readonly arrays: VirtualRegister[];
  private readonly constructs: Construct[] = [];
  /** Loads that were written together with an earlier one. */
  private readonly grouped = new Set<Instruction>();
  private readonly divided = new Map<IrNode, boolean>();

  constructor(
    private readonly program: IrProgram, private readonly schedule: Schedule, readonly constants: ConstantPool
  ) {
    this.variables = program.variables.map(() => this.body.temp());
    for (const variable of this.variables) this.body.persistent.add(variable);
    let base = 0;
    this.arrays = program.arrays.map(({ length, constants: table }, index) => {
      if (table !== undefined) return constants.table(index, table);
      const register: VirtualRegister = { kind: 'array', index: base };
      base += length;
      return register;
    });
    this.arrayRegisters = base;
  }
  readonly arrayRegisters: number;

  write(): void {
    for (const id of this.schedule.shared) {
      const register: VirtualRegister = { kind: 'uniform', index: this.uniforms.push(id) - 1 };
      this.registers.set(id, register);
    }
    this.clear();
    this.nodes(this.program.body);
    this.body.emit([OP_END], [], []);
    if (this.prologue.instructions.length > 0) this.prologue.emit([OP_END], [], []);
  }

  /** Zeros that may be seen: variables read before they are set, arrays, outputs that not all lanes write. */
  private clear(): void {
    const zero = this.constants.register.bind(this.constants, 0);
    const move = (register: VirtualRegister): void => this.body.emit(
      [[OP_MOVE, register], [zero(), 0]], [register], [zero()]
    );
    for (const variable of variablesReadAtStart(this.program)) move(this.variables[variable]!);
    const stored = this.storedAtStart();
    this.program.arrays.forEach(({ length, constants: table }, array) => {
      if (table !== undefined) return;
      for (let k = 0; k < length; k++) if (!stored.has(`${array} ${k}`)) move(this.element(array, k));
    });
    const written = new Set<number>();
    for (const node of this.program.body) if (node.kind === 'op' && node.op === 'output') written.add(node.imm);
    this.program.outputs.forEach((_, index) => { if (!written.has(index)) move({ kind: 'output', index }); });
  }

  /** Elements that are surely stored before anything can read them. */
  private storedAtStart(): ReadonlySet<string> {
    const stored = new Set<string>();
    for (const node of this.program.body) {
      if (node.kind !== 'op' || node.op === 'array.load') break;
      if (node.op !== 'array.store') continue;
      const index = this.schedule.bits(node.args[0]!);
      if (index !== undefined) stored.add(`${node.imm} ${Math.min(index, this.program.arrays[node.imm]!.length - 1)}`);
    }
    return stored;
  }

  private element(array: number, k: number): VirtualRegister {
    const base = this.arrays[array]!;
    return { kind: base.kind, index: base.index + k };
  }

  /** The register that holds a value. */
  private register(id: ValueId): VirtualRegister {
    const root = this.schedule.root(id);
    const bits = this.schedule.bits(root);
    if (bits !== undefined) return this.constants.register(bits);
    return this.registers.get(root) ?? unreachable(`codegen: %${root} has no register`);
  }

  /** The register that a new value is written to. */
  private target(id: ValueId): VirtualRegister {
    const known = this.registers.get(id);
    if (known !== undefined) return known;
    const { intoVariable, intoOutput } = this.schedule;
    const variable = intoVariable.get(id);
    const output = intoOutput.get(id);
    let register: VirtualRegister;
    if (variable !== undefined) register = this.variables[variable]!;
    else if (output !== undefined) register = { kind: 'output', index: output };
    else register = this.code.temp();
    this.registers.set(id, register);
    return register;
  }

  private nodes(nodes: readonly IrNode[]): void {
    nodes.forEach((node, index) => {
      switch (node.kind) {
        case 'op': this.instruction(node, nodes); break;
        case 'if': this.conditional(node); break;
        case 'block': this.block(node); break;
        case 'loop': this.loop(node, index === nodes.length - 1); break;
        case 'leave': this.leave(node.label); break;
      }
    });
  }

  // ── control flow ──

  /** The innermost point where lanes may be on again. */
  private revival(): Label | null {
    for (let i = this.constructs.length - 1; i >= 0; i--) {
      const { revival } = this.constructs[i]!;
      if (revival !== null) return revival;
    }
    return null;
  }

  private jumpWhenOff(save: VirtualRegister): void {
    const to = this.revival();
    if (to === null) this.code.emit([[OP_RESTORE_EXEC, save]], [], [save]);
    else this.code.emit([[OP_RESTORE_EXEC_OR_JUMP, save], to], [], [save]);
  }

  private conditional(node: Extract<IrNode, { kind: 'if' }>): void {
    const condition = this.register(node.condition);
    if (this.schedule.uniform.has(node.condition)) return this.uniformConditional(node, condition);
    const [first, second] = [node.then[0], node.otherwise[0]];
    if (first?.kind === 'leave' && node.otherwise.length === 0)
      return this.leaveWhere(OP_LEAVE_IF, condition, first.label);
    if (second?.kind === 'leave' && node.then.length === 0)
      return this.leaveWhere(OP_LEAVE_UNLESS, condition, second.label);

    const save = this.code.temp();
    const between = newLabel();
    const end = newLabel();
    const inside = (nodes: readonly IrNode[], revival: Label): void => {
      this.constructs.push({ label: -1, save, divides: true, revival, end, revivesAtEnd: true });
      this.nodes(nodes);
      this.constructs.pop();
    };
    if (node.then.length === 0) {
      this.code.emit([[OP_IF_NOT, save], [condition, 0], end], [save], [condition], true);
      inside(node.otherwise, end);
    } else {
      const both = node.otherwise.length > 0;
      this.code.emit([[OP_IF, save], [condition, 0], both ? between : end], [save], [condition], true);
      inside(node.then, both ? between : end);
      if (both) {
        this.code.mark(between);
        this.code.emit([[OP_ELSE, save], [condition, 0], end], [], [save, condition]);
        inside(node.otherwise, end);
      }
    }
    this.code.mark(end);
    if (leavesOutside([...node.then, ...node.otherwise])) this.jumpWhenOff(save);
    else this.code.emit([[OP_RESTORE_EXEC, save]], [], [save]);
  }

  private uniformConditional(node: Extract<IrNode, { kind: 'if' }>, condition: VirtualRegister): void {
    const otherwise = newLabel();
    const end = newLabel();
    this.code.emit([[OP_JUMP_UNLESS, condition], otherwise], [], [condition]);
    this.constructs.push({ label: -1, save: null, divides: false, revival: null, end, revivesAtEnd: true });
    this.nodes(node.then);
    if (node.otherwise.length > 0) this.code.emit([OP_JUMP, end], [], []);
    this.code.mark(otherwise);
    this.nodes(node.otherwise);
    this.constructs.pop();
    this.code.mark(end);
  }

  private block(node: Extract<IrNode, { kind: 'block' }>): void {
    const end = newLabel();
    // A block that is only jumped out of needs no mask.
    const masked = this.isDivided(node);
    const save = masked ? this.code.temp() : null;
    if (save !== null) this.code.emit([[OP_SAVE_EXEC, save]], [save], []);
    this.constructs.push({
      label: node.label, save, divides: masked, revival: masked ? end : null, end, revivesAtEnd: true,
    });
    this.nodes(node.body);
    this.constructs.pop();
    this.code.mark(end);
    if (save === null) return;
    if (leavesOutside([node])) this.jumpWhenOff(save);
    else this.code.emit([[OP_RESTORE_EXEC, save]], [], [save]);
  }

  /** Whether some lanes may leave a block or loop while others go on in it. */
  private isDivided(node: Extract<IrNode, { kind: 'block' | 'loop' }>): boolean {
    let divided = this.divided.get(node);
    if (divided === undefined) this.divided.set(node, (divided = this.isLeftByLanes(node.body, node.label, true)));
    return divided;
  }

  /** `together`: the lanes that are on are all that came in and have not left for good. */
  private isLeftByLanes(nodes: readonly IrNode[], label: number, together: boolean): boolean {
    return nodes.some((node) => {
      switch (node.kind) {
        case 'op': return false;
        case 'leave': return node.label === label && !together;
        case 'if': {
          const inner = together && this.schedule.uniform.has(node.condition);
          return this.isLeftByLanes(node.then, label, inner) || this.isLeftByLanes(node.otherwise, label, inner);
        }
        // Lanes that left a block inside wait at its end.
        default: return this.isLeftByLanes(node.body, label, together && !this.isDivided(node));
      }
    });
  }

  private loop(node: Extract<IrNode, { kind: 'loop' }>, last: boolean): void {
    const around = this.constructs[this.constructs.length - 1];
    // Lanes leave most loops through a block right around them; its mask then serves both.
    const shares = last && around !== undefined && around.label >= 0 && around.save !== null
      && !leaves(node.body, node.label);
    const save = shares ? around.save! : this.code.temp();
    if (!shares) this.code.emit([[OP_SAVE_EXEC, save]], [save], []);
    const body = newLabel();
    const check = newLabel();
    const end = newLabel();
    this.code.mark(body);
    const first = this.code.instructions.length;
    this.constructs.push({
      label: node.label, save: shares ? null : save, divides: this.isDivided(node), revival: check, end,
      revivesAtEnd: false,
    });
    this.nodes(node.body);
    this.constructs.pop();
    this.code.mark(check);
    this.code.emit([[OP_LOOP_END, save], body], [], [save]);
    this.code.loops.push({ first, last: this.code.instructions.length - 1 });
    this.code.mark(end);
  }

  private leave(label: number): void {
    const { target, saves, together } = wayOut<VirtualRegister, Construct>(this.constructs, label);
    // All lanes that are on go: those that are off are in the target's mask, or nowhere. A jump out of a loop passes by
    // the point where lanes that left it before come on again.
    if (together && (target.revivesAtEnd || !target.divides)) {
      this.code.emit([OP_JUMP, target.end], [], []);
      return;
    }
    this.code.emit([OP_LEAVE | (saves.length << 16), ...pairs(saves)], [], saves);
    // After a jump's branch comes code for all lanes, not the point where some are on again.
    const last = this.constructs[this.constructs.length - 1]!;
    if (last.revival === null) this.code.emit([OP_JUMP, this.revival()!], [], []);
  }

  private leaveWhere(opcode: number, condition: VirtualRegister, label: number): void {
    const { saves } = wayOut<VirtualRegister, Construct>(this.constructs, label);
    const to = this.revival() ?? unreachable('codegen: lanes leave where none are saved');
    this.code.emit([opcode | (saves.length << 16), [condition, 0], to, ...pairs(saves)], [], [...saves, condition]);
  }

  // ── instructions ──

  private instruction(instruction: Instruction, list: readonly IrNode[]): void {
    const { schedule } = this;
    const { op, results, args, imm } = instruction;
    if (schedule.elided.has(instruction) || this.grouped.has(instruction)) return;
    if (results.length > 0 && !results.some((id) => schedule.uses.has(id))) return;
    this.code = results.length > 0 && results.every((id) => schedule.uniform.has(id)) ? this.prologue : this.body;
    const plan = schedule.plans.get(instruction);
    if (plan !== undefined) this.arithmetic(plan, results[0]!);
    else {
      switch (op) {
        case 'const': case 'int.cast': case 'f32.fromBits': break;
        case 'input': this.registers.set(results[0]!, { kind: 'input', index: imm }); break;
        case 'var.get': this.variableGet(instruction); break;
        case 'var.set': this.store(this.variables[imm]!, args[0]!, schedule.full(instruction)); break;
        case 'output': this.store({ kind: 'output', index: imm }, args[0]!, schedule.full(instruction)); break;
        case 'array.load': this.arrayLoad(instruction); break;
        case 'array.store': this.arrayStore(instruction); break;
        case 'buffer.load': this.bufferLoad(instruction, list); break;
        case 'buffer.size': this.query(OP_BUFFER_SIZE, instruction); break;
        case 'texture.levels': this.query(OP_TEXTURE_LEVELS, instruction); break;
        case 'texture.layers': this.query(OP_TEXTURE_LAYERS, instruction); break;
        case 'texture.samples': this.query(OP_TEXTURE_SAMPLES, instruction); break;
        case 'texture.dimensions': this.textureDimensions(instruction); break;
        case 'texture.sample': case 'texture.load': this.textureRead(instruction); break;
        case 'surface.load': this.surfaceLoad(instruction); break;
        case 'surface.store': this.surfaceStore(instruction); break;
        case 'surface.width': this.surfaceField(Surface.width, instruction); break;
        case 'surface.height': this.surfaceField(Surface.height, instruction); break;
        case 'surface.samples': this.surfaceField(Surface.samples, instruction); break;
        case 'discard': this.code.emit([OP_DISCARD], [], []); break;
        default: unreachable(`codegen: no instruction for ${op}`);
      }
    }
    this.code = this.body;
  }

  private arithmetic(plan: Plan, result: ValueId): void {
    const operands = plan.operands.map((id) => this.register(id));
    const dst = this.target(result);
    this.code.emit([[plan.opcode, dst], ...pairs(operands)], [dst], operands);
  }

  /** A move, of all lanes where all are on. */
  private store(register: VirtualRegister, value: ValueId, full: boolean): void {
    const source = this.register(value);
    if (full) this.code.emit([[OP_MOVE, register], [source, 0]], [register], [source]);
    else this.code.emit([[OP_SET, register], [source, 0]], [], [source, register]);
  }

  private variableGet(instruction: Instruction): void {
    const variable = this.variables[instruction.imm]!;
    if (this.schedule.inVariable.has(instruction)) {
      this.registers.set(instruction.results[0]!, variable);
      return;
    }
    const dst = this.target(instruction.results[0]!);
    this.code.emit([[OP_MOVE, dst], [variable, 0]], [dst], [variable]);
  }

  private arrayLoad({ args, results, imm }: Instruction): void {
    const { length } = this.program.arrays[imm]!;
    const dst = this.target(results[0]!);
    const index = this.schedule.bits(this.schedule.root(args[0]!));
    if (index !== undefined) {
      const source = this.element(imm, Math.min(index, length - 1));
      this.code.emit([[OP_MOVE, dst], [source, 0]], [dst], [source]);
      return;
    }
    const register = this.register(args[0]!);
    this.code.emit([[OP_ARRAY_LOAD, dst], [register, this.arrays[imm]!], length], [dst], [register]);
  }

  private arrayStore(instruction: Instruction): void {
    const { args, imm } = instruction;
    const { length } = this.program.arrays[imm]!;
    const index = this.schedule.bits(this.schedule.root(args[0]!));
    if (index !== undefined)
      return this.store(this.element(imm, Math.min(index, length - 1)), args[1]!, this.schedule.full(instruction));
    const register = this.register(args[0]!);
    const value = this.register(args[1]!);
    this.code.emit([[OP_ARRAY_STORE, value], [register, this.arrays[imm]!], length], [], [register, value]);
  }

  private bufferLoad(instruction: Instruction, list: readonly IrNode[]): void {
    const { base, immediate } = splitOffset(this.schedule, instruction.args[0]!);
    const offset = base === null ? this.constants.register(0) : this.register(base);
    const group = this.bufferGroup(instruction, base, immediate, list);
    if (group !== null) {
      for (const member of group) if (member !== null) this.grouped.add(member);
      const results = group.map((member) => (member === null ? null : this.target(member.results[0]!)));
      const half = (k: number): Half => results[k] ?? NONE;
      const defs = results.filter((register) => register !== null);
      this.code.emit(
        [OP_BUFFER_LOAD4, [offset, instruction.imm], immediate, [half(0), half(1)], [half(2), half(3)]], defs, [offset],
        true
      );
      return;
    }
    const dst = this.target(instruction.results[0]!);
    this.code.emit([[OP_BUFFER_LOAD, dst], [offset, instruction.imm], immediate], [dst], [offset]);
  }

  /** Loads of the same list at immediate, +4, +8, +12, when at least three are wanted. */
  private bufferGroup(
    first: Instruction, base: ValueId | null, immediate: number, list: readonly IrNode[]
  ): (Instruction | null)[] | null {
    const { schedule } = this;
    if (base === null || schedule.uniform.has(first.results[0]!)) return null;
    const group: (Instruction | null)[] = [null, null, null, null];
    for (const node of list) {
      if (node.kind !== 'op' || node.op !== 'buffer.load' || node.imm !== first.imm
        || !schedule.uses.has(node.results[0]!) || this.grouped.has(node))
        continue;
      const other = splitOffset(schedule, node.args[0]!);
      const slot = (other.immediate - immediate) / 4;
      if (other.base === null || schedule.root(other.base) !== schedule.root(base) || !(slot in group)) continue;
      // A value that goes to a variable's register must not be written before its time.
      if (node !== first && schedule.intoVariable.has(node.results[0]!)) continue;
      group[slot] ??= node;
    }
    return group[0] === first && group.filter((member) => member !== null).length >= 3 ? group : null;
  }

  private query(opcode: number, { results, imm }: Instruction): void {
    const dst = this.target(results[0]!);
    this.code.emit([[opcode, dst], [imm, 0]], [dst], []);
  }

  /** Registers of the results that somebody reads. */
  private wanted(results: readonly ValueId[]): (VirtualRegister | null)[] {
    return results.map((id) => (this.schedule.uses.has(id) ? this.target(id) : null));
  }

  private textureDimensions({ args, results, imm }: Instruction): void {
    const level = this.register(args[0]!);
    const [width, height, depth] = this.wanted(results);
    const defs = [width, height, depth].filter((register) => register !== null);
    this.code.emit(
      [OP_TEXTURE_DIMENSIONS, [level, imm], [width ?? NONE, height ?? NONE], [depth ?? NONE, 0]], defs, [level], true
    );
  }

  private surfaceField(field: number, { results, imm }: Instruction): void {
    const dst = this.target(results[0]!);
    this.code.emit([[OP_SURFACE_FIELD, dst], [imm, field]], [dst], []);
  }

  private surfaceLoad({ args, results, imm }: Instruction): void {
    const operands = args.map((id) => this.register(id));
    const dst = this.wanted(results);
    const defs = dst.filter((register) => register !== null);
    this.code.emit(
      [
        OP_SURFACE_LOAD, [operands[0]!, operands[1]!], [operands[2]!, imm],
        ...pairs(dst.map((register) => register ?? NONE)),
      ],
      defs, operands, true
    );
  }

  private surfaceStore({ args, imm }: Instruction): void {
    const operands = args.map((id) => this.register(id));
    this.code.emit(
      [OP_SURFACE_STORE, [operands[0]!, operands[1]!], [operands[2]!, imm], ...pairs(operands.slice(3))], [], operands
    );
  }

  private textureRead({ op, args, results, texture: access }: Instruction): void {
    const resource = this.program.resources[access!.texture]!;
    if (resource.kind !== 'texture') return unreachable('codegen: a texture read of no texture');
    const operands = args.map((id) => this.register(id));
    const dst = this.wanted(results);
    const defs = dst.filter((register) => register !== null);
    const slots = textureOperands(resource.dimension, access!, operands);
    const opcode = op === 'texture.sample' ? OP_TEXTURE_SAMPLE : OP_TEXTURE_LOAD;
    const [x, y] = access!.offset;
    const words: Word[] = [
      opcode | (MODES[access!.mode] << 16),
      [access!.texture, access!.sampler < 0 ? NONE : access!.sampler],
      [x & 0xffff, y & 0xffff],
      ...pairs(slots),
      [dst[0] ?? NONE, dst[1] ?? NONE], [dst[2] ?? NONE, dst[3] ?? NONE],
    ];
    this.code.emit(words, defs, operands, true);
  }
}

/** u, v, w, layer, level, compare, ddx u v w, ddy u v w. */
function textureOperands(
  dimension: Parameters<typeof accessOperands>[0], access: { readonly mode: string; readonly compare: boolean },
  operands: readonly VirtualRegister[]
): Half[] {
  const slots: Half[] = Array<Half>(12).fill(NONE);
  const count = accessOperands(dimension, { mode: 'implicit', compare: false }).length
    - (dimension.endsWith('-array') ? 1 : 0);
  let next = 0;
  const take = (): Half => operands[next++] ?? unreachable('codegen: a texture read without all its operands');
  for (let k = 0; k < count; k++) slots[k] = take();
  if (dimension.endsWith('-array')) slots[3] = take();
  if (access.mode === 'bias' || access.mode === 'level' || access.mode === 'load') slots[4] = take();
  if (access.mode === 'grad') {
    for (let k = 0; k < count; k++) slots[6 + k] = take();
    for (let k = 0; k < count; k++) slots[9 + k] = take();
  }
  if (access.compare) slots[5] = take();
  return slots;
}

/** Two registers a word. */
function pairs(halves: readonly Half[]): Word[] {
  const words: Word[] = [];
  for (let i = 0; i < halves.length; i += 2) words.push([halves[i]!, halves[i + 1] ?? 0]);
  return words;
}
