// The vertex side's stages of a pipeline, as STAGE records have them (assembly/layout/stage.ts): where their register
// files lie, and what stages that emit take and give.
import { BATCH_VERTICES } from '../../assembly/layout/geometry-codes';
import {
  STAGE_BUFFER, STAGE_GEOMETRY, STAGE_TESS_CONTROL, STAGE_TESS_EVALUATION, STAGE_VERTEX,
} from '../../assembly/layout/stage-codes';
import {
  DOMAIN_LINES, DOMAIN_QUADS, DOMAIN_TRIANGLES, SPACING_EQUAL, SPACING_EVEN, SPACING_ODD, TESS_LEVELS,
} from '../../assembly/layout/tessellation-codes';
import { Stage as StageRecord, StageInput, Tessellation } from '../../build/layout';
import type { IrInput } from '../ir';
import {
  controlPoints, edgeInputs, emissionHeader, madeBy, mostPatchPrimitives, mostPatchVertices, verticesOf,
  type EvaluationStage, type Stage,
} from '../mpipe';
import { REGISTER_BYTES } from '../../assembly/layout/limits';
import { topologyNumber } from './enums';
import type { BufferSinkState, InputTopology } from './types';

/** A stage in its place: the words of its STAGE record that do not change from draw to draw, by field. */
export interface PlacedStage {
  readonly fields: readonly (readonly [number, number])[];
  /** What Stage.words points at, of an evaluation stage. */
  readonly words?: readonly number[];
}

export interface VertexStages {
  readonly placed: readonly PlacedStage[];
  /** Where the last stage's outputs lie, in registers of the first one's file, if no stage emits. */
  readonly results: number;
  /** Registers that stages have before their files, at the most. */
  readonly registersBefore: number;
  /** Bytes of all STAGE INPUTs, a worker. */
  readonly inputBytes: number;
  /**
   * Vertices that may come of a primitive, through all stages that emit; 1 where there are none. Of tessellation what
   * is usual: how much it is, programs say.
   */
  readonly amplification: number;
}

export function builtinRegister(inputs: readonly IrInput[], builtin: string, component = -1): number {
  return inputs.findIndex((input) => input.kind === 'builtin' && input.builtin === builtin
    && (!('component' in input) || input.component === component));
}

/** What reaches setup of what is assembled. */
export function setupTopology(stages: readonly Stage[], assembled: InputTopology): InputTopology {
  return madeBy(stages).at(-1)?.topology ?? assembled;
}

/** A sink that is a buffer: scalars of the last stage's outputs, and the byte of a vertex that each goes to. */
export function sinkWords({ attributes }: BufferSinkState): readonly (readonly [number, number])[] {
  let component = 0;
  return attributes.flatMap(({ size, offset }) => Array.from(
    { length: size }, (_, i): [number, number] => [component++, offset + 4 * i]
  ));
}

/** What it reads of the edge before it. */
export function sinkEdge({ attributes }: BufferSinkState): Pick<Stage, 'inputs'> {
  return { inputs: attributes.flatMap(({ location, size }) => Array.from(
    { length: size }, (_, component): IrInput => ({ kind: 'attribute', location, component, type: 'u32' })
  )) };
}

/** Primitives of a patch that tasks are cut by. */
const USUAL_AMPLIFICATION = 128;
const DOMAINS = { triangles: DOMAIN_TRIANGLES, quads: DOMAIN_QUADS, lines: DOMAIN_LINES };
const SPACINGS = { equal: SPACING_EQUAL, 'fractional-odd': SPACING_ODD, 'fractional-even': SPACING_EVEN };
/** Patterns of the most that fit at a time; smaller ones are more. */
const LARGEST_PATTERNS = 2;
/** What the kernel adds to each for its records (assembly/vertex/pattern.ts). */
const PATTERN_ROOM = 2048;

/** Room for a pattern in the making, and for those that are kept, where large ones have vertices twice. */
function patternRoom(
  patch: EvaluationStage
): { readonly vertices: number; readonly primitives: number; readonly bytes: number } {
  const vertices = Math.ceil(mostPatchVertices(patch) / 4) * 4;
  const primitives = Math.max(vertices, mostPatchPrimitives(patch));
  const bytes = LARGEST_PATTERNS * (vertices * 32 + primitives * verticesOf(patch.topology) * 2 + PATTERN_ROOM);
  return { vertices, primitives, bytes: Math.ceil(bytes / 16) * 16 };
}

/** Of a TESSELLATION with what is behind it (assembly/vertex/pattern.ts). */
function tessellationBytes(stage: Stage, patch: EvaluationStage): number {
  const { vertices, primitives, bytes } = patternRoom(patch), values = edgeInputs(stage).length;
  const making = vertices * 16 + primitives * verticesOf(patch.topology) * 2 + 32;
  return Tessellation.bytes + values * REGISTER_BYTES + Math.ceil(making / 16) * 16 + bytes + 64;
}

