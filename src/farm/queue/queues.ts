// The queues of all versions under one name.
import type { Queue } from 'bullmq';
import type { Connection } from './connection';
import type { JobData } from './job-data';
import type { QueuedResult } from './job-run';
import { bullQueue, KEY_PREFIX, pausedKey, versionsKey } from './names';

export type JobQueue = Queue<JobData, QueuedResult>;

/** Jobs by their state. */
export interface QueueCounts {
  /** They can start. */
  readonly waiting: number;
  /** They start later, most of them for another try. */
  readonly delayed: number;
  readonly active: number;
  readonly completed: number;
  /** Quarantined. */
  readonly failed: number;
}

/** Opens the queue of one version. Nothing is written to Redis. */
export function openQueue({ packages, client }: Connection, queue: string, version: string): JobQueue {
  const opened: JobQueue = new packages.bullmq.Queue(bullQueue(queue, version), {
    connection: client,
    prefix: KEY_PREFIX,
    // Otherwise each process that only looks would write its own settings.
    skipMetasUpdate: true,
  });
  // The connection reports its own errors.
  opened.on('error', () => undefined);
  return opened;
}

/** Versions that a queue has jobs or workers of. */
export const versionsOf = async ({ client }: Connection, queue: string): Promise<string[]> =>
  (await client.smembers(versionsKey(queue))).sort();

/** Makes a version known. If the queue is paused, that of this version is as well. */
export async function registerVersion(connection: Connection, queue: string, version: string): Promise<void> {
  const { client } = connection;
  const isNew = await client.sadd(versionsKey(queue), version);
  if (isNew === 0 || (await client.exists(pausedKey(queue))) === 0) return;
  await openQueue(connection, queue, version).pause();
}

/** How many jobs a queue has. */
export async function countsOf(queue: JobQueue): Promise<QueueCounts> {
  const counts = await queue.getJobCounts();
  const of = (name: string): number => counts[name] ?? 0;
  return {
    waiting: of('waiting') + of('paused') + of('prioritized'),
    delayed: of('delayed'),
    active: of('active'),
    completed: of('completed'),
    failed: of('failed'),
  };
}

/** When the oldest waiting job was added, in milliseconds since 1970; Infinity: none waits. */
export async function oldestOf(queue: JobQueue): Promise<number> {
  const [job] = await queue.getJobs(['waiting', 'prioritized'], 0, 0, true);
  return job === undefined ? Infinity : job.timestamp;
}
