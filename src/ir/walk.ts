// Ways through a program's nodes.

import type { Instruction, IrNode, ValueId } from './program';

/** Visits every node, outer before inner, in program order. */
export function forEachNode(nodes: readonly IrNode[], visit: (node: IrNode) => void): void {
  for (const node of nodes) {
    visit(node);
    if (node.kind === 'if') {
      forEachNode(node.then, visit);
      forEachNode(node.otherwise, visit);
    } else if (node.kind === 'block' || node.kind === 'loop') {
      forEachNode(node.body, visit);
    }
  }
}

/** Visits every instruction in program order. */
export function forEachInstruction(nodes: readonly IrNode[], visit: (instruction: Instruction) => void): void {
  forEachNode(nodes, (node) => { if (node.kind === 'op') visit(node); });
}

export function countNodes(nodes: readonly IrNode[]): number {
  let count = 0;
  forEachNode(nodes, () => count++);
  return count;
}

/** Rebuilds nodes with every used value, defined value and label replaced. */
export function mapArguments(nodes: readonly IrNode[], value: (id: ValueId) => ValueId, label: (id: number) => number = (id) => id): IrNode[] {
  return nodes.map((node): IrNode => {
    switch (node.kind) {
      case 'op': return { ...node, args: node.args.map(value), results: node.results.map(value) };
      case 'if': return { ...node, condition: value(node.condition), then: mapArguments(node.then, value, label), otherwise: mapArguments(node.otherwise, value, label) };
      case 'leave': return { ...node, label: label(node.label) };
      default: return { ...node, label: label(node.label), body: mapArguments(node.body, value, label) };
    }
  });
}

/** Whether some node in `nodes` leaves `label`. */
export function leaves(nodes: readonly IrNode[], label: number): boolean {
  let found = false;
  forEachNode(nodes, (node) => { if (node.kind === 'leave' && node.label === label) found = true; });
  return found;
}

/** Whether control never reaches the end of a list. */
export function ends(nodes: readonly IrNode[]): boolean {
  const last = nodes[nodes.length - 1];
  if (last === undefined) return false;
  if (last.kind === 'leave') return true;
  return last.kind === 'if' && ends(last.then) && ends(last.otherwise);
}

const setCache = new WeakMap<readonly IrNode[], ReadonlySet<number>>();
/** Variables that a list sets, in nested lists too. */
export function variablesSet(nodes: readonly IrNode[]): ReadonlySet<number> {
  let found = setCache.get(nodes);
  if (found === undefined) {
    const variables = new Set<number>();
    forEachInstruction(nodes, (instruction) => { if (instruction.op === 'var.set') variables.add(instruction.imm); });
    setCache.set(nodes, (found = variables));
  }
  return found;
}
