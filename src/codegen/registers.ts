// Linear-scan register allocation. A register is free after the last use of its value, and the most recently freed one
// is reused first. This keeps the working set in the L1 cache (256 bytes per register).

import type { MachineCode } from './machine';

/** A loop in the code: positions of its first operands and of its last results. */
interface Span {
  readonly first: number;
  readonly last: number;
  readonly around: Span | null;
}

/** Loops sorted by start, outer before inner. The loops around a position are found without visiting all of them. */
class Loops {
  private readonly spans: Span[] = [];

  /** `pairs`: the first and last instruction of each loop. */
  constructor(pairs: readonly number[]) {
    const sorted: { first: number; last: number }[] = [];
    for (let i = 0; i < pairs.length; i += 2) sorted.push({ first: 2 * pairs[i]!, last: 2 * pairs[i + 1]! + 1 });
    sorted.sort((a, b) => a.first - b.first || b.last - a.last);
    let open: Span | null = null;
    for (const { first, last } of sorted) {
      while (open !== null && open.last < first) open = open.around;
      this.spans.push((open = { first, last, around: open }));
    }
  }

  /** The outermost loop around a position that starts after another position. */
  outermost(position: number, after: number): Span | null {
    const { spans } = this;
    let low = 0;
    for (let high = spans.length; low < high;) {
      const middle = (low + high) >> 1;
      if (spans[middle]!.first <= position) low = middle + 1;
      else high = middle;
    }
    let found: Span | null = null;
    // Any loop around the position is the last loop that starts before it, or encloses that loop.
    for (let each = low > 0 ? spans[low - 1]! : null; each !== null && each.first > after; each = each.around)
      if (each.last >= position) found = each;
    return found;
  }
}

/**
 * Extends the live range of a temporary over loops. A value that is computed before a loop and read in it is live until
 * the loop's end, because each iteration reads it. Variables are live in the whole loop, because they also carry values
 * from one iteration to the next.
 */
function extendOverLoops({ starts, ends }: MachineCode, loops: Loops, temp: number, persistent: boolean): void {
  const start = starts[temp]!;
  const end = ends[temp]!;
  if (!persistent) {
    ends[temp] = loops.outermost(end, start)?.last ?? end;
    return;
  }
  starts[temp] = loops.outermost(start, -1)?.first ?? start;
  ends[temp] = loops.outermost(end, -1)?.last ?? end;
}

interface Allocation {
  /** By temporary. */
  readonly numbers: readonly number[];
  /** Total number of registers. */
  readonly count: number;
}

/**
 * `persistent`: the number of temporaries, from the first on, that keep their contents around loops. These are
 * variables.
 */
export function allocate(code: MachineCode, persistent: number): Allocation {
  const { starts, ends, met } = code;
  if (code.loops.length > 0) {
    const loops = new Loops(code.loops);
    for (const temp of met) extendOverLoops(code, loops, temp, temp < persistent);
  }
  const numbers: number[] = [];
  const free: number[] = [];
  /** Sorted by end, so that the register used last ends up on top of the free list. */
  const active: number[] = [];
  let count = 0;
  for (const temp of [...met].sort((a, b) => starts[a]! - starts[b]!)) {
    let over = 0;
    while (over < active.length && ends[active[over]!]! < starts[temp]!) free.push(numbers[active[over++]!]!);
    if (over > 0) active.splice(0, over);
    numbers[temp] = free.pop() ?? count++;
    let at = active.length;
    for (; at > 0 && ends[active[at - 1]!]! > ends[temp]!; at--) active[at] = active[at - 1]!;
    active[at] = temp;
  }
  return { numbers, count };
}
