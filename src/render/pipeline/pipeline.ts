// A render pipeline in device memory: its linked stages, and templates with the parts of DRAW records that are the same
// for all draw calls.
import {
  DRAW_FLAG_ALPHA_TO_COVERAGE,
  DRAW_FLAG_DEFERRED,
  DRAW_FLAG_EARLY,
  DRAW_FLAG_LATE_DEPTH,
  DRAW_FLAG_STENCIL,
  DRAW_FLAG_ACCESSES,
  DRAW_FLAG_SECOND_PART,
  DRAW_FLAG_READS,
  DRAW_FLAG_RUNS_ALL,
  DRAW_FLAG_UNCLIPPED_DEPTH,
  DRAW_FLAG_UNORDERED,
  DRAW_FLAG_WRITES,
} from '../../../assembly/layout/pass/draw-codes';
import { SETS_SAMPLE_MASK } from '../../../assembly/layout/tile/sample-sets-codes';
import { RATE_PIXEL, RATE_SAMPLE, RATE_SET } from '../../../assembly/layout/program/stage-codes';
import { COMPARE_ALWAYS } from '../../../assembly/layout/texture/texture-codes';
import { Attribute, Draw, Stage as StageRecord, StencilFace as StencilFaceRecord, Target } from '../../../build/layout';
import {
  accessUse,
  readsOtherLanes,
  costOf,
  hasLoop,
  isTargetContents,
  shaderDepthTest,
  RATE_LOCATION,
  type IrInput,
} from '../../ir';
import { rateFallback, type RateFallback } from '../../shading-rate';
import { hasDepth, hasStencil } from '../../surface';
import {
  cornersOf,
  edgeBefore,
  isOfPrimitive,
  passesVerticesThrough,
  emittedBy,
  packetBefore,
  pathsOf,
  stagesOf,
  type EdgeInput,
  type Stage,
} from '../../mpipe';
import { compareNumber, cullNumber, stencilNumber, topologyNumber, vertexFormatNumber } from '../enums';
import { pipelineEdges, pipelineFlow } from './flow';
import type { LeafOrder } from './draw-order';
import type { LinkedPipeline } from '../shaders/linker';
import { MAX_CALLER_OPERATIONS, type StageProgram } from '../shaders/stage-program';
import { storesSamples } from '../resources/surface-record';
import { putDestinations, type PrepareDestination } from './destinations';
import { putCoarseStages } from './coarse-stages';
import { putSampleSets } from './sample-sets';
import { blends, putTarget, type PrepareTarget } from './target';
import {
  builtinRegister,
  choosesDraw,
  choosesRate,
  placeStages,
  resultRegister,
  setupTopology,
  type VertexStages,
} from './vertex-stages';
import type {
  InputTopology,
  OutputState,
  PipelineState,
  PipelineStore,
  ProcessingOrder,
  SinkState,
  StageCounts,
  StageInput,
  StencilFace,
  PipelineEdge,
  PipelineFlow,
} from '../types';

/** The source of one vertex attribute. It is resolved against the bound buffers for each draw call. */
export interface AttributeSource {
  readonly slot: number;
  readonly offset: number;
  readonly stride: number;
  readonly perInstance: boolean;
  readonly format: GPUVertexFormat;
  /** Registers of the components; -1 for components that the shader does not read. */
  readonly registers: readonly [number, number, number, number];
}

/** Sizes of register files, in registers. */
export interface Registers {
  readonly vertices: number;
  readonly pixels: number;
}

