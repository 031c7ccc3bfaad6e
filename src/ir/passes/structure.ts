// Simplifies control flow, so that early returns and `continue` need no extra masks:
//
// - Nodes after an `if` with a branch that leaves move into the other branch.
// - A Leave at the end of the construct that it leaves is dropped.
// - A block that is never left is replaced by its contents.

import type { IrNode, IrProgram } from '../program';
import { ends, leaves } from '../walk';

const nothing: ReadonlySet<number> = new Set();

/**
 * Maximum nesting at which branches still absorb the nodes after them. Each of thousands of early returns would add a
 * level, and its lists would be copied as often. Deeper code keeps its blocks.
 */
const MAX_LEVELS = 64;

/** Labels of blocks that end where this list ends. Leaving them from the last node has no effect. */
type TailLabels = ReadonlySet<number>;

function lastLeave(nodes: readonly IrNode[]): number | undefined {
  const last = nodes[nodes.length - 1];
  return last?.kind === 'leave' ? last.label : undefined;
}

/** If a branch of an `if` ends in a Leave to the tail, moves the nodes after the `if` into its other branch. */
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

/** `level`: number of branches and loops around the list. */
function list(source: readonly IrNode[], tail: TailLabels, level: number): IrNode[] {
  const nodes = level < MAX_LEVELS ? sink(source, tail) : source;
  const inner = level + 1;
  const out: IrNode[] = [];
  nodes.forEach((node, index) => {
    const here = index === nodes.length - 1 ? tail : nothing;
    switch (node.kind) {
      case 'op':
        out.push(node);
        break;
      case 'leave':
        if (!here.has(node.label)) out.push(node);
        break;
      case 'if':
        out.push({ ...node, then: list(node.then, here, inner), otherwise: list(node.otherwise, here, inner) });
        break;
      // The end of a loop's body starts it again.
      case 'loop':
        out.push({ ...node, body: list(node.body, nothing, inner) });
        break;
      case 'block': {
        const body = list(node.body, new Set([...here, node.label]), level);
        if (leaves(body, node.label)) out.push({ ...node, body });
        else out.push(...body);
      }
    }
  });
  // A block that was replaced by its contents may have brought a Leave into the middle. The nodes after it are
  // unreachable.
  const leave = out.findIndex((node) => node.kind === 'leave');
  return leave < 0 ? out : out.slice(0, leave + 1);
}

/** Whether there is a block, a loop or a leave. */
function isDivided(nodes: readonly IrNode[]): boolean {
  return nodes.some((node) =>
    node.kind === 'if' ? isDivided(node.then) || isDivided(node.otherwise) : node.kind !== 'op'
  );
}

/** Returns the same program if it has no blocks, loops and leaves. */
export function structure(program: IrProgram): IrProgram {
  if (!isDivided(program.body)) return program;
  return { ...program, body: list(program.body, nothing, 0) };
}
