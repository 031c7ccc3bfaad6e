// Bytecode before register allocation: words over virtual registers in their final order, and the live range of each
// temporary.

import { unreachable } from '../base/assert';
import type { Place } from './control';

/** Register kinds, each a part of the register file. Registers in `TEMP` are placed by allocation (registers.ts). */
export const INPUT = 0;
export const OUTPUT = 1;
export const CONSTANT = 2;
export const UNIFORM = 3;
export const ARRAY = 4;
const TEMP = 5;
const KIND_BITS = 3;
const KIND_MASK = (1 << KIND_BITS) - 1;

/**
 * A virtual register without a final number: a kind and an index, encoded as a negative number. Each half of a word is
 * such a register or a plain number.
 */
export type VirtualRegister = number;
export type Half = VirtualRegister | number;
export const virtual = (kind: number, index: number): VirtualRegister => ~((index << KIND_BITS) | kind);

const NONE: readonly VirtualRegister[] = [];

/** The code of one sequence (body or prologue) and its loops. */
export class MachineCode {
  /** Two per word, the low one first. */
  private readonly halves: Half[] = [];
  /** Indices of the words that are jump targets, and their destinations. */
  private readonly jumps: number[] = [];
  private readonly targets: Place[] = [];
  private instructions = 0;
  /** The first and last instruction of each loop, in pairs. */
  readonly loops: number[] = [];
  /** Temporaries in the order of their first use. */
  readonly met: number[] = [];
  /**
   * First and last position of each temporary. Instruction i reads its operands at 2i and writes its results at 2i + 1.
   */
  readonly starts: number[] = [];
  readonly ends: number[] = [];

  temp(): VirtualRegister {
    this.starts.push(-1);
    return virtual(TEMP, this.ends.push(-1) - 1);
  }

  get isEmpty(): boolean {
    return this.instructions === 0;
  }

  /** Index of the next instruction. */
  get next(): number {
    return this.instructions;
  }

  /**
   * Appends an instruction that reads `uses` (or writes them partially) and fully writes `defs`. `early`: results are
   * written before operands are read, so they must not share registers.
   */
  emit(
    halves: readonly Half[],
    defs: readonly VirtualRegister[],
    uses: readonly VirtualRegister[],
    early = false
  ): void {
    const position = 2 * this.instructions++;
    for (let k = 0; k < uses.length; k++) this.note(uses[k]!, early ? position + 1 : position);
    for (let k = 0; k < defs.length; k++) this.note(defs[k]!, early ? position : position + 1);
    this.append(halves);
  }

  /** Appends words to the last instruction. */
  append(halves: readonly Half[]): void {
    for (let k = 0; k < halves.length; k++) this.halves.push(halves[k]!);
    if (halves.length % 2 !== 0) this.halves.push(0);
  }

  /** Appends an instruction whose last word is a jump target. */
  jump(
    halves: readonly Half[],
    to: Place,
    uses: readonly VirtualRegister[] = NONE,
    defs: readonly VirtualRegister[] = NONE,
    early = false
  ): void {
    this.emit(halves, defs, uses, early);
    this.jumps.push(this.halves.length / 2);
    this.targets.push(to);
    this.halves.push(0, 0);
  }

  /** Marks the point before the next instruction; jump targets are word indices. */
  mark(point: Place): void {
    point.at = this.halves.length / 2;
  }

  private note(register: VirtualRegister, position: number): void {
    if ((~register & KIND_MASK) !== TEMP) return;
    const temp = ~register >> KIND_BITS;
    const { starts, ends } = this;
    if (starts[temp]! < 0) {
      this.met.push(temp);
      starts[temp] = ends[temp] = position;
    } else if (position < starts[temp]!) starts[temp] = position;
    else if (position > ends[temp]!) ends[temp] = position;
  }

  /**
   * The final words. `bases`: number of the first register of each kind. `numbers`: index of each temporary within its
   * kind.
   */
  assemble(bases: readonly number[], numbers: readonly number[]): Uint32Array {
    const { halves, jumps, targets } = this;
    const numberOf = (half: Half): number => {
      if (half >= 0) return half;
      const kind = ~half & KIND_MASK;
      const index = ~half >> KIND_BITS;
      return bases[kind]! + (kind === TEMP ? numbers[index]! : index);
    };
    const words = new Uint32Array(halves.length / 2);
    for (let i = 0; i < words.length; i++)
      words[i] = (numberOf(halves[2 * i]!) & 0xffff) | (numberOf(halves[2 * i + 1]!) << 16);
    for (let i = 0; i < jumps.length; i++)
      words[jumps[i]!] = targets[i]!.at < 0 ? unreachable('codegen: a jump to nowhere') : targets[i]!.at;
    return words;
  }
}
