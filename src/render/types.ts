// The interface between the WebGPU API layer and the renderer. All descriptors are complete, with defaults filled in,
// and valid. The API layer validates; the renderer reports no user errors except OutOfMemoryError at creation.

import type { ShaderLimits } from '../base/shader-limits';
import type { Steps } from '../base/steps';
import type { IrProgram, JoinedStages } from '../ir';
import type { Branch, EdgeLayout, IsWritten, StageKind, StageRate, StageShader, Topology } from '../mpipe';
import type { Trace } from '../schedule';
import type { DepthTable, ShadingRate, ShadingRateCombiners } from '../shading-rate';
import type { FormatInfo } from '../surface/formats';
import type { PagePlace } from '../surface/page-table';
import type { SurfaceStatistics } from '../surface/surfaces';
import type { Budgets, PassMemory, WorkerStatistics } from './budgets';
import type { LoadStoreStatistics } from './statistics/load-store';
import type { ShadingRateStatistics } from './statistics/rate-counters';

export type { Budgets, PassMemory, WorkerStatistics } from './budgets';
export type { LoadStoreStatistics } from './statistics/load-store';
export type { ShadingRateStatistics } from './statistics/rate-counters';

/** The device memory of a buffer. Its bytes start as zero. */
export interface BufferStore {
  readonly address: number;
  /** Size in bytes, a multiple of 4. */
  readonly size: number;
  /** Returns a new view of device memory. It must not be kept across statements that may grow the memory. */
  bytes(): Uint8Array<ArrayBufferLike>;
  /** Frees the memory once no queued work uses it. May be called twice. */
  destroy(): void;
}
export interface TextureShape {
  /** The texture's name in messages. */
  readonly label: string;
  readonly format: FormatInfo;
  readonly dimension: GPUTextureDimension;
  readonly width: number;
  readonly height: number;
  readonly depthOrArrayLayers: number;
  readonly mipLevelCount: number;
  readonly sampleCount: number;
  /** For multisampled textures: whether no memory is reserved from the budget. */
  readonly overcommit: boolean;
  /**
   * Samples of a pixel whose channel values differ by at most this much may be stored as one. With 0, only equal
   * samples are.
   */
  readonly colorMergeThreshold: number;
  readonly depthMergeThreshold: number;
  /** The source of pages that are loaded when they are read; null if the texels are written. */
  readonly stream: StreamShape | null;
}
/**
 * The source of a streamed texture's texels. The texture is 2D or 3D, not multisampled, and has an uncompressed colour
 * format.
 */
export interface StreamShape {
  /** Side of a page in texels, a power of two. */
  readonly pageSize: number;
  /** Maximum number of concurrent loads. */
  readonly maxConcurrentLoads: number;
  /** Maximum bytes of resident pages, at least `minStreamBytes`. */
  readonly budgetBytes: number;
  /** Milliseconds after which a load fails; null for no limit. */
  readonly timeoutMs: number | null;
  /** True: passes wait for pages. False: passes use the best resident mip level. */
  readonly waits: boolean;
  /** Returns the bytes of a page. An exception or a rejection is the page's failure. */
  load(place: PagePlace, signal: AbortSignal): Uint8Array | PromiseLike<Uint8Array>;
  /** The texel that fills pages that failed to load. If null, work that reads them fails. */
  readonly fallback: Uint8Array | null;
  /** Called with the pages that a pass has replaced by smaller mip levels, and a promise for their arrival. */
  readonly missing: ((pages: readonly PagePlace[], arrived: Promise<void>) => unknown) | null;
}
/** Counted over all streamed textures of a device since its creation. */
export interface StreamStatistics {
  /** Pages that were requested from sources, that arrived, and that failed, with or without a fallback. */
  readonly pagesRequested: number;
  readonly pagesLoaded: number;
  readonly pagesFailed: number;
  /** Pages that were evicted to make room for others. */
  readonly pagesEvicted: number;
  /** Bytes of pages that are resident or being loaded. */
  readonly pageBytes: number;
  /**
   * How often tiles, or groups of workgroups that run together, stopped because pages were not resident; how often they
   * were replayed or resumed; how many wait now.
   */
  readonly parked: number;
  readonly replayed: number;
  readonly waiting: number;
  /** Tiles that were drawn in parts because the budget does not hold all pages that they read. */
  readonly divided: number;
  /**
   * How often a pass had nothing left to run until pages arrived, by cause: their `source`; other loads
   * (`maxConcurrentLoads`, limited by `TextureStream.maxConcurrentLoads`); or `room`, if pages of other waiting work
   * fill the budget.
   */
  readonly stalls: { readonly source: number; readonly loadLimit: number; readonly room: number };
}

