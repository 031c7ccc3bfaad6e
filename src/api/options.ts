// The options of `create`.

import type { Distribution, Engine, WorkerKind } from '../render';
import type { ExtensionFeatureName } from './limits';

/** A string, or a URL, which not every program has declared. */
export type FileUrl = string | { readonly href: string };

/** Numbers are whole and, but for `threads`, greater than 0; `create` throws a RangeError for others. */
export interface CreateOptions {
  /**
   * What runs shaders, with the same bits. `'jit'` compiles each pipeline to WebAssembly when it is created, and is an
   * error where that cannot be done; `'interpreter'` needs no compiler; `'auto'` starts a pipeline on the interpreter,
   * compiles it beside the work (createRenderPipelineAsync resolves when that is done), and where the platform forbids
   * compiling it interprets, and says so once. Default: 'auto'.
   */
  readonly engine?: Engine;
  /**
   * Workgroups of a compute program run one after the other, in the order of their numbers, where the order in which
   * they come can be seen: in what atomic operations give back, or in words that such operations change and that are
   * read or written otherwise as well. Then one worker does them, and the same bits come out for any number of threads.
   * Other programs give the same bits anyway, and lose nothing. Likewise the pixels of a pass that reads streamed
   * textures, where programs write what tells of their order: they keep it, at the cost that its tiles are run twice.
   * Default: false.
   */
  readonly deterministic?: boolean;
  /** `false` takes the scalar kernel: slower, the same bits. Default: true. */
  readonly simd?: boolean;
  /**
   * Bytes that a device's buffers, textures and programs may take together; its memory ends at 4 GiB. More is a
   * GPUOutOfMemoryError. Default: 3.75 GiB.
   */
  readonly memoryBudget?: number;
  /** Milliseconds that one step of a shader may run before its device is lost with a message. Default: 10 000. */
  readonly timeoutMs?: number;
  /**
   * Worker threads that render, 0 … 64, with the same pictures for any number. With 0, where memory cannot be shared (a
   * page that is not cross-origin isolated) and until workers are up, the calling thread renders in turns of at most 8
   * ms. Default: the machine's cores.
   */
  readonly threads?: number;
  /**
   * What each worker takes of a pass: its vertices (all stages before setup, and setup), its pixels, or both, the same
   * pictures whoever does what. As many workers as there are names, 1 … 64, and both parts must have one; `threads`, if
   * it is given as well, is their number. Workers that take vertices alone, or pixels, wait while the others work. The
   * calling thread, until workers are up and for passes of a tile that hardly draw, takes both. Default: `'any'` for
   * each of `threads`.
   */
  readonly workerKinds?: readonly WorkerKind[];
  /**
   * Who works at a tile, 64×64 pixels of a pass. `'position'`: the worker that has taken it, alone. `'any'`: workers
   * that find no tile left join another at its own, where large triangles are left that blend, or are shaded at once
   * for another reason; one worker at a time is in a block of 8×8 pixels, and goes on in the order of the draws: the
   * same pictures. Draws that need no order (`setProcessingOrder`) go without one there, opaque ones as well: of
   * surfaces at one depth, either may be seen. Passes that read streamed textures of which pages are missing when they
   * begin, or whose fragment programs access storage, keep to `'position'`. Default: 'position'.
   */
  readonly distribution?: Distribution;
  /**
   * Bytes of device memory that passes may take beside their resources, of all workers together; `memoryBudget` holds
   * them, too. Where a pass would want more, it goes in smaller parts, by fewer workers: slower, the same pictures.
   */
  readonly budgets?: PassBudgets;
  /**
   * How passes go that read streamed textures: what waits for pages, and what goes on meanwhile. Pictures do not depend
   * on it.
   */
  readonly scheduler?: SchedulerOptions;
  /** What a shader may cost, which may come from a stranger: more is an error that names the limit. */
  readonly shaderLimits?: ShaderLimitOptions;
  /**
   * Which of Rasterloom's own features adapters list beside WebGPU's: all, or those named. requestDevice() gives any of
   * them to whoever names it, listed or not; programs that ask for all that is listed get WebGPU as it is specified.
   * Default: none.
   */
  readonly extensions?: boolean | readonly ExtensionFeatureName[];
  /**
   * What `navigator.gpu.getPreferredCanvasFormat()` gives. Desktop browsers say 'bgra8unorm', and some libraries draw
   * to nothing else; canvases show 'rgba8unorm' a little sooner. Canvases take both in any case. Default: 'rgba8unorm'.
   */
  readonly canvasFormat?: 'rgba8unorm' | 'bgra8unorm';
  /**
   * Bytes of set-up triangles between two chunks of a pass. Pictures do not depend on it. The order in which fragments
   * of different tiles write to buffers and storage textures does. Default: 48 MiB.
   */
  readonly arenaBytes?: number;
  /**
   * Ends a chunk after every draw. Pictures do not depend on it; the order of writes does, as with `arenaBytes`. For
   * tests. Default: false.
   */
  readonly chunkEveryDraw?: boolean;
  /**
   * Multisampled textures take memory, and time, by what their pixels hold. `false` gives every sample its own texel,
   * as other renderers do: for comparison; pictures do not depend on it. Default: true.
   */
  readonly surfaceEncoding?: boolean;
  /**
   * Draws by the oracle of the testing build, which the package does not contain: for Rasterloom's own tests. Default:
   * false.
   */
  readonly immediate?: boolean;
  /**
   * The testing build puts every so many fragment warps of a worker aside, until so many others have overtaken them or
   * may not; it has so many in all. Pictures do not depend on it: for Rasterloom's own tests.
   */
  readonly overtaking?: { readonly every: number; readonly during: number; readonly warps: number };
  /**
   * The testing build shuffles, by this seed, the schedule of draws that need no order (`setProcessingOrder`): for
   * Rasterloom's own tests.
   */
  readonly shuffle?: number;
  /**
   * Tiles that a worker has in work at a time, which it takes by turns where one gives way. Pictures do not depend on
   * it: for tests. Default: 1.
   */
  readonly tileContexts?: number;
  /**
   * With `distribution: 'any'`: every tile is open to other workers as soon as it is begun, and waits a moment for
   * them. Pictures do not depend on it, but where order is given up: for tests. Default: false.
   */
  readonly opensTiles?: boolean;
  /**
   * Workers do all passes that draw or dispatch, also those of so little work that the calling thread is done with
   * them sooner. Pictures do not depend on it: for tests. Default: false.
   */
  readonly alwaysEmploys?: boolean;
  /**
   * The folder of the package's `kernel*.wasm` files, where a bundler has left them behind: relative to the page, and
   * in Node, which takes paths and file URLs, to the working directory. Default: beside the module.
   */
  readonly kernelUrl?: FileUrl;
  /**
   * The package's worker script, `worker.browser.js` or, in Node, `worker.mjs`, found in the same way. Default: beside
   * the module.
   */
  readonly workerUrl?: FileUrl;
}
/** Whole numbers of bytes greater than 0; what is left out is not bounded, except `decodedBytes`. */
export interface PassBudgets {
  /**
   * Triangles that are set up and wait for their tiles, with the lists of tiles: a pass that has more is drawn in
   * chunks, and where the budget is small, fewer workers run its vertices. Passes need, for one triangle, about 30 KiB
   * at the least, and 3 KiB for each tile of 64×64 pixels; less is a validation error in `beginRenderPass`. Not
   * bounded, it is some 66 MiB, and 512 KiB a worker; and as much again once chunks have waited for pages.
   */
  readonly arenaBytes?: number;
  /**
   * Vertices and primitives that wait for stages which emit, and for buffers, of tables of shaders:
   * `table.statistics().bytesHeld` for each worker that runs vertices. As many run them as there is room for, the
   * others take pixels. A table that needs more for one is a validation error.
   */
  readonly stageInputBytes?: number;
  /**
   * Shaded vertices that several parts of an indexed draw use: without room for them they are shaded where they are
   * needed. Not bounded, up to 64 MiB, and 1 MiB a worker.
   */
  readonly vertexBytes?: number;
  /**
   * Decoded texels of compressed textures, which hold their blocks. A texture that fits is decoded as a whole before
   * the first pass that reads it, and stays until others need the room. Of textures that do not fit, workers decode
   * pages as they read them, in half of these bytes, but in 1 MiB each at the least: slower, the same pictures. It is
   * the first memory that is given back when the device is short of it. Default: 64 MiB.
   */
  readonly decodedBytes?: number;
}
/** What is left out keeps its default. */
export interface SchedulerOptions {
  /**
   * Tiles of 64×64 pixels that a worker has in work at a time, 2 … 32: all but one of them may be kept as they stand,
   * until the pages have come that some of their warps wait for. What misses pages beyond that is drawn to its end, and
   * again from its beginning. A tile takes memory for its samples, depths and colours. Where memory is short,
   * or pages may take most of it, fewer are kept. Default: 16.
   */
  readonly slots?: number;
  /**
   * Warps (64 pixels, or fewer) that may wait in each tile, 1 … 4096, about a KiB each: where more would, the tile is
   * drawn again from its beginning. Default: 64.
   */
  readonly warps?: number;
  /**
   * A worker takes tiles that nobody has begun before those that it has kept and whose pages have come, so that what is
   * missing is known, and asked for, soon; but not when these could have gone on for so many milliseconds. Default: 20.
   */
  readonly timeoutMs?: number;
  /**
   * A pass with more triangles than its arena holds is drawn in chunks. While tiles of one wait for pages, the next
   * one's vertices are run, in an arena of their own, where there is memory for it: so many workers may be at these
   * meanwhile, and so many at tiles that can go on; 1 … 64, and with 0 for `vertex` the next chunk begins when the one
   * before is done. Default: as many as there are.
   */
  readonly budgets?: { readonly vertex?: number; readonly pixel?: number };
  /**
   * What a worker takes first then: tiles that can go on, or vertices, before which only tiles go that could have gone
   * on for `timeoutMs`. Default: 'pixel'.
   */
  readonly priority?: 'pixel' | 'vertex';
  /**
   * Interpreted programs in which the order of pixels can be seen go quad by quad. In a pass that waits for pages it is
   * the order of these, and up to 16 quads go from instruction to instruction together, stop together, and go on
   * together. `false`: one by one there, too; of programs in which no order can be seen, it makes no difference.
   * Default: true.
   */
  readonly synchronise?: boolean;
  /**
   * `true`: no warp waits; every tile that misses pages is drawn to its end, and again, and a chunk begins when the one
   * before is done. Default: false.
   */
  readonly toCompletion?: boolean;
}
/** Whole numbers greater than 0; what is left out keeps its default. */
export interface ShaderLimitOptions {
  /**
   * Characters of a module's text; some 200 bytes of memory each while it is checked. Default: 2 097 152.
   */
  readonly characters?: number;
  /**
   * Scalars of all values together that the constant expressions of a module have, where they are more than a matrix.
   * Default: 4 194 304.
   */
  readonly constants?: number;
  /**
   * Instructions, branches, variables and calls of an entry point, with the functions that it calls written out and
   * before it is made fast; SECURITY.md says what counts how much. Default: 65 536.
   */
  readonly instructions?: number;
  /**
   * Bytes of WebAssembly that a program is compiled to. A larger one is interpreted, or with `engine: 'jit'` an error:
   * engines take more than in proportion for large functions. A node of its IR counts as 24 bytes at the least.
   * Default: 786 432.
   */
  readonly codeBytes?: number;
}
