// Encodes tessellation stages as STAGE and TESSELLATION records (assembly/layout): the pattern memory of a control and
// evaluation pair, and where the evaluation stage finds control points.
import { REGISTER_BYTES } from '../../../assembly/layout/limits';
import { STAGE_TESS_EVALUATION } from '../../../assembly/layout/program/stage-codes';
import {
  DOMAIN_LINES,
  DOMAIN_QUADS,
  DOMAIN_TRIANGLES,
  SPACING_EQUAL,
  SPACING_EVEN,
  SPACING_ODD,
} from '../../../assembly/layout/vertex/tessellation-codes';
import { Stage as StageRecord, Tessellation } from '../../../build/layout';
import type { IrInput } from '../../ir';
import {
  controlPoints,
  cornersOf,
  edgeInputs,
  maxPatchPrimitives,
  maxPatchVertices,
  type EvaluationStage,
  type Stage,
} from '../../mpipe';
import { topologyNumber } from '../enums';

const DOMAINS = { triangles: DOMAIN_TRIANGLES, quads: DOMAIN_QUADS, lines: DOMAIN_LINES };
const SPACINGS = { equal: SPACING_EQUAL, 'fractional-odd': SPACING_ODD, 'fractional-even': SPACING_EVEN };
/** Number of patterns of the largest size that fit into the cache at a time. More fit if they are smaller. */
const LARGEST_PATTERNS = 2;
/** Bytes that the kernel adds to each pattern for its records (assembly/vertex/pattern.ts). */
const PATTERN_ROOM = 2048;

/** Memory for a pattern under construction and for the cached ones. Large cached patterns contain vertices twice. */
function patternRoom(patch: EvaluationStage): {
  readonly vertices: number;
  readonly primitives: number;
  readonly bytes: number;
} {
  const vertices = Math.ceil(maxPatchVertices(patch) / 4) * 4;
  const primitives = Math.max(vertices, maxPatchPrimitives(patch));
  const bytes = LARGEST_PATTERNS * (vertices * 32 + primitives * cornersOf(patch.topology) * 2 + PATTERN_ROOM);
  return { vertices, primitives, bytes: Math.ceil(bytes / 16) * 16 };
}

/** Bytes of a TESSELLATION record with the data that follows it (assembly/vertex/pattern.ts). */
export function tessellationBytes(stage: Stage, patch: EvaluationStage): number {
  const { vertices, primitives, bytes } = patternRoom(patch);
  const values = edgeInputs(stage).length;
  const making = vertices * 16 + primitives * cornersOf(patch.topology) * 2 + 32;
  return Tessellation.bytes + values * REGISTER_BYTES + Math.ceil(making / 16) * 16 + bytes + 64;
}

export function evaluationFields(stage: Stage, patch: EvaluationStage, at: number): [number, number][] {
  const { inputs } = stage;
  const { vertices, primitives, bytes } = patternRoom(patch);
  const coordinate = (component: number): number => coordinateRegister(inputs, component);
  return [
    [StageRecord.kind, STAGE_TESS_EVALUATION],
    [StageRecord.components, edgeInputs(stage).length],
    [StageRecord.wordCount, controlPoints(inputs).length],
    [StageRecord.topology, topologyNumber[patch.topology]],
    [StageRecord.domain, DOMAINS[patch.domain]],
    [StageRecord.spacing, SPACINGS[patch.spacing]],
    [StageRecord.clockwise, patch.winding === 'cw' ? 1 : 0],
    [StageRecord.maxLevel, patch.maxLevel],
    [StageRecord.coordU, coordinate(0)],
    [StageRecord.coordV, coordinate(1)],
    [StageRecord.coordW, coordinate(2)],
    [StageRecord.tessellation, at],
    [StageRecord.patternVertices, vertices],
    [StageRecord.patternPrimitives, primitives],
    [StageRecord.patternBytes, bytes],
  ];
}

const coordinateRegister = (inputs: readonly IrInput[], component: number): number =>
  inputs.findIndex(
    (input) => input.kind === 'builtin' && input.builtin === 'tess_coord' && input.component === component
  );

/**
 * For each control point scalar that an evaluation stage reads: its corner, and its index in the input of the control
 * stage. `places`: the control stage's own scalars in its STAGE INPUT.
 */
export function pointWords({ inputs }: Stage, control: Stage, places: readonly number[]): number[] {
  const edge = edgeInputs(control);
  return controlPoints(inputs).flatMap(({ corner, location, component }) => [
    corner,
    places[edge.findIndex((input) => input.location === location && input.component === component)]!,
  ]);
}
