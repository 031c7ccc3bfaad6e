// Control flow analysis for both code generators. It decides where lanes may diverge, so that masks are needed, and
// where they stay together, so that branches are sufficient. It also finds the saved masks from which leaving lanes are
// removed and the points where lanes become active again. The analysis depends on the conditions on which all lanes
// agree. For the interpreter, whose instructions apply to a whole warp, these are the uniform ones. For the JIT, they
// are those on which the lanes of a quad agree.
//
// exec is the mask of the active lanes. An `if` on which lanes diverge saves exec and narrows it. A block or loop that
// some lanes leave while others continue in it saves exec at its start and restores it at its end. Leaving lanes are
// removed from each saved mask between them and the construct that they leave, so that nothing inside reactivates them.
// Where no lane is active, control continues at the next point where some lane may become active again.

import { unreachable } from '../base/assert';
import type { Block as IrBlock, If, Instruction, IrNode, IrProgram, Loop as IrLoop, ValueId } from '../ir';
import { isAlias } from './operations';

/** The location that the code generator assigns to a point of the program or to a mask. */
export interface Place {
  at: number;
}
const place = (): Place => ({ at: -1 });

export interface Operation {
  readonly kind: 'op';
  readonly instruction: Instruction;
  /** Order among all operations and conditions. */
  readonly position: number;
  readonly list: readonly Step[];
  /** Enclosing loops, outermost first. */
  readonly loops: readonly Loop[];
  /** Number of earlier steps in its list through which lanes may leave the list. */
  readonly exits: number;
  /** Whether every lane that started the program is active. */
  full: boolean;
}

/** A step that depends on a condition. */
interface Decision {
  readonly condition: ValueId;
  readonly position: number;
  /** Position of the last read of the condition. */
  until: number;
  readonly list: readonly Step[];
  readonly loops: readonly Loop[];
}

interface Construct {
  readonly kind: 'if' | 'block' | 'loop';
  readonly parent: Construct | null;
  /** −1 for a conditional. */
  readonly label: number;
  /**
   * Whether lanes diverge in the construct: those that are inactive inside may become active at its end or in its other
   * branch.
   */
  divides: boolean;
  /** Whether lanes leave through the construct to an outer one. */
  left: boolean;
  /** Whether lanes leave through the construct while others stay active in it. */
  exitsPartially: boolean;
  /** The mask that it saves; null for none. */
  save: Place | null;
  /** Where lanes may become active if none is active after it; null if that cannot happen. */
  reactivation: Place | null;
}

export interface Conditional extends Construct, Decision {
  readonly kind: 'if';
  readonly then: readonly Step[];
  readonly otherwise: readonly Step[];
  readonly afterThen: Place;
  readonly afterOtherwise: Place;
}

/** A block or loop. A loop without its own mask shares that of the enclosing block. */
interface Labelled extends Construct {
  readonly body: readonly Step[];
  readonly leaves: (Leave | LeaveWhere)[];
  /** The start of a loop, and the end of an iteration, where the lanes still in the loop become active. */
  readonly top: Place;
  readonly check: Place;
  readonly end: Place;
  /** Position after its last operation. */
  until: number;
}
export interface Block extends Labelled {
  readonly kind: 'block';
}
export interface Loop extends Labelled {
  readonly kind: 'loop';
}

/** Sends lanes to the end of `target`: all active lanes, or those where a condition holds or fails. */
export interface Leave {
  readonly kind: 'leave';
  readonly parent: Construct | null;
  readonly target: Block | Loop;
  /** Whether a jump is sufficient: all active lanes leave, and none becomes active between here and the target. */
  jumps: boolean;
  /** Saved masks from which the lanes are removed. */
  readonly saves: Place[];
  /** Where lanes may become active again. */
  reactivation: Place | null;
}

export interface LeaveWhere extends Omit<Leave, 'kind' | 'jumps'>, Decision {
  readonly kind: 'leaveWhere';
  /** Whether lanes leave if the condition is false instead of true. */
  readonly negated: boolean;
}

export type Step = Operation | Conditional | Block | Loop | Leave | LeaveWhere;

export interface Control {
  readonly steps: readonly Step[];
  /** Operations and decisions in program order: entry k has position k. */
  readonly events: readonly (Operation | Conditional | LeaveWhere)[];
  /** The operation that defines each value. */
  readonly definitions: readonly Operation[];
  /** The value for which each alias stands; other values stand for themselves. */
  readonly roots: Int32Array;
  /** Whether lanes diverge anywhere. */
  readonly divided: boolean;
}

/** Bits of a constant; undefined for other values. */
export function bitsOf({ definitions, roots }: Control, id: ValueId): number | undefined {
  const { op, imm } = definitions[roots[id]!]!.instruction;
  return op === 'const' ? imm : undefined;
}

