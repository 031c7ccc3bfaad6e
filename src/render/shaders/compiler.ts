// The JIT of one device. It turns the shaders of stages into WASM modules, and installs the modules' functions in the
// kernel's table. A stage is interpreted until its functions exist, and decides itself when it switches over
// (stage-program.ts).
import { REGISTER_BYTES } from '../../../assembly/layout/limits';
import { clockMs } from '../../base/clock';
import { ProgramTooLargeError } from '../../base/errors';
import { labelled } from '../../base/printable';
import { finish, type Steps } from '../../base/steps';
import { emittingModule, type JitExport, type JitModule } from '../../codegen/jit';
import type { StageSlots } from '../../mpipe';
import type { Kernel, KernelHost } from '../../kernels';
import { OutOfMemoryError, type Allocator, type DeviceMemory } from '../../memory';
import { runInSlices, later, type Trace } from '../../schedule';
import { warnOnce, type Toolchain } from './engine';
import type { PipelineCache } from './stored/pipeline-cache';
import { Compiled } from './compiled';
import { FunctionTable } from './function-table';
import { ModuleDirectory } from './module-directory';
import { DummyWork } from './dummy-work';
import type { EncodedStage } from './linker';
import { functionsOf, type StageProgram } from './stage-program';
import type { ProgramStatistics, StageTimes } from '../types';
import { variantKey } from './variant-key';
import { variants, type Variant } from './variants';
import { warmUp, type Run } from './warm-up';

interface CompilerParts {
  readonly toolchain: Toolchain;
  /** Whether a pipeline that cannot be compiled is an error, instead of being interpreted. */
  readonly forced: boolean;
  readonly kernel: Kernel;
  readonly device: DeviceMemory;
  readonly allocator: Allocator;
  readonly host: KernelHost;
  /** Starts the time limit of the next call, in milliseconds. */
  startClock(ms: number): void;
  /** ShaderLimits.codeBytes. */
  readonly codeBytes: number;
  /** Null without a shader cache. */
  readonly cache: PipelineCache | null;
  /** Whether workers are running a job. Workers install new modules when a job begins. */
  isRunningJob(): boolean;
}

/** A pipeline of any kind. */
export interface Compilable {
  readonly state: { readonly label: string };
  readonly stages: readonly StageProgram[];
  readonly isAlive: boolean;
  readonly isSettled: boolean;
  destroy(): void;
}

/** Time limit, in milliseconds, of a warm-up call with all lanes masked off. Loops may not end on zeros. */
const DUMMY_MS = 2;

export class Compiler {
  private readonly table: FunctionTable;
  private readonly directory: ModuleDirectory;
  private readonly installed = new Map<Variant, Compiled>();
  private readonly waiting: Compilable[] = [];
  private readonly compiling = new Map<StageProgram, Promise<void>>();
  private readonly counts = { compiled: 0, interpreted: 0, emitted: 0, fromCache: 0, fromStore: 0, moduleBytes: 0 };
  private readonly times: { -readonly [Step in keyof StageTimes]: number } = {
    emit: 0,
    compile: 0,
    instantiate: 0,
    warmUp: 0,
  };
  private closed = false;
  /** Records the compiler's activity; null if no trace was requested. */
  trace: Trace | null = null;

  constructor(private readonly parts: CompilerParts) {
    this.table = new FunctionTable(parts.kernel.table);
    this.directory = new ModuleDirectory(parts.allocator, parts.device.memory, parts.isRunningJob);
  }

  /**
   * Compiles in a later macro-task, because emitting a large shader takes milliseconds. Work that is being submitted
   * now goes first: interpreting a small picture is faster than compiling for it, and large passes call
   * `tryCompileSync`.
   *
   * Tried: interpreting the first frame of large passes too. First frames of six three.js scenes took 8 % less on the
   * calling thread, but as long as before, because interpreted tiles take longer.
   */
  compileLater(pipeline: Compilable): void {
    this.waiting.push(pipeline);
    if (this.waiting.length === 1) later(() => later(() => this.next()));
  }

