// What modular pipelines report: their edges, and counters of their slots.
import { emittedBy, mapEntries, pathsOf, stagesOf, type EdgeLayout, type MapEntry } from '../../mpipe';
import type { PipelineStore } from '../../render/types';
import type { InterfaceVariable } from '../core/front-end';
import { linksOf } from '../pipelines/fragment-stages';
import { fragmentRateOf, sizeOf, type ChosenTree, type TableSlot } from './modular-slots';

/**
 * One edge of a modular pipeline in its current state: which attributes its packets hold, which were dropped, and which
 * have their default values. On an edge from a fragment stage, locations are numbers of links.
 */
export interface EdgeDescription extends EdgeLayout {
  /** Number of a slot, or the vertex buffers. */
  readonly from: number | 'input';
  /** Number of a slot, the fragment shader of a raster sink, the buffer of a sink, or the targets of a sink. */
  readonly to: number | 'fragment' | 'buffer' | 'targets';
  /** Number of the sink, if the edge leads to one. */
  readonly sink: number | null;
  /**
   * Bytes per vertex in a packet, which all edges from the same slot share. Positions that setup takes are not
   * included. 0 after fragment stages, whose links stay in registers.
   */
  readonly bytesPerVertex: number;
}

/** Counters of a slot's stage, for all finished passes. */
export interface SlotStatistics {
  /** Number of warps. For fragment stages, it is counted only with the feature "statistics". */
  readonly runs: number;
  /**
   * Vertices and primitives in the stage's input and output packets. `geometry` stages make new primitives; `primitive`
   * stages drop some of them. 0 for fragment stages.
   */
  readonly verticesIn: number;
  readonly verticesOut: number;
  readonly primitivesIn: number;
  readonly primitivesOut: number;
  /** Vertices that were emitted beyond `maxVertices`, and dropped. */
  readonly verticesDropped: number;
  /** The slot's share of the pipeline's `bytesHeld`. */
  readonly bytesHeld: number;
  /**
   * Numbers of the workers that ran the stage, in ascending order. Without workers, the calling thread is worker 0. For
   * fragment stages, they are noted only with the feature "statistics".
   */
  readonly workers: readonly number[];
}

/** Counters of a modular pipeline since its creation, or since one of its stages was replaced. */
export interface ModularPipelineStatistics {
  /**
   * Counters by slot, null for empty slots. A single vertex stage runs as in a render pipeline and counts nothing,
   * unless the pipeline names its `workers`.
   */
  readonly slots: readonly (SlotStatistics | null)[];
  /** Bytes of packets written to memory, for buffers and stages of other kinds; none between vertex stages. */
  readonly bytesCopied: number;
  /** Bytes of vertices in buffers that were moved to close gaps between the outputs of stages. */
  readonly bytesCompacted: number;
  /**
   * Bytes of memory for inputs that wait for their stages, per thread that runs them, in the current state of the
   * pipeline. `create({ budgets: { stageInputBytes } })` limits it.
   */
  readonly bytesHeld: number;
  /** Number of different choices of enabled slots that draw calls have used; each was linked once. */
  readonly choicesLinked: number;
  /**
   * Number of further choices that were linked in advance while the queue was empty, because they differ in one slot
   * from a used one. At most 64 are kept.
   */
  readonly choicesUnused: number;
  /** Number of programs in these choices that are compiled so far; the others are interpreted. */
  readonly programsCompiled: number;
}

const NO_COUNTS: SlotStatistics = {
  runs: 0,
  verticesIn: 0,
  verticesOut: 0,
  primitivesIn: 0,
  primitivesOut: 0,
  verticesDropped: 0,
  bytesHeld: 0,
  workers: [],
};

export const NO_STATISTICS: ModularPipelineStatistics = {
  slots: [],
  bytesCopied: 0,
  bytesCompacted: 0,
  bytesHeld: 0,
  choicesLinked: 0,
  choicesUnused: 0,
  programsCompiled: 0,
};

const sumCounts = (a: SlotStatistics, b: SlotStatistics): SlotStatistics => ({
  runs: a.runs + b.runs,
  verticesIn: a.verticesIn + b.verticesIn,
  verticesOut: a.verticesOut + b.verticesOut,
  primitivesIn: a.primitivesIn + b.primitivesIn,
  primitivesOut: a.primitivesOut + b.primitivesOut,
  verticesDropped: a.verticesDropped + b.verticesDropped,
  bytesHeld: a.bytesHeld + b.bytesHeld,
  workers: [...new Set([...a.workers, ...b.workers])].sort((one, other) => one - other),
});

/** A choice with its pipeline of the renderer. */
export interface LinkedChoice {
  readonly tree: ChosenTree;
  readonly store: PipelineStore;
}

