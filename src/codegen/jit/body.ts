// Writes a program's body for the quads of an iteration. Control flow (control.ts) uses an exec mask where lanes
// diverge and plain branches where they do not. Masks are locals, and a branch that no lane takes is jumped over. When
// two quads run together, they behave like the lanes of one: each has its own masks, but both take the same branches.
// instructions.ts interleaves their operations.

import { LOOP_CHECK_INTERVAL } from '../../../assembly/layout/limits';
import { STATUS_TIMEOUT } from '../../../assembly/layout/status';
import { unreachable } from '../../base/assert';
import { mayMiss, type ValueId } from '../../ir';
import type { Block, Conditional, Leave, LeaveWhere, Loop, Place, Step } from '../control';
import { called, i32, i32x4, tee, v128, type I32, type Local, type V128 } from '../wasm/expression';
import type { FunctionWriter, Label } from '../wasm/writer';
import type { CodeBudget } from './budget';
import type { Facts } from './analysis/facts';
import type { Frame } from './frame';
import { Instructions } from './instructions';
import { findRepeatPoint, type RepeatPoint } from './analysis/repeats';
import type { Sites } from './sites';
import type { Values } from './values';

/** Instructions in an average iteration, which count as one back edge in the loop budget. */
const ROUND = 64;

/** One mask per quad. */
type Masks = readonly Local<'v128'>[];

export class Body {
  private readonly writer: FunctionWriter;
  private readonly frame: Frame;
  private readonly quads: readonly Instructions[];
  /** The active lanes. */
  private readonly exec: Masks;
  /** Saved masks; the Place from control.ts holds the index. */
  private readonly masks: Masks[] = [];
  private readonly repeat: RepeatPoint | null;

  /** `values`: one per quad. */
  constructor(
    private readonly values: readonly Values[],
    private readonly sites: Sites,
    private readonly budget: CodeBudget,
    facts: Facts
  ) {
    this.frame = values[0]!.frame;
    this.writer = this.frame.writer;
    this.quads = values.map((each) => new Instructions(each, sites));
    this.exec = values.flatMap(({ exec }) => (exec === null ? [] : [exec]));
    this.repeat = this.isMasked() ? null : findRepeatPoint(facts, values[0]!.inlines);
  }

  /** Writes an iteration, from the inputs to the outputs of its quads. */
  write(): void {
    const { quads, repeat } = this;
    const { control, program } = this.values[0]!;
    for (const quad of quads) quad.start();
    const misses = quads.length === 1 && mayMiss(program);
    if (!misses && repeat === null) return this.steps(control.steps);
    const end: Label = { at: 0 };
    // A quad that reads a non-resident page writes nothing and jumps to the end of its iteration.
    if (misses) quads[0]!.end = end;
    this.writer.construct('block', end, () => {
      this.steps(control.steps.slice(0, repeat?.index));
      if (repeat === null) return;
      this.copyRepeated(repeat, end);
      this.steps(control.steps.slice(repeat.index));
    });
    if (misses) this.frame.noteMiss();
  }

  /** Jumps to the end of the iteration if the values equal those of the last quad whose outputs were computed. */
  private copyRepeated({ values: ids, outputs }: RepeatPoint, end: Label): void {
    const { writer, values } = this;
    const before = ids.map(() => writer.persistentLocal('v128'));
    /** Registers of that quad; 0 in the first iteration. */
    const source = writer.persistentLocal('i32');
    const differences = values.flatMap((each, quad) =>
      ids.map((id, k) => v128.xor(each.kept(id), quad === 0 ? before[k]! : values[quad - 1]!.kept(id)))
    );
    const differs = v128.isAny(differences.reduce((all, each) => v128.or(all, each)));
    writer.if(i32.select(i32.constant(0), source, differs), () => {
      for (const each of values)
        for (const index of outputs) {
          const at = each.outputOffset(index);
          writer.store(each.quad.registers, v128.load(source, at), at);
        }
      writer.branch(end);
    });
    const last = values.at(-1)!;
    ids.forEach((id, k) => writer.set(before[k]!, last.kept(id)));
    writer.set(source, last.quad.registers);
  }

  private steps(list: readonly Step[]): void {
    for (let i = 0; i < list.length; i++) {
      const step = list[i]!;
      switch (step.kind) {
        case 'op':
          for (const quad of this.quads) quad.write(step);
          break;
        case 'if':
          this.conditional(step);
          break;
        case 'block':
          this.block(step);
          break;
        case 'loop':
          this.loop(step);
          break;
        case 'leave':
          this.leave(step);
          break;
        case 'leaveWhere':
          this.leaveWhere(step);
          break;
      }
      this.budget.check(this.writer);
    }
  }

  private isMasked(): boolean {
    return this.exec.length > 0;
  }

  private newMasks(): Masks {
    return this.values.map(() => this.writer.local('v128'));
  }

  private set(masks: Masks, lanes: (quad: number) => V128): void {
    masks.forEach((mask, quad) => this.writer.set(mask, lanes(quad)));
  }

  private release(masks: Masks): void {
    for (const mask of masks) this.writer.release(mask);
  }

  private execOf(quad: number): Local<'v128'> {
    return this.exec[quad] ?? unreachable('jit: lanes part in a program without a mask');
  }

  private isAnyOn(): I32 {
    // Testing the sign bits of a mask takes fewer instructions than testing whether any bit is set.
    const masks = this.values.map((_, quad): V128 => this.execOf(quad));
    return i32x4.signs(masks.reduce((all, mask) => v128.or(all, mask)));
  }

  /** A condition on which all lanes agree. */
  private uniformCondition(condition: ValueId): I32 {
    for (const values of this.values.slice(1)) values.skipUse(condition);
    return this.values[0]!.word(condition);
  }

