// Functions whose rare operands take other steps (pow, exp2, sin …): the common case alone is taken in, without a
// branch, for some operations that do not wait for each other, and then there is one look at all their results. Where a
// lane is rare, functions of the module compute them anew: they stand outside the loop, and what they need does not
// crowd its registers.

import { opInfo, type Instruction, type IrNode, type OpName } from '../../ir';
import { MOST_MODERATE, POW_MODERATE, common, type Inlines } from '../wasm/inlines';
import { FunctionWriter, type Local, type ModuleWriter } from '../wasm/writer';
import type { Words } from './frame';
import type { Values } from './values';

/**
 * Operations of a group: they share constants in registers, and their results wait for the last one. Helmet's program
 * takes 614 cycles a quad without common cases, 506 with groups of two, 495 of three, 483 of four, 493 of six. Tried
 * fences inside of groups: 10 to 18 % slower.
 */
const MOST = 4;
/** How many nodes an operation may be brought forward to join a group. */
const NEAR = 64;
/** Results are never negative: the sign alone tells a rare lane. Elsewhere it is that a NaN is not equal to itself. */
const POSITIVE: ReadonlySet<OpName> = new Set(['f32.pow', 'f32.exp2']);

const MOST_MODERATE_BITS = new Uint32Array(Float32Array.of(MOST_MODERATE).buffer)[0]!;

/** Adds functions for all operands to a module when they are first asked for: their indices, by operation. */
export function wholeFunctions(
  module: ModuleWriter, inlines: Inlines, constant: (writer: FunctionWriter, words: Words) => void
): (op: OpName) => number {
  const indices = new Map<OpName, number>();
  return (op) => {
    let index = indices.get(op);
    if (index === undefined) {
      const params = opInfo(op).args.map(() => 'v128' as const);
      const writer = new FunctionWriter(params, ['v128']);
      params.forEach((_, k) => writer.get(k));
      inlines.emit(writer, op, (words) => constant(writer, words));
      indices.set(op, (index = module.add(writer)));
    }
    return index;
  };
}

export class CommonCases {
  /** Operations that were written with an earlier one. */
  private readonly written = new Set<Instruction>();

  constructor(private readonly values: Values) {}

  /** Writes an operation of `list` and those that can be had with it; false for operations without a common case. */
  write(first: Instruction, list: readonly IrNode[]): boolean {
    const { values } = this;
    const { op } = first;
    if (!values.inlines.hasCommon(op)) return false;
    if (this.written.has(first)) return true;
    const { frame } = values;
    const { writer } = frame;
    const members = this.groupOf(first, list).map((instruction) => {
      this.written.add(instruction);
      return {
        body: this.bodyOf(instruction), result: instruction.results[0]!,
        args: instruction.args.map((id) => values.repeatable(id)), local: writer.local('v128'),
      };
    });
    for (const { body, args, local } of members) {
      for (const arg of args) arg.push();
      values.inlines.emit(writer, body, (words) => frame.constant(words));
      writer.set(local);
    }
    this.anyRare(op, members.map(({ local }) => local));
    values.begin('if');
    for (const { args, local } of members) {
      for (const arg of args) arg.push();
      writer.call(frame.imports.whole(op));
      writer.set(local);
    }
    values.end();
    values.blockEnded();
    for (const { result, args, local } of members) {
      for (const arg of args) arg.release();
      values.hold(result, local);
    }
    return true;
  }

  private bodyOf({ op, args }: Instruction): string {
    const exponent = op === 'f32.pow' ? this.values.needs.bits(args[1]!) : undefined;
    return exponent !== undefined && exponent > 0 && exponent <= MOST_MODERATE_BITS ? POW_MODERATE : common(op);
  }

  /** Leaves whether any lane is rare. */
  private anyRare(op: OpName, results: readonly Local[]): void {
    const { writer } = this.values.frame;
    results.forEach((local, k) => {
      writer.get(local);
      if (!POSITIVE.has(op)) {
        writer.get(local);
        writer.op('f32x4.ne');
      }
      if (k > 0) writer.op('v128.or');
    });
    writer.op('i32x4.bitmask');
  }

  private groupOf(first: Instruction, list: readonly IrNode[]): Instruction[] {
    const { values } = this;
    const group = [first];
    const from = list.indexOf(first);
    for (const node of list.slice(from + 1, from + NEAR)) {
      if (group.length === MOST) break;
      if (node.kind === 'op' && node.op === first.op && values.needs.needed(node) && !this.written.has(node)
        && node.args.every((id) => values.canHave(id)))
        group.push(node);
    }
    return group;
  }
}
