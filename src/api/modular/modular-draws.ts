// What passes know of modular pipelines. A page loads the rest of this folder with the first device that has the
// feature (modularPipelines in ../adapter.ts).

import { cornersOf, emittedBy, isStrip, passesVerticesThrough, primitivesOf, type StageShader } from '../../mpipe';
import type { InputTopology } from '../../render/types';
import type { ApiObject, Fail } from '../core/device-core';
import { slot } from '../idl/interface';
import type { RenderPipelineCore } from '../pipelines/pipeline';

/**
 * The enabled slots as bits, and the entry slots of the vertex side and of the pixel side. With null, the edges
 * determine where draw calls enter.
 */
export interface Choice {
  readonly enabled: number;
  readonly entry: number | null;
  readonly pixelEntry: number | null;
}

export const MAX_SINKS = 32;

/** A modular pipeline, as draw calls use it. */
export interface ModularDraws extends ApiObject {
  readonly choice: Choice;
  /** The pipeline for the default choice. Only for valid pipelines. */
  readonly initial: RenderPipelineCore;
  /** Numbers of the sinks that are buffers. */
  readonly bufferSinks: readonly number[];
  /** Whether the slot holds a fragment stage. */
  isPixelSlot(index: number): boolean;
  /** Requires that the slot holds a stage. */
  checkSlot(index: number, no: Fail): void;
  /**
   * Returns the pipeline for a choice, linking it at the first call. Nothing is compiled here, unless `engine: 'jit'`
   * requires it.
   */
  variant(choice: Choice, no: Fail): RenderPipelineCore;
}
export const modularPipelineSlot = slot<ModularDraws>('ModularPipeline');

/**
 * Number of vertices that a draw call writes to a buffer sink, as far as it is known before it runs. Returns 0 if
 * stages emit or drop primitives, or if the indices of a strip may restart it.
 */
export function knownVertices(
  topology: InputTopology,
  stages: readonly StageShader[],
  indexed: boolean,
  count: number,
  instances: number
): number {
  const varies = emittedBy(stages).length > 0 || stages.some(({ program }) => passesVerticesThrough(program));
  return varies || (indexed && isStrip(topology)) ? 0 : instances * primitivesOf(topology, count) * cornersOf(topology);
}
