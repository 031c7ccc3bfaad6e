// Register allocation by linear scan: a value's register is free again after its last use, and the one freed last is
// taken first, so that the working set stays in the first-level cache (256 bytes a register).

import type { MachineCode } from './machine';

/** A loop of the code: positions of its first operands and of its last results. */
interface Span {
  readonly first: number;
  readonly last: number;
  readonly around: Span | null;
}

/** Loops by where they begin, outer before inner: those around a position are found without looking at all of them. */
class Loops {
  private readonly spans: Span[] = [];

  /** `pairs`: instructions that loops begin and end with. */
  constructor(pairs: readonly number[]) {
    const sorted: { first: number; last: number }[] = [];
    for (let i = 0; i < pairs.length; i += 2) sorted.push({ first: 2 * pairs[i]!, last: 2 * pairs[i + 1]! + 1 });
    sorted.sort((a, b) => a.first - b.first || b.last - a.last);
    let open: Span | null = null;
    for (const { first, last } of sorted) {
      while (open !== null && open.last < first) open = open.around;
      this.spans.push(open = { first, last, around: open });
    }
  }

  /** The outermost loop around a position that begins behind another one. */
  outermost(position: number, after: number): Span | null {
    const { spans } = this;
    let low = 0;
    for (let high = spans.length; low < high;) {
      const middle = (low + high) >> 1;
      if (spans[middle]!.first <= position) low = middle + 1;
      else high = middle;
    }
    let found: Span | null = null;
    // Whatever is around the position is around the last loop that begins before it, or is that.
    for (let each = low > 0 ? spans[low - 1]! : null; each !== null && each.first > after; each = each.around)
      if (each.last >= position) found = each;
    return found;
  }
}

/** What is written before a loop and read in it is read again in the next round; variables also carry values around. */
function extendOverLoops({ starts, ends }: MachineCode, loops: Loops, temp: number, persistent: boolean): void {
  const start = starts[temp]!, end = ends[temp]!;
  if (!persistent) {
    ends[temp] = loops.outermost(end, start)?.last ?? end;
    return;
  }
  starts[temp] = loops.outermost(start, -1)?.first ?? start;
  ends[temp] = loops.outermost(end, -1)?.last ?? end;
}

export interface Allocation {
  /** By temporary. */
  readonly numbers: readonly number[];
  /** Registers in all. */
  readonly count: number;
}

/** `persistent`: so many temporaries, the first ones, keep their contents around loops: variables. */
export function allocate(code: MachineCode, persistent: number): Allocation {
  const { starts, ends, met } = code;
  if (code.loops.length > 0) {
    const loops = new Loops(code.loops);
    for (const temp of met) extendOverLoops(code, loops, temp, temp < persistent);
  }
  const numbers: number[] = [];
  const free: number[] = [];
  /** Sorted by end, so that the register used last comes to lie on top of those that are free. */
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
