// Writes IR: the open node list, values with their types, variables, lane arrays. Constants, inputs and other values
// that depend on nothing go to the top of the program, once each, where everything sees them.

import type { Span } from '../../base/diagnostics';
import { ProgramTooLargeError } from '../../base/lost';
import type { IrNode, OpName, ScalarType, TextureAccess, ValueId } from '../../ir';

const scratch = new DataView(new ArrayBuffer(4));

/** Bits of a value as HIR constants hold it: an f32, an i32, a u32, or a bool as 0 or 1. */
export function bitsOf(type: ScalarType, value: number): number {
  if (type === 'bool') return value === 0 ? 0 : 0xffffffff;
  if (type === 'f32') {
    scratch.setFloat32(0, value);
    return scratch.getUint32(0);
  }
  return value >>> 0;
}

/**
 * Most instructions, variables and inlined calls of a program together. What is near it takes the passes some seconds;
 * without it, thirty functions that call each other twice would fill the memory.
 */
const MAX_WRITTEN = 1 << 17;

export class IrBuilder {
  readonly values: ScalarType[] = [];
  readonly variables: { name: string; type: ScalarType }[] = [];
  readonly arrays: { name: string; type: ScalarType; length: number; constants?: readonly number[] }[] = [];
  /** Source of the instructions being written. */
  span: Span | undefined;
  private readonly prelude: IrNode[] = [];
  private list: IrNode[] = [];
  private labels = 0;
  private readonly shared = new Map<string, ValueId>();
  private readonly constants = new Map<ValueId, number>();
  private written = 0;

  /** `what` names the program in messages. */
  constructor(private readonly what: string) {}

  /** The finished body. */
  body(): readonly IrNode[] {
    return [...this.prelude, ...this.list];
  }

  /** Counts something that is written. Throws ProgramTooLargeError when it is too much. */
  spend(): void {
    if (++this.written <= MAX_WRITTEN) return;
    throw new ProgramTooLargeError(
      `${this.what} is longer than ${MAX_WRITTEN} instructions when the functions that it calls are written out: call fewer, or use smaller arrays`
    );
  }

  value(type: ScalarType): ValueId {
    return this.values.push(type) - 1;
  }

  label(): number {
    return this.labels++;
  }

  variable(name: string, type: ScalarType): number {
    this.spend();
    return this.variables.push({ name, type }) - 1;
  }

  array(name: string, type: ScalarType, length: number, constants?: readonly number[]): number {
    return this.arrays.push(constants === undefined ? { name, type, length } : { name, type, length, constants }) - 1;
  }

  /** An operation with one result. */
  op(op: OpName, type: ScalarType, args: readonly ValueId[], imm = 0): ValueId {
    this.spend();
    const result = this.value(type);
    this.list.push({ kind: 'op', op, results: [result], args, imm, span: this.span });
    return result;
  }

  /** An operation with results of these types. */
  results(op: OpName, types: readonly ScalarType[], args: readonly ValueId[], imm: number): ValueId[] {
    this.spend();
    const results = types.map((type) => this.value(type));
    this.list.push({ kind: 'op', op, results, args, imm, span: this.span });
    return results;
  }

  /** An operation with results of one type. */
  many(
    op: OpName, type: ScalarType, count: number, args: readonly ValueId[], imm: number, texture?: TextureAccess
  ): ValueId[] {
    this.spend();
    const results = Array.from({ length: count }, () => this.value(type));
    this.list.push({ kind: 'op', op, results, args, imm, ...(texture && { texture }), span: this.span });
    return results;
  }

  /** An operation without result. */
  effect(op: OpName, args: readonly ValueId[], imm = 0): void {
    this.spend();
    this.list.push({ kind: 'op', op, results: [], args, imm, span: this.span });
  }

  /** An operation without arguments, once for the whole program. */
  once(op: OpName, type: ScalarType, imm: number): ValueId {
    const key = `${op} ${type} ${imm}`;
    let id = this.shared.get(key);
    if (id === undefined) {
      id = this.value(type);
      this.prelude.push({ kind: 'op', op, results: [id], args: [], imm });
      this.shared.set(key, id);
      if (op === 'const') this.constants.set(id, imm);
    }
    return id;
  }

  constant(type: ScalarType, value: number): ValueId {
    return this.once('const', type, bitsOf(type, value));
  }
  f32(value: number): ValueId { return this.constant('f32', value); }
  i32(value: number): ValueId { return this.constant('i32', value); }
  u32(value: number): ValueId { return this.constant('u32', value); }
  zero(type: ScalarType): ValueId { return this.constant(type, 0); }

  /** Bits of a value that is a constant. */
  constantBits(id: ValueId): number | undefined {
    return this.constants.get(id);
  }

  get(variable: number): ValueId {
    return this.op('var.get', this.variables[variable]!.type, [], variable);
  }
  set(variable: number, value: ValueId): void {
    this.effect('var.set', [value], variable);
  }

  /** The nodes that `write` writes, as a list of their own. */
  nested(write: () => void): readonly IrNode[] {
    const outer = this.list;
    const inner: IrNode[] = [];
    this.list = inner;
    try { write(); } finally { this.list = outer; }
    return inner;
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
