// Names of queues and of keys in Redis. Each version of the package has its own queue, since pictures of two versions
// may differ: a worker only sees the jobs that it can do, and never takes one from a worker that could.
import { quoted } from '../../base/printable';
import { QueueError } from './errors';

/** In front of all keys in Redis. */
export const KEY_PREFIX = 'rasterloom';

/** @throws QueueError */
export function checkQueueName(name: string): string {
  if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name))
    throw new QueueError(
      'option',
      `The name of a queue has 1 to 64 letters, digits, points, hyphens and underscores, not ${quoted(name)}`
    );
  return name;
}

/** BullMQ's queue for the jobs of one version. */
export const bullQueue = (queue: string, version: string): string => `${queue}@${version}`;
/** Set of the versions that a queue has jobs or workers of. */
export const versionsKey = (queue: string): string => `${KEY_PREFIX}:farm:${queue}:versions`;
/** Exists while a queue is paused. */
export const pausedKey = (queue: string): string => `${KEY_PREFIX}:farm:${queue}:paused`;
/** Set of the flows that have intermediate files, each with its version. */
export const flowsKey = (queue: string): string => `${KEY_PREFIX}:farm:${queue}:flows`;
/** Hash of the workers of a queue, with what they last said of themselves. */
export const workersKey = (queue: string): string => `${KEY_PREFIX}:farm:${queue}:workers`;
