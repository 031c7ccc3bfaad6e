// What the API hands to the renderer, and what it gets back. All descriptors are complete (defaults filled in) and
// valid: validation is the API's; nothing here reports a user's mistake except OutOfMemory at creation.

import type { ShaderLimits } from '../base/shader-limits';
import type { Steps } from '../base/steps';
import type { IrProgram, JoinedStages } from '../ir';
import type { Branch, BufferMap, IsWritten, StageKind, StageRate, TableProgram, Topology } from '../mpipe';
import type { Trace } from '../schedule';
import type { DepthTable, ShadingRate, ShadingRateCombiners } from '../shading-rate';
import type { FormatInfo } from '../surface/formats';
import type { PagePlace } from '../surface/page-table';
import type { SurfaceStatistics } from '../surface/surfaces';
import type { Budgets, PassMemory, WorkerWork } from './budgets';
import type { LoadStoreStatistics } from './load-store';
import type { ShadingRateStatistics } from './rate-counters';

export type { Budgets, PassMemory, WorkerWork } from './budgets';
export type { LoadStoreStatistics } from './load-store';
export type { ShadingRateStatistics } from './rate-counters';

/** Device memory of a buffer. Bytes start at zero. */
export interface BufferStore {
  readonly address: number;
  /** Bytes, a multiple of 4. */
  readonly size: number;
  /** A fresh view over device memory: never kept across statements that may grow the memory. */
  bytes(): Uint8Array<ArrayBufferLike>;
  /** Gives the memory back once no queued work uses it; safe to call twice. */
  destroy(): void;
}
export interface TextureShape {
  /** As messages name the texture. */
  readonly label: string;
  readonly format: FormatInfo;
  readonly dimension: GPUTextureDimension;
  readonly width: number;
  readonly height: number;
  readonly depthOrArrayLayers: number;
  readonly mipLevelCount: number;
  readonly sampleCount: number;
  /** Multisampled: nothing of the budget is reserved for it. */
  readonly overcommit: boolean;
  /** Samples of a pixel that differ by no more, as values of a channel, may be stored as one; 0: equal ones only. */
  readonly colorMergeThreshold: number;
  readonly depthMergeThreshold: number;
  /** Its pages come when they are read; null: its texels are written. */
  readonly stream: StreamShape | null;
}
/** Where the texels of a streamed texture come from: 2d or 3d, one sample, a colour format that is not compressed. */
export interface StreamShape {
  /** Texels on a side, a power of two. */
  readonly pageSize: number;
  /** Loads under way, at the most. */
  readonly outstanding: number;
  /** Of pages in memory, at least leastStreamBytes. */
  readonly budgetBytes: number;
  /** Milliseconds that a load may take; null: any. */
  readonly timeoutMs: number | null;
  /** Passes wait for pages; else they take the best level that is there. */
  readonly waits: boolean;
  /** Gives, or rejects with what the page's failure is. */
  load(place: PagePlace, signal: AbortSignal): Uint8Array | PromiseLike<Uint8Array>;
  /** The texel of pages that failed; null: what reads them fails. */
  readonly fallback: Uint8Array | null;
  /** Told what a pass has taken smaller levels for, and when that has come. */
  readonly missing: ((pages: readonly PagePlace[], arrived: Promise<void>) => unknown) | null;
}
/** Of all streamed textures of a device, since it was made. */
export interface StreamStatistics {
  /** Pages that sources were asked for; that came; that failed, with or without a fallback. */
  readonly pagesRequested: number;
  readonly pagesLoaded: number;
  readonly pagesFailed: number;
  /** Pages that made room for others. */
  readonly pagesEvicted: number;
  /** Bytes of pages that are in memory, or on their way. */
  readonly pageBytes: number;
  /**
   * Runs of tiles, and of workgroups that a dispatch runs together, that did not come to their end because pages were
   * not there; runs of them when these had come; how many wait now.
   */
  readonly parked: number;
  readonly replayed: number;
  readonly waiting: number;
  /** Tiles that were drawn in parts, because the budget does not hold all pages that they read. */
  readonly divided: number;
  /**
   * How often a pass had nothing left to run before pages came, by what kept them away: their `source`; other loads
   * (`TextureStream.outstanding`); or `room`, pages of others that wait, which have all of the budget.
   */
  readonly stalls: { readonly source: number; readonly outstanding: number; readonly room: number };
}

