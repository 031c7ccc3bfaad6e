// Tracks where the values of a program are while its quad runs: in locals, in the draw call's uniform block, among the
// constants, or computed in place (compute.ts).

import { REGISTER_BYTES } from '../../../assembly/layout/limits';
import { unreachable } from '../../base/assert';
import {
  isLaneWise,
  startsWithFullQuads,
  type Instruction,
  type IrProgram,
  type Lanes,
  type QuadUniform,
  type ValueId,
} from '../../ir';
import { bitsOf, type Control, type Loop, type Operation } from '../control';
import { Expression, i32, i32x4, v128, type I32, type Local, type V128 } from '../wasm/expression';
import type { Inlines } from '../wasm/inlines';
import { codeOf } from '../wasm/opcodes';
import { compute } from './compute';
import type { Facts } from './analysis/facts';
import type { Frame, QuadPlace } from './frame';
import type { Needs } from './analysis/needs';
import type { Words } from './scalars';

const UNREACHABLE = codeOf('unreachable');
/** Arithmetic operations, which may be computed early. */
const BRINGABLE = /^(f32\.|int\.|i32\.|u32\.|bool\.|select)/;
/** Number of instructions between fences. */
const FENCE_EVERY = 500;
interface Kept {
  readonly local: Local<'v128'>;
  /** Number of loops around the point where it was computed. */
  readonly loops: number;
  /** Remaining uses. */
  left: number;
}

/** A value of the program, which counts as used when it is written. */
class Value extends Expression<'v128'> {
  constructor(
    private readonly values: Values,
    private readonly id: ValueId
  ) {
    super();
  }
  write(): void {
    this.values.push(this.id);
  }
}

/** A value that is the same in all lanes, as one word. */
class Word extends Expression<'i32'> {
  constructor(
    private readonly values: Values,
    private readonly id: ValueId
  ) {
    super();
  }
  write(): void {
    this.values.pushWord(this.id);
  }
}

/** The values of one quad of an iteration. */
export class Values {
  readonly program: IrProgram;
  readonly control: Control;
  readonly needs: Needs;
  readonly lanes: Lanes;
  /** The active lanes; null in a program that needs no mask. */
  readonly exec: Local<'v128'> | null;
  /** Whether all lanes are active at the start. */
  readonly startsWithFullQuads: boolean;
  private readonly quadUniform: QuadUniform;
  private readonly loopConstants: Facts['loopConstants'];
  private readonly locals = new Map<ValueId, Kept>();
  /** Values that have been brought forward; their locals may have been released again. */
  private readonly precomputed = new Set<ValueId>();
  private readonly variables: Local<'v128'>[] = [];
  private readonly variablesMet: Local<'v128'>[] = [];
  readonly uniformWords: Int32Array;
  private readonly firstOutput: number;
  /** Number of loops around the current point. */
  loops = 0;
  private fences = 0;
  /** Number of instructions written when the last basic block ended. */
  private fenced = 0;

  constructor(
    facts: Facts,
    readonly frame: Frame,
    readonly quad: QuadPlace,
    readonly inlines: Inlines,
    readonly input: (index: number) => V128,
    readonly words: Words
  ) {
    ({
      program: this.program,
      quadUniform: this.quadUniform,
      control: this.control,
      needs: this.needs,
      lanes: this.lanes,
      loopConstants: this.loopConstants,
      uniformWords: this.uniformWords,
      firstOutput: this.firstOutput,
    } = facts);
    this.startsWithFullQuads = startsWithFullQuads(this.program);
    this.exec = needsMask(this.control, this.program) ? frame.writer.persistentLocal('v128') : null;
  }

