// Types of pipelines that programs put together (the feature "modular-pipelines"), for those who use them.

import type { ArgumentOf, Declared } from './declared';
import type { EdgeMap, TableStatistics } from './modular-pipeline';
import type { StageHeader } from './modular-table';
import type { MadeTopology as Topology } from '../mpipe';
import type { ProcessingOrder, SampleType } from '../render/types';

type Module = Declared<'GPUShaderModule'>;
type Buffer = Declared<'GPUBuffer'>;
type RenderPipelineDescriptor = ArgumentOf<'GPUDevice', 'createRenderPipeline'>;
type Part<Name extends string> = RenderPipelineDescriptor extends { readonly [Key in Name]?: infer T }
  ? NonNullable<T> : never;

/** A program of a table. */
export interface ModularStage {
  /**
   * `vertex`: run once a vertex. `geometry`: a `@geometry` function, run once a primitive, which emits vertices of
   * others. `tess_control`: a `@tess_control` function, run once a patch, which says how finely it is cut up; the next
   * slot that is enabled must hold a `tess_evaluation` stage, a `@tess_evaluation` function, run for each vertex that
   * comes of it. `primitive`: a `@primitive` function, run once a primitive, which says whether it is dropped
   * (`@builtin(cull_primitive)`), in which of the pass's viewports it is drawn (`@builtin(viewport_index)`), and, with
   * the feature "shading-rate", how coarsely it is shaded (`@builtin(shading_rate)`); what the stage before it gives
   * passes it untouched.
   */
  readonly kind: 'vertex' | 'geometry' | 'primitive' | 'tess_control' | 'tess_evaluation';
  readonly module: Module;
  /** May be left out where the module has one entry point of the kind. */
  readonly entryPoint?: string | undefined;
  /** Values of the module's overrides, by name or number. */
  readonly constants?: Readonly<Record<string, number>> | undefined;
  /** Whether draws run it where nobody says otherwise. Default: true. */
  readonly enabled?: boolean | undefined;
  /** Of a geometry stage, which must say it: vertices that it may emit for a primitive, 1 to 256. */
  readonly maxVertices?: number | undefined;
  /**
   * Of a geometry stage: what its vertices are. Default: `triangle-strip`. What `endStrip` leaves over, of lists, too,
   * makes no primitive. Those with adjacency are for another geometry stage, or for a buffer. Of a tess_evaluation
   * stage: `triangle-list` (default; of lines `line-list`), or `point-list`, a point a vertex.
   */
  readonly topology?: Topology | undefined;
  /** Of a tess_evaluation stage: what patches are. Default: `triangles`. */
  readonly domain?: 'triangles' | 'quads' | 'lines' | undefined;
  /**
   * Of a tess_evaluation stage: levels as whole numbers (default), or what is between odd, or even, ones, so that
   * vertices move where levels change.
   */
  readonly spacing?: 'equal' | 'fractional-odd' | 'fractional-even' | undefined;
  /** Of a tess_evaluation stage: how triangles run, where u goes to the right and v up. Default: `ccw`. */
  readonly winding?: 'ccw' | 'cw' | undefined;
  /**
   * Of a tess_evaluation stage: higher levels count as this, 1 to 64 (default). Memory for patterns goes by it, and
   * room in buffers that a table ends in: up to 2 · maxLevel² triangles a patch.
   */
  readonly maxLevel?: number | undefined;
}

/** Where the last stage's packets are drawn. Members as those of a render pipeline. */
export interface RasterSink {
  readonly primitive?: {
    readonly frontFace?: 'ccw' | 'cw'; readonly cullMode?: 'none' | 'front' | 'back'; readonly unclippedDepth?: boolean;
  } | undefined;
  readonly depthStencil?: Part<'depthStencil'> | undefined;
  readonly multisample?: Part<'multisample'> | undefined;
  readonly fragment?: Part<'fragment'> | undefined;
}

/**
 * A buffer that the vertices of each primitive go to, one behind the other, in the order of primitives, unless
 * `setProcessingOrder` says otherwise. Nothing is drawn.
 */
export interface BufferSink {
  /** Bytes of a vertex, a multiple of 4. */
  readonly arrayStride: number;
  /** What of a vertex is kept: formats of 32 bits a component, of the type that the last stage writes. */
  readonly attributes: readonly {
    readonly shaderLocation: number; readonly offset: number;
    readonly format: `${'float32' | 'uint32' | 'sint32'}${'' | 'x2' | 'x3' | 'x4'}`;
  }[];
}

