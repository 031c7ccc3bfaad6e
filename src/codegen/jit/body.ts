// A program's body for one quad: control flow (control.ts) with an exec mask where lanes part, branches alone where
// they do not. Masks are locals, and a side that no lane takes is jumped over.

import { LOOP_CHECK_INTERVAL } from '../../../assembly/layout/limits';
import { STATUS_TIMEOUT } from '../../../assembly/layout/status';
import { unreachable } from '../../base/assert';
import { variablesReadAtStart } from '../../ir';
import type { Block, Conditional, Leave, LeaveWhere, Loop, Operation, Place, Step } from '../control';
import { called, i32, tee, v128, type Local, type V128 } from '../wasm/expression';
import type { FunctionWriter } from '../wasm/writer';
import { CommonCases } from './common';
import { loadRows, MemoryOperations } from './memory';
import type { Sites } from './sites';
import { SurfaceAccesses } from './surfaces';
import type { Values } from './values';

/** Instructions of an average round that count as one back edge. */
const ROUND = 64;

export class Body {
  private readonly writer: FunctionWriter;
  private readonly memory: MemoryOperations;
  private readonly surfaces: SurfaceAccesses;
  private readonly common: CommonCases;
  /** Loads that were written together with an earlier one. */
  private readonly loaded = new Set<Operation>();
  /** Saved masks; control.ts's place of one is its index. */
  private readonly masks: Local<'v128'>[] = [];

  constructor(private readonly values: Values, private readonly sites: Sites) {
    this.writer = values.frame.writer;
    this.memory = new MemoryOperations(values, sites);
    this.surfaces = new SurfaceAccesses(values, sites);
    this.common = new CommonCases(values);
  }

  /** One quad, from values' inputs to its outputs. */
  write(): void {
    const { values, values: { frame, program }, writer } = this;
    if (values.exec !== null) writer.set(values.exec, frame.exec);
    for (const variable of variablesReadAtStart(program)) writer.set(values.variable(variable), frame.splat(0));
    this.memory.clear();
    const written = new Set<number>();
    for (const node of program.body) if (node.kind === 'op' && node.op === 'output') written.add(node.imm);
    for (let k = 0; k < program.outputs.length; k++) if (!written.has(k)) values.storeOutput(k, frame.splat(0));
    this.steps(values.control.steps);
  }

  private steps(list: readonly Step[]): void {
    for (let i = 0; i < list.length; i++) {
      const step = list[i]!;
      switch (step.kind) {
        case 'op': this.operation(step); break;
        case 'if': this.conditional(step); break;
        case 'block': this.block(step); break;
        case 'loop': this.loop(step); break;
        case 'leave': this.leave(step); break;
        case 'leaveWhere': this.leaveWhere(step); break;
      }
    }
  }

  // ── control flow ──

  private get exec(): Local<'v128'> {
    return this.values.exec ?? unreachable('jit: lanes part in a program without a mask');
  }

  private save(mask: Place): Local<'v128'> {
    const save = this.writer.local('v128');
    mask.at = this.masks.push(save) - 1;
    return save;
  }

  /** Behind a construct that saved its mask. */
  private restore({ left, revival }: Conditional | Block | Loop, save: Local<'v128'>): void {
    this.writer.set(this.exec, save);
    this.writer.release(save);
    if (left) this.jumpWhenOff(revival);
  }

  /** Jumps to where lanes may be on again, if none is on here. */
  private jumpWhenOff(revival: Place | null): void {
    if (revival !== null) this.writer.branchIf(i32.isZero(v128.isAny(this.exec)), revival);
  }

  private conditional(step: Conditional): void {
    const { values, writer } = this;
    const { then, otherwise } = step;
    if (!step.divides) {
      const other = otherwise.length > 0 ? (): void => this.steps(otherwise) : undefined;
      return writer.if(values.word(step.condition), () => this.steps(then), other);
    }
    const save = this.save(step.save!);
    const condition = writer.local('v128');
    writer.set(condition, values.value(step.condition));
    writer.set(save, this.exec);
    this.side(v128.and(save, condition), then, step.afterThen);
    this.side(v128.andNot(save, condition), otherwise, step.afterOtherwise);
    writer.set(this.exec, save);
    writer.release(save);
    writer.release(condition);
    if (step.left) this.jumpWhenOff(step.revival);
  }