export interface TextureStore {
  readonly shape: TextureShape;
  readonly bytes: number;
  /** Streamed: no pages come any more, and passes that wait for some fail. The memory stays until `destroy`. */
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
  /** Where programs find its channels: of each of red to alpha one of `rgba01`. */
  readonly swizzle: string;
}
export interface ViewStore { readonly texture: TextureStore; readonly shape: ViewShape; destroy(): void }
/** `compare`: null for samplers that do not compare. */
export type SamplerShape = Required<Omit<GPUSamplerDescriptor, 'label' | 'compare'>> & {
  readonly compare: GPUCompareFunction | null;
};
export interface SamplerStore { destroy(): void }

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
/** A buffer that vertices of a table go to: whole words of 32 bits. */
export interface BufferSinkState {
  readonly arrayStride: number;
  readonly attributes: readonly { readonly location: number; readonly size: number; readonly offset: number }[];
}

/** What stands behind setup: a fragment program, and what becomes of its results. */
export type OutputState = Pick<
  PipelineState, 'fragment' | 'staged' | 'isUnordered' | 'targets' | 'primitive' | 'depthStencil' | 'multisample'
>;

/** An end of a table's vertex stages. `number`: of the sink, at which several paths through the table may end. */
export type SinkState = { readonly number: number } & (
  | { readonly kind: 'raster'; readonly output: OutputState }
  | { readonly kind: 'buffer'; readonly buffer: BufferSinkState }
);

/** Setup takes none with adjacency, and no patches: those are for stages that make others of them, and for buffers. */
export type InputTopology = Topology;

/** What has an order: fragments; what goes to buffers of vertex stages alone; what goes there of other stages. */
export type SampleType = 'pixel' | 'vertex' | 'primitive';
/** Whether samples take effect in the order in which they came, or may overtake those of other such draws. */
export type SampleOrder = 'received' | 'independent';
/** `auto`: as the pass says, and `independent` where order cannot show. */
export type ProcessingOrder = SampleOrder | 'auto';

export interface PipelineState {
  readonly label: string;
  /** Default: 'auto'. */
  readonly processingOrder?: Readonly<Partial<Record<SampleType, ProcessingOrder>>>;
  /**
   * Vertex programs and where they lead to. Of tables that fork, what is below of an output is that of the first raster
   * sink.
   */
  readonly tree: Branch<TableProgram, SinkState>;
  /** Attributes that buffers have, where what is read and not written has defaults (a table); else null. */
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
  readonly fragment: TableProgram | null;
  /** What the fragment program is made of, where it is stages; else null. */
  readonly staged: JoinedStages | null;
  /** Whether fragments that read what is there may do so in any order. */
  readonly isUnordered: boolean;
  readonly targets: readonly (TargetState | null)[];
  readonly primitive: {
    readonly topology: InputTopology;
    readonly frontFace: GPUFrontFace;
    readonly cullMode: GPUCullMode;
    readonly unclippedDepth: boolean;
  };
  readonly depthStencil: {
    readonly format: FormatInfo; readonly depthWriteEnabled: boolean; readonly depthCompare: GPUCompareFunction;
    readonly stencilFront: StencilFace; readonly stencilBack: StencilFace;
    readonly stencilReadMask: number; readonly stencilWriteMask: number;
    readonly depthBias: number; readonly depthBiasSlopeScale: number; readonly depthBiasClamp: number;
  } | null;
  readonly multisample: { readonly count: number; readonly mask: number; readonly alphaToCoverageEnabled: boolean };
}
/** Of a vertex stage of a table, in all its passes that are done (assembly/layout/stage.ts). */
export interface StageCounts {
  readonly runs: number;
  readonly primitivesIn: number;
  readonly verticesOut: number;
  readonly primitivesOut: number;
  readonly dropped: number;
}
/** What has gone through a table in all its passes that are done. */
export interface TableFlow {
  /** Of each vertex stage, with the vertices that came to it. */
  readonly stages: readonly (StageCounts & { readonly verticesIn: number })[];
  /** Bytes of packets that went to memory, and those that were moved to close gaps in buffers. */
  readonly bytesCopied: number;
  readonly bytesMoved: number;
}
/** An edge of a table: vertex stages by their numbers, or null: the vertex buffers, or a sink. */
export interface TableEdge {
  readonly from: number | null;
  readonly to: number | null;
  /** The sink, where it leads to one. */
  readonly sink: SinkState | null;
  readonly map: BufferMap;
  /** Of the packet that all edges from there share, but for positions that setup takes. */
  readonly bytesPerVertex: number;
}
/** Memory for what waits: for a vertex stage, by its number, for a buffer, or for so many stages that share it. */
export interface StageInput {
  readonly of: { readonly stage: number } | { readonly sink: number } | { readonly fork: number };
  readonly bytes: number;
}
export interface PipelineStore {
  readonly state: PipelineState;
  readonly edges: readonly TableEdge[];
  /** Registers that a warp of each vertex stage needs. */
  readonly registersOfStages: readonly number[];
  readonly flow: TableFlow;
  /** Its compiled programs; equal ones of pipelines are the same object. */
  readonly compiled: readonly object[];
  /** Memory for what waits for stages that emit, a worker. */
  readonly inputBytes: number;
  /** Its program reads what is stored, in the order in which fragments came. */
  readonly needsOrder: boolean;
  /** Its parts. */
  readonly inputsOfStages: readonly StageInput[];
  /** Memory that it takes, compiled, of the device and of the engine; an estimate. */
  readonly bytes: number;
  destroy(): void;
}

