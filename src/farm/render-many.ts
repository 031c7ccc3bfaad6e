// Many jobs at the same time, with back-pressure and further tries.
import { MAX_BACKOFF_MS, readManyOptions, readPoolOptions } from './options';
import type { FarmJob, FarmResult, RenderManyOptions } from './types';
import { WarmPool } from './warm-pool';

/** Jobs that are taken from the iterable beyond those that run, so that no process waits for the next one. */
const AHEAD = 2;

/**
 * Runs jobs in warm processes, and yields what became of each as soon as it has ended. Failures are results; they do
 * not end the iteration. At most `concurrency` + 2 jobs are taken whose results were not yielded.
 *
 * Leaving the loop, an error of `jobs` and the signal end all processes.
 *
 *     for await (const result of renderMany(jobs, { concurrency: 4 })) console.log(result.id, result.code ?? 'done');
 *
 * @throws TypeError if an option is wrong
 */
export function renderMany(
  jobs: Iterable<FarmJob> | AsyncIterable<FarmJob>,
  options: RenderManyOptions = {}
): AsyncGenerator<FarmResult, void, void> {
  readPoolOptions(options, 'renderMany');
  const tries = readManyOptions(options);
  if (!isIterable(jobs)) throw new TypeError('renderMany: the jobs must be an array or another iterable');
  const { signal, retries: _, backoffMs: __, ...poolOptions } = options;
  return new ManyJobs(jobs, new WarmPool(poolOptions), tries, signal).results();
}

const isIterable = (value: unknown): value is Iterable<FarmJob> | AsyncIterable<FarmJob> =>
  typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);

type Tries = ReturnType<typeof readManyOptions>;

class ManyJobs {
  readonly #jobs: Iterator<FarmJob> | AsyncIterator<FarmJob>;
  readonly #pool: WarmPool;
  readonly #tries: Tries;
  readonly #signal: AbortSignal | undefined;
  readonly #results: FarmResult[] = [];
  /** Jobs that were taken and whose results were not yielded. */
  #open = 0;
  #hasMore = true;
  /** Why the iteration ends early. */
  #failure: { readonly reason: unknown } | undefined;
  /** Wakes the caller that waits for a change of the members above. */
  #changed: () => void = () => undefined;
  #change = this.#nextChange();

  constructor(
    jobs: Iterable<FarmJob> | AsyncIterable<FarmJob>,
    pool: WarmPool,
    tries: Tries,
    signal: AbortSignal | undefined
  ) {
    this.#jobs = Symbol.asyncIterator in jobs ? jobs[Symbol.asyncIterator]() : jobs[Symbol.iterator]();
    this.#pool = pool;
    this.#tries = tries;
    this.#signal = signal;
  }

  async *results(): AsyncGenerator<FarmResult, void, void> {
    const abort = (): void => this.#fail(this.#signal!.reason);
    if (this.#signal?.aborted) abort();
    this.#signal?.addEventListener('abort', abort);
    void this.#takeJobs();
    try {
      for (;;) {
        if (this.#failure) throw this.#failure.reason;
        const result = this.#results.shift();
        if (result) {
          yield result;
          this.#open--;
          this.#report();
        } else if (this.#hasMore || this.#open > 0) {
          await this.#change;
        } else {
          return;
        }
      }
    } finally {
      this.#signal?.removeEventListener('abort', abort);
      this.#failure ??= { reason: undefined };
      this.#report();
      // An iterator that waits for its next job returns later.
      if (this.#hasMore) void Promise.resolve(this.#jobs.return?.()).catch(() => undefined);
      await this.#pool.close();
    }
  }

  /** Starts jobs while there is room for them. */
  async #takeJobs(): Promise<void> {
    try {
      for (let number = 0; ; number++) {
        while (this.#open >= this.#pool.size + AHEAD && !this.#failure) await this.#change;
        if (this.#failure) return;
        const { value, done } = await this.#jobs.next();
        if (done) break;
        if (this.#failure) return;
        this.#open++;
        void this.#run(value, number);
      }
      this.#hasMore = false;
      this.#report();
    } catch (error) {
      this.#hasMore = false;
      this.#fail(error);
    }
  }

  /** Tries a job until it is done, or until another try is no use. */
  async #run(job: FarmJob, number: number): Promise<void> {
    try {
      const named = typeof job === 'object' && job !== null && job.id === undefined ? { ...job, id: `${number}` } : job;
      for (let attempt = 1; !this.#failure; attempt++) {
        const result = await this.#pool.run(named, { attempt });
        const hasFailed = result.code !== undefined && result.retryable;
        if (hasFailed && attempt <= this.#tries.retries) {
          await this.#pause(this.#tries.backoffMs * 2 ** (attempt - 1));
          continue;
        }
        this.#results.push(hasFailed ? { ...result, quarantined: true } : result);
        this.#report();
        return;
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Waits, at most until the iteration ends. */
  async #pause(ms: number): Promise<void> {
    let isOver = false;
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, Math.min(ms, MAX_BACKOFF_MS)))).then(
      () => void (isOver = true)
    );
    while (!isOver && !this.#failure) await Promise.race([over, this.#change]);
    clearTimeout(timer);
  }

  #fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#report();
  }

  #report(): void {
    const changed = this.#changed;
    this.#change = this.#nextChange();
    changed();
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => (this.#changed = resolve));
  }
}
