// Validates the options of `create` and makes a GPU of them. The entry points for Node and browsers pass different
// functions to load kernels.

import { MAX_WORKERS } from '../../assembly/layout/job/share-codes';
import { MAX_TIMER_MS } from '../base/clock';
import { DEFAULT_CACHE_BYTES } from '../base/cache-limit';
import { defaultShaderLimits, type ShaderLimits } from '../base/shader-limits';
import { cachedSource, type KernelBuild } from '../kernels';
import { createMemory } from '../memory';
import {
  defaultRenderOptions,
  defaultBudgets,
  defaultScheduler,
  distributions,
  engines,
  INITIAL_PAGES,
  loadKernel,
  MAX_SLOTS,
  priorities,
  workerKinds,
  type Budgets,
  type RecordCache,
  type RecordCaches,
  type RecordStore,
  type RenderDeviceOptions,
  type Scheduler,
  type WorkerKind,
} from '../render';
import type { SpawnWorker } from '../schedule';
import { canvasFormats, defaultCanvasFormat, makeGpu } from './adapter';
import { requireKnown, show } from './idl/idl';
import type { OpenedEngine } from './core/device-core';
import type { Engine, LoadEngine } from './core/engine';
import type { ReadImage } from './core/image-source';
import { extensionFeatures } from './core/limits';
import type { CreateOptions, PassBudgets, SchedulerOptions, ShaderLimitOptions } from './options';
import { testOptionsOf } from './test-options';

/** The platform that an entry point serves. */
interface Platform {
  /** Runs a script, or the package's own, on a thread; null if threads cannot share memory. */
  readonly spawn: ((script: string | undefined) => SpawnWorker) | null;
  readonly cores: number;
  readonly readImage: ReadImage;
  /** Prepares the store of the shader cache in a folder, whose records may take this many bytes; null without files. */
  readonly shaderStore: ((folder: string, maxBytes: number) => OpenStore) | null;
  readonly loadEngine: LoadEngine;
}
/** Loads a kernel from a folder, or from the package's own files if `folder` is undefined. */
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

/** Converts an option with a fixed set of names. */
function choice<T extends string>(value: unknown, name: string, names: readonly T[], fallback: T): T {
  if (value === undefined) return fallback;
  const found = names.find((each) => each === value);
  if (found === undefined)
    throw new TypeError(`create: ${name} must be ${names.map(show).join(', ')}, not ${show(value)}`);
  return found;
}

/** Converts an option that is an object with known members only. */
function group<T extends object>(value: unknown, name: string, known: readonly string[], of: string): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError(`create: ${name} must be an object${of}, not ${show(value)}`);
  requireKnown(value, known, `create: ${name}`);
  return value as T;
}

function threadCount(value: unknown, cores: number): number {
  if (value === undefined) return Math.max(1, Math.min(cores, MAX_WORKERS));
  if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > MAX_WORKERS) {
    throw new RangeError(
      `create: threads must be a whole number from 0 (the calling thread renders) to ${MAX_WORKERS}, not ${show(value)}`
    );
  }
  return value as number;
}

/** Kinds of work that each worker takes. If the list is empty, the calling thread renders. */
function workersOf({ workerKinds: kinds, threads }: CreateOptions, cores: number): readonly WorkerKind[] {
  if (kinds === undefined) return Array.from({ length: threadCount(threads, cores) }, () => 'any' as const);
  const names = workerKinds.map((kind) => `"${kind}"`).join(', ');
  if (!Array.isArray(kinds))
    throw new TypeError(`create: workerKinds must be an array of ${names}, one for each worker`);
  kinds.forEach((kind, i) => {
    if (!workerKinds.includes(kind as WorkerKind))
      throw new TypeError(`create: workerKinds[${i}] must be ${names}, not ${show(kind)}`);
  });
  if (kinds.length < 1 || kinds.length > MAX_WORKERS)
    throw new RangeError(`create: workerKinds must have 1 to ${MAX_WORKERS} workers, not ${kinds.length}`);
  if (threads !== undefined && threads !== kinds.length)
    throw new RangeError(
      `create: threads is ${show(threads)}, but workerKinds has ${kinds.length} workers; leave one of them out`
    );
  for (const [part, other] of [
    ['vertices', 'pixels'],
    ['pixels', 'vertices'],
  ] as const)
    if (kinds.every((kind) => kind === other))
      throw new RangeError(`create: workerKinds has no worker for ${part}: add one of kind "${part}" or "any"`);
  return [...(kinds as readonly WorkerKind[])];
}

function budgetsOf(value: unknown): Budgets {
  if (value === undefined) return defaultBudgets;
  const given = group<PassBudgets>(value, 'budgets', Object.keys(defaultBudgets), ' of numbers of bytes');
  const bytes = <N extends keyof Budgets>(name: N): number | Budgets[N] =>
    given[name] === undefined ? defaultBudgets[name] : wholeNumber(given[name], `budgets.${name}`, 0);
  return {
    arenaBytes: bytes('arenaBytes'),
    stageInputBytes: bytes('stageInputBytes'),
    vertexBytes: bytes('vertexBytes'),
    decodedBytes: bytes('decodedBytes'),
  };
}