/** A sink of the vertex stages. It has its own DRAW record if they fork. */
export interface Leaf {
  readonly state: SinkState;
  /** The fragment shader or its first part; null if there is none. */
  readonly fragment: StageProgram | null;
  /** Words of a DRAW record, with only as many targets as the pipeline has. */
  readonly template: Uint32Array;
  /** Words of DESTINATIONS; null without framebuffer fetch. */
  readonly destinations: Uint32Array | null;
  /** Words of SAMPLE SETS; null if no part runs for sample sets. */
  readonly sets: Uint32Array | null;
  /** The second part of the shader; null if it is in one piece. */
  readonly secondPart: LeafPart | null;
  /** The parts of a shader whose coarse stages may run separately from finer ones; null for other shaders. */
  readonly coarse: CoarseLeaf | null;
  /** Maximum number of primitives that reach the sink per assembled primitive, and vertices of each. */
  readonly share: number;
  readonly corners: number;
  /** Whether an earlier stage emits or drops primitives, so that their number is not known in advance. */
  readonly emits: boolean;
  /** Whether an earlier stage chooses viewports or rates; whether one chooses rates. */
  readonly hasViewports: boolean;
  readonly hasRates: boolean;
  /** Index of the varying with the provoking vertex's rate, as in ShadingRates.primitive; -1 if there is none. */
  readonly primitiveRate: number;
  /** Why the shader always runs at 1×1; null if it may run at any rate. */
  readonly rateFallback: RateFallback | null;
  readonly order: LeafOrder;
}

/** A part of a sink's fragment shader. */
export type LeafPart = Pick<Leaf, 'template' | 'destinations'> & { readonly fragment: StageProgram };

export interface CoarseLeaf {
  /** Words of COARSE STAGES. */
  readonly stages: Uint32Array;
  readonly first: LeafPart;
  readonly pixels: LeafPart & Pick<Leaf, 'sets' | 'secondPart'>;
}

/** Kernel functions that complete records. */
export interface Prepare {
  readonly target: PrepareTarget;
  readonly destination: PrepareDestination;
}

/** Cost of finding a pixel and blending, in operations. Cost of an interpreted operation relative to a compiled one. */
const PIXEL_COST = 16;
const INTERPRETED_TIMES = 8;

const maxRegisters = (stages: readonly StageProgram[]): number =>
  stages.reduce((most, { registers }) => Math.max(most, registers), 0);

export class Pipeline implements PipelineStore {
  /** The sinks of its vertex stages, at least one. */
  readonly leaves: readonly Leaf[];
  readonly hasBufferSinks: boolean;
  /** Whether nothing is drawn because all sinks are stream output. */
  readonly hasOnlyBufferSinks: boolean;
  readonly needsOrder: boolean;
  /**
   * Whether there is one vertex shader and one fragment shader in one piece. Only the DRAW record itself then refers to
   * what they read.
   */
  readonly isPlain: boolean;
  /** The first sink's template, which also describes the vertex stages. */
  readonly template: Uint32Array;
  readonly attributes: readonly AttributeSource[];
  /** Words of ATTRIBUTE records, without buffer addresses. */
  readonly attributeTable: Uint32Array;
  /** Output register of each varying. */
  readonly varyingSources: Int32Array;
  /** Vertex stages, pixel stages, and all stages, in the order in which they run. */
  readonly geometry: readonly StageProgram[];
  readonly pixel: readonly StageProgram[];
  readonly stages: readonly StageProgram[];
  /** Whether any shader has a loop. Without loops, an invocation never takes long. */
  readonly hasLoop: boolean;
  readonly readsBlendConstant: boolean;
  readonly vertexStages: VertexStages;
  /** Whether its vertices have clip distances. */
  readonly hasDistances: boolean;
  /** Counters of each vertex stage, and the number of assembled vertices, in passes that are done. */
  private readonly counts: { -readonly [Count in keyof StageCounts]: number }[];
  private vertices = 0;
  private moved = 0;
  private alive = true;
  /** The cost for `pixelCost` in compiled code. */
  private cost: number | null = null;

