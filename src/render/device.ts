// The device below the WebGPU API: its memory, kernel, resources, pipelines, passes and workers.
import {
  OP_F32_ACOS,
  OP_F32_ACOSH,
  OP_F32_ASIN,
  OP_F32_ASINH,
  OP_F32_ATAN,
  OP_F32_ATAN2,
  OP_F32_ATANH,
  OP_F32_COS,
  OP_F32_COSH,
  OP_F32_EXP,
  OP_F32_EXP2,
  OP_F32_INVERSE_SQRT,
  OP_F32_LOG,
  OP_F32_LOG2,
  OP_F32_POW,
  OP_F32_QUANTIZE_F16,
  OP_F32_REM,
  OP_F32_SIN,
  OP_F32_SINH,
  OP_F32_TAN,
  OP_F32_TANH,
} from '../../assembly/layout/program/opcodes';
import { STAT_FLAG_BLOCKS, STAT_FLAG_STAGES, STAT_FLAG_TIMES } from '../../assembly/layout/pass/pass-codes';
import { MAX_WORKERS } from '../../assembly/layout/job/share-codes';
import { Statistics, Target } from '../../build/layout';
import { unreachable } from '../base/assert';
import { clockMs, startTimer } from '../base/clock';
import { labelled } from '../base/printable';
import { defaultShaderLimits, type ShaderLimits } from '../base/shader-limits';
import type { Steps } from '../base/steps';
import { chooseBuild, instantiateKernel, oracleKernel, type Kernel, type KernelSource } from '../kernels';
import { Allocator, createMemory, type DeviceMemory } from '../memory';
import { Executor, JobView, ProgressClock, WorkerTeam, Trace, type SpawnWorker } from '../schedule';
import { copyTexels, readTexels, Surfaces, TextureMemory, writeTexels, type TexelOrigin } from '../surface';
import { Blocks } from './blocks';
import { defaultBudgets, minArenaBytes, type Budgets, type Distribution, type WorkerKind } from './budgets';
import { CommandMemory } from './memory/command-memory';
import { Compiler, type Compilable } from './shaders/compiler';
import { ComputePass, type ComputeContext } from './compute/compute-pass';
import { ComputeLinker, ComputePipeline } from './compute/compute-pipeline';
import { ComputeSpace } from './compute/compute-space';
import { Counters } from './statistics/counters';
import { chooseEngine, type Engine, type Toolchain } from './shaders/engine';
import { IndexRanges } from './resources/index-ranges';
import { readPartTimes } from './statistics/part-times';
import { RateCounters } from './statistics/rate-counters';
import { Linker, mapStages, type EncodedStage } from './shaders/linker';
import { LoadStoreCounters } from './statistics/load-store';
import { RenderPass, type PassContext } from './pass';
import { Pipeline } from './pipeline/pipeline';
import { ProgramMemory } from './shaders/program-memory';
import { StageProgram } from './shaders/stage-program';
import type * as R from './types';
import { DecodedBlocks } from './decoded-blocks';
import { settle } from './resources/discarded';
import { DispatchRecords } from './compute/dispatch-records';
import { Stream, Streams } from './resources/streams';
import { TracedWork, traceCalls } from './statistics/traced';
import { Sampler, Texture, View } from './resources/views';
import { Workspace, type Overtaking, type Scheduler } from './workspace/workspace';

