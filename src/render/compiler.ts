// The JIT of one device: pipelines' programs become modules, modules become functions in the kernel's table. A pipeline
// is interpreted until its functions are there, and says itself when it changes over (pipeline.ts).
import { unreachable } from '../base/assert';
import { REGISTER_BYTES } from '../../assembly/layout/limits';
import { isStackOverflow, ProgramTooLargeError } from '../base/lost';
import { emitModule, type JitExport, type JitModule } from '../codegen/jit';
import type { Kernel, KernelHost } from '../kernels';
import { OutOfMemoryError, type Allocator, type DeviceMemory } from '../memory';
import { later } from '../schedule';
import { warnOnce, type Toolchain } from './engine';
import { Compiled } from './compiled';
import { FunctionTable } from './function-table';
import { ModuleDirectory, type ModuleSlots } from './module-directory';
import { DummyWork } from './dummy-work';
import type { Pipeline, StageMemory } from './pipeline';
import type { ProgramStatistics } from './types';
import { variantKey } from './variant-key';
import { variants, type Variant } from './variants';
import { warmUp, type Run } from './warm-up';

export interface CompilerParts {
  readonly toolchain: Toolchain;
  /** A pipeline that cannot be compiled is an error, instead of being interpreted. */
  readonly forced: boolean;
  readonly kernel: Kernel;
  readonly device: DeviceMemory;
  readonly allocator: Allocator;
  readonly host: KernelHost;
  /** How long one call may take from now on. */
  startClock(ms: number): void;
  /** Whether workers are at work, which take up modules when they begin. */
  isEmployed(): boolean;
}

/** Milliseconds that a call on masked work may take: on zeros, loops may not end. */
const DUMMY_MS = 2;

export class Compiler {
  private readonly table: FunctionTable;
  private readonly directory: ModuleDirectory;
  private readonly installed = new Map<Variant, Compiled>();
  private readonly waiting: Pipeline[] = [];
  private readonly counts = { compiled: 0, fromCache: 0, interpreted: 0, moduleBytes: 0 };
  private readonly times = { emit: 0, compile: 0, instantiate: 0, warmUp: 0 };
  private closed = false;

  constructor(private readonly parts: CompilerParts) {
    this.table = new FunctionTable(parts.kernel.table);
    this.directory = new ModuleDirectory(parts.allocator, parts.device.memory, parts.isEmployed);
  }

  /** Compiles in a turn of its own: emitting a large program takes milliseconds. */
  compileLater(pipeline: Pipeline): void {
    this.waiting.push(pipeline);
    if (this.waiting.length === 1) later(() => this.next());
  }

  /** Compiles at once. Throws ProgramTooLargeError and OutOfMemoryError. */
  compileNow(pipeline: Pipeline): void {
    const variant = this.variantOf(pipeline);
    this.install(pipeline, variant, this.timed('compile', () => moduleNow(variant)));
  }

  /**
   * Compiles, off this thread where the engine can. Rejects, where compiling is forced, with ProgramTooLargeError and
   * OutOfMemoryError.
   */
  async compile(pipeline: Pipeline): Promise<void> {
    try {
      const variant = this.variantOf(pipeline);
      const began = performance.now();
      const cached = variant.code.isCompiled;
      const module = await variant.code.compile();
      if (!cached) this.times.compile += performance.now() - began;
      if (pipeline.isAlive && !this.closed) this.install(pipeline, variant, module);
    } catch (error) {
      if (this.parts.forced) throw error;
      this.stayInterpreted(pipeline, error);
    }
  }

  /** Compiles in a turn of its own, as `compile`, and warms the functions up. The pipeline must not be in use yet. */
  async prepare(pipeline: Pipeline): Promise<void> {
    await new Promise<void>((turn) => later(turn));
    await this.compile(pipeline);
    // No pass knows it: it changes over now, with files of its own.
    if (pipeline.changeOver(Infinity)) await this.warmUp(pipeline);
  }

  /** The engine's code is shared by all instances of a module: once is enough for the process. */
  private async warmUp(pipeline: Pipeline): Promise<void> {
    const { variant, slots } = pipeline.compiled!;
    if (variant.code.warm) return;
    const began = performance.now();
    const work: DummyWork[] = [];
    try {
      const { emitted } = variant;
      const runs = [
        ...this.runsOf(pipeline.vertex, emitted.vertexBytes, [slots.vertex], work),
        ...(pipeline.fragment
          ? this.runsOf(pipeline.fragment, emitted.fragmentBytes, [slots.quads, slots.fragment], work)
          : []),
      ];
      await warmUp(runs, emitted.bytes.length, () => this.closed);
      variant.code.warm = true;
    } catch (error) {
      // No memory for it: the first frames do it.
      if (!(error instanceof OutOfMemoryError)) throw error;
    } finally {
      for (const each of work) each.destroy();
      this.times.warmUp += performance.now() - began;
    }
  }

