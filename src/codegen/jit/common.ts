// Inlines functions with rare operands that need other steps (pow, exp2, sin …). Only the common case is inlined,
// without branches, for a group of independent operations. One test then covers all their results. If a lane is rare,
// functions of the module recompute the results. These are outside the loop, so their values do not occupy its
// registers.

import { opInfo, type Instruction, type OpName } from '../../ir';
import { bitsOf, type Operation } from '../control';
import { f32x4, global, i32x4, Local, v128, type I32, type V128 } from '../wasm/expression';
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
    const members = this.groupOf(first).map((operation) => {
      this.written.add(operation);
      const { instruction } = operation;
      return {
        body: this.bodyOf(instruction),
        result: instruction.results[0]!,
        args: instruction.args.map((id) => values.repeatable(id)),
        local: writer.local('v128'),
      };
    });
    for (const { body, args, local } of members) {
      for (const arg of args) arg.write(writer);
      values.inlines.emit(writer, body, frame);
      writer.keep(local);
    }
    writer.if(
      anyRare(
        op,
        members.map(({ local }) => local)
      ),
      () => {
        for (const { args, local } of members) {
          writer.run(frame.imports.whole(op), ...args);
          writer.keep(local);
        }
      }
    );
    values.blockEnded();
    for (const { result, args, local } of members) {
      for (const arg of args) if (arg instanceof Local) writer.release(arg);
      values.hold(result, local);
    }
    return true;
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
    const from = list.indexOf(first);
    for (let i = from + 1; i < Math.min(from + MAX_GROUP_DISTANCE, list.length) && group.length < MAX_GROUP_SIZE; i++) {
      const step = list[i]!;
      if (
        step.kind === 'op'
        && step.instruction.op === op
        && values.needs.needed[step.position] === 1
        && !this.written.has(step)
        && step.instruction.args.every((id) => values.canPrecompute(id))
      ) {
        step.instruction.args.forEach((id) => values.precompute(id));
        group.push(step);
      }
    }
    return group;
  }
}

/** Whether any lane of the results is rare. */
function anyRare(op: OpName, results: readonly V128[]): I32 {
  const rare = POSITIVE.has(op) ? results : results.map((result) => f32x4.unequal(result, result));
  return i32x4.signs(rare.reduce((any, next) => v128.or(any, next)));
}