/** Sums the counters of all choices. `initial`: the default choice. */
export function statisticsOf(
  table: readonly (TableSlot | null)[],
  choices: readonly LinkedChoice[],
  initial: LinkedChoice
): Omit<ModularPipelineStatistics, 'choicesUnused'> {
  const slots: (SlotStatistics | null)[] = table.map((slot) => (slot ? NO_COUNTS : null));
  const add = (slot: number, counts: Partial<SlotStatistics>): void => {
    slots[slot] = sumCounts(slots[slot]!, { ...NO_COUNTS, ...counts });
  };
  const compiled = new Set<object>();
  let bytesCopied = 0;
  let bytesCompacted = 0;
  for (const { tree, store } of choices) {
    const { flow } = store;
    const chosen = stagesOf(tree);
    bytesCopied += flow.bytesCopied;
    bytesCompacted += flow.bytesMoved;
    for (const program of store.compiled) compiled.add(program);
    flow.stages.forEach(({ dropped, ...counts }, i) => {
      const slot = chosen[i]!;
      const emits = emittedBy([slot.table]).length > 0;
      const verticesOut = emits ? counts.verticesOut : counts.verticesIn;
      add(slot.index, { ...counts, verticesOut, verticesDropped: dropped });
    });
    pathsOf(tree).forEach(({ leaf }, i) => {
      const counted = flow.pixels[i]!;
      const workers = [...counted.workers];
      for (const { index, d } of leaf.pixels) add(index, { runs: counted[fragmentRateOf(d.kind)!], workers });
    });
  }
  const { inputBytes: bytesHeld, inputsOfStages } = initial.store;
  const chosen = stagesOf(initial.tree);
  for (const { of, bytes } of inputsOfStages) if ('stage' in of) add(chosen[of.stage]!.index, { bytesHeld: bytes });
  return {
    slots,
    bytesCopied,
    bytesCompacted,
    bytesHeld,
    choicesLinked: choices.length,
    programsCompiled: compiled.size,
  };
}

/** The edges of a choice, on the vertex side and then on the pixel side of each sink. */
export function edgesOf({ tree, store }: LinkedChoice): EdgeDescription[] {
  const chosen = stagesOf(tree);
  const leaves = pathsOf(tree).map(({ leaf }) => leaf);
  let ends = 0;
  return store.edges.flatMap(({ from, to, sink, map, bytesPerVertex }) => {
    const pixels = to === null ? leaves[ends++]!.pixels : [];
    const [first] = pixels;
    const end = sink?.kind === 'buffer' ? 'buffer' : (first?.index ?? 'fragment');
    const edge: EdgeDescription = {
      from: from === null ? 'input' : chosen[from]!.index,
      to: to === null ? end : chosen[to]!.index,
      sink: first ? null : (sink?.number ?? null),
      ...map,
      bytesPerVertex,
    };
    return [edge, ...linkEdges(pixels, sink?.number ?? null)];
  });
}

/** The edges between fragment slots, and from the last one to its targets. */
function linkEdges(pixels: readonly TableSlot[], sink: number | null): EdgeDescription[] {
  const inputs = pixels.map(({ stage }) => componentsOf(stage.entry.inputs));
  const outputs = pixels.map(({ stage }) => componentsOf(stage.entry.outputs));
  const written = new Set<number>();
  return pixels.map(({ index }, i) => {
    for (const component of outputs[i]!) {
      for (let other = component & ~3; other <= (component | 3); other++) written.delete(other);
    }
    for (const component of outputs[i]!) written.add(component);
    const isRead = (component: number): boolean => {
      const link = component >> 2;
      for (let later = i + 1; later < pixels.length; later++) {
        if (inputs[later]!.includes(component)) return true;
        if (outputs[later]!.some((other) => other >> 2 === link)) return false;
      }
      return false;
    };
    const next = pixels[i + 1];
    return {
      from: index,
      to: next ? next.index : 'targets',
      sink: next ? null : sink,
      live: entriesOf([...written].filter(isRead)),
      dropped: entriesOf(outputs[i]!.filter((component) => !isRead(component))),
      defaulted: entriesOf((inputs[i + 1] ?? []).filter((component) => !written.has(component))),
      bytesPerVertex: 0,
    };
  });
}

/** The components of links, each as four times the link plus the component. */
const componentsOf = (variables: readonly InterfaceVariable[]): number[] =>
  linksOf(variables).flatMap(({ io: { link }, type }) =>
    Array.from({ length: sizeOf(type) }, (_, component) => 4 * link + component)
  );

const entriesOf = (components: readonly number[]): MapEntry[] =>
  mapEntries(components.map((component) => ({ location: component >> 2, component: component & 3 })));
