// Decides whether the invocations of a workgroup proceed from part to part (parts.ts) together. Control flow is uniform
// at each barrier, because other shaders are rejected (WGSL §15.2). Lanes that diverged therefore reach no barrier
// before all have met again.
//
// Lanes of two parts meet without a barrier if one part post-dominates both, that is, all of their paths lead to it.
// The graph for this analysis has a virtual sink. The end leads to it, and so does each part with a transition across a
// barrier.

/**
 * A transition to a part that runs next; a number beyond all parts is the end. `crossesBarrier`: it crosses a barrier.
 */
export interface PartTransition {
  readonly to: number;
  readonly crossesBarrier: boolean;
}

/**
 * `ways` lists the transitions out of each part. Returns false if lanes may diverge and meet again without a barrier.
 */
export function isLockstep(ways: readonly (readonly PartTransition[])[]): boolean {
  const forks = ways
    .map((list) => [...new Set(list.filter(({ crossesBarrier }) => !crossesBarrier).map(({ to }) => to))])
    .filter((targets) => targets.length > 1);
  if (forks.length === 0) return true;
  const meetings = lastMeetings(ways);
  // Parts that reach neither a barrier nor the end have no entry; lanes are then assumed to meet.
  return forks.every((targets) => {
    const found = new Set(targets.map((to) => meetings[to]));
    return found.size === targets.length && !found.has(undefined);
  });
}

/** The last post-dominator of each part and of the end before the sink; undefined for parts that never reach it. */
function lastMeetings(ways: readonly (readonly PartTransition[])[]): readonly (number | undefined)[] {
  const end = ways.length;
  const behind = end + 1;
  const next = ways.map((list) => list.map(({ to, crossesBarrier }) => (crossesBarrier ? behind : to)));
  next.push([behind], []);
  const order = orderBefore(next, behind);
  const ranks = new Map(order.map((at, rank) => [at, rank]));
  /** The immediate post-dominator of each node; both are ranks. */
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
      const found = next[order[rank]!]!.flatMap((to) => ranks.get(to) ?? [])
        .filter((to) => nearest[to] !== undefined)
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

/** The nodes that lead to `root`, starting with the root itself, in reverse postorder of the reversed graph. */
function orderBefore(next: readonly (readonly number[])[], root: number): number[] {
  const before = next.map((): number[] => []);
  next.forEach((list, from) => {
    for (const to of list) before[to]!.push(from);
  });
  const seen = new Set([root]);
  const done: number[] = [];
  const open = [{ at: root, visited: 0 }];
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