/** Splits the offset x + c of a load into x and the constant c, which goes into the instruction. */
export function splitOffset(control: Control, offset: ValueId): { base: ValueId | null; immediate: number } {
  const constant = bitsOf(control, offset);
  if (constant !== undefined) return { base: null, immediate: constant };
  const { op, args } = control.definitions[offset]!.instruction;
  const added = op === 'int.add' ? bitsOf(control, args[1]!) : undefined;
  return added === undefined ? { base: offset, immediate: 0 } : { base: args[0]!, immediate: added };
}

type Loads = ReadonlyMap<string, readonly Operation[]>;
const loadsByList = new WeakMap<readonly Step[], Loads>();
const loadKey = (control: Control, resource: number, base: ValueId, immediate: number): string =>
  `${resource} ${control.roots[base]} ${immediate}`;

/** The loads of a list whose offset is not constant, grouped by address. A map, because a list may have thousands. */
function loadsOf(control: Control, list: readonly Step[]): Loads {
  const known = loadsByList.get(list);
  if (known !== undefined) return known;
  const loads = new Map<string, Operation[]>();
  for (const step of list) {
    if (step.kind !== 'op' || step.instruction.op !== 'buffer.load') continue;
    const { base, immediate } = splitOffset(control, step.instruction.args[0]!);
    if (base === null) continue;
    const key = loadKey(control, step.instruction.imm, base, immediate);
    const same = loads.get(key);
    if (same === undefined) loads.set(key, [step]);
    else same.push(step);
  }
  loadsByList.set(list, loads);
  return loads;
}

/**
 * The loads of a vector: `first`, and the loads 4, 8 and 12 bytes after it in the same list that satisfy `canJoin`.
 * Returns null if there are fewer than three in total.
 */
export function rowOf(
  control: Control,
  first: Operation,
  canJoin: (load: Operation) => boolean
): (Operation | null)[] | null {
  const {
    instruction: { args, imm },
    list,
  } = first;
  const { base, immediate } = splitOffset(control, args[0]!);
  if (base === null) return null;
  const loads = loadsOf(control, list);
  const row = [0, 4, 8, 12].map(
    (bytes) => loads.get(loadKey(control, imm, base, immediate + bytes))?.find(canJoin) ?? null
  );
  const count = row.filter((load) => load !== null).length;
  return row[0] === first && count >= 3 ? row : null;
}

/** Reads all constructs first and records which of them lanes leave, then assigns masks from the outside in. */
class Reader {
  readonly events: (Operation | Conditional | LeaveWhere)[] = [];
  readonly definitions: Operation[] = [];
  readonly roots: Int32Array;
  private readonly leaves: (Leave | LeaveWhere)[] = [];
  divided = false;

  constructor(
    program: IrProgram,
    private readonly quadUniform: ReadonlySet<ValueId>
  ) {
    this.roots = new Int32Array(program.values.length);
  }

  read(nodes: readonly IrNode[]): Step[] {
    const steps: Step[] = [];
    this.list(nodes, steps, null, []);
    for (const leave of this.leaves) {
      let some = leave.kind === 'leaveWhere';
      for (let around = leave.parent; around !== leave.target; around = around!.parent) {
        if (some) around!.exitsPartially = true;
        some ||= around!.divides;
      }
    }
    this.lay(steps, null, true, null);
    return steps;
  }

