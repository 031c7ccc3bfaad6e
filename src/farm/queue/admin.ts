// What operators do with a queue: look at it, try failed jobs again, empty it, pause it. It covers all versions.
import { readFailure, type QueueCode } from './failures';
import { Connection, type RedisAddress } from './connection';
import type { JobData } from './job-data';
import { PAUSED_MEMBER } from './lost-workers';
import { checkQueueName, pausedKey, workersKey } from './names';
import { describeFlows, flowIdsOf, type FlowStatus } from './flows/flow-status';
import { countsOf, oldestOf, openQueue, versionsOf, type QueueCounts } from './queues';
import type { JobQueue } from './job-queue';
import type { WorkerReport } from './worker';

/** A worker that has said nothing for this long has ended. */
const SILENT_MS = 20_000;
/** Jobs that are read together. */
const PAGE = 200;

export interface QueueStatus {
  readonly queue: string;
  /** Address of Redis, without its password. */
  readonly redis: string;
  readonly isPaused: boolean;
  /** Sums over all versions. */
  readonly counts: QueueCounts;
  /** Milliseconds for which the oldest waiting job has waited. */
  readonly ageMs: number;
  readonly versions: readonly { readonly version: string; readonly counts: QueueCounts; readonly workers: number }[];
  readonly workers: readonly WorkerReport[];
  /** Flows whose chunks are drawn. Each is one active job of the counts. At most 100 of a version. */
  readonly flows: readonly FlowStatus[];
}

/** A quarantined job. */
export interface FailedJob {
  readonly identity: string;
  readonly version: string;
  readonly name: string | undefined;
  readonly output: string | undefined;
  readonly code: QueueCode;
  readonly message: string;
  readonly attempts: number;
  /** Milliseconds since 1970. */
  readonly failedAt: number;
}

/** Which failed jobs are meant: all, or those of a code, or the ones with these identities or names. */
export interface FailedFilter {
  readonly code?: string | undefined;
  readonly ids?: readonly string[] | undefined;
}

/** Options of {@link FarmQueue.open}. */
export interface FarmQueueOptions {
  /** Name of the queue. Default: `'default'`. */
  readonly queue?: string;
  /** Where Redis is. Default: the environment variable `RASTERLOOM_REDIS`, or `redis://127.0.0.1:6379`. */
  readonly redis?: string | RedisAddress;
}

const NONE: QueueCounts = { waiting: 0, delayed: 0, active: 0, completed: 0, failed: 0 };

/**
 * A queue as its operators see it, with the jobs of all versions of this package.
 *
 *     const queue = await FarmQueue.open({ queue: 'thumbnails' });
 *     console.log((await queue.status()).counts);
 *     await queue.close();
 */
export class FarmQueue {
  readonly #connection: Connection;
  readonly #name: string;
  readonly #queues = new Map<string, JobQueue>();

  private constructor(connection: Connection, name: string) {
    this.#connection = connection;
    this.#name = name;
  }

  /** @throws QueueError if Redis does not answer */
  static async open({ queue = 'default', redis }: FarmQueueOptions = {}): Promise<FarmQueue> {
    checkQueueName(queue);
    return new FarmQueue(await Connection.open(redis), queue);
  }

