// Public types of streamed textures (the feature "streamed-textures").
import type { PrefetchedPages } from '../../render/types';
import type { Texture } from '../idl/declared';

/**
 * A page: its mip level, its column and row among the pages of the level, and its array layer or slice of a 3d texture.
 */
export interface TexturePage {
  readonly level: number;
  readonly x: number;
  readonly y: number;
  readonly layer: number;
}

/** Pages for which a pass has used smaller mip levels. */
export interface MissingPages {
  readonly pages: readonly TexturePage[];
  /**
   * Resolves when all of them have arrived or failed, or the texture was destroyed. The application may then draw
   * again.
   */
  readonly arrived: Promise<void>;
}

/** Source of the texels of a texture that may be larger than memory. */
export interface TextureStream {
  /**
   * Loads a page: `pageSize` × `pageSize` texels of a level, starting at texel (x·pageSize, y·pageSize), or fewer at
   * the right and bottom edges of the level. The rows are contiguous, as in `writeTexture`. For compressed formats, it
   * returns the blocks that contain these texels, in rows. A block that crosses an edge between pages belongs to both.
   * Blocks are decoded when they arrive, and `budget` counts the decoded texels.
   *
   * It is called once when a non-resident page is read, and again if the page was evicted or its load was cancelled.
   * `signal` is aborted when the page is no longer needed: when the pass that waited for it has failed, when 16 passes
   * have read the texture without it (`late: 'resident'`), when `timeoutMs` is over, and when the texture or the device
   * is destroyed.
   *
   * The function must not wait for work that is queued after the pass. `onSubmittedWorkDone()` and `mapAsync` of the
   * same device settle when the pass has finished, but the pass waits for the page.
   */
  readonly loadPage: (
    level: number,
    x: number,
    y: number,
    layer: number,
    signal: AbortSignal
  ) => ArrayBufferView | ArrayBufferLike | PromiseLike<ArrayBufferView | ArrayBufferLike>;
  /** Width and height of a page in texels, a power of two from 16 to 1024. Default: 128. */
  readonly pageSize?: number;
  /** Maximum number of concurrent loads, at least 1. Default: 8. */
  readonly maxConcurrentLoads?: number;
  /**
   * Maximum size of all resident pages in bytes. Levels that are no larger than a page on any side stay resident; other
   * pages are evicted in least recently used order. Tiles that read more than the budget are drawn in parts. Default:
   * 64 MiB.
   *
   * A pass can only finish if the budget holds all pages that any one of the following reads:
   *
   * - a quad of a triangle (2×2 pixels; 8×8 if pixels may be shaded coarsely)
   * - the vertices of about a thousand primitives, or of one instance of a longer indexed draw call
   *
   * A dispatch needs the pages of one workgroup. If a workgroup has less than 64 invocations, it needs those of all
   * workgroups that share a warp.
   */
  readonly budget?: number;
  /**
   * What happens when non-resident pages are read. Default: `'wait'`.
   *
   * - `'wait'`: the pass finishes when all pages that it reads have arrived. Its picture is that of a complete texture.
   * - `'resident'`: the pass uses the best smaller level that is resident and does not wait. The picture depends on
   *   timing.
   */
  readonly late?: 'wait' | 'resident';
  /**
   * With `late: 'resident'`: called after a pass that used smaller levels, while the missing pages are being loaded.
   * Exceptions of the function are reported to the device as a GPUInternalError.
   */
  readonly onMissing?: (missing: MissingPages) => void;
  /**
   * Milliseconds after which the load of a page fails. Must be greater than 0 and less than 2³¹. Default: no limit.
   * (`timeoutMs` of `create` only counts the time of shaders.)
   */
  readonly timeoutMs?: number;
  /**
   * Decides whether a load that failed is repeated. Returns the milliseconds to wait before, or `null` to give up.
   * `attempt` counts the page's failed loads from 1; `error` is what `loadPage` threw or rejected with. Meanwhile other
   * pages are loaded, and passes wait for the page. Default: loads are not repeated.
   */
  readonly retry?: (attempt: number, error: unknown) => number | null;
  /**
   * Returns the priority of a page when it is requested. Pages with a greater number are loaded first. By default,
   * pages are loaded in the order in which they are requested.
   */
  readonly priority?: (page: TexturePage) => number;
  /**
   * Colour of pages whose load failed, in the channels of the format. Only for formats that images can be copied to.
   * Without it, a pass that needs such a page is not finished, and the device reports a GPUInternalError that names the
   * page.
   */
  readonly fallback?:
    | readonly [number, number, number, number]
    | { readonly r: number; readonly g: number; readonly b: number; readonly a: number };
}

/** A part of a mip level, in texels. */
export interface TextureRegion {
  /** Default: 0. */
  readonly mipLevel?: number;
  /** First column, row, and layer or slice. Default: 0. */
  readonly origin?: readonly number[] | { readonly x?: number; readonly y?: number; readonly z?: number };
  /** Default: up to the end of the level. */
  readonly size?:
    readonly number[] | { readonly width: number; readonly height?: number; readonly depthOrArrayLayers?: number };
}

/** A texture that was created with `stream`. */
export interface StreamedTexture extends Texture {
  /**
   * Loads the pages of a region before a pass reads them. They are loaded while no pass waits for other pages. Pages
   * that the last pass has read, or that were prefetched since, are not evicted for them. If the budget has no room
   * left, the remaining pages of the region are not loaded.
   *
   * Resolves when all of the region's pages have arrived, failed or been left out, or when the texture is destroyed.
   * Rejects with the validation error if the region is not within the texture.
   */
  prefetch(region?: TextureRegion): Promise<PrefetchedPages>;
}

/** Additional members of a texture's descriptor. */
export interface StreamedTextureMembers {
  /**
   * Makes the texture streamed: its pages are loaded when shaders read them. Requires the feature "streamed-textures".
   * The texture must be 2d (up to 65536 texels on a side) or 3d (each slice has separate pages). It must have one
   * sample, a colour format, and no usage other than TEXTURE_BINDING.
   */
  readonly stream?: TextureStream;
}