export interface RenderDeviceOptions {
  readonly kernelSource: KernelSource;
  /** False selects the scalar kernel. */
  readonly simd: boolean;
  /** Maximum bytes of device memory for resources. */
  readonly memoryBudget: number;
  /** Milliseconds that one call of a kernel may run before the device is lost. */
  readonly timeoutMs: number;
  /** Bytes of triangles after which a chunk ends. */
  readonly arenaBytes: number;
  /** For tests: whether a chunk ends after every draw call. The output must not change. */
  readonly chunkEveryDraw: boolean;
  /** Whether multisampled surfaces are encoded by content. Otherwise every sample has a texel. */
  readonly surfaceEncoding: boolean;
  /** Whether the device draws with the oracle of the testing build, with which tests compare the other kernels. */
  readonly immediate: boolean;
  /** The testing build parks warps. The output must not change (tests). */
  readonly forcedParking: Overtaking | null;
  /** Seed with which the testing build shuffles the schedule of unordered draw calls; 0: no shuffling (tests). */
  readonly shuffle: number;
  /** Number of tiles that a worker processes at a time. The output must not change (tests). */
  readonly tileContexts: number;
  /** Which workers run a tile: its owner alone, or idle workers as well. */
  readonly distribution: Distribution;
  /** For tests, with distribution 'any': whether every tile is opened for sharing as soon as it begins. */
  readonly alwaysShareTiles: boolean;
  /** Whether workers are used even when the calling thread would finish earlier. */
  readonly alwaysUseWorkers: boolean;
  /** How passes that read streamed textures are scheduled. */
  readonly scheduler: Scheduler;
  readonly engine: Engine;
  /** Whether workgroups run in ascending order if their order could be observed. */
  readonly deterministic: boolean;
  readonly shaderLimits: ShaderLimits;
  /** Limits for the memory of passes, by purpose. */
  readonly budgets: Budgets;
  /** The kind of work that each worker takes. If empty, the calling thread renders. */
  readonly workers: readonly WorkerKind[];
  /** Null on platforms without threads. */
  readonly spawnWorker: SpawnWorker | null;
}
export const defaultScheduler: Scheduler = {
  slots: 16,
  warps: 64,
  timeoutMs: 20,
  budgets: { vertex: MAX_WORKERS, pixel: MAX_WORKERS },
  priority: 'pixel',
  lockstepQuads: true,
};
export const defaultRenderOptions = {
  engine: 'auto' as Engine,
  deterministic: false,
  simd: true,
  memoryBudget: 0xf0000000,
  timeoutMs: 10_000,
  arenaBytes: 48 << 20,
  chunkEveryDraw: false,
  surfaceEncoding: true,
  immediate: false,
  forcedParking: null,
  shuffle: 0,
  tileContexts: 1,
  distribution: 'position' as Distribution,
  alwaysShareTiles: false,
  alwaysUseWorkers: false,
  scheduler: defaultScheduler,
  budgets: defaultBudgets,
  shaderLimits: defaultShaderLimits,
  workers: [],
  spawnWorker: null,
} as const satisfies Partial<RenderDeviceOptions>;

/** Milliseconds after which workers start even if no pass has needed them yet. */
const TEAM_MS = 50;
/** The maximum delay of timers, 31 bits. */
const MOST_TIMER_MS = 0x7fff_ffff;
/** Memory pages before the first allocation, which hold the kernel's tables. */
const INITIAL_PAGES = 16;

const unaryOpcodes: Readonly<Record<string, number>> = {
  exp: OP_F32_EXP,
  exp2: OP_F32_EXP2,
  log: OP_F32_LOG,
  log2: OP_F32_LOG2,
  inverseSqrt: OP_F32_INVERSE_SQRT,
  sin: OP_F32_SIN,
  cos: OP_F32_COS,
  tan: OP_F32_TAN,
  asin: OP_F32_ASIN,
  acos: OP_F32_ACOS,
  atan: OP_F32_ATAN,
  sinh: OP_F32_SINH,
  cosh: OP_F32_COSH,
  tanh: OP_F32_TANH,
  asinh: OP_F32_ASINH,
  acosh: OP_F32_ACOSH,
  atanh: OP_F32_ATANH,
  quantizeToF16: OP_F32_QUANTIZE_F16,
};
const binaryOpcodes: Readonly<Record<string, number>> = { pow: OP_F32_POW, atan2: OP_F32_ATAN2, rem: OP_F32_REM };

/** Instantiates the kernel with a new memory. Rejects if the kernel build cannot be loaded. */
export async function createRenderDevice(options: RenderDeviceOptions): Promise<R.RenderDevice> {
  const memory = createMemory(INITIAL_PAGES);
  const forTests = options.immediate
    ? 'immediate'
    : options.forcedParking
      ? 'overtaking'
      : options.shuffle
        ? 'shuffle'
        : null;
  const module = await (forTests
    ? testingBuild(options.kernelSource, forTests)
    : options.kernelSource(chooseBuild(memory.shared, options.simd)));
  const { engine, simd, immediate } = options;
  return new Device(options, memory, module, chooseEngine({ engine, simd, immediate, kernel: module }));
}

