// What stages of tessellation are: a pair, control and evaluation, of which a patch becomes primitives. Control points
// go past the first to the second.
import type { IrInput } from '../ir';

export type TessellationDomain = 'triangles' | 'quads' | 'lines';
export type TessellationSpacing = 'equal' | 'fractional-odd' | 'fractional-even';
export type TessellatedTopology = 'triangle-list' | 'line-list' | 'point-list';

export interface ControlStage {
  readonly kind: 'control';
  /** Control points of a patch. */
  readonly corners: number;
}

export interface EvaluationStage {
  readonly kind: 'evaluation';
  readonly corners: number;
  readonly domain: TessellationDomain;
  readonly spacing: TessellationSpacing;
  /** What becomes of a patch. */
  readonly topology: TessellatedTopology;
  readonly winding: 'ccw' | 'cw';
  /** Higher levels count as this, 1 to 64. */
  readonly maxLevel: number;
}

/** What a stage of tessellation takes and gives. */
export type PatchStage = ControlStage | EvaluationStage;

/** Vertices of a patch, at the most: as a grid has them. */
export const mostPatchVertices = ({ maxLevel }: EvaluationStage): number => (maxLevel + 1) * (maxLevel + 1);

/** Primitives that may come of a patch. */
export function mostPatchPrimitives(stage: EvaluationStage): number {
  const { domain, topology, maxLevel: level } = stage;
  if (topology === 'point-list') return mostPatchVertices(stage);
  return { lines: level * level, quads: 2 * level * level, triangles: Math.ceil(1.5 * level * level) }[domain];
}

/** Scalars of control points that an evaluation stage reads, in their order, by corner. */
export function controlPoints(inputs: readonly IrInput[]): Extract<IrInput, { kind: 'control_point' }>[] {
  return inputs.filter((input) => input.kind === 'control_point');
}
