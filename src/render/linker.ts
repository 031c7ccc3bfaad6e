// Programs become stages: reduced to what is read of them, cleaned, validated, encoded. A stage depends on its own
// program and on which of its outputs are read, so pipelines share it, whoever its neighbours are.
import { encodeBytecode, type EncodedProgram } from '../codegen';
import {
  findMissingAlphas, gatherDispatches, guardSamples, hasSets, ofOneSample, optimize, RATE_LOCATION, splitCoarse,
  splitSets, validate, withInputs,
  type ConstantMath, type IrInput, type IrOutput, type IrProgram, type IrResource, type JoinedStages,
} from '../ir';
import {
  arrangeInputs, arrangeOutputs, gatherEmission, isEdgeInput, isPassed, linkTable, linkTree, mapTree, missingInputs,
  pathsOf, stageOf, stagesOf, withDefaults, writtenBy, type CoarseLinks,
  type EdgeInput, type Emission, type IsWritten, type LinkedBranch,
  type LinkedTable, type PatchStage, type Place, type SetLinks, type Stage, type StageKind, type StageRate,
  type TableProgram, type VertexSink,
} from '../mpipe';
import { Recent } from '../base/recent';
import { finish, type Steps } from '../base/steps';
import type { BufferSinkState, OutputState, PipelineState, SinkState } from './types';

/** What a stage is of a fragment program in several parts. `isFurther`: the second of those that sets have. */
interface PartOf {
  readonly sets?: SetLinks | null;
  readonly coarse?: CoarseLinks | null;
  readonly others?: readonly EncodedStage[];
  readonly isFurther?: boolean;
}

export class EncodedStage implements Stage {
  readonly kind: StageKind;
  readonly rate: StageRate;
  readonly inputs: readonly IrInput[];
  readonly outputs: readonly IrOutput[];
  readonly resources: readonly IrResource[];
  readonly sets: SetLinks | null;
  readonly coarse: CoarseLinks | null;
  /** Of a fragment program's first part, the others: they are behind it in its table. */
  readonly others: readonly EncodedStage[];
  private bytecode: EncodedProgram | null = null;

  constructor(
    readonly program: IrProgram, readonly emission: Emission | null, readonly patch: PatchStage | null,
    { sets = null, coarse = null, others = [], isFurther = false }: PartOf = {},
  ) {
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

  get isEncoded(): boolean { return this.bytecode !== null; }

  /** Encoded when it is asked for first, which may throw ProgramTooLargeError. */
  get encoded(): EncodedProgram { return this.bytecode ??= encodeBytecode(this.program); }
}

/** An end of the vertex stages. */
export interface LinkedLeaf<S extends Stage = Stage> {
  readonly state: SinkState;
  readonly sink: VertexSink;
  /** [fragment] → output. Without stages where only depth reaches the output, and of buffers. */
  readonly pixel: LinkedTable<S>;
}

/** The tables of a pipeline: vertex stages, and behind each setup that they lead to, pixels. */
export type LinkedPipeline<S extends Stage = EncodedStage> = LinkedBranch<S, LinkedLeaf<S>>;

/** The same of other stages: as `take` makes them, in their order. */
export function ofStages<S extends Stage, T extends Stage>(
  { stages, branches, leaf, packet }: LinkedPipeline<S>, take: (stage: S) => T
): LinkedPipeline<T> {
  return {
    stages: stages.map(take), branches: branches.map((branch) => ofStages(branch, take)), packet,
    leaf: leaf && { ...leaf, pixel: { stages: leaf.pixel.stages.map(take) } },
  };
}

/** What `link` looks at of a pipeline's state. */
export type LinkedState = Pick<PipelineState, 'tree' | 'source'>;

/** Bytes of bytecode of stages that are kept when no pipeline has them any more: their IR is ten times as much. */
const MOST_BYTES = 1 << 20;

export class Linker {
  /** By program and outputs, as long as somebody has them, or they were among the last ones used. */
  private readonly known = new WeakMap<IrProgram, Map<string, WeakRef<EncodedStage>>>();
  private readonly recent = new Recent<EncodedStage>(MOST_BYTES);
  private readonly missingAlphas = new WeakMap<IrProgram, readonly boolean[]>();