  /** `take`: allocates memory for the quad and returns its offset from the sites. */
  enterLoop(loop: Loop, take: (bytes: number) => number): void {
    const {
      frame: { writer, sites },
    } = this;
    for (const root of this.loopConstants.get(loop) ?? []) {
      const kept = this.locals.get(root);
      if (kept === undefined) continue;
      // Reloading the values from memory keeps the engine from moving their computation into the loop.
      const offset = take(16);
      writer.store(sites, kept.local, offset);
      writer.set(kept.local, v128.load(sites, offset));
    }
    this.loops++;
  }

  leaveLoop(): void {
    this.loops--;
  }

  variable(index: number): Local<'v128'> {
    let local = this.variables[index];
    if (local === undefined) {
      this.variables[index] = local = this.frame.writer.persistentLocal('v128');
      this.variablesMet.push(local);
    }
    return local;
  }

  /** Whether all lanes that compute a value agree on it. */
  isConvergent(id: ValueId): boolean {
    return this.quadUniform.values.has(id);
  }

  value(id: ValueId): V128 {
    return new Value(this, id);
  }
  /** Lane 0 of an integer, or a bool that is the same in all lanes. */
  word(id: ValueId): I32 {
    return new Word(this, id);
  }

  sum(id: ValueId): { word: I32; added: number } {
    const {
      control,
      control: { definitions, roots },
      needs,
      lanes,
    } = this;
    const root = roots[id]!;
    const {
      op,
      args: [term, constant],
    } = definitions[root]!.instruction;
    const added =
      op === 'int.add' && !this.isPrecomputed(root) && needs.inPlace[root]! > 0 ? bitsOf(control, constant!) : 0;
    // The offset of a load may exceed 2³², where a sum of words would wrap.
    return !added || added < 0 || lanes.rangeOf(term!).maximum + added >= 2 ** 32
      ? { word: this.word(id), added: 0 }
      : { word: this.word(term!), added };
  }

  /** Leaves a value on the stack. */
  push(id: ValueId): void {
    const {
      frame,
      control: { definitions, roots },
    } = this;
    const root = roots[id]!;
    const { instruction } = definitions[root]!;
    const word = this.uniformWords[root]!;
    if (instruction.op === 'const') return frame.pushSplat(instruction.imm);
    if (word >= 0) return frame.pushUniform(word);
    if (this.words.has(root)) return this.words.spread(this, root);
    const kept = this.locals.get(root);
    if (kept === undefined) return compute(this, instruction);
    frame.writer.get(kept.local);
    this.used(root, kept);
  }

  pushWord(id: ValueId): void {
    const {
      frame,
      frame: { writer },
    } = this;
    const bits = bitsOf(this.control, id);
    if (bits !== undefined) return writer.i32(bits | 0);
    const root = this.control.roots[id]!;
    const word = this.uniformWords[root]!;
    if (this.words.has(root)) return this.words.push(this, root);
    const expression = word >= 0 ? frame.uniformWord(word) : i32x4.lane(this.value(id), 0);
    expression.write(writer);
  }

  /** The local of a value that will be used later; reading it does not count as a use. */
  kept(id: ValueId): Local<'v128'> {
    return this.locals.get(id)?.local ?? unreachable('jit: a value that is not kept');
  }

  /** Counts a use of a value that need not be read. */
  skipUse(id: ValueId): void {
    const root = this.control.roots[id]!;
    const kept = this.locals.get(root);
    if (kept !== undefined) this.used(root, kept);
  }

  private used(root: ValueId, kept: Kept): void {
    kept.left--;
    // A value from before a loop is read again in the next iteration.
    if (kept.left > 0 || kept.loops !== this.loops) return;
    this.frame.writer.release(kept.local);
    this.locals.delete(root);
  }

  /** Keeps a value in a local. */
  keep(id: ValueId, value: V128): void {
    value.write(this.frame.writer);
    this.keepPushed(id);
  }

  computeAndKeep(instruction: Instruction): void {
    if (this.words.computes(instruction)) return this.computeWord(instruction);
    compute(this, instruction);
    this.keepPushed(instruction.results[0]!);
  }

