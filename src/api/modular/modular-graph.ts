// Modular pipelines as graphs, with edges from slots to slots and to sinks. For a draw call, the enabled part of the
// graph from its entry slot on is unfolded into a tree (src/mpipe/tree.ts). Empty and disabled slots pass on their
// input.

import type { Fail } from '../core/device-core';
import { MAX_STREAMS, type Branch } from '../../mpipe';
import type { Choice } from './modular-draws';
import { fragmentRateOf, streamSlot, type TableSlot } from './modular-slots';

/** Edges in order, those to sinks last. Packets of the same input are processed in this order. */
export interface Graph {
  readonly edges: readonly Edge[];
  /** For each sink, the slots from which edges lead to it, and the stream that goes along them. */
  readonly sinks: readonly IncomingEdges[];
}

/** An edge between slots, for a stream of the first one. */
export type Edge = readonly [from: number, to: number, stream: number];
export interface IncomingEdges {
  readonly slots: readonly number[];
  readonly stream: number;
}

/** Maximum number of paths from the input to sinks; each path has separate stages. */
export const MAX_PATHS = 64;

/** Makes the graph of a descriptor's `edges` and the `from` members of its sinks. */
export function graphOf(
  slots: readonly unknown[],
  edges: readonly (readonly number[])[] | undefined,
  sinks: readonly { readonly from?: readonly number[] | undefined; readonly stream: number }[],
  no: Fail
): Graph {
  const has = (slot: number): boolean => slot < slots.length;
  const known = (slot: number, at: string): number =>
    has(slot) ? slot : no(`${at} refers to slot ${slot}, but there are only ${slots.length} slots`);
  const stream = (number: number, at: string): number =>
    number < MAX_STREAMS ? number : no(`${at}: stream ${number} must be less than ${MAX_STREAMS}`);
  const pairs = edges
    ? edges.map((edge, i): Edge => {
        const at = `edges[${i}]`;
        if (edge.length !== 2 && edge.length !== 3)
          no(`${at} must have two slot numbers, from and to, and may have a stream; it has ${edge.length} numbers`);
        return [known(edge[0]!, at), known(edge[1]!, at), stream(edge[2] ?? 0, at)];
      })
    : Array.from({ length: Math.max(0, slots.length - 1) }, (_, i): Edge => [i, i + 1, 0]);
  checkCycles(slots.length, pairs, no);
  const ends = slots
    .flatMap((_, slot) => (pairs.some(([from]) => from === slot) ? [] : [slot]))
    .filter((slot) => edges === undefined || slots[slot] !== null);
  return {
    edges: pairs,
    sinks: sinks.map(({ from, stream: number }, i) => ({
      slots: from ? from.map((slot) => known(slot, `sinks[${i}].from`)) : ends,
      stream: stream(number, `sinks[${i}]`),
    })),
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

/** Slots and sinks to which edges lead from a slot, in the order of the edges. */
interface Outgoing {
  readonly consumers: readonly OutgoingEdge[];
  readonly sinks: readonly OutgoingEdge[];
}
interface OutgoingEdge {
  readonly to: number;
  readonly stream: number;
}
const NO_EDGES: Outgoing = { consumers: [], sinks: [] };

/**
 * Returns the edges of each slot that lead to a sink eventually. The number of paths along other edges is not limited.
 */
function outgoing({ edges, sinks }: Graph, slots: number): Outgoing[] {
  const of = Array.from({ length: slots }, () => ({ consumers: [] as OutgoingEdge[], sinks: [] as OutgoingEdge[] }));
  for (const [from, to, stream] of edges) of[from]!.consumers.push({ to, stream });
  for (const [to, { slots: from, stream }] of sinks.entries())
    for (const slot of from) of[slot]!.sinks.push({ to, stream });
  const known = new Map<number, boolean>();
  const leadsToSink = (slot: number): boolean => {
    let leads = known.get(slot);
    if (leads === undefined) {
      const found = of[slot]!;
      found.consumers = found.consumers.filter(({ to }) => leadsToSink(to));
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
  let paths = 0;
  const leaf = (sink: number): Branch<TableSlot, number> => {
    if (++paths > MAX_PATHS) no(`more than ${MAX_PATHS} paths lead through its slots to its sinks`);
    return { stages: [], branches: [], leaf: sink };
  };
  const isOfStream =
    (stream: number) =>
    (edge: OutgoingEdge): boolean =>
      edge.stream === stream;
  /**
   * The branches along edges, for slots in the order in which they get packets. A disabled slot is replaced by its
   * successors, so that its siblings stay in order. It has no streams except stream 0.
   */
  const branchesAlong = ({ consumers, sinks }: Outgoing, stream: number): Branch<TableSlot, number>[] => [
    ...consumers.filter(isOfStream(stream)).flatMap(({ to }) => (isOn(to) ? unfold(to) : branchesAlong(behind(to), 0))),
    ...sinks.filter(isOfStream(stream)).map(({ to }) => leaf(to)),
  ];
  /** The edges from a slot. Fragments that enter later do not leave through sinks. */
  const behind = (slot: number): Outgoing => (isEntered(slot) ? from[slot]! : { ...from[slot]!, sinks: [] });
  /** A slot and everything after it, once for each stream with edges. */
  const unfold = (slot: number): Branch<TableSlot, number>[] => {
    const edges = behind(slot);
    const streams = new Set([...edges.consumers, ...edges.sinks].map(({ stream }) => stream));
    return [...streams].sort().flatMap((stream) => {
      const stage = streamSlot(slots[slot]!, stream);
      const branches = stage ? branchesAlong(edges, stream) : [];
      return stage ? (joined([stage], branches) ?? []) : [];
    });
  };
  const firsts = [...slots.keys()].filter(startsAtInput).map((to) => ({ to, stream: 0 }));
  return joined([], branchesAlong({ ...NO_EDGES, consumers: firsts }, 0));
}

/** Stages, followed by branches; null if there are none. */
function joined(
  stages: readonly TableSlot[],
  branches: readonly Branch<TableSlot, number>[]
): Branch<TableSlot, number> | null {
  const [only] = branches;
  if (!only) return null;
  if (branches.length === 1) return { ...only, stages: [...stages, ...only.stages] };
  return { stages, branches, leaf: null };
}
