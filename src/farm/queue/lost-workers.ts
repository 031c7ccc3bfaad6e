// Jobs whose workers were lost. BullMQ counts the losses of a job, whatever their cause: a machine may have been
// preempted, another job of the worker may have ended it, or this one has. Since jobs render in processes of their own,
// the job itself is the least likely cause. So it may run again many times, after pauses of random lengths, which
// separate it from the jobs that it was lost with, and last longer than a restart of all workers.
import { randomInt } from 'node:crypto';
import type { Connection } from './connection';
import type { BullJob, JobQueue } from './job-queue';

/** Workers that may be lost with a job before it is quarantined. */
export const MAX_LOST_WORKERS = 9;
/** Longest pause after the second loss, and of all; they double with each loss. */
const FIRST_PAUSE_MS = 5000;
const MAX_PAUSE_MS = 300_000;

/** Member of a job in Redis: the number of losses after which it has paused. */
export const PAUSED_MEMBER = 'rasterloomPaused';

/** Milliseconds for which a job pauses before it runs again; 0: it need not, or it has done so. */
export async function pauseAfterLoss(job: BullJob, queue: JobQueue, { client }: Connection): Promise<number> {
  const { stalledCounter: lost } = job;
  // A single loss is frequent, and the job continues at once.
  if (lost < 2) return 0;
  const key = queue.toKey(job.id!);
  if (Number(await client.hget(key, PAUSED_MEMBER)) >= lost) return 0;
  await client.hset(key, PAUSED_MEMBER, lost);
  const most = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (lost - 2));
  return randomInt(most / 2, most + 1);
}
