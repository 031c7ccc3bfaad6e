// A render pipeline in device memory: its linked stages, and templates with the parts of DRAW records that are the same
// for all draw calls.
import { DRAW_FLAG_SECOND_PART } from '../../../assembly/layout/pass/draw-codes';
import { RATE_LOCATION } from '../../ir';
import type { RateFallback } from '../../shading-rate';
import { cornersOf, edgeBefore, isOfPrimitive, passesVerticesThrough, emittedBy, pathsOf, stagesOf } from '../../mpipe';
import { pipelineEdges, pipelineFlow } from './flow';
import type { LeafOrder } from './draw-order';
import type { LinkedPipeline } from '../shaders/linker';
import { fact } from '../shaders/program-facts';
import { MAX_CALLER_OPERATIONS, type StageProgram } from '../shaders/stage-program';
import { putDestinations, type PrepareDestination } from './destinations';
import { putCoarseStages } from './coarse-stages';
import { putSampleSets } from './sample-sets';
import type { PrepareTarget } from './target';
import { choosesDraw, choosesRate, placeStages, setupTopology, type VertexStages } from './vertex-stages';
import type {
  PipelineState,
  PipelineStore,
  SinkState,
  StageCounts,
  StageInput,
  PipelineEdge,
  PipelineFlow,
  PixelRuns,
} from '../types';
import { type AttributeSource, attributeSources, packetInputs, attributeWords } from './attributes';
import { distancesOf, drawTemplate } from './draw-template';
import {
  partsOf,
  ownTested,
  drawFlags,
  rateCode,
  isLate,
  fallbackOf,
  orderOf,
  KEEPS_ORDER,
  fetchesFramebuffer,
} from './fragment-rules';

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
  /** Warps that ran its fragment stages in passes that are done, if stages are measured. */
  readonly pixelRuns: { -readonly [Rate in keyof PixelRuns]: number } & { readonly workers: Set<number> };
}

/** A part of a sink's fragment shader. */
export type LeafPart = Pick<Leaf, 'template' | 'destinations'> & { readonly fragment: StageProgram };

interface CoarseLeaf {
  /** Words of COARSE STAGES. */
  readonly stages: Uint32Array;
  readonly first: LeafPart;
  readonly pixels: LeafPart & Pick<Leaf, 'sets' | 'secondPart'>;
}

/** Kernel functions that complete records. */
interface Prepare {
  readonly target: PrepareTarget;
  readonly destination: PrepareDestination;
}

/** Cost of finding a pixel and blending, in operations. Cost of an interpreted operation relative to a compiled one. */
const PIXEL_COST = 16;
const INTERPRETED_TIMES = 8;

const maxRegisters = (stages: readonly StageProgram[]): number =>
  stages.reduce((most, { registers }) => Math.max(most, registers), 0);

/** Adds the workers whose bits are set. `first`: the worker of the lowest bit. */
function addWorkers(workers: Set<number>, bits: number, first: number): void {
  for (let left = bits; left !== 0; left &= left - 1) workers.add(first + 31 - Math.clz32(left & -left));
}

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
  private readonly counts: ({ -readonly [Count in keyof StageCounts]: number } & { readonly workers: Set<number> })[];
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
    this.hasLoop = this.stages.some(({ program }) => fact(program, 'hasLoop'));
    this.attributes = attributeSources(state, tree.stages[0]?.inputs ?? packetInputs(tree));
    this.attributeTable = attributeWords(this.attributes);
    this.vertexStages = placeStages(tree, topology);
    const zero = { runs: 0, primitivesIn: 0, verticesOut: 0, primitivesOut: 0, dropped: 0 };
    this.counts = this.geometry.map(() => ({ ...zero, workers: new Set() }));
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
        destinations:
          stage && fetchesFramebuffer(stage) ? putDestinations(output.targets, stage, prepare.destination) : null,
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
          made.reduce((all, { maximum: most }) => all * most, 1)
        ),
        pixelRuns: { coarse: 0, pixel: 0, sample: 0, workers: new Set() },
      };
    });
    this.needsOrder = paths.some(
      ({ leaf }) =>
        leaf.state.kind === 'raster' && !leaf.state.output.isUnordered && leaf.pixel.stages.some(fetchesFramebuffer)
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

  /** Whether counters of its stages are reported: there is more than a vertex stage, or it names workers. */
  get hasStageCounters(): boolean {
    return this.geometry.length > 1 || this.vertexStages.inputBytes > 0 || this.namesWorkers;
  }

  /** Whether only some workers run its shaders. */
  get namesWorkers(): boolean {
    return (this.state.workers ?? null) !== null;
  }

  /** Whether its vertex stages fork. */
  get isForked(): boolean {
    return this.tree.branches.length > 0;
  }

  /** Adds counters of a vertex stage, and the workers that ran it: 0 to 31, then 32 to 63, a bit each. */
  count(index: number, counted: StageCounts, low: number, high: number): void {
    const counts = this.counts[index]!;
    for (const name of Object.keys(counted) as (keyof StageCounts)[]) counts[name] += counted[name];
    addWorkers(counts.workers, low, 0);
    addWorkers(counts.workers, high, 32);
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
    return {
      ...pipelineFlow(this.tree, this.counts, this.vertices),
      bytesMoved: this.moved,
      pixels: this.leaves.map(({ pixelRuns }) => pixelRuns),
    };
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
    const cost = (this.cost ??= this.pixel.reduce((sum, { program }) => sum + fact(program, 'cost'), PIXEL_COST));
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
