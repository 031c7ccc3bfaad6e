// Turns shaders into stages: removes unread outputs, optimises and encodes. A stage depends only on its own
// shader and on which of its outputs are read, so pipelines with different neighbouring stages share it.
import { encodeBytecode, type EncodedProgram } from '../../codegen';
import type { JitModule } from '../../codegen/jit';
import {
  assertValid,
  findMissingAlphas,
  gatherDispatches,
  guardSamples,
  hasSets,
  forSingleSample,
  optimize,
  RATE_LOCATION,
  splitCoarse,
  splitSets,
  withInputs,
  type ConstantMath,
  type IrInput,
  type IrOutput,
  type IrProgram,
  type IrResource,
  type JoinedStages,
} from '../../ir';
import {
  arrangeInputs,
  arrangeOutputs,
  gatherEmission,
  isEdgeInput,
  passesVerticesThrough,
  linkStageTable,
  linkStageTree,
  mapTree,
  missingInputs,
  pathsOf,
  stageOf,
  stagesOf,
  withDefaults,
  writtenBy,
  type CoarseLinks,
  type EdgeInput,
  type Emission,
  type IsWritten,
  type LinkedBranch,
  type LinkedStages,
  type PatchStage,
  type Place,
  type SetLinks,
  type Stage,
  type StageKind,
  type StageRate,
  type StageShader,
  type VertexSink,
} from '../../mpipe';
import { LruSet } from '../../base/lru-set';
import { finish, type Steps } from '../../base/steps';
import type { BufferSinkState, OutputState, PipelineState, SinkState } from '../pipeline/pipeline-types';

/**
 * Describes a stage that is one part of a divided fragment shader. `isFurther`: the second of the two parts for sample
 * sets.
 */
interface PartOf {
  readonly sets?: SetLinks | null;
  readonly coarse?: CoarseLinks | null;
  readonly others?: readonly EncodedStage[];
  readonly isFurther?: boolean;
}

/** What a stage consists of, apart from its program and the code of it. */
export type StageParts = Pick<EncodedStage, 'emission' | 'patch' | 'sets' | 'coarse' | 'others' | 'isFurther'>;

export class EncodedStage implements Stage {
  readonly kind: StageKind;
  readonly rate: StageRate;
  readonly inputs: readonly IrInput[];
  readonly outputs: readonly IrOutput[];
  readonly resources: readonly IrResource[];
  readonly sets: SetLinks | null;
  readonly coarse: CoarseLinks | null;
  /** For the first part of a fragment shader: the other parts, in the order of the table. */
  readonly others: readonly EncodedStage[];
  readonly isFurther: boolean;
  /** The code that the compiler emits for the program; null as long as it has not. */
  emitted: JitModule | null;
  private bytecode: EncodedProgram | null;

  /** `code`: what is known already. */
  constructor(
    readonly program: IrProgram,
    readonly emission: Emission | null,
    readonly patch: PatchStage | null,
    { sets = null, coarse = null, others = [], isFurther = false }: PartOf = {},
    code: { readonly encoded: EncodedProgram; readonly emitted: JitModule | null } | null = null
  ) {
    this.isFurther = isFurther;
    this.emitted = code?.emitted ?? null;
    this.bytecode = code?.encoded ?? null;
    const { kind, rate, inputs, outputs, resources } = stageOf(program);
    this.kind = kind;
    this.sets = sets;
    this.coarse = coarse;
    this.others = others;
    this.rate = isFurther ? 'sample' : coarse ? 'coarse' : rate;
    this.inputs = inputs;
    this.outputs = outputs;
    this.resources = resources;
  }

  get isEncoded(): boolean {
    return this.bytecode !== null;
  }

  /** The bytecode, encoded at the first access. That may throw ProgramTooLargeError. */
  get encoded(): EncodedProgram {
    return (this.bytecode ??= encodeBytecode(this.program));
  }
}

/** A sink of the vertex stages. */
export interface LinkedLeaf<S extends Stage = Stage> {
  readonly state: SinkState;
  readonly sink: VertexSink;
  /** The pixel table: [fragment] → output. It has no stages if only depth reaches the output, or for stream output. */
  readonly pixel: LinkedStages<S>;
}

/** The tables of a pipeline: the vertex stages, and the pixel stages after each setup that they lead to. */
export type LinkedPipeline<S extends Stage = EncodedStage> = LinkedBranch<S, LinkedLeaf<S>>;

/** Maps the stages of a pipeline in order. */
export function mapStages<S extends Stage, T extends Stage>(
  { stages, branches, leaf, packet }: LinkedPipeline<S>,
  take: (stage: S) => T
): LinkedPipeline<T> {
  return {
    stages: stages.map(take),
    branches: branches.map((branch) => mapStages(branch, take)),
    packet,
    leaf: leaf && { ...leaf, pixel: { stages: leaf.pixel.stages.map(take) } },
  };
}

