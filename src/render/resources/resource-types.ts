// Descriptors of the resources that the WebGPU API layer creates in the renderer: buffers, textures, views, samplers
// and bind groups.
import type { FormatInfo } from '../../surface/formats';
import type { PagePlace } from '../../surface/page-table';

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
 * The source of a streamed texture's texels. The texture is 2D or 3D, not multisampled, and has a colour format.
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
  /**
   * Returns the milliseconds after which a failed load is repeated, or null to give up; `attempt` counts from 1. Null:
   * loads are not repeated.
   */
  readonly retry: ((attempt: number, error: unknown) => number | null) | null;
  /** Pages with a greater number are loaded first; null: in the order of their requests. */
  readonly priority: ((place: PagePlace) => number) | null;
  /** The texel that fills pages that failed to load. If null, work that reads them fails. */
  readonly fallback: Uint8Array | null;
  /** Called with the pages that a pass has replaced by smaller mip levels, and a promise for their arrival. */
  readonly missing: ((pages: readonly PagePlace[], arrived: Promise<void>) => unknown) | null;
}

/** A region of a mip level, in texels: its first texel, and its size. The third number counts layers or slices. */
export interface LevelRegion {
  readonly level: number;
  readonly origin: readonly [number, number, number];
  readonly size: readonly [number, number, number];
}
/** Numbers of a region's pages that are resident, and of the others. */
export interface PrefetchedPages {
  readonly resident: number;
  readonly missing: number;
}

export interface TextureStore {
  readonly shape: TextureShape;
  readonly bytes: number;
  /**
   * For streamed textures: loads the pages of a region as far as there is room for them. Resolves when all of these
   * have arrived or failed, or when the texture is stopped.
   */
  prefetch(region: LevelRegion): Promise<PrefetchedPages>;
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
  /** The renderer's own: see resourceWords(). */
  words: readonly number[] | null;
}
/** A bind group as set for a draw call. */
export interface BoundGroup {
  readonly group: BindGroupStore;
  /** Byte offsets for the buffers in BindGroupStore.dynamic; null if there are none. */
  readonly dynamicOffsets: readonly number[] | null;
}
