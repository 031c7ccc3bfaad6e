// The queues of all versions under one name.
import type { Connection } from './connection';
import { countChunks } from './flows/flow-status';
import type { JobQueue } from './job-queue';
import { bullQueue, KEY_PREFIX, pausedKey, versionsKey } from './names';

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

/** How many jobs a queue has. A flow whose chunks are drawn is one active job. */
export async function countsOf(connection: Connection, queue: JobQueue): Promise<QueueCounts> {
  const counts = await queue.getJobCounts();
  const of = (name: string): number => counts[name] ?? 0;
  const none = { flows: 0, waiting: 0, delayed: 0, active: 0 };
  const chunks = of('waiting-children') > 0 ? await countChunks(connection, queue) : none;
  return {
    waiting: Math.max(0, of('waiting') + of('paused') + of('prioritized') - chunks.waiting),
    delayed: Math.max(0, of('delayed') - chunks.delayed),
    active: Math.max(0, of('active') - chunks.active) + chunks.flows,
    completed: of('completed'),
    failed: of('failed'),
  };
}

/** When the oldest waiting job was added, in milliseconds since 1970; Infinity: none waits. */
export async function oldestOf(queue: JobQueue): Promise<number> {
  const [job] = await queue.getJobs(['waiting', 'prioritized'], 0, 0, true);
  return job === undefined ? Infinity : job.timestamp;
}
