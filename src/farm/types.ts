// Types of the entry point rasterloom/farm.
/// <reference types="@webgpu/types" />
import type { FarmCode } from './codes';

/**
 * A model to render to a file. Besides the members below, it has the options of `rasterloom render` by their long
 * names, as in a file for `--jobs`: `{ input: 'a.glb', output: 'a.png', size: '512x512', samples: 8 }`.
 */
export interface GltfJob {
  /** Name of the job in its result. Default: its number, from 0, as text. */
  readonly id?: string;
  /** Path of the model; left out with `sample: true`. */
  readonly input?: string;
  /** Path of the picture, or a pattern such as `out/{name}-{frame:3}.png`. Its folder must exist. */
  readonly output: string;
  readonly module?: undefined;
  readonly [option: string]: string | number | boolean | null | undefined;
}

/** Work for a module of your own, whose function `render` ({@link RenderFunction}) is called. */
export interface ModuleJob {
  /** Name of the job in its result. Default: its number, from 0, as text. */
  readonly id?: string;
  /** A name of the option `modules`. */
  readonly module: string;
  /** Argument of the function. It is copied by the structured clone algorithm. */
  readonly data?: unknown;
  /** Path of the file for the bytes that the function returns. Default: the result has them. */
  readonly output?: string;
}

/** A job of {@link renderMany}. */
export type FarmJob = GltfJob | ModuleJob;

/** What a module's function gets besides the data of the job. */
export interface RenderContext {
  /** Name of the job. */
  readonly id: string;
  /** Number of this try, from 1. */
  readonly attempt: number;
  /** Aborts when the job is cancelled or its time is over. The process ends 100 ms later. */
  readonly signal: AbortSignal;
  /** Path of the file for the bytes; undefined: the result has them. */
  readonly output: string | undefined;
  /** Paths of PNG files, in order, if the module encodes the frames of a flow; otherwise undefined. */
  readonly frames: readonly string[] | undefined;
  /** Threads that this process may use for rendering. */
  readonly threads: number;
  /** Memory in bytes that this process may use for its devices. */
  readonly memoryBytes: number;
  /** The GPU of this process, made with `threads` and `memoryBytes`. All jobs of the process share it. */
  gpu(): Promise<GPU>;
  /**
   * A device that stays open for the following jobs of this process. It has the adapter's limits for textures and
   * buffers, and what `rasterloom/gltf` needs. It is opened again after it was lost.
   */
  device(): Promise<GPUDevice>;
}

/**
 * The function `render` that a module exports. It returns the bytes of the output, or nothing.
 *
 * If it throws, the job is tried again, unless the error has `retryable: false`.
 */
export type RenderFunction = (
  data: unknown,
  context: RenderContext
) => Promise<ArrayBufferView | ArrayBuffer | undefined | void> | ArrayBufferView | ArrayBuffer | undefined | void;

/** Figures about a job that is done. */
export interface FarmStats {
  /** Milliseconds from the start of the last try to its end. */
  readonly milliseconds: number;
  /** CPU time of the process during this try in milliseconds, of all its threads. */
  readonly cpuMilliseconds: number;
  /** Resident memory of the process after the job, in bytes. */
  readonly residentBytes: number;
  /** Milliseconds of each phase of a glTF job: `start`, `load`, `decode`, `upload`, `render`, `encode`. */
  readonly phases?: Readonly<Record<string, number>>;
  /** Warnings about the model. */
  readonly warnings?: readonly string[];
}

/** A job that is done. */
export interface FarmSuccess {
  readonly id: string;
  /**
   * SHA-256 of the output as hexadecimal digits. If a job has several files, it is the hash of their hashes: sorted,
   * and joined by line breaks.
   */
  readonly sha256: string;
  /** Bytes of the output, of all its files together. */
  readonly bytes: number;
  /** Path of the output, the first of several. */
  readonly output?: string;
  /** What the module returned, for a job without `output`. */
  readonly data?: Uint8Array;
  /** Number of tries. */
  readonly attempts: number;
  readonly stats: FarmStats;
  readonly code?: undefined;
}

/** A job that has failed. */
export interface FarmFailure {
  readonly id: string;
  readonly code: FarmCode;
  /** One sentence that names the cause. */
  readonly message: string;
  /** Whether another try can succeed. */
  readonly retryable: boolean;
  /** Number of tries. */
  readonly attempts: number;
  /** Whether all tries were used: the job is not tried again. */
  readonly quarantined: boolean;
}

/** What became of a job. */
export type FarmResult = FarmSuccess | FarmFailure;

/** Options of {@link WarmPool}. */
export interface PoolOptions {
  /**
   * Jobs that run at the same time, each in its own process or thread: 1 to 64. Default: the number of processor
   * cores, or fewer if `memoryBytes` gives a process less than 512 MiB.
   */
  readonly concurrency?: number;
  /** Time limit of a try in milliseconds, 1 to 86,400,000 (a day). Default: 300,000 (5 minutes). */
  readonly timeoutMs?: number;
  /**
   * Limit for the resident memory of this process and of all that it has started, in bytes; at least 256 MiB for
   * each concurrent job. Default: 80 % of the memory of the machine, or of the container.
   */
  readonly memoryBytes?: number;
  /** What keeps jobs apart. Default: `'process'`. A thread starts faster, and a crash in it ends all jobs. */
  readonly isolate?: 'process' | 'thread';
  /** Modules that jobs may name, with their paths or file URLs. Default: none. */
  readonly modules?: Readonly<Record<string, string | URL>>;
  /**
   * Rendering threads of all jobs together, 1 to 1024. Each job has its share of them, at least one. Default: the
   * number of processor cores.
   */
  readonly threads?: number;
}

/** Options of {@link renderMany}. */
export interface RenderManyOptions extends PoolOptions {
  /** Further tries of a job that failed for a reason that may pass, 0 to 100. Default: 2. */
  readonly retries?: number;
  /**
   * Milliseconds before the second try of a job, 0 to 3,600,000; before each further one, twice as long. Other jobs
   * run meanwhile. Default: 100.
   */
  readonly backoffMs?: number;
  /** Ends all jobs; the iteration then throws the signal's reason. */
  readonly signal?: AbortSignal;
}
