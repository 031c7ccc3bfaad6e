// What `create` takes, and how a device is made of it. The entry points for Node and for browsers differ in where
// kernels come from.

import { MOST_WORKERS } from '../../assembly/layout/share-codes';
import { defaultShaderLimits, type ShaderLimits } from '../base/shader-limits';
import { cachedSource, type KernelBuild } from '../kernels';
import {
  createRenderDevice, defaultRenderOptions, defaultScheduler, distributions, engines, MOST_SLOTS, noBudgets,
  priorities, workerKinds, type Budgets, type Distribution, type Engine, type Scheduler,
  type WorkerKind,
} from '../render';
import type { SpawnWorker } from '../schedule';
import { makeGpu } from './adapter';
import { requireKnown, show } from './idl';
import type { ReadImage } from './image-source';
import { extensionFeatures, type ExtensionFeatureName } from './limits';

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
  /** Bytes of set-up triangles between two chunks of a pass. Pictures do not depend on it. Default: 48 MiB. */
  readonly arenaBytes?: number;
  /** Ends a chunk after every draw. Pictures do not depend on it: for tests. Default: false. */
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
/** Whole numbers of bytes greater than 0; what is left out is not bounded. */
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
   * before it is made fast. Default: 24 576.
   */
  readonly instructions?: number;
  /**
   * Bytes of WebAssembly that a program is compiled to. A larger one is interpreted, or with `engine: 'jit'` an error:
   * engines take more than in proportion for large functions. A node of its IR counts as 24 bytes at the least.
   * Default: 196 608.
   */
  readonly codeBytes?: number;
}
/** The platform that the entry point is for. */
export interface Platform {
  /** Runs a script, or the package's own, on a thread; null where memory cannot be shared with threads. */
  readonly spawn: ((script: string | undefined) => SpawnWorker) | null;
  readonly cores: number;
  readonly readImage: ReadImage;
}
/** From a folder, or from where the package has its files. */
export type LoadKernel = (build: KernelBuild, folder: string | undefined) => Promise<WebAssembly.Module>;

function wholeNumber(value: unknown, name: string, fallback: number, most = Infinity, least = 1): number {
  if (value === undefined) return fallback;
  if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most) {
    const range = most === Infinity ? 'greater than 0' : `from ${least} to ${most}`;
    throw new RangeError(`create: ${name} must be a whole number ${range}, not ${show(value)}`);
  }
  return value as number;
}

function flag(value: unknown, name: string, fallback: boolean): boolean {
  if (value === undefined) return fallback;
  if (typeof value !== 'boolean') throw new TypeError(`create: ${name} must be true or false, not ${show(value)}`);
  return value;
}

/** One of several names. */
function choice<T extends string>(value: unknown, name: string, names: readonly T[], fallback: T): T {
  if (value === undefined) return fallback;
  const found = names.find((each) => each === value);
  if (found === undefined)
    throw new TypeError(`create: ${name} must be ${names.map(show).join(', ')}, not ${show(value)}`);
  return found;
}

/** An object that has no other names than these. */
function group<T extends object>(value: unknown, name: string, known: readonly string[], of: string): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError(`create: ${name} must be an object${of}, not ${show(value)}`);
  requireKnown(value, known, `create: ${name}`);
  return value as T;
}

/** Of 31 bits: what timers take. */
const MOST_MS = 0x7fff_ffff;

function threadCount(value: unknown, cores: number): number {
  if (value === undefined) return Math.max(1, Math.min(cores, MOST_WORKERS));
  if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > MOST_WORKERS) {
    throw new RangeError(
      `create: threads must be a whole number from 0 (the calling thread renders) to ${MOST_WORKERS}, not ${show(value)}`
    );
  }
  return value as number;
}