async function testingBuild(source: KernelSource, option: string): Promise<WebAssembly.Module> {
  try {
    return await source('testing');
  } catch (cause) {
    throw new Error(
      `create({ ${option} }) is for Rasterloom's own tests: it needs the testing build, which the package does not contain`,
      { cause }
    );
  }
}

let warned = false;

function warnAboutWorkers(why: string): void {
  if (warned) return;
  warned = true;
  console.warn(
    `Rasterloom: worker threads are unavailable: ${why}. The calling thread renders instead; pictures are the same, but take longer`
  );
}

/** What to do when tiles wait for pages; null if there is nothing to do. */
interface WaitingTilesWork {
  look: (() => void) | null;
}
/** How to continue a pass that waits for workers to start; null if no pass waits. */
interface AwaitingWork {
  go: (() => void) | null;
}
/**
 * These closures are created outside the class, so that they do not capture the device. The workers of a device that
 * was dropped must not keep it alive.
 */
const goingOn = (work: AwaitingWork) => (): void => {
  const { go } = work;
  work.go = null;
  go?.();
};
const looking = (work: WaitingTilesWork) => (): void => work.look?.();
const ringsOf =
  (rings: readonly ArrayBufferLike[]) =>
  (index: number): ArrayBufferLike | null =>
    rings[index] ?? null;

class Device implements R.RenderDevice {
  private readonly kernel: Kernel;
  private readonly allocator: Allocator;
  private readonly counters = new Counters();
  private readonly surfaces: Surfaces;
  private readonly blocks: Blocks;
  private readonly decoded: DecodedBlocks;
  private readonly loadStore = new LoadStoreCounters();
  private readonly rates = new RateCounters();
  private readonly workspace: Workspace;
  /** Runs jobs on this thread when no workers are used. */
  private readonly job: JobView;
  private readonly executor: Executor;
  private readonly passContext: PassContext;
  private readonly team: WorkerTeam | null;
  /** Whether a timer to start the team is pending. */
  private teamCalled = false;
  /** Whether the workers are running a job. */
  private employed = false;
  /** Workers ran the chunk that has just ended, not this thread. */
  private byWorkers = false;
  /** Null if all shaders are interpreted. */
  private readonly compiler: Compiler | null;
  private readonly linker: Linker;
  private readonly computeLinker = new ComputeLinker(() => this.measured);
  private readonly computeSpace: ComputeSpace;
  private readonly computeContext: ComputeContext;
  /** Address of scratch memory for a TARGET or DESTINATION record that the kernel completes. */
  private readonly target: number;
  private pipelines = 0;
  /** Stages in use by pipelines. */
  private readonly stages = new Map<EncodedStage, StageProgram>();
  /** Number of times that a new pipeline found one of its stages here. */
  private shared = 0;
  /** Number of pipelines that are being compiled and warmed up. */
  private preparing = 0;
  private readonly clock = new ProgressClock();
  /** The streamed textures. */
  private readonly streams = new Streams();
  /** A timer that keeps the process alive while a promise waits for pages. */
  private alive: ReturnType<typeof setInterval> | null = null;
  private readonly waitingTilesWork: WaitingTilesWork = { look: null };
  private readonly awaitingWork: AwaitingWork = { go: null };
  /** The current trace; null if none was requested. */
  private trace: Trace | null = null;
  /** The workers' trace rings. They are separate from `trace`, so that workers do not keep a dropped device alive. */
  private readonly traces: ArrayBufferLike[] = [];
  /** Whether the stages of all pipelines count their warps. */
  private measured = false;
  wake = (): void => undefined;
  fault = (_message: string): void => undefined;
  fail = (_message: string): void => undefined;

