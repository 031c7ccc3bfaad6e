// Whether the invocations of a workgroup go from part to part (parts.ts) together. Control is uniform at a barrier, or
// the program was refused (WGSL §15.2): so of lanes that part, none comes to one before all have met again.
//
// Lanes of two parts meet without a barrier where one part post-dominates both: all of their ways lead to it. The graph
// that says so has one point behind all others, to which the end and each part with a barred way lead.

/** From a part to one that is run next; a number beyond all parts is the end. */
export interface Way { readonly to: number; readonly isBarred: boolean }

/** `ways`: out of each part. False where lanes may go different ways and meet again without a barrier. */
export function goTogether(ways: readonly (readonly Way[])[]): boolean {
  const forks = ways.map((list) => [...new Set(list.filter(({ isBarred }) => !isBarred).map(({ to }) => to))])
    .filter((targets) => targets.length > 1);
  if (forks.length === 0) return true;
  const meetings = lastMeetings(ways);
  // From where no barrier and no end can be reached, all parts count as led to.
  return forks.every((targets) => {
    const found = new Set(targets.map((to) => meetings[to]));
    return found.size === targets.length && !found.has(undefined);
  });
}

/** By part, and the end: the last part to which all of its ways lead; undefined where they lead round for ever. */
function lastMeetings(ways: readonly (readonly Way[])[]): readonly (number | undefined)[] {
  const end = ways.length, behind = end + 1;
  const next = ways.map((list) => list.map(({ to, isBarred }) => (isBarred ? behind : to)));
  next.push([behind], []);
  const order = orderBefore(next, behind), ranks = new Map(order.map((at, rank) => [at, rank]));
  /** The nearest point behind each, by rank, to which all of its ways lead. */
  const nearest: number[] = [0];
  const common = (a: number, b: number): number => {
    while (a !== b) {
      if (a > b) a = nearest[a]!;
      else b = nearest[b]!;
    }
    return a;
  };
  for (let changed = true; changed;) {
    changed = false;
    for (let rank = 1; rank < order.length; rank++) {
      const found = next[order[rank]!]!.flatMap((to) => ranks.get(to) ?? []).filter((to) => nearest[to] !== undefined)
        .reduce(common);
      changed ||= found !== nearest[rank];
      nearest[rank] = found;
    }
  }
  const meetings = new Array<number | undefined>(end + 1).fill(undefined);
  for (let rank = 1; rank < order.length; rank++)
    meetings[order[rank]!] = nearest[rank] === 0 ? order[rank]! : meetings[order[nearest[rank]!]!];
  return meetings;
}

/** The points that lead to one, which is the first: each behind one that it leads to, in reverse postorder. */
function orderBefore(next: readonly (readonly number[])[], root: number): number[] {
  const before = next.map((): number[] => []);
  next.forEach((list, from) => { for (const to of list) before[to]!.push(from); });
  const seen = new Set([root]), done: number[] = [], open = [{ at: root, visited: 0 }];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const from = before[top.at]![top.visited++];
    if (from === undefined) {
      done.push(top.at);
      open.pop();
    } else if (!seen.has(from)) {
      seen.add(from);
      open.push({ at: from, visited: 0 });
    }
  }
  return done.reverse();
}
