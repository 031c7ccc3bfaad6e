// Control flow made simple: what follows an `if` that leaves becomes its other branch, a leave at the end of what it
// leaves goes, and a block that nobody leaves is its contents. Early returns and `continue` then cost no masks of their
// own.

import type { IrNode, IrProgram } from '../program';
import { ends, leaves } from '../walk';

const nothing: ReadonlySet<number> = new Set();

/** Labels whose blocks end where this list ends: leaving them from its last node does nothing. */
type TailLabels = ReadonlySet<number>;

function lastLeave(nodes: readonly IrNode[]): number | undefined {
  const last = nodes[nodes.length - 1];
  return last?.kind === 'leave' ? last.label : undefined;
}

/** Moves the nodes after an `if` whose one branch ends in a leave to the tail into the other branch. */
function sink(nodes: readonly IrNode[], tail: TailLabels): readonly IrNode[] {
  for (let i = 0; i < nodes.length - 1; i++) {
    const node = nodes[i]!;
    if (node.kind !== 'if') continue;
    const rest = nodes.slice(i + 1);
    const thenLabel = lastLeave(node.then);
    if (thenLabel !== undefined && tail.has(thenLabel)) {
      return [
        ...nodes.slice(0, i),
        { ...node, otherwise: ends(node.otherwise) ? node.otherwise : [...node.otherwise, ...rest] },
      ];
    }
    const otherwiseLabel = lastLeave(node.otherwise);
    if (otherwiseLabel !== undefined && tail.has(otherwiseLabel)) {
      return [...nodes.slice(0, i), { ...node, then: ends(node.then) ? node.then : [...node.then, ...rest] }];
    }
  }
  return nodes;
}

function list(source: readonly IrNode[], tail: TailLabels): IrNode[] {
  const nodes = sink(source, tail);
  const out: IrNode[] = [];
  nodes.forEach((node, index) => {
    const here = index === nodes.length - 1 ? tail : nothing;
    switch (node.kind) {
      case 'op': out.push(node); break;
      case 'leave': if (!here.has(node.label)) out.push(node); break;
      case 'if': out.push({ ...node, then: list(node.then, here), otherwise: list(node.otherwise, here) }); break;
      // The end of a loop's body starts it again.
      case 'loop': out.push({ ...node, body: list(node.body, nothing) }); break;
      case 'block': {
        const body = list(node.body, new Set([...here, node.label]));
        if (leaves(body, node.label)) out.push({ ...node, body });
        else out.push(...body);
      }
    }
  });
  // A block that became its contents may have brought its own leave to the middle: what follows is never reached.
  const leave = out.findIndex((node) => node.kind === 'leave');
  return leave < 0 ? out : out.slice(0, leave + 1);
}

export function structure(program: IrProgram): IrProgram {
  return { ...program, body: list(program.body, nothing) };
}
