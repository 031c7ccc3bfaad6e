// Types of streamed textures (the feature "streamed-textures"), for those who use them.

/** A page: its level, its column and row among the pages of the level, and its array layer, or slice of a volume. */
export interface TexturePage {
  readonly level: number;
  readonly x: number;
  readonly y: number;
  readonly layer: number;
}

/** Pages for which a pass has taken smaller levels. */
export interface MissingPages {
  readonly pages: readonly TexturePage[];
  /** Resolves when all of them have come, or have failed, or the texture was destroyed: draw again then. */
  readonly arrived: Promise<void>;
}

/** Where the texels of a texture come from that need not fit into memory. */
export interface TextureStream {
  /**
   * Brings a page: `pageSize` × `pageSize` texels of a level from texel (x·pageSize, y·pageSize) on, less at the right
   * and lower edge of the level, in rows without gaps, as `writeTexture` takes them. It is called once for a page that
   * is read and not there, and again when it was given up for others; `signal` is aborted when nobody waits any more.
   * What comes behind the pass in the queue cannot be awaited in it: `onSubmittedWorkDone()` or `mapAsync` of the same
   * device settle when the pass is done, which waits for the page.
   */
  readonly loadPage: (
    level: number, x: number, y: number, layer: number, signal: AbortSignal
  ) => ArrayBufferView | ArrayBufferLike | PromiseLike<ArrayBufferView | ArrayBufferLike>;
  /** Texels on a side of a page, a power of two, 16 … 1024. Default: 128. */
  readonly pageSize?: number;
  /** Loads under way at a time, at least 1. Default: 8. */
  readonly outstanding?: number;
  /**
   * Bytes of pages in memory. Levels that are no larger than a page on any side stay; of the others those that were
   * read least recently go first. Tiles that read more are drawn in parts. A pass comes to its end if it holds all that
   * one quad (2×2 pixels; 8×8 where pixels may be shaded coarsely) of a triangle reads, and all
   * that the vertices of some thousand primitives read, or of one instance of a longer indexed draw; a dispatch if it
   * holds what one workgroup reads (of workgroups of less than 64 invocations, those that share a warp).
   * Default: 64 MiB.
   */
  readonly budget?: number;
  /**
   * `'wait'` (default): a pass is done when all pages that it reads have come, and its picture is that of a texture
   * which is all there. `'resident'`: it takes the best smaller level that is there, and does not wait, so that the
   * picture depends on time.
   */
  readonly late?: 'wait' | 'resident';
  /**
   * With `late: 'resident'`: told after a pass what it has taken smaller levels for. The pages are on their way. What
   * it throws, the device gets as a GPUInternalError.
   */
  readonly onMissing?: (missing: MissingPages) => void;
  /**
   * Milliseconds that `loadPage` may take for a page, which has failed then. Default: any. (`timeoutMs` of `create`
   * counts the time of shaders alone.)
   */
  readonly timeoutMs?: number;
  /**
   * Colour of pages that cannot be loaded, as channels are stored (of formats that images can be copied to). Without
   * it, a pass that needs such a page is not finished, and the device gets a GPUInternalError that names the page.
   */
  readonly fallback?: readonly [number, number, number, number]
    | { readonly r: number; readonly g: number; readonly b: number; readonly a: number };
}

/** What the descriptor of a texture may have. */
export interface StreamedTextureMembers {
  /**
   * With the feature "streamed-textures": its pages are loaded when programs read them. 2d (up to 65536 texels on a
   * side) or 3d (each slice has pages of its own), of one sample, a colour format that is not compressed, and usage
   * TEXTURE_BINDING alone.
   */
  readonly stream?: TextureStream;
}