  constructor(
    private readonly options: RenderDeviceOptions,
    private readonly device: DeviceMemory,
    module: WebAssembly.Module,
    toolchain: Toolchain | null
  ) {
    const host = {
      timeExpired: () => ((this.clock.expired && !this.executor.mayContinue()) || this.executor.mustEndLoop ? 1 : 0),
      now: clockMs,
    };
    const kernel = instantiateKernel(module, device.memory, host);
    this.kernel = options.immediate ? oracleKernel(kernel) : kernel;
    this.allocator = new Allocator(device, this.kernel.exports.heapBase(), options.memoryBudget);
    const kinds = device.shared && options.spawnWorker ? options.workers : [];
    const threads = kinds.length;
    const { memory } = device;
    const { exports } = this.kernel;
    this.workspace = new Workspace({
      allocator: this.allocator,
      memory,
      exports,
      kinds: threads > 0 ? kinds : ['any'],
      budgets: options.budgets,
      arenaBytes: options.arenaBytes,
      timeoutMs: options.timeoutMs,
      forcedParking: options.forcedParking,
      tileContexts: options.tileContexts,
      shuffle: options.shuffle,
      scheduler: options.scheduler,
      alwaysShareTiles: options.alwaysShareTiles,
      sharesTiles: options.distribution === 'any',
      promisedBytes: () => this.streams.promisedBytes,
    });
    const startClock = (ms: number): void => this.startClock(ms);
    this.job = new JobView(memory, this.workspace.job, 0, true);
    this.executor = new Executor({ exports, job: this.job, startClock });
    this.target = this.allocator.allocate(Target.bytes, 'target record');
    this.surfaces = new Surfaces({ allocator: this.allocator, memory, exports }, options.surfaceEncoding);
    this.decoded = new DecodedBlocks({
      allocator: this.allocator,
      memory,
      exports,
      workspace: this.workspace,
      budget: options.budgets.decodedBytes,
    });
    this.blocks = new Blocks(memory, this.decoded);
    this.linker = new Linker(this.constantMath);
    this.computeSpace = new ComputeSpace(this.allocator, this.workspace);
    this.passContext = this.createPassContext(toolchain === null);
    this.computeContext = {
      ...this.passContext,
      space: this.computeSpace,
      records: new DispatchRecords(this.passContext),
      tryCompileSync: (pipeline) => this.compiler?.tryCompileSync(pipeline),
      onDispatchDone: () => this.collectStatistics(0),
    };
    this.compiler =
      toolchain
      && new Compiler({
        toolchain,
        forced: options.engine === 'jit',
        kernel: this.kernel,
        device,
        allocator: this.allocator,
        host,
        startClock,
        isRunningJob: () => this.employed,
        codeBytes: options.shaderLimits.codeBytes,
      });
    if (this.compiler) this.workspace.directory = this.compiler.directoryAddress;
    this.team =
      threads === 0
        ? null
        : new WorkerTeam({
            spawn: options.spawnWorker!,
            size: threads,
            module,
            memory,
            job: this.workspace.job,
            oracle: options.immediate,
            unavailable: warnAboutWorkers,
            late: looking(this.waitingTilesWork),
            trace: ringsOf(this.traces),
            settled: goingOn(this.awaitingWork),
          });
    if (this.team) teams.register(this, this.team);
    this.callTeamSoon();
  }

  /**
   * Workers start when the first pass needs them, or after a while, but not while pipelines are being compiled. The
   * first work of an application on a device then has all cores to itself. With workers starting on two cores, creating
   * pipelines took up to twice as long. The first small picture of a process took 150 ms instead of 130.
   */
  private callTeamSoon(): void {
    if (!this.team || this.teamCalled) return;
    this.teamCalled = true;
    const timer: unknown = startTimer(() => {
      this.teamCalled = false;
      this.callTeam();
    }, TEAM_MS);
    // In Node the timer would keep the process alive.
    if (typeof timer === 'object') (timer as { unref(): void }).unref();
  }

  private callTeam(): void {
    if (this.preparing > 0) return;
    if (this.compiler?.isBusy) this.callTeamSoon();
    else this.team?.startThreads();
  }

  get budgets(): Budgets {
    return this.options.budgets;
  }

  get shaderLimits(): ShaderLimits {
    return this.options.shaderLimits;
  }

  minArenaBytes(width: number, height: number): number {
    return minArenaBytes(width, height);
  }

  get workers(): number {
    return this.team?.size ?? 0;
  }

