// Where the values of a program are while its quad runs: in locals, in the draw's uniform block, among the constants,
// or computed in place.

import { REGISTER_BYTES } from '../../../assembly/layout/limits';
import { unreachable } from '../../base/assert';
import type { Instruction, IrProgram, OpName, ValueId } from '../../ir';
import type { EncodedProgram } from '../encode';
import type { Inlines } from '../wasm/inlines';
import type { Local } from '../wasm/writer';
import { findConvergence, type Convergence } from './convergence';
import type { Frame } from './frame';
import { findNeeds, type Needs } from './needs';
import { operations, shifts } from './operations';
import { pushBufferLoad, pushBufferSize, pushSurfaceField, pushTextureField } from './resources';

/** Instructions between fences. */
const FENCE_EVERY = 500;
/** What is taken in and longer than this has branches of its own, for rare operands: they end a basic block too. */
const BRANCHING = 60;

export interface Stage { readonly program: IrProgram; readonly encoded: EncodedProgram }

export class Values {
  readonly program: IrProgram;
  readonly convergence: Convergence;
  readonly needs: Needs;
  /** Lanes that are on; null in a program that needs no mask. */
  readonly exec: Local | null;
  /** WebAssembly constructs around this point, the loop over quads included. */
  depth = 1;
  private readonly locals = new Map<ValueId, { readonly local: Local; readonly loops: number }>();
  private readonly left = new Map<ValueId, number>();
  private readonly variables = new Map<number, Local>();
  private readonly uniformWords = new Map<ValueId, number>();
  private loops = 0;
  private fences = 0;
  /** Instructions written when the last basic block ended. */
  private fenced = 0;

  /** `input` leaves the value of an input on the stack. */
  constructor(
    stage: Stage, readonly frame: Frame, readonly inlines: Inlines, private readonly input: (index: number) => void
  ) {
    this.program = stage.program;
    const { encoded } = stage;
    encoded.uniformValues.forEach((id, index) => this.uniformWords.set(id, encoded.constants.length + index));
    this.outputBase = encoded.inputs;
    this.convergence = findConvergence(stage.program);
    this.needs = findNeeds(stage.program, (id) => this.uniformWords.has(id), (op) => inlines.hasCommon(op));
    this.exec = needsMask(stage.program, this.convergence) ? frame.writer.lasting('v128') : null;
  }
  private readonly outputBase: number;

  /** Starts a construct; its depth. */
  begin(name: 'block' | 'loop' | 'if'): number {
    this.frame.writer.begin(name);
    return ++this.depth;
  }

  end(): void {
    this.frame.writer.end();
    this.depth--;
  }

  enterLoop(): void { this.loops++; }
  leaveLoop(): void { this.loops--; }

  variable(index: number): Local {
    let local = this.variables.get(index);
    if (local === undefined) this.variables.set(index, (local = this.frame.writer.lasting('v128')));
    return local;
  }

  isConvergent(id: ValueId): boolean { return this.convergence.agrees(id); }

  /** Leaves a value on the stack. */
  push(id: ValueId): void {
    const root = this.needs.root(id);
    const bits = this.needs.bits(root);
    if (bits !== undefined) return this.frame.splat(bits);
    const word = this.uniformWords.get(root);
    if (word !== undefined) return this.frame.uniform(word);
    const kept = this.locals.get(root);
    if (kept === undefined) return this.compute(this.needs.definition(root));
    this.frame.writer.get(kept.local);
    this.used(root);
  }

  /** Counts a use of a value that need not be read. */
  passOver(id: ValueId): void {
    this.used(this.needs.root(id));
  }

  private used(root: ValueId): void {
    const kept = this.locals.get(root);
    if (kept === undefined) return;
    const left = this.left.get(root)! - 1;
    this.left.set(root, left);
    // What was computed before a loop is read again in its next round.
    if (left > 0 || kept.loops !== this.loops) return;
    this.frame.writer.release(kept.local);
    this.locals.delete(root);
  }

  /** Leaves a bool that is the same in all lanes on the stack as an i32. */
  pushTruth(id: ValueId): void {
    const word = this.uniformWords.get(this.needs.root(id));
    if (word !== undefined) return this.frame.uniformWord(word);
    this.push(id);
    this.frame.writer.lane('i32x4.extract_lane', 0);
  }

  /** Leaves lane 0 of an integer on the stack as an i32. */
  pushWord(id: ValueId): void {
    const bits = this.needs.bits(id);
    if (bits !== undefined) this.frame.writer.i32(bits | 0);
    else this.pushTruth(id);
  }

  /** Computes a value by `write` and keeps it in a local. */
  keep(id: ValueId, write: () => void): void {
    write();
    const { writer } = this.frame;
    const local = writer.local('v128');
    writer.set(local);
    this.hold(id, local);
    if (writer.count - this.fenced > FENCE_EVERY) this.fence();
  }

  /** Keeps a value in the local that it is in. */
  hold(id: ValueId, local: Local): void {
    this.locals.set(id, { local, loops: this.loops });
    this.left.set(id, this.needs.uses(id));
  }

  /**
   * A value as something that can be left on the stack any number of times, which counts as one use; `release` gives
   * its local back.
   */
  repeatable(id: ValueId): { readonly push: () => void; readonly release: () => void } {
    const root = this.needs.root(id);
    if (this.needs.bits(root) !== undefined || this.uniformWords.has(root))
      return { push: () => this.push(root), release: () => undefined };
    const { writer } = this.frame;
    this.push(root);
    const local = writer.local('v128');
    writer.set(local);
    return { push: () => writer.get(local), release: () => writer.release(local) };
  }