function evaluationFields(stage: Stage, patch: EvaluationStage, at: number): [number, number][] {
  const { inputs } = stage, { vertices, primitives, bytes } = patternRoom(patch);
  const coordinate = (component: number): number => builtinRegister(inputs, 'tess_coord', component);
  return [
    [StageRecord.kind, STAGE_TESS_EVALUATION], [StageRecord.components, edgeInputs(stage).length],
    [StageRecord.wordCount, controlPoints(inputs).length], [StageRecord.topology, topologyNumber[patch.topology]],
    [StageRecord.domain, DOMAINS[patch.domain]], [StageRecord.spacing, SPACINGS[patch.spacing]],
    [StageRecord.clockwise, patch.winding === 'cw' ? 1 : 0], [StageRecord.maxLevel, patch.maxLevel],
    [StageRecord.coordU, coordinate(0)], [StageRecord.coordV, coordinate(1)], [StageRecord.coordW, coordinate(2)],
    [StageRecord.tessellation, at], [StageRecord.patternVertices, vertices],
    [StageRecord.patternPrimitives, primitives], [StageRecord.patternBytes, bytes],
  ];
}

/** Of each scalar of control points that an evaluation stage reads: its corner, and its place on control's edge. */
function pointWords({ inputs }: Stage, control: Stage): number[] {
  const edge = edgeInputs(control);
  return controlPoints(inputs).flatMap(({ corner, location, component }) => [
    corner, edge.findIndex((input) => input.location === location && input.component === component),
  ]);
}

export function placeStages(stages: readonly Stage[], sink: BufferSinkState | null): VertexStages {
  // `first`: where the outputs lie that the next file begins with: of the first file, or of an emitted vertex, which
  // has `before` it at the most.
  let first = 0, before = 0, registersBefore = 0, inputBytes = 0, amplification = 1;
  const placed = stages.map((stage, index): PlacedStage => {
    const { inputs, outputs, emission, patch } = stage;
    const fields: [number, number][] = [
      [StageRecord.kind, emission ? STAGE_GEOMETRY : STAGE_VERTEX], [StageRecord.firstRegister, emission ? 0 : first],
      [StageRecord.vertexIndex, builtinRegister(inputs, 'vertex_index')],
      [StageRecord.instanceIndex, builtinRegister(inputs, 'instance_index')],
      [StageRecord.primitiveIndex, builtinRegister(inputs, 'primitive_index')],
    ];
    if (patch?.kind === 'control') {
      const components = edgeInputs(stage).length;
      fields.push(
        [StageRecord.kind, STAGE_TESS_CONTROL], [StageRecord.corners, patch.corners],
        [StageRecord.components, components], [StageRecord.outputs, outputs.length - TESS_LEVELS],
        [StageRecord.input, inputBytes]
      );
      inputBytes += StageInput.vertices + components * BATCH_VERTICES * 4;
      return { fields };
    }
    if (patch) {
      fields.push(...evaluationFields(stage, patch, inputBytes));
      inputBytes += tessellationBytes(stage, patch);
      first = 0;
      before = inputs.length;
      amplification *= Math.min(USUAL_AMPLIFICATION, mostPatchPrimitives(patch));
      return { fields, words: pointWords(stage, stages[index - 1]!) };
    }
    if (!emission) {
      registersBefore = Math.max(registersBefore, before + first);
      first += inputs.length;
      return { fields };
    }
    const components = edgeInputs(stage).length, { corners, maxVertices, topology } = emission;
    const header = emissionHeader(emission), each = (outputs.length - header) / maxVertices;
    fields.push(
      [StageRecord.corners, corners], [StageRecord.components, components], [StageRecord.maxVertices, maxVertices],
      [StageRecord.outputs, each], [StageRecord.topology, topologyNumber[topology]],
      [StageRecord.input, inputBytes]
    );
    inputBytes += StageInput.vertices + components * BATCH_VERTICES * 4;
    first = 0;
    before = inputs.length + header + (maxVertices - 1) * each;
    amplification *= maxVertices;
    return { fields };
  });
  if (sink) {
    const words = sinkWords(sink).length;
    placed.push({ fields: [
      [StageRecord.kind, STAGE_BUFFER], [StageRecord.components, words], [StageRecord.stride, sink.arrayStride],
      [StageRecord.wordCount, words], [StageRecord.input, inputBytes],
    ] });
    inputBytes += StageInput.vertices + words * BATCH_VERTICES * 4;
  }
  return { placed, results: first, registersBefore, inputBytes, amplification };
}
