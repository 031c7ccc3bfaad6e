// Analysis that precedes writing a program's instructions. It finds which operations are needed and how they are
// selected, where values are last used, and which values can live in the register of a variable or an output.
//
// Results are stored in arrays, indexed by id for values and by position for operations (control.ts).

import {
  findUniform,
  findWarpUniform,
  opInfo,
  writesOutside,
  type Instruction,
  type IrProgram,
  type OpName,
  type ValueId,
} from '../ir';
import { bitsOf, findControl, splitOffset, type Control, type Loop, type Operation } from './control';
import { planArithmetic, type FusionContext, type Plan } from './fuse';
import { isAlias } from './operations';

export interface Schedule {
  readonly control: Control;
  /** By position. */
  readonly plans: readonly (Plan | undefined)[];
  /** By value: number of uses after fusion; uses of aliases count for the original value. */
  readonly uses: Int32Array;
  readonly uniform: ReadonlySet<ValueId>;
  /** Uniform values that the body reads. Each gets a register that is filled once per draw call. */
  readonly shared: ReadonlySet<ValueId>;
  /**
   * By value: the variable or output into whose register it is computed directly, so that no set is written; −1 for
   * others.
   */
  readonly intoVariable: Int32Array;
  readonly intoOutput: Int32Array;
  /** By position: 1 for operations that run once per draw call. */
  readonly hoisted: Uint8Array;
  /** By position: 1 for sets and outputs that need no code. */
  readonly elided: Uint8Array;
  /** By position: 1 for reads whose value may stay in the variable's register. */
  readonly inVariable: Uint8Array;
}

const ascending = (a: number, b: number): number => a - b;

/** Whether one of the sorted positions is between two others. */
function isAnyBetween(sorted: readonly number[], from: number, to: number): boolean {
  let low = 0;
  for (let high = sorted.length; low < high;) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! <= from) low = middle + 1;
    else high = middle;
  }
  return low < sorted.length && sorted[low]! < to;
}

class Scheduler implements FusionContext, Schedule {
  readonly control: Control;
  readonly uniform: ReadonlySet<ValueId>;
  readonly plans: (Plan | undefined)[] = [];
  readonly uses: Int32Array;
  readonly shared = new Set<ValueId>();
  readonly intoVariable: Int32Array;
  readonly intoOutput: Int32Array;
  readonly hoisted: Uint8Array;
  readonly elided: Uint8Array;
  readonly inVariable: Uint8Array;
  private readonly sets: Operation[] = [];
  private readonly gets: Operation[] = [];
  private readonly outputs: Operation[] = [];
  private readonly singleUse: Int32Array;
  /** By value: position of the last use; −1 if there is none. */
  private readonly lastUse: Int32Array;

  constructor(program: IrProgram) {
    this.uniform = findUniform(program);
    this.control = findControl(program, program.kind === 'compute' ? findWarpUniform(program) : this.uniform);
    const values = program.values.length;
    const positions = this.control.events.length;
    this.uses = new Int32Array(values);
    this.singleUse = new Int32Array(values);
    this.lastUse = new Int32Array(values).fill(-1);
    this.intoVariable = new Int32Array(values).fill(-1);
    this.intoOutput = new Int32Array(values).fill(-1);
    this.hoisted = new Uint8Array(positions);
    this.elided = new Uint8Array(positions);
    this.inVariable = new Uint8Array(positions);
    this.count();
    this.choose();
    this.placeVariables();
    this.placeOutputs();
  }

  private count(): void {
    const { events } = this.control;
    for (let i = 0; i < events.length; i++) {
      const event = events[i]!;
      if (event.kind !== 'op') this.singleUse[event.condition]!++;
      else {
        const { op, args, results } = event.instruction;
        for (let k = 0; k < args.length; k++) this.singleUse[args[k]!]!++;
        // The results of an operation are either all uniform or none is.
        if (results.length > 0 && this.uniform.has(results[0]!)) this.hoisted[i] = 1;
        if (op === 'var.set') this.sets.push(event);
        else if (op === 'var.get') this.gets.push(event);
        else if (op === 'output') this.outputs.push(event);
      }
    }
  }

  /** Walks backwards: selects instructions for needed operations and marks their operands as needed. */
  private choose(): void {
    const { events } = this.control;
    for (let i = events.length - 1; i >= 0; i--) {
      const event = events[i]!;
      if (event.kind !== 'op') {
        this.use(event.condition, event.until, event.loops, false);
        continue;
      }
      const { op, results } = event.instruction;
      if (results.length > 0 ? !isDone(this, op, results) : opInfo(op).pure) continue;
      const operands = this.operands(event);
      for (let k = 0; k < operands.length; k++) this.use(operands[k]!, i, event.loops, this.hoisted[i] === 1);
    }
  }