export interface TextureStore {
  readonly shape: TextureShape;
  readonly bytes: number;
  /**
   * For streamed textures: stops loading. No more pages arrive, and passes that wait for pages fail. The memory remains
   * until `destroy`.
   */
  stop(): void;
  destroy(): void;
}
export interface ViewShape {
  readonly format: FormatInfo;
  readonly dimension: GPUTextureViewDimension;
  readonly aspect: GPUTextureAspect;
  readonly baseMipLevel: number;
  readonly mipLevelCount: number;
  readonly baseArrayLayer: number;
  readonly arrayLayerCount: number;
  /** The source of each channel that shaders read, red to alpha: four characters of `rgba01`. */
  readonly swizzle: string;
}
export interface ViewStore {
  readonly texture: TextureStore;
  readonly shape: ViewShape;
  destroy(): void;
}
/** `compare`: null for samplers that do not compare. */
export type SamplerShape = Required<Omit<GPUSamplerDescriptor, 'label' | 'compare'>> & {
  readonly compare: GPUCompareFunction | null;
};
export interface SamplerStore {
  destroy(): void;
}

export interface BlendComponentState {
  readonly operation: GPUBlendOperation;
  readonly srcFactor: GPUBlendFactor;
  readonly dstFactor: GPUBlendFactor;
}
export interface TargetState {
  readonly format: FormatInfo;
  readonly blend: { readonly color: BlendComponentState; readonly alpha: BlendComponentState } | null;
  readonly writeMask: number;
}
export interface StencilFace {
  readonly compare: GPUCompareFunction;
  readonly failOp: GPUStencilOperation;
  readonly depthFailOp: GPUStencilOperation;
  readonly passOp: GPUStencilOperation;
}
/** A stream output buffer for vertices of a pipeline. Its contents are whole 32-bit words. */
export interface BufferSinkState {
  readonly arrayStride: number;
  readonly attributes: readonly { readonly location: number; readonly size: number; readonly offset: number }[];
}

/** What follows setup: a fragment shader, and the state that determines what becomes of its results. */
export type OutputState = Pick<
  PipelineState,
  'fragment' | 'staged' | 'isUnordered' | 'targets' | 'primitive' | 'depthStencil' | 'multisample'
>;

/**
 * A sink of the vertex stages. `number`: the number of the sink. Several paths through the pipeline may lead to the
 * same sink.
 */
export type SinkState = { readonly number: number } & (
  | { readonly kind: 'raster'; readonly output: OutputState }
  | { readonly kind: 'buffer'; readonly buffer: BufferSinkState }
);

/**
 * Topology of the primitives that a pipeline assembles. Setup does not accept topologies with adjacency or patches.
 * These are for stages that turn them into other primitives, and for stream output.
 */
export type InputTopology = Topology;

/**
 * Kinds of output with an order: fragments, stream output of vertex stages alone, and stream output of other stages.
 */
export type SampleType = 'pixel' | 'vertex' | 'primitive';
/**
 * Whether output takes effect in the order in which it was received, or may overtake the output of other draw calls
 * that are `independent`.
 */
export type SampleOrder = 'received' | 'independent';
/** `auto`: the pass decides, and `independent` applies wherever the order cannot be observed. */
export type ProcessingOrder = SampleOrder | 'auto';