  /** `tree`: the stages of its tables before and after setup. The pipeline releases them when it is destroyed. */
  constructor(
    readonly state: PipelineState,
    private readonly tree: LinkedPipeline<StageProgram>,
    prepare: Prepare
  ) {
    const {
      primitive: { topology },
    } = state;
    const paths = pathsOf(tree);
    this.geometry = stagesOf(tree);
    this.pixel = paths.flatMap(({ leaf }) => leaf.pixel.stages);
    this.stages = [...this.geometry, ...this.pixel];
    this.readsBlendConstant = this.pixel.some(({ resources }) =>
      resources.some(({ kind }) => kind === 'blend-constant')
    );
    this.hasLoop = this.stages.some(({ program }) => hasLoop(program.body));
    this.attributes = attributeSources(state, tree.stages[0]?.inputs ?? packetInputs(tree));
    this.attributeTable = attributeWords(this.attributes);
    this.vertexStages = placeStages(tree, topology);
    this.counts = this.geometry.map(() => ({ runs: 0, primitivesIn: 0, verticesOut: 0, primitivesOut: 0, dropped: 0 }));
    this.hasDistances = paths.some(({ stages }) => distancesOf(stages).count > 0);
    this.leaves = paths.map(({ stages, leaf }): Leaf => {
      const { whole, coarse } = partsOf(leaf.pixel.stages);
      const set = setupTopology(stages, topology);
      const [fragment = null, secondPart = null] = whole;
      const output = ownTested(leaf.state.kind === 'raster' ? leaf.state.output : state, whole);
      const made = emittedBy(stages);
      const flags = drawFlags(output, whole);
      const words = { rate: rateCode(whole), distances: distancesOf(stages) };
      const part = (stage: StageProgram | null, own: number): Pick<Leaf, 'template' | 'destinations'> => ({
        template: drawTemplate(output, this.vertexStages, set, stage, { ...words, flags: flags | own }, prepare.target),
        destinations: stage && reads(stage) ? putDestinations(output.targets, stage, prepare.destination) : null,
      });
      const setsOf = (first: StageProgram, second: StageProgram | null): Pick<Leaf, 'sets' | 'secondPart'> => ({
        sets: first.sets ? putSampleSets(first, second, output, isLate(output, whole)) : null,
        secondPart: second && { fragment: second, ...part(second, DRAW_FLAG_SECOND_PART) },
      });
      return {
        state: leaf.state,
        fragment,
        corners: cornersOf(set),
        emits: made.length > 0 || stages.some(passesVerticesThrough),
        hasViewports: leaf.state.kind === 'raster' && stages.some(choosesDraw),
        hasRates: leaf.state.kind === 'raster' && stages.some(choosesRate),
        primitiveRate: edgeBefore(fragment).varyings.findIndex(({ location }) => location === RATE_LOCATION),
        rateFallback: fallbackOf(output, whole, coarse),
        ...part(fragment, 0),
        ...(fragment ? setsOf(fragment, secondPart) : { sets: null, secondPart: null }),
        coarse: coarse && {
          stages: putCoarseStages(coarse),
          first: { fragment: coarse[0], ...part(coarse[0], 0) },
          pixels: { fragment: coarse[1], ...part(coarse[1], 0), ...setsOf(coarse[1], coarse[2] ?? null) },
        },
        // Sample sets wait in memory that belongs to one draw call.
        order: orderOf(
          output,
          whole.some(({ sets }) => sets) ? flags | KEEPS_ORDER : flags,
          state.processingOrder?.pixel ?? 'auto'
        ),
        share: Math.max(
          1,
          made.reduce((all, { most }) => all * most, 1)
        ),
      };
    });
    this.needsOrder = paths.some(
      ({ leaf }) => leaf.state.kind === 'raster' && !leaf.state.output.isUnordered && leaf.pixel.stages.some(reads)
    );
    this.hasBufferSinks = this.leaves.some((leaf) => leaf.state.kind === 'buffer');
    this.hasOnlyBufferSinks = this.leaves.every((leaf) => leaf.state.kind === 'buffer');
    const [leaf] = this.leaves as [Leaf];
    const { template, fragment } = leaf;
    const { results, placed } = this.vertexStages;
    this.isPlain =
      !this.hasStageCounters
      && placed.length === 1
      && placed[0]!.sources.length === 0
      && !leaf.sets
      && !leaf.secondPart
      && !leaf.coarse
      && !leaf.hasViewports;
    this.template = template;
    const { varyings } = edgeBefore(fragment);
    this.varyingSources = Int32Array.from(varyings, (varying, i) => (isOfPrimitive(varying) ? -1 : results + 4 + i));
  }