/** Maximum number of parked warps of a tile. */
const MAX_WARPS = 4096;

function schedulerOf(value: unknown): Scheduler {
  if (value === undefined) return defaultScheduler;
  const given = group<SchedulerOptions>(value, 'scheduler', [...Object.keys(defaultScheduler), 'runToCompletion'], '');
  const number = (name: 'slots' | 'warps' | 'timeoutMs', most: number, least = 1): number =>
    wholeNumber(given[name], `scheduler.${name}`, defaultScheduler[name], most, least);
  const runToCompletion = flag(given.runToCompletion, 'scheduler.runToCompletion', false);
  if (given.slots === 1) {
    throw new RangeError(
      `create: scheduler.slots must be a whole number from 2 to ${MAX_SLOTS}, not 1: while one tile waits, `
        + 'another is drawn. To run each tile to completion, set runToCompletion: true'
    );
  }
  const slots = number('slots', MAX_SLOTS, 2);
  const budgets = workerBudgets(given.budgets);
  return {
    slots: runToCompletion ? 1 : slots,
    warps: number('warps', MAX_WARPS),
    timeoutMs: number('timeoutMs', MAX_TIMER_MS),
    priority: choice(given.priority, 'scheduler.priority', priorities, defaultScheduler.priority),
    lockstepQuads: flag(given.lockstepQuads, 'scheduler.lockstepQuads', defaultScheduler.lockstepQuads),
    budgets: runToCompletion ? { ...budgets, vertex: 0 } : budgets,
  };
}

function workerBudgets(value: unknown): Scheduler['budgets'] {
  const { budgets } = defaultScheduler;
  if (value === undefined) return budgets;
  const given = group<Partial<Scheduler['budgets']>>(
    value,
    'scheduler.budgets',
    Object.keys(budgets),
    ' of numbers of workers'
  );
  const number = (name: 'vertex' | 'pixel', least: number): number =>
    wholeNumber(given[name], `scheduler.budgets.${name}`, budgets[name], MAX_WORKERS, least);
  return { vertex: number('vertex', 0), pixel: number('pixel', 1) };
}

function shaderLimitsOf(value: unknown): ShaderLimits {
  if (value === undefined) return defaultShaderLimits;
  const given = group<ShaderLimitOptions>(value, 'shaderLimits', Object.keys(defaultShaderLimits), ' of numbers');
  const limit = (name: keyof ShaderLimits): number =>
    wholeNumber(given[name], `shaderLimits.${name}`, defaultShaderLimits[name]);
  return {
    characters: limit('characters'),
    constants: limit('constants'),
    instructions: limit('instructions'),
    codeBytes: limit('codeBytes'),
  };
}

function listedExtensions(value: unknown): readonly string[] {
  if (value === undefined || typeof value === 'boolean') return value ? extensionFeatures : [];
  if (!Array.isArray(value)) throw new TypeError('create: extensions must be true, false, or names of features');
  const unknown: unknown = value.find((name) => !extensionFeatures.includes(name as string));
  if (unknown !== undefined)
    throw new TypeError(
      `create: extensions: unknown feature ${show(unknown)}; known features are `
        + `${extensionFeatures.map((name) => `"${name}"`).join(', ')}`
    );
  return value as string[];
}

/** Converts an option that names a file or a folder. Whether it exists is checked when it is loaded. */
export function urlOption(value: unknown, name: string): string | undefined {
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  if (typeof value === 'object' && value !== null && 'href' in value) return String(value.href);
  throw new TypeError(
    `${name} must be a URL, as a string or an object, not ${value === '' ? 'an empty string' : show(value)}`
  );
}

const optionNames: readonly (keyof CreateOptions)[] = [
  'engine',
  'threads',
  'deterministic',
  'simd',
  'workerKinds',
  'distribution',
  'budgets',
  'scheduler',
  'memoryBudget',
  'timeoutMs',
  'shaderLimits',
  'shaderCache',
  'shaderCacheBytes',
  'kernelUrl',
  'workerUrl',
  'extensions',
  'canvasFormat',
  'surfaceEncoding',
  'arenaBytes',
];

function optionsOf(given: unknown): CreateOptions {
  // Dawn's `create` takes switches such as 'backend=vulkan'. They have no meaning here and are ignored.
  if (given === undefined || Array.isArray(given)) return {};
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`create: options must be an object, or an array of strings, not ${show(given)}`);
  requireKnown(given, optionNames, 'create');
  return given as CreateOptions;
}

type Flag = 'deterministic' | 'simd' | 'surfaceEncoding';
type TestFlag = 'chunkEveryDraw' | 'immediate' | 'alwaysShareTiles' | 'alwaysUseWorkers';

/** Opens the store of a shader cache; resolves to null if it is unavailable. */
type OpenStore = () => Promise<RecordStore | null>;
/** Where the records of the shader cache are. A folder is opened before the engine, which opens the Cache API. */
interface CachePlace {
  readonly folder: OpenStore | null;
  readonly storage: ((engine: Engine) => Promise<RecordStore | null>) | null;
}

