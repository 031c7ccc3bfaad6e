// The interface between the WebGPU API layer and the renderer. All descriptors are complete, with defaults filled in,
// and valid. The API layer validates; the renderer reports no user errors except OutOfMemoryError at creation.
import type { ShaderLimits } from '../base/shader-limits';
import type { Steps } from '../base/steps';
import type { Trace } from '../schedule';
import type { DepthTable, ShadingRate, ShadingRateCombiners } from '../shading-rate';
import type { SurfaceStatistics } from '../surface/surfaces';
import type { Budgets, PassMemory, WorkerStatistics } from './budgets';
import type { DrawList } from './draws/draw-list';
import type { LoadStoreStatistics } from './statistics/load-store';
import type { ShadingRateStatistics } from './statistics/rate-counters';
import type {
  ComputePipelineStore,
  PipelineStore,
  SampleType,
  SampleOrder,
  PipelineState,
  ComputePipelineState,
} from './pipeline/pipeline-types';
import type {
  BoundGroup,
  BufferStore,
  ViewStore,
  TextureStore,
  TextureShape,
  ViewShape,
  SamplerShape,
  SamplerStore,
} from './resources/resource-types';
import type { ComputeSource, PipelineCache, PipelineSource } from './shaders/stored/pipeline-cache';
import type { StreamStatistics, ProgramStatistics, PartTimes } from './statistics/statistics-types';

export type { LinkedPipeline } from './shaders/linker';
export type { CachedCompute, CachedPipeline, PipelineSource } from './shaders/stored/pipeline-cache';
export type { PassMemory, WorkerStatistics } from './budgets';
export type { LoadStoreStatistics } from './statistics/load-store';
export type { ShadingRateStatistics } from './statistics/rate-counters';
export type * from './resources/resource-types';
export type * from './draws/draw-types';
export type * from './pipeline/pipeline-types';
export type * from './statistics/statistics-types';

/** Numbers for x, y and z, or for width, height and layers. */
export type Three = readonly [number, number, number];

export interface DispatchCommand {
  readonly pipeline: ComputePipelineStore;
  readonly groups: readonly (BoundGroup | null)[];
  /** See DrawState.immediates. */
  readonly immediates: Uint32Array | null;
  /** Number of workgroups in each dimension. */
  readonly count: Three;
  /**
   * If not null, the count is read from this buffer when the pass runs. Nothing runs if one dimension exceeds
   * `maxPerDimension`,
   * or their product exceeds `maxGroups`.
   */
  readonly indirect: { readonly buffer: BufferStore; readonly offset: number } | null;
  readonly maxPerDimension: number;
  readonly maxGroups: number;
}
export interface ComputePassState {
  readonly label: string;
  readonly dispatches: readonly DispatchCommand[];
}

