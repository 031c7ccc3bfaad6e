// The device below the WebGPU API: its memory, kernel, resources, pipelines, passes and workers.
import { STAT_FLAG_BLOCKS, STAT_FLAG_STAGES, STAT_FLAG_TIMES } from '../../assembly/layout/pass/pass-codes';
import { Statistics, Target } from '../../build/layout';
import { clockMs } from '../base/clock';
import { labelled } from '../base/printable';
import type { ShaderLimits } from '../base/shader-limits';
import type { Steps } from '../base/steps';
import { instantiateKernel, oracleKernel, type Kernel } from '../kernels';
import { Allocator, type DeviceMemory } from '../memory';
import { Executor, JobView, ProgressClock, Trace } from '../schedule';
import { Surfaces, TextureMemory } from '../surface';
import { Blocks } from './blocks';
import { minArenaBytes, type Budgets } from './budgets';
import { CommandMemory } from './memory/command-memory';
import type { ShaderCache } from './shaders/stored/shader-cache';
import { Compiler } from './shaders/compiler';
import { constantMath, shareMath } from './shaders/constant-math';
import { sharedShaders, type SharedShaders } from './pipeline/shared-shaders';
import { Pipelines } from './pipeline/pipelines';
import { createBuffer } from './resources/buffer-store';
import { Transfers } from './resources/transfers';
import { Workers } from './workspace/workers';
import { ComputePass, type ComputeContext } from './compute/compute-pass';
import type { ComputePipeline } from './compute/compute-pipeline';
import { ComputeSpace } from './compute/compute-space';
import { Counters } from './statistics/counters';
import { chooseEngine, type Toolchain } from './shaders/engine';
import { IndexRanges } from './resources/index-ranges';
import { readKernelTimes, SerialTimes } from './statistics/part-times';
import { RateCounters } from './statistics/rate-counters';
import { LoadStoreCounters } from './statistics/load-store';
import { RenderPass } from './pass';
import type { PassContext } from './pass-context';
import type { Pipeline } from './pipeline/pipeline';
import type * as R from './types';
import { DecodedBlocks } from './decoded-blocks';
import { DispatchRecords } from './compute/dispatch-records';
import { Stream, Streams } from './resources/streams';
import { TracedWork, traceCalls } from './statistics/traced';
import { Sampler, Texture, View } from './resources/views';
import { Workspace } from './workspace/workspace';
import type { RenderDeviceOptions } from './device-options';

/** Instantiates a kernel with a new memory of INITIAL_PAGES pages. */
export function openRenderDevice(
  options: RenderDeviceOptions,
  memory: DeviceMemory,
  module: WebAssembly.Module,
  shaderCache: ShaderCache | null
): R.RenderDevice {
  const toolchain = chooseEngine({ ...options, kernel: module });
  const kind = { toolchain, sharedMemory: memory.shared, codeBytes: options.shaderLimits.codeBytes };
  return new Device(options, memory, module, toolchain, sharedShaders(kind, shaderCache));
}

class Device implements R.RenderDevice {
  private readonly kernel: Kernel;
  private readonly allocator: Allocator;
  private readonly counters = new Counters();
  private readonly surfaces: Surfaces;
  private readonly decoded: DecodedBlocks;
  private readonly transfers: Transfers;
  private readonly loadStore = new LoadStoreCounters();
  private readonly rates = new RateCounters();
  private readonly workspace: Workspace;
  /** Runs jobs on this thread when no workers are used. */
  private readonly job: JobView;
  private readonly executor: Executor;
  private readonly passContext: PassContext;
  private readonly workerThreads: Workers;
  /** Null if all shaders are interpreted. */
  private readonly compiler: Compiler | null;
  private readonly pipelines: Pipelines;
  private readonly computeSpace: ComputeSpace;
  private readonly computeContext: ComputeContext;
  private readonly clock = new ProgressClock();
  /** The streamed textures. */
  private readonly streams = new Streams();
  /** The current trace; null if none was requested. */
  private trace: Trace | null = null;
  private readonly serial = new SerialTimes();
  /** Whether the stages of all pipelines count their warps. */
  private measured = false;
  wake = (): void => undefined;
  fault = (_message: string): void => undefined;
  fail = (_message: string): void => undefined;

