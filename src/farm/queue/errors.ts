// Errors of the queue, which users of the library and of the command see.
import { redacted } from '../redact';

/** Why a job, or a call of the farm, failed. */
export type QueueErrorCode =
  /** Redis does not answer, or refuses the connection. */
  | 'redis'
  /** A package is not installed. */
  | 'package'
  /** An option of the call is wrong. */
  | 'option'
  /** What a job asks for is malformed, or is not allowed. */
  | 'invalid-job'
  /** An input could not be fetched. */
  | 'network'
  /** An input does not exist, or is not what it was when the job was added. */
  | 'input'
  /** An output cannot be written, or would leave its folder. */
  | 'output';

/** An error of the farm. Its message has no passwords and no signatures. */
export class QueueError extends Error {
  override readonly name = 'QueueError';
  readonly code: QueueErrorCode;

  constructor(code: QueueErrorCode, message: string, options?: ErrorOptions) {
    super(redacted(message), options);
    this.code = code;
  }
}

/** @throws QueueError unless it is a whole number in a range */
export function checkWhole(name: string, value: number, least: number, most: number): number {
  if (!Number.isInteger(value) || value < least || value > most)
    throw new QueueError('option', `${name} must be a whole number from ${least} to ${most}, not ${value}`);
  return value;
}
