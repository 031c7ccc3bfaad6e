// Writes the pure operations of a program: leaves the result on the stack, in the shortest form that the operands
// allow.

import { unreachable } from '../../base/assert';
import { FLOAT_ONE_BITS } from '../../base/bits';
import type { Instruction, OpName, ValueId } from '../../ir';
import { bitsOf } from '../control';
import { choice, emitted, i32, i32x4, pushed, tee, v128, type V128 } from '../wasm/expression';
import type { Inlines } from '../wasm/inlines';
import { isDivision, writeDivision } from './division';
import type { Needs } from './analysis/needs';
import { composed, direct, shifts, type Composed } from './operations';
import { bufferSize, surfaceField, textureField } from './resources';
import { loadWords, type Reader } from './words';

/** Inlined functions longer than this contain branches for rare operands, so they also end a basic block. */
const BRANCHING = 60;

/** The values of the program (values.ts); the operands are among them. */
interface Operands extends Reader {
  readonly needs: Needs;
  readonly inlines: Inlines;
  /** By value: its word in the draw call's uniform block; −1 if it has none. */
  readonly uniformWords: Int32Array;
  readonly input: (index: number) => V128;
  /** Leaves a value on the stack. */
  push(id: ValueId): void;
  /** Marks the end of a basic block. */
  blockEnded(): void;
}

/** Leaves the result of a pure operation on the stack. */
export function compute(values: Operands, instruction: Instruction): void {
  const {
    op,
    args,
    results: [result],
  } = instruction;
  if (op === 'u32.min' && values.lanes.isFirst(result!)) return values.push(args[0]!);
  const code = direct[op];
  if (code !== undefined && !isSpecial(values, instruction)) {
    for (let k = 0; k < args.length; k++) values.push(args[k]!);
    return values.frame.writer.opcode(code);
  }
  const expression = expressionOf(values, instruction);
  if (expression !== null) return expression.write(values.frame.writer);
  if (isDivision(op)) {
    const [x, by] = args;
    const divisor = bitsOf(values.control, by!);
    if (divisor !== undefined && divisor !== 0)
      return writeDivision(values.frame, op, { x: values.value(x!), divisor, most: values.lanes.rangeOf(x!).maximum });
  }
  if ((op === 'u32.div' || op === 'u32.rem') && values.program.kind === 'compute') return divide(values, op, args);
  for (const id of args) values.push(id);
  const compose = composed[op];
  if (compose !== undefined) applyFormula(values, compose);
  else if (values.inlines.has(op)) takeIn(values, op);
  else unreachable(`jit: no instructions for ${op}`);
}

function expressionOf(values: Operands, instruction: Instruction): V128 | null {
  const { frame } = values;
  const { op, args, imm } = instruction;
  switch (op) {
    case 'input':
      return values.input(imm);
    case 'select':
      return v128.select(values.value(args[1]!), values.value(args[2]!), values.value(args[0]!));
    case 'int.fromBool':
      return i32x4.shiftRight(values.value(args[0]!), i32.constant(31));
    case 'f32.fromBool':
      return v128.and(values.value(args[0]!), frame.splat(FLOAT_ONE_BITS));
    case 'buffer.load':
      return loadWords(values, args[0]!, imm);
    case 'buffer.size':
      return bufferSize(frame, imm);
    case 'texture.levels':
    case 'texture.layers':
    case 'texture.samples':
      return textureField(frame, op, imm);
    case 'surface.width':
    case 'surface.height':
    case 'surface.samples':
      return surfaceField(frame, op, imm);
    case 'int.shl':
    case 'i32.shr':
    case 'u32.shr':
      return values.isConvergent(args[1]!) ? shifts[op](values.value(args[0]!), values.word(args[1]!)) : null;
    case 'u32.lt':
    case 'u32.gt':
      return lessThanConstant(values, op, args);
    case 'bool.and': {
      const [kept, negated] = isNegation(values, args[1]!) ? args : [args[1]!, args[0]!];
      const { instruction: not } = values.control.definitions[values.control.roots[negated!]!]!;
      return v128.andNot(values.value(kept!), values.value(not.args[0]!));
    }
    default:
      return null;
  }
}

/** Whether there is a shorter form than the operation's own instruction. */
function isSpecial(values: Operands, { op, args }: Instruction): boolean {
  if (op === 'bool.and') return hasNegation(values, args);
  if (op !== 'u32.lt' && op !== 'u32.gt') return false;
  const bits = bitsOf(values.control, args[op === 'u32.lt' ? 1 : 0]!);
  return bits !== undefined && bits !== 0;
}

/** Writes x < c as x ≤ c − 1. Machines have an unsigned minimum for vectors, but no unsigned comparison. */
function lessThanConstant(values: Operands, op: 'u32.lt' | 'u32.gt', [left, right]: readonly ValueId[]): V128 {
  const [less, more] = op === 'u32.lt' ? [left!, right!] : [right!, left!];
  return i32x4.atMost(values.value(less), values.frame.splat((bitsOf(values.control, more)! - 1) >>> 0));
}

function hasNegation(values: Operands, args: readonly ValueId[]): boolean {
  return isNegation(values, args[0]!) || isNegation(values, args[1]!);
}

/** Whether a value is a negation that is computed in place. */
function isNegation(values: Operands, id: ValueId): boolean {
  const root = values.control.roots[id]!;
  return (
    values.needs.inPlace[root]! > 0
    && values.uniformWords[root]! < 0
    && values.control.definitions[root]!.instruction.op === 'bool.not'
  );
}

/** Applies a formula to the value on the stack. */
function applyFormula(values: Operands, formula: Composed): void {
  const { writer } = values.frame;
  const local = writer.local('v128');
  writer.tee(local);
  formula(pushed, local).write(writer);
  writer.release(local);
}

/**
 * Division by a value that is not known in advance but is usually the same power of two in all lanes, such as a row
 * width. Otherwise lanes are divided one by one.
 */
function divide(values: Operands, op: 'u32.div' | 'u32.rem', args: readonly ValueId[]): void {
  const { writer } = values.frame;
  const dividends = writer.kept('v128', values.value(args[0]!));
  const divisors = writer.kept('v128', values.value(args[1]!));
  const divisor = writer.local('i32');
  const all = i32x4.splat(tee(divisor, i32x4.lane(divisors, 0)));
  const isSame = i32.isZero(v128.isAny(v128.xor(all, divisors)));
  const one = i32.constant(1);
  const isPower = values.isConvergent(args[1]!)
    ? i32.equal(i32.ones(tee(divisor, i32x4.lane(divisors, 0))), one)
    : i32.and(isSame, i32.equal(i32.ones(divisor), one));
  const quick =
    op === 'u32.div'
      ? i32x4.shiftRight(dividends, i32.zerosBelow(divisor))
      : v128.and(dividends, i32x4.splat(i32.difference(divisor, i32.constant(1))));
  choice(
    isPower,
    quick,
    emitted(() => {
      dividends.write(writer);
      divisors.write(writer);
      takeIn(values, op);
    })
  ).write(writer);
  for (const local of [dividends, divisors, divisor]) writer.release(local);
  values.blockEnded();
}

function takeIn(values: Operands, op: OpName): void {
  const { writer } = values.frame;
  const before = writer.count;
  values.inlines.emit(writer, op, values.frame);
  if (writer.count - before > BRANCHING) values.blockEnded();
}
