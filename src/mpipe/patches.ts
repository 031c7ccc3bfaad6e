// Tessellation stages: a control stage and an evaluation stage, which together turn a patch into primitives. Control
// points bypass the control stage and go to the evaluation stage.
import type { IrInput } from '../ir';

export type TessellatedTopology = 'triangle-list' | 'line-list' | 'point-list';

interface ControlStage {
  readonly kind: 'control';
  /** Control points per patch. */
  readonly corners: number;
}

/** How a `tess_evaluation` stage divides patches. */
export interface PatchDivision {
  readonly domain: 'triangles' | 'quads' | 'lines';
  readonly spacing: 'equal' | 'fractional-odd' | 'fractional-even';
  readonly winding: 'ccw' | 'cw';
  /** Higher levels are clamped to this, 1 to 64. */
  readonly maxLevel: number;
}

export interface EvaluationStage extends PatchDivision {
  readonly kind: 'evaluation';
  readonly corners: number;
  /** The primitives that a patch becomes. */
  readonly topology: TessellatedTopology;
}

/** Parameters of a tessellation stage. */
export type PatchStage = ControlStage | EvaluationStage;

/** The maximum number of vertices of a patch, as in a grid. */
export const maxPatchVertices = ({ maxLevel }: EvaluationStage): number => (maxLevel + 1) * (maxLevel + 1);

/** The maximum number of primitives made from a patch. */
export function maxPatchPrimitives(stage: EvaluationStage): number {
  const { domain, topology, maxLevel: level } = stage;
  if (topology === 'point-list') return maxPatchVertices(stage);
  return { lines: level * level, quads: 2 * level * level, triangles: Math.ceil(1.5 * level * level) }[domain];
}

/** The control point scalars that an evaluation stage reads, in input order, by corner. */
export function controlPoints(inputs: readonly IrInput[]): Extract<IrInput, { kind: 'control_point' }>[] {
  return inputs.filter((input) => input.kind === 'control_point');
}
