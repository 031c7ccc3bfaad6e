// Adds jobs to a queue, and waits for their results. The id of a job is its identity, so that adding it again changes
// nothing while Redis has it, and repairs the queue if Redis has lost it.
import { Connection, type RedisAddress } from './connection';
import { checkWhole } from './errors';
import { FileHashes } from './file-hashes';
import { readFailure, type QueueCode } from './failures';
import { identityOf } from './identity';
import type { JobData } from './job-data';
import { prepareJob, type QueueJob } from './prepare';
import type { QueuedResult } from './result';
import { checkQueueName } from './names';
import type { JobQueue } from './job-queue';
import { openQueue, registerVersion } from './queues';
import { RemoteVersions, type RemoteAccess } from './remote-versions';

/** Jobs that are sent to Redis together. */
const BATCH = 200;
/** Jobs of results() that wait in Redis at the same time. */
const WINDOW = 2000;
/** Pause between two looks for results. */
const POLL_MS = 500;
const MAX_PRIORITY = 2_097_151;

/** How jobs are added. */
export interface AddOptions {
  /** 0 to 2,097,151: jobs of a lower number run first. Default: 0. */
  readonly priority?: number;
  /** Tries of a job that fails for a reason that may pass, 1 to 100. Default: 3. */
  readonly attempts?: number;
  /** Milliseconds before the second try; before each further one, twice as long. Default: 1000. */
  readonly backoffMs?: number;
  /** Milliseconds before the first try. Default: 0. */
  readonly delayMs?: number;
  /** Splits jobs with more frames into chunks of this many, 1 to 10,000. Default: they are not split. */
  readonly chunk?: number;
}

/** Options of {@link FarmProducer.open}. */
export interface ProducerOptions extends RemoteAccess {
  /** Name of the queue. Default: `'default'`. */
  readonly queue?: string;
  /** Where Redis is. Default: the environment variable `RASTERLOOM_REDIS`, or `redis://127.0.0.1:6379`. */
  readonly redis?: string | RedisAddress;
  /** Folder of the inputs, whose content is hashed. Default: the working folder. */
  readonly input?: string;
}

/** What a producer adds jobs for. */
interface ProducerPlaces {
  /** Version of the package. */
  readonly version: string;
  /** Folder of the inputs. */
  readonly input: string;
  readonly access?: RemoteAccess;
}

/** What adding has done. */
export interface Added {
  /** Jobs that are new in Redis. */
  readonly added: number;
  /** Jobs that Redis had already, finished or not. */
  readonly known: number;
}

interface OutcomeBase {
  /** Name of the job: its `id`, or its number from 0. */
  readonly id: string;
  /** Its identity, which is its id in Redis. */
  readonly identity: string;
  /** Number of tries. */
  readonly attempts: number;
}

/** A job of a queue that is done. */
export interface QueueSuccess extends OutcomeBase, QueuedResult {
  readonly code?: undefined;
}

/** A job of a queue that is quarantined: it has failed for good. */
export interface QueueFailure extends OutcomeBase {
  readonly code: QueueCode;
  readonly message: string;
}

export type QueueOutcome = QueueSuccess | QueueFailure;

/** A job with its identity. */
interface Identified {
  readonly identity: string;
  readonly data: JobData;
  readonly priority: number | undefined;
}

export class Producer {
  readonly #connection: Connection;
  readonly #queueName: string;
  readonly #queue: JobQueue;
  readonly #version: string;
  readonly #input: string;
  readonly #hashes = new FileHashes();
  readonly #versions: RemoteVersions;

  private constructor(connection: Connection, queue: string, { version, input, access }: ProducerPlaces) {
    this.#connection = connection;
    this.#queueName = queue;
    this.#version = version;
    this.#input = input;
    this.#versions = new RemoteVersions(access);
    this.#queue = openQueue(connection, queue, version);
  }

  /** @throws QueueError */
  static async open(
    queue: string,
    redis: string | RedisAddress | undefined,
    places: ProducerPlaces
  ): Promise<Producer> {
    checkQueueName(queue);
    const connection = await Connection.open(redis);
    connection.watch();
    return new Producer(connection, queue, places);
  }

  /** Adds jobs in batches, so that any number of them takes little memory. @throws QueueError for a wrong job */
  async addAll(jobs: Iterable<QueueJob> | AsyncIterable<QueueJob>, options: AddOptions = {}): Promise<Added> {
    checkAddOptions(options);
    let batch: Identified[] = [];
    let added = 0;
    let number = 0;
    const flush = async (): Promise<void> => {
      added += await this.#send(batch, options);
      batch = [];
    };
    for await (const job of jobs) {
      batch.push(await this.#identify(job, number++, options));
      if (batch.length >= BATCH) await flush();
    }
    await flush();
    return { added, known: number - added };
  }

  /**
   * Adds jobs and yields what became of each, in the order in which they end. Jobs that Redis has lost meanwhile are
   * added again.
   */
  async *results(
    jobs: Iterable<QueueJob> | AsyncIterable<QueueJob>,
    options: AddOptions = {}
  ): AsyncGenerator<QueueOutcome, void, void> {
    checkAddOptions(options);
    const open = new Map<string, Waiting>();
    const source = new Ahead(jobs);
    let number = 0;
    let nextPoll = 0;
    for (;;) {
      const batch: Identified[] = [];
      while (open.size < WINDOW && batch.length < BATCH && Date.now() < nextPoll) {
        const job = await source.next(nextPoll - Date.now());
        if (job === undefined) break;
        const identified = await this.#identify(job, number, options);
        const id = identified.data.name ?? `${number}`;
        number++;
        const same = open.get(identified.identity);
        if (same) same.ids.push(id);
        else {
          open.set(identified.identity, { ...identified, ids: [id] });
          batch.push(identified);
        }
      }
      await this.#send(batch, options);
      if (Date.now() < nextPoll) {
        if (batch.length === 0) await sleep(nextPoll - Date.now());
        continue;
      }
      yield* this.#poll(open, options);
      if (source.isDone && open.size === 0) return;
      nextPoll = Date.now() + POLL_MS;
    }
  }

  async close(): Promise<void> {
    await this.#versions.close();
    await this.#queue.close();
    this.#connection.close();
  }

  async #identify(job: QueueJob, number: number, { chunk }: AddOptions): Promise<Identified> {
    const { data, priority } = await prepareJob(job, {
      number,
      version: this.#version,
      folder: this.#input,
      hashes: this.#hashes,
      versions: this.#versions,
      chunk,
    });
    return { identity: identityOf(data), data, priority };
  }