/** The parts of a pipeline's state that `link` uses. */
export type LinkedState = Pick<PipelineState, 'tree' | 'source'>;

/**
 * Maximum bytes of bytecode of stages that are kept after their last pipeline is gone. Their IR takes ten times as
 * much.
 */
const MAX_BYTES = 1 << 20;

export class Linker {
  /** Stages by shader and outputs. An entry exists while the stage is in use or among those used most recently. */
  private readonly known = new WeakMap<IrProgram, Map<string, WeakRef<EncodedStage>>>();
  private readonly recent = new LruSet<EncodedStage>(MAX_BYTES);
  private readonly missingAlphas = new WeakMap<IrProgram, readonly boolean[]>();

  constructor(private readonly math: ConstantMath) {}

  /** Number of stages that were evicted. */
  get dropped(): number {
    return this.recent.dropped;
  }

  /** Throws ProgramTooLargeError. */
  link(state: LinkedState): LinkedPipeline {
    return finish(this.linkSteps(state));
  }

  /** `link` in steps. */
  *linkSteps(state: LinkedState): Steps<LinkedPipeline> {
    const { tree, source } = state;
    const paths = pathsOf(tree);
    let number = 0;
    const ends = mapTree(
      tree,
      (program) => program,
      (sink: SinkState): LinkedLeaf<EncodedStage> => {
        const { stages } = paths[number++]!;
        const giver = stages.findLast(({ program }) => !passesVerticesThrough(program));
        return this.leaf(sink, source && giver ? writtenBy(giver.program) : null, vertexRates(stages, giver));
      }
    );
    yield;
    const linked = linkStageTree(ends, source, this.reduce);
    for (const stage of [...stagesOf(linked), ...pathsOf(linked).flatMap(({ leaf }) => leaf.pixel.stages)]) {
      if (!stage.isEncoded) yield;
      const { code, prologue } = stage.encoded;
      this.recent.use(stage, code.byteLength + prologue.byteLength);
    }
    return linked;
  }

  /**
   * `source`: the values that are written for the fragment shader, if it may read others as well, which then have
   * defaults; else null. `rates`: additional inputs of the fragment stage.
   */
  private leaf(state: SinkState, source: IsWritten | null, rates: readonly EdgeInput[]): LinkedLeaf<EncodedStage> {
    if (state.kind === 'buffer')
      return { state, sink: { kind: 'buffer', takes: scalarsOf(state.buffer) }, pixel: { stages: [] } };
    const pixel = this.pixel(state.output, source, rates);
    return { state, sink: { kind: 'setup', behind: pixel }, pixel };
  }

  private pixel(
    { fragment, staged, targets, multisample }: OutputState,
    source: IsWritten | null,
    rates: readonly EdgeInput[]
  ): LinkedStages<EncodedStage> {
    const isStaged = staged !== null && !(staged.isPerSampleShader && multisample.count === 1);
    const own = fragment && isStaged ? { ...fragment, program: staged.program } : fragment;
    // A shader that sends several dispatches may write an alpha in one of them and leave it out in another.
    const missing = own && !staged?.hasDispatches ? this.missingAlphasOf(own.program) : [];
    const takes = (output: IrOutput, index: number): boolean =>
      !missing[index]! && isTaken(output, targets, multisample.alphaToCoverageEnabled);
    if (own && isStaged) {
      const outputs = own.program.outputs.flatMap((output, index) => (takes(output, index) ? [index] : []));
      const parts = this.stagesOfPixels(
        own,
        { ...staged, isSplit: multisample.count > 1 && hasSets(staged.program), samples: multisample.count },
        outputs,
        missingInputs(own.program, source, null),
        rates
      );
      return { stages: [parts, ...parts.others] };
    }
    return linkStageTable(
      { slots: fragment ? [{ ...fragment, enabled: true }] : [], source, sink: { kind: 'output', takes } },
      (program, outputs, missing) => this.reduce(program, outputs, missing, rates)
    );
  }

  private readonly reduce = (
    program: StageShader,
    outputs: readonly number[],
    missing: readonly number[],
    points: readonly EdgeInput[]
  ): EncodedStage => {
    const { maxVertices = 0, topology = '' } = program.emission ?? {};
    const patch = Object.values(program.patch ?? {}).join();
    const key = `${outputs.join()};${missing.join()};${maxVertices};${topology};${patch};${points.map(placeOf).join()}`;
    return this.variant(program.program, key, () => this.make(program, outputs, missing, points));
  };