export interface PipelineState {
  readonly label: string;
  /** Default: 'auto'. */
  readonly processingOrder?: Readonly<Partial<Record<SampleType, ProcessingOrder>>>;
  /**
   * The vertex stages and the sinks that they lead to. For forked pipelines, the output state in this object is that of
   * the first raster sink.
   */
  readonly tree: Branch<StageShader, SinkState>;
  /**
   * For modular pipelines, where unwritten inputs have default values: the attributes that vertex buffers provide.
   * Otherwise null.
   */
  readonly source: IsWritten | null;
  readonly buffers: readonly ({
    readonly arrayStride: number;
    readonly stepMode: GPUVertexStepMode;
    readonly attributes: readonly {
      readonly format: GPUVertexFormat;
      readonly offset: number;
      readonly shaderLocation: number;
    }[];
  } | null)[];
  readonly fragment: StageShader | null;
  /** The stages that the fragment shader was joined from; null for a single shader. */
  readonly staged: JoinedStages | null;
  /** Whether fragments with framebuffer fetch may run in any order. */
  readonly isUnordered: boolean;
  readonly targets: readonly (TargetState | null)[];
  readonly primitive: {
    readonly topology: InputTopology;
    readonly frontFace: GPUFrontFace;
    readonly cullMode: GPUCullMode;
    readonly unclippedDepth: boolean;
  };
  readonly depthStencil: {
    readonly format: FormatInfo;
    readonly depthWriteEnabled: boolean;
    readonly depthCompare: GPUCompareFunction;
    readonly stencilFront: StencilFace;
    readonly stencilBack: StencilFace;
    readonly stencilReadMask: number;
    readonly stencilWriteMask: number;
    readonly depthBias: number;
    readonly depthBiasSlopeScale: number;
    readonly depthBiasClamp: number;
  } | null;
  readonly multisample: { readonly count: number; readonly mask: number; readonly alphaToCoverageEnabled: boolean };
}
/** Counters of a vertex stage, in all passes with the pipeline that are done (assembly/layout/program/stage.ts). */
export interface StageCounts {
  readonly runs: number;
  readonly primitivesIn: number;
  readonly verticesOut: number;
  readonly primitivesOut: number;
  readonly dropped: number;
}
/** The data flow through a pipeline, in all of its passes that are done. */
export interface PipelineFlow {
  /** Counters of each vertex stage, and the number of vertices that reached it. */
  readonly stages: readonly (StageCounts & { readonly verticesIn: number })[];
  /** Bytes of packets that were stored in memory; bytes that were moved to close gaps in stream output. */
  readonly bytesCopied: number;
  readonly bytesMoved: number;
}
/** An edge between vertex stages, by their numbers. `from` is null for the vertex buffers, `to` is null for a sink. */
export interface PipelineEdge {
  readonly from: number | null;
  readonly to: number | null;
  /** The sink, if the edge leads to one. */
  readonly sink: SinkState | null;
  readonly map: EdgeLayout;
  /** Bytes per vertex of the packet that all edges from this stage share, without positions for setup. */
  readonly bytesPerVertex: number;
}
/**
 * Memory of a thread in which primitives wait for a stage of the vertex side. `of` says whose input it is: a stage or a
 * sink, by its number, or a fork, by the number of stages that share the input.
 */
export interface StageInput {
  readonly of: { readonly stage: number } | { readonly sink: number } | { readonly fork: number };
  readonly bytes: number;
}
export interface PipelineStore {
  readonly state: PipelineState;
  readonly edges: readonly PipelineEdge[];
  /** Number of registers that a warp of each vertex stage needs. */
  readonly registersOfStages: readonly number[];
  readonly flow: PipelineFlow;
  /** The pipeline's compiled shaders. Pipelines with equal shaders share the objects. */
  readonly compiled: readonly object[];
  /** Bytes per worker for inputs that wait for emitting stages. */
  readonly inputBytes: number;
  /** Whether it uses framebuffer fetch in the order of fragments. */
  readonly needsOrder: boolean;
  /** The parts of `inputBytes`. */
  readonly inputsOfStages: readonly StageInput[];
  /** Estimated bytes that the compiled pipeline takes in the device and in the engine. */
  readonly bytes: number;
  destroy(): void;
}

/** `program`: optimised IR. */
export interface ComputePipelineState {
  readonly label: string;
  readonly program: IrProgram;
}
export interface ComputePipelineStore {
  /** The pipeline's compiled shader. Pipelines with equal shaders share the object. */
  readonly compiled: readonly object[];
  /** Estimated bytes that the compiled pipeline takes in the device and in the engine. */
  readonly bytes: number;
  destroy(): void;
}
export interface DispatchCommand {
  readonly pipeline: ComputePipelineStore;
  readonly groups: readonly (BoundGroup | null)[];
  /** See DrawState.immediates. */
  readonly immediates: Uint32Array | null;
  /** Number of workgroups in each dimension. */
  readonly count: readonly [number, number, number];
  /**
   * If not null, the count is read from this buffer when the pass runs. Nothing runs if one dimension exceeds `most`,
   * or their product exceeds `maxGroups`.
   */
  readonly indirect: { readonly buffer: BufferStore; readonly offset: number } | null;
  readonly most: number;
  readonly maxGroups: number;
}
export interface ComputePassState {
  readonly label: string;
  readonly dispatches: readonly DispatchCommand[];
}

