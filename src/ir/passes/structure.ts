// Control flow made simple: what follows an `if` that leaves becomes its other branch, a leave at the end of what it
// leaves goes, and a block that nobody leaves is its contents. Early returns and `continue` then cost no masks of their
// own.

import type { IrNode, IrProgram } from '../program';
import { ends, leaves } from '../walk';

const nothing: ReadonlySet<number> = new Set();

/**
 * Branches in branches that still take up what follows: of thousands of early returns each would lie a level deeper
 * than the one before, in lists that are copied as often. What comes behind so many is left as blocks are.
 */
const MOST_LEVELS = 64;

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

/** `level`: so many branches and loops are around the list. */
function list(source: readonly IrNode[], tail: TailLabels, level: number): IrNode[] {
  const nodes = level < MOST_LEVELS ? sink(source, tail) : source;
  const inner = level + 1;
  const out: IrNode[] = [];
  nodes.forEach((node, index) => {
    const here = index === nodes.length - 1 ? tail : nothing;
    switch (node.kind) {
      case 'op': out.push(node); break;
      case 'leave': if (!here.has(node.label)) out.push(node); break;
      case 'if':
        out.push({ ...node, then: list(node.then, here, inner), otherwise: list(node.otherwise, here, inner) });
        break;
      // The end of a loop's body starts it again.
      case 'loop': out.push({ ...node, body: list(node.body, nothing, inner) }); break;
      case 'block': {
        const body = list(node.body, new Set([...here, node.label]), level);
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
  return { ...program, body: list(program.body, nothing, 0) };
}