  constructor(private readonly math: ConstantMath) {}

  /** Stages that were let go. */
  get dropped(): number { return this.recent.dropped; }

  /** Throws ProgramTooLargeError. */
  link(state: LinkedState): LinkedPipeline { return finish(this.linking(state)); }

  /** `link` in steps. */
  *linking(state: LinkedState): Steps<LinkedPipeline> {
    const { tree, source } = state;
    const paths = pathsOf(tree);
    let number = 0;
    const ends = mapTree(tree, (program) => program, (sink: SinkState): LinkedLeaf<EncodedStage> => {
      const { stages } = paths[number++]!, giver = stages.findLast(({ program }) => !isPassed(program));
      return this.leaf(sink, source && giver ? writtenBy(giver.program) : null, vertexRates(stages, giver));
    });
    yield;
    const linked = linkTree(ends, source, this.reduce);
    for (const stage of [...stagesOf(linked), ...pathsOf(linked).flatMap(({ leaf }) => leaf.pixel.stages)]) {
      if (!stage.isEncoded) yield;
      const { code, prologue } = stage.encoded;
      this.recent.use(stage, code.byteLength + prologue.byteLength);
    }
    return linked;
  }

  /** `source`: what is written for its fragment program, where that may read more; `rates`: what it takes besides. */
  private leaf(state: SinkState, source: IsWritten | null, rates: readonly EdgeInput[]): LinkedLeaf<EncodedStage> {
    if (state.kind === 'buffer')
      return { state, sink: { kind: 'buffer', takes: scalarsOf(state.buffer) }, pixel: { stages: [] } };
    const pixel = this.pixel(state.output, source, rates);
    return { state, sink: { kind: 'setup', behind: pixel }, pixel };
  }

  private pixel(
    { fragment, staged, targets, multisample }: OutputState, source: IsWritten | null, rates: readonly EdgeInput[]
  ): LinkedTable<EncodedStage> {
    const isStaged = staged !== null && !(staged.isOfSamples && multisample.count === 1);
    const own = fragment && isStaged ? { ...fragment, program: staged.program } : fragment;
    // What is sent several times may lack an alpha once and have it then.
    const missing = own && !staged?.hasDispatches ? this.missingAlphasOf(own.program) : [];
    const takes = (output: IrOutput, index: number): boolean => !missing[index]!
      && isTaken(output, targets, multisample.alphaToCoverageEnabled);
    if (own && isStaged) {
      const outputs = own.program.outputs.flatMap((output, index) => (takes(output, index) ? [index] : []));
      const parts = this.stagesOfPixels(
        own, { ...staged, isSplit: multisample.count > 1 && hasSets(staged.program), samples: multisample.count },
        outputs, missingInputs(own.program, source, null), rates
      );
      return { stages: [parts, ...parts.others] };
    }
    return linkTable({
      slots: fragment ? [{ ...fragment, enabled: true }] : [], source, sink: { kind: 'output', takes },
    }, (program, outputs, missing) => this.reduce(program, outputs, missing, rates));
  }

  private readonly reduce = (
    program: TableProgram, outputs: readonly number[], missing: readonly number[], points: readonly EdgeInput[]
  ): EncodedStage => {
    const { maxVertices = 0, topology = '' } = program.emission ?? {};
    const patch = Object.values(program.patch ?? {}).join();
    const key = `${outputs.join()};${missing.join()};${maxVertices};${topology};${patch};${points.map(placeOf).join()}`;
    return this.variant(program.program, key, () => this.make(program, outputs, missing, points));
  };

  /** The stage that a program is in one way, which is made if nobody has it. */
  private variant(program: IrProgram, key: string, make: () => EncodedStage): EncodedStage {
    let variants = this.known.get(program);
    if (!variants) this.known.set(program, variants = new Map());
    let stage = variants.get(key)?.deref();
    if (!stage) {
      for (const [other, ref] of variants) if (!ref.deref()) variants.delete(other);
      variants.set(key, new WeakRef(stage = make()));
    }
    return stage;
  }