  constructor(
    private readonly options: RenderDeviceOptions,
    private readonly device: DeviceMemory,
    module: WebAssembly.Module,
    toolchain: Toolchain | null,
    private readonly shared: SharedShaders
  ) {
    this.budgets = options.budgets;
    this.shaderLimits = options.shaderLimits;
    const host = {
      timeExpired: () => ((this.clock.expired && !this.executor.mayContinue()) || this.executor.mustEndLoop ? 1 : 0),
      now: clockMs,
    };
    const kernel = instantiateKernel(module, device.memory, host);
    this.kernel = options.immediate ? oracleKernel(kernel) : kernel;
    shareMath(this.kernel.exports);
    this.allocator = new Allocator(device, this.kernel.exports.heapBase(), options.memoryBudget);
    const kinds = device.shared && options.spawnWorker ? options.workers : [];
    const { memory } = device;
    const { exports } = this.kernel;
    this.workspace = new Workspace({
      allocator: this.allocator,
      memory,
      exports,
      kinds: kinds.length > 0 ? kinds : ['any'],
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
    const startClock = this.clock.start.bind(this.clock);
    this.job = new JobView(memory, this.workspace.job, 0, true);
    this.executor = new Executor({ exports, job: this.job, startClock });
    const target = this.allocator.allocate(Target.bytes, 'target record');
    this.surfaces = new Surfaces({ allocator: this.allocator, memory, exports }, options.surfaceEncoding);
    this.decoded = new DecodedBlocks({
      allocator: this.allocator,
      memory,
      exports,
      workspace: this.workspace,
      budget: options.budgets.decodedBytes,
    });
    this.computeSpace = new ComputeSpace(this.allocator, this.workspace);
    this.passContext = this.createPassContext(toolchain === null);
    this.transfers = new Transfers({
      memory,
      surfaces: this.surfaces,
      blocks: new Blocks(memory, this.decoded),
      ranges: this.passContext.ranges,
    });
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
        isRunningJob: () => this.workerThreads.isEmployed,
        codeBytes: options.shaderLimits.codeBytes,
        cache: shared.cache,
      });
    if (this.compiler) this.workspace.directory = this.compiler.directoryAddress;
    this.pipelines = new Pipelines({
      allocator: this.allocator,
      kernel: this.kernel,
      memory,
      target,
      compiler: this.compiler,
      ...shared,
      isForced: options.engine === 'jit',
      isMeasured: () => this.measured,
      onPrepared: () => this.workerThreads.startSoon(),
    });
    this.workerThreads = new Workers({
      spawn: options.spawnWorker,
      size: kinds.length,
      module,
      memory,
      job: this.workspace.job,
      oracle: options.immediate,
      timeoutMs: options.timeoutMs,
      isPreparing: () => this.pipelines.isPreparing,
      isCompiling: () => this.compiler?.isBusy === true,
      wake: () => this.wake(),
    });
    this.workerThreads.startSoon();
  }

  readonly minArenaBytes = minArenaBytes;
  readonly budgets: Budgets;
  readonly shaderLimits: ShaderLimits;

  get hints(): R.WorkHints {
    return this.workerThreads;
  }

  get workers(): number {
    return this.workerThreads.size;
  }

  hold(held: boolean): void {
    this.workerThreads.hold(held, this.streams.some);
  }

  block(): boolean {
    return this.workerThreads.block();
  }

  get pipelineCache(): R.RenderDevice['pipelineCache'] {
    return this.shared.cache;
  }

  get constantMath(): R.RenderDevice['constantMath'] {
    return constantMath(this.kernel.exports);
  }

  createBuffer(size: number, label: string): R.BufferStore {
    return createBuffer(this.allocator, this.device.memory, size, label);
  }

