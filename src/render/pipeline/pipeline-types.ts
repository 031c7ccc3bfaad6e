// Descriptors of render and compute pipelines, and what the WebGPU API layer reads from pipelines.
import type { FragmentRate, IrProgram, JoinedStages } from '../../ir';
import type { Branch, EdgeLayout, IsWritten, StageShader, Topology } from '../../mpipe';
import type { FormatInfo } from '../../surface/formats';

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
  /** Words that are the same in each vertex. */
  readonly constants: readonly { readonly value: number; readonly offset: number }[];
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

/** The optimised shaders of a render pipeline. */
export interface PipelineShaders {
  readonly vertex: StageShader;
  readonly fragment: FragmentShader | null;
}
export interface FragmentShader {
  readonly table: StageShader;
  readonly staged: JoinedStages | null;
  /** Whether the shader itself performs the blending of target 0, and alpha-to-coverage. */
  readonly blends: boolean;
}

/** Numbers of the workers that may run a pipeline's shaders; null for all workers. */
export type WorkerSet = ReadonlySet<number> | null;

export interface PipelineState {
  readonly label: string;
  /** Default: null. */
  readonly workers?: WorkerSet;
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
  /** Counters of each vertex stage, the number of vertices that reached it, and the workers that ran it. */
  readonly stages: readonly (StageCounts & { readonly verticesIn: number; readonly workers: readonly number[] })[];
  /** Bytes of packets that were stored in memory; bytes that were moved to close gaps in stream output. */
  readonly bytesCopied: number;
  readonly bytesMoved: number;
  /** For each sink, warps that ran fragment stages, by rate, and the workers. Counted if stages are measured. */
  readonly pixels: readonly (PixelRuns & { readonly workers: ReadonlySet<number> })[];
}
/** Warps that ran the fragment stages of each rate. */
export type PixelRuns = Readonly<Record<FragmentRate, number>>;
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
