// What must be known of a program before its instructions are written: which operations are needed and how they are
// chosen, where values are used last, where all lanes are on, and which values can live in a variable's or an output's
// register.

import {
  forEachInstruction, findUniform, opInfo, type Instruction, type IrNode, type IrProgram, type OpName, type ValueId,
} from '../ir';
import { planArithmetic, type FusionContext, type Plan } from './fuse';
import { isAlias } from './operations';

interface LoopEnd { position: number }

interface Position {
  /** Order in the program. */
  readonly position: number;
  /** Node list; −1 for what is computed in the prologue. */
  readonly list: number;
  /** Where the loops around it end, outermost first. */
  readonly loopEnds: readonly LoopEnd[];
  /** All lanes that started are on, or none. */
  readonly full: boolean;
  /** Nodes before it in its list through which all lanes may leave the list. */
  readonly exits: number;
}

export interface Schedule {
  readonly plans: ReadonlyMap<Instruction, Plan>;
  /** Uses of each value that are left after fusion; aliases count for what they stand for. */
  readonly uses: ReadonlyMap<ValueId, number>;
  readonly uniform: ReadonlySet<ValueId>;
  /** Uniform values that the body reads: they get a register of the draw. */
  readonly shared: ReadonlySet<ValueId>;
  readonly full: (instruction: Instruction) => boolean;
  /** What an alias stands for. */
  readonly root: (id: ValueId) => ValueId;
  readonly definition: (id: ValueId) => Instruction;
  readonly bits: (id: ValueId) => number | undefined;
  /** Values that are computed straight into a variable's register; their sets are not written. */
  readonly intoVariable: ReadonlyMap<ValueId, number>;
  readonly intoOutput: ReadonlyMap<ValueId, number>;
  /** Sets and outputs that nothing need be written for. */
  readonly elided: ReadonlySet<Instruction>;
  /** Reads whose value may stay in the variable's register. */
  readonly inVariable: ReadonlySet<Instruction>;
}

/** `buffer.load` of x + c reads at x, with c in the instruction. */
export function splitOffset(
  schedule: Pick<Schedule, 'bits' | 'definition'>, offset: ValueId
): { base: ValueId | null; immediate: number } {
  const constant = schedule.bits(offset);
  if (constant !== undefined) return { base: null, immediate: constant };
  const definition = schedule.definition(offset);
  const added = definition.op === 'int.add' ? schedule.bits(definition.args[1]!) : undefined;
  return added === undefined ? { base: offset, immediate: 0 } : { base: definition.args[0]!, immediate: added };
}

class Scheduler implements FusionContext {
  private readonly positions = new Map<Instruction, Position>();
  private readonly definitions = new Map<ValueId, Instruction>();
  private readonly singleUse = new Map<ValueId, number>();
  private readonly order: Instruction[] = [];
  private readonly conditions: {
    readonly id: ValueId;
    readonly position: number;
    until: number;
    readonly loopEnds: readonly LoopEnd[];
  }[] = [];
  private readonly uniform: ReadonlySet<ValueId>;
  private readonly plans = new Map<Instruction, Plan>();
  private readonly uses = new Map<ValueId, number>();
  private readonly lastUse = new Map<ValueId, number>();
  private readonly shared = new Set<ValueId>();
  private readonly intoVariable = new Map<ValueId, number>();
  private readonly intoOutput = new Map<ValueId, number>();
  private readonly elided = new Set<Instruction>();
  private readonly inVariable = new Set<Instruction>();
  private position = 0;
  private lists = 0;

  constructor(private readonly program: IrProgram) {
    this.uniform = findUniform(program);
  }

  run(): Schedule {
    forEachInstruction(this.program.body, ({ args }) => {
      for (const id of args) this.singleUse.set(id, (this.singleUse.get(id) ?? 0) + 1);
    });
    this.number(this.program.body, [], true);
    for (const { id } of this.conditions) this.singleUse.set(id, (this.singleUse.get(id) ?? 0) + 1);
    this.choose();
    this.placeVariables();
    this.placeOutputs();
    return {
      plans: this.plans, uses: this.uses, uniform: this.uniform, shared: this.shared,
      full: (instruction) => this.positions.get(instruction)!.full,
      root: (id) => this.root(id), definition: (id) => this.definitions.get(id)!, bits: (id) => this.bits(id),
      intoVariable: this.intoVariable, intoOutput: this.intoOutput, elided: this.elided, inVariable: this.inVariable,
    };
  }

