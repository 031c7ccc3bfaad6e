// Bytecode before registers have numbers: words over virtual registers, in their final order, and from where to where
// each temporary is needed.

import { unreachable } from '../base/assert';
import type { Place } from './control';

/** A part of the register file. What is in `TEMP` gets its place by allocation (registers.ts). */
export const INPUT = 0, OUTPUT = 1, CONSTANT = 2, UNIFORM = 3, ARRAY = 4, TEMP = 5;
const KIND_BITS = 3;
const KIND_MASK = (1 << KIND_BITS) - 1;

/** A register that has no number yet: a part and an index in it, as a negative number. A word's half may be either. */
export type VirtualRegister = number;
export type Half = VirtualRegister | number;
export const virtual = (kind: number, index: number): VirtualRegister => ~((index << KIND_BITS) | kind);

const NONE: readonly VirtualRegister[] = [];

/** Code of one sequence (body or prologue), with the loops in it. */
export class MachineCode {
  /** Two a word, the low one first. */
  private readonly halves: Half[] = [];
  /** Words that are jump targets, and where to. */
  private readonly jumps: number[] = [];
  private readonly targets: Place[] = [];
  private instructions = 0;
  /** Instructions that loops begin and end with, in pairs. */
  readonly loops: number[] = [];
  /** Temporaries in the order in which they are first met. */
  readonly met: number[] = [];
  /** By temporary: first and last position. Operands of instruction i are read at 2i, its results written at 2i + 1. */
  readonly starts: number[] = [];
  readonly ends: number[] = [];

  temp(): VirtualRegister {
    this.starts.push(-1);
    return virtual(TEMP, this.ends.push(-1) - 1);
  }

  get isEmpty(): boolean { return this.instructions === 0; }

  /** Index of the next instruction. */
  get next(): number { return this.instructions; }

  /**
   * An instruction that reads `uses` (or writes them in part) and writes `defs` whole. `early`: results are written
   * before operands are read, so they must not share registers.
   */
  emit(
    halves: readonly Half[], defs: readonly VirtualRegister[], uses: readonly VirtualRegister[], early = false
  ): void {
    const position = 2 * this.instructions++;
    for (let k = 0; k < uses.length; k++) this.note(uses[k]!, early ? position + 1 : position);
    for (let k = 0; k < defs.length; k++) this.note(defs[k]!, early ? position : position + 1);
    this.append(halves);
  }

  /** More words of the last instruction. */
  append(halves: readonly Half[]): void {
    for (let k = 0; k < halves.length; k++) this.halves.push(halves[k]!);
    if (halves.length % 2 !== 0) this.halves.push(0);
  }

  /** An instruction whose last word is a jump target. */
  jump(
    halves: readonly Half[], to: Place, uses: readonly VirtualRegister[] = NONE,
    defs: readonly VirtualRegister[] = NONE, early = false
  ): void {
    this.emit(halves, defs, uses, early);
    this.jumps.push(this.halves.length / 2);
    this.targets.push(to);
    this.halves.push(0, 0);
  }

  /** The point before the next instruction: jumps go to words. */
  mark(point: Place): void { point.at = this.halves.length / 2; }

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

  /** The words. `bases`: numbers of the parts' first registers; `numbers`: those of the temporaries in theirs. */
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
