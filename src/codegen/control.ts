// Control flow as both code generators print it. Where lanes may part is a question of masks, where they stay together
// one of branches; which of the two, whose saved masks leaving lanes are taken out of, and where lanes come on again is
// found here, once, from the conditions on which all lanes agree: those that are uniform for the interpreter, whose
// instructions are for a whole warp, those that lanes of a quad agree on for the JIT.
//
// exec is the mask of the lanes that run. An `if` that divides lanes saves it and narrows it; a block or loop that some
// lanes leave while others go on in it saves it at its start and restores it at its end. Lanes that leave are taken out
// of every saved mask between them and what they leave, so that nothing inside brings them back. Where no lane is on,
// control goes on at the next point where some may be on again.

import { unreachable } from '../base/assert';
import type { Block as IrBlock, If, Instruction, IrNode, IrProgram, Loop as IrLoop, ValueId } from '../ir';
import { isAlias } from './operations';

/** Where the code generator has a point of the program, a mask: it notes the place there. */
export interface Place { at: number }
const place = (): Place => ({ at: -1 });

export interface Operation {
  readonly kind: 'op';
  readonly instruction: Instruction;
  /** Order among all operations and conditions. */
  readonly position: number;
  readonly list: readonly Step[];
  /** Loops around it, outermost first. */
  readonly loops: readonly Loop[];
  /** Steps before it in its list through which lanes may leave the list. */
  readonly exits: number;
  /** Every lane that started is on. */
  full: boolean;
}

/** What decides by a value. */
interface Decision {
  readonly condition: ValueId;
  readonly position: number;
  /** Position up to which the condition is read. */
  until: number;
  readonly list: readonly Step[];
  readonly loops: readonly Loop[];
}

interface Construct {
  readonly kind: 'if' | 'block' | 'loop';
  readonly parent: Construct | null;
  /** −1 for a conditional. */
  readonly label: number;
  /** Lanes part in it: those that are not on inside may be on again at its end, or in its other branch. */
  divides: boolean;
  /** Lanes leave through it for something around it. */
  left: boolean;
  /** The same, while others stay on in it. */
  leftBySome: boolean;
  /** The mask that it saves; null for none. */
  save: Place | null;
  /** Where lanes may be on again when none is on behind it; null where that cannot be. */
  revival: Place | null;
}

export interface Conditional extends Construct, Decision {
  readonly kind: 'if';
  readonly then: readonly Step[];
  readonly otherwise: readonly Step[];
  readonly afterThen: Place;
  readonly afterOtherwise: Place;
}

/** A loop without a mask of its own shares that of the block around it. */
export interface Labelled extends Construct {
  readonly body: readonly Step[];
  readonly leaves: (Leave | LeaveWhere)[];
  /** A loop's start, and the end of its round, where lanes that are still in it are on. */
  readonly top: Place;
  readonly check: Place;
  readonly end: Place;
  /** Position behind its last operation. */
  until: number;
}
export interface Block extends Labelled { readonly kind: 'block' }
export interface Loop extends Labelled { readonly kind: 'loop' }

/** Lanes that go to the end of `target`: all that are on, or those where a condition holds, or does not. */
export interface Leave {
  readonly kind: 'leave';
  readonly parent: Construct | null;
  readonly target: Block | Loop;
  /** All lanes that are on go, and nobody comes on again between here and there: a branch does. */
  jumps: boolean;
  /** Saved masks that they are taken out of. */
  readonly saves: Place[];
  /** Where lanes may be on again. */
  revival: Place | null;
}

export interface LeaveWhere extends Omit<Leave, 'kind' | 'jumps'>, Decision {
  readonly kind: 'leaveWhere';
  /** Lanes go where the condition does not hold. */
  readonly negated: boolean;
}

export type Step = Operation | Conditional | Block | Loop | Leave | LeaveWhere;

export interface Control {
  readonly steps: readonly Step[];
  /** Operations and decisions in program order: entry k has position k. */
  readonly events: readonly (Operation | Conditional | LeaveWhere)[];
  /** Operation that defines a value. */
  readonly definitions: readonly Operation[];
  /** What an alias stands for; other values stand for themselves. */
  readonly roots: Int32Array;
  /** Whether lanes part anywhere. */
  readonly divided: boolean;
}

/** Bits of a constant; undefined for other values. */
export function bitsOf({ definitions, roots }: Control, id: ValueId): number | undefined {
  const { op, imm } = definitions[roots[id]!]!.instruction;
  return op === 'const' ? imm : undefined;
}