  bits(id: ValueId): number | undefined {
    const definition = this.definition(id);
    return definition.op === 'const' ? definition.imm : undefined;
  }

  definition(id: ValueId): Instruction { return this.definitions.get(id)!; }

  private root(id: ValueId): ValueId {
    let current = id;
    for (;;) {
      const definition = this.definitions.get(current)!;
      if (!isAlias(definition.op)) return current;
      current = definition.args[0]!;
    }
  }

  /** Gives every instruction its own. Returns whether all lanes are still on at the end. */
  private number(nodes: readonly IrNode[], loopEnds: readonly LoopEnd[], fullAtStart: boolean): boolean {
    const list = this.lists++;
    let full = fullAtStart;
    let exits = 0;
    for (const node of nodes) {
      switch (node.kind) {
        case 'op': {
          const hoisted = node.results.length > 0 && node.results.every((id) => this.uniform.has(id));
          this.positions.set(node, { position: this.position++, list: hoisted ? -1 : list, loopEnds, full, exits });
          for (const id of node.results) this.definitions.set(id, node);
          this.order.push(node);
          break;
        }
        case 'if': {
          const condition = { id: node.condition, position: this.position, until: this.position++, loopEnds };
          this.conditions.push(condition);
          // A uniform condition is a jump: it divides no lanes.
          const inner = full && this.uniform.has(node.condition);
          const then = this.number(node.then, loopEnds, inner);
          // The other branch reads the condition again.
          condition.until = this.position++;
          const otherwise = this.number(node.otherwise, loopEnds, inner);
          full = full && (inner ? then && otherwise : !leavesOutside([...node.then, ...node.otherwise]));
          this.position++;
          break;
        }
        case 'block': {
          this.number(node.body, loopEnds, full);
          full = full && !leavesOutside([node]);
          break;
        }
        case 'loop': {
          const end: LoopEnd = { position: this.position++ };
          this.number(node.body, [...loopEnds, end], false);
          end.position = this.position++;
          full = full && !leavesOutside([node]);
          break;
        }
        case 'leave': break;
      }
      if (node.kind !== 'op' && leavesOutside([node])) exits++;
    }
    return full;
  }

  /** Walks backwards: what is needed is chosen, and what it reads is needed. */
  private choose(): void {
    const conditions = [...this.conditions];
    for (let i = this.order.length - 1; i >= 0; i--) {
      const instruction = this.order[i]!;
      const own = this.positions.get(instruction)!;
      while (conditions.length > 0 && conditions[conditions.length - 1]!.position > own.position) {
        const { id, until, loopEnds } = conditions.pop()!;
        this.use(id, until, loopEnds, false);
      }
      const effect = !opInfo(instruction.op).pure && instruction.results.length === 0;
      if (!effect && !instruction.results.some((id) => this.uses.has(id))) continue;
      for (const id of this.operands(instruction)) this.use(id, own.position, own.loopEnds, own.list === -1);
    }
    for (const { id, until, loopEnds } of conditions) this.use(id, until, loopEnds, false);
  }

  private operands(instruction: Instruction): readonly ValueId[] {
    const { op, args } = instruction;
    if (isAlias(op)) return [];
    if (op === 'buffer.load') {
      const { base } = splitOffset(this, args[0]!);
      return base === null ? [] : [base];
    }
    const plan = planArithmetic(instruction, this);
    if (plan === undefined) return args;
    this.plans.set(instruction, plan);
    return plan.operands;
  }

  only(id: ValueId, op: OpName, by: Instruction): Instruction | undefined {
    const definition = this.definitions.get(id)!;
    if (definition.op !== op || this.singleUse.get(id) !== 1) return undefined;
    return this.positions.get(definition)!.list === this.positions.get(by)!.list ? definition : undefined;
  }