  hold(held: boolean): void {
    this.team?.hold(held);
    if (this.alive !== null) clearInterval(this.alive);
    // Nothing else may keep the process alive while a source's promise is pending.
    this.alive = held && this.streams.some ? setInterval(() => undefined, MOST_TIMER_MS) : null;
  }

  /** Blocks for the workers' job. Pages cannot arrive while this thread waits, and workers may not start. */
  block(): boolean {
    if (this.awaitingWork.go === null) return this.employed && this.team?.block(this.options.timeoutMs) === true;
    goingOn(this.awaitingWork)();
    return true;
  }

  get constantMath(): R.RenderDevice['constantMath'] {
    const { exports } = this.kernel;
    const opcode = (table: Readonly<Record<string, number>>, name: string): number =>
      table[name] ?? unreachable(`render: no kernel function ${name}`);
    return {
      unary: (name, x) => exports.mathUnary(opcode(unaryOpcodes, name), x),
      binary: (name, x, y) => exports.mathBinary(opcode(binaryOpcodes, name), x, y),
    };
  }

  createBuffer(size: number, label: string): R.BufferStore {
    const address = this.allocator.allocate(size, label);
    let alive = true;
    return {
      address,
      size,
      bytes: () => new Uint8Array(this.device.memory.buffer, address, size),
      destroy: () => {
        if (alive) this.allocator.free(address);
        alive = false;
      },
    };
  }

  createTexture(shape: R.TextureShape): R.TextureStore {
    if (shape.stream) {
      const parts = {
        allocator: this.allocator,
        memory: this.device.memory,
        trace: this.trace,
        fail: (message: string) => this.fail(message),
      };
      const stream: Stream = new Stream(parts, shape, shape.stream, () => this.streams.remove(stream));
      this.streams.add(stream);
      return new Texture(shape, stream.table, stream);
    }
    if (shape.format.block) return this.decoded.create(shape);
    return new Texture(shape, new TextureMemory(this.surfaces, shape, shape.label));
  }

  createView(texture: R.TextureStore, shape: R.ViewShape): R.ViewStore {
    return new View(this.allocator, this.device.memory, texture as Texture, shape);
  }

  createSampler(shape: R.SamplerShape): R.SamplerStore {
    return new Sampler(this.allocator, this.device.memory, shape);
  }

  *createPipeline(state: R.PipelineState): Steps<R.PipelineStore> {
    const linked = yield* this.linker.linkSteps(state);
    yield;
    const taken: StageProgram[] = [];
    const take = (stage: EncodedStage): StageProgram => {
      const program = this.stage(stage, state.label);
      taken.push(program);
      return program;
    };
    try {
      const pipeline = new Pipeline(state, mapStages(linked, take), {
        target: (record) => this.prepared(record, () => this.kernel.exports.prepareTarget(this.target)),
        destination: (record, format) =>
          this.prepared(record, () => this.kernel.exports.prepareDestination(this.target, format)),
      });
      this.pipelines++;
      return pipeline;
    } catch (error) {
      for (const program of taken) program.release();
      throw error;
    }
  }

  *createComputePipeline(state: R.ComputePipelineState): Steps<R.ComputePipelineStore> {
    const linked = yield* this.computeLinker.linkSteps(state.program);
    yield;
    const pipeline = new ComputePipeline(state, this.stage(linked, state.label));
    this.pipelines++;
    return pipeline;
  }

  /** Lets the kernel complete a record, at most as long as a TARGET, through the device's memory. */
  private prepared(record: Uint8Array, complete: () => void): void {
    const held = new Uint8Array(this.device.memory.buffer, this.target, record.length);
    held.set(record);
    complete();
    record.set(held);
  }

  compile(store: R.PipelineStore): void {
    this.compilePipeline(store as Pipeline);
  }
  compileCompute(store: R.ComputePipelineStore): void {
    this.compilePipeline(store as ComputePipeline);
  }

  private compilePipeline(pipeline: Compilable): void {
    if (this.options.engine !== 'jit') {
      this.compiler?.compileLater(pipeline);
      return;
    }
    try {
      this.compiler!.compileSync(pipeline);
    } catch (error) {
      pipeline.destroy();
      throw error;
    }
  }