/** What each worker takes; none: the calling thread works. */
function workersOf({ workerKinds: kinds, threads }: CreateOptions, cores: number): readonly WorkerKind[] {
  if (kinds === undefined) return Array.from({ length: threadCount(threads, cores) }, () => 'any' as const);
  const names = workerKinds.map((kind) => `"${kind}"`).join(', ');
  if (!Array.isArray(kinds)) throw new TypeError(`create: workerKinds must be an array of ${names}, one for each worker`);
  kinds.forEach((kind, i) => {
    if (!workerKinds.includes(kind as WorkerKind))
      throw new TypeError(`create: workerKinds[${i}] must be ${names}, not ${show(kind)}`);
  });
  if (kinds.length < 1 || kinds.length > MOST_WORKERS)
    throw new RangeError(`create: workerKinds must name 1 to ${MOST_WORKERS} workers, not ${kinds.length}`);
  if (threads !== undefined && threads !== kinds.length)
    throw new RangeError(`create: threads is ${show(threads)}, but workerKinds names ${kinds.length}; leave one out`);
  for (const [part, other] of [['vertices', 'pixels'], ['pixels', 'vertices']] as const)
    if (kinds.every((kind) => kind === other))
      throw new RangeError(`create: workerKinds leaves ${part} to nobody: make a worker "${part}" or "any"`);
  return [...kinds as readonly WorkerKind[]];
}

function budgetsOf(value: unknown): Budgets {
  if (value === undefined) return noBudgets;
  const given = group<PassBudgets>(value, 'budgets', Object.keys(noBudgets), ' of numbers of bytes');
  const bytes = (name: keyof Budgets): number | null => (given[name] === undefined
    ? null
    : wholeNumber(given[name], `budgets.${name}`, 0));
  return {
    arenaBytes: bytes('arenaBytes'), stageInputBytes: bytes('stageInputBytes'), vertexBytes: bytes('vertexBytes'),
  };
}

/** Most warps that may wait in a tile. */
const MOST_WARPS = 4096;

function schedulerOf(value: unknown): Scheduler {
  if (value === undefined) return defaultScheduler;
  const given = group<SchedulerOptions>(value, 'scheduler', [...Object.keys(defaultScheduler), 'toCompletion'], '');
  const number = (name: 'slots' | 'warps' | 'timeoutMs', most: number, least = 1): number =>
    wholeNumber(given[name], `scheduler.${name}`, defaultScheduler[name], most, least);
  // One beside a tile that waits.
  const slots = number('slots', MOST_SLOTS, 2), budgets = workerBudgets(given.budgets);
  const toCompletion = flag(given.toCompletion, 'scheduler.toCompletion', false);
  return {
    slots: toCompletion ? 1 : slots, warps: number('warps', MOST_WARPS), timeoutMs: number('timeoutMs', MOST_MS),
    priority: choice(given.priority, 'scheduler.priority', priorities, defaultScheduler.priority),
    synchronise: flag(given.synchronise, 'scheduler.synchronise', defaultScheduler.synchronise),
    budgets: toCompletion ? { ...budgets, vertex: 0 } : budgets,
  };
}

function workerBudgets(value: unknown): Scheduler['budgets'] {
  const { budgets } = defaultScheduler;
  if (value === undefined) return budgets;
  const given = group<Partial<Scheduler['budgets']>>(
    value, 'scheduler.budgets', Object.keys(budgets), ' of numbers of workers'
  );
  const number = (name: 'vertex' | 'pixel', least: number): number =>
    wholeNumber(given[name], `scheduler.budgets.${name}`, budgets[name], MOST_WORKERS, least);
  return { vertex: number('vertex', 0), pixel: number('pixel', 1) };
}

function shaderLimitsOf(value: unknown): ShaderLimits {
  if (value === undefined) return defaultShaderLimits;
  const given = group<ShaderLimitOptions>(value, 'shaderLimits', Object.keys(defaultShaderLimits), ' of numbers');
  const limit = (name: keyof ShaderLimits): number => wholeNumber(
    given[name], `shaderLimits.${name}`, defaultShaderLimits[name]
  );
  return {
    characters: limit('characters'), constants: limit('constants'), instructions: limit('instructions'),
    codeBytes: limit('codeBytes'),
  };
}

function listedExtensions(value: unknown): readonly string[] {
  if (value === undefined || typeof value === 'boolean') return value ? extensionFeatures : [];
  if (!Array.isArray(value)) throw new TypeError('create: extensions must be true, false, or names of features');
  const unknown: unknown = value.find((name) => !extensionFeatures.includes(name as string));
  if (unknown !== undefined)
    throw new TypeError(
      `create: extensions: there is no ${show(unknown)}, but ${extensionFeatures.map((name) => `"${name}"`).join(', ')}`
    );
  return value as string[];
}

