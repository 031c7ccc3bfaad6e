// What of a program is emitted: which instructions are needed, how often each value is used, and which values are
// computed where they are used instead of being kept in a local.

import { opInfo, type Instruction, type IrNode, type IrProgram, type OpName, type ValueId } from '../../ir';
import { isAlias } from '../operations';

/**
 * A chain of operations that is longer than this is cut by a local: neither this code nor an engine recurses deeper.
 */
const DEEPEST = 40;
/** A value is computed at its use only if that is so near: what waits longer keeps its own operands waiting. */
const NEAR = 10;

export interface Needs {
  /** What an alias stands for. */
  readonly root: (id: ValueId) => ValueId;
  readonly definition: (id: ValueId) => Instruction;
  /** Bits of a constant; undefined for other values. */
  readonly bits: (id: ValueId) => number | undefined;
  /** Whether an instruction has an effect, or a result that is needed. */
  readonly needed: (instruction: Instruction) => boolean;
  /** How often a value is read. */
  readonly uses: (id: ValueId) => number;
  /** Whether a value is computed at its only use. */
  readonly inPlace: (id: ValueId) => boolean;
}

type Event = {
  readonly instruction: Instruction;
  readonly list: number;
} | { readonly condition: ValueId; readonly list: number };

/**
 * `given`: values that are had without computing them; `kept`: operations whose results are never computed in place.
 */
export function findNeeds(program: IrProgram, given: (id: ValueId) => boolean, kept: (op: OpName) => boolean): Needs {
  const definitions = new Map<ValueId, Instruction>();
  const events = collect(program.body, definitions);
  const definition = (id: ValueId): Instruction => definitions.get(id)!;
  const root = (id: ValueId): ValueId => {
    let current = id;
    for (;;) {
      const found = definition(current);
      if (!isAlias(found.op)) return current;
      current = found.args[0]!;
    }
  };
  const uses = new Map<ValueId, number>();
  const users = new Map<ValueId, { readonly list: number; readonly position: number }>();
  const use = (id: ValueId, list: number, position: number): void => {
    const value = root(id);
    uses.set(value, (uses.get(value) ?? 0) + 1);
    users.set(value, { list, position });
  };
  const needed = new Set<Instruction>();
  for (let i = events.length - 1; i >= 0; i--) {
    const event = events[i]!;
    if ('condition' in event) {
      use(event.condition, event.list, i);
      continue;
    }
    const { instruction, list } = event;
    const { op, args, results } = instruction;
    if (isAlias(op) || op === 'const') continue;
    if (results.length > 0 && !results.some((id) => uses.has(id) && !given(id))) continue;
    needed.add(instruction);
    for (const id of args) use(id, list, i);
  }
  const depths = new Map<ValueId, number>();
  const inPlace = (id: ValueId): boolean => depths.has(id);
  events.forEach((event, position) => {
    if ('condition' in event || !needed.has(event.instruction)) return;
    const { op, args, results } = event.instruction;
    const id = results[0];
    if (id === undefined || results.length > 1 || !opInfo(op).pure || op.startsWith('texture.') || uses.get(id) !== 1
      || kept(op))
      return;
    const user = users.get(id)!;
    if (user.list !== event.list || user.position - position > NEAR) return;
    const depth = 1 + Math.max(0, ...args.map((arg) => depths.get(root(arg)) ?? 0));
    if (depth <= DEEPEST) depths.set(id, depth);
  });
  return {
    root, definition, inPlace,
    bits: (id) => (definition(root(id)).op === 'const' ? definition(root(id)).imm : undefined),
    needed: (instruction) => needed.has(instruction),
    uses: (id) => uses.get(id) ?? 0,
  };
}

/** Instructions and conditions in program order, with the node list that they stand in. */
function collect(body: readonly IrNode[], definitions: Map<ValueId, Instruction>): Event[] {
  const events: Event[] = [];
  let count = 0;
  const visit = (nodes: readonly IrNode[]): void => {
    const list = count++;
    for (const node of nodes) {
      switch (node.kind) {
        case 'op':
          events.push({ instruction: node, list });
          for (const id of node.results) definitions.set(id, node);
          break;
        case 'if':
          events.push({ condition: node.condition, list });
          visit(node.then);
          visit(node.otherwise);
          break;
        case 'block': case 'loop': visit(node.body); break;
        case 'leave': break;
      }
    }
  };
  visit(body);
  return events;
}
