// Builds IR: the current node list, values with their types, variables, and lane arrays. Constants, inputs and other
// values without operands are placed once at the top of the program, where they are visible everywhere.

import { floatBits } from '../../base/bits';
import { ProgramTooLargeError } from '../../base/errors';
import { defaultShaderLimits, raiseLimitHint } from '../../base/shader-limits';
import {
  MAX_ELEMENTS,
  named,
  type Instruction,
  type IrNode,
  type OpName,
  type ScalarType,
  type TextureAccess,
  type ValueId,
} from '../../ir';

/** Bits of a HIR constant: an f32, an i32, a u32, or a bool as 0 or 1. */
export function bitsOf(type: ScalarType, value: number): number {
  if (type === 'bool') return value === 0 ? 0 : 0xffffffff;
  if (type === 'f32') return floatBits(value);
  return value >>> 0;
}

/**
 * Limits for recursion. MAX_LEVELS counts levels while a program is written, across all inlined calls: one for an
 * expression or a node list, two for a statement list. MAX_NESTED_LISTS counts nested node lists, which the passes walk
 * recursively. Either takes up to two thirds of the engine's stack (984 KiB in V8).
 */
const MAX_LEVELS = 1050;
const MAX_NESTED_LISTS = 1000;

/**
 * A node list counts as one instruction, plus one for each VARIABLES_PER_INSTRUCTION variables and one for each
 * ELEMENTS_PER_INSTRUCTION tracked array elements. For each list, the passes visit all of them, and visiting that many
 * takes less time than an instruction. Once there are more than OWN_VARIABLES, variables whose scopes have ended are
 * reused.
 */
const VARIABLES_PER_INSTRUCTION = 64;
const ELEMENTS_PER_INSTRUCTION = 256;
const OWN_VARIABLES = 64;

/** This many elided reads and stores of variables count as one instruction, because they take time only here. */
const UNWRITTEN_PER_INSTRUCTION = 8;

/**
 * The value of a variable, and the position of its store in the current list; −1 if there is no store that may be
 * elided.
 */
interface Held {
  readonly value: ValueId;
  readonly store: number;
}

/** Register numbers have 16 bits, and lane arrays occupy registers. */
const MAX_REGISTERS = 0xffff;

/**
 * Number of registers for lane arrays that are not shared; these are zero when the program starts. Beyond that, an
 * array whose scope has ended is reused, which requires clearing it.
 */
const OWN_ARRAY_REGISTERS = 4096;

const written = (list: readonly (IrNode | undefined)[]): IrNode[] => list.filter((node) => node !== undefined);

export class IrBuilder {
  readonly values: ScalarType[] = [];
  readonly variables: { name: string; type: ScalarType }[] = [];
  readonly arrays: { name: string; type: ScalarType; length: number; constants?: readonly number[] }[] = [];
  private readonly prelude: IrNode[] = [];
  /** The current list; undefined entries are elided stores. */
  private list: (IrNode | undefined)[] = [];
  /**
   * The known values of variables in the current list since its last nested list. Reads of these are elided, and so are
   * stores that are overwritten. In typical handwritten functions, this removes half of the nodes.
   */
  private readonly held = new Map<number, Held>();
  private unwritten = 0;
  private labels = 0;
  private readonly shared = new Map<string, ValueId>();
  private readonly constants = new Map<ValueId, number>();
  private written = 0;
  private levels = 0;
  private arrayRegisters = 0;
  private followedElements = 0;
  private nestedLists = 0;
  /** Variables of the innermost scope; and, by type, those of ended scopes, which can be used again. */
  private scope: number[] = [];
  private readonly unused: Record<ScalarType, number[]> = { bool: [], i32: [], u32: [], f32: [] };
  /** Lane arrays of the innermost scope; and, by type and length, those of ended scopes. */
  private scopeArrays: number[] = [];
  private readonly unusedArrays = new Map<string, number[]>();