  /** Returns the stage for a shader and key, and makes it if it does not exist. */
  private variant(program: IrProgram, key: string, make: () => EncodedStage): EncodedStage {
    let variants = this.known.get(program);
    if (!variants) this.known.set(program, (variants = new Map()));
    let stage = variants.get(key)?.deref();
    if (!stage) {
      for (const [other, ref] of variants) if (!ref.deref()) variants.delete(other);
      variants.set(key, new WeakRef((stage = make())));
    }
    return stage;
  }

  /**
   * Makes the stage of a fragment shader with several rates. With `isSplit`, it is the first of two parts (SAMPLE SETS)
   * and refers to the second; otherwise it is undivided. If it has coarse stages, it is also split by rate.
   */
  private stagesOfPixels(
    fragment: StageShader,
    options: JoinedStages & SetOptions,
    outputs: readonly number[],
    missing: readonly number[],
    rates: readonly EdgeInput[]
  ): EncodedStage {
    const { isSplit, hasDispatches, samples, coarseNodes, pixelNodes } = options;
    const cut = [isSplit, coarseNodes, hasDispatches ? samples : 0];
    const key = `stages;${cut.join()};${outputs.join()};${missing.join()};${rates.map(placeOf).join()}`;
    return this.variant(fragment.program, key, () => {
      const arranged = arrangeOutputs(withDefaults(fragment, missing), outputs);
      const { program: reduced, dispatches } = hasDispatches
        ? gatherDispatches(arranged, samples)
        : { program: arranged, dispatches: 1 };
      const staged = { ...options, dispatches };
      const whole = this.piecesOf(reduced, pixelNodes, staged);
      const coarse = coarseNodes > 0 ? this.coarsePieces(reduced, staged) : null;
      const others = [whole.secondPart, coarse?.coarse, coarse?.pixels.first, coarse?.pixels.secondPart];
      const read = others.flatMap((part) => part?.inputs.filter(isEdgeInput) ?? []);
      const first = arrangeInputs(whole.first, 0, [...rates, ...read]);
      return this.partsOf(first, whole, first, coarse ? this.coarseParts(first, coarse) : []);
    });
  }

  /** Optimises a shader in one piece or in two. Nodes before `pixelNodes` belong to pixel stages. */
  private piecesOf(
    program: IrProgram,
    pixelNodes: number,
    { isSplit, hasSamples, hasDispatches, dispatches }: SplitState
  ): Pieces {
    const optimized = (part: IrProgram): IrProgram => optimize(part, this.math);
    if (!isSplit) {
      // In multisampled pipelines, such a shader has no per-sample inputs.
      if (!hasSamples && !hasDispatches) return { first: optimized(program), secondPart: null, sets: null };
      const { program: guarded, killed } = guardSamples(forSingleSample(program), pixelNodes);
      const sets = { ...NO_LINKS, results: program.outputs.length, killed, dispatches };
      return { first: optimized(guarded), secondPart: null, sets };
    }
    const { first, secondPart, ...sets } = splitSets(program, pixelNodes, optimized);
    return { first: optimized(first), secondPart, sets: { ...sets, dispatches } };
  }

  /** Splits off the coarse stages from those after them. */
  private coarsePieces(program: IrProgram, staged: JoinedStages & SplitState): CoarsePieces {
    const { coarse, pixels, pixelNodes, linkCount } = splitCoarse(
      program,
      staged.coarseNodes,
      staged.pixelNodes,
      (part) => optimize(part, this.math)
    );
    return { coarse: optimize(coarse, this.math), pixels: this.piecesOf(pixels, pixelNodes, staged), linkCount };
  }

  /**
   * `first`: the first part, arranged. `whole`: the shader whose layout of varyings applies. `others`: the parts that
   * follow both.
   */
  private partsOf(
    first: IrProgram,
    { secondPart, sets }: Pieces,
    whole: IrProgram,
    others: readonly EncodedStage[]
  ): EncodedStage {
    assertValid(first);
    if (!secondPart) return new EncodedStage(first, null, null, { sets, others });
    const samples = laidAs(secondPart, whole);
    assertValid(samples);
    return new EncodedStage(first, null, null, {
      sets: { ...sets!, linkTo: varyingsOf(samples) },
      others: [new EncodedStage(samples, null, null, { isFurther: true }), ...others],
    });
  }

  /** Makes the stages for the coarse, pixel and sample parts. `whole`: the first part of the shader, arranged. */
  private coarseParts(whole: IrProgram, { coarse, pixels, linkCount }: CoarsePieces): EncodedStage[] {
    const first = laidAs(coarse, whole);
    const behind = laidAs(pixels.first, whole);
    assertValid(first);
    const stage = this.partsOf(behind, pixels, whole, []);
    const links = { linkTo: varyingsOf(behind), linkCount };
    return [new EncodedStage(first, null, null, { coarse: links }), stage, ...stage.others];
  }