  /** Compiles a waiting pipeline now, unless the engine prefers another thread for it. */
  tryCompileSync(pipeline: Compilable): void {
    const index = this.waiting.indexOf(pipeline);
    if (index < 0) return;
    for (const stage of pipeline.stages) {
      if (stage.isSettled) continue;
      try {
        const variant = this.variantOf(stage);
        if (!variant.code.isSmall) return;
        this.install(
          stage,
          pipeline.state.label,
          variant,
          this.timed(stage, 'compile', () => moduleNow(variant))
        );
      } catch {
        // The shader is too large, memory is short, or a browser refuses to compile on its main thread. The pipeline's
        // regular turn will report it.
        return;
      }
    }
    this.waiting.splice(index, 1);
    this.count(pipeline);
  }

  /** Compiles synchronously. Throws ProgramTooLargeError and OutOfMemoryError. */
  compileSync(pipeline: Compilable): void {
    const { label } = pipeline.state;
    for (const stage of pipeline.stages) {
      if (stage.compiled) continue;
      const variant = this.variantOf(stage);
      this.install(
        stage,
        label,
        variant,
        this.timed(stage, 'compile', () => moduleNow(variant))
      );
    }
    this.counts.compiled++;
  }

  /**
   * Compiles, off this thread if the engine can. If compilation is forced, rejects with ProgramTooLargeError or
   * OutOfMemoryError. Otherwise a stage that cannot be compiled stays interpreted.
   */
  async compile(pipeline: Compilable): Promise<void> {
    let works = false;
    for (const stage of pipeline.stages) {
      if (works && !stage.isSettled) await new Promise<void>((turn) => later(turn));
      // It may have been compiled for another pipeline meanwhile.
      if (stage.isSettled) continue;
      works = true;
      await this.compileStage(stage, pipeline.state.label);
    }
    if (pipeline.isAlive && !this.closed) this.count(pipeline);
  }

  private count({ stages }: Compilable): void {
    if (stages.every(({ compiled }) => compiled !== null)) this.counts.compiled++;
    else this.counts.interpreted++;
  }

  /** Compiles a stage once, for all pipelines that wait for it. */
  private async compileStage(stage: StageProgram, label: string): Promise<void> {
    let compiling = this.compiling.get(stage);
    if (!compiling) {
      compiling = this.compileOnce(stage, label).finally(() => this.compiling.delete(stage));
      this.compiling.set(stage, compiling);
    }
    await compiling;
  }

  private async compileOnce(stage: StageProgram, label: string): Promise<void> {
    try {
      const variant = await runInSlices(this.makingVariant(stage));
      const began = clockMs();
      const cached = variant.code.isCompiled;
      const module = await variant.code.compile();
      if (!cached) this.spent(stage, 'compile', began, 'passed');
      // `tryCompileSync` may have compiled it meanwhile.
      if (stage.users > 0 && !stage.compiled && !this.closed) this.install(stage, label, variant, module);
    } catch (error) {
      if (this.parts.forced) throw error;
      this.stayInterpreted(stage, error);
    }
  }

  /**
   * Compiles in a later macro-task, like `compile`, and warms the functions up. The pipeline must not be in use yet.
   */
  async prepare(pipeline: Compilable): Promise<void> {
    await new Promise<void>((turn) => later(turn));
    await this.compile(pipeline);
    const compiled = pipeline.stages.filter((stage) => stage.compiled !== null);
    // A stage that no other pipeline shares is not used by any pass, so it can switch over now.
    for (const stage of compiled) if (stage.users === 1) stage.switchToCompiled(Infinity);
    await this.warmUp(compiled.filter((stage) => !stage.compiled!.variant.code.warm));
  }

