// Whether the invocations of a workgroup go from part to part (parts.ts) together. Control is uniform at a barrier, or
// the program was refused (WGSL §15.2): so of lanes that part, none comes to one before all have met again.

/** From a part to one that is run next; a number beyond all parts is the end. */
export interface Way { readonly to: number; readonly isBarred: boolean }

/** `ways`: out of each part. False where lanes may go different ways and meet again without a barrier. */
export function goTogether(ways: readonly (readonly Way[])[]): boolean {
  for (let meeting = 0; meeting <= ways.length; meeting++) {
    const leading = leadingTo(meeting, ways);
    for (const list of ways) {
      const open = list.filter(({ to, isBarred }) => !isBarred && (to === meeting || leading.has(to)));
      if (new Set(open.map(({ to }) => to)).size > 1) return false;
    }
  }
  return true;
}

/** Parts from which all ways lead to a meeting point without a barrier. */
function leadingTo(meeting: number, ways: readonly (readonly Way[])[]): ReadonlySet<number> {
  const leading = new Set(ways.keys());
  leading.delete(meeting);
  for (let known = -1; known !== leading.size;) {
    known = leading.size;
    for (const part of leading) {
      const leadsElsewhere = ways[part]!.some(({ to, isBarred }) => isBarred || (to !== meeting && !leading.has(to)));
      if (leadsElsewhere) leading.delete(part);
    }
  }
  return leading;
}
