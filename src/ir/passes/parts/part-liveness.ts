// Finds the variables that each part of a program (parts.ts) reads before it sets them. These stay live between parts.

import type { IrNode } from '../../program';
import { forEachNode } from '../../walk';

/**
 * `parts` are the nodes of each part. A Leave of label `ways + n` leads to part n, or to the end if there is no part n.
 */
export function liveAtStarts(
  parts: readonly (readonly IrNode[])[],
  ways: number
): { readonly liveAt: readonly ReadonlySet<number>[] } {
  const liveAt = parts.map(() => new Set<number>());
  const leading = partsThatLeadTo(parts, ways);
  const stale = new Set(parts.keys());
  while (stale.size > 0) {
    for (let index = parts.length - 1; index >= 0; index--) {
      // If no successor has changed, this part has not changed either.
      if (!stale.delete(index)) continue;
      const live = new Walk(liveAt, ways).list(parts[index]!, new Set());
      if (live.size === liveAt[index]!.size) continue;
      liveAt[index] = live;
      for (const part of leading[index]!) stale.add(part);
    }
  }
  return { liveAt };
}

/** For each part, the parts that can lead to it. */
function partsThatLeadTo(parts: readonly (readonly IrNode[])[], ways: number): readonly ReadonlySet<number>[] {
  const leading = parts.map(() => new Set<number>());
  parts.forEach((nodes, index) =>
    forEachNode(nodes, (node) => {
      if (node.kind === 'leave') leading[node.label - ways]?.add(index);
    })
  );
  return leading;
}

class Walk {
  private readonly atLabel = new Map<number, ReadonlySet<number>>();

  constructor(
    private readonly liveAt: readonly ReadonlySet<number>[],
    private readonly ways: number
  ) {}

  /** Variables that are live at the start of a list; `after` are those live at its end. */
  list(nodes: readonly IrNode[], after: ReadonlySet<number>): Set<number> {
    let live = new Set(after);
    for (let i = nodes.length - 1; i >= 0; i--) {
      const node = nodes[i]!;
      switch (node.kind) {
        case 'op':
          if (node.op === 'var.get') live.add(node.imm);
          else if (node.op === 'var.set') live.delete(node.imm);
          break;
        case 'leave':
          live = new Set(node.label >= this.ways ? this.liveAt[node.label - this.ways] : this.atLabel.get(node.label));
          break;
        case 'if':
          live = joined(this.list(node.then, live), this.list(node.otherwise, live));
          break;
        case 'block':
          this.atLabel.set(node.label, live);
          live = this.list(node.body, live);
          break;
        case 'loop':
          live = this.loop(node, live);
          break;
      }
    }
    return live;
  }

  /**
   * Walks the body of a loop once, which is sufficient: the end of an iteration continues at its start, and another
   * iteration reads nothing that the first one does not read.
   */
  private loop({ label, body }: Extract<IrNode, { kind: 'loop' }>, after: ReadonlySet<number>): Set<number> {
    this.atLabel.set(label, after);
    return this.list(body, new Set());
  }
}

const joined = (a: ReadonlySet<number>, b: ReadonlySet<number>): Set<number> => new Set([...a, ...b]);
