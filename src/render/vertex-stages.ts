// The vertex side's stages of a pipeline, as STAGE records have them (assembly/layout/stage.ts): where their register
// files lie, and what stages that emit take and give.
import { BATCH_VERTICES } from '../../assembly/layout/geometry-codes';
import { STAGE_BUFFER, STAGE_GEOMETRY, STAGE_VERTEX } from '../../assembly/layout/stage-codes';
import { Stage as StageRecord, StageInput } from '../../build/layout';
import type { IrInput } from '../ir';
import { edgeInputs, emissionHeader, type Stage } from '../mpipe';
import { topologyNumber } from './enums';
import type { BufferSinkState, InputTopology } from './types';

/** A stage in its place: the words of its STAGE record that do not change from draw to draw, by field. */
export interface PlacedStage { readonly fields: readonly (readonly [number, number])[] }

export interface VertexStages {
  readonly placed: readonly PlacedStage[];
  /** Where the last stage's outputs lie, in registers of the first one's file, if no stage emits. */
  readonly results: number;
  /** Registers that stages have before their files, at the most. */
  readonly registersBefore: number;
  /** Bytes of all STAGE INPUTs, a worker. */
  readonly inputBytes: number;
  /** Vertices that may come of a primitive, through all stages that emit; 1 where there are none. */
  readonly amplification: number;
}

export function builtinRegister(inputs: readonly IrInput[], builtin: string, component = -1): number {
  return inputs.findIndex((input) => input.kind === 'builtin' && input.builtin === builtin
    && (input.builtin !== 'position' || input.component === component));
}

/** What reaches setup of what is assembled. */
export function setupTopology(stages: readonly Stage[], assembled: InputTopology): InputTopology {
  return stages.reduce((topology, { emission }) => emission?.topology ?? topology, assembled);
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

export function placeStages(stages: readonly Stage[], sink: BufferSinkState | null): VertexStages {
  // `first`: where the outputs lie that the next file begins with: of the first file, or of an emitted vertex, which
  // has `before` it at the most.
  let first = 0, before = 0, registersBefore = 0, inputBytes = 0, amplification = 1;
  const placed = stages.map((stage): PlacedStage => {
    const { inputs, outputs, emission } = stage;
    const fields: [number, number][] = [
      [StageRecord.kind, emission ? STAGE_GEOMETRY : STAGE_VERTEX], [StageRecord.firstRegister, emission ? 0 : first],
      [StageRecord.vertexIndex, builtinRegister(inputs, 'vertex_index')],
      [StageRecord.instanceIndex, builtinRegister(inputs, 'instance_index')],
      [StageRecord.primitiveIndex, builtinRegister(inputs, 'primitive_index')],
    ];
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