  /**
   * `what` names the program in messages. `most` limits the number of instructions, because thirty functions that each
   * call the next one twice would exhaust memory.
   */
  constructor(
    private readonly what: string,
    private readonly most = defaultShaderLimits.instructions
  ) {}

  /** The finished body. */
  body(): readonly IrNode[] {
    return [...this.prelude, ...written(this.list)];
  }

  /** Counts written instructions. Throws ProgramTooLargeError if there are too many. */
  spend(count = 1): void {
    this.written += count;
    if (this.written <= this.most) return;
    throw new ProgramTooLargeError(
      `${this.what} is longer than ${this.most} instructions after inlining: call fewer functions, `
        + `or use smaller arrays; ${raiseLimitHint('instructions')}`
    );
  }

  private leaveUnwritten(): void {
    if (++this.unwritten % UNWRITTEN_PER_INSTRUCTION === 0) this.spend();
  }

  /** Call before and after writing a nested statement or expression. */
  descend(levels = 1): void {
    this.levels += levels;
    if (this.levels > MAX_LEVELS) this.refuseDepth();
  }
  ascend(levels = 1): void {
    this.levels -= levels;
  }

  private refuseDepth(): never {
    throw new ProgramTooLargeError(
      `${this.what} nests too deeply: use fewer levels of statements and calls, and fewer clauses in a switch`
    );
  }

  /** Runs `write` in a new scope. Its variables and lane arrays can be reused afterwards. */
  scoped<T>(write: () => T): T {
    const outer = this.scope;
    const outerArrays = this.scopeArrays;
    this.scope = [];
    this.scopeArrays = [];
    const result = write();
    for (const variable of this.scope) this.unused[this.variables[variable]!.type].push(variable);
    for (const array of this.scopeArrays) {
      const { type, length } = this.arrays[array]!;
      const key = `${type} ${length}`;
      const list = this.unusedArrays.get(key);
      if (list === undefined) this.unusedArrays.set(key, [array]);
      else list.push(array);
    }
    this.scope = outer;
    this.scopeArrays = outerArrays;
    return result;
  }

  value(type: ScalarType): ValueId {
    return this.values.push(type) - 1;
  }

  label(): number {
    return this.labels++;
  }

  variable(name: string, type: ScalarType): number {
    this.spend();
    const again = this.variables.length < OWN_VARIABLES ? undefined : this.unused[type].pop();
    const variable = again ?? this.variables.push({ name, type }) - 1;
    this.scope.push(variable);
    return variable;
  }

  /** A lane array. It contains zeros unless it is reused. */
  array(name: string, type: ScalarType, length: number): { readonly array: number; readonly isUsed: boolean } {
    const isBeyond = this.arrayRegisters + length > OWN_ARRAY_REGISTERS;
    const again = isBeyond ? this.unusedArrays.get(`${type} ${length}`)?.pop() : undefined;
    const array = again ?? this.newArray(name, type, length);
    this.scopeArrays.push(array);
    return { array, isUsed: again !== undefined };
  }

  private newArray(name: string, type: ScalarType, length: number): number {
    this.arrayRegisters += length;
    if (this.arrayRegisters > MAX_REGISTERS)
      throw new ProgramTooLargeError(
        `${this.what} has arrays of ${this.arrayRegisters} scalars, exceeding `
          + `the limit of ${MAX_REGISTERS}: use smaller arrays`
      );
    if (length <= MAX_ELEMENTS) this.followedElements += length;
    return this.arrays.push({ name, type, length }) - 1;
  }

  /** A constant table, given the bits of its elements. */
  table(name: string, type: ScalarType, constants: readonly number[]): number {
    return this.arrays.push({ name, type, length: constants.length, constants }) - 1;
  }

  private instruction(
    op: OpName,
    results: readonly ValueId[],
    args: readonly ValueId[],
    imm: number,
    texture?: TextureAccess
  ): Instruction {
    return { kind: 'op', op: named(op), results, args, imm, texture };
  }