export interface ModularPipelineDescriptor {
  readonly label?: string | undefined;
  readonly layout: RenderPipelineDescriptor extends { readonly layout: infer T } ? T : never;
  /** Vertex buffers, as a render pipeline has them, and what is made of vertices. */
  readonly input: {
    readonly buffers?: RenderPipelineDescriptor extends { readonly vertex: { readonly buffers?: infer T } } ? T : never;
    /**
     * Default: `triangle-list`. Those with adjacency have 4 and 6 vertices a primitive, in Vulkan's order, for geometry
     * stages and buffers; patches `patchVertices`, for tessellation.
     */
    readonly topology?: Topology | 'patch-list' | undefined;
    /** Of `patch-list`, which must say it: 1 to 32. */
    readonly patchVertices?: number | undefined;
    /** Of indexed strips, with adjacency or without: the index all of whose bits are set begins another strip. */
    readonly stripIndexFormat?: 'uint16' | 'uint32' | undefined;
  };
  /** Up to 32 slots, empty ones among them; a program may stand in several. */
  readonly stages: readonly (ModularStage | null)[];
  /**
   * From slot to slot. What a slot gives goes along all edges that lead from it, each vertex being shaded once; slots
   * to which none leads take the input; a slot to which several lead is run for what comes along each. Slots that are
   * empty or disabled pass on what comes to them. Edges must not make a cycle, and at most 64 paths may lead to sinks.
   * Default: each slot to the next.
   */
  readonly edges?: readonly (readonly [from: number, to: number])[] | undefined;
  /**
   * Where it ends: 1 to 32, of which several may take what the same slots give. Of the same input, packets go along
   * edges in the order of `edges`, then to sinks in theirs.
   */
  readonly sinks: readonly ModularSink[];
  /**
   * With the feature "processing-order", by type, as `setProcessingOrder` has it: `received` and `independent` hold
   * whatever the pass says, `auto` (default) is as the pass says, and of pixels `independent` in any case where order
   * cannot show. `independent` vertices or primitives of a table that also draws are a validation error.
   */
  readonly processingOrder?: Readonly<Partial<Record<SampleType, ProcessingOrder>>> | undefined;
}

export type ModularSink = {
  /** The slots that give what comes there. Default: those from which no edge leads; without `edges`, the last one. */
  readonly from?: number | readonly number[] | undefined;
} & (
  | { readonly raster: RasterSink }
  | { readonly buffer: BufferSink }
  /**
   * The slots of another table, which are numbered behind those that there are, take what comes there in place of its
   * input; its sinks take this one's place. It must be of the same device, and is taken as it stands now.
   */
  | { readonly pipeline: ModularPipeline }
);

/** A table of shaders. `pass.setPipeline` takes it. */
export type ModularPipeline = Declared<'GPURenderPipeline'> & {
  /** The header of each slot's stage; null for empty slots. */
  readonly stages: readonly (StageHeader | null)[];
  /** The edges between the stages that are enabled in the table, from the vertex buffers to the fragment program. */
  readonly edges: readonly EdgeMap[];
  /** What its slots have done, in passes that are done. */
  statistics(): TableStatistics;
  /**
   * Puts another stage into a slot, or none; of draws recorded from now on. What does not fit is a validation error,
   * and the table stays as it was. The new stage may use what the pipeline's layout has.
   */
  replaceStage(slot: number, stage: ModularStage | null): void;
};

/** What a device has besides, with the feature "modular-pipelines". */
export interface ModularPipelineDevice {
  createModularPipeline(descriptor: ModularPipelineDescriptor): ModularPipeline;
  createModularPipelineAsync(descriptor: ModularPipelineDescriptor): Promise<ModularPipeline>;
}

/** A rectangle in pixels of the attachments, with depths from 0 to 1. Limits as those of `setViewport`. */
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

/** What passes have besides, which bundles do not set. */
export interface ViewportCommands {
  /**
   * 1 to 16 viewports, from which stages of kind `primitive` choose by `@builtin(viewport_index)`. An index of which
   * there is none is viewport 0, and so are primitives for which no stage chooses. `setViewport` sets one alone. Other
   * numbers of them, and what `setViewport` would refuse, are validation errors.
   */
  setViewports(viewports: readonly Viewport[]): void;
}

/** What passes and bundle encoders have besides. */
export interface TableCommands {
  /**
   * Whether draws from now on, until the next `setPipeline`, run the stage in a slot of the table that is set. The slot
   * must hold one; what the draws then run must fit together.
   */
  setStageEnabled(slot: number, enabled: boolean): void;
  /** The slot at which draws from now on enter the table: stages before it are not run. */
  setEntryStage(slot: number): void;
  /**
   * Where draws from now on put their vertices, one behind the other, if their table ends in a buffer: bytes of a
   * buffer with usage STORAGE. What is known to go beyond `size` is an error; of indirect draws, and of
   * stages that emit or drop primitives, what does not fit is left out. `counts`, a
   * buffer with usage STORAGE, gets four words at `countsOffset` when the pass is done, the arguments of
   * `drawIndirect`: how many vertices there are, 1, 0, 0; no vertices, if the pass could not be finished. What a draw
   * writes to all its sinks must not overlap. `sink`: its number; default: the table's first buffer.
   */
  setSinkBuffer(
    buffer: Buffer, offset?: number, size?: number, counts?: Buffer | null, countsOffset?: number, sink?: number
  ): void;
}
