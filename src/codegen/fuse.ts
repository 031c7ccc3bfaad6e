// Instruction selection: maps one IR operation, or several that one opcode performs with the same rounding steps, to an
// instruction.

import { FLOAT_ONE_BITS } from '../base/bits';
import {
  OP_F32_CLAMP,
  OP_F32_DOT2,
  OP_F32_DOT2_SUB,
  OP_F32_DOT3,
  OP_F32_DOT3_ADD,
  OP_F32_DOT4,
  OP_F32_MIX,
  OP_F32_MUL_ADD,
  OP_F32_MUL_SUB,
  OP_F32_SATURATE,
  OP_F32_SUB_MUL,
  OP_I32_CLAMP,
  OP_INT_AND_NOT,
} from '../../assembly/layout/program/opcodes';
import type { Instruction, OpName, ValueId } from '../ir';
import { opcodes, swapped } from './operations';

/** An arithmetic instruction: its opcode, and its operands in the order of its words. */
export interface Plan {
  readonly opcode: number;
  readonly operands: readonly ValueId[];
}

export interface FusionContext {
  /**
   * The definition of `id` if its operation is `op`, it has no other use than this one, and it may be computed at `by`.
   */
  only(id: ValueId, op: OpName, by: Instruction): Instruction | undefined;
  bits(id: ValueId): number | undefined;
}

type Pair = readonly [ValueId, ValueId];

class Matcher {
  constructor(
    private readonly context: FusionContext,
    private readonly by: Instruction
  ) {}

  /** Factors of a product. */
  product(id: ValueId): Pair | undefined {
    const found = this.context.only(id, 'f32.mul', this.by);
    return found && [found.args[0]!, found.args[1]!];
  }

  /** The operands of a sum in both orders, because addition commutes. */
  private sums(id: ValueId): readonly Pair[] {
    const found = this.context.only(id, 'f32.add', this.by);
    return found === undefined
      ? []
      : [
          [found.args[0]!, found.args[1]!],
          [found.args[1]!, found.args[0]!],
        ];
  }

  /** (a0·b0) + (a1·b1). */
  private products2(id: ValueId): readonly Pair[] | undefined {
    for (const [x, y] of this.sums(id).slice(0, 1)) {
      const first = this.product(x);
      const second = this.product(y);
      if (first && second) return [first, second];
    }
    return undefined;
  }

  /** ((a0·b0) + (a1·b1)) + (a2·b2). */
  products3(id: ValueId): readonly Pair[] | undefined {
    for (const [x, y] of this.sums(id)) {
      const last = this.product(y);
      const first = last && this.products2(x);
      if (first) return [...first, last];
    }
    return undefined;
  }

  sum([a, b]: Pair): Plan | undefined {
    const first = this.product(a);
    const second = this.product(b);
    const threeA = this.products3(a);
    const threeB = this.products3(b);
    if (second && threeA) return { opcode: OP_F32_DOT4, operands: [...threeA, second].flat() };
    if (first && threeB) return { opcode: OP_F32_DOT4, operands: [...threeB, first].flat() };
    const two = (second && this.products2(a)) ?? (first && this.products2(b));
    if (two) return { opcode: OP_F32_DOT3, operands: [...two, (second ?? first)!].flat() };
    if (threeA) return { opcode: OP_F32_DOT3_ADD, operands: [...threeA.flat(), b] };
    if (threeB) return { opcode: OP_F32_DOT3_ADD, operands: [...threeB.flat(), a] };
    if (first && second)
      return (
        this.mix(first, second) ?? this.mix(second, first) ?? { opcode: OP_F32_DOT2, operands: [...first, ...second] }
      );
    if (first) return { opcode: OP_F32_MUL_ADD, operands: [...first, b] };
    return second && { opcode: OP_F32_MUL_ADD, operands: [...second, a] };
  }