  /** Warms compiled functions up. All instances of a module share the engine's code, so once per process is enough. */
  private async warmUp(stages: readonly StageProgram[]): Promise<void> {
    if (stages.length === 0) return;
    const began = clockMs();
    const work: DummyWork[] = [];
    try {
      let bytes = 0;
      const runs: Run[] = [];
      for (const stage of stages) {
        runs.push(...this.runsOf(stage, work));
        bytes += stage.compiled!.variant.emitted.bytes.length;
      }
      await warmUp(runs, bytes, () => this.closed);
      for (const stage of stages) if (stage.compiled) stage.compiled.variant.code.warm = true;
    } catch (error) {
      // Without memory for the warm-up, the first frames warm the functions up.
      if (!(error instanceof OutOfMemoryError)) throw error;
    } finally {
      for (const each of work) each.destroy();
      const ms = clockMs() - began;
      for (const stage of stages) this.add(stage, 'warmUp', ms / stages.length);
      this.trace?.passed('warm up', 'compilation', began, { programs: stages.length });
    }
  }

  private runsOf(stage: StageProgram, made: DummyWork[]): Run[] {
    const { allocator, device, kernel, startClock } = this.parts;
    const compiled = stage.compiled!;
    const registers = Math.ceil(compiled.variant.emitted.fileBytes / REGISTER_BYTES);
    const work = new DummyWork({
      allocator,
      memory: device.memory,
      kernel,
      stage,
      functions: functionsOf(compiled),
      registers,
    });
    made.push(work);
    const { slots } = compiled;
    return [slots.quads, slots.registers]
      .filter((slot) => slot !== 0)
      .map((slot) => {
        const run = kernel.table.get(slot) as (warp: number) => number;
        return () => {
          startClock(DUMMY_MS);
          return run(work.warp);
        };
      });
  }

  /** Whether pipelines wait to be compiled, or are being compiled. */
  get isBusy(): boolean {
    return this.waiting.length > 0 || this.compiling.size > 0;
  }

  /** Address of the DIRECTORY record. */
  get directoryAddress(): number {
    return this.directory.address;
  }

  /** Publishes new modules. Called before workers begin a job. */
  publishModules(): void {
    this.directory.settle();
  }

  statistics(): Omit<ProgramStatistics, 'engine' | 'shared' | 'stages'> {
    return { ...this.counts, ...variants.kept, functionTableSlots: this.table.length, times: { ...this.times } };
  }

  /** Stops all compilation. */
  close(): void {
    this.closed = true;
    this.waiting.length = 0;
  }

  private next(): void {
    for (let pipeline = this.waiting.shift(); pipeline; pipeline = this.waiting.shift()) {
      if (!pipeline.isAlive) continue;
      const { isSettled } = pipeline;
      void this.compile(pipeline);
      // A pipeline whose stages are all compiled already takes no time.
      if (!isSettled) break;
    }
    if (this.waiting.length > 0) later(() => this.next());
  }

  private variantOf(stage: StageProgram): Variant {
    return finish(this.makingVariant(stage));
  }

  private *makingVariant(stage: StageProgram): Steps<Variant> {
    const {
      toolchain: { inlines },
      device: { shared: sharedMemory },
      codeBytes,
      cache,
    } = this.parts;
    const { encodedStage } = stage;
    const key = this.timed(stage, 'emit', () => this.keyOf(encodedStage));
    let variant = variants.find(key);
    if (variant) {
      this.counts.fromCache++;
      return variant;
    }
    const stored = encodedStage.emitted ?? this.timed(stage, 'emit', () => cache?.emittedFor(encodedStage));
    if (stored) {
      // Stages are shared by devices, so one may have been compiled for another device.
      this.counts[cache ? 'fromStore' : 'fromCache']++;
      return variants.add(key, (encodedStage.emitted = stored));
    }
    const { program, encoded } = stage;
    const steps = emittingModule({ program, encoded }, { inlines, sharedMemory, codeBytes });
    for (;;) {
      const { done, value } = this.timed(stage, 'emit', () => steps.next());
      if (done) {
        // Another pipeline may have emitted the same variant meanwhile.
        variant = variants.find(key) ?? variants.add(key, value);
        this.counts.emitted++;
        encodedStage.emitted = variant.emitted;
        cache?.keepStage(encodedStage);
        return variant;
      }
      yield;
    }
  }