/** A program of a compute pipeline is optimised IR. */
export interface ComputePipelineState { readonly label: string; readonly program: IrProgram }
export interface ComputePipelineStore {
  /** Its compiled program; equal ones of pipelines are the same object. */
  readonly compiled: readonly object[];
  /** Memory that it takes, compiled, of the device and of the engine; an estimate. */
  readonly bytes: number;
  destroy(): void;
}
export interface DispatchCommand {
  readonly pipeline: ComputePipelineStore;
  readonly groups: readonly (BoundGroup | null)[];
  /** As DrawState.immediates. */
  readonly immediates: Uint32Array | null;
  /** Workgroups, by dimension. */
  readonly count: readonly [number, number, number];
  /**
   * Or read from this buffer when the pass runs; nothing is run if one is more than `most`, or all together are more
   * than `mostGroups`.
   */
  readonly indirect: { readonly buffer: BufferStore; readonly offset: number } | null;
  readonly most: number;
  readonly mostGroups: number;
}
export interface ComputePassState { readonly label: string; readonly dispatches: readonly DispatchCommand[] }

export type BoundResource =
  | {
    readonly kind: 'buffer'; readonly buffer: BufferStore; readonly offset: number; readonly size: number;
    /** Programs may write to it. */
    readonly writable: boolean;
  }
  | { readonly kind: 'texture'; readonly view: ViewStore }
  /** A storage texture of one sample that programs may write; others are textures. */
  | { readonly kind: 'image'; readonly view: ViewStore }
  /** A multisampled storage texture. */
  | { readonly kind: 'surface'; readonly view: ViewStore }
  | { readonly kind: 'sampler'; readonly sampler: SamplerStore };
/** A bind group's resources, by binding number. */
export interface BindGroupStore {
  readonly entries: ReadonlyMap<number, BoundResource>;
  /** Binding numbers of buffers with dynamic offsets, in the order in which these are given. */
  readonly dynamic: readonly number[];
  /** Textures, and buffers that programs may write: what a pass has to look at before it runs. */
  readonly watched: readonly BoundResource[];
}
/** A bind group as set for a draw. */
export interface BoundGroup {
  readonly group: BindGroupStore;
  /** Bytes to add to the offsets of buffers, of each of BindGroupStore.dynamic; null where there are none. */
  readonly dynamicOffsets: readonly number[] | null;
}

/**
 * What a draw reads; replaced, never changed, when a setter is called, so that consecutive draws may hold the same
 * object.
 */
