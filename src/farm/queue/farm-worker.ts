// A worker as a library: a queue in Redis, warm processes, a folder for outputs, and storage for addresses.
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openStorage } from '../storage/storage';
import type { S3Options } from '../storage/types';
import { FarmEvents } from '../telemetry/events';
import type { PoolOptions } from '../types';
import { WarmPool } from '../warm-pool';
import { isAddress } from './addresses';
import type { RedisAddress } from './connection';
import { checkWhole, QueueError } from './errors';
import { FileHashes } from './file-hashes';
import { ChunkObjects } from './flows/chunk-objects';
import type { JobContext } from './job-run';
import { JOB_OPTIONS } from './options';
import { CHUNKS_FOLDER, OutputFolder } from './outputs';
import { packageVersion } from './package-version';
import { QueueWorker, type KeepOptions } from './worker';

/** Options of {@link createFarmWorker}. Those of {@link WarmPool} hold for its processes. */
export interface FarmWorkerOptions extends Omit<PoolOptions, 'isolate'> {
  /** Name of the queue. Default: `'default'`. */
  readonly queue?: string;
  /** Where Redis is. Default: the environment variable `RASTERLOOM_REDIS`, or `redis://127.0.0.1:6379`. */
  readonly redis?: string | RedisAddress;
  /**
   * Where outputs go: a folder, which is created, or the beginning of addresses that ends with a slash, such as
   * `s3://bucket/pictures/`. Jobs cannot write to other places.
   */
  readonly output: string;
  /** Folder of inputs that are files. Jobs cannot read others. Default: the working folder. */
  readonly input?: string;
  /** Beginnings of addresses from which inputs may come, such as `s3://bucket/models/`. Default: none. */
  readonly inputAddresses?: readonly string[];
  /** Allows inputs from every public HTTP(S) address, also those that models name. Default: false. */
  readonly allowNetwork?: boolean;
  /** Allows inputs and outputs on this machine and on private networks by HTTP(S). Default: false. */
  readonly allowPrivateNetwork?: boolean;
  /** Replaces outputs at addresses that hold other bytes. Default: false, which makes them an error. */
  readonly overwrite?: boolean;
  /** Most bytes of inputs from addresses that are kept on this machine. Default: 4 GiB. */
  readonly inputCacheBytes?: number;
  /** Lets `.gltf` files name files outside their own folders. Default: false. */
  readonly allowExternal?: boolean;
  /** S3-compatible storage. Default: from the environment, as in other programs with the official client. */
  readonly s3?: S3Options;
  /** Most jobs that all workers of the queue start in a time. Give all workers the same. Default: no limit. */
  readonly rate?: { readonly jobs: number; readonly milliseconds: number };
  /** Which finished jobs Redis keeps. */
  readonly keep?: KeepOptions;
  /** Milliseconds that running jobs have after `close()`, before they are handed back. Default: 10,000. */
  readonly graceMs?: number;
  /** Gets what happens, and each 15 s the memory and what the queue holds. Default: nothing does. */
  readonly events?: FarmEvents;
}

/** A running worker. */
export interface FarmWorker {
  /** Name of the worker in the status. */
  readonly id: string;
  /** Jobs that it runs. */
  readonly busy: number;
  /** Whether it takes jobs at the moment: Redis is connected, and it is not being closed. */
  readonly isReady: boolean;
  /**
   * Takes no more jobs, and waits for those that run. After `graceMs`, they are handed back to the queue, and another
   * worker runs them.
   */
  close(): Promise<void>;
}

/**
 * Starts a worker of a queue. It runs until it is closed.
 *
 *     const worker = await createFarmWorker({ queue: 'thumbnails', output: 'pictures', concurrency: 2 });
 *     process.once('SIGTERM', () => void worker.close());
 *
 * @throws QueueError if Redis does not answer, or an option is wrong
 */
export async function createFarmWorker(options: FarmWorkerOptions): Promise<FarmWorker> {
  const { queue = 'default', output, input = '.', events = new FarmEvents(), graceMs = 10_000 } = options;
  if (typeof output !== 'string' || output === '')
    throw new QueueError('option', 'A worker needs the option output: a folder, or the beginning of addresses');
  checkWhole('graceMs', graceMs, 0, 3_600_000);
  checkWhole('inputCacheBytes', options.inputCacheBytes ?? 0, 0, Number.MAX_SAFE_INTEGER);
  if (options.rate) {
    checkWhole('rate.jobs', options.rate.jobs, 1, 1_000_000);
    checkWhole('rate.milliseconds', options.rate.milliseconds, 1, 3_600_000);
  }
  const version = packageVersion();
  const pool = new WarmPool(poolOptionsOf(options));
  try {
    const context = await contextOf(options, pool, version, { input, output, events });
    return await QueueWorker.start(
      {
        queue,
        redis: options.redis,
        version,
        concurrency: pool.size,
        keep: options.keep,
        rate: options.rate,
        graceMs,
        events,
      },
      context
    );
  } catch (error) {
    await pool.close();
    throw error;
  }
}

/** The options of the pool, without those that are left out. */
function poolOptionsOf({ concurrency, timeoutMs, memoryBytes, modules, threads }: FarmWorkerOptions): PoolOptions {
  const given = Object.entries({ concurrency, timeoutMs, memoryBytes, modules, threads });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

async function contextOf(
  options: FarmWorkerOptions,
  renderer: WarmPool,
  version: string,
  { input, output, events }: { input: string; output: string; events: FarmEvents }
): Promise<JobContext> {
  const { inputAddresses = [], allowNetwork = false, allowExternal = false, modules = {}, s3 } = options;
  const { allowPrivateNetwork = false, overwrite = false, inputCacheBytes } = options;
  const isRemote = isAddress(output);
  // Pictures for addresses are drawn into a separate folder.
  const outputs = await OutputFolder.open(isRemote ? join(tmpdir(), `rasterloom-farm-${process.pid}`) : output);
  const storage = openStorage({
    inputs: inputAddresses,
    outputs: isRemote ? [output] : [],
    allowNetwork,
    allowPrivateNetwork,
    overwrite,
    ...(inputCacheBytes === undefined ? {} : { cacheBytes: inputCacheBytes }),
    ...(s3 ? { s3 } : {}),
  });
  const objects = isRemote ? storage.objects(`${output}${CHUNKS_FOLDER}/`) : undefined;
  return {
    rules: { version, options: JOB_OPTIONS, modules: new Set(Object.keys(modules)) },
    inputs: resolve(input),
    hashes: new FileHashes(),
    outputs,
    storage,
    outputPrefix: isRemote ? output : undefined,
    chunks: isRemote ? objects && new ChunkObjects(objects) : outputs.chunks,
    renderer,
    events,
    options: { 'allow-network': allowNetwork, 'allow-external': allowExternal },
  };
}