/** x, y, width, height, minDepth, maxDepth. */
export type Viewport = readonly [number, number, number, number, number, number];
/** The state of a pass that render bundles do not set. */
export interface DynamicState {
  /** At least one. The first one is for primitives for which no stage chooses a viewport. */
  readonly viewports: readonly Viewport[];
  /** x, y, width, height. */
  readonly scissor: readonly [number, number, number, number];
  readonly blendConstant: readonly [number, number, number, number];
  readonly stencilReference: number;
  /** Receives 1 if a sample of a draw call passes all tests; null without an occlusion query. */
  readonly query: QuerySlot | null;
  /** The shading rate of draw calls, and how the rates of the pass and of primitives are combined with it. */
  readonly rate: ShadingRate;
  readonly combiners: ShadingRateCombiners;
  /** For draw calls whose pipelines leave the order to the pass. */
  readonly orders: Readonly<Record<SampleType, SampleOrder>>;
}
/** Sources of shading rates for all draw calls of a pass. */
export interface PassRates {
  /** One table for all viewports, or one for each; empty if depth has no influence. */
  readonly depth: readonly DepthTable[];
  /** An r8uint texture with one texel per block of `blockSize` × `blockSize` pixels; null if regions have no effect. */
  readonly region: { readonly view: ViewStore; readonly blockSize: 8 | 16 } | null;
}
/** The result of a query: a u64 in a buffer. */
export interface QuerySlot {
  readonly buffer: BufferStore;
  readonly offset: number;
}
/** Draw calls with the same dynamic state: those of a list from `begin` to before `end`. */
export interface DrawRun {
  readonly dynamic: DynamicState;
  /** Each execution of a render bundle uses the bundle's list. */
  readonly list: DrawList;
  readonly begin: number;
  readonly end: number;
}
export interface PassState {
  readonly label: string;
  readonly width: number;
  readonly height: number;
  readonly samples: number;
  readonly colors: readonly ({
    readonly view: ViewStore;
    readonly resolve: ViewStore | null;
    readonly clear: readonly [number, number, number, number] | null;
    readonly store: boolean;
    /** For 3D textures. */ readonly depthSlice: number;
  } | null)[];
  readonly depthStencil: {
    readonly view: ViewStore;
    /** null loads the previous contents. */
    readonly depthClear: number | null;
    readonly depthStore: boolean;
    readonly depthReadOnly: boolean;
    readonly stencilClear: number | null;
    readonly stencilStore: boolean;
    readonly stencilReadOnly: boolean;
  } | null;
  /** An r32uint texture with one sample that counts fragment invocations; null for no counting. */
  readonly counts: ViewStore | null;
  /** null if the pass adds no shading rates to those of its draw calls. */
  readonly rates: PassRates | null;
  readonly runs: readonly DrawRun[];
  /** The draw calls that are in no bundle. The pass releases the list when it is done. */
  readonly ownDraws: DrawList;
}
/**
 * Work on the queue. `step` runs until done (returns true), or until `clockMs()` passes `deadline` (returns false and
 * must be called again). If it then `waits`, it must not be called before RenderDevice.wake. `waitsForPages`: it waits
 * for pages of streamed textures, not for workers. May throw DeviceLostError.
 */
export interface Work {
  step(deadline: number): boolean;
  readonly waits?: boolean;
  readonly waitsForPages?: boolean;
}

export interface TextureCopyView {
  readonly texture: TextureStore;
  readonly mipLevel: number;
  readonly origin: readonly [number, number, number];
  readonly aspect: GPUTextureAspect;
}
export interface BufferCopyView {
  readonly buffer: BufferStore;
  readonly offset: number;
  readonly bytesPerRow: number;
  readonly rowsPerImage: number;
}

/** What the device is told before there is work, so that workers may start meanwhile. */
export interface WorkHints {
  /** Called when the encoding of a render pass begins, with its size in pixels. */
  onPass(width: number, height: number): void;
  /** Called before a shader module is checked, and before a pipeline is created. */
  onShaders(): void;
}

