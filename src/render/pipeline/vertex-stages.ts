// Encodes a pipeline's vertex stages as STAGE records (assembly/layout/program/stage.ts): the positions of their
// register files, the inputs and outputs of emitting stages, and the forks of the table.
import { BATCH_VERTICES } from '../../../assembly/layout/vertex/geometry-codes';
import {
  STAGE_BUFFER,
  STAGE_FORK,
  STAGE_GEOMETRY,
  STAGE_PRIMITIVE,
  STAGE_SETUP,
  STAGE_TESS_CONTROL,
  STAGE_TESS_EVALUATION,
  STAGE_VERTEX,
  STAGE_VIEWPORTS,
} from '../../../assembly/layout/program/stage-codes';
import { TESS_LEVELS } from '../../../assembly/layout/vertex/tessellation-codes';
import { PrimitiveList, Stage as StageRecord, StageInput as StageInputRecord } from '../../../build/layout';
import { assert } from '../../base/assert';
import type { IrInput, IrOutput } from '../../ir';
import {
  cornersOf,
  edgeInputs,
  emissionHeader,
  passesVerticesThrough,
  emittedBy,
  maxPatchPrimitives,
  packetBefore,
  placesIn,
  scalarsIn,
  type Packet,
  type Stage,
} from '../../mpipe';
import { topologyNumber } from '../enums';
import type { LinkedLeaf, LinkedPipeline } from '../shaders/linker';
import { evaluationFields, pointWords, tessellationBytes } from './tessellation';
import type { BufferSinkState, InputTopology, StageInput } from '../types';

/** A stage at its position in the table, as it is written to its STAGE record. */
interface PlacedStage {
  /** Fields that are the same for all draw calls, with their values. */
  readonly fields: readonly (readonly [number, number])[];
  /** Index of its shader among those of the vertex stages; null if it has none. */
  readonly program: number | null;
  /** Index of the next stage in this list; null if there is none. */
  readonly next: number | null;
  /** For a fork: indices of the stages that follow. */
  readonly branches: readonly number[];
  /** Contents of Stage.sources and Stage.words. */
  readonly sources: readonly number[];
  readonly words: readonly number[];
}

export interface VertexStages {
  /** The stages, each before those that follow it. */
  readonly placed: readonly PlacedStage[];
  /** Register of the last stage's first output in the first stage's file, if no stage emits. */
  readonly results: number;
  /** Maximum number of registers before the file of a stage. */
  readonly registersBefore: number;
  /** Bytes of all STAGE INPUTs and PRIMITIVE LISTs per worker; the purpose of each. */
  readonly inputBytes: number;
  readonly inputs: readonly StageInput[];
  /**
   * Maximum number of output vertices per primitive, through all emitting stages of all branches; 1 if there are none.
   * For tessellation a typical number, because shaders determine the actual one.
   */
  readonly amplification: number;
  /**
   * Number of scalars of each vertex that the first stage that does not run per vertex has in its STAGE INPUT; null if
   * there is no such stage, or if it is a sink or takes patches.
   */
  readonly stored: number | null;
}

export function builtinRegister(inputs: readonly IrInput[], builtin: string, component = -1): number {
  return inputs.findIndex(
    (input) =>
      input.kind === 'builtin'
      && input.builtin === builtin
      && (!('component' in input) || input.component === component)
  );
}

/** Register of a stage's result; -1 if it has no such result. */
export function resultRegister({ inputs, outputs }: Pick<Stage, 'inputs' | 'outputs'>, kind: IrOutput['kind']): number {
  const index = outputs.findIndex((output) => output.kind === kind);
  return index < 0 ? -1 : inputs.length + index;
}

/** Whether a stage chooses the shading rate of primitives. */
export const choosesRate = ({ outputs }: Pick<Stage, 'outputs'>): boolean =>
  outputs.some(({ kind }) => kind === 'shading_rate');

/** Whether a stage chooses the viewport or shading rate of primitives, which selects one of several DRAW records. */
export const choosesDraw = ({ outputs }: Pick<Stage, 'outputs'>): boolean =>
  outputs.some(({ kind }) => kind === 'viewport_index' || kind === 'shading_rate');

/** The topology that reaches setup. */
export function setupTopology(stages: readonly Stage[], assembled: InputTopology): InputTopology {
  return emittedBy(stages).at(-1)?.topology ?? assembled;
}