  private runsOf(stage: StageMemory, fileBytes: number, slots: readonly number[], made: DummyWork[]): Run[] {
    const { allocator, device, kernel, startClock } = this.parts;
    const work = new DummyWork(allocator, device.memory, kernel, stage, Math.ceil(fileBytes / REGISTER_BYTES));
    made.push(work);
    return slots.filter((slot) => slot !== 0).map((slot) => {
      const run = kernel.table.get(slot) as (warp: number) => number;
      return () => {
        startClock(DUMMY_MS);
        return run(work.warp);
      };
    });
  }

  /** Address of the DIRECTORY record. */
  get directoryAddress(): number { return this.directory.address; }

  /** Before workers begin a job. */
  takeUpModules(): void { this.directory.settle(); }

  statistics(): Omit<ProgramStatistics, 'engine'> {
    return { ...this.counts, tableSlots: this.table.length, times: { ...this.times } };
  }

  /** Nothing is compiled any more. */
  close(): void {
    this.closed = true;
    this.waiting.length = 0;
  }

  private next(): void {
    const pipeline = this.waiting.shift();
    if (pipeline?.isAlive) void this.compile(pipeline);
    if (this.waiting.length > 0) later(() => this.next());
  }

  private variantOf(pipeline: Pipeline): Variant {
    const { vertex, fragment } = pipeline.source ?? unreachable('render: a pipeline is compiled twice');
    const { toolchain, device } = this.parts;
    return this.timed('emit', () => {
      const { shared: sharedMemory } = device;
      const key = variantKey({
        vertex: vertex.program, fragment: fragment?.program ?? null, inlines: toolchain.key, sharedMemory,
      });
      const known = variants.find(key);
      if (known) {
        this.counts.fromCache++;
        return known;
      }
      return variants.add(key, emit(vertex, fragment, { inlines: toolchain.inlines, sharedMemory }));
    });
  }

  private install(pipeline: Pipeline, variant: Variant, module: WebAssembly.Module): void {
    let compiled = this.installed.get(variant);
    if (!compiled) {
      compiled = this.timed('instantiate', () => this.instantiate(pipeline.state.label, variant, module));
      this.installed.set(variant, compiled);
      this.counts.moduleBytes += ModuleDirectory.bytesOf(variant.emitted);
    }
    compiled.users++;
    this.counts.compiled++;
    pipeline.compiledTo(compiled);
  }

  private instantiate(label: string, variant: Variant, module: WebAssembly.Module): Compiled {
    const { kernel, device, host } = this.parts;
    const { emitted } = variant;
    const records = this.directory.write(emitted, label);
    let slots: ModuleSlots;
    try {
      const { exports } = new WebAssembly.Instance(module, {
        env: { memory: device.memory, constants: records.constants }, host: { timeExpired: host.timeExpired },
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

  private putFunctions(emitted: JitModule, exports: WebAssembly.Exports): ModuleSlots {
    const numbers = this.table.put(emitted.exports.map((name) => exports[name] as CallableFunction));
    const slotOf = (name: JitExport): number => numbers[emitted.exports.indexOf(name)] ?? 0;
    return { vertex: slotOf('vertex'), fragment: slotOf('fragment'), quads: slotOf('quads') };
  }

  private uninstall({ variant, records, slots }: Compiled): void {
    this.installed.delete(variant);
    this.counts.moduleBytes -= ModuleDirectory.bytesOf(variant.emitted);
    this.table.remove([slots.vertex, slots.fragment, slots.quads].filter((slot) => slot !== 0));
    this.directory.remove(records);
  }

  private stayInterpreted(pipeline: Pipeline, error: unknown): void {
    pipeline.source = null;
    this.counts.interpreted++;
    // What is too large, or has no room, is seen in the statistics; anything else is our bug or the platform's, and the
    // pictures do not show it.
    if (!(error instanceof ProgramTooLargeError) && !(error instanceof OutOfMemoryError))
      warnOnce(`a program could not be compiled: ${error instanceof Error ? error.message : String(error)}`);
  }

  private timed<T>(step: keyof ProgramStatistics['times'], run: () => T): T {
    const began = performance.now();
    try {
      return run();
    } finally {
      this.times[step] += performance.now() - began;
    }
  }
}

function emit(...args: Parameters<typeof emitModule>): JitModule {
  try {
    return emitModule(...args);
  } catch (error) {
    if (isStackOverflow(error))
      throw new ProgramTooLargeError('a program nests too deeply to be compiled: use fewer levels of statements');
    throw error;
  }
}

function moduleNow(variant: Variant): WebAssembly.Module {
  try {
    return variant.code.compileNow();
  } catch (error) {
    // Some browsers refuse large modules on the main thread.
    if (error instanceof RangeError)
      throw new ProgramTooLargeError(
        `this engine does not compile ${variant.emitted.bytes.length} bytes of code at once: use createRenderPipelineAsync, or create({ engine: 'auto' })`
      );
    throw error;
  }
}
