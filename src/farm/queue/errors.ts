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