  /**
   * A program of fragment stages: in one piece, or, with `isSplit`, its first part, which has the second; and where it
   * has coarse stages, the same in parts by rates.
   */
  private stagesOfPixels(
    fragment: TableProgram, options: JoinedStages & SetOptions, outputs: readonly number[],
    missing: readonly number[], rates: readonly EdgeInput[]
  ): EncodedStage {
    const { isSplit, hasDispatches, samples, coarseNodes, pixelNodes } = options;
    const cut = [isSplit, coarseNodes, hasDispatches ? samples : 0];
    const key = `stages;${cut.join()};${outputs.join()};${missing.join()};${rates.map(placeOf).join()}`;
    return this.variant(fragment.program, key, () => {
      const arranged = arrangeOutputs(withDefaults(fragment, missing), outputs);
      const { program: reduced, dispatches } = hasDispatches ? gatherDispatches(arranged, samples)
        : { program: arranged, dispatches: 1 };
      const staged = { ...options, dispatches };
      const whole = this.piecesOf(reduced, pixelNodes, staged);
      const coarse = coarseNodes > 0 ? this.coarsePieces(reduced, staged) : null;
      const others = [whole.further, coarse?.coarse, coarse?.pixels.first, coarse?.pixels.further];
      const read = others.flatMap((part) => part?.inputs.filter(isEdgeInput) ?? []);
      const first = arrangeInputs(whole.first, 0, [...rates, ...read]);
      return this.partsOf(first, whole, first, coarse ? this.coarseParts(first, coarse) : []);
    });
  }

  /** A program in one piece, or in two; optimised. Nodes before `pixelNodes` are of stages of pixels. */
  private piecesOf(
    program: IrProgram, pixelNodes: number, { isSplit, hasSamples, hasDispatches, dispatches }: SplitState
  ): Pieces {
    const optimized = (part: IrProgram): IrProgram => optimize(part, this.math);
    if (!isSplit) {
      // Where pixels have several samples, such a program has no inputs that are of a sample.
      if (!hasSamples && !hasDispatches) return { first: optimized(program), further: null, sets: null };
      const { program: guarded, killed } = guardSamples(ofOneSample(program), pixelNodes);
      const sets = { ...NO_LINKS, results: program.outputs.length, killed, dispatches };
      return { first: optimized(guarded), further: null, sets };
    }
    const { first, further, ...sets } = splitSets(program, pixelNodes, optimized);
    return { first: optimized(first), further, sets: { ...sets, dispatches } };
  }

  /** Its coarse stages, and what is behind them. */
  private coarsePieces(program: IrProgram, staged: JoinedStages & SplitState): CoarsePieces {
    const { coarse, pixels, pixelNodes, linkCount } = splitCoarse(
      program, staged.coarseNodes, staged.pixelNodes, (part) => optimize(part, this.math)
    );
    return { coarse: optimize(coarse, this.math), pixels: this.piecesOf(pixels, pixelNodes, staged), linkCount };
  }

  /** `first`: its first part, arranged; `whole`: as whose varyings lie; `others`: behind both. */
  private partsOf(
    first: IrProgram, { further, sets }: Pieces, whole: IrProgram, others: readonly EncodedStage[]
  ): EncodedStage {
    validate(first);
    if (!further) return new EncodedStage(first, null, null, { sets, others });
    const samples = laidAs(further, whole);
    validate(samples);
    return new EncodedStage(first, null, null, {
      sets: { ...sets!, linkTo: varyingsOf(samples) },
      others: [new EncodedStage(samples, null, null, { isFurther: true }), ...others],
    });
  }

  /** Those of a program's coarse stages, of pixels, and of samples; `whole`: its first part, arranged. */
  private coarseParts(whole: IrProgram, { coarse, pixels, linkCount }: CoarsePieces): EncodedStage[] {
    const first = laidAs(coarse, whole), behind = laidAs(pixels.first, whole);
    validate(first);
    const stage = this.partsOf(behind, pixels, whole, []);
    const links = { linkTo: varyingsOf(behind), linkCount };
    return [new EncodedStage(first, null, null, { coarse: links }), stage, ...stage.others];
  }