  /** @returns how many jobs are new */
  async #send(batch: readonly Identified[], options: AddOptions): Promise<number> {
    if (batch.length === 0) return 0;
    return this.#connection.retrying(() => this.#sendOnce(batch, options));
  }

  async #sendOnce(batch: readonly Identified[], options: AddOptions): Promise<number> {
    await registerVersion(this.#connection, this.#queueName, this.#version);
    const found = await this.#pipeline(batch, (pipeline, key) => pipeline.exists(key));
    const { priority = 0, attempts = 3, backoffMs = 1000, delayMs = 0 } = options;
    const fresh = batch.filter((_, i) => found[i] === 0);
    await this.#queue.addBulk(
      fresh.map((job) => ({
        name: 'job',
        data: job.data,
        opts: {
          jobId: job.identity,
          attempts,
          // Tries of jobs that failed together are spread.
          backoff: { type: 'exponential', delay: backoffMs, jitter: 0.25 },
          ...((job.priority ?? priority) > 0 ? { priority: job.priority ?? priority } : {}),
          ...(delayMs > 0 ? { delay: delayMs } : {}),
        },
      }))
    );
    return new Set(fresh.map(({ identity }) => identity)).size;
  }

  /** Yields and removes what has ended, and adds again what Redis has lost. */
  async *#poll(open: Map<string, Waiting>, options: AddOptions): AsyncGenerator<QueueOutcome, void, void> {
    const waiting = [...open.values()];
    for (let at = 0; at < waiting.length; at += BATCH) {
      const part = waiting.slice(at, at + BATCH);
      const states = (await this.#connection.retrying(() =>
        this.#pipeline(part, (pipeline, key) =>
          pipeline.hmget(key, 'timestamp', 'finishedOn', 'returnvalue', 'failedReason', 'atm')
        )
      )) as (string | null)[][];
      const lost: Waiting[] = [];
      for (const [i, [timestamp, finishedOn, returned, failed, made]] of states.entries()) {
        const job = part[i];
        if (timestamp === null) lost.push(job);
        if (finishedOn === null) continue;
        open.delete(job.identity);
        const attempts = Number(made ?? 1);
        for (const id of job.ids)
          yield failed === null || returned !== null
            ? { id, identity: job.identity, attempts, ...(JSON.parse(returned ?? '{}') as QueuedResult) }
            : { id, identity: job.identity, attempts, ...readFailure(failed) };
      }
      await this.#send(lost, options);
    }
  }

  /** Sends one command for each job, and returns the answers. */
  async #pipeline(
    jobs: readonly Identified[],
    command: (pipeline: ReturnType<Connection['client']['pipeline']>, key: string) => unknown
  ): Promise<unknown[]> {
    const pipeline = this.#connection.client.pipeline();
    for (const { identity } of jobs) command(pipeline, this.#queue.toKey(identity));
    const answers = (await pipeline.exec()) ?? [];
    return answers.map(([error, answer]) => {
      if (error) throw error;
      return answer;
    });
  }
}

/** A job whose result is not known yet, with the names under which it was given. */
interface Waiting extends Identified {
  readonly ids: string[];
}

/** Takes jobs from an iterable, without waiting longer than is said for the next one. */
class Ahead {
  readonly #iterator: Iterator<QueueJob> | AsyncIterator<QueueJob>;
  #next: Promise<IteratorResult<QueueJob>> | undefined;
  isDone = false;

  constructor(jobs: Iterable<QueueJob> | AsyncIterable<QueueJob>) {
    this.#iterator = Symbol.asyncIterator in jobs ? jobs[Symbol.asyncIterator]() : jobs[Symbol.iterator]();
  }

  /** @returns undefined if there is none, or none within the time */
  async next(ms: number): Promise<QueueJob | undefined> {
    if (this.isDone) return undefined;
    this.#next ??= Promise.resolve(this.#iterator.next());
    const step = await Promise.race([this.#next, sleep(Math.max(1, ms))]);
    if (step === undefined) return undefined;
    this.#next = undefined;
    if (step.done) this.isDone = true;
    return step.done ? undefined : step.value;
  }
}

const sleep = (ms: number): Promise<undefined> => new Promise((resolve) => setTimeout(() => resolve(undefined), ms));

function checkAddOptions({ priority = 0, attempts = 3, backoffMs = 1000, delayMs = 0, chunk = 1 }: AddOptions): void {
  checkWhole('priority', priority, 0, MAX_PRIORITY);
  checkWhole('attempts', attempts, 1, 100);
  checkWhole('backoffMs', backoffMs, 0, 3_600_000);
  checkWhole('delayMs', delayMs, 0, 30 * 24 * 3_600_000);
  checkWhole('chunk', chunk, 1, 10_000);
}