/** `buffer.load` of x + c reads at x, with c in the instruction. */
export function splitOffset(control: Control, offset: ValueId): { base: ValueId | null; immediate: number } {
  const constant = bitsOf(control, offset);
  if (constant !== undefined) return { base: null, immediate: constant };
  const { op, args } = control.definitions[offset]!.instruction;
  const added = op === 'int.add' ? bitsOf(control, args[1]!) : undefined;
  return added === undefined ? { base: offset, immediate: 0 } : { base: args[0]!, immediate: added };
}

type Loads = ReadonlyMap<string, readonly Operation[]>;
const loadsByList = new WeakMap<readonly Step[], Loads>();
const loadKey = (control: Control, resource: number, base: ValueId, immediate: number): string => (
  `${resource} ${control.roots[base]} ${immediate}`
);

/** The loads of a list from where no constant says, by where they load from: a list may have thousands. */
function loadsOf(control: Control, list: readonly Step[]): Loads {
  const known = loadsByList.get(list);
  if (known !== undefined) return known;
  const loads = new Map<string, Operation[]>();
  for (const step of list) {
    if (step.kind !== 'op' || step.instruction.op !== 'buffer.load') continue;
    const { base, immediate } = splitOffset(control, step.instruction.args[0]!);
    if (base === null) continue;
    const key = loadKey(control, step.instruction.imm, base, immediate), same = loads.get(key);
    if (same === undefined) loads.set(key, [step]);
    else same.push(step);
  }
  loadsByList.set(list, loads);
  return loads;
}

/**
 * A vector's loads: `first`, and those of its list 4, 8 and 12 bytes further on that `canJoin`; null where there are
 * fewer than three.
 */
export function rowOf(
  control: Control, first: Operation, canJoin: (load: Operation) => boolean
): (Operation | null)[] | null {
  const { instruction: { args, imm }, list } = first;
  const { base, immediate } = splitOffset(control, args[0]!);
  if (base === null) return null;
  const loads = loadsOf(control, list);
  const row = [0, 4, 8, 12].map((bytes) => (
    loads.get(loadKey(control, imm, base, immediate + bytes))?.find(canJoin) ?? null
  ));
  const count = row.filter((load) => load !== null).length;
  return row[0] === first && count >= 3 ? row : null;
}

/** First all constructs are read, and who leaves which; then masks are laid, from the outside in. */
class Reader {
  readonly events: (Operation | Conditional | LeaveWhere)[] = [];
  readonly definitions: Operation[] = [];
  readonly roots: Int32Array;
  private readonly leaves: (Leave | LeaveWhere)[] = [];
  divided = false;

  constructor(program: IrProgram, private readonly agreed: ReadonlySet<ValueId>) {
    this.roots = new Int32Array(program.values.length);
  }

  read(nodes: readonly IrNode[]): Step[] {
    const steps: Step[] = [];
    this.list(nodes, steps, null, []);
    for (const leave of this.leaves) {
      let some = leave.kind === 'leaveWhere';
      for (let around = leave.parent; around !== leave.target; around = around!.parent) {
        if (some) around!.leftBySome = true;
        some ||= around!.divides;
      }
    }
    this.lay(steps, null, true, null);
    return steps;
  }