  /** Computes the word once for all quads that run together. */
  computeWord(instruction: Instruction): void {
    if (this.quad === this.frame.quads[0]) this.words.write(this, instruction);
  }

  private keepPushed(id: ValueId): void {
    const { writer } = this.frame;
    const local = writer.local('v128');
    writer.keep(local);
    this.hold(id, local);
    if (this.frame.quads.length === 1 && writer.count - this.fenced > FENCE_EVERY) this.fence();
  }

  /** Keeps a value in the local that already contains it. */
  hold(id: ValueId, local: Local<'v128'>): void {
    this.locals.set(id, { local, loops: this.loops, left: this.needs.uses[id]! });
  }

  /** Whether a value is available without computation. */
  private isGiven(root: ValueId): boolean {
    return this.uniformWords[root]! >= 0 || this.control.definitions[root]!.instruction.op === 'const';
  }

  /**
   * A value that can be read any number of times and counts as one use. If it is a local, the caller must release it.
   */
  repeatable(id: ValueId): V128 {
    return this.isGiven(this.control.roots[id]!) ? this.value(id) : this.frame.writer.kept('v128', this.value(id));
  }

  /** Whether a value is available here, before the point where it is computed. */
  canHave(id: ValueId): boolean {
    const root = this.control.roots[id]!;
    if (this.isGiven(root) || this.isPrecomputed(root)) return true;
    const { op, args } = this.control.definitions[root]!.instruction;
    return this.needs.inPlace[root]! > 0 && !op.startsWith('buffer.') && args.every((arg) => this.canHave(arg));
  }

  /** Whether `precompute` can make a value available here. */
  canPrecompute(id: ValueId): boolean {
    if (this.canHave(id)) return true;
    const { op, args } = this.control.definitions[this.control.roots[id]!]!.instruction;
    // Operations that form groups are excluded: one might belong to the group for which it would be brought forward.
    return BRINGABLE.test(op) && !this.inlines.hasCommon(op) && args.every((arg) => this.canHave(arg));
  }

  /** Computes and keeps, ahead of time, a value for which `canPrecompute` is true. */
  precompute(id: ValueId): void {
    const root = this.control.roots[id]!;
    if (this.canHave(root)) return;
    this.precomputed.add(root);
    this.computeAndKeep(this.control.definitions[root]!.instruction);
  }

  /** Whether a value needs no computation at its place in the program: it is available, or was and has been used up. */
  isDone(id: ValueId): boolean {
    return this.precomputed.has(id) || this.isPrecomputed(id);
  }

  /** Whether an operation's value has been brought forward. */
  isPrecomputed(id: ValueId): boolean {
    return this.locals.has(id) || this.words.isKept(id);
  }

  /** Marks the end of a basic block. */
  blockEnded(): void {
    this.fenced = this.frame.writer.count;
  }

  /**
   * Ends a basic block with a branch that is never taken and that reads all kept values. Within a block, V8 (11.3)
   * places pure operations where its breadth-first walk reaches them, and spills the values that this keeps alive. Each
   * fence has a different condition, because V8 would otherwise derive it from the first.
   *
   * - Overdraw takes 228 cycles per quad with a fence every 250 or 500 instructions, 256 with one every 1000, and 274
   *   without.
   * - Helmet, which has long dependency chains, takes 690 with one every 250, 636 with one every 500, and 626 without.
   * - Two quads that run together have other work to do between dependent values: raymarch takes 189 ms with fences,
   *   271 with one every 150, and 179 without.
   *
   * Tried: letting both paths meet again after the branch, 3 to 10 % slower because all values move. Tried: writing all
   * operations of one quad up to the next branch before those of the other, no change without a fence between them, 1 %
   * slower with one.
   */
  private fence(): void {
    const {
      quad: { registers },
      frame: { writer },
    } = this;
    // The address of a vector is never odd.
    writer.if(i32.equal(registers, i32.constant(2 * this.fences++ + 1)), () => {
      for (const { local } of this.locals.values()) writer.store(registers, local);
      for (const local of this.variablesMet) writer.store(registers, local);
      writer.opcode(UNREACHABLE);
    });
    this.blockEnded();
  }

