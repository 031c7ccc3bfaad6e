// Checks the rules that are documented in program.ts. A violation is a bug of ours, so only tests validate the programs
// of pipelines: it takes 3 % of a cold compilation.

import { assert, unreachable } from '../base/assert';
import { isArithmetic, isAtomic, opInfo, type OpInfo, type OpName, type OpType } from './ops';
import type { Instruction, IrNode, IrProgram, ScalarType, ValueId } from './program';

const isInt = (type: ScalarType): boolean => type === 'i32' || type === 'u32';
const fits = (wanted: OpType, type: ScalarType): boolean =>
  wanted === 'any' || wanted === type || (wanted === 'int' && isInt(type));

/** State of a value: not yet defined, usable, or out of scope because the list that defines it has ended. */
const UNDEFINED = 0;
const VISIBLE = 1;
const GONE = 2;

class Validator {
  /** By value. */
  private readonly states: Uint8Array;
  private readonly labels = new Set<number>();

  constructor(private readonly program: IrProgram) {
    this.states = new Uint8Array(program.values.length);
  }

  list(nodes: readonly IrNode[]): void {
    const own: ValueId[] = [];
    nodes.forEach((node, index) => {
      if (node.kind === 'op') return this.instruction(node, own);
      if (node.kind === 'leave' && index !== nodes.length - 1) this.broken('a leave is the last node of its list');
      this.construct(node);
    });
    for (const id of own) this.states[id] = GONE;
  }

  /** Callers build the text of `rule` only after a check fails, because most programs are valid. */
  private broken(rule: string): never {
    return unreachable(`ir: ${this.program.name}: ${rule}`);
  }

  private construct(node: Exclude<IrNode, Instruction>): void {
    switch (node.kind) {
      case 'if':
        this.use(node.condition, 'if');
        if (this.type(node.condition) !== 'bool') this.broken(`the condition %${node.condition} is a bool`);
        this.list(node.then);
        return this.list(node.otherwise);
      case 'leave':
        if (!this.labels.has(node.label)) this.broken(`leave ${node.label} is only allowed inside that block`);
        return;
      default:
        if (this.labels.has(node.label)) this.broken(`label ${node.label} is not nested in itself`);
        this.labels.add(node.label);
        this.list(node.body);
        this.labels.delete(node.label);
    }
  }

  private use(id: ValueId, where: string): void {
    if (this.states[id] !== VISIBLE) this.broken(`%${id} is visible where ${where} uses it`);
  }

  private instruction(instruction: Instruction, own: ValueId[]): void {
    const { op, args, results } = instruction;
    const info = opInfo(op);
    for (const id of args) this.use(id, op);
    if (op !== 'texture.sample' && op !== 'texture.load') this.arguments(op, info.args, args);
    if (results.length !== info.results.length)
      this.broken(`${op} has ${info.results.length} results, not ${results.length}`);
    for (let k = 0; k < results.length; k++) {
      const id = results[k]!;
      const type = this.type(id);
      if (type === undefined) this.broken(`%${id} has a type`);
      if (!fits(info.results[k]!, type)) this.broken(`result ${k} of ${op} is ${info.results[k]}, not ${type}`);
      if (this.states[id] !== UNDEFINED) this.broken(`%${id} is defined once`);
      this.states[id] = VISIBLE;
      own.push(id);
    }
    this.agreement(instruction, info);
    this.immediate(instruction);
  }

  private arguments(op: OpName, wanted: readonly OpType[], args: readonly ValueId[]): void {
    if (args.length !== wanted.length) this.broken(`${op} has ${wanted.length} arguments, not ${args.length}`);
    for (let k = 0; k < args.length; k++) {
      const type = this.type(args[k]!);
      if (!fits(wanted[k]!, type)) this.broken(`argument ${k} of ${op} is ${wanted[k]}, not ${type}`);
    }
  }

  private type(id: ValueId): ScalarType {
    return this.program.values[id]!;
  }

  private equal(op: OpName, a: ValueId, b: ValueId): void {
    if (this.type(a) !== this.type(b)) this.broken(`${op}: %${a} and %${b} have one type`);
  }