  get isAlive(): boolean {
    return this.alive;
  }

  /** Whether there is more than a vertex stage, so that counters of its stages are reported. */
  get hasStageCounters(): boolean {
    return this.geometry.length > 1 || this.vertexStages.inputBytes > 0;
  }

  /** Whether its vertex stages fork. */
  get isForked(): boolean {
    return this.tree.branches.length > 0;
  }

  count(index: number, counted: StageCounts): void {
    const counts = this.counts[index]!;
    for (const name of Object.keys(counts) as (keyof StageCounts)[]) counts[name] += counted[name];
  }

  /** Adds bytes that were moved to close gaps in stream output. */
  countMoved(bytes: number): void {
    this.moved += bytes;
  }

  /** Adds assembled vertices. */
  countVertices(vertices: number): void {
    this.vertices += vertices;
  }

  get flow(): PipelineFlow {
    return { ...pipelineFlow(this.tree, this.counts, this.vertices), bytesMoved: this.moved };
  }

  get compiled(): readonly object[] {
    return this.stages.flatMap((stage) => stage.compiled ?? []);
  }

  get inputBytes(): number {
    return this.vertexStages.inputBytes;
  }

  get edges(): readonly PipelineEdge[] {
    return pipelineEdges(this.state, this.tree);
  }

  get inputsOfStages(): readonly StageInput[] {
    return this.vertexStages.inputs;
  }

  get registersOfStages(): readonly number[] {
    return this.geometry.map(({ registers }) => registers);
  }