  /** x·(1 − t) + y·t. */
  private mix(first: Pair, second: Pair): Plan | undefined {
    for (const [x, rest] of [first, [first[1], first[0]]] as const) {
      const difference = this.context.only(rest, 'f32.sub', this.by);
      if (difference === undefined || this.context.bits(difference.args[0]!) !== FLOAT_ONE_BITS) continue;
      const t = difference.args[1]!;
      if (second[1] === t) return { opcode: OP_F32_MIX, operands: [x, second[0], t] };
      if (second[0] === t) return { opcode: OP_F32_MIX, operands: [x, second[1], t] };
    }
    return undefined;
  }

  difference([a, b]: Pair): Plan | undefined {
    const first = this.product(a);
    const second = this.product(b);
    if (first && second) return { opcode: OP_F32_DOT2_SUB, operands: [...first, ...second] };
    if (first) return { opcode: OP_F32_MUL_SUB, operands: [...first, b] };
    return second && { opcode: OP_F32_SUB_MUL, operands: [...second, a] };
  }

  /**
   * min(max(low, x), high). Also matches `high` as the first operand if the order makes no difference, because both
   * bounds are then finite non-zero constants.
   */
  clamp([a, b]: Pair): Plan | undefined {
    const isFirst = this.isNumber(a);
    const [inner, high] = isFirst ? [b, a] : [a, b];
    const max = this.context.only(inner, 'f32.max', this.by);
    if (max === undefined) return undefined;
    const [low, x] = max.args as unknown as Pair;
    if (isFirst && !this.isNumber(low) && this.context.bits(low) !== 0) return undefined;
    if (this.context.bits(low) === 0 && this.context.bits(high) === FLOAT_ONE_BITS)
      return { opcode: OP_F32_SATURATE, operands: [x] };
    return { opcode: OP_F32_CLAMP, operands: [x, low, high] };
  }

  /** Whether the value is a finite, non-zero constant. */
  private isNumber(id: ValueId): boolean {
    const bits = this.context.bits(id);
    return bits !== undefined && (bits & 0x7f800000) !== 0x7f800000 && bits << 1 !== 0;
  }

  clampInt([a, b]: Pair): Plan | undefined {
    for (const [inner, high] of [
      [a, b],
      [b, a],
    ] as const) {
      const max = this.context.only(inner, 'i32.max', this.by);
      if (max) return { opcode: OP_I32_CLAMP, operands: [max.args[0]!, max.args[1]!, high] };
    }
    return undefined;
  }

  andNot([a, b]: Pair): Plan | undefined {
    for (const [kept, negated] of [
      [a, b],
      [b, a],
    ] as const) {
      const not = this.context.only(negated, 'bool.not', this.by);
      if (not) return { opcode: OP_INT_AND_NOT, operands: [kept, not.args[0]!] };
    }
    return undefined;
  }
}

/** The instruction for an arithmetic operation; undefined for other kinds of operations. */
export function planArithmetic(instruction: Instruction, context: FusionContext): Plan | undefined {
  const { op, args } = instruction;
  const pair = args as unknown as Pair;
  let fused: Plan | undefined;
  switch (op) {
    case 'f32.add':
      fused = new Matcher(context, instruction).sum(pair);
      break;
    case 'f32.sub':
      fused = new Matcher(context, instruction).difference(pair);
      break;
    case 'f32.min':
      fused = new Matcher(context, instruction).clamp(pair);
      break;
    case 'i32.min':
      fused = new Matcher(context, instruction).clampInt(pair);
      break;
    case 'bool.and':
      fused = new Matcher(context, instruction).andNot(pair);
      break;
  }
  if (fused !== undefined) return fused;
  const exchanged = swapped[op];
  if (exchanged !== undefined) return { opcode: exchanged, operands: [args[1]!, args[0]!] };
  const opcode = opcodes[op];
  return opcode === undefined ? undefined : { opcode, operands: args };
}