  createTexture(shape: R.TextureShape): R.TextureStore {
    if (shape.stream) {
      const parts = {
        allocator: this.allocator,
        memory: this.device.memory,
        decodeRow: shape.format.block && this.decoded.rowDecoder(),
        numbers: this.streams.numbers,
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

  createPipeline(...args: Parameters<Pipelines['create']>): Steps<R.PipelineStore> {
    return this.pipelines.create(...args);
  }
  createComputePipeline(...args: Parameters<Pipelines['createCompute']>): Steps<R.ComputePipelineStore> {
    return this.pipelines.createCompute(...args);
  }

  compile(store: R.PipelineStore | R.ComputePipelineStore): void {
    this.pipelines.compile(store as Pipeline | ComputePipeline);
  }
  prepare(store: R.PipelineStore | R.ComputePipelineStore): Promise<void> {
    return this.pipelines.prepare(store as Pipeline | ComputePipeline);
  }

  writeBuffer(...args: Parameters<Transfers['writeBuffer']>): void {
    this.transfers.writeBuffer(...args);
  }
  clearBuffer(...args: Parameters<Transfers['clearBuffer']>): void {
    this.transfers.clearBuffer(...args);
  }
  copyBufferToBuffer(...args: Parameters<Transfers['copyBufferToBuffer']>): void {
    this.transfers.copyBufferToBuffer(...args);
  }
  writeTexture(...args: Parameters<Transfers['writeTexture']>): void {
    this.transfers.writeTexture(...args);
  }
  copyTextureToBuffer(...args: Parameters<Transfers['copyTextureToBuffer']>): void {
    this.transfers.copyTextureToBuffer(...args);
  }
  copyTextureToTexture(...args: Parameters<Transfers['copyTextureToTexture']>): void {
    this.transfers.copyTextureToTexture(...args);
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

  texels(texture: R.TextureStore): Uint8Array {
    return this.transfers.texels(texture);
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
    const trace = (this.trace = new Trace(this.workerThreads.wanted));
    this.workerThreads.traceWith(trace);
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
    return this.workerThreads.hasTeam ? this.workspace.work : [];
  }

  measure(times: boolean): void {
    this.flag(STAT_FLAG_BLOCKS | STAT_FLAG_STAGES | (times ? STAT_FLAG_TIMES : 0));
    this.measured = true;
  }

  private flag(flags: number): void {
    const u32 = new Uint32Array(this.device.memory.buffer);
    for (const address of this.workspace.workers.statistics) u32[(address + Statistics.flags) / 4]! |= flags;
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
    return this.pipelines.statistics();
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
    return { ...readKernelTimes(this.device.memory, this.workspace.workers.statistics), ...this.serial.times };
  }

  destroy(): void {
    this.compiler?.close();
    this.workerThreads.leave();
    this.streams.stop();
    this.hold(false);
    // The memory is freed with the last reference to this device. Nothing outside it has to be released.
    this.passContext.commands.destroy();
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
      employ: (starts, ended) => this.workerThreads.employ(starts, ended),
      areWorkersReady: () => this.workerThreads.size > 0,
      onAlone: (ms, left) => this.workerThreads.onAlone(ms, left),
      alwaysUseWorkers: options.alwaysUseWorkers,
      awaitWorkers: (go) => this.workerThreads.awaitStart(go),
      lost: () => this.workerThreads.lost,
      tryCompileSync: (pipeline) => this.compiler?.tryCompileSync(pipeline),
      publishModules: () => this.compiler?.publishModules(),
      startClock: () => this.clock.start(options.timeoutMs),
      onChunkDone: () => this.collectStatistics(1),
      onFaults: (faults, message) => {
        this.counters.totals.surfaceFaults += faults;
        this.fault(message);
      },
      failed: (message) => this.fail(message),
      onTilesWaiting: (look) => this.workerThreads.onTilesWaiting(look),
      wake: () => this.wake(),
      nextStreamPass: () => this.streams.nextPass(),
      late: this.streams.late,
      onGeometryPrefetched: () => {
        this.counters.totals.chunksPrefetched++;
      },
      onTilesDiscarded: (count) => void (this.counters.totals.tilesReplayed += count),
      onRateFallback: (cause) => this.rates.onRateFallback(cause),
      onUnorderedDraws: (independent, found) => {
        this.counters.totals.independentDraws += independent;
        this.counters.totals.foundIndependent += found;
      },
      onSerial: (part, began) => this.serial.add(part, began, this.trace),
      onPassDone: () => void this.counters.totals.passes++,
    };
  }

  /** Runs at the end of each job, so it does as little as possible. */
  private collectStatistics(chunks: number): void {
    this.counters.totals.chunks += chunks;
    this.trace?.collect();
    if (chunks > 0) this.loadStore.take(this.device.memory, this.workspace.loadStoreUnitRecords);
    this.workspace.collect(this.workerThreads.takeRan(), (counters) => this.counters.add(counters));
  }
}