  private make(
    of: TableProgram, outputs: readonly number[], missing: readonly number[], points: readonly EdgeInput[]
  ): EncodedStage {
    const { program, emission, patch = null } = of, reduced = arrangeOutputs(withDefaults(of, missing), outputs);
    const arranged = emission ? gatherEmission(reduced, emission) : reduced;
    // Where outputs went, what computed them goes now. (Alphas that are as good as missing are constants.)
    const alphas = this.missingAlphasOf(program).filter(Boolean).length;
    const whole = program.outputs.length - outputs.length === alphas && missing.length === 0 && !emission;
    const corners = emission?.corners ?? (patch?.kind === 'control' ? patch.corners : program.corners);
    const linked = arrangeInputs(whole ? arranged : optimize(arranged, this.math), corners, points);
    validate(linked);
    return new EncodedStage(linked, emission, patch);
  }

  private missingAlphasOf(program: IrProgram): readonly boolean[] {
    let found = this.missingAlphas.get(program);
    if (!found) this.missingAlphas.set(program, found = findMissingAlphas(program));
    return found;
  }
}

const scalarsOf = ({ attributes }: BufferSinkState): Place[] => attributes.flatMap(({ location, size }) => Array.from(
  { length: size }, (_, component) => ({ location, component })
));

const RATE_INPUT: EdgeInput = {
  kind: 'varying', location: RATE_LOCATION, component: 0, type: 'u32', interpolation: 'flat', sampling: 'center',
};

/**
 * The rates of vertices, where the last stage that gives any writes them: setup keeps the provoking vertex's with what
 * the fragment program reads. What a stage says of whole primitives counts instead.
 */
function vertexRates(stages: readonly TableProgram[], giver: TableProgram | undefined): EdgeInput[] {
  const isSaid = stages.some(({ program }) => program.outputs.some(({ kind }) => kind === 'shading_rate'));
  return giver && !isSaid && writtenBy(giver.program)(RATE_INPUT) ? [RATE_INPUT] : [];
}

/** How a program of fragment stages is made: in parts, for pixels of so many samples. */
interface SetOptions { readonly isSplit: boolean; readonly samples: number }

/** How a program is cut into parts; `dispatches`: that its results are, if it sends by itself. */
interface SplitState {
  readonly isSplit: boolean;
  readonly hasSamples: boolean;
  readonly hasDispatches: boolean;
  readonly dispatches: number;
}

/** A program that sets may have a part of. */
interface Pieces {
  readonly first: IrProgram;
  readonly further: IrProgram | null;
  readonly sets: SetLinks | null;
}
interface CoarsePieces { readonly coarse: IrProgram; readonly pixels: Pieces; readonly linkCount: number }

const varyingsOf = ({ inputs }: IrProgram): number => inputs.filter(isEdgeInput).length;

/**
 * A part whose varyings lie as those of the program's first one, whose planes they are read from; then links, then
 * what else it reads.
 */
function laidAs(part: IrProgram, first: IrProgram): IrProgram {
  const own = part.inputs.filter(isEdgeInput);
  const varyings = own.length === 0 ? [] : first.inputs.filter(isEdgeInput).map((input) =>
    own.find((other) => placeOf(other) === placeOf(input)) ?? input);
  const links = part.inputs.filter(({ kind }) => kind === 'link');
  return withInputs(part, [
    ...varyings, ...links, ...part.inputs.filter((input) => !isEdgeInput(input) && input.kind !== 'link'),
  ]);
}

/** Of programs in one piece. */
const NO_LINKS: SetLinks = {
  apart: 0, linkFrom: 0, linkTo: 0, linkCount: 0, results: 0, killed: -1, mask: -1, dispatches: 1,
};

const placeOf = ({ location, component }: Place): string => `${location}.${component}`;

/** Whether anything comes of an output of a pipeline's last stage. */
function isTaken(output: IrOutput, targets: PipelineState['targets'], alphaToCoverage: boolean): boolean {
  if (output.kind !== 'color') return true;
  const { location, component } = output;
  if (alphaToCoverage && location === 0 && component === 3) return true;
  const target = targets[location];
  if (!target || target.writeMask === 0) return false;
  // The first tells that the target is written at all, and factors of blending may read alphas that no texel has.
  return component === 0 || (component === 3 && target.blend !== null)
    || (component < target.format.channels && (target.writeMask & (1 << component)) !== 0);
}