  get bytes(): number {
    return this.stages.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * Registers that the files of vertex and pixel warps need: the maximum over all stages and both engines. Does not
   * include registers before a file.
   */
  get registers(): Registers {
    return { vertices: maxRegisters(this.geometry), pixels: maxRegisters(this.pixel) };
  }

  /** Rough cost of a pixel in simple operations; Infinity with loops. */
  get pixelCost(): number {
    if (this.hasLoop) return Infinity;
    const cost = (this.cost ??= this.pixel.reduce((sum, { program }) => sum + costOf(program.body), PIXEL_COST));
    return this.pixel.every(({ compiled }) => compiled !== null) ? cost : INTERPRETED_TIMES * cost;
  }

  /** Whether a warp of one of its shaders may run so long that other work of its thread has to wait. */
  get mayTakeLong(): boolean {
    return this.hasLoop && this.stages.some(({ maxOperations }) => maxOperations > MAX_CALLER_OPERATIONS);
  }

  get isSettled(): boolean {
    return this.stages.every((stage) => stage.isSettled);
  }

  /**
   * Switches stages to compiled functions, if they exist and their register files fit. No warp of these stages may be
   * in flight.
   */
  switchToCompiled({ vertices, pixels }: Registers): void {
    for (const stage of this.geometry) stage.switchToCompiled(vertices);
    for (const stage of this.pixel) stage.switchToCompiled(pixels);
  }

  destroy(): void {
    if (!this.alive) return;
    this.alive = false;
    for (const stage of this.stages) stage.release();
  }
}

/** Inputs from vertex buffers for a pipeline whose first element is a fork. */
function packetInputs(tree: LinkedPipeline<StageProgram>): EdgeInput[] {
  return packetBefore(tree).places.map(({ location, component }): EdgeInput => ({
    kind: 'attribute',
    location,
    component,
    type: 'f32',
  }));
}

function attributeSources(state: PipelineState, inputs: readonly IrInput[]): AttributeSource[] {
  const registersOf = (location: number): [number, number, number, number] => {
    const registers: [number, number, number, number] = [-1, -1, -1, -1];
    inputs.forEach((input, index) => {
      // For an emitting stage, only those of the first corner count. The other corners are other vertices.
      if (input.kind === 'attribute' && input.location === location && !input.corner)
        registers[input.component] = index;
    });
    return registers;
  };
  return state.buffers
    .flatMap((buffer, slot) =>
      (buffer?.attributes ?? []).map((attribute) => ({
        slot,
        offset: attribute.offset,
        stride: buffer!.arrayStride,
        perInstance: buffer!.stepMode === 'instance',
        format: attribute.format,
        registers: registersOf(attribute.shaderLocation),
      }))
    )
    .filter((source) => source.registers.some((register) => register >= 0));
}

function attributeWords(sources: readonly AttributeSource[]): Uint32Array {
  const words = new Uint32Array((sources.length * Attribute.bytes) / 4);
  sources.forEach(({ stride, perInstance, format, registers }, i) => {
    const put = (field: number, value: number): void => {
      words[(i * Attribute.bytes + field) / 4] = value;
    };
    put(Attribute.stride, stride);
    put(Attribute.perInstance, perInstance ? 1 : 0);
    put(Attribute.format, vertexFormatNumber[format]);
    registers.forEach((register, component) => put(Attribute.registers + component * 4, register));
  });
  return words;
}

/** The parts of a fragment shader. Its results are those of the last part. */
type Parts = readonly Stage[];
/** The coarse part of a shader, the pixel part, and optionally the part for sample sets. */
type CoarseParts<S extends Stage = Stage> = readonly [S, S, ...S[]];

/** Splits a pixel table into the whole shader, in one piece or two, and its parts by rate if it has any. */
function partsOf<S extends Stage>(stages: readonly S[]): { whole: readonly S[]; coarse: CoarseParts<S> | null } {
  const at = stages.findIndex(({ coarse }) => coarse !== null);
  if (at < 0) return { whole: stages, coarse: null };
  return { whole: stages.slice(0, at), coarse: stages.slice(at) as readonly S[] as CoarseParts<S> };
}

/**
 * Whether each visible pixel is shaded only once, after visibility is known. Requires that previous contents have no
 * effect, that only coverage and depth decide what is written, and that the shader has no other effects.
 */
function isDeferred(state: OutputState, parts: Parts): boolean {
  if (isLate(state, parts) || parts.some(reads)) return false;
  // The lanes that are active in a quad must not depend on what covers them later.
  if (parts.some(({ program }) => program.testsEarly || accessUse(program).ordered || readsOtherLanes(program)))
    return false;
  const outputs = parts.at(-1)?.outputs ?? [];
  return state.targets.every((target, index) => {
    if (!target) return true;
    // Components that the shader does not write are constants.
    const writes = outputs.some((output) => output.kind === 'color' && output.location === index);
    const all = (1 << target.format.channels) - 1;
    return !blends(target) && writes && (target.writeMask & all) === all;
  });
}

/** Framebuffer fetch: whether a part reads render targets, depth or stencil. */
const reads = ({ inputs }: Pick<Stage, 'inputs'>): boolean => inputs.some(isTargetContents);

/** Whether it reads depth or stencil, with the values from before the fragment's own tests. */
const readsTested = ({ inputs }: Stage): boolean =>
  inputs.some((input) => isTargetContents(input) && input.kind === 'builtin');

/**
 * Whether depth and stencil tests take effect after the shader. A shader's writes happen even for fragments that fail
 * the tests, as in Vulkan, Metal and D3D, unless it requests early tests.
 */
function isLate(state: OutputState, parts: Parts): boolean {
  return (
    state.multisample.alphaToCoverageEnabled
    || parts.some(
      (part) =>
        part.program.usesDiscard
        || ((accessUse(part.program).writes || readsTested(part)) && !part.program.testsEarly)
        || part.outputs.some(({ kind }) => kind === 'frag_depth' || kind === 'sample_mask')
    )
  );
}

/**
 * If the shader itself discards by a depth comparison and the state's depth test always passes, returns the state with
 * that comparison. Fragments that the shader would discard are then rejected before it runs. The output does not
 * change: the shader compares the same depth as the test, unless the format has fewer bits, and stored depths are never
 * NaN.
 */
function ownTested(state: OutputState, parts: Parts): OutputState {
  const { depthStencil, multisample } = state;
  const last = parts.at(-1);
  if (!last || depthStencil?.depthCompare !== 'always' || usesStencil(state)) return state;
  if (!hasDepth(depthStencil.format) || depthStencil.format.name === 'depth16unorm') return state;
  if (
    parts.some(
      ({ program, outputs }) =>
        program.testsEarly || accessUse(program).accesses || outputs.some(({ kind }) => kind === 'frag_depth')
    )
  )
    return state;
  const depthCompare = shaderDepthTest(last.program, multisample.count === 1);
  return depthCompare ? { ...state, depthStencil: { ...depthStencil, depthCompare } } : state;
}

/** Why a fragment shader always runs at 1×1; null if it does not, or if there is no shader. */
function fallbackOf(
  { multisample, staged }: OutputState,
  parts: Parts,
  coarse: CoarseParts | null
): RateFallback | null {
  if (parts.length === 0) return null;
  const { alphaToCoverageEnabled } = multisample;
  const usesStorage = parts.some(
    ({ program, resources }) =>
      accessUse(program).writes || readsOtherLanes(program) || resources.some(({ kind }) => kind === 'surface')
  );
  // Finer stages do not matter, because they run at 1×1.
  if (coarse) {
    const outputs = staged?.coarseResults ?? [];
    return rateFallback({
      runsPerSample: false,
      inputs: coarse[0].inputs,
      outputs,
      usesStorage,
      hasFineStages: false,
      alphaToCoverage:
        alphaToCoverageEnabled && outputs.some((output) => output.kind === 'color' && output.location === 0),
    });
  }
  return rateFallback({
    runsPerSample: parts.some(({ rate, sets }) =>
      sets ? (sets.apart & ~SETS_SAMPLE_MASK) !== 0 : rate === 'sample' && parts.length === 1
    ),
    inputs: parts.flatMap(({ inputs }) => inputs),
    outputs: parts.flatMap(({ outputs }) => outputs),
    alphaToCoverage: alphaToCoverageEnabled,
    usesStorage,
    hasFineStages: staged?.hasFineStages ?? false,
  });
}

/** Whether stencil can reject or change a sample. A format with a stencil aspect alone is not enough. */
function usesStencil({ depthStencil, primitive }: OutputState): boolean {
  if (!depthStencil || !hasStencil(depthStencil.format)) return false;
  const faces = [
    ...(primitive.cullMode === 'front' ? [] : [depthStencil.stencilFront]),
    ...(primitive.cullMode === 'back' ? [] : [depthStencil.stencilBack]),
  ];
  const writes = (depthStencil.stencilWriteMask & 255) !== 0;
  return faces.some(
    ({ compare, passOp, depthFailOp }) =>
      compare !== 'always' || (writes && (passOp !== 'keep' || depthFailOp !== 'keep'))
  );
}

/**
 * Whether fragments may arrive in any order. Depth or stencil written before the shader runs might otherwise not belong
 * to the stored colour, and other writes of the shader have an order.
 */
function needsNoOrder(state: OutputState, parts: Parts): boolean {
  if (!state.isUnordered || parts.some(({ program }) => accessUse(program).accesses)) return false;
  const writesDepth = state.depthStencil?.depthWriteEnabled ?? false;
  return (
    !parts.some(({ program }) => program.testsEarly) && (isLate(state, parts) || !(writesDepth || usesStencil(state)))
  );
}

/** DRAW_FLAG_* for all parts of a fragment shader. */
function drawFlags(state: OutputState, parts: Parts): number {
  let flags = state.primitive.unclippedDepth ? DRAW_FLAG_UNCLIPPED_DEPTH : 0;
  if (usesStencil(state)) flags |= DRAW_FLAG_STENCIL;
  if (parts.length === 0) return flags;
  if (isDeferred(state, parts)) flags |= DRAW_FLAG_DEFERRED;
  if (isLate(state, parts)) flags |= DRAW_FLAG_LATE_DEPTH;
  if (parts.some(({ program }) => program.testsEarly)) flags |= DRAW_FLAG_EARLY;
  // Lanes that read each other also show which lanes of a quad are active.
  if (parts.some(({ program }) => accessUse(program).accesses || readsOtherLanes(program))) flags |= DRAW_FLAG_ACCESSES;
  // A store to a surface before the tests happens whether or not they fail.
  const storesLate = isLate(state, parts) && parts.some(({ resources }) => resources.some(storesSamples));
  const runsAll =
    storesLate
    || parts.some(
      ({ program, outputs }) => readsOtherLanes(program) || outputs.some(({ kind }) => kind === 'frag_depth')
    );
  if (runsAll) flags |= DRAW_FLAG_RUNS_ALL;
  if (parts.some(({ program }) => accessUse(program).writes)) flags |= DRAW_FLAG_WRITES;
  if (parts.some(reads)) flags |= DRAW_FLAG_READS;
  if (needsNoOrder(state, parts)) flags |= DRAW_FLAG_UNORDERED;
  if (state.multisample.alphaToCoverageEnabled) flags |= DRAW_FLAG_ALPHA_TO_COVERAGE;
  return flags;
}

/** Draw calls with these flags keep their order for reasons beyond the final value of the pixel. */
const KEEPS_ORDER = DRAW_FLAG_ACCESSES | DRAW_FLAG_WRITES | DRAW_FLAG_READS;

function orderOf(state: OutputState, flags: number, requested: ProcessingOrder): LeafOrder {
  const { depthStencil, targets } = state;
  const compare = depthStencil?.depthCompare;
  const writes = depthStencil?.depthWriteEnabled ?? false;
  const isStrict = (compare === 'less' || compare === 'greater') && writes;
  const isDeferred = (flags & DRAW_FLAG_DEFERRED) !== 0;
  // If depth or stencil is written before the shader runs, the last writer determines whose colour is final, unless the
  // colours blend.
  const testsLate = (flags & (DRAW_FLAG_LATE_DEPTH | DRAW_FLAG_EARLY)) === DRAW_FLAG_LATE_DEPTH;
  const isSettled =
    (writes || usesStencil(state)) && !isDeferred && !testsLate && targets.some((target) => target && !blends(target));
  return {
    requested,
    mayOvertake: (flags & KEEPS_ORDER) === 0 && !isSettled,
    isDeferred,
    isHidden: isDeferred && isStrict && !usesStencil(state),
  };
}

/** Clip distances of the vertices that reach setup: their number, and the number of outputs before them. */
interface Distances {
  readonly count: number;
  readonly from: number;
}

/** Further values for the template of a DRAW record. */
interface TemplateWords {
  readonly flags: number;
  readonly rate: number;
  readonly distances: Distances;
}

/** The outputs of the last vertex stage determine them. */
function distancesOf(stages: readonly Stage[]): Distances {
  const outputs = stages.at(-1)?.outputs ?? [];
  const count = outputs.filter(({ kind }) => kind === 'clip_distance').length;
  return { count, from: outputs.length - count };
}

/**
 * `topology`: the one that reaches setup. `stage`: a fragment shader or a part of one; null if only depth reaches the
 * output.
 */
function drawTemplate(
  state: OutputState,
  { placed, results }: VertexStages,
  topology: InputTopology,
  stage: Stage | null,
  { flags, rate, distances }: TemplateWords,
  prepare: PrepareTarget
): Uint32Array {
  // The kernel reads from the first target whether it has an alpha, even if there are no targets.
  const targets = Math.max(1, state.targets.length);
  const view = new DataView(new ArrayBuffer(Draw.targets + targets * Target.bytes));
  const put = (field: number, value: number): void => view.setInt32(field, value, true);
  const putFloat = (field: number, value: number): void => view.setFloat32(field, value, true);
  put(Draw.flags, flags);
  put(Draw.fragment + StageRecord.rate, rate);
  for (const [field, value] of placed[0]!.fields) put(Draw.vertex + field, value);
  put(Draw.positionRegister, results);
  const { varyings, groups } = edgeBefore(stage);
  put(Draw.varyingCount, varyings.length);
  put(Draw.distanceCount, distances.count);
  put(Draw.distanceFrom, distances.from);
  put(Draw.numbered, varyings.findIndex(isOfPrimitive) + 1);
  groups.forEach((count, group) => put(Draw.varyings + group * 4, count));
  put(Draw.topology, topologyNumber[state.primitive.topology]);
  put(Draw.setupTopology, topologyNumber[topology]);
  put(Draw.cull, cullNumber[state.primitive.cullMode]);
  put(Draw.frontCw, state.primitive.frontFace === 'cw' ? 1 : 0);
  putDepthStencil(state, put, putFloat);
  put(Draw.sampleMask, state.multisample.mask | 0);
  put(Draw.targetCount, state.targets.length);
  putPixelRegisters(stage, put);
  for (let i = 0; i < targets; i++) {
    const record = new Uint8Array(view.buffer, Draw.targets + i * Target.bytes, Target.bytes);
    putTarget(record, state.targets[i] ?? null, i, stage?.outputs ?? [], stage?.inputs.length ?? 0, prepare);
  }
  return new Uint32Array(view.buffer);
}

function rateCode(parts: Parts): number {
  const [first] = parts;
  if (parts.length > 1 || parts.some(reads)) return RATE_SET;
  return first?.rate === 'sample' && !first.sets ? RATE_SAMPLE : RATE_PIXEL;
}

function putDepthStencil(
  state: OutputState,
  put: (field: number, value: number) => void,
  putFloat: (field: number, value: number) => void
): void {
  const depth = state.depthStencil;
  const tested = depth && hasDepth(depth.format);
  put(Draw.depthCompare, tested ? compareNumber[depth.depthCompare] : COMPARE_ALWAYS);
  put(Draw.depthWrite, tested && depth.depthWriteEnabled ? 1 : 0);
  if (!depth) return;
  put(Draw.depthBias, depth.depthBias);
  putFloat(Draw.depthBiasSlope, depth.depthBiasSlopeScale);
  putFloat(Draw.depthBiasClamp, depth.depthBiasClamp);
  const putFace = (field: number, face: StencilFace): void => {
    put(field + StencilFaceRecord.compare, compareNumber[face.compare]);
    put(field + StencilFaceRecord.fail, stencilNumber[face.failOp]);
    put(field + StencilFaceRecord.depthFail, stencilNumber[face.depthFailOp]);
    put(field + StencilFaceRecord.pass, stencilNumber[face.passOp]);
  };
  putFace(Draw.stencilFront, depth.stencilFront);
  putFace(Draw.stencilBack, depth.stencilBack);
  put(Draw.stencilReadMask, depth.stencilReadMask | 0);
  put(Draw.stencilWriteMask, depth.stencilWriteMask | 0);
}

function putPixelRegisters(first: Stage | null, put: (field: number, value: number) => void): void {
  const inputs = first?.inputs ?? [];
  [Draw.fragmentPositionX, Draw.fragmentPositionY, Draw.fragmentPositionZ, Draw.fragmentPositionW].forEach(
    (field, component) => put(field, builtinRegister(inputs, 'position', component))
  );
  put(Draw.frontFacingRegister, builtinRegister(inputs, 'front_facing'));
  put(Draw.sampleIndexRegister, builtinRegister(inputs, 'sample_index'));
  put(Draw.sampleMaskInRegister, builtinRegister(inputs, 'sample_mask'));
  put(Draw.shadingRateRegister, builtinRegister(inputs, 'shading_rate'));
  put(Draw.fragDepthRegister, first ? resultRegister(first, 'frag_depth') : -1);
  put(Draw.sampleMaskOutRegister, first ? resultRegister(first, 'sample_mask') : -1);
}