/** Byte offset in a vertex of each scalar in a stream output buffer. */
const sinkOffsets = ({ attributes }: BufferSinkState): number[] =>
  attributes.flatMap(({ size, offset }) => Array.from({ length: size }, (_, i) => offset + 4 * i));

/** A packet in memory: its contents, and the offsets of its vertices and of the list of primitives between them. */
interface Stored {
  readonly packet: Packet;
  readonly input: number;
  readonly list: number;
}

/**
 * What is known after a stage. `first`: register of the outputs with which the next file begins, in the first file of
 * the branch or in an emitted vertex. `before`: maximum number of registers before that vertex. `corners`: vertices of
 * a primitive. `hasViewports`: whether a stage has chosen viewports or rates.
 */
interface AfterStage {
  readonly first: number;
  readonly before: number;
  readonly corners: number;
  readonly hasViewports: boolean;
}

function kindOf({ emission, patch }: Stage): number {
  if (emission) return STAGE_GEOMETRY;
  if (!patch) return STAGE_VERTEX;
  return patch.kind === 'control' ? STAGE_TESS_CONTROL : STAGE_TESS_EVALUATION;
}

class Placer {
  readonly placed: PlacedStage[] = [];
  registersBefore = 0;
  inputBytes = 0;
  readonly inputs: StageInput[] = [];
  private programs = 0;
  /** The last control stage, and the scalars of its STAGE INPUT that it reads. */
  private control: { readonly stage: Stage; readonly sources: readonly number[] } | null = null;
  private sinks = 0;

  constructor(private readonly isForked: boolean) {}

  /**
   * Places a branch and everything after it. `from`: the stored packet before it, or null. Returns what is known at its
   * end.
   */
  branch(tree: LinkedPipeline<Stage>, from: Stored | null, at: AfterStage): AfterStage {
    const { stages, branches, leaf, packet } = tree;
    const [stage, ...rest] = stages;
    if (!stage) return leaf ? this.leaf(leaf, from, at) : this.fork(branches, packet!, at);
    if (passesVerticesThrough(stage)) return this.passed(tree, from, at);
    const place = this.placed.push(this.stage(stage, from, at)) - 1;
    const { emission, inputs, outputs, patch } = stage;
    let behind: AfterStage;
    if (emission) {
      const header = emissionHeader(emission);
      const each = (outputs.length - header) / emission.maxVertices;
      const before = inputs.length + header + (emission.maxVertices - 1) * each;
      behind = { ...at, first: 0, before, corners: cornersOf(emission.topology) };
    } else if (patch) {
      const made = patch.kind === 'evaluation' && cornersOf(patch.topology);
      behind = made ? { ...at, first: 0, before: inputs.length, corners: made } : at;
    } else {
      this.registersBefore = Math.max(this.registersBefore, at.before + at.first);
      behind = { ...at, first: at.first + inputs.length };
    }
    const next = this.placed.length;
    const end = this.branch({ stages: rest, branches, leaf, packet }, null, behind);
    if (this.placed.length > next) this.placed[place] = { ...this.placed[place]!, next };
    return end;
  }

  private stage(stage: Stage, from: Stored | null, { first, hasViewports }: AfterStage): PlacedStage {
    const { inputs, outputs, emission, patch } = stage;
    const read = edgeInputs(stage);
    const isRun = !emission && !patch;
    const fields: [number, number][] = [
      [StageRecord.kind, kindOf(stage)],
      [StageRecord.firstRegister, isRun ? first : 0],
      [StageRecord.vertexIndex, builtinRegister(inputs, 'vertex_index')],
      [StageRecord.instanceIndex, builtinRegister(inputs, 'instance_index')],
      [StageRecord.primitiveIndex, builtinRegister(inputs, 'primitive_index')],
    ];
    const packet: Packet = { hasPosition: false, places: read };
    const takes = emission ?? patch?.kind === 'control';
    const sources = from || takes ? placesIn(from?.packet ?? packet, packet) : [];
    const input = (): [number, number][] => this.inputFields(from, read.length, hasViewports, { stage: this.programs });
    const words: number[] = [];
    if (sources.length > 0) fields.push([StageRecord.components, sources.length]);
    if (emission) {
      const { corners, maxVertices, topology } = emission;
      fields.push(
        [StageRecord.corners, corners],
        [StageRecord.maxVertices, maxVertices],
        [StageRecord.outputs, (outputs.length - emissionHeader(emission)) / maxVertices],
        [StageRecord.topology, topologyNumber[topology]],
        ...input()
      );
    } else if (patch?.kind === 'control') {
      this.control = { stage, sources };
      fields.push(
        [StageRecord.corners, patch.corners],
        [StageRecord.outputs, outputs.length - TESS_LEVELS],
        ...input()
      );
    } else if (patch) {
      const { control } = this;
      assert(control !== null, 'render: an evaluation stage without a control stage');
      const at = this.take(tessellationBytes(stage, patch), { stage: this.programs });
      fields.push(...evaluationFields(stage, patch, at));
      words.push(...pointWords(stage, control.stage, control.sources));
    }
    return { fields, program: this.programs++, next: null, branches: [], sources, words };
  }