  private operands({ instruction, position }: Operation): readonly ValueId[] {
    const { op, args } = instruction;
    if (isAlias(op)) return [];
    if (op === 'buffer.load' || op === 'storage.load') {
      const { base } = splitOffset(this.control, args[0]!);
      return base === null ? [] : [base];
    }
    const plan = planArithmetic(instruction, this);
    if (plan === undefined) return args;
    this.plans[position] = plan;
    return plan.operands;
  }

  only(id: ValueId, op: OpName, by: Instruction): Instruction | undefined {
    const { definitions } = this.control;
    const { instruction, list, position } = definitions[id]!;
    if (instruction.op !== op || this.singleUse[id] !== 1) return undefined;
    const user = definitions[by.results[0]!]!;
    const hoisted = this.hoisted[position];
    if (hoisted !== this.hoisted[user.position]) return undefined;
    return hoisted === 1 || list === user.list ? instruction : undefined;
  }

  bits(id: ValueId): number | undefined {
    return bitsOf(this.control, id);
  }

  private use(id: ValueId, position: number, loops: readonly Loop[], inPrologue: boolean): void {
    const root = this.control.roots[id]!;
    this.uses[root]!++;
    const definition = this.control.definitions[root]!;
    if (!inPrologue && definition.instruction.op !== 'const' && this.uniform.has(root)) this.shared.add(root);
    const depth = definition.loops.length;
    const until = loops.length > depth ? loops[depth]!.until : position;
    if (until > this.lastUse[root]!) this.lastUse[root] = until;
  }

  /** Whether a value is computed by an operation of the body that can write to any register. */
  private movable(id: ValueId, { instruction: { op }, position }: Operation): boolean {
    const computed =
      this.plans[position] !== undefined || op === 'array.load' || op === 'buffer.load' || op.startsWith('texture.');
    return computed && !this.uniform.has(id) && this.intoVariable[id]! < 0 && this.intoOutput[id]! < 0;
  }

  private placeVariables(): void {
    const { control, sets, gets } = this;
    const accesses: (number[] | undefined)[] = [];
    for (const { instruction, position } of sets) (accesses[instruction.imm] ??= []).push(position);
    for (const { instruction, position } of gets) (accesses[instruction.imm] ??= []).push(position);
    for (const positions of accesses) positions?.sort(ascending);
    const written: (number[] | undefined)[] = [];
    for (const set of sets) {
      const { imm, args } = set.instruction;
      const value = control.roots[args[0]!]!;
      const from = control.definitions[value]!;
      const free =
        set.full
        && this.uses[value] === 1
        && from.list === set.list
        && from.exits === set.exits
        && this.movable(value, from)
        && !isAnyBetween(accesses[imm]!, from.position, set.position);
      if (free) {
        this.intoVariable[value] = imm;
        this.elided[set.position] = 1;
      }
      (written[imm] ??= []).push(free ? from.position : set.position);
    }
    for (const positions of written) positions?.sort(ascending);
    for (const { instruction, position } of gets) {
      const last = this.lastUse[instruction.results[0]!]!;
      if (!isAnyBetween(written[instruction.imm] ?? [], position, last)) this.inVariable[position] = 1;
    }
  }

  /** The value of an output may live in the output's register from the start, because nothing else writes there. */
  private placeOutputs(): void {
    const { control, outputs } = this;
    const times: number[] = [];
    for (const { instruction } of outputs) times[instruction.imm] = (times[instruction.imm] ?? 0) + 1;
    for (const { instruction, list, full, position } of outputs) {
      if (list !== control.steps || !full || times[instruction.imm]! > 1) continue;
      const value = control.roots[instruction.args[0]!]!;
      if (!this.movable(value, control.definitions[value]!)) continue;
      this.intoOutput[value] = instruction.imm;
      this.elided[position] = 1;
    }
  }
}

/** Whether an operation is needed, for its results or its effects. */
export const isDone = (schedule: Pick<Schedule, 'uses'>, op: OpName, results: readonly ValueId[]): boolean =>
  writesOutside(op) || isAnyUsed(schedule, results);

function isAnyUsed({ uses }: Pick<Schedule, 'uses'>, results: readonly ValueId[]): boolean {
  for (let k = 0; k < results.length; k++) if (uses[results[k]!]! > 0) return true;
  return false;
}

export const schedule = (program: IrProgram): Schedule => new Scheduler(program);
