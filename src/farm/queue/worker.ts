// A worker of a queue: it takes jobs from Redis, lets warm processes render them, and writes the outputs. Its own event
// loop never renders, so that it renews the locks of its jobs in time.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Job, Worker } from 'bullmq';
import { thrown } from '../../base/printable';
import type { FarmEvents, JobEvent } from '../telemetry/events';
import { Connection, type RedisAddress } from './connection';
import { writeFailure } from './failures';
import { isChunkId, readChunkId } from './flows/flow';
import { FlowRegistry } from './flows/flow-registry';
import { FlowParent, WaitsForChunks } from './flows/flow-parent';
import { runJob, type JobContext, type RunFailure } from './job-run';
import type { JobData } from './job-data';
import { MAX_LOST_WORKERS, pauseAfterLoss } from './lost-workers';
import { bullQueue, checkQueueName, KEY_PREFIX, workersKey } from './names';
import { countsOf, oldestOf, openQueue, registerVersion } from './queues';
import type { JobQueue } from './job-queue';
import type { QueuedResult } from './result';

/** How long a job stays locked without a word of its worker. It is then given to another one. */
const LOCK_MS = 5000;
const STALLED_INTERVAL_MS = 3000;
/** Pause between two reports of a worker about itself. */
const REPORT_MS = 5000;
/** Pause between two reports of memory and of the queue. */
const FIGURES_MS = 15_000;
/** Pause after an error of the connection. BullMQ's own of 15 s would start jobs late. */
const RETRY_MS = 1000;
const DAY_SECONDS = 24 * 60 * 60;

/** Which finished jobs Redis keeps. Older ones are removed when another job finishes. */
export interface KeepOptions {
  /** Most finished jobs, and most failed ones, each. Default: 10,000. */
  readonly count?: number | undefined;
  /** Their age in seconds. Default: 86,400 (a day) for finished jobs, and seven times as long for failed ones. */
  readonly seconds?: number | undefined;
}

export interface QueueWorkerOptions {
  readonly queue: string;
  readonly redis: string | RedisAddress | undefined;
  readonly version: string;
  /** Jobs at the same time. */
  readonly concurrency: number;
  readonly keep?: KeepOptions | undefined;
  /** Most jobs that all workers of the queue start in a time. */
  readonly rate?: { readonly jobs: number; readonly milliseconds: number } | undefined;
  /** Milliseconds that running jobs have when the worker is closed, before they are handed back. */
  readonly graceMs: number;
  readonly events: FarmEvents;
}

/** What a worker says of itself. */
export interface WorkerReport {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly concurrency: number;
  /** Jobs that it runs. */
  readonly busy: number;
  readonly done: number;
  readonly failed: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly seenAt: number;
}

/** What becomes of a job. */
type JobChange = Omit<JobEvent, 'type' | 'id' | 'name' | 'chunk'>;

export class QueueWorker {
  readonly #options: QueueWorkerOptions;
  readonly #context: JobContext;
  readonly #connection: Connection;
  readonly #worker: Worker<JobData, QueuedResult>;
  readonly #queue: JobQueue;
  readonly #flows: FlowRegistry;
  readonly #id = `${hostname().slice(0, 100)}-${process.pid}-${randomBytes(4).toString('hex')}`;
  readonly #startedAt = Date.now();
  readonly #running = new Map<string, AbortController>();
  readonly #report: NodeJS.Timeout;
  readonly #figures: NodeJS.Timeout;
  #done = 0;
  #failed = 0;
  #closing: Promise<void> | undefined;
  #isHandingBack = false;