  private list(
    nodes: readonly IrNode[], list: Step[], parent: Construct | null, loops: readonly Loop[]
  ): void {
    let exits = 0;
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i]!;
      switch (node.kind) {
        case 'op': this.operation(node, list, loops, exits); break;
        case 'if': if (this.conditional(node, list, parent, loops)) exits++; break;
        case 'leave': {
          const target = targetOf(parent, node.label);
          this.leave({ kind: 'leave', parent, target, jumps: false, saves: [], revival: null }, list);
          break;
        }
        default: if (this.construct(node, list, parent, loops)) exits++;
      }
    }
  }

  private operation(instruction: Instruction, list: Step[], loops: readonly Loop[], exits: number): void {
    const { events, definitions, roots } = this;
    const operation: Operation = {
      kind: 'op', instruction, position: events.length, list, loops, exits, full: false,
    };
    const { op, args, results } = instruction;
    for (let k = 0; k < results.length; k++) {
      const id = results[k]!;
      definitions[id] = operation;
      roots[id] = isAlias(op) ? roots[args[0]!]! : id;
    }
    events.push(operation);
    list.push(operation);
  }

  /** Whether lanes leave the list through it. */
  private conditional(node: If, list: Step[], parent: Construct | null, loops: readonly Loop[]): boolean {
    const { condition } = node;
    const position = this.events.length;
    const divides = !this.agreed.has(condition);
    this.divided ||= divides;
    const only = node.then.length + node.otherwise.length === 1 ? node.then[0] ?? node.otherwise[0] : undefined;
    if (divides && only?.kind === 'leave') {
      const leave: LeaveWhere = {
        kind: 'leaveWhere', condition, negated: node.then.length === 0, position, until: position, list, loops, parent,
        target: targetOf(parent, only.label), saves: [], revival: null,
      };
      this.events.push(leave);
      this.leave(leave, list);
      return true;
    }
    const then: Step[] = [];
    const otherwise: Step[] = [];
    const step: Conditional = {
      kind: 'if', parent, label: -1, divides, left: false, leftBySome: false, save: null, revival: null, condition,
      position, until: position, list, loops, then, otherwise, afterThen: place(), afterOtherwise: place(),
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
    { kind, label, body: nodes }: IrBlock | IrLoop, list: Step[], parent: Construct | null, loops: readonly Loop[]
  ): boolean {
    const body: Step[] = [];
    const step: Block | Loop = {
      kind, parent, label, divides: false, left: false, leftBySome: false, save: null, revival: null, body,
      leaves: [], top: place(), check: place(), end: place(), until: 0,
    };
    list.push(step);
    this.list(nodes, body, step, step.kind === 'loop' ? [...loops, step] : loops);
    step.until = this.events.length;
    // All constructs inside are read by now: it is known which of them divide lanes.
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
   * Lays masks in a list; whether every lane that started is on at its end. `revival`: where lanes may be on again.
   */
  private lay(list: readonly Step[], around: Construct | null, fullAtStart: boolean, revival: Place | null): boolean {
    let full = fullAtStart;
    for (let i = 0; i < list.length; i++) {
      const step = list[i]!;
      switch (step.kind) {
        case 'op': step.full = full; break;
        case 'if': {
          step.revival = revival;
          if (step.divides) step.save = place();
          const inner = full && !step.divides;
          const then = this.lay(step.then, step, inner, step.divides ? step.afterThen : revival);
          const otherwise = this.lay(step.otherwise, step, inner, step.divides ? step.afterOtherwise : revival);
          full &&= step.divides ? !step.left : then && otherwise;
          break;
        }
        case 'block':
          step.revival = revival;
          if (step.divides) step.save = place();
          this.lay(step.body, step, full, step.divides ? step.end : revival);
          full &&= !isLeftBySome(step);
          break;
        case 'loop':
          // Lanes leave most loops through a block right around them; its mask then serves both.
          if (around === null || around.label < 0 || around.save === null || step.leaves.length > 0
            || i < list.length - 1)
            step.save = place();
          // What is off at the end of a round is off in the next.
          this.lay(step.body, step, full && !step.divides && !step.leftBySome, step.check);
          full &&= !isLeftBySome(step);
          break;
        default:
          wayOut(step, revival);
          if (step.kind === 'leaveWhere') full = false;
      }
    }
    return full;
  }
}

/** Whether some lanes leave a block or loop for what is around it, while others go on in it or behind it. */
const isLeftBySome = ({ left, leftBySome, divides }: Construct): boolean => leftBySome || (left && divides);

function targetOf(parent: Construct | null, label: number): Block | Loop {
  for (let around = parent; around !== null; around = around.parent)
    if (around.label === label) return around as Block | Loop;
  return unreachable(`codegen: leave of label ${label} outside it`);
}

function wayOut(leave: Leave | LeaveWhere, revival: Place | null): void {
  const { target } = leave;
  let together = true;
  for (let around = leave.parent!; around !== target; around = around.parent!) {
    if (around.save !== null) leave.saves.push(around.save);
    if (around.divides) together = false;
  }
  leave.revival = revival;
  // All lanes that are on go: those that are off are in the target's mask, or nowhere. A jump out of a loop passes by
  // the point where lanes that left it before come on again.
  if (leave.kind === 'leave') leave.jumps = together && (target.kind === 'block' || !target.divides);
}

/** Finds how a program's lanes part and meet. `agreed`: values on which all lanes that compute them agree. */
export function findControl(program: IrProgram, agreed: ReadonlySet<ValueId>): Control {
  const reader = new Reader(program, agreed);
  const steps = reader.read(program.body);
  const { events, definitions, roots, divided } = reader;
  return { steps, events, definitions, roots, divided };
}
