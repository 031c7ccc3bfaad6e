// A program's body for one quad: control flow with an exec mask where lanes part, branches alone where they do not.
//
// As in the bytecode (codegen/body.ts): a divided `if` saves the mask and narrows it, a block or loop that lanes leave
// saves it at its start and restores it at its end; lanes that leave are taken out of every saved mask between them and
// what they leave. Here the masks are locals, and a side that no lane takes is jumped over.

import { LOOP_CHECK_INTERVAL } from '../../../assembly/layout/limits';
import { STATUS_TIMEOUT } from '../../../assembly/layout/status';
import { unreachable } from '../../base/assert';
import { leaves, variablesReadAtStart, type Instruction, type IrNode, type ValueId } from '../../ir';
import { wayOut, type Enclosing } from '../constructs';
import { leavesOutside } from '../schedule';
import type { Local } from '../wasm/writer';
import { loadRows, MemoryOperations } from './memory';
import type { Sites } from './sites';
import { SurfaceAccesses } from './surfaces';
import { CommonCases } from './common';
import type { Values } from './values';

interface Construct extends Enclosing<Local> {
  /** Depth of the construct at whose end lanes may be on again; null where control divides no lanes. */
  readonly revival: number | null;
  /** Depth of the construct at whose end what is left ends. */
  readonly end: number;
  readonly revivesAtEnd: boolean;
}

/** Instructions of an average round that count as one back edge. */
const ROUND = 64;

export class Body {
  private readonly constructs: Construct[] = [];
  private readonly memory: MemoryOperations;
  private readonly surfaces: SurfaceAccesses;
  private readonly common: CommonCases;
  /** Loads that were written together with an earlier one. */
  private readonly loaded = new Set<Instruction>();

  constructor(private readonly values: Values, private readonly sites: Sites) {
    this.memory = new MemoryOperations(values, sites);
    this.surfaces = new SurfaceAccesses(values, sites);
    this.common = new CommonCases(values);
  }

  /** One quad, from values' inputs to its outputs. */
  write(): void {
    const { values } = this;
    const { writer } = values.frame;
    if (values.exec !== null) {
      values.frame.exec();
      writer.set(values.exec);
    }
    for (const variable of variablesReadAtStart(values.program)) {
      values.frame.splat(0);
      writer.set(values.variable(variable));
    }
    this.memory.clear();
    this.clearOutputs();
    this.nodes(values.program.body);
  }

  private clearOutputs(): void {
    const { program } = this.values;
    const written = new Set<number>();
    for (const node of program.body) if (node.kind === 'op' && node.op === 'output') written.add(node.imm);
    program.outputs.forEach((_, index) => {
      if (written.has(index)) return;
      this.values.storeOutput(index, () => this.values.frame.splat(0));
    });
  }

  private nodes(nodes: readonly IrNode[]): void {
    nodes.forEach((node, index) => {
      switch (node.kind) {
        case 'op': this.instruction(node, nodes); break;
        case 'if': this.conditional(node); break;
        case 'block': this.block(node); break;
        case 'loop': this.loop(node, index === nodes.length - 1); break;
        case 'leave': this.leave(node.label); break;
      }
    });
  }

  // ── control flow ──

  private get exec(): Local { return this.values.exec ?? unreachable('jit: lanes part in a program without a mask'); }

  private get writer(): Values['frame']['writer'] { return this.values.frame.writer; }

  private branchTo(depth: number, always: boolean): void {
    const distance = this.values.depth - depth;
    if (always) this.writer.branch(distance);
    else this.writer.branchIf(distance);
  }

  private revival(): number | null {
    for (let i = this.constructs.length - 1; i >= 0; i--) {
      const { revival } = this.constructs[i]!;
      if (revival !== null) return revival;
    }
    return null;
  }

