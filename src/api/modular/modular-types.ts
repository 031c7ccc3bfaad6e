// Public types of modular pipelines (the feature "modular-pipelines").

import type { FragmentStagesMembers } from '../extensions/fragment-stages-types';
import type { ArgumentOf, WebGpuType } from '../idl/declared';
import type { EdgeDescription, ModularPipelineStatistics } from './modular-statistics';
import type { ModularStageKind, StageDescription } from './stage-description';
import type { EmittedTopology as Topology } from '../../mpipe';
import type { ProcessingOrder, SampleType } from '../../render/types';

type Module = WebGpuType<'GPUShaderModule'>;
type Buffer = WebGpuType<'GPUBuffer'>;
type RenderPipelineDescriptor = ArgumentOf<'GPUDevice', 'createRenderPipeline'>;
type Part<Name extends string> = RenderPipelineDescriptor extends { readonly [Key in Name]?: infer T }
  ? NonNullable<T>
  : never;

/** A stage of a modular pipeline: a shader in a slot. */
export interface ModularStage {
  /**
   * Kind of the stage:
   *
   * - `vertex`: runs once per vertex.
   * - `geometry`: a `@geometry` function that runs once per primitive, and emits the vertices of new primitives.
   * - `tess_control`: a `@tess_control` function that runs once per patch, and sets its tessellation levels. The next
   *   enabled slot must hold a `tess_evaluation` stage.
   * - `tess_evaluation`: a `@tess_evaluation` function that runs once per vertex of a tessellated patch.
   * - `primitive`: a `@primitive` function that runs once per primitive. It may drop the primitive
   *   (`@builtin(cull_primitive)`), select one of the pass's viewports (`@builtin(viewport_index)`), and, with the
   *   feature "shading-rate", set the shading rate (`@builtin(shading_rate)`). The outputs of the stage before it pass
   *   unchanged.
   * - `coarse`, `pixel`, `sample`: a `@fragment` function, with the feature "fragment-stages". It runs once per coarse
   *   pixel of the shading rate, once per pixel, or once per set of equal samples, in this order. Enabled fragment
   *   stages that lead to a raster sink form its fragment shader. They exchange values by `@link`.
   */
  readonly kind: ModularStageKind;
  /** Shader module of the stage. Several slots may use the same module. */
  readonly module: Module;
  /** Name of the entry point. May be omitted if the module has only one entry point of the kind. */
  readonly entryPoint?: string | undefined;
  /** Values of the module's overrides, by name or number. */
  readonly constants?: Readonly<Record<string, number>> | undefined;
  /** Whether draw calls run the stage unless `setStageEnabled` says otherwise. Default: true. */
  readonly enabled?: boolean | undefined;
  /**
   * Maximum number of vertices that a `geometry` stage emits per primitive, 1 to 256. Required for this kind, not
   * allowed for others.
   */
  readonly maxVertices?: number | undefined;
  /**
   * Topology of the output:
   *
   * - `geometry`: topology of the emitted vertices. Default: `triangle-strip`. Incomplete primitives at `endStrip` are
   *   dropped, also in lists. Topologies with adjacency must go to another geometry stage or to a buffer. An array has
   *   the topologies of up to four streams; its last one applies to further streams.
   * - `tess_evaluation`: `triangle-list` (`line-list` for the domain `lines`), or `point-list` with one point per
   *   vertex. Default: the list.
   */
  readonly topology?: Topology | readonly Topology[] | undefined;
  /** Domain of the patches of a `tess_evaluation` stage. Default: `triangles`. */
  readonly domain?: 'triangles' | 'quads' | 'lines' | undefined;
  /**
   * Spacing of a `tess_evaluation` stage. `equal` rounds levels up to whole numbers. The others use fractional levels
   * between odd or even numbers, so that vertices move smoothly when levels change. Default: `equal`.
   */
  readonly spacing?: 'equal' | 'fractional-odd' | 'fractional-even' | undefined;
  /** Winding of a `tess_evaluation` stage's triangles, with u to the right and v up. Default: `ccw`. */
  readonly winding?: 'ccw' | 'cw' | undefined;
  /**
   * Maximum level of a `tess_evaluation` stage, 1 to 64; higher levels are clamped. It determines the memory for
   * tessellation patterns and the room in buffer sinks: up to 2 · maxLevel² triangles per patch. Default: 64.
   */
  readonly maxLevel?: number | undefined;
}

/** A sink that draws the last stage's packets. Its members are those of a render pipeline. */
export interface RasterSink {
  readonly primitive?:
    | {
        readonly frontFace?: 'ccw' | 'cw';
        readonly cullMode?: 'none' | 'front' | 'back';
        readonly unclippedDepth?: boolean;
      }
    | undefined;
  readonly depthStencil?: Part<'depthStencil'> | undefined;
  readonly multisample?: Part<'multisample'> | undefined;
  /** With targets alone, slots of kinds `coarse`, `pixel` and `sample` form the fragment shader. */
  readonly fragment?: Part<'fragment'> | SlotFragment | undefined;
}