  prepare(store: R.PipelineStore): Promise<void> {
    return this.preparePipeline(store as Pipeline);
  }
  prepareCompute(store: R.ComputePipelineStore): Promise<void> {
    return this.preparePipeline(store as ComputePipeline);
  }

  private async preparePipeline(pipeline: Compilable): Promise<void> {
    this.preparing++;
    try {
      await this.compiler?.prepare(pipeline);
    } catch (error) {
      pipeline.destroy();
      throw error;
    } finally {
      this.preparing--;
      this.callTeamSoon();
    }
  }

  writeBuffer(buffer: R.BufferStore, offset: number, data: Uint8Array): void {
    this.bytes().set(data, buffer.address + offset);
    this.passContext.ranges.written(buffer);
  }

  clearBuffer(buffer: R.BufferStore, offset: number, size: number): void {
    this.bytes().fill(0, buffer.address + offset, buffer.address + offset + size);
    this.passContext.ranges.written(buffer);
  }

  copyBufferToBuffer(
    source: R.BufferStore,
    sourceOffset: number,
    target: R.BufferStore,
    targetOffset: number,
    size: number
  ): void {
    const from = source.address + sourceOffset;
    this.bytes().copyWithin(target.address + targetOffset, from, from + size);
    this.passContext.ranges.written(target);
  }

  writeTexture(
    target: R.TextureCopyView,
    data: Uint8Array,
    bytesPerRow: number,
    rowsPerImage: number,
    size: readonly [number, number, number]
  ): void {
    const from = { offset: 0, rowBytes: bytesPerRow, imageBytes: bytesPerRow * rowsPerImage };
    if (target.texture.shape.format.block) return this.blocks.write(target, data, from, size);
    const origin = this.originOf(target, size[2]);
    writeTexels(this.bytes(), origin, data, from, { width: size[0], rows: size[1], layers: size[2] });
  }

  copyBufferToTexture(
    source: R.BufferCopyView,
    target: R.TextureCopyView,
    size: readonly [number, number, number]
  ): void {
    this.writeTexture(
      target,
      source.buffer.bytes().subarray(source.offset),
      source.bytesPerRow,
      source.rowsPerImage,
      size
    );
  }

  copyTextureToBuffer(
    source: R.TextureCopyView,
    target: R.BufferCopyView,
    size: readonly [number, number, number]
  ): void {
    const {
      bytesPerRow,
      rowsPerImage,
      buffer: { address },
    } = target;
    const to = { offset: target.offset, rowBytes: bytesPerRow, imageBytes: bytesPerRow * rowsPerImage };
    const box = { width: size[0], rows: size[1], layers: size[2] };
    if (source.texture.shape.format.block) this.blocks.read(source, address, to, size);
    else readTexels(this.bytes(), this.originOf(source, size[2]), address, to, box);
    this.passContext.ranges.written(target.buffer);
  }

  copyTextureToTexture(
    source: R.TextureCopyView,
    target: R.TextureCopyView,
    size: readonly [number, number, number]
  ): void {
    if (source.texture.shape.format.block) return this.blocks.copy(source, target, size);
    const aspects: GPUTextureAspect[] =
      source.aspect === 'all' && source.texture.shape.format.aspect === 'depth-stencil'
        ? ['depth-only', 'stencil-only']
        : [source.aspect];
    for (const aspect of aspects) {
      const from = (source.texture as Texture).memory.plane(aspect).surface;
      const to = (target.texture as Texture).memory.plane(aspect).surface;
      // Copied as a whole, because WebGPU allows nothing else for multisampled textures.
      if (from && to) this.surfaces.copy(from, to);
      else
        copyTexels(
          this.bytes(),
          this.originOf({ ...source, aspect }, size[2]),
          this.originOf({ ...target, aspect }, size[2]),
          { width: size[0], rows: size[1], layers: size[2] }
        );
    }
  }

  texels(store: R.TextureStore): Uint8Array {
    const texture = store as Texture;
    const { memory } = this.device;
    settle(memory, texture, 0, 1, 0, 1);
    const plane = texture.memory.plane('all');
    const { offset, layerBytes } = plane.levels[0]!;
    return new Uint8Array(memory.buffer, plane.address + offset, layerBytes);
  }