  private constructor(options: QueueWorkerOptions, context: JobContext, connection: Connection) {
    this.#options = options;
    this.#context = context;
    this.#connection = connection;
    const { concurrency, keep = {}, rate } = options;
    const { count = 10_000, seconds = DAY_SECONDS } = keep;
    this.#worker = new connection.packages.bullmq.Worker<JobData, QueuedResult>(
      bullQueue(options.queue, options.version),
      (job, token) => this.#process(job, token!),
      {
        connection: connection.client,
        prefix: KEY_PREFIX,
        name: this.#id,
        autorun: false,
        concurrency,
        lockDuration: LOCK_MS,
        stalledInterval: STALLED_INTERVAL_MS,
        maxStalledCount: MAX_LOST_WORKERS,
        runRetryDelay: RETRY_MS,
        removeOnComplete: { age: seconds, count },
        removeOnFail: { age: 7 * seconds, count },
        ...(rate ? { limiter: { max: rate.jobs, duration: rate.milliseconds } } : {}),
      }
    );
    this.#queue = openQueue(connection, options.queue, options.version);
    this.#flows = new FlowRegistry(connection, options.queue);
    this.#listen();
    this.#report = setInterval(() => void this.#say(), REPORT_MS);
    this.#figures = setInterval(() => void this.#tellFigures(), FIGURES_MS);
  }

  /** Connects, and begins to take jobs. @throws QueueError */
  static async start(options: QueueWorkerOptions, context: JobContext): Promise<QueueWorker> {
    checkQueueName(options.queue);
    const connection = await Connection.open(options.redis);
    connection.watch();
    const worker = new QueueWorker(options, context, connection);
    await worker.#say();
    await worker.#tellFigures();
    if (context.chunks) void worker.#flows.sweepOld(context.chunks).catch((error: unknown) => worker.#warn(error));
    void worker.#worker.run().catch((error: unknown) => worker.#warn(error));
    options.events.emit({ type: 'worker', worker: worker.#id, state: 'started' });
    return worker;
  }

  get id(): string {
    return this.#id;
  }

  get busy(): number {
    return this.#running.size;
  }

  /** Whether it takes jobs at the moment: Redis is connected, and it is not being closed. */
  get isReady(): boolean {
    return this.#connection.isReady && !this.#closing;
  }

  /**
   * Takes no more jobs, and waits for those that run. What is not done after the time of `graceMs` is handed back to
   * the queue for another worker.
   */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const { events, graceMs } = this.#options;
    events.emit({ type: 'worker', worker: this.#id, state: 'stopping' });
    const late = setTimeout(() => {
      this.#isHandingBack = true;
      for (const running of this.#running.values()) running.abort();
    }, graceMs);
    // Waits for the running jobs.
    await this.#worker.close();
    clearTimeout(late);
    clearInterval(this.#report);
    clearInterval(this.#figures);
    await within(RETRY_MS, this.#tellFigures());
    await within(RETRY_MS, this.#connection.client.hdel(workersKey(this.#options.queue), this.#id));
    await this.#context.renderer.close();
    this.#connection.close();
    events.emit({ type: 'worker', worker: this.#id, state: 'stopped' });
  }

  async #process(job: Job<JobData, QueuedResult>, token: string): Promise<QueuedResult> {
    const id = job.id!;
    const attempt = job.attemptsMade + 1;
    await this.#pauseAfterLoss(job, token);
    const stop = new AbortController();
    this.#running.set(id, stop);
    if (this.#isHandingBack) stop.abort();
    const queuedMs = Math.max(0, (job.processedOn ?? 0) - job.timestamp - (job.opts.delay ?? 0));
    const emit = this.#emitterOf(job);
    emit({ state: 'active', attempt, ...(attempt === 1 ? { queuedMs } : {}) });
    try {
      const flow = new FlowParent(job, this.#queue, token, this.#flows);
      const result = await runJob(this.#context, { id, data: job.data, attempt, flow }, stop.signal);
      if ('code' in result) return await this.#fail(job, token, result, stop.signal);
      if (job.data.flow) await this.#endFlow(id, job.data.version);
      this.#done++;
      const { sha256, bytes, output } = result;
      emit({ state: 'completed', attempt, sha256, bytes, ...(output ? { output } : {}) });
      return result;
    } catch (error) {
      if (!(error instanceof WaitsForChunks)) throw error;
      emit({ state: 'waiting', attempt });
      throw new this.#connection.packages.bullmq.WaitingChildrenError();
    } finally {
      this.#running.delete(id);
    }
  }

  /** Delays a job that workers were lost with. @throws DelayedError unless it may run */
  async #pauseAfterLoss(job: Job<JobData, QueuedResult>, token: string): Promise<void> {
    const ms = await pauseAfterLoss(job, this.#queue, this.#connection);
    if (ms === 0) return;
    await job.moveToDelayed(Date.now() + ms, token);
    const message = `${job.stalledCounter} workers that ran the job were lost.`;
    this.#emitterOf(job)({ state: 'delayed', attempt: job.attemptsMade + 1, code: 'worker-lost', message });
    throw new this.#connection.packages.bullmq.DelayedError();
  }

  /** A flow has its output, or a chunk was drawn, whose flow may have been removed meanwhile. */
  async #endFlow(id: string, version: string): Promise<void> {
    const chunk = readChunkId(id);
    if (chunk) {
      if (!(await this.#flows.has(chunk.flow, version))) await this.#flows.remember(chunk.flow, version);
      return;
    }
    try {
      await this.#context.chunks?.remove(id);
      await this.#flows.forget(id, version);
    } catch (error) {
      // The output is complete. The files are removed when Redis has removed the job.
      this.#warn(error);
    }
  }

  /** Reports what becomes of a job. Its name comes from Redis, where it may be anything. */
  #emitterOf({ id, data }: Job<JobData, QueuedResult>): (event: JobChange) => void {
    const name: unknown = (data as Partial<JobData> | null)?.name;
    const { range } = readChunkId(id!) ?? {};
    const about = {
      id: id!,
      ...(typeof name === 'string' ? { name: name.slice(0, 200) } : {}),
      ...(range ? { chunk: `${range.first}-${range.last}` } : {}),
    };
    return (event) => this.#options.events.emit({ type: 'job', ...about, ...event });
  }

  /** Ends an attempt that failed: hands the job back, lets BullMQ try it again later, or quarantines it. */
  async #fail(
    job: Job<JobData, QueuedResult>,
    token: string,
    failure: RunFailure,
    signal: AbortSignal
  ): Promise<never> {
    const { bullmq } = this.#connection.packages;
    const emit = this.#emitterOf(job);
    if (signal.aborted) {
      await job.moveToWait(token);
      emit({ state: 'waiting', attempt: job.attemptsMade + 1 });
      throw new bullmq.WaitingError();
    }
    const { code, message, retryable } = failure;
    const reason = writeFailure({ code, message: this.#connection.redacted(message) });
    const attempt = job.attemptsMade + 1;
    const isLast = !retryable || attempt >= (job.opts.attempts ?? 1);
    if (isLast && !isChunkId(job.id!)) this.#failed++;
    emit({ state: isLast ? 'failed' : 'delayed', attempt, code, message: reason.slice(code.length + 2) });
    const error = retryable ? new Error(reason) : new bullmq.UnrecoverableError(reason);
    // BullMQ would keep the stack of this file for each attempt.
    error.stack = '';
    throw error;
  }

  #listen(): void {
    this.#worker.on('error', (error) => this.#warn(error));
    // Another worker, or this one, was cut off from Redis. Killed ones have left files.
    this.#worker.on('stalled', () => void this.#context.outputs.sweep());
    this.#worker.on('failed', (job, error) => {
      if (!job || !/stalled more than allowable limit/.test(error.message)) return;
      const message = 'Each worker that ran this job was lost before it was done';
      const attempt = job.attemptsMade;
      this.#emitterOf(job)({ state: 'failed', attempt, code: 'worker-lost', message });
    });
  }

  #warn(error: unknown): void {
    const reason = this.#connection.redacted(thrown(error));
    // While Redis is away, each attempt to reach it fails.
    if (/ECONNREFUSED|ECONNRESET|Connection is closed/.test(reason)) return;
    this.#options.events.emit({ type: 'worker', worker: this.#id, state: 'started', reason });
  }

  /** Reports memory, and what the queue holds for workers of this version. The last report is that of the end. */
  async #tellFigures(): Promise<void> {
    const { events } = this.#options;
    const { residentBytes: bytes, memoryBytes: limit } = this.#context.renderer;
    events.emit({ type: 'memory', worker: this.#id, bytes, limit });
    if (!this.#connection.isReady) return;
    try {
      const counts = await countsOf(this.#connection, this.#queue);
      const oldest = counts.waiting > 0 ? await oldestOf(this.#queue) : Infinity;
      events.emit({ type: 'queue', counts, ageMs: oldest === Infinity ? 0 : Math.max(0, Date.now() - oldest) });
    } catch (error) {
      this.#warn(error);
    }
  }

  /** Says what this worker does, for `farm status`. */
  async #say(): Promise<void> {
    const { queue, version, concurrency } = this.#options;
    if (!this.#connection.isReady || this.#closing) return;
    const report: WorkerReport = {
      id: this.#id,
      host: hostname(),
      pid: process.pid,
      version,
      concurrency,
      busy: this.#running.size,
      done: this.#done,
      failed: this.#failed,
      startedAt: this.#startedAt,
      seenAt: Date.now(),
    };
    try {
      await registerVersion(this.#connection, queue, version);
      await this.#connection.client.hset(workersKey(queue), this.#id, JSON.stringify(report));
      if (this.#context.chunks) await this.#flows.sweep(this.#context.chunks);
    } catch (error) {
      this.#warn(error);
    }
  }
}

/** Waits at most for a time; also a failure ends the wait. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}
