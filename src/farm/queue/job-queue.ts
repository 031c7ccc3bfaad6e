// The queue of one version.
import type { Job, Queue } from 'bullmq';
import type { JobData } from './job-data';
import type { QueuedResult } from './result';

export type JobQueue = Queue<JobData, QueuedResult>;
/** A job of BullMQ. */
export type BullJob = Job<JobData, QueuedResult>;