  /** Counts of jobs, and what the workers say of themselves. */
  async status(): Promise<QueueStatus> {
    const workers = await this.#workers();
    const isPaused = (await this.#connection.client.exists(pausedKey(this.#name))) === 1;
    const versions: { version: string; counts: QueueCounts; workers: number }[] = [];
    const flows: FlowStatus[] = [];
    let oldest = Infinity;
    for (const [version, queue] of await this.#all()) {
      const counts = await countsOf(this.#connection, queue);
      versions.push({ version, counts, workers: workers.filter((each) => each.version === version).length });
      if (counts.active > 0) flows.push(...(await describeFlows(this.#connection, queue, version)));
      if (counts.waiting > 0) oldest = Math.min(oldest, await oldestOf(queue));
    }
    const sum = (name: keyof QueueCounts): number => versions.reduce((total, { counts }) => total + counts[name], 0);
    return {
      queue: this.#name,
      redis: this.#connection.shown,
      isPaused,
      counts: Object.fromEntries(Object.keys(NONE).map((name) => [name, sum(name as keyof QueueCounts)])) as never,
      ageMs: oldest === Infinity ? 0 : Math.max(0, Date.now() - oldest),
      versions,
      workers,
      flows,
    };
  }

  /** Lists failed jobs, the newest first. */
  async *failed(filter: FailedFilter = {}): AsyncGenerator<FailedJob, void, void> {
    for (const [version, queue] of await this.#all())
      for (let start = 0; ; start += PAGE) {
        const jobs = await queue.getFailed(start, start + PAGE - 1);
        for (const job of jobs) {
          const { name, job: what } = job.data as Partial<JobData>;
          const failed: FailedJob = {
            identity: job.id!,
            version,
            name,
            output: (what as { output?: string } | undefined)?.output,
            ...readFailure(job.failedReason),
            attempts: job.attemptsMade,
            failedAt: job.finishedOn ?? 0,
          };
          if (matches(failed, filter)) yield failed;
        }
        if (jobs.length < PAGE) break;
      }
  }

  /** Outputs of finished jobs, the newest first. @param most how many jobs are looked at */
  async finishedOutputs(most: number): Promise<string[]> {
    const found: { output: string; at: number }[] = [];
    for (const queue of (await this.#all()).values())
      for (const { returnvalue, finishedOn = 0 } of await queue.getCompleted(0, most - 1)) {
        // It comes from Redis.
        const output: unknown = (returnvalue as { output?: unknown } | null)?.output;
        if (typeof output === 'string') found.push({ output, at: finishedOn });
      }
    return found
      .sort((a, b) => b.at - a.at)
      .slice(0, most)
      .map(({ output }) => output);
  }

  /** Lets failed jobs run again, with all their tries. @returns how many */
  async retry(filter: FailedFilter = {}): Promise<number> {
    // Jobs that fail again meanwhile are not tried twice.
    const found: FailedJob[] = [];
    for await (const job of this.failed(filter)) found.push(job);
    const queues = await this.#all();
    let count = 0;
    for (const { identity, version } of found) {
      const queue = queues.get(version)!;
      const job = await queue.getJob(identity);
      if (!job) continue;
      // BullMQ keeps the count of lost workers, and would fail the job at once.
      const { client } = this.#connection;
      await client.hdel(queue.toKey(identity), 'stc', 'defa', 'failedReason', PAUSED_MEMBER);
      // What it keeps of chunks that have failed or were drawn.
      await client.del(queue.toKey(`${identity}:failed`), queue.toKey(`${identity}:processed`));
      await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true }).then(
        () => count++,
        // Another operator was faster.
        () => undefined
      );
    }
    return count;
  }

  /**
   * Removes jobs that have not started, and flows whose chunks are being drawn, with what is drawn of them.
   * @returns how many
   */
  async drain(): Promise<number> {
    let count = 0;
    for (const queue of (await this.#all()).values()) {
      const { waiting, delayed } = await countsOf(this.#connection, queue);
      const flows = await flowIdsOf(this.#connection, queue);
      // Chunks that are running end without them. Then workers remove the files.
      for (const flow of flows) await queue.remove(flow, { removeChildren: false });
      await queue.drain(true);
      count += waiting + delayed + flows.length;
    }
    return count;
  }

  /** Removes finished jobs, or failed ones, that are older than a time. @returns how many */
  async clean(state: 'completed' | 'failed', olderMs: number): Promise<number> {
    let count = 0;
    for (const queue of (await this.#all()).values())
      for (let removed = PAGE; removed === PAGE; count += removed)
        removed = (await queue.clean(olderMs, PAGE, state)).length;
    return count;
  }

  /** Lets running jobs end, and starts no others until resume(). */
  async pause(): Promise<void> {
    await this.#connection.client.set(pausedKey(this.#name), '1');
    for (const queue of (await this.#all()).values()) await queue.pause();
  }

  /** Ends a pause. */
  async resume(): Promise<void> {
    await this.#connection.client.del(pausedKey(this.#name));
    for (const queue of (await this.#all()).values()) await queue.resume();
  }

  /** Ends the connection. */
  async close(): Promise<void> {
    for (const queue of this.#queues.values()) await queue.close();
    this.#connection.close();
  }

  async #all(): Promise<ReadonlyMap<string, JobQueue>> {
    for (const version of await versionsOf(this.#connection, this.#name))
      if (!this.#queues.has(version)) this.#queues.set(version, openQueue(this.#connection, this.#name, version));
    return this.#queues;
  }

  /** Reports of workers that run, and removes those of others. */
  async #workers(): Promise<WorkerReport[]> {
    const key = workersKey(this.#name);
    const found: WorkerReport[] = [];
    for (const [id, text] of Object.entries(await this.#connection.client.hgetall(key))) {
      const report = readReport(text);
      if (report && Date.now() - report.seenAt < SILENT_MS) found.push(report);
      else await this.#connection.client.hdel(key, id);
    }
    return found.sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}

function matches({ identity, name, code }: FailedJob, filter: FailedFilter): boolean {
  if (filter.code !== undefined && code !== filter.code) return false;
  return (
    filter.ids === undefined || filter.ids.some((id) => id === name || (id.length >= 8 && identity.startsWith(id)))
  );
}

/** A report from Redis, whose members are what they should be. */
function readReport(text: string): WorkerReport | undefined {
  try {
    const report = JSON.parse(text) as Record<keyof WorkerReport, unknown>;
    const isText = (['id', 'host', 'version'] as const).every((name) => typeof report[name] === 'string');
    const isNumber = (['pid', 'concurrency', 'busy', 'done', 'failed', 'startedAt', 'seenAt'] as const).every(
      (name) => typeof report[name] === 'number'
    );
    return isText && isNumber ? (report as unknown as WorkerReport) : undefined;
  } catch {
    return undefined;
  }
}
