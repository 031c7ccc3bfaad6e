// The options of `create`.

import type { Distribution, Engine, RecordCache, RecordCaches, WorkerKind } from '../render';
import type { ExtensionFeatureName } from './core/limits';

/** A string or a URL object. The type does not require that URL is declared. */
export type FileUrl = string | { readonly href: string };

/**
 * Options of `create`. Numbers must be integers greater than 0, except `threads`, which may be 0; otherwise `create`
 * throws a RangeError. Unknown members and values of a wrong type cause a TypeError.
 */
export interface CreateOptions {
  /**
   * Engine that runs shaders. All engines give the same results. Default: 'auto'.
   *
   * - `'jit'` compiles each pipeline to WebAssembly when it is created. If that is impossible, the creation fails.
   * - `'interpreter'` needs no compiler.
   * - `'auto'` starts each pipeline on the interpreter and compiles it in the background; `createRenderPipelineAsync`
   *   resolves when it is compiled. If the platform forbids compilation, it interprets and prints one warning.
   */
  readonly engine?: Engine;
  /**
   * Makes the results of shaders that depend on execution order reproducible for any number of threads. Default: false.
   *
   * - Workgroups of a compute shader run one after the other in the order of their numbers, on one worker. This applies
   *   if their order can be observed: in the results of atomic operations, or in memory that atomic and other
   *   operations use.
   * - The pixels of a pass that reads streamed textures keep their order if its shaders write something that depends on
   *   it. The tiles of such a pass run twice.
   *
   * Other shaders always give the same results, and this option does not slow them down.
   */
  readonly deterministic?: boolean;
  /** `false` uses the kernel without SIMD, which is slower but gives the same results. Default: true. */
  readonly simd?: boolean;
  /**
   * Maximum size of a device's memory for its buffers, textures and shaders together, in bytes. Exceeding it is a
   * GPUOutOfMemoryError. The device's memory is limited to 4 GiB. Default: 3.75 GiB.
   */
  readonly memoryBudget?: number;
  /** Maximum time in milliseconds of one step of a shader. A longer step loses the device. Default: 10 000. */
  readonly timeoutMs?: number;
  /**
   * Number of worker threads that render, 0 to 64. Pictures do not depend on it. The calling thread renders in time
   * slices of at most 8 ms until the workers have started, with 0 workers, and if memory cannot be shared (in a page
   * that is not cross-origin isolated). Default: the number of processor cores.
   */
  readonly threads?: number;
  /**
   * Kinds of work for each worker: `'vertices'` (all stages before setup, and setup), `'pixels'`, or `'any'` for both.
   * Pictures do not depend on it. The array has 1 to 64 names, one per worker, and must cover both kinds. If `threads`
   * is also given, it must be the number of names. Specialised workers are idle while only the other kind of work is
   * left. The calling thread does both kinds until the workers have started, and for passes of one tile with little
   * work. Default: `'any'` for each of `threads`.
   */
  readonly workerKinds?: readonly WorkerKind[];
  /**
   * Whether several workers may share a tile (64×64 pixels of a pass). Default: 'position'.
   *
   * - `'position'`: each tile belongs to the worker that claims it.
   * - `'any'`: idle workers help to finish a tile that another worker has started. This applies to large triangles that
   *   blend, or that are shaded immediately for another reason. Only one worker at a time owns a block of 8×8 pixels,
   *   and processes it in draw order, so pictures are the same.
   *
   * With `'any'`, unordered draw calls (`setProcessingOrder`) are unordered in shared tiles even if they are opaque: of
   * surfaces at equal depth, either may be visible. `'position'` applies in any case to three kinds of passes: those
   * that write while pages of their streamed textures are late, those that access samples, and those in which the order
   * of pixels can be observed.
   */
  readonly distribution?: Distribution;
  /**
   * Maximum device memory that passes may use in addition to their resources, in bytes, for all workers together. It is
   * part of `memoryBudget`. A pass that would need more runs in smaller parts on fewer workers. That is slower, but
   * gives the same pictures.
   */
  readonly budgets?: PassBudgets;
  /**
   * Scheduling of passes that read streamed textures: what waits for pages, and what runs meanwhile. Pictures do not
   * depend on it.
   */
  readonly scheduler?: SchedulerOptions;
  /** Limits on the cost of a shader, which may come from a stranger. Exceeding one is an error that names the limit. */
  readonly shaderLimits?: ShaderLimitOptions;
  /**
   * Rasterloom's own features that adapters list in addition to WebGPU's: all of them, or the named ones. Applications
   * that request all listed features then still get standard WebGPU by default. `requestDevice()` grants any of these
   * features by name, listed or not. Default: none.
   */
  readonly extensions?: boolean | readonly ExtensionFeatureName[];
  /**
   * Result of `navigator.gpu.getPreferredCanvasFormat()`. Canvases accept both formats; 'rgba8unorm' is shown slightly
   * faster. Desktop browsers return 'bgra8unorm', and some libraries only support that. Default: 'rgba8unorm'.
   */
  readonly canvasFormat?: 'rgba8unorm' | 'bgra8unorm';
  /**
   * Bytes of set-up triangles in one chunk of a pass. Pictures do not depend on it, but the order in which fragments of
   * different tiles write to buffers and storage textures does. Default: 48 MiB.
   */
  readonly arenaBytes?: number;
  /**
   * Encodes multisampled textures, so that their memory and time depend on what their pixels hold. `false` gives every
   * sample a separate texel, as other renderers do, for comparison. Pictures do not depend on it. Default: true.
   */
  readonly surfaceEncoding?: boolean;
  /**
   * Where compiled shaders are kept, so that later pages or processes create their pipelines without compiling. In a
   * page: its `caches`, or a `Cache` that `caches.open` returned. In Node: a folder, as a path or a file URL, which is
   * created if it does not exist. A folder also keeps the code that V8 compiled of Rasterloom itself. Default: none.
   *
   * Of `caches`, Rasterloom uses one cache, called "rasterloom-shaders". All its records are read when the first device
   * is created. If it is unavailable, shaders are compiled as without this option.
   *
   * Files of a folder run as code in later processes, so `create` throws an Error if other users could change them. If
   * it is unavailable, for example on a read-only disk, shaders are compiled as without this option. Records of other
   * versions of the package are not used. Damaged records are ignored and replaced. Processes may share a folder.
   */
  readonly shaderCache?: FileUrl | RecordCaches | RecordCache;
  /**
   * Bytes in `shaderCache` above which records are dropped, those that were not used for longest first. In a folder,
   * some writes check it, so the folder may be larger for a while. Default: 64 MiB.
   */
  readonly shaderCacheBytes?: number;
  /**
   * URL of the folder with the package's `kernel*.wasm` files, if a bundler has not moved them with the module. In a
   * browser, it is relative to the page. In Node, it is a file URL, or a path relative to the working directory.
   * Default: the module's folder.
   */
  readonly kernelUrl?: FileUrl;
  /**
   * URL of the package's worker script, `worker.browser.js` or, in Node, `worker.mjs`; resolved like `kernelUrl`.
   * Default: in the module's folder.
   */
  readonly workerUrl?: FileUrl;
}
/** Memory budgets of passes in bytes, integers greater than 0. Omitted ones are unlimited, except `decodedBytes`. */
export interface PassBudgets {
  /**
   * Triangles that are set up and wait for their tiles, with the lists of tiles. A pass that has more is drawn in
   * chunks; if the budget is small, fewer workers run its vertices. A pass needs at least about 30 KiB for one
   * triangle, and 3 KiB for each tile of 64×64 pixels; a smaller budget is a validation error in `beginRenderPass`.
   * Without a limit, passes use about 66 MiB, plus 512 KiB per worker, and twice that once chunks have waited for
   * pages.
   */
  readonly arenaBytes?: number;
  /**
   * Vertices and primitives of modular pipelines that wait for stages that emit, or for buffers. A pipeline needs
   * `pipeline.statistics().bytesHeld` for each worker that runs its vertices. If the budget is small, fewer workers run
   * them, and the others take pixels. A pipeline that exceeds the budget with one worker is a validation error.
   */
  readonly stageInputBytes?: number;
  /**
   * Shaded vertices that several parts of an indexed draw call share. Vertices for which there is no room are shaded
   * repeatedly. Without a limit, up to 64 MiB, plus 1 MiB per worker.
   */
  readonly vertexBytes?: number;
  /**
   * Decoded texels of compressed textures, in addition to their compressed blocks. A texture that fits is decoded
   * completely before the first pass that reads it, and stays until other textures need the room. For larger textures,
   * workers decode pages as they read them, in half of this budget, but at least 1 MiB each. That is slower, but gives
   * the same pictures. If the device is short of memory, this is the first memory to be freed. Default: 64 MiB.
   */
  readonly decodedBytes?: number;
}
/** Options of the scheduler. Omitted ones keep their defaults. */
export interface SchedulerOptions {
  /**
   * Number of tiles of 64×64 pixels that a worker processes concurrently, 2 to 32. All but one of them may be kept
   * while some of their warps are parked until pages arrive. A tile that misses pages beyond that is drawn to its end,
   * and later replayed. Each tile takes memory for its samples, depths and colours. Fewer are kept if memory is short,
   * or if pages may take most of it. Default: 16.
   */
  readonly slots?: number;
  /**
   * Number of warps (up to 64 pixels) that may be parked in each tile, 1 to 4096; each takes about 1 KiB. A tile that
   * would need more is replayed. Default: 64.
   */
  readonly warps?: number;
  /**
   * Time in milliseconds that a kept tile whose pages have arrived may wait. Until then, workers prefer tiles that have
   * not been started, to find and request missing pages early. Default: 20.
   */
  readonly timeoutMs?: number;
  /**
   * Maximum numbers of workers for overlapping chunks. A pass with more triangles than its arena holds is drawn in
   * chunks. While tiles of a chunk wait for pages, the vertices of the next chunk run in a separate arena, if there is
   * memory for it. `vertex` limits the workers that run these vertices, and `pixel` the workers on tiles that can
   * continue, 1 to 64 each. With `vertex: 0`, the next chunk begins when the previous one has finished. Default: all
   * workers.
   */
  readonly budgets?: { readonly vertex?: number; readonly pixel?: number };
  /**
   * What workers prefer when chunks overlap. `'pixel'`: tiles that can continue. `'vertex'`: vertices of the next
   * chunk, and before them only tiles that could have continued for `timeoutMs`. Default: 'pixel'.
   */
  readonly priority?: 'pixel' | 'vertex';
  /**
   * Interpreted shaders whose pixel order can be observed run quad by quad. In a pass that waits for pages, `true` runs
   * up to 16 of their quads together, instruction by instruction, in the order of the pixels. These quads also park and
   * resume together. `false` runs quads one by one there, too. Other shaders are not affected. Default: true.
   */
  readonly lockstepQuads?: boolean;
  /**
   * `true` never parks warps. A tile that misses pages is drawn to its end and replayed, and a chunk begins when the
   * previous one has finished. Default: false.
   */
  readonly runToCompletion?: boolean;
}
/** Limits on the cost of shaders, integers greater than 0. Omitted ones keep their defaults. */
export interface ShaderLimitOptions {
  /** UTF-16 code units of a module's text. Checking takes about 200 bytes of memory for each. Default: 2 097 152. */
  readonly characters?: number;
  /** Scalars in all values of a module's constant expressions that are larger than a matrix. Default: 4 194 304. */
  readonly constants?: number;
  /**
   * Instructions, branches, variables and calls of an entry point, with inlined functions and before optimisation.
   * SECURITY.md explains how they are counted. Default: 65 536.
   */
  readonly instructions?: number;
  /**
   * Bytes of WebAssembly that an entry point is compiled to. Larger shaders are interpreted; with `engine: 'jit'` they
   * are an error. JavaScript engines need disproportionate time for large functions. Each IR node counts at least 24
   * bytes. Default: 786 432.
   */
  readonly codeBytes?: number;
}