export interface DrawState {
  readonly pipeline: PipelineStore;
  readonly groups: readonly (BoundGroup | null)[];
  /** What setImmediates has given, where the pipeline's programs use it. */
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
  /** By the numbers of sinks. */
  readonly sinks: readonly (BoundSink | null)[];
}
/** Draws with the same object write one behind the other. */
export interface BoundSink {
  readonly buffer: BufferStore;
  readonly offset: number;
  readonly size: number;
  /** Gets vertices, 1, 0, 0 when the pass is done. */
  readonly counts: { readonly buffer: BufferStore; readonly offset: number } | null;
}
/** x, y, width, height, minDepth, maxDepth. */
export type Viewport = readonly [number, number, number, number, number, number];
/** The state of a pass that bundles do not set. */
export interface DynamicState {
  /** One at least; the first one is where primitives are drawn for which nobody has chosen another. */
  readonly viewports: readonly Viewport[];
  /** x, y, width, height. */
  readonly scissor: readonly [number, number, number, number];
  readonly blendConstant: readonly [number, number, number, number];
  readonly stencilReference: number;
  /** Where draws of which a sample passes all tests put a 1; null: nobody asks. */
  readonly query: QuerySlot | null;
  /** What draws ask for, and how the pass's rates and those of primitives join it. */
  readonly rate: ShadingRate;
  readonly combiners: ShadingRateCombiners;
  /** Of draws whose pipelines leave it to the pass. */
  readonly orders: Readonly<Record<SampleType, SampleOrder>>;
}
/** Who has a say in the shading rates of all draws of a pass. */
export interface PassRates {
  /** One for all viewports, or one for each; empty: depth has no say. */
  readonly depth: readonly DepthTable[];
  /** r8uint, a texel for each block of so many pixels; null: regions have no say. */
  readonly region: { readonly view: ViewStore; readonly blockSize: 8 | 16 } | null;
}
/** The result of a query: a u64 in a buffer. */
export interface QuerySlot { readonly buffer: BufferStore; readonly offset: number }
export interface DrawCommand {
  readonly state: DrawState;
  readonly indexed: boolean;
  /** Vertices or indices. */
  readonly count: number;
  readonly instanceCount: number;
  /** First vertex or first index. */
  readonly first: number;
  readonly baseVertex: number;
  readonly firstInstance: number;
  /** Counts are read from this buffer when the pass runs; the fields above are then ignored. */
  /** `firstInstance`: it may be another than 0; else such a draw is nothing. */
  readonly indirect: {
    readonly buffer: BufferStore; readonly offset: number; readonly firstInstance: boolean;
  } | null;
}
/** Draws with the same dynamic state. Those of a bundle are the same array at each replay. */
export interface DrawRun { readonly dynamic: DynamicState; readonly commands: readonly DrawCommand[] }
/**
 * Milliseconds of kernel time by part of the work. One fragment warp in eight is timed and stands for the others:
 * `shade`, `blend`, and so what is left for `pack`, and for `raster` where draws blend or discard, are estimates; the
 * sum is not.
 */
export interface PartTimes {
  /** Fetching attributes, remapping indices, vertex programs, projection. */
  readonly vertex: number;
  /** Culling, clipping, planes of attributes, lists of tiles. */
  readonly setup: number;
  /** Coverage, depth, stencil, visible triangles. */
  readonly raster: number;
  /**
   * Gathering what of a tile is visible into warps, and looking up its shading rates. Where draws blend or discard,
   * fragments go to warps as they are found, in `raster`.
   */
  readonly pack: number;
  /** Interpolation, fragment programs. */
  readonly shade: number;
  /** From programs' results to the tile: late tests, blending, writing. */
  readonly blend: number;
  /** Loading or clearing, resolving and storing tiles. */
  readonly resolve: number;
}
/** Milliseconds of making one program, or all of them, fast. */
export interface StageTimes {
  /** Writing WebAssembly. */
  readonly emit: number;
  /** Compiling it, in part on other threads. */
  readonly compile: number;
  /** Making instances. */
  readonly instantiate: number;
  /** Running new programs on masked work until the engine has its best code for them (createRenderPipelineAsync). */
  readonly warmUp: number;
}
/** One stage that pipelines of a device have: a program as it was linked. */
export interface StageStatistics {
  /** Of the entry point. */
  readonly name: string;
  readonly kind: StageKind;
  /** What one invocation stands for. */
  readonly rate: StageRate;
  /** Pipelines that share it. */
  readonly pipelines: number;
  /** Draws that it took part in. */
  readonly runs: number;
  /**
   * Of up to 64 vertices, primitives, or fragments, of passes that are done. Geometry that is begun anew, since a chunk
   * ended meanwhile, counts again.
   */
  readonly warps: number;
  /** `interpreted` for good, or `waiting` to be compiled, and interpreted meanwhile. */
  readonly state: 'compiled' | 'waiting' | 'interpreted';
  /** The interpreter's instructions: of a warp, and once a draw. */
  readonly instructions: number;
  readonly prologue: number;
  /** Of a warp's register file. */
  readonly registers: number;
  /** Device memory that holds its module; 0 as long as there is none. */
  readonly moduleBytes: number;
  readonly times: StageTimes;
}
/**
 * How a device's pipelines run, counted since it was created. A pipeline is in one of `compiled` and `interpreted`, or
 * still to be compiled.
 */