/** The fragment state of a raster sink whose fragment stages are slots of the pipeline. */
export interface SlotFragment {
  readonly targets: Part<'fragment'> extends { readonly targets: infer T } ? T : never;
  readonly interlock?: FragmentStagesMembers['interlock'] | undefined;
}

/**
 * A sink that stores the vertices of each primitive in a buffer, one after the other (stream output). They are stored
 * in primitive order, unless `setProcessingOrder` says otherwise. Nothing is drawn.
 */
export interface BufferSink {
  /** Bytes per vertex, a multiple of 4. */
  readonly arrayStride: number;
  /**
   * The attributes of each stored vertex. Their formats have 32 bits per component and the type that the last stage
   * writes. What it does not write has default values: the first components of (0, 0, 0, 1), and 1.0 for `float32`.
   */
  readonly attributes: readonly BufferSinkAttribute[];
}

/** An attribute of the vertices in a buffer: either a location of the last stage, or a builtin. */
export interface BufferSinkAttribute {
  readonly shaderLocation?: number | undefined;
  /**
   * `primitive_vertices`: the number of vertices of the primitive that the vertex belongs to, as `uint32`. Required if
   * primitives with different numbers of vertices go to the buffer.
   */
  readonly builtin?: 'primitive_vertices' | undefined;
  /** Bytes from the beginning of the vertex, a multiple of 4. */
  readonly offset: number;
  readonly format: `${'float32' | 'uint32' | 'sint32'}${'' | 'x2' | 'x3' | 'x4'}`;
}

/** Descriptor of `createModularPipeline`. */
export interface ModularPipelineDescriptor {
  /** Name of the pipeline in messages. Default: the empty string. */
  readonly label?: string | undefined;
  /** Layout of the pipeline's resources, or `'auto'`, as in a render pipeline. */
  readonly layout: RenderPipelineDescriptor extends { readonly layout: infer T } ? T : never;
  /** Vertex buffers as in a render pipeline, and the primitives that are assembled. */
  readonly input: {
    readonly buffers?: RenderPipelineDescriptor extends { readonly vertex: { readonly buffers?: infer T } } ? T : never;
    /**
     * Topology of the input. Default: `triangle-list`. Topologies with adjacency are for geometry stages and buffers;
     * their primitives have 4 (lines) or 6 (triangles) vertices, in Vulkan's order except that every triangle of a
     * strip begins with its first corner in the strip. `patch-list` is for tessellation; its primitives have
     * `patchVertices` vertices.
     */
    readonly topology?: Topology | 'patch-list' | undefined;
    /** Vertices per patch, 1 to 32. Required for `patch-list`, not allowed for other topologies. */
    readonly patchVertices?: number | undefined;
    /** Index format of strips. The index with all bits set restarts the strip. */
    readonly stripIndexFormat?: 'uint16' | 'uint32' | undefined;
  };
  /** Up to 32 slots; null is an empty slot. Several slots may hold the same shader. */
  readonly stages: readonly (ModularStage | null)[];
  /**
   * Edges from slots to slots. Default: each slot to the next.
   *
   * - A slot's output goes along all edges that leave it; each vertex is shaded once.
   * - Slots without incoming edges take the input.
   * - A slot with several incoming edges runs for the packets of each of them.
   * - Empty and disabled slots pass on their input.
   * - The edges must not form a cycle, and at most 64 paths may lead to sinks.
   * - `stream` is the stream of a geometry stage in the slot `from`, 0 to 3. Default: 0. Empty and disabled slots, and
   *   those with stages of other kinds, have only stream 0.
   */
  readonly edges?: readonly (readonly [from: number, to: number, stream?: number])[] | undefined;
  /**
   * 1 to 32 sinks; several sinks may take the output of the same slots. Packets of the same input go along edges in the
   * order of `edges`, then to sinks in the order of `sinks`.
   */
  readonly sinks: readonly ModularSink[];
  /**
   * Numbers of the workers that run the stages, from 0. Default: all workers.
   *
   * - The device has `create({ threads })` workers; without workers, the calling thread is worker 0.
   * - A number without a worker is a validation error, and so are workers that only run vertices or pixels
   *   (`create({ workerKinds })`) if the pipeline has both.
   * - Other draw calls of a pass run on their own workers. Whenever the workers change from one draw call to the next,
   *   all tiles are stored and loaded again.
   * - The stages of a pipeline that is a sink run on the workers of the pipeline that ends in it.
   * - If the platform has no worker threads, the calling thread runs everything.
   */
  readonly workers?: readonly number[] | undefined;
  /**
   * Processing order by type of work, as in `setProcessingOrder`. Requires the feature "processing-order". Default:
   * `auto`.
   *
   * - `received` and `independent` apply regardless of the pass.
   * - `auto` follows the pass. For pixels, it is also `independent` where the order cannot be observed.
   *
   * `independent` for vertices or primitives is a validation error if the pipeline also draws.
   */
  readonly processingOrder?: Readonly<Partial<Record<SampleType, ProcessingOrder>>> | undefined;
}

