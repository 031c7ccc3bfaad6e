// Removes additions of +0. x + 0 equals x except for x = −0, where it gives +0. The addition is dropped if no later use
// distinguishes the two zeros, or if x is never −0. For example, p + vec2(1, 0) in a shader then shares its second
// component with p.
//
// Every observable bit of the result stays the same. A value may change from one zero to the other only if no use can
// tell. The pass never concludes that a value cannot be −0 from an addition that it may drop.

import { floatFromBits } from '../../base/bits';
import type { Instruction, IrProgram, ValueId } from '../program';
import { forEachInstruction } from '../walk';
import { shareEqual } from './share';

const ZERO = 0;
const MINUS_ZERO = 0x80000000;

class Zeros {
  private readonly order: Instruction[] = [];
  private readonly definitions: Instruction[] = [];
  /** Values for which some use distinguishes −0 from +0. */
  private readonly seen: Uint8Array;
  private readonly never = new Map<ValueId, boolean>();

  constructor(private readonly program: IrProgram) {
    this.seen = new Uint8Array(program.values.length);
    forEachInstruction(program.body, (instruction) => {
      this.order.push(instruction);
      for (const id of instruction.results) this.definitions[id] = instruction;
    });
  }

  run(): IrProgram {
    const candidates = this.order.filter(
      ({ op, args }) => op === 'f32.add' && args.some((id) => this.bits(id) === ZERO)
    );
    if (candidates.length === 0) return this.program;
    // A definition precedes its uses, and only variables carry values around loops.
    for (let i = this.order.length - 1; i >= 0; i--) this.look(this.order[i]!);
    const replaced = new Map<ValueId, ValueId>();
    for (const { args, results } of candidates) {
      const kept = this.bits(args[1]!) === ZERO ? args[0]! : args[1]!;
      if (this.seen[results[0]!] === 0 || this.neverMinusZero(kept))
        replaced.set(results[0]!, replaced.get(kept) ?? kept);
    }
    return replaced.size === 0 ? this.program : shareEqual(this.program, replaced);
  }

  private bits(id: ValueId): number | undefined {
    const definition = this.definitions[id]!;
    return definition.op === 'const' ? definition.imm : undefined;
  }

  private look(instruction: Instruction): void {
    const { args, results } = instruction;
    const resultSeen = results.length === 0 || results.some((id) => this.seen[id] === 1);
    for (let k = 0; k < args.length; k++) if (this.sees(instruction, k, resultSeen)) this.seen[args[k]!] = 1;
  }

  /** Whether the observable result of an instruction depends on the sign of a zero in argument k. */
  private sees({ op, args }: Instruction, k: number, resultSeen: boolean): boolean {
    switch (op) {
      // The two zeros compare equal, and the other operations give +0 for both.
      case 'f32.abs':
      case 'f32.sign':
      case 'f32.fract':
      case 'i32.fromF32':
      case 'u32.fromF32':
      case 'f32.eq':
      case 'f32.ne':
      case 'f32.lt':
      case 'f32.le':
      case 'f32.gt':
      case 'f32.ge':
        return false;
      // A zero gives a zero.
      case 'f32.mul':
      case 'f32.neg':
      case 'f32.floor':
      case 'f32.ceil':
      case 'f32.trunc':
      case 'f32.round':
      case 'f32.sqrt':
      case 'f32.min':
      case 'f32.max':
      case 'select':
        return resultSeen;
      case 'f32.div':
        return k === 1 || resultSeen;
      case 'f32.add':
        return resultSeen && !this.neverMinusZero(args[1 - k]!);
      case 'f32.sub':
        return resultSeen && !(k === 0 ? this.isOtherThanZero(args[1]!) : this.neverMinusZero(args[0]!));
      // Both zeros raised to a positive non-integer power give +0.
      case 'f32.pow':
        return k === 1 || !this.isPositiveFraction(args[1]!);
      default:
        return true;
    }
  }

  /** Whether the value is a constant c for which +0 − c and −0 − c are equal. */
  private isOtherThanZero(id: ValueId): boolean {
    const bits = this.bits(id);
    return bits !== undefined && bits !== ZERO;
  }

  private isPositiveFraction(id: ValueId): boolean {
    const bits = this.bits(id);
    return bits !== undefined && floatFromBits(bits) > 0 && floatFromBits(bits) % 1 !== 0;
  }

  private neverMinusZero(id: ValueId): boolean {
    const known = this.never.get(id);
    if (known !== undefined) return known;
    const result = this.conclude(this.definitions[id]!);
    this.never.set(id, result);
    return result;
  }

  private conclude({ op, args, imm }: Instruction): boolean {
    const a = args[0]!;
    const b = args[1]!;
    switch (op) {
      case 'const':
        return imm !== MINUS_ZERO;
      case 'f32.abs':
      case 'f32.sign':
      case 'f32.fract':
      case 'f32.fromI32':
      case 'f32.fromU32':
      case 'f32.fromBool':
        return true;
      case 'f32.add':
        // This addition may be dropped.
        if (this.bits(b) === ZERO) return this.neverMinusZero(a);
        if (this.bits(a) === ZERO) return this.neverMinusZero(b);
        // Only the sum of two −0 is −0, because sums that are not zero never round to it.
        return this.neverMinusZero(a) || this.neverMinusZero(b);
      case 'f32.sub':
        return this.neverMinusZero(a);
      case 'f32.mul':
        return a === b;
      case 'f32.sqrt':
        return this.neverMinusZero(a);
      case 'f32.min':
      case 'f32.max':
        return this.neverMinusZero(a) && this.neverMinusZero(b);
      case 'select':
        return this.neverMinusZero(args[1]!) && this.neverMinusZero(args[2]!);
      default:
        return false;
    }
  }
}

/** Drops additions of +0 with no observable effect. Returns the same program if there are none. */
export function dropZeroSums(program: IrProgram): IrProgram {
  return new Zeros(program).run();
}
