// Modular pipelines as graphs, with edges from slots to slots and to sinks. For a draw call, the enabled part of the
// graph from its entry slot on is unfolded into a tree (src/mpipe/tree.ts). Empty and disabled slots pass on their
// input.

import type { Fail } from '../core/device-core';
import type { Branch } from '../../mpipe';
import { fragmentRateOf, type Choice, type TableSlot } from './modular-slots';

/** Edges in order, those to sinks last. Packets of the same input are processed in this order. */
export interface Graph {
  readonly edges: readonly (readonly [from: number, to: number])[];
  /** For each sink, the slots from which edges lead to it. */
  readonly sinks: readonly (readonly number[])[];
}

/** Maximum number of paths from the input to sinks; each path has separate stages. */
export const MAX_PATHS = 64;

/** Makes the graph of a descriptor's `edges` and the `from` members of its sinks. */
export function graphOf(
  slots: readonly unknown[],
  edges: readonly (readonly number[])[] | undefined,
  sinks: readonly { readonly from?: readonly number[] | undefined }[],
  no: Fail
): Graph {
  const has = (slot: number): boolean => slot < slots.length;
  const known = (slot: number, at: string): number =>
    has(slot) ? slot : no(`${at} refers to slot ${slot}, but there are only ${slots.length} slots`);
  const pairs = edges
    ? edges.map((edge, i): [number, number] => {
        const at = `edges[${i}]`;
        if (edge.length !== 2) no(`${at} must have two slot numbers, from and to; it has ${edge.length}`);
        return [known(edge[0]!, at), known(edge[1]!, at)];
      })
    : Array.from({ length: Math.max(0, slots.length - 1) }, (_, i): [number, number] => [i, i + 1]);
  checkCycles(slots.length, pairs, no);
  const ends = slots
    .flatMap((_, slot) => (pairs.some(([from]) => from === slot) ? [] : [slot]))
    .filter((slot) => edges === undefined || slots[slot] !== null);
  return {
    edges: pairs,
    sinks: sinks.map(({ from }, i) => (from ? from.map((slot) => known(slot, `sinks[${i}].from`)) : ends)),
  };
}

function checkCycles(slots: number, edges: Graph['edges'], no: Fail): void {
  const done = new Set<number>();
  const visit = (slot: number, path: readonly number[]): void => {
    if (path.includes(slot)) no(`edges form a cycle: slots ${[...path.slice(path.indexOf(slot)), slot].join(' → ')}`);
    if (done.has(slot)) return;
    for (const [from, to] of edges) if (from === slot) visit(to, [...path, slot]);
    done.add(slot);
  };
  for (let slot = 0; slot < slots; slot++) visit(slot, []);
}

/** Number that represents the input in place of a slot. */
const INPUT = -1;

/** Slots and sinks to which edges lead from a slot, in the order of the edges. */
interface Outgoing {
  readonly consumers: readonly number[];
  readonly sinks: readonly number[];
}

/**
 * Returns the edges of each slot that lead to a sink eventually. The number of paths along other edges is not limited.
 */
function outgoing({ edges, sinks }: Graph, slots: number): Outgoing[] {
  const of = Array.from({ length: slots }, () => ({ consumers: [] as number[], sinks: [] as number[] }));
  for (const [from, to] of edges) of[from]!.consumers.push(to);
  for (const [sink, from] of sinks.entries()) for (const slot of from) of[slot]!.sinks.push(sink);
  const known = new Map<number, boolean>();
  const leadsToSink = (slot: number): boolean => {
    let leads = known.get(slot);
    if (leads === undefined) {
      const found = of[slot]!;
      found.consumers = found.consumers.filter(leadsToSink);
      known.set(slot, (leads = found.consumers.length + found.sinks.length > 0));
    }
    return leads;
  };
  for (let slot = 0; slot < slots; slot++) leadsToSink(slot);
  return of;
}

/** Slots to which edges lead from a slot, and the slot itself. */
function reachable({ edges }: Graph, slot: number): ReadonlySet<number> {
  const found = new Set([slot]);
  for (const at of found) for (const [from, to] of edges) if (from === at) found.add(to);
  return found;
}

/**
 * Returns the tree of stages that draw calls with a choice run; leaves are sink numbers. Null if it reaches no sink.
 */
export function treeOf(
  graph: Graph,
  slots: readonly (TableSlot | null)[],
  { enabled, entry, pixelEntry }: Choice,
  no: Fail
): Branch<TableSlot, number> | null {
  const from = outgoing(graph, slots.length);
  const taken = new Set(graph.edges.map(([, to]) => to));
  const entered = pixelEntry === null ? null : reachable(graph, pixelEntry);
  const isEntered = (slot: number): boolean => entered?.has(slot) ?? true;
  const isOn = (slot: number): boolean => {
    const held = slots[slot] ?? null;
    if (held === null || ((enabled >>> slot) & 1) === 0) return false;
    return entered === null || entered.has(slot) || fragmentRateOf(held.d.kind) === null;
  };
  const startsAtInput = (slot: number): boolean => (entry === null ? !taken.has(slot) : slot === entry);
  /** Slots that take the output of a slot or the input, enabled or not, in the order in which they get packets. */
  const consumers = (slot: number): readonly number[] =>
    slot === INPUT ? [...slots.keys()].filter(startsAtInput) : from[slot]!.consumers;
  let paths = 0;
  const leaf = (sink: number): Branch<TableSlot, number> => {
    if (++paths > MAX_PATHS) no(`more than ${MAX_PATHS} paths lead through its slots to its sinks`);
    return { stages: [], branches: [], leaf: sink };
  };
  /** The branches after a slot. A disabled slot is replaced by its successors, so that its siblings stay in order. */
  const branchesAfter = (slot: number): Branch<TableSlot, number>[] => [
    ...consumers(slot).flatMap((to) => (isOn(to) ? (unfold(to) ?? []) : branchesAfter(to))),
    ...(slot === INPUT || !isEntered(slot) ? [] : from[slot]!.sinks.map(leaf)),
  ];
  const unfold = (slot: number): Branch<TableSlot, number> | null => {
    const branches = branchesAfter(slot);
    const stages = slot === INPUT ? [] : [slots[slot]!];
    const [only] = branches;
    if (!only) return null;
    if (branches.length === 1) return { ...only, stages: [...stages, ...only.stages] };
    return { stages, branches, leaf: null };
  };
  return unfold(INPUT);
}