export type ModularSink = {
  /** Slots whose output goes to the sink. Default: the slots without outgoing edges; without `edges`, the last slot. */
  readonly from?: number | readonly number[] | undefined;
  /** The stream of geometry stages in `from` that goes to the sink, 0 to 3. Default: 0. */
  readonly stream?: number | undefined;
  /** A sink of a modular pipeline: a raster stage, a buffer, or another modular pipeline. */
} /** Draws the packets. */ & (
  | { readonly raster: RasterSink }
  /** Stores the vertices in a buffer. */
  | { readonly buffer: BufferSink }
  /**
   * Another modular pipeline of the same device. Its slots are numbered after the existing ones and take the packets
   * in place of its input; its sinks replace this sink. Stages that its `replaceStage` puts there later also run here,
   * from the next draw call on.
   */
  | { readonly pipeline: ModularPipeline }
);

/** A modular pipeline. `pass.setPipeline` accepts it. */
export type ModularPipeline = WebGpuType<'GPURenderPipeline'> & {
  /** Description of the stage in each slot; null for empty slots. */
  readonly stages: readonly (StageDescription | null)[];
  /** Edges between the stages that are enabled by default, from the vertex buffers to the fragment shader. */
  readonly edges: readonly EdgeDescription[];
  /** Returns counters of the slots, for all finished passes. */
  statistics(): ModularPipelineStatistics;
  /**
   * Replaces the stage in a slot, or removes it with null, for draw calls that are recorded afterwards. The new stage
   * may use the resources in the pipeline's layout. It also replaces the slot's copies in pipelines that end in this
   * one. A stage that does not fit all of them is a validation error, and they stay unchanged.
   */
  replaceStage(slot: number, stage: ModularStage | null): void;
};

/** Additional members of a device with the feature "modular-pipelines". */
export interface ModularPipelineDevice {
  /**
   * Creates a modular pipeline. As in `createRenderPipeline`, errors go to the error scope, and the pipeline is then
   * invalid.
   */
  createModularPipeline(descriptor: ModularPipelineDescriptor): ModularPipeline;
  /** Creates a modular pipeline without blocking. Rejects with a GPUPipelineError if the creation fails. */
  createModularPipelineAsync(descriptor: ModularPipelineDescriptor): Promise<ModularPipeline>;
}

/** A rectangle in pixels of the attachments, with a depth range in 0 to 1. Its limits are those of `setViewport`. */
export interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Default: 0. */
  readonly minDepth?: number | undefined;
  /** Default: 1. */
  readonly maxDepth?: number | undefined;
}

/** Additional members of render passes, not of bundles. */
export interface ViewportCommands {
  /**
   * Sets 1 to 16 viewports, from which `primitive` stages select with `@builtin(viewport_index)`. Primitives without a
   * selection, or with an index out of range, use viewport 0. `setViewport` sets a single viewport. Any other number of
   * viewports is a validation error, and so is a viewport that `setViewport` would reject.
   */
  setViewports(viewports: readonly Viewport[]): void;
}

/** Additional members of render passes and bundle encoders. */
export interface ModularPipelineCommands {
  /**
   * Enables or disables the stage in a slot of the current modular pipeline, for the following draw calls until the
   * next `setPipeline`. The slot must hold a stage, and the enabled stages must fit together.
   */
  setStageEnabled(slot: number, enabled: boolean): void;
  /**
   * Sets the slot at which the following draw calls enter the modular pipeline; earlier stages do not run. A slot with
   * a fragment stage sets where fragments enter; stages of other kinds run as before.
   */
  setEntryStage(slot: number): void;
  /**
   * Sets the buffer for stream output of the following draw calls. They append their vertices to a part of a buffer
   * with usage STORAGE. A draw call whose vertices are known in advance to exceed `size` is a validation error.
   * Otherwise (indirect draw calls, and stages that emit or drop primitives), vertices that do not fit are dropped. The
   * outputs of a draw call to its sinks must not overlap.
   *
   * @param offset in bytes, a multiple of 4. Default: 0
   * @param size in bytes. Default: the rest of the buffer
   * @param counts a buffer with usage STORAGE, or null. When the pass has finished, it gets the arguments of
   * `drawIndirect`: the number of vertices, 1, 0, 0. If the pass could not be finished, the number of vertices is 0.
   * @param countsOffset in bytes, a multiple of 4. Default: 0
   * @param sink number of the sink. Default: the pipeline's first buffer sink
   * @param missedOffset in bytes, a multiple of 4: where in `counts` the number of vertices that did not fit goes, as a
   * `u32`. It is 0xffffffff if the pass could not be finished, or if there was too little memory to count. Default: not
   * written
   */
  setSinkBuffer(
    buffer: Buffer,
    offset?: number,
    size?: number,
    counts?: Buffer | null,
    countsOffset?: number,
    sink?: number,
    missedOffset?: number
  ): void;
}
