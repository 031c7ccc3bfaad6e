// Threads that decode the images of a model if there is enough work for them.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ModelError } from '../../gltf/errors';
import { createDecoder, type DecodeImage, type ImageJob } from '../../gltf/images/image-set';
import type { MipChain } from '../../gltf/images/mips';
import { nodeCodecs } from '../codec-wasm';
import type { DecoderAnswer } from './decoder';

/**
 * Total size in bytes below which the images are decoded before another thread has started. The helmet: 3.5 MB, 0.43 s
 * on one thread, 0.26 s on two.
 */
const MIN_BYTES_FOR_THREADS = 512 * 1024;

/** Decoders for the images of many models; threads are started when they are needed, and kept. */
export class Decoders {
  readonly #threads: number;
  readonly #script: URL;
  readonly #here = createDecoder(nodeCodecs());
  #pool: DecoderPool | undefined;

  /** @param threads at most; with fewer than 2, all decoding is on the calling thread. @param script of the threads */
  constructor(threads: number, script: URL) {
    this.#threads = threads;
    this.#script = script;
  }

  /** Starts a thread for images that are not known yet, so that it is ready when they are. */
  prepare(): void {
    if (this.#threads >= 2) this.#grow(1);
  }

  /** Chooses a decoder for images, and how many of them to decode ahead of their use. */
  for(jobs: Iterable<ImageJob>): { decode: DecodeImage; prefetchCount: number } {
    const sizes = [...jobs].map(({ bytes }) => bytes.length);
    const count = Math.min(this.#threads, sizes.length);
    const isWork = count >= 2 && sizes.reduce((a, b) => a + b) >= MIN_BYTES_FOR_THREADS;
    const pool = isWork ? this.#grow(count) : this.#pool;
    if (!pool) return { decode: this.#here, prefetchCount: 0 };
    return { decode: (job) => pool.decode(job), prefetchCount: pool.size + 1 };
  }

  #grow(count: number): DecoderPool {
    const pool = (this.#pool ??= new DecoderPool(this.#script));
    pool.grow(count);
    return pool;
  }

  /** Ends the threads, even while they decode an image. */
  close(): void {
    this.#pool?.close();
    this.#pool = undefined;
  }
}

/** Makes decoders for the images of one model. `close` ends their threads. */
export function openDecoders(
  jobs: Iterable<ImageJob>,
  threads: number,
  script: URL
): ReturnType<Decoders['for']> & { close(): void } {
  const decoders = new Decoders(threads, script);
  return { ...decoders.for(jobs), close: () => decoders.close() };
}

interface Task {
  job: ImageJob;
  resolve(chains: MipChain[]): void;
  reject(error: unknown): void;
}

class DecoderPool {
  readonly #script: URL;
  readonly #workers: Worker[] = [];
  readonly #idle: Worker[] = [];
  readonly #tasks: Task[] = [];
  /** Errors that have ended threads, even idle ones. Without a listener, such an error would end the process. */
  readonly #ends = new Map<Worker, unknown>();

  constructor(script: URL) {
    this.#script = script;
  }

  /** Number of threads. */
  get size(): number {
    return this.#workers.length;
  }

  /** Starts threads until there are `count`. */
  grow(count: number): void {
    while (this.#workers.length < count) {
      const worker = new Worker(this.#script);
      worker.on('error', (error) => this.#ends.set(worker, error));
      this.#workers.push(worker);
      this.#idle.push(worker);
    }
  }

  decode(job: ImageJob): Promise<MipChain[]> {
    return new Promise((resolve, reject) => {
      this.#tasks.push({ job, resolve, reject });
      const worker = this.#idle.pop();
      if (worker) void this.#work(worker);
    });
  }

  close(): void {
    for (const worker of this.#workers) void worker.terminate();
  }

  /** Processes tasks until there are none left. */
  async #work(worker: Worker): Promise<void> {
    for (let task = this.#tasks.shift(); task; task = this.#tasks.shift()) {
      try {
        if (this.#ends.has(worker)) throw this.#ends.get(worker);
        task.resolve(await ask(worker, task.job));
      } catch (error) {
        task.reject(error);
      }
    }
    this.#idle.push(worker);
  }
}

/** @throws ModelError, or the error that ended the thread */
async function ask(worker: Worker, job: ImageJob): Promise<MipChain[]> {
  // A copy is sent, because the bytes may be part of the whole file, which would be sent otherwise. (slice() of a
  // Buffer does not copy.)
  const bytes = new Uint8Array(job.bytes);
  worker.postMessage({ ...job, bytes }, [bytes.buffer]);
  const [answer] = (await once(worker, 'message')) as [DecoderAnswer];
  if ('refused' in answer) throw new ModelError(answer.refused, { code: answer.code });
  return answer.chains;
}
