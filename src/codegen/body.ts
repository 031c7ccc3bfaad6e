// Writes the body and the prologue of a program as bytecode. Control flow has been analysed in control.ts: where lanes
// diverge, exec is saved in a register and narrowed; where they stay together, jumps are used. Operations are written
// in instruction-writer.ts.

import {
  OP_ELSE,
  OP_END,
  OP_IF,
  OP_IF_NOT,
  OP_JUMP,
  OP_JUMP_UNLESS,
  OP_LEAVE,
  OP_LEAVE_IF,
  OP_LEAVE_UNLESS,
  OP_LOOP_END,
  OP_RESTORE_EXEC,
  OP_RESTORE_EXEC_OR_JUMP,
  OP_SAVE_EXEC,
} from '../../assembly/layout/program/opcodes';
import type { IrProgram } from '../ir';
import type { ConstantPool } from './constant-pool';
import type { Block, Conditional, Leave, LeaveWhere, Loop, Place, Step } from './control';
import { InstructionWriter } from './instruction-writer';
import { type MachineCode, type VirtualRegister } from './machine';
import type { Schedule } from './schedule';

export class BodyWriter {
  readonly instructions: InstructionWriter;
  private readonly code: MachineCode;

  constructor(
    program: IrProgram,
    private readonly schedule: Schedule,
    constants: ConstantPool
  ) {
    this.instructions = new InstructionWriter(program, schedule, constants);
    this.code = this.instructions.body;
  }

  write(): void {
    const { body, prologue } = this.instructions;
    this.instructions.start();
    this.steps(this.schedule.control.steps);
    body.emit([OP_END], [], []);
    if (!prologue.isEmpty) prologue.emit([OP_END], [], []);
  }

  private steps(list: readonly Step[]): void {
    for (let i = 0; i < list.length; i++) {
      const step = list[i]!;
      switch (step.kind) {
        case 'op':
          this.instructions.operation(step);
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
    }
  }

  // ── control flow ──

  private conditional(step: Conditional): void {
    const { code } = this;
    const { then, otherwise, afterThen, afterOtherwise } = step;
    const condition = this.instructions.register(step.condition);
    if (!step.divides) {
      code.jump([OP_JUMP_UNLESS, condition], afterThen, [condition]);
      this.steps(then);
      if (otherwise.length > 0) code.jump([OP_JUMP, 0], afterOtherwise);
      code.mark(afterThen);
      this.steps(otherwise);
      code.mark(afterOtherwise);
      return;
    }
    const save = (step.save!.at = code.temp());
    if (then.length > 0) {
      code.jump([OP_IF, save, condition, 0], afterThen, [condition], [save], true);
      this.steps(then);
      code.mark(afterThen);
      if (otherwise.length > 0) code.jump([OP_ELSE, save, condition, 0], afterOtherwise, [save, condition]);
    } else code.jump([OP_IF_NOT, save, condition, 0], afterOtherwise, [condition], [save], true);
    this.steps(otherwise);
    code.mark(afterOtherwise);
    this.restore(step, save);
  }

  private block(step: Block): void {
    // A block that is left only by jumps needs no mask.
    if (step.save !== null) this.saveExec(step.save);
    this.steps(step.body);
    this.code.mark(step.end);
    if (step.save !== null) this.restore(step, step.save.at);
  }

  private saveExec(mask: Place): void {
    const save = (mask.at = this.code.temp());
    this.code.emit([OP_SAVE_EXEC, save], [save], []);
  }

  /** Restores exec after a construct. If lanes leave through it, it may be that no lane is active here. */
  private restore({ left, reactivation }: Conditional | Block, save: VirtualRegister): void {
    if (left && reactivation !== null) this.code.jump([OP_RESTORE_EXEC_OR_JUMP, save], reactivation, [save]);
    else this.code.emit([OP_RESTORE_EXEC, save], [], [save]);
  }

  private loop(step: Loop): void {
    const { code } = this;
    if (step.save !== null) this.saveExec(step.save);
    const mask = (step.save ?? step.parent!.save!).at;
    code.mark(step.top);
    const first = code.next;
    this.steps(step.body);
    code.mark(step.check);
    code.jump([OP_LOOP_END, mask], step.top, [mask]);
    code.loops.push(first, code.next - 1);
    code.mark(step.end);
  }

  private leave({ jumps, target, saves, reactivation, parent }: Leave): void {
    const { code } = this;
    if (jumps) return code.jump([OP_JUMP, 0], target.end);
    const masks = saves.map(({ at }) => at);
    code.emit([OP_LEAVE, masks.length, ...masks], [], masks);
    // After a uniform `if`, the code that follows is for all lanes, not the point where some become active again.
    if (parent!.kind !== 'loop' && !parent!.divides) code.jump([OP_JUMP, 0], reactivation!);
  }

  private leaveWhere(step: LeaveWhere): void {
    const condition = this.instructions.register(step.condition);
    const masks = step.saves.map(({ at }) => at);
    const opcode = step.negated ? OP_LEAVE_UNLESS : OP_LEAVE_IF;
    this.code.jump([opcode, masks.length, condition, 0], step.reactivation!, [...masks, condition]);
    this.code.append(masks);
  }
}
