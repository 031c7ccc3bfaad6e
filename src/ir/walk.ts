// Traversal and rewriting of a program's nodes.

import type { Instruction, IrNode, ValueId } from './program';

/** Visits every node in program order, outer nodes before inner ones. */
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

/**
 * Visits every instruction in program order. A separate implementation for speed, because passes walk programs very
 * often.
 */
export function forEachInstruction(nodes: readonly IrNode[], visit: (instruction: Instruction) => void): void {
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i]!;
    switch (node.kind) {
      case 'op':
        visit(node);
        break;
      case 'leave':
        break;
      case 'if':
        forEachInstruction(node.then, visit);
        forEachInstruction(node.otherwise, visit);
        break;
      default:
        forEachInstruction(node.body, visit);
    }
  }
}

/** The instruction that defines each value. */
export type Definitions = ReadonlyMap<ValueId, Instruction>;
export function definitionsOf(nodes: readonly IrNode[]): Definitions {
  const definitions = new Map<ValueId, Instruction>();
  forEachInstruction(nodes, (instruction) => {
    for (const id of instruction.results) definitions.set(id, instruction);
  });
  return definitions;
}

export function countNodes(nodes: readonly IrNode[]): number {
  let count = 0;
  forEachNode(nodes, () => count++);
  return count;
}

/**
 * A copy of an instruction with other values. Lists the fields because a spread is several times slower, and passes do
 * little else.
 */
export function withValues(
  node: Instruction,
  results: readonly ValueId[],
  args: readonly ValueId[],
  imm = node.imm
): Instruction {
  return { kind: 'op', op: node.op, results, args, imm, texture: node.texture };
}

/** Nodes of the same structure with each instruction replaced. */
export function mapInstructions(
  nodes: readonly IrNode[],
  replace: (instruction: Instruction) => Instruction
): IrNode[] {
  return nodes.map((node): IrNode => {
    switch (node.kind) {
      case 'op':
        return replace(node);
      case 'leave':
        return node;
      case 'if':
        return {
          ...node,
          then: mapInstructions(node.then, replace),
          otherwise: mapInstructions(node.otherwise, replace),
        };
      default:
        return { ...node, body: mapInstructions(node.body, replace) };
    }
  });
}

/** Like mapInstructions, but drops instructions for which `replace` returns null. */
export function replaceInstructions(
  nodes: readonly IrNode[],
  replace: (instruction: Instruction) => Instruction | null
): IrNode[] {
  return nodes.flatMap((node): IrNode[] => {
    switch (node.kind) {
      case 'op': {
        const replaced = replace(node);
        return replaced ? [replaced] : [];
      }
      case 'leave':
        return [node];
      case 'if':
        return [
          {
            ...node,
            then: replaceInstructions(node.then, replace),
            otherwise: replaceInstructions(node.otherwise, replace),
          },
        ];
      default:
        return [{ ...node, body: replaceInstructions(node.body, replace) }];
    }
  });
}

/** Rebuilds nodes with every used value, defined value and label replaced. */
export function mapArguments(
  nodes: readonly IrNode[],
  value: (id: ValueId) => ValueId,
  label: (id: number) => number = (id) => id
): IrNode[] {
  return nodes.map((node): IrNode => {
    switch (node.kind) {
      case 'op':
        return withValues(node, node.results.map(value), node.args.map(value));
      case 'if':
        return {
          ...node,
          condition: value(node.condition),
          then: mapArguments(node.then, value, label),
          otherwise: mapArguments(node.otherwise, value, label),
        };
      case 'leave':
        return { ...node, label: label(node.label) };
      default:
        return { ...node, label: label(node.label), body: mapArguments(node.body, value, label) };
    }
  });
}

export function hasLoop(nodes: readonly IrNode[]): boolean {
  return nodes.some((node) => {
    switch (node.kind) {
      case 'op':
      case 'leave':
        return false;
      case 'if':
        return hasLoop(node.then) || hasLoop(node.otherwise);
      case 'block':
        return hasLoop(node.body);
      case 'loop':
        return true;
    }
  });
}

/** Whether any of the nodes leaves `label`. */
export function leaves(nodes: readonly IrNode[], label: number): boolean {
  let found = false;
  forEachNode(nodes, (node) => {
    if (node.kind === 'leave' && node.label === label) found = true;
  });
  return found;
}

/** Whether control never reaches the end of a list. */
export function ends(nodes: readonly IrNode[]): boolean {
  const last = nodes[nodes.length - 1];
  if (last === undefined) return false;
  if (last.kind === 'leave') return true;
  return last.kind === 'if' && ends(last.then) && ends(last.otherwise);
}

interface Written {
  readonly variables: ReadonlySet<number>;
  readonly arrays: ReadonlySet<number>;
}
const writtenCache = new WeakMap<readonly IrNode[], Written>();
function writtenIn(nodes: readonly IrNode[]): Written {
  let found = writtenCache.get(nodes);
  if (found === undefined) {
    const variables = new Set<number>();
    const arrays = new Set<number>();
    forEachInstruction(nodes, ({ op, imm }) => {
      if (op === 'var.set') variables.add(imm);
      else if (op === 'array.store') arrays.add(imm);
    });
    writtenCache.set(nodes, (found = { variables, arrays }));
  }
  return found;
}
/** Variables that a list sets, including nested lists. */
export const variablesSet = (nodes: readonly IrNode[]): ReadonlySet<number> => writtenIn(nodes).variables;
/** Arrays that a list stores to, including nested lists. */
export const arraysStored = (nodes: readonly IrNode[]): ReadonlySet<number> => writtenIn(nodes).arrays;
