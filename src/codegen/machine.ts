// Bytecode before registers have numbers: instructions over virtual registers, in their final order.

import { unreachable } from '../base/assert';

/**
 * A register that has no number yet. `constant`, `uniform`: entry of that part of the register file; `table`, `array`:
 * first register of a run of `length`; `temp`: to be allocated.
 */
export interface VirtualRegister {
  readonly kind: 'input' | 'output' | 'constant' | 'uniform' | 'temp' | 'array';
  readonly index: number;
}

/** A point in the code that jumps go to. */
export interface Label { at: number }

/** One half of a word: a register, or a number. */
export type Half = VirtualRegister | number;
/** A word of an instruction: two halves (low, high), a number, or a jump target. */
export type Word = readonly [Half, Half] | number | Label;

export interface MachineInstruction {
  readonly words: readonly Word[];
  /** Registers written whole. */
  readonly defs: readonly VirtualRegister[];
  /** Registers read, or written in part. */
  readonly uses: readonly VirtualRegister[];
  /** Results are written before operands are read, so they must not share registers. */
  readonly early: boolean;
}

/** Code of one sequence (body or prologue), with the loops in it. */
export class MachineCode {
  readonly instructions: MachineInstruction[] = [];
  /** Instruction indices [first, last] of loops. */
  readonly loops: { first: number; last: number }[] = [];
  /** Registers that keep their contents around loops: variables and saved masks set outside. */
  readonly persistent = new Set<VirtualRegister>();
  private temps = 0;

  temp(): VirtualRegister {
    return { kind: 'temp', index: this.temps++ };
  }

  emit(
    words: readonly Word[], defs: readonly VirtualRegister[], uses: readonly VirtualRegister[], early = false
  ): void {
    this.instructions.push({ words, defs, uses, early });
  }

  /** Marks the point before the next instruction. */
  mark(label: Label): void {
    label.at = this.instructions.length;
  }
}

export const newLabel = (): Label => ({ at: -1 });
const isLabel = (word: Word): word is Label => typeof word === 'object' && !Array.isArray(word);

/** The words, once every register has its number. */
export function assemble(code: MachineCode, numberOf: (register: VirtualRegister) => number): Uint32Array {
  const starts: number[] = [];
  let size = 0;
  for (const { words } of code.instructions) {
    starts.push(size);
    size += words.length;
  }
  starts.push(size);
  const half = (value: Half): number => (typeof value === 'number' ? value : numberOf(value));
  const out = new Uint32Array(size);
  let at = 0;
  for (const { words } of code.instructions) {
    for (const word of words) {
      if (typeof word === 'number') out[at++] = word;
      else if (isLabel(word)) out[at++] = word.at < 0 ? unreachable('codegen: a jump to nowhere') : starts[word.at]!;
      else out[at++] = (half(word[0]) & 0xffff) | (half(word[1]) << 16);
    }
  }
  return out;
}
