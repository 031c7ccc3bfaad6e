// Which variables a loop reads before it sets them: what has to live at the start of its body. It is found once for
// each loop, from the innermost outwards, so that a walk backwards over a program passes each node once, however deep
// it stands.
//
// Of a list of nodes it is known which variables are read from its start on before they are set, and for each way out
// (its end, or a label that it leaves) which variables are set on all paths there. A variable is live at the start when
// the list reads it, or when it is live behind a way out on which some path does not set it. A path through several
// rounds of a loop sets no less than one round does, so one round says it all.

import type { IrNode, Loop } from '../program';

/** The way out that is the end of a list; labels are from 0 on. */
const END = -1;

interface Summary {
  readonly read: Set<number>;
  /** Variables set on all paths to a way out; a way that is not there is on no path. */
  readonly set: Map<number, Set<number>>;
}

export class LoopLiveness {
  private readonly loops = new Map<Loop, Summary>();

  /** What is read from the start of the loop's body on. `liveAt`: what is read where a label's leave comes to. */
  liveAtStart(loop: Loop, liveAt: (label: number) => ReadonlySet<number>): Set<number> {
    const { read, set } = this.ofLoop(loop), live = new Set(read);
    for (const [label, always] of set)
      for (const variable of liveAt(label)) if (!always.has(variable)) live.add(variable);
    return live;
  }

  /** Of a loop's body, whose end is its start. */
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
        case 'leave': summary = { read: new Set(), set: new Map([[node.label, new Set()]]) }; break;
        case 'if': {
          const inner = this.list(node.then);
          join(inner, this.list(node.otherwise));
          summary = inSequence(inner, summary);
          break;
        }
        case 'block': summary = inSequence(leftBehind(this.list(node.body), node.label), summary); break;
        case 'loop': summary = inSequence(leftBehind(copy(this.ofLoop(node)), node.label), summary);
      }
    }
    return summary;
  }
}

const copy = ({ read, set }: Summary): Summary => (
  { read: new Set(read), set: new Map([...set].map(([way, always]) => [way, new Set(always)])) }
);

/** A variable is set before all else. */
function setFirst({ read, set }: Summary, variable: number): void {
  read.delete(variable);
  for (const always of set.values()) always.add(variable);
}

/** To one of two, what is on both ways: either is taken. */
function join(one: Summary, other: Summary): void {
  for (const variable of other.read) one.read.add(variable);
  for (const [way, always] of other.set) one.set.set(way, both(one.set.get(way), always));
}

/** A construct whose label is left goes on behind it. */
function leftBehind(summary: Summary, label: number): Summary {
  const left = summary.set.get(label);
  if (left === undefined) return summary;
  summary.set.delete(label);
  summary.set.set(END, both(summary.set.get(END), left));
  return summary;
}

/** One behind the other; takes both up. */
function inSequence(first: Summary, rest: Summary): Summary {
  const passed = first.set.get(END);
  if (passed === undefined) return first;
  first.set.delete(END);
  for (const variable of passed) setFirst(rest, variable);
  join(rest, first);
  return rest;
}

/** Variables of both sets. */
function both(one: ReadonlySet<number> | undefined, other: Set<number>): Set<number> {
  if (one === undefined) return other;
  const [few, many] = one.size < other.size ? [one, other] : [other, one];
  const found = new Set<number>();
  for (const variable of few) if (many.has(variable)) found.add(variable);
  return found;
}
