// How the failure of a job is written in Redis: "code: message", which other tools for BullMQ show as it is.
import type { FarmCode } from '../codes';
import { redacted } from '../redact';

/** Why a job of a queue has failed. */
export type QueueCode =
  | FarmCode
  /** The workers that ran the job were ended before it was done. */
  | 'worker-lost';

interface Failure {
  readonly code: QueueCode;
  readonly message: string;
}

const MAX_MESSAGE = 2000;

export const writeFailure = ({ code, message }: Failure): string =>
  `${code}: ${redacted(message).slice(0, MAX_MESSAGE)}`;

/** Reads a reason from Redis, also one that BullMQ gave. */
export function readFailure(reason: string | undefined): Failure {
  if (reason === undefined || reason === '') return { code: 'bug', message: 'No reason was given' };
  if (/stalled more than allowable limit/.test(reason))
    return {
      code: 'worker-lost',
      message: 'Each worker that ran this job was ended or lost its connection before the job was done',
    };
  const [, code, message] = /^([a-z]+(?:-[a-z]+)*): ([^]*)$/.exec(reason) ?? [];
  return code === undefined ? { code: 'bug', message: reason } : { code: code as QueueCode, message };
}