  private leaf({ state, sink }: LinkedLeaf, from: Stored | null, at: AfterStage): AfterStage {
    const number = this.sinks++;
    const fields: [number, number][] = [[StageRecord.sinkNumber, number]];
    if (state.kind === 'buffer') {
      const taken: Packet = { hasPosition: false, places: sink.kind === 'buffer' ? sink.takes : [] };
      const scalars = from ? placesIn(from.packet, taken) : taken.places.map((_, i) => i);
      const offsets = sinkOffsets(state.buffer);
      const { constants } = state.buffer;
      const words = [
        ...scalars.flatMap((scalar, i) => [scalar, offsets[i]!]),
        ...constants.flatMap(({ value, offset }) => [value, offset]),
      ];
      fields.push(
        [StageRecord.kind, STAGE_BUFFER],
        [StageRecord.components, scalars.length],
        [StageRecord.stride, state.buffer.arrayStride],
        [StageRecord.wordCount, scalars.length],
        [StageRecord.constantCount, constants.length],
        ...this.inputFields(from, scalars.length, at.hasViewports, { sink: state.number })
      );
      this.placed.push({ fields, program: null, next: null, branches: [], sources: [], words });
    } else if (this.isForked) {
      const behind = sink.kind === 'setup' ? sink.behind?.stages[0] : null;
      const taken: Packet = { hasPosition: true, places: behind ? edgeInputs(behind) : [] };
      const { hasViewports } = at;
      const sources = from || hasViewports ? placesIn(from?.packet ?? taken, taken) : [];
      fields.push([StageRecord.components, sources.length]);
      if (hasViewports)
        fields.push(
          [StageRecord.kind, STAGE_VIEWPORTS],
          ...this.inputFields(from, sources.length, true, { sink: state.number })
        );
      else fields.push([StageRecord.kind, STAGE_SETUP]);
      this.placed.push({ fields, program: null, next: null, branches: [], sources, words: [] });
    }
    return at;
  }

  private fork(branches: readonly LinkedPipeline<Stage>[], packet: Packet, at: AfterStage): AfterStage {
    const [only] = branches;
    // Not a fork: a single branch that begins with a primitive stage, which vertices pass unchanged.
    if (only && branches.length === 1) return this.branch(only, null, at);
    const { corners, hasViewports } = at;
    const stored = this.takeStored(packet, { fork: branches.length });
    const { input } = stored;
    const fields: [number, number][] = [
      [StageRecord.kind, STAGE_FORK],
      [StageRecord.components, scalarsIn(packet)],
      [StageRecord.outputs, scalarsIn(packet)],
      [StageRecord.corners, corners],
      [StageRecord.input, input],
      [StageRecord.list, input],
      [StageRecord.kept, input],
      [StageRecord.branchCount, branches.length],
      [StageRecord.hasViewports, hasViewports ? 1 : 0],
    ];
    const firsts: number[] = [];
    this.placed.push({ fields, program: null, next: null, branches: firsts, sources: [], words: [] });
    this.branches(branches, firsts, stored, at);
    return at;
  }

  private branches(trees: readonly LinkedPipeline<Stage>[], firsts: number[], from: Stored, at: AfterStage): void {
    for (const tree of trees) {
      firsts.push(this.placed.length);
      this.branch(tree, from, { ...at, first: 0, before: 0 });
    }
  }