export interface ProgramStatistics {
  /** `jit`: programs are compiled; until they are, and where they cannot be, they are interpreted. */
  readonly engine: 'jit' | 'interpreter';
  /** Pipelines of which all stages have compiled code. */
  readonly compiled: number;
  /** Pipelines with a stage that is interpreted for good: too large, no memory, or a device that interprets. */
  readonly interpreted: number;
  /** Modules of WebAssembly that were written for this device, one a program. */
  readonly emitted: number;
  /** Programs whose module was there already, from another device of the process or from before. */
  readonly fromCache: number;
  /** Stages that a new pipeline found on the device. */
  readonly shared: number;
  /** Modules that the process keeps for who may want their programs, used or not; bytes of them and of their keys. */
  readonly keptModules: number;
  readonly keptBytes: number;
  /** Programs and modules that are no longer kept for that; what was not used for the longest time goes first. */
  readonly dropped: number;
  /** Device memory that holds compiled programs now. */
  readonly moduleBytes: number;
  /** Length of the table of functions, the kernel's own among them. */
  readonly tableSlots: number;
  /** Of all programs. */
  readonly times: StageTimes;
  /** Those that pipelines have now. */
  readonly stages: readonly StageStatistics[];
}
export interface PassState {
  readonly label: string;
  readonly width: number;
  readonly height: number;
  readonly samples: number;
  readonly colors: readonly ({ readonly view: ViewStore; readonly resolve: ViewStore | null; readonly clear: readonly [
    number, number, number, number
  ] | null; readonly store: boolean; /** 3d targets. */ readonly depthSlice: number } | null)[];
  readonly depthStencil: {
    readonly view: ViewStore;
    /** null loads. */
    readonly depthClear: number | null; readonly depthStore: boolean; readonly depthReadOnly: boolean;
    readonly stencilClear: number | null; readonly stencilStore: boolean; readonly stencilReadOnly: boolean;
  } | null;
  /** r32uint, one sample: where fragment invocations are counted; null counts none. */
  readonly counts: ViewStore | null;
  /** null: its draws have no rates but their own. */
  readonly rates: PassRates | null;
  readonly runs: readonly DrawRun[];
}
/**
 * Work on the queue. `step` runs until done (true) or until `clockMs()` passes `deadline` (false: call again;
 * if it then `waits`, not before RenderDevice.wake is called; `waitsForPages`: of streamed textures, not for
 * workers). It may throw DeviceLostError.
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

/** The device without its API: memory, kernels and passes. Made by src/render/device.ts. */
export interface RenderDevice {
  /** Throws OutOfMemoryError (src/memory) naming label and size. */
  createBuffer(size: number, label: string): BufferStore;
  createTexture(shape: TextureShape): TextureStore;
  createView(texture: TextureStore, shape: ViewShape): ViewStore;
  createSampler(shape: SamplerShape): SamplerStore;
  /** Programs are optimised IR. Throws ProgramTooLargeError with a sentence when it cannot be encoded. */
  createPipeline(state: PipelineState): Steps<PipelineStore>;
  /**
   * Has a new pipeline compiled, as the device's engine is: off the hot path, so that it is interpreted at first; or,
   * where compiling is forced, now. Then it throws ProgramTooLargeError or OutOfMemoryError, and the pipeline is
   * destroyed.
   */
  compile(pipeline: PipelineStore): void;
  /** Compiles a new pipeline and has the engine make its best code of it. Rejects as `compile` throws. */
  prepare(pipeline: PipelineStore): Promise<void>;
  /** These act at once, on memory: the queue calls them in its order. */
  writeBuffer(buffer: BufferStore, offset: number, data: Uint8Array): void;
  clearBuffer(buffer: BufferStore, offset: number, size: number): void;
  copyBufferToBuffer(
    source: BufferStore, sourceOffset: number, target: BufferStore, targetOffset: number, size: number
  ): void;
  /** Rows of `data` have a stride of `bytesPerRow`, images one of `rowsPerImage` rows. */
  writeTexture(
    target: TextureCopyView, data: Uint8Array, bytesPerRow: number, rowsPerImage: number,
    size: readonly [number, number, number]
  ): void;
  copyBufferToTexture(source: BufferCopyView, target: TextureCopyView, size: readonly [number, number, number]): void;
  copyTextureToBuffer(source: TextureCopyView, target: BufferCopyView, size: readonly [number, number, number]): void;
  copyTextureToTexture(source: TextureCopyView, target: TextureCopyView, size: readonly [number, number, number]): void;
  /**
   * Texels of the first level of a texture of one sample and one plane, row by row, as they are now: a fresh view, as
   * BufferStore.bytes().
   */
  texels(texture: TextureStore): Uint8Array;
  renderPass(state: PassState): Work;
  /** As createPipeline, of a program without neighbours. */
  createComputePipeline(state: ComputePipelineState): Steps<ComputePipelineStore>;
  /** As `compile` and `prepare`. */
  compileCompute(pipeline: ComputePipelineStore): void;
  prepareCompute(pipeline: ComputePipelineStore): Promise<void>;
  computePass(state: ComputePassState): Work;
  /** The kernel's own functions, for folding. */
  readonly constantMath: { unary(name: string, x: number): number; binary(name: string, x: number, y: number): number };
  /** Of what comes in as text, and of what it is compiled to. */
  readonly shaderLimits: ShaderLimits;
  memoryStatistics(): {
    readonly bytesUsed: number; readonly bytesReserved: number; readonly bytesBudget: number;
    /** Held for passes, part of what is used: by budget. */
    readonly passes: PassMemory;
  };
  /** Of each worker. */
  workStatistics(): readonly WorkerWork[];
  readonly budgets: Budgets;
  /** What passes of so many pixels need of Budgets.arenaBytes at the least. */
  leastArenaBytes(width: number, height: number): number;
  /** Counters since creation, by name (passes, tiles, chunks, vertices, triangles, blocks, quads, lanes, warps). */
  statistics(): Record<string, number>;
  /** Of accesses of multi-sample storage textures by shaders. */
  loadStoreStatistics(): LoadStoreStatistics;
  streamStatistics(): StreamStatistics;
  /** Of threads by shading rate. */
  shadingRateStatistics(): ShadingRateStatistics;
  programStatistics(): ProgramStatistics;
  /** Planes of multi-sample textures, in the order of their creation. */
  surfaceStatistics(): SurfaceStatistics[];
  /**
   * The state of each pixel of a multi-sample texture's first plane (0 clear, 1 one value, 2 subsets, 3 full), row by
   * row.
   */
  surfaceStates(texture: TextureStore): Uint8Array;
  /** Workers that render; 0 where the calling thread does, also until they are up. */
  readonly workers: number;
  /** Called in a macro-task when work that waits can go on. */
  wake: () => void;
  /**
   * Waits on this thread for what work waits for, and calls `wake`. False where it cannot be waited for: others have
   * to have their turns.
   */
  block(): boolean;
  /** Called when a pass could not be finished, with a sentence. */
  fail: (message: string) => void;
  /** Called when a pass is done whose programs accessed storage textures where they may not, with a sentence. */
  fault: (message: string) => void;
  /** Whether a promise waits for the work under way: only then do workers keep the process alive. */
  hold(held: boolean): void;
  /** From now on, blocks are counted by state and, with `times`, kernel time by part. */
  measure(times: boolean): void;
  /** From now on, what threads do and when is noted: to be called before the first pass. */
  startTrace(): Trace;
  /** Since `measure(true)`. */
  times(): PartTimes;
  destroy(): void;
}