  /** An operation with one result. */
  op(op: OpName, type: ScalarType, args: readonly ValueId[], imm = 0): ValueId {
    this.spend();
    const result = this.value(type);
    this.list.push(this.instruction(op, [result], args, imm));
    return result;
  }

  /** An operation with results of the given types. */
  results(op: OpName, types: readonly ScalarType[], args: readonly ValueId[], imm: number): ValueId[] {
    this.spend();
    const results = types.map((type) => this.value(type));
    this.list.push(this.instruction(op, results, args, imm));
    return results;
  }

  /** An operation with several results of one type. */
  many(
    op: OpName,
    type: ScalarType,
    count: number,
    args: readonly ValueId[],
    imm: number,
    texture?: TextureAccess
  ): ValueId[] {
    this.spend();
    const results = Array.from({ length: count }, () => this.value(type));
    this.list.push(this.instruction(op, results, args, imm, texture));
    return results;
  }

  /** An operation without results. */
  effect(op: OpName, args: readonly ValueId[], imm = 0): void {
    this.spend();
    this.list.push(this.instruction(op, [], args, imm));
  }

  /** An operation without arguments, shared by the whole program. */
  once(op: OpName, type: ScalarType, imm: number): ValueId {
    const key = `${op} ${type} ${imm}`;
    let id = this.shared.get(key);
    if (id === undefined) {
      id = this.value(type);
      this.prelude.push(this.instruction(op, [id], [], imm));
      this.shared.set(key, id);
      if (op === 'const') this.constants.set(id, imm);
    }
    return id;
  }

  constant(type: ScalarType, value: number): ValueId {
    return this.once('const', type, bitsOf(type, value));
  }
  f32(value: number): ValueId {
    return this.constant('f32', value);
  }
  i32(value: number): ValueId {
    return this.constant('i32', value);
  }
  u32(value: number): ValueId {
    return this.constant('u32', value);
  }
  zero(type: ScalarType): ValueId {
    return this.constant(type, 0);
  }

  /** Bits of a value if it is a constant. */
  constantBits(id: ValueId): number | undefined {
    return this.constants.get(id);
  }

  get(variable: number): ValueId {
    const held = this.held.get(variable);
    if (held !== undefined) {
      this.leaveUnwritten();
      return held.value;
    }
    const value = this.op('var.get', this.variables[variable]!.type, [], variable);
    this.held.set(variable, { value, store: -1 });
    return value;
  }
  set(variable: number, value: ValueId): void {
    const held = this.held.get(variable);
    const store = held?.store ?? -1;
    if (held?.value === value) return this.leaveUnwritten();
    if (store >= 0) {
      this.list[store] = undefined;
      this.written--;
      this.leaveUnwritten();
    }
    this.held.set(variable, { value, store: this.list.length });
    this.effect('var.set', [value], variable);
  }

  /** The nodes that `write` writes, as a separate list. */
  nested(write: () => void): readonly IrNode[] {
    const outer = this.list;
    const inner: (IrNode | undefined)[] = [];
    this.held.clear();
    const looks = this.variables.length / VARIABLES_PER_INSTRUCTION + this.followedElements / ELEMENTS_PER_INSTRUCTION;
    this.spend(1 + Math.floor(looks));
    if (++this.nestedLists > MAX_NESTED_LISTS) this.refuseDepth();
    this.list = inner;
    this.descend();
    try {
      write();
    } finally {
      this.list = outer;
    }
    this.ascend();
    this.nestedLists--;
    this.held.clear();
    return written(inner);
  }

  if(condition: ValueId, then: () => void, otherwise: () => void = () => undefined): void {
    const first = this.nested(then);
    this.list.push({ kind: 'if', condition, then: first, otherwise: this.nested(otherwise) });
  }
  block(label: number, write: () => void): void {
    this.list.push({ kind: 'block', label, body: this.nested(write) });
  }
  loop(label: number, write: () => void): void {
    this.list.push({ kind: 'loop', label, body: this.nested(write) });
  }
  leave(label: number): void {
    this.list.push({ kind: 'leave', label });
  }
}
