// Which variables the parts of a program (parts.ts) read before they set them: what has to live from part to part.

import type { IrNode } from '../program';
import { forEachNode } from '../walk';

/** `parts`: their nodes; a leave of a label from `ways` on leads to the part of that number, beyond them to the end. */
export function liveAtStarts(
  parts: readonly (readonly IrNode[])[], ways: number
): { readonly liveAt: readonly ReadonlySet<number>[] } {
  const liveAt = parts.map(() => new Set<number>());
  const leading = partsThatLeadTo(parts, ways), stale = new Set(parts.keys());
  while (stale.size > 0) {
    for (let index = parts.length - 1; index >= 0; index--) {
      // Where none of those that it leads to has changed, neither has it.
      if (!stale.delete(index)) continue;
      const live = new Walk(liveAt, ways).list(parts[index]!, new Set());
      if (live.size === liveAt[index]!.size) continue;
      liveAt[index] = live;
      for (const part of leading[index]!) stale.add(part);
    }
  }
  return { liveAt };
}

/** By part: those from which a way leads to it. */
function partsThatLeadTo(parts: readonly (readonly IrNode[])[], ways: number): readonly ReadonlySet<number>[] {
  const leading = parts.map(() => new Set<number>());
  parts.forEach((nodes, index) => forEachNode(nodes, (node) => {
    if (node.kind === 'leave') leading[node.label - ways]?.add(index);
  }));
  return leading;
}

class Walk {
  private readonly atLabel = new Map<number, ReadonlySet<number>>();

  constructor(private readonly liveAt: readonly ReadonlySet<number>[], private readonly ways: number) {}

  /** What is read from the start of a list on; `after`: behind it. */
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
        case 'if': live = joined(this.list(node.then, live), this.list(node.otherwise, live)); break;
        case 'block':
          this.atLabel.set(node.label, live);
          live = this.list(node.body, live);
          break;
        case 'loop': live = this.loop(node, live); break;
      }
    }
    return live;
  }

  /**
   * What is read from a loop's start on, one round tells: another round reads no more of what is behind its end, its
   * start, than that.
   */
  private loop({ label, body }: Extract<IrNode, { kind: 'loop' }>, after: ReadonlySet<number>): Set<number> {
    this.atLabel.set(label, after);
    return this.list(body, new Set());
  }
}

const joined = (a: ReadonlySet<number>, b: ReadonlySet<number>): Set<number> => new Set([...a, ...b]);