  renderPass(state: R.PassState): R.Work {
    return this.traced(new RenderPass(this.passContext, state), 'render pass', state.label);
  }

  computePass(state: R.ComputePassState): R.Work {
    return this.traced(new ComputePass(this.computeContext, state), 'compute pass', state.label);
  }

  private traced(work: R.Work, kind: string, label: string): R.Work {
    return this.trace ? new TracedWork(work, this.trace, labelled(kind, label)) : work;
  }

  startTrace(): Trace {
    const trace = (this.trace = new Trace(this.team?.wanted ?? 0));
    this.traces.push(...trace.rings.slice(1).map(({ buffer }) => buffer));
    this.job.trace = trace.rings[0]!;
    if (this.compiler) this.compiler.trace = trace;
    traceCalls(this, trace);
    // The trace needs the times at which the parts of a tile begin.
    this.flag(STAT_FLAG_TIMES);
    return trace;
  }

  memoryStatistics(): ReturnType<R.RenderDevice['memoryStatistics']> {
    const passes = { ...this.workspace.held, decodedBytes: this.decoded.bytes };
    return { ...this.allocator.statistics(), passes };
  }

  workerStatistics(): ReturnType<R.RenderDevice['workerStatistics']> {
    return this.team ? this.workspace.work : [];
  }

  measure(times: boolean): void {
    this.flag(STAT_FLAG_BLOCKS | STAT_FLAG_STAGES | (times ? STAT_FLAG_TIMES : 0));
    this.measured = true;
  }

  private flag(flags: number): void {
    const u32 = new Uint32Array(this.device.memory.buffer);
    for (const address of this.workspace.statistics) u32[(address + Statistics.flags) / 4]! |= flags;
  }

  statistics(): Record<string, number> {
    return this.counters.read();
  }

  loadStoreStatistics(): R.LoadStoreStatistics {
    return this.loadStore.read();
  }

  shadingRateStatistics(): R.ShadingRateStatistics {
    return this.rates.read(this.counters.words);
  }

  programStatistics(): R.ProgramStatistics {
    const { shared, compiler } = this;
    const stages = [...this.stages.values()].map((stage) => stage.statistics(compiler !== null));
    if (!compiler)
      return {
        engine: 'interpreter',
        compiled: 0,
        interpreted: this.pipelines,
        emitted: 0,
        fromCache: 0,
        shared,
        cachedModules: 0,
        keptBytes: 0,
        dropped: this.linker.dropped,
        moduleBytes: 0,
        functionTableSlots: this.kernel.table.length,
        times: { emit: 0, compile: 0, instantiate: 0, warmUp: 0 },
        stages,
      };
    const compiled = compiler.statistics();
    return { engine: 'jit', ...compiled, shared, dropped: compiled.dropped + this.linker.dropped, stages };
  }

  streamStatistics(): R.StreamStatistics {
    return this.streams.statistics();
  }

  surfaceStatistics(): ReturnType<R.RenderDevice['surfaceStatistics']> {
    return this.surfaces.statistics();
  }

  surfaceStates(texture: R.TextureStore): Uint8Array {
    return (texture as Texture).memory.planes[0]!.surface!.states();
  }

  times(): R.PartTimes {
    return readPartTimes(this.device.memory, this.workspace.statistics);
  }

  destroy(): void {
    this.compiler?.close();
    this.team?.leave();
    this.awaitingWork.go = null;
    this.streams.stop();
    this.hold(false);
    // The memory is freed with the last reference to this device. Nothing outside it has to be released.
    this.passContext.commands.destroy();
  }

  private startClock(ms: number): void {
    this.clock.start(ms);
  }

  private bytes(): Uint8Array {
    return new Uint8Array(this.device.memory.buffer);
  }

  /** Returns the device's instance of a stage, and counts one more user. Throws OutOfMemoryError. */
  private stage(stage: EncodedStage, label: string): StageProgram {
    let program = this.stages.get(stage);
    if (program) this.shared++;
    else {
      const what = `the ${stage.kind} shader of ${labelled('pipeline', label)}`;
      const memory = new ProgramMemory(this.allocator, this.device.memory, stage.encoded, what);
      program = new StageProgram(stage, memory, () => this.stages.delete(stage));
      this.stages.set(stage, program);
    }
    program.users++;
    return program;
  }