  /**
   * Places a branch that begins with a primitive stage. Vertices pass it unchanged, and it writes a separate list of
   * the primitives that continue.
   */
  private passed(tree: LinkedPipeline<Stage>, from: Stored | null, at: AfterStage): AfterStage {
    const [stage, ...rest] = tree.stages as [Stage, ...Stage[]];
    const { inputs } = stage;
    const { corners, hasViewports } = at;
    const of = { stage: this.programs };
    const stored = from ?? this.takeStored(packetBefore(tree), of);
    const { packet } = stored;
    const scalars = scalarsIn(packet);
    const kept = this.take(PrimitiveList.bytes, of);
    const behind = rest.length > 0 || tree.leaf ? [{ ...tree, stages: rest }] : tree.branches;
    const sources = placesIn(packet, { hasPosition: false, places: edgeInputs(stage) });
    const firsts: number[] = [];
    const fields: [number, number][] = [
      [StageRecord.kind, STAGE_PRIMITIVE],
      [StageRecord.corners, corners],
      [StageRecord.components, sources.length],
      [StageRecord.outputs, scalars],
      [StageRecord.kept, kept],
      [StageRecord.branchCount, behind.length],
      [StageRecord.vertexIndex, -1],
      [StageRecord.instanceIndex, builtinRegister(inputs, 'instance_index')],
      [StageRecord.primitiveIndex, builtinRegister(inputs, 'primitive_index')],
      [StageRecord.cullRegister, resultRegister(stage, 'cull_primitive')],
      [StageRecord.viewportRegister, resultRegister(stage, 'viewport_index')],
      [StageRecord.rateRegister, resultRegister(stage, 'shading_rate')],
      ...this.inputFields(stored, scalars, hasViewports, of),
    ];
    this.placed.push({ fields, program: this.programs++, next: null, branches: firsts, sources, words: [] });
    const after = { ...at, hasViewports: hasViewports || choosesDraw(stage) };
    this.branches(behind, firsts, { ...stored, list: kept }, after);
    return at;
  }

  /** Fields for a stage's input: the stored packet, or a new one with `scalars` scalars per vertex. */
  private inputFields(
    from: Stored | null,
    scalars: number,
    hasViewports: boolean,
    of: StageInput['of']
  ): [number, number][] {
    const input = from?.input ?? this.takeInput(scalars, of);
    return [
      [StageRecord.input, input],
      [StageRecord.list, from?.list ?? input],
      [StageRecord.hasViewports, hasViewports ? 1 : 0],
    ];
  }

  /** Allocates a stored packet. Its vertices are stored with their indices. */
  private takeStored(packet: Packet, of: StageInput['of']): Stored {
    const input = this.takeInput(scalarsIn(packet) + 1, of);
    return { packet, input, list: input };
  }

  /** Allocates a STAGE INPUT with `scalars` scalars per vertex. */
  private takeInput(scalars: number, of: StageInput['of']): number {
    return this.take(StageInputRecord.vertices + scalars * BATCH_VERTICES * 4, of);
  }

  private take(bytes: number, of: StageInput['of']): number {
    const at = this.inputBytes;
    this.inputs.push({ of, bytes });
    this.inputBytes += bytes;
    return at;
  }
}

/** The number of primitives per patch that is assumed when geometry is split into tasks. */
const USUAL_AMPLIFICATION = 128;

function amplification({ stages, branches }: LinkedPipeline<Stage>): number {
  const behind = branches.reduce((all, branch) => all + amplification(branch), 0);
  return stages.reduce(
    (all, { emission, patch }) => {
      if (patch?.kind === 'evaluation') return all * Math.min(USUAL_AMPLIFICATION, maxPatchPrimitives(patch));
      return all * (emission?.maxVertices ?? 1);
    },
    Math.max(1, behind)
  );
}

function storedScalars(placed: readonly PlacedStage[]): number | null {
  const of = ({ fields }: PlacedStage, field: number): number => fields.find(([at]) => at === field)?.[1] ?? 0;
  const first = placed.find((stage) => of(stage, StageRecord.kind) !== STAGE_VERTEX);
  const kind = first && of(first, StageRecord.kind);
  if (kind === STAGE_PRIMITIVE) return of(first!, StageRecord.outputs);
  return kind === STAGE_GEOMETRY || kind === STAGE_FORK ? of(first!, StageRecord.components) : null;
}

export function placeStages(tree: LinkedPipeline<Stage>, assembled: InputTopology): VertexStages {
  const placer = new Placer(tree.branches.length > 0);
  const { first } = placer.branch(tree, null, {
    first: 0,
    before: 0,
    corners: cornersOf(assembled),
    hasViewports: false,
  });
  const { placed, registersBefore, inputBytes, inputs } = placer;
  const stored = storedScalars(placed);
  return { placed, results: first, registersBefore, inputBytes, inputs, amplification: amplification(tree), stored };
}
