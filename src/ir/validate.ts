// Checks the rules that stand above the types in program.ts. A broken rule is our own bug.

import { assert } from '../base/assert';
import { opInfo, type OpType } from './ops';
import type { Instruction, IrNode, IrProgram, ScalarType, ValueId } from './program';

const isInt = (type: ScalarType): boolean => type === 'i32' || type === 'u32';
const fits = (wanted: OpType, type: ScalarType): boolean => wanted === 'any' || wanted === type || (wanted === 'int' && isInt(type));

class Validator {
  private readonly defined = new Set<ValueId>();
  private readonly visible = new Set<ValueId>();
  private readonly labels = new Set<number>();
  constructor(private readonly program: IrProgram) {}

  list(nodes: readonly IrNode[]): void {
    const own: ValueId[] = [];
    nodes.forEach((node, index) => {
      if (node.kind === 'leave') this.check(index === nodes.length - 1, 'a leave is the last node of its list');
      this.node(node, own);
    });
    for (const id of own) this.visible.delete(id);
  }

  private check(condition: boolean, rule: string): void {
    assert(condition, `ir: ${this.program.name}: ${rule}`);
  }

  private node(node: IrNode, own: ValueId[]): void {
    switch (node.kind) {
      case 'op': return this.instruction(node, own);
      case 'if':
        this.use(node.condition, 'if');
        this.check(this.program.values[node.condition] === 'bool', `the condition %${node.condition} is a bool`);
        this.list(node.then);
        return this.list(node.otherwise);
      case 'leave': return this.check(this.labels.has(node.label), `leave ${node.label} stands inside that block`);
      default:
        this.check(!this.labels.has(node.label), `label ${node.label} is not nested in itself`);
        this.labels.add(node.label);
        this.list(node.body);
        this.labels.delete(node.label);
    }
  }

  private use(id: ValueId, where: string): void {
    this.check(this.visible.has(id), `%${id} is visible where ${where} uses it`);
  }

  private instruction(instruction: Instruction, own: ValueId[]): void {
    const { op, args, results } = instruction;
    const info = opInfo(op);
    for (const id of args) this.use(id, op);
    if (!op.startsWith('texture.')) {
      this.check(args.length === info.args.length, `${op} has ${info.args.length} arguments, not ${args.length}`);
      args.forEach((id, k) => this.check(fits(info.args[k]!, this.type(id)), `argument ${k} of ${op} is ${info.args[k]}, not ${this.type(id)}`));
    }
    this.check(results.length === info.results.length, `${op} has ${info.results.length} results, not ${results.length}`);
    results.forEach((id, k) => {
      this.check(this.type(id) !== undefined, `%${id} has a type`);
      this.check(fits(info.results[k]!, this.type(id)), `result ${k} of ${op} is ${info.results[k]}, not ${this.type(id)}`);
      this.check(!this.defined.has(id), `%${id} is defined once`);
      this.defined.add(id);
      this.visible.add(id);
      own.push(id);
    });
    this.agreement(instruction);
    this.immediate(instruction);
  }

  private type(id: ValueId): ScalarType {
    return this.program.values[id]!;
  }

  /** Types that must be equal to each other. */
  private agreement({ op, args, results }: Instruction): void {
    const equal = (a: ValueId, b: ValueId): void => this.check(this.type(a) === this.type(b), `${op}: %${a} and %${b} have one type`);
    if (op === 'select') { equal(args[1]!, args[2]!); equal(args[1]!, results[0]!); }
    if (op === 'int.cast' || !/^(int|i32|u32)\./.test(op)) return;
    const info = opInfo(op);
    const ints = args.filter((_, k) => info.args[k] === 'int');
    const shift = op === 'int.shl' || op === 'i32.shr' || op === 'u32.shr';
    if (ints.length > 1 && !shift) equal(ints[0]!, ints[1]!);
    if (ints.length > 0 && info.results[0] === 'int') equal(ints[0]!, results[0]!);
  }

