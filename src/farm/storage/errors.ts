import { cut, quoted, thrown } from '../../base/printable';
import { PRIVATE_HOST_CODE } from '../../node/models/network';
import { redacted } from '../redact';
import type { StorageErrorCode } from './types';

/** Codes, and whether another attempt may not meet the cause again. */
export const STORAGE_CODES: Readonly<Record<StorageErrorCode, { readonly retryable: boolean }>> = {
  address: { retryable: false },
  refused: { retryable: false },
  missing: { retryable: false },
  denied: { retryable: false },
  conflict: { retryable: false },
  altered: { retryable: false },
  'too-large': { retryable: false },
  timeout: { retryable: true },
  unavailable: { retryable: true },
  dependency: { retryable: false },
};
/** Most UTF-16 code units of an address in a message. */
const ADDRESS_LENGTH = 200;

/** An input that cannot be read, or an output that cannot be written. Its message contains no secret. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;
  /** Whether another attempt may succeed. */
  readonly retryable: boolean;

  constructor(code: StorageErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.retryable = STORAGE_CODES[code].retryable;
  }
}

/** Predicate of the message for hosts that only `allowPrivateNetwork` allows. */
export const PRIVATE_HOST =
  'is on this machine or a private network, which the option allowPrivateNetwork of this worker would allow';

/** Predicate of the message for an output that is not overwritten. */
export const EXISTS = 'exists with other bytes; remove it, or set the option overwrite of the worker';

/** What is transferred, as the subject of messages. */
export class Subject {
  readonly #kind: 'input' | 'output';
  readonly #address: string;

  constructor(kind: 'input' | 'output', address: string) {
    this.#kind = kind;
    this.#address = address;
  }

  /** @param why the predicate of the sentence, such as "does not exist" */
  error(code: StorageErrorCode, why: string, cause?: unknown): StorageError {
    const name = quoted(cut(redacted(this.#address), ADDRESS_LENGTH));
    return new StorageError(code, `The ${this.#kind} ${name} ${why}`, cause);
  }

  /** @returns `error` itself if it is a StorageError, else one that says what has failed */
  failed(error: unknown): StorageError {
    if (error instanceof StorageError) return error;
    const [code, why] = explain(error);
    const verb = this.#kind === 'input' ? 'read' : 'written';
    return this.error(code, why ?? `cannot be ${verb}: ${redacted(thrown(error))}`, error);
  }
}

/** Code, and the predicate of the sentence unless the error's own message is the best. */
function explain(error: unknown): [StorageErrorCode, string?] {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (name === 'TimeoutError' || code === 'ETIMEDOUT') return ['timeout', 'took too long'];
  switch (code) {
    case PRIVATE_HOST_CODE:
      return ['refused', PRIVATE_HOST];
    case 'ENOENT':
    case 'ENOTDIR':
      return ['missing', 'does not exist'];
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return ['denied', 'is not accessible for this user'];
    case 'EISDIR':
      return ['address', 'is a folder'];
    case 'ENAMETOOLONG':
      return ['address', 'has a name that is too long'];
    case 'ECONNRESET':
    case 'ERR_STREAM_PREMATURE_CLOSE':
      return ['unavailable', 'was cut off: the connection has ended early'];
    case 'ECONNREFUSED':
      return ['unavailable', 'cannot be reached: the server refuses connections'];
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return ['unavailable', 'cannot be reached: the name of the host cannot be resolved'];
    case 'dependency':
      return ['dependency'];
    default:
      return ['unavailable'];
  }
}
