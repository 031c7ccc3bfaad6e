// Finds the variables that a loop reads before it sets them, which are live at the start of its body. The result is
// computed once per loop, from the innermost outwards. A backward walk over a program therefore visits each node once,
// however deeply it is nested.
//
// A list of nodes is summarised by two facts. The first is the set of variables that it reads before it sets them. The
// second is, for each exit (its end or a label that it leaves), the set of variables that are set on all paths to that
// exit. A variable is live at the start if the list reads it, or if it is live after an exit that some path reaches
// without setting it. A path through several iterations sets no less than a path through one, so one iteration is
// sufficient.

import type { IrNode, Loop } from '../program';

/** The exit at the end of a list; labels start at 0. */
const END = -1;

interface Summary {
  readonly read: Set<number>;
  /** Variables that are set on all paths to an exit. An exit that no path reaches has no entry. */
  readonly set: Map<number, Set<number>>;
}

export class LoopLiveness {
  private readonly loops = new Map<Loop, Summary>();

  /**
   * Variables that are live at the start of the loop's body. `liveAt` gives those that are live where a Leave of a
   * label arrives.
   */
  liveAtStart(loop: Loop, liveAt: (label: number) => ReadonlySet<number>): Set<number> {
    const { read, set } = this.ofLoop(loop);
    const live = new Set(read);
    for (const [label, always] of set)
      for (const variable of liveAt(label)) if (!always.has(variable)) live.add(variable);
    return live;
  }

  /** Summarises a loop's body, whose end leads back to its start. */
  private ofLoop(loop: Loop): Summary {
    let summary = this.loops.get(loop);
    if (summary === undefined) {
      this.loops.set(loop, (summary = this.list(loop.body)));
      summary.set.delete(END);
    }
    return summary;
  }

  private list(nodes: readonly IrNode[]): Summary {
    let summary: Summary = { read: new Set(), set: new Map([[END, new Set()]]) };
    for (let i = nodes.length - 1; i >= 0; i--) {
      const node = nodes[i]!;
      switch (node.kind) {
        case 'op':
          if (node.op === 'var.get') summary.read.add(node.imm);
          else if (node.op === 'var.set') setFirst(summary, node.imm);
          break;
        case 'leave':
          summary = { read: new Set(), set: new Map([[node.label, new Set()]]) };
          break;
        case 'if': {
          const inner = this.list(node.then);
          join(inner, this.list(node.otherwise));
          summary = inSequence(inner, summary);
          break;
        }
        case 'block':
          summary = inSequence(redirectExits(this.list(node.body), node.label), summary);
          break;
        case 'loop':
          summary = inSequence(redirectExits(copy(this.ofLoop(node)), node.label), summary);
      }
    }
    return summary;
  }
}

const copy = ({ read, set }: Summary): Summary => ({
  read: new Set(read),
  set: new Map([...set].map(([way, always]) => [way, new Set(always)])),
});

/** Prepends a set of a variable. */
function setFirst({ read, set }: Summary, variable: number): void {
  read.delete(variable);
  for (const always of set.values()) always.add(variable);
}

/** Merges the summaries of two alternatives into `one`. */
function join(one: Summary, other: Summary): void {
  for (const variable of other.read) one.read.add(variable);
  for (const [way, always] of other.set) one.set.set(way, both(one.set.get(way), always));
}

/** Redirects exits through the construct's own label to its end. */
function redirectExits(summary: Summary, label: number): Summary {
  const left = summary.set.get(label);
  if (left === undefined) return summary;
  summary.set.delete(label);
  summary.set.set(END, both(summary.set.get(END), left));
  return summary;
}

/** Concatenates two summaries; modifies both. */
function inSequence(first: Summary, rest: Summary): Summary {
  const passed = first.set.get(END);
  if (passed === undefined) return first;
  first.set.delete(END);
  for (const variable of passed) setFirst(rest, variable);
  join(rest, first);
  return rest;
}

/** Variables in both sets. */
function both(one: ReadonlySet<number> | undefined, other: Set<number>): Set<number> {
  if (one === undefined) return other;
  const [few, many] = one.size < other.size ? [one, other] : [other, one];
  const found = new Set<number>();
  for (const variable of few) if (many.has(variable)) found.add(variable);
  return found;
}