/** Makes a function that opens something once. */
function once<A extends unknown[], T>(open: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
  let opened: Promise<T> | null = null;
  return (...args) => (opened ??= open(...args));
}

const hasMethods = (value: unknown, ...names: readonly string[]): boolean =>
  names.every((name) => typeof (value as Record<string, unknown> | null)?.[name] === 'function');

function cachePlace(
  { shaderCache, shaderCacheBytes }: CreateOptions,
  shaderStore: Platform['shaderStore']
): CachePlace | null {
  const maxBytes = wholeNumber(shaderCacheBytes, 'shaderCacheBytes', DEFAULT_CACHE_BYTES);
  if (shaderCache === undefined) return null;
  if (hasMethods(shaderCache, 'open') || hasMethods(shaderCache, 'keys', 'match', 'put', 'delete')) {
    const place = shaderCache as RecordCaches | RecordCache;
    return { folder: null, storage: once((engine) => engine.openCachedRecords(place, maxBytes)) };
  }
  if (shaderStore === null)
    throw new TypeError(`create: shaderCache must be a CacheStorage or a Cache in a page, not ${show(shaderCache)}`);
  const folder = urlOption(shaderCache, 'create: shaderCache')!;
  return { folder: once(shaderStore(folder, maxBytes)), storage: null };
}

/** Loads the engine while other threads compile the kernel, and makes the renderer of one device. */
async function openEngine(
  loadEngine: LoadEngine,
  options: RenderDeviceOptions,
  place: CachePlace | null
): Promise<OpenedEngine> {
  const memory = createMemory(INITIAL_PAGES);
  const kernel = loadKernel(options, memory.shared);
  const loading = Promise.resolve(place?.folder?.() ?? null).then(async (files) => {
    const engine = await loadEngine(files);
    // A cache has what the front end would be warmed up for.
    if (!place) engine.warmUpFrontEnd();
    return { engine, store: files ?? (await place?.storage?.(engine)) ?? null };
  });
  const [{ engine, store }, module] = await Promise.all([loading, kernel]);
  const render = engine.openRenderDevice(options, memory, module, store && engine.ShaderCache.of(store));
  if (!place) engine.warmUpFrontEndWhenIdle();
  return { engine, render };
}

/** Makes `create` for one way of loading kernels. All GPUs that use the same files share their compiled kernels. */
export function makeCreate(
  load: LoadKernel,
  { spawn, cores, readImage, loadEngine, shaderStore }: Platform
): (options?: CreateOptions | readonly string[]) => GPU {
  const atHome = cachedSource((build) => load(build, undefined));
  return (given) => {
    const options = optionsOf(given);
    const forTests = testOptionsOf(options);
    const kernelUrl = urlOption(options.kernelUrl, 'create: kernelUrl');
    const workerUrl = urlOption(options.workerUrl, 'create: workerUrl');
    const isOn = (name: Flag): boolean => flag(options[name], name, defaultRenderOptions[name]);
    const isTestOn = (name: TestFlag): boolean => forTests[name] ?? defaultRenderOptions[name];
    const render = {
      kernelSource: kernelUrl === undefined ? atHome : cachedSource((build) => load(build, kernelUrl)),
      engine: choice(options.engine, 'engine', engines, defaultRenderOptions.engine),
      deterministic: isOn('deterministic'),
      simd: isOn('simd'),
      memoryBudget: wholeNumber(options.memoryBudget, 'memoryBudget', defaultRenderOptions.memoryBudget),
      timeoutMs: wholeNumber(options.timeoutMs, 'timeoutMs', defaultRenderOptions.timeoutMs, MAX_TIMER_MS),
      arenaBytes: wholeNumber(options.arenaBytes, 'arenaBytes', defaultRenderOptions.arenaBytes),
      chunkEveryDraw: isTestOn('chunkEveryDraw'),
      surfaceEncoding: isOn('surfaceEncoding'),
      workers: workersOf(options, cores),
      budgets: budgetsOf(options.budgets),
      scheduler: schedulerOf(options.scheduler),
      shaderLimits: shaderLimitsOf(options.shaderLimits),
      spawnWorker: spawn && spawn(workerUrl),
      immediate: isTestOn('immediate'),
      forcedParking: forTests.forcedParking ?? defaultRenderOptions.forcedParking,
      shuffle: forTests.shuffle ?? 0,
      tileContexts: forTests.tileContexts ?? defaultRenderOptions.tileContexts,
      distribution: choice(options.distribution, 'distribution', distributions, defaultRenderOptions.distribution),
      alwaysShareTiles: isTestOn('alwaysShareTiles'),
      alwaysUseWorkers: isTestOn('alwaysUseWorkers'),
    };
    const place = cachePlace(options, shaderStore);
    return makeGpu(() => openEngine(loadEngine, render, place), {
      extensions: listedExtensions(options.extensions),
      readImage,
      canvasFormat: choice(options.canvasFormat, 'canvasFormat', canvasFormats, defaultCanvasFormat),
    });
  };
}
