// Programs become stages: reduced to what is read of them, cleaned, validated, encoded. A stage depends on its own
// program and on which of its outputs are read, so pipelines share it, whoever its neighbours are.
import { encodeBytecode, type EncodedProgram } from '../codegen';
import {
  findMissingAlphas, optimize, validate, type ConstantMath, type IrInput, type IrOutput, type IrProgram,
  type IrResource,
} from '../ir';
import {
  arrangeInputs, arrangeOutputs, gatherEmission, linkTable, stageOf, withDefaults, writtenBy, type EdgeInput,
  type Emission, type LinkedTable, type PatchStage, type Place, type Sink, type Slot, type Stage,
  type StageKind, type StageRate, type TableProgram,
} from '../mpipe';
import { Recent } from '../base/recent';
import { finish, type Steps } from '../base/steps';
import type { BufferSinkState, PipelineState } from './types';

export class EncodedStage implements Stage {
  readonly kind: StageKind;
  readonly rate: StageRate;
  readonly inputs: readonly IrInput[];
  readonly outputs: readonly IrOutput[];
  readonly resources: readonly IrResource[];
  private bytecode: EncodedProgram | null = null;

  constructor(readonly program: IrProgram, readonly emission: Emission | null, readonly patch: PatchStage | null) {
    const { kind, rate, inputs, outputs, resources } = stageOf(program);
    this.kind = kind;
    this.rate = rate;
    this.inputs = inputs;
    this.outputs = outputs;
    this.resources = resources;
  }

  get isEncoded(): boolean { return this.bytecode !== null; }

  /** Encoded when it is asked for first, which may throw ProgramTooLargeError. */
  get encoded(): EncodedProgram { return this.bytecode ??= encodeBytecode(this.program); }
}

/** The two tables of a pipeline: vertex stages → setup, [fragment] → output. */
export interface LinkedPipeline {
  readonly geometry: LinkedTable<EncodedStage>;
  /** Without stages where only depth reaches the output. */
  readonly pixel: LinkedTable<EncodedStage>;
}

/** What `link` looks at of a pipeline's state. */
export type LinkedState = Pick<
  PipelineState, 'geometry' | 'source' | 'fragment' | 'sink' | 'targets' | 'multisample'
>;

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
    const { geometry: programs, source, fragment, targets, multisample } = state;
    const missing = fragment ? this.missingAlphasOf(fragment.program) : [];
    const takes = (output: IrOutput, index: number): boolean => !missing[index]!
      && isTaken(output, targets, multisample.alphaToCoverageEnabled);
    const last = programs.at(-1)!.program;
    const pixel = linkTable({
      slots: fragment ? [enabled(fragment)] : [], source: source && writtenBy(last), sink: { kind: 'output', takes },
    }, this.reduce);
    yield;
    const sink: Sink = state.sink ? { kind: 'buffer', takes: scalarsOf(state.sink) } : { kind: 'setup', behind: pixel };
    const geometry = linkTable({ slots: programs.map(enabled), source, sink }, this.reduce);
    for (const stage of [...geometry.stages, ...pixel.stages]) {
      if (!stage.isEncoded) yield;
      const { code, prologue } = stage.encoded;
      this.recent.use(stage, code.byteLength + prologue.byteLength);
    }
    return { geometry, pixel };
  }

  private readonly reduce = (
    program: TableProgram, outputs: readonly number[], missing: readonly number[], points: readonly EdgeInput[]
  ): EncodedStage => {
    let variants = this.known.get(program.program);
    if (!variants) this.known.set(program.program, variants = new Map());
    const { maxVertices = 0, topology = '' } = program.emission ?? {};
    const patch = program.patch ? `;${Object.values(program.patch).join()};${points.map(placeOf).join()}` : '';
    const key = `${outputs.join()};${missing.join()};${maxVertices};${topology}${patch}`;
    let stage = variants.get(key)?.deref();
    if (!stage) {
      for (const [other, ref] of variants) if (!ref.deref()) variants.delete(other);
      variants.set(key, new WeakRef(stage = this.make(program, outputs, missing, points)));
    }
    return stage;
  };

  private make(
    of: TableProgram, outputs: readonly number[], missing: readonly number[], points: readonly EdgeInput[]
  ): EncodedStage {
    const { program, emission, patch = null } = of, reduced = arrangeOutputs(withDefaults(of, missing), outputs);
    const arranged = emission ? gatherEmission(reduced, emission) : reduced;
    // Where outputs went, what computed them goes now. (Alphas that are as good as missing are constants.)
    const alphas = this.missingAlphasOf(program).filter(Boolean).length;
    const whole = program.outputs.length - outputs.length === alphas && missing.length === 0 && !emission;
    const corners = emission?.corners ?? (patch?.kind === 'control' ? patch.corners : 0);
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

const placeOf = ({ location, component }: Place): string => `${location}.${component}`;

const enabled = (program: TableProgram): Slot => ({ ...program, enabled: true });

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