  /** Jumps to where lanes may be on again, if none is on here. */
  private jumpWhenOff(): void {
    const to = this.revival();
    if (to === null) return;
    this.writer.get(this.exec);
    this.writer.op('v128.any_true');
    this.writer.op('i32.eqz');
    this.branchTo(to, false);
  }

  private conditional(node: Extract<IrNode, { kind: 'if' }>): void {
    if (this.values.isConvergent(node.condition)) return this.together(node);
    const [first, second] = [node.then[0], node.otherwise[0]];
    if (first?.kind === 'leave' && node.otherwise.length === 0)
      return this.leaveWhere(node.condition, false, first.label);
    if (second?.kind === 'leave' && node.then.length === 0) return this.leaveWhere(node.condition, true, second.label);
    const { writer, values } = this;
    const save = writer.local('v128');
    const condition = writer.local('v128');
    values.push(node.condition);
    writer.set(condition);
    writer.get(this.exec);
    writer.set(save);
    if (node.then.length > 0) this.side(save, condition, 'v128.and', node.then);
    if (node.otherwise.length > 0) this.side(save, condition, 'v128.andnot', node.otherwise);
    writer.get(save);
    writer.set(this.exec);
    writer.release(save);
    writer.release(condition);
    if (leavesOutside([node])) this.jumpWhenOff();
  }

  private side(save: Local, condition: Local, narrow: string, nodes: readonly IrNode[]): void {
    const { writer, values } = this;
    writer.get(save);
    writer.get(condition);
    writer.op(narrow);
    writer.tee(this.exec);
    writer.op('v128.any_true');
    const depth = values.begin('if');
    this.constructs.push({ label: -1, save, divides: true, revival: depth, end: depth, revivesAtEnd: true });
    this.nodes(nodes);
    this.constructs.pop();
    values.end();
  }

  /** All lanes go the same way. */
  private together(node: Extract<IrNode, { kind: 'if' }>): void {
    this.values.pushTruth(node.condition);
    const depth = this.values.begin('if');
    this.constructs.push({ label: -1, save: null, divides: false, revival: null, end: depth, revivesAtEnd: true });
    this.nodes(node.then);
    if (node.otherwise.length > 0) {
      this.writer.else();
      this.nodes(node.otherwise);
    }
    this.constructs.pop();
    this.values.end();
  }

  private block(node: Extract<IrNode, { kind: 'block' }>): void {
    const { writer, values } = this;
    const divides = values.convergence.divides(node);
    const save = divides ? this.saveExec() : null;
    const depth = values.begin('block');
    this.constructs.push({
      label: node.label, save, divides, revival: divides ? depth : null, end: depth, revivesAtEnd: true,
    });
    this.nodes(node.body);
    this.constructs.pop();
    values.end();
    if (save === null) return;
    writer.get(save);
    writer.set(this.exec);
    writer.release(save);
    if (leavesOutside([node])) this.jumpWhenOff();
  }

  private saveExec(): Local {
    const save = this.writer.local('v128');
    this.writer.get(this.exec);
    this.writer.set(save);
    return save;
  }

  private loop(node: Extract<IrNode, { kind: 'loop' }>, last: boolean): void {
    const { writer, values } = this;
    const around = this.constructs[this.constructs.length - 1];
    const masked = values.exec !== null;
    // Lanes leave most loops through a block right around them; its mask then serves both.
    const shares = !masked
      || (last && around !== undefined && around.label >= 0 && around.save !== null && !leaves(node.body, node.label));
    const save = shares ? null : this.saveExec();
    const end = values.begin('block');
    values.enterLoop();
    const top = values.begin('loop');
    const check = values.begin('block');
    this.constructs.push({
      label: node.label, save, divides: values.convergence.divides(node), revival: masked ? check : null, end,
      revivesAtEnd: false,
    });
    const before = writer.count;
    this.nodes(node.body);
    this.constructs.pop();
    values.end();
    if (masked) {
      writer.get(this.exec);
      writer.op('v128.any_true');
      values.begin('if');
    }
    this.countBackEdge(1 + Math.floor((writer.count - before) / ROUND));
    this.branchTo(top, true);
    if (masked) values.end();
    values.end();
    values.leaveLoop();
    values.end();
    if (save === null) return;
    writer.get(save);
    writer.set(this.exec);
    writer.release(save);
  }

