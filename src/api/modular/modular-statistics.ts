// What modular pipelines report: their edges, and counters of their slots.
import type { EdgeLayout } from '../../mpipe';

/**
 * One edge of a modular pipeline in its current state: which attributes its packets hold, which were dropped, and which
 * have their default values.
 */
export interface EdgeDescription extends EdgeLayout {
  /** Number of a slot, or the vertex buffers. */
  readonly from: number | 'input';
  /** Number of a slot, the fragment shader after setup, or the buffer of a sink. */
  readonly to: number | 'fragment' | 'buffer';
  /** Number of the sink, if the edge leads to one. */
  readonly sink: number | null;
  /**
   * Bytes per vertex in a packet, which all edges from the same slot share. Positions that setup takes are not
   * included.
   */
  readonly bytesPerVertex: number;
}

/** Counters of a slot's stage, for all finished passes. */
export interface SlotStatistics {
  /** Number of warps. */
  readonly runs: number;
  /**
   * Vertices and primitives in the stage's input and output packets. `geometry` stages make new primitives; `primitive`
   * stages drop some of them.
   */
  readonly verticesIn: number;
  readonly verticesOut: number;
  readonly primitivesIn: number;
  readonly primitivesOut: number;
  /** Vertices that were emitted beyond `maxVertices`, and dropped. */
  readonly verticesDropped: number;
  /** The slot's share of the pipeline's `bytesHeld`. */
  readonly bytesHeld: number;
}

/** Counters of a modular pipeline since its creation, or since one of its stages was replaced. */
export interface ModularPipelineStatistics {
  /**
   * Counters by slot, null for empty slots. A pipeline of only one vertex stage runs as a render pipeline and counts
   * nothing.
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
  /** Number of programs in these choices that are compiled so far; the others are interpreted. */
  readonly programsCompiled: number;
}

export const NO_COUNTS: SlotStatistics = {
  runs: 0,
  verticesIn: 0,
  verticesOut: 0,
  primitivesIn: 0,
  primitivesOut: 0,
  verticesDropped: 0,
  bytesHeld: 0,
};

export const NO_STATISTICS: ModularPipelineStatistics = {
  slots: [],
  bytesCopied: 0,
  bytesCompacted: 0,
  bytesHeld: 0,
  choicesLinked: 0,
  programsCompiled: 0,
};

export const sumCounts = (a: SlotStatistics, b: SlotStatistics): SlotStatistics => ({
  runs: a.runs + b.runs,
  verticesIn: a.verticesIn + b.verticesIn,
  verticesOut: a.verticesOut + b.verticesOut,
  primitivesIn: a.primitivesIn + b.primitivesIn,
  primitivesOut: a.primitivesOut + b.primitivesOut,
  verticesDropped: a.verticesDropped + b.verticesDropped,
  bytesHeld: a.bytesHeld + b.bytesHeld,
});
