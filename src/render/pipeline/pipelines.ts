// The pipelines of a device: links their stages, lets pipelines share equal ones, and has them compiled.
import { labelled } from '../../base/printable';
import { finish, type Steps } from '../../base/steps';
import type { Kernel } from '../../kernels';
import type { Allocator } from '../../memory';
import { ComputePipeline } from '../compute/compute-pipeline';
import type { ComputeSource, PipelineCache, PipelineSource } from '../shaders/stored/pipeline-cache';
import type { Compilable, Compiler } from '../shaders/compiler';
import { mapStages, type EncodedStage, type LinkedPipeline } from '../shaders/linker';
import { ProgramMemory } from '../shaders/program-memory';
import { StageProgram } from '../shaders/stage-program';
import type {
  ComputePipelineState,
  ComputePipelineStore,
  PipelineState,
  PipelineStore,
  ProgramStatistics,
} from '../types';
import type { Linkers } from './shared-shaders';
import { Pipeline } from './pipeline';

interface PipelinesParts {
  readonly allocator: Allocator;
  readonly kernel: Kernel;
  readonly memory: WebAssembly.Memory;
  /** Address of scratch memory for a TARGET or DESTINATION record that the kernel completes. */
  readonly target: number;
  /** Null if all shaders are interpreted. */
  readonly compiler: Compiler | null;
  readonly linkers: Linkers;
  /** Null without a shader cache. */
  readonly cache: PipelineCache | null;
  /** Whether shaders must be compiled, before pipelines are used. */
  readonly isForced: boolean;
  /** Whether the stages of all pipelines count their warps. */
  isMeasured(): boolean;
  /** Called when a pipeline has been compiled and warmed up. */
  onPrepared(): void;
}

/** A pipeline from the cache, whose leaves get the pipeline's own states after the shaders. */
const withSinks = (linked: LinkedPipeline, { branches, leaf }: PipelineState['tree']): LinkedPipeline => ({
  ...linked,
  branches: linked.branches.map((branch, i) => withSinks(branch, branches[i]!)),
  leaf: leaf && { ...linked.leaf!, state: leaf },
});

export class Pipelines {
  /** Number of pipelines that were created. */
  private count = 0;
  /** Stages in use by pipelines. */
  private readonly stages = new Map<EncodedStage, StageProgram>();
  /** Number of times that a new pipeline found one of its stages here. */
  private shared = 0;
  /** Number of pipelines that are being compiled and warmed up. */
  private preparing = 0;

  constructor(private readonly parts: PipelinesParts) {
    const { cache, linkers } = parts;
    if (!cache) return;
    cache.link = (state) => linkers.render.link(state);
    cache.linkCompute = (program) => finish(linkers.compute.linkSteps(program, parts.isMeasured()));
  }

  /** Whether pipelines are being compiled and warmed up. */
  get isPreparing(): boolean {
    return this.preparing > 0;
  }

  *create(state: PipelineState, source: PipelineSource | null): Steps<PipelineStore> {
    const linked = source?.linked
      ? withSinks(source.linked, state.tree)
      : yield* this.parts.linkers.render.linkSteps(state);
    yield;
    const taken: StageProgram[] = [];
    const take = (stage: EncodedStage): StageProgram => {
      const program = this.stage(stage, state.label);
      taken.push(program);
      return program;
    };
    try {
      const pipeline = new Pipeline(state, mapStages(linked, take), {
        target: (record) => this.prepared(record, () => this.parts.kernel.exports.prepareTarget(this.parts.target)),
        destination: (record, format) =>
          this.prepared(record, () => this.parts.kernel.exports.prepareDestination(this.parts.target, format)),
      });
      this.count++;
      if (source && !source.linked) source.keep(linked);
      return pipeline;
    } catch (error) {
      for (const program of taken) program.release();
      throw error;
    }
  }

  *createCompute(state: ComputePipelineState, source: ComputeSource | null): Steps<ComputePipelineStore> {
    const { linkers, isMeasured } = this.parts;
    const linked = source?.linked ?? (yield* linkers.compute.linkSteps(state.program, isMeasured()));
    if (source && !source.linked) this.parts.cache?.keepCompute(source.key, { program: state.program, linked });
    yield;
    const pipeline = new ComputePipeline(state, this.stage(linked, state.label));
    this.count++;
    return pipeline;
  }

  /** Lets the kernel complete a record, at most as long as a TARGET, through the device's memory. */
  private prepared(record: Uint8Array, complete: () => void): void {
    const held = new Uint8Array(this.parts.memory.buffer, this.parts.target, record.length);
    held.set(record);
    complete();
    record.set(held);
  }

  compile(pipeline: Compilable): void {
    if (!this.parts.isForced) {
      this.parts.compiler?.compileLater(pipeline);
      return;
    }
    try {
      this.parts.compiler!.compileSync(pipeline);
    } catch (error) {
      pipeline.destroy();
      throw error;
    }
  }

  async prepare(pipeline: Compilable): Promise<void> {
    this.preparing++;
    try {
      await this.parts.compiler?.prepare(pipeline);
    } catch (error) {
      pipeline.destroy();
      throw error;
    } finally {
      this.preparing--;
      this.parts.onPrepared();
    }
  }

  /** Returns the device's instance of a stage, and counts one more user. Throws OutOfMemoryError. */
  private stage(stage: EncodedStage, label: string): StageProgram {
    let program = this.stages.get(stage);
    if (program) this.shared++;
    else {
      const what = `the ${stage.kind} shader of ${labelled('pipeline', label)}`;
      const memory = new ProgramMemory(this.parts.allocator, this.parts.memory, stage.encoded, what);
      program = new StageProgram(stage, memory, () => this.stages.delete(stage));
      this.stages.set(stage, program);
    }
    program.users++;
    return program;
  }

  statistics(): ProgramStatistics {
    const { shared } = this;
    const { compiler, linkers } = this.parts;
    const stages = [...this.stages.values()].map((stage) => stage.statistics(compiler !== null));
    if (!compiler)
      return {
        engine: 'interpreter',
        compiled: 0,
        interpreted: this.count,
        emitted: 0,
        fromCache: 0,
        fromStore: 0,
        shared,
        cachedModules: 0,
        keptBytes: 0,
        dropped: linkers.render.dropped,
        moduleBytes: 0,
        functionTableSlots: this.parts.kernel.table.length,
        times: { emit: 0, compile: 0, instantiate: 0, warmUp: 0 },
        stages,
      };
    const compiled = compiler.statistics();
    return { engine: 'jit', ...compiled, shared, dropped: compiled.dropped + linkers.render.dropped, stages };
  }
}