  private list(nodes: readonly IrNode[], list: Step[], parent: Construct | null, loops: readonly Loop[]): void {
    let exits = 0;
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i]!;
      switch (node.kind) {
        case 'op':
          this.operation(node, list, loops, exits);
          break;
        case 'if':
          if (this.conditional(node, list, parent, loops)) exits++;
          break;
        case 'leave': {
          const target = targetOf(parent, node.label);
          this.leave({ kind: 'leave', parent, target, jumps: false, saves: [], reactivation: null }, list);
          break;
        }
        default:
          if (this.construct(node, list, parent, loops)) exits++;
      }
    }
  }

  private operation(instruction: Instruction, list: Step[], loops: readonly Loop[], exits: number): void {
    const { events, definitions, roots } = this;
    const operation: Operation = { kind: 'op', instruction, position: events.length, list, loops, exits, full: false };
    const { op, args, results } = instruction;
    for (let k = 0; k < results.length; k++) {
      const id = results[k]!;
      definitions[id] = operation;
      roots[id] = isAlias(op) ? roots[args[0]!]! : id;
    }
    events.push(operation);
    list.push(operation);
  }

  /** Returns whether lanes leave the list through the conditional. */
  private conditional(node: If, list: Step[], parent: Construct | null, loops: readonly Loop[]): boolean {
    const { condition } = node;
    const position = this.events.length;
    const divides = !this.quadUniform.has(condition);
    this.divided ||= divides;
    const only = node.then.length + node.otherwise.length === 1 ? (node.then[0] ?? node.otherwise[0]) : undefined;
    if (divides && only?.kind === 'leave') {
      const leave: LeaveWhere = {
        kind: 'leaveWhere',
        condition,
        negated: node.then.length === 0,
        position,
        until: position,
        list,
        loops,
        parent,
        target: targetOf(parent, only.label),
        saves: [],
        reactivation: null,
      };
      this.events.push(leave);
      this.leave(leave, list);
      return true;
    }
    const then: Step[] = [];
    const otherwise: Step[] = [];
    const step: Conditional = {
      kind: 'if',
      parent,
      label: -1,
      divides,
      left: false,
      exitsPartially: false,
      save: null,
      reactivation: null,
      condition,
      position,
      until: position,
      list,
      loops,
      then,
      otherwise,
      afterThen: place(),
      afterOtherwise: place(),
    };
    this.events.push(step);
    list.push(step);
    this.list(node.then, then, step, loops);
    // The other branch reads the condition again.
    step.until = this.events.length;
    this.list(node.otherwise, otherwise, step, loops);
    return step.left;
  }

  private construct(
    { kind, label, body: nodes }: IrBlock | IrLoop,
    list: Step[],
    parent: Construct | null,
    loops: readonly Loop[]
  ): boolean {
    const body: Step[] = [];
    const step: Block | Loop = {
      kind,
      parent,
      label,
      divides: false,
      left: false,
      exitsPartially: false,
      save: null,
      reactivation: null,
      body,
      leaves: [],
      top: place(),
      check: place(),
      end: place(),
      until: 0,
    };
    list.push(step);
    this.list(nodes, body, step, step.kind === 'loop' ? [...loops, step] : loops);
    step.until = this.events.length;
    // All inner constructs have been read, so it is known which of them diverge.
    step.divides = step.leaves.some((leave) => {
      let some = leave.kind === 'leaveWhere';
      for (let around = leave.parent; around !== step; around = around!.parent) some ||= around!.divides;
      return some;
    });
    return step.left;
  }

  private leave(leave: Leave | LeaveWhere, list: Step[]): void {
    for (let around = leave.parent; around !== leave.target; around = around!.parent) around!.left = true;
    leave.target.leaves.push(leave);
    this.leaves.push(leave);
    list.push(leave);
  }

  /**
   * Assigns mask registers to the constructs of a list. Returns whether every lane that started the program is active
   * at the end of the list. `reactivation`: where lanes may become active again.
   */
  private lay(
    list: readonly Step[],
    around: Construct | null,
    fullAtStart: boolean,
    reactivation: Place | null
  ): boolean {
    let full = fullAtStart;
    for (let i = 0; i < list.length; i++) {
      const step = list[i]!;
      switch (step.kind) {
        case 'op':
          step.full = full;
          break;
        case 'if': {
          step.reactivation = reactivation;
          if (step.divides) step.save = place();
          const inner = full && !step.divides;
          const then = this.lay(step.then, step, inner, step.divides ? step.afterThen : reactivation);
          const otherwise = this.lay(step.otherwise, step, inner, step.divides ? step.afterOtherwise : reactivation);
          full &&= step.divides ? !step.left : then && otherwise;
          break;
        }
        case 'block':
          step.reactivation = reactivation;
          if (step.divides) step.save = place();
          this.lay(step.body, step, full, step.divides ? step.end : reactivation);
          full &&= !hasPartialExit(step);
          break;
        case 'loop':
          // Most loops are left through a block immediately around them, whose mask then serves both.
          if (
            around === null
            || around.label < 0
            || around.save === null
            || step.leaves.length > 0
            || i < list.length - 1
          )
            step.save = place();
          // Lanes that are inactive at the end of an iteration are inactive in the next.
          this.lay(step.body, step, full && !step.divides && !step.exitsPartially, step.check);
          full &&= !hasPartialExit(step);
          break;
        default:
          wayOut(step, reactivation);
          if (step.kind === 'leaveWhere') full = false;
      }
    }
    return full;
  }
}

/** Whether some lanes leave a block or loop for an outer construct while others continue in or after it. */
const hasPartialExit = ({ left, exitsPartially, divides }: Construct): boolean => exitsPartially || (left && divides);

function targetOf(parent: Construct | null, label: number): Block | Loop {
  for (let around = parent; around !== null; around = around.parent)
    if (around.label === label) return around as Block | Loop;
  return unreachable(`codegen: leave of label ${label} outside it`);
}

function wayOut(leave: Leave | LeaveWhere, reactivation: Place | null): void {
  const { target } = leave;
  let together = true;
  for (let around = leave.parent!; around !== target; around = around.parent!) {
    if (around.save !== null) leave.saves.push(around.save);
    if (around.divides) together = false;
  }
  leave.reactivation = reactivation;
  // If all active lanes leave, each inactive lane is in the target's mask or in none. A jump out of a loop would skip
  // the point where lanes that left it earlier become active again.
  if (leave.kind === 'leave') leave.jumps = together && (target.kind === 'block' || !target.divides);
}

/**
 * Finds how the lanes of a program diverge and reconverge. `quadUniform`: values on which all lanes that compute them
 * agree.
 */
export function findControl(program: IrProgram, quadUniform: ReadonlySet<ValueId>): Control {
  const reader = new Reader(program, quadUniform);
  const steps = reader.read(program.body);
  const { events, definitions, roots, divided } = reader;
  return { steps, events, definitions, roots, divided };
}