  /** `value` in the lanes that the operation applies to, `before` in the others. */
  masked(value: V128, before: V128, operation: Operation): V128 {
    return this.isFull(operation) ? value : this.ofLanes(value, before);
  }

  /** `value` in the active lanes, `before` in the others. */
  ofLanes(value: V128, before: V128): V128 {
    return v128.select(value, before, this.exec ?? unreachable('jit: a set of some lanes without a mask'));
  }

  /** Lanes to which an operation applies; null for all. */
  lanesOf({ full }: Operation): V128 | null {
    return full && this.startsWithFullQuads
      ? null
      : (this.exec ?? unreachable('jit: an access of some lanes without a mask'));
  }

  /** Whether a set or store needs no mask. */
  private isFull({ full, instruction }: Operation): boolean {
    // A variable on which lanes agree is also set for inactive lanes: they read it, if at all, after all have set it.
    const { variables, unread } = this.quadUniform;
    return full || (instruction.op === 'var.set' && (variables.has(instruction.imm) || unread.has(instruction)));
  }

  /** Sets an element. */
  assign(to: Local<'v128'>, value: V128, operation: Operation): void {
    this.frame.writer.set(to, this.masked(value, to, operation));
  }

  setVariable(operation: Operation): void {
    const {
      args: [value],
      imm,
    } = operation.instruction;
    const variable = this.variable(imm);
    const added = this.isFull(operation) ? null : this.addedTo(operation);
    if (added === null) return this.assign(variable, this.value(value!), operation);
    // Inactive lanes add nothing.
    const {
      frame: { writer },
      exec,
    } = this;
    if (bitsOf(this.control, added) === 1) writer.set(variable, i32x4.difference(variable, exec!));
    else writer.set(variable, i32x4.sum(variable, v128.and(this.value(added), exec!)));
  }

  /** The constant that a set adds to its own variable, as for counters; null if it is another kind of set. */
  private addedTo({ instruction: { args, imm }, list, position }: Operation): ValueId | null {
    const {
      control: { definitions, roots },
      needs,
    } = this;
    const root = roots[args[0]!]!;
    const {
      instruction: { op, args: terms },
      list: where,
    } = definitions[root]!;
    if (op !== 'int.add' || needs.inPlace[root] === 0 || where !== list) return null;
    const before = definitions[roots[terms[0]!]!]!;
    if (before.instruction.op !== 'var.get' || before.instruction.imm !== imm || before.list !== list) return null;
    const isStill = list.every((step) =>
      step.kind === 'op'
        ? step.position < before.position
          || step.position >= position
          || step.instruction.op !== 'var.set'
          || step.instruction.imm !== imm
        : step.kind === 'leaveWhere'
    );
    if (!isStill || bitsOf(this.control, terms[1]!) === undefined) return null;
    this.skipUse(terms[0]!);
    return terms[1]!;
  }

  storeOutput(index: number, value: V128): void {
    this.frame.writer.store(this.quad.registers, value, this.outputOffset(index));
  }

  output(index: number): V128 {
    return v128.load(this.quad.registers, this.outputOffset(index));
  }

  /** Offset in bytes from the quad's inputs. */
  outputOffset(index: number): number {
    return (this.firstOutput + index) * REGISTER_BYTES;
  }
}

/** Whether anything in a program depends on which lanes are active. */
function needsMask({ divided, events }: Control, program: IrProgram): boolean {
  if (divided) return true;
  return (
    !startsWithFullQuads(program)
    && (program.parts !== undefined
      || events.some((event) => {
        const op = event.kind === 'op' ? event.instruction.op : '';
        return op !== '' && isLaneWise(op);
      }))
  );
}
