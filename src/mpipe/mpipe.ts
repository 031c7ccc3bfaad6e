// Pipelines as tables of shaders (design §4). A pipeline is a table of slots in the caller's order; a slot holds a
// program and an enable bit; disabled slots are skipped.
// A WebGPU render pipeline is two of them: [vertex] → setup and [fragment] → output.
import { assert } from '../base/assert';
import type { IrProgram } from '../ir';

export interface Slot { readonly program: IrProgram; readonly enabled: boolean }
export interface MPipe { readonly slots: readonly Slot[] }

/** The enabled programs in order. */
const activePrograms = (pipe: MPipe): readonly IrProgram[] => pipe.slots.filter((slot) => slot.enabled)
  .map((slot) => slot.program);

/**
 * The program of a table with at most one enabled slot, which is all that a WebGPU render pipeline has; null for none.
 */
export function onlyProgram(pipe: MPipe): IrProgram | null {
  const programs = activePrograms(pipe);
  assert(programs.length <= 1, `mpipe: ${programs.length} programs where one is linked`);
  return programs[0] ?? null;
}

/**
 * The two tables of a WebGPU render pipeline; without a fragment program the second has no slots, and only depth
 * reaches the output.
 */
export function renderPipelineTables(
  vertex: IrProgram, fragment: IrProgram | null
): { readonly geometry: MPipe; readonly pixel: MPipe } {
  return {
    geometry: { slots: [{ program: vertex, enabled: true }] },
    pixel: { slots: fragment ? [{ program: fragment, enabled: true }] : [] },
  };
}