  /** Checks types that must be equal to each other: operands of integer operations and of select. */
  private agreement({ op, args, results }: Instruction, info: OpInfo): void {
    if (op === 'select') {
      this.equal(op, args[1]!, args[2]!);
      this.equal(op, args[1]!, results[0]!);
    }
    if (info.args[0] !== 'int' || op === 'int.cast') return;
    const shift = op === 'int.shl' || op === 'i32.shr' || op === 'u32.shr';
    if (info.args[1] === 'int' && !shift) this.equal(op, args[0]!, args[1]!);
    if (info.results[0] === 'int') this.equal(op, args[0]!, results[0]!);
  }

  /** Checks that the entry which an instruction names by index exists and has the type of the value. */
  private entry<T extends { readonly type: ScalarType }>(
    { op, imm }: Instruction,
    list: readonly T[],
    what: string,
    value: ValueId
  ): T {
    const found = list[imm];
    if (found === undefined) this.broken(`${op}: ${what} ${imm} exists`);
    if (found.type !== this.type(value)) this.broken(`${op}: ${what} ${imm} is ${found.type}, not ${this.type(value)}`);
    return found;
  }

  private immediate(instruction: Instruction): void {
    const { op, args, results, imm } = instruction;
    if (isArithmetic(op)) return;
    const { variables, arrays, inputs, outputs, resources } = this.program;
    switch (op) {
      case 'var.get':
        this.entry(instruction, variables, 'variable', results[0]!);
        return;
      case 'var.set':
        this.entry(instruction, variables, 'variable', args[0]!);
        return;
      case 'array.load':
        this.entry(instruction, arrays, 'array', results[0]!);
        return;
      case 'array.store':
        if (this.entry(instruction, arrays, 'array', args[1]!).constants !== undefined)
          this.broken('a table of constants is never stored to');
        return;
      case 'input':
        this.entry(instruction, inputs, 'input', results[0]!);
        return;
      case 'output':
        this.entry(instruction, outputs, 'output', args[0]!);
        return;
      case 'emit':
      case 'cut':
        if (this.program.kind !== 'geometry') this.broken(`${op} is only allowed in a geometry shader`);
        return;
      case 'dispatch':
        if (this.program.kind !== 'fragment') this.broken(`${op} is only allowed in a fragment shader`);
        return;
      case 'buffer.load':
      case 'buffer.size':
        if (resources[imm]?.kind === 'immediate' || resources[imm]?.kind === 'blend-constant') return;
        if (resources[imm]?.kind !== 'uniform' && resources[imm]?.kind !== 'storage')
          this.broken(`${op}: resource ${imm} is a buffer`);
        if (op === 'buffer.load' && resources[imm].writable) this.broken(`${op}: resource ${imm} is read-only`);
        return;
      case 'texture.dimensions':
      case 'texture.levels':
      case 'texture.layers':
      case 'texture.samples':
        if (resources[imm]?.kind !== 'texture' && resources[imm]?.kind !== 'image')
          this.broken(`${op}: resource ${imm} is a texture`);
        return;
      case 'texture.loadSamples':
        return this.loadSamples(instruction);
      case 'image.load':
      case 'image.store':
        return this.image(instruction);
      case 'surface.load':
      case 'surface.store':
      case 'surface.width':
      case 'surface.height':
      case 'surface.samples':
        return this.surface(instruction);
      case 'texture.sample':
      case 'texture.load':
        return this.texture(instruction);
      case 'barrier':
        if (this.program.kind !== 'compute') this.broken(`${op} is only allowed in a compute shader`);
        return;
      default:
        if (op.startsWith('storage.') || isAtomic(op)) this.storage(instruction);
    }
  }

  private storage({ op, imm }: Instruction): void {
    const buffer = this.program.resources[imm];
    if (buffer?.kind !== 'workgroup' && buffer?.kind !== 'counters' && (buffer?.kind !== 'storage' || !buffer.writable))
      this.broken(`${op}: resource ${imm} is a writable buffer`);
    this.isWriting(op);
  }

  private isWriting(op: OpName): void {
    if (this.program.kind !== 'fragment' && this.program.kind !== 'compute')
      this.broken(`${op} is only allowed in a fragment or compute shader`);
  }

