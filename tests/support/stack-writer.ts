// Functions written instruction by instruction, by name, with operands on the stack: for tests of code that reads and
// runs modules, which need any instruction in any place. (Emitted code is written as expressions,
// src/codegen/wasm/expression.ts.)
import { Local, type Expression, type I32 } from '../../src/codegen/wasm/expression';
import { codeOf } from '../../src/codegen/wasm/opcodes';
import { FunctionWriter, type Label } from '../../src/codegen/wasm/writer';

const named = (local: Local | number): Local => (typeof local === 'number' ? new Local('v128', local) : local);

export class StackWriter extends FunctionWriter {
  /** An instruction; `immediates`: the bytes that follow it. */
  op(name: string, ...immediates: readonly number[]): void {
    this.opcode(codeOf(name));
    for (const byte of immediates) this.code.byte(byte);
  }

  override get(local: Local | number): void {
    super.get(named(local));
  }
  override tee(local: Local | number): void {
    super.tee(named(local));
  }
  override set(local: Local | number, value?: Expression): void {
    if (value === undefined) this.keep(named(local));
    else super.set(named(local), value);
  }

  override memory(name: number | string, offset: number): void {
    super.memory(typeof name === 'string' ? codeOf(name) : name, offset);
  }

  /** By the number of enclosing constructs in between. */
  override branch(target: Label | number): void {
    if (typeof target === 'number') this.op('br', target);
    else super.branch(target);
  }
  override branchIf(target: I32 | number, label?: Label): void {
    if (typeof target === 'number') this.op('br_if', target);
    else super.branchIf(target, label!);
  }

  /** Through table 0. */
  callIndirect(type: number): void {
    this.op('call_indirect', type, 0);
  }
}