  private make(
    of: StageShader,
    outputs: readonly number[],
    missing: readonly number[],
    points: readonly EdgeInput[]
  ): EncodedStage {
    const { program, emission, patch = null } = of;
    const reduced = arrangeOutputs(withDefaults(of, missing), outputs);
    const arranged = emission ? gatherEmission(reduced, emission) : reduced;
    // When outputs are removed, the code that computed them becomes dead. Alphas that count as missing are constants,
    // so removing them leaves no dead code.
    const alphas = this.missingAlphasOf(program).filter(Boolean).length;
    const whole = program.outputs.length - outputs.length === alphas && missing.length === 0 && !emission;
    const corners = emission?.corners ?? (patch?.kind === 'control' ? patch.corners : program.corners);
    const linked = arrangeInputs(whole ? arranged : optimize(arranged, this.math), corners, points);
    assertValid(linked);
    return new EncodedStage(linked, emission, patch);
  }

  private missingAlphasOf(program: IrProgram): readonly boolean[] {
    let found = this.missingAlphas.get(program);
    if (!found) this.missingAlphas.set(program, (found = findMissingAlphas(program)));
    return found;
  }
}

const scalarsOf = ({ attributes }: BufferSinkState): Place[] =>
  attributes.flatMap(({ location, size }) => Array.from({ length: size }, (_, component) => ({ location, component })));

const RATE_INPUT: EdgeInput = {
  kind: 'varying',
  location: RATE_LOCATION,
  component: 0,
  type: 'u32',
  interpolation: 'flat',
  sampling: 'center',
};

/**
 * Per-vertex shading rates, if the last stage with outputs writes them. Setup stores the provoking vertex's rate with
 * the fragment inputs. A rate that a stage sets for whole primitives takes precedence.
 */
function vertexRates(stages: readonly StageShader[], giver: StageShader | undefined): EdgeInput[] {
  const isSaid = stages.some(({ program }) => program.outputs.some(({ kind }) => kind === 'shading_rate'));
  return giver && !isSaid && writtenBy(giver.program)(RATE_INPUT) ? [RATE_INPUT] : [];
}

/** How to make a fragment stage: whether in two parts, and the number of samples per pixel. */
interface SetOptions {
  readonly isSplit: boolean;
  readonly samples: number;
}

/** How to split a shader. `dispatches`: maximum number of dispatches that it sends. */
interface SplitState {
  readonly isSplit: boolean;
  readonly hasSamples: boolean;
  readonly hasDispatches: boolean;
  readonly dispatches: number;
}

/** A shader that may have a separate part for sample sets. */
interface Pieces {
  readonly first: IrProgram;
  readonly secondPart: IrProgram | null;
  readonly sets: SetLinks | null;
}
interface CoarsePieces {
  readonly coarse: IrProgram;
  readonly pixels: Pieces;
  readonly linkCount: number;
}

const varyingsOf = ({ inputs }: IrProgram): number => inputs.filter(isEdgeInput).length;

/**
 * Arranges the inputs of a part. Its varyings have the layout of the shader's first part, from whose planes they are
 * read; links follow, then everything else.
 */
function laidAs(part: IrProgram, first: IrProgram): IrProgram {
  const own = part.inputs.filter(isEdgeInput);
  const varyings =
    own.length === 0
      ? []
      : first.inputs
          .filter(isEdgeInput)
          .map((input) => own.find((other) => placeOf(other) === placeOf(input)) ?? input);
  const links = part.inputs.filter(({ kind }) => kind === 'link');
  return withInputs(part, [
    ...varyings,
    ...links,
    ...part.inputs.filter((input) => !isEdgeInput(input) && input.kind !== 'link'),
  ]);
}

/** Links of a shader in one piece. */
const NO_LINKS: SetLinks = {
  apart: 0,
  linkFrom: 0,
  linkTo: 0,
  linkCount: 0,
  results: 0,
  killed: -1,
  mask: -1,
  dispatches: 1,
};

const placeOf = ({ location, component }: Place): string => `${location}.${component}`;

/** Whether an output of a pipeline's last stage has any effect. */
function isTaken(output: IrOutput, targets: PipelineState['targets'], alphaToCoverage: boolean): boolean {
  if (output.kind !== 'color') return true;
  const { location, component } = output;
  if (alphaToCoverage && location === 0 && component === 3) return true;
  const target = targets[location];
  if (!target || target.writeMask === 0) return false;
  // The first component shows that the target is written at all. Blend factors may read an alpha that the format lacks.
  return (
    component === 0
    || (component === 3 && target.blend !== null)
    || (component < target.format.channels && (target.writeMask & (1 << component)) !== 0)
  );
}