  private originOf(view: R.TextureCopyView, layers: number): TexelOrigin {
    const texture = view.texture as Texture;
    const plane = texture.memory.plane(view.aspect);
    const [x, y, z] = view.origin;
    settle(this.device.memory, texture, view.mipLevel, 1, z, layers);
    return { plane, level: plane.levels[view.mipLevel]!, x, y, z };
  }

  private createPassContext(interprets: boolean): PassContext {
    const { options, allocator, workspace, executor, kernel, surfaces, decoded } = this;
    allocator.reclaim = () => {
      // Drop what can be restored from compressed blocks first.
      if (this.decoded.reclaim()) return true;
      const some = workspace.release();
      const others = !workspace.busy && this.computeSpace.release();
      return surfaces.reclaim() || some || others || this.streams.evictPage();
    };
    return {
      kernel,
      workspace,
      executor,
      surfaces,
      decoded,
      allocator,
      memory: this.device.memory,
      commands: new CommandMemory(allocator),
      ranges: new IndexRanges(this.device.memory, kernel.exports, (bytes) => workspace.indexScratch(bytes)),
      chunkEveryDraw: options.chunkEveryDraw,
      oracle: options.immediate,
      timeoutMs: options.timeoutMs,
      deterministic: options.deterministic,
      interprets,
      countsStages: () => this.measured,
      employ: (isSmall, ended) => this.employ(isSmall, ended),
      alwaysUseWorkers: options.alwaysUseWorkers,
      awaitWorkers: (go) => this.awaitWorkers(go),
      lost: () => this.team?.lost ?? null,
      tryCompileSync: (pipeline) => this.compiler?.tryCompileSync(pipeline),
      publishModules: () => this.compiler?.publishModules(),
      startClock: () => this.startClock(options.timeoutMs),
      onChunkDone: () => this.collectStatistics(1),
      onFaults: (faults, message) => {
        this.counters.totals.surfaceFaults += faults;
        this.fault(message);
      },
      failed: (message) => this.fail(message),
      onTilesWaiting: (look) => {
        this.waitingTilesWork.look = look;
      },
      wake: () => this.wake(),
      nextStreamPass: () => this.streams.nextPass(),
      late: this.streams.late,
      onGeometryPrefetched: () => {
        this.counters.totals.chunksPrefetched++;
      },
      onTilesDiscarded: (count) => {
        this.counters.totals.tilesReplayed += count;
      },
      onRateFallback: (cause) => this.rates.onRateFallback(cause),
      onUnorderedDraws: (independent, found) => {
        this.counters.totals.independentDraws += independent;
        this.counters.totals.foundIndependent += found;
      },
      onPassDone: () => {
        this.counters.totals.passes++;
      },
    };
  }

  /** Gives a job to the workers, if they are ready. */
  private employ(isSmall: boolean, ended: () => void): boolean {
    const { team } = this;
    // A large job starts the workers, even if pipelines are being prepared.
    if (!isSmall) team?.startThreads();
    if (!team?.isReady) {
      // Another device may have taken this device's threads while it was idle.
      if (isSmall) this.callTeamSoon();
      return false;
    }
    this.employed = this.byWorkers = true;
    team.run(() => {
      this.employed = false;
      ended();
      this.wake();
    });
    return true;
  }

  private awaitWorkers(go: () => void): boolean {
    if (!this.team?.isStarting) return false;
    this.awaitingWork.go = () => {
      go();
      this.wake();
    };
    return true;
  }

  /** Runs at the end of each job, so it does as little as possible. */
  private collectStatistics(chunks: number): void {
    this.counters.totals.chunks += chunks;
    this.trace?.collect();
    if (chunks > 0) this.loadStore.take(this.device.memory, this.workspace.loadStoreUnitRecords);
    this.workspace.collect(this.byWorkers, (counters) => this.counters.add(counters));
    this.byWorkers = false;
  }
}

/** Ends the workers of devices that have been garbage collected. */
const teams = new FinalizationRegistry<WorkerTeam>((team) => team.leave());