  private keyOf(stage: EncodedStage): string {
    const { cache, toolchain, device, codeBytes } = this.parts;
    return (
      cache?.keyOf(stage)
      ?? variantKey({ program: stage.program, inlines: toolchain.key, sharedMemory: device.shared, codeBytes })
    );
  }

  private install(stage: StageProgram, label: string, variant: Variant, module: WebAssembly.Module): void {
    let compiled = this.installed.get(variant);
    if (!compiled) {
      const what = `the compiled ${stage.kind} shader of ${labelled('pipeline', label)}`;
      compiled = this.timed(stage, 'instantiate', () => this.instantiate(what, variant, module));
      this.installed.set(variant, compiled);
      this.counts.moduleBytes += ModuleDirectory.bytesOf(variant.emitted);
    }
    stage.setCompiled(compiled);
  }

  private instantiate(label: string, variant: Variant, module: WebAssembly.Module): Compiled {
    const { kernel, device, host } = this.parts;
    const { emitted } = variant;
    const records = this.directory.write(emitted, label);
    let slots: StageSlots;
    try {
      const { exports } = new WebAssembly.Instance(module, {
        env: { memory: device.memory, constants: records.constants },
        host: { timeExpired: host.timeExpired },
        kernel: kernel.functions,
      });
      slots = this.putFunctions(emitted, exports);
    } catch (error) {
      this.directory.withdraw(records);
      throw error;
    }
    this.directory.publish(records, slots);
    return new Compiled(variant, records, slots, (unused) => this.uninstall(unused));
  }

  private putFunctions(emitted: JitModule, exports: WebAssembly.Exports): StageSlots {
    const numbers = this.table.put(emitted.exports.map((name) => exports[name] as CallableFunction));
    const slotOf = (name: JitExport): number => numbers[emitted.exports.indexOf(name)] ?? 0;
    return { registers: slotOf('registers'), quads: slotOf('quads') };
  }

  private uninstall({ variant, records, slots }: Compiled): void {
    this.installed.delete(variant);
    this.counts.moduleBytes -= ModuleDirectory.bytesOf(variant.emitted);
    this.table.remove([slots.registers, slots.quads].filter((slot) => slot !== 0));
    this.directory.remove(records);
  }

  private stayInterpreted(stage: StageProgram, error: unknown): void {
    stage.staysInterpreted = true;
    // Size and memory limits show up in the statistics. Any other error is a bug in Rasterloom or in the platform, and
    // would otherwise go unnoticed.
    if (!(error instanceof ProgramTooLargeError) && !(error instanceof OutOfMemoryError))
      warnOnce(`a shader could not be compiled: ${error instanceof Error ? error.message : String(error)}`);
  }

  private timed<T>(stage: StageProgram, step: keyof StageTimes, run: () => T): T {
    const began = clockMs();
    try {
      return run();
    } finally {
      this.spent(stage, step, began, 'did');
    }
  }

  /** `how`: `did` for work on this thread, `passed` for work elsewhere. */
  private spent(stage: StageProgram, step: keyof StageTimes, began: number, how: 'did' | 'passed'): void {
    this.add(stage, step, clockMs() - began);
    this.trace?.[how](step, 'compilation', began, { program: `${stage.kind} ${stage.program.name}` });
  }

  private add(stage: StageProgram, step: keyof StageTimes, ms: number): void {
    this.times[step] += ms;
    stage.times[step] += ms;
  }
}

function moduleNow(variant: Variant): WebAssembly.Module {
  try {
    return variant.code.compileSync();
  } catch (error) {
    // Some browsers refuse to compile large modules on the main thread.
    if (error instanceof RangeError)
      throw new ProgramTooLargeError(
        `this JavaScript engine does not compile ${variant.emitted.bytes.length} bytes of code synchronously: `
          + "use createRenderPipelineAsync, or create({ engine: 'auto' })"
      );
    throw error;
  }
}