export type BoundResource =
  | {
      readonly kind: 'buffer';
      readonly buffer: BufferStore;
      readonly offset: number;
      readonly size: number;
      /** Whether shaders may write to it. */
      readonly writable: boolean;
    }
  | { readonly kind: 'texture'; readonly view: ViewStore }
  /** A storage texture with one sample per pixel that shaders may write. Read-only storage textures are `texture`. */
  | { readonly kind: 'image'; readonly view: ViewStore }
  /** A multisampled storage texture. */
  | { readonly kind: 'surface'; readonly view: ViewStore }
  | { readonly kind: 'sampler'; readonly sampler: SamplerStore };
/** The resources of a bind group, by binding number. */
export interface BindGroupStore {
  readonly entries: ReadonlyMap<number, BoundResource>;
  /** Binding numbers of buffers with dynamic offsets, in the order of the offsets. */
  readonly dynamic: readonly number[];
  /** Textures, and buffers that shaders may write. A pass has to prepare them before it runs. */
  readonly watched: readonly BoundResource[];
}
/** A bind group as set for a draw call. */
export interface BoundGroup {
  readonly group: BindGroupStore;
  /** Byte offsets for the buffers in BindGroupStore.dynamic; null if there are none. */
  readonly dynamicOffsets: readonly number[] | null;
}

