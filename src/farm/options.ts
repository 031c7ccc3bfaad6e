// Checks the options of the farm, which may come from JavaScript.
import { availableParallelism, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { closestWord } from '../base/closest-word';
import { quoted } from '../base/printable';
import { BUDGET_SHARE } from './pool/task-pool';
import type { Isolation } from './pool/executor';
import type { PoolOptions, RenderManyOptions } from './types';

const POOL = ['concurrency', 'timeoutMs', 'memoryBytes', 'isolate', 'modules', 'threads'] as const;

/** Functions with options. */
export const OPTION_NAMES = { WarmPool: POOL, renderMany: [...POOL, 'retries', 'backoffMs', 'signal'] } as const;
type Call = keyof typeof OPTION_NAMES;

const MAX_CONCURRENCY = 64;
const MAX_THREADS = 1024;
const DAY_MS = 86_400_000;
const DEFAULT_TIMEOUT_MS = 300_000;
/** Longest pause between two tries. */
export const MAX_BACKOFF_MS = 3_600_000;
const MIB = 2 ** 20;
/** Least memory of `memoryBytes` for each concurrent job, and what the default concurrency leaves to each. */
const LEAST_BYTES = 256 * MIB;
const AMPLE_BYTES = 512 * MIB;
const DEFAULT_MEMORY_SHARE = 0.8;

/** Options of a pool with their defaults. */
export interface PoolSettings {
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  readonly isolate: Isolation;
  /** URLs of modules by their names. */
  readonly modules: ReadonlyMap<string, string>;
  /** Rendering threads of each job. */
  readonly threads: number;
}

/** @throws TypeError */
export function readPoolOptions(options: PoolOptions, call: Call = 'WarmPool'): PoolSettings {
  checkNames(options, call);
  const { concurrency, timeoutMs, memoryBytes, isolate = 'process', threads } = options;
  const bytes = integer(call, 'memoryBytes', memoryBytes, [LEAST_BYTES, Number.MAX_SAFE_INTEGER]) ?? defaultBytes();
  const cores = availableParallelism();
  const count =
    integer(call, 'concurrency', concurrency, [1, MAX_CONCURRENCY])
    ?? Math.max(1, Math.min(cores, MAX_CONCURRENCY, Math.floor(bytes / AMPLE_BYTES)));
  if (memoryBytes !== undefined && bytes < count * LEAST_BYTES)
    fail(call, 'memoryBytes', `at least ${LEAST_BYTES / MIB} MiB for each of ${count} concurrent jobs`, memoryBytes);
  if (isolate !== 'process' && isolate !== 'thread') fail(call, 'isolate', "'process' or 'thread'", isolate);
  const most = integer(call, 'threads', threads, [1, MAX_THREADS]) ?? cores;
  return {
    concurrency: count,
    timeoutMs: integer(call, 'timeoutMs', timeoutMs, [1, DAY_MS]) ?? DEFAULT_TIMEOUT_MS,
    memoryBytes: bytes,
    isolate,
    modules: readModules(call, options.modules),
    threads: Math.max(1, Math.floor(most / count)),
  };
}

/** @throws TypeError */
export function readManyOptions(
  options: RenderManyOptions
): Required<Pick<RenderManyOptions, 'retries' | 'backoffMs'>> {
  const { retries, backoffMs, signal } = options as Record<string, unknown>;
  if (signal !== undefined && !isSignal(signal)) fail('renderMany', 'signal', 'an AbortSignal', signal);
  return {
    retries: integer('renderMany', 'retries', retries, [0, 100]) ?? 2,
    backoffMs: integer('renderMany', 'backoffMs', backoffMs, [0, MAX_BACKOFF_MS]) ?? 100,
  };
}

/** Memory in bytes for the devices, and for the model, of each job. */
export const budgetOf = ({ memoryBytes, concurrency }: Pick<PoolSettings, 'memoryBytes' | 'concurrency'>): number =>
  Math.floor((BUDGET_SHARE * memoryBytes) / concurrency / 2);

function defaultBytes(): number {
  const constrained = process.constrainedMemory?.() ?? 0;
  const total = totalmem();
  // Without a limit, Node returns 0 or a number far above the machine's memory.
  return Math.floor(DEFAULT_MEMORY_SHARE * (constrained > 0 && constrained < total ? constrained : total));
}

function readModules(call: Call, modules: unknown): Map<string, string> {
  const urls = new Map<string, string>();
  if (modules === undefined) return urls;
  if (typeof modules !== 'object' || modules === null || Array.isArray(modules))
    fail(call, 'modules', 'an object of names with paths', modules);
  for (const [name, place] of Object.entries(modules)) {
    if (place instanceof URL || (typeof place === 'string' && place.startsWith('file:'))) urls.set(name, String(place));
    else if (typeof place === 'string') urls.set(name, pathToFileURL(resolve(place)).href);
    else fail(call, `modules.${name}`, 'a path or a URL', place);
  }
  return urls;
}

function checkNames(options: unknown, call: Call): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    fail(call, 'the options', 'an object', options);
  const names: readonly string[] = OPTION_NAMES[call];
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue;
    const hint = closestWord(name, names);
    throw new TypeError(`${call}: there is no option ${name}${hint === undefined ? '' : `. Did you mean ${hint}?`}`);
  }
}

function integer(call: Call, option: string, value: unknown, [least, most]: [number, number]): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
    fail(call, option, `a whole number from ${least} to ${most}`, value);
  return value;
}

function fail(call: Call, option: string, what: string, value: unknown): never {
  const given = typeof value === 'function' ? 'a function' : value === null ? 'null' : quoted(value);
  throw new TypeError(`${call}: ${option} must be ${what}, not ${given}`);
}

const isSignal = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value;
