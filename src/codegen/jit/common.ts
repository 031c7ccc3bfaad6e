// Inlines functions with rare operands that need other steps (pow, exp2, sin …). Only the common case is inlined,
// without branches, for a group of independent operations. One test then covers all their results. If a lane is rare,
// functions of the module recompute the results. These are outside the loop, so their values do not occupy its
// registers.

import { opInfo, type Instruction, type OpName, type ValueId } from '../../ir';
import { bitsOf, type Operation } from '../control';
import { f32x4, global, i32, i32x4, Local, v128, type I32, type V128 } from '../wasm/expression';
import { MAX_MODERATE_EXPONENT, POW_MODERATE, common, type Inlines } from '../wasm/inlines';
import { FunctionWriter, type ModuleWriter } from '../wasm/writer';
import type { Constants } from './frame';
import type { Values } from './values';

/**
 * Maximum number of operations per group. They share constants in registers, but results wait for the last one.
 * Helmet's shader takes 614 cycles per quad without common cases, 506 with groups of two, 495 of three, 483 of four,
 * and 493 of six. Tried: fences inside groups were 10 to 18 % slower.
 */
const MAX_GROUP_SIZE = 4;
/** Maximum number of nodes by which an operation is moved forward to join a group. */
const MAX_GROUP_DISTANCE = 64;
/**
 * Operations whose results are never negative, so that the sign bit marks a rare lane. Elsewhere rare lanes are NaN and
 * thus differ from themselves.
 */
const POSITIVE: ReadonlySet<OpName> = new Set(['f32.pow', 'f32.exp2']);

const TWO_BITS = 0x40000000;
const MAX_MODERATE_BITS = new Uint32Array(Float32Array.of(MAX_MODERATE_EXPONENT).buffer)[0]!;

/** Adds the complete functions to a module when they are first requested, and returns their indices by operation. */
export function wholeFunctions(
  module: ModuleWriter,
  inlines: Inlines,
  constants: Constants,
  constantsGlobal: number
): (op: OpName) => number {
  const indices = new Map<OpName, number>();
  return (op) => {
    let index = indices.get(op);
    if (index === undefined) {
      const params = opInfo(op).args.map(() => 'v128' as const);
      const writer = new FunctionWriter(params, ['v128']);
      for (const parameter of writer.parameters) writer.get(parameter);
      inlines.emit(writer, op, {
        push: (words) => v128.load(global(constantsGlobal), constants.vector(words)).write(writer),
      });
      indices.set(op, (index = module.add(writer)));
    }
    return index;
  };
}

/** An operation of a group. */
interface Member {
  /** Name of the function to inline. */
  readonly body: string;
  readonly result: ValueId;
  readonly args: readonly V128[];
  /** Whether it is a power whose exponent may be 2. */
  readonly maybeSquare: boolean;
  readonly local: Local<'v128'>;
}

export class CommonCases {
  /** Operations that were written with an earlier one. */
  private readonly written = new Set<Operation>();

  constructor(private readonly values: Values) {}

  /** Writes an operation together with those of its list that can join it. Returns false if it has no common case. */
  write(first: Operation): boolean {
    const {
      values,
      values: {
        frame,
        frame: { writer },
      },
    } = this;
    const { op } = first.instruction;
    if (!values.inlines.hasCommon(op)) return false;
    if (this.written.has(first)) return true;
    const drawExponent = this.drawExponent(first.instruction);
    const members = this.groupOf(first).map((operation) => {
      this.written.add(operation);
      const { instruction } = operation;
      return {
        body: this.bodyOf(instruction),
        result: instruction.results[0]!,
        args: instruction.args.map((id) => values.repeatable(id)),
        maybeSquare: drawExponent === -1 && this.mayBeSquare(instruction),
        local: writer.local('v128'),
      };
    });
    if (drawExponent < 0) this.compute(members, op);
    else
      writer.if(
        i32.equal(frame.uniformWord(drawExponent), i32.constant(TWO_BITS)),
        () => {
          for (const { args, local } of members) writer.set(local, square(args));
        },
        () => this.compute(members, op)
      );
    values.blockEnded();
    for (const { result, args, local } of members) {
      for (const arg of args) if (arg instanceof Local) writer.release(arg);
      values.hold(result, local);
    }
    return true;
  }

  /** Computes the common case of all members, or the complete functions if a lane of any is rare. */
  private compute(members: readonly Member[], op: OpName): void {
    const {
      values,
      values: {
        frame,
        frame: { writer },
      },
    } = this;
    for (const { body, args, maybeSquare, local } of members) {
      for (const arg of args) arg.write(writer);
      values.inlines.emit(writer, body, frame);
      writer.keep(local);
      if (maybeSquare)
        writer.set(local, v128.select(square(args), local, f32x4.equal(args[1]!, frame.splat(TWO_BITS))));
    }
    const rare = anyRare(
      op,
      members.map(({ local }) => local)
    );
    writer.if(rare, () => {
      for (const { args, local } of members) {
        writer.run(frame.imports.whole(op), ...args);
        writer.keep(local);
      }
    });
  }

  /** The word of the draw call's uniform block that holds the exponent of a power; −1 if there is none. */
  private drawExponent({ op, args }: Instruction): number {
    const { control, uniformWords } = this.values;
    if (op !== 'f32.pow' || bitsOf(control, args[1]!) !== undefined) return -1;
    return uniformWords[control.roots[args[1]!]!]!;
  }

  /** Whether an operation is a power whose exponent may be 2. */
  private mayBeSquare({ op, args }: Instruction): boolean {
    return op === 'f32.pow' && (bitsOf(this.values.control, args[1]!) ?? TWO_BITS) === TWO_BITS;
  }

  private bodyOf({ op, args }: Instruction): string {
    const exponent = op === 'f32.pow' ? bitsOf(this.values.control, args[1]!) : undefined;
    return exponent !== undefined && exponent > 0 && exponent <= MAX_MODERATE_BITS ? POW_MODERATE : common(op);
  }

  private groupOf(first: Operation): Operation[] {
    const { values } = this;
    const {
      list,
      instruction: { op },
    } = first;
    const group = [first];
    const drawExponent = this.drawExponent(first.instruction);
    const from = list.indexOf(first);
    for (let i = from + 1; i < Math.min(from + MAX_GROUP_DISTANCE, list.length) && group.length < MAX_GROUP_SIZE; i++) {
      const step = list[i]!;
      if (
        step.kind === 'op'
        && step.instruction.op === op
        && values.needs.needed[step.position] === 1
        && !this.written.has(step)
        && (drawExponent < 0 || this.drawExponent(step.instruction) === drawExponent)
        && step.instruction.args.every((id) => values.canPrecompute(id))
      ) {
        step.instruction.args.forEach((id) => values.precompute(id));
        group.push(step);
      }
    }
    return group;
  }
}

const square = ([x]: readonly V128[]): V128 => f32x4.product(x!, x!);

/** Whether any lane of the results is rare. */
function anyRare(op: OpName, results: readonly V128[]): I32 {
  const rare = POSITIVE.has(op) ? results : results.map((result) => f32x4.unequal(result, result));
  return i32x4.signs(rare.reduce((any, next) => v128.or(any, next)));
}