/** What a draw call reads. Setters replace the object and never change it, so consecutive draw calls may share it. */
export interface DrawState {
  readonly pipeline: PipelineStore;
  readonly groups: readonly (BoundGroup | null)[];
  /** The data of setImmediates, if the pipeline's shaders use it. */
  readonly immediates: Uint32Array | null;
  readonly vertexBuffers: readonly ({
    readonly buffer: BufferStore;
    readonly offset: number;
    readonly size: number;
  } | null)[];
  readonly index: {
    readonly buffer: BufferStore;
    readonly offset: number;
    readonly size: number;
    readonly bytes: 2 | 4;
  } | null;
  /** Stream output buffers, by sink number. */
  readonly sinks: readonly (BoundSink | null)[];
}
/** A bound stream output buffer. Draw calls with the same object write consecutively. */
export interface BoundSink {
  readonly buffer: BufferStore;
  readonly offset: number;
  readonly size: number;
  /** Receives vertices, 1, 0, 0 when the pass is done, as arguments of an indirect draw call. */
  readonly counts: { readonly buffer: BufferStore; readonly offset: number } | null;
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
export interface DrawCommand {
  readonly state: DrawState;
  readonly indexed: boolean;
  /** Number of vertices or indices. */
  readonly count: number;
  readonly instanceCount: number;
  /** First vertex or first index. */
  readonly first: number;
  readonly baseVertex: number;
  readonly firstInstance: number;
  /** If not null, the counts are read from this buffer when the pass runs, and the fields above are ignored. */
  /** `firstInstance`: whether the first instance may be nonzero. If it may not, such a draw call does nothing. */
  readonly indirect: { readonly buffer: BufferStore; readonly offset: number; readonly firstInstance: boolean } | null;
}
/** Draw calls with the same dynamic state. Each execution of a render bundle uses the same array. */
export interface DrawRun {
  readonly dynamic: DynamicState;
  readonly commands: readonly DrawCommand[];
}
/**
 * Milliseconds of kernel time by part of the work. One fragment warp in eight is timed and stands for the others.
 * `shade` and `blend` are therefore estimates, and so are `pack`, and `raster` where draw calls blend or discard. The
 * sum is exact.
 */
export interface PartTimes {
  /** Fetching attributes, remapping indices, vertex shaders, projection. */
  readonly vertex: number;
  /** Culling, clipping, attribute planes, tile lists. */
  readonly setup: number;
  /** Coverage, depth, stencil, visible triangles. */
  readonly raster: number;
  /**
   * Gathering the visible fragments of a tile into warps, and looking up shading rates. Where draw calls blend or
   * discard, fragments join warps during `raster`.
   */
  readonly pack: number;
  /** Interpolation and fragment shaders. */
  readonly shade: number;
  /** From shader results to the tile: late tests, blending, writing. */
  readonly blend: number;
  /** Loading or clearing, resolving and storing tiles. */
  readonly resolve: number;
}
/** Milliseconds of compilation work for one shader, or for all. */
export interface StageTimes {
  /** Emitting WebAssembly. */
  readonly emit: number;
  /** Compiling it, partly on other threads. */
  readonly compile: number;
  /** Instantiating it. */
  readonly instantiate: number;
  /**
   * Running new shaders with all lanes masked off until the engine has compiled its best code
   * (createRenderPipelineAsync).
   */
  readonly warmUp: number;
}
/** A stage in use by pipelines of a device: a shader after linking. */
export interface StageStatistics {
  /** Name of the entry point. */
  readonly name: string;
  readonly kind: StageKind;
  /** What one invocation stands for. */
  readonly rate: StageRate;
  /** Number of pipelines that share it. */
  readonly pipelines: number;
  /** Number of draw calls or dispatches that used it. */
  readonly runs: number;
  /**
   * Warps of up to 64 vertices, primitives or fragments, in passes that are done. Geometry that starts over because a
   * chunk has ended counts again.
   */
  readonly warps: number;
  /** `interpreted`: permanently. `waiting`: interpreted until it is compiled. */
  readonly state: 'compiled' | 'waiting' | 'interpreted';
  /** Number of bytecode instructions per warp, and of those that run once per draw call. */
  readonly instructions: number;
  readonly prologue: number;
  /** Registers in a warp's register file. */
  readonly registers: number;
  /** Bytes of device memory for its module; 0 if there is none. */
  readonly moduleBytes: number;
  readonly times: StageTimes;
}
/**
 * How a device's pipelines run, counted since its creation. A pipeline counts as `compiled`, as `interpreted`, or is
 * still waiting to be compiled.
 */
export interface ProgramStatistics {
  /** `jit`: shaders are compiled. Until they are, and if they cannot be, they are interpreted. */
  readonly engine: 'jit' | 'interpreter';
  /** Number of pipelines whose stages all have compiled code. */
  readonly compiled: number;
  /**
   * Number of pipelines with a stage that stays interpreted: it is too large, memory is short, or the device does not
   * compile.
   */
  readonly interpreted: number;
  /** Number of WebAssembly modules that were emitted for this device, one per shader. */
  readonly emitted: number;
  /** Number of shaders whose module already existed, from another device of the process or from earlier. */
  readonly fromCache: number;
  /** Number of stages that a new pipeline found on the device. */
  readonly shared: number;
  /** Modules that the process caches, whether in use or not; bytes of the modules and their keys. */
  readonly cachedModules: number;
  readonly keptBytes: number;
  /** Shaders and modules that were evicted from caches, least recently used first. */
  readonly dropped: number;
  /** Bytes of device memory that hold compiled shaders now. */
  readonly moduleBytes: number;
  /** Length of the function table, including the kernel's own functions. */
  readonly functionTableSlots: number;
  /** Total over all shaders. */
  readonly times: StageTimes;
  /** The stages that pipelines use now. */
  readonly stages: readonly StageStatistics[];
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

/** The device below the WebGPU API: memory, kernels and passes. Implemented in src/render/device.ts. */
export interface RenderDevice {
  /** Throws OutOfMemoryError (src/memory) with label and size. */
  createBuffer(size: number, label: string): BufferStore;
  createTexture(shape: TextureShape): TextureStore;
  createView(texture: TextureStore, shape: ViewShape): ViewStore;
  createSampler(shape: SamplerShape): SamplerStore;
  /** Shaders are optimised IR. Throws ProgramTooLargeError if a shader cannot be encoded. */
  createPipeline(state: PipelineState): Steps<PipelineStore>;
  /**
   * Compiles a new pipeline according to the device's engine. Usually this happens later, and the pipeline is
   * interpreted at first. If compilation is forced, it happens now; errors are then thrown as ProgramTooLargeError or
   * OutOfMemoryError, and the pipeline is destroyed.
   */
  compile(pipeline: PipelineStore): void;
  /** Compiles a new pipeline and lets the engine optimise the code. Rejects with the errors of `compile`. */
  prepare(pipeline: PipelineStore): Promise<void>;
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
  createComputePipeline(state: ComputePipelineState): Steps<ComputePipelineStore>;
  /** Like `compile` and `prepare`. */
  compileCompute(pipeline: ComputePipelineStore): void;
  prepareCompute(pipeline: ComputePipelineStore): Promise<void>;
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