  private image({ op, args, results, imm }: Instruction): void {
    const image = this.program.resources[imm];
    if (image?.kind !== 'image') this.broken(`${op}: resource ${imm} is an image`);
    this.isWriting(op);
    if (op === 'image.load' && image.access === 'write') this.broken(`${op}: image ${imm} has access ${image.access}`);
    for (const id of op === 'image.load' ? results : args.slice(3))
      if (this.type(id) !== image.sampled) this.broken(`${op}: %${id} is ${image.sampled}, not ${this.type(id)}`);
  }

  private surface({ op, args, results, imm }: Instruction): void {
    const surface = this.program.resources[imm];
    if (surface?.kind !== 'surface') this.broken(`${op}: resource ${imm} is a surface`);
    if (op !== 'surface.load' && op !== 'surface.store') return;
    if (this.program.kind !== 'fragment') this.broken(`${op} is only allowed in a fragment shader`);
    if (surface.access === (op === 'surface.load' ? 'write' : 'read'))
      this.broken(`${op}: surface ${imm} has access ${surface.access}`);
    const texel = op === 'surface.load' ? results.slice(0, 4) : args.slice(3);
    for (const id of texel)
      if (this.type(id) !== surface.sampled) this.broken(`${op}: %${id} is ${surface.sampled}, not ${this.type(id)}`);
  }

  private loadSamples({ op, results, imm }: Instruction): void {
    const texture = this.program.resources[imm];
    if (texture?.kind !== 'texture' || !texture.multisampled)
      this.broken(`${op}: resource ${imm} is a multisampled texture`);
    const type = texture.sampled === 'depth' ? 'f32' : texture.sampled;
    for (const id of results.slice(0, 4))
      if (this.type(id) !== type) this.broken(`${op}: %${id} is ${type}, not ${this.type(id)}`);
  }

  private texture({ op, args, texture: access }: Instruction): void {
    if (access === undefined) this.broken(`${op} without access`);
    const texture = this.program.resources[access.texture];
    if (texture?.kind !== 'texture') this.broken(`${op}: resource ${access.texture} is a texture`);
    const load = op === 'texture.load';
    if (load !== (access.mode === 'load')) this.broken(`${op} cannot be used with mode ${access.mode}`);
    if (load ? access.sampler !== -1 : this.program.resources[access.sampler]?.kind !== 'sampler')
      this.broken(`${op}: sampler ${access.sampler}`);
    this.arguments(op, accessOperands(texture.dimension, access), args);
  }
}

const COORDINATES = { '1d': 1, '2d': 2, '2d-array': 2, '3d': 3, cube: 3, 'cube-array': 3 } as const;

/** Types of the arguments of a texture read, in order. */
export function accessOperands(
  dimension: keyof typeof COORDINATES,
  access: { readonly mode: string; readonly compare: boolean }
): ScalarType[] {
  const load = access.mode === 'load';
  const count = COORDINATES[dimension];
  const types: ScalarType[] = Array<ScalarType>(count).fill(load ? 'i32' : 'f32');
  if (dimension.endsWith('-array')) types.push('i32');
  if (load) types.push('i32');
  if (access.mode === 'bias' || access.mode === 'level') types.push('f32');
  if (access.mode === 'grad') types.push(...Array<ScalarType>(2 * count).fill('f32'));
  if (access.compare) types.push('f32');
  return types;
}

/** Throws an InternalError that names the violated rule. */
export function validate(program: IrProgram): void {
  for (const array of program.arrays) {
    assert(array.length > 0, `ir: array '${array.name}' has elements`);
    assert(
      array.constants === undefined || array.constants.length === array.length,
      `ir: table '${array.name}' has all its constants`
    );
  }
  const takesPrimitives = ['geometry', 'primitive', 'tess_control'].includes(program.kind);
  for (const input of program.inputs) {
    assert(
      input.kind !== 'attribute' || (input.corner !== undefined) === takesPrimitives,
      'ir: attributes of programs that take primitives, and no others, have a corner'
    );
    assert(
      input.kind !== 'control_point' || program.kind === 'tess_evaluation',
      'ir: evaluation programs alone have control points'
    );
  }
  new Validator(program).list(program.body);
}

let validatesAll = false;

/** Makes `assertValid` validate from now on. */
export function validateAll(): void {
  validatesAll = true;
}

/** Validates a program of a pipeline, if `validateAll` was called. */
export function assertValid(program: IrProgram): void {
  if (validatesAll) validate(program);
}