/** An option that names a file or a folder. Whether that is there is seen when it is needed. */
export function urlOption(value: unknown, name: string): string | undefined {
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  if (typeof value === 'object' && value !== null && 'href' in value) return String(value.href);
  throw new TypeError(
    `${name} must be a URL, as a string or an object, not ${value === '' ? 'an empty string' : show(value)}`
  );
}

/** What `create` takes; what only Rasterloom's own tests need is not told of. */
const optionNames: readonly (keyof CreateOptions)[] = [
  'engine', 'threads', 'deterministic', 'simd', 'workerKinds', 'distribution', 'budgets', 'scheduler', 'memoryBudget',
  'timeoutMs', 'shaderLimits', 'kernelUrl', 'workerUrl', 'extensions', 'surfaceEncoding', 'arenaBytes',
];
const testOptionNames: readonly (keyof CreateOptions)[] = [
  'chunkEveryDraw', 'immediate', 'overtaking', 'shuffle', 'tileContexts', 'opensTiles', 'alwaysEmploys',
];

function optionsOf(given: unknown): CreateOptions {
  // Dawn's create takes switches such as 'backend=vulkan'; they mean nothing here and are passed over.
  if (given === undefined || Array.isArray(given)) return {};
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`create: options must be an object, or an array of strings, not ${show(given)}`);
  requireKnown(given, optionNames, 'create', testOptionNames);
  return given as CreateOptions;
}

type Flag =
  'deterministic' | 'simd' | 'chunkEveryDraw' | 'surfaceEncoding' | 'immediate' | 'opensTiles' | 'alwaysEmploys';

/** `create` for one way of loading kernels. Compiled kernels are shared by all GPUs that use the same files. */
export function createWith(
  load: LoadKernel, { spawn, cores, readImage }: Platform
): (options?: CreateOptions | readonly string[]) => GPU {
  const atHome = cachedSource((build) => load(build, undefined));
  return (given) => {
    const options = optionsOf(given);
    const kernelUrl = urlOption(options.kernelUrl, 'create: kernelUrl');
    const workerUrl = urlOption(options.workerUrl, 'create: workerUrl');
    const isOn = (name: Flag): boolean => flag(options[name], name, defaultRenderOptions[name]);
    const render = {
      kernelSource: kernelUrl === undefined ? atHome : cachedSource((build) => load(build, kernelUrl)),
      engine: choice(options.engine, 'engine', engines, defaultRenderOptions.engine),
      deterministic: isOn('deterministic'),
      simd: isOn('simd'),
      memoryBudget: wholeNumber(options.memoryBudget, 'memoryBudget', defaultRenderOptions.memoryBudget),
      timeoutMs: wholeNumber(options.timeoutMs, 'timeoutMs', defaultRenderOptions.timeoutMs, MOST_MS),
      arenaBytes: wholeNumber(options.arenaBytes, 'arenaBytes', defaultRenderOptions.arenaBytes),
      chunkEveryDraw: isOn('chunkEveryDraw'),
      surfaceEncoding: isOn('surfaceEncoding'),
      workers: workersOf(options, cores),
      budgets: budgetsOf(options.budgets),
      scheduler: schedulerOf(options.scheduler),
      shaderLimits: shaderLimitsOf(options.shaderLimits),
      spawnWorker: spawn && spawn(workerUrl),
      immediate: isOn('immediate'),
      overtaking: options.overtaking ?? defaultRenderOptions.overtaking,
      shuffle: options.shuffle === undefined ? 0 : wholeNumber(options.shuffle, 'shuffle', 0, 0xffff_ffff),
      tileContexts: wholeNumber(options.tileContexts, 'tileContexts', defaultRenderOptions.tileContexts),
      distribution: choice(options.distribution, 'distribution', distributions, defaultRenderOptions.distribution),
      opensTiles: isOn('opensTiles'),
      alwaysEmploys: isOn('alwaysEmploys'),
    };
    return makeGpu(() => createRenderDevice(render), listedExtensions(options.extensions), readImage);
  };
}