  private countBackEdge(cost: number): void {
    const { writer, values } = this;
    const budget = values.frame.base('budget');
    writer.get(budget);
    writer.i32(cost);
    writer.op('i32.sub');
    writer.tee(budget);
    writer.i32(0);
    writer.op('i32.le_s');
    values.begin('if');
    writer.i32(LOOP_CHECK_INTERVAL);
    writer.set(budget);
    writer.call(values.frame.imports.timeExpired);
    values.begin('if');
    writer.i32(STATUS_TIMEOUT);
    writer.op('return');
    values.end();
    values.end();
  }

  private leave(label: number): void {
    const { target, saves, together } = wayOut<Local, Construct>(this.constructs, label);
    // All lanes that are on go: those that are off are in the target's mask, or nowhere. A jump out of a loop passes by
    // the point where lanes that left it before come on again.
    if (together && (target.revivesAtEnd || !target.divides)) return this.branchTo(target.end, true);
    const { writer } = this;
    for (const save of saves) {
      writer.get(save);
      writer.get(this.exec);
      writer.op('v128.andnot');
      writer.set(save);
    }
    this.values.frame.splat(0);
    writer.set(this.exec);
    this.branchTo(this.revival() ?? unreachable('jit: lanes leave where none are saved'), true);
  }

  private leaveWhere(condition: ValueId, negated: boolean, label: number): void {
    const { writer } = this;
    const { saves } = wayOut<Local, Construct>(this.constructs, label);
    const leaving = writer.local('v128');
    writer.get(this.exec);
    this.values.push(condition);
    writer.op(negated ? 'v128.andnot' : 'v128.and');
    writer.set(leaving);
    for (const mask of [...saves, this.exec]) {
      writer.get(mask);
      writer.get(leaving);
      writer.op('v128.andnot');
      writer.set(mask);
    }
    writer.release(leaving);
    this.jumpWhenOff();
  }

  // ── instructions ──

  private instruction(instruction: Instruction, list: readonly IrNode[]): void {
    const { values } = this;
    const { op, results, args, imm } = instruction;
    if (!values.needs.needed(instruction)) return;
    switch (op) {
      case 'var.set': values.assign(values.variable(imm), args[0]!, values.convergence.full(instruction)); return;
      case 'output': this.output(instruction); return;
      case 'array.store': this.memory.store(instruction); return;
      case 'array.load': values.keep(results[0]!, () => this.memory.load(instruction)); return;
      case 'discard': values.frame.kill(this.exec); return;
      case 'var.get': values.keep(results[0]!, () => this.writer.get(values.variable(imm))); return;
      case 'texture.sample': case 'texture.load': this.sites.read(instruction, list, values); return;
      case 'surface.load': this.surfaces.load(instruction); return;
      case 'surface.store': this.surfaces.store(instruction); return;
      case 'texture.dimensions': this.memory.dimensions(instruction); return;
      case 'buffer.load':
        if (this.loaded.has(instruction) || loadRows(values, instruction, list, this.loaded)) return;
        break;
      default:
    }
    if (this.common.write(instruction, list)) return;
    if (!values.needs.inPlace(results[0]!)) values.keep(results[0]!, () => values.compute(instruction));
  }

  private output(instruction: Instruction): void {
    const { values } = this;
    const full = values.convergence.full(instruction);
    values.storeOutput(instruction.imm, () => {
      values.push(instruction.args[0]!);
      if (full) return;
      values.loadOutput(instruction.imm);
      this.writer.get(this.exec);
      this.writer.op('v128.bitselect');
    });
  }
}