  private use(id: ValueId, position: number, loopEnds: readonly LoopEnd[], inPrologue: boolean): void {
    const root = this.root(id);
    this.uses.set(root, (this.uses.get(root) ?? 0) + 1);
    if (this.uniform.has(root) && !inPrologue && this.bits(root) === undefined) this.shared.add(root);
    const depth = this.positions.get(this.definitions.get(root)!)!.loopEnds.length;
    const until = loopEnds.length > depth ? loopEnds[depth]!.position : position;
    this.lastUse.set(root, Math.max(this.lastUse.get(root) ?? 0, until));
  }

  /** Whether a value is computed by an instruction of the body that can write to any register. */
  private movable(id: ValueId): boolean {
    const definition = this.definitions.get(id)!;
    const computed = this.plans.has(definition) || definition.op === 'array.load' || definition.op === 'buffer.load'
      || definition.op.startsWith('texture.');
    return computed && !this.uniform.has(id) && !this.intoVariable.has(id) && !this.intoOutput.has(id);
  }

  private placeVariables(): void {
    const sets = new Map<number, number[]>();
    const accesses = new Map<number, number[]>();
    const append = (map: Map<number, number[]>, variable: number, position: number): void => {
      const found = map.get(variable);
      if (found === undefined) map.set(variable, [position]);
      else found.push(position);
    };
    for (const instruction of this.order) {
      if (instruction.op === 'var.get' || instruction.op === 'var.set')
        append(accesses, instruction.imm, this.positions.get(instruction)!.position);
    }
    for (const instruction of this.order) {
      if (instruction.op !== 'var.set') continue;
      const own = this.positions.get(instruction)!;
      const value = this.root(instruction.args[0]!);
      const from = this.positions.get(this.definitions.get(value)!)!;
      const free = own.full && this.uses.get(value) === 1 && this.movable(value) && from.list === own.list
        && from.exits === own.exits
        && !accesses.get(instruction.imm)!.some((position) => position > from.position && position < own.position);
      if (free) {
        this.intoVariable.set(value, instruction.imm);
        this.elided.add(instruction);
      }
      append(sets, instruction.imm, free ? from.position : own.position);
    }
    for (const instruction of this.order) {
      if (instruction.op !== 'var.get') continue;
      const { position } = this.positions.get(instruction)!;
      const last = this.lastUse.get(instruction.results[0]!) ?? position;
      if (!(sets.get(instruction.imm) ?? []).some((set) => set > position && set < last))
        this.inVariable.add(instruction);
    }
  }

  /** The value of an output may live in its register from the start: nothing else ever writes there. */
  private placeOutputs(): void {
    const outputs = this.order.filter(({ op }) => op === 'output');
    for (const instruction of outputs) {
      const { list, full } = this.positions.get(instruction)!;
      if (list !== 0 || !full || outputs.some((other) => other !== instruction && other.imm === instruction.imm))
        continue;
      const value = this.root(instruction.args[0]!);
      if (!this.movable(value)) continue;
      this.intoOutput.set(value, instruction.imm);
      this.elided.add(instruction);
    }
  }
}

/** Whether nodes leave a block that they do not contain. */
export function leavesOutside(nodes: readonly IrNode[]): boolean {
  return nodes.some((node) => {
    switch (node.kind) {
      case 'op': return false;
      case 'leave': return true;
      case 'if': return leavesOutside(node.then) || leavesOutside(node.otherwise);
      default: return outerLeaves(node.body, new Set([node.label]));
    }
  });
}

function outerLeaves(nodes: readonly IrNode[], inner: Set<number>): boolean {
  return nodes.some((node) => {
    switch (node.kind) {
      case 'op': return false;
      case 'leave': return !inner.has(node.label);
      case 'if': return outerLeaves(node.then, inner) || outerLeaves(node.otherwise, inner);
      default: return outerLeaves(node.body, new Set([...inner, node.label]));
    }
  });
}

export const schedule = (program: IrProgram): Schedule => new Scheduler(program).run();
