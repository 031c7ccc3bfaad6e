// Tables of shaders as graphs: edges from slot to slot, and to sinks. What is enabled of one, from the slot on at which
// a draw enters, is unfolded into a tree (src/mpipe/tree.ts): slots that are empty or disabled pass on what comes to
// them.

import type { Branch } from '../mpipe';
import type { No } from './pipeline-checks';
import type { Choice, TableSlot } from './modular-table';

/** Edges in their order, those to sinks last: packets of the same input go along them in this order. */
export interface Graph {
  readonly edges: readonly (readonly [from: number, to: number])[];
  /** The slots from which edges lead to each sink. */
  readonly sinks: readonly (readonly number[])[];
}

/** Paths from the input to sinks, at the most: each has stages of its own. */
const MOST_PATHS = 64;

/** The graph of a descriptor's `edges` and of the `from` of its sinks. */
export function graphOf(
  slots: readonly unknown[], edges: readonly (readonly number[])[] | undefined,
  sinks: readonly { readonly from?: readonly number[] | undefined }[], no: No
): Graph {
  const has = (slot: number): boolean => slot < slots.length;
  const known = (slot: number, at: string): number => (has(slot)
    ? slot
    : no(`${at} names slot ${slot}; there are ${slots.length} slots`));
  const pairs = edges
    ? edges.map((edge, i): [number, number] => {
      const at = `edges[${i}]`;
      if (edge.length !== 2) no(`${at} must be the two slots that it leads from and to; it has ${edge.length}`);
      return [known(edge[0]!, at), known(edge[1]!, at)];
    })
    : Array.from({ length: Math.max(0, slots.length - 1) }, (_, i): [number, number] => [i, i + 1]);
  checkCycles(slots.length, pairs, no);
  const ends = slots.flatMap((_, slot) => (pairs.some(([from]) => from === slot) ? [] : [slot]))
    .filter((slot) => edges === undefined || slots[slot] !== null);
  return {
    edges: pairs,
    sinks: sinks.map(({ from }, i) => (from ? from.map((slot) => known(slot, `sinks[${i}].from`)) : ends)),
  };
}

function checkCycles(slots: number, edges: Graph['edges'], no: No): void {
  const done = new Set<number>();
  const visit = (slot: number, path: readonly number[]): void => {
    if (path.includes(slot))
      no(`edges make a cycle: slots ${[...path.slice(path.indexOf(slot)), slot].join(' → ')}`);
    if (done.has(slot)) return;
    for (const [from, to] of edges) if (from === slot) visit(to, [...path, slot]);
    done.add(slot);
  };
  for (let slot = 0; slot < slots; slot++) visit(slot, []);
}

/** Behind the last slots, the input's number. */
const INPUT = -1;

/** Of each slot: slots and sinks to which edges lead from it, in the order of the edges. */
interface Outgoing { readonly takers: readonly number[]; readonly sinks: readonly number[] }

/** Edges of each slot, without those behind which there is no sink: the number of paths along them has no limit. */
function outgoing({ edges, sinks }: Graph, slots: number): Outgoing[] {
  const of = Array.from({ length: slots }, () => ({ takers: [] as number[], sinks: [] as number[] }));
  for (const [from, to] of edges) of[from]!.takers.push(to);
  for (const [sink, from] of sinks.entries()) for (const slot of from) of[slot]!.sinks.push(sink);
  const known = new Map<number, boolean>();
  const leadsOn = (slot: number): boolean => {
    let leads = known.get(slot);
    if (leads === undefined) {
      const found = of[slot]!;
      found.takers = found.takers.filter(leadsOn);
      known.set(slot, (leads = found.takers.length + found.sinks.length > 0));
    }
    return leads;
  };
  for (let slot = 0; slot < slots; slot++) leadsOn(slot);
  return of;
}

/** What draws with a choice run: of sinks, their numbers. Null: no sink is reached. */
export function treeOf(
  graph: Graph, slots: readonly (TableSlot | null)[], { enabled, entry }: Choice, no: No
): Branch<TableSlot, number> | null {
  const from = outgoing(graph, slots.length), taken = new Set(graph.edges.map(([, to]) => to));
  const isOn = (slot: number): boolean => slots[slot] !== null && (enabled >>> slot & 1) === 1;
  const takesInput = (slot: number): boolean => (entry === null ? !taken.has(slot) : slot === entry);
  /** The slots that take what a slot, or the input, gives, on or off, in the order in which packets go to them. */
  const takers = (slot: number): readonly number[] => (
    slot === INPUT ? [...slots.keys()].filter(takesInput) : from[slot]!.takers
  );
  let paths = 0;
  const leaf = (sink: number): Branch<TableSlot, number> => {
    if (++paths > MOST_PATHS) no(`more than ${MOST_PATHS} paths lead through its slots to sinks`);
    return { stages: [], branches: [], leaf: sink };
  };
  /** What is behind a slot. A slot that is off leaves its place to what is behind it: its siblings stay in order. */
  const behind = (slot: number): Branch<TableSlot, number>[] => [
    ...takers(slot).flatMap((to) => (isOn(to) ? unfold(to) ?? [] : behind(to))),
    ...(slot === INPUT ? [] : from[slot]!.sinks.map(leaf)),
  ];
  const unfold = (slot: number): Branch<TableSlot, number> | null => {
    const branches = behind(slot), stages = slot === INPUT ? [] : [slots[slot]!], [only] = branches;
    if (!only) return null;
    if (branches.length === 1) return { ...only, stages: [...stages, ...only.stages] };
    return { stages, branches, leaf: null };
  };
  return unfold(INPUT);
}