  /** Saves the masks of the active lanes. */
  private save(at: Place): Masks {
    const save = this.newMasks();
    at.at = this.masks.push(save) - 1;
    this.set(save, (quad) => this.execOf(quad));
    return save;
  }

  private restoreFrom(save: Masks): void {
    this.set(this.exec, (quad) => save[quad]!);
    this.release(save);
  }

  /** Restores the masks after a construct that saved them. */
  private restore({ left, reactivation }: Conditional | Block | Loop, save: Masks): void {
    this.restoreFrom(save);
    if (left) this.jumpWhenOff(reactivation);
  }

  /** If no lane is active, jumps to where lanes may become active again. */
  private jumpWhenOff(reactivation: Place | null): void {
    if (reactivation !== null) this.writer.branchIf(i32.isZero(this.isAnyOn()), reactivation);
  }

  private conditional(step: Conditional): void {
    const { writer, values } = this;
    const { then, otherwise } = step;
    if (!step.divides) {
      const other = otherwise.length > 0 ? (): void => this.steps(otherwise) : undefined;
      return writer.if(this.uniformCondition(step.condition), () => this.steps(then), other);
    }
    const condition = this.newMasks();
    this.set(condition, (quad) => values[quad]!.value(step.condition));
    const save = this.save(step.save!);
    this.side((quad) => v128.and(save[quad]!, condition[quad]!), then, step.afterThen);
    this.side((quad) => v128.andNot(save[quad]!, condition[quad]!), otherwise, step.afterOtherwise);
    this.release(condition);
    this.restore(step, save);
  }

  private side(lanes: (quad: number) => V128, list: readonly Step[], after: Place): void {
    if (list.length === 0) return;
    this.set(this.exec, lanes);
    this.writer.if(this.isAnyOn(), () => {
      after.at = this.writer.depth;
      this.steps(list);
    });
  }

  private block(step: Block): void {
    const save = step.save && this.save(step.save);
    this.writer.construct('block', step.end, () => this.steps(step.body));
    if (save) this.restore(step, save);
  }

  /**
   * Writes a loop inside an outer one that resumes it after each timeout check. If the call were in the inner loop,
   * engines would keep its values in memory across iterations (V8 11.3, Mandelbrot set: 33 → 30 ms).
   */
  private loop(step: Loop): void {
    const { writer, values } = this;
    const save = this.isMasked() && step.save ? this.save(step.save) : null;
    const resumed: Label = { at: 0 };
    const paused: Label = { at: 0 };
    writer.construct('block', step.end, () => {
      for (const each of values) each.enterLoop(step, (bytes) => this.sites.memoryOffset(this.sites.takeMemory(bytes)));
      writer.construct('loop', resumed, () => {
        writer.construct('block', paused, () => writer.construct('loop', step.top, () => this.round(step, paused)));
        writer.set(this.frame.budget.local, i32.constant(LOOP_CHECK_INTERVAL));
        writer.if(called(this.frame.imports.timeExpired), () => writer.return(i32.constant(STATUS_TIMEOUT)));
        writer.branch(resumed);
      });
      for (const each of values) each.leaveLoop();
    });
    if (save) this.restoreFrom(save);
  }

  private round(step: Loop, paused: Label): void {
    const { writer, frame } = this;
    const isSure = this.isMasked() && endsWithSome(step);
    let before = 0;
    const again = (): void => {
      const budget = frame.budget.local;
      const cost = 1 + Math.floor((writer.count - before) / ROUND);
      const left = tee(budget, i32.difference(budget, i32.constant(cost)));
      writer.branchIf(i32.lessSigned(i32.constant(0), left), step.top);
      writer.branch(paused);
    };
    writer.construct('block', step.check, () => {
      before = writer.count;
      this.steps(step.body);
      if (isSure) again();
    });
    if (isSure) return writer.branch(step.end);
    if (this.isMasked()) writer.branchIf(i32.isZero(this.isAnyOn()), step.end);
    again();
  }

  private leave({ jumps, target, saves, reactivation }: Leave): void {
    const { writer, exec } = this;
    if (jumps) return writer.branch(target.end);
    for (const { at } of saves) this.turnOff(this.masks[at]!, exec);
    this.set(exec, () => this.frame.splat(0));
    writer.branch(reactivation!);
  }

  private leaveWhere({ condition, negated, saves, reactivation }: LeaveWhere): void {
    if (saves.length === 0) {
      this.set(this.exec, (quad) => {
        const value = this.values[quad]!.value(condition);
        return negated ? v128.and(value, this.execOf(quad)) : v128.andNot(this.execOf(quad), value);
      });
      return this.jumpWhenOff(reactivation);
    }
    const leaving = this.newMasks();
    this.set(leaving, (quad) => {
      const value = this.values[quad]!.value(condition);
      return negated ? v128.andNot(this.execOf(quad), value) : v128.and(this.execOf(quad), value);
    });
    for (const { at } of saves) this.turnOff(this.masks[at]!, leaving);
    this.turnOff(this.exec, leaving);
    this.release(leaving);
    this.jumpWhenOff(reactivation);
  }

  private turnOff(masks: Masks, lanes: Masks): void {
    this.set(masks, (quad) => v128.andNot(masks[quad]!, lanes[quad]!));
  }
}

/**
 * Whether a loop's body ends with at least one active lane. This is certain if the last step other than operations is a
 * `leaveWhere` that jumps to the loop's `check` when no lane is left.
 */
function endsWithSome({ body, check }: Loop): boolean {
  const last = body.findLast(({ kind }) => kind !== 'op');
  return last?.kind === 'leaveWhere' && last.reactivation === check;
}