  private side(lanes: V128, list: readonly Step[], after: Place): void {
    if (list.length === 0) return;
    this.writer.if(v128.isAny(tee(this.exec, lanes)), () => {
      after.at = this.writer.depth;
      this.steps(list);
    });
  }

  private block(step: Block): void {
    const save = step.save && this.save(step.save);
    if (save) this.writer.set(save, this.exec);
    this.writer.construct('block', step.end, () => this.steps(step.body));
    if (save) this.restore(step, save);
  }

  private loop(step: Loop): void {
    const { writer, values } = this;
    const isMasked = values.exec !== null;
    const save = isMasked && step.save ? this.save(step.save) : null;
    if (save) writer.set(save, this.exec);
    writer.construct('block', step.end, () => {
      values.enterLoop();
      writer.construct('loop', step.top, () => {
        let before = 0;
        writer.construct('block', step.check, () => {
          before = writer.count;
          this.steps(step.body);
        });
        const again = (): void => {
          this.countBackEdge(1 + Math.floor((writer.count - before) / ROUND));
          writer.branch(step.top);
        };
        if (isMasked) writer.if(v128.isAny(this.exec), again);
        else again();
      });
      values.leaveLoop();
    });
    if (!save) return;
    writer.set(this.exec, save);
    writer.release(save);
  }

  private countBackEdge(cost: number): void {
    const { writer, values: { frame } } = this;
    const budget = frame.budget.local;
    const left = tee(budget, i32.difference(budget, i32.constant(cost)));
    writer.if(i32.isAtMostSigned(left, i32.constant(0)), () => {
      writer.set(budget, i32.constant(LOOP_CHECK_INTERVAL));
      writer.if(called(frame.imports.timeExpired), () => writer.return(i32.constant(STATUS_TIMEOUT)));
    });
  }

  private leave({ jumps, target, saves, revival }: Leave): void {
    const { writer } = this;
    if (jumps) return writer.branch(target.end);
    for (const { at } of saves) this.turnOff(this.masks[at]!, this.exec);
    writer.set(this.exec, this.values.frame.splat(0));
    writer.branch(revival!);
  }

  private leaveWhere({ condition, negated, saves, revival }: LeaveWhere): void {
    const { writer } = this;
    const leaving = writer.local('v128');
    const value = this.values.value(condition);
    writer.set(leaving, negated ? v128.andNot(this.exec, value) : v128.and(this.exec, value));
    for (const { at } of saves) this.turnOff(this.masks[at]!, leaving);
    this.turnOff(this.exec, leaving);
    writer.release(leaving);
    this.jumpWhenOff(revival);
  }

  private turnOff(mask: Local<'v128'>, lanes: V128): void { this.writer.set(mask, v128.andNot(mask, lanes)); }

  // ── instructions ──

  private operation(operation: Operation): void {
    const { values } = this;
    const { position, instruction } = operation;
    if (values.needs.needed[position] === 0) return;
    const { op, results, args, imm } = instruction;
    switch (op) {
      case 'var.set': return values.assign(values.variable(imm), values.value(args[0]!), operation);
      case 'var.get': return values.keep(results[0]!, values.variable(imm));
      case 'output':
        return values.storeOutput(imm, values.masked(values.value(args[0]!), values.output(imm), operation));
      case 'array.store': return this.memory.store(operation);
      case 'array.load': return values.keep(results[0]!, this.memory.load(operation));
      case 'discard': return values.frame.kill(this.exec);
      case 'texture.sample': case 'texture.load': return this.sites.read(operation, values);
      case 'texture.dimensions': return this.memory.dimensions(instruction);
      case 'surface.load': return this.surfaces.load(instruction);
      case 'surface.store': return this.surfaces.store(instruction);
      case 'buffer.load':
        if (this.loaded.has(operation) || loadRows(values, operation, this.loaded)) return;
        break;
      default: if (this.common.write(operation)) return;
    }
    if (values.needs.inPlace[results[0]!] === 0) values.computeAndKeep(instruction);
  }
}
