// Draw calls as the API layer records them.
import type { PipelineStore } from '../pipeline/pipeline-types';
import type { BoundGroup, BufferStore } from '../resources/resource-types';

/** What a draw call reads. Setters replace the object and never change it, so consecutive draw calls may share it. */
export interface DrawState {
  readonly pipeline: PipelineStore;
  /** Without dynamic offsets, which each draw call has for itself. */
  readonly groups: readonly (BoundGroup | null)[];
  /** Number of dynamic offsets of all groups. */
  readonly dynamicOffsets: number;
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
  /**
   * Receives vertices, 1, 0, 0 when the pass is done, as arguments of an indirect draw call. `missed`: offset at which
   * it receives the number of vertices without room.
   */
  readonly counts: { readonly buffer: BufferStore; readonly offset: number; readonly missed: number | null } | null;
}
export interface DrawCommand {
  readonly state: DrawState;
  /** The groups of the state, with the draw call's dynamic offsets. */
  readonly groups: readonly (BoundGroup | null)[];
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
