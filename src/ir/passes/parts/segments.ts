// Splits a compute program at its barriers into segments of nodes, and records where control continues after each. A
// construct that contains a barrier is taken apart. All others stay whole. If lanes leave a taken-apart construct from
// inside one that stays whole, that exit is recorded separately.

import type { IrNode, ValueId } from '../../program';
import { forEachNode } from '../../walk';

export interface Segment {
  readonly nodes: IrNode[];
  /** null: the program ends. */
  end: End | null;
  /** Program order: lanes wait for those in earlier segments. −1 if control never reaches the segment. */
  order: number;
  /** Whether the segment starts a part: it has other predecessors than the segment before it, or lanes wait for it. */
  isHead: boolean;
  /** Whether the segment starts immediately after a barrier. */
  readonly isAfterBarrier: boolean;
}
type End =
  | { readonly kind: 'go'; readonly to: Segment }
  | { readonly kind: 'branch'; readonly condition: ValueId; readonly then: Segment; readonly otherwise: Segment };

type Construct = Exclude<IrNode, { kind: 'op' | 'leave' }>;

export class Segments {
  readonly all: Segment[] = [];
  /** For each label of a taken-apart construct, the segment where lanes that leave it continue. */
  readonly exits = new Map<number, Segment>();
  private readonly holders: ReadonlySet<IrNode>;
  private current: Segment;
  private ended = false;

  constructor(body: readonly IrNode[]) {
    this.holders = barrierHolders(body);
    this.current = this.begin(segment());
    this.list(body);
  }

  private begin(next: Segment): Segment {
    next.order = this.all.push(next) - 1;
    this.ended = false;
    return (this.current = next);
  }

  /** Ends the current segment if control reaches its end. */
  private endWith(end: End): void {
    if (!this.ended) this.current.end = end;
    this.ended = true;
  }

  private list(nodes: readonly IrNode[]): void {
    for (const node of nodes) {
      if (node.kind === 'op') {
        if (node.op === 'barrier') this.barrier();
        else this.current.nodes.push(node);
      } else if (node.kind === 'leave') this.endWith({ kind: 'go', to: this.exits.get(node.label)! });
      else if (this.holders.has(node)) this.construct(node);
      else {
        this.noteLeaves(node);
        this.current.nodes.push(node);
      }
    }
  }

  private barrier(): void {
    const next = segment(true);
    next.isHead = true;
    this.endWith({ kind: 'go', to: next });
    this.begin(next);
  }

  private noteLeaves(node: Construct): void {
    forEachNode([node], (inner) => {
      const exit = inner.kind === 'leave' ? this.exits.get(inner.label) : undefined;
      if (exit !== undefined) exit.isHead = true;
    });
  }

  private construct(node: Construct): void {
    const exit = segment();
    if (node.kind === 'if') {
      const then = segment();
      const otherwise = segment();
      this.endWith({ kind: 'branch', condition: node.condition, then, otherwise });
      for (const [first, nodes] of [
        [then, node.then],
        [otherwise, node.otherwise],
      ] as const) {
        this.begin(first);
        this.list(nodes);
        this.endWith({ kind: 'go', to: exit });
      }
    } else {
      this.exits.set(node.label, exit);
      const first = node.kind === 'loop' ? this.loop() : null;
      this.list(node.body);
      this.endWith({ kind: 'go', to: first ?? exit });
    }
    this.begin(exit);
  }

  private loop(): Segment {
    const first = segment();
    first.isHead = true;
    this.endWith({ kind: 'go', to: first });
    return this.begin(first);
  }
}

const segment = (isAfterBarrier = false): Segment => ({
  nodes: [],
  end: null,
  order: -1,
  isHead: false,
  isAfterBarrier,
});

/** The constructs that contain a barrier at any depth. */
function barrierHolders(body: readonly IrNode[]): ReadonlySet<IrNode> {
  const holders = new Set<IrNode>();
  const list = (nodes: readonly IrNode[]): boolean => {
    let found = false;
    for (const node of nodes) {
      if (node.kind === 'leave') continue;
      const holds = node.kind === 'op' ? node.op === 'barrier' : construct(node);
      if (holds && node.kind !== 'op') holders.add(node);
      found ||= holds;
    }
    return found;
  };
  const construct = (node: Construct): boolean => {
    if (node.kind !== 'if') return list(node.body);
    const then = list(node.then);
    const otherwise = list(node.otherwise);
    return then || otherwise;
  };
  list(body);
  return holders;
}

/** Skips empty segments. An endless loop of empty segments leads to itself. */
export const through = (from: Segment): Segment => nextSegment(from).to;

/** Whether a barrier precedes the segment that `through` finds. */
export const crossesBarrier = (from: Segment): boolean => nextSegment(from).barred;

function nextSegment(from: Segment): { readonly to: Segment; readonly barred: boolean } {
  const seen = new Set([from]);
  let at = from;
  let barred = from.isAfterBarrier;
  while (at.nodes.length === 0 && at.end?.kind === 'go') {
    at = at.end.to;
    if (seen.has(at)) return { to: from, barred: from.isAfterBarrier };
    seen.add(at);
    barred ||= at.isAfterBarrier;
  }
  return { to: at, barred };
}

/** Segments that start a part, in order: the first one, and those with several predecessors. */
export function headsOf({ all: [first], exits }: Segments): Segment[] {
  const seen = new Set<Segment>();
  const heads = new Set<Segment>([first!]);
  const open = [first!];
  const visit = (target: Segment): void => {
    const to = through(target);
    if (target.isHead || to.isHead || seen.has(to)) heads.add(to);
    if (seen.has(to)) return;
    seen.add(to);
    open.push(to);
  };
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    forEachNode(at.nodes, (node) => {
      const exit = node.kind === 'leave' ? exits.get(node.label) : undefined;
      if (exit !== undefined) visit(exit);
    });
    if (at.end?.kind === 'go') visit(at.end.to);
    else if (at.end !== null) for (const side of [at.end.then, at.end.otherwise]) visit(side);
  }
  return [...heads].filter(({ nodes, end }) => nodes.length > 0 || end !== null).sort((a, b) => a.order - b.order);
}