  /** Whether a value can be had here, before the point where it is computed. */
  canHave(id: ValueId): boolean {
    const root = this.needs.root(id);
    if (this.needs.bits(root) !== undefined || this.uniformWords.has(root) || this.locals.has(root)) return true;
    const { op, args } = this.needs.definition(root);
    return this.needs.inPlace(root) && !op.startsWith('buffer.') && args.every((arg) => this.canHave(arg));
  }

  /** A basic block has ended. */
  blockEnded(): void { this.fenced = this.frame.writer.count; }

  /**
   * Ends a basic block with a branch that is never taken, to where all values kept so far are read. Inside a block V8
   * (11.3) puts pure operations where its breadth-first walk meets them, and spills what that keeps alive: overdraw
   * takes 228 cycles a quad with a fence every 250 or 500 instructions, 256 with one every 1000, 274 without. Helmet,
   * whose operations wait for each other, takes 690 with one every 250, 636 every 500, 626 without. Each condition is
   * another one, or V8 would know it from the first. Tried to let both ways meet again behind the branch: 3 to 10 %
   * slower, all values then move.
   */
  private fence(): void {
    const { writer, registers } = this.frame;
    writer.get(registers);
    // An address of whole vectors is never odd.
    writer.i32(2 * this.fences++ + 1);
    writer.op('i32.eq');
    writer.begin('if');
    for (const local of [...[...this.locals.values()].map((kept) => kept.local), ...this.variables.values()]) {
      writer.get(registers);
      writer.get(local);
      writer.memory('v128.store', 0);
    }
    writer.op('unreachable');
    writer.end();
    this.blockEnded();
  }

  /** Leaves the result of a pure operation on the stack. */
  compute(instruction: Instruction): void {
    const { op, args, imm } = instruction;
    const { writer } = this.frame;
    switch (op) {
      case 'input': return this.input(imm);
      case 'select':
        this.push(args[1]!);
        this.push(args[2]!);
        this.push(args[0]!);
        return writer.op('v128.bitselect');
      case 'buffer.load': return pushBufferLoad(this, instruction);
      case 'buffer.size': return pushBufferSize(this, imm);
      case 'texture.levels': case 'texture.layers': case 'texture.samples': return pushTextureField(this, op, imm);
      case 'surface.width': case 'surface.height': case 'surface.samples': return pushSurfaceField(this, op, imm);
      case 'int.shl': case 'i32.shr': case 'u32.shr':
        if (!this.isConvergent(args[1]!)) break;
        this.push(args[0]!);
        this.pushWord(args[1]!);
        return writer.op(shifts[op]!);
      case 'bool.and':
        if (this.andNot(args[0]!, args[1]!) || this.andNot(args[1]!, args[0]!)) return;
        break;
      default:
    }
    for (const id of args) this.push(id);
    this.operate(op);
  }

  /** a & ~b, where b is a negation that is computed in place. */
  private andNot(kept: ValueId, negated: ValueId): boolean {
    const root = this.needs.root(negated);
    if (!this.needs.inPlace(root) || this.uniformWords.has(root)) return false;
    const definition = this.needs.definition(root);
    if (definition.op !== 'bool.not') return false;
    this.push(kept);
    this.push(definition.args[0]!);
    this.frame.writer.op('v128.andnot');
    return true;
  }

  private operate(op: OpName): void {
    const direct = operations[op];
    if (direct !== undefined) direct(this.frame.writer, (bits) => this.frame.splat(bits));
    else if (this.inlines.has(op)) this.takeIn(op);
    else unreachable(`jit: no instructions for ${op}`);
  }

  private takeIn(op: OpName): void {
    const { writer } = this.frame;
    const before = writer.count;
    this.inlines.emit(writer, op, (words) => this.frame.constant(words));
    if (writer.count - before > BRANCHING) this.blockEnded();
  }

  /** Sets a variable, in the lanes that are on. */
  assign(variable: Local, value: ValueId, full: boolean): void {
    const { writer } = this.frame;
    this.push(value);
    if (!full) {
      writer.get(variable);
      writer.get(this.exec ?? unreachable('jit: a set of some lanes without a mask'));
      writer.op('v128.bitselect');
    }
    writer.set(variable);
  }

  storeOutput(index: number, value: () => void): void {
    this.frame.writer.get(this.frame.registers);
    value();
    this.frame.writer.memory('v128.store', (this.outputBase + index) * REGISTER_BYTES);
  }

  loadOutput(index: number): void {
    this.frame.writer.get(this.frame.registers);
    this.frame.writer.memory('v128.load', (this.outputBase + index) * REGISTER_BYTES);
  }
}

/** Whether anything in a program depends on which lanes are on. */
function needsMask(program: IrProgram, convergence: Convergence): boolean {
  const scan = (nodes: IrProgram['body']): boolean => nodes.some((node) => {
    switch (node.kind) {
      case 'op':
        return node.op === 'discard' || node.op === 'surface.load' || node.op === 'surface.store'
          || ((node.op === 'var.set' || node.op === 'output' || node.op === 'array.store') && !convergence.full(node));
      case 'if': return !convergence.agrees(node.condition) || scan(node.then) || scan(node.otherwise);
      case 'leave': return false;
      default: return scan(node.body);
    }
  });
  return scan(program.body);
}