/** The device below the WebGPU API: memory, kernels and passes. Implemented in src/render/device.ts. */
export interface RenderDevice {
  /** Throws OutOfMemoryError (src/memory) with label and size. */
  createBuffer(size: number, label: string): BufferStore;
  createTexture(shape: TextureShape): TextureStore;
  createView(texture: TextureStore, shape: ViewShape): ViewStore;
  createSampler(shape: SamplerShape): SamplerStore;
  /**
   * Shaders are optimised IR. Throws ProgramTooLargeError if a shader cannot be encoded. `source`: how the pipeline is
   * kept in the cache, or was found there.
   */
  createPipeline(state: PipelineState, source: PipelineSource | null): Steps<PipelineStore>;
  /** Null without a shader cache. */
  readonly pipelineCache: PipelineCache | null;
  /**
   * Compiles a new pipeline according to the device's engine. Usually this happens later, and the pipeline is
   * interpreted at first. If compilation is forced, it happens now; errors are then thrown as ProgramTooLargeError or
   * OutOfMemoryError, and the pipeline is destroyed.
   */
  compile(pipeline: PipelineStore | ComputePipelineStore): void;
  /** Compiles a new pipeline and lets the engine optimise the code. Rejects with the errors of `compile`. */
  prepare(pipeline: PipelineStore | ComputePipelineStore): Promise<void>;
  readonly hints: WorkHints;
  /** These methods change memory immediately. The queue calls them in order. */
  writeBuffer(buffer: BufferStore, offset: number, data: Uint8Array): void;
  clearBuffer(buffer: BufferStore, offset: number, size: number): void;
  copyBufferToBuffer(
    source: BufferStore,
    sourceOffset: number,
    target: BufferStore,
    targetOffset: number,
    size: number
  ): void;
  /** `bytesPerRow`: stride of the rows in `data`. `rowsPerImage`: rows from one image to the next. */
  writeTexture(
    target: TextureCopyView,
    data: Uint8Array,
    bytesPerRow: number,
    rowsPerImage: number,
    size: readonly [number, number, number]
  ): void;
  copyBufferToTexture(source: BufferCopyView, target: TextureCopyView, size: readonly [number, number, number]): void;
  copyTextureToBuffer(source: TextureCopyView, target: BufferCopyView, size: readonly [number, number, number]): void;
  copyTextureToTexture(source: TextureCopyView, target: TextureCopyView, size: readonly [number, number, number]): void;
  /**
   * The texels of the first mip level, row by row, as they are now. Only for textures with one sample and one plane.
   * Returns a new view, like BufferStore.bytes().
   */
  texels(texture: TextureStore): Uint8Array;
  renderPass(state: PassState): Work;
  /** Like createPipeline, for a shader without neighbouring stages. */
  createComputePipeline(state: ComputePipelineState, source: ComputeSource | null): Steps<ComputePipelineStore>;
  computePass(state: ComputePassState): Work;
  /** The kernel's math functions, for constant folding. */
  readonly constantMath: { unary(name: string, x: number): number; binary(name: string, x: number, y: number): number };
  /** Limits for shader source text and for its compiled forms. */
  readonly shaderLimits: ShaderLimits;
  memoryStatistics(): {
    readonly bytesUsed: number;
    readonly bytesReserved: number;
    readonly bytesBudget: number;
    /** Bytes held for passes, by budget. They are included in `bytesUsed`. */
    readonly passes: PassMemory;
  };
  /** One entry per worker. */
  workerStatistics(): readonly WorkerStatistics[];
  readonly budgets: Budgets;
  /** Minimum of Budgets.arenaBytes for passes of this size in pixels. */
  minArenaBytes(width: number, height: number): number;
  /** Counters since creation, by name (passes, tiles, chunks, vertices, triangles, blocks, quads, lanes, warps). */
  statistics(): Record<string, number>;
  /** Accesses of shaders to multisampled storage textures. */
  loadStoreStatistics(): LoadStoreStatistics;
  streamStatistics(): StreamStatistics;
  /** Lanes, warps and pixels by shading rate. */
  shadingRateStatistics(): ShadingRateStatistics;
  programStatistics(): ProgramStatistics;
  /** Planes of multisampled textures, in the order of their creation. */
  surfaceStatistics(): SurfaceStatistics[];
  /**
   * The encoding state of each pixel in a multisampled texture's first plane, row by row: 0 clear, 1 one value, 2
   * subsets, 3 full.
   */
  surfaceStates(texture: TextureStore): Uint8Array;
  /** Number of workers that render; 0 if the calling thread does, also until the workers are ready. */
  readonly workers: number;
  /** Called in a macro-task when waiting work can continue. */
  wake: () => void;
  /**
   * Waits on this thread for what the work waits for, and calls `wake`. Returns false if that is impossible because it
   * needs the event loop.
   */
  block(): boolean;
  /** Called with a message when a pass could not be finished. */
  fail: (message: string) => void;
  /** Called with a message after a pass whose shaders made invalid accesses to storage textures. */
  fault: (message: string) => void;
  /** Sets whether a promise depends on the current work. Only then do workers keep the process alive. */
  hold(held: boolean): void;
  /** Starts counting blocks by state and, with `times`, measuring kernel time by part. */
  measure(times: boolean): void;
  /** Starts a trace of what threads do. Must be called before the first pass. */
  startTrace(): Trace;
  /** Times since `measure(true)`. */
  times(): PartTimes;
  destroy(): void;
}