  private immediate(instruction: Instruction): void {
    const { op, args, results, imm } = instruction;
    const { variables, arrays, inputs, outputs, resources } = this.program;
    const entry = <T extends { type: ScalarType }>(list: readonly T[], what: string, value: ValueId): T => {
      const found = list[imm];
      assert(found !== undefined, `ir: ${this.program.name}: ${op}: ${what} ${imm} exists`);
      this.check(found.type === this.type(value), `${op}: ${what} ${imm} is ${found.type}, not ${this.type(value)}`);
      return found;
    };
    switch (op) {
      case 'var.get': entry(variables, 'variable', results[0]!); return;
      case 'var.set': entry(variables, 'variable', args[0]!); return;
      case 'array.load': entry(arrays, 'array', results[0]!); return;
      case 'array.store': this.check(entry(arrays, 'array', args[1]!).constants === undefined, 'a table of constants is never stored to'); return;
      case 'input': entry(inputs, 'input', results[0]!); return;
      case 'output': entry(outputs, 'output', args[0]!); return;
      case 'buffer.load': case 'buffer.size':
        return this.check(resources[imm]?.kind === 'uniform' || resources[imm]?.kind === 'storage', `${op}: resource ${imm} is a buffer`);
      case 'texture.dimensions': case 'texture.levels': case 'texture.layers': case 'texture.samples':
        return this.check(resources[imm]?.kind === 'texture', `${op}: resource ${imm} is a texture`);
      case 'surface.load': case 'surface.store': case 'surface.width': case 'surface.height': case 'surface.samples': return this.surface(instruction);
      case 'texture.sample': case 'texture.load': return this.texture(instruction);
    }
  }

  private surface({ op, args, results, imm }: Instruction): void {
    const surface = this.program.resources[imm];
    assert(surface?.kind === 'surface', `ir: ${this.program.name}: ${op}: resource ${imm} is a surface`);
    if (op !== 'surface.load' && op !== 'surface.store') return;
    this.check(this.program.stage === 'fragment', `${op} stands in a fragment program`);
    this.check(surface.access !== (op === 'surface.load' ? 'write' : 'read'), `${op}: surface ${imm} has access ${surface.access}`);
    const texel = op === 'surface.load' ? results.slice(0, 4) : args.slice(3);
    for (const id of texel) this.check(this.type(id) === surface.sampled, `${op}: %${id} is ${surface.sampled}, not ${this.type(id)}`);
  }

  private texture({ op, args, texture: access }: Instruction): void {
    assert(access !== undefined, `ir: ${op} without access`);
    const texture = this.program.resources[access.texture];
    assert(texture?.kind === 'texture', `ir: ${this.program.name}: ${op}: resource ${access.texture} is a texture`);
    const load = op === 'texture.load';
    this.check(load === (access.mode === 'load'), `${op} does not go with mode ${access.mode}`);
    this.check(load ? access.sampler === -1 : this.program.resources[access.sampler]?.kind === 'sampler', `${op}: sampler ${access.sampler}`);
    const wanted = accessOperands(texture.dimension, access);
    this.check(args.length === wanted.length, `${op} (${access.mode}) has ${wanted.length} arguments, not ${args.length}`);
    args.forEach((id, k) => this.check(this.type(id) === wanted[k], `argument ${k} of ${op} is ${wanted[k]}, not ${this.type(id)}`));
  }
}

const COORDINATES = { '1d': 1, '2d': 2, '2d-array': 2, '3d': 3, 'cube': 3, 'cube-array': 3 } as const;

/** Types of the arguments of a texture read, in order. */
export function accessOperands(dimension: keyof typeof COORDINATES, access: { readonly mode: string; readonly compare: boolean }): ScalarType[] {
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

/** Throws an InternalError that names the broken rule. */
export function validate(program: IrProgram): void {
  for (const array of program.arrays) {
    assert(array.length > 0, `ir: array '${array.name}' has elements`);
    assert(array.constants === undefined || array.constants.length === array.length, `ir: table '${array.name}' has all its constants`);
  }
  new Validator(program).list(program.body);
}
